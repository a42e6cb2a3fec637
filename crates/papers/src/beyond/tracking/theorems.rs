//! What is known of forecasters against changing targets: regret against a path of functions.

use crate::beyond::tracking::applied;
use crate::beyond::tracking::bounds::{TrackingProblem, discounted_regret, mixture_regret, tracking_regret};
use crate::beyond::tracking::claims;
use crate::paper::Paper;
use crate::theorem::{Arguments, Assertion, Bound, BoundedQuantity, GrowthRate, RateParameter, theorems};
use noregret_core::learner::ridge::discount::Discount;

theorems! {
    Paper::Beyond:
    DISCOUNTED, TRACKING, MIXTURE
}

const FEATURES: RateParameter = RateParameter::positive("features", "the number r of features");
const LAMBDA: RateParameter = RateParameter::positive("lambda", "regularisation");
const TARGETS: RateParameter = RateParameter::positive("target_bound", "bound B on the targets");
const KAPPA: RateParameter = RateParameter::positive("kappa", "bound on |phi(x)|");
const NORM: RateParameter = RateParameter::positive("norm", "U, the largest norm on the path");
const LENGTH: RateParameter = RateParameter::positive("length", "D, a bound on the length of the path");
const DECAY: RateParameter = RateParameter {
    name: "decay",
    least: 0.0,
    most: 1.0,
    doc: "s, where the squared length S of the path is of order n^-s: 0 for switches, 1 for a drift of constant length",
};

/// The parameters of a [`TrackingProblem`], and more.
macro_rules! of_problem {
    ($($more:expr),* $(,)?) => { &[FEATURES, LAMBDA, TARGETS, KAPPA, NORM, $($more),*] };
}

fn problem(given: &Arguments, rounds: f64) -> TrackingProblem {
    let get = |parameter: &RateParameter| given.get(parameter.name);
    TrackingProblem {
        rounds,
        features: get(&FEATURES),
        lambda: get(&LAMBDA),
        bound: get(&TARGETS),
        kappa: get(&KAPPA),
        norm: get(&NORM),
    }
}

static DISCOUNTED: Assertion = Assertion {
    name: "discounted-awv",
    place: "Jacobsen, Cutkosky, ICML 2024, with a refreshed regulariser and constants of our own",
    statement: "the discounted forecaster with the memory that balances its bound has regret O(sqrt(r n D)) against every path of length D",
    claim: claims::DISCOUNTED,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate::power(0.5),
    bound: Some(Bound {
        parameters: of_problem![
            LENGTH,
            RateParameter { name: "gamma", least: 0.0, most: 1.0, doc: "the discount that was used" },
            RateParameter::positive("refresh", "the rounds between two refreshes, 0 if there are none"),
        ],
        value: |given, rounds| {
            let discount = Discount { gamma: given.get("gamma"), refresh: given.get("refresh") as u64 };
            discounted_regret(&problem(given, rounds), discount, given.get(LENGTH.name))
        },
    }),
    applied: Some(applied::discounted),
};

static TRACKING: Assertion = Assertion {
    name: "tracking-awv",
    place: "after Busuttil, Kalnishkan, ALT 2007, with constants of our own",
    statement: "the tracking forecaster with the q that balances its bound has regret O(S^(1/3) n^(2/3)) against every path of squared length S: n^(2/3) for switches, n^(1/3) for a drift of constant length",
    claim: claims::TRACKING,
    quantity: BoundedQuantity::Regret,
    parameters: &[DECAY],
    shape: |given| GrowthRate::power((2.0 - given.get(DECAY.name)) / 3.0),
    bound: Some(Bound {
        parameters: of_problem![
            RateParameter::positive("squared_length", "S, a bound on the squared length of the path"),
            RateParameter::positive("q", "the variance of a step that was used"),
        ],
        value: |given, rounds| {
            let problem = problem(given, rounds);
            tracking_regret(&problem, given.get("q"), problem.norm * problem.norm, given.get("squared_length"))
        },
    }),
    applied: Some(applied::tracking),
};

static MIXTURE: Assertion = Assertion {
    name: "discount-mixture",
    place: "Jacobsen, Cutkosky, ICML 2024, for exponential weights and constants of our own",
    statement: "the mixture over a geometric grid of memories has regret O(sqrt(r n D)) against every path of length D, which it need not know",
    claim: claims::MIXTURE,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate::power(0.5),
    bound: Some(Bound {
        parameters: of_problem![
            LENGTH,
            RateParameter::positive("price", "c, 8 for the average and 2 for the aggregating algorithm"),
            RateParameter { name: "experts", least: 1.0, most: f64::MAX, doc: "the number K of experts" },
        ],
        value: |given, rounds| {
            let (price, experts) = (given.get("price"), given.get("experts"));
            mixture_regret(&problem(given, rounds), given.get(LENGTH.name), price, experts)
        },
    }),
    applied: Some(applied::mixture),
};
