//! Gradient descent on the square loss in the space of a surrogate kernel, from two noisy copies of each input
//! (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 3): what noisy-gaussian and noisy-radial share.

use std::cell::RefCell;

use crate::draw::Draw;
use crate::kernel::surrogate::{Points, Surrogate};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, OracleLearner, Setting};
use crate::learner::expansion::diverged;
use crate::learner::step::{self, RADIUS, TARGET_BOUND};
use crate::linalg::covariance::Covariance;
use crate::noise::api::Oracle;
use crate::params::{Fallback, Kind, ParamError, Params, Spec};
use crate::theory::noisy;

/// f = sum_i a_i k^(s_i, .) with coefficients a_i = scale * raw_i, so that a projection is one multiplication.
#[derive(Debug)]
pub struct SurrogateDescent {
    pair: Surrogate,
    eta: f64,
    radius: f64,
    points: Points,
    raw: Vec<f64>,
    scale: f64,
    squared_norm: f64,
    /// Whether one copy serves for both.
    one_copy: bool,
    copies: [Vec<f64>; 3],
    /// Room for rotated inputs.
    rotated: RefCell<[Vec<f64>; 2]>,
}

/// One update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// g = 2 (f(x2) - y~).
    pub gradient: f64,
    /// The squared norm of f after the step, before the projection.
    pub squared_norm: f64,
    /// Whether f was projected.
    pub projected: bool,
}

/// Below it, the scale is multiplied into the coefficients. A few hundred projections get there.
const SMALLEST_SCALE: f64 = 1e-100;

impl SurrogateDescent {
    /// Starts at f = 0 on inputs of `dim` columns.
    pub fn new(pair: Surrogate, eta: f64, radius: f64, dim: usize) -> Self {
        Self {
            pair,
            eta,
            radius,
            points: Points::new(dim),
            raw: Vec::new(),
            scale: 1.0,
            squared_norm: 0.0,
            one_copy: false,
            copies: std::array::from_fn(|_| vec![0.0; dim]),
            rotated: RefCell::new(std::array::from_fn(|_| vec![0.0; dim])),
        }
    }

    /// The same with a single copy in both places, which leaves a bias whatever the pair.
    pub fn with_one_copy(self) -> Self {
        Self { one_copy: true, ..self }
    }

    /// The coefficients a_i.
    pub fn coefficients(&self) -> Vec<f64> {
        self.raw.iter().map(|raw| self.scale * raw).collect()
    }

    /// One update from independent copies of x (`first` becomes the support point, `second` is in the residual) and of
    /// y. With f1, f2 the values of f at them, |f + a k^(x1, .)|^2 = |f|^2 + 2 a f1 + a^2 k^(x1, x1): the paper's double sum,
    /// at the cost of a single one.
    ///
    /// # Errors
    /// When f leaves the range of floating point.
    pub fn step(&mut self, first: &[f64], second: &[f64], y: f64) -> Result<Update, Breakdown> {
        let [rotated, other] = self.rotated.get_mut();
        self.pair.rotate(first, rotated);
        self.pair.rotate(second, other);
        let values = self.pair.noisy().combine_two(&self.points, &self.raw, [rotated, other]);
        let [at_first, at_second] = values.map(|value| self.scale * value);
        let gradient = 2.0 * (at_second - y);
        let coefficient = -self.eta * gradient;
        let grown = coefficient * (2.0 * at_first + coefficient * self.pair.diagonal());
        if !grown.is_finite() {
            return Err(diverged(at_second, coefficient));
        }
        // Cancellation may not make a squared norm negative.
        let squared_norm = (self.squared_norm + grown).max(0.0);
        self.points.push(rotated);
        self.raw.push(coefficient / self.scale);
        let projected = squared_norm > self.radius * self.radius;
        self.squared_norm = squared_norm;
        if projected {
            self.scale *= self.radius / squared_norm.sqrt();
            self.squared_norm = self.radius * self.radius;
            if self.scale < SMALLEST_SCALE {
                self.raw.iter_mut().for_each(|raw| *raw *= self.scale);
                self.scale = 1.0;
            }
        }
        Ok(Update { gradient, squared_norm, projected })
    }

