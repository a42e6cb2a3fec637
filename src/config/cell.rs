//! Cells: what one run is made of, and how its random draws are keyed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use toml::{Table, Value};

use super::grid::at_horizon;
use crate::comparator::api::ComparatorEntry;
use crate::dataset::declaration::{Dataset, Task};
use crate::dataset::prepare::{Preparation, TargetTransform};
use crate::draw::Draws;
use crate::learner::api::{AnyLearner, Setting};
use crate::learner::registry::LearnerEntry;
use crate::params::check::nearest;
use crate::params::{ParamError, Params, check};
use crate::parts::{AllParts, unknown_member};
use crate::stream::api::{Source, StreamEntry};
use crate::stream::registry as streams;

/// A number of rounds, or all that a dataset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub enum Rounds {
    /// As many as the dataset has rows.
    All,
    /// So many.
    Number(u64),
}

impl TryFrom<Value> for Rounds {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::String(word) if word == "all" => Ok(Rounds::All),
            Value::Integer(number) if number >= 1 => Ok(Rounds::Number(number as u64)),
            Value::Float(number) if number >= 1.0 && number.fract() == 0.0 && number < 1e15 => {
                Ok(Rounds::Number(number as u64))
            }
            other => Err(format!("a number of rounds is an integer of at least 1, or \"all\"; found {other}")),
        }
    }
}

impl Rounds {
    /// The number of rounds on a stream; an error where the stream has fewer, or none to count.
    pub fn number(self, stream: &StreamSpec) -> Result<u64, String> {
        match (self, stream.rounds()) {
            (Rounds::All, Some(rounds)) => Ok(rounds),
            (Rounds::All, None) => Err(format!("\"all\" needs a dataset; {} has no end", stream.name())),
            (Rounds::Number(number), Some(rounds)) if number > rounds => {
                Err(format!("{number} rounds are more than the {rounds} rows of {}", stream.name()))
            }
            (Rounds::Number(number), _) => Ok(number),
        }
    }
}

/// The order in which a dataset's rows are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// A uniformly random permutation, another one for each replicate.
    Shuffle,
    /// As in the file.
    File,
}

/// Where rounds come from.
#[derive(Clone)]
pub enum StreamSpec {
    /// A prepared dataset in some order.
    Dataset {
        /// Its name.
        name: String,
        /// Number of inputs.
        dim: usize,
        /// Number of rows.
        rows: u64,
        /// Scaling and target transform.
        preparation: Preparation,
        /// Order of rows.
        order: Order,
        /// Whether the targets are -1 / +1 classes.
        classification: bool,
    },
    /// A synthetic law.
    Law {
        /// Its registry entry.
        entry: &'static StreamEntry,
        /// Its checked parameters.
        params: Params,
        /// The law itself.
        source: Arc<dyn Source>,
    },
}

impl std::fmt::Debug for StreamSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.canonical())
    }
}

#[derive(Deserialize)]
struct DatasetStream {
    dataset: String,
    #[serde(default = "shuffle")]
    order: Order,
    #[serde(flatten)]
    preparation: Table,
}

fn shuffle() -> Order {
    Order::Shuffle
}

impl StreamSpec {
    /// A synthetic law from its table: `law` beside the law's parameters.
    pub fn law(table: &Table) -> Result<Self, ParamError> {
        let mut rest = table.clone();
        let name = match rest.remove("law") {
            Some(Value::String(name)) => name,
            _ => return Err(ParamError::refused("law", "must be the name of a synthetic law")),
        };
        let entry = streams::find(&name)
            .ok_or_else(|| unknown_member("law", &name, streams::STREAMS.iter().map(|entry| entry.name)))?;
        let params = check(entry.params, &rest, "", &AllParts)?;
        let source = (entry.build)(&params)?;
        Ok(StreamSpec::Law { entry, params, source })
    }

