//! The radius W of Theorems 3 and 5 of the paper on noisy data, for users who know the norm of a target, its kernel and
//! the noise: `noregret describe noisy-theorem-3 --set norm=1.5 --set angle=1 --set covariance=0.5`.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::surrogate::Surrogate;
use noregret_core::params::typed::{Parameters, parameters};
use noregret_core::params::{Fallback, Kind, ParamError, PartKind, Range};
use noregret_core::theory::noisy::surrogate_radius;
use noregret_numeric::linalg::covariance::Covariance;

parameters! {
    /// What [`radius`] takes.
    pub struct RadiusParams with required {
        /// U: bound on the norm of the target in the space of the kernel
        norm: f64 = Kind::real(Range::POSITIVE) => Fallback::Required;
        /// beta: least angle, in radians, between the part of the target with positive coefficients and minus the part
        /// with negative ones; pi/2 if there is only one part
        angle: f64 = Kind::real(Range { max: PI, max_open: false, ..Range::POSITIVE }) => Fallback::Real(FRAC_PI_2);
        /// gaussian, or a mixture of Gaussian kernels with a cutoff
        kernel: Arc<dyn Kernel> = Kind::Part(PartKind::Kernel) => Fallback::Part("gaussian");
        /// covariance of the Gaussian noise on the inputs (Sigma)
        covariance: Covariance = Kind::Covariance { words: &[] } => Fallback::Required;
        /// d: number of inputs
        dim: u64 = Kind::integer(1, 10_000) => Fallback::Integer(1);
        /// number of Gaussian components that replace a mixture, as in noisy-radial
        nodes: u64 = Kind::integer(2, 512) => Fallback::Integer(24);
    }
}

/// W, and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurrogateRadius {
    /// D = k^(x, x) of the surrogate kernel.
    pub diagonal: f64,
    /// sup k^ / k = k^(x, x) / k(x, x).
    pub ratio: f64,
    /// W = U sqrt(ratio / (1 - cos beta)).
    pub radius: f64,
    /// W with the constant of the paper, U sqrt(5 ratio) / sin(beta).
    pub printed: f64,
}

/// W from its parameters.
///
/// # Errors
/// Values out of range; kernel, noise and dimension that do not fit together.
///
/// ```
/// use std::sync::Arc;
///
/// use noregret_core::kernel::gaussian::Gaussian;
/// use noregret_numeric::linalg::covariance::Covariance;
/// use noregret_papers::noisy::radius::{RadiusParams, radius};
///
/// // The target of the test problem of Algorithm 3, k(1, .) - k(-1, .): its norm is sqrt(2 - 2 e^-2), and both parts have
/// // norm 1 and the inner product e^-2.
/// let (kernel, covariance) = (Arc::new(Gaussian::new(1.0)), Covariance::isotropic(0.5)?);
/// let found = radius(&RadiusParams { norm: 1.31508, angle: 1.43505, kernel, covariance, dim: 1, nodes: 24 })?;
/// assert!((found.diagonal - 2f64.sqrt()).abs() < 1e-12);
/// assert!((found.radius - 2f64.powf(0.75)).abs() < 1e-4 && found.printed > found.radius);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn radius(params: &RadiusParams) -> Result<SurrogateRadius, ParamError> {
    params.check()?;
    let (RadiusParams { norm, covariance, .. }, dim) = (params, params.dim as usize);
    covariance.fits(dim).map_err(|why| ParamError::refused("covariance", why))?;
    let pair = Surrogate::new(&*params.kernel, covariance, dim, params.nodes as usize)
        .map_err(|why| ParamError::refused("kernel", why))?;
    let (ratio, angle) = (pair.ratio(), params.angle.min(FRAC_PI_2));
    Ok(SurrogateRadius {
        diagonal: pair.diagonal(),
        ratio,
        radius: surrogate_radius(*norm, ratio, angle),
        printed: norm * (5.0 * ratio).sqrt() / angle.sin(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::kernel::surrogate::split_angle;
    use noregret_core::params::check::check;
    use noregret_core::parts::AllParts;

    fn given(text: &str) -> Result<RadiusParams, ParamError> {
        let table = text.parse::<toml::Table>().unwrap();
        Ok(RadiusParams::read(&check(RadiusParams::SPECS, &table, "", &AllParts)?))
    }

    fn found(text: &str) -> Result<SurrogateRadius, ParamError> {
        radius(&given(text)?)
    }

    /// W bounds the surrogate norm of f = 2 k(z_1, .) - 3 k(z_2, .), which can be computed directly, for both kinds of
    /// kernel.
    #[test]
    fn it_bounds_the_surrogate_norm() {
        for kernel in ["{ name = 'gaussian' }", "{ name = 'laplace', bandwidth = 2.0, cutoff = 0.9 }"] {
            let text = format!("norm = 1.0\ncovariance = [0.3, 0.1]\ndim = 2\nkernel = {kernel}");
            let RadiusParams { kernel: clean, covariance, .. } = given(&text).unwrap();
            let pair = Surrogate::new(&*clean, &covariance, 2, 24).unwrap();
            let (z, a) = ([[0.2, -0.4], [1.0, 0.5]], [2.0, -3.0]);
            let square = |value: &dyn Fn(&[f64], &[f64]) -> f64| {
                4.0 * value(&z[0], &z[0]) - 12.0 * value(&z[0], &z[1]) + 9.0 * value(&z[1], &z[1])
            };
            let clean = |x: &[f64], y: &[f64]| pair.clean().evaluate(x, y);
            let norm = square(&clean).sqrt();
            let surrogate = square(&|x, y| pair.noisy().evaluate(x, y)).sqrt();
            let gram = [clean(&z[0], &z[0]), clean(&z[0], &z[1]), clean(&z[1], &z[0]), clean(&z[1], &z[1])];
            let angle = split_angle(&gram, &a);
            let found = found(&format!("{text}\nangle = {angle:?}").replace("norm = 1.0", &format!("norm = {norm:?}")))
                .unwrap();
            assert!(norm < surrogate && surrogate <= found.radius, "{kernel}: {norm} {surrogate} {found:?}");
            let factor = found.printed / found.radius;
            assert!((1.58..2.24).contains(&factor), "{factor}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        for (text, name) in [
            ("norm = 1.0\ncovariance = 1.5", "kernel"),
            ("norm = 1.0\ncovariance = [0.1, 0.2]", "covariance"),
            ("norm = 1.0\ncovariance = 0.1\nangle = 4.0", "angle"),
            ("norm = 1.0\ncovariance = 0.1\nkernel = 'laplace'", "kernel"),
            ("covariance = 0.1", "norm"),
        ] {
            assert_eq!(found(text).unwrap_err().path(), Some(name), "{text}");
        }
    }
}
