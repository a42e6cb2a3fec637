//! Matrix products, Cholesky factors and triangular solves over row-major slices.
//!
//! Products are faer's, always on the calling thread: a sum that is split over threads would depend on their number.
//! (Callers that share work between threads divide it by sizes alone.) Those that are too small for it are the module
//! `modest`'s, and lower triangles of X X' are those of the module `gram`, with the same bits. Products with a vector whose
//! sums run along both operands are computed here, because faer divides these sums by the width of the registers. The
//! factorisation and the solve divide recursively down to blocks that the module `lanes` handles. They are written here
//! because faer 0.24's factorisation does not store the pivots that it lifts.

use std::cell::RefCell;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::linalg::gram::add_products_lower;
use crate::linalg::modest::DEPTH;
use crate::linalg::panels::{Panels, SIDE};
use crate::linalg::vector::dot;
use crate::linalg::{lanes, modest};

pub use crate::linalg::lanes::NotFinite;
pub use crate::linalg::modest::spare;

/// The most rows that are copied into panels at once, so that the copy takes at most 768 KiB.
const LARGEST: usize = 192;

thread_local! {
    /// They stay, because clearing them takes as long as a small product.
    static PANELS: RefCell<Panels> = RefCell::new(Panels::default());
}

/// A view of row-major data whose rows start `stride` apart.
pub fn view(data: &[f64], rows: usize, cols: usize, stride: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice_with_stride(data, rows, cols, stride)
}

/// A mutable view of row-major data whose rows start `stride` apart.
pub fn view_mut(data: &mut [f64], rows: usize, cols: usize, stride: usize) -> MatMut<'_, f64> {
    // Not `from_row_major_slice_with_stride_mut`, which in faer 0.24.4 swaps the strides and so runs out of the slice.
    MatMut::from_column_major_slice_with_stride_mut(data, cols, rows, stride).transpose_mut()
}

/// `out = lhs rhs`.
pub fn product(mut out: MatMut<'_, f64>, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    if is_dots(&out, &lhs, &rhs) {
        return dots(lhs, rhs, |i, j, sum| out[(i, j)] = sum);
    }
    if modest::suits(&out, &lhs) {
        return modest::product(out, Accum::Replace, 1.0, lhs, rhs);
    }
    matmul(out, Accum::Replace, lhs, rhs, 1.0, Par::Seq);
}

/// `out += factor lhs rhs`.
pub(crate) fn add_product(mut out: MatMut<'_, f64>, factor: f64, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    if is_dots(&out, &lhs, &rhs) {
        return dots(lhs, rhs, |i, j, sum| out[(i, j)] += factor * sum);
    }
    if modest::suits(&out, &lhs) {
        return modest::product(out, Accum::Add, factor, lhs, rhs);
    }
    matmul(out, Accum::Add, lhs, rhs, factor, Par::Seq);
}

/// Whether the product is a vector, and each entry a sum along contiguous numbers of both operands.
fn is_dots(out: &MatMut<'_, f64>, lhs: &MatRef<'_, f64>, rhs: &MatRef<'_, f64>) -> bool {
    out.nrows().min(out.ncols()) == 1 && lhs.ncols() > 1 && lhs.col_stride() == 1 && rhs.row_stride() == 1
}

/// Hands out (i, j, entry) of such a product.
fn dots(lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>, mut give: impl FnMut(usize, usize, f64)) {
    for (i, row) in lhs.row_iter().enumerate() {
        for (j, col) in rhs.col_iter().enumerate() {
            if let (Some(row), Some(col)) = (row.try_as_row_major(), col.try_as_col_major()) {
                give(i, j, dot(row.as_slice(), col.as_slice()));
            }
        }
    }
}

/// `out += factor x x'` on and below the diagonal of the square `out`, whose rows are contiguous; entries above it stay as
/// they are.
pub fn add_gram_lower(out: MatMut<'_, f64>, factor: f64, x: MatRef<'_, f64>) {
    let n = x.nrows();
    if n > LARGEST {
        let half = (n / 2).next_multiple_of(SIDE);
        let (upper, lower) = x.split_at_row(half);
        let (first, _, mut rectangle, last) = out.split_at_mut(half, half);
        add_gram_lower(first, factor, upper);
        add_product(rectangle.as_mut(), factor, lower, upper.transpose());
        return add_gram_lower(last, factor, lower);
    }
    PANELS.with_borrow_mut(|panels| {
        let mut out = out;
        for from in (0..x.ncols()).step_by(DEPTH) {
            panels.copy(x.subcols(from, DEPTH.min(x.ncols() - from)));
            add_products_lower(out.as_mut(), factor, panels, 0);
        }
    });
}

