//! auto: a learner with nothing to set. It predicts from the first row on, on the scales of the rows, and weighs the forecasts
//! of a bank of members ([`bank::BANK`]) so that its regret to each of them is bounded.
//!
//! - Scales are frozen within epochs ([`crate::epoch`]): at the start of an epoch they are those of all rows so far, and all
//!   members are made anew from these rows. The first epoch begins after two rows; before it, the mean of the targets and the
//!   last target are the only members, and the first row is predicted 0.
//! - Members see rows in four views ([`crate::view`]): the columns, with or without past targets, with or without categories.
//! - Forecasts are clipped to [lo - (hi - lo) / 10, hi + (hi - lo) / 10], lo and hi the smallest and the largest target so far;
//!   to [lo, hi] from row 8 on, as long as all targets were lo or hi: two classes have nothing beyond them.
//! - They are weighed by [`aggregate`]: first those of the bank; then those of the bank beside the first mean and what its
//!   last errors and a steeper link add to it ([`second`]). The guarantee is the second one's, for all of them.
//!
//! Rows are kept: the newest 32,768 to 65,536. Beyond 32,768 rows no epoch begins, unless more than 5 % of the last 1,000 rows
//! have a number further than four deviations from its mean, in one and the same column, and at least 16,384 rows have passed
//! since the last epoch. Then an epoch begins from the newest 32,768 rows, and what was before them is forgotten.
//!
//! ```
//! use noregret_core::{learner::auto::{Auto, AutoParams}, prelude::*};
//!
//! let draws = Draws::named(&["an example"]);
//! let mut auto = Auto::new(AutoParams::default(), &Setting::new(1))?;
//! let mut last = 0.0;
//! for t in 0..60 {
//!     let (x, draw) = ([f64::from(t % 7)], &mut draws.at(Role::Predict, t as u64));
//!     last = auto.predict(&x, draw) - 100.0 * x[0];
//!     auto.learn(&x, 100.0 * x[0], draw).unwrap();
//! }
//! assert!(last.abs() < 5.0);
//! // Its regret to every member is below the bound that is computed from the run.
//! assert!(auto.guarantees().all(|(_, guarantee)| guarantee.regret <= guarantee.bound));
//! # Ok::<(), ParamError>(())
//! ```

pub(crate) mod aggregate;
pub(crate) mod alike;
pub mod bank;
mod context;
pub mod entry;
pub(crate) mod epoch;
pub(crate) mod features;
pub(crate) mod group;
pub(crate) mod model;
mod parameters;
pub(crate) mod second;

use crate::epoch as schedule;
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, Setting, WEIGHTS, in_round};
use crate::learner::auto::aggregate::{Guarantee, RegretWeights};
use crate::learner::auto::bank::{BankMember, MemberRule, SECOND_LOOK};
use crate::learner::auto::context::PredictionContext;
use crate::learner::auto::epoch::{Before, Epoch};
use crate::learner::auto::features::LANDMARKS;
pub use crate::learner::auto::parameters::AutoParams;
use crate::learner::auto::second::{NAMES, Second};
use crate::params::ParamError;
use crate::params::typed::Parameters;
use crate::view::{ColumnKind, PAST, PastTargets};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::state::{StateError, Store, keep};

/// Rows of which a late epoch is made; beyond as many, epochs begin only where inputs have left their scales.
const KEPT: u64 = 32_768;

/// The most numbers in as many rows: of wide rows fewer are kept.
const MOST_NUMBERS: u64 = 1 << 23;

/// The fewest rows that are kept, however wide they are.
const FEWEST: u64 = 64;

/// Rows after which inputs are compared with their scales.
const CHECKED: u64 = 1000;

/// The share of clipped rows above which an epoch begins.
const CLIPPED: f64 = 0.05;

/// The part of their range by which forecasts may leave that of the targets.
const BEYOND: f64 = 0.1;

/// From so many rows on, targets that have had two values only are taken for two classes.
const CLASSES_FROM: u64 = 8;

/// Rows that are played together at most.
const TOGETHER: usize = 256;

/// The learner.
pub struct Auto {
    columns: Vec<ColumnKind>,
    bank: &'static [BankMember],
    draws: Draws,
    /// How many rows a late epoch is made of.
    kept: u64,
    /// The newest rows, each with its past targets; their targets; and what the bank said of them.
    rows: Matrix,
    targets: Vec<f64>,
    said: Vec<f64>,
    /// The number of all rows, and of those before the present epoch.
    played: u64,
    began: u64,
    past: PastTargets,
    sum: Sum,
    /// The smallest and the largest target.
    range: [f64; 2],
    /// Whether a target was between them.
    between: bool,
    epoch: Option<(Epoch, Second)>,
    /// The weights over the bank, and those over the bank and the second look.
    first: RegretWeights,
    all: RegretWeights,
}

