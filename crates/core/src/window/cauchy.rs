//! The Cauchy (Lorentz) window.

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = log(1 + s / 2), W'(s) = 1 / (2 + s).
const WINDOW: WindowFormula = WindowFormula {
    value: |s| (0.5 * s).ln_1p(),
    derivative: |s| 1.0 / (2.0 + s),
    growth: Growth { slope: 0.5, largest_slope: 0.5, order: 1.0, remainder: 0.25 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "cauchy",
    summary: "log(1 + s/2): grows without bound, redescends slowly",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
