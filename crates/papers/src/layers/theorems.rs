//! What the paper on infinite-layer networks claims: regret and draws after T rounds, and the risk of the average.

use crate::layers::applied;
use crate::layers::claims;
use crate::paper::Paper;
use crate::theorem::{Assertion, Bound, BoundedQuantity, GrowthRate, RateParameter, theorems};
use noregret_core::theory::iln::{corollary1_excess, estimate_draws, lemma4_l1, theorem1_regret};

theorems! {
    Paper::InfiniteLayer:
    THEOREM_1, THEOREM_1_DRAWS, THEOREM_1_TEST, COROLLARY_1
}

/// Parameters of the bounds.
const BOUND: &[RateParameter] = &[
    RateParameter::positive("norm_bound", "bound B on the norm of the best function"),
    RateParameter::positive("eta", "the step that was used; the theorem's is B / sqrt(T)"),
    RateParameter::positive(
        "excess",
        "V / T, the sampling variance of a round: 0 for exact kernels, 2 with the draws of the theorem",
    ),
];

static THEOREM_1: Assertion = Assertion {
    name: "iln-theorem-1",
    place: "Theorem 1 (1)",
    statement: "shrinking gradient with eta = B / sqrt T and m = O(B^4 T ln(B T)) draws per round has expected regret O(B sqrt T) (of squares here, twice that of the paper's halved ones)",
    claim: claims::THEOREM_1,
    quantity: BoundedQuantity::Regret,
    parameters: &[],
    shape: |_| GrowthRate::power(0.5),
    // Traces hold squares; the theorem bounds halved squares.
    bound: Some(Bound {
        parameters: BOUND,
        value: |given, rounds| {
            2.0 * theorem1_regret(rounds, given.get("norm_bound"), given.get("eta"), given.get("excess") * rounds)
        },
    }),
    applied: Some(applied::theorem_1),
};

static THEOREM_1_DRAWS: Assertion = Assertion {
    name: "iln-theorem-1-draws",
    place: "Theorem 1 (2)",
    statement: "with m = O(B^4 T ln(B T)) draws per round it evaluates O(T^2 ln T) features",
    claim: claims::THEOREM_1_DRAWS,
    quantity: BoundedQuantity::Cost("m:draws"),
    parameters: &[],
    shape: |_| GrowthRate { power: 2.0, log_power: 1.0 },
    bound: None,
    applied: Some(applied::draws),
};

static THEOREM_1_TEST: Assertion = Assertion {
    name: "iln-theorem-1-test",
    place: "Theorem 1 (3)",
    statement: "m = O(B^4 T ln(1/delta) / epsilon^2) draws estimate the value of an iterate at a new input within epsilon with probability 1 - delta",
    claim: claims::THEOREM_1_TEST,
    quantity: BoundedQuantity::Cost("m:estimate_draws"),
    parameters: &[],
    shape: |_| GrowthRate::power(1.0),
    // At the bound of Lemma 4 on |alpha|_1.
    bound: Some(Bound {
        parameters: &[
            RateParameter::positive("norm_bound", "bound B on the norm of the best function"),
            RateParameter::positive("eta", "the step that was used; the theorem's is B / sqrt(T)"),
            RateParameter::positive("precision", "largest error epsilon"),
            RateParameter { name: "failure", least: 1e-12, most: 1.0, doc: "probability delta of a larger error" },
        ],
        value: |given, rounds| {
            let l1 = lemma4_l1(rounds + 1.0, given.get("norm_bound"), given.get("eta"));
            estimate_draws(l1, given.get("precision"), given.get("failure"))
        },
    }),
    applied: Some(applied::test),
};

static COROLLARY_1: Assertion = Assertion {
    name: "iln-corollary-1",
    place: "Corollary 1",
    statement: "the average of the iterates has expected excess risk O(B / sqrt T), of halved squares",
    claim: claims::COROLLARY_1,
    quantity: BoundedQuantity::Error("m:excess_risk_averaged"),
    parameters: &[],
    shape: |_| GrowthRate::power(-0.5),
    bound: Some(Bound {
        parameters: BOUND,
        value: |given, rounds| {
            corollary1_excess(rounds, given.get("norm_bound"), given.get("eta"), given.get("excess") * rounds)
        },
    }),
    applied: Some(applied::corollary_1),
};
