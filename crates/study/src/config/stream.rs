//! Streams as experiments declare them: a dataset or a synthetic law, noise and corruption on it, and a number of rounds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use noregret_core::epoch::Scales;
use noregret_core::noise::NOISES;
use noregret_core::noise::api::NoiseLaw;
use noregret_core::params::ParamError;
use noregret_core::params::check::{check, nearest};
use noregret_core::params::entry::Chosen;
use noregret_core::params::registry::unknown_member;
use noregret_core::parts::AllParts;
use noregret_core::stream::corruption::CORRUPTIONS;
use noregret_core::stream::spec::{Noise, Origin, PlayOrder, StreamSpec, TargetKind};
use noregret_core::stream::{ADVERSARIES, STREAMS};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::json;
use toml::{Table, Value};

use super::error::plain;
use super::grid::fill_label;
use super::label::told_apart;
use noregret_data::declaration::{Dataset, Task};
use noregret_data::prepare::{InputScale, Preparation, TargetTransform};

/// A number of rounds, or all that a dataset has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(crate) enum Rounds {
    /// As many as the dataset has rows.
    All,
    /// This many, or as many as the dataset has rows where these are fewer.
    AtMost(u64),
    /// This many.
    Number(u64),
}

impl TryFrom<Value> for Rounds {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::String(word) if word == "all" => Ok(Rounds::All),
            Value::String(word) if at_most(&word).is_some() => Ok(Rounds::AtMost(at_most(&word).unwrap_or(1))),
            Value::Integer(number) if number >= 1 => Ok(Rounds::Number(number as u64)),
            Value::Float(number) if number >= 1.0 && number.fract() == 0.0 && number < 1e15 => {
                Ok(Rounds::Number(number as u64))
            }
            other => Err(format!("a number of rounds is an integer of at least 1, or \"all\"; found {other}")),
        }
    }
}

/// The number in `"at most 2000"`.
fn at_most(word: &str) -> Option<u64> {
    word.strip_prefix("at most ")?.parse().ok().filter(|number| *number >= 1)
}

impl JsonSchema for Rounds {
    fn schema_name() -> Cow<'static, str> {
        "Rounds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "enum": ["all"] },
            { "type": "string", "pattern": "^at most [1-9][0-9]*$" }] })
    }
}

impl Rounds {
    /// The horizons of one learner: its own `horizon`, or else the experiment's, and only those up to `longest`. An error
    /// names the field.
    pub(crate) fn chosen(learner: &Table, experiment: &[Rounds]) -> Result<Vec<Rounds>, (&'static str, String)> {
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
        let short = |rounds: &Rounds| match rounds {
            Rounds::All => false,
            Rounds::Number(number) | Rounds::AtMost(number) => *number <= longest,
        };
        let kept: Vec<Rounds> = horizons.into_iter().filter(short).collect();
        if kept.is_empty() {
            Err(("longest", format!("leaves no horizon of at most {longest} rounds")))
        } else {
            Ok(kept)
        }
    }

    /// The number of rounds on a stream; an error where the stream has fewer rows, or no end.
    pub(crate) fn number(self, stream: &StreamSpec) -> Result<u64, String> {
        match (self, stream.rounds()) {
            (Rounds::All, Some(rounds)) => Ok(rounds),
            (Rounds::All, None) => Err(format!("\"all\" needs a dataset; {} has no end", stream.name())),
            (Rounds::AtMost(number), rounds) => Ok(rounds.map_or(number, |rounds| rounds.min(number))),
            (Rounds::Number(number), Some(rounds)) if number > rounds => {
                Err(format!("{number} rounds are more than the {rounds} rows of {}", stream.name()))
            }
            (Rounds::Number(number), _) => Ok(number),
        }
    }
}

/// A dataset as a stream.
#[derive(Deserialize, JsonSchema)]
pub(super) struct DatasetStream {
    /// The name of a dataset (`noregret list datasets`).
    dataset: String,
    /// The order of its rows.
    #[serde(default)]
    order: DeclaredOrder,
    #[serde(flatten)]
    #[schemars(with = "Preparation")]
    preparation: Table,
}

/// The order of rows, as files name it.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum DeclaredOrder {
    /// Another random order for each replicate.
    #[default]
    Shuffle,
    /// That of the file.
    File,
}

/// What is wrong with a stream: a field and why, or a parameter.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamSpecError {
    /// A field of the stream's table, dotted, and what is wrong with it.
    #[error("{0}: {1}")]
    Field(String, String),
    /// A parameter of a law.
    #[error(transparent)]
    Parameter(#[from] ParamError),
}

/// A declared stream, and how its dataset is to be prepared, where it has one.
pub(crate) struct DeclaredStream {
    /// The stream.
    pub spec: StreamSpec,
    /// The preparation of its dataset.
    pub(crate) preparation: Option<Preparation>,
}

