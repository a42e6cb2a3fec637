//! intervals: intervals around the predictions of any learner that contain the part of all targets that is asked for, up to a
//! deviation that is bounded on every sequence; see [`crate::learner::combine::interval_rule`] for the rules.
//!
//! The learner inside is untouched: predictions are its own. Where |y| <= B is known, the interval lies around the prediction
//! cut to [-B, B], and its ends are cut too.

use std::cell::RefCell;

use crate::epoch::Scales;
use crate::learner::about::{About, Compared};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Interval, Learner, LearnerEntry, LearnerPart, Recipe,
    Setting, in_round,
};
use crate::learner::combine::interval_rule::{IntervalRadius, RadiusRule, RadiusStep};
use crate::learner::entry::learner;
use crate::learner::said::{Attended, Estimated, Expanded, Foretold};
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use crate::theory::intervals::{aci_deviation, betting_deviation, tracking_deviation};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::state::{StateError, Store};

learner! {
    /// ## Formula
    ///
    /// ```text
    /// s_t = |y_t - p_t|,   the interval is [p_t - q_t, p_t + q_t],   miss_t = 1 if s_t > q_t
    /// aci       q_t the ceil((1 - a_t)(m + 1))-th smallest of the last m scores;   a_{t+1} = a_t + rate (alpha - miss_t)
    /// tracking  q_{t+1} = q_t + rate (miss_t - alpha)
    /// betting   q_t = w_t / (t + 1) sum_{s<t} (miss_s - alpha),   w_{t+1} = w_t + (miss_t - alpha) q_t,   w_0 = epsilon
    /// ```
    ///
    /// With `bound`, p_t is the prediction cut to [-B, B]. Where `noregret stream` scales targets, as it does by default, `bound`, `start`,
    /// `epsilon` and the `rate` of `tracking` are in deviations of the target, and the ends of intervals come back to its units.
    ///
    /// The part of misses differs from alpha by at most
    ///
    /// ```text
    /// aci       (max(alpha, 1 - alpha) + rate) / (rate n)
    /// tracking  (2 B + rate) / (rate n)
    /// betting   sqrt(2 / n log(e sqrt(pi n) (1 + (1 - alpha) 2 B misses / epsilon)))
    /// ```
    ///
    /// on every sequence, without any assumption on how rows come about; that of aci needs no `bound`. So it is the whole run that
    /// is promised something, up to these terms, and a short one is promised little. The deviation and its bound are measures of a run,
    /// `miss_deviation` and `miss_deviation_bound`. Predictions are those of the learner inside. `noregret stream` writes the columns `lower`, `upper`, `missed`, and `recent_miss_rate`: the part of the last 500
    /// targets (of all, as long as there are fewer) that lay outside. An interval that contains nothing, or everything, has empty ends.
    ///
    /// ```sh not run: needs a file
    /// noregret stream --learner intervals --set base.name=pkawv-taylor --set alpha=0.1 --target y --input data.csv
    /// ```
    ///
    /// ## Cost
    ///
    /// That of the learner inside. `aci` keeps the scores of its `window` in order (all of them by default: 8 bytes a row).
    ///
    /// ## When to use it
    ///
    /// When a prediction should say how far off it may be. `aci` adapts fastest and keeps the promise most closely; `tracking` has
    /// the smoothest radius; `betting` has nothing to tune but its unit.
    pub(crate) static ENTRY = LearnerEntry {
        name: "intervals",
        summary: "intervals around the predictions of any learner that contain the part 1 - alpha of n targets, up to a deviation of at most C / n or sqrt(C log(n) / n), on every sequence (Gibbs, Candes, NeurIPS 2021; Podkopaev, Xu, Lee, ICML 2024)",
        module: module_path!(),
        params: IntervalsParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(Intervals::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| cost(&Parameters::read(params), rounds, dim),
            drawn_by: &["base"],
            about: About::new(Compared::Absent("it predicts what the learner inside predicts")),
        },
    };
}

parameters! {
    /// Parameters of [`Intervals`].
    pub struct IntervalsParams {
        /// the learner that predicts
        base: LearnerPart = Kind::Part(PartKind::Learner) => Fallback::Part("kernel-awv");
        /// adaptive conformal inference, gradient descent on the radius, or betting, which has no step
        rule: &'static str = Kind::Choice(&["aci", "tracking", "betting"]) => Fallback::Word("aci");
        /// the part of targets that may lie outside
        alpha: f64 = Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.1);
        /// B, the largest absolute target: intervals are cut to [-B, B]; none: it is not known
        bound: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["none"] } => Fallback::Word("none");
        /// step of the level (aci) or of the radius (tracking); rule: 0.05 (aci), 0.05 of the largest score, which is 2 B where B is known (tracking)
        rate: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["rule"] } => Fallback::Word("rule");
        /// how many of the last scores aci looks at; 0 means all
        window: u64 = Kind::integer(0, 1_000_000_000) => Fallback::Integer(0);
        /// the first radius of tracking, at most 2 B
        start: f64 = Kind::real(Range::NONNEGATIVE) => Fallback::Real(0.0);
        /// initial wealth of betting, in units of targets
        epsilon: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

