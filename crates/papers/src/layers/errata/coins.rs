//! Sums of fair signs: the estimate of Algorithm 2 for sign features of orthogonal inputs.

/// E g(|mean|) for the mean of m fair signs, exactly; m <= 1000.
pub(crate) fn expectation(m: u32, g: impl Fn(f64) -> f64) -> f64 {
    let mut mass = 0.5f64.powi(m as i32);
    let mut sum = 0.0;
    for heads in 0..=m {
        sum += mass * g((2.0 * f64::from(heads) - f64::from(m)).abs() / f64::from(m));
        mass *= f64::from(m - heads) / f64::from(heads + 1);
    }
    sum
}

/// P(|mean of m fair signs| > eps).
pub(crate) fn probability(m: u32, eps: f64) -> f64 {
    // The margin keeps rounding from deciding about means that equal eps.
    expectation(m, |mean| if mean > eps + 1e-9 { 1.0 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::{expectation, probability};

    #[test]
    fn three_coins() {
        // |mean| is 1 with probability 1/4 and 1/3 with probability 3/4.
        assert!((expectation(3, |mean| mean) - 0.5).abs() < 1e-15);
        assert!((probability(3, 0.5) - 0.25).abs() < 1e-15);
        assert_eq!(probability(3, 1.0), 0.0);
    }
}
