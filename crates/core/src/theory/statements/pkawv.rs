//! What the paper on PKAWV claims: regret after n rounds, and the size of what the learner keeps.
//!
//! The paper states rates up to logarithmic factors. The shapes here leave out the same factors.

use crate::paper::Paper;
use crate::theory::api::{Bound, Parameter, Shape, Subject, Theorem};
use crate::theory::claims::pkawv as claims;
use crate::theory::pkawv::{kernel_awv_regret, optimal_exponent, sequential_dictionary_regret, taylor_regret};
use crate::theory::spectrum::{gaussian_log_det, periodic_log_det, uniform_log_det};

const PAPER: Paper = Paper::Pkawv;

const GAMMA: Parameter =
    Parameter { name: "gamma", least: 0.001, most: 1.0, doc: "capacity exponent: d_eff(lambda) <= (n / lambda)^gamma" };
const DIMENSION: Parameter = Parameter { name: "dimension", least: 1.0, most: 100.0, doc: "dimension of the inputs" };
const SIZE: Parameter = Parameter {
    name: "size",
    least: 0.0,
    most: 1.0,
    doc: "exponent a of the dictionary's size m = n^a, set by mu = n m^(-1/gamma)",
};

const TARGETS: Parameter = Parameter::positive("target_bound", "bound B on the targets");

pub static WORST_CASE: Theorem = Theorem {
    name: "pkawv-worst-case",
    paper: PAPER,
    place: "Propositions 1, 2, Remark 2.1",
    statement: "for a bounded kernel d_eff(lambda) <= kappa^2 n / lambda, so that Kernel-AWV with lambda of order sqrt(n ln n) has regret O(sqrt(n ln n))",
    claim: claims::WORST_CASE,
    subject: Subject::Quality,
    parameters: &[],
    shape: |_| Shape { power: 0.5, log_power: 0.5 },
    bound: None,
    module: module_path!(),
};

pub static CAPACITY: Theorem = Theorem {
    name: "pkawv-capacity",
    paper: PAPER,
    place: "Propositions 1, 2, Remark 2.1",
    statement: "under d_eff(lambda) <= (n / lambda)^gamma Kernel-AWV with lambda of order n^(gamma/(1+gamma)) has regret O(n^(gamma/(1+gamma))) up to logarithms",
    claim: claims::CAPACITY,
    subject: Subject::Quality,
    parameters: &[GAMMA],
    shape: |given| Shape::power(optimal_exponent(given.get("gamma"))),
    // Against the best f with its penalty, so that lambda |f|^2 is on the other side; uniform inputs, periodic kernel of
    // this capacity, lambda = n^(gamma/(1+gamma)); in expectation over the inputs.
    bound: Some(Bound {
        parameters: &[TARGETS],
        value: |given, rounds| {
            let gamma = given.get("gamma");
            let lambda = rounds.powf(optimal_exponent(gamma));
            kernel_awv_regret(lambda, 0.0, given.get("target_bound"), periodic_log_det(rounds / lambda, gamma))
        },
    }),
    module: module_path!(),
};

pub static GAUSSIAN: Theorem = Theorem {
    name: "pkawv-gaussian",
    paper: PAPER,
    place: "Propositions 1, 2, section 3.1",
    statement: "with the Gaussian kernel d_eff = O((ln n)^d), so that Kernel-AWV with a fixed lambda has regret O((ln n)^(d+1))",
    claim: claims::GAUSSIAN,
    subject: Subject::Quality,
    parameters: &[DIMENSION],
    shape: |given| Shape::log(given.get("dimension") + 1.0),
    // Against the best f with its penalty; inputs N(0, I), bandwidth 1, lambda = 1; in expectation over the inputs.
    bound: Some(Bound {
        parameters: &[TARGETS],
        value: |given, rounds| {
            kernel_awv_regret(1.0, 0.0, given.get("target_bound"), gaussian_log_det(rounds, given.get("dimension")))
        },
    }),
    module: module_path!(),
};

pub static THEOREM_4: Theorem = Theorem {
    name: "pkawv-theorem-4",
    paper: PAPER,
    place: "Theorem 4",
    statement: "PKAWV with Taylor features of order M = max(8 R^2 / bandwidth^2, 2 ln(n / min(lambda, 1))) has at most 3/2 of the regret bound of Kernel-AWV: O((ln n)^(d+1))",
    claim: claims::THEOREM_4,
    subject: Subject::Quality,
    parameters: &[DIMENSION],
    shape: |given| Shape::log(given.get("dimension") + 1.0),
    // Against the best f with its penalty; inputs uniform on [-1, 1]^d, bandwidth 1, lambda = 1; in expectation over the
    // inputs.
    bound: Some(Bound {
        parameters: &[TARGETS],
        value: |given, rounds| {
            let log_det = uniform_log_det(rounds, given.get("dimension"));
            taylor_regret(1.0, 0.0, given.get("target_bound"), log_det)
        },
    }),
    module: module_path!(),
};

