//! Gradient descent on the square loss in the space of a surrogate kernel, from two noisy copies of each input
//! (Cesa-Bianchi, Shalev-Shwartz, Shamir, Algorithm 3), for noisy-gaussian and noisy-radial.

use std::cell::RefCell;
use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::kernel::panels::Points;
use crate::kernel::surrogate::Surrogate;
use crate::learner::api::{
    BlockOracleLearner, Breakdown, Cost, DrawnBlock, Gauges, Hypothesis, OracleLearner, Setting, in_round,
};
use crate::learner::descent::expansion::diverged;
use crate::learner::descent::step;
use crate::noise::api::Oracle;
use crate::params::typed::{OrWord, Parameters, parameters, shared};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use crate::theory::noisy;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::covariance::Covariance;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::state::{StateError, Store, keep};

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
    /// Whether one copy serves as both.
    one_copy: bool,
    copies: [Vec<f64>; 3],
    /// Buffers for rotated inputs.
    rotated: RefCell<[Vec<f64>; 2]>,
    /// Buffers for rounds that are played together.
    together: RoundBuffers,
}

/// One update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurrogateUpdate {
    /// g = 2 (f(x2) - y~).
    pub gradient: f64,
    /// The squared norm of f after the step, before the projection.
    pub squared_norm: f64,
    /// Whether f was projected.
    pub projected: bool,
}

/// A scale below this is multiplied into the coefficients. A few hundred projections can make it so small.
const SMALLEST_SCALE: f64 = 1e-100;

impl SurrogateDescent {
    /// Starts at f = 0.
    ///
    /// # Errors
    /// Values out of range, noise, kernel and dimension that do not fit together, or a step that needs an unknown number of
    /// rounds or is not a positive finite number.
    pub fn new(params: SurrogateDescentParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let SurrogateDescentParams { eta, eta_factor, radius, kernel, covariance, target_bound, naive, nodes } = params;
        covariance.fits(setting.dim).map_err(|why| ParamError::refused(COVARIANCE.name, why))?;
        let surrogate = |covariance| {
            Surrogate::new(&*kernel, covariance, setting.dim, nodes as usize)
                .map_err(|why| ParamError::refused("kernel", why))
        };
        let pair = surrogate(&covariance)?;
        let moment = || noisy::surrogate_moment(radius, pair.diagonal(), target_bound);
        let eta = step::noisy_eta(&eta, eta_factor, radius, setting, moment)?;
        if !naive {
            return Ok(Self::over(pair, eta, radius, setting.dim));
        }
        // With the same step, so that only the bias differs.
        let none = Covariance::isotropic(0.0).map_err(|why| ParamError::refused(COVARIANCE.name, why))?;
        Ok(Self::over(surrogate(&none)?, eta, radius, setting.dim).with_one_copy())
    }

