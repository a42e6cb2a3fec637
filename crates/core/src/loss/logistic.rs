//! The log loss.

use std::sync::Arc;

use crate::loss::api::{Form, Loss, LossEntry};

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "logistic",
    summary: "log(1 + exp(-a)) of the margin a = target prediction; predictions are logits",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Logistic)),
};

/// l(a) = log(1 + exp(-a)) of the margin. It has poles in the complex plane, so that no series of its derivative converges
/// everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Logistic;

/// 1 / (1 + exp(a)) without overflow.
fn decay(a: f64) -> f64 {
    let power = (-a.abs()).exp();
    if a > 0.0 { power / (1.0 + power) } else { 1.0 / (1.0 + power) }
}

impl Loss for Logistic {
    fn form(&self) -> Form {
        Form::Margin
    }

    fn value(&self, a: f64) -> f64 {
        (-a).max(0.0) + (-a.abs()).exp().ln_1p()
    }

    fn derivative(&self, a: f64) -> f64 {
        -decay(a)
    }

    fn curvature(&self, a: f64) -> Option<f64> {
        Some(decay(a) * decay(-a))
    }
}
