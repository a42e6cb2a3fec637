//! Tuned learners: parameters that an experiment chooses among candidates, on other orders of the rows than those that
//! it compares. The trials of an experiment NAME draw as one called `NAME/tuning` would.

use std::collections::BTreeMap;
use std::sync::Arc;

use noregret_core::params::Params;
use noregret_core::params::number::number;
use noregret_core::protocol::cell::Cell;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

use crate::config::grid::{expand_within, merge, short};
use crate::config::stream::Rounds;

/// The field of a learner's table that holds candidates.
pub(crate) const TUNE: &str = "tune";

/// How candidates are tried, as `[tune]` of an experiment says it and `tune` of a learner may change it.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trials {
    /// Number of rounds of each trial.
    pub horizon: Option<Rounds>,
    /// Number of orders on which each candidate is tried.
    pub replicates: Option<u32>,
}

/// The choice that is made for one curve on one stream.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The label of the curve.
    pub label: Arc<str>,
    /// Among which settings, at least two.
    pub(crate) candidates: Vec<TuneCandidate>,
}

impl Choice {
    /// The values of each setting among which is chosen: `eta = 0.2, rank = 50`.
    pub fn settings(&self) -> Vec<&str> {
        self.candidates.iter().map(|candidate| &*candidate.setting).collect()
    }
}

/// A setting that may be chosen.
#[derive(Clone, Debug)]
pub(crate) struct TuneCandidate {
    /// Its values: `eta = 0.2, rank = 50`.
    pub setting: String,
    /// The parameters of which it is the smallest or the largest that is tried: `eta is the largest tried`.
    pub ends: Vec<String>,
    /// Its trials, one for each order. They belong to [`Experiment::trials`](crate::config::experiment::Experiment::trials).
    pub(crate) trials: Vec<Cell>,
}

/// A cell whose parameters are open until a choice is made.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// Which choice decides.
    pub choice: usize,
    /// The parameters of each candidate: checked, and as configured.
    pub(crate) candidates: Arc<[(Arc<Params>, Arc<str>)]>,
}

/// The table of a candidate, its words, and what is at an end of its list.
pub(crate) type Completed = (Table, String, Vec<String>);

/// What a learner's `tune` declares: sizes of its trials, and a grid.
pub(crate) struct Tuning {
    /// Number of rounds of each trial.
    pub rounds: Rounds,
    /// Number of orders.
    pub replicates: u32,
    /// The settings: each is a table of parameters that completes the learner's.
    settings: Vec<Table>,
}

impl Tuning {
    /// Reads a learner's `tune`; what it does not say is as in `common`.
    ///
    /// # Errors
    /// The field below `tune`, and what is wrong with it.
    pub(crate) fn read(given: &Value, common: Trials) -> Result<Self, (String, String)> {
        let wrong = |field: &str, why: &str| Err((field.to_owned(), why.to_owned()));
        let Value::Table(grid) = given else {
            return wrong(TUNE, "must be a table of parameters with lists of values");
        };
        let mut grid = grid.clone();
        let mut sizes = Table::new();
        for field in ["horizon", "replicates"] {
            sizes.extend(grid.remove(field).map(|value| (field.to_owned(), value)));
        }
        let own: Trials = match sizes.try_into() {
            Ok(own) => own,
            Err(error) => return wrong(TUNE, error.message()),
        };
        let Some(rounds) = own.horizon.or(common.horizon) else {
            return wrong("tune.horizon", "is missing: how many rounds each trial plays, here or in [tune]");
        };
        let replicates = match own.replicates.or(common.replicates) {
            Some(replicates) if replicates > 0 => replicates,
            _ => {
                return wrong(
                    "tune.replicates",
                    "on how many orders settings are tried, at least 1, here or in [tune]",
                );
            }
        };
        let settings = match expand_within(&grid) {
            Ok(settings) => settings,
            Err(why) => return wrong(TUNE, &why),
        };
        if settings.len() < 2 {
            return wrong(TUNE, "leaves nothing to choose: give a parameter a list of at least two values");
        }
        if let Some((_, twice)) = settings.iter().enumerate().find(|(i, setting)| settings[..*i].contains(setting)) {
            let values: Vec<String> =
                leaves("", twice).iter().map(|(name, value)| format!("{name} = {}", word(value))).collect();
            return wrong(TUNE, &format!("tries {} twice; leave one of them out", values.join(", ")));
        }
        Ok(Self { rounds, replicates, settings })
    }

    /// How many runs the choice takes for one learner on one stream.
    pub(crate) fn trials(&self) -> u64 {
        (self.settings.len() as u64).saturating_mul(self.replicates.into())
    }