/// Streams whose names tell them apart, since results are grouped by them.
///
/// # Errors
/// Two streams that are the same.
pub(crate) fn apart(mut streams: Vec<DeclaredStream>, tables: &[Table]) -> Result<Vec<DeclaredStream>, String> {
    let names: Vec<&str> = streams.iter().map(|stream| stream.spec.name()).collect();
    let told = told_apart(&names, tables).map_err(|name| format!("two streams are the same: {name}; leave one out"))?;
    for (stream, told) in streams.iter_mut().zip(told) {
        if stream.spec.name() != told {
            stream.spec.label = Some(told);
        }
    }
    Ok(streams)
}

/// A stream from its table: a dataset or a synthetic law, with `noise`, `corruption` and `label` where they are given.
///
/// # Errors
/// See [`StreamSpecError`].
pub(crate) fn stream(table: &Table, datasets: &BTreeMap<String, Dataset>) -> Result<DeclaredStream, StreamSpecError> {
    let mut rest = table.clone();
    let noise = match rest.remove("noise") {
        None => None,
        Some(Value::Table(table)) => Some(noise(&table)?),
        Some(_) => {
            let why = "must be a table with `inputs` and `targets`, each a noise law";
            return Err(StreamSpecError::Field("stream.noise".into(), why.into()));
        }
    };
    let corruption = match rest.remove("corruption") {
        None => None,
        Some(Value::Table(table)) if matches!(table.get("name"), Some(Value::String(_))) => {
            Some(CORRUPTIONS.choose(&table, None, "stream.corruption.", &AllParts)?)
        }
        Some(_) => {
            let why = "must be a table with the `name` of a corruption and its parameters";
            return Err(StreamSpecError::Field("stream.corruption".into(), why.into()));
        }
    };
    let label = match rest.remove("label") {
        None => None,
        Some(Value::String(template)) => Some(fill_label(&template, table).map_err(|name| {
            StreamSpecError::Field("stream.label".into(), format!("`{{{name}}}` is not given here"))
        })?),
        Some(_) => return Err(StreamSpecError::Field("stream.label".into(), "must be text".into())),
    };
    let (origin, preparation) = match rest.contains_key("law") {
        true => (law(rest)?, None),
        false => dataset(rest, datasets).map(|(origin, preparation)| (origin, Some(preparation)))?,
    };
    let spec = StreamSpec { origin, noise, corruption, label };
    if matches!(spec.targets(), TargetKind::Classes(_)) {
        let wrong = [("noise", spec.noise.is_some()), ("corruption", spec.corruption.is_some())];
        if let Some((field, _)) = wrong.into_iter().find(|(_, given)| *given) {
            let why = "is for numbers, and the targets are classes";
            return Err(StreamSpecError::Field(format!("stream.{field}"), why.into()));
        }
    }
    if spec.noise.is_some() && spec.epochs() != Scales::default() {
        let why = "scales by epochs are made of the rows, which nobody sees behind noise: scale in another way";
        return Err(StreamSpecError::Field("stream.noise".into(), why.into()));
    }
    if let Some(noise) = &spec.noise {
        for (field, law, dim) in [("inputs", &noise.inputs, spec.dim()), ("targets", &noise.targets, 1)] {
            let fits = law.as_ref().map_or(Ok(()), |law| law.object.accepts(dim));
            fits.map_err(|why| StreamSpecError::Field(format!("stream.noise.{field}"), why))?;
        }
    }
    Ok(DeclaredStream { spec, preparation })
}

fn noise(table: &Table) -> Result<Noise, StreamSpecError> {
    if let Some(unknown) = table.keys().find(|field| !["inputs", "targets"].contains(&field.as_str())) {
        let why = "is not known: noise is on `inputs`, on `targets`, or on both";
        return Err(StreamSpecError::Field(format!("stream.noise.{unknown}"), why.into()));
    }
    let law = |field: &str| -> Result<Option<Chosen<dyn NoiseLaw>>, StreamSpecError> {
        let Some(value) = table.get(field) else { return Ok(None) };
        let place = format!("stream.noise.{field}");
        match value.as_table().filter(|table| matches!(table.get("name"), Some(Value::String(_)))) {
            Some(table) => Ok(Some(NOISES.choose(table, None, &format!("{place}."), &AllParts)?)),
            None => Err(StreamSpecError::Field(place, "must be a table with the `name` of a noise law".into())),
        }
    };
    Ok(Noise { inputs: law("inputs")?, targets: law("targets")? })
}

