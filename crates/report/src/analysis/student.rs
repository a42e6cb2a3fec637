//! Quantiles of Student's t distribution with a whole number of degrees of freedom.

use std::f64::consts::FRAC_PI_2;

/// P(|T| <= t) for T with `freedom` >= 1 degrees of freedom and t >= 0.
///
/// With theta = atan(t / sqrt(freedom)) the probability is a finite sum of powers of cos(theta), exact but for
/// rounding. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
pub(crate) fn central_probability(freedom: u64, t: f64) -> f64 {
    let theta = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = theta.sin_cos();
    let square = cosine * cosine;
    let even = freedom.is_multiple_of(2);
    // Even: 1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 + .. ; odd: cos + 2/3 cos^3 + (2 4)/(3 5) cos^5 + ..
    let first = if even { 1.0 } else { cosine };
    let terms = if even { freedom / 2 } else { (freedom - 1) / 2 };
    let (mut sum, mut term) = (0.0, first);
    for index in 0..terms {
        sum += term;
        let numerator = if even { 2 * index + 1 } else { 2 * index + 2 };
        term *= square * numerator as f64 / (numerator + 1) as f64;
    }
    if even { sine * sum } else { (theta + sine * sum) / FRAC_PI_2 }
}

/// The t with P(|T| <= t) = `level`, for 0 < `level` < 1 and `freedom` >= 1: half the width of a two-sided interval
/// in standard errors. None outside that range.
pub(crate) fn two_sided_quantile(freedom: u64, level: f64) -> Option<f64> {
    if freedom == 0 || !(level > 0.0 && level < 1.0) {
        return None;
    }
    // The probability grows with t: bracket, then halve until the ends are neighbours.
    let (mut low, mut high) = (0.0, 1.0);
    while central_probability(freedom, high) < level {
        low = high;
        high *= 2.0;
        if !f64::is_finite(high) {
            return None;
        }
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return Some(high);
        }
        if central_probability(freedom, middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::two_sided_quantile;

    /// Known values of t_{0.975} and t_{0.95}: Abramowitz and Stegun table 26.10, further digits from R's qt.
    #[test]
    fn known_quantiles() {
        let known = [
            (1, 0.95, 12.706204736174698),
            (2, 0.95, 4.302652729749464),
            (3, 0.95, 3.1824463052837078),
            (4, 0.95, 2.7764451051977934),
            (9, 0.95, 2.262157162798205),
            (19, 0.95, 2.0930240544083087),
            (29, 0.95, 2.0452296421327034),
            (1, 0.90, 6.313751514675037),
            (4, 0.90, 2.1318467863266495),
        ];
        for (freedom, level, value) in known {
            let found = two_sided_quantile(freedom, level).unwrap();
            assert!((found / value - 1.0).abs() < 1e-12, "t({freedom}, {level}) = {found}, expected {value}");
        }
    }

    #[test]
    fn approaches_the_normal_quantile() {
        let found = two_sided_quantile(1_000_000, 0.95).unwrap();
        assert!((found - 1.959963984540054).abs() < 1e-5, "{found}");
    }

    #[test]
    fn no_quantile_outside_the_range() {
        assert_eq!(two_sided_quantile(0, 0.95), None);
        assert_eq!(two_sided_quantile(3, 1.0), None);
        assert_eq!(two_sided_quantile(3, f64::NAN), None);
    }
}
