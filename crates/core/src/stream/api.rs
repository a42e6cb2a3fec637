//! Streams and adversaries: their traits and registry entries.

use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::api::Hypothesis;
use crate::params::entry::{Build, Entry};
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, ParamError, Params};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

/// An oblivious stream: the example of round t depends only on t and on the stream's own draws, never on the learner.
/// Any round can be asked for at any time, so that comparators and learners see the same data.
///
/// ```
/// use noregret_core::prelude::*;
///
/// /// x_t uniform on [0, 1), y_t = x_t^2.
/// struct Square;
/// impl Source for Square {
///     fn dim(&self) -> usize { 1 }
///     fn rounds(&self) -> Option<u64> { None }
///     fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
///         x[0] = draws.at(Role::Example, round).uniform();
///         x[0] * x[0]
///     }
/// }
/// let (draws, mut inputs, mut targets) = (Draws::named(&["stream"]), [0.0; 5], [0.0; 5]);
/// Square.fill(1, &draws, &mut inputs, &mut targets);
/// let mut x = [0.0];
/// assert_eq!(Square.example(4, &draws, &mut x), targets[3]); // any round, at any time
/// assert_eq!(x[0], inputs[3]);
/// ```
pub trait Source: Send + Sync {
    /// Number of input columns.
    fn dim(&self) -> usize;

    /// Number of rounds that it has, if that is finite (a dataset).
    fn rounds(&self) -> Option<u64> {
        None
    }

    /// Writes x_t to `x` and returns y_t, for round `round` (from 1, at most [`rounds`](Source::rounds)).
    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64;

    /// The example of a round without corruption of its target; the inputs are the same.
    fn clean(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        self.example(round, draws, x)
    }

    /// The mean of the target of a round, given its input x, where the law knows it.
    fn mean(&self, round: u64, draws: &Draws, x: &[f64]) -> Option<f64> {
        let _ = (round, draws, x);
        None
    }

    /// The same law over a known number of rounds, for laws that change at places relative to the horizon; None for the
    /// others.
    fn over(&self, rounds: u64) -> Option<Arc<dyn Source>> {
        let _ = rounds;
        None
    }

    /// What the law knows about the quality of a final hypothesis (such as its exact error), by name.
    fn measures(&self, hypothesis: &dyn Hypothesis, draws: &Draws) -> Vec<(&'static str, f64)> {
        let _ = (hypothesis, draws);
        Vec::new()
    }

    /// What no example exceeds, where that is known.
    fn reach(&self) -> Option<Reach> {
        None
    }

    /// The function of a kernel's space that the targets are values of, where there is one and they have no noise.
    fn function(&self) -> Option<Expansion> {
        None
    }

    /// Writes rounds `first..first + targets.len()`, with row-major inputs (`targets.len()` x `dim`).
    fn fill(&self, first: u64, draws: &Draws, inputs: &mut [f64], targets: &mut [f64]) {
        let dim = self.dim();
        for (i, target) in targets.iter_mut().enumerate() {
            *target = self.example(first + i as u64, draws, &mut inputs[i * dim..(i + 1) * dim]);
        }
    }
}

/// What no example of a stream exceeds; infinite where there is no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// A bound on |x|.
    pub input: f64,
    /// A bound on |y|.
    pub target: f64,
}

/// sum_i weights_i k(centres_i, .).
#[derive(Clone, Debug)]
pub struct Expansion {
    /// k.
    pub kernel: Arc<dyn Kernel>,
    /// The points, one per row.
    pub centres: Matrix,
    /// The coefficients.
    pub weights: Vec<f64>,
}

impl Expansion {
    /// sum_ij weights_i weights_j `k`(i, j) for the values `k` of a kernel at two centres: the squared norm in that
    /// kernel's space.
    pub fn squared_norm(&self, k: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
        let row = |x: &[f64]| self.centres.view().iter().zip(&self.weights).map(|(z, b)| b * k(x, z)).sum::<f64>();
        self.centres.view().iter().zip(&self.weights).map(|(x, a)| a * row(x)).sum()
    }

    /// The value at x.
    pub(crate) fn at(&self, x: &[f64]) -> f64 {
        self.centres.view().iter().zip(&self.weights).map(|(z, a)| a * self.kernel.evaluate(z, x)).sum()
    }
}

/// A stream that reacts to the learner. Before it chooses an example, it may ask the hypothesis for as many predictions
/// as it likes.
///
/// ```
/// use noregret_core::{prelude::*, protocol::adversary};
///
/// /// Shows x = 1 and answers with the target that is further away.
/// struct Contrary;
/// impl Adversary for Contrary {
///     fn dim(&self) -> usize { 1 }
///     fn choose(&mut self, _: u64, hypothesis: &dyn Hypothesis, _: &Draw, draw: &mut Draw, x: &mut [f64]) -> f64 {
///         x[0] = 1.0;
///         if hypothesis.predict(x, draw) > 0.0 { -1.0 } else { 1.0 }
///     }
/// }
/// # let params = check(LEARNERS.find("kernel-awv")?.params, &json!({}), "", &AllParts)?;
/// let draws = Draws::named(&["duel"]);
/// # let setting = Setting { dim: 1, horizon: Some(30), draws: draws.clone() };
/// # let learner = (LEARNERS.find("kernel-awv")?.build.learner)(&params, &setting)?;
/// # let AnyLearner::Full(mut learner) = learner else { unreachable!() };
/// // `learner` is kernel-awv.
/// let duel = adversary::play(&mut *learner, &mut Contrary, &draws, &draws, &RunOptions::new(30), &|| false).unwrap();
/// // No learner does better against it than predicting 0.
/// assert!(duel.record.checkpoints.last().unwrap().cumulative_loss >= 30.0);
/// # Ok::<(), ParamError>(())
/// ```
pub trait Adversary: Send {
    /// Number of input columns.
    fn dim(&self) -> usize;

    /// Chooses (x_t, y_t), knowing the hypothesis before round `round`; writes x_t to `x` and returns y_t. `coin` is what
    /// the learner will draw from when it attends to x_t, for adversaries that know it.
    fn choose(&mut self, round: u64, hypothesis: &dyn Hypothesis, coin: &Draw, draw: &mut Draw, x: &mut [f64]) -> f64;

    /// The loss of the best fixed predictor of the rounds chosen so far, for adversaries that compute it. No other
    /// learner meets the same rounds, so the run itself carries its comparator.
    fn comparator(&self) -> Option<f64> {
        None
    }
}

shared! {
    /// d: number of inputs
    DIM = "dim": Kind::integer(1, 10_000) => Fallback::Integer(1);
}

/// The role under which streams draw.
pub(crate) const EXAMPLE: Role = Role::Example;

/// A registered synthetic law.
pub(crate) type StreamEntry = Entry<Build<dyn Source>>;

/// Makes an adversary that has played no rounds.
pub(crate) type BuildAdversary = fn(&Params) -> Result<Box<dyn Adversary>, ParamError>;

/// A registered adversary.
pub(crate) type AdversaryEntry = Entry<BuildAdversary>;
