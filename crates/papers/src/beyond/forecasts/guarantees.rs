//! What aggregations of forecasts, `auto` and intervals promise of every run.

use crate::case::Inapplicable;
use noregret_core::comparator::experts::best_sequences;
use noregret_core::learner::combine::aggregate::AggregateParams;
use noregret_core::learner::combine::aggregation::Penalty;
use noregret_core::learner::combine::intervals::IntervalsParams;
use noregret_core::learner::combine::model_averaging::ModelAveragingParams;
use noregret_core::theory::aggregation::{boa_regret, ewa_regret, fixed_share_regret, ml_poly_regret_among};
use noregret_core::theory::intervals::{aci_deviation, betting_deviation, tracking_deviation};

use crate::guarantee::{Guarantee, PlayedRun, Prefix, Sides};

/// Changes of the best forecast that Fixed-Share is held against: 0, 1, ..., these.
const SHIFTS_TRIED: usize = 16;

/// The bound of an aggregation, for so many changes of the best forecast.
struct AggregationBound<'a> {
    params: AggregateParams,
    rounds: Prefix<'a>,
    experts: f64,
    range: f64,
    horizon: f64,
    squares: f64,
}

impl<'a> AggregationBound<'a> {
    /// Of a run whose range E is known.
    fn new(run: &PlayedRun<'a>) -> Result<Self, Inapplicable> {
        let params: AggregateParams = run.params();
        let bound = params.bound.number().map_err(|_| "the largest absolute target `bound` is not given")?;
        if params.range != "bound" {
            return Err("the range E is that of the rounds so far".into());
        }
        let rounds = run.whole()?;
        rounds.bounded(bound)?;
        let experts = params.count(run.inputs.cols()) as f64;
        let (range, horizon) = (params.penalty().range(params.gradient, bound), run.horizon as f64);
        Ok(Self { experts, range, rounds, horizon, squares: run.measure("its_squares")?, params })
    }

    /// The bound on the regret to a sequence with so many changes.
    fn of(&self, shifts: f64) -> f64 {
        let Self { params, experts, range, horizon, squares, .. } = self;
        let square = params.penalty() == Penalty::Square && !params.gradient;
        let theory = if square { 0.5 / range } else { (8.0 * experts.max(2.0).ln() / horizon).sqrt() / range };
        let eta = params.eta.number().unwrap_or(theory);
        let exp_concave = square && eta <= 0.5 / range * (1.0 + 1e-12);
        match params.rule {
            "ewa" => ewa_regret(*experts, eta, *range, *horizon, exp_concave),
            "ml-poly" => ml_poly_regret_among(*experts, *squares, *range, *horizon),
            "fixed-share" => {
                let share = params.alpha.number().unwrap_or(1.0 / horizon);
                fixed_share_regret(*experts, shifts, *horizon, share, eta, *range, exp_concave)
            }
            _ => boa_regret(*experts, *squares, *range, *horizon),
        }
    }

    /// The least losses of sequences of forecasts with 0, 1, ..., `shifts` changes, where forecasts are columns.
    fn sequences(&self, run: &PlayedRun<'_>, shifts: usize) -> Result<Vec<f64>, Inapplicable> {
        if self.params.experts.as_ref().is_ok() {
            return Err("its forecasts are those of learners, which are not kept".into());
        }
        run.charges(self.params.loss, |p, y| self.params.penalty().of(p, y))?;
        best_sequences(self.rounds.inputs, self.rounds.targets, run.loss, shifts)
            .map_err(|error| error.to_string().into())
    }
}

/// The regret to the best forecast, from the rounds themselves. Where forecasts are cut to [-B, B], this only lowers their loss.
pub(crate) static BEST: Guarantee = Guarantee {
    name: "forecasts-best",
    source: "Cesa-Bianchi, Lugosi 2006; Wintenberger 2017; Gaillard, Stoltz, van Erven 2014; Herbster, Warmuth 1998",
    says: "the loss of EWA, BOA, ML-Poly or Fixed-Share exceeds that of the best forecast by at most the bound of its rule",
    learners: &["aggregate"],
    module: module_path!(),
    rounds: true,
    check: |run| {
        let bound = AggregationBound::new(run)?;
        let best = bound.sequences(run, 0)?.first().copied().filter(|best| best.is_finite());
        let best = best.ok_or("every forecast is absent in some round")?;
        Ok(bound.rounds.sides(bound.rounds.total - best, bound.of(0.0)))
    },
};

