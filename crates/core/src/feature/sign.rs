//! Sign neurons.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry, activation};
use crate::kernel::angle::LinearInAngle;
use crate::kernel::api::Kernel;

/// psi(x; w) = +1 if <w, (1, x)> >= 0, else -1; w ~ N(0, I): k(x, z) = 1 - 2 theta / pi, where theta is the angle
/// between (1, x) and (1, z).
#[derive(Clone, Copy, Debug)]
pub struct Sign;

impl Family for Sign {
    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        if activation(w, x) >= 0.0 { 1.0 } else { -1.0 }
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(LinearInAngle { constant: 1.0, slope: 2.0 / PI }))
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "sign",
    summary: "+1 if <w, (1, x)> >= 0, else -1, w ~ N(0, I); kernel 1 - 2 theta / pi",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Sign)),
};