    /// A dataset from its table; errors are (field, why).
    pub fn dataset(table: &Table, datasets: &BTreeMap<String, Dataset>) -> Result<Self, (String, String)> {
        let stream: DatasetStream = table
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| ("stream".to_owned(), error.message().to_owned()))?;
        let dataset = datasets.get(&stream.dataset).ok_or_else(|| {
            let known = || datasets.keys().map(String::as_str);
            let hint = nearest(&stream.dataset, known()).map(|name| format!(" (did you mean `{name}`?)"));
            let known = known().collect::<Vec<_>>().join(", ");
            let why = format!("there is no dataset `{}`{}; known: {known}", stream.dataset, hint.unwrap_or_default());
            ("stream.dataset".to_owned(), why)
        })?;
        let preparation = stream
            .preparation
            .try_into()
            .map_err(|error: toml::de::Error| ("stream".to_owned(), error.message().to_owned()))?;
        Ok(StreamSpec::Dataset {
            name: stream.dataset,
            dim: dataset.inputs as usize,
            rows: dataset.first_rows.unwrap_or(dataset.rows),
            preparation,
            order: stream.order,
            classification: dataset.task == Task::Classification,
        })
    }

    /// Dataset or law.
    pub fn name(&self) -> &str {
        match self {
            StreamSpec::Dataset { name, .. } => name,
            StreamSpec::Law { entry, .. } => entry.name,
        }
    }

    /// Number of input columns.
    pub fn dim(&self) -> usize {
        match self {
            StreamSpec::Dataset { dim, .. } => *dim,
            StreamSpec::Law { source, .. } => source.dim(),
        }
    }

    /// Number of rounds it has, where that is finite.
    pub fn rounds(&self) -> Option<u64> {
        match self {
            StreamSpec::Dataset { rows, .. } => Some(*rows),
            StreamSpec::Law { source, .. } => source.rounds(),
        }
    }

    /// Whether targets are -1 / +1 classes, so that errors of sign are counted.
    pub fn is_classification(&self) -> bool {
        match self {
            StreamSpec::Dataset { classification, preparation, .. } => {
                *classification && matches!(preparation.target, TargetTransform::None | TargetTransform::Sign)
            }
            StreamSpec::Law { .. } => false,
        }
    }

    /// The canonical form, which also keys the stream's draws.
    pub fn canonical(&self) -> serde_json::Value {
        match self {
            StreamSpec::Dataset { name, preparation, order, .. } => json!({
                "dataset": name,
                "preparation": preparation,
                "order": match order { Order::Shuffle => "shuffle", Order::File => "file" },
            }),
            StreamSpec::Law { entry, params, .. } => {
                let mut form = params.canonical();
                if let Some(form) = form.as_object_mut() {
                    form.insert("law".into(), json!(entry.name));
                }
                form
            }
        }
    }

    /// The draws of the stream on one replicate: the same for every learner and horizon.
    pub fn draws(&self, seed: u64, experiment: &str, replicate: u32) -> Draws {
        // The order of a dataset does not depend on how its values are scaled.
        let identity = match self {
            StreamSpec::Dataset { name, .. } => json!(name).to_string(),
            StreamSpec::Law { .. } => self.canonical().to_string(),
        };
        Draws::named(&["stream", &seed.to_string(), experiment, &identity, &replicate.to_string()])
    }
}

/// What regret is measured against: a comparator and its table, whose numbers may depend on the horizon.
#[derive(Debug)]
pub struct Comparison {
    /// Its registry entry.
    pub entry: &'static ComparatorEntry,
    /// Its parameters as given.
    pub table: Table,
}

impl Comparison {
    /// Its checked parameters at a horizon.
    pub fn at(&self, horizon: u64) -> Result<Params, ParamError> {
        let table = at_horizon(&self.table, horizon)
            .map_err(|field| ParamError::refused(field, "must be { horizon-power = a, factor = c }"))?;
        check(self.entry.params, &table, "", &AllParts)
    }
}

/// One run: learner, parameters, stream, horizon and replicate.
#[derive(Clone, Debug)]
pub struct CellSpec {
    /// The learner.
    pub learner: &'static LearnerEntry,
    /// The curve it belongs to.
    pub label: Arc<str>,
    /// Checked parameters, formulas in the horizon evaluated.
    pub params: Arc<Params>,
    /// The parameters as configured: they key the learner's draws, so that horizons share them.
    pub configured: Arc<str>,
    /// Index into the experiment's streams.
    pub stream: usize,
    /// Number of rounds.
    pub horizon: u64,
    /// Replicate, from 0.
    pub replicate: u32,
}

impl CellSpec {
    /// The learner's own draws.
    pub fn draws(&self, seed: u64, experiment: &str) -> Draws {
        Draws::named(&[
            "learner",
            &seed.to_string(),
            experiment,
            self.learner.name,
            &self.configured,
            &self.replicate.to_string(),
        ])
    }

    /// A fresh learner for this cell.
    pub fn build(&self, stream: &StreamSpec, seed: u64, experiment: &str) -> Result<AnyLearner, ParamError> {
        let setting = Setting { dim: stream.dim(), horizon: Some(self.horizon), draws: self.draws(seed, experiment) };
        (self.learner.build)(&self.params, &setting)
    }
}