/// The default step: of the level, or as a part of the largest score.
const RATE: f64 = 0.05;

impl IntervalsParams {
    fn rule(&self) -> Result<RadiusRule, ParamError> {
        let (bound, rate) = (self.bound.number().ok(), self.rate.number());
        Ok(match self.rule {
            "tracking" => {
                if bound.is_some_and(|bound| self.start > 2.0 * bound) {
                    return Err(ParamError::refused("start", "is above 2 B, the largest score that is possible"));
                }
                let own = bound.map_or(RadiusStep::OfLargest(RATE), |bound| RadiusStep::Fixed(RATE * 2.0 * bound));
                RadiusRule::Tracking { rate: rate.map_or(own, RadiusStep::Fixed), start: self.start }
            }
            "betting" => RadiusRule::Betting { epsilon: self.epsilon },
            _ => RadiusRule::Aci { rate: rate.unwrap_or(RATE), window: self.window as usize },
        })
    }
}

fn cost(params: &IntervalsParams, rounds: u64, dim: usize) -> Cost {
    let LearnerPart { part, object: entry } = &params.base;
    let inner = (entry.build.cost)(&part.params, rounds, dim);
    let kept = match (params.rule, params.window) {
        ("aci", 0) => rounds,
        ("aci", window) => 2 * window.min(rounds),
        _ => 0,
    };
    // A score is put in its place among those that are kept, of which half are moved on average.
    let flops = (40.0 + 0.25 * kept as f64) * rounds as f64;
    Cost { flops: inner.flops + flops, bytes: inner.bytes + 8.0 * kept as f64 + 128.0 }
}

/// A learner with intervals around its predictions.
pub struct Intervals {
    base: Box<dyn Learner>,
    rule: RadiusRule,
    alpha: f64,
    /// B, or infinity.
    bound: f64,
    radius: IntervalRadius,
    /// The interval of the last round.
    last: Interval,
    /// The sum of the widths.
    widths: Sum,
    /// The intervals of the last block.
    given: Vec<Interval>,
    /// The prediction at the last input that was asked about, which may be random. Invisible from outside.
    said: RefCell<LastPrediction>,
}

#[derive(Default)]
struct LastPrediction {
    x: Vec<f64>,
    prediction: Option<f64>,
}

impl Intervals {
    /// Intervals around the predictions of a learner that has seen nothing.
    ///
    /// # Errors
    /// Values out of range, what the learner refuses, or a learner that learns only from noisy copies.
    pub fn new(params: IntervalsParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let (rule, alpha) = (params.rule()?, params.alpha);
        let LearnerPart { part, object: entry } = &params.base;
        let AnyLearner::Full(base) = (entry.build.learner)(&part.params, setting)? else {
            let why = format!("{} learns only from noisy copies, but intervals need the targets", part.name);
            return Err(ParamError::refused("base", why));
        };
        Ok(Self {
            base,
            rule,
            alpha,
            bound: params.bound.number().unwrap_or(f64::INFINITY),
            radius: IntervalRadius::new(rule, alpha),
            last: Interval { lower: f64::NAN, upper: f64::NAN, missed: None },
            widths: Sum::default(),
            given: Vec::new(),
            said: RefCell::default(),
        })
    }

    /// The interval of a radius around a prediction, before its target is known.
    fn around(&self, prediction: f64, radius: f64) -> Interval {
        let centre = prediction.clamp(-self.bound, self.bound);
        if radius < 0.0 {
            return Interval { lower: f64::NAN, upper: f64::NAN, missed: None };
        }
        let (lower, upper) = ((centre - radius).max(-self.bound), (centre + radius).min(self.bound));
        Interval { lower, upper, missed: None }
    }

    /// Learns from a round whose interval had this radius.
    fn take_in(&mut self, prediction: f64, radius: f64, y: f64) -> Result<(), Breakdown> {
        let score = (y - prediction.clamp(-self.bound, self.bound)).abs();
        if !score.is_finite() {
            return Err(Breakdown::new(format!("the prediction {prediction:e} is too far from its target {y:e}")));
        }
        let interval = self.around(prediction, radius);
        let missed = self.radius.learn_late(score, radius)?;
        self.last = Interval { missed: Some(missed), ..interval };
        self.given.push(self.last);
        if !interval.lower.is_nan() {
            self.widths.add(interval.upper - interval.lower);
        }
        Ok(())
    }

