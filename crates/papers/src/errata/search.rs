//! Minima of functions of one variable.

/// Where `f`, which has one minimum on [low, high], has it: golden section, 120 steps. A smooth minimum is found only to
/// the square root of the rounding error, because `f` is flat there.
pub fn minimum(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let shrink = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..120 {
        let (left, right) = (high - shrink * (high - low), low + shrink * (high - low));
        if f(left) < f(right) { high = right } else { low = left }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::minimum;

    #[test]
    fn known_minima() {
        assert!((minimum(0.0, 3.0, |x| (x - 1.25f64).abs()) - 1.25).abs() < 1e-14);
        assert!((minimum(-4.0, 9.0, |x: f64| x.cosh()) - 0.0).abs() < 1e-7);
    }
}
