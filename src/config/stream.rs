//! Streams as experiments declare them: a dataset or a synthetic law, noise and corruption on it, and a number of rounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use toml::{Table, Value};

use super::grid::fill_label;
use crate::dataset::declaration::{Dataset, Task};
use crate::dataset::prepare::{Preparation, TargetTransform};
use crate::draw::Draws;
use crate::noise::api::{NoNoise, NoiseLaw};
use crate::noise::registry as noises;
use crate::params::check::nearest;
use crate::params::{ParamError, Params, check};
use crate::parts::{AllParts, unknown_member};
use crate::stream::api::{AdversaryEntry, Source, StreamEntry};
use crate::stream::corruption::{self, registry as corruptions};
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
    /// The horizons of one learner: `horizon` of its table instead of the experiment's, and those up to `longest` alone.
    /// An error names the field.
    pub fn chosen(learner: &Table, experiment: &[Rounds]) -> Result<Vec<Rounds>, (&'static str, String)> {
        let horizons = match learner.get("horizon") {
            None => experiment.to_vec(),
            Some(value) => vec![
                Rounds::deserialize(value.clone())
                    .map_err(|_| ("horizon", "must be a number of rounds, or \"all\"".to_owned()))?,
            ],
        };
        let longest = match learner.get("longest").cloned().map(Rounds::deserialize) {
            None => return Ok(horizons),
            Some(Ok(Rounds::Number(longest))) => longest,
            Some(_) => return Err(("longest", "must be a number of rounds".into())),
        };
        let short = |rounds: &Rounds| matches!(rounds, Rounds::Number(number) if *number <= longest);
        let kept: Vec<Rounds> = horizons.into_iter().filter(short).collect();
        if kept.is_empty() {
            Err(("longest", format!("leaves no horizon of at most {longest} rounds")))
        } else {
            Ok(kept)
        }
    }

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

/// Where rounds come from, and what noise stands between them and the learner.
#[derive(Clone)]
pub struct StreamSpec {
    /// The clean rounds.
    pub origin: Origin,
    /// The noise; streams that have any are played under the noisy protocol.
    pub noise: Option<Noise>,
    /// What corrupts the targets that learners see.
    pub corruption: Option<Corruption>,
    /// The name in tables and figures, where the origin's does not do.
    label: Option<String>,
}

/// The noise on a stream's examples.
#[derive(Clone)]
pub struct Noise {
    /// The law of the noise on x_t.
    pub inputs: Arc<dyn NoiseLaw>,
    /// The law of the noise on y_t.
    pub targets: Arc<dyn NoiseLaw>,
    /// The source files of the laws, for code identity.
    pub files: Vec<&'static str>,
    form: serde_json::Value,
}

/// The corruption of a stream's targets.
#[derive(Clone)]
pub struct Corruption {
    /// Its law.
    pub law: Arc<dyn corruption::api::Corruption>,
    file: &'static str,
    form: serde_json::Value,
}

