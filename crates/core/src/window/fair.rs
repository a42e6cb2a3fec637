//! The Fair window, a smooth form of the absolute value. W'(0) - W'(s) is of order sqrt s, so condition (3) holds with
//! p = 1/2 and c_p = 1/2, and with no larger p.

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = sqrt s - log(1 + sqrt s), W'(s) = 1 / (2 (1 + sqrt s)).
const WINDOW: WindowFormula = WindowFormula {
    value: |s| {
        let root = s.sqrt();
        if root.is_infinite() { root } else { root - root.ln_1p() }
    },
    derivative: |s| 0.5 / (1.0 + s.sqrt()),
    growth: Growth { slope: 0.5, largest_slope: 0.5, order: 0.5, remainder: 0.5 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "fair",
    summary: "sqrt s - log(1 + sqrt s): convex, linear growth (Fair 1974)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
