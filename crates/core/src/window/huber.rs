//! The Huber window, for comparison: its influence is bounded but does not redescend.

use std::sync::Arc;

use crate::window::api::{Growth, WindowEntry, WindowFormula};

/// W(s) = s for s <= 1 and 2 sqrt s - 1 for s > 1; W'(s) = min(1, s^-1/2).
const WINDOW: WindowFormula = WindowFormula {
    value: |s| if s <= 1.0 { s } else { 2.0 * s.sqrt() - 1.0 },
    derivative: |s| if s <= 1.0 { 1.0 } else { s.sqrt().recip() },
    growth: Growth { slope: 1.0, largest_slope: 1.0, order: 1.0, remainder: 4.0 / 27.0 },
};

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "huber",
    summary: "s up to 1, then 2 sqrt s - 1: convex (Huber 1964)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(WINDOW)),
};
