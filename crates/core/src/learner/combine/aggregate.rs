//! aggregate: one forecast from any forecasts, which come as columns of the input or from other learners; see
//! [`crate::learner::combine::aggregation`] for the rules.
//!
//! A forecast that is no finite number is absent in its round. With columns, a round costs O(K); with learners, the sum of
//! their rounds too.

use std::cell::RefCell;

use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, LearnerPart, Recipe, Setting,
    WEIGHTS, in_round,
};
use crate::learner::combine::aggregation::{
    Aggregation, AggregationRound, AggregationRule, LearningRate, Penalty, Settings,
};
use crate::learner::combine::experts::{Experts, of_parts, with_parts};
use crate::learner::entry::learner;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{StateError, Store};

learner! {
    /// ## Formula
    ///
    /// ```text
    /// r_k = l'(p, y) (p - f_k)  (gradient)  or  l(p, y) - l(f_k, y);   R_k = sum r_k,  V_k = sum r_k^2,  L = log max(K, 2)
    /// ewa          w_k ~ exp(eta R_k)
    /// boa          w_k ~ eta_k exp(eta_k S_k),   S_k += r_k - eta_k r_k^2,   eta_k = min(1 / (2 E), sqrt(L / V_k))
    /// ml-poly      w_k ~ max(R_k, 0) / (E^2 + V_k)
    /// fixed-share  v_k ~ w_k exp(eta r_k),   w_k = (1 - alpha) v_k + alpha / K
    /// p = sum of w_k f_k over the forecasts that are present, with weights of sum 1
    /// ```
    ///
    /// A forecast that is missing (an empty cell) is absent in its row: it has no weight there, and learns nothing. Where all are
    /// absent, the prediction is that of the row before. Every rule has a bound on its regret to every forecast, for every sequence of
    /// rows and absences, if the largest absolute target `bound` is given: see `noregret list theorems`. Without it, and with
    /// `range = "running"`, the range is the largest regret so far, as in the package opera, and no bound is known.
    ///
    /// ```sh not run: needs a file of forecasts
    /// noregret stream --learner aggregate --set rule=boa --inputs gam,forest,kalman --target load --input forecasts.csv
    /// noregret stream --learner aggregate --set 'experts=["pkawv-taylor", "fogd", "running-mean"]' --target y --input data.csv
    /// ```
    ///
    /// `--weights` writes the weight of each forecast in each prediction: `weight_gam`, `weight_forest`, `weight_kalman` in the first case,
    /// `weight_pkawv-taylor`, `weight_fogd`, `weight_running-mean` in the second. There is a column for each of the first ten forecasts.
    ///
    /// ## Cost
    ///
    /// A few operations per forecast and row, and with learners the sum of theirs.
    ///
    /// ## When to use it
    ///
    /// When you have several forecasts, your own or those of learners of different kinds. `boa` and `ml-poly` need no step;
    /// `fixed-share` where the best forecast changes (`alpha` about the number of changes per row). The gradient form (default) competes
    /// with the best convex combination of the forecasts; without it, only with the best single one.
    pub(crate) static ENTRY = LearnerEntry {
        name: "aggregate",
        summary: "weighted mean of any forecasts, columns of the input or other learners, some of which may be absent: EWA, BOA, ML-Poly, Fixed-Share (Cesa-Bianchi and Lugosi 2006; Wintenberger 2017; Gaillard, Stoltz, van Erven, COLT 2014)",
        module: module_path!(),
        params: AggregateParams::SPECS,
        build: Recipe {
            learner: |params, setting| Ok(AnyLearner::Full(Aggregate::new(Parameters::read(params), setting)?)),
            cost: |params, rounds, dim| cost(&Parameters::read(params), rounds, dim),
            drawn_by: &[],
            about: About::new(Compared::Absent(
                "its inputs are forecasts, or its experts are of your choice; `expert-mixture` mixes over a grid",
            ))
            .of(Kin::Mixture),
        },
    };
}

