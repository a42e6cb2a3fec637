//! What can be wrong with the configuration.

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
        "no noregret project in {0} or above it: there is no folder `pipeline` with experiments; `noregret init` \
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
    /// The same error, with the overrides that it may come from.
    pub(super) fn with<T: std::fmt::Display>(self, overrides: &[T]) -> Self {
        let given: Vec<String> = overrides.iter().map(|given| format!("`{given}`")).collect();
        if given.is_empty() { self } else { Self::Overridden { given: given.join(" "), source: Box::new(self) } }
    }
}
