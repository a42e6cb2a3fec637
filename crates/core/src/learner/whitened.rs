//! A window of rounds over a feature map, whitened by the covariance of the rounds before it.
//!
//! At the start of a window, A = (multiple of I) + sum phi phi' is factorised as C C'. Inside it, a round has u = C^-1 phi
//! and the prior forecast u' C^-1 b, with b the weighted sum of the phi so far; products of the u are all that the rounds
//! of a window need to know of each other. At its end the window is added to A and b. Algebraically this is the recursion
//! with one rank-one update per round (Woodbury), but rounding errors do not accumulate, and most of the work is in matrix
//! products when rounds come in blocks.

use crate::feature::api::FeatureMap;
use crate::learner::api::Breakdown;
use crate::learner::sequential::singular;
use crate::linalg::dense;
use crate::linalg::matrix::{Matrix, Rows};
use crate::linalg::vector::{add_scaled, dot, solve_lower};
use crate::state::{StateError, Store, keep};

/// The features of a window, and what the rounds before it left; 2 r^2 numbers, and two windows of r features.
#[derive(Debug)]
pub struct Whitened {
    map: Box<dyn FeatureMap>,
    /// A (lower triangle) and b up to the start of the window.
    covariance: Vec<f64>,
    moment: Vec<f64>,
    /// C (lower triangle) with A = C C', and C^-1 b.
    factor: Vec<f64>,
    prior: Vec<f64>,
    /// The window: phi, as often as it counts, and C^-1 phi of its rounds.
    features: Matrix,
    whitened: Matrix,
}

impl Whitened {
    /// No rounds yet: A = `diagonal` I, b = 0.
    pub fn new(map: Box<dyn FeatureMap>, diagonal: f64) -> Self {
        let r = map.features();
        let multiple = |value: f64| {
            let mut matrix = vec![0.0; r * r];
            matrix.iter_mut().step_by(r + 1).for_each(|entry| *entry = value);
            matrix
        };
        Self {
            map,
            covariance: multiple(diagonal),
            moment: vec![0.0; r],
            factor: multiple(diagonal.sqrt()),
            prior: vec![0.0; r],
            features: Matrix::with_width(r),
            whitened: Matrix::with_width(r),
        }
    }

    /// The number r of features.
    pub fn r(&self) -> usize {
        self.moment.len()
    }

    /// The number of rounds in the window.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Whether the window has no rounds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The map.
    pub fn map_mut(&mut self) -> &mut dyn FeatureMap {
        &mut *self.map
    }

    /// Bytes of A, C, two windows of `capacity` rounds, and the triangle of a window's products.
    pub fn bytes(features: f64, capacity: f64) -> f64 {
        8.0 * (2.0 * features * features + 2.0 * capacity * features + capacity * capacity)
    }

    /// Writes `scale` phi(x) and u = C^-1 of it, and the products of u with those of the window's first `rounds` rounds.
    /// Returns the prior forecast.
    pub fn evaluate(&self, x: &[f64], scale: f64, rounds: usize, [phi, u, row]: [&mut Vec<f64>; 3]) -> f64 {
        phi.resize(self.r(), 0.0);
        self.map.write(x, phi);
        rescale(phi, scale);
        u.clone_from(phi);
        solve_lower(&self.factor, self.r(), &[], u);
        row.clear();
        row.extend(self.whitened.slice(0, rounds).iter().map(|earlier| dot(earlier, u)));
        dot(u, &self.prior)
    }

    /// The prior forecast of round `i` of the window.
    pub fn prior(&self, i: usize) -> f64 {
        dot(self.whitened.row(i), &self.prior)
    }

    /// Appends a round that [`evaluate`](Whitened::evaluate) computed.
    pub fn push(&mut self, phi: &[f64], u: &[f64]) {
        self.features.push_row(phi);
        self.whitened.push_row(u);
    }

    /// Appends rounds; `scales` has the factor of each round's features.
    pub fn extend(&mut self, inputs: Rows<'_>, scales: &[f64]) {
        let (r, old, count) = (self.r(), self.len(), inputs.rows());
        self.features.push_zeros(count);
        self.map.write_rows(inputs, &mut self.features.data_mut()[old * r..]);
        for (i, scale) in scales.iter().enumerate() {
            rescale(self.features.row_mut(old + i), *scale);
        }
        // Copied row by row, because one long copy is much slower on some systems.
        self.features.slice(old, old + count).iter().for_each(|row| self.whitened.push_row(row));
        dense::solve_rows(&self.factor, r, r, &mut self.whitened.data_mut()[old * r..], r, count);
    }