pub static THEOREM_4_FEATURES: Theorem = Theorem {
    name: "pkawv-theorem-4-features",
    paper: PAPER,
    place: "Theorem 4",
    statement: "the Taylor features of that order are O((ln n)^d) in number",
    claim: claims::THEOREM_4_FEATURES,
    subject: Subject::Cost,
    parameters: &[DIMENSION],
    shape: |given| Shape::log(given.get("dimension")),
    bound: None,
    module: module_path!(),
};

pub static THEOREM_6: Theorem = Theorem {
    name: "pkawv-theorem-6",
    paper: PAPER,
    place: "Theorem 6, for the Gaussian kernel",
    statement: "PKAWV on a KORS dictionary with lambda = 1 and mu = n^(-2) has regret O((ln n)^(d+1)) with high probability",
    claim: claims::THEOREM_6,
    subject: Subject::Quality,
    parameters: &[DIMENSION],
    shape: |given| Shape::log(given.get("dimension") + 1.0),
    // As for Kernel-AWV; the dictionary has at most n points.
    bound: Some(Bound {
        parameters: &[TARGETS],
        value: |given, rounds| {
            let (bound, log_det) = (given.get("target_bound"), gaussian_log_det(rounds, given.get("dimension")));
            sequential_dictionary_regret(rounds, 1.0, rounds.powi(-2), 0.0, bound, log_det, rounds)
        },
    }),
    module: module_path!(),
};

pub static THEOREM_6_DICTIONARY: Theorem = Theorem {
    name: "pkawv-theorem-6-dictionary",
    paper: PAPER,
    place: "Theorem 6, for the Gaussian kernel",
    statement: "that dictionary holds O((ln n)^(d+2)) points with high probability",
    claim: claims::THEOREM_6_DICTIONARY,
    subject: Subject::Cost,
    parameters: &[DIMENSION],
    shape: |given| Shape::log(given.get("dimension") + 2.0),
    bound: None,
    module: module_path!(),
};

pub static COROLLARY_7: Theorem = Theorem {
    name: "pkawv-corollary-7",
    paper: PAPER,
    place: "Corollary 7",
    statement: "PKAWV on a sequential dictionary of m = n^a points has regret O(n^(gamma/(1+gamma))) if a >= 2 gamma / (1 - gamma^2), else O(n m^(1/2 - 1/(2 gamma))), up to logarithms",
    claim: claims::COROLLARY_7,
    subject: Subject::Quality,
    parameters: &[GAMMA, SIZE],
    shape: |given| {
        let (gamma, size) = (given.get("gamma"), given.get("size"));
        Shape::power(optimal_exponent(gamma).max(1.0 - size * (1.0 - gamma) / (2.0 * gamma)))
    },
    bound: None,
    module: module_path!(),
};

pub static COROLLARY_7_DICTIONARY: Theorem = Theorem {
    name: "pkawv-corollary-7-dictionary",
    paper: PAPER,
    place: "Corollary 7",
    statement: "with mu = n m^(-1/gamma) the sequential dictionary holds at most of the order of m = n^a points, up to logarithms",
    claim: claims::COROLLARY_7_DICTIONARY,
    subject: Subject::Cost,
    parameters: &[GAMMA, SIZE],
    shape: |given| Shape::power(given.get("size")),
    bound: None,
    module: module_path!(),
};

pub static COROLLARY_8: Theorem = Theorem {
    name: "pkawv-corollary-8",
    paper: PAPER,
    place: "Corollary 8",
    statement: "PKAWV on a dictionary of m = n^a points that is known beforehand has regret O(n^(gamma/(1+gamma))) if a >= 2 gamma / (1 + gamma), else O(n m^(-1/(2 gamma))), up to logarithms",
    claim: claims::COROLLARY_8,
    subject: Subject::Quality,
    parameters: &[GAMMA, SIZE],
    shape: |given| {
        let (gamma, size) = (given.get("gamma"), given.get("size"));
        Shape::power(optimal_exponent(gamma).max(1.0 - size / (2.0 * gamma)))
    },
    bound: None,
    module: module_path!(),
};

pub static COROLLARY_8_DICTIONARY: Theorem = Theorem {
    name: "pkawv-corollary-8-dictionary",
    paper: PAPER,
    place: "Corollary 8",
    statement: "with mu = n m^(-1/gamma) the dictionary that is known beforehand holds at most of the order of m = n^a points, up to logarithms",
    claim: claims::COROLLARY_8_DICTIONARY,
    subject: Subject::Cost,
    parameters: &[GAMMA, SIZE],
    shape: |given| Shape::power(given.get("size")),
    bound: None,
    module: module_path!(),
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::theory::api::Arguments;

    fn exponent(theorem: &Theorem, gamma: f64, size: f64) -> f64 {
        let given = BTreeMap::from([("gamma".to_owned(), gamma), ("size".to_owned(), size)]);
        let parameters: Vec<&Parameter> = theorem.parameters.iter().collect();
        (theorem.shape)(&Arguments::check(&given, &parameters).unwrap()).power
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
