//! The squared loss.

use std::sync::Arc;

use crate::loss::api::{AnalyticLoss, Form, Loss, LossEntry};

/// Registry entry.
pub static ENTRY: LossEntry = LossEntry {
    name: "squared",
    summary: "a^2 of the residual a = prediction - target",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Squared)),
};

/// l(a) = a^2 of the residual.
#[derive(Clone, Copy, Debug)]
pub struct Squared;

impl Loss for Squared {
    fn form(&self) -> Form {
        Form::Residual
    }

    fn value(&self, a: f64) -> f64 {
        a * a
    }

    fn derivative(&self, a: f64) -> f64 {
        2.0 * a
    }

    fn analytic(&self) -> Option<&dyn AnalyticLoss> {
        Some(self)
    }
}

impl AnalyticLoss for Squared {
    fn curvature(&self, _: f64) -> f64 {
        2.0
    }

    fn centre(&self) -> f64 {
        0.0
    }

    fn coefficient(&self, n: u32) -> f64 {
        if n == 1 { 2.0 } else { 0.0 }
    }

    fn around(&self, a: f64, degree: u32) -> Vec<f64> {
        affine([self.derivative(a), 2.0], degree)
    }

    fn majorant(&self, z: f64) -> f64 {
        2.0 * z
    }
}

/// `coefficients` of degrees 0 and 1, and 0 up to `degree`.
pub(crate) fn affine(coefficients: [f64; 2], degree: u32) -> Vec<f64> {
    (0..=degree as usize).map(|k| coefficients.get(k).copied().unwrap_or(0.0)).collect()
}
