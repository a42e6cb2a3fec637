//! The Welsch window, the loss of the maximum correntropy criterion.

use std::sync::Arc;

use crate::window::api::{Growth, Window, WindowEntry};

/// W(s) = 1 - exp(-s / 2), W'(s) = exp(-s / 2) / 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Welsch;

impl Window for Welsch {
    fn value(&self, s: f64) -> f64 {
        -(-0.5 * s).exp_m1()
    }

    fn derivative(&self, s: f64) -> f64 {
        0.5 * (-0.5 * s).exp()
    }

    fn growth(&self) -> Growth {
        Growth { slope: 0.5, largest_slope: 0.5, order: 1.0, remainder: 0.25 }
    }
}

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "welsch",
    summary: "1 - exp(-s/2): bounded, gross outliers have no weight (correntropy)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Welsch)),
};
