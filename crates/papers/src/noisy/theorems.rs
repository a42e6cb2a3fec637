//! What the paper on noisy data claims: expected regret after T rounds, and numbers of noisy copies.

use crate::noisy::applied;
use crate::noisy::claims;
use crate::paper::Paper;
use crate::theorem::{Arguments, Assertion, Bound, BoundedQuantity, GrowthRate, RateParameter, theorems};
use noregret_core::theory::noisy::{covariance_moment, expected_queries, regret_at, surrogate_moment, two_copy_moment};

theorems! {
    Paper::Noisy:
    THEOREM_1, THEOREM_2, THEOREM_2_REMARK, THEOREM_3, THEOREM_5, THEOREM_6, THEOREM_7, THEOREM_8, THEOREM_9, THEOREM_10,
    QUERIES_DOT_PRODUCT, QUERIES_GAUSSIAN
}

/// All regret bounds of the paper: a constant times sqrt(T).
fn root(_: &Arguments) -> GrowthRate {
    GrowthRate::power(0.5)
}

/// W^2 / (2 eta) + eta G T / 2 for gradients with E|g|^2 <= G = `moment`; W sqrt(G T) at the theorem's step.
fn descent(given: &Arguments, moment: f64, rounds: f64) -> f64 {
    regret_at(given.get("eta"), given.get("radius"), moment, rounds)
}

/// Theorems 3 and 5 have the same bound, each with its surrogate kernel.
fn surrogate(given: &Arguments, rounds: f64) -> f64 {
    let moment = surrogate_moment(given.get("radius"), given.get("diagonal"), given.get("target_bound"));
    descent(given, moment, rounds)
}

/// So do Theorems 6, 7 and 10: G = B_g M, computed from the kernel.
fn analytic(given: &Arguments, rounds: f64) -> f64 {
    descent(given, given.get("length_moment") * given.get("map_moment"), rounds)
}

fn linear(_: &Arguments) -> GrowthRate {
    GrowthRate::power(1.0)
}

const RADIUS: RateParameter = RateParameter::positive(
    "radius",
    "bound W on the norm of the best predictor; Theorems 3, 5: in the surrogate kernel's space, not in that of k",
);
const ETA: RateParameter =
    RateParameter::positive("eta", "the step that was used; the theorem's makes its bound least");
const TARGET: RateParameter = RateParameter::positive("target_bound", "bound B_y on (E y~^2)^(1/2)");
const INPUT: RateParameter =
    RateParameter::positive("input_bound", "bound B on (E |x~|^2)^(1/2); Theorem 2: (E |x~|^4)^(1/4)");
const DIAGONAL: RateParameter = RateParameter::positive("diagonal", "k^(x, x) of the surrogate kernel");
const MAP: RateParameter = RateParameter::positive("map_moment", "M >= E |Psi~|^2 of the estimated features");
const LENGTH: RateParameter =
    RateParameter::positive("length_moment", "B_g >= E g^2 of the estimated derivative of the loss");
const EXCESS: RateParameter = RateParameter::positive(
    "excess",
    "the least over w of the larger of the two excess losses per round (`noisy::one_copy::value`)",
);
const BASE: RateParameter =
    RateParameter { name: "p", least: 1.001, most: 1e6, doc: "query base p > 1 of the random degrees" };

static THEOREM_1: Assertion = Assertion {
    name: "noisy-theorem-1",
    place: "Theorem 1",
    statement: "linear predictors, squared loss, two noisy copies of each input with any unknown noise: expected regret O(sqrt T)",
    claim: claims::THEOREM_1,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: root,
    bound: Some(Bound {
        parameters: &[RADIUS, ETA, INPUT, TARGET],
        value: |given, rounds| {
            let moment = two_copy_moment(given.get("radius"), given.get("input_bound"), given.get("target_bound"));
            descent(given, moment, rounds)
        },
    }),
    applied: Some(applied::theorem_1),
};

static THEOREM_2: Assertion = Assertion {
    name: "noisy-theorem-2",
    place: "Theorem 2",
    statement: "linear predictors, squared loss, one noisy copy of each input with noise of known covariance, step W / sqrt(T): expected regret O(sqrt T)",
    claim: claims::THEOREM_2,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: root,
    bound: Some(Bound {
        parameters: &[
            RADIUS,
            ETA,
            INPUT,
            TARGET,
            RateParameter::positive("covariance_bound", "spectral norm of the noise covariance"),
        ],
        value: |given, rounds| {
            let (input, target) = (given.get("input_bound"), given.get("target_bound"));
            let moment = covariance_moment(given.get("radius"), input, target, given.get("covariance_bound"));
            descent(given, moment, rounds)
        },
    }),
    applied: Some(applied::theorem_2),
};

