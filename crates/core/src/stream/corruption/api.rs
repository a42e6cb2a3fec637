//! Corruptions of targets: their trait and registry entry.

use crate::params::entry::{Build, Entry};
use noregret_numeric::draw::Draw;

/// A law of what is added to the target of a round, independently of its input and of all other rounds. Unlike a noise
/// law, it need not be symmetric, have mean zero or have a finite variance, and no learner can query it.
///
/// ```
/// use noregret_core::{prelude::*, stream::corruption::CORRUPTIONS};
///
/// let law = json!({ "name": "contamination", "share": 0.2, "size": 10.0 });
/// let law = CORRUPTIONS.choose(&law, None, "", &AllParts)?.object;
/// let draws = Draws::named(&["outliers"]);
/// let hit = (1..=1_000).filter(|&t| law.sample(&mut draws.at(Role::Corruption, t)).abs() > 5.0).count();
/// assert!((150..250).contains(&hit));
/// # Ok::<(), ParamError>(())
/// ```
pub trait Corruption: Send + Sync + std::fmt::Debug {
    /// What is added to one target.
    fn sample(&self, draw: &mut Draw) -> f64;

    /// The corrupted target of a round; laws that do more than add to it say so here.
    fn corrupt(&self, round: u64, target: f64, draw: &mut Draw) -> f64 {
        let _ = round;
        target + self.sample(draw)
    }

    /// How much larger a target can get, in absolute value; infinite if there is no limit.
    fn largest(&self) -> f64;
}

/// A registered corruption.
pub(crate) type CorruptionEntry = Entry<Build<dyn Corruption>>;
