//! Ridge regressions over the same features that forget nothing and differ in lambda alone.
//!
//! Their matrices are G + lambda I with one G = sum phi phi', so that G, its right side and the window of newest rows are kept
//! once. Inside a window each is what [`FixedFeatures`](crate::learner::ridge::fixed_features::FixedFeatures) is: the recursion of
//! [`Sequential`] over u = C^-1 phi with C C' = G + lambda I of the start of the window.

use std::cell::RefCell;

use crate::learner::api::Breakdown;
use crate::learner::last_input::LastInput;
use crate::learner::ridge::sequential::{Forecast, RidgeForecast, Sequential, singular};
use crate::learner::ridge::whitened::triangle;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::panels::{PanelColumn, Panels, SIDE};
use noregret_numeric::linalg::vector::{dot, squared_norm};
use noregret_numeric::linalg::{dense, gram, triangular};
use noregret_numeric::state::{StateError, Store};

/// Rows that are added to G at once when nobody forecasts them.
const BATCH: usize = 512;

/// The rows of a window over r features: in a row, r of them cost r^2 for the sum G, r^2 for each solve, up to r times the
/// window inside it and r^3 / 3 for each factor at its end. A multiple of eight, so that whole panels are appended.
fn window(features: usize) -> usize {
    (features / 2).clamp(64, 1024).next_multiple_of(SIDE)
}

/// The regressions, each with its place in the bank.
#[derive(Debug)]
pub(crate) struct Alike {
    /// G (lower triangle) and sum y phi, over the rows before the window.
    sum: Panels,
    moment: Vec<f64>,
    /// phi of the rows in the window, one column each, and their targets.
    window: Panels,
    targets: Vec<f64>,
    capacity: usize,
    played: usize,
    members: Vec<(usize, Option<LambdaMember>)>,
    gram: Vec<f64>,
    panel: Vec<PanelColumn>,
}

/// What a lambda adds.
#[derive(Debug)]
struct LambdaMember {
    lambda: f64,
    /// C (lower triangle) with C C' = G + lambda I, and C^-1 sum y phi.
    factor: Panels,
    prior: Vec<f64>,
    /// A row u = C^-1 phi for each row in the window.
    whitened: Panels,
    rounds: Sequential,
    last: RefCell<AlikeCache>,
}

/// What was computed at the last phi.
#[derive(Debug, Default)]
struct AlikeCache {
    input: LastInput,
    u: Vec<f64>,
    row: Vec<f64>,
    forecast: RidgeForecast,
}

impl Alike {
    /// Regressions over `features` features with these places in the bank and lambdas, which have learnt nothing.
    pub(crate) fn new(features: usize, members: &[(usize, f64)]) -> Self {
        let capacity = window(features);
        let made = |(k, lambda): &(usize, f64)| (*k, Some(LambdaMember::new(features, *lambda, capacity)));
        Self {
            sum: Panels::multiple(features, 0.0),
            moment: vec![0.0; features],
            window: Panels::zeros(features, 0),
            targets: Vec::new(),
            capacity,
            played: 0,
            members: members.iter().map(made).collect(),
            gram: Vec::new(),
            panel: Vec::new(),
        }
    }

