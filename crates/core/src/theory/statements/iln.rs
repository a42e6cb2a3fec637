//! What the paper on infinite-layer networks claims: regret and draws after T rounds, and the risk of the average.

use crate::paper::Paper;
use crate::theory::api::{Bound, Parameter, Shape, Subject, Theorem};
use crate::theory::iln::{corollary1_excess, estimate_draws, lemma4_l1, theorem1_eta, theorem1_regret};

const PAPER: Paper = Paper::InfiniteLayer;

/// Parameters of the bounds, at the step of the theorem.
const BOUND: &[Parameter] = &[
    Parameter::positive("norm_bound", "bound B on the norm of the best function"),
    Parameter::positive(
        "excess",
        "total sampling variance divided by T: 0 for exact kernels, 2 with the draws of the theorem",
    ),
];

pub static THEOREM_1: Theorem = Theorem {
    name: "iln-theorem-1",
    paper: PAPER,
    place: "Theorem 1 (1)",
    statement: "shrinking gradient with eta = B / sqrt T and m = O(B^4 T ln(B T)) draws per round has expected regret O(B sqrt T) (of squares here, twice that of the paper's halved ones)",
    subject: Subject::Quality,
    parameters: &[],
    shape: |_| Shape::power(0.5),
    // Traces hold squares; the theorem bounds halved squares.
    bound: Some(Bound {
        parameters: BOUND,
        value: |given, rounds| {
            let norm_bound = given.get("norm_bound");
            let eta = theorem1_eta(rounds, norm_bound);
            2.0 * theorem1_regret(rounds, norm_bound, eta, given.get("excess") * rounds)
        },
    }),
    module: module_path!(),
};

pub static THEOREM_1_DRAWS: Theorem = Theorem {
    name: "iln-theorem-1-draws",
    paper: PAPER,
    place: "Theorem 1 (2)",
    statement: "with m = O(B^4 T ln(B T)) draws per round it evaluates O(T^2 ln T) features",
    subject: Subject::Cost,
    parameters: &[],
    shape: |_| Shape { power: 2.0, log_power: 1.0 },
    bound: None,
    module: module_path!(),
};

pub static THEOREM_1_TEST: Theorem = Theorem {
    name: "iln-theorem-1-test",
    paper: PAPER,
    place: "Theorem 1 (3)",
    statement: "m = O(B^4 T ln(1/delta) / epsilon^2) draws estimate the value of an iterate at a new input within epsilon with probability 1 - delta",
    subject: Subject::Cost,
    parameters: &[],
    shape: |_| Shape::power(1.0),
    // At the bound of Lemma 4 on |alpha|_1, at the step of the theorem.
    bound: Some(Bound {
        parameters: &[
            Parameter::positive("norm_bound", "bound B on the norm of the best function"),
            Parameter::positive("precision", "largest error epsilon"),
            Parameter { name: "failure", least: 1e-12, most: 1.0, doc: "probability delta of a larger error" },
        ],
        value: |given, rounds| {
            let norm_bound = given.get("norm_bound");
            let l1 = lemma4_l1(rounds + 1.0, norm_bound, theorem1_eta(rounds, norm_bound));
            estimate_draws(l1, given.get("precision"), given.get("failure"))
        },
    }),
    module: module_path!(),
};

pub static COROLLARY_1: Theorem = Theorem {
    name: "iln-corollary-1",
    paper: PAPER,
    place: "Corollary 1",
    statement: "the average of the iterates has expected excess risk O(B / sqrt T), of halved squares",
    subject: Subject::Quality,
    parameters: &[],
    shape: |_| Shape::power(-0.5),
    bound: Some(Bound {
        parameters: BOUND,
        value: |given, rounds| {
            let norm_bound = given.get("norm_bound");
            let eta = theorem1_eta(rounds, norm_bound);
            corollary1_excess(rounds, norm_bound, eta, given.get("excess") * rounds)
        },
    }),
    module: module_path!(),
};
