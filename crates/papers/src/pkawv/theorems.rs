//! What the paper on PKAWV claims: regret after n rounds, and the size of what the learner keeps.
//!
//! The paper states rates up to logarithmic factors. The shapes here leave out the same factors.

use crate::paper::Paper;
use crate::pkawv::applied;
use crate::pkawv::bounds::{kernel_awv_regret, optimal_exponent, sequential_dictionary_regret, taylor_regret};
use crate::pkawv::claims;
use crate::theorem::{Arguments, Assertion, Bound, BoundedQuantity, GrowthRate, RateParameter, theorems};

theorems! {
    Paper::Pkawv:
    WORST_CASE, CAPACITY, GAUSSIAN, THEOREM_4, THEOREM_4_FEATURES, THEOREM_6, THEOREM_6_DICTIONARY, COROLLARY_7,
    COROLLARY_7_DICTIONARY, COROLLARY_8, COROLLARY_8_DICTIONARY
}

const GAMMA: RateParameter = RateParameter {
    name: "gamma",
    least: 0.001,
    most: 1.0,
    doc: "capacity exponent: d_eff(lambda) <= (n / lambda)^gamma",
};
const DIMENSION: RateParameter =
    RateParameter { name: "dimension", least: 1.0, most: 100.0, doc: "dimension of the inputs" };
const SIZE: RateParameter = RateParameter {
    name: "size",
    least: 0.0,
    most: 1.0,
    doc: "exponent a of the dictionary's size m = n^a, set by mu = n m^(-1/gamma)",
};

const TARGETS: RateParameter = RateParameter::positive("target_bound", "bound B on the targets");
const LOG_DET: RateParameter =
    RateParameter::positive("log_det", "bound on E log det(I + K / lambda) for the law of the inputs (Jensen)");

const LAMBDA: RateParameter = RateParameter::positive("lambda", "regularisation");

/// B^2 log det(I + K / lambda), against the best f with its penalty lambda |f|^2.
fn forecaster(given: &Arguments, _: f64) -> f64 {
    kernel_awv_regret(1.0, 0.0, given.get("target_bound"), given.get("log_det"))
}

static WORST_CASE: Assertion = Assertion {
    name: "pkawv-worst-case",
    place: "Propositions 1, 2, Remark 2.1",
    statement: "for a bounded kernel d_eff(lambda) <= kappa^2 n / lambda, so that Kernel-AWV with lambda of order sqrt(n ln n) has regret O(sqrt(n ln n))",
    claim: claims::WORST_CASE,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate { power: 0.5, log_power: 0.5 },
    // For all inputs and targets: log det(I + K / lambda) is largest where K is a multiple of I.
    bound: Some(Bound {
        parameters: &[
            TARGETS,
            LAMBDA,
            RateParameter::positive("norm_bound", "bound on the norm of the best function"),
            RateParameter::positive("diagonal", "kappa^2, the largest k(x, x)"),
        ],
        value: |given, rounds| {
            let (norm, lambda) = (given.get("norm_bound"), given.get("lambda"));
            let log_det = rounds * (given.get("diagonal") / lambda).ln_1p();
            kernel_awv_regret(lambda, norm * norm, given.get("target_bound"), log_det)
        },
    }),
    applied: Some(applied::worst_case),
};

static CAPACITY: Assertion = Assertion {
    name: "pkawv-capacity",
    place: "Propositions 1, 2, Remark 2.1",
    statement: "under d_eff(lambda) <= (n / lambda)^gamma Kernel-AWV with lambda of order n^(gamma/(1+gamma)) has regret O(n^(gamma/(1+gamma))) up to logarithms",
    claim: claims::CAPACITY,
    quantity: BoundedQuantity::Regret,
    parameters: &[GAMMA],
    shape: |given| GrowthRate::power(optimal_exponent(given.get("gamma"))),
    bound: Some(Bound { parameters: &[TARGETS, LOG_DET], value: forecaster }),
    applied: Some(applied::capacity),
};

