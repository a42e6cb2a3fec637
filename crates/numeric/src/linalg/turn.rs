//! Between rows and lanes: a few rows of a matrix, and the same numbers with one row to a lane.
//!
//! In squares of 8 x 8, because compilers do not find the instructions for that.

use std::array;
#[cfg(target_arch = "x86_64")]
use std::{any::Any, arch::x86_64::__m512d};

use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use pulp::{cast, x86::V4};

/// Rows and columns of a square.
pub const SIDE: usize = 8;

/// The rows or columns of a square.
type SquareLines = [[f64; SIDE]; SIDE];

/// Eight rows, as the squares that begin at entries 0, 8, 16, ... and the rows' ends, which overlap the last of these.
pub(super) struct RowSquares<'a> {
    whole: [&'a [[f64; SIDE]]; SIDE],
    ends: SquareLines,
}

impl<'a> RowSquares<'a> {
    /// The squares of eight rows of the same length, at least eight.
    #[inline(always)]
    pub(super) fn new(rows: [&'a [f64]; SIDE]) -> Self {
        let n = rows[0].len();
        Self {
            whole: array::from_fn(|k| &rows[k].as_chunks().0[..n / SIDE]),
            ends: array::from_fn(|k| rows[k].last_chunk().copied().unwrap_or_default()),
        }
    }

    /// The columns of square `j`.
    #[inline(always)]
    pub(super) fn columns<S: Simd>(&self, simd: S, j: usize) -> SquareLines {
        turned(simd, array::from_fn(|k| self.whole[k][j]))
    }

    /// The last eight columns.
    #[inline(always)]
    pub(super) fn last<S: Simd>(&self, simd: S) -> SquareLines {
        turned(simd, self.ends)
    }
}

/// Loads the first `n` entries of `side` rows, `stride` apart: entry j of row s becomes entry j `width` + s of `lanes`, of
/// which there may be more than rows.
#[inline(always)]
pub(super) fn load<S: Simd>(
    simd: S,
    rows: &[f64],
    stride: usize,
    n: usize,
    side: usize,
    width: usize,
    lanes: &mut [f64],
) {
    if n < SIDE || width < SIDE {
        for s in 0..side {
            for (lane, value) in lanes.chunks_exact_mut(width).zip(&rows[s * stride..][..n]) {
                lane[s] = *value;
            }
        }
        return;
    }
    let lanes = &mut lanes[..n * width];
    for s in (0..side).step_by(SIDE) {
        // Where rows are missing, the last one takes their place, in lanes that nobody reads.
        let squares = RowSquares::new(array::from_fn(|k| &rows[(s + k).min(side - 1) * stride..][..n]));
        for (j, block) in lanes.chunks_exact_mut(SIDE * width).enumerate() {
            put(&squares.columns(simd, j), &mut block[s..], width);
        }
        put(&squares.last(simd), &mut lanes[(n - SIDE) * width + s..], width);
    }
}

/// Writes columns, `width` apart.
#[inline(always)]
fn put(columns: &SquareLines, lanes: &mut [f64], width: usize) {
    let lanes = &mut lanes[..(SIDE - 1) * width + SIDE];
    for (k, column) in columns.iter().enumerate() {
        lanes[k * width..][..SIDE].copy_from_slice(column);
    }
}

/// The reverse of [`load`].
#[inline(always)]
pub(super) fn store<S: Simd>(
    simd: S,
    lanes: &[f64],
    rows: &mut [f64],
    stride: usize,
    n: usize,
    side: usize,
    width: usize,
) {
    if n < SIDE || width < SIDE {
        for s in 0..side {
            for (lane, value) in lanes.chunks_exact(width).zip(&mut rows[s * stride..][..n]) {
                *value = lane[s];
            }
        }
        return;
    }
    let lanes = &lanes[..n * width];
    for s in (0..side).step_by(SIDE) {
        let last = turned(simd, got(&lanes[(n - SIDE) * width + s..], width));
        if side - s >= SIDE {
            let rows = &mut rows[s * stride..];
            for (j, block) in lanes.chunks_exact(SIDE * width).enumerate() {
                put(&turned(simd, got(&block[s..], width)), &mut rows[SIDE * j..], stride);
            }
            put(&last, &mut rows[n - SIDE..], stride);
            continue;
        }
        for (j, block) in lanes.chunks_exact(SIDE * width).enumerate() {
            let square = turned(simd, got(&block[s..], width));
            for (k, entries) in square.iter().enumerate().take(side - s) {
                rows[(s + k) * stride + SIDE * j..][..SIDE].copy_from_slice(entries);
            }
        }
        for (k, entries) in last.iter().enumerate().take(side - s) {
            rows[(s + k) * stride + n - SIDE..][..SIDE].copy_from_slice(entries);
        }
    }
}

/// Columns, `width` apart.
#[inline(always)]
fn got(lanes: &[f64], width: usize) -> SquareLines {
    let lanes = &lanes[..(SIDE - 1) * width + SIDE];
    array::from_fn(|k| chunk(&lanes[k * width..]))
}

/// The first eight numbers.
#[inline(always)]
fn chunk(values: &[f64]) -> [f64; SIDE] {
    values.first_chunk().copied().unwrap_or_default()
}

/// The columns of a square of rows.
#[inline(always)]
pub(super) fn turned<S: Simd>(simd: S, rows: SquareLines) -> SquareLines {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = (&simd as &dyn Any).downcast_ref() {
        return turned_wide(*simd, rows);
    }
    let mut columns = SquareLines::default();
    if S::F64_LANES == 4 {
        for (top, left) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (from, to) = (4 * top, 4 * left);
            let (a, b) = (half::<S>(&rows[from], left), half::<S>(&rows[from + 1], left));
            let (c, d) = (half::<S>(&rows[from + 2], left), half::<S>(&rows[from + 3], left));
            let [a, b, c, d] = simd.deinterleave_shfl_f64s([a, b, c, d]);
            *half_mut::<S>(&mut columns[to], top) = a;
            *half_mut::<S>(&mut columns[to + 1], top) = b;
            *half_mut::<S>(&mut columns[to + 2], top) = c;
            *half_mut::<S>(&mut columns[to + 3], top) = d;
        }
        return columns;
    }
    array::from_fn(|j| array::from_fn(|k| rows[k][j]))
}

