//! What is known of aggregated forecasts and of intervals: regrets to a forecast, and the part of misses.

use crate::beyond::forecasts::applied;
use crate::beyond::forecasts::claims;
use crate::paper::Paper;
use crate::theorem::{Assertion, Bound, BoundedQuantity, GrowthRate, RateParameter, theorems};
use noregret_core::theory::aggregation::{boa_regret, ewa_regret, fixed_share_regret, ml_poly_regret_among};
use noregret_core::theory::intervals::{aci_deviation, betting_deviation, tracking_deviation};

theorems! {
    Paper::Beyond:
    EWA, BOA, ML_POLY, FIXED_SHARE, ACI, TRACKING, BETTING
}

const EXPERTS: RateParameter = RateParameter::positive("experts", "the number K of forecasts");
const RANGE: RateParameter = RateParameter::positive("range", "E, which no |r| of a round exceeds");
const SQUARES: RateParameter = RateParameter::positive(
    "squares",
    "V_k of the forecast with the largest R_k, which is the quantity `m:largest_regret`",
);
const ETA: RateParameter = RateParameter::positive("eta", "the rate that was used");
const EXP_CONCAVE: RateParameter = RateParameter {
    name: "exp_concave",
    least: 0.0,
    most: 1.0,
    doc: "1 for the square loss itself with eta <= 1 / (8 B^2), else 0",
};
const ALPHA: RateParameter =
    RateParameter { name: "alpha", least: 0.0, most: 1.0, doc: "the part of targets that may lie outside" };
const REACH: RateParameter = RateParameter::positive("reach", "2 B, the largest score");
const RATE: RateParameter = RateParameter::positive("rate", "the step that was used");

static EWA: Assertion = Assertion {
    name: "aggregate-ewa",
    place: "Cesa-Bianchi, Lugosi 2006, Theorem 2.2 and Proposition 3.1, with absent forecasts",
    statement: "exponential weights with eta = sqrt(8 log K / n) / E have a regret of at most E sqrt(n log K / 2) to every forecast, and of 8 B^2 log K for the square loss itself with eta = 1 / (8 B^2)",
    claim: claims::EWA,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate::power(0.5),
    bound: Some(Bound {
        parameters: &[EXPERTS, ETA, RANGE, EXP_CONCAVE],
        value: |given, rounds| {
            let exp_concave = given.get("exp_concave") == 1.0;
            ewa_regret(given.get("experts"), given.get("eta"), given.get("range"), rounds, exp_concave)
        },
    }),
    applied: Some(applied::ewa),
};

static BOA: Assertion = Assertion {
    name: "aggregate-boa",
    place: "Wintenberger 2017, with constants for the update as implemented and absent forecasts",
    statement: "BOA has a sum of regrets R_k, of the loss or of its gradient, of O(sqrt(V_k log K) + E log K) to every forecast k, up to log log n; V_k is at most E^2 n, and bounded where one forecast is the best by a margin",
    claim: claims::BOA,
    quantity: BoundedQuantity::Error("m:largest_regret"),
    parameters: &[],
    shape: |_| GrowthRate::power(0.5),
    bound: Some(Bound {
        parameters: &[EXPERTS, SQUARES, RANGE],
        value: |given, rounds| boa_regret(given.get("experts"), given.get("squares"), given.get("range"), rounds),
    }),
    applied: Some(applied::boa),
};

static ML_POLY: Assertion = Assertion {
    name: "aggregate-ml-poly",
    place: "derived here for ML-Poly of Gaillard, Stoltz, van Erven 2014, with absent forecasts",
    statement: "ML-Poly has a sum of regrets R_k, of the loss or of its gradient, of at most sqrt((E^2 + V_k) K (1 + log(1 + n))) to every forecast k, with the V_k of the same forecast",
    claim: claims::ML_POLY,
    quantity: BoundedQuantity::Error("m:largest_regret"),
    parameters: &[],
    shape: |_| GrowthRate { power: 0.5, log_power: 0.5 },
    bound: Some(Bound {
        parameters: &[EXPERTS, SQUARES, RANGE],
        value: |given, rounds| {
            ml_poly_regret_among(given.get("experts"), given.get("squares"), given.get("range"), rounds)
        },
    }),
    applied: Some(applied::ml_poly),
};

