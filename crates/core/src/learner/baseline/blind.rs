//! Learners that look at targets alone, so that their predictions do not depend on the input. What does not beat them
//! has learnt nothing from the inputs.

use crate::epoch::Scales;
use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{AnyLearner, Breakdown, Cost, Gauges, Hypothesis, Learner, Recipe};
use crate::learner::weight::{factor, whole};
use noregret_numeric::draw::Draw;
use noregret_numeric::state::{State, StateError, Store};

/// What such a learner keeps of the targets so far.
pub(crate) trait TargetSummary: State + Send {
    /// The prediction at every input.
    fn value(&self) -> f64;

    /// Takes in the target of a round, which counts as `weight` > 0 rounds.
    fn learn(&mut self, y: f64, weight: f64);

    /// Whether it predicts a value as it is given, or as a target was, so that another scale would make it another value.
    fn is_as_given(&self) -> bool {
        false
    }

    /// Whether it counts rounds, so that weights must be whole.
    fn counts(&self) -> bool {
        false
    }

    /// Bytes of what it keeps.
    fn bytes(&self) -> u64 {
        8
    }
}

/// The learner that follows a rule.
struct Blind<R>(R);

impl<R: TargetSummary> Hypothesis for Blind<R> {
    fn predict(&self, _: &[f64], _: &mut Draw) -> f64 {
        self.0.value()
    }

    fn gauges(&self) -> Gauges {
        Gauges { state_bytes: Some(self.0.bytes()), ..Gauges::default() }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.0.state(store)
    }
}

impl<R: TargetSummary> Learner for Blind<R> {
    fn scalable(&self) -> Scales {
        Scales { inputs: true, targets: !self.0.is_as_given() }
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn learn_weighted(&mut self, _: &[f64], y: f64, weight: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let weight = if self.0.counts() { whole(weight)? as f64 } else { factor(weight)? };
        if weight > 0.0 {
            self.0.learn(y, weight);
        }
        Ok(())
    }
}

/// The learner that follows `rule`.
pub(crate) fn follow(rule: impl TargetSummary + 'static) -> AnyLearner {
    AnyLearner::Full(Box::new(Blind(rule)))
}

/// The recipe of a rule without parameters that starts at `R::default()`.
pub(crate) const fn recipe<R: TargetSummary + Default + 'static>() -> Recipe {
    Recipe {
        learner: |_, _| Ok(follow(R::default())),
        cost: |_, rounds, _| cost(rounds),
        drawn_by: &[],
        about: About::new(Compared::Baseline).of(Kin::Baseline),
    }
}

/// A few operations per round.
pub(crate) fn cost(rounds: u64) -> Cost {
    Cost { flops: 20.0 * rounds as f64, bytes: 64.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::TargetSummary;

    /// The predictions of a rule before each of these targets, and after the last.
    pub(in crate::learner) fn predictions(mut rule: impl TargetSummary, targets: &[f64]) -> Vec<f64> {
        let mut said = vec![rule.value()];
        for &y in targets {
            rule.learn(y, 1.0);
            said.push(rule.value());
        }
        said
    }
}
