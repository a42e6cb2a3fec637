//! Neurons that are networks with a hidden layer.

use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry, Neurons, TOGETHER, activation, normals};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::elementary::tanh;
use noregret_numeric::linalg::simd::vectorised;

/// psi(x; U, v) = tanh(gain / sqrt(hidden) <v, tanh(U (1, x))>), where U is a hidden x (d + 1) matrix with entries
/// N(0, weight_std^2) and v ~ N(0, I). The kernel has no closed form.
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

    /// gain / sqrt(hidden).
    fn outer_gain(&self) -> f64 {
        self.gain / (self.hidden as f64).sqrt()
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
        let sum: f64 = neurons.map(|(u, v)| v * tanh(activation(u, x))).sum();
        tanh(self.outer_gain() * sum)
    }

    fn values(&self, neurons: &Neurons, x: &[f64], out: &mut [f64]) {
        two_layers(self.hidden, self.outer_gain(), neurons, x, out);
    }
}

vectorised! {
    /// psi(x; w_j) for neurons with `hidden` inner neurons; `gain` is the factor on the outer layer.
    fn two_layers<'a>(hidden: usize, gain: f64, neurons: &'a Neurons, x: &'a [f64], out: &'a mut [f64]) -> () {
        for (i, out) in out.chunks_mut(TOGETHER).enumerate() {
            let from = i * TOGETHER;
            let mut sums = [0.0; TOGETHER];
            for h in 0..hidden {
                let row = h * (x.len() + 1);
                let mut inner = neurons.together(row, from);
                for (k, x) in x.iter().enumerate() {
                    let weights = neurons.together(row + 1 + k, from);
                    for (sum, u) in inner.iter_mut().zip(weights) {
                        *sum += u * x;
                    }
                }
                let outer = neurons.together(hidden * (x.len() + 1) + h, from);
                for ((sum, inner), v) in sums.iter_mut().zip(inner).zip(outer) {
                    *sum += v * tanh(inner);
                }
            }
            sums.iter_mut().for_each(|sum| *sum = tanh(gain * *sum));
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

parameters! {
    /// Parameters of [`Tanh2`].
    pub(crate) struct Tanh2Params {
        /// h: neurons of the inner layer
        hidden: u64 = Kind::integer(1, 10_000) => Fallback::Integer(8);
        /// a: factor on the outer layer
        gain: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(2.0);
        /// standard deviation of the inner weights and biases
        weight_std: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(2.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "tanh2",
    summary: "tanh(gain/sqrt(hidden) <v, tanh(U (1, x))>), U ~ N(0, weight_std^2), v ~ N(0, 1); no closed-form kernel",
    module: module_path!(),
    params: Tanh2Params::SPECS,
    build: |params| {
        let Tanh2Params { hidden, gain, weight_std } = Parameters::read(params);
        Ok(Arc::new(Tanh2::new(hidden as usize, gain, weight_std)))
    },
};
