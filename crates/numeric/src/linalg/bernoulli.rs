//! Periodic Bernoulli functions: Fourier series with coefficients k^-n in closed form.

use std::f64::consts::TAU;

use crate::linalg::simd::vectorised;

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
    /// The largest order. Beyond it, the series itself converges within a few terms.
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

    /// `out[i] = constant + factor P_n(|points[i] - x|)`, with the same bits as [`Periodic::at`].
    pub fn row(&self, points: &[f64], x: f64, constant: f64, factor: f64, out: &mut [f64]) {
        // (-1)^n for the second half of the period.
        let sign = if self.odd { -1.0 } else { 1.0 };
        side_by_side(&self.coefficients, sign, points, x, constant, factor, out);
    }
}

/// How many values are computed side by side, so that the chains of their polynomials overlap.
const SIDE: usize = 32;

vectorised! {
    fn side_by_side<'a>(
        coefficients: &'a [f64], sign: f64, points: &'a [f64], x: f64, constant: f64, factor: f64, out: &'a mut [f64],
    ) -> () {
        let (whole, rest) = out.as_chunks_mut::<SIDE>();
        let (points_whole, points_rest) = points[..whole.len() * SIDE + rest.len()].as_chunks::<SIDE>();
        for (out, points) in whole.iter_mut().zip(points_whole) {
            chunk(coefficients, sign, points, x, constant, factor, out);
        }
        let (mut last, mut values) = ([0.0; SIDE], [0.0; SIDE]);
        last[..rest.len()].copy_from_slice(points_rest);
        chunk(coefficients, sign, &last, x, constant, factor, &mut values);
        rest.copy_from_slice(&values[..rest.len()]);
    }
}

#[inline(always)]
fn chunk(
    coefficients: &[f64],
    sign: f64,
    points: &[f64; SIDE],
    x: f64,
    constant: f64,
    factor: f64,
    out: &mut [f64; SIDE],
) {
    let (mut at, mut signs, mut values) = ([0.0; SIDE], [0.0; SIDE], [0.0; SIDE]);
    for lane in 0..SIDE {
        let distance = (points[lane] - x).abs();
        let u = distance - distance.floor();
        at[lane] = if u <= 0.5 { u } else { 1.0 - u };
        signs[lane] = if u <= 0.5 { 1.0 } else { sign };
    }
    for coefficient in coefficients.iter().rev() {
        for (value, u) in values.iter_mut().zip(&at) {
            *value = *value * u + coefficient;
        }
    }
    for lane in 0..SIDE {
        out[lane] = constant + factor * (signs[lane] * values[lane]);
    }
}

/// zeta(n) = sum_{k>=1} k^-n for even n >= 2; `None` otherwise.
pub fn zeta(n: u32) -> Option<f64> {
    match n {
        0 => None,
        n if n % 2 == 1 => None,
        n if n <= Periodic::MAX => Some(0.5 * Periodic::new(n)?.at(0.0)),
        // Terms beyond the fourth do not reach the last digit.
        n => Some((1..=4).rev().map(|k| f64::from(k).powi(-(n as i32))).sum()),
    }
}

/// A function c_0 + sum_j c_j P_(n_j) on the circle R / Z: its Fourier coefficients are sums of powers of the frequency.
///
/// With lambda_k = k^(-2s) for the frequency k in cycles and lambda_0 = 1, the kernel
/// K(x, z) = 1 + P_2s(x - z) has the integral operator L_K f = sum_k lambda_k f_k, and |f|_K^2 = sum_k |f_k|^2 / lambda_k.
#[derive(Clone, Debug, PartialEq)]
pub struct BernoulliSeries {
    constant: f64,
    terms: Vec<(f64, Periodic)>,
    orders: Vec<u32>,
}

impl BernoulliSeries {
    /// The function with c_0 = `constant` and these `terms` (n_j, c_j); `None` unless 1 <= n_j <= [`Periodic::MAX`].
    pub fn new(constant: f64, terms: &[(u32, f64)]) -> Option<Self> {
        let periodic: Option<Vec<_>> = terms.iter().map(|&(n, c)| Some((c, Periodic::new(n)?))).collect();
        Some(Self { constant, terms: periodic?, orders: terms.iter().map(|term| term.0).collect() })
    }

