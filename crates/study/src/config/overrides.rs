//! Overrides of `noregret run`: `[EXPERIMENT.]KEY=VALUE` in the grammar of [`noregret_model::assignment`].
//!
//! KEY is a field of the experiment (`replicates`, `horizons`, `seed`, `stream.scale`, ...), a parameter of its learners
//! (`lambda`), or `LEARNER.PARAMETER` for one learner.

use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use super::ConfigError;
use super::learners::{Learners, settable};
use super::parts::{below, takes};
use super::stream::{SHARED, dataset_fields};
use crate::tune::declare::TUNE;
use noregret_core::comparator::COMPARATORS;
use noregret_core::loss::LOSSES;
use noregret_core::params::Spec;
use noregret_core::params::check::nearest;
use noregret_core::stream::{ADVERSARIES, STREAMS};
use noregret_model::assignment::{Assignment, AssignmentError, insert};

/// Fields of a learner's table that say how long and how often it plays.
pub(super) const SIZES: &[&str] = &["horizon", "longest", "replicates"];

/// One override.
#[derive(Clone, Debug)]
pub struct Override {
    given: String,
    assignment: Assignment,
}

impl std::fmt::Display for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.given)
    }
}

/// The longest name of a variant that is not cut.
const LONGEST: usize = 100;

/// The name of the variant that is made by what was given (overrides, a style), which is that of a folder: all of it,
/// joined by `+`. Characters that do not belong in a name are replaced, and a hash then keeps the names apart. None where
/// nothing was given.
pub fn variant(given: &[String]) -> Option<String> {
    if given.is_empty() {
        return None;
    }
    let given = given.join("+");
    let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '=' | '-' | '+');
    let name: String = given.chars().map(|c| if belongs(c) { c } else { '-' }).take(LONGEST).collect();
    if name == given && !name.starts_with('.') {
        return Some(name);
    }
    let hash = hex::encode(Sha256::digest(given.as_bytes()));
    Some(format!("{}-{}", name.trim_start_matches('.'), &hash[..8]))
}