    /// Starts at f = 0 on inputs of `dim` columns.
    pub fn over(pair: Surrogate, eta: f64, radius: f64, dim: usize) -> Self {
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
            together: RoundBuffers::default(),
        }
    }

    /// The cost of three rows of kernel values per round, where each value takes a distance and `count` exponentials.
    pub(crate) fn cost(rounds: u64, dim: usize, count: usize) -> Cost {
        let n = rounds as f64;
        Cost { flops: 1.5 * n * n * (3 * dim + 32 * count) as f64, bytes: 16.0 * n * (dim + 1) as f64 }
    }

    /// The same learner with a single copy in both places, which is biased for every kernel.
    pub(crate) fn with_one_copy(self) -> Self {
        Self { one_copy: true, ..self }
    }

    /// The coefficients a_i.
    pub fn coefficients(&self) -> Vec<f64> {
        self.raw.iter().map(|raw| self.scale * raw).collect()
    }

    /// One update from independent copies of x (`first` becomes the support point, `second` enters the residual) and of
    /// y. With f1 = f(x1), |f + a k^(x1, .)|^2 = |f|^2 + 2 a f1 + a^2 k^(x1, x1): this is the paper's double sum, at
    /// the cost of a single sum.
    ///
    /// # Errors
    /// If f leaves the range of floating point.
    pub fn step(&mut self, first: &[f64], second: &[f64], y: f64) -> Result<SurrogateUpdate, Breakdown> {
        self.keep_scale();
        let [rotated, other] = self.rotated.get_mut();
        self.pair.rotate(first, rotated);
        self.pair.rotate(second, other);
        let values = self.pair.noisy().combine_two(&self.points, &self.raw, [rotated, other]);
        let (update, coefficient) = self.update(values.map(|value| self.scale * value), y)?;
        let [rotated, _] = self.rotated.get_mut();
        self.points.push(rotated);
        self.raw.push(coefficient);
        Ok(update)
    }

    /// Updates everything but the points, given the values of f at the two copies; returns the raw coefficient of the
    /// new point too.
    fn update(&mut self, [at_first, at_second]: [f64; 2], y: f64) -> Result<(SurrogateUpdate, f64), Breakdown> {
        let gradient = 2.0 * (at_second - y);
        let coefficient = -self.eta * gradient;
        let grown = coefficient * (2.0 * at_first + coefficient * self.pair.diagonal());
        if !grown.is_finite() {
            return Err(diverged("prediction", at_second, coefficient));
        }
        let raw = coefficient / self.scale;
        // Cancellation must not make the squared norm negative.
        let squared_norm = (self.squared_norm + grown).max(0.0);
        let projected = squared_norm > self.radius * self.radius;
        self.squared_norm = squared_norm;
        if projected {
            self.scale *= self.radius / squared_norm.sqrt();
            self.squared_norm = self.radius * self.radius;
        }
        Ok((SurrogateUpdate { gradient, squared_norm, projected }, raw))
    }

    /// Multiplies the scale into the coefficients if it has become small.
    fn keep_scale(&mut self) {
        if self.scale < SMALLEST_SCALE {
            self.raw.iter_mut().for_each(|raw| *raw *= self.scale);
            self.scale = 1.0;
        }
    }
}

impl Hypothesis for SurrogateDescent {
    /// sum_i a_i k(s_i, x) with the original kernel, because x is clean.
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let [rotated, _] = &mut *self.rotated.borrow_mut();
        self.pair.rotate(x, rotated);
        self.scale * self.pair.clean().combine(&self.points, &self.raw, rotated)
    }

    /// sum_i a_i k^(s_i, copy), whose mean is sum_i a_i k(s_i, x). The naive baseline takes k for k^ here too.
    fn predict_copy(&self, copy: &[f64]) -> Option<f64> {
        let [rotated, _] = &mut *self.rotated.borrow_mut();
        self.pair.rotate(copy, rotated);
        Some(self.scale * self.pair.noisy().combine(&self.points, &self.raw, rotated))
    }

    fn gauges(&self) -> Gauges {
        let n = self.points.len() as u64;
        Gauges {
            stored_points: Some(n),
            // Two rows of k^ and one of k in every round.
            kernel_evaluations: Some(3 * n * n.saturating_sub(1) / 2),
            norm: Some(self.squared_norm.sqrt()),
            // Points are stored by panels, with their squared norms, and by rows.
            state_bytes: Some(16 * n * (self.copies[0].len() as u64 + 1)),
            ..Gauges::default()
        }
    }

    /// The step size; a formula may have given it.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![("eta", self.eta)]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: points, raw, scale, squared_norm; pair, eta, radius, one_copy, copies, rotated, together);
        store.check(points.len() == raw.len(), "has points and coefficients of different numbers")
    }
}

impl OracleLearner for SurrogateDescent {
    fn learn(&mut self, oracle: &mut dyn Oracle, _: &mut Draw) -> Result<(), Breakdown> {
        let [first, second, _] = &mut self.copies;
        oracle.x(first);
        if self.one_copy {
            second.copy_from_slice(first);
        } else {
            oracle.x(second);
        }
        let y = oracle.y();
        let copies = std::mem::take(&mut self.copies);
        let outcome = self.step(&copies[0], &copies[1], y);
        self.copies = copies;
        outcome.map(|_| ())
    }