/// Forecasts for a row: those of the bank, then those of the second look. NaN: asleep.
struct RowForecasts {
    all: Vec<f64>,
    /// What the bank says, and with which weights.
    first: f64,
    first_weights: Vec<f64>,
    /// The prediction, and the weights behind it.
    prediction: f64,
    weights: Vec<f64>,
}

impl Auto {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range, and columns of words that there are not.
    pub fn new(params: AutoParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        Ok(Self::over(params.columns(setting.dim)?, params.bank(), &setting.draws))
    }

    /// A learner of rows with these columns that has seen nothing, with the members of `bank`.
    pub(crate) fn over(columns: Vec<ColumnKind>, bank: &'static [BankMember], draws: &Draws) -> Self {
        let rows = Matrix::with_width(columns.len() + PAST);
        let kept = KEPT.min((MOST_NUMBERS / rows.cols() as u64).max(FEWEST));
        Self {
            columns,
            bank,
            draws: draws.clone(),
            kept,
            rows,
            targets: Vec::new(),
            said: Vec::new(),
            played: 0,
            began: 0,
            past: PastTargets::default(),
            sum: Sum::default(),
            range: [f64::INFINITY, f64::NEG_INFINITY],
            between: false,
            epoch: None,
            first: RegretWeights::new(bank.len()),
            all: RegretWeights::new(bank.len() + NAMES.len()),
        }
    }

