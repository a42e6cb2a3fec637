//! What a feature map is.

use crate::linalg::matrix::Rows;

/// A map phi: R^d -> R^r; <phi(x), phi(z)> is, or approximates, a kernel.
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
}
