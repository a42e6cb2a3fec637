//! The hinge loss.

use std::sync::Arc;

use crate::loss::api::{Form, Loss, LossEntry};

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "hinge",
    summary: "max(0, 1 - a) of the margin a = target prediction",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Hinge)),
};

/// l(a) = max(0, 1 - a) of the margin; not analytic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge;

impl Loss for Hinge {
    fn form(&self) -> Form {
        Form::Margin
    }

    fn value(&self, a: f64) -> f64 {
        (1.0 - a).max(0.0)
    }

    fn derivative(&self, a: f64) -> f64 {
        match a {
            a if a < 1.0 => -1.0,
            1.0 => -0.5,
            _ => 0.0,
        }
    }
}
