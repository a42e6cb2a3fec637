//! Least squares as a window, for comparison: the scale has no effect.

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = s, W'(s) = 1.
const WINDOW: WindowFormula = WindowFormula {
    value: |s| s,
    derivative: |_| 1.0,
    growth: Growth { slope: 1.0, largest_slope: 1.0, order: 1.0, remainder: 0.0 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "least-squares",
    summary: "s: the loss is u^2 / 2 whatever the scale",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
