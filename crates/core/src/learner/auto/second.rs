//! A second look at the forecast p of the bank: what its last errors, and a steeper link, would add to it.
//!
//! With e = y - p, three ridge regressions forecast e: two from (u, e of the last row, exponential means of e with memories 8
//! and 64, 1), where errors follow each other in time, and one from the link of u ([`crate::learner::auto::model::link`]), where the best
//! forecast is steeper than p; u = (p - middle) / deviation of the targets. Their forecasts p + e^ are members beside the bank.

use crate::learner::api::{Block, Breakdown, Hypothesis as _, Learner as _};
use crate::learner::auto::model::{LINK, link, middle, ridge};
use crate::learner::ridge::fixed_features::FixedFeatures;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::{State, StateError, Store};

/// The names of the members that a second look adds, the first being p itself.
pub(crate) const NAMES: [&str; 4] = ["bank", "bank-errors-500", "bank-errors-100", "bank-link"];

/// Features of the regressions on errors: u, three errors, 1.
const ERRORS: usize = 5;

/// Rows at the start whose errors say nothing of later ones: the bank had no kernels yet.
const FIRST: usize = 8;

/// The second look, in an epoch.
#[derive(Debug)]
pub(crate) struct Second {
    middle: f64,
    scale: f64,
    /// The last error, and the exponential means of errors.
    errors: [f64; 3],
    /// The regressions on errors, then that on the link; none once it has broken down.
    models: [Option<FixedFeatures>; 3],
}

impl Second {
    /// Before the first row, with the middle and the deviation of the targets.
    fn start((middle, scale): (f64, f64)) -> Self {
        let errors = |memory| Some(ridge(ERRORS, 0.1, memory));
        Self { middle, scale, errors: [0.0; 3], models: [errors(500.0), errors(100.0), Some(ridge(LINK, 1.0, 500.0))] }
    }

    /// The second look of the epoch that begins after the rows with these forecasts of the bank and targets.
    pub(crate) fn new(bank: &[f64], targets: &[f64]) -> Self {
        let mut second = Self::start(middle(targets));
        let from = FIRST.min(targets.len());
        let mut features = [Matrix::with_width(ERRORS), Matrix::with_width(LINK)];
        let mut errors = Vec::new();
        for (p, y) in bank.iter().zip(targets).skip(from) {
            let [own, link] = second.features(*p, second.errors);
            features[0].push_row(&own);
            features[1].push_row(&link);
            errors.push((y - p) / second.scale);
            second.take(y - p);
        }
        for (model, features) in second.models.iter_mut().zip([&features[0], &features[0], &features[1]]) {
            let learnt = model.as_mut().map(|model| model.learn_rows(features.view(), &errors));
            if learnt.is_some_and(|learnt| learnt.is_err()) {
                *model = None;
            }
        }
        second
    }

    /// The last error, and the exponential means of errors with memories 8 and 64.
    pub(crate) fn errors(&self) -> [f64; 3] {
        self.errors
    }

    /// The features at p after these errors; those of the link have as many numbers as those of errors.
    fn features(&self, p: f64, errors: [f64; 3]) -> [[f64; ERRORS]; 2] {
        let u = (p - self.middle) / self.scale;
        let [last, short, long] = errors.map(|error| error / self.scale);
        [[u, last, short, long, 1.0], link(u)]
    }

    /// Takes note of an error.
    fn take(&mut self, error: f64) {
        let [last, short, long] = &mut self.errors;
        *last = error;
        *short += (error - *short) / 8.0;
        *long += (error - *long) / 64.0;
    }

    /// The forecasts for a row of which the bank says `p`, the first of which is `p`; NaN for a regression that broke down.
    pub(crate) fn predict(&self, p: f64) -> [f64; NAMES.len()] {
        // Ridge regressions draw nothing.
        let draw: &mut Draw = &mut Draws::named(&[]).at(Role::Predict, 0);
        let [own, link] = self.features(p, self.errors);
        let said = |model: &Option<FixedFeatures>, features: &[f64], draw: &mut Draw| {
            let said = model.as_ref().map_or(f64::NAN, |model| p + model.predict(features, draw) * self.scale);
            if said.is_finite() { said } else { f64::NAN }
        };
        let [slow, fast, over] = &self.models;
        [p, said(slow, &own, draw), said(fast, &own, draw), said(over, &link, draw)]
    }

    /// Learns from the row of which the bank said `p` after these errors.
    pub(crate) fn learn(&mut self, p: f64, errors: [f64; 3], y: f64) {
        let [own, link] = self.features(p, errors);
        let error = (y - p) / self.scale;
        for (model, features) in self.models.iter_mut().zip([own, own, link]) {
            let block = Block { first_round: 1, inputs: Rows::single(&features), targets: &[error] };
            let play = |model: &mut FixedFeatures| -> Result<(), Breakdown> {
                model.play(block, &Draws::named(&[]), &mut [0.0])
            };
            if model.as_mut().is_some_and(|model| play(model).is_err()) {
                *model = None;
            }
        }
        self.take(y - p);
    }

    /// One to load into.
    pub(crate) fn empty() -> Self {
        Self::start((0.0, 1.0))
    }
}

impl State for Second {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { middle, scale, errors, models } = self;
        store.keep("middle", middle)?;
        store.keep("scale", scale)?;
        store.keep("errors", &mut errors[..])?;
        for (name, model) in NAMES[1..].iter().zip(models) {
            let mut there = model.is_some();
            store.within(name, |store| {
                store.keep("there", &mut there)?;
                match (there, model.as_mut()) {
                    (true, Some(model)) => model.state(store),
                    _ => Ok(()),
                }
            })?;
            if !there {
                *model = None;
            }
        }
        Ok(())
    }
}