    /// The places of its members in the bank.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|(k, _)| *k)
    }

    /// Bytes of matrices.
    pub(crate) fn bytes(&self) -> u64 {
        let (r, window) = (self.moment.len() as u64, self.capacity as u64);
        let own = self.members.iter().flat_map(|(_, member)| member).count() as u64;
        8 * ((own + 1) * (r * r + window * r) + own * window * window)
    }

    /// Takes in rows that nobody forecasts; [`settle`](Alike::settle) comes after the last of them.
    pub(crate) fn gather(&mut self, rows: Rows<'_>, targets: &[f64]) {
        for from in (0..targets.len()).step_by(BATCH) {
            let to = targets.len().min(from + BATCH);
            self.window.push_cols(rows.slice(from, to));
            self.targets.extend_from_slice(&targets[from..to]);
            self.close();
        }
        self.played += targets.len();
    }

    /// Adds the window to G and its right side.
    fn close(&mut self) {
        gram::add_products(&mut self.sum, &self.window);
        self.window.add_combination(&self.targets, &mut self.moment);
        self.window.truncate_cols(0);
        self.targets.clear();
    }

    /// The factors of all members, of which those sleep whose matrix is singular to working precision.
    pub(crate) fn settle(&mut self) {
        // Where the matrix is padded to whole squares, too.
        let own: Vec<f64> = (0..self.sum.cols()).map(|i| self.sum.diagonal(i)).collect();
        let largest = own[..self.moment.len()].iter().copied().fold(0.0, f64::max);
        for (_, place) in &mut self.members {
            let Some(member) = place else { continue };
            own.iter().enumerate().for_each(|(i, own)| *self.sum.diagonal_mut(i) = own + member.lambda);
            if member.settle(&self.sum, &self.moment, largest).is_err() {
                *place = None;
            }
        }
        own.iter().enumerate().for_each(|(i, own)| *self.sum.diagonal_mut(i) = *own);
    }

    /// Plays rows of features, and writes the forecasts of the members one after the other; NaN for those that sleep.
    pub(crate) fn play(&mut self, rows: Rows<'_>, targets: &[f64], said: &mut [f64]) {
        said.fill(f64::NAN);
        let (count, mut done) = (targets.len(), 0);
        while done < count {
            let (old, to) = (self.targets.len(), count.min(done + self.capacity - self.targets.len()));
            let (part, own) = (rows.slice(done, to), &targets[done..to]);
            for ((_, place), said) in self.members.iter_mut().zip(said.chunks_exact_mut(count)) {
                let Some(member) = place else { continue };
                let said = &mut said[done..to];
                let played = match to - done {
                    1 => member.step(part.row(0), own[0], self.played, &mut said[0]),
                    _ => member.block(part, own, old, said, (&mut self.gram, &mut self.panel)),
                };
                if played.is_err() {
                    *place = None;
                }
            }
            self.window.push_cols(part);
            self.targets.extend_from_slice(own);
            self.played += to - done;
            done = to;
            if self.targets.len() == self.capacity {
                self.close();
                self.settle();
            }
        }
    }

    /// The forecast of each member at these features.
    pub(crate) fn predict(&self, phi: &[f64], mut give: impl FnMut(usize, f64)) {
        for (k, member) in &self.members {
            give(*k, member.as_ref().map_or(f64::NAN, |member| member.forecast(phi, self.played).ridge));
        }
    }

    /// Saves or loads the regressions; `name` names the members of the bank.
    ///
    /// # Errors
    /// As [`State::state`](noregret_numeric::state::State::state).
    pub(crate) fn state(&mut self, name: impl Fn(usize) -> &'static str, store: &mut Store) -> Result<(), StateError> {
        triangle("sum", &mut self.sum, self.moment.len(), store)?;
        store.keep("moment", &mut self.moment[..])?;
        let mut window = self.window.to_transposed();
        store.keep("window", &mut window)?;
        store.keep("targets", &mut self.targets)?;
        store.keep("played", &mut self.played)?;
        let rows = self.targets.len();
        store.check(window.rows() == rows && rows < self.capacity, "has a window of parts of different sizes")?;
        if store.is_loading() {
            self.window.truncate_cols(0);
            self.window.push_cols(window.view());
        }
        for (k, place) in &mut self.members {
            store.within(name(*k), |store| {
                let mut there = place.is_some();
                store.keep("there", &mut there)?;
                match place {
                    Some(member) if there => member.state(rows, store),
                    _ => {
                        *place = None;
                        Ok(())
                    }
                }
            })?;
        }
        Ok(())
    }
}

