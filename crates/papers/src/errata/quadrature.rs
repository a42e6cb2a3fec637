//! Integrals of smooth functions.

use std::f64::consts::{PI, TAU};

/// The integral of `f` over (`low`, `high`) by the tanh-sinh rule: u = low + (high - low) / (1 + exp(-pi sinh t)),
/// trapezoidal in t. Integrable singularities at the endpoints do no harm; for analytic integrands the relative error
/// is near 1e-14 (H. Takahasi, M. Mori, Publ. RIMS 9 (1974) 721-741).
pub(crate) fn between(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let step = 1.0 / 64.0;
    let mut sum = 0.0;
    for k in -280..=280i32 {
        let t = f64::from(k) * step;
        let near = 1.0 / (1.0 + (-PI * t.sinh()).exp());
        let weight = near * (1.0 - near) * PI * t.cosh();
        if weight > 0.0 {
            sum += weight * f(low + (high - low) * near);
        }
    }
    sum * step * (high - low)
}

/// E f(Z) for Z normal with mean 0 and this `variance`, by the trapezoidal rule over 12 standard deviations. For
/// functions that are analytic near the real line it converges faster than any power.
pub(crate) fn normal_mean(variance: f64, f: impl Fn(f64) -> f64) -> f64 {
    let step = 1.0 / 64.0;
    let density = |z: f64| (-0.5 * z * z).exp() / TAU.sqrt();
    let deviation = variance.sqrt();
    (-768..=768i32).map(|k| f64::from(k) * step).map(|z| density(z) * f(deviation * z)).sum::<f64>() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_integrals() {
        assert!((between(0.0, 2.0, |u| u * u) - 8.0 / 3.0).abs() < 1e-13);
        assert!((between(0.0, 1.0, |u| u.powf(-0.5)) - 2.0).abs() < 1e-7);
        assert!((normal_mean(0.5, |z| z * z) - 0.5).abs() < 1e-14);
        assert!((normal_mean(2.0, f64::cos) - (-1.0f64).exp()).abs() < 1e-14);
    }
}
