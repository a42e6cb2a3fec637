//! The inverse multiquadric kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::kernel::mixture::{self, MixtureMeasure};
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::matrix::Rows;

/// k(x, z) = g(r) = (1 + r^2 / m)^-alpha with r = |x - z|, or the part of it that remains when its mixture of
/// Gaussians, whose density is m^alpha u^(alpha - 1) exp(-m u) / Gamma(alpha), is cut.
#[derive(Clone, Copy, Debug)]
pub struct InverseMultiquadric {
    alpha: f64,
    m: f64,
    cutoff: f64,
}

impl InverseMultiquadric {
    /// The kernel of shape `alpha` > 0 and squared length `m` > 0, cut at the rate `cutoff` > 0, which may be infinite.
    pub fn new(alpha: f64, m: f64, cutoff: f64) -> Self {
        Self { alpha, m, cutoff }
    }

    /// g(r) P(alpha, cutoff (m + r^2)), where P is the regularised lower incomplete gamma function.
    pub(crate) fn of(&self, squared_distance: f64) -> f64 {
        let full = (1.0 + squared_distance / self.m).powf(-self.alpha);
        let argument = self.cutoff * (self.m + squared_distance);
        if full == 0.0 || argument.is_infinite() { full } else { full * lower_gamma(self.alpha, argument) }
    }

    /// u mu(u) at the rate u with this logarithm.
    pub(crate) fn mass(&self, log_rate: f64) -> f64 {
        let log = self.m.ln() + log_rate;
        (self.alpha * log - log.exp() - libm::lgamma(self.alpha)).exp()
    }
}

/// P(alpha, x), the regularised lower incomplete gamma function. puruspe's loses up to 8 digits for small alpha; there
/// P(alpha, x) = P(alpha + 1, x) + x^alpha exp(-x) / Gamma(alpha + 1), whose terms are positive.
fn lower_gamma(alpha: f64, x: f64) -> f64 {
    if alpha >= 1.0 || x == 0.0 {
        return puruspe::gammp(alpha, x);
    }
    puruspe::gammp(alpha + 1.0, x) + (alpha * x.ln() - x - libm::lgamma(alpha + 1.0)).exp()
}

impl Kernel for InverseMultiquadric {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.of(distance::squared_distance(x, z))
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        self.of(0.0)
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        out.iter_mut().for_each(|value| *value = self.of(*value));
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        out.iter_mut().for_each(|value| *value = self.of(*value));
    }

    fn mixture(&self, _: usize) -> Option<MixtureMeasure<'_>> {
        Some(MixtureMeasure::Density { mass: Box::new(|log_rate| self.mass(log_rate)), cutoff: self.cutoff })
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(self.of(0.0))
    }
}

parameters! {
    /// Parameters of [`InverseMultiquadric`].
    pub(crate) struct InverseMultiquadricParams {
        /// exponent with which the kernel falls at large distances
        alpha: f64 = Kind::real(Range { max: 50.0, max_open: false, ..Range::POSITIVE }) => Fallback::Real(1.0);
        /// squared length over which the kernel falls
        m: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        cutoff: OrWord<f64> = mixture::CUTOFF;
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "inverse-multiquadric",
    summary: "(1 + |x - z|^2 / m)^-alpha",
    module: module_path!(),
    params: InverseMultiquadricParams::SPECS,
    build: |params| {
        let InverseMultiquadricParams { alpha, m, cutoff } = Parameters::read(params);
        Ok(Arc::new(InverseMultiquadric::new(alpha, m, cutoff.number().unwrap_or(f64::INFINITY))))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// P(1/2, x) = erf(sqrt(x)), and for tiny alpha P(alpha, x) = 1 - alpha E_1(x) with E_1(1) = 0.219383934395520 and
    /// E_1(0.25) = 1.044282634443738.
    #[test]
    fn incomplete_gamma_of_small_shapes() {
        for x in [1e-12, 0.01, 0.3, 1.0, 4.0, 30.0] {
            let exact = libm::erf(f64::sqrt(x));
            assert!((lower_gamma(0.5, x) - exact).abs() < 1e-11 * exact, "{x}");
        }
        for (x, integral) in [(1.0, 0.219_383_934_395_520), (0.25, 1.044_282_634_443_738)] {
            let missing = (1.0 - lower_gamma(1e-6, x)) / 1e-6;
            assert!((missing / integral - 1.0).abs() < 1e-4, "{x}: {missing}");
            assert!((lower_gamma(1e-9, x) - (1.0 - 1e-9 * integral)).abs() < 1e-11, "{x}");
        }
    }

    /// For alpha = 1 the cut kernel is g (1 - exp(-cutoff m / g)).
    #[test]
    fn values_by_hand() {
        let g = 1.0 / (1.0 + 5.0 / 2.0);
        let full = InverseMultiquadric::new(1.0, 2.0, f64::INFINITY).evaluate(&[1.0, 0.0], &[0.0, 2.0]);
        assert!((full - g).abs() < 1e-16);
        let cut = InverseMultiquadric::new(1.0, 2.0, 0.7).evaluate(&[1.0, 0.0], &[0.0, 2.0]);
        assert!((cut - g * (1.0 - (-1.4 / g).exp())).abs() < 1e-13);
    }
}
