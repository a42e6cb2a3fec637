//! How a command ends early: one message, and an exit status.

use std::fmt::Display;
use std::io;
use std::path::Path;

use noregret_engine::exec::batch::BatchError;
use noregret_engine::exec::engine::RunError;
use noregret_engine::exec::store::StoreError;
use noregret_engine::exec::tenancy::AloneError;
use noregret_engine::plan::select::TargetError;

use super::exit;
use noregret_data::error::DataError;
use noregret_study::compare::error::CompareError;
use noregret_study::config::ConfigError;

/// An error as the user sees it, with the exit status it leads to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// What to print; nothing if it is empty.
    pub message: String,
    /// The exit status.
    pub status: u8,
}

impl CliError {
    /// Wrong usage or configuration.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { message: message.to_string(), status: exit::USAGE }
    }

    /// Something failed.
    pub(crate) fn failed(message: impl Display) -> Self {
        Self { message: message.to_string(), status: exit::FAILED }
    }

    /// A file could not be used.
    pub(crate) fn io(what: &str, path: &Path, error: io::Error) -> Self {
        Self::failed(format!("{what} {}: {error}", path.display()))
    }

    /// Standard output could not be written. A closed pipe is a normal end.
    pub(crate) fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { message: String::new(), status: exit::DONE };
        }
        Self::failed(format!("cannot write to standard output: {error}"))
    }

    /// A command that needs a project was run outside of one.
    pub(crate) fn no_project() -> Self {
        Self::usage(ConfigError::NoProject(".".into()))
    }
}

impl From<DataError> for CliError {
    fn from(error: DataError) -> Self {
        if error.is_usage() { Self::usage(error) } else { Self::failed(error) }
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::usage(error)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Self::failed(error)
    }
}

impl From<CompareError> for CliError {
    fn from(error: CompareError) -> Self {
        let status = match error {
            CompareError::Wish(_) | CompareError::Learner(..) => exit::USAGE,
            CompareError::Busy(_) => exit::BUSY,
            _ => exit::FAILED,
        };
        Self { message: error.to_string(), status }
    }
}

impl From<TargetError> for CliError {
    fn from(error: TargetError) -> Self {
        Self::usage(error)
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Target(error) => error.into(),
            RunError::Batch(BatchError::Store(error)) => error.into(),
            RunError::Batch(error) => Self::usage(error),
            error => Self::failed(error),
        }
    }
}

impl From<AloneError> for CliError {
    fn from(error: AloneError) -> Self {
        let status = if matches!(error, AloneError::Busy) { exit::BUSY } else { exit::FAILED };
        Self { message: error.to_string(), status }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        Self::output(error)
    }
}
