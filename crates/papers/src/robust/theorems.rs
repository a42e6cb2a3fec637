//! What the paper on robust losses claims: errors of the iterates after T rounds, and saturation.

use crate::paper::Paper;
use crate::robust::applied;
use crate::robust::claims;
use crate::theorem::{Assertion, BoundedQuantity, GrowthRate, RateParameter, theorems};

theorems! {
    Paper::Robust:
    THEOREM_1, THEOREM_2, UNSATURATED, SATURATION_DECREASING, SATURATION_DECREASING_RKHS, SATURATION_AVERAGED,
    KNOWN_CONSTANT, KNOWN_CONSTANT_RKHS, KNOWN_DECREASING, KNOWN_AVERAGED_DECREASING, KNOWN_AVERAGED_CONSTANT
}

const REGULARITY: RateParameter =
    RateParameter { name: "r", least: 0.0, most: 100.0, doc: "regularity: the target lies in the range of L_K^r" };
const CAPACITY: RateParameter =
    RateParameter { name: "beta", least: 0.0, most: 1.0, doc: "capacity: Tr(L_K^beta) is finite" };

/// -2r / (2r + 1).
fn mean_square(r: f64) -> f64 {
    -2.0 * r / (2.0 * r + 1.0)
}

static THEOREM_1: Assertion = Assertion {
    name: "robust-theorem-1",
    place: "Theorem 1",
    statement: "the last iterate with step T^(-2r/(2r+1)) / eta_0 and a scale that is large enough has mean squared error O(T^(-2r/(2r+1)) ln T)",
    claim: claims::THEOREM_1,
    quantity: BoundedQuantity::Error("m:squared_l2_error"),
    parameters: &[REGULARITY],
    shape: |given| GrowthRate { power: mean_square(given.get("r")), log_power: 1.0 },
    bound: None,
    applied: Some(applied::theorem_1),
};

static THEOREM_2: Assertion = Assertion {
    name: "robust-theorem-2",
    place: "Theorem 2",
    statement: "for r > 1/2, with step T^(-(2r+beta-1)/(2r+beta)) / eta_0 and a scale that is large enough, its squared error in the RKHS is O(T^(-(2r-1)/(2r+beta)))",
    claim: claims::THEOREM_2,
    quantity: BoundedQuantity::Error("m:squared_rkhs_error"),
    parameters: &[REGULARITY, CAPACITY],
    shape: |given| {
        let (r, beta) = (given.get("r"), given.get("beta"));
        GrowthRate::power(-(2.0 * r - 1.0) / (2.0 * r + beta))
    },
    bound: None,
    applied: Some(applied::theorem_2),
};

static UNSATURATED: Assertion = Assertion {
    name: "robust-unsaturated",
    place: "section 3",
    statement: "the last iterate with a constant step of order T^(-2r/(2r+1)) does not saturate: mean squared error T^(-2r/(2r+1)) for every r > 0, up to logarithms",
    claim: claims::UNSATURATED,
    shape: |given| GrowthRate::power(mean_square(given.get("r"))),
    ..THEOREM_1
};

static SATURATION_DECREASING: Assertion = Assertion {
    name: "robust-saturation-decreasing",
    place: "section 3, on decreasing steps",
    statement: "with decreasing steps the bound on the mean squared error of the last iterate, T^(-2r/(2r+1)), stops improving at r = 1 - beta/2, where it is T^(-(2-beta)/(3-beta))",
    claim: claims::SATURATION_DECREASING,
    quantity: BoundedQuantity::Error("m:squared_l2_error"),
    parameters: &[REGULARITY, CAPACITY],
    shape: |given| GrowthRate::power(mean_square(given.get("r").min(1.0 - 0.5 * given.get("beta")))),
    bound: None,
    applied: Some(applied::decreasing),
};

static SATURATION_DECREASING_RKHS: Assertion = Assertion {
    name: "robust-saturation-decreasing-rkhs",
    place: "section 3, on decreasing steps",
    statement: "with decreasing steps the bound on the squared RKHS error, T^(-(2r-1)/(2r+beta)) (ln T)^2, stops improving at r = 1 - beta/2, where its power is -(1-beta)/2",
    claim: claims::SATURATION_DECREASING_RKHS,
    quantity: BoundedQuantity::Error("m:squared_rkhs_error"),
    parameters: &[REGULARITY, CAPACITY],
    shape: |given| {
        let beta = given.get("beta");
        let excess = (2.0 * given.get("r") - 1.0).min(1.0 - beta);
        GrowthRate { power: -excess / (1.0 + excess + beta), log_power: 2.0 }
    },
    bound: None,
    applied: Some(applied::decreasing_rkhs),
};

static SATURATION_AVERAGED: Assertion = Assertion {
    name: "robust-saturation-averaged",
    place: "section 3, eq. (18)",
    statement: "the average of the iterates with a constant step has mean squared error T^(-2 min(r,1) / (2 min(r,1) + beta)): it stops improving at r = 1",
    claim: claims::SATURATION_AVERAGED,
    quantity: BoundedQuantity::Error("m:squared_l2_error_averaged"),
    parameters: &[REGULARITY, CAPACITY],
    shape: |given| {
        let r = given.get("r").min(1.0);
        GrowthRate::power(-2.0 * r / (2.0 * r + given.get("beta")))
    },
    bound: None,
    applied: Some(applied::averaged),
};

static KNOWN_CONSTANT: Assertion = Assertion {
    name: "robust-known-constant",
    place: "section 3, eq. (12)",
    statement: "least squares, a constant step of order T^(-2r/(2r+1)): the last iterate has mean squared error O(T^(-2r/(2r+1)) ln T) for every r > 0",
    claim: claims::KNOWN_CONSTANT,
    applied: Some(applied::known_constant),
    ..THEOREM_1
};

