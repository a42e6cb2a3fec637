//! What learners are said to cost over n rounds where no theorem of a paper covers it: the operation counts with which
//! `table/costs` compares measured ones.

use crate::beyond::cost::claims;
use crate::paper::Paper;
use crate::theorem::{Assertion, BoundedQuantity, GrowthRate, theorems};

theorems! {
    Paper::Pkawv: EXACT;
    Paper::Robust: EXPANSION;
    Paper::Pkawv: FIXED_FEATURES
}

static EXACT: Assertion = Assertion {
    name: "cost-exact",
    place: "section 1",
    statement: "an exact kernel forecaster evaluates the kernel on every pair of rounds: O(n^2)",
    claim: claims::EXACT,
    quantity: BoundedQuantity::Cost("kernel_evaluations"),
    parameters: &[],
    shape: |_| GrowthRate::power(2.0),
    bound: None,
    applied: None,
};

static EXPANSION: Assertion = Assertion {
    name: "cost-expansion",
    place: "section 1, algorithm (5)",
    statement: "a gradient method whose iterate is an expansion over all past inputs evaluates the kernel O(T^2) times",
    claim: claims::EXPANSION,
    ..EXACT
};

static FIXED_FEATURES: Assertion = Assertion {
    name: "cost-fixed-features",
    place: "section 3.1",
    statement: "with a fixed embedding the number of features, and so the cost of a round, does not grow with n",
    claim: claims::FIXED_FEATURES,
    quantity: BoundedQuantity::Cost("features"),
    parameters: &[],
    shape: |_| GrowthRate::power(0.0),
    bound: None,
    applied: None,
};
