//! The upper Cholesky factor of a positive-definite matrix that changes by rank-one terms and grows.

use std::ops::Range;

use faer::MatRef;

use crate::linalg::dense::{self, NotFinite, add_gram_lower, add_product, product, view, view_mut};
use crate::linalg::simd::vectorised;
use crate::linalg::vector::dot;
use crate::state::{State, StateError, Store, triangle_order};

/// Rows and columns of the blocks in which triangles are multiplied and transposed.
const BAND: usize = 128;

/// The upper triangle R of A = R' R.
///
/// Rows are contiguous. A rank-one term and both triangular solves each read R once, row after row, in O(m^2).
#[derive(Clone, Debug, Default)]
pub struct Upper {
    len: usize,
    stride: usize,
    data: Vec<f64>,
    /// (cosine, sine) of each rotation of the last [`add`](Upper::add).
    rotations: Vec<[f64; 2]>,
    /// Working space of [`absorb`](Upper::absorb): the rows that it has made anew.
    band: Vec<f64>,
}

impl Upper {
    /// The factor of `scale`^2 I with `len` rows.
    pub fn identity(len: usize, scale: f64) -> Self {
        let mut data = vec![0.0; len * len];
        data.iter_mut().step_by(len + 1).for_each(|entry| *entry = scale);
        Self { len, stride: len, data, ..Self::default() }
    }

    /// Becomes the factor of `scale`^2 I with as many rows as it has.
    pub fn reset(&mut self, scale: f64) {
        self.data.fill(0.0);
        self.data.iter_mut().step_by(self.stride + 1).take(self.len).for_each(|entry| *entry = scale);
    }

    /// Drops all rows, but keeps their memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Number of rows.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Row `i` of R, with zeros before the diagonal.
    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.stride..][..self.len]
    }

    /// Entry `i` of the diagonal.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.data[i * self.stride + i]
    }

    /// Rows `rows` of R from column `left` to before `right`; zeros below the diagonal.
    pub(crate) fn block(&self, rows: Range<usize>, left: usize, right: usize) -> MatRef<'_, f64> {
        view(&self.data[rows.start * self.stride + left..], rows.len(), right - left, self.stride)
    }

    /// `rhs = R^-T rhs`, over the first `rhs.len()` rows and columns.
    pub fn solve_transposed(&self, rhs: &mut [f64]) {
        debug_assert!(rhs.len() <= self.len);
        solve_transposed(&self.data, self.stride, rhs);
    }

    /// `rhs = rhs R^-1` for `rows` rows with an entry for each row of R: row by row, what
    /// [`solve_transposed`](Upper::solve_transposed) does, by matrix products; with `work` for working space.
    pub fn solve_rows(&self, rhs: &mut [f64], rows: usize, work: &mut Vec<f64>) {
        let n = self.len;
        work.clear();
        work.resize(BAND.min(n) * BAND.min(n), 0.0);
        for left in (0..n).step_by(BAND) {
            let width = BAND.min(n - left);
            let (known, now) = view_mut(rhs, rows, left + width, n).split_at_col_mut(left);
            if left > 0 {
                add_product(now, -1.0, known.as_ref(), view(&self.data[left..], left, width, self.stride));
            }
            let corner = &self.data[left * self.stride + left..];
            for (i, row) in work.chunks_exact_mut(width).take(width).enumerate() {
                for (j, entry) in row[..=i].iter_mut().enumerate() {
                    *entry = corner[j * self.stride + i];
                }
            }
            dense::solve_rows(work, width, width, &mut rhs[left..], n, rows);
        }
    }

    /// A += sum x x' over the `rows` vectors x with these R^-T x, by matrix products. With S' S = I + sum R^-T x x' R^-1,
    /// R becomes S R; the lower triangle S' is left in `work`, row after row.
    ///
    /// # Errors
    /// If an entry is not finite; R is then as it was.
    pub fn absorb(&mut self, whitened: &[f64], rows: usize, work: &mut Vec<f64>) -> Result<(), NotFinite> {
        let (n, stride) = (self.len, self.stride);
        if n == 0 {
            return Ok(());
        }
        work.clear();
        work.resize(n * n, 0.0);
        work.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
        let whitened = view(whitened, rows, n, n);
        add_gram_lower(view_mut(work, n, n, n), 1.0, whitened.transpose());
        dense::cholesky(work, n, n, 1.0)?;
        self.band.resize(BAND * n, 0.0);
        for top in (0..n).step_by(BAND) {
            let height = BAND.min(n - top);
            // The rows above are no longer needed, and those below are as they were.
            for left in (top..n).step_by(BAND) {
                let width = BAND.min(n - left);
                let depth = left + width - top;
                let factor = view(&work[top * n + top..], depth, height, n).transpose();
                let rows = view(&self.data[top * stride + left..], depth, width, stride);
                product(view_mut(&mut self.band[left..], height, width, n), factor, rows);
            }
            for (i, row) in self.band.chunks_exact(n).take(height).enumerate() {
                self.data[(top + i) * stride + top + i..][..n - top - i].copy_from_slice(&row[top + i..]);
            }
        }
        Ok(())
    }

    /// `rhs = R^-1 rhs`; `rhs` has an entry for each row.
    pub fn solve(&self, rhs: &mut [f64]) {
        debug_assert_eq!(rhs.len(), self.len);
        for i in (0..rhs.len()).rev() {
            let row = self.row(i);
            let known = dot(&row[i + 1..], &rhs[i + 1..]);
            rhs[i] = (rhs[i] - known) / row[i];
        }
    }

    /// A += x x', by rotating x into R; `x` is overwritten. Returns the rotations (c, s) in order: entry k takes (row k
    /// of R, x) to (c row + s x, c x - s row). A caller that keeps R^-T b can use them to update it for b += y x.
    pub fn add(&mut self, x: &mut [f64]) -> &[[f64; 2]] {
        debug_assert_eq!(x.len(), self.len);
        self.rotations.resize(self.len, [1.0, 0.0]);
        rotate(&mut self.data, self.stride, x, &mut self.rotations);
        &self.rotations
    }

    /// A -= x x', for an x x' that is one of the terms of A; `x` is overwritten. Returns false, and leaves a factor of no
    /// use, if rounding errors make A - x x' indefinite: the caller then factorises it anew.
    #[must_use]
    pub fn remove(&mut self, x: &mut [f64]) -> bool {
        debug_assert_eq!(x.len(), self.len);
        unrotate(&mut self.data, self.stride, x)
    }

    /// Appends a row and column to A. `column` = R^-T c, where c is the part of the new column above the diagonal of A,
    /// and `diagonal` is the new diagonal entry of R.
    pub fn push(&mut self, column: &[f64], diagonal: f64) {
        debug_assert_eq!(column.len(), self.len);
        if self.len == self.stride {
            let stride = (2 * self.stride).max(16);
            let mut data = vec![0.0; stride * stride];
            for (wide, row) in data.chunks_exact_mut(stride).zip(self.data.chunks_exact(self.stride.max(1))) {
                wide[..self.stride].copy_from_slice(row);
            }
            (self.stride, self.data) = (stride, data);
        }
        for (row, value) in self.data.chunks_exact_mut(self.stride).zip(column.iter().chain([&diagonal])) {
            row[self.len] = *value;
        }
        self.len += 1;
    }
}

