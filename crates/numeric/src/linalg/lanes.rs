//! Triangular solves and Cholesky factors of small matrices, for as many rows side by side as two or four vector
//! registers hold.
//!
//! Lanes are independent and every product is fused with its sum, so that results have the same bits whatever the width
//! of the registers. Vectors are written out, because compilers do not reliably turn loops over triangles into vector
//! instructions.

use std::array;
use std::cell::RefCell;

use pulp::{Simd, WithSimd};

use crate::linalg::simd::arch;
use crate::linalg::turn::{load, store};

/// The largest size of matrix: up to it, the solution stays in the fastest cache.
pub(super) const LARGEST: usize = 128;

/// A matrix has no Cholesky factor in floating point, because an entry is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not finite: its entries overflowed")]
pub struct NotFinite;

/// The most numbers side by side: four of the widest registers.
const WIDEST: usize = 32;

/// One entry of each of the rows that are solved side by side, in `R` registers.
type LaneEntry<S, const R: usize> = [<S as Simd>::f64s; R];

/// Numbers that stay from call to call, because clearing them would take as long as a small solve; they start where
/// registers are read fastest.
#[repr(align(64))]
struct LaneMemory([f64; WIDEST * LARGEST]);

thread_local! {
    static LANES: RefCell<LaneMemory> = const { RefCell::new(LaneMemory([0.0; WIDEST * LARGEST])) };
}

/// As `solve_rows` of the module `dense`, for `n` <= [`LARGEST`].
pub(super) fn solve_rows(lower: &[f64], lower_stride: usize, n: usize, rhs: &mut [f64], stride: usize, rows: usize) {
    LANES.with_borrow_mut(|LaneMemory(lanes)| {
        arch().dispatch(SolveLanes { lower, lower_stride, n, rhs, stride, rows, lanes })
    });
}

/// As `cholesky` of the module `dense`, for `n` <= [`LARGEST`].
pub(super) fn cholesky(a: &mut [f64], n: usize, stride: usize, floor: f64) -> Result<(), NotFinite> {
    LANES.with_borrow_mut(|LaneMemory(lanes)| arch().dispatch(FactoriseLanes { a, n, stride, floor, lanes }))
}

struct SolveLanes<'a> {
    lower: &'a [f64],
    lower_stride: usize,
    n: usize,
    rhs: &'a mut [f64],
    stride: usize,
    rows: usize,
    lanes: &'a mut [f64],
}

impl SolveLanes<'_> {
    /// Solves for as many rows from `first` on as `R` registers hold; returns the first row that is left.
    #[inline(always)]
    fn advance<S: Simd, const R: usize>(&mut self, simd: S, first: usize) -> usize {
        let (width, n, stride) = (R * S::F64_LANES, self.n, self.stride);
        let side = width.min(self.rows - first);
        let (rows, lanes) = (&mut self.rhs[first * stride..], &mut *self.lanes);
        load(simd, rows, stride, n, side, width, lanes);
        solve(simd, self.lower, self.lower_stride, grouped::<S, R>(&mut lanes[..n * width]));
        store(simd, lanes, rows, stride, n, side, width);
        first + side
    }
}

impl WithSimd for SolveLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut first = 0;
        // The sums for four rows of the factor take eight registers, or sixteen if as many rows are solved side by side as
        // four registers hold.
        while S::REGISTER_COUNT >= 32 && self.rows - first > 2 * S::F64_LANES {
            first = self.advance::<S, 4>(simd, first);
        }
        while first < self.rows {
            first = self.advance::<S, 2>(simd, first);
        }
    }
}

struct FactoriseLanes<'a> {
    a: &'a mut [f64],
    n: usize,
    stride: usize,
    floor: f64,
    lanes: &'a mut [f64],
}

impl WithSimd for FactoriseLanes<'_> {
    type Output = Result<(), NotFinite>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { a, n, stride, floor, lanes } = self;
        let width = 2 * S::F64_LANES;
        // A few rows at a time: the entries left of the diagonal block by a solve, then the block itself, four columns
        // at a time. Lanes of rows above the diagonal hold numbers that nothing else depends on.
        for first in (0..n).step_by(width) {
            let side = width.min(n - first);
            let (above, own) = a.split_at_mut(first * stride);
            load(simd, own, stride, first + side, side, width, lanes);
            solve(simd, above, stride, grouped::<S, 2>(&mut lanes[..first * width]));
            for from in (first..first + side).step_by(4) {
                let known = &lanes[..from * width];
                let factors = known.chunks_exact(width).map(|lane| four(&lane[from - first..]));
                let sums: [_; 4] = combine(simd, grouped_ref::<S, 2>(known), factors);
                for (j, mut sum) in (from..first + side).zip(sums) {
                    let (known, column) = lanes[..(j + 1) * width].split_at_mut(j * width);
                    for earlier in known[from * width..].chunks_exact(width) {
                        sum = add_times(simd, sum, grouped_ref::<S, 2>(earlier)[0], earlier[j - first]);
                    }
                    let [a, b] = grouped_ref::<S, 2>(column)[0];
                    let rest = [simd.sub_f64s(a, sum[0]), simd.sub_f64s(b, sum[1])];
                    grouped::<S, 2>(column)[0] = rest;
                    // An infinite entry shows in its own row, as an infinite or undefined pivot.
                    let pivot = column[j - first];
                    if !pivot.is_finite() {
                        return Err(NotFinite);
                    }
                    // The diagonal goes to its place alone: a register that was written in parts is slow to read.
                    let diagonal = pivot.max(floor).sqrt();
                    own[(j - first) * stride + j] = diagonal;
                    let inverse = simd.splat_f64s(diagonal.recip());
                    grouped::<S, 2>(column)[0] = [simd.mul_f64s(rest[0], inverse), simd.mul_f64s(rest[1], inverse)];
                }
            }
            store(simd, lanes, own, stride, first, side, width);
            let block = &lanes[first * width..];
            for s in 0..side {
                for (entry, lane) in own[s * stride + first..][..s].iter_mut().zip(block.chunks_exact(width)) {
                    *entry = lane[s];
                }
            }
        }
        Ok(())
    }
}

