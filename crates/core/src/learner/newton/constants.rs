//! Parameters of the kernel online Newton learners, and constants of their square loss.
//!
//! For targets and predictions in [-C, C], (p - y)^2 has curvature sigma = 1 / (8 C^2) along its gradient.

use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};

shared! {
    /// weight of the squared norm: the matrix of the Newton steps starts as alpha times the identity
    ALPHA = "alpha": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// bound C on targets and predictions: predictions are projected onto [-C, C]
    CLIP = "clip": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
}

/// sigma = 1 / (8 C^2).
pub(crate) fn curvature(clip: f64) -> f64 {
    0.125 / clip / clip
}

/// The signed amount by which `value` lies outside [-C, C].
pub(crate) fn excess(value: f64, clip: f64) -> f64 {
    value - value.clamp(-clip, clip)
}