impl LambdaMember {
    fn new(features: usize, lambda: f64, capacity: usize) -> Self {
        Self {
            lambda,
            factor: Panels::multiple(features, lambda.sqrt()),
            prior: vec![0.0; features],
            whitened: Panels::zeros(0, features.next_multiple_of(SIDE)),
            rounds: Sequential::new(Forecast::Ridge, 1.0, capacity),
            last: RefCell::default(),
        }
    }

    /// Begins a window where G + lambda I is `sum`; `largest` is the largest entry on the diagonal of G.
    fn settle(&mut self, sum: &Panels, moment: &[f64], largest: f64) -> Result<(), Breakdown> {
        self.whitened.truncate_rows(0);
        self.rounds.clear();
        let largest = largest + self.lambda;
        triangular::cholesky(sum, dense::pivot_floor(self.lambda, largest), &mut self.factor)
            .map_err(|error| Breakdown::new(format!("the covariance of the features: {error}")))?;
        let lost = |i: usize| dense::is_lost(self.factor.diagonal(i).powi(2), self.lambda, largest);
        if (0..moment.len()).any(lost) {
            return Err(singular());
        }
        self.prior.copy_from_slice(moment);
        triangular::solve_vector(&self.factor, &mut self.prior);
        Ok(())
    }

    /// The forecast at phi, after `played` rows.
    fn forecast(&self, phi: &[f64], played: usize) -> RidgeForecast {
        let AlikeCache { input, u, row, forecast } = &mut *self.last.borrow_mut();
        if input.replace(phi, played) {
            phi.clone_into(u);
            triangular::solve_vector(&self.factor, u);
            row.clear();
            self.whitened.products(u, 0, self.whitened.rows(), row);
            *forecast = self.rounds.forecast(dot(u, &self.prior), 1.0 + squared_norm(u), row);
        }
        *forecast
    }

    /// Plays a row.
    fn step(&mut self, phi: &[f64], y: f64, played: usize, said: &mut f64) -> Result<(), Breakdown> {
        let forecast = self.forecast(phi, played);
        *said = forecast.ridge;
        let AlikeCache { u, row, .. } = self.last.get_mut();
        self.rounds.push(row, forecast, y)?;
        self.whitened.push_rows(Rows::single(u));
        Ok(())
    }

    /// Plays rows of one window, of which `old` came before.
    fn block(
        &mut self,
        rows: Rows<'_>,
        targets: &[f64],
        old: usize,
        said: &mut [f64],
        (gram, panel): (&mut Vec<f64>, &mut Vec<PanelColumn>),
    ) -> Result<(), Breakdown> {
        let (count, width) = (targets.len(), old + targets.len());
        self.whitened.push_rows(rows);
        triangular::solve(&self.factor, &mut self.whitened, old, panel);
        gram.clear();
        gram.resize(count * width, 0.0);
        gram::add_products_lower(dense::view_mut(gram, count, width, width), 1.0, &self.whitened, old);
        gram.chunks_exact_mut(width).zip(old..).for_each(|(row, own)| row[own] += 1.0);
        if self.rounds.extend(count, gram).is_err() {
            // Some entry overflowed: play the rows before it. What was computed at the last row is of no use to another one.
            self.whitened.truncate_rows(old);
            for (i, (phi, y)) in rows.iter().zip(targets).enumerate() {
                self.last.get_mut().input = LastInput::default();
                self.step(phi, *y, i, &mut said[i])?;
            }
            self.last.get_mut().input = LastInput::default();
            return Ok(());
        }
        let mut priors = Vec::with_capacity(count);
        self.whitened.products(&self.prior, old, width, &mut priors);
        let settled = self.rounds.settle(&priors, targets, said);
        self.last.get_mut().input = LastInput::default();
        settled
    }