    /// The bound on the deviation of the part of misses from alpha, where the theorem has one.
    fn deviation_bound(&self) -> Option<f64> {
        let rounds = self.radius.rounds() as f64;
        let reach = Some(2.0 * self.bound).filter(|reach| reach.is_finite());
        match self.rule {
            RadiusRule::Aci { rate, .. } => Some(aci_deviation(self.alpha, rate, rounds)),
            RadiusRule::Tracking { rate: RadiusStep::Fixed(rate), .. } => {
                Some(tracking_deviation(reach?, rate, rounds))
            }
            RadiusRule::Tracking { .. } => None,
            RadiusRule::Betting { epsilon } => {
                Some(betting_deviation(self.alpha, epsilon, reach?, rounds, self.radius.misses() as f64))
            }
        }
    }
}

/// A number, if it is one.
fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

impl Hypothesis for Intervals {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let prediction = self.base.predict(x, draw);
        let LastPrediction { x: at, prediction: said } = &mut *self.said.borrow_mut();
        at.clear();
        at.extend_from_slice(x);
        *said = Some(prediction);
        prediction
    }

    fn gauges(&self) -> Gauges {
        let inner = self.base.gauges();
        Gauges {
            state_bytes: inner.state_bytes.map(|bytes| bytes + self.radius.bytes()),
            lower: finite(self.last.lower),
            upper: finite(self.last.upper),
            missed: Some(self.radius.misses()),
            ..inner
        }
    }

    fn predict_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<f64> {
        self.base.predict_averaged(x, draw)
    }

    fn estimates(&self) -> bool {
        self.base.estimates()
    }

    fn estimate_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<Estimated> {
        self.base.estimate_averaged(x, draw)
    }

    fn predict_copy(&self, copy: &[f64]) -> Option<f64> {
        self.base.predict_copy(copy)
    }

    fn waiting(&self) -> Vec<Foretold> {
        self.base.waiting()
    }

    /// The prediction and the radius, then what its learner knew.
    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        let prediction = self.base.predict(x, &mut draw.clone());
        [prediction, self.radius.value()].into_iter().chain(self.base.context(x, draw)).collect()
    }

    /// The interval that was given, unless `bound` cuts it elsewhere in the new scale, and what its learner keeps.
    fn context_moved(&self, context: &[f64], offset: f64, factor: f64) -> Vec<f64> {
        let [prediction, radius, context @ ..] = context else { return Vec::new() };
        let own = [offset + factor * prediction, factor * radius];
        own.into_iter().chain(self.base.context_moved(context, offset, factor)).collect()
    }

    fn attended(&self, x: &[f64]) -> Option<Attended> {
        self.base.attended(x)
    }

    fn expansion(&self) -> Option<Expanded<'_>> {
        self.base.expansion()
    }

    fn interval(&self, prediction: f64) -> Option<Interval> {
        Some(self.around(prediction, self.radius.value()))
    }

    fn intervals(&self) -> &[Interval] {
        &self.given
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        let rounds = self.radius.rounds() as f64;
        let missed = self.radius.misses() as f64 / rounds;
        let width = self.widths.value() / rounds;
        let own = [("miss_rate", missed), ("miss_deviation", (missed - self.alpha).abs()), ("mean_width", width)];
        let bound = self.deviation_bound().map(|bound| ("miss_deviation_bound", bound));
        self.base.measures().into_iter().chain(own).chain(bound).collect()
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { base, radius, last, widths, rule: _, alpha: _, bound: _, given: _, said: _ } = self;
        store.within("base", |store| base.state(store))?;
        store.keep("radius", radius)?;
        store.keep("widths", widths)?;
        store.keep("lower", &mut last.lower)?;
        store.keep("upper", &mut last.upper)
    }
}

impl Learner for Intervals {
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

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.said.get_mut().prediction = None;
        self.base.attend(x, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn keep_waiting(&mut self, said: Vec<Foretold>) {
        self.base.keep_waiting(said);
    }

    /// A row of any weight is one for the interval.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let said = self.said.get_mut();
        let prediction = said.prediction.take().filter(|_| said.x == x);
        let prediction = prediction.unwrap_or_else(|| self.base.predict(x, &mut draw.clone()));
        self.given.clear();
        self.take_in(prediction, self.radius.value(), y)?;
        self.base.learn_weighted(x, y, weight, draw)
    }

    /// The interval that was given is judged.
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], draws: &Draws) -> Result<(), Breakdown> {
        let [prediction, radius, context @ ..] = context else { return self.play(row, draws, &mut [f64::NAN]) };
        self.given.clear();
        self.said.get_mut().prediction = None;
        self.take_in(*prediction, *radius, row.targets[0])?;
        self.base.learn_late(row, context, draws)
    }

    /// The learner plays the block by itself, in its own block form; the intervals then go through the rounds.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.given.clear();
        self.said.get_mut().prediction = None;
        let played = self.base.play(block, draws, predictions);
        let valid = played.as_ref().err().map_or(predictions.len(), |breakdown| breakdown.after.min(predictions.len()));
        for (i, (prediction, y)) in predictions.iter().zip(block.targets).enumerate().take(valid) {
            self.take_in(*prediction, self.radius.value(), *y).map_err(in_round(i))?;
        }
        played
    }
}
