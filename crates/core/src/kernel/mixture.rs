//! Radial kernels as mixtures of Gaussian kernels: k(x, z) = int exp(-u |x - z|^2) mu(du) for a positive measure mu. By
//! Schoenberg's theorem these are the radial kernels that are positive definite in every dimension.

use std::f64::consts::PI;

use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::quadrature::gauss_of;

/// The measure mu of a mixture.
pub enum MixtureMeasure<'a> {
    /// One Gaussian, exp(-u |x - z|^2), of this rate u.
    Point(f64),
    /// mu(u) du on 0 < u <= `cutoff`, which may be infinite.
    Density {
        /// u mu(u), the mass per unit of ln u, as a function of ln u. (Densities like u^(alpha - 1) with a small alpha
        /// have mass at rates below the smallest positive number.)
        mass: Box<dyn Fn(f64) -> f64 + 'a>,
        /// The largest rate.
        cutoff: f64,
    },
}

shared! {
    // It cuts a mixture, because components exp(-u r^2) narrower than the noise cannot be learnt.
    /// largest rate u of the components exp(-u r^2) of the kernel that are kept; none: all are kept
    CUTOFF = "cutoff": Kind::Real { range: Range::POSITIVE, words: &["none"] } => Fallback::Word("none");
}

/// Rates u_j >= 0 and masses m_j > 0 of `count` >= 1 components (fewer if fewer are exact to rounding), such that
/// sum_j m_j f(u_j) approximates int_0^cutoff f(u) mu(u) du; `mass` is that of [`MixtureMeasure::Density`], `cutoff` is finite.
/// Empty if the mass underflows.
///
/// This is the Gauss rule of the measure itself: exact for polynomials of degree 2 count - 1, whatever the density. For
/// f(u) = exp(-u r^2) its error is below 1e-10 of the total mass if cutoff r^2 is at most 36 (`count` = 16) or 90
/// (`count` = 24).
pub(crate) fn components(mass: &dyn Fn(f64) -> f64, cutoff: f64, count: usize) -> Vec<(f64, f64)> {
    gauss_of(&fine(mass, cutoff), count)
}

/// The steps of the tanh-sinh rule are halved until two totals agree to this.
const AGREED: f64 = 1e-12;
/// The shortest step.
const SHORTEST: f64 = 1.0 / 1024.0;
/// Terms that are smaller than this share of the largest one do not count.
const NEGLIGIBLE: f64 = 1e-20;

/// Rates and masses of the tanh-sinh rule: u = cutoff / (1 + e^-z) with z = pi sinh(t) and equidistant t.
fn fine(mass: &dyn Fn(f64) -> f64, cutoff: f64) -> Vec<(f64, f64)> {
    let total = |rule: &[(f64, f64)]| rule.iter().map(|(_, mass)| mass).sum::<f64>();
    let mut step = 1.0 / 16.0;
    let mut rule = equidistant(mass, cutoff, step);
    loop {
        step *= 0.5;
        let finer = equidistant(mass, cutoff, step);
        let agreed = (total(&finer) - total(&rule)).abs() <= AGREED * total(&finer);
        if agreed || step <= SHORTEST {
            return finer;
        }
        rule = finer;
    }
}

fn equidistant(mass: &dyn Fn(f64) -> f64, cutoff: f64, step: f64) -> Vec<(f64, f64)> {
    let mut rule = Vec::new();
    // Rates too small to tell from 0 are one component.
    let (mut constant, mut largest) = (0.0, 0.0f64);
    // From the cutoff, where 1 - u / cutoff = e^-z is below `NEGLIGIBLE`, down to where the mass ends. pi sinh(709) is
    // finite.
    let first = (3.5 / step) as i32;
    for j in (-(709.0 / step) as i32..=first).rev() {
        let t = step * f64::from(j);
        let z = PI * t.sinh();
        // ln(1 / (1 + e^-z)); without overflow where e^-z is large.
        let log_share = if z < -40.0 { z } else { -(-z).exp().ln_1p() };
        let weight = step * PI * t.cosh() / (1.0 + z.exp());
        let part = weight * mass(cutoff.ln() + log_share);
        if part > 0.0 {
            let u = cutoff * log_share.exp();
            if log_share < -80.0 { constant += part } else { rule.push((u, part)) }
        }
        largest = largest.max(part);
        if t < 0.0 && largest > 0.0 && part < NEGLIGIBLE * largest {
            break;
        }
    }
    if constant > 0.0 {
        rule.push((0.0, constant));
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::api::Kernel;
    use crate::kernel::inverse_multiquadric::InverseMultiquadric;
    use crate::kernel::laplace::Laplace;
    use crate::kernel::rational::Rational;

    /// The largest error of the components at distances r with cutoff r^2 <= `reach`, as a share of k(0).
    fn error(kernel: &dyn Kernel, count: usize, reach: f64) -> f64 {
        let Some(MixtureMeasure::Density { mass, cutoff }) = kernel.mixture(1) else { unreachable!() };
        let rule = components(&*mass, cutoff, count);
        assert!(rule.len() <= count && rule.iter().all(|(u, mass)| (0.0..=cutoff).contains(u) && *mass > 0.0));
        let exact = |r: f64| kernel.evaluate(&[0.0], &[r]);
        let found = |r: f64| rule.iter().map(|(u, mass)| mass * (-u * r * r).exp()).sum::<f64>();
        let distances = (0..=50).map(|i| f64::from(i) / 50.0 * (reach / cutoff).sqrt());
        distances.map(|r| (found(r) - exact(r)).abs() / exact(0.0)).fold(0.0, f64::max)
    }

    /// Every kernel with a cutoff, for all shapes of its density: singular at 0, flat, concentrated below the cutoff or at
    /// it.
    #[test]
    fn components_are_exact_for_all_shapes() {
        let mut kernels: Vec<Box<dyn Kernel>> = Vec::new();
        let alphas =
            [1e-300, 1e-9, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.49, 0.5, 0.7, 1.0, 1.5, 2.0, 5.0, 20.0, 50.0];
        for (alpha, cutoff) in alphas.into_iter().flat_map(|a| [1e-8, 0.01, 0.9, 7.0, 1e3, 1e12].map(|c| (a, c))) {
            kernels.push(Box::new(InverseMultiquadric::new(alpha, 0.7, cutoff)));
        }
        for bandwidth in [0.3, 1.0, 2.0, 30.0, 1e6] {
            [0.05, 0.9, 7.0, 1e3].into_iter().for_each(|c| kernels.push(Box::new(Laplace::new(bandwidth, c))));
        }
        [0.01, 2.0, 4.0, 100.0].into_iter().for_each(|c| kernels.push(Box::new(Rational::new(c))));
        // Below 1e-200 kernel values lose their digits.
        kernels.retain(|kernel| kernel.evaluate(&[0.0], &[0.0]) > 1e-200);
        for kernel in &kernels {
            for (count, reach) in [(16, 36.0), (24, 90.0), (64, 90.0)] {
                let error = error(&**kernel, count, reach);
                assert!(error < 1e-10, "{kernel:?}, {count} components: {error:e}");
            }
        }
        // Too few components show: the check above can fail.
        assert!(error(&InverseMultiquadric::new(0.5, 0.7, 0.9), 8, 90.0) > 1e-6);
    }
}
