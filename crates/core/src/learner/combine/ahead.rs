//! ahead: any learner as a forecaster several steps ahead, which learns each target with the inputs from which it is to be forecast.
//!
//! The prediction of round t is the forecast that was made in round t - h + 1, by a learner that had learnt targets before that round
//! alone. So nothing that became known in between, inputs or targets, is in it. With h = 1 it is the learner itself.

use std::collections::VecDeque;

use crate::epoch::Scales;
use crate::learner::about::{About, Compared};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Interval, Learner, LearnerEntry, LearnerPart, Recipe,
    in_round,
};
use crate::learner::entry::learner;
use crate::learner::given::Given;
use crate::learner::predictive::{Outlook, Predictive, Residuals};
use crate::learner::said::Foretold;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

learner! {
    /// ## Formula
    ///
    /// ```text
    /// before y_t is seen:  f_t = base(x_t), a forecast of y_{t+h-1}
    ///                      the prediction of y_t is f_{t-h+1}, and 0 for t < h
    /// afterwards:          base learns (x_{t-h+1}, y_t)
    /// ```
    ///
    /// h is `steps`, counted from the last target that is known: with h = 1 round t forecasts its own target, which is the base itself;
    /// with h = 24 and hourly rows it forecasts the target 23 hours after its row. The loss of round t is that of a forecast that
    /// owes nothing to inputs after round t - h + 1 or to targets from that round on. The same holds for its interval and its
    /// distribution, where the base gives them.
    ///
    /// Between rounds, the prediction at any x is the forecast that is due. A forecast stays as it was made, also where an epoch
    /// begins and the base is built anew on another scale. Forecasts whose targets are not known yet are what `waiting` returns in
    /// Rust, and what `noregret stream --ahead 24` writes, which takes several horizons at once.
    ///
    /// ```sh not run: needs a file
    /// noregret stream --learner ahead --set base.name=linear-ridge --set steps=24 --target y --input data.csv
    /// ```
    ///
    /// ## Cost
    ///
    /// That of the base, which predicts twice and learns one by one; h rows wait.
    ///
    /// ## When to use it
    ///
    /// To measure forecasts that must be made before the rows in between are there: tomorrow's load at this hour, not the coming
    /// hour's. With `--delay` instead, targets come late, too, but a prediction knows the inputs of its own row.
    pub(crate) static ENTRY = LearnerEntry {
        name: "ahead",
        summary: "forecasts of any learner `steps` steps ahead: each target is learnt with the inputs from which it is to be forecast, and scored with the forecast that was made then (direct multi-step forecasts; Weinberger, Ordentlich, IEEE Trans. Inf. Theory 2002, on delayed targets)",
        module: module_path!(),
        params: AheadParams::SPECS,
        build: Recipe {
            learner: |params, setting| {
                let AheadParams { base, steps } = Parameters::read(params);
                let LearnerPart { part, object: entry } = &base;
                match (entry.build.learner)(&part.params, setting)? {
                    AnyLearner::Full(learner) => {
                        Ok(AnyLearner::Full(ahead(learner, (steps as usize, setting.dim), setting.draws.clone())))
                    }
                    AnyLearner::Noisy(_) => {
                        let why = format!("{} learns only from noisy copies, but these are not kept", part.name);
                        Err(ParamError::refused("base", why))
                    }
                }
            },
            cost: |params, rounds, dim| cost(&Parameters::read(params), rounds, dim),
            drawn_by: &["base"],
            about: About::new(Compared::Absent("it is a learner of your choice, scored by earlier forecasts")),
        },
    };
}

/// The most steps.
pub const MOST_STEPS: u64 = 100_000;

parameters! {
    /// Parameters of `ahead`.
    pub struct AheadParams {
        /// the learner that forecasts
        base: LearnerPart = Kind::Part(PartKind::Learner) => Fallback::Part("kernel-awv");
        /// h: round t forecasts the target of round t + h - 1; with 1 it is the base itself
        steps: u64 = Kind::integer(1, MOST_STEPS) => Fallback::Integer(1);
    }
}

fn cost(params: &AheadParams, rounds: u64, dim: usize) -> Cost {
    let LearnerPart { part, object: entry } = &params.base;
    let inner = (entry.build.cost)(&part.params, rounds, dim);
    let waits = params.steps.min(rounds) as f64 * (dim as f64 + 20.0) * 8.0;
    match params.steps {
        1 => inner,
        _ => Cost { flops: 2.0 * inner.flops + 100.0 * rounds as f64, bytes: inner.bytes + waits },
    }
}