    /// |f|^2 as the double sum sum_ij a_i a_j k^(s_i, s_j), of the points handed in again; for tests of the incremental one.
    pub fn squared_norm_by_double_sum(&self, points: &[Vec<f64>]) -> f64 {
        let mut rotated = vec![0.0; self.copies[0].len()];
        let values = points.iter().zip(&self.raw).map(|(point, raw)| {
            self.pair.rotate(point, &mut rotated);
            raw * self.pair.noisy().combine(&self.points, &self.raw, &rotated)
        });
        self.scale * self.scale * values.sum::<f64>()
    }
}

impl Hypothesis for SurrogateDescent {
    /// sum_i a_i k(s_i, x) with the original kernel: x is clean.
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let [rotated, _] = &mut *self.rotated.borrow_mut();
        self.pair.rotate(x, rotated);
        self.scale * self.pair.clean().combine(&self.points, &self.raw, rotated)
    }

    fn gauges(&self) -> Gauges {
        let n = self.points.len() as u64;
        Gauges {
            stored_points: Some(n),
            // Two rows of k^ and one of k in every round.
            kernel_evaluations: Some(3 * n * n.saturating_sub(1) / 2),
            norm: Some(self.squared_norm.sqrt()),
            state_bytes: Some(8 * n * (self.copies[0].len() as u64 + 1)),
            ..Gauges::default()
        }
    }
}

impl OracleLearner for SurrogateDescent {
    fn learn(&mut self, oracle: &mut dyn Oracle, _: &mut Draw) -> Result<(), Breakdown> {
        let [mut first, mut second, rest] = std::mem::take(&mut self.copies);
        oracle.x(&mut first);
        if self.one_copy {
            second.copy_from_slice(&first);
        } else {
            oracle.x(&mut second);
        }
        let outcome = self.step(&first, &second, oracle.y());
        self.copies = [first, second, rest];
        outcome.map(|_| ())
    }
}

/// The baseline that takes a copy for the input itself.
pub const NAIVE: Spec = Spec {
    name: "naive",
    doc: "the biased baseline: the kernel in place of its surrogate, and one copy of the input in place of two",
    kind: Kind::Flag,
    default: Fallback::Flag(false),
};

/// The covariance of the noise.
pub const COVARIANCE: Spec = Spec {
    name: "covariance",
    doc: "covariance of the Gaussian noise on the inputs (Sigma), the same in every round",
    kind: Kind::Covariance { words: &[] },
    default: Fallback::Required,
};

/// Builds the learner for the parameters `kernel`, [`COVARIANCE`] and [`NAIVE`]; mixtures become `count` components.
///
/// # Errors
/// Where noise, kernel and dimension do not go together, and as [`step::noisy_eta`].
pub fn build(params: &Params, setting: &Setting, count: usize) -> Result<AnyLearner, ParamError> {
    let covariance = match params.covariance_or_word(COVARIANCE.name) {
        Ok(covariance) => covariance,
        Err(word) => return Err(ParamError::refused(COVARIANCE.name, format!("{word} is no covariance"))),
    };
    covariance.fits(setting.dim).map_err(|why| ParamError::refused(COVARIANCE.name, why))?;
    let pair = Surrogate::new(&*params.kernel("kernel"), covariance, setting.dim, count)
        .map_err(|why| ParamError::refused("kernel", why))?;
    let (radius, targets) = (params.real(RADIUS.name), params.real(TARGET_BOUND.name));
    let eta = step::noisy_eta(params, setting, || noisy::surrogate_moment(radius, pair.diagonal(), targets))?;
    if !params.flag(NAIVE.name) {
        return Ok(AnyLearner::Noisy(Box::new(SurrogateDescent::new(pair, eta, radius, setting.dim))));
    }
    // With the same step, so that only the bias differs.
    let none = Covariance::isotropic(0.0).map_err(|why| ParamError::refused(COVARIANCE.name, why))?;
    let pair = Surrogate::new(&*params.kernel("kernel"), &none, setting.dim, count)
        .map_err(|why| ParamError::refused("kernel", why))?;
    let learner = SurrogateDescent::new(pair, eta, radius, setting.dim).with_one_copy();
    Ok(AnyLearner::Noisy(Box::new(learner)))
}

