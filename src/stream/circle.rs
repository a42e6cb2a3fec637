//! The circle problem of the robust paper: x uniform on [0, 1], a target of known smoothness, bounded noise.
//!
//! The target is c P_n(x) with P_n(x) = sum_{k>=1} 2 k^-n t(2 pi k x), t the cosine for even n and the sine for odd
//! n. Its Fourier coefficients decay like k^-n exactly, so its norms in the periodic Sobolev spaces and its critical
//! regularity r* = (2n - 1) / (4s) under the kernel of smoothness s are known in closed form.

use std::sync::Arc;

use crate::draw::Draws;
use crate::linalg::bernoulli::Periodic;
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
            kind: Kind::Integer { min: 1, max: Periodic::MAX as u64 },
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

fn build(params: &Params) -> Result<Arc<dyn Source>, ParamError> {
    let target = u32::try_from(params.integer("decay")).ok().and_then(Periodic::new);
    Ok(Arc::new(Circle {
        target: target.ok_or_else(|| ParamError::refused("decay", "no such function"))?,
        amplitude: params.real("amplitude"),
        noise: params.real("noise"),
    }))
}

/// The law; see the module.
#[derive(Clone, Debug)]
pub struct Circle {
    target: Periodic,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::check;
    use crate::parts::AllParts;

    #[test]
    fn without_noise_the_target_is_its_fourier_series() {
        let table = toml::from_str("decay = 5\namplitude = 2\nnoise = 0").unwrap();
        let law = build(&check(ENTRY.params, &table, "", &AllParts).unwrap()).unwrap();
        let mut x = [0.0];
        for round in 1..=20 {
            let y = law.example(round, &Draws::named(&["circle"]), &mut x);
            // The tail beyond 2,000 terms is below 1e-13.
            let term = |k: f64| 2.0 * k.powi(-5) * (std::f64::consts::TAU * k * x[0]).sin();
            let series = (1..=2_000).rev().map(|k| term(f64::from(k))).sum::<f64>();
            assert!((y - 2.0 * series).abs() < 1e-12, "x = {}", x[0]);
        }
    }

    /// Mean 0 and variance noise^2 / 3 of y - target over 20,000 rounds, within 5 standard errors (rate 6e-7 each);
    /// for uniform noise the fourth moment is 9/5 of the squared variance.
    #[test]
    fn noise() {
        let law = Circle { target: Periodic::new(3).unwrap(), amplitude: 0.5, noise: 0.5 };
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
