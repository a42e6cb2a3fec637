//! What the paper on infinite-layer networks claims: regret and draws after T rounds, and the risk of the average.

use crate::paper::Paper;
use crate::theory::api::{Bound, Parameter, Shape, Subject, Theorem};
use crate::theory::claims::iln as claims;
use crate::theory::iln::{corollary1_excess, theorem1_eta, theorem1_regret};

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
    claim: claims::THEOREM_1,
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
    claim: claims::THEOREM_1_DRAWS,
    subject: Subject::Cost,
    parameters: &[],
    shape: |_| Shape { power: 2.0, log_power: 1.0 },
    bound: None,
    module: module_path!(),
};

pub static COROLLARY_1: Theorem = Theorem {
    name: "iln-corollary-1",
    paper: PAPER,
    place: "Corollary 1",
    statement: "the average of the iterates has expected excess risk O(B / sqrt T), of halved squares",
    claim: claims::COROLLARY_1,
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