/// The rows of R, each from its diagonal on, one after the other.
impl State for Upper {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { len, stride: _, data: _, rotations: _, band: _ } = &*self;
        let own = || (0..*len).flat_map(|i| &self.row(i)[i..]).copied().collect::<Vec<f64>>().into();
        if let Some(found) = store.exchange(own)? {
            let order = triangle_order(found.values.len());
            store.check(order.is_some(), "is no triangle")?;
            *self = Self::identity(order.unwrap_or_default(), 1.0);
            let mut rest = &found.values[..];
            for i in 0..self.len {
                let (row, later) = rest.split_at(self.len - i);
                self.data[i * self.stride + i..][..row.len()].copy_from_slice(row);
                rest = later;
            }
        }
        Ok(())
    }
}

vectorised! {
    fn solve_transposed<'a>(upper: &'a [f64], stride: usize, rhs: &'a mut [f64]) -> () {
        let n = rhs.len();
        for i in 0..n {
            let row = &upper[i * stride..][..n];
            let (solved, rest) = rhs.split_at_mut(i + 1);
            let value = solved[i] / row[i];
            solved[i] = value;
            for (rest, entry) in rest.iter_mut().zip(&row[i + 1..]) {
                *rest -= value * entry;
            }
        }
    }
}

vectorised! {
    fn rotate<'a>(upper: &'a mut [f64], stride: usize, x: &'a mut [f64], rotations: &'a mut [[f64; 2]]) -> () {
        let n = x.len();
        for i in 0..n {
            let row = &mut upper[i * stride..][..n];
            let radius = (row[i] * row[i] + x[i] * x[i]).sqrt();
            let (c, s) = (row[i] / radius, x[i] / radius);
            row[i] = radius;
            rotations[i] = [c, s];
            for (entry, x) in row[i + 1..].iter_mut().zip(&mut x[i + 1..]) {
                let (old, term) = (*entry, *x);
                *entry = c * old + s * term;
                *x = c * term - s * old;
            }
        }
    }
}

