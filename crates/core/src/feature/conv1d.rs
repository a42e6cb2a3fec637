//! Neurons that are one-dimensional convolutional networks.

use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry, Neurons, TOGETHER};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::elementary::tanh;
use noregret_numeric::linalg::simd::vectorised;

/// psi(x; F, g, v) = tanh(gain <v, pool>), pool_c = mean_{p = 0..d - k} max(0, <F_c, x_{p..p + k}> + g_c), for
/// `channels` filters F_c of `width` k; all weights are N(0, 1). The kernel has no closed form.
///
/// w = (F_1, ..., F_C, g, v).
#[derive(Clone, Copy, Debug)]
pub struct Conv1d {
    channels: usize,
    width: usize,
    gain: f64,
}

impl Conv1d {
    /// The family of `channels` >= 1 filters of `width` >= 1 and this `gain` > 0.
    pub fn new(channels: usize, width: usize, gain: f64) -> Self {
        Self { channels, width, gain }
    }
}

impl Family for Conv1d {
    fn weights(&self, _: usize) -> usize {
        self.channels * (self.width + 2)
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        let (filters, rest) = w.split_at((self.channels * self.width).min(w.len()));
        let (biases, outer) = rest.split_at(self.channels.min(rest.len()));
        let places = x.len().saturating_sub(self.width) + 1;
        let mut sum = 0.0;
        for (filter, (bias, v)) in filters.chunks_exact(self.width).zip(biases.iter().zip(outer)) {
            let mut pool = 0.0;
            for window in x.windows(self.width) {
                pool += window.iter().zip(filter).fold(*bias, |sum, (x, f)| sum + x * f).max(0.0);
            }
            sum += v * (pool / places as f64);
        }
        bounded(self.gain * sum)
    }

    fn values(&self, neurons: &Neurons, x: &[f64], out: &mut [f64]) {
        convolutions(*self, neurons, x, out);
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        if dim < self.width {
            return Err(format!("filters of width {0} need at least {0} input columns; there are {dim}", self.width));
        }
        Ok(())
    }
}

/// tanh, or 0 if the sum is NaN, which huge inputs can cause through opposite infinities.
#[inline(always)]
fn bounded(sum: f64) -> f64 {
    let value = tanh(sum);
    if value.is_nan() { 0.0 } else { value }
}

vectorised! {
    /// psi(x; w_j) for all neurons of the family.
    fn convolutions<'a>(family: Conv1d, neurons: &'a Neurons, x: &'a [f64], out: &'a mut [f64]) -> () {
        let Conv1d { channels, width, gain } = family;
        let places = (x.len().saturating_sub(width) + 1) as f64;
        for (i, out) in out.chunks_mut(TOGETHER).enumerate() {
            let from = i * TOGETHER;
            let mut sums = [0.0; TOGETHER];
            for c in 0..channels {
                let bias = neurons.together(channels * width + c, from);
                let mut pool = [0.0; TOGETHER];
                for window in x.windows(width) {
                    let mut inner = bias;
                    for (k, x) in window.iter().enumerate() {
                        let filter = neurons.together(c * width + k, from);
                        for (sum, f) in inner.iter_mut().zip(filter) {
                            *sum += x * f;
                        }
                    }
                    for (pool, inner) in pool.iter_mut().zip(inner) {
                        *pool += inner.max(0.0);
                    }
                }
                let outer = neurons.together(channels * (width + 1) + c, from);
                for ((sum, pool), v) in sums.iter_mut().zip(pool).zip(outer) {
                    *sum += v * (pool / places);
                }
            }
            sums.iter_mut().for_each(|sum| *sum = bounded(gain * *sum));
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

parameters! {
    /// Parameters of [`Conv1d`].
    pub(crate) struct Conv1dParams {
        /// C: number of filters
        channels: u64 = Kind::integer(1, 10_000) => Fallback::Integer(4);
        /// k: width of a filter
        width: u64 = Kind::integer(1, 10_000) => Fallback::Integer(3);
        /// a: factor on the outer layer
        gain: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(2.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "conv1d",
    summary: "tanh(gain <v, pool>), pool the mean of ReLUs of a 1-d convolution, weights N(0, 1); no closed-form kernel",
    module: module_path!(),
    params: Conv1dParams::SPECS,
    build: |params| {
        let Conv1dParams { channels, width, gain } = Parameters::read(params);
        Ok(Arc::new(Conv1d::new(channels as usize, width as usize, gain)))
    },
};
