//! Ridge regression and its AWV form over a fixed feature map.
//!
//! Rounds are gathered into windows. At the start of a window, A = lambda I + sum phi phi' is factorised as C C';
//! inside it, the rounds are those of [`Sequential`] with kernel <u, u'>, u = C^-1 phi, unit regularisation, and the
//! prior forecast u' C^-1 b with b = sum y phi. At its end the window is added to A and b. Algebraically this is the
//! recursion with one rank-one update per round (Woodbury), but rounding errors do not accumulate, and most of the work
//! is in matrix products when rounds come in blocks.

use std::cell::RefCell;

use crate::draw::{Draw, Draws};
use crate::feature::api::FeatureMap;
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, in_round};
use crate::learner::last_input::LastInput;
use crate::learner::sequential::{Blocks, Forecast, RidgeForecast, Sequential, singular};
use crate::linalg::dense;
use crate::linalg::matrix::Matrix;
use crate::linalg::vector::{add_scaled, dot, solve_lower, squared_norm};
use crate::state::{StateError, Store, keep};

/// With more features than this, a square matrix of that order takes more than 4 GiB.
pub const MOST_FEATURES: u64 = 23_170;

/// Panel height of a window's factor.
const HEIGHT: usize = 256;

/// The number B of rounds in a window over r features. A round costs r^2 for the solve, r^2 for adding it to A, up to B
/// r inside the window and r^3 / (3 B) for the factorisation, so B of the order of r / 2 balances them.
fn window(features: usize) -> usize {
    (features / 2).clamp(64, 1024)
}

/// The forecaster over r features: 2 r^2 numbers.
#[derive(Debug)]
pub struct FixedFeatures {
    map: Box<dyn FeatureMap>,
    lambda: f64,
    /// A (lower triangle) and b up to the start of the window.
    covariance: Vec<f64>,
    moment: Vec<f64>,
    /// C (lower triangle) with A = C C', and C^-1 b.
    factor: Vec<f64>,
    prior: Vec<f64>,
    /// The window: phi, C^-1 phi and y of its rounds.
    features: Matrix,
    whitened: Matrix,
    targets: Vec<f64>,
    rounds: Sequential,
    capacity: usize,
    played: usize,
    last: RefCell<Evaluation>,
    scratch: Scratch,
}

/// What was computed at the last input.
#[derive(Debug, Default)]
struct Evaluation {
    input: LastInput,
    phi: Vec<f64>,
    /// C^-1 phi.
    whitened: Vec<f64>,
    /// L^-1 of the products of C^-1 phi with those of the window.
    row: Vec<f64>,
    forecast: RidgeForecast,
}

/// Working space of a block.
#[derive(Debug, Default)]
struct Scratch {
    gram: Vec<f64>,
    priors: Vec<f64>,
}

impl FixedFeatures {
    /// A forecaster over `map` that has seen nothing.
    pub fn new(forecast: Forecast, map: Box<dyn FeatureMap>, lambda: f64) -> Self {
        let r = map.features();
        let capacity = window(r);
        let diagonal = |value: f64| {
            let mut matrix = vec![0.0; r * r];
            matrix.iter_mut().step_by(r + 1).for_each(|entry| *entry = value);
            matrix
        };
        Self {
            map,
            lambda,
            covariance: diagonal(lambda),
            moment: vec![0.0; r],
            factor: diagonal(lambda.sqrt()),
            prior: vec![0.0; r],
            features: Matrix::with_width(r),
            whitened: Matrix::with_width(r),
            targets: Vec::new(),
            rounds: Sequential::new(forecast, 1.0, HEIGHT.min(capacity)),
            capacity,
            played: 0,
            last: RefCell::default(),
            scratch: Scratch::default(),
        }
    }

    /// The cost of `rounds` rounds over `features` features, without that of the features themselves.
    pub fn cost(rounds: u64, features: u64) -> Cost {
        let (n, r) = (rounds as f64, features as f64);
        let capacity = window(features as usize) as f64;
        let round = 2.0 * r * r + capacity * r + r * r * r / (3.0 * capacity);
        Cost { flops: n * round, bytes: state_bytes(r, capacity) }
    }

    fn r(&self) -> usize {
        self.moment.len()
    }

    /// The ridge forecast at `x`.
    fn forecast(&self, x: &[f64]) -> RidgeForecast {
        let Evaluation { input, phi, whitened, row, forecast } = &mut *self.last.borrow_mut();
        if input.replace(x, self.played) {
            phi.resize(self.r(), 0.0);
            self.map.write(x, phi);
            whitened.clone_from(phi);
            solve_lower(&self.factor, self.r(), &[], whitened);
            row.clear();
            row.extend(self.whitened.view().iter().map(|earlier| dot(earlier, whitened)));
            *forecast = self.rounds.forecast(dot(whitened, &self.prior), 1.0 + squared_norm(whitened), row);
        }
        *forecast
    }

