//! Matrix products, Cholesky factors and triangular solves over row-major slices.
//!
//! All work is done by faer on the calling thread: cells are the unit of parallelism, and a sum that is split over
//! threads would depend on their number.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Auto, MatMut, MatRef, Par};

/// The least squared pivot to accept in the Cholesky factor of K + lambda I with K positive semidefinite and
/// `largest` the largest diagonal entry of K + lambda I: `lambda`, its lower bound in exact arithmetic, or the rounding
/// of the entries where that is more. (A pivot of pure rounding would be amplified from row to row, without bound.)
pub fn pivot_floor(lambda: f64, largest: f64) -> f64 {
    lambda.max(16.0 * f64::EPSILON * largest)
}

/// A matrix has no Cholesky factor in floating point: an entry is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not finite: its entries overflowed")]
pub struct NotFinite;

/// A view of row-major data whose rows start `stride` apart.
pub fn view(data: &[f64], rows: usize, cols: usize, stride: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice_with_stride(data, rows, cols, stride)
}

/// A mutable view of row-major data whose rows start `stride` apart.
pub fn view_mut(data: &mut [f64], rows: usize, cols: usize, stride: usize) -> MatMut<'_, f64> {
    // Not `from_row_major_slice_with_stride_mut`: in faer 0.24.4 it swaps the strides and so leaves the slice.
    MatMut::from_column_major_slice_with_stride_mut(data, cols, rows, stride).transpose_mut()
}

/// `out = lhs rhs`.
pub fn product(out: MatMut<'_, f64>, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    matmul(out, Accum::Replace, lhs, rhs, 1.0, Par::Seq);
}

/// `out += factor lhs rhs`.
pub fn add_product(out: MatMut<'_, f64>, factor: f64, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    matmul(out, Accum::Add, lhs, rhs, factor, Par::Seq);
}

/// `out += factor lhs rhs` on and below the diagonal of the square `out`; what is above stays as it is.
pub fn add_product_lower(out: MatMut<'_, f64>, factor: f64, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    use BlockStructure::{Rectangular, TriangularLower};
    triangular::matmul(out, TriangularLower, Accum::Add, lhs, Rectangular, rhs, Rectangular, factor, Par::Seq);
}

/// `rhs = L^-1 rhs` for the lower triangle of `lower`.
pub fn solve_lower(lower: MatRef<'_, f64>, rhs: MatMut<'_, f64>) {
    if rhs.ncols() > 0 {
        solve_lower_triangular_in_place(lower, rhs, Par::Seq);
    }
}

/// Replaces the lower triangle of the `n` x `n` row-major matrix at `a` (rows `stride` apart) by its Cholesky factor.
///
/// The matrices here are a positive-semidefinite matrix plus a multiple of the identity, so their squared pivots have
/// a lower bound `floor` (see [`pivot_floor`]); one that rounding put below it is lifted back. The factor therefore
/// exists unless an entry is not finite. `workspace` is scratch, kept between calls to save the allocation.
pub fn cholesky(a: &mut [f64], n: usize, stride: usize, floor: f64, workspace: &mut Vec<f64>) -> Result<(), NotFinite> {
    if (0..n).any(|i| a[i * stride..i * stride + i + 1].iter().any(|entry| !entry.is_finite())) {
        return Err(NotFinite);
    }
    // faer's base case is vectorised for column-major matrices only, so the factor is made there.
    workspace.resize(n * n, 0.0);
    copy_lower_transposed(a, stride, workspace, n, n);
    let lift = LltRegularization { dynamic_regularization_delta: floor, dynamic_regularization_epsilon: floor };
    let params = <LltParams as Auto<f64>>::auto().into();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, params));
    let matrix = MatMut::from_column_major_slice_mut(&mut workspace[..n * n], n, n);
    cholesky_in_place(matrix, lift, Par::Seq, MemStack::new(&mut memory), params).map_err(|_| NotFinite)?;
    for i in 0..n {
        if !workspace[i * n + i].is_finite() {
            return Err(NotFinite);
        }
    }
    copy_upper_transposed(workspace, n, a, stride, n);
    Ok(())
}

/// Side of the squares in which matrices are transposed, so that both sides stay in the cache.
const TILE: usize = 16;