static GAUSSIAN: Assertion = Assertion {
    name: "pkawv-gaussian",
    place: "Propositions 1, 2, section 3.1",
    statement: "with the Gaussian kernel d_eff = O((ln n)^d), so that Kernel-AWV with a fixed lambda has regret O((ln n)^(d+1))",
    claim: claims::GAUSSIAN,
    quantity: BoundedQuantity::Regret,
    parameters: &[DIMENSION],
    shape: |given| GrowthRate::log(given.get("dimension") + 1.0),
    bound: Some(Bound { parameters: &[TARGETS, LOG_DET], value: forecaster }),
    applied: Some(applied::gaussian),
};

static THEOREM_4: Assertion = Assertion {
    name: "pkawv-theorem-4",
    place: "Theorem 4",
    statement: "PKAWV with Taylor features of order M = max(8 R^2 / bandwidth^2, 2 ln(n / min(lambda, 1))) has at most 3/2 of the regret bound of Kernel-AWV: O((ln n)^(d+1))",
    claim: claims::THEOREM_4,
    quantity: BoundedQuantity::Regret,
    parameters: &[DIMENSION],
    shape: |given| GrowthRate::log(given.get("dimension") + 1.0),
    bound: Some(Bound {
        parameters: &[TARGETS, LOG_DET],
        value: |given, _| taylor_regret(1.0, 0.0, given.get("target_bound"), given.get("log_det")),
    }),
    applied: Some(applied::theorem_4),
};

static THEOREM_4_FEATURES: Assertion = Assertion {
    name: "pkawv-theorem-4-features",
    place: "Theorem 4",
    statement: "the Taylor features of that order are O((ln n)^d) in number",
    claim: claims::THEOREM_4_FEATURES,
    quantity: BoundedQuantity::Cost("features"),
    parameters: &[DIMENSION],
    shape: |given| GrowthRate::log(given.get("dimension")),
    bound: None,
    applied: Some(applied::theorem_4_features),
};

static THEOREM_6: Assertion = Assertion {
    name: "pkawv-theorem-6",
    place: "Theorem 6, for the Gaussian kernel",
    statement: "PKAWV on a KORS dictionary with lambda = 1 and mu = n^(-2) has regret O((ln n)^(d+1)) with high probability",
    claim: claims::THEOREM_6,
    quantity: BoundedQuantity::Regret,
    parameters: &[DIMENSION],
    shape: |given| GrowthRate::log(given.get("dimension") + 1.0),
    bound: Some(Bound {
        parameters: &[
            TARGETS,
            LOG_DET,
            LAMBDA,
            RateParameter::positive("mu", "regularisation of the leverage scores"),
            RateParameter::positive("points", "bound on the size of the dictionary"),
        ],
        value: |given, rounds| {
            let (lambda, mu, points) = (given.get("lambda"), given.get("mu"), given.get("points"));
            let (bound, log_det) = (given.get("target_bound"), given.get("log_det"));
            sequential_dictionary_regret(rounds, lambda, mu, 0.0, bound, log_det, points)
        },
    }),
    applied: Some(applied::theorem_6),
};

static THEOREM_6_DICTIONARY: Assertion = Assertion {
    name: "pkawv-theorem-6-dictionary",
    place: "Theorem 6, for the Gaussian kernel",
    statement: "that dictionary holds O((ln n)^(d+2)) points with high probability",
    claim: claims::THEOREM_6_DICTIONARY,
    quantity: BoundedQuantity::Cost("stored_points"),
    parameters: &[DIMENSION],
    shape: |given| GrowthRate::log(given.get("dimension") + 2.0),
    bound: None,
    applied: Some(applied::theorem_6_dictionary),
};

static COROLLARY_7: Assertion = Assertion {
    name: "pkawv-corollary-7",
    place: "Corollary 7",
    statement: "PKAWV on a sequential dictionary of m = n^a points has regret O(n^(gamma/(1+gamma))) if a >= 2 gamma / (1 - gamma^2), else O(n m^(1/2 - 1/(2 gamma))), up to logarithms",
    claim: claims::COROLLARY_7,
    quantity: BoundedQuantity::Regret,
    parameters: &[GAMMA, SIZE],
    shape: |given| {
        let (gamma, size) = (given.get("gamma"), given.get("size"));
        GrowthRate::power(optimal_exponent(gamma).max(1.0 - size * (1.0 - gamma) / (2.0 * gamma)))
    },
    bound: None,
    applied: Some(applied::corollary_7),
};