/// Three rows of kernel values a round, each value a distance and `count` exponentials.
pub fn cost(rounds: u64, dim: usize, count: usize) -> Cost {
    let n = rounds as f64;
    Cost { flops: 1.5 * n * n * (3 * dim + 32 * count) as f64, bytes: 8.0 * n * (dim + 1) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};
    use crate::kernel::gaussian::Gaussian;

    fn learner(eta: f64, radius: f64) -> SurrogateDescent {
        let pair = Surrogate::new(&Gaussian::new(1.0), &Covariance::isotropic(0.5).unwrap(), 1, 24).unwrap();
        SurrogateDescent::new(pair, eta, radius, 1)
    }

    /// With v = 1/2 and b = 1: k^(D) = sqrt(2) exp(-D^2). The second copy is in the residual, the first is stored.
    #[test]
    fn two_rounds_by_hand() {
        let mut learner = learner(0.1, 100.0);
        learner.step(&[0.0], &[5.0], 1.0).unwrap();
        assert!((learner.coefficients()[0] - 0.2).abs() < 1e-16);
        let predicted = learner.predict(&[1.0], &mut Draws::named(&[]).at(Role::Predict, 1));
        assert!((predicted - 0.2 * (-0.5f64).exp()).abs() < 1e-16);
        let update = learner.step(&[2.0], &[1.0], 1.0).unwrap();
        let value = 0.2 * 2f64.sqrt() * (-1f64).exp();
        assert!((update.gradient - 2.0 * (value - 1.0)).abs() < 1e-15);
    }

    /// Far more projections than a scale near 1e-308 would stand.
    #[test]
    fn projections_do_not_wear_the_scale_out() {
        let mut learner = learner(5.0, 0.1);
        let mut draw = Draws::named(&["scale"]).at(Role::Start, 0);
        let mut projections = 0;
        for _ in 0..1500 {
            let x = draw.normal();
            projections += u32::from(learner.step(&[x], &[x], draw.sign()).unwrap().projected);
        }
        assert!(projections > 1000, "{projections}");
        assert!(learner.coefficients().iter().all(|a| a.is_finite()) && learner.coefficients()[1499] != 0.0);
        assert!((learner.gauges().norm.unwrap() - 0.1).abs() < 1e-12);
    }

    /// Hands out 1, 2, 3, ... and counts.
    struct Counter(f64);

    impl Oracle for Counter {
        fn dim(&self) -> usize {
            1
        }

        fn x(&mut self, out: &mut [f64]) {
            self.0 += 1.0;
            out.fill(self.0);
        }

        fn y(&mut self) -> f64 {
            1.0
        }

        fn covariance_times(&mut self, _: &[f64], out: &mut [f64]) {
            out.fill(0.0);
        }
    }

    #[test]
    fn the_naive_baseline_asks_for_one_copy() {
        for (one_copy, asked) in [(false, 6.0), (true, 3.0)] {
            let mut learner = learner(0.1, 100.0);
            learner.one_copy = one_copy;
            let mut oracle = Counter(0.0);
            for round in 1..=3 {
                learner.learn(&mut oracle, &mut Draws::named(&[]).at(Role::Learn, round)).unwrap();
            }
            assert_eq!(oracle.0, asked);
        }
    }
}
