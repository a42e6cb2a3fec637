//! Why a comparison cannot go on.

use noregret_core::params::ParamError;
use noregret_data::error::DataError;

/// Why a comparison cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A name or a value that was asked for, and that nothing has, with what there is.
    #[error("{0}")]
    Wish(String),
    /// A learner that does not fit the file.
    #[error("{0}: {1}")]
    Learner(&'static str, ParamError),
    /// A file that cannot be written.
    #[error(transparent)]
    File(#[from] DataError),
    /// Values that are no JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Another call that goes on in the same project.
    #[error("another `compare` holds {0}; wait until it has ended, or name another folder with --output")]
    Busy(String),
    /// A picture that cannot be drawn.
    #[error("{0}")]
    Picture(String),
}