static COROLLARY_7_DICTIONARY: Assertion = Assertion {
    name: "pkawv-corollary-7-dictionary",
    statement: "with mu = n m^(-1/gamma) the sequential dictionary holds at most of the order of m = n^a points, up to logarithms",
    claim: claims::COROLLARY_7_DICTIONARY,
    quantity: BoundedQuantity::Cost("stored_points"),
    shape: |given| GrowthRate::power(given.get("size")),
    ..COROLLARY_7
};

static COROLLARY_8: Assertion = Assertion {
    name: "pkawv-corollary-8",
    place: "Corollary 8",
    statement: "PKAWV on a dictionary of m = n^a points that is known beforehand has regret O(n^(gamma/(1+gamma))) if a >= 2 gamma / (1 + gamma), else O(n m^(-1/(2 gamma))), up to logarithms",
    claim: claims::COROLLARY_8,
    quantity: BoundedQuantity::Regret,
    parameters: &[GAMMA, SIZE],
    shape: |given| {
        let (gamma, size) = (given.get("gamma"), given.get("size"));
        GrowthRate::power(optimal_exponent(gamma).max(1.0 - size / (2.0 * gamma)))
    },
    bound: None,
    applied: Some(applied::corollary_8),
};

static COROLLARY_8_DICTIONARY: Assertion = Assertion {
    name: "pkawv-corollary-8-dictionary",
    place: "Corollary 8",
    statement: "with mu = n m^(-1/gamma) the dictionary that is known beforehand holds at most of the order of m = n^a points, up to logarithms",
    claim: claims::COROLLARY_8_DICTIONARY,
    applied: Some(applied::corollary_8),
    ..COROLLARY_7_DICTIONARY
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn exponent(theorem: &Assertion, gamma: f64, size: f64) -> f64 {
        let given = BTreeMap::from([("gamma".to_owned(), gamma), ("size".to_owned(), size)]);
        let parameters: Vec<&RateParameter> = theorem.parameters.iter().collect();
        (theorem.shape)(&Arguments::check(&given, &parameters).unwrap()).power
    }

    /// The bound of the worst case is attained by K = I, and holds for n equal inputs, whose determinant is 1 + n / lambda;
    /// half of it would not hold for K = I.
    #[test]
    fn the_worst_case_is_a_multiple_of_the_identity() {
        let bound = WORST_CASE.bound.as_ref().unwrap();
        let parameters: Vec<&RateParameter> = bound.parameters.iter().collect();
        for n in [64.0f64, 1024.0] {
            let lambda = (n * n.ln()).sqrt();
            let given = [("target_bound", 1.0), ("lambda", lambda), ("norm_bound", 0.0), ("diagonal", 1.0)];
            let given = BTreeMap::from(given.map(|(name, x)| (name.to_owned(), x)));
            let value = (bound.value)(&Arguments::check(&given, &parameters).unwrap(), n);
            let identity: f64 = (0..n as usize).map(|_| (1.0 + 1.0 / lambda).ln()).sum();
            assert!(
                (value - identity).abs() < 1e-9 * identity && (1.0 + n / lambda).ln() < value && identity > 0.5 * value
            );
        }
    }

    /// The knees of figure 1, where the two regimes meet, and the value at a = 1 for gamma = 0.6.
    #[test]
    fn the_exponents_of_figure_1() {
        let (gamma, optimal) = (0.2, 0.2 / 1.2);
        assert!((exponent(&COROLLARY_7, gamma, 0.4 / 0.96) - optimal).abs() < 1e-12);
        assert!((exponent(&COROLLARY_8, gamma, 0.4 / 1.2) - optimal).abs() < 1e-12);
        assert!((exponent(&COROLLARY_7, 0.6, 1.0) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(exponent(&COROLLARY_7, 0.5, 0.0), 1.0);
    }
}
