//! How the runs behind a figure or a table were configured, in words for its description. What differs from machine to
//! machine does not stand here, because descriptions have the same bytes everywhere.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::config::declared::Declared;
use crate::config::experiment::Experiment;
use crate::figure::compute::hindsight::Hindsight;
use noregret_core::protocol::cell::Cell;
use noregret_core::stream::spec::Origin;
use noregret_report::number::{grouped, significant};

/// The most streams and curves of an experiment that are told one by one.
const MOST: usize = 40;
/// The most settings of a choice that are told one by one.
const SETTINGS: usize = 12;

/// What was run for the exhibit `target` (`figure/NAME`), whose runs are those of `experiments` and which solves
/// `hindsight` on their rounds.
pub(crate) fn setup(
    declared: &Declared,
    target: &str,
    experiments: &[String],
    hindsight: &[Hindsight],
) -> Vec<(String, String)> {
    let overrides = declared.overrides(experiments);
    let mut told = vec![pair("Command", &command(declared, target, &overrides)), pair("Profile", &declared.profile)];
    if !overrides.is_empty() {
        told.push(pair("Overrides", &overrides.join(", ")));
    }
    let found: Vec<&Experiment> =
        experiments.iter().filter_map(|name| declared.experiments.get(name)).map(|found| &**found).collect();
    for experiment in &found {
        let of = |what: &str| match found.len() {
            1 => what.to_owned(),
            _ => format!("{what} of {}", experiment.design.name),
        };
        told.push((of("Runs"), runs(experiment)));
        let loss = &experiment.design.loss.part;
        if loss.name != "squared" {
            told.push((of("Loss"), flat(&loss.canonical())));
        }
        if let Some(comparator) = comparator(experiment) {
            told.push((of("Comparator"), comparator));
        }
        let data = data(declared, experiment);
        match data.as_slice() {
            [] => {}
            [one] => told.push((of("Data"), one.clone())),
            several => told.extend(several.iter().map(|one| (of("Data"), one.clone()))),
        }
        if target.starts_with("figure/") {
            let learners = learners(experiment);
            told.extend(learners.into_iter().take(MOST).map(|(label, words)| (of(&label), words)));
        }
    }
    told.extend(solved(hindsight));
    let designs = declared.designs.get(target).into_iter().flatten();
    told.extend(designs.map(|design| pair("Design", &format!("{}: {}", design.date, design.because))));
    let finding = target.strip_prefix("figure/").and_then(|name| declared.figures.get(name));
    if finding.is_some_and(|figure| figure.spec.finding.is_some()) && !declared.designs.contains_key(target) {
        told.push(pair("Design", "not recorded"));
    }
    told.push(pair("Program", concat!("noregret ", env!("CARGO_PKG_VERSION"))));
    told
}

fn pair(what: &str, value: &str) -> (String, String) {
    (what.to_owned(), value.to_owned())
}

/// The command that makes it.
fn command(declared: &Declared, target: &str, overrides: &[&str]) -> String {
    let profile = if declared.is_default() { String::new() } else { format!(" --profile {}", declared.profile) };
    let quoted = |text: &str| match text.contains([' ', '[', '*', '"', '\'', '(']) {
        true => format!(" '{}'", text.replace('\'', "'\\''")),
        false => format!(" {text}"),
    };
    format!("noregret run {target}{}{profile}", overrides.iter().copied().map(quoted).collect::<String>())
}

/// Says in title and caption which overrides changed the experiments behind an exhibit.
pub(crate) fn label(declared: &Declared, experiments: &[String], title: &mut String, shows: &mut String) {
    let overrides = declared.overrides(experiments);
    if !overrides.is_empty() {
        let overrides = overrides.join(", ");
        *title = format!("{title} ({overrides})");
        *shows = format!("With {overrides}, other than the files say: {shows}");
    }
}

/// `120 runs over 512 to 32768 rounds (4 horizons), replicates 0 to 9, base seed 1`.
fn runs(experiment: &Experiment) -> String {
    let mut horizons: Vec<u64> = experiment.cells.iter().map(|cell| cell.horizon).collect();
    horizons.sort_unstable();
    horizons.dedup();
    let rounds = match horizons.as_slice() {
        [] => "0 rounds".to_owned(),
        [one] => format!("{} rounds", grouped(*one)),
        [first, .., last] => {
            format!("{} to {} rounds ({} horizons)", grouped(*first), grouped(*last), horizons.len())
        }
    };
    let replicates = match experiment.cells.iter().map(|cell| cell.replicate).max().unwrap_or_default() {
        0 => "replicate 0".to_owned(),
        last => format!("replicates 0 to {last}"),
    };
    let count = grouped(experiment.cells.len() as u64);
    format!("{count} runs over {rounds}, {replicates}, base seed {}", experiment.design.seed)
}

