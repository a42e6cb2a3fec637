//! What is known of random Fourier features, of online logistic regression and of coin betting.

use crate::beyond::further::applied;
use crate::beyond::further::betting::coin_regret;
use crate::beyond::further::claims;
use crate::beyond::further::fourier::fourier_awv_loss;
use crate::beyond::further::logistic::{aioli_log_det, aioli_regret};
use crate::paper::Paper;
use crate::theorem::{Assertion, Bound, BoundedQuantity, GrowthRate, RateParameter, theorems};

theorems! {
    Paper::Beyond:
    FOURIER, AIOLI, COIN
}

const DIMENSION: RateParameter =
    RateParameter { name: "dimension", least: 1.0, most: 100.0, doc: "dimension d of the inputs" };
const EPSILON: RateParameter =
    RateParameter { name: "epsilon", least: f64::MIN_POSITIVE, most: f64::MAX, doc: "initial wealth" };

static FOURIER: Assertion = Assertion {
    name: "fourier-awv",
    place: "Rahimi, Recht, NIPS 2007, for the features; the bound is our own",
    statement: "over D random frequencies, PKAWV has in expectation the regret bound of Kernel-AWV to functions with the penalty lambda + n / D: O((ln n)^(d+1)) with the Gaussian kernel",
    claim: claims::FOURIER,
    quantity: BoundedQuantity::Regret,
    parameters: &[DIMENSION],
    shape: |given| GrowthRate::log(given.get(DIMENSION.name) + 1.0),
    bound: Some(Bound {
        parameters: &[
            RateParameter::positive("target_bound", "bound B on the targets"),
            RateParameter::positive("log_det", "bound on log det(I + K / lambda)"),
        ],
        value: |given, _| fourier_awv_loss(0.0, given.get("target_bound"), given.get("log_det")),
    }),
    applied: Some(applied::fourier),
};

static AIOLI: Assertion = Assertion {
    name: "aioli",
    place: "Jezequel, Gaillard, Rudi, COLT 2020, with constants for the update as implemented",
    statement: "online logistic regression has regret O((1 + C) r log n) to all logits of size at most C, whatever the inputs and labels",
    claim: claims::AIOLI,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate::log(1.0),
    bound: Some(Bound {
        parameters: &[
            RateParameter::positive("features", "the number r of features"),
            RateParameter { name: "lambda", least: f64::MIN_POSITIVE, most: f64::MAX, doc: "weight of |theta|^2" },
            RateParameter::positive("bound", "C, the largest logit of the functions to compete with"),
            RateParameter::positive("norm", "bound on |theta|"),
            RateParameter::positive("kappa", "bound on |phi(x)|"),
        ],
        value: |given, rounds| {
            let (lambda, bound, norm) = (given.get("lambda"), given.get("bound"), given.get("norm"));
            let kappa2 = given.get("kappa").powi(2);
            let log_det = aioli_log_det(rounds, given.get("features"), lambda, bound, kappa2);
            aioli_regret(lambda, norm * norm, bound, log_det)
        },
    }),
    applied: Some(applied::aioli),
};

static COIN: Assertion = Assertion {
    name: "coin-betting",
    place: "Orabona, Pal, NIPS 2016, with a constant of our own",
    statement: "coin betting has regret O(|f| sqrt(n log(1 + n |f| / epsilon))) to every function f, for every convex loss with bounded slopes and without a step size",
    claim: claims::COIN,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate { power: 0.5, log_power: 0.5 },
    bound: Some(Bound {
        parameters: &[
            RateParameter::positive("steepest", "G, the largest slope of the loss"),
            RateParameter::positive("kappa", "bound on sqrt k(x, x)"),
            EPSILON,
            RateParameter::positive("norm", "|f|"),
            RateParameter::positive("bets", "N, the rounds with a slope other than 0"),
        ],
        value: |given, _| {
            let get = |name| given.get(name);
            coin_regret(get("steepest"), get("kappa"), get("epsilon"), get("norm"), get("bets"))
        },
    }),
    applied: Some(applied::coin),
};
