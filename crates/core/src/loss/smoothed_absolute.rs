//! The absolute loss, smoothed by the error function.

use std::f64::consts::FRAC_2_SQRT_PI;
use std::sync::Arc;

use crate::loss::api::{AnalyticLoss, Form, Loss, LossEntry};
use crate::params::typed::{Parameters, parameters, shared};
use crate::params::{Fallback, Kind, Range};

shared! {
    // Above 20 the series cannot be summed in double precision.
    /// sharpness: the loss tends to the unsmoothed one as c grows, and lies at most 1 / (c sqrt(pi)) above it
    SHARPNESS = "c": Kind::real(Range { max: 20.0, max_open: false, ..Range::POSITIVE }) => Fallback::Real(1.0);
}

parameters! {
    /// Parameters of [`SmoothedAbsolute`].
    pub(crate) struct SmoothedAbsoluteParams {
        c: f64 = self::SHARPNESS;
    }
}

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "smoothed-absolute",
    summary: "a erf(c a) + exp(-c^2 a^2) / (c sqrt(pi)) of the residual a (Cesa-Bianchi et al., example 3)",
    module: module_path!(),
    params: SmoothedAbsoluteParams::SPECS,
    build: |params| Ok(Arc::new(SmoothedAbsolute { c: SmoothedAbsoluteParams::read(params).c })),
};

/// l(a) = a erf(c a) + exp(-c^2 a^2) / (c sqrt(pi)) of the residual, so that l'(a) = erf(c a).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmoothedAbsolute {
    /// Sharpness.
    pub c: f64,
}

impl Loss for SmoothedAbsolute {
    fn form(&self) -> Form {
        Form::Residual
    }

    fn value(&self, a: f64) -> f64 {
        let z = self.c * a;
        a * libm::erf(z) + 0.5 * FRAC_2_SQRT_PI * (-z * z).exp() / self.c
    }

    fn derivative(&self, a: f64) -> f64 {
        libm::erf(self.c * a)
    }

    fn analytic(&self) -> Option<&dyn AnalyticLoss> {
        Some(self)
    }
}

impl AnalyticLoss for SmoothedAbsolute {
    fn curvature(&self, a: f64) -> f64 {
        let z = self.c * a;
        FRAC_2_SQRT_PI * self.c * (-z * z).exp()
    }

    fn centre(&self) -> f64 {
        0.0
    }

    /// 2 (-1)^k c^n / (sqrt(pi) k! n) for n = 2k + 1, 0 for even n.
    fn coefficient(&self, n: u32) -> f64 {
        if n.is_multiple_of(2) {
            return 0.0;
        }
        let power = (1..=n / 2).fold(self.c, |value, k| -value * self.c * self.c / f64::from(k));
        FRAC_2_SQRT_PI * power / f64::from(n)
    }

    /// The series of erf(c x) around a.
    fn around(&self, a: f64, degree: u32) -> Vec<f64> {
        let terms = bump_series(self.c, -self.c * a).map(|term| 2.0 * term);
        std::iter::once(self.derivative(a)).chain(terms).take(degree as usize + 1).collect()
    }

    /// erfi(c z).
    fn majorant(&self, z: f64) -> f64 {
        erfi(self.c * z)
    }
}

/// exp(-w^2) / sqrt(pi) H_(n-1)(w) c^n / n! for n = 1, 2, ..., where H are the physicists' Hermite polynomials: the
/// coefficients of erf(c x - w) / 2 in powers of x. With h_k = H_k(w) c^(k+1) / (k+1)!, the recurrence H_(k+1) = 2 w H_k - 2
/// k H_(k-1) is h_k = (2 w c h_(k-1) - 2 (k-1) c^2 h_(k-2) / k) / (k+1).
pub(crate) fn bump_series(c: f64, w: f64) -> impl Iterator<Item = f64> {
    let mut last = [0.0, c * 0.5 * FRAC_2_SQRT_PI * (-w * w).exp()];
    let mut k = 0.0;
    std::iter::from_fn(move || {
        if k > 0.0 {
            let next = (2.0 * w * c * last[1] - 2.0 * (k - 1.0) * c * c * last[0] / k) / (k + 1.0);
            last = [last[1], next];
        }
        k += 1.0;
        Some(last[1])
    })
}

/// erfi(x) = 2 / sqrt(pi) sum_k x^(2k+1) / (k! (2k+1)) for x >= 0; infinite for x above about 26.7.
pub(crate) fn erfi(x: f64) -> f64 {
    let (mut power, mut sum, mut k) = (x, x, 0.0);
    // All terms have the same sign; they grow up to k = x^2 and then fall faster than geometrically.
    loop {
        k += 1.0;
        power *= x * x / k;
        let term = power / (2.0 * k + 1.0);
        sum += term;
        if !sum.is_finite() {
            return f64::INFINITY;
        }
        if term <= 1e-17 * sum {
            return FRAC_2_SQRT_PI * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erfi_is_the_integral_of_exp_t_squared() {
        for x in [0.0f64, 0.1, 1.0, 3.0] {
            // Simpson's rule with 2,000 panels.
            let n = 2_000;
            let h = x / f64::from(n);
            let at = |i: i32| (f64::from(i) * h).powi(2).exp() * [2.0, 4.0][(i % 2) as usize];
            let sum = (1..n).map(at).sum::<f64>() + 1.0 + (x * x).exp();
            let simpson = FRAC_2_SQRT_PI * h / 3.0 * sum;
            assert!((erfi(x) - simpson).abs() <= 1e-9 * simpson, "{x}: {} {simpson}", erfi(x));
        }
        assert_eq!(erfi(40.0), f64::INFINITY);
        assert_eq!(erfi(1e200), f64::INFINITY);
    }

    /// The loss lies above |a|, by at most 1 / (c sqrt(pi)), attained at a = 0.
    #[test]
    fn distance_to_the_absolute_loss() {
        for c in [0.5, 2.0, 20.0] {
            let loss = SmoothedAbsolute { c };
            let largest = 0.5 * FRAC_2_SQRT_PI / c;
            assert!((loss.value(0.0) - largest).abs() < 1e-15);
            for i in -400..=400 {
                let a = f64::from(i) / 100.0;
                let above = loss.value(a) - a.abs();
                assert!((-1e-15..=largest).contains(&above), "{c} {a}: {above}");
            }
        }
    }
}
