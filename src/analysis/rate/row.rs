//! A row of the table of rates, read and checked; [`crate::config::rate`] reads it.

use std::collections::BTreeMap;

use crate::analysis::quantity::Quantity;
use noregret_core::theory::api::{Parameter, Shape, Theorem};

/// A parameter of a bound.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A measure of each run, by name.
    Measure(String),
}

/// A row that was read and checked.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name: the stem of its file.
    pub name: String,
    /// The theorem.
    pub theorem: &'static Theorem,
    /// The theorem's parameters.
    pub parameters: BTreeMap<String, f64>,
    /// How the theorem says that the quantity grows.
    pub shape: Shape,
    /// The experiment.
    pub experiment: String,
    /// The label of the curve.
    pub label: String,
    /// The stream, where the experiment has several.
    pub stream: Option<String>,
    /// The quantity.
    pub quantity: Quantity,
    /// The quantity as the file names it.
    pub quantity_name: String,
    /// The setting, in a few words.
    pub setting: String,
    /// The horizons, ascending: fixed here, before anything is run, because a range that is chosen after seeing the
    /// results biases the exponent.
    pub horizons: Vec<u64>,
    /// Margin of the equivalence test.
    pub margin: f64,
    /// What the verdict does not say.
    pub explanation: Option<String>,
    /// Whether the quantity has a floor that does not vanish.
    pub floor: bool,
    /// The largest possible loss of a round.
    pub worst_per_round: Option<f64>,
    /// The parameters of the theorem's bound, for rows that check values.
    pub bound: Option<BTreeMap<String, Value>>,
}

impl Row {
    /// The parameters of the theorem's bound with those of its shape.
    pub fn bound_parameters(&self) -> Vec<&'static Parameter> {
        let bound = self.theorem.bound.iter().flat_map(|bound| bound.parameters);
        self.theorem.parameters.iter().chain(bound).collect()
    }
}
