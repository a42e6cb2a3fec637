//! Random Fourier features of the Gaussian kernel.

use crate::draw::Draw;
use crate::feature::api::FeatureMap;
use crate::linalg::elementary::sin_cos_scaled;
use crate::linalg::matrix::Matrix;
use crate::linalg::vector::add_scaled;

/// z(x) = [sin F x; cos F x] / sqrt(D) for a D x d matrix F of frequencies with rows N(0, I / b^2): 2 D features whose
/// inner product has mean exp(-|x - x'|^2 / (2 b^2)).
///
/// Source: A. Rahimi, B. Recht, Random features for large-scale kernel machines, NIPS 2007.
#[derive(Clone, Debug)]
pub struct Fourier {
    /// F transposed, d x D, so that one coordinate of all frequencies is contiguous.
    turned: Matrix,
    scale: f64,
}

impl Fourier {
    /// Draws `count` >= 1 frequencies on R^`dim` for a kernel of this `bandwidth` > 0.
    pub fn sample(dim: usize, count: usize, bandwidth: f64, draw: &mut Draw) -> Self {
        let mut frequencies = Matrix::zeros(count, dim);
        for entry in frequencies.data_mut() {
            *entry = draw.normal() / bandwidth;
        }
        Self::new(&frequencies)
    }

    /// The map of given frequencies, one per row.
    pub fn new(frequencies: &Matrix) -> Self {
        let (count, dim) = (frequencies.rows(), frequencies.cols());
        let mut turned = Matrix::zeros(dim, count);
        for j in 0..count {
            for k in 0..dim {
                turned.row_mut(k)[j] = frequencies.row(j)[k];
            }
        }
        Self { turned, scale: (count as f64).sqrt().recip() }
    }
}

impl FeatureMap for Fourier {
    fn features(&self) -> usize {
        2 * self.turned.cols()
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        let (sines, cosines) = out.split_at_mut(self.turned.cols());
        // The phases F x first, in place of the sines.
        sines.fill(0.0);
        for (k, x) in x.iter().enumerate() {
            add_scaled(sines, *x, self.turned.row(k));
        }
        sin_cos_scaled(sines, cosines, self.scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};
    use crate::linalg::vector::dot;

    /// The inner product of 200,000 random features within 5 standard errors of the kernel. Each term
    /// cos <f, x - z> has variance at most 1/2, so the bound is 5 sqrt(1 / (2 D)); false-alarm rate below 6e-7.
    #[test]
    fn inner_products_estimate_the_kernel() {
        let count = 200_000;
        let map = Fourier::sample(3, count, 0.7, &mut Draws::named(&["fourier"]).at(Role::Start, 0));
        let (x, z) = ([0.3, -0.2, 0.5], [0.1, 0.4, 0.2]);
        let (mut fx, mut fz) = (vec![0.0; 2 * count], vec![0.0; 2 * count]);
        map.write(&x, &mut fx);
        map.write(&z, &mut fz);
        let kernel = (-(0.04 + 0.36 + 0.09) / (2.0 * 0.49f64)).exp();
        let error = (dot(&fx, &fz) - kernel).abs();
        assert!(error < 5.0 * (0.5 / count as f64).sqrt(), "{error}");
        assert!((dot(&fx, &fx) - 1.0).abs() < 1e-12);
    }
}
