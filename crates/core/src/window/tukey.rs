//! Tukey's biweight, in the form of the textbooks (the formula is illegible in our copy of the paper).

use std::sync::Arc;

use crate::window::api::{Growth, Window, WindowEntry};

/// W(s) = (1 - (1 - s)_+^3) / 3, W'(s) = (1 - s)_+^2: residuals beyond the scale have no weight at all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tukey;

impl Window for Tukey {
    fn value(&self, s: f64) -> f64 {
        let rest = (1.0 - s).max(0.0);
        // 1 - (1 - s)^3 = s (1 + (1 - s) + (1 - s)^2), without cancellation for small s.
        s.min(1.0) * (1.0 + rest + rest * rest) / 3.0
    }

    fn derivative(&self, s: f64) -> f64 {
        (1.0 - s).max(0.0).powi(2)
    }

    fn growth(&self) -> Growth {
        Growth { slope: 1.0, largest_slope: 1.0, order: 1.0, remainder: 2.0 }
    }
}

/// Registry entry.
pub(crate) static ENTRY: WindowEntry = WindowEntry {
    name: "tukey",
    summary: "(1 - (1-s)_+^3) / 3: bounded, residuals beyond the scale are ignored (Beaton, Tukey 1974)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(Tukey)),
};
