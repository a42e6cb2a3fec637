//! Runs that were held against what theorems promise of every run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use noregret_papers::case::Inapplicable;
use noregret_papers::guarantee::Sides;

/// A run that was held against a statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckedRun {
    /// The statement's name.
    pub guarantee: String,
    /// The experiment.
    pub experiment: String,
    /// The stream.
    pub stream: String,
    /// Whether its rounds are those of a dataset.
    pub real: bool,
    /// The label of the curve.
    pub label: String,
    /// The number of rounds of the run.
    pub horizon: u64,
    /// Replicate, from 0.
    pub replicate: u32,
    /// What came out.
    pub outcome: CheckOutcome,
}

/// What came out of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// The statement holds or is violated.
    Sides {
        /// The number of rounds that were looked at.
        rounds: u64,
        /// What is bounded.
        value: f64,
        /// Its bound.
        bound: f64,
        /// Whether it is above the bound, by more than rounding.
        violated: bool,
    },
    /// The statement does not speak of this run, because of this.
    Silent(String),
}

impl CheckOutcome {
    /// From the two sides, or why there are none.
    pub fn new(sides: Result<Sides, Inapplicable>) -> Self {
        match sides {
            Ok(sides) if sides.value.is_finite() && sides.bound.is_finite() => CheckOutcome::Sides {
                rounds: sides.rounds,
                value: sides.value,
                bound: sides.bound,
                violated: !sides.hold(),
            },
            Ok(_) => CheckOutcome::Silent("a side is not finite".into()),
            Err(why) => CheckOutcome::Silent(why.to_string()),
        }
    }
}

impl CheckedRun {
    /// Which run it is, in words.
    pub(crate) fn place(&self) -> String {
        let Self { experiment, stream, label, horizon, replicate, .. } = self;
        format!("{experiment}: {label} on {stream}, T = {horizon}, replicate {replicate}")
    }

    /// The place of a violated statement, with the numbers; none where it holds or does not speak.
    pub fn violation(&self) -> Option<String> {
        let CheckOutcome::Sides { rounds, value, bound, violated: true } = self.outcome else { return None };
        let (guarantee, place) = (&self.guarantee, self.place());
        Some(format!("{guarantee} is VIOLATED after {rounds} rounds of {place}: {value} is above the bound {bound}"))
    }
}

/// All runs that were held against statements, and what they were held against.
#[derive(Clone, Debug, Default)]
pub struct GuaranteeChecks {
    /// The statements.
    pub stated: Vec<GuaranteeWords>,
    /// The checks.
    pub checks: Vec<CheckedRun>,
    /// The numbers of runs of learners that no statement speaks of, by learner.
    pub others: BTreeMap<String, u64>,
    /// The number of all runs.
    pub runs: u64,
}

/// A statement in words.
#[derive(Clone, Debug, Serialize)]
pub struct GuaranteeWords {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub source: String,
    /// What it says.
    pub says: String,
    /// The learners that it speaks of.
    pub learners: String,
}
