//! The squared loss of the margin.

use std::sync::Arc;

use crate::loss::api::{AnalyticLoss, Form, Loss, LossEntry};
use crate::loss::squared::affine;

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "squared-margin",
    summary: "(1 - a)^2 of the margin a = target prediction; the squared loss for targets -1 and +1",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(SquaredMargin)),
};

/// l(a) = (1 - a)^2 of the margin.
#[derive(Clone, Copy, Debug)]
pub struct SquaredMargin;

impl Loss for SquaredMargin {
    fn form(&self) -> Form {
        Form::Margin
    }

    fn value(&self, a: f64) -> f64 {
        (1.0 - a) * (1.0 - a)
    }

    fn derivative(&self, a: f64) -> f64 {
        2.0 * (a - 1.0)
    }

    fn analytic(&self) -> Option<&dyn AnalyticLoss> {
        Some(self)
    }
}

impl AnalyticLoss for SquaredMargin {
    fn curvature(&self, _: f64) -> f64 {
        2.0
    }

    fn centre(&self) -> f64 {
        0.0
    }

    fn coefficient(&self, n: u32) -> f64 {
        match n {
            0 => -2.0,
            1 => 2.0,
            _ => 0.0,
        }
    }

    fn around(&self, a: f64, degree: u32) -> Vec<f64> {
        affine([self.derivative(a), 2.0], degree)
    }

    fn majorant(&self, z: f64) -> f64 {
        2.0 + 2.0 * z
    }
}
