//! constant: the same prediction in every round.

use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{LearnerEntry, Recipe};
use crate::learner::baseline::blind::{self, TargetSummary};
use crate::learner::entry::learner;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::state::{State, StateError, Store};

/// p_t = c.
struct Constant(f64);

impl TargetSummary for Constant {
    fn value(&self) -> f64 {
        self.0
    }

    fn learn(&mut self, _: f64, _: f64) {}

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

parameters! {
    /// Parameters of the constant prediction.
    pub struct ConstantParams {
        /// the prediction c
        value: f64 = Kind::real(Range::ANY) => Fallback::Real(0.0);
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// p_t = c
    /// ```
    ///
    /// ## Cost
    ///
    /// Nothing.
    ///
    /// ## When to use it
    ///
    /// What any learner must beat.
    pub(crate) static ENTRY = LearnerEntry {
        name: "constant",
        summary: "baseline: predicts the same number in every round",
        module: module_path!(),
        params: ConstantParams::SPECS,
        build: Recipe {
            learner: |params, _| Ok(blind::follow(Constant(ConstantParams::read(params).value))),
            cost: |_, rounds, _| blind::cost(rounds),
            drawn_by: &[],
            about: About::new(Compared::Absent("it knows nothing of the file; `running-mean` is the baseline")).of(Kin::Baseline),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::Constant;
    use crate::learner::baseline::blind::tests::predictions;

    #[test]
    fn it_never_moves() {
        assert_eq!(predictions(Constant(0.3), &[1.0, -5.0]), [0.3; 3]);
    }
}