/// The first four numbers, as far as there are so many.
#[inline(always)]
fn four(values: &[f64]) -> [f64; 4] {
    values.first_chunk().copied().unwrap_or_else(|| array::from_fn(|k| values.get(k).copied().unwrap_or_default()))
}

#[inline(always)]
fn grouped<S: Simd, const R: usize>(lanes: &mut [f64]) -> &mut [LaneEntry<S, R>] {
    S::as_mut_simd_f64s(lanes).0.as_chunks_mut().0
}

#[inline(always)]
fn grouped_ref<S: Simd, const R: usize>(lanes: &[f64]) -> &[LaneEntry<S, R>] {
    S::as_simd_f64s(lanes).0.as_chunks().0
}

/// `lanes` = L^-1 `lanes`.
#[inline(always)]
fn solve<S: Simd, const R: usize>(simd: S, lower: &[f64], stride: usize, lanes: &mut [LaneEntry<S, R>]) {
    let n = lanes.len();
    let whole = n - n % 4;
    for i in (0..whole).step_by(4) {
        solve_columns::<S, R, 4>(simd, &lower[i * stride..], stride, lanes, i);
    }
    match n % 4 {
        1 => solve_columns::<S, R, 1>(simd, &lower[whole * stride..], stride, lanes, whole),
        2 => solve_columns::<S, R, 2>(simd, &lower[whole * stride..], stride, lanes, whole),
        3 => solve_columns::<S, R, 3>(simd, &lower[whole * stride..], stride, lanes, whole),
        _ => (),
    }
}

/// The entries i, ..., i + C - 1 of the solution, from those before them; `lower` starts with row i. Eight or more sums at
/// once hide the latency of one.
#[inline(always)]
fn solve_columns<S: Simd, const R: usize, const C: usize>(
    simd: S,
    lower: &[f64],
    stride: usize,
    lanes: &mut [LaneEntry<S, R>],
    i: usize,
) {
    let (solved, rest) = lanes.split_at_mut(i);
    let rows: [(&[f64], &[f64]); C] = array::from_fn(|k| lower[k * stride..][..i + k + 1].split_at(i));
    let sums: [_; C] = combine(simd, solved, (0..i).map(|j| array::from_fn(|k| rows[k].0[j])));
    let mut found = [[simd.splat_f64s(0.0); R]; C];
    for (k, mut sum) in sums.into_iter().enumerate() {
        let row = rows[k].1;
        for (x, factor) in found[..k].iter().zip(row) {
            sum = add_times(simd, sum, *x, *factor);
        }
        let inverse = simd.splat_f64s(row[k].recip());
        found[k] = array::from_fn(|part| simd.mul_f64s(simd.sub_f64s(rest[k][part], sum[part]), inverse));
    }
    rest[..C].copy_from_slice(&found);
}

/// sum_j `solved`_j `factors`_jk for each k.
#[inline(always)]
fn combine<S: Simd, const R: usize, const C: usize>(
    simd: S,
    solved: &[LaneEntry<S, R>],
    factors: impl Iterator<Item = [f64; C]>,
) -> [LaneEntry<S, R>; C] {
    let mut sums = [[simd.splat_f64s(0.0); R]; C];
    for (x, factors) in solved.iter().zip(factors) {
        for (sum, factor) in sums.iter_mut().zip(factors) {
            *sum = add_times(simd, *sum, *x, factor);
        }
    }
    sums
}

/// `sum + x factor`.
#[inline(always)]
fn add_times<S: Simd, const R: usize>(
    simd: S,
    sum: LaneEntry<S, R>,
    x: LaneEntry<S, R>,
    factor: f64,
) -> LaneEntry<S, R> {
    let factor = simd.splat_f64s(factor);
    array::from_fn(|part| simd.mul_add_f64s(x[part], factor, sum[part]))
}