    /// The tables of all candidates for a learner whose other parameters are those of `point`, each with its words and
    /// with what is at an end of its list.
    ///
    /// # Errors
    /// A parameter that both give.
    pub(crate) fn candidates(&self, point: &Table) -> Result<Vec<Completed>, (String, String)> {
        let leaves: Vec<Vec<(String, Value)>> = self.settings.iter().map(|setting| leaves("", setting)).collect();
        let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (name, value) in leaves.iter().flatten() {
            values.entry(name).or_default().push(value);
        }
        let varied = |name: &str| values[name].iter().any(|value| *value != values[name][0]);
        let shared = |name: &str| values[name].len() == self.settings.len();
        let end = |(name, value): &(String, Value)| {
            let all: Option<Vec<f64>> = values[name.as_str()].iter().map(|value| number(value)?.ok()).collect();
            let (all, own) = (all?, number(value)?.ok()?);
            let extreme = |of: fn(f64, f64) -> f64| all.iter().copied().reduce(of) == Some(own);
            match (varied(name), extreme(f64::min), extreme(f64::max)) {
                (true, true, _) => Some(format!("{name} is the smallest tried")),
                (true, _, true) => Some(format!("{name} is the largest tried")),
                _ => None,
            }
        };
        let candidate = |(setting, leaves): (&Table, &Vec<(String, Value)>)| {
            if let Some(both) = setting.iter().find(|(name, value)| !value.is_table() && point.contains_key(*name)) {
                return Err((format!("{TUNE}.{}", both.0), format!("`{}` is given outside `{TUNE}` too", both.0)));
            }
            let mut table = point.clone();
            merge(&mut table, setting);
            let words = leaves.iter().filter(|(name, _)| varied(name) || !shared(name));
            let words: Vec<String> = words.map(|(name, value)| format!("{name} = {}", word(value))).collect();
            Ok((table, words.join(", "), leaves.iter().filter_map(end).collect()))
        };
        self.settings.iter().zip(&leaves).map(candidate).collect()
    }
}

/// A value in words.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| short(value), str::to_owned)
}

/// All values of a table and of the tables in it, by dotted name.
fn leaves(above: &str, table: &Table) -> Vec<(String, Value)> {
    let below = |(name, value): (&String, &Value)| {
        let name = format!("{above}{name}");
        match value {
            Value::Table(inner) => leaves(&format!("{name}."), inner),
            value => vec![(name, value.clone())],
        }
    };
    table.iter().flat_map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMON: Trials = Trials { horizon: Some(Rounds::Number(100)), replicates: Some(2) };

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    fn read(text: &str) -> Result<Tuning, (String, String)> {
        Tuning::read(&Value::Table(table(text)), COMMON)
    }

    #[test]
    fn candidates_complete_a_learner() {
        let tuning = read("eta = [0.1, 1, 10]\nhorizon = 50\nkernel = { bandwidth = [1, 2] }").unwrap();
        assert_eq!((tuning.rounds, tuning.replicates), (Rounds::Number(50), 2));
        let point = table("rank = 5\nkernel = { name = 'laplace' }");
        let found = tuning.candidates(&point).unwrap();
        let words: Vec<&str> = found.iter().map(|one| one.1.as_str()).collect();
        assert_eq!(
            words[..3],
            ["eta = 0.1, kernel.bandwidth = 1", "eta = 0.1, kernel.bandwidth = 2", "eta = 1, kernel.bandwidth = 1"]
        );
        assert_eq!(found[2].0, table("rank = 5\neta = 1\nkernel = { name = 'laplace', bandwidth = 1 }"));
        assert_eq!(found[1].2, ["eta is the smallest tried", "kernel.bandwidth is the largest tried"]);
        assert_eq!(found[2].2, ["kernel.bandwidth is the smallest tried"]);
        // Settings of different keys are told by these.
        let shapes = read("kernel = [{ name = 'gaussian', bandwidth = 3 }, 'laplace']").unwrap();
        let found = shapes.candidates(&table("")).unwrap();
        let words: Vec<&str> = found.iter().map(|one| one.1.as_str()).collect();
        assert_eq!(words, ["kernel.bandwidth = 3, kernel.name = gaussian", "kernel = laplace"]);
        assert!(found.iter().all(|one| one.2.is_empty()));
    }

    #[test]
    fn what_leaves_no_choice_is_refused() {
        for (text, field, why) in [
            ("eta = [1]", "tune", "at least two"),
            ("eta = 1", "tune", "at least two"),
            ("", "tune", "at least two"),
            ("eta = [1, 2, 1]\nkernel.bandwidth = [3, 4]", "tune", "tries eta = 1, kernel.bandwidth = 3 twice"),
            ("eta = [1, 2]\nreplicates = 0", "tune.replicates", "at least 1"),
            ("eta = [1, 2]\nhorizon = 0", "tune", "number of rounds"),
        ] {
            let (place, reason) = read(text).err().unwrap();
            assert!(place == field && reason.contains(why), "{text}: {place} {reason}");
        }
        let bare = Tuning::read(&Value::Table(table("eta = [1, 2]")), Trials::default()).err().unwrap();
        assert_eq!(bare.0, "tune.horizon");
        let both = read("eta = [1, 2]").unwrap().candidates(&table("eta = 3")).unwrap_err();
        assert!(both.0 == "tune.eta" && both.1.contains("outside"), "{both:?}");
    }
}
