//! The trait of feature families: the neurons of an infinite-layer network.

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::kernel::api::Kernel;
use crate::params::entry::{Build, Entry};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::dot;

/// Functions psi(x; w) on R^d with |psi| <= 1 and a law mu of w. They span the space of the kernel
/// k(x, z) = E_w psi(x; w) psi(z; w), with kappa^2 = sup k(x, x) <= 1.
///
/// Source: A. Globerson, R. Livni, Learning infinite-layer networks: beyond the kernel trick, 2016, section 2.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let family = FAMILIES.choose(&json!({ "name": "cosine" }), None, "", &AllParts)?.object;
/// let (x, z, kernel) = ([0.2, -0.4], [0.5, 0.1], family.kernel().unwrap());
/// let mut draw = Draws::named(&["neurons"]).at(Role::Start, 0);
/// let mut w = vec![0.0; family.weights(2)];
/// let mut product = || {
///     family.sample(2, &mut draw, &mut w);
///     family.value(&w, &x) * family.value(&w, &z)
/// };
/// let mean = (0..10_000).map(|_| product()).sum::<f64>() / 1e4;
/// assert!((mean - kernel.evaluate(&x, &z)).abs() < 0.05); // E psi(x; w) psi(z; w) = k(x, z)
/// # Ok::<(), ParamError>(())
/// ```
pub trait Family: Send + Sync + std::fmt::Debug {
    /// How many numbers one w has for inputs of `dim` columns. The default is one weight per column and a bias.
    fn weights(&self, dim: usize) -> usize {
        dim + 1
    }

    /// Draws w ~ mu for inputs of `dim` columns; `w` has [`weights`](Family::weights) entries. The default is N(0, I).
    fn sample(&self, dim: usize, draw: &mut Draw, w: &mut [f64]) {
        let _ = dim;
        normals(draw, 1.0, w);
    }

    /// psi(x; w), between -1 and 1; finite for finite inputs.
    fn value(&self, w: &[f64], x: &[f64]) -> f64;

    /// `out[j] = psi(x; w_j)` for all `neurons`; `out` has as many entries.
    fn values(&self, neurons: &Neurons, x: &[f64], out: &mut [f64]) {
        let mut w = vec![0.0; self.weights(x.len())];
        for (j, value) in out.iter_mut().enumerate() {
            neurons.copy(j, &mut w);
            *value = self.value(&w, x);
        }
    }

    /// `out[k] = psi(points.row(chosen[k]); w_k) psi(x; w_k)` with a fresh w_k ~ mu for each k, drawn in the order of
    /// k. These are unbiased estimates of k(x_chosen, x). At most [`AT_ONCE`] per call.
    fn products(&self, points: Rows<'_>, chosen: &[usize], x: &[f64], draw: &mut Draw, out: &mut [f64]) {
        let mut w = vec![0.0; self.weights(x.len())];
        for (value, i) in out.iter_mut().zip(chosen) {
            self.sample(x.len(), draw, &mut w);
            *value = self.value(&w, points.row(*i)) * self.value(&w, x);
        }
    }

    /// The kernel, if it has a closed form.
    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        None
    }

    /// If mu is uniform on finitely many w_1, ..., w_D: the map phi_j(x) = psi(x; w_j) / sqrt(D) on R^`dim`, with
    /// <phi(x), phi(z)> = k(x, z).
    fn finite(&self, dim: usize) -> Option<Arc<dyn FeatureMap>> {
        let _ = dim;
        None
    }

    /// Whether the family accepts inputs of `dim` columns; the error says which inputs it accepts.
    fn accepts(&self, dim: usize) -> Result<(), String> {
        let _ = dim;
        Ok(())
    }
}

/// Draws handled at once.
pub const AT_ONCE: usize = 32;

/// Many w of one family, ordered for loops over neurons: first entry 0 of all of them, then entry 1 of all, and so on.
#[derive(Debug)]
pub struct Neurons {
    /// Row k holds entry k of every w.
    numbers: Matrix,
}

/// Number of neurons that are evaluated together, in registers.
pub(crate) const TOGETHER: usize = 16;

impl Neurons {
    /// Neurons with one w per row.
    pub fn new(rows: &Matrix) -> Self {
        let mut numbers = Matrix::zeros(rows.cols(), rows.rows());
        for (j, w) in rows.view().iter().enumerate() {
            w.iter().enumerate().for_each(|(k, number)| numbers.row_mut(k)[j] = *number);
        }
        Self { numbers }
    }

    /// Number of neurons.
    pub(crate) fn count(&self) -> usize {
        self.numbers.cols()
    }

    /// Copies w_j into `w`.
    pub(crate) fn copy(&self, j: usize, w: &mut [f64]) {
        w.iter_mut().enumerate().for_each(|(k, number)| *number = self.numbers.row(k)[j]);
    }

    /// Entry `k` of the w of neuron `from` and of its successors; 0 beyond the last neuron.
    #[inline(always)]
    pub(crate) fn together(&self, k: usize, from: usize) -> [f64; TOGETHER] {
        let rest = &self.numbers.row(k)[from..];
        match rest.first_chunk() {
            Some(chunk) => *chunk,
            None => std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0.0)),
        }
    }
}

/// <w, (1, x)>; the first entry of w is the bias. Inputs are usually short, so that plain sums beat vectorised ones.
#[inline]
pub(crate) fn activation(w: &[f64], x: &[f64]) -> f64 {
    let Some((bias, w)) = w.split_first() else { return 0.0 };
    if x.len() > 16 { bias + dot(w, x) } else { w.iter().zip(x).fold(*bias, |sum, (w, x)| sum + w * x) }
}

/// Fills `w` with independent N(0, deviation^2).
#[inline]
pub(crate) fn normals(draw: &mut Draw, deviation: f64, w: &mut [f64]) {
    w.iter_mut().for_each(|w| *w = deviation * draw.normal());
}

/// A registered feature family.
pub(crate) type FamilyEntry = Entry<Build<dyn Family>>;
