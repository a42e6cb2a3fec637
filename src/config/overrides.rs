//! `key=value` on the command line.
//!
//! `[EXPERIMENT.]KEY=VALUE`, where KEY is a field of the experiment (`replicates`, `horizons`, `seed`,
//! `stream.scale`, ...), a parameter of its learners (`lambda`), or `LEARNER.PARAMETER` for one learner. VALUE is
//! TOML; a bare word is a string.

use toml::{Table, Value};

use super::ConfigError;
use noregret_core::learner::LEARNERS;
use noregret_core::params::check::nearest;

/// One override.
#[derive(Clone, Debug)]
pub struct Override {
    given: String,
    path: Vec<String>,
    value: Value,
}

/// Parses a TOML value; a bare word that is not TOML is a string.
pub fn parse_value(text: &str) -> Value {
    format!("v = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| if table.len() == 1 { table.remove("v") } else { None })
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

impl std::fmt::Display for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.given)
    }
}

impl Override {
    /// Parses `key=value`.
    pub fn parse(given: &str) -> Result<Self, ConfigError> {
        let wrong = |why: &str| ConfigError::Override { given: given.to_owned(), why: why.to_owned() };
        let (key, value) = given.split_once('=').ok_or_else(|| wrong("write key=value"))?;
        let path: Vec<String> = key.split('.').map(|part| part.trim().to_owned()).collect();
        if path.iter().any(String::is_empty) {
            return Err(wrong("the key has an empty part"));
        }
        Ok(Self { given: given.to_owned(), path, value: parse_value(value.trim()) })
    }

    /// Applies it to the table of the experiment `name`; whether it fitted.
    pub fn apply(&self, name: &str, experiment: &mut Table, fields: &[&str]) -> bool {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            [first, rest @ ..] if *first == name && !rest.is_empty() => self.apply_path(rest, experiment, fields),
            path => self.apply_path(path, experiment, fields),
        }
    }

    fn apply_path(&self, path: &[&str], experiment: &mut Table, fields: &[&str]) -> bool {
        if fields.contains(&path[0]) {
            // A learner list is not addressed by position but by name.
            return path[0] != "learners" && set(experiment, path, &self.value);
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
            let reserved =
                parameters.len() < path.len() && matches!(parameters[0], "horizon" | "longest" | "replicates");
            if declared || reserved {
                fitted |= set(learner, parameters, &self.value);
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

/// Sets a dotted field, making tables on the way; false where a part of the path is not a table.
fn set(table: &mut Table, path: &[&str], value: &Value) -> bool {
    match path {
        [] => false,
        [field] => {
            table.insert((*field).to_owned(), value.clone());
            true
        }
        [field, rest @ ..] => match table.entry((*field).to_owned()).or_insert_with(|| Value::Table(Table::new())) {
            Value::Table(inner) => set(inner, rest, value),
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml_or_words() {
        assert_eq!(parse_value("1e-3"), Value::Float(0.001));
        assert_eq!(parse_value("[1, 2]"), Value::Array(vec![Value::Integer(1), Value::Integer(2)]));
        assert_eq!(parse_value("unit"), Value::String("unit".into()));
        assert_eq!(parse_value("1\nb = 2"), Value::String("1\nb = 2".into()));
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
