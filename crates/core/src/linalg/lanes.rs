//! Triangular solves and Cholesky factors of small matrices, for as many rows side by side as two vector registers
//! hold.
//!
//! Lanes are independent and every product is fused with its sum, so that results have the same bits whatever the width
//! of the registers. Vectors are written out, because compilers do not reliably turn loops over triangles into vector
//! instructions.

use pulp::{Simd, WithSimd};

use crate::linalg::simd::arch;

/// The largest size of matrix: up to it, the solution stays in the fastest cache.
pub const LARGEST: usize = 128;

/// A matrix has no Cholesky factor in floating point, because an entry is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not finite: its entries overflowed")]
pub struct NotFinite;

/// Two of the widest registers.
const WIDEST: usize = 16;

/// One entry of each of the rows that are solved side by side.
type Pair<S> = [<S as Simd>::f64s; 2];

/// As `solve_rows` of the module `dense`, for `n` <= [`LARGEST`].
pub fn solve_rows(lower: &[f64], lower_stride: usize, n: usize, rhs: &mut [f64], stride: usize, rows: usize) {
    arch().dispatch(Solve { lower, lower_stride, n, rhs, stride, rows });
}

/// As `cholesky` of the module `dense`, for `n` <= [`LARGEST`].
pub fn cholesky(a: &mut [f64], n: usize, stride: usize, floor: f64) -> Result<(), NotFinite> {
    arch().dispatch(Factorise { a, n, stride, floor })
}

struct Solve<'a> {
    lower: &'a [f64],
    lower_stride: usize,
    n: usize,
    rhs: &'a mut [f64],
    stride: usize,
    rows: usize,
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { lower, lower_stride, n, rhs, stride, rows } = self;
        let width = 2 * S::F64_LANES;
        let mut lanes = [0.0; WIDEST * LARGEST];
        for first in (0..rows).step_by(width) {
            let side = width.min(rows - first);
            let rows = &mut rhs[first * stride..];
            load(rows, stride, n, side, width, &mut lanes);
            solve(simd, lower, lower_stride, pairs::<S>(&mut lanes[..n * width]));
            store(&lanes, rows, stride, n, side, width);
        }
    }
}

struct Factorise<'a> {
    a: &'a mut [f64],
    n: usize,
    stride: usize,
    floor: f64,
}

