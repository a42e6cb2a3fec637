//! What the paper on PKAWV claims, in full. (The statements leave out logarithms.)

use crate::claim::{Claim, FormulaOrigin};

const R: (&str, &str) = (
    "R_n, n, f",
    "regret after n rounds, sum_t (p_t - y_t)^2 - sum_t (f(x_t) - y_t)^2; number of rounds; any function of the kernel's space",
);
const LAMBDA: (&str, &str) = ("lambda", "regularisation of the forecaster");
const B: (&str, &str) = ("B", "bound on |y_t|");
const B_ORDER: (&str, &str) = ("B", "bound on |y_t|");
const KAPPA: (&str, &str) = ("kappa", "kappa^2 bounds k(x, x)");
const GRAM: (&str, &str) = ("K, I", "matrix of the kernel values of all pairs of inputs; unit matrix");
const D_EFF: (&str, &str) = ("d_eff", "effective dimension, d_eff(lambda) = Tr K (K + lambda I)^-1");
const GAMMA_SYMBOL: (&str, &str) = ("gamma", "capacity exponent");
const D: (&str, &str) = ("d", "number of inputs");
const M: (&str, &str) = ("m, a", "points of the dictionary, m = n^a");
const MU: (&str, &str) = ("mu", "accuracy of the dictionary, as a squared distance in the kernel's space");
const ANY: &str = "inputs and targets are any sequence, also one that reacts to the forecaster; |y_t| <= B, which the forecaster need not know";
const DRAWN: &str = "the value of the bound is an expectation over the inputs, which are drawn independently as the setting says; it bounds the regret with the penalty lambda |f|^2 on the side of f";
const CAPACITY_HOLDS: &str = "d_eff(lambda) <= (n / lambda)^gamma for all lambda > 0, 0 < gamma < 1";
const KORS: &str = "the dictionary is built by KORS with epsilon = 1/2 and beta = 12 log(n / delta); statements hold with probability 1 - delta over its coins";
const BEFOREHAND: &str =
    "the dictionary is built from all inputs before the first round, so that inputs cannot react to the forecaster";

const ANY_WITHOUT_COINS: &str = "inputs and targets are any sequence that does not depend on the coins of the dictionary (the paper does not say whether it may); |y_t| <= B, which the forecaster need not know";

pub(crate) const WORST_CASE: Claim = Claim {
    formula: "R_n(f) <= lambda |f|^2 + B^2 (kappa^2 n / lambda) log(e + e n kappa^2 / lambda), of order sqrt(n ln n) at lambda = sqrt(n ln n)",
    form: FormulaOrigin::Printed,
    assumptions: &[ANY, "Kernel-AWV with a bounded kernel"],
    symbols: &[R, LAMBDA, B_ORDER, KAPPA, ("e", "2.718..")],
    conference: None,
};

pub(crate) const CAPACITY: Claim = Claim {
    formula: "R_n(f) <= lambda |f|^2 + B^2 log det(I + K / lambda) <= lambda |f|^2 + B^2 d_eff(lambda) log(e + e n kappa^2 / lambda), of order n^(gamma / (1 + gamma)) at lambda = n^(gamma / (1 + gamma))",
    form: FormulaOrigin::Printed,
    assumptions: &[
        ANY,
        CAPACITY_HOLDS,
        "Kernel-AWV; the value of the bound is for the periodic kernel of this capacity and uniform inputs",
        DRAWN,
    ],
    symbols: &[R, LAMBDA, B, KAPPA, GRAM, D_EFF, GAMMA_SYMBOL, ("e", "2.718..")],
    conference: None,
};

pub(crate) const GAUSSIAN: Claim = Claim {
    formula: "R_n(f) <= lambda |f|^2 + B^2 log det(I + K / lambda) = O((ln n)^(d + 1)) with lambda fixed",
    form: FormulaOrigin::Printed,
    assumptions: &[
        ANY,
        "Kernel-AWV with the Gaussian kernel; d_eff = O((ln n)^d) needs inputs that are bounded or have light tails",
        "the value of the bound is for lambda = 1, bandwidth 1 and inputs N(0, I)",
        DRAWN,
    ],
    symbols: &[R, LAMBDA, B, GRAM, D],
    conference: None,
};

pub(crate) const THEOREM_4: Claim = Claim {
    formula: "R_n(f) <= lambda |f|^2 + (3/2) B^2 log det(I + K / lambda), with M = ceil(max(8 r^2 / b^2, 2 ln(n / min(lambda, 1)))) and M >= 1",
    form: FormulaOrigin::Printed,
    assumptions: &[
        ANY,
        "|x_t| <= r in every round",
        "Gaussian kernel of bandwidth b; PKAWV with Taylor features of order M",
        "the value of the bound is for lambda = 1, bandwidth 1 and inputs uniform on [-1, 1]^d",
        DRAWN,
    ],
    symbols: &[
        R,
        LAMBDA,
        B,
        GRAM,
        ("M, b, r", "order of the Taylor features; bandwidth; radius of the inputs"),
        ("d", "number of inputs, which decides how the determinant grows"),
    ],
    conference: None,
};

