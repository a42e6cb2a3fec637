//! The pinball loss, which a quantile minimises.

use std::sync::Arc;

use crate::loss::api::{Form, Loss, LossEntry};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};

parameters! {
    /// Parameters of [`Pinball`].
    pub(crate) struct PinballParams {
        /// the quantile that is predicted
        tau: f64 = Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.5);
    }
}

/// Registry entry.
pub(crate) static ENTRY: LossEntry = LossEntry {
    name: "pinball",
    summary: "tau (-a) for a < 0 and (1 - tau) a for a > 0, of the residual a = prediction - target",
    module: module_path!(),
    params: PinballParams::SPECS,
    build: |params| Ok(Arc::new(Pinball { tau: PinballParams::read(params).tau })),
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
