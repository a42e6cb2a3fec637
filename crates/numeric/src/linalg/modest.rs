//! Matrix products in no more memory than their operands take.
//!
//! faer's product of two matrices (on x86-64, that of private-gemm-x86) reserves a buffer for each thread, twice the
//! last caches of the machine together, however small the matrices are: 960 MiB on some servers. Small products, and
//! with [`spare`] all of them, are therefore computed here, with the same bits: entries are sums in the order of their
//! terms, every product is fused with its sum, and after each [`DEPTH`] terms the sum is added to the result.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use faer::{Accum, MatMut, MatRef};

use crate::linalg::vector::add_rows;

/// Terms of a sum that are added up before they count.
pub(super) const DEPTH: usize = 512;

/// Columns at a time, so that the sums stay in the fastest cache.
const WIDTH: usize = 256;

/// Up to this many multiplications, faer needs no buffer for a product (`NANO_GEMM_THRESHOLD`).
const TINY: usize = 1 << 12;

/// Up to this many multiplications, a product is small.
const SMALL: usize = 1 << 14;

/// So is one with this few rows, columns or terms, up to [`NARROW_SMALL`] multiplications.
const NARROW: usize = 8;
const NARROW_SMALL: usize = 1 << 18;

static SPARING: AtomicBool = AtomicBool::new(false);

/// From now on, all products spare memory, and take two or three times as long: for a process whose address space is
/// limited. Results have the same bits.
pub fn spare() {
    SPARING.store(true, Ordering::Relaxed);
}

/// Whether a product is computed here: faer would reserve its buffer, and it is small or memory is to be spared.
pub(super) fn suits(out: &MatMut<'_, f64>, lhs: &MatRef<'_, f64>) -> bool {
    let (rows, cols, depth) = (out.nrows(), out.ncols(), lhs.ncols());
    // faer has other ways for products with vectors, whose sums have another order.
    rows.min(cols).min(depth) > 1 && rows.saturating_mul(cols).saturating_mul(depth) > TINY && modest(rows, cols, depth)
}

fn modest(rows: usize, cols: usize, depth: usize) -> bool {
    let work = rows.saturating_mul(cols).saturating_mul(depth);
    let narrow = rows.min(cols).min(depth) <= NARROW;
    work <= SMALL || narrow && work <= NARROW_SMALL || SPARING.load(Ordering::Relaxed)
}

thread_local! {
    /// Terms of one operand, at most [`DEPTH`] rows of [`WIDTH`], and of a row of the other: they stay, so that learners
    /// that multiply in every round ask for no memory there.
    static TERMS: RefCell<(Vec<f64>, Vec<f64>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// `out = factor lhs rhs`, or `out += factor lhs rhs`.
pub(super) fn product(mut out: MatMut<'_, f64>, accum: Accum, factor: f64, lhs: MatRef<'_, f64>, rhs: MatRef<'_, f64>) {
    let mut sums = [0.0; WIDTH];
    TERMS.with_borrow_mut(|(panel, row)| {
        for left in (0..out.ncols()).step_by(WIDTH) {
            let width = WIDTH.min(out.ncols() - left);
            for first in (0..lhs.ncols()).step_by(DEPTH) {
                let terms = first..(first + DEPTH).min(lhs.ncols());
                panel.clear();
                panel.extend(terms.clone().flat_map(|k| (left..left + width).map(move |j| rhs[(k, j)])));
                for i in 0..out.nrows() {
                    row.clear();
                    row.extend(terms.clone().map(|k| lhs[(i, k)]));
                    let sums = &mut sums[..width];
                    sums.fill(0.0);
                    add_rows(sums, row, panel, width);
                    for (j, sum) in (left..).zip(sums) {
                        let entry = &mut out[(i, j)];
                        let before = if first == 0 && matches!(accum, Accum::Replace) { 0.0 } else { *entry };
                        *entry = factor.mul_add(*sum, before);
                    }
                }
            }
        }
    });
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};
    use crate::linalg::dense::{view, view_mut};
    use faer::Par;
    use faer::linalg::matmul::matmul;

    /// Where the processor has fused products, faer's own products have the same bits, in every order of the data.
    #[test]
    fn products_have_the_bits_of_faer() {
        let mut draw = Draws::named(&["modest"]).at(Role::Start, 0);
        let mut data = |count: usize| -> Vec<f64> { (0..count).map(|_| draw.normal()).collect() };
        for (m, n, k) in [
            (3, 190, 190),
            (2, 2, 1100),
            (17, 16, 16),
            (31, 9, 600),
            (6, 6, 256),
            (3, 300, 5),
            (70, 50, 1),
            (55, 55, 90),
        ] {
            let (a, b, start) = (data(m * k), data(k * n), data(m * n));
            let faces = |data, rows, cols| [view(data, rows, cols, cols), view(data, cols, rows, rows).transpose()];
            for lhs in faces(&a, m, k) {
                for rhs in faces(&b, k, n) {
                    for (accum, factor) in [(Accum::Replace, 1.0), (Accum::Add, -1.0), (Accum::Add, 0.5)] {
                        let (mut own, mut other) = (start.clone(), start.clone());
                        if m.min(n).min(k) > 1 {
                            product(view_mut(&mut own, m, n, n), accum, factor, lhs, rhs);
                            matmul(view_mut(&mut other, m, n, n), accum, lhs, rhs, factor, Par::Seq);
                            assert!(bits(&own) == bits(&other), "{m} x {n} x {k}, {accum:?} {factor}");
                        }
                    }
                }
            }
        }
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|value| value.to_bits()).collect()
    }
}
