//! The lower triangle of X X', with the bits that other products have: entries are sums in the order of their terms, every
//! product is fused with its sum, and after each 512 terms the sum is added to the result.
//!
//! X is in panels of eight rows. A tile of the result takes one panel for its rows and up to three for its columns, and
//! keeps its sums in registers. Only the squares on the diagonal are computed beyond it.

#![allow(clippy::needless_range_loop, reason = "loops over constant ranges stay in registers")]

use std::array;
use std::ops::Range;

use faer::MatMut;
use pulp::{Simd, WithSimd};

use crate::linalg::modest::DEPTH;
use crate::linalg::panels::{PanelColumn, Panels};
use crate::linalg::simd::arch;
use crate::linalg::turn::SIDE;

/// The most panels beside another one in a tile.
pub(super) const WIDTH: usize = 3;

/// Panels that are read for one panel of rows after the other, so that they stay in a near cache; a multiple of three.
const BESIDE: usize = 24;

/// `out += factor x x'` on and below the diagonal, for the rows of the product from `first` on, which are those of `out` and
/// contiguous; entries above the diagonal stay as they are.
pub fn add_products_lower(out: MatMut<'_, f64>, factor: f64, x: &Panels, first: usize) {
    arch().dispatch(Lower { out, factor, x, first });
}

/// `out += x x'` on and below the diagonal, for `out` with as many panels, of squares; some entries above the diagonal change
/// too.
pub fn add_products(out: &mut Panels, x: &Panels) {
    arch().dispatch(GramSquares { out: out.panels_from(0), x });
}

/// Calls a function over tiles as large as the registers allow: `R` rows, `PER` registers to a panel, up to three panels
/// if `WIDE`.
macro_rules! with_registers {
    ($S:ident, $($name:ident)::+($($argument:expr),* $(,)?)) => {
        match ($S::F64_LANES, $S::REGISTER_COUNT >= 32) {
            (8, _) => $($name)::+::<$S, 8, 1, true>($($argument),*),
            (4, _) => $($name)::+::<$S, 4, 2, false>($($argument),*),
            (2, true) => $($name)::+::<$S, 4, 4, false>($($argument),*),
            (2, false) => $($name)::+::<$S, 2, 4, false>($($argument),*),
            _ => $($name)::+::<$S, 1, 8, false>($($argument),*),
        }
    };
}
pub(super) use with_registers;

struct GramSquares<'a> {
    out: &'a mut [Vec<PanelColumn>],
    x: &'a Panels,
}

impl WithSimd for GramSquares<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (count, cols) = (self.out.len(), self.x.cols());
        for from in (0..cols).step_by(DEPTH) {
            let terms = from..cols.min(from + DEPTH);
            for left in (0..count).step_by(BESIDE) {
                for i in (left..count).step_by(WIDTH) {
                    let end = count.min(i + WIDTH);
                    for j in left..end.min(left + BESIDE) {
                        let first = i.max(j);
                        with_registers!(S, Self::squares(&mut self, simd, terms.clone(), j, first, end));
                    }
                }
            }
        }
    }
}

impl GramSquares<'_> {
    /// The squares of panel `j` in panels `first`, ..., `end - 1`.
    #[inline(always)]
    fn squares<S: Simd, const R: usize, const PER: usize, const WIDE: bool>(
        &mut self,
        simd: S,
        terms: Range<usize>,
        j: usize,
        first: usize,
        end: usize,
    ) {
        let mut i = first;
        while i < end {
            i += match end - i {
                3.. if WIDE => self.add::<S, R, PER, 3>(simd, terms.clone(), j, i),
                2.. if WIDE => self.add::<S, R, PER, 2>(simd, terms.clone(), j, i),
                _ => self.add::<S, R, PER, PER>(simd, terms.clone(), j, i),
            };
        }
    }

    /// The squares of panel `j` in as many panels from `first` on as `C` registers hold; returns their number.
    #[inline(always)]
    fn add<S: Simd, const R: usize, const PER: usize, const C: usize>(
        &mut self,
        simd: S,
        terms: Range<usize>,
        j: usize,
        first: usize,
    ) -> usize {
        let panels = self.x.panels();
        let left = &panels[j][terms.clone()];
        let right = array::from_fn(|p| &panels[first + p.min(C / PER - 1)][terms.clone()]);
        for part in 0..SIDE / R {
            let sums = products::<S, R, PER, C>(simd, left, right, part);
            for c in 0..C {
                let out = &mut self.out[first + c / PER][SIDE * j + R * part..][..R];
                for s in 0..R {
                    let entry = &mut S::as_mut_simd_f64s(&mut out[s].0).0[c % PER];
                    *entry = simd.add_f64s(*entry, sums[s][c]);
                }
            }
        }
        C / PER
    }
}

