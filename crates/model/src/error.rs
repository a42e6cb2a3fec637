//! Why a model cannot be written or read.

use std::io;

use crate::header::VERSION;
use noregret_numeric::state::StateError;

/// Why a model cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file cannot be read or written.
    #[error("cannot {doing} the model {file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// `read` or `write`.
        doing: &'static str,
        /// What happened.
        source: io::Error,
    },
    /// The file is no model, or is damaged.
    #[error("{file} is no model that can be used: {why}; save it again with `noregret stream --save`")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The file is a model of another version.
    #[error(
        "{file} is a model of version {found}, written by {program}; this program reads version {}; use that program, \
         or learn again",
        VERSION
    )]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u64,
        /// The program that wrote it.
        program: String,
    },
    /// The file holds a learner for each group, and was to be read as one learner.
    #[error(
        "{file} holds a learner for each value of {column}: go on with `noregret stream --load {file}`, which only predicts rows \
         without a target"
    )]
    Grouped {
        /// The file.
        file: String,
        /// The column that names the groups.
        column: String,
    },
    /// The learner has no state that can be saved.
    #[error("cannot save the learner: {0}")]
    Save(StateError),
}
