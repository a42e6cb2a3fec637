//! A window of rounds over a feature map, whitened by the covariance of the rounds before it.
//!
//! At the start of a window, A = (multiple of I) + sum phi phi' is factorised as C C'. Inside it, a round has u = C^-1 phi
//! and the prior forecast u' C^-1 b, with b the weighted sum of the phi so far; products of the u are all that the rounds
//! of a window need to know of each other. At its end the window is added to A and b. Algebraically this is the recursion
//! with one rank-one update per round (Woodbury), but rounding errors do not accumulate, and most of the work is in matrix
//! products when rounds come in blocks.

use std::array;

use crate::feature::api::FeatureMap;
use crate::learner::api::{Breakdown, Gauges};
use crate::learner::ridge::sequential::singular;
use noregret_numeric::linalg::deferred::{Deferred, deferred};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::panels::{PanelColumn, Panels, SIDE};
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::linalg::{dense, gram, triangular};
use noregret_numeric::state::{StateError, Store};

/// Rounds whose features are computed at once.
const BLOCK: usize = 64;

/// The features of a window, and what the rounds before it left; 2 r^2 numbers, and two windows of r features.
#[derive(Debug)]
pub(crate) struct Whitened {
    map: Box<dyn FeatureMap>,
    /// A (lower triangle) and b up to the start of the window.
    covariance: Deferred<Panels>,
    moment: Vec<f64>,
    /// C (lower triangle) with A = C C', and C^-1 b.
    factor: Deferred<Panels>,
    prior: Vec<f64>,
    /// The window: a column phi, as often as it counts, and a row C^-1 phi for each of its rounds.
    features: Panels,
    whitened: Panels,
    /// Working space: features of a few rounds, and a panel.
    mapped: Matrix,
    panel: Vec<PanelColumn>,
}

impl Whitened {
    /// No rounds yet: A = `diagonal` I, b = 0.
    pub(crate) fn new(map: Box<dyn FeatureMap>, diagonal: f64) -> Self {
        let r = map.features();
        let multiple = |value: f64| deferred(move || Panels::multiple(r, value));
        let (covariance, factor) = (multiple(diagonal), multiple(diagonal.sqrt()));
        Self {
            map,
            whitened: Panels::zeros(0, r.next_multiple_of(SIDE)),
            covariance,
            moment: vec![0.0; r],
            factor,
            prior: vec![0.0; r],
            features: Panels::zeros(r, 0),
            mapped: Matrix::with_width(r),
            panel: Vec::new(),
        }
    }

    /// The number r of features.
    pub(crate) fn r(&self) -> usize {
        self.moment.len()
    }

    /// The number of rounds in the window.
    pub(crate) fn len(&self) -> usize {
        self.whitened.rows()
    }

    /// The map.
    pub(crate) fn map_mut(&mut self) -> &mut dyn FeatureMap {
        &mut *self.map
    }

    /// Bytes of A, C, two windows of `capacity` rounds, and the triangle of a window's products.
    pub(crate) fn bytes(features: f64, capacity: f64) -> f64 {
        8.0 * (2.0 * features * features + 2.0 * capacity * features + capacity * capacity)
    }

    /// What a learner holds whose windows have `capacity` rounds.
    pub(crate) fn gauges(&self, capacity: usize) -> Gauges {
        let r = self.r();
        Gauges {
            features: Some(r as u64),
            state_bytes: Some(Self::bytes(r as f64, capacity as f64) as u64),
            ..Gauges::default()
        }
    }

    /// Writes `scale` phi(x) and u = C^-1 of it, and the products of u with those of the window's first `rounds` rounds.
    /// Returns the prior forecast.
    pub(crate) fn evaluate(&self, x: &[f64], scale: f64, rounds: usize, [phi, u, row]: [&mut Vec<f64>; 3]) -> f64 {
        phi.resize(self.r(), 0.0);
        self.map.write(x, phi);
        rescale(phi, scale);
        u.clone_from(phi);
        triangular::solve_vector(&self.factor, u);
        row.clear();
        self.whitened.products(u, 0, rounds, row);
        dot(u, &self.prior)
    }

