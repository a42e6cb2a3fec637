//! What the paper on infinite-layer networks claims: regret and draws after T rounds, and the risk of the average.

use crate::theory::api::{Shape, Subject, Theorem};

const PAPER: &str = "infinite-layer-networks";

pub static THEOREM_1: Theorem = Theorem {
    name: "iln-theorem-1",
    paper: PAPER,
    place: "Theorem 1 (1)",
    statement: "shrinking gradient with eta = B / sqrt T and m = O(B^4 T ln(B T)) draws per round has expected regret O(B sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: |_| Shape::power(0.5),
    bound: None,
    file: file!(),
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
    file: file!(),
};

pub static COROLLARY_1: Theorem = Theorem {
    name: "iln-corollary-1",
    paper: PAPER,
    place: "Corollary 1",
    statement: "the average of the iterates has expected excess risk O(B / sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: |_| Shape::power(-0.5),
    bound: None,
    file: file!(),
};