    /// The products of the rounds from `old` on with those before them and with each other, plus `diagonal` I: one row as
    /// wide as the window for each of them, of which the lower trapezoid is written.
    pub fn products(&self, old: usize, diagonal: f64, gram: &mut [f64]) {
        let (r, width) = (self.r(), self.len());
        let count = width - old;
        let (known, mut new) = dense::view_mut(gram, count, width, width).split_at_col_mut(old);
        let (before, now) = dense::view(self.whitened.data(), width, r, r).split_at_row(old);
        dense::product(known, now, before.transpose());
        new.fill(0.0);
        dense::add_product_lower(new.as_mut(), 1.0, now, now.transpose());
        for i in 0..count {
            new[(i, i)] += diagonal;
        }
    }

    /// Forgets the rounds of the window from `rounds` on.
    pub fn truncate(&mut self, rounds: usize) {
        self.features.truncate(rounds);
        self.whitened.truncate(rounds);
    }

    /// b += sum_i a_i phi_i over the first rounds of the window.
    pub fn add_to_moment(&mut self, coefficients: &[f64]) {
        for (phi, a) in self.features.view().iter().zip(coefficients) {
            add_scaled(&mut self.moment, *a, phi);
        }
    }

    /// phi_i <- s_i phi_i for the first rounds of the window.
    pub fn scale_features(&mut self, scales: &[f64]) {
        for (i, scale) in scales.iter().enumerate() {
            rescale(self.features.row_mut(i), *scale);
        }
    }

    /// Ends the window: A <- `decay` (A + sum_i phi_i phi_i' over its first `rounds` rounds) + `refresh` I and
    /// b <- `decay` b. The multiple of I in A is then `multiple`.
    ///
    /// # Errors
    /// If A is singular to working precision.
    pub fn absorb(&mut self, rounds: usize, decay: f64, refresh: f64, multiple: f64) -> Result<(), Breakdown> {
        let r = self.r();
        let rows = dense::view(self.features.data(), rounds, r, r);
        dense::add_product_lower(dense::view_mut(&mut self.covariance, r, r, r), 1.0, rows.transpose(), rows);
        rescale(&mut self.covariance, decay);
        rescale(&mut self.moment, decay);
        self.covariance.iter_mut().step_by(r + 1).for_each(|entry| *entry += refresh);
        // A map may have no features at all.
        let width = r.max(1);
        for (i, (to, from)) in self.factor.chunks_exact_mut(width).zip(self.covariance.chunks_exact(width)).enumerate()
        {
            to[..=i].copy_from_slice(&from[..=i]);
        }
        let largest = self.covariance.iter().step_by(r + 1).copied().fold(0.0, f64::max);
        dense::cholesky(&mut self.factor, r, r, dense::pivot_floor(multiple, largest))
            .map_err(|error| Breakdown::new(format!("the covariance of the features: {error}")))?;
        if self.factor.iter().step_by(r + 1).any(|pivot| dense::is_lost(pivot * pivot, multiple, largest)) {
            return Err(singular());
        }
        self.prior.copy_from_slice(&self.moment);
        solve_lower(&self.factor, r, &[], &mut self.prior);
        self.truncate(0);
        Ok(())
    }

    /// Saves or loads the arrays among those of the learner that they belong to.
    ///
    /// # Errors
    /// As [`State::state`](crate::state::State::state).
    pub fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { covariance, moment, factor, prior, .. } = &mut *self;
        for (name, array) in [("covariance", covariance), ("moment", moment), ("factor", factor), ("prior", prior)] {
            store.keep(name, &mut array[..])?;
        }
        keep!(self, store: features, whitened; map, covariance, moment, factor, prior);
        store.check(features.rows() == whitened.rows(), "has a window of parts of different sizes")
    }
}

/// `values` times `scale`; nothing is read or written where it is 1.
fn rescale(values: &mut [f64], scale: f64) {
    if scale != 1.0 {
        values.iter_mut().for_each(|value| *value *= scale);
    }
}
