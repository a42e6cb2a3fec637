//! The Laplace (exponential, Ornstein-Uhlenbeck) kernel.

use std::f64::consts::FRAC_2_SQRT_PI;
use std::sync::Arc;

use crate::kernel::api::{Kernel, KernelEntry};
use crate::kernel::distance;
use crate::kernel::mixture::{self, MixtureMeasure};
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::elementary::exp_scaled;
use noregret_numeric::linalg::matrix::Rows;

/// k(x, z) = exp(-|x - z| / bandwidth) with the Euclidean norm, or the part of it that remains when its mixture of
/// Gaussians, whose density is u^(-3/2) exp(-1 / (4 l^2 u)) / (2 l sqrt(pi)) with l = bandwidth, is cut.
#[derive(Clone, Copy, Debug)]
pub struct Laplace {
    bandwidth: f64,
    cutoff: f64,
}

impl Laplace {
    /// The kernel of this `bandwidth` > 0, cut at the rate `cutoff` > 0, which may be infinite.
    pub fn new(bandwidth: f64, cutoff: f64) -> Self {
        Self { bandwidth, cutoff }
    }

    /// From squared distances to kernel values, in place.
    fn finish(&self, values: &mut [f64]) {
        if self.cutoff.is_infinite() {
            // Kept finite and positive, so that extreme bandwidths and distances never give an undefined product.
            let rate = self.bandwidth.recip().clamp(f64::MIN_POSITIVE, f64::MAX);
            values.iter_mut().for_each(|value| *value = value.sqrt());
            exp_scaled(values, -rate);
        } else {
            values.iter_mut().for_each(|value| *value = self.cut(*value));
        }
    }

    /// With r = |x - z|, s = sqrt(cutoff) and q = 1 / (2 l s), the cut kernel is
    /// [exp(-r / l) erfc(q - r s) + exp(r / l) erfc(q + r s)] / 2.
    fn cut(&self, squared_distance: f64) -> f64 {
        let (r, s) = (squared_distance.sqrt(), self.cutoff.sqrt());
        let q = 0.5 / self.bandwidth / s;
        // erfcx(z) = exp(z^2) erfc(z) cancels the growing exponential.
        let second = puruspe::erfcx(q + r * s) * (-q * q - squared_distance * self.cutoff).exp();
        0.5 * ((-r / self.bandwidth).exp() * libm::erfc(q - r * s) + second)
    }

    fn of(&self, squared_distance: f64) -> f64 {
        let mut value = [squared_distance];
        self.finish(&mut value);
        value[0]
    }
}

impl Kernel for Laplace {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        self.of(distance::squared_distance(x, z))
    }

    fn diagonal(&self, _: &[f64]) -> f64 {
        self.of(0.0)
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        distance::row(points, x, out);
        self.finish(out);
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        distance::gram(left, right, out);
        self.finish(out);
    }

    fn mixture(&self, _: usize) -> Option<MixtureMeasure<'_>> {
        // With s = 1 / (2 l sqrt(u)) this is s exp(-s^2) / sqrt(pi).
        let mass = |log_rate: f64| {
            let log = -(2.0 * self.bandwidth).ln() - 0.5 * log_rate;
            0.5 * FRAC_2_SQRT_PI * (log - (2.0 * log).exp()).exp()
        };
        Some(MixtureMeasure::Density { mass: Box::new(mass), cutoff: self.cutoff })
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(self.of(0.0))
    }
}

parameters! {
    /// Parameters of [`Laplace`].
    pub(crate) struct LaplaceParams {
        /// length over which the kernel falls by a factor e
        bandwidth: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        cutoff: OrWord<f64> = mixture::CUTOFF;
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "laplace",
    summary: "exp(-|x - z| / bandwidth)",
    module: module_path!(),
    params: LaplaceParams::SPECS,
    build: |params| {
        let LaplaceParams { bandwidth, cutoff } = Parameters::read(params);
        Ok(Arc::new(Laplace::new(bandwidth, cutoff.number().unwrap_or(f64::INFINITY))))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_by_hand() {
        // |x - z| = 5.
        let value = Laplace::new(2.5, f64::INFINITY).evaluate(&[0.0, 3.0], &[4.0, 0.0]);
        assert!((value - (-2.0f64).exp()).abs() < 1e-16);
    }

    /// A high cutoff removes nothing at a distance and little at 0.
    #[test]
    fn cutting_removes_the_narrow_components() {
        let (full, cut) = (Laplace::new(1.0, f64::INFINITY), Laplace::new(1.0, 40.0));
        for (z, bound) in [(0.0, 0.1), (0.5, 1e-5), (2.0, 1e-15)] {
            let difference = full.evaluate(&[0.0], &[z]) - cut.evaluate(&[0.0], &[z]);
            assert!((0.0..bound).contains(&(difference + 1e-16)), "{z}: {difference}");
        }
        assert!(cut.evaluate(&[0.0], &[1e200]) == 0.0);
    }
}