/// Where clean rounds come from.
#[derive(Clone)]
pub enum Origin {
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
    /// A stream that reacts to the learner; another one is built for every run.
    Adversary {
        /// Its registry entry.
        entry: &'static AdversaryEntry,
        /// Its checked parameters.
        params: Params,
        /// Number of inputs.
        dim: usize,
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

/// What is wrong with a stream: a field and why, or a parameter.
#[derive(Debug)]
pub enum StreamError {
    /// A field of the stream's table, dotted, and what is wrong with it.
    Field(String, String),
    /// A parameter of a law.
    Parameter(ParamError),
}

impl StreamSpec {
    /// A stream from its table: a dataset or a synthetic law, with `noise`, `corruption` and `label` where they are
    /// given.
    pub fn new(table: &Table, datasets: &BTreeMap<String, Dataset>) -> Result<Self, StreamError> {
        let mut rest = table.clone();
        let noise = match rest.remove("noise") {
            None => None,
            Some(Value::Table(noise)) => Some(Noise::new(&noise)?),
            Some(_) => {
                let why = "must be a table with `inputs` and `targets`, each a noise law";
                return Err(StreamError::Field("stream.noise".into(), why.into()));
            }
        };
        let corruption = match rest.remove("corruption") {
            None => None,
            Some(Value::Table(corruption)) => Some(Corruption::new(&corruption)?),
            Some(_) => {
                let why = "must be a table with the `name` of a corruption and its parameters";
                return Err(StreamError::Field("stream.corruption".into(), why.into()));
            }
        };
        let label = match rest.remove("label") {
            None => None,
            Some(Value::String(template)) => Some(fill_label(&template, table).map_err(|name| {
                StreamError::Field("stream.label".into(), format!("`{{{name}}}` is not given here"))
            })?),
            Some(_) => return Err(StreamError::Field("stream.label".into(), "must be text".into())),
        };
        let origin = if rest.contains_key("law") { Origin::law(&rest)? } else { Origin::dataset(&rest, datasets)? };
        let stream = Self { origin, noise, corruption, label };
        if let Some(noise) = &stream.noise {
            for (field, law, dim) in [("inputs", &noise.inputs, stream.dim()), ("targets", &noise.targets, 1)] {
                law.accepts(dim).map_err(|why| StreamError::Field(format!("stream.noise.{field}"), why))?;
            }
        }
        Ok(stream)
    }

    /// The label, or else dataset or law.
    pub fn name(&self) -> &str {
        match (&self.label, &self.origin) {
            (Some(label), _) => label,
            (None, Origin::Dataset { name, .. }) => name,
            (None, Origin::Law { entry, .. }) => entry.name,
            (None, Origin::Adversary { entry, .. }) => entry.name,
        }
    }

    /// Number of input columns.
    pub fn dim(&self) -> usize {
        match &self.origin {
            Origin::Dataset { dim, .. } | Origin::Adversary { dim, .. } => *dim,
            Origin::Law { source, .. } => source.dim(),
        }
    }

    /// Number of rounds it has, where that is finite.
    pub fn rounds(&self) -> Option<u64> {
        match &self.origin {
            Origin::Dataset { rows, .. } => Some(*rows),
            Origin::Law { source, .. } => source.rounds(),
            Origin::Adversary { .. } => None,
        }
    }

    /// Whether it is an adversary.
    pub fn reacts(&self) -> bool {
        matches!(self.origin, Origin::Adversary { .. })
    }

    /// Whether targets are -1 / +1 classes, so that errors of sign are counted.
    pub fn is_classification(&self) -> bool {
        match &self.origin {
            Origin::Dataset { classification, preparation, .. } => {
                *classification && matches!(preparation.target, TargetTransform::None | TargetTransform::Sign)
            }
            Origin::Law { .. } | Origin::Adversary { .. } => false,
        }
    }

    /// The canonical form, which the keys of results hold.
    pub fn canonical(&self) -> serde_json::Value {
        let mut form = self.origin.canonical();
        if let Some(form) = form.as_object_mut() {
            form.extend(self.noise.iter().map(|noise| ("noise".to_owned(), noise.form.clone())));
            form.extend(self.corruption.iter().map(|corruption| ("corruption".to_owned(), corruption.form.clone())));
        }
        form
    }

    /// The draws of the clean rounds on one replicate: the same for every learner, horizon, noise and
    /// corruption.
    pub fn draws(&self, seed: u64, experiment: &str, replicate: u32) -> Draws {
        self.keyed("stream", seed, experiment, replicate)
    }

    /// The draws of the noise on one replicate: the same for every learner and horizon.
    pub fn noise_draws(&self, seed: u64, experiment: &str, replicate: u32) -> Draws {
        self.keyed("noise", seed, experiment, replicate)
    }

    fn keyed(&self, purpose: &str, seed: u64, experiment: &str, replicate: u32) -> Draws {
        // The order of a dataset does not depend on how its values are scaled.
        let identity = match &self.origin {
            Origin::Dataset { name, .. } => json!(name).to_string(),
            Origin::Law { .. } | Origin::Adversary { .. } => self.origin.canonical().to_string(),
        };
        Draws::named(&[purpose, &seed.to_string(), experiment, &identity, &replicate.to_string()])
    }
}

impl Noise {
    fn new(table: &Table) -> Result<Self, StreamError> {
        if let Some(unknown) = table.keys().find(|field| !["inputs", "targets"].contains(&field.as_str())) {
            let why = "is not known: noise is on `inputs`, on `targets`, or on both";
            return Err(StreamError::Field(format!("stream.noise.{unknown}"), why.into()));
        }
        let mut form = serde_json::Map::new();
        let mut files = vec!["src/noise/api.rs"];
        let mut law = |field: &str| -> Result<Arc<dyn NoiseLaw>, StreamError> {
            let Some(value) = table.get(field) else { return Ok(Arc::new(NoNoise)) };
            let place = format!("stream.noise.{field}");
            let mut rest = value.as_table().cloned().unwrap_or_default();
            let Some(Value::String(name)) = rest.remove("name") else {
                return Err(StreamError::Field(place, "must be a table with the `name` of a noise law".into()));
            };
            let entry = noises::find(&name).ok_or_else(|| {
                let known = noises::NOISES.iter().map(|entry| entry.name);
                StreamError::Parameter(unknown_member("noise", &name, known))
            })?;
            let params = check(entry.params, &rest, &format!("{place}."), &AllParts)?;
            let mut law = params.canonical();
            if let Some(law) = law.as_object_mut() {
                law.insert("name".into(), json!(entry.name));
            }
            form.insert(field.to_owned(), law);
            files.push(entry.file);
            files.extend(params.files());
            Ok((entry.build)(&params)?)
        };
        let (inputs, targets) = (law("inputs")?, law("targets")?);
        Ok(Self { inputs, targets, files, form: form.into() })
    }
}

impl Corruption {
    fn new(table: &Table) -> Result<Self, StreamError> {
        let mut rest = table.clone();
        let Some(Value::String(name)) = rest.remove("name") else {
            let why = "must be a table with the `name` of a corruption";
            return Err(StreamError::Field("stream.corruption".into(), why.into()));
        };
        let entry = corruptions::find(&name).ok_or_else(|| {
            let known = corruptions::CORRUPTIONS.iter().map(|entry| entry.name);
            StreamError::Parameter(unknown_member("corruption", &name, known))
        })?;
        let params = check(entry.params, &rest, "stream.corruption.", &AllParts)?;
        let mut form = params.canonical();
        if let Some(form) = form.as_object_mut() {
            form.insert("name".into(), json!(entry.name));
        }
        Ok(Self { law: (entry.build)(&params)?, file: entry.file, form })
    }

    /// The source files that corrupted rounds depend on beside those of the clean ones.
    pub fn files(&self) -> [&'static str; 2] {
        ["src/stream/corruption/corrupted.rs", self.file]
    }
}

impl From<ParamError> for StreamError {
    fn from(error: ParamError) -> Self {
        StreamError::Parameter(error)
    }
}

impl Origin {
    /// A synthetic law from its table: `law` beside the law's parameters.
    fn law(table: &Table) -> Result<Self, ParamError> {
        let mut rest = table.clone();
        let name = match rest.remove("law") {
            Some(Value::String(name)) => name,
            _ => return Err(ParamError::refused("law", "must be the name of a synthetic law")),
        };
        if let Some(entry) = streams::find_adversary(&name) {
            let params = check(entry.params, &rest, "", &AllParts)?;
            let dim = (entry.build)(&params)?.dim();
            return Ok(Origin::Adversary { entry, params, dim });
        }
        let entry = streams::find(&name).ok_or_else(|| {
            let known = streams::STREAMS.iter().map(|entry| entry.name);
            unknown_member("law", &name, known.chain(streams::ADVERSARIES.iter().map(|entry| entry.name)))
        })?;
        let params = check(entry.params, &rest, "", &AllParts)?;
        let source = (entry.build)(&params)?;
        Ok(Origin::Law { entry, params, source })
    }

    /// A dataset from its table.
    fn dataset(table: &Table, datasets: &BTreeMap<String, Dataset>) -> Result<Self, StreamError> {
        let malformed = |error: toml::de::Error| StreamError::Field("stream".into(), error.message().into());
        let stream: DatasetStream = table.clone().try_into().map_err(malformed)?;
        let dataset = datasets.get(&stream.dataset).ok_or_else(|| {
            let known = || datasets.keys().map(String::as_str);
            let hint = nearest(&stream.dataset, known()).map(|name| format!(" (did you mean `{name}`?)"));
            let known = known().collect::<Vec<_>>().join(", ");
            let why = format!("there is no dataset `{}`{}; known: {known}", stream.dataset, hint.unwrap_or_default());
            StreamError::Field("stream.dataset".into(), why)
        })?;
        Ok(Origin::Dataset {
            name: stream.dataset,
            dim: dataset.inputs as usize,
            rows: dataset.first_rows.unwrap_or(dataset.rows),
            preparation: stream.preparation.try_into().map_err(malformed)?,
            order: stream.order,
            classification: dataset.task == Task::Classification,
        })
    }

    fn canonical(&self) -> serde_json::Value {
        match self {
            Origin::Dataset { name, preparation, order, .. } => json!({
                "dataset": name,
                "preparation": preparation,
                "order": match order { Order::Shuffle => "shuffle", Order::File => "file" },
            }),
            Origin::Law { entry, params, .. } => named_law(entry.name, params),
            Origin::Adversary { entry, params, .. } => named_law(entry.name, params),
        }
    }
}

/// A law's canonical form.
fn named_law(name: &str, params: &Params) -> serde_json::Value {
    let mut form = params.canonical();
    if let Some(form) = form.as_object_mut() {
        form.insert("law".into(), json!(name));
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_keeps_the_short_horizons() {
        let experiment = [Rounds::Number(100), Rounds::Number(200), Rounds::Number(400)];
        let chosen = |text: &str, experiment: &[Rounds]| Rounds::chosen(&toml::from_str(text).unwrap(), experiment);
        assert_eq!(chosen("", &experiment), Ok(experiment.to_vec()));
        assert_eq!(chosen("longest = 200", &experiment), Ok(experiment[..2].to_vec()));
        assert_eq!(chosen("longest = 1000", &experiment), Ok(experiment.to_vec()));
        assert_eq!(chosen("horizon = 50\nlongest = 200", &experiment), Ok(vec![Rounds::Number(50)]));
        // All rows of a dataset are not known to be few enough.
        assert_eq!(chosen("longest = 200", &[Rounds::Number(100), Rounds::All]), Ok(vec![Rounds::Number(100)]));
        for wrong in ["longest = 99", "longest = 'all'", "longest = 0", "longest = 1.5"] {
            assert_eq!(chosen(wrong, &experiment).unwrap_err().0, "longest", "{wrong}");
        }
    }
}
