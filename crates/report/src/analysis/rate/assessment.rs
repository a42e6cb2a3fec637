//! An assessed row: what the theorem says, what was measured, what was computed from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::rate::bound::ValueCheck;
use crate::analysis::rate::competing::CandidateShape;
use crate::analysis::rate::conditions::Asked;
use crate::analysis::rate::curvature::Bend;
use crate::analysis::rate::exponent::Checks;
use crate::analysis::rate::local::LocalSlope;
use crate::analysis::rate::row::{Negative, RecordedDesign};
use crate::analysis::rate::sample::{Jackknife, RateSample};
use crate::analysis::rate::verdict::{ExponentComparison, ExponentVerdict};
use crate::analysis::summary::ReplicateTally;
use noregret_papers::paper::Paper;
use noregret_papers::theorem::{GrowthRate, Subject};

/// An assessed row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assessment {
    /// Its name.
    pub row: String,
    /// Name of the theorem.
    pub theorem: String,
    /// Its paper.
    pub paper: Paper,
    /// Where in the paper.
    pub place: String,
    /// What it says.
    pub statement: String,
    /// What it is about.
    pub subject: Subject,
    /// How it says that the quantity grows.
    pub shape: GrowthRate,
    /// The experiment.
    pub experiment: String,
    /// The stream, where the row names one.
    pub stream: Option<String>,
    /// The label of the curve.
    pub label: String,
    /// The quantity.
    pub quantity: String,
    /// The setting.
    pub setting: String,
    /// Margin of the equivalence test.
    pub margin: f64,
    /// Whether the theorem has a bound with constants.
    pub(crate) bounded: bool,
    /// The label of the curve that is the control variate.
    pub control: Option<String>,
    /// The recorded states of its design, oldest first.
    pub designs: Vec<RecordedDesign>,
    /// What came out of the negative control, where the row has one.
    pub negative: Option<NegativeOutcome>,
    /// What the row's file says of the row's own verdict, with its numbers.
    pub(crate) explanation: Option<String>,
    /// What came out.
    pub outcome: Assessed,
}

impl Assessment {
    /// Whether some condition of its theorem is not met, so that it promises nothing of the runs.
    pub(crate) fn is_outside(&self) -> bool {
        match &self.outcome {
            Assessed::Missing(_) => false,
            Assessed::Measured(found) => found.conditions.iter().any(|one| one.met == Some(false)),
        }
    }
}

/// What came out of a negative control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NegativeOutcome {
    /// What was changed.
    pub negative: Negative,
    /// Its exponent against the theorem's; none where it has no exponent.
    pub comparison: Option<ExponentComparison>,
    /// Its values against the bound of the row's own setting.
    pub(crate) value_check: Option<ValueCheck>,
    /// Why there is nothing to compare.
    pub missing: Option<String>,
    /// Whether the row refuses it: its verdict is another than the row's own, and it is steeper than the bound or exceeds
    /// it.
    pub refused: bool,
}

/// What came out of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assessed {
    /// There is nothing to assess, for this reason.
    Missing(String),
    /// What was measured.
    Measured(Box<MeasuredRate>),
}

/// What was measured, and what was computed from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredRate {
    /// The values; where the row has a control variate, with it.
    pub sample: RateSample,
    /// The values as they were measured, where the row has a control variate.
    pub plain: Option<RateSample>,
    /// The bound for each value, where there is one.
    pub bounds: Option<Vec<Vec<f64>>>,
    /// Why there is no bound, where the theorem has one.
    pub no_bound: Option<String>,
    /// The constants of the bound at the last horizon, largest over seeds, by name.
    pub constants: BTreeMap<String, f64>,
    /// The theorem's conditions; empty where none can be computed.
    pub conditions: Vec<Asked>,
    /// What the quantity is compared with besides the theorem.
    pub(crate) reference: Option<ReferenceExponent>,
    /// How the replicates ended.
    pub(crate) tally: ReplicateTally,
    /// The exponent; none where the mean is not positive at some horizon, with or without some seed.
    pub exponent: Option<Jackknife>,
    /// The horizons where the mean over all seeds is not positive.
    pub(crate) not_positive: Vec<u64>,
    /// The exponent against the theorem's.
    pub comparison: Option<ExponentComparison>,
    /// Whether that is the exponent of the exact expectation of these runs, which needs no sample.
    pub(crate) by_expectation: bool,
    /// Other estimates of the exponent.
    pub(crate) checks: Checks,
    /// The bend on log-log axes.
    pub(crate) bend: Option<Bend>,
    /// The bend relative to the theorem's shape.
    pub(crate) bend_from_shape: Option<Bend>,
    /// Local slopes.
    pub(crate) local: Vec<LocalSlope>,
    /// Competing shapes, best first.
    pub(crate) candidates: Vec<CandidateShape>,
    /// The values against the bound.
    pub value_check: Option<ValueCheck>,
}

impl MeasuredRate {
    /// The verdict of the row's own test.
    pub(crate) fn verdict(&self) -> Option<ExponentVerdict> {
        self.comparison.as_ref().map(|one| one.verdict)
    }
}

/// Numbers that theory gives for these very runs, at each horizon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReferenceExponent {
    /// What they are.
    pub what: String,
    /// One for each horizon.
    pub values: Vec<f64>,
    /// Their exponent, fitted like that of the means.
    pub exponent: f64,
}
