//! The bias that a small scale causes: where the robust iterates settle when the noise is not symmetric.

/// The b with E[W'((e - b)^2 / sigma^2) (e - b)] = 0, for noise e that takes `values` with `probabilities`. If the
/// noise does not depend on x, the iterates settle at f_rho + b. For symmetric noise b = 0.
///
/// It is the root that reweighting finds from 0: b <- E w e / E w with w = W'((e - b)^2 / sigma^2), which lowers the
/// expected loss in every step. `None` if all weights vanish, if values are not finite, or if the iteration does not
/// settle.
pub fn fixed_point(derivative: impl Fn(f64) -> f64, scale: f64, values: &[f64], probabilities: &[f64]) -> Option<f64> {
    let mut bias = 0.0f64;
    // Differences from the bias are rounded in units of the values.
    let rounding = 2.0 * f64::EPSILON * values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    for _ in 0..100_000 {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (value, probability) in values.iter().zip(probabilities) {
            let factor = probability * derivative(((value - bias) / scale).powi(2));
            weight += factor;
            // Adding differences keeps the digits of a small bias.
            sum += factor * (value - bias);
        }
        let change = sum / weight;
        if !change.is_finite() {
            return None;
        }
        bias += change;
        if change.abs() <= rounding {
            return Some(bias);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::fixed_point;

    const VALUES: [f64; 2] = [1.5, -1.0 / 6.0];
    const PROBABILITIES: [f64; 2] = [0.1, 0.9];

    /// b ~ (W''(0) / W'(0)) E e^3 / sigma^2 for the Welsch window: E e^3 = 0.1 1.5^3 - 0.9 / 6^3, W'' / W' = -1/2.
    #[test]
    fn small_bias_by_the_third_moment() {
        let welsch = |s: f64| 0.5 * (-0.5 * s).exp();
        let third = 0.1 * 3.375 - 0.9 / 216.0;
        let bias = fixed_point(welsch, 200.0, &VALUES, &PROBABILITIES).unwrap();
        assert!((bias / (-0.5 * third / 4e4) - 1.0).abs() < 1e-3, "{bias}");
    }

    #[test]
    fn none_for_symmetric_noise_or_least_squares() {
        let cauchy = |s: f64| 1.0 / (2.0 + s);
        assert_eq!(fixed_point(cauchy, 0.5, &[1.0, -1.0], &[0.5, 0.5]), Some(0.0));
        let squares = fixed_point(|_| 1.0, 0.5, &VALUES, &PROBABILITIES).unwrap();
        assert!(squares.abs() < 1e-16, "{squares}");
        // With a scale below all residuals the Tukey window gives every value the weight 0.
        assert_eq!(fixed_point(|s| (1.0 - s).max(0.0), 0.01, &VALUES, &PROBABILITIES), None);
    }
}
