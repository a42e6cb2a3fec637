//! The two kinds of members that learn coefficients: ridge regression, and a steeper link over it.

use crate::epoch::Moments;
use crate::feature::identity::IdentityMap;
use crate::learner::api::{Block, Breakdown, Hypothesis as _, Learner as _};
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::fixed_features::FixedFeatures;
use crate::learner::ridge::sequential::Forecast;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::state::{State, StateError, Store};

/// The slopes of a link.
const SLOPES: [f64; 3] = [1.0, 3.0, 9.0];

/// The number of features of a link: its argument u, tanh of u times each slope, and 1.
pub(crate) const LINK: usize = SLOPES.len() + 2;

/// lambda of the regression over a link.
const OVER: f64 = 1.0;

/// Ridge regression over `features` features that forgets what is older than `memory` rows; infinite: nothing.
pub(crate) fn ridge(features: usize, lambda: f64, memory: f64) -> FixedFeatures {
    let discount = if memory == f64::INFINITY { Discount::NONE } else { Discount::of_memory(memory - 1.0) };
    FixedFeatures::discounted(Forecast::Ridge, Box::new(IdentityMap(features)), lambda, discount)
}

/// Features of a link at u.
pub(crate) fn link(u: f64) -> [f64; LINK] {
    let [a, b, c] = SLOPES.map(|slope| (slope * u).tanh());
    [u, a, b, c, 1.0]
}

/// What a link is steepest at, and the unit of its argument: the mean and the deviation of the targets, 1 where that is 0;
/// instead of the mean, the middle of targets that have two values.
pub(crate) fn middle(targets: &[f64]) -> (f64, f64) {
    let Moments { mean, deviation } = Moments::of(|| targets.iter().copied());
    let (low, high) = targets.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
    let two = targets.iter().all(|y| *y == low || *y == high);
    (if two && low < high { 0.5 * low + 0.5 * high } else { mean }, if deviation > 0.0 { deviation } else { 1.0 })
}

/// A member in an epoch. It sees targets less their mean.
#[derive(Debug)]
pub(crate) enum MemberModel {
    /// Ridge regression.
    Ridge(Box<FixedFeatures>),
    /// Ridge regression, and another one over the link of its forecasts.
    Linked(Box<Linked>),
}

/// Ridge regression over a link.
#[derive(Debug)]
pub(crate) struct Linked {
    /// The first regression.
    base: FixedFeatures,
    /// The one over the link of its forecasts.
    over: FixedFeatures,
    /// What the link is steepest at, less the mean of the targets.
    middle: f64,
    /// The deviation of the targets.
    scale: f64,
}

impl MemberModel {
    /// A link over ridge regression; both forget alike. `middle` is less the mean of the targets.
    pub(crate) fn linked(base: FixedFeatures, memory: f64, (middle, scale): (f64, f64)) -> Self {
        Self::Linked(Box::new(Linked { base, over: ridge(LINK, OVER, memory), middle, scale }))
    }

    /// As [`crate::learner::api::Learner::play`].
    ///
    /// # Errors
    /// If a covariance is singular to working precision.
    pub(crate) fn play(&mut self, block: Block<'_>, draws: &Draws, said: &mut [f64]) -> Result<(), Breakdown> {
        match self {
            MemberModel::Ridge(ridge) => ridge.play(block, draws, said),
            MemberModel::Linked(linked) => {
                let Linked { base, over, middle, scale } = &mut **linked;
                base.play(block, draws, said)?;
                let mut features = Matrix::with_width(LINK);
                said.iter().for_each(|forecast| features.push_row(&link((forecast - *middle) / *scale)));
                over.play(Block { inputs: features.view(), ..block }, draws, said)
            }
        }
    }

    /// Learns rows without saying what it would have forecast; `last`: there are no more of them.
    ///
    /// # Errors
    /// As [`play`](Self::play).
    pub(crate) fn learn_rows(&mut self, block: Block<'_>, draws: &Draws, last: bool) -> Result<(), Breakdown> {
        match self {
            MemberModel::Ridge(ridge) => {
                ridge.gather_rows(block.inputs, block.targets);
                if last { ridge.settle() } else { Ok(()) }
            }
            MemberModel::Linked(_) => self.play(block, draws, &mut vec![0.0; block.targets.len()]),
        }
    }

    /// As [`crate::learner::api::Hypothesis::predict`].
    pub(crate) fn predict(&self, features: &[f64], draw: &mut Draw) -> f64 {
        match self {
            MemberModel::Ridge(ridge) => ridge.predict(features, draw),
            MemberModel::Linked(linked) => {
                let Linked { base, over, middle, scale } = &**linked;
                over.predict(&link((base.predict(features, draw) - middle) / scale), draw)
            }
        }
    }

    /// Bytes of matrices.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |ridge: &FixedFeatures| ridge.gauges().state_bytes.unwrap_or(0);
        match self {
            MemberModel::Ridge(ridge) => bytes(ridge),
            MemberModel::Linked(linked) => bytes(&linked.base) + bytes(&linked.over),
        }
    }
}

impl State for MemberModel {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        match self {
            MemberModel::Ridge(ridge) => ridge.state(store),
            MemberModel::Linked(linked) => {
                let Linked { base, over, middle, scale } = &mut **linked;
                store.within("base", |store| base.state(store))?;
                store.within("over", |store| over.state(store))?;
                store.keep("middle", middle)?;
                store.keep("scale", scale)
            }
        }
    }
}
