//! What can be wrong with the configuration.

use noregret_core::params::check::nearest;

/// What is wrong with the configuration; printed in one place, exit status 2.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that could not be read.
    #[error("cannot read {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    /// A file that is not valid TOML, or has a field of the wrong name or type; `message` shows line and column.
    #[error("{path}: {message}")]
    Malformed { path: String, message: String },
    /// A parameter that a registry refuses.
    #[error("{path}: {place}: {source}")]
    Parameter { path: String, place: String, source: Box<noregret_core::params::ParamError> },
    /// A field whose value makes no sense.
    #[error("{path}: `{field}`: {why}")]
    Field { path: String, field: String, why: String },
    /// An override on the command line that fits nothing.
    #[error("override `{given}`: {why}")]
    Override { given: String, why: String },
    /// An experiment that is wrong with the overrides of the command line.
    #[error("{source} (with {given} from the command line; EXPERIMENT.KEY=VALUE changes one experiment only)")]
    Overridden { given: String, source: Box<ConfigError> },
    /// No project here.
    #[error(
        "no noregret project in {0} or above it: there is no file `pipeline/profiles.toml`; `noregret init` \
         writes a project, and --project names one that is elsewhere"
    )]
    NoProject(String),
    /// A figure or table that is declared wrongly.
    #[error("{0}")]
    Specification(String),
    /// A problem with declared data.
    #[error("{0}")]
    Data(String),
}

impl ConfigError {
    /// The error for a TOML file, or a field of it.
    pub(super) fn malformed(path: &str, error: &toml::de::Error) -> Self {
        Self::Malformed { path: path.to_owned(), message: plain(error.to_string().trim_end()) }
    }

    /// The same error, of something that stands at `place`.
    pub(super) fn at(self, place: &str) -> Self {
        match self {
            Self::Malformed { message, .. } => Self::Malformed { path: place.to_owned(), message },
            Self::Parameter { place: field, source, .. } => {
                Self::Parameter { path: place.to_owned(), place: field, source }
            }
            Self::Field { field, why, .. } => Self::Field { path: place.to_owned(), field, why },
            other => other,
        }
    }

    /// The same error, with the overrides that it may come from.
    pub(super) fn with<T: std::fmt::Display>(self, overrides: &[T]) -> Self {
        let given: Vec<String> = overrides.iter().map(|given| format!("`{given}`")).collect();
        if given.is_empty() { self } else { Self::Overridden { given: given.join(" "), source: Box::new(self) } }
    }
}

/// `; did you mean ...?`, where one of the `known` names is like `name`.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// What serde says about types, in the words of those who write files.
const WORDS: &[(&str, &str)] = &[
    ("expected u64", "expected an integer from 0"),
    ("expected u32", "expected an integer from 0 to 4294967295"),
    ("expected f64", "expected a number"),
    ("expected a sequence", "expected a list, [..]"),
    ("expected a map", "expected a table, { .. }"),
    ("expected a boolean", "expected true or false"),
    ("expected a string", "expected text in quotes"),
    ("invalid type: integer", "a wrong type: the integer"),
    ("invalid type: floating point", "a wrong type: the number"),
    ("invalid type: string", "a wrong type: the text"),
    ("invalid type: boolean", "a wrong type: the value"),
    ("invalid type: sequence", "a wrong type: a list"),
    ("invalid type: map", "a wrong type: a table"),
    ("invalid value: integer", "a value out of range: the integer"),
];

/// A message of the TOML reader in plain words.
pub(super) fn plain(message: &str) -> String {
    WORDS.iter().fold(message.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_in_plain_words() {
        let error = |text: &str| {
            let read: Result<std::collections::BTreeMap<String, u32>, _> = toml::from_str(text);
            ConfigError::malformed("e.toml", &read.unwrap_err()).to_string()
        };
        let told = error("seed = -1");
        assert!(told.contains("a value out of range: the integer `-1`, expected an integer from 0 to"), "{told}");
        assert!(error("seed = 'x'").contains("a wrong type: the text \"x\", expected an integer"));
    }
}