/// `to[j, i] = from[i, j]` for j <= i < n.
fn copy_lower_transposed(from: &[f64], from_stride: usize, to: &mut [f64], to_stride: usize, n: usize) {
    for rows in (0..n).step_by(TILE) {
        for cols in (0..=rows).step_by(TILE) {
            for i in rows..n.min(rows + TILE) {
                for j in cols..(i + 1).min(cols + TILE) {
                    to[j * to_stride + i] = from[i * from_stride + j];
                }
            }
        }
    }
}

/// `to[i, j] = from[j, i]` for j <= i < n.
fn copy_upper_transposed(from: &[f64], from_stride: usize, to: &mut [f64], to_stride: usize, n: usize) {
    for rows in (0..n).step_by(TILE) {
        for cols in (0..=rows).step_by(TILE) {
            for i in rows..n.min(rows + TILE) {
                for j in cols..(i + 1).min(cols + TILE) {
                    to[i * to_stride + j] = from[j * from_stride + i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    /// F F' + floor I for a random F of `rank` columns, row-major with the given stride.
    fn positive(n: usize, rank: usize, floor: f64, stride: usize) -> Vec<f64> {
        let mut draw = Draws::named(&["dense"]).at(Role::Start, n as u64);
        let factor: Vec<f64> = (0..n * rank).map(|_| draw.normal()).collect();
        let mut matrix = vec![f64::NAN; n * stride];
        for i in 0..n {
            for j in 0..=i {
                let product: f64 = (0..rank).map(|k| factor[i * rank + k] * factor[j * rank + k]).sum();
                matrix[i * stride + j] = product + if i == j { floor } else { 0.0 };
            }
        }
        matrix
    }

    #[test]
    fn cholesky_multiplies_back_and_leaves_the_upper_triangle() {
        for (n, stride) in [(1, 1), (5, 7), (40, 40), (150, 160)] {
            let matrix = positive(n, n, 0.1, stride);
            let mut factor = matrix.clone();
            cholesky(&mut factor, n, stride, 0.1, &mut Vec::new()).unwrap();
            let scale = n as f64;
            for i in 0..n {
                for j in 0..=i {
                    let product: f64 = (0..=j).map(|k| factor[i * stride + k] * factor[j * stride + k]).sum();
                    assert!((product - matrix[i * stride + j]).abs() < 1e-13 * scale, "{n} {i} {j}");
                }
                assert!(factor[i * stride + i + 1..(i + 1) * stride].iter().all(|entry| entry.is_nan()));
            }
        }
    }

    #[test]
    fn pivots_stay_at_the_floor() {
        // Rank 1 with a lambda far below rounding: every pivot but the first comes out as noise.
        let n = 150;
        let mut matrix = positive(n, 1, 1e-20, n);
        let floor = pivot_floor(1e-20, (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max));
        cholesky(&mut matrix, n, n, floor, &mut Vec::new()).unwrap();
        assert!((1..n).all(|i| (floor.sqrt()..1e-6).contains(&matrix[i * n + i])));
    }

    #[test]
    fn a_matrix_that_is_not_finite_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut matrix = positive(9, 9, 1.0, 9);
            matrix[7 * 9 + 3] = bad;
            assert_eq!(cholesky(&mut matrix, 9, 9, 1.0, &mut Vec::new()), Err(NotFinite));
        }
    }

    /// The same product from data at different addresses has the same bits: results may not depend on where the
    /// allocator put a matrix.
    #[test]
    fn products_do_not_depend_on_addresses() {
        let mut draw = Draws::named(&["address"]).at(Role::Start, 0);
        let data: Vec<f64> = (0..70 * 50).map(|_| draw.normal()).collect();
        for (m, k) in [(70, 50), (7, 500), (1, 300), (33, 3)] {
            let mut results = Vec::new();
            for shift in 0..8 {
                let mut moved = vec![0.0; shift];
                moved.extend_from_slice(&data[..m * k]);
                let lhs = view(&moved[shift..], m, k, k);
                let mut out = vec![0.0; shift + m * m];
                product(view_mut(&mut out[shift..], m, m, m), lhs, lhs.transpose());
                add_product_lower(view_mut(&mut out[shift..], m, m, m), 0.5, lhs, lhs.transpose());
                results.push(out[shift..].to_vec());
            }
            assert!(results.iter().all(|result| result == &results[0]), "{m} x {k}");
        }
    }
}
