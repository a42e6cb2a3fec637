//! Step neurons.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry, activation};
use crate::kernel::angle::LinearInAngle;
use crate::kernel::api::Kernel;

/// psi(x; w) = 1 if <w, (1, x)> >= 0, else 0; w ~ N(0, I): k(x, z) = (pi - theta) / (2 pi), half the arc-cosine kernel
/// of order 0.
#[derive(Clone, Copy, Debug)]
pub struct StepFunction;

impl Family for StepFunction {
    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        if activation(w, x) >= 0.0 { 1.0 } else { 0.0 }
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(LinearInAngle { constant: 0.5, slope: 0.5 / PI }))
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "step",
    summary: "1 if <w, (1, x)> >= 0, else 0, w ~ N(0, I); half the arc-cosine kernel of order 0 (Cho, Saul 2009)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(StepFunction)),
};
