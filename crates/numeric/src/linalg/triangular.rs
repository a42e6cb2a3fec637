//! Cholesky factors and forward substitution in panels.
//!
//! The columns of a factor are found eight at a time, or four where registers are fewer: sums over the columns before them,
//! as in products, and then a square. Rows are independent, and every product is fused with its sum, so that results have
//! the same bits whatever the width of the registers.

#![allow(clippy::needless_range_loop, reason = "loops over constant ranges stay in registers")]

use std::array;

use pulp::{Simd, WithSimd};

use crate::linalg::dense::NotFinite;
use crate::linalg::gram::{WIDTH, products, with_registers};
use crate::linalg::panels::{PanelColumn, Panels};
use crate::linalg::simd::{arch, vectorised};
use crate::linalg::turn::SIDE;

/// Entries of the factor that are read for one group of panels after the other, so that they stay in a near cache: 512 KiB.
const NEAR: usize = 1 << 16;

/// The rows of `rhs` from `first` on become the solutions x of L x = row. L is the lower triangle of `lower`, which has as
/// many panels as `rhs` has squares. `work` is working space.
pub fn solve(lower: &Panels, rhs: &mut Panels, first: usize, work: &mut Vec<PanelColumn>) {
    let solved = first % SIDE;
    let panels = rhs.panels_from(first);
    work.clear();
    if let Some(panel) = panels.first().filter(|_| solved > 0) {
        work.extend_from_slice(panel);
    }
    arch().dispatch(SolveRows { lower: lower.panels(), panels });
    // Rows before the first are as they were.
    for (column, before) in panels.iter_mut().take(1).flatten().zip(work) {
        column.0[..solved].copy_from_slice(&before.0[..solved]);
    }
}

/// The lower triangle of `a`, a square matrix of whole panels, becomes its Cholesky factor in `out`. Squared pivots below
/// `floor` are lifted to it, as in [`cholesky`](crate::linalg::dense::cholesky).
///
/// # Errors
/// If an entry is not finite.
pub fn cholesky(a: &Panels, floor: f64, out: &mut Panels) -> Result<(), NotFinite> {
    arch().dispatch(FactoriseRows { a: a.panels(), floor, out: out.panels_from(0) })
}

vectorised! {
    /// `x` = L^-1 `x`, which has an entry for each row of L.
    pub fn solve_vector<'a>(lower: &'a Panels, x: &'a mut [f64]) -> () {
        for (t, panel) in lower.panels().iter().enumerate() {
            let (known, rest) = x.split_at_mut(SIDE * t);
            let mut sums = [[0.0; SIDE]; 4];
            for (columns, x) in panel.chunks_exact(4).zip(known.chunks_exact(4)) {
                for q in 0..4 {
                    for s in 0..SIDE {
                        sums[q][s] = columns[q].0[s].mul_add(x[q], sums[q][s]);
                    }
                }
            }
            let square = &panel[SIDE * t..];
            let mut sum: [f64; SIDE] = array::from_fn(|s| (sums[0][s] + sums[1][s]) + (sums[2][s] + sums[3][s]));
            for (s, entry) in rest.iter_mut().enumerate().take(SIDE) {
                *entry = (*entry - sum[s]) / square[s].0[s];
                for later in s + 1..SIDE {
                    sum[later] = square[s].0[later].mul_add(*entry, sum[later]);
                }
            }
        }
    }
}

struct SolveRows<'a> {
    lower: &'a [Vec<PanelColumn>],
    panels: &'a mut [Vec<PanelColumn>],
}

impl WithSimd for SolveRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { lower, panels } = self;
        let mut top = 0;
        while top < lower.len() {
            let end = lower.len().min(block_end(top));
            with_registers!(S, solve_columns(simd, &lower[..end], top, panels));
            top = end;
        }
    }
}

/// The panels of a factor from `top` to before this one stay in a near cache.
fn block_end(top: usize) -> usize {
    (top * top + 2 * NEAR / (SIDE * SIDE)).isqrt().max(top + 1)
}

