//! The radius W of Theorems 3 and 5 of the paper on noisy data, for users who know the norm of a target, its kernel and
//! the noise: `noregret describe noisy-theorem-3 --set norm=1.5 --set angle=1 --set covariance=0.5`.

use std::f64::consts::{FRAC_PI_2, PI};

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::surrogate::Surrogate;
use noregret_core::params::{Fallback, Kind, ParamError, Params, PartKind, Range, Spec};
use noregret_core::theory::noisy::surrogate_radius;

/// What [`radius`] takes.
pub const PARAMS: &[Spec] = &[
    Spec {
        name: "norm",
        doc: "U: bound on the norm of the target in the space of the kernel",
        kind: Kind::Real { range: Range::POSITIVE, words: &[] },
        default: Fallback::Required,
    },
    Spec {
        name: "angle",
        doc: "beta: least angle, in radians, between the part of the target with positive coefficients and minus the part with negative ones; pi/2 if there is only one part",
        kind: Kind::Real { range: Range { min: 0.0, min_open: true, max: PI, max_open: false }, words: &[] },
        default: Fallback::Real(FRAC_PI_2),
    },
    Spec {
        name: "kernel",
        doc: "gaussian, or a mixture of Gaussian kernels with a cutoff",
        kind: Kind::Part(PartKind::Kernel),
        default: Fallback::Part("gaussian"),
    },
    Spec {
        name: "covariance",
        doc: "covariance of the Gaussian noise on the inputs (Sigma)",
        kind: Kind::Covariance { words: &[] },
        default: Fallback::Required,
    },
    Spec::integer("dim", "d: number of inputs", [1, 10_000], 1),
    Spec::integer("nodes", "number of Gaussian components that replace a mixture, as in noisy-radial", [2, 512], 24),
];

/// W, and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radius {
    /// D = k^(x, x) of the surrogate kernel.
    pub diagonal: f64,
    /// sup k^ / k = k^(x, x) / k(x, x).
    pub ratio: f64,
    /// W = U sqrt(ratio / (1 - cos beta)).
    pub radius: f64,
    /// W with the constant of the paper, U sqrt(5 ratio) / sin(beta).
    pub printed: f64,
}

/// W from checked [`PARAMS`].
///
/// # Errors
/// If kernel, noise and dimension do not fit together.
///
/// ```
/// use noregret_core::prelude::*;
/// use noregret_papers::noisy::radius::{PARAMS, radius};
///
/// // The target of the test problem of Algorithm 3, k(1, .) - k(-1, .): its norm is sqrt(2 - 2 e^-2), and both parts have
/// // norm 1 and the inner product e^-2.
/// let given = "norm = 1.31508\nangle = 1.43505\ncovariance = 0.5".parse().unwrap();
/// let found = radius(&check(PARAMS, &given, "", &AllParts)?)?;
/// assert!((found.diagonal - 2f64.sqrt()).abs() < 1e-12);
/// assert!((found.radius - 2f64.powf(0.75)).abs() < 1e-4 && found.printed > found.radius);
/// # Ok::<(), ParamError>(())
/// ```
pub fn radius(params: &Params) -> Result<Radius, ParamError> {
    let (norm, angle, dim) = (params.real("norm"), params.real("angle").min(FRAC_PI_2), params.integer("dim") as usize);
    let covariance = match params.covariance_or_word("covariance") {
        Ok(covariance) => covariance,
        Err(word) => return Err(ParamError::refused("covariance", format!("{word} is not a covariance"))),
    };
    covariance.fits(dim).map_err(|why| ParamError::refused("covariance", why))?;
    let kernel = params.part::<dyn Kernel>("kernel");
    let pair = Surrogate::new(&*kernel, covariance, dim, params.integer("nodes") as usize)
        .map_err(|why| ParamError::refused("kernel", why))?;
    let ratio = pair.ratio();
    Ok(Radius {
        diagonal: pair.diagonal(),
        ratio,
        radius: surrogate_radius(norm, ratio, angle),
        printed: norm * (5.0 * ratio).sqrt() / angle.sin(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::kernel::surrogate::split_angle;
    use noregret_core::params::check::check;
    use noregret_core::parts::AllParts;

    fn found(text: &str) -> Result<Radius, ParamError> {
        radius(&check(PARAMS, &text.parse::<toml::Table>().unwrap(), "", &AllParts)?)
    }

    /// W bounds the surrogate norm of f = 2 k(z_1, .) - 3 k(z_2, .), which can be computed directly, for both kinds of
    /// kernel.
    #[test]
    fn it_bounds_the_surrogate_norm() {
        for kernel in ["{ name = 'gaussian' }", "{ name = 'laplace', bandwidth = 2.0, cutoff = 0.9 }"] {
            let text = format!("norm = 1.0\ncovariance = [0.3, 0.1]\ndim = 2\nkernel = {kernel}");
            let params = check(PARAMS, &text.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
            let covariance = params.covariance_or_word("covariance").unwrap();
            let pair = Surrogate::new(&*params.part::<dyn Kernel>("kernel"), covariance, 2, 24).unwrap();
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