parameters! {
    /// Parameters of [`Aggregate`].
    pub struct AggregateParams {
        /// how weights follow from regrets; fixed-share follows changes of the best forecast
        rule: &'static str = Kind::Choice(&["boa", "ewa", "ml-poly", "fixed-share"]) => Fallback::Word("boa");
        /// the loss that regrets are made of
        loss: &'static str = Kind::Choice(&["square", "absolute", "pinball"]) => Fallback::Word("square");
        /// quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above
        tau: f64 = Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.5);
        /// whether regrets are l'(p, y) (p - f), which competes with convex combinations, instead of l(p, y) - l(f, y)
        gradient: bool = Kind::Flag => Fallback::Flag(true);
        /// B, the largest absolute target; forecasts are cut to [-B, B]. none: they are not, and no bound on the regret is known
        bound: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["none"] } => Fallback::Word("none");
        /// the largest possible regret E of a round: from B, if it is given (bound), or the largest so far (running), without a bound on the regret
        range: &'static str = Kind::Choice(&["bound", "running"]) => Fallback::Word("bound");
        /// rate of ewa and fixed-share; theory: 1 / (8 B^2) for the square loss itself, otherwise sqrt(8 log K / n) / E
        eta: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["theory"] } => Fallback::Word("theory");
        /// share of fixed-share that is spread over all forecasts in every round: m / n for about m changes of the best one
        alpha: OrWord<f64> =
            Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: false }, words: &["1/n"] }
            => Fallback::Word("1/n");
        /// who forecasts: a list of learners, or the input columns themselves
        experts: OrWord<Vec<LearnerPart>> =
            Kind::Parts { of: PartKind::Learner, words: &["columns"] } => Fallback::Word("columns");
    }
}

impl AggregateParams {
    /// K.
    pub fn count(&self, dim: usize) -> usize {
        self.experts.as_ref().map_or(dim, Vec::len)
    }

    /// The loss.
    pub fn penalty(&self) -> Penalty {
        match self.loss {
            "absolute" => Penalty::Absolute,
            "pinball" => Penalty::Pinball(self.tau),
            _ => Penalty::Square,
        }
    }

    /// The largest possible regret of a round, where it is known.
    fn largest(&self) -> Option<f64> {
        let bound = self.bound.number().ok().filter(|_| self.range == "bound");
        bound.map(|bound| self.penalty().range(self.gradient, bound))
    }

    fn rate(&self, setting: &Setting) -> Result<LearningRate, ParamError> {
        let exp_concave = self.penalty() == Penalty::Square && !self.gradient;
        match (self.eta.number(), self.largest()) {
            (Ok(eta), _) => Ok(LearningRate::Fixed(eta)),
            (Err(_), None) if exp_concave => Ok(LearningRate::ExpConcave),
            (Err(_), None) => Ok(LearningRate::Convex { rounds: setting.horizon.map(|rounds| rounds as f64) }),
            (Err(_), Some(range)) if exp_concave => Ok(LearningRate::Fixed(0.5 / range)),
            (Err(word), Some(range)) => {
                let rounds = setting.rounds("eta", word)?;
                let logarithm = (self.count(setting.dim).max(2) as f64).ln();
                Ok(LearningRate::Fixed((8.0 * logarithm / rounds).sqrt() / range))
            }
        }
    }

    fn settings(&self, setting: &Setting) -> Result<Settings, ParamError> {
        let rule = match self.rule {
            "ewa" => AggregationRule::Ewa(self.rate(setting)?),
            "ml-poly" => AggregationRule::MlPoly,
            "fixed-share" => {
                let share = self.alpha.number().or_else(|word| Ok(1.0 / setting.rounds("alpha", word)?))?;
                AggregationRule::FixedShare { rate: self.rate(setting)?, share }
            }
            _ => AggregationRule::Boa,
        };
        let bound = self.bound.number().unwrap_or(f64::INFINITY);
        Ok(Settings { rule, penalty: self.penalty(), gradient: self.gradient, bound, range: self.largest() })
    }
}

/// One forecast from any forecasts.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate;

impl Aggregate {
    /// Starts with equal weights.
    ///
    /// # Errors
    /// Values out of range, no forecast at all, a rate that needs an unknown number of rounds, or what a learner refuses.
    #[allow(clippy::new_ret_no_self, reason = "forecasts are columns or learners")]
    pub fn new(params: AggregateParams, setting: &Setting) -> Result<Box<dyn Learner>, ParamError> {
        params.check()?;
        let count = params.count(setting.dim);
        if count == 0 {
            return Err(ParamError::refused("experts", "there is no forecast: neither an input column nor a learner"));
        }
        let aggregation = Aggregation::new(params.settings(setting)?, count);
        let round = RefCell::new(AggregationRound::new(count));
        let OrWord::Given(parts) = params.experts else { return Ok(Box::new(OfColumns { aggregation, round })) };
        let experts = Experts::new(of_parts(&parts, "experts", setting)?);
        Ok(Box::new(OfLearners { experts, aggregation, round }))
    }
}

fn cost(params: &AggregateParams, rounds: u64, dim: usize) -> Cost {
    let count = params.count(dim) as f64;
    let own = Cost { flops: 60.0 * rounds as f64 * count, bytes: 80.0 * count };
    let parts = params.experts.as_ref().map_or(&[][..], Vec::as_slice);
    with_parts(own, parts, rounds, dim)
}

