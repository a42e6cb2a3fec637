//! The inverse multiquadric kernel.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::kernel::mixture::{CUTOFF, Mixture, cutoff};
use crate::linalg::matrix::Rows;
use crate::params::{Fallback, Kind, Range, Spec};

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
    pub fn of(&self, squared_distance: f64) -> f64 {
        let full = (1.0 + squared_distance / self.m).powf(-self.alpha);
        let argument = self.cutoff * (self.m + squared_distance);
        if full == 0.0 || argument.is_infinite() { full } else { full * puruspe::gammp(self.alpha, argument) }
    }

    /// u mu(u) at the rate u with this logarithm.
    pub fn mass(&self, log_rate: f64) -> f64 {
        let log = self.m.ln() + log_rate;
        (self.alpha * log - log.exp() - libm::lgamma(self.alpha)).exp()
    }
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

    fn mixture(&self, _: usize) -> Option<Mixture<'_>> {
        Some(Mixture::Density { mass: Box::new(|log_rate| self.mass(log_rate)), cutoff: self.cutoff })
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(self.of(0.0))
    }
}

/// Registry entry.
pub static ENTRY: KernelEntry = KernelEntry {
    name: "inverse-multiquadric",
    summary: "(1 + |x - z|^2 / m)^-alpha",
    module: module_path!(),
    params: &[
        Spec {
            name: "alpha",
            doc: "exponent with which the kernel falls at large distances",
            kind: Kind::Real { range: Range { min: 0.0, min_open: true, max: 50.0, max_open: false }, words: &[] },
            default: Fallback::Real(1.0),
        },
        Spec::real("m", "squared length over which the kernel falls", Range::POSITIVE, 1.0),
        CUTOFF,
    ],
    build: |params| Ok(Arc::new(InverseMultiquadric::new(params.real("alpha"), params.real("m"), cutoff(params)))),
};

#[cfg(test)]
mod tests {
    use super::*;

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