static THEOREM_2_REMARK: Assertion = Assertion {
    name: "noisy-theorem-2-remark",
    place: "remark after Theorem 2",
    statement: "Theorem 2 with a known bound G on the mean squared gradient and the step W / sqrt(G T): expected regret at most W sqrt(G T)",
    claim: claims::THEOREM_2_REMARK,
    applied: Some(applied::theorem_2_remark),
    ..THEOREM_2
};

static THEOREM_3: Assertion = Assertion {
    name: "noisy-theorem-3",
    place: "Theorem 3",
    statement: "Gaussian kernel, squared loss, two copies with Gaussian noise of fixed known covariance: expected regret O(sqrt T)",
    claim: claims::THEOREM_3,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: root,
    bound: Some(Bound { parameters: &[RADIUS, ETA, DIAGONAL, TARGET], value: surrogate }),
    applied: Some(applied::surrogate),
};

static THEOREM_5: Assertion = Assertion {
    name: "noisy-theorem-5",
    place: "Theorem 5",
    statement: "radial kernels as truncated mixtures of Gaussian kernels, squared loss, two copies with Gaussian noise: expected regret O(sqrt T)",
    claim: claims::THEOREM_5,
    ..THEOREM_3
};

static THEOREM_6: Assertion = Assertion {
    name: "noisy-theorem-6",
    place: "Theorem 6",
    statement: "dot-product kernels, analytic losses, a random number of copies with unknown noise: expected regret O(sqrt T)",
    claim: claims::THEOREM_6,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: root,
    bound: Some(Bound { parameters: &[RADIUS, ETA, MAP, LENGTH], value: analytic }),
    applied: Some(applied::analytic),
};

static THEOREM_7: Assertion = Assertion {
    name: "noisy-theorem-7",
    place: "Theorem 7",
    statement: "Gaussian kernel, analytic losses, a random number of copies with unknown noise: expected regret O(sqrt T)",
    claim: claims::THEOREM_7,
    ..THEOREM_6
};

static THEOREM_8: Assertion = Assertion {
    name: "noisy-theorem-8",
    place: "Theorem 8",
    statement: "with one copy of each input behind unknown noise, regret is of the order of T at best, for every convex loss that is bounded below and falls at 0",
    claim: claims::THEOREM_8,
    quantity: BoundedQuantity::LeastRegret,
    parameters: &[],
    shape: linear,
    // From below: `excess` per round in one of the two worlds, whatever the learner does with its copies.
    bound: Some(Bound { parameters: &[EXCESS], value: |given, rounds| given.get("excess") * rounds }),
    applied: None,
};

static THEOREM_9: Assertion = Assertion {
    name: "noisy-theorem-9",
    place: "Theorem 9",
    statement: "with one copy of each input behind unknown noise, regret is of the order of T at best, where no predictor is best both for inputs of some law and for their mean",
    claim: claims::THEOREM_9,
    ..THEOREM_8
};

static THEOREM_10: Assertion = Assertion {
    name: "noisy-theorem-10",
    place: "Theorem 10",
    statement: "gradient descent along unbiased estimates of the features and of the loss's derivative, independent given the past: expected regret at most W sqrt(B_g M T)",
    claim: claims::THEOREM_10,
    applied: Some(applied::theorem_10),
    ..THEOREM_6
};

/// One map of degree N and, for the gradient, a geometric number of further maps: the mean is (1 + 1/(p-1)) / (p-1).
static QUERIES_DOT_PRODUCT: Assertion = Assertion {
    name: "noisy-queries-dot-product",
    place: "Theorem 6",
    statement: "dot-product kernels: p / (p-1)^2 noisy copies per round in expectation",
    claim: claims::QUERIES_DOT_PRODUCT,
    quantity: BoundedQuantity::Cost("queries"),
    parameters: &[],
    shape: linear,
    bound: Some(Bound {
        parameters: &[BASE],
        value: |given, horizon| horizon * expected_queries(given.get("p"), false),
    }),
    applied: None,
};

/// A map takes 2 N1 + N2 copies, three times as many in expectation as with a dot-product kernel.
static QUERIES_GAUSSIAN: Assertion = Assertion {
    name: "noisy-queries-gaussian",
    place: "Theorem 7",
    statement: "Gaussian kernel: 3 p / (p-1)^2 noisy copies per round in expectation",
    claim: claims::QUERIES_GAUSSIAN,
    bound: Some(Bound {
        parameters: &[BASE],
        value: |given, horizon| horizon * expected_queries(given.get("p"), true),
    }),
    ..QUERIES_DOT_PRODUCT
};
