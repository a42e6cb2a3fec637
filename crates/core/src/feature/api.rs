//! The trait of feature maps.

use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::panels::PanelColumn;
use noregret_numeric::state::{StateError, Store};

/// A map phi: R^d -> R^r; <phi(x), phi(z)> is, or approximates, a kernel.
///
/// ```
/// use noregret_core::{feature::taylor::Taylor, kernel::gaussian::Gaussian, prelude::*};
///
/// let map = Taylor::new(1, 12, 1.0).unwrap(); // degree 12, bandwidth 1
/// let features = |x: f64| {
///     let mut out = vec![0.0; map.features()];
///     map.write(&[x], &mut out);
///     out
/// };
/// let product: f64 = features(0.5).iter().zip(features(-0.3)).map(|(a, b)| a * b).sum();
/// assert!((product - Gaussian::new(1.0).evaluate(&[0.5], &[-0.3])).abs() < 1e-12);
/// ```
pub trait FeatureMap: Send + Sync + std::fmt::Debug {
    /// r, the number of features.
    fn features(&self) -> usize;

    /// Writes phi(x); `out` has r entries.
    fn write(&self, x: &[f64], out: &mut [f64]);

    /// Writes phi of every row of `inputs`, row-major.
    fn write_rows(&self, inputs: Rows<'_>, out: &mut [f64]) {
        for (x, out) in inputs.iter().zip(out.chunks_exact_mut(self.features().max(1))) {
            self.write(x, out);
        }
    }

    /// Writes phi of eight inputs side by side: number s of column k is entry k of phi of input s, with the bits of
    /// [`write`](FeatureMap::write). Returns whether it did: a map that is not faster so need not.
    fn write_eight(&self, inputs: [&[f64]; 8], out: &mut [PanelColumn]) -> bool {
        let _ = (inputs, out);
        false
    }

    /// Saves or loads what it holds beyond its parameters and draws: nothing, unless it was made from data.
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state).
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let _ = store;
        Ok(())
    }
}
