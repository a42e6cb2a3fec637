//! aggregate: one forecast from any forecasts, which come as columns of the input or from other learners; see
//! [`crate::learner::aggregation`] for the rules.
//!
//! A forecast that is no finite number is absent in its round. With columns, a round costs O(K); with learners, the sum of
//! their rounds too.

use std::cell::RefCell;

use crate::draw::{Draw, Draws};
use crate::learner::aggregation::{Aggregation, Penalty, Rate, Round, Rule, Settings};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, WEIGHTS, in_round,
};
use crate::linalg::matrix::Rows;
use crate::params::{Fallback, Kind, ParamError, Params, Part, PartKind, Range, Spec};
use crate::state::{StateError, Store};

/// Registry entry.
pub static ENTRY: LearnerEntry = LearnerEntry {
    name: "aggregate",
    summary: "weighted mean of any forecasts, columns of the input or other learners, some of which may be absent: EWA, BOA, ML-Poly, Fixed-Share (Cesa-Bianchi and Lugosi 2006; Wintenberger 2017; Gaillard, Stoltz, van Erven, COLT 2014)",
    module: module_path!(),
    params: &[
        Spec {
            name: "rule",
            doc: "how weights follow from regrets; fixed-share follows changes of the best forecast",
            kind: Kind::Choice(&["boa", "ewa", "ml-poly", "fixed-share"]),
            default: Fallback::Word("boa"),
        },
        Spec {
            name: "loss",
            doc: "the loss that regrets are made of",
            kind: Kind::Choice(&["square", "absolute", "pinball"]),
            default: Fallback::Word("square"),
        },
        Spec::real(
            "tau",
            "quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above",
            Range { min: 0.0, min_open: true, max: 1.0, max_open: true },
            0.5,
        ),
        Spec {
            name: "gradient",
            doc: "whether regrets are l'(p, y) (p - f), which competes with convex combinations, instead of l(p, y) - l(f, y)",
            kind: Kind::Flag,
            default: Fallback::Flag(true),
        },
        Spec {
            name: "bound",
            doc: "B, the largest absolute target; forecasts are cut to [-B, B]. none: they are not, and no bound on the regret is known",
            kind: Kind::Real { range: Range::POSITIVE, words: &["none"] },
            default: Fallback::Word("none"),
        },
        Spec {
            name: "range",
            doc: "the largest possible regret E of a round: from B, if it is given (bound), or the largest so far (running), without a bound on the regret",
            kind: Kind::Choice(&["bound", "running"]),
            default: Fallback::Word("bound"),
        },
        Spec {
            name: "eta",
            doc: "rate of ewa and fixed-share; theory: 1 / (8 B^2) for the square loss itself, otherwise sqrt(8 log K / n) / E",
            kind: Kind::Real { range: Range::POSITIVE, words: &["theory"] },
            default: Fallback::Word("theory"),
        },
        Spec {
            name: "alpha",
            doc: "share of fixed-share that is spread over all forecasts in every round: m / n for about m changes of the best one",
            kind: Kind::Real { range: Range { min: 0.0, min_open: false, max: 1.0, max_open: false }, words: &["1/n"] },
            default: Fallback::Word("1/n"),
        },
        Spec {
            name: "experts",
            doc: "who forecasts: a list of learners, or the input columns themselves",
            kind: Kind::Parts { of: PartKind::Learner, words: &["columns"] },
            default: Fallback::Word("columns"),
        },
    ],
    build: Recipe { learner: build, cost },
};

