//! Why an item has to run.

use std::fmt;

/// Why an item has to run. Small, because there may be a million of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The store has no product under its key: the item is new, or its parameters, code or inputs have changed.
    Missing,
    /// The published files come from other parameters or other code.
    ParametersOrCodeChanged,
    /// The published files come from other inputs.
    InputChanged,
    /// The bytes of these inputs are not those that the product was made from.
    InputBytesChanged(Box<[BytesChanged]>),
    /// These inputs are made again, and it runs only if they come out with other bytes.
    InputMayChange(Box<[String]>),
    /// The product does not record which bytes it was made from.
    InputBytesUnrecorded,
    /// A stored or published file has other bytes than were written.
    Damaged(Box<str>),
    /// A published file is gone.
    Gone(Box<str>),
    /// It failed last time, with this error.
    FailedBefore(Box<str>),
    /// Asked for with `--force`.
    Forced,
}

/// Inputs of one stage whose bytes changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytesChanged {
    /// The stage's name.
    pub stage: String,
    /// The digest of the bytes that were read, in hexadecimal.
    pub(crate) old: String,
    /// The digest of the bytes that are there now.
    pub(crate) new: String,
}

impl Reason {
    /// Whether there is an older product that no longer holds, or may no longer hold.
    pub(crate) fn is_stale(&self) -> bool {
        match self {
            Self::ParametersOrCodeChanged | Self::InputChanged | Self::Damaged(_) => true,
            Self::InputBytesChanged(_) | Self::InputMayChange(_) | Self::InputBytesUnrecorded => true,
            Self::Missing | Self::Gone(_) | Self::FailedBefore(_) | Self::Forced => false,
        }
    }

    /// Whether the product stays as it is unless an input comes out with other bytes.
    pub fn is_conditional(&self) -> bool {
        matches!(self, Self::InputMayChange(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("not made yet with these parameters, inputs and code"),
            Self::ParametersOrCodeChanged => f.write_str("parameters or code changed"),
            Self::InputChanged => f.write_str("an input changed"),
            Self::InputBytesChanged(changes) if changes.is_empty() => f.write_str("the bytes of an input changed"),
            Self::InputBytesChanged(changes) => {
                let stages: Vec<&str> = changes.iter().map(|change| &*change.stage).collect();
                write!(f, "the bytes of {} changed", stages.join(", "))
            }
            Self::InputMayChange(stages) => write!(f, "only if the bytes of {} change", stages.join(", ")),
            Self::InputBytesUnrecorded => f.write_str("made before the bytes of its inputs were recorded"),
            Self::Damaged(file) => write!(f, "damaged: {file}"),
            Self::Gone(file) => write!(f, "gone: {file}"),
            Self::FailedBefore(error) => {
                write!(f, "failed last time: {}", error.lines().next().unwrap_or_default())
            }
            Self::Forced => f.write_str("forced"),
        }
    }
}