impl Override {
    /// Parses `[EXPERIMENT.]KEY=VALUE`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(given: &str) -> Result<Self, ConfigError> {
        let wrong = |why: AssignmentError| ConfigError::Override { given: given.to_owned(), why: why.to_string() };
        Ok(Self { given: given.to_owned(), assignment: Assignment::parse(given).map_err(wrong)? })
    }

    /// Parses all overrides of a command line.
    ///
    /// # Errors
    /// What is wrong with the first one that is wrong, or sets what an earlier one sets.
    pub fn parse_all<'a>(given: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, ConfigError> {
        let mut all: Vec<Self> = Vec::new();
        for given in given {
            let new = Self::parse(given)?;
            if let Some(other) = all.iter().find(|other| other.assignment.path == new.assignment.path) {
                let why = format!("`{other}` sets the same; leave one of them out");
                return Err(ConfigError::Override { given: given.to_owned(), why });
            }
            all.push(new);
        }
        Ok(all)
    }

    /// Applies it to the table of the experiment `name`; whether it fitted. One that names no experiment changes what
    /// has the key, and leaves alone what has not (`stream.scale` of a synthetic law).
    pub(crate) fn apply(&self, name: &str, experiment: &mut Table, fields: &[&str], known: &Learners) -> bool {
        let path: Vec<&str> = self.assignment.path.iter().map(String::as_str).collect();
        let (path, scoped) = match path.as_slice() {
            [first, rest @ ..] if *first == name && !rest.is_empty() => (rest, true),
            path => (path, false),
        };
        if fields.contains(&path[0]) {
            // A learner list is not addressed by position but by name.
            if path[0] == "learners" || !(scoped || has(experiment, path)) {
                return false;
            }
            if let (["stream", field], Some(Value::Table(stream))) = (path, experiment.get_mut("stream")) {
                unzip(stream, field);
            }
            return insert(experiment, path, &self.assignment.value).is_ok();
        }
        let mut fitted = false;
        let learners = experiment.get_mut("learners").and_then(Value::as_array_mut);
        for learner in learners.into_iter().flatten().filter_map(Value::as_table_mut) {
            let Some(entry) = learner.get("name").and_then(Value::as_str).and_then(|name| known.get(name)) else {
                continue;
            };
            let parameters = match path {
                [first, rest @ ..] if *first == entry.name && !rest.is_empty() => rest,
                path => path,
            };
            let named = parameters.len() < path.len();
            let declared = match scoped || named {
                // What is wrong below the parameter is reported when the learner is read.
                true => settable(entry).iter().any(|spec| spec.name == parameters[0]),
                false => takes(settable(entry), learner, parameters),
            };
            if declared || (named && SIZES.contains(&parameters[0])) {
                fitted |= insert(learner, parameters, &self.assignment.value).is_ok();
                settle(learner, parameters[0]);
            }
        }
        fitted
    }

    /// The error for an override that fits only experiments that the targets do not need.
    pub(crate) fn fits_elsewhere(&self, experiments: &[&str]) -> ConfigError {
        ConfigError::Override {
            given: self.given.clone(),
            why: format!("the targets need none of the experiments that it fits: {}", experiments.join(", ")),
        }
    }

    /// The error for an override that no experiment took.
    pub(crate) fn fits_nothing(&self, experiments: &[&str], fields: &[&str], learners: &Learners) -> ConfigError {
        let mut known = [experiments, fields].concat();
        for (entry, specs) in learners.all() {
            known.push(entry.name);
            known.extend(specs.iter().map(|spec| spec.name));
        }
        let path: Vec<&str> = self.assignment.path.iter().map(String::as_str).collect();
        let path = match path.as_slice() {
            [first, rest @ ..] if !rest.is_empty() && experiments.contains(first) => rest,
            path => path,
        };
        let given = path.join(".");
        let misspelt = || {
            let at = path.iter().position(|part| !known.contains(part))?;
            let near = nearest(path[at], known.iter().copied())?;
            Some([&path[..at], &[&near], &path[at + 1..]].concat().join("."))
        };
        let (hint, more) = match path {
            ["stream", field, ..] => match nearest(field, stream_fields().iter().map(String::as_str)) {
                Some(near) if near != *field => (Some(format!("stream.{near}")), String::new()),
                _ => (None, format!("; a stream of a dataset has {}", dataset_fields().join(", "))),
            },
            [learner, rest @ ..] if let Some(entry) = learners.get(learner) => {
                let specs = settable(entry);
                let near = rest.first().and_then(|name| parameter(specs, name));
                let known = specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
                (near.map(|near| format!("{learner}.{near}")), format!("; {learner} has {known}"))
            }
            _ => (
                misspelt().or_else(|| learners.all().find_map(|(_, specs)| below(specs, &Table::new(), &given))),
                String::new(),
            ),
        };
        let hint =
            hint.filter(|hint| *hint != given).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
        ConfigError::Override {
            given: self.given.clone(),
            why: format!(
                "no experiment that the targets need has such a field or parameter{hint}{more}; write \
                 [EXPERIMENT.]FIELD=VALUE, PARAMETER=VALUE or LEARNER.PARAMETER=VALUE"
            ),
        }
    }
}

/// The parameter that is probably meant, at any depth.
fn parameter(specs: &[Spec], name: &str) -> Option<String> {
    nearest(name, specs.iter().map(|spec| spec.name)).or_else(|| below(specs, &Table::new(), name))
}

/// All fields that a stream may have.
fn stream_fields() -> Vec<String> {
    let laws = STREAMS.iter().map(|law| law.params).chain(ADVERSARIES.iter().map(|law| law.params));
    let laws = ["law"].into_iter().chain(laws.flatten().map(|spec| spec.name)).map(str::to_owned);
    dataset_fields().into_iter().chain(laws).collect()
}