static KNOWN_CONSTANT_RKHS: Assertion = Assertion {
    name: "robust-known-constant-rkhs",
    place: "section 3, eq. (13)",
    statement: "with the same step, for r > 1/2, the squared error of the last iterate in the RKHS is O(T^(-(2r-1)/(2r+1))), whatever the capacity",
    claim: claims::KNOWN_CONSTANT_RKHS,
    quantity: BoundedQuantity::Error("m:squared_rkhs_error"),
    parameters: &[REGULARITY],
    shape: |given| {
        let r = given.get("r");
        GrowthRate::power(-(2.0 * r - 1.0) / (2.0 * r + 1.0))
    },
    bound: None,
    applied: Some(applied::known_constant),
};

static KNOWN_DECREASING: Assertion = Assertion {
    name: "robust-known-decreasing",
    place: "section 3, eq. (14)",
    statement: "least squares, decreasing steps: the mean squared error of the last iterate, T^(-2r/(2r+1)) ln T, stops improving at r = 1/2 if the capacity is not used",
    claim: claims::KNOWN_DECREASING,
    quantity: BoundedQuantity::Error("m:squared_l2_error"),
    parameters: &[REGULARITY],
    shape: |given| GrowthRate { power: mean_square(given.get("r").min(0.5)), log_power: 1.0 },
    bound: None,
    applied: Some(applied::known_decreasing),
};

static KNOWN_AVERAGED_DECREASING: Assertion = Assertion {
    name: "robust-known-averaged-decreasing",
    place: "section 3, eq. (15) and (16)",
    statement: "least squares, decreasing steps: the average of the iterates has mean squared error T^(-2r/(2r+beta)), which stops improving at r = 1 - beta/2, where it is T^(-(1-beta/2))",
    claim: claims::KNOWN_AVERAGED_DECREASING,
    quantity: BoundedQuantity::Error("m:squared_l2_error_averaged"),
    parameters: &[REGULARITY, CAPACITY],
    shape: |given| {
        let beta = given.get("beta");
        let r = given.get("r").min(1.0 - 0.5 * beta);
        GrowthRate::power(-2.0 * r / (2.0 * r + beta))
    },
    bound: None,
    applied: Some(applied::known_averaged_decreasing),
};

static KNOWN_AVERAGED_CONSTANT: Assertion = Assertion {
    name: "robust-known-averaged-constant",
    place: "section 3, eq. (17)",
    statement: "least squares, one step for all horizons: the average of the iterates has mean squared error T^(-2r) for r < (1-beta)/2",
    claim: claims::KNOWN_AVERAGED_CONSTANT,
    quantity: BoundedQuantity::Error("m:squared_l2_error_averaged"),
    parameters: &[REGULARITY, CAPACITY],
    shape: |given| GrowthRate::power(-(2.0 * given.get("r")).min(1.0 - given.get("beta"))),
    bound: None,
    applied: Some(applied::known_averaged_constant),
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::theorem::Arguments;

    fn power(theorem: &Assertion, r: f64, beta: f64) -> f64 {
        let given = BTreeMap::from([("r".to_owned(), r), ("beta".to_owned(), beta)]);
        (theorem.shape)(&Arguments::check(&given, &[&REGULARITY, &CAPACITY]).unwrap()).power
    }

    /// The exponents for beta = 1/2 that the circle problem has at its critical regularities.
    #[test]
    fn exponents_on_the_circle() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-4, "{found}, expected {expected}");
        near(power(&UNSATURATED, 0.75, 0.5), -0.6);
        near(power(&UNSATURATED, 2.25, 0.5), -0.818);
        near(power(&THEOREM_2, 1.25, 0.5), -0.5);
        near(power(&THEOREM_2, 2.25, 0.5), -0.7);
        near(power(&SATURATION_DECREASING, 1.75, 0.5), -0.6);
        near(power(&SATURATION_DECREASING, 0.5, 0.5), -0.5);
        near(power(&SATURATION_DECREASING_RKHS, 1.75, 0.5), -0.25);
        near(power(&SATURATION_AVERAGED, 1.75, 0.5), -0.8);
    }

    /// What is known for least squares agrees where ranges of r meet: (17) with (18) at (1 - beta) / 2, (15) with (16) at 1 -
    /// beta / 2; and (18) is better than (16) from there on.
    #[test]
    fn known_rates_agree_where_they_meet() {
        for beta in [0.2, 0.5, 0.9] {
            let ends = |first, second, r: f64| (power(first, r - 1e-9, beta) - power(second, r + 1e-9, beta)).abs();
            assert!(ends(&KNOWN_AVERAGED_CONSTANT, &SATURATION_AVERAGED, 0.5 - 0.5 * beta) < 1e-7);
            let knee = 1.0 - 0.5 * beta;
            assert!(ends(&KNOWN_AVERAGED_DECREASING, &SATURATION_AVERAGED, knee) < 1e-7);
            assert!((power(&KNOWN_AVERAGED_DECREASING, 3.0, beta) + knee).abs() < 1e-12);
            assert!(power(&SATURATION_AVERAGED, 3.0, beta) < power(&KNOWN_AVERAGED_DECREASING, 3.0, beta));
            // With the capacity, Theorem 2 is better than (13).
            assert!(power(&THEOREM_2, 1.2, beta) < power(&KNOWN_CONSTANT_RKHS, 1.2, beta));
        }
        assert_eq!(power(&KNOWN_DECREASING, 3.0, 0.5), -0.5);
    }
}
