//! What is known of random Fourier features, of online logistic regression and of coin betting, in full.

use crate::claim::{Claim, FormulaOrigin};

const ANY: &str = "inputs and targets are any sequence, also one that reacts to the learner";

pub(crate) const FOURIER: Claim = Claim {
    formula: "E R_n <= B^2 log det(I + K / lambda), where R_n is the regret to min_f sum_t (f(x_t) - y_t)^2 + (lambda + n / D) |f|^2",
    form: FormulaOrigin::Ours(
        "f(x) = E alpha(omega) exp(i omega x) with E |alpha|^2 = |f|^2, so that D frequencies hold a function of mean f, expected squared norm |f|^2 and variance |f|^2 / D; Jensen's inequality for the determinant",
    ),
    assumptions: &[
        "inputs and targets are fixed before the frequencies are drawn; |y_t| <= B",
        "D independent frequencies from the spectrum of the kernel",
    ],
    symbols: &[
        ("R_n, n", "regret after n rounds; number of rounds"),
        ("f, x_t, y_t", "functions of the kernel's space; inputs, targets"),
        ("B", "bound on the targets"),
        ("K, I", "the Gram matrix of the exact kernel; the identity matrix"),
        ("lambda", "regularisation of the forecaster"),
        ("D", "number of frequencies; each gives a sine and a cosine"),
        ("omega, alpha", "a frequency; the coefficient of the function there"),
    ],
    conference: None,
};

pub(crate) const AIOLI: Claim = Claim {
    formula: "R_n(theta) <= lambda |theta|^2 + (1 + C) r log(1 + kappa^2 n / (8 r lambda (1 + C)))",
    form: FormulaOrigin::Ours(
        "a quadratic below the log loss with curvature l''(z) / (1 + C) at the prediction z, for logits of size at most C, and the determinant of the weighted features",
    ),
    assumptions: &[
        ANY,
        "labels are -1 and 1",
        "|theta' phi(x_t)| <= C in all rounds",
        "r features with |phi(x)| <= kappa",
    ],
    symbols: &[
        (
            "R_n, n",
            "regret after n rounds, sum_t log(1 + exp(-y_t z_t)) - sum_t log(1 + exp(-y_t theta' phi(x_t))) with predictions z_t; number of rounds",
        ),
        ("theta, phi", "coefficients of the function to compete with; the features"),
        ("lambda", "weight of |theta|^2"),
        ("C", "the largest logit of the functions to compete with"),
        ("r, kappa", "number of features; bound on their norm"),
    ],
    conference: None,
};

pub(crate) const COIN: Claim = Claim {
    formula: "R_n(f) <= G kappa (epsilon + |f| sqrt(N log(1 + 24 N^2 |f|^2 / epsilon^2)))",
    form: FormulaOrigin::Ours(
        "the wealth of the Krichevsky-Trofimov bettor is at least epsilon / (e sqrt(pi N)) exp(|sum a k|^2 / (2 N)); its conjugate, with e^2 pi < 24",
    ),
    assumptions: &[ANY, "a convex loss with slopes of at most G", "k(x, x) <= kappa^2"],
    symbols: &[
        ("R_n, n", "regret after n rounds, sum_t l(p_t, y_t) - sum_t l(f(x_t), y_t); number of rounds"),
        ("f", "any function of the kernel's space, of norm |f|"),
        ("G, kappa", "the largest slope of the loss; bound on sqrt k(x, x)"),
        ("epsilon", "initial wealth"),
        ("N", "number of rounds with a slope other than 0, at most n"),
    ],
    conference: None,
};
