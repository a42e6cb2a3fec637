//! Erf neurons: the infinite layer of the arc-sine kernel.

use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry, activation, normals};
use crate::kernel::api::Kernel;
use crate::kernel::arcsine::Arcsine;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;

/// psi(x; w) = erf(<w, (1, x)>), w ~ N(0, diag(bias_std^2, weight_std^2, ...)): the arc-sine kernel.
#[derive(Clone, Copy, Debug)]
pub struct Erf {
    bias_std: f64,
    weight_std: f64,
}

impl Erf {
    /// The family of these standard deviations, both > 0.
    pub fn new(bias_std: f64, weight_std: f64) -> Self {
        Self { bias_std, weight_std }
    }
}

impl Family for Erf {
    fn sample(&self, _: usize, draw: &mut Draw, w: &mut [f64]) {
        let (bias, rest) = w.split_at_mut(1.min(w.len()));
        normals(draw, self.bias_std, bias);
        normals(draw, self.weight_std, rest);
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        libm::erf(activation(w, x))
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(Arcsine::new(self.bias_std, self.weight_std)))
    }
}

parameters! {
    /// Parameters of [`Erf`].
    pub(crate) struct ErfParams {
        /// standard deviation of the biases
        bias_std: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        /// standard deviation of the weights
        weight_std: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "erf",
    summary: "erf(<w, (1, x)>), w ~ N(0, diag(bias_std^2, weight_std^2, ..)); arc-sine kernel (Williams 1998)",
    module: module_path!(),
    params: ErfParams::SPECS,
    build: |params| {
        let ErfParams { bias_std, weight_std } = Parameters::read(params);
        Ok(Arc::new(Erf::new(bias_std, weight_std)))
    },
};
