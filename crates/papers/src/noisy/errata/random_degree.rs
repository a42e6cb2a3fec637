//! The random degrees of Section III-C, and functions that their series need.

use noregret_numeric::draw::Draw;

/// A degree with P(N = n) = (p - 1) / p^(n + 1), n >= 0, by inversion: P(N >= n) = p^-n.
pub(crate) fn degree(draw: &mut Draw, p: f64) -> i32 {
    // 1 - u lies in (0, 1]; 53 random bits bound the degree by 53 log 2 / log p.
    (-(1.0 - draw.uniform()).ln() / p.ln()).floor() as i32
}

/// (p - 1) / p^(n + 1).
pub(crate) fn probability(n: i32, p: f64) -> f64 {
    (p - 1.0) / p.powi(n + 1)
}

/// n!, from products.
pub(crate) fn factorial(n: i32) -> f64 {
    (1..=n).map(f64::from).product()
}

/// The modified Bessel function I_0(2 sqrt(z)) = sum_n z^n / (n!)^2, for z of either sign.
pub(crate) fn bessel(z: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..200 {
        term *= z / f64::from(n * n);
        sum += term;
    }
    sum
}
