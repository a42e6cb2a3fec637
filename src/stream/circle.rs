//! The circle problem of the robust paper: x uniform on [0, 1], a target of known smoothness, bounded noise.
//!
//! The target is c P_n(x) with P_n(x) = sum_{k>=1} 2 k^-n t(2 pi k x), t the cosine for even n and the sine for odd
//! n. Its Fourier coefficients decay like k^-n exactly, so its norms in the periodic Sobolev spaces and its critical
//! regularity r* = (2n - 1) / (4s) under the kernel of smoothness s are known in closed form.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::draw::Draws;
use crate::params::{Fallback, Kind, ParamError, Params, Range, Spec};
use crate::stream::api::{EXAMPLE, Source, StreamEntry};

/// The registry's line.
pub static ENTRY: StreamEntry = StreamEntry {
    name: "circle",
    summary: "x uniform on [0, 1], y = amplitude P_n(x) + U[-noise, noise], P_n(x) = sum_k 2 k^-n cos or sin(2 pi k x)",
    file: file!(),
    params: &[
        Spec {
            name: "decay",
            doc: "n: the Fourier coefficients of the target decay like k^-n",
            kind: Kind::Integer { min: 1, max: LARGEST_DECAY },
            default: Fallback::Integer(2),
        },
        Spec {
            name: "amplitude",
            doc: "factor of the target",
            kind: Kind::Real { range: Range::ANY, words: &[] },
            default: Fallback::Real(0.5),
        },
        Spec {
            name: "noise",
            doc: "half-width of the uniform noise on y (variance noise^2 / 3)",
            kind: Kind::Real { range: Range::NONNEGATIVE, words: &[] },
            default: Fallback::Real(0.5),
        },
    ],
    build,
};

/// The evaluation of P_n is accurate to 1e-13 up to here.
const LARGEST_DECAY: u64 = 12;

fn build(params: &Params) -> Result<Arc<dyn Source>, ParamError> {
    Ok(Arc::new(Circle {
        target: Sawtooth::new(params.integer("decay") as usize),
        amplitude: params.real("amplitude"),
        noise: params.real("noise"),
    }))
}

/// The law; see the module.
#[derive(Clone, Debug)]
pub struct Circle {
    target: Sawtooth,
    amplitude: f64,
    noise: f64,
}

impl Source for Circle {
    fn dim(&self) -> usize {
        1
    }

    fn rounds(&self) -> Option<u64> {
        None
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        x[0] = draw.uniform();
        self.amplitude * self.target.at(x[0]) + draw.between(-self.noise, self.noise)
    }
}

/// P_n on [0, 1], as a multiple of the Bernoulli polynomial: P_n(x) = s (2 pi)^n B_n(x) / n!, where the sign s is
/// (-1)^(n/2+1) for even and (-1)^((n+1)/2) for odd n.
#[derive(Clone, Debug)]
struct Sawtooth {
    /// Coefficients of x^0, x^1, ..., x^n.
    coefficients: Vec<f64>,
}

impl Sawtooth {
    fn new(n: usize) -> Self {
        // b_k = B_k / k!, from sum_{j<=k} b_j / (k+1-j)! = 0.
        let factorial = |m: usize| (1..=m).map(|i| i as f64).product::<f64>();
        let mut b = vec![1.0];
        for k in 1..=n {
            b.push(-b.iter().enumerate().map(|(j, b)| b / factorial(k + 1 - j)).sum::<f64>());
        }
        let sign = if (n.div_ceil(2) + usize::from(n % 2 == 0)) % 2 == 0 { 1.0 } else { -1.0 };
        let factor = sign * (2.0 * PI).powi(n as i32);
        // B_n(x) / n! = sum_k b_k x^(n-k) / (n-k)!
        let coefficients = (0..=n).map(|power| factor * b[n - power] / factorial(power)).collect();
        Self { coefficients }
    }

    fn at(&self, x: f64) -> f64 {
        // On [0, 1/2] Horner's rule does not cancel; B_n(1 - x) = (-1)^n B_n(x) covers the rest.
        let n = self.coefficients.len() - 1;
        let mirrored = x > 0.5;
        let u = if mirrored { 1.0 - x } else { x };
        let value = self.coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * u + coefficient);
        if mirrored && n % 2 == 1 { -value } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        for x in [0.0, 0.1, 0.37, 0.5, 0.81, 1.0] {
            let v = x * (1.0 - x);
            let expected = [
                (1, PI * (1.0 - 2.0 * x)),
                (2, 2.0 * PI * PI * (1.0 / 6.0 - v)),
                (4, -(2.0 * PI).powi(4) / 24.0 * (v * v - 1.0 / 30.0)),
            ];
            for (n, value) in expected {
                assert!((Sawtooth::new(n).at(x) - value).abs() < 1e-13, "n = {n}, x = {x}");
            }
        }
    }

    /// The Fourier series itself; its tail beyond 20,000 terms is below 2e-13 from n = 4 on.
    #[test]
    fn fourier_series() {
        for n in [4, 5, 7, 12] {
            for x in [0.03, 0.25, 0.6, 0.98] {
                let term = |k: f64| {
                    let angle = 2.0 * PI * k * x;
                    2.0 * k.powi(-(n as i32)) * if n % 2 == 0 { angle.cos() } else { angle.sin() }
                };
                let series = (1..=20_000).rev().map(|k| term(f64::from(k))).sum::<f64>();
                let error = (Sawtooth::new(n).at(x) - series).abs();
                assert!(error < 1e-12, "n = {n}, x = {x}: {error:e}");
            }
        }
    }

    /// Mean 0 and variance noise^2 / 3 of y - target over 20,000 rounds, within 5 standard errors (rate 6e-7 each);
    /// for uniform noise the fourth moment is 9/5 of the squared variance.
    #[test]
    fn noise() {
        let law = Circle { target: Sawtooth::new(3), amplitude: 0.5, noise: 0.5 };
        let (draws, n) = (Draws::named(&["circle"]), 20_000);
        let mut x = [0.0];
        let residuals: Vec<f64> =
            (1..=n).map(|round| law.example(round, &draws, &mut x) - 0.5 * law.target.at(x[0])).collect();
        let (count, variance) = (n as f64, 0.25 / 3.0);
        let mean = residuals.iter().sum::<f64>() / count;
        assert!(mean.abs() < 5.0 * (variance / count).sqrt(), "{mean}");
        let square = residuals.iter().map(|r| r * r).sum::<f64>() / count;
        assert!((square - variance).abs() < 5.0 * variance * (0.8 / count).sqrt(), "{square}");
    }
}