/// `base`, which has seen nothing, `steps` >= 1 steps ahead, over rows of `dim` inputs: for one step itself.
pub fn ahead(base: Box<dyn Learner>, (steps, dim): (usize, usize), draws: Draws) -> Box<dyn Learner> {
    if steps <= 1 {
        return base;
    }
    let (waiting, given) = (VecDeque::new(), Given::default());
    Box::new(Ahead { base, steps, dim, draws, rounds: 0, waiting, given })
}

/// A learner several steps ahead.
struct Ahead {
    base: Box<dyn Learner>,
    /// h > 1.
    steps: usize,
    dim: usize,
    draws: Draws,
    /// Rounds played.
    rounds: u64,
    /// What was forecast in the last h - 1 rounds, oldest first.
    waiting: VecDeque<WaitingForecast>,
    /// What was said of the targets of the last block when they were forecast.
    given: Given,
}

/// A forecast whose target is not known yet, and what its row is learnt with.
struct WaitingForecast {
    x: Vec<f64>,
    context: Vec<f64>,
    said: Foretold,
}

impl WaitingForecast {
    /// The numbers that it holds.
    fn size(&self) -> usize {
        self.x.len() + self.context.len() + self.said.predictive.as_ref().map_or(0, |one| one.numbers().len()) + 5
    }
}

impl Ahead {
    /// The forecast of the target of the coming round; none in the first h - 1 rounds.
    fn due(&self) -> Option<&WaitingForecast> {
        self.waiting.front().filter(|_| self.waiting.len() + 1 == self.steps)
    }

    fn due_prediction(&self) -> f64 {
        self.due().map_or(0.0, |one| one.said.prediction)
    }

    /// Takes note of what was said of `y`, forecasts from `x`, and learns `y` with the row that it was to be forecast from.
    fn round(&mut self, x: &[f64], y: f64) -> Result<(), Breakdown> {
        if let Some(interval) = self.interval(0.0) {
            let missed = !(interval.lower..=interval.upper).contains(&y);
            self.given.missed += u64::from(missed);
            self.given.last = [interval.lower, interval.upper];
            self.given.intervals.push(Interval { missed: Some(missed), ..interval });
        }
        self.given.predictives.extend(self.predictive(x));
        self.rounds += 1;
        let draw = || self.draws.at(Role::Predict, self.rounds);
        let prediction = self.base.predict(x, &mut draw());
        if !prediction.is_finite() {
            return Err(Breakdown::new(format!("the forecast {} steps ahead is {prediction}", self.steps)));
        }
        let (interval, predictive) = (self.base.interval(prediction), self.base.predictive(x));
        let context = self.base.context(x, &mut draw());
        let said = Foretold { prediction, interval, predictive };
        self.waiting.push_back(WaitingForecast { x: x.to_vec(), context, said });
        if self.waiting.len() < self.steps {
            return Ok(());
        }
        let Some(earlier) = self.waiting.pop_front() else { return Ok(()) };
        let inputs = Rows::new(self.dim, &earlier.x);
        let row = Block { first_round: self.rounds, inputs, targets: &[y] };
        self.base.learn_late(row, &earlier.context, &self.draws)
    }

    /// The waiting forecasts of saved numbers, which must be those of `count` rows.
    fn loaded(
        &self,
        count: usize,
        [said, inputs, more]: [&[f64]; 3],
        lengths: &[usize],
    ) -> Option<VecDeque<WaitingForecast>> {
        let sum = lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(*length))?;
        let whole = said.len() == 3 * count && inputs.len() == self.dim * count && lengths.len() == 2 * count;
        if !whole || sum != more.len() {
            return None;
        }
        let gives = self.base.interval(0.0).is_some();
        let mut more = more.iter().copied();
        let row = |i: usize| {
            let [prediction, lower, upper] = [0, 1, 2].map(|k| said[3 * i + k]);
            let mut next = |k: usize| more.by_ref().take(lengths[2 * i + k]).collect::<Vec<f64>>();
            let (context, known) = (next(0), next(1));
            let predictive = if known.is_empty() { None } else { Some(Predictive::of_numbers(&known)?) };
            let interval = gives.then_some(Interval { lower, upper, missed: None });
            let x = inputs[i * self.dim..(i + 1) * self.dim].to_vec();
            Some(WaitingForecast { x, context, said: Foretold { prediction, interval, predictive } })
        };
        (0..count).map(row).collect()
    }
}

impl Hypothesis for Ahead {
    fn predict(&self, _: &[f64], _: &mut Draw) -> f64 {
        self.due_prediction()
    }

