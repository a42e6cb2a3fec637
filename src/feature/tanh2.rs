//! Neurons that are networks with a hidden layer.

use std::sync::Arc;

use crate::draw::Draw;
use crate::feature::family::{Family, FamilyEntry, activation, normals};
use crate::params::{Fallback, Kind, Range, Spec};

/// psi(x; U, v) = tanh(gain / sqrt(hidden) <v, tanh(U (1, x))>), U a hidden x (d + 1) matrix with entries
/// N(0, weight_std^2), v ~ N(0, I). No kernel in closed form.
///
/// w = (rows of U, v).
#[derive(Clone, Copy, Debug)]
pub struct Tanh2 {
    hidden: usize,
    gain: f64,
    weight_std: f64,
}

impl Tanh2 {
    /// The family of `hidden` >= 1 inner neurons, this `gain` > 0 and standard deviation > 0.
    pub fn new(hidden: usize, gain: f64, weight_std: f64) -> Self {
        Self { hidden, gain, weight_std }
    }
}

impl Family for Tanh2 {
    fn weights(&self, dim: usize) -> usize {
        self.hidden * (dim + 2)
    }

    fn sample(&self, dim: usize, draw: &mut Draw, w: &mut [f64]) {
        let (inner, outer) = w.split_at_mut((self.hidden * (dim + 1)).min(w.len()));
        normals(draw, self.weight_std, inner);
        normals(draw, 1.0, outer);
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        let (inner, outer) = w.split_at((self.hidden * (x.len() + 1)).min(w.len()));
        let neurons = inner.chunks_exact(x.len() + 1).zip(outer);
        let sum: f64 = neurons.map(|(u, v)| v * activation(u, x).tanh()).sum();
        (self.gain / (self.hidden as f64).sqrt() * sum).tanh()
    }
}

/// Registry entry.
pub static ENTRY: FamilyEntry = FamilyEntry {
    name: "tanh2",
    summary: "tanh(gain/sqrt(hidden) <v, tanh(U (1, x))>), U ~ N(0, weight_std^2), v ~ N(0, 1); no closed-form kernel",
    file: file!(),
    params: &[
        Spec {
            name: "hidden",
            doc: "h: neurons of the inner layer",
            kind: Kind::Integer { min: 1, max: 10_000 },
            default: Fallback::Integer(8),
        },
        Spec {
            name: "gain",
            doc: "a: factor of the outer layer",
            kind: Kind::Real { range: Range::POSITIVE, words: &[] },
            default: Fallback::Real(2.0),
        },
        Spec {
            name: "weight_std",
            doc: "standard deviation of the inner weights and biases",
            kind: Kind::Real { range: Range::POSITIVE, words: &[] },
            default: Fallback::Real(2.0),
        },
    ],
    build: |params| {
        let hidden = params.integer("hidden") as usize;
        Ok(Arc::new(Tanh2::new(hidden, params.real("gain"), params.real("weight_std"))))
    },
};
