//! The Geman-McClure window, in the form of the textbooks (the formula is illegible in our copy of the paper).

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = s / (1 + s), W'(s) = (1 + s)^-2.
const WINDOW: WindowFormula = WindowFormula {
    value: |s| if s < 1.0 { s / (1.0 + s) } else { 1.0 / (1.0 + 1.0 / s) },
    derivative: |s| (1.0 + s).powi(-2),
    growth: Growth { slope: 1.0, largest_slope: 1.0, order: 1.0, remainder: 2.0 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "geman-mcclure",
    summary: "s / (1 + s): bounded (Geman, McClure 1987)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