struct Lower<'a> {
    out: MatMut<'a, f64>,
    factor: f64,
    x: &'a Panels,
    first: usize,
}

impl WithSimd for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let (count, cols) = (self.x.panels().len(), self.x.cols());
        for from in (0..cols).step_by(DEPTH) {
            let terms = from..cols.min(from + DEPTH);
            for left in (0..count).step_by(BESIDE) {
                for i in left.max(self.first / SIDE)..count {
                    with_registers!(S, Self::row(&mut self, simd, terms.clone(), left, i));
                }
            }
        }
    }
}

impl Lower<'_> {
    /// The rows of panel `i`, beside the panels from `left` on.
    #[inline(always)]
    fn row<S: Simd, const R: usize, const PER: usize, const WIDE: bool>(
        &mut self,
        simd: S,
        terms: Range<usize>,
        left: usize,
        i: usize,
    ) {
        let end = (left + BESIDE).min(i + 1);
        for part in 0..SIDE / R {
            let mut j = left;
            while j < end {
                j += match end - j {
                    3.. if WIDE => self.tile::<S, R, PER, 3>(simd, terms.clone(), part, j, i),
                    2.. if WIDE => self.tile::<S, R, PER, 2>(simd, terms.clone(), part, j, i),
                    _ => self.tile::<S, R, PER, PER>(simd, terms.clone(), part, j, i),
                };
            }
        }
    }

    /// The tile of the `R` rows in this part of panel `i` and of `C` registers of columns from panel `j` on; returns the number
    /// of panels beside it.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const PER: usize, const C: usize>(
        &mut self,
        simd: S,
        terms: Range<usize>,
        part: usize,
        j: usize,
        i: usize,
    ) -> usize {
        let panels = self.x.panels();
        let left = &panels[i][terms.clone()];
        let right = array::from_fn(|p| &panels[j + p.min(C / PER - 1)][terms.clone()]);
        let sums = products::<S, R, PER, C>(simd, left, right, part);
        // Out of the registers, so that rows and columns can be left out.
        let mut entries = [[0.0; 3 * SIDE]; SIDE];
        for s in 0..R {
            let row = S::as_mut_simd_f64s(&mut entries[s]).0;
            for (entry, sum) in row.iter_mut().zip(sums[s]) {
                *entry = sum;
            }
        }
        let (top, below) = (SIDE * i + R * part, SIDE * j);
        for (at, sums) in (top..self.x.rows()).zip(&entries[..R]).skip(self.first.saturating_sub(top)) {
            let Some(row) = self.out.as_mut().row_mut(at - self.first).try_as_row_major_mut() else { continue };
            let row = &mut row.as_slice_mut()[below..];
            let count = (C * S::F64_LANES).min(at + 1 - below);
            add_scaled(simd, self.factor, &sums[..count], &mut row[..count]);
        }
        C / PER
    }
}

/// The products of `R` rows of one panel, those in this `part` of it, with the rows of others, in `C` registers, `PER` to a
/// panel; panels without a register are not read.
#[inline(always)]
pub(super) fn products<S: Simd, const R: usize, const PER: usize, const C: usize>(
    simd: S,
    left: &[PanelColumn],
    right: [&[PanelColumn]; WIDTH],
    part: usize,
) -> [[S::f64s; C]; R] {
    let mut sums = [[simd.splat_f64s(0.0); C]; R];
    // Iterators, which need no checks, and loops over constant ranges: the sums stay in registers.
    for (((column, first), second), third) in left.iter().zip(right[0]).zip(right[1]).zip(right[2]) {
        let mut entries = [simd.splat_f64s(0.0); C];
        for c in 0..C {
            let beside = [first, second, third][c / PER];
            entries[c] = S::as_simd_f64s(&beside.0).0[c % PER];
        }
        for s in 0..R {
            let value = simd.splat_f64s(column.0[R * part + s]);
            for c in 0..C {
                sums[s][c] = simd.mul_add_f64s(value, entries[c], sums[s][c]);
            }
        }
    }
    sums
}

