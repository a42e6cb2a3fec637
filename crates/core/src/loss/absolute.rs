//! The absolute loss.

use std::sync::Arc;

use crate::loss::api::{Form, Loss, LossEntry};

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "absolute",
    summary: "|a| of the residual a = prediction - target",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Absolute)),
};

/// l(a) = |a| of the residual; not analytic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absolute;

impl Loss for Absolute {
    fn form(&self) -> Form {
        Form::Residual
    }

    fn value(&self, a: f64) -> f64 {
        a.abs()
    }

    fn derivative(&self, a: f64) -> f64 {
        if a == 0.0 { 0.0 } else { a.signum() }
    }
}