/// The same from what the learner has added up, in gradient form too, and where forecasts are absent or those of learners.
pub(crate) static BOOKS: Guarantee = Guarantee {
    name: "forecasts-largest",
    says: "the largest sum of instant regrets, in the form that the weights follow, is at most the bound of the rule",
    check: |run| {
        let bound = AggregationBound::new(run)?;
        Ok(bound.rounds.sides(run.measure("largest_regret")?, bound.of(0.0)))
    },
    ..BEST
};

/// The regret to sequences of forecasts: that number of changes at which it is largest beside its bound.
pub(crate) static SHIFTS: Guarantee = Guarantee {
    name: "forecasts-shifts",
    source: "Herbster, Warmuth, Machine Learning 32 (1998)",
    says: "the loss of Fixed-Share exceeds that of the best sequence of forecasts with m changes by at most its bound for m, whatever m > 0",
    check: |run| {
        let bound = AggregationBound::new(run)?;
        if bound.params.rule != "fixed-share" {
            return Err(format!("it is about the rule fixed-share, not about {}", bound.params.rule).into());
        }
        let best = bound.sequences(run, SHIFTS_TRIED.min(bound.rounds.targets.len().saturating_sub(1)))?;
        let sides = best.iter().enumerate().skip(1).filter(|(_, best)| best.is_finite());
        let sides = sides.map(|(m, best)| bound.rounds.sides(bound.rounds.total - best, bound.of(m as f64)));
        let part = |sides: &Sides| sides.value / sides.bound;
        sides.max_by(|a, b| part(a).total_cmp(&part(b))).ok_or_else(|| "every forecast is absent in some round".into())
    },
    ..BEST
};

/// The sides of a statement about what a run measured at its end.
fn measured(run: &PlayedRun<'_>, value: f64, bound: f64) -> Sides {
    Sides { rounds: run.horizon, value, bound, scale: run.totals.last().map_or(0.0, |(_, total)| *total) }
}

/// The squared loss of `auto` against its best member.
pub(crate) static AUTO: Guarantee = Guarantee {
    name: "auto-best",
    source: "the weights of auto, after Gaillard, Stoltz, van Erven 2014",
    says: "over the rounds in which the best member is awake, the squared loss of auto exceeds its own by at most sqrt(D S)",
    learners: &["auto"],
    rounds: false,
    check: |run| Ok(measured(run, run.measure("regret_to_best")?, run.measure("bound_to_best")?)),
    ..BEST
};

/// The same for every member: the largest part of its bound that the regret to any member takes.
pub(crate) static AUTO_ALL: Guarantee = Guarantee {
    name: "auto-every-member",
    says: "R_k <= sqrt(D_k S) for every member k: the largest ratio is at most 1",
    check: |run| Ok(Sides { scale: 0.0, ..measured(run, run.measure("largest_part_of_bound")?, 1.0) }),
    ..AUTO
};

/// The logarithmic losses of the densities telescope, so that the product of the mixture's is the mean of the experts' products.
pub(crate) static AVERAGING: Guarantee = Guarantee {
    name: "model-averaging",
    source: "Cesa-Bianchi, Lugosi 2006, section 9.2",
    says: "the log loss of the average of K models exceeds that of the best of them by at most ln K",
    learners: &["model-averaging"],
    rounds: false,
    check: |run| {
        let params: ModelAveragingParams = run.params();
        let sides = measured(run, run.measure("log_loss_regret")?, (params.grid.len() as f64).ln());
        Ok(Sides { scale: run.measure("log_loss")?, ..sides })
    },
    ..BEST
};

/// The part of targets outside of their intervals.
pub(crate) static INTERVALS: Guarantee = Guarantee {
    name: "intervals",
    source: "Gibbs, Candes 2021, for ACI; the others are derived here",
    says: "|misses / n - alpha| of ACI, tracking or betting is at most the bound of its rule",
    learners: &["intervals"],
    check: |run| {
        let params: IntervalsParams = run.params();
        let IntervalsParams { alpha, epsilon, .. } = params;
        let (n, rate) = (run.horizon as f64, params.rate.number());
        let reach = || -> Result<f64, Inapplicable> {
            let bound = params.bound.number().map_err(|_| "the largest absolute target `bound` is not given")?;
            run.whole()?.bounded(bound)?;
            Ok(2.0 * bound)
        };
        let bound = match params.rule {
            "tracking" => {
                let reach = reach()?;
                tracking_deviation(reach, rate.unwrap_or(0.05 * reach), n)
            }
            "betting" => betting_deviation(alpha, epsilon, reach()?, n, run.measure("miss_rate")? * n),
            _ => aci_deviation(alpha, rate.unwrap_or(0.05), n),
        };
        Ok(Sides { scale: 1.0, ..measured(run, run.measure("miss_deviation")?, bound) })
    },
    ..BEST
};