/// The first or second four numbers, in a register.
#[inline(always)]
fn half<S: Simd>(row: &[f64; SIDE], half: usize) -> S::f64s {
    S::as_simd_f64s(row).0[half]
}

/// As [`half`], mutable.
#[inline(always)]
fn half_mut<S: Simd>(row: &mut [f64; SIDE], half: usize) -> &mut S::f64s {
    &mut S::as_mut_simd_f64s(row).0[half]
}

/// The same in registers of eight numbers: neighbours first, then pairs, then halves.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn turned_wide(simd: V4, rows: SquareLines) -> SquareLines {
    let [a, b, c, d, e, f, g, h] = rows;
    let ([top_0, top_2], [top_1, top_3]) = four_rows(simd, [a, b, c, d]);
    let ([low_0, low_2], [low_1, low_3]) = four_rows(simd, [e, f, g, h]);
    let [zero, four] = parted(simd, top_0, low_0);
    let [one, five] = parted(simd, top_1, low_1);
    let [two, six] = parted(simd, top_2, low_2);
    let [three, seven] = parted(simd, top_3, low_3);
    [cast(zero), cast(one), cast(two), cast(three), cast(four), cast(five), cast(six), cast(seven)]
}

/// Columns 0 and 4, 2 and 6, then 1 and 5, 3 and 7, of four rows: two numbers of one column, two of the other, and again.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four_rows(simd: V4, rows: [[f64; SIDE]; 4]) -> ([__m512d; 2], [__m512d; 2]) {
    let avx = simd.avx512f;
    let (a, b, c, d) = (cast(rows[0]), cast(rows[1]), cast(rows[2]), cast(rows[3]));
    let even = parted(simd, avx._mm512_unpacklo_pd(a, b), avx._mm512_unpacklo_pd(c, d));
    (even, parted(simd, avx._mm512_unpackhi_pd(a, b), avx._mm512_unpackhi_pd(c, d)))
}

/// Of the four pairs in each of two registers, the first and third of both, and the second and fourth.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn parted(simd: V4, a: __m512d, b: __m512d) -> [__m512d; 2] {
    let avx = simd.avx512f;
    [avx._mm512_shuffle_f64x2::<0b10_00_10_00>(a, b), avx._mm512_shuffle_f64x2::<0b11_01_11_01>(a, b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, WithSimd};

    /// Rows of `n` entries in a matrix of `stride` columns, to lanes and back.
    struct ThereAndBack {
        n: usize,
        side: usize,
        stride: usize,
        registers: usize,
    }

    impl WithSimd for ThereAndBack {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            let Self { n, side, stride, registers } = self;
            let width = registers * S::F64_LANES;
            if side > width {
                return;
            }
            let rows: Vec<f64> = (0..side * stride).map(|i| i as f64).collect();
            let mut lanes = vec![f64::NAN; n * width];
            load(simd, &rows, stride, n, side, width, &mut lanes);
            let mut found = vec![-1.0; side * stride];
            store(simd, &lanes, &mut found, stride, n, side, width);
            for (i, found) in found.iter().enumerate() {
                let (s, j) = (i / stride, i % stride);
                // Nothing is written beyond the entries.
                assert_eq!(*found, if j < n { i as f64 } else { -1.0 }, "{n} {side}");
                assert!(j >= n || lanes[j * width + s] == i as f64, "{n} {side}");
            }
        }
    }

    /// With all instruction sets that the processor has.
    #[test]
    fn lanes_hold_rows_and_become_rows_again() {
        let mut sets = vec![Arch::Scalar, Arch::new()];
        #[cfg(target_arch = "x86_64")]
        sets.extend(pulp::x86::V3::try_new().map(Arch::V3));
        for arch in sets {
            for (n, side) in (1..30).flat_map(|n| (1..=32).map(move |side| (n, side))) {
                for registers in [2, 4] {
                    arch.dispatch(ThereAndBack { n, side, stride: n + 3, registers });
                }
            }
        }
    }
}
