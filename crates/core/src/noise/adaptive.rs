//! Noise that puts all its variance on the direction in which the learner's prediction is most sensitive.

use std::sync::Arc;

use crate::noise::adversarial::Adversarial;
use crate::noise::api::{AdaptiveNoise, NoiseEntry, NoiseLaw, Spread};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::{dot, squared_norm};

parameters! {
    /// Parameters of [`Adaptive`].
    pub(crate) struct AdaptiveParams with required {
        /// square root of the mean over the coordinates of the noise's variance, the same in every round
        noise_std: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Required;
    }
}

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "adaptive",
    summary: "+-sqrt(d) noise_std along the gradient of the learner's prediction at x_t; trace and norm as adversarial",
    module: module_path!(),
    params: AdaptiveParams::SPECS,
    build: |params| {
        Ok(Arc::new(Adaptive { blind: Adversarial::with_deviation(AdaptiveParams::read(params).noise_std) }))
    },
};

/// In round t, +-sqrt(d) deviation with probability 1/2 each along g / |g|, where g is the gradient at x_t of the
/// prediction that the learner has fixed before the round: its weight vector w_t, if it is linear. Where g is 0, and
/// for whoever has no learner, the noise is that of `adversarial`.
///
/// The trace d deviation^2 of the covariance and its largest eigenvalue, which is the same, are those of `adversarial` in
/// every round. Among the covariances Sigma of this trace, this one maximises g' Sigma g: for linear learners the
/// second moment of the stochastic gradients 2 (<w, x1> - y~) x2 of Algorithm 1 of the paper on noisy data, which is
/// 4 ((<w, x> - y)^2 + w' Sigma w + Var y~) (|x|^2 + tr Sigma), and the length of the naive gradient's bias 2 Sigma w.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adaptive {
    blind: Adversarial,
}

impl NoiseLaw for Adaptive {
    fn sample(&self, round: u64, draw: &mut Draw, out: &mut [f64]) {
        self.blind.sample(round, draw, out);
    }

    fn covariance_times(&self, round: u64, w: &[f64], out: &mut [f64]) {
        self.blind.covariance_times(round, w, out);
    }

    fn spread(&self, dim: usize) -> Option<Spread> {
        self.blind.spread(dim)
    }

    fn adaptive(&self) -> Option<&dyn AdaptiveNoise> {
        Some(self)
    }
}

impl AdaptiveNoise for Adaptive {
    fn against(&self, x: &[f64], predict: &dyn Fn(&[f64]) -> f64) -> Arc<dyn NoiseLaw> {
        let mut direction = gradient(x, predict);
        let norm = squared_norm(&direction).sqrt();
        if !norm.is_normal() {
            return Arc::new(self.blind);
        }
        direction.iter_mut().for_each(|entry| *entry /= norm);
        Arc::new(Along { direction, deviation: self.blind.norm(x.len()) })
    }
}

/// The central differences of `predict` at x, coordinate by coordinate: exact up to rounding for linear functions.
fn gradient(x: &[f64], predict: &dyn Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut at = x.to_vec();
    let difference = |i: usize| {
        let step = STEP * x[i].abs().max(1.0);
        let mut moved = |by: f64| {
            at[i] = x[i] + by;
            predict(&at)
        };
        let change = moved(step) - moved(-step);
        at[i] = x[i];
        change / (2.0 * step)
    };
    (0..x.len()).map(difference).collect()
}

/// The step of the differences, relative to a coordinate of size 1 and more.
const STEP: f64 = 1e-4;

/// +-deviation with probability 1/2 each along a unit vector.
#[derive(Clone, Debug)]
struct Along {
    direction: Vec<f64>,
    deviation: f64,
}

impl NoiseLaw for Along {
    fn sample(&self, _: u64, draw: &mut Draw, out: &mut [f64]) {
        let length = draw.sign() * self.deviation;
        out.iter_mut().zip(&self.direction).for_each(|(noise, entry)| *noise = length * entry);
    }

