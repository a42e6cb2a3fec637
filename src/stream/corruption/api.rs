//! What a corruption of targets is.

use std::sync::Arc;

use crate::draw::Draw;
use crate::params::{ParamError, Params, Spec};

/// A law of what is added to the target of a round, independent of its input and of all other rounds. Unlike a law of
/// noise it need be neither symmetric nor of mean zero nor of finite variance, and no learner can query it.
pub trait Corruption: Send + Sync + std::fmt::Debug {
    /// What is added to one target.
    fn sample(&self, draw: &mut Draw) -> f64;
}

/// A registered corruption.
#[derive(Debug)]
pub struct CorruptionEntry {
    /// Name in configuration.
    pub name: &'static str,
    /// The law, in one line, with its source.
    pub summary: &'static str,
    /// Its source file (`file!()`), for code identity.
    pub file: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
    /// Builds it from checked parameters.
    pub build: fn(&Params) -> Result<Arc<dyn Corruption>, ParamError>,
}
