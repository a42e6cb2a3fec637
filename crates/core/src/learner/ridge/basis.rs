//! Orthonormal coordinates in the span of a growing dictionary.
//!
//! With K_mm = L L' over the points of the dictionary, psi(x) = L^-1 k_m(x) are the coordinates of the projection of
//! k(x, .) onto span{k(x_j, .)}: <psi(x), psi(z)> is its kernel, and the norm of a function is that of its
//! coefficients. A new point adds one coordinate and changes none of the others, so quantities stored in coordinates
//! only grow. No system is solved with K_mm itself, whose small eigenvalues would be lost in rounding.

use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::squared_norm;
use noregret_numeric::state::{State, StateError, Store, keep};

/// Panel height of the factor.
const HEIGHT: usize = 64;

/// A point whose squared distance from the span is at most this fraction of its squared norm does not extend the span:
/// what it would add cannot be distinguished from rounding errors.
const TOLERANCE: f64 = 1e-12;

/// The points of a dictionary that span it, and their factor L.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// Indices of these points in the dictionary, ascending.
    members: Vec<usize>,
    factor: Growing,
}

/// A new coordinate, (k(x, x_j) - along' psi(x)) / length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate<'a> {
    /// psi(x_j) in the earlier coordinates.
    pub(crate) along: &'a [f64],
    /// Distance of k(x_j, .) from the earlier span.
    pub(crate) length: f64,
}

impl Coordinate<'_> {
    /// psi(x_j) with the new coordinate, in one row.
    pub(crate) fn row(&self) -> Matrix {
        let mut row = Matrix::zeros(1, self.along.len() + 1);
        row.data_mut()[..self.along.len()].copy_from_slice(self.along);
        row.data_mut()[self.along.len()] = self.length;
        row
    }
}

impl Default for Basis {
    fn default() -> Self {
        // Pivots are tested against TOLERANCE before they reach the factor, so its own floor never applies.
        Self { members: Vec::new(), factor: Growing::new(HEIGHT, f64::MIN_POSITIVE) }
    }
}

impl Basis {
    /// Indices in the dictionary of the points that span it.
    pub(crate) fn members(&self) -> &[usize] {
        &self.members
    }

    /// L.
    pub(crate) fn factor(&self) -> &Growing {
        &self.factor
    }

    /// Number of coordinates.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Bytes of the state.
    pub(crate) fn bytes(&self) -> u64 {
        let m = self.len() as u64;
        8 * (m * (m + 1) / 2 + m)
    }

    /// Computes psi of the point whose kernel values with the whole dictionary are `kernel`.
    pub(crate) fn write(&self, kernel: &[f64], psi: &mut Vec<f64>) {
        psi.clear();
        psi.extend(self.members.iter().map(|&member| kernel[member]));
        self.factor.solve(psi);
    }

    /// Replaces the kernel values of points with [`members`](Self::members), at the start of rows that are `stride`
    /// apart, by psi, with the bits of [`write`](Self::write).
    pub(crate) fn write_rows(&self, kernel: &mut [f64], stride: usize) {
        self.factor.solve_each(kernel, stride);
    }

    /// The last coordinate of a point that has kernel value `value` with the last member, and `psi` as its other
    /// coordinates.
    pub(crate) fn last_coordinate(&self, value: f64, psi: &[f64]) -> f64 {
        self.factor.solve_last(value, psi)
    }

    /// Adds the point that gets index `member` in the dictionary, with coordinates `psi` and kernel value `own` with
    /// itself. Returns None if the point lies in the span; then nothing changes.
    pub(crate) fn push<'a>(&mut self, member: usize, own: f64, psi: &'a [f64]) -> Option<Coordinate<'a>> {
        let left = own - squared_norm(psi);
        if left <= TOLERANCE * own {
            return None;
        }
        self.factor.push(psi, own, left);
        self.members.push(member);
        Some(Coordinate { along: psi, length: left.sqrt() })
    }
}

impl State for Basis {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: members, factor);
        store.check(factor.len() == members.len(), "has a factor and members of different numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::api::Kernel;
    use crate::kernel::gaussian::Gaussian;
    use noregret_numeric::linalg::vector::dot;

    /// Inner products of coordinates are kernel values on the dictionary, and repeated or nearly repeated points do not
    /// extend the span.
    #[test]
    fn coordinates_reproduce_the_kernel_and_repetitions_add_none() {
        let kernel = Gaussian::new(1.0);
        let points = [0.0, 0.5, 0.5, 2.0, 0.5 + 1e-9, -1.0];
        let mut basis = Basis::default();
        let mut psi = Vec::new();
        for (j, x) in points.iter().enumerate() {
            let row: Vec<f64> = points[..j].iter().map(|z| kernel.evaluate(&[*x], &[*z])).collect();
            basis.write(&row, &mut psi);
            let added = basis.push(j, 1.0, &psi).is_some();
            assert_eq!(added, j != 2 && j != 4, "{j}");
        }
        assert_eq!(basis.len(), 4);
        let coordinates = points.map(|x| {
            basis.write(&points.map(|z| kernel.evaluate(&[x], &[z])), &mut psi);
            psi.clone()
        });
        for (x, a) in points.iter().zip(&coordinates) {
            for (z, b) in points.iter().zip(&coordinates) {
                assert!((dot(a, b) - kernel.evaluate(&[*x], &[*z])).abs() < 1e-13, "{x} {z}");
            }
        }
    }
}
