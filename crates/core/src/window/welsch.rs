//! The Welsch window, the loss of the maximum correntropy criterion.

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = 1 - exp(-s / 2), W'(s) = exp(-s / 2) / 2.
const WINDOW: WindowFormula = WindowFormula {
    value: |s| -(-0.5 * s).exp_m1(),
    derivative: |s| 0.5 * (-0.5 * s).exp(),
    growth: Growth { slope: 0.5, largest_slope: 0.5, order: 1.0, remainder: 0.25 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "welsch",
    summary: "1 - exp(-s/2): bounded, gross outliers have no weight (correntropy)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