impl WithSimd for Factorise<'_> {
    type Output = Result<(), NotFinite>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { a, n, stride, floor } = self;
        let width = 2 * S::F64_LANES;
        let mut lanes = [0.0; WIDEST * LARGEST];
        // A few rows at a time: the entries left of the diagonal block by a solve, then the block itself, four columns
        // at a time.
        for first in (0..n).step_by(width) {
            let side = width.min(n - first);
            let (above, own) = a.split_at_mut(first * stride);
            load(own, stride, first, side, width, &mut lanes);
            solve(simd, above, stride, pairs::<S>(&mut lanes[..first * width]));
            store(&lanes, own, stride, first, side, width);
            for from in (first..first + side).step_by(4) {
                let count = 4.min(first + side - from);
                let (known, sums) = pairs::<S>(&mut lanes).split_at_mut(from);
                let row = |k: usize| &own[(from - first + k) * stride..][..from];
                if count == 4 {
                    sums[..4].copy_from_slice(&combine(simd, known, [row(0), row(1), row(2), row(3)]));
                } else {
                    for (k, sum) in sums[..count].iter_mut().enumerate() {
                        *sum = combine_one(simd, known, row(k));
                    }
                }
                for j in from..from + count {
                    let (earlier, column) = lanes[from * width..].split_at_mut((j - from) * width);
                    let column = &mut column[..width];
                    for s in j - first..side {
                        let explained = earlier
                            .chunks_exact(width)
                            .fold(column[s], |sum, earlier| earlier[s].mul_add(earlier[j - first], sum));
                        column[s] = own[s * stride + j] - explained;
                    }
                    // An infinite entry shows in its own row, as an infinite or undefined pivot.
                    let pivot = column[j - first];
                    if !pivot.is_finite() {
                        return Err(NotFinite);
                    }
                    let diagonal = pivot.max(floor).sqrt();
                    let inverse = diagonal.recip();
                    column[j - first] = diagonal;
                    own[(j - first) * stride + j] = diagonal;
                    for s in j - first + 1..side {
                        column[s] *= inverse;
                        own[s * stride + j] = column[s];
                    }
                }
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn pairs<S: Simd>(lanes: &mut [f64]) -> &mut [Pair<S>] {
    S::as_mut_simd_f64s(lanes).0.as_chunks_mut::<2>().0
}

/// Loads the first `n` entries of `side` rows, one row to a lane.
#[inline(always)]
fn load(rows: &[f64], stride: usize, n: usize, side: usize, width: usize, lanes: &mut [f64]) {
    let lanes = &mut lanes[..n * width];
    let whole = if side.is_multiple_of(4) { n - n % 4 } else { 0 };
    // In squares of 4 x 4, so that both reads and writes are local.
    for s in (0..side).step_by(4).take_while(|_| whole > 0) {
        let row = |k: usize| rows[(s + k) * stride..][..whole].as_chunks::<4>().0;
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        for ((((a, b), c), d), square) in a.iter().zip(b).zip(c).zip(d).zip(lanes.chunks_exact_mut(4 * width)) {
            for k in 0..4 {
                square[k * width + s..][..4].copy_from_slice(&[a[k], b[k], c[k], d[k]]);
            }
        }
    }
    for s in 0..side {
        for (lane, value) in lanes.chunks_exact_mut(width).zip(&rows[s * stride..][..n]).skip(whole) {
            lane[s] = *value;
        }
    }
}

#[inline(always)]
fn store(lanes: &[f64], rows: &mut [f64], stride: usize, n: usize, side: usize, width: usize) {
    for s in 0..side {
        for (lane, value) in lanes.chunks_exact(width).zip(&mut rows[s * stride..][..n]) {
            *value = lane[s];
        }
    }
}

/// `lanes` = L^-1 `lanes`.
#[inline(always)]
fn solve<S: Simd>(simd: S, lower: &[f64], stride: usize, lanes: &mut [Pair<S>]) {
    let n = lanes.len();
    let whole = n - n % 4;
    for i in (0..whole).step_by(4) {
        let (solved, rest) = lanes.split_at_mut(i);
        let row = |k: usize| &lower[(i + k) * stride..][..i + k + 1];
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        let [sum_a, sum_b, sum_c, sum_d] = combine(simd, solved, [a, b, c, d]);
        let rest = &mut rest[..4];
        let x = remainder(simd, rest[0], sum_a, a[i]);
        let y = remainder(simd, rest[1], add_times(simd, sum_b, x, b[i]), b[i + 1]);
        let sum_c = add_times(simd, add_times(simd, sum_c, x, c[i]), y, c[i + 1]);
        let z = remainder(simd, rest[2], sum_c, c[i + 2]);
        let sum_d = add_times(simd, add_times(simd, add_times(simd, sum_d, x, d[i]), y, d[i + 1]), z, d[i + 2]);
        let w = remainder(simd, rest[3], sum_d, d[i + 3]);
        rest.copy_from_slice(&[x, y, z, w]);
    }
    for i in whole..n {
        let (solved, rest) = lanes.split_at_mut(i);
        let row = &lower[i * stride..][..i + 1];
        rest[0] = remainder(simd, rest[0], combine_one(simd, solved, row), row[i]);
    }
}

/// sum_j `solved`_j `rows`_kj for four rows. Eight sums at once hide the latency of one.
#[inline(always)]
fn combine<S: Simd>(simd: S, solved: &[Pair<S>], rows: [&[f64]; 4]) -> [Pair<S>; 4] {
    let n = solved.len();
    let (a, b, c, d) = (&rows[0][..n], &rows[1][..n], &rows[2][..n], &rows[3][..n]);
    let zero = simd.splat_f64s(0.0);
    let (mut a_sum, mut b_sum, mut c_sum, mut d_sum) = ([zero; 2], [zero; 2], [zero; 2], [zero; 2]);
    for j in 0..n {
        a_sum = add_times(simd, a_sum, solved[j], a[j]);
        b_sum = add_times(simd, b_sum, solved[j], b[j]);
        c_sum = add_times(simd, c_sum, solved[j], c[j]);
        d_sum = add_times(simd, d_sum, solved[j], d[j]);
    }
    [a_sum, b_sum, c_sum, d_sum]
}

#[inline(always)]
fn combine_one<S: Simd>(simd: S, solved: &[Pair<S>], row: &[f64]) -> Pair<S> {
    let zero = [simd.splat_f64s(0.0); 2];
    solved.iter().zip(row).fold(zero, |sum, (x, factor)| add_times(simd, sum, *x, *factor))
}

/// `sum + x factor`.
#[inline(always)]
fn add_times<S: Simd>(simd: S, sum: Pair<S>, x: Pair<S>, factor: f64) -> Pair<S> {
    let factor = simd.splat_f64s(factor);
    [simd.mul_add_f64s(x[0], factor, sum[0]), simd.mul_add_f64s(x[1], factor, sum[1])]
}

/// `(x - sum) / diagonal`, by the reciprocal.
#[inline(always)]
fn remainder<S: Simd>(simd: S, x: Pair<S>, sum: Pair<S>, diagonal: f64) -> Pair<S> {
    let inverse = simd.splat_f64s(diagonal.recip());
    let one = |x, sum| simd.mul_f64s(simd.sub_f64s(x, sum), inverse);
    [one(x[0], sum[0]), one(x[1], sum[1])]
}
