//! Tukey's biweight, in the form of the textbooks (the formula is illegible in our copy of the paper).

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = (1 - (1 - s)_+^3) / 3, W'(s) = (1 - s)_+^2: residuals beyond the scale have no weight at all.
const WINDOW: WindowFormula = WindowFormula {
    value: |s| {
        let rest = (1.0 - s).max(0.0);
        // 1 - (1 - s)^3 = s (1 + (1 - s) + (1 - s)^2), without cancellation for small s.
        s.min(1.0) * (1.0 + rest + rest * rest) / 3.0
    },
    derivative: |s| (1.0 - s).max(0.0).powi(2),
    growth: Growth { slope: 1.0, largest_slope: 1.0, order: 1.0, remainder: 2.0 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "tukey",
    summary: "(1 - (1-s)_+^3) / 3: bounded, residuals beyond the scale are ignored (Beaton, Tukey 1974)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
