//! The error of a law that is broken.

use std::fmt::Display;

use crate::params::ParamError;

/// A law that was broken, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{law}: {place}")]
pub struct Broken {
    /// The law, as a sentence that is true when the law is kept.
    pub law: &'static str,
    /// Where it was broken, and the numbers that show it.
    pub place: String,
}

impl Broken {
    /// This law, broken at this place.
    pub(crate) fn new(law: &'static str, place: impl Into<String>) -> Self {
        Self { law, place: place.into() }
    }

    /// The same, with the name of what broke it before the place.
    pub(crate) fn by(self, subject: impl Display) -> Self {
        Self { place: format!("{subject}: {}", self.place), ..self }
    }
}

impl From<ParamError> for Broken {
    fn from(error: ParamError) -> Self {
        Self::new("what is to be tested can be built", error.to_string())
    }
}

/// Checks whether a law is kept; `place` is called if it is not.
///
/// # Errors
/// The broken law, if not `kept`.
pub(crate) fn require(kept: bool, law: &'static str, place: impl FnOnce() -> String) -> Result<(), Broken> {
    if kept { Ok(()) } else { Err(Broken::new(law, place())) }
}