    fn in_blocks(&mut self) -> Option<&mut dyn BlockOracleLearner> {
        Some(self)
    }
}

impl BlockOracleLearner for SurrogateDescent {
    fn copies(&self) -> usize {
        if self.one_copy { 1 } else { 2 }
    }

    /// Plays a few rounds at a time: first the contributions of all earlier points, then, round by round, those of the
    /// few rounds to each other.
    fn play(&mut self, block: DrawnBlock<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (each, rounds) = (BlockOracleLearner::copies(self), block.targets.len());
        let mut together = std::mem::take(&mut self.together);
        let mut done = 0;
        let outcome = loop {
            if done == rounds {
                break Ok(());
            }
            self.keep_scale();
            let to = rounds.min(done + ROUNDS);
            let part = DrawnBlock {
                inputs: block.inputs.slice(done, to),
                copies: block.copies.slice(each * done, each * to),
                targets: &block.targets[done..to],
            };
            match self.play_few(part, &mut together, &mut predictions[done..to]) {
                Ok(played) => done += played,
                Err(breakdown) => break Err(Breakdown { after: done + breakdown.after, ..breakdown }),
            }
        };
        self.together = together;
        outcome
    }
}

/// Rounds that are played at once.
const ROUNDS: usize = 32;

/// Buffers for rounds that are played together.
#[derive(Debug, Default)]
struct RoundBuffers {
    /// Rotated clean inputs and copies.
    inputs: Matrix,
    copies: Matrix,
    /// The contributions of earlier points to f at these inputs and copies, divided by the scale.
    at_inputs: Vec<f64>,
    at_copies: Vec<f64>,
    /// The points of these rounds.
    recent: Points,
}

impl SurrogateDescent {
    /// Plays rounds of `block` until the scale becomes too small; returns how many it played.
    fn play_few(
        &mut self,
        block: DrawnBlock<'_>,
        room: &mut RoundBuffers,
        predictions: &mut [f64],
    ) -> Result<usize, Breakdown> {
        let RoundBuffers { inputs, copies, at_inputs, at_copies, recent } = room;
        let (start, each) = (self.raw.len(), BlockOracleLearner::copies(self));
        for (rows, rotated, values, kernel) in [
            (block.inputs, &mut *inputs, &mut *at_inputs, self.pair.clean()),
            (block.copies, &mut *copies, &mut *at_copies, self.pair.noisy()),
        ] {
            rotated.reshape(rows.rows(), rows.cols());
            values.resize(rows.rows(), 0.0);
            for (i, x) in rows.iter().enumerate() {
                self.pair.rotate(x, rotated.row_mut(i));
            }
            kernel.combine_many(&self.points, &self.raw, rotated.view(), values);
        }
        recent.clear(block.inputs.cols());
        for (i, y) in block.targets.iter().enumerate() {
            let raw = &self.raw[start..];
            let value = at_inputs[i] + self.pair.clean().combine(recent, raw, inputs.row(i));
            predictions[i] = self.scale * value;
            let (first, second) = (each * i, each * i + each - 1);
            let own = self.pair.noisy().combine_two(recent, raw, [copies.row(first), copies.row(second)]);
            let values = [self.scale * (at_copies[first] + own[0]), self.scale * (at_copies[second] + own[1])];
            let (_, coefficient) = self.update(values, *y).map_err(in_round(i))?;
            self.points.push(copies.row(first));
            recent.push(copies.row(first));
            self.raw.push(coefficient);
            if self.scale < SMALLEST_SCALE {
                return Ok(i + 1);
            }
        }
        Ok(block.targets.len())
    }
}

shared! {
    /// bound on the norm of the hypothesis in the surrogate kernel's space (W)
    RADIUS = "radius": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// covariance of the Gaussian noise on the inputs (Sigma), the same in every round
    COVARIANCE = "covariance": Kind::Covariance { words: &[] } => Fallback::Required;
    /// the biased baseline: the kernel in place of its surrogate, and one copy of the input in place of two
    NAIVE = "naive": Kind::Flag => Fallback::Flag(false);
}