vectorised! {
    fn unrotate<'a>(upper: &'a mut [f64], stride: usize, x: &'a mut [f64]) -> bool {
        let n = x.len();
        for i in 0..n {
            let row = &mut upper[i * stride..][..n];
            let square = (row[i] - x[i]) * (row[i] + x[i]);
            // Written so that a NaN ends here, too.
            if !(square > 0.0 && square.is_finite()) {
                return false;
            }
            let radius = square.sqrt();
            let (c, s) = (row[i] / radius, x[i] / radius);
            row[i] = radius;
            for (entry, x) in row[i + 1..].iter_mut().zip(&mut x[i + 1..]) {
                let (old, term) = (*entry, *x);
                *entry = c * old - s * term;
                *x = c * term - s * old;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draws, Role};

    /// After growth and updates, the factor multiplies back to the matrix that the test keeps, and both solves invert
    /// it.
    #[test]
    fn follows_the_matrix_through_updates_and_growth() {
        let mut draw = Draws::named(&["upper"]).at(Role::Start, 0);
        let mut factor = Upper::default();
        let mut matrix: Vec<Vec<f64>> = Vec::new();
        for size in 1..=40 {
            let column: Vec<f64> = (1..size).map(|_| draw.normal() * 0.1).collect();
            let mut whitened = column.clone();
            factor.solve_transposed(&mut whitened);
            let own = 2.0 + dot(&whitened, &whitened);
            factor.push(&whitened, 2f64.sqrt());
            for (row, value) in matrix.iter_mut().zip(&column) {
                row.push(*value);
            }
            matrix.push(column.into_iter().chain([own]).collect());
            for _ in 0..3 {
                let x: Vec<f64> = (0..size).map(|_| draw.normal()).collect();
                factor.add(&mut x.clone());
                for (row, a) in matrix.iter_mut().zip(&x) {
                    row.iter_mut().zip(&x).for_each(|(entry, b)| *entry += a * b);
                }
            }
            let solution: Vec<f64> = (0..size).map(|_| draw.normal()).collect();
            let mut rhs: Vec<f64> = matrix.iter().map(|row| dot(row, &solution)).collect();
            factor.solve_transposed(&mut rhs);
            factor.solve(&mut rhs);
            for (found, expected) in rhs.iter().zip(&solution) {
                assert!((found - expected).abs() < 1e-11, "{size}: {found} {expected}");
            }
        }
    }

    /// Many rows at once are solved for, and absorbed, as one after the other.
    #[test]
    fn many_rows_at_once_are_as_many_single_ones() {
        for (n, rows, stride) in [(1, 3, 1), (7, 2, 9), (40, 60, 40), (300, 37, 301), (300, 400, 300)] {
            let mut draw = Draws::named(&["upper"]).at(Role::Start, (n + rows) as u64);
            let mut one_by_one = Upper::identity(n, 0.7);
            for _ in 0..20 {
                one_by_one.add(&mut (0..n).map(|_| draw.normal()).collect::<Vec<f64>>());
            }
            let mut data = vec![0.0; stride * stride];
            for (wide, row) in data.chunks_exact_mut(stride).zip(one_by_one.data.chunks_exact(n)) {
                wide[..n].copy_from_slice(row);
            }
            let mut together = Upper { len: n, stride, data, ..Upper::default() };
            let terms: Vec<f64> = (0..rows * n).map(|_| draw.normal()).collect();
            let mut whitened = terms.clone();
            together.solve_rows(&mut whitened, rows, &mut Vec::new());
            for (term, whitened) in terms.chunks_exact(n).zip(whitened.chunks_exact(n)) {
                let mut expected = term.to_vec();
                one_by_one.solve_transposed(&mut expected);
                assert!(expected.iter().zip(whitened).all(|(a, b)| (a - b).abs() < 1e-11), "{n} {rows}");
            }
            together.absorb(&whitened, rows, &mut Vec::new()).unwrap();
            terms.chunks_exact(n).for_each(|term| _ = one_by_one.add(&mut term.to_vec()));
            for i in 0..n {
                let pairs = one_by_one.row(i).iter().zip(together.row(i));
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-11), "{n} {rows} {i}");
            }
            let before = together.clone();
            assert_eq!(together.absorb(&vec![f64::INFINITY; n], 1, &mut Vec::new()), Err(NotFinite));
            assert_eq!(together.data, before.data);
        }
    }

    /// Terms that are added and removed in turn leave the rest; what is no term is refused.
    #[test]
    fn removes_what_was_added() {
        let mut draw = Draws::named(&["upper"]).at(Role::Start, 1);
        let mut factor = Upper::identity(7, 0.5);
        let mut terms: Vec<Vec<f64>> = Vec::new();
        for _ in 0..60 {
            terms.push((0..7).map(|_| draw.normal()).collect());
            factor.add(&mut terms[terms.len() - 1].clone());
            if terms.len() > 5 {
                assert!(factor.remove(&mut terms.remove(0)));
            }
        }
        let x: Vec<f64> = (0..7).map(|_| draw.normal()).collect();
        let mut rhs: Vec<f64> = x.iter().map(|x| 0.25 * x).collect();
        for term in &terms {
            let product = dot(term, &x);
            rhs.iter_mut().zip(term).for_each(|(rhs, entry)| *rhs += product * entry);
        }
        factor.solve_transposed(&mut rhs);
        factor.solve(&mut rhs);
        for (found, expected) in rhs.iter().zip(&x) {
            assert!((found - expected).abs() < 1e-10, "{found} {expected}");
        }
        assert!(!factor.remove(&mut [100.0; 7]) && !Upper::identity(1, 1.0).remove(&mut [f64::NAN]));
    }

    #[test]
    fn an_identity_is_its_scale() {
        let factor = Upper::identity(3, 2.0);
        let mut rhs = [2.0, -4.0, 6.0];
        factor.solve(&mut rhs);
        assert_eq!(rhs, [1.0, -2.0, 3.0]);
    }
}