    /// The names of the members.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.bank.iter().map(|member| member.name).chain(NAMES)
    }

    /// What is guaranteed about every member that has been awake.
    pub fn guarantees(&self) -> impl Iterator<Item = (&'static str, Guarantee)> {
        let all = self.names().enumerate().map(|(k, name)| (name, self.all.guarantee(k)));
        all.filter(|(_, guarantee)| guarantee.awake > 0)
    }

    /// The guarantee about the member with the least loss, the loss of `auto` standing for that of rounds asleep.
    pub(crate) fn best(&self) -> Option<(&'static str, Guarantee)> {
        self.guarantees().min_by(|(_, a), (_, b)| (a.loss - a.own).total_cmp(&(b.loss - b.own)))
    }

    /// The members and their weights in the last round.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.names().zip(self.all.weights().iter().copied())
    }

    /// Clips and weighs the forecasts of the bank, and looks at them again.
    fn weigh(&self, bank: &[f64]) -> RowForecasts {
        let mut all = bank.to_vec();
        for (forecast, member) in all.iter_mut().zip(self.bank).filter(|_| self.played > 0) {
            match member.rule {
                MemberRule::Mean => *forecast = self.sum.value() / self.played as f64,
                MemberRule::Last => *forecast = self.past.0[0],
                _ => {}
            }
        }
        let [low, high] = self.range;
        let classes = !self.between && self.played >= CLASSES_FROM;
        // Not a number where the range is none, as before the first target and in a state that was tampered with.
        let beyond = if classes { 0.0 * (high - low) } else { BEYOND * (high - low) };
        let clip = |forecast: f64| match forecast.is_nan() || low > high || !beyond.is_finite() {
            true => forecast,
            false => forecast.clamp(low - beyond, high + beyond),
        };
        all.iter_mut().for_each(|forecast| *forecast = clip(*forecast));
        let mut weights = Vec::new();
        let first = self.first.predict(&all, &mut weights);
        match &self.epoch {
            Some((_, second)) => all.extend(second.predict(first).map(clip)),
            None => all.extend([f64::NAN; NAMES.len()]),
        }
        self.weighed(all, (first, weights))
    }

    /// Weighs forecasts again that were made before.
    fn reweighed(&self, all: &[f64]) -> RowForecasts {
        let mut weights = Vec::new();
        let first = self.first.predict(&all[..self.bank.len()], &mut weights);
        self.weighed(all.to_vec(), (first, weights))
    }

    /// Weighs clipped forecasts, those of the second look at what the bank says among them.
    fn weighed(&self, all: Vec<f64>, (first, first_weights): (f64, Vec<f64>)) -> RowForecasts {
        let mut weights = Vec::new();
        let prediction = self.all.predict(&all, &mut weights);
        RowForecasts { all, first, first_weights, prediction, weights }
    }

    /// How many rows can be played before an epoch may begin.
    fn room(&self) -> usize {
        let next = if self.began == 0 { schedule::FIRST } else { schedule::next(self.began) };
        let left = if next <= self.kept { next - self.played } else { CHECKED - self.played % CHECKED };
        left as usize
    }

    /// Plays rows that end where an epoch may begin, or before; a single one, where it was predicted in another context.
    fn play_part(
        &mut self,
        inputs: Rows<'_>,
        targets: &[f64],
        predictions: &mut [f64],
        before: Option<PredictionContext<'_>>,
    ) -> Result<(), Breakdown> {
        let from = self.targets.len();
        let mut past = before.map(|before| before.past).filter(PastTargets::is_known).unwrap_or(self.past);
        let mut row = Vec::with_capacity(self.rows.cols());
        for (x, y) in inputs.iter().zip(targets) {
            row.clear();
            row.extend_from_slice(x);
            row.extend_from_slice(&past.0);
            self.rows.push_row(&row);
            past.learn(*y);
        }
        let mut said = Matrix::zeros(targets.len(), self.bank.len());
        said.data_mut().fill(f64::NAN);
        if let Some((epoch, _)) = &mut self.epoch {
            epoch.play(self.bank, self.rows.slice(from, from + targets.len()), targets, &mut said);
        }
        for (i, y) in targets.iter().enumerate() {
            let RowForecasts { all, first, first_weights, prediction, weights } = match before {
                None => self.weigh(said.row(i)),
                Some(before) => self.reweighed(before.forecasts),
            };
            predictions[i] = prediction;
            let bank = &all[..self.bank.len()];
            self.first.learn(bank, &first_weights, first, *y).map_err(in_round(i))?;
            self.all.learn(&all, &weights, prediction, *y).map_err(in_round(i))?;
            if let Some((_, second)) = &mut self.epoch {
                let errors = before.map_or_else(|| second.errors(), |before| before.errors);
                second.learn(first, errors, *y);
            }
            self.said.push(first);
            self.targets.push(*y);
            self.past.learn(*y);
            self.sum.add(*y);
            let [low, high] = self.range;
            // A target outside puts one of the old ends between the new ones.
            self.between |= low < high && *y != low && *y != high;
            self.range = [low.min(*y), high.max(*y)];
            self.played += 1;
        }
        self.begin_if_due();
        Ok(())
    }

    /// Begins an epoch where one is due, and drops rows that are too old.
    fn begin_if_due(&mut self) {
        if self.played.is_multiple_of(self.kept) && self.targets.len() as u64 > self.kept {
            self.drop_old();
        }
        let next = if self.began == 0 { schedule::FIRST } else { schedule::next(self.began) };
        let due = match next <= self.kept {
            true => self.played == next,
            false => self.played.is_multiple_of(CHECKED) && self.has_left_scales(),
        };
        if !due {
            return;
        }
        if self.played > self.kept {
            self.drop_old();
        }
        self.began = self.played;
        let before =
            Before { columns: &self.columns, rows: self.rows.view(), targets: &self.targets, count: self.played };
        let epoch = Epoch::new(self.bank, &self.draws, &before);
        self.epoch = Some((epoch, Second::new(&self.said, &self.targets)));
    }

    /// Whether the newest rows are often clipped, long enough after the last epoch.
    fn has_left_scales(&self) -> bool {
        let rows = self.targets.len();
        let newest = self.rows.slice(rows.saturating_sub(CHECKED as usize), rows);
        self.played - self.began >= self.kept / 2
            && self.epoch.as_ref().is_some_and(|(epoch, _)| epoch.clips(newest, CLIPPED))
    }

    /// Drops all but the newest rows.
    fn drop_old(&mut self) {
        let old = self.targets.len().saturating_sub(self.kept as usize);
        let mut rows = Matrix::with_width(self.rows.cols());
        rows.push_rows(self.rows.slice(old, self.targets.len()));
        self.rows = rows;
        self.targets.drain(..old);
        self.said.drain(..old);
    }
}

impl Auto {
    /// The forecasts at `x`.
    fn forecasts(&self, x: &[f64], draw: &mut Draw) -> RowForecasts {
        let mut bank = vec![f64::NAN; self.bank.len()];
        if let Some((epoch, _)) = &self.epoch {
            let mut row = x.to_vec();
            row.extend_from_slice(&self.past.0);
            epoch.predict(self.bank, &row, draw, &mut bank);
        }
        self.weigh(&bank)
    }
}

