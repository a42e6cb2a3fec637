//! What is known of forecasters against changing targets, in full.

use crate::claim::{Claim, FormulaOrigin};

const ANY: &str = "inputs and targets are any sequence, also one that reacts to the forecaster; |y_t| <= B";
const FEATURES: &str = "r features phi with |phi(x)| <= kappa; functions are u' phi, of norm |u|";
const VALUE: &str = "the value of the bound is for the path of the stream's law, with the largest D and S that its switches or turns allow";
const R: (&str, &str) = (
    "R_n, n, p, y",
    "regret after n rounds against the path u, sum_t (p_t - y_t)^2 - sum_t (u_t' phi(x_t) - y_t)^2; number of rounds; predictions, targets",
);
const PATH: (&str, &str) =
    ("u, U, D", "the path of functions u_0, u_1, ...; the largest |u_t|; its length sum_t |u_t - u_(t-1)|");
const LAMBDA: (&str, &str) = ("lambda", "regularisation of the forecaster");
const B: (&str, &str) = ("B, kappa", "bounds on |y_t| and on |phi(x_t)|");
const SPACE: (&str, &str) = ("r, phi, x", "number of features, the features, inputs");

pub(crate) const DISCOUNTED: Claim = Claim {
    formula: "R_n(u) <= lambda U^2 + lambda U^2 n / eta + B^2 r log(1 + kappa^2 n / (r lambda)) + B^2 r n log(1 / gamma) + 2 lambda U D + 2 kappa (B + kappa U) eta D",
    form: FormulaOrigin::Ours(
        "conditioning of the minima of the discounted objective, each replaced by its value at u_t; the second term is the refresh of the regulariser",
    ),
    assumptions: &[ANY, FEATURES, VALUE],
    symbols: &[R, PATH, LAMBDA, B, SPACE, ("gamma, eta", "discount; eta = gamma / (1 - gamma), the memory")],
    conference: None,
};

pub(crate) const TRACKING: Claim = Claim {
    formula: "R_n(u) <= lambda |u_0|^2 + S / q + B^2 (r log(1 + kappa^2 n / (r lambda)) + kappa n sqrt(r q))",
    form: FormulaOrigin::Ours("log det of the sum of two kernels on (round, input), each bounded by itself"),
    assumptions: &[ANY, FEATURES, "a = 1", VALUE],
    symbols: &[
        R,
        PATH,
        LAMBDA,
        B,
        SPACE,
        ("u_0", "the first function of the path"),
        ("q, S", "variance of a step; squared length of the path, sum_t |u_t - u_(t-1)|^2"),
    ],
    conference: None,
};

pub(crate) const MIXTURE: Claim = Claim {
    formula: "R_n(u) <= lambda U^2 + B^2 r log(1 + kappa^2 n / (r lambda)) + 2 lambda U D + 2.13 sqrt(2 kappa (B + kappa U) (B^2 r + lambda U^2) n D) + c B^2 log K",
    form: FormulaOrigin::Ours(
        "the bound of the discounted forecaster at the memory of the grid next to the best one, and that of exponential weights",
    ),
    assumptions: &[ANY, FEATURES, "the memories of the grid reach the horizon", VALUE],
    symbols: &[
        R,
        PATH,
        LAMBDA,
        B,
        SPACE,
        ("c, K", "8 for the average, 2 for the aggregating algorithm; number of experts"),
    ],
    conference: None,
};
