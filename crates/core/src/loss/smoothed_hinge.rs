//! The hinge loss, smoothed by the error function.

use std::f64::consts::FRAC_2_SQRT_PI;
use std::sync::Arc;

use crate::loss::api::{AnalyticLoss, Form, Loss, LossEntry};
use crate::loss::smoothed_absolute::{self, bump_series, erfi};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};

parameters! {
    /// Parameters of [`SmoothedHinge`].
    pub(crate) struct SmoothedHingeParams {
        c: f64 = smoothed_absolute::SHARPNESS;
        /// centre of the power series of the derivative; 0 gives a smaller variance for small margins
        centre: f64 = Kind::real(Range { max: 1.0, max_open: false, ..Range::NONNEGATIVE }) => Fallback::Real(0.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "smoothed-hinge",
    summary: "[b (erf(c b) - 1) + exp(-c^2 b^2) / (c sqrt(pi))] / 2, b = a - 1, of the margin a (Cesa-Bianchi et al., example 4)",
    module: module_path!(),
    params: SmoothedHingeParams::SPECS,
    build: |params| {
        let SmoothedHingeParams { c, centre } = Parameters::read(params);
        Ok(Arc::new(SmoothedHinge::new(c, centre)))
    },
};

/// l(a) = [b (erf(c b) - 1) + exp(-c^2 b^2) / (c sqrt(pi))] / 2 with b = a - 1, of the margin a, so that
/// l'(a) = (erf(c b) - 1) / 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmoothedHinge {
    c: f64,
    centre: f64,
    /// c (1 - centre).
    shift: f64,
}

impl SmoothedHinge {
    /// The loss of sharpness `c` in (0, 20] with the series around `centre`, in [0, 1] for [`majorant`](AnalyticLoss::majorant).
    pub(crate) fn new(c: f64, centre: f64) -> Self {
        Self { c, centre, shift: c * (1.0 - centre) }
    }

    /// gamma_n for n = 1, 2, ...
    fn coefficients(&self) -> impl Iterator<Item = f64> {
        bump_series(self.c, self.shift)
    }

    /// gamma_0.
    fn constant(&self) -> f64 {
        -0.5 * libm::erfc(-self.shift)
    }
}

impl Loss for SmoothedHinge {
    fn form(&self) -> Form {
        Form::Margin
    }

    fn value(&self, a: f64) -> f64 {
        let b = a - 1.0;
        let z = self.c * b;
        0.5 * (0.5 * FRAC_2_SQRT_PI * (-z * z).exp() / self.c - b * libm::erfc(z))
    }

    fn derivative(&self, a: f64) -> f64 {
        -0.5 * libm::erfc(self.c * (a - 1.0))
    }

    fn analytic(&self) -> Option<&dyn AnalyticLoss> {
        Some(self)
    }
}

impl AnalyticLoss for SmoothedHinge {
    fn curvature(&self, a: f64) -> f64 {
        let z = self.c * (a - 1.0);
        0.5 * FRAC_2_SQRT_PI * self.c * (-z * z).exp()
    }

    fn centre(&self) -> f64 {
        self.centre
    }

    fn coefficient(&self, n: u32) -> f64 {
        match n {
            0 => self.constant(),
            n => self.coefficients().nth(n as usize - 1).unwrap_or(0.0),
        }
    }

    fn around(&self, a: f64, degree: u32) -> Vec<f64> {
        let there = Self::new(self.c, a);
        std::iter::once(there.constant()).chain(there.coefficients()).take(degree as usize + 1).collect()
    }

    fn majorant(&self, z: f64) -> f64 {
        if self.shift == 0.0 {
            return 0.5 + 0.5 * erfi(self.c * z);
        }
        // |H_k(w)| <= 1.09 exp(w^2 / 2) sqrt(2^k k!) bounds the terms by a series that falls from n = 2 c^2 z^2 on.
        // Single Hermite numbers may vanish, so several consecutive terms must be negligible.
        let peak = 2.0 * self.c * self.c * z * z;
        let (mut sum, mut power, mut negligible) = (self.constant().abs(), 1.0, 0);
        for (n, coefficient) in (1u32..).zip(self.coefficients()) {
            power *= z;
            let term = coefficient.abs() * power;
            sum += term;
            if !sum.is_finite() {
                return f64::INFINITY;
            }
            negligible = if term <= 1e-17 * sum { negligible + 1 } else { 0 };
            if negligible == 8 && f64::from(n) > peak {
                break;
            }
            negligible = negligible.min(7);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series sums to the derivative around every centre.
    #[test]
    fn the_series_is_the_derivative() {
        for (c, centre) in [(1.0, 0.0), (2.0, 0.25), (2.0, 1.0), (0.3, 0.7)] {
            let loss = SmoothedHinge::new(c, centre);
            for a in [-0.8, 0.0, 0.3, 1.4] {
                let terms = loss.coefficients().take(200).enumerate();
                let sum = loss.constant() + terms.map(|(k, g)| g * f64::powi(a - centre, k as i32 + 1)).sum::<f64>();
                assert!((sum - loss.derivative(a)).abs() < 1e-10, "c {c}, centre {centre}, a {a}: {sum}");
            }
        }
    }

    #[test]
    fn the_majorant_is_the_sum_of_absolute_terms_or_overflows() {
        for centre in [0.0, 0.4, 1.0] {
            let loss = SmoothedHinge::new(1.5, centre);
            let sum = |z: f64| {
                let terms = loss.coefficients().take(400).enumerate();
                loss.constant().abs() + terms.map(|(k, g)| g.abs() * z.powi(k as i32 + 1)).sum::<f64>()
            };
            for z in [0.0, 0.5, 2.0, 4.0] {
                assert!((loss.majorant(z) - sum(z)).abs() <= 1e-12 * sum(z), "{centre} {z}");
            }
            assert_eq!(loss.majorant(1e6), f64::INFINITY);
        }
    }
}