/// Each stream: a dataset with its size and hash, or a law with its parameters.
fn data(declared: &Declared, experiment: &Experiment) -> Vec<String> {
    let streams = experiment.design.streams.iter().take(MOST);
    let words = streams.zip(&experiment.preparations).map(|(stream, preparation)| {
        let mut form = stream.canonical();
        let Origin::Dataset { name, rows, dim, .. } = &stream.origin else {
            return format!("{}: {}", stream.name(), flat(&form));
        };
        if let Some(form) = form.as_object_mut() {
            form.remove("dataset");
        }
        let hash = declared.datasets.get(name).and_then(|dataset| dataset.content_sha256.as_deref());
        let hash =
            hash.map_or_else(|| "of a file without a declared hash".to_owned(), |hash| format!("SHA-256 {hash}"));
        let saw =
            if preparation.is_some_and(|one| one.sees_all()) { ", by scales that saw the whole file" } else { "" };
        format!("{name}: {} rows of {dim} inputs, {hash}; {}{saw}", grouped(*rows), flat(&form))
    });
    words.collect()
}

/// The parameters of each curve, at its longest horizon, in the order of the file.
fn learners(experiment: &Experiment) -> Vec<(String, String)> {
    let mut longest: BTreeMap<&str, (usize, &Cell)> = BTreeMap::new();
    for (index, cell) in experiment.cells.iter().enumerate().filter(|(_, cell)| cell.replicate == 0) {
        let known = longest.entry(&cell.label).or_insert((index, cell));
        if cell.horizon > known.1.horizon {
            *known = (index, cell);
        }
    }
    let mut longest: Vec<(usize, &Cell)> = longest.into_values().collect();
    longest.sort_by_key(|(index, _)| *index);
    let words = |(index, cell): (usize, &Cell)| {
        let told = match experiment.open.get(&index) {
            Some(open) => {
                let shared = shared(open.candidates.iter().map(|(params, _)| params.canonical()));
                let settings = experiment.choices[open.choice].settings();
                let more = if settings.len() > SETTINGS { "; ..." } else { "" };
                let some = settings.iter().take(SETTINGS).copied().collect::<Vec<_>>().join("; ");
                let count = settings.len();
                format!(
                    "{}; the best of {count} settings on other orders: {some}{more}",
                    named(cell.learner.name, &shared)
                )
            }
            None => {
                let params = cell.params.canonical();
                let mut others = experiment.cells.iter().filter(|other| {
                    other.label == cell.label && (other.stream, other.replicate) == (cell.stream, cell.replicate)
                });
                let depends = others.any(|other| other.horizon != cell.horizon && other.params.canonical() != params);
                named(cell.learner.name, &params) + &if depends { at(cell.horizon) } else { String::new() }
            }
        };
        (cell.label.to_string(), told)
    };
    longest.into_iter().map(words).collect()
}

/// What regret is measured against, with its parameters at the longest horizon.
fn comparator(experiment: &Experiment) -> Option<String> {
    let comparison = experiment.comparison.as_ref()?;
    let params = |horizon| Some(comparison.at(horizon).ok()?.canonical());
    let mut horizons: BTreeSet<u64> = experiment.cells.iter().map(|cell| cell.horizon).collect();
    let longest = horizons.pop_last()?;
    let own = params(longest)?;
    let depends = horizons.into_iter().any(|horizon| params(horizon).is_some_and(|other| other != own));
    Some(named(comparison.entry.name, &own) + &if depends { at(longest) } else { String::new() })
}

/// Of which horizon parameters are that depend on it.
fn at(horizon: u64) -> String {
    format!(" (what depends on the horizon has its value at {} rounds)", grouped(horizon))
}