fn settings(params: &Params, setting: &Setting) -> Result<Settings, ParamError> {
    let penalty = match params.word("loss") {
        "absolute" => Penalty::Absolute,
        "pinball" => Penalty::Pinball(params.real("tau")),
        _ => Penalty::Square,
    };
    let gradient = params.flag("gradient");
    let bound = params.real_or_word("bound").ok();
    let range = bound.filter(|_| params.word("range") == "bound").map(|bound| penalty.range(gradient, bound));
    let rate = || {
        let exp_concave = penalty == Penalty::Square && !gradient;
        match (params.real_or_word("eta"), range) {
            (Ok(eta), _) => Ok(Rate::Fixed(eta)),
            (Err(_), None) if exp_concave => Ok(Rate::ExpConcave),
            (Err(_), None) => Ok(Rate::Convex { rounds: setting.horizon.map(|rounds| rounds as f64) }),
            (Err(_), Some(range)) if exp_concave => Ok(Rate::Fixed(0.5 / range)),
            (Err(word), Some(range)) => {
                let rounds = setting.rounds("eta", word)?;
                let logarithm = (experts(params, setting.dim).max(2) as f64).ln();
                Ok(Rate::Fixed((8.0 * logarithm / rounds).sqrt() / range))
            }
        }
    };
    let rule = match params.word("rule") {
        "ewa" => Rule::Ewa(rate()?),
        "ml-poly" => Rule::MlPoly,
        "fixed-share" => {
            let share = params.real_or_word("alpha").or_else(|word| Ok(1.0 / setting.rounds("alpha", word)?))?;
            Rule::FixedShare { rate: rate()?, share }
        }
        _ => Rule::Boa,
    };
    Ok(Settings { rule, penalty, gradient, bound: bound.unwrap_or(f64::INFINITY), range })
}

/// K.
fn experts(params: &Params, dim: usize) -> usize {
    params.parts_or_word("experts").map_or(dim, <[Part]>::len)
}

fn build(params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let count = experts(params, setting.dim);
    if count == 0 {
        return Err(ParamError::refused("experts", "there is no forecast: neither an input column nor a learner"));
    }
    let aggregation = Aggregation::new(settings(params, setting)?, count);
    let round = RefCell::new(Round::new(count));
    let Ok(parts) = params.parts_or_word("experts") else {
        return Ok(AnyLearner::Full(Box::new(OfColumns { aggregation, round })));
    };
    let learners = parts
        .iter()
        .map(|part| {
            let key = Draws::member(&part.draw_key().to_string());
            let setting = Setting { draws: setting.draws.of(key), ..setting.clone() };
            match (entry(part).build.learner)(&part.params, &setting)? {
                AnyLearner::Full(learner) => Ok(Expert { key, learner }),
                AnyLearner::Noisy(_) => {
                    let why = format!("{} learns only from noisy copies, but experts see the examples", part.name);
                    Err(ParamError::refused("experts", why))
                }
            }
        })
        .collect::<Result<Vec<_>, ParamError>>()?;
    Ok(AnyLearner::Full(Box::new(OfLearners { learners, aggregation, round, said: RefCell::default() })))
}

/// The learner behind a part.
fn entry(part: &Part) -> &'static LearnerEntry {
    match part.object::<&'static LearnerEntry>() {
        Some(entry) => *entry,
        None => unreachable!("{} is no learner", part.name),
    }
}

fn cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    let count = experts(params, dim) as f64;
    let own = Cost { flops: 60.0 * rounds as f64 * count, bytes: 80.0 * count };
    let parts = params.parts_or_word("experts").unwrap_or_default();
    let learners = parts.iter().map(|part| (entry(part).build.cost)(&part.params, rounds, dim));
    learners.fold(own, |sum, one| Cost { flops: sum.flops + one.flops, bytes: sum.bytes + one.bytes })
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
    round: RefCell<Round>,
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

/// An expert, with the key that separates its draws from those of the others.
struct Expert {
    key: u64,
    learner: Box<dyn Learner>,
}

/// The forecasts are those of learners.
struct OfLearners {
    learners: Vec<Expert>,
    aggregation: Aggregation,
    /// Memory for a round. Invisible from outside.
    round: RefCell<Round>,
    /// The forecasts at the input of the last prediction. Learning from that input must use these same forecasts, which
    /// may be random. Invisible from outside.
    said: RefCell<Said>,
}

#[derive(Default)]
struct Said {
    x: Vec<f64>,
    forecasts: Vec<f64>,
}

impl OfLearners {
    /// Applies `act` to every expert, until one breaks down.
    fn each(&mut self, mut act: impl FnMut(&mut Expert) -> Result<(), Breakdown>) -> Result<(), Breakdown> {
        let of = self.learners.len();
        self.learners.iter_mut().enumerate().try_for_each(|(i, expert)| act(expert).map_err(|why| named(why, i, of)))
    }