/// `rhs = rhs L^-T` for the `n` x `n` lower triangle of `lower` (rows `lower_stride` apart) and the first `n` columns
/// of the `rows` rows of `rhs` (`stride` apart): row by row, the solution x of L x = rhs.
pub fn solve_rows(lower: &[f64], lower_stride: usize, n: usize, rhs: &mut [f64], stride: usize, rows: usize) {
    if rows == 0 || n == 0 {
        return;
    }
    if n <= lanes::LARGEST {
        return lanes::solve_rows(lower, lower_stride, n, rhs, stride, rows);
    }
    let half = split(n);
    solve_rows(lower, lower_stride, half, rhs, stride, rows);
    let below = &lower[half * lower_stride..];
    let (left, right) = view_mut(rhs, rows, n, stride).split_at_col_mut(half);
    add_product(right, -1.0, left.as_ref(), view(below, n - half, half, lower_stride).transpose());
    solve_rows(&below[half..], lower_stride, n - half, &mut rhs[half..], stride, rows);
}

/// Where to divide `n` columns: near the middle, at a multiple of every vector width.
fn split(n: usize) -> usize {
    (n / 2).next_multiple_of(16)
}

/// The least squared pivot to accept in the Cholesky factor of K + lambda I with K positive semidefinite and `largest`
/// the largest diagonal entry of K + lambda I: `lambda`, its lower bound in exact arithmetic, or the rounding of the
/// entries if that is more. (A pivot that is pure rounding would be amplified from row to row, without bound.)
pub fn pivot_floor(lambda: f64, largest: f64) -> f64 {
    lambda.max(16.0 * f64::EPSILON * largest)
}

/// Whether a squared pivot of such a factor shows that K + lambda I is singular to working precision: lambda is lost in
/// the rounding of the entries, and the pivot does not exceed that rounding.
pub fn is_lost(squared_pivot: f64, lambda: f64, largest: f64) -> bool {
    let floor = pivot_floor(lambda, largest);
    floor > lambda && squared_pivot <= floor * (1.0 + 1e-12)
}

/// Replaces the lower triangle of the `n` x `n` row-major matrix at `a` (rows `stride` apart) by its Cholesky factor.
/// Entries above the diagonal have no effect and stay as they are.
///
/// The matrices are positive-semidefinite plus a multiple of the identity, so that their squared pivots have a lower
/// bound `floor` > 0 (see [`pivot_floor`]). A pivot that rounding has put below it is lifted back. The factor therefore
/// exists unless an entry is not finite.
pub fn cholesky(a: &mut [f64], n: usize, stride: usize, floor: f64) -> Result<(), NotFinite> {
    if n <= lanes::LARGEST {
        return lanes::cholesky(a, n, stride, floor);
    }
    let half = split(n);
    cholesky(a, half, stride, floor)?;
    let (top, bottom) = a.split_at_mut(half * stride);
    solve_rows(top, stride, half, bottom, stride, n - half);
    let (left, right) = view_mut(bottom, n - half, n, stride).split_at_col_mut(half);
    add_gram_lower(right, -1.0, left.as_ref());
    cholesky(&mut bottom[half..], n - half, stride, floor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    /// F F' + floor I for a random F with `rank` columns, row-major with the given stride.
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
        for (n, stride) in [(1, 1), (5, 7), (16, 16), (17, 20), (40, 40), (127, 127), (150, 160), (300, 301)] {
            let matrix = positive(n, n, 0.1, stride);
            let mut factor = matrix.clone();
            cholesky(&mut factor, n, stride, 0.1).unwrap();
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
        cholesky(&mut matrix, n, n, floor).unwrap();
        assert!((1..n).all(|i| (floor.sqrt()..1e-6).contains(&matrix[i * n + i])));
    }

    #[test]
    fn a_matrix_that_is_not_finite_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut matrix = positive(9, 9, 1.0, 9);
            matrix[7 * 9 + 3] = bad;
            assert_eq!(cholesky(&mut matrix, 9, 9, 1.0), Err(NotFinite));
        }
    }

    /// The same product of data at different addresses has the same bits: results must not depend on where the
    /// allocator puts a matrix.
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
                add_gram_lower(view_mut(&mut out[shift..], m, m, m), 0.5, lhs);
                results.push(out[shift..].to_vec());
            }
            assert!(results.iter().all(|result| result == &results[0]), "{m} x {k}");
        }
    }
}