/// A synthetic law or an adversary from its table: `law` beside its parameters.
fn law(mut table: Table) -> Result<Origin, ParamError> {
    let Some(Value::String(name)) = table.remove("law") else {
        return Err(ParamError::refused("law", "must be the name of a synthetic law"));
    };
    if let Some(entry) = ADVERSARIES.get(&name) {
        let params = check(entry.params, &table, "", &AllParts)?;
        let dim = (entry.build)(&params)?.dim();
        return Ok(Origin::Adversary { entry, params, dim });
    }
    if STREAMS.get(&name).is_none() {
        return Err(unknown_member("law", &name, STREAMS.names().chain(ADVERSARIES.names())));
    }
    Ok(Origin::Law(STREAMS.choose(&table, Some(&name), "", &AllParts)?))
}

/// The fields that every stream may have.
pub(super) const SHARED: &[&str] = &["noise", "corruption", "label"];

/// The fields that the stream of a dataset may have.
pub(super) fn dataset_fields() -> Vec<String> {
    let preparation = Table::try_from(Preparation::default()).unwrap_or_default();
    let own = ["dataset", "order"].map(str::to_owned).into_iter().chain(preparation.keys().cloned());
    own.chain(SHARED.iter().map(|field| (*field).to_owned())).collect()
}

/// A dataset from its table, and how it is to be prepared.
fn dataset(table: Table, datasets: &BTreeMap<String, Dataset>) -> Result<(Origin, Preparation), StreamSpecError> {
    let malformed = |error: toml::de::Error| StreamSpecError::Field("stream".into(), plain(error.message()));
    if !table.contains_key("dataset") {
        return Err(StreamSpecError::Field("stream".into(), "must name a `dataset` or a `law`".into()));
    }
    let known = dataset_fields();
    if let Some(unknown) = table.keys().find(|field| !known.contains(field)) {
        let hint = nearest(unknown, known.iter().map(String::as_str));
        let hint = hint.map(|name| format!("; did you mean `stream.{name}`?")).unwrap_or_default();
        let why = format!("is no field of a stream of a dataset{hint}; it has {}", known.join(", "));
        return Err(StreamSpecError::Field(format!("stream.{unknown}"), why));
    }
    let stream: DatasetStream = table.try_into().map_err(malformed)?;
    let dataset = datasets.get(&stream.dataset).ok_or_else(|| {
        let known = || datasets.keys().map(String::as_str);
        let hint = nearest(&stream.dataset, known()).map(|name| format!(" (did you mean `{name}`?)"));
        let known = known().collect::<Vec<_>>().join(", ");
        let why = format!("there is no dataset `{}`{}; known: {known}", stream.dataset, hint.unwrap_or_default());
        StreamSpecError::Field("stream.dataset".into(), why)
    })?;
    let preparation: Preparation = stream.preparation.try_into().map_err(malformed)?;
    if let (InputScale::Running, DeclaredOrder::Shuffle) = (preparation.scale, &stream.order) {
        let why = "= \"running\" needs `order = \"file\"`: in another order, it would see rows of later rounds; \"epochs\" \
                   follows any order";
        return Err(StreamSpecError::Field("stream.scale".into(), why.into()));
    }
    if dataset.task == Task::Classes && preparation.target != TargetTransform::None {
        let why = format!("must be \"none\": the targets of {} are classes", stream.dataset);
        return Err(StreamSpecError::Field("stream.target".into(), why));
    }
    // Of two values, [`TargetTransform::Symmetric`] makes -1 and +1.
    let signs =
        !matches!(preparation.target, TargetTransform::Unit | TargetTransform::Authors | TargetTransform::Standardise);
    let rows = dataset.first_rows.unwrap_or(dataset.rows);
    let origin = Origin::Dataset {
        name: stream.dataset,
        dim: dataset.inputs as usize,
        rows,
        bytes: dataset.bytes(rows, &preparation),
        preparation: json!(preparation),
        epochs: preparation.epochs(),
        order: match stream.order {
            DeclaredOrder::Shuffle => PlayOrder::Shuffle,
            DeclaredOrder::File => PlayOrder::File,
        },
        targets: match dataset.task {
            Task::Classification if signs => TargetKind::Signs,
            Task::Classes => TargetKind::Classes(dataset.classes.len()),
            Task::Regression | Task::Classification => TargetKind::Numbers,
        },
    };
    Ok((origin, preparation))
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
        // How many rows "all" means is not known here, so it may be too many.
        assert_eq!(chosen("longest = 200", &[Rounds::Number(100), Rounds::All]), Ok(vec![Rounds::Number(100)]));
        for wrong in ["longest = 99", "longest = 'all'", "longest = 0", "longest = 1.5"] {
            assert_eq!(chosen(wrong, &experiment).unwrap_err().0, "longest", "{wrong}");
        }
    }
}