    /// c_0, the mean of the function.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// The terms (n_j, c_j).
    pub fn terms(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.orders.iter().zip(&self.terms).map(|(n, (c, _))| (*n, *c))
    }

    /// The value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.terms.iter().fold(self.constant, |sum, (factor, term)| sum + factor * term.at(x))
    }

    /// Its image under L_K, for the kernel of this smoothness s: n_j becomes n_j + 2s. `None` if that exceeds the known
    /// orders.
    pub fn smoothed(&self, smoothness: u32) -> Option<BernoulliSeries> {
        let terms: Vec<(u32, f64)> = self.terms().map(|(n, c)| (n + 2 * smoothness, c)).collect();
        BernoulliSeries::new(self.constant, &terms)
    }

    /// sum_k |f_k|^2 k^(2s): the squared L2 norm for s = 0, the squared norm in the space of the kernel of smoothness s
    /// otherwise. `None` if the sum diverges: it converges if n_i + n_j >= 2s + 2 for all terms of equal parity.
    pub fn squared_norm(&self, smoothness: u32) -> Option<f64> {
        let mut sum = self.constant * self.constant;
        for (n, c) in self.terms() {
            // Sines are orthogonal to cosines.
            for (m, d) in self.terms().filter(|(m, _)| (n + m) % 2 == 0) {
                sum += 2.0 * c * d * zeta((n + m).checked_sub(2 * smoothness)?)?;
            }
        }
        Some(sum)
    }

    /// V_k = |f_k|^2 + |f_-k|^2 for k >= 1, in complex Fourier coefficients.
    pub fn energy(&self, k: u32) -> f64 {
        let part = |odd: u32| -> f64 {
            self.terms().filter(|(n, _)| n % 2 == odd).map(|(n, c)| c * f64::from(k).powi(-(n as i32))).sum()
        };
        2.0 * (part(0).powi(2) + part(1).powi(2))
    }

    /// r* = (2n - 1) / (4s), n = min n_j, under the kernel of smoothness s: the function is in the range of L_K^r for
    /// r < r*, not for r = r*. Infinite for a constant.
    pub fn regularity(&self, smoothness: u32) -> f64 {
        let roughest = self.orders.iter().min();
        roughest.map_or(f64::INFINITY, |n| f64::from(2 * n - 1) / f64::from(4 * smoothness))
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
    fn rows_have_the_bits_of_single_values() {
        let points: Vec<f64> = (0..75).map(|i| 0.137 * f64::from(i) - 3.0).collect();
        for n in [1, 2, 3, 4, 8, 24] {
            let periodic = Periodic::new(n).unwrap();
            let mut row = vec![f64::NAN; 75];
            periodic.row(&points, 0.4, 1.0, 0.3, &mut row);
            let single: Vec<f64> = points.iter().map(|z| 1.0 + 0.3 * periodic.at((z - 0.4).abs())).collect();
            assert_eq!(row, single, "n = {n}");
        }
    }

    /// Norms and Fourier energies agree with each other, and with an integral by the midpoint rule.
    #[test]
    fn norms_of_a_series() {
        let series = BernoulliSeries::new(0.1, &[(3, 0.3), (4, -0.2), (5, 0.4)]).unwrap();
        let cells = 20_000;
        let mean_square: f64 =
            (0..cells).map(|i| series.at((f64::from(i) + 0.5) / f64::from(cells)).powi(2)).sum::<f64>()
                / f64::from(cells);
        let norm = series.squared_norm(0).unwrap();
        assert!((norm - mean_square).abs() < 1e-8, "{norm} {mean_square}");
        for s in [0, 1] {
            let sum: f64 = (1..=4000).rev().map(|k| series.energy(k) * f64::from(k).powi(2 * s)).sum();
            let norm = series.squared_norm(s as u32).unwrap();
            assert!((norm - 0.01 - sum).abs() < 1e-9, "{norm} {sum}");
        }
        // x -> P_3 is not in the space of smoothness 3: its third derivative jumps.
        assert_eq!(series.squared_norm(3), None);
        assert_eq!((series.regularity(1), series.regularity(2)), (1.25, 0.625));
        assert_eq!((zeta(3), zeta(0)), (None, None));
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
