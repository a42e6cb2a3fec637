//! What can go wrong in `noregret stream`.

use noregret_core::params::ParamError;
use noregret_data::error::DataError;
use noregret_model::error::ModelError;

/// Why a stream ended early; one message, and an exit status.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Wrong arguments.
    #[error("{0}")]
    Usage(String),
    /// A wrong name or value of a learner, a kernel, a noise law or one of their parameters.
    #[error("{0}")]
    Param(#[from] ParamError),
    /// Data that cannot be read.
    #[error("{message}")]
    Data {
        /// What the reader said.
        message: String,
        /// Whether the arguments are wrong rather than the data.
        usage: bool,
    },
    /// The spooled copy of standard input.
    #[error("cannot keep a copy of standard input for a second pass in {place}: {source}; put the data into a file")]
    Spool {
        /// The folder or file.
        place: String,
        /// What happened.
        source: std::io::Error,
    },
    /// The file of learners that sleep.
    #[error(
        "cannot keep the learners of sleeping groups in {place}: {source}; set TMPDIR to a folder that has room for them"
    )]
    Asleep {
        /// The folder.
        place: String,
        /// What happened.
        source: std::io::Error,
    },
    /// Rounds that cannot be written.
    #[error("cannot write {place}: {cause}")]
    Write {
        /// The file, or standard output.
        place: String,
        /// What happened.
        cause: String,
    },
    /// A model that cannot be read or written.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// A run that cannot be resumed.
    #[error("cannot resume: {0}")]
    Resume(String),
    /// The learner could not go on. The rounds before are written.
    #[error("{learner} stopped in round {round}: {cause} ({written})")]
    Diverged {
        /// The learner's name.
        learner: String,
        /// The first round without a valid prediction.
        round: u64,
        /// What happened.
        cause: String,
        /// What was written.
        written: String,
    },
    /// The process of a learner did not keep to the protocol, or ended. The rounds before are written.
    #[error("{cause} ({written})")]
    Failed {
        /// The learner, and what happened.
        cause: String,
        /// What was written.
        written: String,
    },
    /// A row that cannot be read, after others, or a model or an output that cannot be written. The rounds before are written.
    #[error("{error} ({kept})")]
    Unreadable {
        /// What is wrong.
        error: Box<StreamError>,
        /// What was written and saved.
        kept: String,
    },
    /// The user stopped it. The rounds before are written.
    #[error("interrupted after {rounds} rounds, which are written")]
    Interrupted {
        /// Rounds played.
        rounds: u64,
    },
}

impl StreamError {
    /// An error of the reader, told as `message`. Names of columns that the data do not have count as wrong usage.
    pub(crate) fn data(error: &DataError, message: String) -> Self {
        let usage = error.is_usage();
        StreamError::Data { message, usage }
    }

    /// The same error, and what else can be done about it.
    pub(crate) fn or(self, remedy: &str) -> Self {
        match self {
            StreamError::Data { message, usage } => StreamError::Data { message: message + remedy, usage },
            other => other,
        }
    }

    /// 2 for wrong usage or configuration, 1 for wrong data and for failures while running. (After an interruption the
    /// caller exits with 128 plus the number of the signal.)
    pub fn exit_status(&self) -> u8 {
        match self {
            StreamError::Unreadable { error, .. } => error.exit_status(),
            StreamError::Usage(_) | StreamError::Param(_) | StreamError::Data { usage: true, .. } => 2,
            _ => 1,
        }
    }
}
