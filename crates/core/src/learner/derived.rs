//! Any learner, shown further columns behind those of a row: earlier targets at chosen lags (autoregression), rolling means of the
//! last targets, and the sine and cosine of a turn in each of chosen periods (harmonics).
//!
//! Column k of the lags is the k-th last target that is known when the row is predicted. Where fewer are known it is the oldest
//! one, and 0 before the first. A mean of the last n is one of all known targets while there are fewer, and 0 before the first. All columns are made of this row and of targets that were learnt before, so a prediction owes
//! nothing to its own target or to later rows. A row that is learnt late is learnt with the columns that it was predicted from.

use crate::learner::api::{Block, Breakdown, Gauges, Hypothesis, Interval, Learner};
use crate::learner::predictive::Predictive;
use crate::learner::said::{Attended, Estimated, Foretold};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::elementary::{LARGEST_QUARTERS, sin_cos_quarters};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{State, StateError, Store, keep};

/// Which columns are derived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DerivedColumns {
    /// Lags k, at least 1: the k-th last known target.
    pub lags: Vec<usize>,
    /// Counts n, at least 1: the mean of the last n known targets.
    pub means: Vec<usize>,
    /// Periods P, above 0: sin(2 pi s / P) and cos(2 pi s / P) for the time s of the row. P / 2, P / 3, ... are the harmonics of P.
    pub periods: Vec<f64>,
    /// The input, from 0, that holds the time s; None: s is the number of rows that were learnt before.
    pub clock: Option<usize>,
}

impl DerivedColumns {
    /// For each derived column, whether its scale is arbitrary: those of lags and means are, those of sines and cosines are not.
    pub fn quantities(&self) -> Vec<bool> {
        [vec![true; self.lags.len() + self.means.len()], vec![false; 2 * self.periods.len()]].concat()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lags.is_empty() && self.means.is_empty() && self.periods.is_empty()
    }

    /// Appends the derived columns of a row.
    fn write(&self, x: &[f64], past: &LastTargets, out: &mut Vec<f64>) {
        out.extend(self.lags.iter().map(|lag| past.lag(*lag)));
        out.extend(self.means.iter().map(|count| past.mean(*count)));
        let time = self.clock.map_or(past.count as f64, |clock| x[clock]);
        for period in &self.periods {
            let quarters = 4.0 * (time / period);
            let angle = if quarters.abs() <= LARGEST_QUARTERS { quarters } else { 0.0 };
            let (sine, cosine) = sin_cos_quarters(angle);
            out.extend([sine, cosine]);
        }
    }
}

/// The newest targets that were learnt.
#[derive(Clone, Debug)]
struct LastTargets {
    /// How many are kept: the longest lag, or as many as the longest mean is of.
    most: usize,
    /// Target number t stands at t modulo `most`.
    known: Vec<f64>,
    /// Targets that were learnt.
    count: u64,
}

impl LastTargets {
    fn learn(&mut self, y: f64) {
        if self.known.len() < self.most {
            self.known.push(y);
        } else if self.most > 0 {
            self.known[(self.count % self.most as u64) as usize] = y;
        }
        self.count += 1;
    }

    fn lag(&self, lag: usize) -> f64 {
        match self.count.checked_sub(lag as u64) {
            Some(number) => self.known[(number % self.most as u64) as usize],
            None => self.known.first().copied().unwrap_or(0.0),
        }
    }

    /// The mean of the last `count`, or of all while there are fewer; from the oldest on, so that of equal ones it is exact.
    fn mean(&self, count: usize) -> f64 {
        let lags = (1..=count.min(self.known.len())).rev();
        lags.zip(1_u32..).fold(0.0, |mean, (lag, number)| mean + (self.lag(lag) - mean) / f64::from(number))
    }
}

impl State for LastTargets {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: known, count; most);
        let fits = known.len() as u64 == (self.most as u64).min(*count);
        store.check(fits, "has another number of past targets than its lags and means need")
    }
}

/// A learner that is shown derived columns; see the module.
pub struct WithDerived {
    columns: DerivedColumns,
    inner: Box<dyn Learner>,
    past: LastTargets,
}

impl WithDerived {
    /// `inner`, which has as many more inputs as there are derived columns ([`DerivedColumns::quantities`]), before the first
    /// round. The clock is one of the inputs before these.
    pub fn new(inner: Box<dyn Learner>, columns: DerivedColumns) -> Self {
        let most = columns.lags.iter().chain(&columns.means).copied().max().unwrap_or(0);
        Self { columns, inner, past: LastTargets { most, known: Vec::new(), count: 0 } }
    }

