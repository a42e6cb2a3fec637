//! What the paper on noisy data claims: expected regret after T rounds, and noisy copies asked for.

use crate::theory::api::{Arguments, Bound, Parameter, Shape, Subject, Theorem};

const PAPER: &str = "noisy-data";

/// All regret bounds of the paper: a constant times sqrt(T).
fn root(_: &Arguments) -> Shape {
    Shape::power(0.5)
}

fn linear(_: &Arguments) -> Shape {
    Shape::power(1.0)
}

const BASE: Parameter = Parameter { name: "p", least: 1.001, most: 1e6, doc: "query base p > 1 of the random degrees" };

pub static THEOREM_1: Theorem = Theorem {
    name: "noisy-theorem-1",
    paper: PAPER,
    place: "Theorem 1",
    statement: "linear predictors, squared loss, two noisy copies of each input with any unknown noise: expected regret O(sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: root,
    bound: None,
    file: file!(),
};

pub static THEOREM_2: Theorem = Theorem {
    name: "noisy-theorem-2",
    paper: PAPER,
    place: "Theorem 2",
    statement: "linear predictors, squared loss, one noisy copy of each input with noise of known covariance: expected regret O(sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: root,
    bound: None,
    file: file!(),
};

pub static THEOREM_3: Theorem = Theorem {
    name: "noisy-theorem-3",
    paper: PAPER,
    place: "Theorem 3",
    statement: "Gaussian kernel, squared loss, two copies with Gaussian noise of fixed known covariance: expected regret O(sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: root,
    bound: None,
    file: file!(),
};

pub static THEOREM_5: Theorem = Theorem {
    name: "noisy-theorem-5",
    paper: PAPER,
    place: "Theorem 5",
    statement: "radial kernels as truncated mixtures of Gaussian kernels, squared loss, two copies with Gaussian noise: expected regret O(sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: root,
    bound: None,
    file: file!(),
};

pub static THEOREM_6: Theorem = Theorem {
    name: "noisy-theorem-6",
    paper: PAPER,
    place: "Theorem 6",
    statement: "dot-product kernels, analytic losses, a random number of copies with unknown noise: expected regret O(sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: root,
    bound: None,
    file: file!(),
};

pub static THEOREM_7: Theorem = Theorem {
    name: "noisy-theorem-7",
    paper: PAPER,
    place: "Theorem 7",
    statement: "Gaussian kernel, analytic losses, a random number of copies with unknown noise: expected regret O(sqrt T)",
    subject: Subject::Quality,
    parameters: &[],
    shape: root,
    bound: None,
    file: file!(),
};

/// One map of degree N and, for the gradient, a geometric number of further maps: E = (1 + 1/(p-1)) / (p-1).
pub static QUERIES_DOT_PRODUCT: Theorem = Theorem {
    name: "noisy-queries-dot-product",
    paper: PAPER,
    place: "Theorem 6",
    statement: "dot-product kernels: p / (p-1)^2 noisy copies per round in expectation",
    subject: Subject::Cost,
    parameters: &[],
    shape: linear,
    bound: Some(Bound { parameters: &[BASE], value: |given, horizon| horizon * copies(given.get("p")) }),
    file: file!(),
};

/// A map takes 2 N1 + N2 copies, three times as many in expectation as with a dot-product kernel.
pub static QUERIES_GAUSSIAN: Theorem = Theorem {
    name: "noisy-queries-gaussian",
    paper: PAPER,
    place: "Theorem 7",
    statement: "Gaussian kernel: 3 p / (p-1)^2 noisy copies per round in expectation",
    subject: Subject::Cost,
    parameters: &[],
    shape: linear,
    bound: Some(Bound { parameters: &[BASE], value: |given, horizon| 3.0 * horizon * copies(given.get("p")) }),
    file: file!(),
};

/// Expected noisy copies per round for a dot-product kernel.
fn copies(p: f64) -> f64 {
    p / ((p - 1.0) * (p - 1.0))
}