/// Whether the field at `path`, which begins with a field of the file, has a meaning for this experiment.
fn has(experiment: &Table, path: &[&str]) -> bool {
    let table = |field: &str| experiment.get(field).and_then(Value::as_table);
    let name = |table: &Table, field: &str| table.get(field).and_then(Value::as_str).map(str::to_owned);
    let stream = table("stream");
    let law = stream.and_then(|stream| name(stream, "law"));
    let reacts = law.as_deref().is_some_and(|law| ADVERSARIES.get(law).is_some());
    match path {
        ["test_rows", ..] => !reacts,
        ["stream", field, rest @ ..] => {
            let Some(stream) = stream else { return false };
            match field {
                // What stands below them has no meaning without them.
                &"noise" | &"corruption" if !rest.is_empty() => {
                    let above = rest[..rest.len() - 1].iter();
                    let start = stream.get(*field).and_then(Value::as_table);
                    above.fold(start, |at, part| at?.get(*part)?.as_table()).is_some()
                }
                &"noise" => !reacts,
                field if SHARED.contains(field) => true,
                field => match &law {
                    Some(law) => {
                        let specs = STREAMS.get(law).map(|law| law.params);
                        let specs = specs.or_else(|| ADVERSARIES.get(law).map(|law| law.params));
                        specs.is_some_and(|specs| takes(specs, stream, &path[1..])) || *field == "law"
                    }
                    None => stream.contains_key("dataset") && dataset_fields().iter().any(|known| known == field),
                },
            }
        }
        ["comparator"] => !reacts,
        ["comparator", rest @ ..] => table("comparator").is_some_and(|comparator| {
            let entry = name(comparator, "name").and_then(|name| COMPARATORS.get(&name));
            entry.is_some_and(|entry| takes(entry.params, comparator, rest)) || rest == ["name"]
        }),
        ["loss", rest @ ..] if !rest.is_empty() => {
            let given = table("loss").and_then(|loss| name(loss, "name")).or_else(|| name(experiment, "loss"));
            let entry = given.and_then(|name| LOSSES.get(&name));
            let empty = Table::new();
            entry.is_some_and(|entry| takes(entry.params, table("loss").unwrap_or(&empty), rest)) || rest == ["name"]
        }
        ["tune", ..] => {
            let learners = experiment.get("learners").and_then(Value::as_array);
            learners.into_iter().flatten().any(|learner| learner.get(TUNE).is_some())
        }
        _ => true,
    }
}

/// Takes a field that is set out of the zipped lists of a stream. Labels that told its values apart go with it.
fn unzip(stream: &mut Table, field: &str) {
    let zip = stream.get_mut("zip").and_then(Value::as_table_mut);
    let settled = zip.is_some_and(|zip| zip.remove(field).is_some() && zip.keys().all(|name| name == "label"));
    if settled {
        stream.remove("zip");
    }
}

