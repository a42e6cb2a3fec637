//! The two strategies of Theorems 8 and 9 of the noisy-data paper. A learner that sees one noisy copy of each x_t
//! cannot tell them apart: both show it independent copies of Z, uniform on {3, -1}, with mean 1. All targets are +1.
//!
//! In the clean world x_t is Z and there is no noise. In the noisy world x_t = 1 and the noise is -2 or +2, which is
//! configured as `rademacher` noise of deviation 2. The best linear predictors are w = 1/5 and w = 1.

use std::sync::Arc;

use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use crate::stream::api::{EXAMPLE, Reach, Source, StreamEntry};
use noregret_numeric::draw::Draws;

/// The registry's line.
pub(crate) static ENTRY: StreamEntry = StreamEntry {
    name: "one-copy-game",
    summary: "y = 1; clean world: x = 3 or -1, each with probability 1/2; noisy world: x = 1, to be played with noise of -2 or +2 (noisy-data paper, theorems 8, 9)",
    module: module_path!(),
    params: OneCopyGameParams::SPECS,
    build: |params| Ok(Arc::new(OneCopyGame { noisy: OneCopyGameParams::read(params).world == "noisy" })),
};

parameters! {
    /// Parameters of [`OneCopyGame`].
    pub(crate) struct OneCopyGameParams {
        /// which of the two strategies
        world: &'static str = Kind::Choice(&["clean", "noisy"]) => Fallback::Word("clean");
    }
}

/// The law; see the module.
#[derive(Clone, Copy, Debug)]
pub struct OneCopyGame {
    /// Which world.
    pub noisy: bool,
}

/// Half the distance of the two values of Z: the deviation of Z.
pub const DEVIATION: f64 = 2.0;
/// The mean of Z.
pub(crate) const MEAN: f64 = 1.0;

impl OneCopyGame {
    /// x_t when the round's coin shows -1 or +1.
    pub fn instance(self, coin: f64) -> f64 {
        if self.noisy { MEAN } else { MEAN + DEVIATION * coin }
    }
}

impl Source for OneCopyGame {
    fn dim(&self) -> usize {
        1
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        x[0] = self.instance(draws.at(EXAMPLE, round).sign());
        1.0
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach { input: if self.noisy { MEAN } else { MEAN + DEVIATION }, target: 1.0 })
    }
}