    fn state(&mut self, rows: usize, store: &mut Store) -> Result<(), StateError> {
        let r = self.prior.len();
        triangle("factor", &mut self.factor, r, store)?;
        store.keep("prior", &mut self.prior[..])?;
        let mut whitened: Matrix = self.whitened.to_matrix(r);
        store.keep("whitened", &mut whitened)?;
        store.keep("rounds", &mut self.rounds)?;
        let agree = [whitened.rows(), self.rounds.len()] == [rows; 2];
        store.check(agree, "has a window of parts of different sizes")?;
        if store.is_loading() {
            self.whitened.truncate_rows(0);
            self.whitened.push_rows(whitened.view());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::api::{Block, Learner as _};
    use crate::learner::auto::model::ridge;
    use noregret_numeric::draw::{Draws, Role};

    fn data(rows: usize, features: usize) -> (Matrix, Vec<f64>) {
        let mut draw = Draws::named(&["alike"]).at(Role::Example, 0);
        let mut phi = Matrix::zeros(rows, features);
        phi.data_mut().iter_mut().for_each(|value| *value = draw.normal());
        let targets = phi.view().iter().map(|phi| phi.iter().sum::<f64>().sin() + 0.1 * draw.normal()).collect();
        (phi, targets)
    }

    /// The forecasts of several regressions alike, in blocks of `size` after `known` rows, of each that of one alone.
    #[test]
    fn each_forecasts_as_it_would_alone() {
        let (phi, targets) = data(400, 19);
        let lambdas = [0.003, 0.1, 5.0];
        for (known, size) in [(0, 1), (0, 400), (150, 7), (150, 64), (399, 1)] {
            let mut alike = Alike::new(19, &[(4, lambdas[0]), (1, lambdas[1]), (7, lambdas[2])]);
            assert!(alike.places().eq([4, 1, 7]));
            alike.gather(phi.slice(0, known), &targets[..known]);
            alike.settle();
            let mut found = vec![Vec::new(); 3];
            for from in (known..400).step_by(size) {
                let to = 400.min(from + size);
                let mut said = vec![0.0; 3 * (to - from)];
                let mut asked = Vec::new();
                alike.predict(phi.row(from), |_, forecast| asked.push(forecast));
                alike.play(phi.slice(from, to), &targets[from..to], &mut said);
                for (m, said) in said.chunks_exact(to - from).enumerate() {
                    assert!((asked[m] - said[0]).abs() < 1e-9, "asked before row {from}");
                    found[m].extend_from_slice(said);
                }
            }
            for (found, lambda) in found.iter().zip(lambdas) {
                let mut alone = ridge(19, lambda, f64::INFINITY);
                let mut said = vec![0.0; 400];
                let block = Block { first_round: 1, inputs: phi.view(), targets: &targets };
                alone.play(block, &Draws::named(&[]), &mut said).unwrap();
                for (i, (a, b)) in found.iter().zip(&said[known..]).enumerate() {
                    assert!((a - b).abs() < 1e-9, "lambda {lambda}, {known} known, blocks of {size}, {i}: {a} {b}");
                }
            }
        }
    }

    /// A lambda that is lost in rounding puts its member to sleep, and no other one.
    #[test]
    fn who_is_singular_sleeps() {
        let (phi, targets) = data(200, 3);
        let mut twice = Matrix::with_width(6);
        phi.view().iter().for_each(|row| twice.push_row(&[row, row].concat()));
        let mut alike = Alike::new(6, &[(0, 1e-18), (1, 1.0)]);
        alike.gather(twice.view(), &targets);
        alike.settle();
        let mut said = Vec::new();
        alike.predict(twice.row(0), |k, forecast| said.push((k, forecast.is_nan())));
        assert_eq!(said, [(0, true), (1, false)]);
        // What overflows ends in the row after it.
        let mut out = [0.0; 4];
        let huge = Matrix::from_data(2, 6, [[0.5; 6], [1e200; 6]].concat()).unwrap();
        alike.play(huge.view(), &[1.0, 1.0], &mut out);
        assert!(out[0].is_nan() && out[1].is_nan() && out[2].is_finite(), "{out:?}");
        alike.predict(twice.row(0), |_, forecast| assert!(forecast.is_nan()));
    }
}
