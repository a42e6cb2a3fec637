//! Parameters of the kernel online Newton learners, and constants of their square loss.
//!
//! For targets and predictions in [-C, C], (p - y)^2 has curvature sigma = 1 / (8 C^2) along its gradient.

use crate::params::{Fallback, Kind, Range, Spec};

/// The parameter `alpha`.
pub(crate) const ALPHA: Spec = Spec {
    name: "alpha",
    doc: "weight of the squared norm: the matrix of the Newton steps starts as alpha times the identity",
    kind: Kind::Real { range: Range::POSITIVE, words: &[] },
    default: Fallback::Real(1.0),
};

/// The parameter `clip`.
pub(crate) const CLIP: Spec = Spec {
    name: "clip",
    doc: "bound C on targets and predictions: predictions are projected onto [-C, C]",
    kind: Kind::Real { range: Range::POSITIVE, words: &[] },
    default: Fallback::Real(1.0),
};

/// sigma = 1 / (8 C^2).
pub(crate) fn curvature(clip: f64) -> f64 {
    0.125 / clip / clip
}

/// The signed amount by which `value` lies outside [-C, C].
pub(crate) fn excess(value: f64, clip: f64) -> f64 {
    value - value.clamp(-clip, clip)
}