/// `out` += `factor` `sums`.
#[inline(always)]
fn add_scaled<S: Simd>(simd: S, factor: f64, sums: &[f64], out: &mut [f64]) {
    let (whole, rest) = S::as_simd_f64s(sums);
    let (entries, others) = S::as_mut_simd_f64s(out);
    let wide = simd.splat_f64s(factor);
    for (entry, sum) in entries.iter_mut().zip(whole) {
        *entry = simd.mul_add_f64s(wide, *sum, *entry);
    }
    for (entry, sum) in others.iter_mut().zip(rest) {
        *entry = factor.mul_add(*sum, *entry);
    }
}

#[cfg(test)]
mod tests {
    use faer::linalg::matmul::triangular::{self, BlockStructure};
    use faer::{Accum, Par};

    use super::*;
    use crate::draw::{Draws, Role};
    use faer::MatRef;

    use crate::linalg::dense::{add_gram_lower, view, view_mut};
    use crate::linalg::matrix::Rows;

    const SIZES: [(usize, usize); 9] =
        [(1, 1), (3, 190), (8, 7), (17, 16), (31, 600), (70, 1), (95, 190), (200, 33), (410, 1030)];

    fn data(count: usize) -> Vec<f64> {
        let mut draw = Draws::named(&["gram"]).at(Role::Start, count as u64);
        (0..count).map(|_| draw.normal()).collect()
    }

    /// What faer computes, with the diagonal and what is below it.
    fn expected(start: &[f64], factor: f64, x: MatRef<'_, f64>) -> Vec<f64> {
        let n = x.nrows();
        let mut out = start.to_vec();
        let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
        let to = view_mut(&mut out, n, n, n);
        triangular::matmul(to, lower, Accum::Add, x, whole, x.transpose(), whole, factor, Par::Seq);
        out
    }

    fn agree(own: f64, other: f64) -> bool {
        // Where the processor has fused products, they have the same bits.
        if cfg!(target_arch = "x86_64") { own.to_bits() == other.to_bits() } else { (own - other).abs() < 1e-9 }
    }

    #[test]
    fn lower_triangles_have_the_bits_of_faer_and_the_rest_stays() {
        for (n, k) in SIZES {
            let (x, start) = (data(n * k), data(n * n + 1));
            for x in [view(&x, n, k, k), view(&x, k, n, n).transpose()] {
                for factor in [1.0, -0.5] {
                    let mut own = start.clone();
                    add_gram_lower(view_mut(&mut own, n, n, n), factor, x);
                    let other = expected(&start[..n * n], factor, x);
                    assert!(own.iter().zip(&other).all(|(a, b)| agree(*a, *b)), "{n} x {k}, {factor}");
                }
            }
        }
    }

    /// Rows that are appended to panels later, and columns.
    #[test]
    fn products_of_panels_are_those_of_rows() {
        for (n, k) in SIZES.into_iter().filter(|(n, _)| *n < 300) {
            let x = data(n * k);
            let rows = Rows::new(k, &x);
            let zeros = vec![0.0; n * n];
            let other = expected(&zeros, 1.0, view(&x, n, k, k));
            for first in [0, n / 3, n - 1] {
                let mut panels = Panels::zeros(0, k);
                panels.push_rows(rows.slice(0, first));
                panels.push_rows(rows.slice(first, n));
                let mut own = zeros[first * n..].to_vec();
                add_products_lower(view_mut(&mut own, n - first, n, n), 1.0, &panels, first);
                assert!(own.iter().zip(&other[first * n..]).all(|(a, b)| agree(*a, *b)), "{n} x {k} from {first}");
            }
            let mut panels = Panels::zeros(n, 0);
            let columns: Vec<f64> = (0..k).flat_map(|j| rows.iter().map(move |row| row[j])).collect();
            panels.push_cols(Rows::new(n, &columns).slice(0, k / 2));
            panels.push_cols(Rows::new(n, &columns).slice(k / 2, k));
            let mut own = Panels::multiple(n, 0.0);
            add_products(&mut own, &panels);
            let own = own.to_matrix(n);
            for i in 0..n {
                assert!(own.row(i)[..=i].iter().zip(&other[i * n..]).all(|(a, b)| agree(*a, *b)), "{n} x {k}, row {i}");
            }
        }
    }
}