/// The columns of the solution in the squares from `top` on, as far as there are panels of `lower`.
#[inline(always)]
fn solve_columns<S: Simd, const R: usize, const PER: usize, const WIDE: bool>(
    simd: S,
    lower: &[Vec<PanelColumn>],
    top: usize,
    panels: &mut [Vec<PanelColumn>],
) {
    let mut rest = panels;
    while !rest.is_empty() {
        let count = if WIDE { rest.len().min(WIDTH) } else { 1 };
        let (group, later) = rest.split_at_mut(count);
        for (t, lower) in lower.iter().enumerate().skip(top) {
            match count {
                3 if WIDE => square_of::<S, R, PER, 3>(simd, lower, t, group),
                2 if WIDE => square_of::<S, R, PER, 2>(simd, lower, t, group),
                _ => square_of::<S, R, PER, PER>(simd, lower, t, group),
            }
        }
        rest = later;
    }
}

/// Square `t` of the solution in some panels, from the columns before it; `lower` is panel `t` of the factor.
#[inline(always)]
fn square_of<S: Simd, const R: usize, const PER: usize, const C: usize>(
    simd: S,
    lower: &[PanelColumn],
    t: usize,
    panels: &mut [Vec<PanelColumn>],
) {
    for part in 0..SIDE / R {
        let i = SIDE * t + R * part;
        let known = array::from_fn(|p| &panels[p.min(C / PER - 1)][..i]);
        let sums = products::<S, R, PER, C>(simd, &lower[..i], known, part);
        let own = &lower[i..i + R];
        for c in 0..C {
            let rest = &mut panels[c / PER][i..i + R];
            let mut found = [simd.splat_f64s(0.0); R];
            for s in 0..R {
                let mut sum = sums[s][c];
                for e in 0..s {
                    sum = simd.mul_add_f64s(found[e], simd.splat_f64s(own[e].0[R * part + s]), sum);
                }
                let inverse = simd.splat_f64s(own[s].0[R * part + s].recip());
                let entry = &mut S::as_mut_simd_f64s(&mut rest[s].0).0[c % PER];
                found[s] = simd.mul_f64s(simd.sub_f64s(*entry, sum), inverse);
                *entry = found[s];
            }
        }
    }
}

struct FactoriseRows<'a> {
    a: &'a [Vec<PanelColumn>],
    floor: f64,
    out: &'a mut [Vec<PanelColumn>],
}

impl WithSimd for FactoriseRows<'_> {
    type Output = Result<(), NotFinite>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { a, floor, out } = self;
        let mut top = 0;
        while top < a.len() {
            let end = a.len().min(block_end(top));
            for (from, to) in a[top..].iter().zip(&mut out[top..]) {
                to[SIDE * top..SIDE * end].copy_from_slice(&from[SIDE * top..SIDE * end]);
            }
            for t in top..end {
                let (known, rest) = out.split_at_mut(t + 1);
                with_registers!(S, diagonal(simd, &mut known[t], t, floor))?;
                let others = &mut rest[..end - t - 1];
                with_registers!(S, solve_columns(simd, known, t, others));
            }
            let (known, rest) = out.split_at_mut(end);
            with_registers!(S, solve_columns(simd, known, top, rest));
            top = end;
        }
        Ok(())
    }
}

