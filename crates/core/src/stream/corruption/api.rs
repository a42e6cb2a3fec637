//! What a corruption of targets is.

use crate::draw::Draw;
use crate::params::entry::{Build, Entry};

/// A law of what is added to the target of a round, independent of its input and of all other rounds. Unlike a law of
/// noise it need be neither symmetric nor of mean zero nor of finite variance, and no learner can query it.
pub trait Corruption: Send + Sync + std::fmt::Debug {
    /// What is added to one target.
    fn sample(&self, draw: &mut Draw) -> f64;
}

/// A registered corruption.
pub type CorruptionEntry = Entry<Build<dyn Corruption>>;