/// Bytes of the state of an aggregation of that many forecasts.
fn bytes(aggregation: &Aggregation) -> u64 {
    80 * aggregation.experts() as u64
}

/// The weights that are recorded.
fn weights(aggregation: &Aggregation) -> [Option<f64>; WEIGHTS] {
    std::array::from_fn(|k| aggregation.weights().get(k).copied())
}

/// R_k and V_k of the forecast that would have gained the most, with the bound on R_k, where there is one.
fn measures(aggregation: &Aggregation) -> Vec<(&'static str, f64)> {
    let (regrets, squares) = (aggregation.regrets(), aggregation.squares());
    let Some(most) = (0..regrets.len()).max_by(|&i, &j| regrets[i].total_cmp(&regrets[j])) else { return Vec::new() };
    let bound = aggregation.regret_bound(most).map(|bound| ("regret_bound", bound));
    [("largest_regret", regrets[most]), ("its_squares", squares[most])].into_iter().chain(bound).collect()
}

/// The forecasts are the inputs.
struct OfColumns {
    aggregation: Aggregation,
    /// Memory for a round. Invisible from outside.
    round: RefCell<AggregationRound>,
}

impl Hypothesis for OfColumns {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.aggregation.predict(x, &mut self.round.borrow_mut())
    }

    fn gauges(&self) -> Gauges {
        let weights = weights(&self.aggregation);
        Gauges { state_bytes: Some(bytes(&self.aggregation)), weights, ..Gauges::default() }
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        measures(&self.aggregation)
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { aggregation, round: _ } = self;
        store.keep("aggregation", aggregation)
    }
}

impl Learner for OfColumns {
    fn takes_absent(&self) -> bool {
        true
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let round = self.round.get_mut();
        self.aggregation.predict(x, round);
        self.aggregation.learn(round, y)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let round = self.round.get_mut();
        for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
            predictions[i] = self.aggregation.predict(x, round);
            self.aggregation.learn(round, y).map_err(in_round(i))?;
        }
        Ok(())
    }
}

/// The forecasts are those of learners.
struct OfLearners {
    experts: Experts,
    aggregation: Aggregation,
    /// Memory for a round. Invisible from outside.
    round: RefCell<AggregationRound>,
}

impl Hypothesis for OfLearners {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.experts.predict(x, draw, |said| self.aggregation.predict(said, &mut self.round.borrow_mut()))
    }

    /// Points and features are those of the expert with the most, evaluations and bytes are sums over those that count.
    fn gauges(&self) -> Gauges {
        let experts = &self.experts;
        let sum = |of| experts.each_gauge(of).flatten().reduce(|sum, one| sum + one);
        Gauges {
            stored_points: experts.most(|gauges| gauges.stored_points),
            features: experts.most(|gauges| gauges.features),
            kernel_evaluations: sum(|gauges| gauges.kernel_evaluations),
            state_bytes: Some(sum(|gauges| gauges.state_bytes).unwrap_or(0) + bytes(&self.aggregation)),
            weights: weights(&self.aggregation),
            ..Gauges::default()
        }
    }

    fn estimates(&self) -> bool {
        self.experts.learners().any(|one| one.estimates())
    }

    fn context(&self, x: &[f64], draw: &mut Draw) -> Vec<f64> {
        self.experts.context(x, draw)
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        measures(&self.aggregation)
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { experts, aggregation, round: _ } = self;
        store.keep("aggregation", aggregation)?;
        experts.state(store)
    }
}

impl Learner for OfLearners {
    fn foresees(&self) -> bool {
        self.experts.foresees()
    }

    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.experts.foresee(inputs, draws)
    }

    fn wants_labels(&self) -> bool {
        self.experts.learners().any(|one| one.wants_labels())
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.experts.attend(x, draw)
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let Self { experts, aggregation, round } = self;
        let round = round.get_mut();
        experts.learn((x, weight), y, draw, |said| {
            aggregation.predict(said, round);
            aggregation.learn(round, y)
        })
    }

    /// Regrets are those of the forecasts that were made.
    fn learn_late(&mut self, row: Block<'_>, context: &[f64], draws: &Draws) -> Result<(), Breakdown> {
        let Self { experts, aggregation, round } = self;
        let round = round.get_mut();
        let weighed = experts.learn_late(row, context, draws, |said| {
            aggregation.predict(said, round);
            aggregation.learn(round, row.targets[0])
        })?;
        if weighed { Ok(()) } else { self.play(row, draws, &mut [f64::NAN]) }
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Self { experts, aggregation, round } = self;
        let round = round.get_mut();
        experts.play(block, draws, |i, said| {
            predictions[i] = aggregation.predict(said, round);
            aggregation.learn(round, block.targets[i])
        })
    }
}
