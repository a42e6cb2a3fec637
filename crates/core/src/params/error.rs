//! Errors of parameters.

/// What is wrong with a parameter. `path` is dotted, as it would be written after `--set`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// There is no parameter of this name.
    #[error("unknown parameter `{path}`{}; known parameters: {}", did_you_mean(nearest), list(known))]
    Unknown { path: String, nearest: Option<String>, known: Vec<String> },
    /// A required parameter is missing.
    #[error("parameter `{path}` must be given: {doc} ({allowed})")]
    Missing { path: String, doc: String, allowed: String },
    /// A value of the wrong type or outside its range.
    #[error("parameter `{path}` = {value} is not allowed; it takes {allowed}")]
    NotAllowed { path: String, value: String, allowed: String },
    /// The registry has no member of this name.
    #[error("unknown {kind} `{name}`{}; known: {}", did_you_mean(nearest), list(known))]
    UnknownMember { kind: String, name: String, nearest: Option<String>, known: Vec<String> },
    /// The value is valid by itself, but not here (a formula that needs the horizon, a kernel for another dimension).
    #[error("parameter `{path}`: {why}")]
    Refused { path: String, why: String },
}

impl ParamError {
    /// The error for a parameter that is refused, with the reason.
    pub fn refused(path: impl Into<String>, why: impl std::fmt::Display) -> Self {
        ParamError::Refused { path: path.into(), why: why.to_string() }
    }

    /// The dotted name of the parameter at fault, where there is one.
    pub fn path(&self) -> Option<&str> {
        match self {
            ParamError::Unknown { path, .. }
            | ParamError::Missing { path, .. }
            | ParamError::NotAllowed { path, .. }
            | ParamError::Refused { path, .. } => Some(path),
            ParamError::UnknownMember { .. } => None,
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
