//! coin-taylor: betting on a coin over the Taylor features of the Gaussian kernel, for which |phi(x)| <= 1.

use std::cell::RefCell;

use crate::feature::api::FeatureMap;
use crate::feature::taylor::Taylor;
use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::learner::descent::coin::{self, CoinBetting};
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::ridge::taylor;
use crate::params::ParamError;
use crate::params::typed::{OrWord, Parameters, parameters};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store, keep};

/// The learner; `sum` is S = sum of a phi(x) over the bets.
#[derive(Debug)]
pub struct CoinTaylor {
    map: Taylor,
    coin: CoinBetting,
    sum: Vec<f64>,
    /// Buffer for phi(x).
    features: RefCell<Vec<f64>>,
}

parameters! {
    /// Parameters of [`CoinTaylor`].
    pub struct CoinTaylorParams {
        loss: &'static str = coin::LOSS;
        tau: f64 = coin::TAU;
        epsilon: f64 = coin::EPSILON;
        clip: OrWord<f64> = coin::CLIP;
        bandwidth: f64 = parameters::BANDWIDTH;
        order: u64 = taylor::ORDER;
    }
}

impl CoinTaylor {
    /// Starts without a bet.
    ///
    /// # Errors
    /// Values out of range; too many features.
    pub fn new(params: CoinTaylorParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let CoinTaylorParams { loss, tau, epsilon, clip, bandwidth, order } = params;
        let map = taylor::make_map(bandwidth, order, setting)?;
        let (sum, features) = (vec![0.0; map.features()], RefCell::new(vec![0.0; map.features()]));
        Ok(Self { map, coin: CoinBetting::new(loss, tau, epsilon, &clip, 1.0), sum, features })
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown> {
        let features = self.features.get_mut();
        self.map.write(x, features);
        let value = dot(&self.sum, features);
        *prediction = self.coin.report(value);
        if let Some(bet) = self.coin.bet(value, squared_norm(features), y)? {
            add_scaled(&mut self.sum, bet, features);
        }
        Ok(())
    }
}

impl Hypothesis for CoinTaylor {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let features = &mut *self.features.borrow_mut();
        self.map.write(x, features);
        self.coin.report(dot(&self.sum, features))
    }

    fn gauges(&self) -> Gauges {
        self.coin.gauges(&self.sum)
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.coin.measures()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: coin, sum[..]; map, features);
        Ok(())
    }
}

impl Learner for CoinTaylor {
    fn wants_labels(&self) -> bool {
        self.coin.wants_labels()
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut prediction = 0.0;
        self.step(x, y, &mut prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let rounds = block.inputs.iter().zip(block.targets).zip(predictions);
        rounds.enumerate().try_for_each(|(i, ((x, y), prediction))| self.step(x, *y, prediction).map_err(in_round(i)))
    }
}

learner! {
    /// ## Formula
    ///
    /// As `coin-kernel`, with S = sum of a phi(x) over the Taylor features and kappa = 1.
    ///
    /// ## Cost
    ///
    /// r operations per round, r numbers, r = C(order + d, d).
    ///
    /// ## When to use it
    ///
    /// As coin-kernel, on long streams: nothing grows with them.
    pub(crate) static ENTRY = LearnerEntry {
        name: "coin-taylor",
        summary: "coin betting over the Taylor features of the Gaussian kernel: gradient descent without a step size, for losses with bounded slopes (Orabona, Pal, NIPS 2016)",
        module: module_path!(),
        params: CoinTaylorParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(CoinTaylor::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let features = taylor::features(CoinTaylorParams::read(params).order, dim) as f64;
                Cost { flops: 8.0 * features * rounds as f64, bytes: 8.0 * (features + 3.0) }
            },
            drawn_by: &[],
            about: About::grid(&[("bandwidth", FEW_WIDTHS), ("order", Tried::Orders(5))]).of(Kin::Taylor),
        },
    };
}
