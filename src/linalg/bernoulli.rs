//! Periodic Bernoulli functions: Fourier series with coefficients k^-n in closed form.

use std::f64::consts::TAU;

/// Bernoulli numbers B_0, B_2, B_4, ..., B_24.
const EVEN: [f64; 13] = [
    1.0,
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
    854513.0 / 138.0,
    -236364091.0 / 2730.0,
];

fn number(n: usize) -> f64 {
    match n {
        1 => -0.5,
        n if n % 2 == 1 => 0.0,
        n => EVEN[n / 2],
    }
}

/// P_n(x) = sum_{k>=1} 2 k^-n cos(2 pi k x) for even n, with sin for odd n: the Bernoulli polynomial B_n of the
/// fractional part of x, times (2 pi)^n / n! and a sign. Period 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    odd: bool,
    /// Coefficients of the polynomial on [0, 1/2], constant first.
    coefficients: Vec<f64>,
}

impl Periodic {
    /// The largest order; beyond it, the series itself converges within a few terms.
    pub const MAX: u32 = 24;

    /// P_n for 1 <= n <= [`Periodic::MAX`].
    pub fn new(n: u32) -> Option<Self> {
        if n == 0 || n > Self::MAX {
            return None;
        }
        let n = n as usize;
        // Even n: (-1)^(n/2 + 1); odd n: (-1)^((n + 1)/2).
        let sign = if matches!(n % 4, 0 | 1) { -1.0 } else { 1.0 };
        // (2 pi)^n B_n(x) / n! = sum_k [(2 pi)^(n-k) B_(n-k) / (n-k)!] (2 pi)^k / k! x^k: both factors are moderate.
        let scaled = |k: usize| (1..=k).fold(1.0, |product, i| product * TAU / i as f64);
        let coefficients = (0..=n).map(|k| sign * number(n - k) * scaled(n - k) * scaled(k)).collect();
        Some(Self { odd: n % 2 == 1, coefficients })
    }

    /// P_n(x), to about 2e-15 absolute.
    #[inline]
    pub fn at(&self, x: f64) -> f64 {
        let u = x - x.floor();
        // B_n(1 - u) = (-1)^n B_n(u): half the range halves the powers, and makes even functions exactly even.
        let (u, sign) = if u <= 0.5 { (u, 1.0) } else { (1.0 - u, if self.odd { -1.0 } else { 1.0 }) };
        sign * self.coefficients.iter().rev().fold(0.0, |value, coefficient| value * u + coefficient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series, with its tail bounded by 2 (terms + 1/2)^(1-n) / (n-1).
    #[test]
    fn agrees_with_the_series() {
        for n in 3..=Periodic::MAX {
            let periodic = Periodic::new(n).unwrap();
            let terms = 20_000;
            let tail = 2.0 * (terms as f64).powi(1 - n as i32) / f64::from(n - 1);
            for x in [0.0, 0.1, 0.37, 0.5, 0.8, -0.3, 2.25] {
                let wave = |angle: f64| if n % 2 == 0 { angle.cos() } else { angle.sin() };
                let series: f64 = (1..=terms)
                    .rev()
                    .map(|k| 2.0 * f64::from(k).powi(-(n as i32)) * wave(TAU * f64::from(k) * x))
                    .sum();
                assert!((periodic.at(x) - series).abs() < 1e-13 + tail, "n {n} x {x}: {} {series}", periodic.at(x));
            }
        }
    }

    #[test]
    fn low_orders_in_closed_form() {
        // P_1(x) = pi (1 - 2 x), P_2(x) = 2 pi^2 (1/6 - x (1 - x)).
        let (first, second) = (Periodic::new(1).unwrap(), Periodic::new(2).unwrap());
        for x in [0.1, 0.25, 0.6, 0.95] {
            assert!((first.at(x) - std::f64::consts::PI * (1.0 - 2.0 * x)).abs() < 1e-14);
            assert!((second.at(x) - TAU * TAU / 2.0 * (1.0 / 6.0 - x * (1.0 - x))).abs() < 1e-14);
        }
        assert_eq!(Periodic::new(0), None);
        assert_eq!(Periodic::new(25), None);
    }
}
