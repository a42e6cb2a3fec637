//! Where declared learners play: a learner's file may enter it into experiments of the project.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

use super::did_you_mean;

/// An entry of a declared learner in experiments of the project, so that its file is all that a new learner needs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct Plays {
    /// The experiments that it enters, by name. A project that does not have one of them plays the others.
    experiments: Vec<String>,
    /// What an entry of `learners` there would say, but for the `name`: a `label`, values of parameters.
    #[serde(flatten)]
    #[schemars(schema_with = "anything")]
    entry: Table,
}

fn anything(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    true.into()
}

impl Plays {
    /// What the text of a declaration says of them, whatever else is wrong with it.
    pub(super) fn of(text: &str) -> Vec<Self> {
        let plays = text.parse::<Table>().ok().and_then(|mut table| table.remove("plays"));
        plays.and_then(|plays| plays.try_into().ok()).unwrap_or_default()
    }

    /// The entry of the learner `name` in an experiment, if it enters that one.
    pub(super) fn entry(&self, name: &str, experiment: &str) -> Option<Value> {
        let enters = self.experiments.iter().any(|one| one == experiment);
        let mut entry = enters.then(|| self.entry.clone())?;
        entry.insert("name".into(), name.into());
        Some(Value::Table(entry))
    }

    /// What is wrong with the name of an experiment: it is not there, but one of nearly the same name is.
    pub(super) fn misspelt(&self, known: &[&str]) -> Option<String> {
        let unknown = self.experiments.iter().find(|name| {
            let stranger = !known.contains(&name.as_str());
            stranger && !did_you_mean(name, known.iter().copied()).is_empty()
        })?;
        Some(format!("there is no experiment `{unknown}`{}", did_you_mean(unknown, known.iter().copied())))
    }
}