/// The square on the diagonal of panel `t`.
#[inline(always)]
fn diagonal<S: Simd, const R: usize, const PER: usize, const WIDE: bool>(
    simd: S,
    panel: &mut [PanelColumn],
    t: usize,
    floor: f64,
) -> Result<(), NotFinite> {
    let (known, square) = panel.split_at_mut(SIDE * t);
    let mut sums = [PanelColumn::default(); SIDE];
    for part in 0..SIDE / R {
        let found = products::<S, R, PER, PER>(simd, known, [&*known; WIDTH], part);
        for s in 0..R {
            for c in 0..PER {
                S::as_mut_simd_f64s(&mut sums[R * part + s].0).0[c] = found[s][c];
            }
        }
    }
    for s in 0..SIDE {
        let mut sum = sums[s].0;
        for earlier in square[..s].iter() {
            let factor = earlier.0[s];
            for lane in 0..SIDE {
                sum[lane] = earlier.0[lane].mul_add(factor, sum[lane]);
            }
        }
        let rest: [f64; SIDE] = array::from_fn(|lane| square[s].0[lane] - sum[lane]);
        // An infinite entry shows in its own row, as an infinite or undefined pivot.
        if !rest[s].is_finite() {
            return Err(NotFinite);
        }
        let root = rest[s].max(floor).sqrt();
        let inverse = root.recip();
        square[s].0 = array::from_fn(|lane| rest[lane] * inverse);
        square[s].0[s] = root;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};
    use crate::linalg::dense;
    use crate::linalg::matrix::{Matrix, Rows};

    /// F F' + I for a random F.
    fn positive(n: usize) -> Matrix {
        let mut draw = Draws::named(&["triangular"]).at(Role::Start, n as u64);
        let factor: Vec<f64> = (0..n * n).map(|_| draw.normal()).collect();
        let mut matrix = Matrix::zeros(n, n);
        (0..n).for_each(|i| matrix.row_mut(i)[i] = 1.0);
        let f = dense::view(&factor, n, n, n);
        dense::add_product(dense::view_mut(matrix.data_mut(), n, n, n), 1.0, f, f.transpose());
        matrix
    }

    fn panels(matrix: &Matrix) -> Panels {
        let mut own = Panels::multiple(matrix.rows(), 1.0);
        own.truncate_rows(0);
        own.push_rows(matrix.view());
        own
    }

    const SIZES: [usize; 8] = [1, 7, 8, 9, 55, 190, 361, 500];

    /// The same as the factor of a row-major matrix, up to rounding.
    #[test]
    fn factors_are_those_of_dense_matrices() {
        for n in SIZES {
            let mut matrix = positive(n);
            let mut factor = Panels::multiple(n, 1.0);
            cholesky(&panels(&matrix), 0.5, &mut factor).unwrap();
            dense::cholesky(matrix.data_mut(), n, n, 0.5).unwrap();
            let factor = factor.to_matrix(n);
            for i in 0..n {
                for (own, other) in factor.row(i)[..=i].iter().zip(matrix.row(i)) {
                    assert!((own - other).abs() < 1e-11 * (n as f64), "{n}, row {i}: {own} {other}");
                }
            }
        }
    }

    /// Several rows at once, one row, and rows that are appended later.
    #[test]
    fn solutions_multiply_back() {
        for n in SIZES {
            let mut factor = Panels::multiple(n, 1.0);
            cholesky(&panels(&positive(n)), 0.5, &mut factor).unwrap();
            let mut draw = Draws::named(&["right sides"]).at(Role::Start, n as u64);
            let rows: Vec<f64> = (0..29 * n).map(|_| draw.normal()).collect();
            let rows = Rows::new(n, &rows);
            let mut solved = Panels::zeros(0, factor.cols());
            for (from, to) in [(0, 11), (11, 12), (12, 29)] {
                solved.push_rows(rows.slice(from, to));
                solve(&factor, &mut solved, from, &mut Vec::new());
            }
            let (solved, factor_rows) = (solved.to_matrix(n), factor.to_matrix(n));
            for (x, row) in (0..29).map(|i| (solved.row(i), rows.row(i))) {
                let mut own = row.to_vec();
                solve_vector(&factor, &mut own);
                for i in 0..n {
                    let product: f64 = factor_rows.row(i)[..=i].iter().zip(x).map(|(l, x)| l * x).sum();
                    assert!((product - row[i]).abs() < 1e-10, "{n}, entry {i}");
                    assert!((own[i] - x[i]).abs() < 1e-10, "{n}, entry {i}");
                }
            }
        }
    }

    /// Rank 1, with a multiple of I far below rounding.
    #[test]
    fn pivots_stay_at_the_floor_and_what_is_not_finite_is_refused() {
        let n = 150;
        let mut matrix = Matrix::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                matrix.row_mut(i)[j] = ((i + 1) * (j + 1)) as f64 / (n * n) as f64;
            }
        }
        let floor = dense::pivot_floor(1e-20, 1.0);
        let mut factor = Panels::multiple(n, 1.0);
        cholesky(&panels(&matrix), floor, &mut factor).unwrap();
        assert!((1..n).all(|i| (floor.sqrt()..1e-6).contains(&factor.diagonal(i))));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut matrix = positive(21);
            matrix.row_mut(19)[3] = bad;
            assert_eq!(cholesky(&panels(&matrix), 1.0, &mut Panels::multiple(21, 1.0)), Err(NotFinite));
        }
    }
}
