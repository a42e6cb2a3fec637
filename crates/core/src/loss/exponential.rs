//! The exponential loss.

use std::sync::Arc;

use crate::loss::api::{AnalyticLoss, Form, Loss, LossEntry};

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "exponential",
    summary: "exp(-a) of the margin a = target prediction (Cesa-Bianchi et al., example 2)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(ExponentialLoss)),
};

/// l(a) = exp(-a) of the margin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExponentialLoss;

impl Loss for ExponentialLoss {
    fn form(&self) -> Form {
        Form::Margin
    }

    fn value(&self, a: f64) -> f64 {
        (-a).exp()
    }

    fn derivative(&self, a: f64) -> f64 {
        -(-a).exp()
    }

    fn analytic(&self) -> Option<&dyn AnalyticLoss> {
        Some(self)
    }
}

impl AnalyticLoss for ExponentialLoss {
    fn curvature(&self, a: f64) -> f64 {
        (-a).exp()
    }

    fn centre(&self) -> f64 {
        0.0
    }

    /// (-1)^(n+1) / n!
    fn coefficient(&self, n: u32) -> f64 {
        // 1 / n! is 0 in double precision from n = 178 on.
        let inverse = (2..=n.min(200)).fold(1.0, |value, k| value / f64::from(k));
        if n.is_multiple_of(2) { -inverse } else { inverse }
    }

    /// exp(-a) gamma_k.
    fn around(&self, a: f64, degree: u32) -> Vec<f64> {
        (0..=degree).map(|k| (-a).exp() * self.coefficient(k)).collect()
    }

    fn majorant(&self, z: f64) -> f64 {
        z.exp()
    }
}
