//! The pinball loss, which a quantile minimises.

use std::sync::Arc;

use crate::loss::api::{Form, Loss, LossEntry};
use crate::params::{Range, Spec};

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "pinball",
    summary: "tau (-a) for a < 0 and (1 - tau) a for a > 0, of the residual a = prediction - target",
    module: module_path!(),
    params: &[Spec::real(
        "tau",
        "the quantile that is predicted",
        Range { min: 0.0, min_open: true, max: 1.0, max_open: true },
        0.5,
    )],
    build: |params| Ok(Arc::new(Pinball { tau: params.real("tau") })),
};

/// l(a) = max(-tau a, (1 - tau) a) of the residual; not analytic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pinball {
    /// The quantile, between 0 and 1.
    pub tau: f64,
}

impl Loss for Pinball {
    fn form(&self) -> Form {
        Form::Residual
    }

    fn value(&self, a: f64) -> f64 {
        (-self.tau * a).max((1.0 - self.tau) * a)
    }

    fn derivative(&self, a: f64) -> f64 {
        match a {
            a if a < 0.0 => -self.tau,
            0.0 => 0.5 - self.tau,
            _ => 1.0 - self.tau,
        }
    }
}
