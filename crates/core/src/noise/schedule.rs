//! Variances that change from round to round, known in advance.

use crate::params::{Fallback, Kind, Range, Spec};

/// How far the variance of a round may be from the mean, as a part of it.
pub const DEPTH: Spec = Spec {
    name: "depth",
    doc: "how far the variance of a round is from the mean one, at most, as a part of it",
    kind: Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: false }, words: &[] },
    default: Fallback::Real(0.5),
};

/// Rounds after which the schedule repeats itself.
pub const PERIOD: Spec = Spec {
    name: "period",
    doc: "rounds after which the variances repeat themselves",
    kind: Kind::Integer { min: 1, max: u32::MAX as u64 },
    default: Fallback::Integer(100),
};

/// The place of a round (from 1) in its period: 0 <= place < 1.
pub fn place(round: u64, period: u64) -> f64 {
    (round.saturating_sub(1) % period.max(1)) as f64 / period.max(1) as f64
}
