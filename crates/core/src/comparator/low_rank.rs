//! Explicit features of a kernel on given points: K = F F' to rounding, with as few columns as the kernel needs there.

use crate::comparator::api::ComparatorError;
use crate::kernel::api::Kernel;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::add_scaled;

/// Remainders of k(x_t, x_t) below this fraction of the largest one count as rounding.
const ROUNDING: f64 = 1e-13;

/// The pivoted Cholesky factor F (one row per point) of the Gram matrix, up to a remainder whose diagonal is below
/// 1e-13 of the largest k(x_t, x_t); `None` if that takes more than `limit` columns. For r columns it takes n r
/// evaluations and n r^2 / 2 multiply-adds; the Gram matrix itself is never stored.
///
/// Restricting a function of norm U to these features changes its value at a point by at most U times the square root
/// of the remainder there.
///
/// # Errors
/// When a kernel value is not finite.
pub fn features(kernel: &dyn Kernel, points: Rows<'_>, limit: usize) -> Result<Option<Matrix>, ComparatorError> {
    let n = points.rows();
    let mut rest: Vec<f64> = points.iter().map(|point| kernel.diagonal(point)).collect();
    let floor = ROUNDING * rest.iter().copied().fold(0.0, f64::max);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    loop {
        if rest.iter().any(|value| !value.is_finite()) {
            return Err(ComparatorError::NotFinite(n));
        }
        let Some((pivot, &left)) = rest.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else { break };
        if left <= floor {
            break;
        }
        if columns.len() == limit {
            return Ok(None);
        }
        let mut column = vec![0.0; n];
        kernel.row(points, points.row(pivot), &mut column);
        for earlier in &columns {
            add_scaled(&mut column, -earlier[pivot], earlier);
        }
        let scale = left.sqrt().recip();
        for (value, left) in column.iter_mut().zip(&mut rest) {
            *value *= scale;
            *left -= *value * *value;
        }
        // Zero by construction, and set explicitly so that rounding cannot make it the pivot again.
        rest[pivot] = 0.0;
        columns.push(column);
    }
    let mut features = Matrix::zeros(n, columns.len());
    for (j, column) in columns.iter().enumerate() {
        for (i, value) in column.iter().enumerate() {
            features.row_mut(i)[j] = *value;
        }
    }
    Ok(Some(features))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use crate::kernel::polynomial::Polynomial;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::vector::dot;

    #[test]
    fn features_reproduce_the_kernel_with_few_columns() {
        let (n, mut draw) = (60, Draws::named(&["low rank"]).at(Role::Start, 0));
        let mut points = Matrix::zeros(n, 2);
        points.data_mut().iter_mut().for_each(|entry| *entry = draw.between(-1.0, 1.0));
        // (1 + <x, z>)^2 in two dimensions has 6 monomials.
        let kernels: [(&dyn Kernel, usize); 2] = [(&Polynomial::new(2, 1.0), 6), (&Gaussian::new(1.0), 60)];
        for (kernel, most) in kernels {
            let factor = features(kernel, points.view(), n).unwrap().unwrap();
            assert!(factor.cols() <= most, "{kernel:?}: {}", factor.cols());
            for i in 0..n {
                for j in 0..n {
                    let product = dot(factor.row(i), factor.row(j));
                    let value = kernel.evaluate(points.row(i), points.row(j));
                    assert!((product - value).abs() < 1e-6 * value.abs().max(1.0), "{kernel:?}: {product} {value}");
                }
            }
        }
        assert_eq!(features(&Gaussian::new(0.01), points.view(), 20).unwrap(), None);
    }

    #[test]
    fn no_points_and_points_at_zero_have_no_features() {
        let linear = crate::kernel::linear::Linear;
        for n in [0, 3] {
            let points = Matrix::zeros(n, 2);
            assert_eq!(features(&linear, points.view(), 5).unwrap().unwrap().cols(), 0);
        }
    }
}
