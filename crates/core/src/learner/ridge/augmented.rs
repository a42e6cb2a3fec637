//! The triangle of a least-squares problem with its right-hand side, updated by rotations: recursive least squares in its
//! square-root form (G. Golub, C. Van Loan, *Matrix Computations*, section 6.5).
//!
//! The rows (R | z) stand for the sums A = R' R and b = R' z of the rounds. A round is rotated in, which never forms A: errors
//! grow with the condition number of R, the root of that of A.

use noregret_numeric::linalg::vector::{add_scaled, dot};
use noregret_numeric::state::{State, StateError, Store};

/// R, upper triangular with d rows, and z = R^-T b: each row from its diagonal on, then its entry of z.
#[derive(Clone, Debug)]
pub(crate) struct Augmented {
    len: usize,
    rows: Vec<f64>,
}

impl Augmented {
    /// R = diag(`roots`), z = 0.
    pub(crate) fn diagonal(roots: &[f64]) -> Self {
        let len = roots.len();
        let mut rows = vec![0.0; Self::numbers(len)];
        roots.iter().enumerate().for_each(|(i, root)| rows[Self::start(len, i)] = *root);
        Self { len, rows }
    }

    /// The numbers of d rows: d (d + 3) / 2.
    pub(crate) const fn numbers(len: usize) -> usize {
        len * (len + 3) / 2
    }

    /// Where row `i` starts.
    const fn start(len: usize, i: usize) -> usize {
        i * (2 * len + 3 - i) / 2
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// b' A^-1 phi and phi' A^-1 phi for the `row` (phi, 0), which is overwritten. A coordinate of which A knows nothing (a 0 on
    /// the diagonal of R) counts as 0 in the first, and makes the second infinite where phi has it.
    pub(crate) fn forecast(&self, row: &mut [f64]) -> (f64, f64) {
        let (mut rest, mut h) = (&self.rows[..], 0.0);
        for i in 0..self.len {
            let (own, later) = rest.split_at(self.len + 1 - i);
            rest = later;
            if row[i] == 0.0 {
                continue;
            }
            if own[0] == 0.0 {
                h = f64::INFINITY;
                continue;
            }
            let u = row[i] / own[0];
            h += u * u;
            add_scaled(&mut row[i + 1..], -u, &own[1..]);
        }
        (-row[self.len], h)
    }

    /// A <- decay^2 A + phi phi' and b <- decay^2 b + y phi for the `row` (phi, y), which is overwritten. Returns false, and
    /// leaves nothing of use, if a number is beyond floating point.
    #[must_use]
    pub(crate) fn add(&mut self, decay: f64, row: &mut [f64]) -> bool {
        let (len, mut finite) = (self.len, true);
        let mut rest = &mut self.rows[..];
        for i in 0..len {
            let (own, later) = rest.split_at_mut(len + 1 - i);
            rest = later;
            if row[i] == 0.0 {
                if decay < 1.0 {
                    own.iter_mut().for_each(|entry| *entry *= decay);
                }
                continue;
            }
            let (head, term) = (decay * own[0], row[i]);
            let radius = head.hypot(term);
            let (c, s) = (head / radius, term / radius);
            own[0] = radius;
            for (entry, term) in own[1..].iter_mut().zip(&mut row[i + 1..]) {
                let (old, new) = (decay * *entry, *term);
                *entry = c * old + s * new;
                *term = c * new - s * old;
            }
            finite &= radius.is_finite() && own[len - i].is_finite();
        }
        finite
    }

    /// A <- A + square I over the coordinates from `first` on; `row`, of d + 1 numbers, is overwritten. Returns what
    /// [`add`](Augmented::add) does.
    #[must_use]
    pub(crate) fn raise(&mut self, square: f64, first: usize, row: &mut [f64]) -> bool {
        (first..self.len).all(|j| {
            row.fill(0.0);
            row[j] = square.sqrt();
            self.add(1.0, row)
        })
    }

    /// Makes `weights` A^-1 b; 0 for a coordinate of which A knows nothing.
    pub(crate) fn weights(&self, weights: &mut Vec<f64>) {
        weights.clear();
        weights.resize(self.len, 0.0);
        for i in (0..self.len).rev() {
            let own = &self.rows[Self::start(self.len, i)..][..self.len + 1 - i];
            if own[0] != 0.0 {
                weights[i] = (own[own.len() - 1] - dot(&own[1..own.len() - 1], &weights[i + 1..])) / own[0];
            }
        }
    }
}

/// The rows, each from its diagonal on, one after the other.
impl State for Augmented {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.rows[..].state(store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = [[0, 0], [0, 4]] + (1, 2)(1, 2)' and b = 3 (1, 2): at (1, 0) and at (0, 1), with a decay of 1/2 before a second round.
    #[test]
    fn two_rounds_by_hand() {
        let mut sums = Augmented::diagonal(&[0.0, 2.0]);
        assert_eq!(sums.forecast(&mut [0.0, 1.0, 0.0]), (0.0, 0.25));
        assert_eq!(sums.forecast(&mut [1.0, 1.0, 0.0]), (0.0, f64::INFINITY));
        assert!(sums.add(1.0, &mut [1.0, 2.0, 3.0]));
        // A^-1 = [[8, -2], [-2, 1]] / 4.
        let near = |found: (f64, f64), p: f64, h: f64| (found.0 - p).abs() < 1e-15 && (found.1 - h).abs() < 1e-15;
        assert!(near(sums.forecast(&mut [1.0, 0.0, 0.0]), 3.0, 2.0));
        assert!(near(sums.forecast(&mut [0.0, 1.0, 0.0]), 0.0, 0.25));
        // A = [[1, 2], [2, 8]] / 4 + [[0, 0], [0, 1]] = [[1, 2], [2, 12]] / 4, b = (3, 6) / 4 + (0, 1) = (3, 10) / 4.
        assert!(sums.add(0.5, &mut [0.0, 1.0, 1.0]));
        assert!(near(sums.forecast(&mut [1.0, 1.0, 0.0]), (3.0 * 10.0 - 10.0) / 8.0, 4.0 * (12.0 - 4.0 + 1.0) / 8.0));
        let mut weights = Vec::new();
        sums.weights(&mut weights);
        assert!(weights.iter().zip([2.0, 0.5]).all(|(found, expected)| (found - expected).abs() < 1e-15));
        assert!(sums.add(1.0, &mut [1.7e308, 0.0, 1.0]) && !sums.add(1.0, &mut [1.7e308, 0.0, 1.0]));
    }
}
