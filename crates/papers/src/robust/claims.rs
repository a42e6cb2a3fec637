//! What the paper on robust losses claims, in full.

use crate::claim::{Claim, FormulaOrigin};

const F: (&str, &str) = ("f_T, g", "iterate after T rounds, started at 0; the regression function E(y | x)");
const NORMS: (&str, &str) =
    ("rho, K", "as an index: the norm of mean squares over the law of x, the norm of the kernel's space");
const R_SYMBOL: (&str, &str) = ("r", "regularity, g = L_K^r h for a square-integrable h");
const BETA: (&str, &str) = ("beta", "capacity, the trace of L_K^beta is finite");
const ETA: (&str, &str) = ("eta, eta_0", "step, the same in all rounds; its constant");
const SIGMA: (&str, &str) =
    ("sigma, p", "scale of the loss (sigma^2 / 2) W(u^2 / sigma^2); |W'(s) - W'(0)| <= c s^p for all s >= 0");
const T: (&str, &str) = ("T", "number of rounds, which is known beforehand");
const C: (&str, &str) = ("c", "a constant that depends on neither T nor sigma");
const SAMPLE: &str = "the rounds are independent draws from one law, with |y| <= M and kappa^2 = sup k(x, x) finite; expectations are over them";
const WINDOW: &str = "W'(0) > 0, W' >= 0, sup W' = C_W finite (printed: W > 0; the proof uses W' >= 0)";
const STEPS: &str = "eta_0 >= max(C_W kappa^2, (1/e + 2 kappa^2 W'(0))^2), eq. (8); for theta < 1/e the second term times 1/(e theta), eta = T^-theta / eta_0";
const LEAST_SQUARES: &str = "least squares; known results that section 3 quotes for comparison";

pub(crate) const THEOREM_1: Claim = Claim {
    formula: "E |f_T - g|_rho^2 <= c max(T^(-2r / (2r + 1)) ln T, T^((2p + 2) / (2r + 1)) sigma^(-4p)) with eta = T^(-2r / (2r + 1)) / eta_0: the first term from sigma >= T^((r + p + 1) / (2p (2r + 1))) on",
    form: FormulaOrigin::Corrected {
        printed: "eq. (8) without the factor max(1, 1/(e theta)), which small theta need; Proposition 4.3 with (eta T)^(p + 1/2), which needs eta T >= 1; the loss without the factor sigma^2 / 2",
        errata: &["robust-equation-8", "robust-proposition-4-3", "robust-loss"],
    },
    assumptions: &[SAMPLE, WINDOW, STEPS, "r > 0; theta = 2r / (2r + 1)"],
    symbols: &[F, NORMS, R_SYMBOL, ETA, SIGMA, C, T],
    conference: None,
};

pub(crate) const THEOREM_2: Claim = Claim {
    formula: "E |f_T - g|_K^2 <= c max(T^(-(2r - 1) / (2r + beta)), T^((2p + 3) / (2r + beta)) sigma^(-4p)) with eta = T^(-(2r + beta - 1) / (2r + beta)) / eta_0: the first term from sigma >= T^((r + p + 1) / (2p (2r + beta))) on",
    form: FormulaOrigin::Corrected {
        printed: "Lemma 5.1 without the factor eta^2 T, so that the proof covers 2r + beta >= 2 only; the statement is repaired for eta_0 or T large enough",
        errata: &["robust-lemma-5-1", "robust-equation-8"],
    },
    assumptions: &[SAMPLE, WINDOW, STEPS, "r > 1/2, 0 < beta <= 1; theta = (2r + beta - 1) / (2r + beta)"],
    symbols: &[F, NORMS, R_SYMBOL, BETA, ETA, SIGMA, C, T],
    conference: None,
};

pub(crate) const UNSATURATED: Claim = Claim {
    formula: "E |f_T - g|_rho^2 = O(T^(-2r / (2r + 1))) for every r > 0, up to logarithms, with eta of order T^(-2r / (2r + 1))",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, WINDOW, STEPS, "sigma as large as in Theorem 1"],
    symbols: &[F, NORMS, R_SYMBOL, ("eta", "step, the same in all rounds"), T],
    conference: None,
};

