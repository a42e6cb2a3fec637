//! The file of an experiment, with profile and overrides applied, before its cells are made.

use std::collections::BTreeSet;
use std::sync::Arc;

use noregret_core::comparator::COMPARATORS;
use noregret_core::loss::squared;
use noregret_core::params::Spec;
use noregret_core::params::check::nearest;
use noregret_papers::paper::Paper;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

use super::grid::{complete, merge, rows};
use super::learners::{Learners, settable};
use super::members;
use super::overrides::{Override, SIZES};
use super::stream::Rounds;
use super::{ConfigError, did_you_mean};
use crate::tune::declare::{TUNE, Trials};
use noregret_report::schema;

/// Fields of a learner's table that say which learner it is.
pub(super) const NAMES: &[&str] = &["name", "label"];

/// Declares the file of an experiment, with the list of its fields.
macro_rules! file {
    ($($(#[$attribute:meta])* $field:ident: $type:ty,)*) => {
        /// The fields of an experiment's file that the command line may set.
        pub(crate) const FIELDS: &[&str] = &[$(stringify!($field)),*];

        /// An experiment: who plays on which stream, for how long and how often.
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct ExperimentFile {
            $($(#[$attribute])* pub(super) $field: $type,)*
            /// Where each learner stands in the file.
            #[serde(skip)]
            pub(super) places: Vec<String>,
        }
    };
}

file! {
    /// What the report calls it.
    title: String,
    /// What it shows, in a few sentences.
    #[serde(default)]
    about: String,
    /// The paper that it belongs to, by id.
    #[serde(default)]
    #[schemars(schema_with = "schema::paper")]
    paper: Option<Paper>,
    /// Where in the paper, or where its settings come from.
    #[serde(default)]
    source: String,
    /// Keys all random draws, beside the experiment's name, the parameters of the stream, and those of the learner that
    /// shape its draws (features, bandwidth).
    #[serde(default)]
    seed: u64,
    /// How often each learner plays: on as many orders of the rows, or draws of a synthetic law; 10 times by default.
    #[serde(default = "ten")]
    replicates: u32,
    /// How many rounds each learner plays: one run for each number; "all" means every row of a dataset,
    /// "at most 2000" no more of them than 2,000.
    horizons: Vec<Rounds>,
    /// Whether datasets and learners that cannot be reached leave gaps in its tables and figures. Without it, these wait for all
    /// of them: a comparison without some would be another one.
    #[serde(default)]
    partial: bool,
    /// Whether every round is recorded, instead of a logarithmic grid.
    #[serde(default)]
    dense: bool,
    /// How many rows after the horizon the final hypothesis is scored on.
    #[serde(default)]
    test_rows: u64,
    /// What a round costs: a loss by its name, or a table with its `name` and parameters.
    #[serde(default = "squared")]
    #[schemars(schema_with = "members::loss")]
    loss: Value,
    /// Where rounds come from: a `dataset`, or a synthetic `law` with its parameters (`noregret list laws`). A list of
    /// values stands for one stream for each of them.
    #[schemars(schema_with = "members::stream")]
    stream: Table,
    /// Sizes of the trials by which parameters of tuned learners are chosen.
    #[serde(default)]
    tune: Trials,
    /// Who plays: each entry is a curve, or several where values are lists.
    #[schemars(schema_with = "members::learners")]
    learners: Vec<Table>,
    /// What regret is measured against: the `name` of a comparator (`noregret list comparators`) and its parameters.
    #[serde(default)]
    #[schemars(schema_with = "members::comparator")]
    comparator: Option<Table>,
}

/// How often learners play where nothing else is said.
pub(super) const REPLICATES: u32 = 10;

fn ten() -> u32 {
    REPLICATES
}

fn squared() -> Value {
    Value::String(squared::ENTRY.name.into())
}

/// The keys of an experiment's file that are taken out of it before the rest is read.
const TAKEN: [&str; 7] = ["like", "defaults", "profile", "experiment", "figure", "table", "rate"];

/// Checks the names of an experiment's keys, in all profiles.
fn known_fields(path: &str, table: &Table) -> Result<(), ConfigError> {
    let unknown = |table: &Table, known: &[&str]| table.keys().find(|key| !known.contains(&key.as_str())).cloned();
    let told = |place: &str, key: &str, known: &[&str]| {
        let hint = nearest(key, known.iter().copied()).map(|name| format!(" (did you mean `{name}`?)"));
        let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = format!("unknown field `{place}{key}`{}, expected one of {list}", hint.unwrap_or_default());
        ConfigError::Malformed { path: path.to_owned(), message }
    };
    let known = [FIELDS, &TAKEN].concat();
    if let Some(key) = unknown(table, &known) {
        return Err(told("", &key, &known));
    }
    let changed = [FIELDS, &["defaults"]].concat();
    let profiles = table.get("profile").and_then(Value::as_table);
    for (profile, over) in profiles.into_iter().flatten() {
        if let Some(key) = over.as_table().and_then(|over| unknown(over, &changed)) {
            return Err(told(&format!("profile.{profile}."), &key, &changed));
        }
    }
    Ok(())
}

/// Merges the chosen profile's fields into `table` and takes the profiles out of it.
fn apply_profile(
    path: &str,
    table: &mut Table,
    place: &str,
    profile: &str,
    profiles: &[&str],
) -> Result<(), ConfigError> {
    let wrong = |field: String, why: &str| ConfigError::Field { path: path.to_owned(), field, why: why.to_owned() };
    let Some(sizes) = table.remove("profile") else { return Ok(()) };
    let Value::Table(sizes) = sizes else {
        return Err(wrong(place.to_owned(), "must be tables, one for each profile that changes something"));
    };
    if let Some(unknown) = sizes.keys().find(|name| !profiles.contains(&name.as_str())) {
        return Err(wrong(format!("{place}.{unknown}"), &format!("there is no such profile: {}", profiles.join(", "))));
    }
    match sizes.get(profile) {
        None => Ok(()),
        Some(Value::Table(over)) => {
            merge(table, over);
            Ok(())
        }
        Some(_) => Err(wrong(format!("{place}.{profile}"), "must be a table")),
    }
}

/// Takes `[defaults]` out of an experiment's table and completes its learners and its comparator with them. Each takes
/// the keys that it knows: its parameters; and a learner its name, label and sizes.
fn apply_defaults(path: &str, table: &mut Table, learners: &Learners) -> Result<(), ConfigError> {
    let wrong = |field: &str, why: String| ConfigError::Field { path: path.to_owned(), field: field.to_owned(), why };
    let defaults = match table.remove("defaults") {
        None => return Ok(()),
        Some(Value::Table(defaults)) => defaults,
        Some(_) => return Err(wrong("defaults", "must be a table of what learners have in common".into())),
    };
    let mut known: BTreeSet<&str> = SIZES.iter().chain(NAMES).copied().collect();
    let mut take = |own: &mut Table, more: &[&str], params: &'static [Spec]| {
        known.extend(params.iter().map(|spec| spec.name));
        let mut fitting = defaults.clone();
        fitting.retain(|key, _| more.contains(&key) || params.iter().any(|spec| spec.name == key));
        // What a learner chooses itself has no default.
        let chosen = own.get(TUNE).and_then(Value::as_table).cloned().unwrap_or_default();
        fitting.retain(|key, _| chosen.get(key).is_none_or(Value::is_table));
        complete(own, &fitting);
    };
    let entries = table.get_mut("learners").and_then(Value::as_array_mut);
    for learner in entries.into_iter().flatten().filter_map(Value::as_table_mut) {
        take(learner, &[NAMES, SIZES].concat(), &[]);
        match learner.get("name").and_then(Value::as_str).and_then(|name| learners.get(name)) {
            Some(entry) => take(learner, &[], settable(entry)),
            // Reported when the learner is read.
            None => return Ok(()),
        }
    }
    if let Some(comparator) = table.get_mut("comparator").and_then(Value::as_table_mut)
        && let Some(entry) = comparator.get("name").and_then(Value::as_str).and_then(|name| COMPARATORS.get(name))
    {
        take(comparator, &[], entry.params);
    }
    match defaults.keys().find(|key| !known.contains(key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let hint = did_you_mean(key, known.iter().copied());
            let why = format!("no learner of this experiment has such a parameter{hint}");
            Err(wrong(&format!("defaults.{key}"), why))
        }
    }
}

/// An experiment's file with profile and overrides applied, before its cells are made.
pub struct Draft {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) file: ExperimentFile,
    /// Whether the command line changed anything.
    pub(super) changed: bool,
    /// The learners that it may name.
    pub(super) learners: Arc<Learners>,
}

impl Draft {
    /// The dataset of its stream, where it has a single one.
    pub(super) fn dataset(&self) -> Option<&str> {
        self.file.stream.get("dataset")?.as_str()
    }

    /// Applies the profile and the overrides to the table of a file, and checks its fields. `unused` tells which
    /// overrides have fitted nothing so far.
    ///
    /// # Errors
    /// Fields of wrong names or types.
    pub fn new(
        (name, path): (&str, &str),
        mut table: Table,
        (profile, profiles): (&str, &[&str]),
        overrides: &[Override],
        unused: &mut [bool],
        known: &Arc<Learners>,
    ) -> Result<Self, ConfigError> {
        known_fields(path, &table)?;
        apply_profile(path, &mut table, "profile", profile, profiles)?;
        let mut places = Vec::new();
        let mut entries = known.entries(name);
        if let Some(Value::Array(own)) = table.get_mut("learners") {
            let own = std::mem::take(own).into_iter().enumerate();
            entries.splice(0..0, own.map(|(i, learner)| (format!("learners[{i}]"), learner)));
        }
        let mut learners = Vec::new();
        for (place, learner) in entries {
            let Value::Table(mut learner) = learner else {
                let why = "must be a table: write [[learners]]".to_owned();
                return Err(ConfigError::Field { path: path.to_owned(), field: place, why });
            };
            apply_profile(path, &mut learner, &format!("{place}.profile"), profile, profiles)?;
            let rows = rows(&learner).map_err(|(field, why)| ConfigError::Field {
                path: path.to_owned(),
                field: format!("{place}.{field}"),
                why,
            })?;
            let several = rows.len() > 1;
            let row = |j: usize| if several { format!("{place}.zip[{j}]") } else { place.clone() };
            places.extend((0..rows.len()).map(row));
            learners.extend(rows.into_iter().map(Value::Table));
        }
        // Without any, what is wrong with the field is said when the file is read.
        if !learners.is_empty() {
            table.insert("learners".into(), Value::Array(learners));
        }
        apply_defaults(path, &mut table, known)?;
        let mut changed = false;
        for (change, unused) in overrides.iter().zip(unused) {
            if change.apply(name, &mut table, FIELDS, known) {
                *unused = false;
                changed = true;
            }
        }
        let mut file: ExperimentFile =
            table.try_into().map_err(|error: toml::de::Error| ConfigError::malformed(path, &error))?;
        file.places = places;
        Ok(Self { name: name.to_owned(), path: path.to_owned(), file, changed, learners: known.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        title = 'T'
        replicates = 1
        horizons = [10]
        stream = { law = 'circle' }
        comparator = { name = 'norm-ball' }
        [defaults]
        lambda = 1
        bandwidth = 2
        radius = 3
        longest = 5
        [[learners]]
        name = 'kernel-ridge'
        longest = 9
        [[learners]]
        zip.name = ['pkrr-taylor', 'fogd']
        [[learners]]
        name = 'pkrr-taylor'
        tune.lambda = [1, 2]
    ";

    fn draft(text: &str) -> Result<Draft, String> {
        let table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        Draft::new(("e", "e.toml"), table, ("paper", &["paper"]), &[], &mut [], &Arc::default())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn each_takes_the_defaults_that_it_knows() {
        let file = draft(TEXT).unwrap().file;
        assert_eq!(file.places, ["learners[0]", "learners[1].zip[0]", "learners[1].zip[1]", "learners[2]"]);
        let expected = [
            "name = 'kernel-ridge'\nlambda = 1\nlongest = 9",
            "name = 'pkrr-taylor'\nlambda = 1\nbandwidth = 2\nlongest = 5",
            "name = 'fogd'\nbandwidth = 2\nlongest = 5",
            "name = 'pkrr-taylor'\nbandwidth = 2\nlongest = 5\ntune.lambda = [1, 2]",
        ];
        assert_eq!(file.learners, expected.map(|text| text.parse::<Table>().unwrap()));
        assert_eq!(file.comparator, Some("name = 'norm-ball'\nradius = 3".parse().unwrap()));
    }

    #[test]
    fn fields_that_nobody_knows_are_refused_in_all_profiles() {
        for (added, words) in [
            ("replicate = 2", "unknown field `replicate` (did you mean `replicates`?), expected one of `title`"),
            ("experiments.x = 3", "unknown field `experiments` (did you mean `experiment`?)"),
            ("profile.full.horizon = [3]", "unknown field `profile.full.horizon` (did you mean `horizons`?)"),
            ("profile.full.like = 'x'", "unknown field `profile.full.like`"),
        ] {
            let refused = draft(&format!("{added}\n{TEXT}")).err().unwrap_or_default();
            assert!(refused.contains(words), "{added}: {refused}");
        }
    }

    #[test]
    fn defaults_that_nobody_knows_are_refused() {
        for (from, to, why) in [
            ("lambda", "lamda", "`defaults.lamda`: no learner of this experiment has such a parameter; did you mean"),
            ("longest = 5", "profile.quick.order = 2", "`defaults.profile`"),
            ("[defaults]", "[defaults.x]", "`defaults.x`"),
            ("[defaults]", "defaults = 1\n[tune]", "`defaults`: must be a table"),
        ] {
            let refused = draft(&TEXT.replace(from, to)).err().unwrap_or_default();
            assert!(refused.contains(why), "{to}: {refused}");
        }
    }
}