    /// A row as the learner sees it.
    fn shown(&self, x: &[f64]) -> Vec<f64> {
        let mut shown = x.to_vec();
        self.columns.write(x, &self.past, &mut shown);
        shown
    }

    /// The number of derived columns.
    fn count(&self) -> usize {
        self.columns.lags.len() + self.columns.means.len() + 2 * self.columns.periods.len()
    }
}

impl Hypothesis for WithDerived {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.inner.predict(&self.shown(x), draw)
    }

    /// All rows are shown the same past targets.
    fn predict_rows(&self, inputs: Rows<'_>, draw: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        let shown: Vec<f64> = inputs.iter().flat_map(|x| self.shown(x)).collect();
        self.inner.predict_rows(Rows::new(inputs.cols() + self.count(), &shown), draw, out);
    }

    fn gauges(&self) -> Gauges {
        let inner = self.inner.gauges();
        Gauges { state_bytes: inner.state_bytes.map(|bytes| bytes + 8 * self.past.known.len() as u64), ..inner }
    }

    fn predict_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<f64> {
        self.inner.predict_averaged(&self.shown(x), draw)
    }

    fn estimates(&self) -> bool {
        self.inner.estimates()
    }

    fn estimate_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<Estimated> {
        self.inner.estimate_averaged(&self.shown(x), draw)
    }

    fn attended(&self, x: &[f64]) -> Option<Attended> {
        self.inner.attended(&self.shown(x))
    }

    fn interval(&self, prediction: f64) -> Option<Interval> {
        self.inner.interval(prediction)
    }

    fn intervals(&self) -> &[Interval] {
        self.inner.intervals()
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        self.inner.predictive(&self.shown(x))
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.inner.predictives()
    }

    fn probabilities(&self) -> &[Vec<f64>] {
        self.inner.probabilities()
    }

    fn probabilities_at(&self, x: &[f64], draw: &mut Draw) -> Option<Vec<f64>> {
        self.inner.probabilities_at(&self.shown(x), draw)
    }

    fn waiting(&self) -> Vec<Foretold> {
        self.inner.waiting()
    }

    /// The derived columns, then what the learner knows besides.
    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let shown = self.shown(x);
        [&shown[x.len()..], &self.inner.context(&shown, draw)].concat()
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        self.inner.measures()
    }

    fn account(&self) -> Vec<String> {
        self.inner.account()
    }

    fn keep_predictions(&mut self) -> bool {
        self.inner.keep_predictions()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { columns: _, inner, past } = self;
        store.keep("past", past)?;
        store.within("learner", |store| inner.state(store))
    }
}

impl Learner for WithDerived {
    fn wants_labels(&self) -> bool {
        self.inner.wants_labels()
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        let shown = self.shown(x);
        self.inner.attend(&shown, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn keep_waiting(&mut self, said: Vec<Foretold>) {
        self.inner.keep_waiting(said);
    }

    /// A target of any weight is one of the past targets.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let shown = self.shown(x);
        self.inner.learn_weighted(&shown, y, weight, draw)?;
        self.past.learn(y);
        Ok(())
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let width = block.inputs.cols() + self.count();
        let (mut shown, mut past) = (Vec::with_capacity(width * block.targets.len()), self.past.clone());
        for (x, y) in block.inputs.iter().zip(block.targets) {
            shown.extend_from_slice(x);
            self.columns.write(x, &past, &mut shown);
            past.learn(*y);
        }
        let played = self.inner.play(Block { inputs: Rows::new(width, &shown), ..block }, draws, predictions);
        let after = played.as_ref().err().map_or(block.targets.len(), |breakdown| breakdown.after);
        block.targets[..after].iter().for_each(|y| self.past.learn(*y));
        played
    }

    fn learn_late(&mut self, row: Block<'_>, context: &[f64], draws: &Draws) -> Result<(), Breakdown> {
        let Some((then, inner)) = context.split_at_checked(self.count()) else {
            return self.play(row, draws, &mut [f64::NAN]);
        };
        let shown = [row.inputs.data(), then].concat();
        let row = Block { inputs: Rows::new(shown.len(), &shown), ..row };
        self.inner.learn_late(row, inner, draws)?;
        row.targets.iter().for_each(|y| self.past.learn(*y));
        Ok(())
    }
}
