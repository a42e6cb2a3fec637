//! What the runs of a row were configured with: what theorems are applied to.

use std::collections::BTreeMap;

use noregret_core::loss::api::Loss;
use noregret_core::params::Params;
use noregret_core::stream::spec::StreamSpec;
use noregret_papers::case::Case;

use crate::analysis::record::RunResult;

/// The configuration of the runs of one label at one horizon on one stream.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The label of the curve.
    pub label: &'a str,
    /// The number of rounds.
    pub horizon: u64,
    /// The registered name of the learner.
    pub learner: &'a str,
    /// Its parameters.
    pub params: &'a Params,
    /// The stream.
    pub stream: &'a StreamSpec,
    /// What a round costs.
    pub loss: &'a dyn Loss,
    /// The comparator's name and its parameters at this horizon.
    pub comparator: Option<(&'a str, Params)>,
}

impl Setup<'_> {
    /// A run of it as theorems see it; `given` are the parameters of the theorem's shape.
    pub(crate) fn case<'b>(&'b self, run: &'b RunResult, given: &'b BTreeMap<String, f64>) -> Case<'b> {
        Case {
            learner: self.learner,
            params: self.params,
            stream: self.stream,
            loss: self.loss,
            comparator: self.comparator.as_ref().map(|(name, params)| (*name, params)),
            rounds: run.horizon as f64,
            measures: &run.measures,
            given,
        }
    }

    /// Everything about it that a result can depend on, except code.
    pub fn canonical(&self) -> serde_json::Value {
        let comparator = self.comparator.as_ref().map(|(name, params)| (name, params.canonical()));
        serde_json::json!({
            "comparator": comparator,
            "horizon": self.horizon,
            "label": self.label,
            "learner": self.learner,
            "parameters": self.params.canonical(),
            "stream": self.stream.canonical(),
        })
    }
}
