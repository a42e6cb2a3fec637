//! The Cholesky factor of a positive-definite matrix that grows by rows.

use crate::linalg::dense::{self, NotFinite, add_gram_lower, add_product};
use crate::linalg::upper::Upper;
use crate::linalg::vector;
use crate::meter::join;
use crate::state::{State, StateError, Store};

/// From this many multiply-adds on, appended rows are worked on in two halves, so that idle threads may help.
const WORTH_SHARING: usize = 1 << 26;

/// The lower factor L of a growing matrix K + lambda I = L L', with K positive semidefinite.
///
/// Rows are kept in panels of `height` rows; panel p is (p + 1) `height` wide, so n rows take about n^2/2 numbers,
/// and everything but the diagonal blocks is computed by matrix-matrix products.
#[derive(Clone, Debug)]
pub struct Growing {
    height: usize,
    lambda: f64,
    /// Largest diagonal entry of K + lambda I so far.
    largest: f64,
    len: usize,
    panels: Vec<Vec<f64>>,
}

impl Growing {
    /// The empty factor, in panels of `height` >= 1 rows, for `lambda` > 0.
    pub fn new(height: usize, lambda: f64) -> Self {
        Self { height: height.max(1), lambda, largest: 0.0, len: 0, panels: Vec::new() }
    }

    /// Number of rows.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes that `rows` rows take in panels of `height`.
    pub fn bytes(rows: usize, height: usize) -> f64 {
        let panels = rows.div_ceil(height.max(1)) as f64;
        8.0 * (height * height) as f64 * panels * (panels + 1.0) / 2.0
    }

    /// Drops all rows, but keeps the memory of the first panel.
    pub fn clear(&mut self) {
        self.panels.truncate(1);
        if let Some(panel) = self.panels.first_mut() {
            panel.clear();
        }
        (self.len, self.largest) = (0, 0.0);
    }

