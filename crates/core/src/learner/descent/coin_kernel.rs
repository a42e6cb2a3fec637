//! coin-kernel: betting on a coin in a kernel's space; the points of bets are kept.

use crate::kernel::api::Kernel;
use crate::learner::about::{About, Kin, Tried, WIDTHS};
use crate::learner::api::{AnyLearner, Block, Breakdown, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::coin::{self, CoinBetting};
use crate::learner::descent::expansion::DescentExpansion;
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::state::{StateError, Store, keep};
use std::sync::Arc;

parameters! {
    /// Parameters of [`CoinKernel`].
    pub struct CoinKernelParams {
        loss: &'static str = coin::LOSS;
        tau: f64 = coin::TAU;
        epsilon: f64 = coin::EPSILON;
        clip: OrWord<f64> = coin::CLIP;
        /// the largest sqrt k(x, x); kernel: that of the kernel, if it has one. A larger one that is seen counts from then on
        kappa: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["kernel"] } => Fallback::Word("kernel");
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

/// The learner; `evaluations` counts kernel values.
#[derive(Debug)]
pub struct CoinKernel {
    kernel: Arc<dyn Kernel>,
    coin: CoinBetting,
    sum: DescentExpansion,
    evaluations: u64,
}

impl CoinKernel {
    /// Starts without a bet.
    ///
    /// # Errors
    /// Values out of range; a kernel for other inputs.
    pub fn new(params: CoinKernelParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let CoinKernelParams { loss, tau, epsilon, clip, kappa, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        let known = kernel.largest_diagonal().map_or(0.0, f64::sqrt);
        let coin = CoinBetting::new(loss, tau, epsilon, &clip, kappa.number().unwrap_or(known));
        Ok(Self { sum: DescentExpansion::new(kernel.clone(), setting.dim), kernel, coin, evaluations: 0 })
    }

    fn step(&mut self, x: &[f64], value: f64, target: f64) -> Result<Option<f64>, Breakdown> {
        self.evaluations += self.sum.coefficients().len() as u64 + 1;
        self.coin.bet(value, self.kernel.diagonal(x), target)
    }
}

impl Hypothesis for CoinKernel {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.coin.report(self.sum.evaluate(x))
    }

    fn gauges(&self) -> Gauges {
        let sum = self.sum.gauges();
        Gauges {
            norm: sum.norm.map(|norm| self.coin.share() * norm),
            kernel_evaluations: Some(self.evaluations),
            ..sum
        }
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.coin.measures()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: coin, sum, evaluations; kernel);
        Ok(())
    }
}

impl Learner for CoinKernel {
    fn wants_labels(&self) -> bool {
        self.coin.wants_labels()
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let value = self.sum.evaluate(x);
        match self.step(x, value, y)? {
            Some(bet) => self.sum.add(x, bet, value),
            None => Ok(()),
        }
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Self { kernel, coin, sum, evaluations } = self;
        let step = |x: &[f64], points: usize, value: f64, target: f64| {
            *evaluations += points as u64 + 1;
            let prediction = coin.report(value);
            (prediction, coin.bet(value, kernel.diagonal(x), target))
        };
        sum.play_some(block, step, predictions)
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// w = epsilon, c = 0, S = 0
    /// f = w / (c + 1) S,   p_t = f(x_t), cut to [-clip, clip]
    /// g = l'(f(x_t), y_t);   if g != 0:   a = -g / (G kappa),   w += a f(x_t),   S += a k(x_t, .),   c += 1
    /// ```
    ///
    /// G is the largest slope of the loss, kappa^2 the largest k(x, x). No step size, no bound on the norm, no horizon: against every
    /// f of the kernel's space the loss is larger by at most `G kappa (epsilon + |f| sqrt(N log(1 + 24 N^2 |f|^2 / epsilon^2)))`
    /// after N bets. Where the kernel has no largest k(x, x), kappa grows with what is seen, and the bound needs a number.
    ///
    /// ## Cost
    ///
    /// One kernel value per stored point and round. A point is stored when the slope is not 0: always with absolute, logistic and
    /// pinball losses, where the margin is below 1 with the hinge loss.
    ///
    /// ## When to use it
    ///
    /// Absolute errors, quantiles (pinball), or labels, without anything to tune.
    pub(crate) static ENTRY = LearnerEntry {
        name: "coin-kernel",
        summary: "coin betting in the kernel's space: gradient descent without a step size, for losses with bounded slopes (Orabona, Pal, NIPS 2016)",
        module: module_path!(),
        params: CoinKernelParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(CoinKernel::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| DescentExpansion::cost(rounds, dim),
            drawn_by: &[],
            about: About::grid(&[("epsilon", Tried::Numbers(&[1.0])), ("kernel.bandwidth", WIDTHS)]).of(Kin::Gradient),
        },
    };
}
