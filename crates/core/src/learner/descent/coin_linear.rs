//! coin-linear: betting on a coin over the input columns and an intercept.

use std::cell::RefCell;

use crate::learner::about::{About, Kin, Tried};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting};
use crate::learner::descent::coin::{self, CoinBetting};
use crate::learner::entry::learner;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};
use noregret_numeric::state::{StateError, Store, keep};

/// The learner; `sum` is S = sum of a phi over the bets, phi = (x, 1).
#[derive(Debug)]
pub struct CoinLinear {
    coin: CoinBetting,
    intercept: bool,
    sum: Vec<f64>,
    /// Buffer for phi.
    row: RefCell<Vec<f64>>,
}

parameters! {
    /// Parameters of [`CoinLinear`].
    pub struct CoinLinearParams {
        loss: &'static str = coin::LOSS;
        tau: f64 = coin::TAU;
        epsilon: f64 = coin::EPSILON;
        clip: OrWord<f64> = coin::CLIP;
        /// whether a constant is added to the columns
        intercept: bool = Kind::Flag => Fallback::Flag(true);
    }
}

impl CoinLinear {
    /// Starts without a bet.
    ///
    /// # Errors
    /// Values out of range.
    pub fn new(params: CoinLinearParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let CoinLinearParams { loss, tau, epsilon, clip, intercept } = params;
        let sum = vec![0.0; setting.dim + usize::from(intercept)];
        Ok(Self { coin: CoinBetting::new(loss, tau, epsilon, &clip, 0.0), intercept, sum, row: RefCell::default() })
    }

    /// S(x); leaves phi in the buffer.
    fn value(&self, x: &[f64]) -> f64 {
        let row = &mut *self.row.borrow_mut();
        row.clear();
        row.extend_from_slice(x);
        row.extend(self.intercept.then_some(1.0));
        dot(&self.sum, row)
    }
}

impl Hypothesis for CoinLinear {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.coin.report(self.value(x))
    }

    fn gauges(&self) -> Gauges {
        self.coin.gauges(&self.sum)
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.coin.measures()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: coin, sum[..]; intercept, row);
        Ok(())
    }
}

impl Learner for CoinLinear {
    fn wants_labels(&self) -> bool {
        self.coin.wants_labels()
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let value = self.value(x);
        let row = self.row.get_mut();
        if let Some(bet) = self.coin.bet(value, squared_norm(row), y)? {
            add_scaled(&mut self.sum, bet, row);
        }
        Ok(())
    }
}

learner! {
    /// ## Formula
    ///
    /// As `coin-kernel`, with S = sum of a phi over the columns and a constant, phi = (x, 1), and kappa the largest |phi| so far.
    ///
    /// ## Cost
    ///
    /// 8 d operations per round, d numbers.
    ///
    /// ## When to use it
    ///
    /// A line whose absolute errors count, so that outliers weigh no more than other rows, or one for a quantile (`loss = "pinball"`, `tau`),
    /// without anything to tune. For squared errors linear-ridge is far faster at the best line. A Huber loss has robust-ogd, with a kernel
    /// that makes it a line with an intercept.
    pub(crate) static ENTRY = LearnerEntry {
        name: "coin-linear",
        summary: "coin betting over the input columns with an intercept: a line for absolute errors or a quantile, without a step size (Orabona, Pal, NIPS 2016)",
        module: module_path!(),
        params: CoinLinearParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(CoinLinear::new(Parameters::read(params), setting)),
            cost: |_, rounds, dim| {
                let features = (dim + 1) as f64;
                Cost { flops: 8.0 * features * rounds as f64, bytes: 8.0 * (features + 3.0) }
            },
            drawn_by: &[],
            about: About::grid(&[("epsilon", Tried::Numbers(&[0.1, 1.0]))]).of(Kin::Gradient),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Defaults;
    use noregret_numeric::draw::{Draws, Role};

    fn draw(t: u64) -> Draw {
        Draws::named(&["coin-linear"]).at(Role::Learn, t)
    }

    /// x = 1, y = 2 with the absolute loss: phi = (1, 1), kappa = sqrt 2, a = 1 / sqrt 2 and f = w / 2 S, so that the second
    /// prediction at 1 is (1 / 2) (1 / sqrt 2) 2 = 1 / sqrt 2; at -1 it is 0.
    #[test]
    fn one_bet_by_hand() {
        let mut learner = CoinLinear::new(CoinLinearParams::default(), &Setting::new(1)).unwrap();
        learner.learn(&[1.0], 2.0, &mut draw(1)).unwrap();
        assert!((learner.predict(&[1.0], &mut draw(2)) - 0.5f64.sqrt()).abs() < 1e-15);
        assert!(learner.predict(&[-1.0], &mut draw(2)).abs() < 1e-15);
    }

    /// 20,000 rounds of y = x + noise, uniform on [0, 1], with pinball losses: the line at x = 0 ends within .1 of the quantile, which a
    /// fifth of targets of 50 does not move by more where the loss is absolute.
    #[test]
    fn lines_reach_quantiles_and_bear_outliers() {
        for (loss, tau, outliers, expected) in
            [("pinball", 0.1, 0.0, 0.1), ("pinball", 0.8, 0.0, 0.8), ("absolute", 0.5, 0.2, 0.625)]
        {
            let params = CoinLinearParams { loss, tau, ..CoinLinearParams::default() };
            let mut learner = CoinLinear::new(params, &Setting::new(1)).unwrap();
            let mut mean = 0.0;
            for t in 0..20_000 {
                let mut draw = draw(t);
                let x = draw.between(-1.0, 1.0);
                let y = if draw.between(0.0, 1.0) < outliers { 50.0 } else { x + draw.between(0.0, 1.0) };
                if t >= 15_000 {
                    mean += learner.predict(&[0.0], &mut draw) / 5_000.0;
                }
                learner.learn(&[x], y, &mut draw).unwrap();
            }
            assert!((mean - expected).abs() < 0.1, "{loss} {tau}: {mean}");
        }
    }
}
