//! Why an item has to run.

use std::fmt;

/// Why an item has to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The store has no product under its key: the item is new, or its parameters, code or inputs changed.
    Missing,
    /// The published files come from other parameters or other code.
    ParametersOrCodeChanged,
    /// The published files come from other inputs.
    InputChanged,
    /// A stored or published file has other bytes than were written.
    Damaged(String),
    /// A published file is gone.
    Gone(String),
    /// It failed last time, with this error.
    FailedBefore(String),
    /// Asked for with `--force`.
    Forced,
}

impl Reason {
    /// Whether an older product exists that no longer holds.
    pub fn is_stale(&self) -> bool {
        matches!(self, Self::ParametersOrCodeChanged | Self::InputChanged | Self::Damaged(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("not made yet with these parameters, inputs and code"),
            Self::ParametersOrCodeChanged => f.write_str("parameters or code changed"),
            Self::InputChanged => f.write_str("an input changed"),
            Self::Damaged(file) => write!(f, "damaged: {file}"),
            Self::Gone(file) => write!(f, "gone: {file}"),
            Self::FailedBefore(error) => {
                write!(f, "failed last time: {}", error.lines().next().unwrap_or_default())
            }
            Self::Forced => f.write_str("forced"),
        }
    }
}