static FIXED_SHARE: Assertion = Assertion {
    name: "aggregate-fixed-share",
    place: "Herbster, Warmuth 1998, with absent forecasts",
    statement: "Fixed-Share has a regret of O((m + 1) log(K n) / eta) to every sequence of forecasts with m changes, for the square loss itself with eta <= 1 / (8 B^2) and alpha of the order of m / n",
    claim: claims::FIXED_SHARE,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate::log(1.0),
    bound: Some(Bound {
        parameters: &[
            EXPERTS,
            RateParameter::positive("shifts", "how often the sequence may change"),
            RateParameter { name: "share", least: 0.0, most: 1.0, doc: "alpha, the share that is spread" },
            ETA,
            RANGE,
            EXP_CONCAVE,
        ],
        value: |given, rounds| {
            let exp_concave = given.get("exp_concave") == 1.0;
            let (experts, shifts, share) = (given.get("experts"), given.get("shifts"), given.get("share"));
            fixed_share_regret(experts, shifts, rounds, share, given.get("eta"), given.get("range"), exp_concave)
        },
    }),
    applied: Some(applied::fixed_share),
};

static ACI: Assertion = Assertion {
    name: "intervals-aci",
    place: "Gibbs, Candes 2021, Proposition 4.1",
    statement: "with adaptive conformal inference the part of misses differs from alpha by at most (max(alpha, 1 - alpha) + rate) / (rate n), on every sequence",
    claim: claims::ACI,
    quantity: BoundedQuantity::Error("m:miss_deviation"),
    parameters: &[],
    shape: |_| GrowthRate::power(-1.0),
    bound: Some(Bound {
        parameters: &[ALPHA, RATE],
        value: |given, rounds| aci_deviation(given.get("alpha"), given.get("rate"), rounds),
    }),
    applied: Some(applied::aci),
};

static TRACKING: Assertion = Assertion {
    name: "intervals-tracking",
    place: "derived here: the radius telescopes",
    statement: "with gradient descent on the radius the part of misses differs from alpha by at most (2 B + rate) / (rate n), on every sequence with scores of at most 2 B",
    claim: claims::TRACKING,
    quantity: BoundedQuantity::Error("m:miss_deviation"),
    parameters: &[],
    shape: |_| GrowthRate::power(-1.0),
    bound: Some(Bound {
        parameters: &[REACH, RATE],
        value: |given, rounds| tracking_deviation(given.get("reach"), given.get("rate"), rounds),
    }),
    applied: Some(applied::tracking),
};

static BETTING: Assertion = Assertion {
    name: "intervals-betting",
    place: "derived here from the wealth of the Krichevsky-Trofimov bettor; the idea is that of Podkopaev, Xu, Lee 2024",
    statement: "with a radius by betting the part N / n of misses differs from alpha by at most sqrt((2 / n) log(e sqrt(pi n) (1 + (1 - alpha) 2 B N / epsilon))), without a step, on every sequence with scores of at most 2 B",
    claim: claims::BETTING,
    quantity: BoundedQuantity::Error("m:miss_deviation"),
    parameters: &[],
    shape: |_| GrowthRate { power: -0.5, log_power: 0.5 },
    bound: Some(Bound {
        parameters: &[
            ALPHA,
            REACH,
            RateParameter::positive("epsilon", "the initial wealth"),
            RateParameter {
                name: "missed",
                least: 0.0,
                most: 1.0,
                doc: "the part of targets that lay outside, at most 1",
            },
        ],
        value: |given, rounds| {
            let misses = given.get("missed") * rounds;
            betting_deviation(given.get("alpha"), given.get("epsilon"), given.get("reach"), rounds, misses)
        },
    }),
    applied: Some(applied::betting),
};
