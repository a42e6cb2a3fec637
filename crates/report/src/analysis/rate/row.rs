//! A row of the table of rates, read and checked; [`super::file`] reads it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::quantity::RunQuantity;
use crate::analysis::rate::verdict::ExponentVerdict;
use noregret_papers::theorem::{GrowthRate, RateParameter, Theorem};

/// A row that was read and checked.
#[derive(Clone, Debug)]
pub struct RateRow {
    /// Its name: the stem of its file.
    pub name: String,
    /// The theorem.
    pub theorem: &'static Theorem,
    /// The theorem's parameters.
    pub parameters: BTreeMap<String, f64>,
    /// How the theorem says that the quantity grows.
    pub shape: GrowthRate,
    /// The experiment.
    pub experiment: String,
    /// The label of the curve.
    pub label: String,
    /// The stream, where the experiment has several.
    pub stream: Option<String>,
    /// The quantity.
    pub quantity: RunQuantity,
    /// The quantity as the file names it.
    pub quantity_name: String,
    /// The setting, in a few words.
    pub setting: String,
    /// The horizons, ascending: fixed here, before anything is run, because a range that is chosen after seeing the
    /// results biases the exponent.
    pub horizons: Vec<u64>,
    /// Margin of the equivalence test.
    pub margin: f64,
    /// What the verdict does not say, for each verdict that may come out, with places for computed numbers
    /// ([`explain`](super::explain)).
    pub explanations: BTreeMap<ExponentVerdict, String>,
    /// The label of the curve that is the control variate: least squares, whose expectation is known.
    pub control: Option<String>,
    /// Runs that the row must refuse.
    pub negative: Option<Negative>,
    /// The recorded states of its design, oldest first. The caller fills them in.
    pub designs: Vec<RecordedDesign>,
}

/// A state of the design of a row: what it was to measure before it was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedDesign {
    /// The digest of everything that the design fixes.
    pub digest: String,
    /// The day on which it was recorded, as YYYY-MM-DD.
    pub date: String,
    /// Why it is as it is from then on.
    pub because: String,
}

/// A negative control: what is changed so that the theorem no longer applies. A row counts only if it refuses it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Negative {
    /// The parameter of the theorem that it breaks, as the paper calls it: `lambda`, `mu`, `the step`.
    pub(crate) breaks: String,
    /// How, and by which factor, in a few words: `lambda smaller by the factor n`.
    pub what: String,
    /// Why the row does not refuse it, and no other control was found that it refuses; absent where it does.
    pub untestable: Option<String>,
    /// Another curve, where it is not the row's own.
    pub label: Option<String>,
    /// Another quantity, where it is not the row's own.
    pub quantity: Option<String>,
    /// Other parameters of the experiment, as on the command line: `NAME=VALUE`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Other horizons; by default those of the row.
    pub horizons: Option<Vec<u64>>,
}

impl RateRow {
    /// The row whose runs are its negative control, with the control's label, quantity and horizons.
    pub fn of_control(&self) -> Option<RateRow> {
        let negative = self.negative.as_ref()?;
        let mut row = Self { experiment: control_name(&self.name), control: None, negative: None, ..self.clone() };
        row.label = negative.label.clone().unwrap_or(row.label);
        row.horizons = negative.horizons.clone().unwrap_or(row.horizons);
        if let Some(quantity) = negative.quantity.as_ref().and_then(|name| Some((name, RunQuantity::read(name).ok()?)))
        {
            (row.quantity_name, row.quantity) = (quantity.0.clone(), quantity.1);
        }
        Some(row)
    }

    /// The parameters of the theorem's bound with those of its shape.
    pub(crate) fn bound_parameters(&self) -> Vec<&'static RateParameter> {
        let bound = self.theorem.bound.iter().flat_map(|bound| bound.parameters);
        self.theorem.parameters.iter().chain(bound).collect()
    }
}

/// What the experiment is called whose runs are the negative control of a row.
pub fn control_name(row: &str) -> String {
    format!("control-{row}")
}