/// Leaves no choice of a parameter that was set; a learner without any other choice is tuned no more.
fn settle(learner: &mut Table, parameter: &str) {
    let Some(tune) = learner.get_mut(TUNE).and_then(Value::as_table_mut) else { return };
    let settled = tune.remove(parameter).is_some();
    if settled && tune.keys().all(|field| SIZES.contains(&field.as_str())) {
        learner.remove(TUNE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_names_of_their_own() {
        let name = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|one| Override::parse(one).unwrap().to_string()).collect();
            variant(&given)
        };
        assert_eq!(name(&[]), None);
        assert_eq!(name(&["casp.lambda=0.1"]).as_deref(), Some("casp.lambda=0.1"));
        assert_eq!(name(&["lambda=1e-3", "eta=2"]).as_deref(), Some("lambda=1e-3+eta=2"));
        let (one, other) = (name(&["eta='1/sqrt(n)'"]).unwrap(), name(&["eta='1-sqrt(n)'"]).unwrap());
        assert!(one != other && !one.contains('/') && one.starts_with("eta="), "{one} {other}");
        let long = format!("horizons=[{}]", vec!["1000"; 100].join(", "));
        assert!(name(&[&long]).unwrap().len() < 120);
    }

    #[test]
    fn one_field_is_set_once() {
        let told = Override::parse_all(["seed=1", "eta=1", "seed=2"]).unwrap_err().to_string();
        assert!(told.contains("`seed=2`: `seed=1` sets the same"), "{told}");
        assert_eq!(Override::parse_all(["seed=1", "casp.seed=2"]).unwrap().len(), 2);
    }

    #[test]
    fn a_parameter_that_is_set_is_not_tuned() {
        let change = Override::parse("eta=0.5").unwrap();
        let learner = "learners = [{ name = 'nogd', tune = { horizon = 9, eta = [1, 2], rank = [1, 2] } }]";
        let mut table: Table = learner.parse().unwrap();
        assert!(change.apply("e", &mut table, &[], &Learners::default()));
        let tuned = |table: &Table| table["learners"][0].get("tune").cloned();
        assert_eq!(tuned(&table), Some(Value::Table("horizon = 9\nrank = [1, 2]".parse().unwrap())));
        assert!(Override::parse("rank=5").unwrap().apply("e", &mut table, &[], &Learners::default()));
        assert_eq!(tuned(&table), None);
    }

    #[test]
    fn a_field_can_be_limited_to_one_experiment() {
        let change = Override::parse("casp.replicates=3").unwrap();
        let mut table: Table = "replicates = 5".parse().unwrap();
        assert!(!change.apply("other", &mut table, &["replicates"], &Learners::default()));
        assert!(change.apply("casp", &mut table, &["replicates"], &Learners::default()));
        assert_eq!(table["replicates"], Value::Integer(3));
        assert!(Override::parse("nothing").is_err());
        assert!(Override::parse("a..b=1").is_err());
    }

    /// An override that names no experiment changes what has the key.
    #[test]
    fn what_has_no_such_key_is_left_alone() {
        let applies = |given: &str, experiment: &str| {
            let mut table: Table = experiment.parse().unwrap();
            Override::parse(given).unwrap().apply(
                "e",
                &mut table,
                &["stream", "test_rows", "loss", "comparator"],
                &Learners::default(),
            )
        };
        let dataset = "stream = { dataset = 'casp' }";
        let law = "stream = { law = 'circle' }";
        let adversary = "stream = { law = 'greedy-adversary' }";
        for (given, fits) in [
            ("stream.scale=none", [true, false, false]),
            ("stream.decay=2", [false, true, false]),
            ("stream.ordr=file", [false; 3]),
            ("test_rows=9", [true, true, false]),
            ("stream.noise.inputs.noise_std=1", [false; 3]),
            ("comparator.radius=1", [false; 3]),
            ("e.stream.scale=none", [true; 3]),
        ] {
            assert_eq!([dataset, law, adversary].map(|text| applies(given, text)), fits, "{given}");
        }
        let mut zipped: Table =
            "[stream]\ndataset = 'casp'\nzip.scale = ['unit', 'none']\nzip.label = ['a', 'b']".parse().unwrap();
        assert!(Override::parse("stream.scale=unit").unwrap().apply(
            "e",
            &mut zipped,
            &["stream"],
            &Learners::default()
        ));
        assert_eq!(zipped, "stream = { dataset = 'casp', scale = 'unit' }".parse().unwrap());
        let noisy = "stream = { dataset = 'casp', noise = { inputs = { name = 'gaussian' } } }";
        assert!(applies("stream.noise.inputs.noise_std=1", noisy));
        let learners = |kernel: &str| format!("learners = [{{ name = 'kernel-awv', kernel = '{kernel}' }}]");
        assert!(applies("kernel.bandwidth=1", &learners("gaussian")));
        assert!(!applies("kernel.bandwidth=1", &learners("linear")));
    }

    #[test]
    fn a_misfit_is_answered_with_what_may_be_meant() {
        for (given, hint) in [
            ("kernel-awv.bandwidth=0.3", "did you mean `kernel-awv.kernel.bandwidth`?"),
            ("casp.kernel-awv.bandwidth=0.3", "did you mean `kernel-awv.kernel.bandwidth`?"),
            ("stream.ordr=file", "did you mean `stream.order`?"),
            ("stream.zzz=file", "a stream of a dataset has dataset, order, scale, target"),
            ("replicats=2", "did you mean `replicates`?"),
            ("fodg.eta=2", "did you mean `fogd.eta`?"),
            ("F.eta=2", "has such a field or parameter; write"),
        ] {
            let (fields, learners) = (["stream", "replicates"], Learners::default());
            let why = Override::parse(given).unwrap().fits_nothing(&["casp"], &fields, &learners).to_string();
            assert!(why.contains(hint), "{given}: {why}");
        }
    }
}
