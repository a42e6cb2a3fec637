//! Overrides of `noregret run`: `[EXPERIMENT.]KEY=VALUE` in the grammar of [`super::assignment`].
//!
//! KEY is a field of the experiment (`replicates`, `horizons`, `seed`, `stream.scale`, ...), a parameter of its learners
//! (`lambda`), or `LEARNER.PARAMETER` for one learner.

use toml::{Table, Value};

use super::ConfigError;
use super::assignment::{Assignment, insert};
use super::tuning::TUNE;
use noregret_core::learner::LEARNERS;
use noregret_core::params::check::nearest;

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

impl Override {
    /// Parses `[EXPERIMENT.]KEY=VALUE`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(given: &str) -> Result<Self, ConfigError> {
        let wrong = |why| ConfigError::Override { given: given.to_owned(), why };
        Ok(Self { given: given.to_owned(), assignment: Assignment::parse(given).map_err(wrong)? })
    }

    /// Applies it to the table of the experiment `name`; whether it fitted.
    pub fn apply(&self, name: &str, experiment: &mut Table, fields: &[&str]) -> bool {
        let path: Vec<&str> = self.assignment.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            [first, rest @ ..] if *first == name && !rest.is_empty() => self.apply_path(rest, experiment, fields),
            path => self.apply_path(path, experiment, fields),
        }
    }

    fn apply_path(&self, path: &[&str], experiment: &mut Table, fields: &[&str]) -> bool {
        if fields.contains(&path[0]) {
            // A learner list is not addressed by position but by name.
            return path[0] != "learners" && insert(experiment, path, &self.assignment.value).is_ok();
        }
        let mut fitted = false;
        let learners = experiment.get_mut("learners").and_then(Value::as_array_mut);
        for learner in learners.into_iter().flatten().filter_map(Value::as_table_mut) {
            let Some(name) = learner.get("name").and_then(Value::as_str) else { continue };
            let parameters = match path {
                [first, rest @ ..] if *first == name && !rest.is_empty() => rest,
                path => path,
            };
            let declared =
                LEARNERS.get(name).is_some_and(|entry| entry.params.iter().any(|spec| spec.name == parameters[0]));
            let reserved = parameters.len() < path.len() && SIZES.contains(&parameters[0]);
            if declared || reserved {
                fitted |= insert(learner, parameters, &self.assignment.value).is_ok();
                settle(learner, parameters[0]);
            }
        }
        fitted
    }

    /// The error for an override that no experiment took.
    pub fn fits_nothing(&self, experiments: &[&str], fields: &[&str]) -> ConfigError {
        let known = experiments.iter().copied().chain(fields.iter().copied()).chain(
            LEARNERS
                .iter()
                .flat_map(|entry| std::iter::once(entry.name).chain(entry.params.iter().map(|spec| spec.name))),
        );
        let hint = self
            .assignment
            .path
            .iter()
            .find(|part| !known.clone().any(|name| name == part.as_str()))
            .and_then(|part| nearest(part, known.clone()).map(|name| format!(" (did you mean `{name}`?)")));
        ConfigError::Override {
            given: self.given.clone(),
            why: format!(
                "no experiment has such a field or parameter{}; write [EXPERIMENT.]FIELD=VALUE, PARAMETER=VALUE or LEARNER.PARAMETER=VALUE",
                hint.unwrap_or_default()
            ),
        }
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
    fn a_parameter_that_is_set_is_not_tuned() {
        let change = Override::parse("eta=0.5").unwrap();
        let learner = "learners = [{ name = 'nogd', tune = { horizon = 9, eta = [1, 2], rank = [1, 2] } }]";
        let mut table: Table = learner.parse().unwrap();
        assert!(change.apply("e", &mut table, &[]));
        let tuned = |table: &Table| table["learners"][0].get("tune").cloned();
        assert_eq!(tuned(&table), Some(Value::Table("horizon = 9\nrank = [1, 2]".parse().unwrap())));
        assert!(Override::parse("rank=5").unwrap().apply("e", &mut table, &[]));
        assert_eq!(tuned(&table), None);
    }

    #[test]
    fn a_field_can_be_limited_to_one_experiment() {
        let change = Override::parse("casp.replicates=3").unwrap();
        let mut table: Table = "replicates = 5".parse().unwrap();
        assert!(!change.apply("other", &mut table, &["replicates"]));
        assert!(change.apply("casp", &mut table, &["replicates"]));
        assert_eq!(table["replicates"], Value::Integer(3));
        assert!(Override::parse("nothing").is_err());
        assert!(Override::parse("a..b=1").is_err());
    }
}