    /// Row `i` of L, up to and including the diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        let (panel, inside) = (i / self.height, i % self.height);
        let start = inside * self.width(panel);
        &self.panels[panel][start..start + i + 1]
    }

    /// Distance between the rows of a panel.
    fn width(&self, panel: usize) -> usize {
        (panel + 1) * self.height
    }

    /// `rhs = L^-1 rhs`, over the first `rhs.len()` rows.
    pub fn solve(&self, rhs: &mut [f64]) {
        for (p, panel) in self.panels.iter().enumerate() {
            let from = p * self.height;
            if from >= rhs.len() {
                break;
            }
            let to = rhs.len().min(from + self.height);
            let (before, rest) = rhs.split_at_mut(from);
            vector::solve_lower(panel, self.width(p), before, &mut rest[..to - from]);
        }
    }

    /// `rhs = rhs L^-T` for `rows` rows as wide as L has rows, by matrix products: row by row, what
    /// [`solve`](Growing::solve) does.
    pub fn solve_rows(&self, rhs: &mut [f64], rows: usize) {
        solve_panels(self.panels.iter().map(Vec::as_slice), self.height, self.len, rhs, self.len, rows);
    }

    /// [`solve`](Growing::solve) for the first entries, as many as L has rows, of each of the rows of `rhs` that start
    /// `stride` apart, with the same bits.
    pub fn solve_each(&self, rhs: &mut [f64], stride: usize) {
        for (p, panel) in self.panels.iter().enumerate() {
            let (from, to) = (p * self.height, self.len.min((p + 1) * self.height));
            for pair in rhs.chunks_mut(2 * stride.max(1)) {
                let (one, other) = pair.split_at_mut(stride);
                let (before, one) = one[..to].split_at_mut(from);
                if other.is_empty() {
                    vector::solve_lower(panel, self.width(p), before, one);
                } else {
                    let (other_before, other) = other[..to].split_at_mut(from);
                    vector::solve_lower_twice(panel, self.width(p), [before, other_before], [one, other]);
                }
            }
        }
    }

    /// L R', a lower triangle again, in panels of `height` rows; R has as many rows as L.
    pub fn times_transposed(&self, upper: &Upper, height: usize) -> Self {
        let mut own = Self { largest: self.largest, len: self.len, ..Self::new(height, self.lambda) };
        for from in (0..self.len).step_by(own.height) {
            let (p, to) = (own.panels.len(), self.len.min(from + own.height));
            let width = own.width(p);
            own.panels.push(vec![0.0; (to - from) * width]);
            // The rows of a panel of L, of which the first may lie in another panel of the product.
            let mut top = from;
            while top < to {
                let q = top / self.height;
                let bottom = to.min((q + 1) * self.height);
                for left in (0..bottom).step_by(own.height) {
                    let right = bottom.min(left + own.height);
                    let lower = &self.panels[q][(top - q * self.height) * self.width(q) + left..];
                    let lower = dense::view(lower, bottom - top, bottom - left, self.width(q));
                    let out = &mut own.panels[p][(top - from) * width + left..];
                    let out = dense::view_mut(out, bottom - top, right - left, width);
                    dense::product(out, lower, upper.block(left..right, left, bottom).transpose());
                }
                top = bottom;
            }
        }
        own
    }

    /// The last entry of L^-1 k, where the last entry of k is `value` and `solved` are the others, with the bits of
    /// [`solve`](Growing::solve).
    pub fn solve_last(&self, value: f64, solved: &[f64]) -> f64 {
        let row = self.row(self.len - 1);
        let from = (self.len - 1) / self.height * self.height;
        let known = vector::dot(&row[..from], &solved[..from]) + vector::dot(&row[from..], &solved[from..]);
        (value - known) / row[self.len - 1]
    }

    /// `rhs = L^-T rhs`, over the first `rhs.len()` rows.
    pub fn solve_transposed(&self, rhs: &mut [f64]) {
        for i in (0..rhs.len()).rev() {
            let row = self.row(i);
            rhs[i] /= row[i];
            let value = rhs[i];
            vector::add_scaled(&mut rhs[..i], -value, &row[..i]);
        }
    }

    /// The squared pivot of a new row: `own`, its diagonal entry in K + lambda I, less what `row` = L^-1 k explains.
    pub fn pivot(&self, own: f64, row: &[f64]) -> f64 {
        let pivot = own - vector::squared_norm(row);
        // Not `max` on the pivot itself, which would hide a NaN.
        let floor = dense::pivot_floor(self.lambda, self.largest.max(own));
        if pivot < floor { floor } else { pivot }
    }

    /// Whether a squared pivot, of a row with diagonal entry `own` in K + lambda I, shows that this matrix is singular
    /// to working precision.
    pub fn is_lost(&self, pivot: f64, own: f64) -> bool {
        dense::is_lost(pivot, self.lambda, self.largest.max(own))
    }

    /// Appends one row: `row` = L^-1 k, `own` its diagonal entry in K + lambda I, `pivot` its
    /// [`pivot`](Growing::pivot).
    pub fn push(&mut self, row: &[f64], own: f64, pivot: f64) {
        debug_assert_eq!(row.len(), self.len);
        self.largest = self.largest.max(own);
        let panel = self.room();
        let width = self.width(panel);
        let storage = &mut self.panels[panel];
        let start = storage.len();
        storage.extend_from_slice(row);
        storage.push(pivot.sqrt());
        storage.resize(start + width, 0.0);
        self.len += 1;
    }

    /// The panel of the next row, made if it does not exist.
    fn room(&mut self) -> usize {
        let panel = self.len / self.height;
        if panel == self.panels.len() {
            self.panels.push(Vec::with_capacity(self.height * self.width(panel)));
        }
        panel
    }

    /// Appends `count` rows of the matrix K + lambda I. `rows` is row-major, `count` x (len + count), and holds the
    /// entries left of and on the diagonal; entries above the diagonal are not read.
    ///
    /// # Errors
    /// If an entry is not finite; the factor is then as it was.
    pub fn extend(&mut self, count: usize, rows: &[f64]) -> Result<(), NotFinite> {
        let (len, stride) = (self.len, self.len + count);
        let mut done = 0;
        while done < count {
            let take = (count - done).min(self.height - self.len % self.height);
            if let Err(error) = self.extend_panel(take, &rows[done * stride..], stride) {
                self.truncate(len);
                return Err(error);
            }
            done += take;
        }
        Ok(())
    }

    /// Appends `count` rows that fit into the panel of the next row.
    fn extend_panel(&mut self, count: usize, rows: &[f64], stride: usize) -> Result<(), NotFinite> {
        let p = self.room();
        let (width, len, height) = (self.width(p), self.len, self.height);
        let (full, last) = self.panels.split_at_mut(p);
        let old = (len - p * height) * width;
        last[0].truncate(old);
        last[0].resize(old + count * width, 0.0);
        let (above, new) = last[0].split_at_mut(old);
        for (i, row) in new.chunks_exact_mut(width).enumerate() {
            row[..len + i + 1].copy_from_slice(&rows[i * stride..i * stride + len + i + 1]);
        }
        // If there is enough to do, the rows are worked on in two halves. Where they are divided, and so every bit,
        // depends on sizes alone and not on the number of threads.
        let parallel = count > 1 && count * len * len >= WORTH_SHARING;
        let half = if parallel { count / 2 } else { count };
        let (top, bottom) = new.split_at_mut(half * width);
        let panels = || full.iter().map(Vec::as_slice).chain([&*above]);
        let solve = |part: &mut [f64], rows| solve_panels(panels(), height, len, part, width, rows);
        if !parallel {
            solve(top, count);
            let (left, right) = dense::view_mut(top, count, len + count, width).split_at_col_mut(len);
            if len > 0 {
                add_gram_lower(right, -1.0, left.as_ref());
            }
        } else {
            let rest = count - half;
            join(|| solve(top, half), || solve(bottom, rest));
            let (x, corner) = dense::view_mut(top, half, len + half, width).split_at_col_mut(len);
            let (z, others) = dense::view_mut(bottom, rest, len + count, width).split_at_col_mut(len);
            let (below, last) = others.split_at_col_mut(half);
            let (x, z) = (x.as_ref(), z.as_ref());
            let square = || add_product(below, -1.0, z, x.transpose());
            let triangles = || {
                add_gram_lower(corner, -1.0, x);
                add_gram_lower(last, -1.0, z);
            };
            join(square, triangles);
        }
        let largest = (0..count).map(|i| rows[i * stride + len + i]).fold(self.largest, f64::max);
        let floor = dense::pivot_floor(self.lambda, largest);
        dense::cholesky(&mut new[len..], count, width, floor)?;
        (self.len, self.largest) = (self.len + count, largest);
        Ok(())
    }

    fn truncate(&mut self, len: usize) {
        self.panels.truncate(len.div_ceil(self.height));
        if let Some(last) = self.panels.len().checked_sub(1) {
            let rows = len - last * self.height;
            let width = self.width(last);
            self.panels[last].truncate(rows * width);
        }
        self.len = len;
    }
}