    fn covariance_times(&self, _: u64, w: &[f64], out: &mut [f64]) {
        let length = self.deviation * self.deviation * dot(&self.direction, w);
        out.iter_mut().zip(&self.direction).for_each(|(product, entry)| *product = length * entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    const W: [f64; 3] = [3.0, 0.0, -4.0];

    fn linear(x: &[f64]) -> f64 {
        dot(&W, x)
    }

    fn moments(law: &dyn NoiseLaw) -> [[f64; 3]; 3] {
        std::array::from_fn(|i| {
            let (mut unit, mut column) = ([0.0; 3], [0.0; 3]);
            unit[i] = 1.0;
            law.covariance_times(1, &unit, &mut column);
            column
        })
    }

    /// Against a linear function the noise lies along its weights and has the trace of the round robin, which has a
    /// smaller variance along them in every round of a period.
    #[test]
    fn the_noise_lies_along_the_weights() {
        let law = Adaptive { blind: Adversarial::with_deviation(0.5) };
        let chosen = law.against(&[0.3, -2.0, 1e3], &linear);
        let (sigma, spread) = (moments(&*chosen), law.spread(3).unwrap());
        assert!((sigma[0][0] + sigma[1][1] + sigma[2][2] - spread.trace).abs() < 1e-9, "{sigma:?}");
        let mut product = [0.0; 3];
        chosen.covariance_times(1, &W, &mut product);
        // W is an eigenvector of the largest eigenvalue.
        product.iter().zip(W).for_each(|(p, w)| assert!((p - spread.variance * w).abs() < 1e-7, "{product:?}"));
        for round in 1..=3 {
            let mut blind = [0.0; 3];
            law.covariance_times(round, &W, &mut blind);
            assert!(dot(&blind, &W) < 0.7 * dot(&product, &W), "round {round}");
        }
        let draws = Draws::named(&["adaptive"]);
        let mut signs = 0.0;
        for round in 1..=4_000 {
            let mut noise = [0.0; 3];
            chosen.sample(round, &mut draws.at(Role::Copies, round), &mut noise);
            let along = dot(&noise, &W) / 5.0;
            assert!((along.abs() - 0.75f64.sqrt()).abs() < 1e-7 && (squared_norm(&noise) - 0.75).abs() < 1e-9);
            signs += along.signum();
        }
        // Five standard errors: false-alarm rate 6e-7.
        assert!(f64::abs(signs) < 5.0 * 4_000f64.sqrt(), "{signs}");
    }

    /// The gradient of sin(x_1) x_2 at (1, 2) is (2 cos 1, sin 1).
    #[test]
    fn the_noise_lies_along_the_gradient() {
        let law = Adaptive { blind: Adversarial::with_deviation(0.5) };
        let chosen = law.against(&[1.0, 2.0], &|x| x[0].sin() * x[1]);
        let (gradient, mut product) = ([2.0 * 1f64.cos(), 1f64.sin()], [0.0; 2]);
        chosen.covariance_times(1, &gradient, &mut product);
        product.iter().zip(gradient).for_each(|(p, g)| assert!((p - 0.5 * g).abs() < 1e-7, "{product:?}"));
    }

    /// A function that is flat at x, or not finite, says no direction.
    #[test]
    fn without_a_direction_it_is_the_round_robin() {
        let law = Adaptive { blind: Adversarial::with_deviation(0.5) };
        for flat in [|_: &[f64]| 0.7, |_: &[f64]| f64::NAN, |x: &[f64]| 1e200 * x[0]] {
            let mut noise = [[0.0; 3]; 2];
            let chosen = law.against(&[0.0; 3], &flat);
            let draw = Draws::named(&["adaptive"]).at(Role::Copies, 5);
            chosen.sample(5, &mut draw.clone(), &mut noise[0]);
            law.sample(5, &mut draw.clone(), &mut noise[1]);
            assert_eq!(noise[0], noise[1]);
        }
    }
}
