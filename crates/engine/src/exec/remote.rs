//! What a store needs of a place that machines share without sharing a folder: a bucket.

use std::fmt::Debug;

/// Files under names, on a server that many machines read and write at the same time. A file is written once and never
/// changed.
pub trait Remote: Debug + Send + Sync {
    /// Its address, as users write it, without secrets.
    fn address(&self) -> String;

    /// Makes sure that the server can be asked, and that it obeys the condition of [`Self::create`].
    ///
    /// # Errors
    /// The server cannot be reached, refuses, or writes over what is there.
    fn check(&self) -> Result<(), RemoteError>;

    /// The names of all files that begin with `prefix`, and their lengths in bytes.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    fn list(&self, prefix: &str) -> Result<Vec<(String, u64)>, RemoteError>;

    /// Bytes of a file from position `from` up to its end.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    fn read(&self, name: &str, from: u64) -> Result<Vec<u8>, RemoteError>;

    /// Writes a file, unless there is one of this name.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    fn create(&self, name: &str, bytes: &[u8]) -> Result<(), RemoteError>;
}

/// Why a server did not do what was asked: what went wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RemoteError(pub String);