pub(crate) const SATURATION_DECREASING: Claim = Claim {
    formula: "E |f_T - g|_rho^2 = O(T^(-2s / (2s + 1))) with s = min(r, 1 - beta / 2), eta_t of order t^(-2s / (2s + 1))",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "r > 1/2, 0 < beta <= 1; steps decrease with the round"],
    symbols: &[F, NORMS, ("s", "regularity that still counts"), R_SYMBOL, BETA, ("eta_t", "step of round t"), T],
    conference: None,
};

pub(crate) const SATURATION_DECREASING_RKHS: Claim = Claim {
    formula: "E |f_T - g|_K^2 = O(T^(-s / (1 + s + beta)) (ln T)^2) with s = min(2r - 1, 1 - beta)",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "r > 1/2, 0 < beta <= 1; steps decrease with the round"],
    symbols: &[F, NORMS, ("s", "excess regularity that still counts"), R_SYMBOL, BETA, T],
    conference: None,
};

pub(crate) const SATURATION_AVERAGED: Claim = Claim {
    formula: "E |f_S - g|_rho^2 = O(T^(-2s / (2s + beta))) with s = min(r, 1), eta of order T^((1 - 2s - beta) / (2s + beta))",
    form: FormulaOrigin::Printed,
    assumptions: &[
        SAMPLE,
        LEAST_SQUARES,
        "r > (1 - beta) / 2, 0 < beta < 1; eigenvalue k of L_K lies between two multiples of k^(-1/beta)",
    ],
    symbols: &[
        ("f_S, g", "average of the iterates of T rounds; the regression function"),
        NORMS,
        ("s", "regularity that still counts"),
        R_SYMBOL,
        BETA,
        ("eta", "step, the same in all rounds"),
        T,
    ],
    conference: None,
};

const ILLEGIBLE: &str =
    "exponents that are illegible in the text at hand are those that agree where the ranges of (15) to (18) meet";
const F_S: (&str, &str) = ("f_S, g", "average of the iterates of T rounds; the regression function");
const ETA_T: (&str, &str) = ("eta_t", "step of round t");

pub(crate) const KNOWN_CONSTANT: Claim = Claim {
    formula: "E |f_T - g|_rho^2 = O(T^(-2r / (2r + 1)) ln T) with eta = r T^(-2r / (2r + 1)) / (64 (1 + kappa)^4 (2r + 1))",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "r > 0"],
    symbols: &[F, NORMS, R_SYMBOL, ("eta", "step, the same in all rounds"), ("kappa", "sup k(x, x)^(1/2)"), T],
    conference: None,
};

pub(crate) const KNOWN_CONSTANT_RKHS: Claim = Claim {
    formula: "E |f_T - g|_K^2 = O(T^(-(2r - 1) / (2r + 1))) with eta = r T^(-2r / (2r + 1)) / (64 (1 + kappa)^4 (2r + 1))",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "r > 1/2"],
    symbols: &[F, NORMS, R_SYMBOL, ("eta", "step, the same in all rounds"), ("kappa", "sup k(x, x)^(1/2)"), T],
    conference: None,
};

pub(crate) const KNOWN_DECREASING: Claim = Claim {
    formula: "E |f_T - g|_rho^2 = O(T^(-2s / (2s + 1)) ln T) with s = min(r, 1/2), eta_t of order t^(-2s / (2s + 1))",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "r > 0; steps decrease with the round, and their factor is small enough"],
    symbols: &[F, NORMS, ("s", "regularity that still counts"), R_SYMBOL, ETA_T, T],
    conference: None,
};

pub(crate) const KNOWN_AVERAGED_DECREASING: Claim = Claim {
    formula: "E |f_S - g|_rho^2 = O(T^(-2s / (2s + beta))) with s = min(r, 1 - beta / 2), eta_t of order t^((1 - 2s - beta) / (2s + beta))",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "r > (1 - beta) / 2, 0 < beta < 1; eigenvalues as for (18)", ILLEGIBLE],
    symbols: &[F_S, NORMS, ("s", "regularity that still counts"), R_SYMBOL, BETA, ETA_T, T],
    conference: None,
};

pub(crate) const KNOWN_AVERAGED_CONSTANT: Claim = Claim {
    formula: "E |f_S - g|_rho^2 = O(T^(-2r)) with steps that depend on neither the round nor T",
    form: FormulaOrigin::Printed,
    assumptions: &[SAMPLE, LEAST_SQUARES, "0 < r < (1 - beta) / 2, 0 < beta < 1; eigenvalues as for (18)", ILLEGIBLE],
    symbols: &[F_S, NORMS, R_SYMBOL, BETA, T],
    conference: None,
};