    /// Asks the experts for their forecasts.
    fn ask(&self, x: &[f64], draw: &Draw, said: &mut Said) {
        said.x.clear();
        said.x.extend_from_slice(x);
        said.forecasts.clear();
        said.forecasts.extend(self.learners.iter().map(|one| one.learner.predict(x, &mut draw.of(one.key))));
    }
}

/// Names the expert that broke down.
fn named(breakdown: Breakdown, index: usize, of: usize) -> Breakdown {
    Breakdown { cause: format!("expert {} of {of}: {}", index + 1, breakdown.cause), ..breakdown }
}

impl Hypothesis for OfLearners {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        let said = &mut *self.said.borrow_mut();
        self.ask(x, draw, said);
        self.aggregation.predict(&said.forecasts, &mut self.round.borrow_mut())
    }

    /// Points and features are those of the expert with the most, evaluations and bytes are sums over those that count.
    fn gauges(&self) -> Gauges {
        let all = || self.learners.iter().map(|one| one.learner.gauges());
        let most = |of: fn(&Gauges) -> Option<u64>| all().filter_map(|gauges| of(&gauges)).max();
        let sum = |of: fn(&Gauges) -> Option<u64>| all().filter_map(|gauges| of(&gauges)).reduce(|sum, one| sum + one);
        Gauges {
            stored_points: most(|gauges| gauges.stored_points),
            features: most(|gauges| gauges.features),
            kernel_evaluations: sum(|gauges| gauges.kernel_evaluations),
            state_bytes: Some(sum(|gauges| gauges.state_bytes).unwrap_or(0) + bytes(&self.aggregation)),
            weights: weights(&self.aggregation),
            ..Gauges::default()
        }
    }

    fn estimates(&self) -> bool {
        self.learners.iter().any(|one| one.learner.estimates())
    }

    fn measures(&self) -> Vec<(&'static str, f64)> {
        measures(&self.aggregation)
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { learners, aggregation, round: _, said: _ } = self;
        store.keep("aggregation", aggregation)?;
        for (i, expert) in learners.iter_mut().enumerate() {
            store.within(&format!("expert_{}", i + 1), |store| expert.learner.state(store))?;
        }
        Ok(())
    }
}

impl Learner for OfLearners {
    fn foresees(&self) -> bool {
        self.learners.iter().any(|one| one.learner.foresees())
    }

    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| match learner.foresees() {
            true => learner.foresee(inputs, &draws.of(*key)),
            false => Ok(()),
        })
    }

    fn wants_labels(&self) -> bool {
        self.learners.iter().any(|one| one.learner.wants_labels())
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.each(|Expert { key, learner }| learner.attend(x, &mut draw.of(*key)))
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let mut said = self.said.take();
        if said.x != x || said.forecasts.is_empty() {
            self.ask(x, draw, &mut said);
        }
        let round = self.round.get_mut();
        self.aggregation.predict(&said.forecasts, round);
        self.aggregation.learn(round, y)?;
        self.each(|Expert { key, learner }| learner.learn(x, y, &mut draw.of(*key)))
    }

    /// Every expert plays the block by itself, in its own block form; the aggregation then goes through the rounds.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (rounds, of) = (block.targets.len(), self.learners.len());
        let mut forecasts = vec![f64::NAN; of * rounds];
        let mut end: Result<(), Breakdown> = Ok(());
        for (index, (forecasts, expert)) in forecasts.chunks_mut(rounds.max(1)).zip(&mut self.learners).enumerate() {
            if let Err(breakdown) = expert.learner.play(block, &draws.of(expert.key), forecasts)
                && end.as_ref().err().is_none_or(|first| breakdown.after < first.after)
            {
                end = Err(named(breakdown, index, of));
            }
        }
        let played = end.as_ref().err().map_or(rounds, |breakdown| breakdown.after.min(rounds));
        let (round, said) = (self.round.get_mut(), &mut self.said.get_mut().forecasts);
        for (i, (prediction, &y)) in predictions.iter_mut().zip(block.targets).enumerate().take(played) {
            said.clear();
            said.extend(forecasts.iter().skip(i).step_by(rounds));
            *prediction = self.aggregation.predict(said, round);
            self.aggregation.learn(round, y).map_err(in_round(i))?;
        }
        // These are not the forecasts at an input that was asked about.
        said.clear();
        end
    }
}