parameters! {
    /// Parameters of [`SurrogateDescent`].
    pub struct SurrogateDescentParams with required {
        eta: OrWord<f64> = step::NOISY_ETA;
        eta_factor: f64 = step::ETA_FACTOR;
        radius: f64 = self::RADIUS;
        /// a mixture of Gaussian kernels that are all wider than the noise: rational, inverse-multiquadric or laplace with
        /// a cutoff
        kernel: Arc<dyn Kernel> = Kind::Part(PartKind::Kernel) => Fallback::Part("rational");
        covariance: Covariance = self::COVARIANCE;
        target_bound: f64 = step::TARGET_BOUND;
        naive: bool = self::NAIVE;
        /// number of Gaussian components that replace the mixture; estimates are unbiased for the replacement, which is the
        /// kernel to 1e-10 at distances r with cutoff r^2 up to 90 (24 components) or 36 (16)
        nodes: u64 = Kind::integer(2, 512) => Fallback::Integer(24);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Rows;

    fn learner(eta: f64, radius: f64) -> SurrogateDescent {
        let pair = Surrogate::new(&Gaussian::new(1.0), &Covariance::isotropic(0.5).unwrap(), 1, 24).unwrap();
        SurrogateDescent::over(pair, eta, radius, 1)
    }

    /// With v = 1/2 and b = 1, k^(D) = sqrt(2) exp(-D^2). The second copy enters the residual, the first is stored.
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

    /// There are more projections than a scale that is never reset could take before it underflows.
    #[test]
    fn many_projections_do_not_underflow() {
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

    /// Rounds played together equal rounds played one by one: over several groups, with and without projections, with a
    /// scale that becomes too small inside a group, with a single copy, with near and far points, and with noise that
    /// differs between columns.
    #[test]
    fn rounds_together_are_rounds_one_by_one() {
        let isotropic = Covariance::isotropic(0.3).unwrap();
        let anisotropic = Covariance::diagonal(vec![0.1, 0.3]).unwrap();
        for (covariance, eta, radius, one_copy, size) in [
            (&isotropic, 0.1, 100.0, false, 1.0),
            (&isotropic, 0.2, 0.5, true, 1.0),
            (&isotropic, 1e30, 1e-3, false, 1.0),
            (&isotropic, 0.1, 1.0, false, 40.0),
            (&anisotropic, 0.1, 1.0, false, 1.0),
        ] {
            let build = || {
                let pair = Surrogate::new(&Gaussian::new(1.0), covariance, 2, 24).unwrap();
                let learner = SurrogateDescent::over(pair, eta, radius, 2);
                if one_copy { learner.with_one_copy() } else { learner }
            };
            let (mut together, mut single) = (build(), build());
            let mut draw = Draws::named(&["together"]).at(Role::Start, 0);
            let (rounds, each) = (100, together.copies());
            let mut drawn = |count: usize| (0..2 * count).map(|_| size * draw.normal()).collect::<Vec<_>>();
            let (inputs, copies, targets) = (drawn(rounds), drawn(each * rounds), drawn(rounds));
            let (inputs, copies) = (Rows::new(2, &inputs), Rows::new(2, &copies));
            let mut predictions = vec![f64::NAN; rounds];
            for cut in [0..1, 1..70, 70..100] {
                let block = DrawnBlock {
                    inputs: inputs.slice(cut.start, cut.end),
                    copies: copies.slice(each * cut.start, each * cut.end),
                    targets: &targets[cut.clone()],
                };
                BlockOracleLearner::play(&mut together, block, &mut predictions[cut]).unwrap();
            }
            for (i, prediction) in predictions.iter().enumerate() {
                let expected = single.predict(inputs.row(i), &mut Draws::named(&[]).at(Role::Predict, 1));
                assert!((prediction - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{i}: {prediction} {expected}");
                single.step(copies.row(each * i), copies.row(each * i + each - 1), targets[i]).unwrap();
            }
            assert_eq!(together.gauges().stored_points, Some(100));
        }
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
