//! constant: the same prediction in every round.

use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::baseline::blind::{self, Rule};
use crate::params::{Range, Spec};
use noregret_numeric::state::{State, StateError, Store};

/// p_t = c.
struct Constant(f64);

impl Rule for Constant {
    fn value(&self) -> f64 {
        self.0
    }

    fn learn(&mut self, _: f64) {}

    fn is_as_given(&self) -> bool {
        true
    }
}

/// It learns nothing.
impl State for Constant {
    fn state(&mut self, _: &mut Store) -> Result<(), StateError> {
        Ok(())
    }
}

/// Registry entry.
pub(crate) static ENTRY: LearnerEntry = LearnerEntry {
    name: "constant",
    summary: "baseline: predicts the same number in every round",
    module: module_path!(),
    params: &[Spec::real("value", "the prediction c", Range::ANY, 0.0)],
    build: Recipe {
        learner: |params, _| Ok(blind::follow(Constant(params.real("value")))),
        cost: |_, rounds, _| blind::cost(rounds),
        drawn_by: &[],
    },
};

#[cfg(test)]
mod tests {
    use super::Constant;
    use crate::learner::baseline::blind::tests::predictions;

    #[test]
    fn it_never_moves() {
        assert_eq!(predictions(Constant(0.3), &[1.0, -5.0]), [0.3; 3]);
    }
}