    /// Appends the prior forecasts of the rounds of the window from `first` on.
    pub(crate) fn priors(&self, first: usize, out: &mut Vec<f64>) {
        self.whitened.products(&self.prior, first, self.len(), out);
    }

    /// Appends a round that [`evaluate`](Whitened::evaluate) computed.
    pub(crate) fn push(&mut self, phi: &[f64], u: &[f64]) {
        self.features.push_cols(Rows::single(phi));
        self.whitened.push_rows(Rows::single(u));
    }

    /// Appends rounds; `scales` has the factor of each round's features.
    pub(crate) fn extend(&mut self, inputs: Rows<'_>, scales: &[f64]) {
        let old = self.len();
        self.append(inputs, scales);
        triangular::solve(&self.factor, &mut self.whitened, old, &mut self.panel);
    }

    /// Appends phi of rounds that nobody will forecast, as often as each counts. The window then ends by
    /// [`gather`](Whitened::gather).
    pub(crate) fn take(&mut self, inputs: Rows<'_>, scales: &[f64]) {
        for from in (0..inputs.rows()).step_by(BLOCK) {
            let to = inputs.rows().min(from + BLOCK);
            self.mapped.reshape(to - from, self.r());
            self.map.write_rows(inputs.slice(from, to), self.mapped.data_mut());
            for (i, scale) in scales[from..to].iter().enumerate() {
                rescale(self.mapped.row_mut(i), *scale);
            }
            self.features.push_cols(self.mapped.view());
        }
    }

    /// [`extend`](Whitened::extend) without C^-1.
    fn append(&mut self, inputs: Rows<'_>, scales: &[f64]) {
        let count = inputs.rows();
        let mut done = 0;
        while done < count {
            let scales = scales.get(done..).unwrap_or_default();
            done += match inputs.slice(done, count) {
                rows if rows.rows() >= SIDE && self.len().is_multiple_of(SIDE) && self.push_eight(rows, scales) => SIDE,
                rows => self.push_some(rows, scales),
            };
        }
    }

    /// Appends phi of eight rounds as whole panels, if the map writes them so.
    fn push_eight(&mut self, inputs: Rows<'_>, scales: &[f64]) -> bool {
        self.panel.resize(self.factor.cols(), PanelColumn::default());
        if !self.map.write_eight(array::from_fn(|s| inputs.row(s)), &mut self.panel[..self.moment.len()]) {
            return false;
        }
        if scales.iter().take(SIDE).any(|scale| *scale != 1.0) {
            for column in &mut self.panel {
                column.0.iter_mut().zip(scales).for_each(|(value, scale)| *value *= scale);
            }
        }
        self.panel[self.moment.len()..].fill(PanelColumn::default());
        self.features.push_transposed(&self.panel);
        self.whitened.push_panel(&self.panel);
        true
    }

    /// Appends phi of some rounds, row by row: [`BLOCK`] of them, or as many as a panel lacks; returns their number.
    fn push_some(&mut self, inputs: Rows<'_>, scales: &[f64]) -> usize {
        let room = match self.len() % SIDE {
            0 => BLOCK,
            over => SIDE - over,
        };
        let count = inputs.rows().min(room);
        self.mapped.reshape(count, self.r());
        self.map.write_rows(inputs.slice(0, count), self.mapped.data_mut());
        for (i, scale) in scales.iter().take(count).enumerate() {
            rescale(self.mapped.row_mut(i), *scale);
        }
        self.features.push_cols(self.mapped.view());
        self.whitened.push_rows(self.mapped.view());
        count
    }

    /// The products of the rounds from `old` on with those before them and with each other, plus `diagonal` I: one row as
    /// wide as the window for each of them, of which the lower trapezoid is written.
    pub(crate) fn products(&self, old: usize, diagonal: f64, gram: &mut [f64]) {
        let width = self.len();
        for (row, own) in gram.chunks_exact_mut(width).zip(old..width) {
            row[..=own].fill(0.0);
        }
        gram::add_products_lower(dense::view_mut(gram, width - old, width, width), 1.0, &self.whitened, old);
        for (row, own) in gram.chunks_exact_mut(width).zip(old..width) {
            row[own] += diagonal;
        }
    }