    /// Adds a full window to A and b and starts the next one.
    fn close_if_full(&mut self) -> Result<(), Breakdown> {
        if self.targets.len() < self.capacity {
            return Ok(());
        }
        let r = self.r();
        let rows = dense::view(self.features.data(), self.targets.len(), r, r);
        dense::add_product_lower(dense::view_mut(&mut self.covariance, r, r, r), 1.0, rows.transpose(), rows);
        for (phi, y) in self.features.view().iter().zip(&self.targets) {
            add_scaled(&mut self.moment, *y, phi);
        }
        // A map may have no features at all.
        let width = r.max(1);
        for (i, (to, from)) in self.factor.chunks_exact_mut(width).zip(self.covariance.chunks_exact(width)).enumerate()
        {
            to[..=i].copy_from_slice(&from[..=i]);
        }
        let largest = self.covariance.iter().step_by(r + 1).copied().fold(0.0, f64::max);
        dense::cholesky(&mut self.factor, r, r, dense::pivot_floor(self.lambda, largest))
            .map_err(|error| Breakdown::new(format!("the covariance of the features: {error}")))?;
        if self.factor.iter().step_by(r + 1).any(|pivot| dense::is_lost(pivot * pivot, self.lambda, largest)) {
            return Err(singular());
        }
        self.prior.copy_from_slice(&self.moment);
        solve_lower(&self.factor, r, &[], &mut self.prior);
        self.features.truncate(0);
        self.whitened.truncate(0);
        self.targets.clear();
        self.rounds.clear();
        Ok(())
    }

    /// The map.
    pub fn map_mut(&mut self) -> &mut dyn FeatureMap {
        &mut *self.map
    }
}

impl Blocks for FixedFeatures {
    /// Up to the end of the window.
    fn room(&self) -> usize {
        self.capacity - self.targets.len()
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown> {
        let forecast = self.forecast(x);
        *prediction = self.rounds.predict(forecast.ridge, forecast.pivot);
        let Evaluation { phi, whitened, row, .. } = self.last.get_mut();
        self.rounds.push(row, forecast, y)?;
        self.features.push_row(phi);
        self.whitened.push_row(whitened);
        self.targets.push(y);
        self.played += 1;
        self.close_if_full()
    }

    fn step_block(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (r, old, count) = (self.r(), self.targets.len(), block.targets.len());
        let width = old + count;
        self.features.push_zeros(count);
        self.map.write_rows(block.inputs, &mut self.features.data_mut()[old * r..]);
        // Copied row by row, because one long copy is much slower on some systems.
        self.features.slice(old, width).iter().for_each(|row| self.whitened.push_row(row));
        dense::solve_rows(&self.factor, r, r, &mut self.whitened.data_mut()[old * r..], r, count);

        let Scratch { gram, priors } = &mut self.scratch;
        gram.resize(count * width, 0.0);
        let (known, new) = dense::view_mut(&mut gram[..count * width], count, width, width).split_at_col_mut(old);
        let mut new = new;
        let whitened = dense::view(self.whitened.data(), width, r, r);
        let (before, now) = whitened.split_at_row(old);
        dense::product(known, now, before.transpose());
        new.fill(0.0);
        dense::add_product_lower(new.as_mut(), 1.0, now, now.transpose());
        for i in 0..count {
            new[(i, i)] += 1.0;
        }
        priors.clear();
        priors.extend(self.whitened.slice(old, width).iter().map(|row| dot(row, &self.prior)));

        if self.rounds.extend(count, &gram[..count * width]).is_err() {
            // Some entry overflowed: play the rounds before it.
            self.features.truncate(old);
            self.whitened.truncate(old);
            return self.step_one_by_one(block, predictions);
        }
        self.rounds.settle(priors, block.targets, predictions)?;
        self.targets.extend_from_slice(block.targets);
        self.played += count;
        self.close_if_full().map_err(in_round(count - 1))
    }
}

/// Bytes of A, C, two windows of features, and the window's factor.
fn state_bytes(features: f64, capacity: f64) -> f64 {
    8.0 * (2.0 * features * features + 2.0 * capacity * features + capacity * capacity)
}

impl Hypothesis for FixedFeatures {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let forecast = self.forecast(x);
        self.rounds.predict(forecast.ridge, forecast.pivot)
    }

    fn gauges(&self) -> Gauges {
        Gauges {
            features: Some(self.r() as u64),
            state_bytes: Some(state_bytes(self.r() as f64, self.capacity as f64) as u64),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { covariance, moment, factor, prior, .. } = &mut *self;
        for (name, array) in [("covariance", covariance), ("moment", moment), ("factor", factor), ("prior", prior)] {
            store.keep(name, &mut array[..])?;
        }
        keep!(self, store: features, whitened, targets, rounds, played;
            map, lambda, covariance, moment, factor, prior, capacity, last, scratch);
        let agree = [features.rows(), whitened.rows(), rounds.len()] == [targets.len(); 3];
        store.check(agree && targets.len() < self.capacity, "has a window of parts of different sizes")
    }
}

impl Learner for FixedFeatures {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut prediction = 0.0;
        self.step(x, y, &mut prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.step_all(block, predictions)
    }
}