/// The rows of L, each up to its diagonal, one after the other.
impl State for Growing {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { height: _, lambda: _, largest, len, panels: _ } = &mut *self;
        store.keep("largest", largest)?;
        let rows = 0..*len;
        let own = || rows.flat_map(|i| self.row(i)).copied().collect::<Vec<f64>>().into();
        let Some(found) = store.within("rows", |store| store.exchange(own))? else { return Ok(()) };
        let mut rest = &found.values[..];
        while !rest.is_empty() {
            store.check(rest.len() > self.len, "is no triangle")?;
            let (row, later) = rest.split_at(self.len + 1);
            let panel = self.room();
            let end = self.panels[panel].len() + self.width(panel);
            self.panels[panel].extend_from_slice(row);
            self.panels[panel].resize(end, 0.0);
            (self.len, rest) = (self.len + 1, later);
        }
        Ok(())
    }
}

/// X = K21 L11^-T for `rows` rows of K21 at the start of `part`, by one column panel of L11 after the other: first
/// subtracts what earlier columns explain, then solves with the diagonal block.
fn solve_panels<'a>(
    panels: impl Iterator<Item = &'a [f64]>,
    height: usize,
    len: usize,
    part: &mut [f64],
    width: usize,
    rows: usize,
) {
    for (q, panel) in panels.enumerate() {
        let from = q * height;
        let cols = height.min(len - from);
        if cols == 0 {
            break;
        }
        let panel_width = (q + 1) * height;
        if from > 0 {
            let (explained, block) = dense::view_mut(part, rows, from + cols, width).split_at_col_mut(from);
            add_product(block, -1.0, explained.as_ref(), dense::view(panel, cols, from, panel_width).transpose());
        }
        dense::solve_rows(&panel[from..], panel_width, cols, &mut part[from..], width, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    fn matrix(n: usize) -> Vec<f64> {
        let mut draw = Draws::named(&["growing"]).at(Role::Start, 0);
        let points: Vec<f64> = (0..n).map(|_| draw.between(0.0, 10.0)).collect();
        let entry = |i: usize, j: usize| (-(points[i] - points[j]).abs()).exp() + if i == j { 0.01 } else { 0.0 };
        (0..n * n).map(|ij| entry(ij / n, ij % n)).collect()
    }

    fn rows(matrix: &[f64], n: usize, from: usize, to: usize) -> Vec<f64> {
        (from..to).flat_map(|i| matrix[i * n..i * n + to].to_vec()).collect()
    }

    #[test]
    fn the_factor_multiplies_back_however_it_grew() {
        let n = 53;
        let matrix = matrix(n);
        for (height, cuts) in [(8, vec![0, 1, 3, 20, 53]), (16, vec![0, 53]), (64, vec![0, 30, 31, 53])] {
            let mut factor = Growing::new(height, 0.01);
            for cut in cuts.windows(2) {
                factor.extend(cut[1] - cut[0], &rows(&matrix, n, cut[0], cut[1])).unwrap();
            }
            assert_eq!(factor.len(), n);
            for i in 0..n {
                for j in 0..=i {
                    let product = vector::dot(&factor.row(i)[..=j], factor.row(j));
                    assert!((product - matrix[i * n + j]).abs() < 1e-14, "{height} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn one_row_at_a_time_is_the_same_and_the_solves_invert() {
        let n = 20;
        let matrix = matrix(n);
        let mut blocked = Growing::new(8, 0.01);
        blocked.extend(n, &matrix).unwrap();
        let mut single = Growing::new(8, 0.01);
        for i in 0..n {
            let mut row = matrix[i * n..i * n + i].to_vec();
            single.solve(&mut row);
            let own = matrix[i * n + i];
            single.push(&row, own, single.pivot(own, &row));
        }
        for i in 0..n {
            for (a, b) in single.row(i).iter().zip(blocked.row(i)) {
                assert!((a - b).abs() < 1e-14);
            }
        }
        // K x with x = 1 is solved for x.
        let mut rhs: Vec<f64> = (0..n).map(|i| matrix[i * n..(i + 1) * n].iter().sum()).collect();
        blocked.solve(&mut rhs);
        blocked.solve_transposed(&mut rhs);
        assert!(rhs.iter().all(|x| (x - 1.0).abs() < 1e-12), "{rhs:?}");
    }

    /// Panels of the product begin and end elsewhere than those of the factor.
    #[test]
    fn products_with_an_upper_factor_are_those_of_their_entries() {
        let n = 150;
        let matrix = matrix(n);
        let mut draw = Draws::named(&["growing"]).at(Role::Learn, 0);
        let mut upper = Upper::identity(n, 0.7);
        (0..3).for_each(|_| _ = upper.add(&mut (0..n).map(|_| draw.normal()).collect::<Vec<f64>>()));
        let right = upper.block(0..n, 0, n);
        for (own, height) in [(8, 32), (64, 24), (64, 200), (7, 7)] {
            let mut factor = Growing::new(own, 0.01);
            factor.extend(n, &matrix).unwrap();
            let product = factor.times_transposed(&upper, height);
            assert_eq!(product.len(), n);
            for i in 0..n {
                for (j, found) in product.row(i).iter().enumerate() {
                    let expected: f64 = (j..=i).map(|k| factor.row(i)[k] * right[(j, k)]).sum();
                    assert!((found - expected).abs() < 1e-12, "{own} {height} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn many_right_sides_have_the_bits_of_one() {
        let n = 150;
        let matrix = matrix(n);
        for (height, rows) in [(64, 5), (8, 4), (256, 1)] {
            let mut factor = Growing::new(height, 0.01);
            factor.extend(n, &matrix).unwrap();
            let mut together = vec![f64::NAN; rows * (n + 3)];
            for (row, entries) in together.chunks_exact_mut(n + 3).zip(matrix.chunks_exact(n)) {
                row[..n].copy_from_slice(entries);
            }
            factor.solve_each(&mut together, n + 3);
            for (row, entries) in together.chunks_exact(n + 3).zip(matrix.chunks_exact(n)) {
                let mut one = entries.to_vec();
                factor.solve(&mut one);
                assert_eq!(row[..n], one);
                assert_eq!(factor.solve_last(entries[n - 1], &one[..n - 1]), one[n - 1]);
            }
        }
    }

    #[test]
    fn a_refused_block_leaves_the_factor_as_it_was() {
        let n = 30;
        let mut matrix = matrix(n);
        let mut factor = Growing::new(8, 0.01);
        factor.extend(10, &rows(&matrix, n, 0, 10)).unwrap();
        let kept: Vec<f64> = factor.row(9).to_vec();
        let good = rows(&matrix, n, 10, 30);
        matrix[25 * n + 3] = f64::NAN;
        assert_eq!(factor.extend(20, &rows(&matrix, n, 10, 30)), Err(NotFinite));
        assert_eq!((factor.len(), factor.row(9)), (10, &kept[..]));
        factor.extend(20, &good).unwrap();
        assert!(factor.row(29).iter().all(|entry| entry.is_finite()));
    }
}