    /// Forgets the rounds of the window from `rounds` on.
    pub(crate) fn truncate(&mut self, rounds: usize) {
        self.features.truncate_cols(rounds);
        self.whitened.truncate_rows(rounds);
    }

    /// b += sum_i a_i phi_i over the first rounds of the window.
    pub(crate) fn add_to_moment(&mut self, coefficients: &[f64]) {
        self.features.add_combination(coefficients, &mut self.moment);
    }

    /// phi_i <- s_i phi_i for the first rounds of the window.
    pub(crate) fn scale_features(&mut self, scales: &[f64]) {
        for (i, scale) in scales.iter().enumerate() {
            self.features.scale_col(i, *scale);
        }
    }

    /// Ends the window: A <- `decay` (A + sum_i phi_i phi_i' over its first `rounds` rounds) + `refresh` I and
    /// b <- `decay` b. The multiple of I in A is then `multiple`.
    ///
    /// # Errors
    /// If A is singular to working precision.
    pub(crate) fn absorb(&mut self, rounds: usize, decay: f64, refresh: f64, multiple: f64) -> Result<(), Breakdown> {
        self.truncate(rounds);
        self.gather(decay, refresh);
        self.factorise(multiple)
    }

    /// Ends the window as [`absorb`](Whitened::absorb) does, but leaves C as it is.
    pub(crate) fn gather(&mut self, decay: f64, refresh: f64) {
        let r = self.r();
        gram::add_products(&mut self.covariance, &self.features);
        if decay != 1.0 {
            self.covariance.scale(decay);
        }
        rescale(&mut self.moment, decay);
        (0..r).for_each(|i| *self.covariance.diagonal_mut(i) += refresh);
        self.truncate(0);
    }

    /// C and C^-1 b, for an A whose multiple of I is `multiple`.
    ///
    /// # Errors
    /// If A is singular to working precision.
    pub(crate) fn factorise(&mut self, multiple: f64) -> Result<(), Breakdown> {
        let r = self.r();
        let largest = (0..r).map(|i| self.covariance.diagonal(i)).fold(0.0, f64::max);
        let floor = dense::pivot_floor(multiple, largest);
        triangular::cholesky(&self.covariance, floor, &mut self.factor)
            .map_err(|error| Breakdown::new(format!("the covariance of the features: {error}")))?;
        if (0..r).any(|i| dense::is_lost(self.factor.diagonal(i).powi(2), multiple, largest)) {
            return Err(singular());
        }
        self.prior.copy_from_slice(&self.moment);
        triangular::solve_vector(&self.factor, &mut self.prior);
        Ok(())
    }

    /// Saves or loads the arrays among those of the learner that they belong to.
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state).
    pub(crate) fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let r = self.r();
        let Self { map: _, covariance, moment, factor, prior, features: _, whitened: _, mapped: _, panel: _ } =
            &mut *self;
        triangle("covariance", covariance, r, store)?;
        triangle("factor", factor, r, store)?;
        store.keep("moment", &mut moment[..])?;
        store.keep("prior", &mut prior[..])?;
        let [mut features, mut whitened] = [self.features.to_transposed(), self.whitened.to_matrix(r)];
        store.keep("features", &mut features)?;
        store.keep("whitened", &mut whitened)?;
        store.check(features.rows() == whitened.rows(), "has a window of parts of different sizes")?;
        if store.is_loading() {
            self.truncate(0);
            self.features.push_cols(features.view());
            self.whitened.push_rows(whitened.view());
        }
        Ok(())
    }
}

/// Saves or loads a lower triangle of order `r`.
pub(crate) fn triangle(name: &str, own: &mut Panels, r: usize, store: &mut Store) -> Result<(), StateError> {
    let mut rows = own.to_matrix(r);
    (0..r).for_each(|i| rows.row_mut(i)[i + 1..].fill(0.0));
    store.keep(name, rows.data_mut())?;
    if store.is_loading() {
        (0..r).for_each(|i| own.set_row(i, &rows.row(i)[..=i]));
    }
    Ok(())
}

/// `values` times `scale`; nothing is read or written where it is 1.
fn rescale(values: &mut [f64], scale: f64) {
    if scale != 1.0 {
        values.iter_mut().for_each(|value| *value *= scale);
    }
}