/// The parameters that are the same in all candidates: what is chosen has no value before it is.
fn shared(mut candidates: impl Iterator<Item = Value>) -> Value {
    let mut all = candidates.next().unwrap_or_default();
    for other in candidates {
        if let Some(fields) = all.as_object_mut() {
            fields.retain(|key, value| other.get(key) == Some(value));
        }
    }
    all
}

/// The comparators that a figure solves.
fn solved(hindsight: &[Hindsight]) -> impl Iterator<Item = (String, String)> {
    let told = |one: &Hindsight| {
        (one.label.clone(), format!("in hindsight, {}", named(one.entry.name, &one.params.canonical())))
    };
    hindsight.iter().take(MOST).map(told)
}

/// `pkawv-taylor: bandwidth = 0.5, order = 2`.
fn named(name: &str, params: &Value) -> String {
    let parameters = flat(params);
    let gap = if parameters.is_empty() { "" } else { ": " };
    format!("{name}{gap}{parameters}")
}

/// Parameters in words: `bandwidth = 0.5, kernel = gaussian (bandwidth = 1)`.
fn flat(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let named = ["name", "law"].into_iter().find_map(|key| fields.get(key)?.as_str());
            let rest = fields.iter().filter(|(key, value)| {
                !matches!(key.as_str(), "name" | "law")
                    && !value.is_null()
                    && *value != &Value::Object(Default::default())
            });
            let one = |(key, value): (&String, &Value)| match value {
                // A table of its own, such as how rows are prepared.
                Value::Object(part) if !part.contains_key("name") && !part.contains_key("law") => {
                    format!("{key} ({})", flat(value))
                }
                _ => format!("{key} = {}", flat(value)),
            };
            let rest: Vec<String> = rest.map(one).collect();
            match (named, rest.is_empty()) {
                (Some(name), true) => name.to_owned(),
                (Some(name), false) => format!("{name} ({})", rest.join(", ")),
                (None, _) => rest.join(", "),
            }
        }
        Value::Array(values) if values.len() > 8 => format!("{} values", values.len()),
        Value::Array(values) => format!("[{}]", values.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() => shortest(value),
            _ => number.to_string(),
        },
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number in few digits where these say it all, and in five otherwise.
fn shortest(value: f64) -> String {
    let (exact, five) = (value.to_string(), significant(value, 5));
    let short = if five.contains('.') && !five.contains('e') {
        five.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        five
    };
    if exact.len() <= short.len() { exact } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comparators_in_words() {
        let text = "kind = 'curves'\nexperiments = ['e']\ntitle = ''\nx = ''\ny = ''\nshows = ''\n\
                    options = { show = 'regret', against = 'horizon' }\n[[hindsight]]\nname = 'best-segments'\n\
                    label = 'k = {switches}'\nswitches = [0, 2]\n";
        let spec = noregret_report::figure::registry::read("test", text).unwrap().spec;
        let told: Vec<_> = solved(&crate::figure::declare::hindsight::hindsight(&spec).unwrap()).collect();
        assert_eq!(told.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(), ["k = 0", "k = 2"]);
        assert!(told[1].1.starts_with("in hindsight, best-segments: "), "{}", told[1].1);
        assert!(told[1].1.contains("switches = 2"), "{}", told[1].1);
    }

    /// A learner that is tuned is told without the parameters that are chosen.
    #[test]
    fn what_is_chosen_has_no_value() {
        let candidates = [0.01, 0.1].map(|eta| json!({ "eta": eta, "features": 20, "kernel": { "name": "gaussian" } }));
        assert_eq!(named("fogd", &shared(candidates.into_iter())), "fogd: features = 20, kernel = gaussian");
    }

    #[test]
    fn parameters_in_words() {
        let value =
            json!({ "eta": 0.1, "kernel": { "name": "gaussian", "bandwidth": 0.004_676_123_4 }, "features": 1000 });
        assert_eq!(flat(&value), "eta = 0.1, features = 1000, kernel = gaussian (bandwidth = 0.0046761)");
        assert_eq!(flat(&json!({ "law": "circle", "noise": null })), "circle");
        assert_eq!(flat(&json!([1, 2])), "[1, 2]");
        assert_eq!(
            flat(&json!({ "order": "shuffle", "preparation": { "scale": "unit" } })),
            "order = shuffle, preparation (scale = unit)"
        );
        assert_eq!(flat(&json!(7.999_999_999_999_999)), "8");
        assert_eq!(flat(&json!(vec![0.5; 9])), "9 values");
    }
}