pub(crate) const THEOREM_4_FEATURES: Claim = Claim {
    formula: "N = C(d + M, d) = O((ln n)^d), with M = ceil(max(8 r^2 / b^2, 2 ln(n / min(lambda, 1))))",
    form: FormulaOrigin::Printed,
    assumptions: &["Gaussian kernel of bandwidth b, |x_t| <= r; d, r, b and lambda are fixed"],
    symbols: &[
        ("N", "number of Taylor features"),
        ("C(d + M, d)", "binomial coefficient"),
        ("M, b, r", "order of the Taylor features; bandwidth; radius of the inputs"),
        LAMBDA,
        ("n", "number of rounds"),
        D,
    ],
    conference: None,
};

pub(crate) const THEOREM_6: Claim = Claim {
    formula: "R_n(f) <= lambda |f|^2 + B^2 log det(I + K / lambda) + 2 B^2 (m + 1) n mu / lambda, with lambda = 1 and mu = n^-2 of order (ln n)^(d + 1)",
    form: FormulaOrigin::Printed,
    assumptions: &[
        ANY_WITHOUT_COINS,
        "mu <= lambda",
        KORS,
        "the value of the bound takes m = n, bandwidth 1 and inputs N(0, I)",
        DRAWN,
    ],
    symbols: &[R, LAMBDA, B, GRAM, ("m", "points of the dictionary, at most n"), MU, D],
    conference: None,
};

pub(crate) const THEOREM_6_DICTIONARY: Claim = Claim {
    formula: "m <= 108 log(n / delta) s with s <= log det(I + K / mu), of order (ln n)^(d + 2) at mu = n^-2",
    form: FormulaOrigin::Corrected {
        printed: "m <= 9 d_eff(mu) log(2 n / delta)^2: a constant of its source was lost",
        errata: &[],
    },
    assumptions: &[KORS, "inputs that are bounded or have light tails"],
    symbols: &[
        ("m, n", "points of the dictionary; rounds"),
        ("s", "sum of the online leverage scores at mu"),
        ("delta", "probability of failure"),
        GRAM,
        MU,
        D,
    ],
    conference: None,
};

pub(crate) const COROLLARY_7: Claim = Claim {
    formula: "R_n = O(n^(gamma / (1 + gamma))) if m >= n^(2 gamma / (1 - gamma^2)), at lambda = n^(gamma / (1 + gamma)); else O(n m^(1/2 - 1 / (2 gamma))), at lambda of the same order; both up to logarithms",
    form: FormulaOrigin::Printed,
    assumptions: &[ANY_WITHOUT_COINS, CAPACITY_HOLDS, KORS, "mu = n m^(-1 / gamma), and the norm of f and B are fixed"],
    symbols: &[("R_n, n", "regret after n rounds; number of rounds"), M, LAMBDA, GAMMA_SYMBOL],
    conference: None,
};

pub(crate) const COROLLARY_7_DICTIONARY: Claim = Claim {
    formula: "|I_n| = O(m) at mu = n m^(-1 / gamma), up to logarithms",
    form: FormulaOrigin::Printed,
    assumptions: &[CAPACITY_HOLDS, KORS],
    symbols: &[("I_n, n", "the dictionary after n rounds; number of rounds"), M, MU, GAMMA_SYMBOL],
    conference: None,
};

pub(crate) const COROLLARY_8: Claim = Claim {
    formula: "R_n = O(n^(gamma / (1 + gamma))) if m >= n^(2 gamma / (1 + gamma)), at lambda = n^(gamma / (1 + gamma)); else O(n m^(-1 / (2 gamma))), at lambda of the same order; both up to logarithms",
    form: FormulaOrigin::Printed,
    assumptions: &[
        "|y_t| <= B",
        CAPACITY_HOLDS,
        BEFOREHAND,
        KORS,
        "mu = n m^(-1 / gamma), and the norm of f and B are fixed",
    ],
    symbols: &[("R_n, n", "regret after n rounds; number of rounds"), M, LAMBDA, GAMMA_SYMBOL],
    conference: None,
};

pub(crate) const COROLLARY_8_DICTIONARY: Claim = Claim {
    formula: "|I_n| = O(m) at mu = n m^(-1 / gamma), up to logarithms",
    form: FormulaOrigin::Printed,
    assumptions: &[CAPACITY_HOLDS, BEFOREHAND, KORS],
    symbols: &[("I_n, n", "the dictionary; number of rounds"), M, MU, GAMMA_SYMBOL],
    conference: None,
};