impl Hypothesis for Auto {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.forecasts(x, draw).prediction
    }

    /// Past targets, past errors, and the forecasts.
    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let errors = self.epoch.as_ref().map_or([0.0; 3], |(_, second)| second.errors());
        PredictionContext::numbers(self.past, errors, &self.forecasts(x, draw).all)
    }

    /// `weights` has the weights of the families of members ([`bank::FAMILIES`]).
    fn gauges(&self) -> Gauges {
        let (features, bytes) = self.epoch.as_ref().map_or((0, 0), |(epoch, _)| epoch.size());
        let rows = 8 * (self.rows.data().len() + 2 * self.targets.len()) as u64;
        let mut weights = [0.0; WEIGHTS];
        let families = self.bank.iter().map(BankMember::family).chain([SECOND_LOOK; NAMES.len()]);
        families.zip(self.all.weights()).for_each(|(family, weight)| weights[family] += weight);
        Gauges {
            stored_points: Some(self.targets.len() as u64),
            features: Some(features),
            state_bytes: Some(bytes + rows),
            weights: weights.map(Some),
            ..Gauges::default()
        }
    }

    /// The regret to the best member, its bound, and the largest part of its bound that the regret to any member takes.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        let Some((_, best)) = self.best() else { return Vec::new() };
        let parts = self.guarantees().map(|(_, guarantee)| guarantee.regret / guarantee.bound);
        vec![
            ("regret_to_best", best.own - best.loss),
            ("bound_to_best", best.bound),
            ("largest_part_of_bound", parts.filter(|part| part.is_finite()).fold(0.0, f64::max)),
        ]
    }

    fn account(&self) -> Vec<String> {
        let Some((name, best)) = self.best() else { return Vec::new() };
        let (own, loss) =
            (self.all.loss() / self.played as f64, (self.all.loss() + best.loss - best.own) / self.played as f64);
        let bound = best.bound / self.played as f64;
        let shown =
            |loss: f64| if loss != 0.0 && loss.abs() < 1e-3 { format!("{loss:.5e}") } else { format!("{loss:.6}") };
        let what = if bound > own { ", which says nothing here" } else { "" };
        let mut lines = vec![format!(
            "auto: mean squared loss {}; its best member, {name}, {} (awake in {} of {} rounds); the loss of auto \
             is above that of this member by at most {}{what}",
            shown(own),
            shown(loss),
            best.awake,
            self.played,
            shown(bound)
        )];
        let mut weights: Vec<(&str, f64)> = self.weights().filter(|(_, weight)| *weight >= 0.01).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        let shown: Vec<String> = weights.iter().map(|(name, weight)| format!("{name} {weight:.2}")).collect();
        lines.push(format!("weights in the last round: {}", shown.join(", ")));
        lines
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("past", &mut self.past.0[..])?;
        keep!(self, store: rows, targets, said, played, began, sum, range[..], between, first, all;
            columns, bank, draws, kept, past, epoch);
        let lengths = [targets.len(), said.len()] == [rows.rows(); 2] && *began <= *played;
        store.check(lengths && rows.rows() as u64 <= *played, "has rows and targets of different numbers")?;
        let mut there = self.epoch.is_some();
        store.keep("in_epoch", &mut there)?;
        if !there {
            self.epoch = None;
            return Ok(());
        }
        let (members, second) = self.epoch.get_or_insert_with(|| (Epoch::default(), Second::empty()));
        store.within("epoch", |store| members.state(self.bank, self.columns.len(), store))?;
        store.keep("second", second)
    }
}

impl Learner for Auto {
    /// It scales by itself.
    fn scalable(&self) -> schedule::Scales {
        schedule::Scales::default()
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.play_part(Rows::single(x), &[y], &mut [0.0], None)
    }

    /// Members learn with the past targets, and are weighed by the forecasts, of when the row was predicted.
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], _: &Draws) -> Result<(), Breakdown> {
        let before = PredictionContext::of(context, self.bank.len() + NAMES.len());
        self.play_part(row.inputs, row.targets, &mut [0.0], before)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let mut done = 0;
        while done < block.targets.len() {
            let to = block.targets.len().min(done + self.room().min(TOGETHER));
            let part = block.part(done, to);
            let played = self.play_part(part.inputs, part.targets, &mut predictions[done..to], None);
            played.map_err(|breakdown| Breakdown { after: done + breakdown.after, ..breakdown })?;
            done = to;
        }
        Ok(())
    }
}

/// About 25 kernels of 250 landmarks, each played once and made anew twice, and as much for what comes before row 600.
fn cost(params: &AutoParams, rounds: u64, dim: usize) -> Cost {
    let (n, d) = (rounds as f64, dim as f64);
    let kernels = match params.members {
        "plain" => 12.0,
        "linear" => 0.0,
        _ => 25.0,
    };
    let r = n.min(LANDMARKS as f64) + d + 1.0;
    let kept = n.min(2.0 * KEPT as f64);
    Cost {
        flops: (n + 3000.0_f64.min(n)) * (kernels * 5.0 * r * r + 40.0 * d * d + 2000.0),
        bytes: 8.0 * (kernels * 3.0 * r * r + kept * (d + 5.0)),
    }
}

#[cfg(test)]
mod tests;
