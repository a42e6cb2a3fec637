//! The rational kernel of Cesa-Bianchi, Shalev-Shwartz, Shamir.

use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::kernel::inverse_multiquadric::InverseMultiquadric;
use crate::kernel::mixture::MixtureMeasure;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::matrix::Rows;

/// k(x, z) = g = 1 / (1 + |x - z|^2 / d) for inputs of d columns. Truncated, it is g (1 - exp(-c / g)): its mixture of
/// Gaussians, of density d exp(-u d), keeps the components with rates up to c / d (Cesa-Bianchi, Shalev-Shwartz,
/// Shamir, section IV-D, eq. (7)). 1 - exp(-c) <= k / g < 1.
#[derive(Clone, Copy, Debug)]
pub struct Rational {
    truncation: f64,
}

impl Rational {
    /// The kernel truncated at c = `truncation` > 0, which may be infinite.
    pub fn new(truncation: f64) -> Self {
        Self { truncation }
    }

    fn of(&self, squared_distance: f64, dim: usize) -> f64 {
        let inverse = 1.0 + squared_distance / dim.max(1) as f64;
        -(-self.truncation * inverse).exp_m1() / inverse
    }

    fn in_dimension(&self, dim: usize) -> InverseMultiquadric {
        let d = dim.max(1) as f64;
        InverseMultiquadric::new(1.0, d, self.truncation / d)
    }
}

impl Kernel for Rational {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.of(distance::squared_distance(x, z), x.len())
    }

    fn diagonal(&self, x: &[f64]) -> f64 {
        self.of(0.0, x.len())
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        out.iter_mut().for_each(|value| *value = self.of(*value, x.len()));
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        out.iter_mut().for_each(|value| *value = self.of(*value, left.cols()));
    }

    fn mixture(&self, dim: usize) -> Option<MixtureMeasure<'_>> {
        let full = self.in_dimension(dim);
        let cutoff = self.truncation / dim.max(1) as f64;
        Some(MixtureMeasure::Density { mass: Box::new(move |log_rate| full.mass(log_rate)), cutoff })
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(self.of(0.0, 1))
    }
}

parameters! {
    /// Parameters of [`Rational`].
    pub(crate) struct RationalParams {
        /// c: components exp(-u r^2) with u up to c / d are kept; none: all are kept, which gives g
        truncation: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["none"] } => Fallback::Real(2.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "rational",
    summary: "g (1 - exp(-truncation / g)) with g = 1 / (1 + |x - z|^2 / d), d columns (Cesa-Bianchi et al., eq. (7))",
    module: module_path!(),
    params: RationalParams::SPECS,
    build: |params| {
        let truncation = RationalParams::read(params).truncation.number();
        Ok(Arc::new(Rational::new(truncation.unwrap_or(f64::INFINITY))))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// It is the inverse multiquadric kernel with alpha = 1, m = d and cutoff c / d.
    #[test]
    fn values() {
        let (x, z) = ([0.3, -1.0, 2.0], [1.3, 0.0, 0.5]);
        let g = 1.0 / (1.0 + 4.25 / 3.0);
        assert!((Rational::new(f64::INFINITY).evaluate(&x, &z) - g).abs() < 1e-16);
        let cut = Rational::new(2.0);
        assert!((cut.evaluate(&x, &z) - cut.in_dimension(3).evaluate(&x, &z)).abs() < 1e-13);
        assert!((cut.evaluate(&x, &x) - (1.0 - (-2.0f64).exp())).abs() < 1e-16);
    }
}
