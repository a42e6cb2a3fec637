//! The names of the forecasts whose weights are written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::error::StreamError;
use crate::learner::ChosenLearner;
use crate::line::shortest;
use noregret_core::learner::api::{Hypothesis, WEIGHTS};
use noregret_core::learner::auto::{self, bank::FAMILIES};
use noregret_core::params::{Params, Part, Value};

/// The names of the forecasts that a learner shows weights of; `inputs` are the columns of the file. `say` takes a line
/// where there are more forecasts than weights are shown of.
///
/// # Errors
/// If the learner combines no forecasts.
pub(super) fn shown(
    chosen: &ChosenLearner,
    learner: &dyn Hypothesis,
    inputs: &[String],
    say: &mut dyn FnMut(&str),
) -> Result<Vec<String>, StreamError> {
    let count = learner.gauges().weights.iter().flatten().count();
    if count == 0 {
        let why = format!("--weights: {} combines no forecasts that have weights", chosen.named().0);
        return Err(StreamError::Usage(why));
    }
    let mut names =
        named(chosen.named().0, &chosen.params, inputs).unwrap_or_else(|| (1..=count).map(|k| k.to_string()).collect());
    if names.len() > WEIGHTS {
        say(&format!("the weights of the first {WEIGHTS} of {} forecasts are written", names.len()));
    }
    names.truncate(count);
    Ok(names)
}

/// The names of all forecasts, if parameters give them and they differ.
fn named(learner: &str, params: &Params, inputs: &[String]) -> Option<Vec<String>> {
    if learner == auto::entry::ENTRY.name {
        return Some(FAMILIES.map(str::to_owned).to_vec());
    }
    let names = match (params.get("experts"), params.get("grid"), params.get("base")) {
        (Some(Value::Grid(parts)), ..) | (_, Some(Value::Grid(parts)), _) => labels(parts),
        (Some(_), ..) => inputs.to_vec(),
        (_, _, Some(Value::Part(base))) => return named(base.name, &base.params, inputs),
        _ => return None,
    };
    let differ = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    differ.then_some(names)
}

/// The name of each learner, with the parameters in which those of that name differ: `fogd features=50`.
fn labels(parts: &[Part]) -> Vec<String> {
    let values: Vec<BTreeMap<String, String>> = parts.iter().map(|part| flat(&part.params.canonical())).collect();
    let differs = |of: &Part, key: &str, value: &str| {
        let others = parts.iter().zip(&values).filter(|(other, _)| other.name == of.name);
        others.map(|(_, values)| values.get(key)).any(|other| other.is_none_or(|other| other != value))
    };
    let label = |(part, values): (&Part, &BTreeMap<String, String>)| {
        let own = values.iter().filter(|(key, value)| differs(part, key, value));
        own.fold(part.name.to_owned(), |label, (key, value)| format!("{label} {key}={value}"))
    };
    parts.iter().zip(&values).map(label).collect()
}

/// The values of a form by dotted name.
fn flat(form: &Json) -> BTreeMap<String, String> {
    fn collect(prefix: &str, form: &Json, found: &mut BTreeMap<String, String>) {
        match (form, form.as_f64()) {
            (Json::Object(inner), _) => inner.iter().for_each(|(name, value)| {
                let dot = if prefix.is_empty() { "" } else { "." };
                collect(&format!("{prefix}{dot}{name}"), value, found);
            }),
            (_, Some(number)) => drop(found.insert(prefix.to_owned(), shortest(number))),
            (Json::String(word), _) => drop(found.insert(prefix.to_owned(), word.clone())),
            (other, _) => drop(found.insert(prefix.to_owned(), other.to_string())),
        }
    }
    let mut found = BTreeMap::new();
    collect("", form, &mut found);
    found
}