    /// Those of the base, with the bytes of what waits, and intervals as they were given. Deviations and weights would be those of
    /// the row that was learnt last.
    fn gauges(&self) -> Gauges {
        let inner = self.base.gauges();
        let intervals = inner.missed.is_some();
        let end = |end: f64| Some(end).filter(|end| intervals && end.is_finite());
        let waits = 8 * self.waiting.iter().map(WaitingForecast::size).sum::<usize>() as u64;
        Gauges {
            stored_points: inner.stored_points,
            features: inner.features,
            kernel_evaluations: inner.kernel_evaluations,
            norm: inner.norm,
            state_bytes: inner.state_bytes.map(|bytes| bytes + waits),
            lower: end(self.given.last[0]),
            upper: end(self.given.last[1]),
            missed: inner.missed.map(|_| self.given.missed),
            ..Gauges::default()
        }
    }

    fn estimates(&self) -> bool {
        self.base.estimates()
    }

    /// That of the forecast that is due; before the first, everything.
    fn interval(&self, _: f64) -> Option<Interval> {
        match self.due() {
            Some(due) => due.said.interval,
            None => self.base.interval(0.0).map(|_| Interval {
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                missed: None,
            }),
        }
    }

    fn intervals(&self) -> &[Interval] {
        &self.given.intervals
    }

    /// What was known of the target when it was forecast; before the first forecast that is due, nothing.
    fn predictive(&self, _: &[f64]) -> Option<Predictive> {
        let (residuals, leverage) = (Residuals::default(), f64::INFINITY);
        match self.due() {
            Some(due) => due.said.predictive.clone(),
            None => self
                .base
                .predictives()
                .map(|_| Predictive::Ridge(Outlook { mean: 0.0, leverage, residuals, unit: 1.0 })),
        }
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.base.predictives().map(|_| self.given.predictives.clone())
    }

    fn waiting(&self) -> Vec<Foretold> {
        self.waiting.iter().map(|one| one.said.clone()).collect()
    }

    fn account(&self) -> Vec<String> {
        self.base.account()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { base, rounds, waiting, given, .. } = self;
        store.within("base", |store| base.state(store))?;
        store.keep("rounds", rounds)?;
        store.keep("missed", &mut given.missed)?;
        store.keep("last", &mut given.last[..])?;
        let ends =
            |one: &WaitingForecast| one.said.interval.map_or([0.0; 2], |interval| [interval.lower, interval.upper]);
        let mut said: Vec<f64> =
            waiting.iter().flat_map(|one| [&[one.said.prediction][..], &ends(one)].concat()).collect();
        let mut inputs: Vec<f64> = waiting.iter().flat_map(|one| one.x.clone()).collect();
        let (mut more, mut lengths) = (Vec::new(), Vec::new());
        for one in &*waiting {
            let known = one.said.predictive.as_ref().map_or_else(Vec::new, Predictive::numbers);
            lengths.extend([one.context.len(), known.len()]);
            more.extend(one.context.iter().copied().chain(known));
        }
        store.keep("said", &mut said)?;
        store.keep("inputs", &mut inputs)?;
        store.keep("more", &mut more)?;
        store.keep("lengths", &mut lengths)?;
        if store.is_loading() {
            let count = self.rounds.min(self.steps as u64 - 1) as usize;
            let loaded = self.loaded(count, [&said, &inputs, &more], &lengths);
            store.check(loaded.is_some(), "has forecasts that wait and are not whole")?;
            self.waiting = loaded.unwrap_or_default();
        }
        Ok(())
    }
}

impl Learner for Ahead {
    fn foresees(&self) -> bool {
        self.base.foresees()
    }

    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.base.foresee(inputs, draws)
    }

    fn takes_absent(&self) -> bool {
        self.base.takes_absent()
    }

    fn wants_labels(&self) -> bool {
        self.base.wants_labels()
    }

    fn scalable(&self) -> Scales {
        self.base.scalable()
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        self.given.begin();
        self.round(x, y)
    }

    fn keep_waiting(&mut self, said: Vec<Foretold>) {
        let newest = self.waiting.iter_mut().rev().zip(said.into_iter().rev());
        newest.for_each(|(waiting, said)| waiting.said = said);
    }

    /// Refused, but for 1: the target that a weight comes with is learnt with an earlier row.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        if weight == 1.0 {
            return self.learn(x, y, draw);
        }
        Err(Breakdown::new(format!(
            "the weight is {weight}, and {} takes none but 1 with {} steps",
            ENTRY.name, self.steps
        )))
    }

    /// Refused: a row that waits already would wait twice, and its forecast would be taken for that of another.
    fn learn_late(&mut self, _: Block<'_>, _: &[f64], _: &Draws) -> Result<(), Breakdown> {
        let (name, steps) = (ENTRY.name, self.steps);
        Err(Breakdown::new(format!(
            "{name} learns rows late by itself; with {steps} steps it takes none that come late (--delay, --id): give `steps` instead"
        )))
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.given.begin();
        for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
            predictions[i] = self.due_prediction();
            self.round(x, y).map_err(in_round(i))?;
        }
        Ok(())
    }
}
