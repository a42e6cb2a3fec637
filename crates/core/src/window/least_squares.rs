//! Least squares as a window, for comparison: the scale has no effect.

use std::sync::Arc;

use crate::window::api::{Growth, Window, WindowEntry};

/// W(s) = s, W'(s) = 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeastSquares;

impl Window for LeastSquares {
    fn value(&self, s: f64) -> f64 {
        s
    }

    fn derivative(&self, _: f64) -> f64 {
        1.0
    }

    fn growth(&self) -> Growth {
        Growth { slope: 1.0, largest_slope: 1.0, order: 1.0, remainder: 0.0 }
    }
}

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "least-squares",
    summary: "s: the loss is u^2 / 2 whatever the scale",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(LeastSquares)),
};
