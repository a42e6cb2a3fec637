//! What forecasters of changing targets promise of every run: their bounds against a path that does not move, which is the
//! ridge regression over their features.

use crate::case::Inapplicable;
use noregret_core::learner::combine::discount_mixture::{DiscountMixtureParams, experts};
use noregret_core::learner::ridge::discounted::DiscountParams;
use noregret_core::learner::ridge::taylor::TaylorParams;
use noregret_core::learner::ridge::tracking_awv_taylor::TrackingAwvTaylorParams;

use crate::beyond::tracking::bounds::{TrackingProblem, discounted_regret, mixture_regret, tracking_regret};
use crate::guarantee::{Guarantee, PlayedRun, Prefix, Sides};
use crate::pkawv::ridge::{over_features, taylor};

/// The sides for a bound against the ridge regression.
fn still(
    run: &PlayedRun<'_>,
    bound: impl Fn(&TrackingProblem, &Prefix<'_>) -> Result<f64, Inapplicable>,
) -> Result<Sides, Inapplicable> {
    run.squares()?;
    let TaylorParams { lambda, bandwidth, order } = run.params();
    let (rounds, features) = taylor(run, bandwidth, order, usize::MAX)?;
    let ridge = over_features(features.view(), rounds.targets, lambda)?;
    let problem = TrackingProblem {
        rounds: rounds.rounds as f64,
        features: features.cols() as f64,
        lambda,
        bound: rounds.largest,
        // Taylor features are part of those of the Gaussian kernel, whose k(x, x) is 1.
        kappa: 1.0,
        norm: ridge.squared_norm.sqrt(),
    };
    Ok(rounds.sides(rounds.total - ridge.loss, bound(&problem, &rounds)?))
}

/// Discounted forecasters.
pub(crate) static DISCOUNTED: Guarantee = Guarantee {
    name: "tracking-discounted",
    source: "after Jacobsen, Cutkosky, ICML 2024; constants derived here",
    says: "the regret to the ridge regression f is at most lambda |f|^2 (1 + n / eta) + B^2 r log(1 + n / (r lambda)) + B^2 r n log(1 / gamma), without n / eta where the norm is not refreshed",
    learners: &["discounted-awv-taylor"],
    module: module_path!(),
    rounds: true,
    check: |run| {
        let discount = run.params::<DiscountParams>().discount();
        still(run, |problem, _| Ok(discounted_regret(problem, discount, 0.0)))
    },
};

/// The tracking forecaster.
pub(crate) static TRACKING: Guarantee = Guarantee {
    name: "tracking-forecaster",
    source: "after Busuttil, Kalnishkan, ALT 2007; constants derived here",
    says: "the regret to the ridge regression f is at most lambda |f|^2 + B^2 (r log(1 + n / (r lambda)) + n sqrt(r q))",
    learners: &["tracking-awv-taylor"],
    check: |run| {
        let TrackingAwvTaylorParams { a, q, .. } = run.params();
        if a != 1.0 {
            return Err("it is about a = 1".into());
        }
        still(run, |problem, _| Ok(tracking_regret(problem, q, problem.norm * problem.norm, 0.0)))
    },
    ..DISCOUNTED
};

/// The mixture over memories.
pub(crate) static MIXTURE: Guarantee = Guarantee {
    name: "tracking-mixture",
    says: "the regret to the ridge regression f is at most lambda |f|^2 + B^2 r log(1 + n / (r lambda)) + c B^2 log K, c = 8 (average) or 2 (aggregating)",
    learners: &["discount-mixture"],
    check: |run| {
        let params: DiscountMixtureParams = run.params();
        let price = if params.rule == "aggregating" { 2.0 } else { 8.0 };
        let count = experts(&params, run.horizon) as f64;
        still(run, |problem, rounds| {
            rounds.bounded(params.bound)?;
            Ok(mixture_regret(&TrackingProblem { bound: params.bound, ..*problem }, 0.0, price, count))
        })
    },
    ..DISCOUNTED
};
