//! What is known of aggregated forecasts and of intervals, in full.

use crate::claim::{Claim, FormulaOrigin};

const ANY: &str = "forecasts and targets are any sequences in [-B, B], also adversarial ones; any forecasts may be absent in any round";
const FORMS: &str = "loss form r = l(p, y) - l(f, y), or gradient form r = l'(p, y) (p - f), of a convex loss l; r = 0 for an absent forecast";
const SCORES: &str = "scores |y - p| are any sequence in [0, 2 B], with p cut to [-B, B]";
const R: (&str, &str) = (
    "R_k, V_k",
    "sums of the regrets r of the rounds to forecast k, and of their squares; in gradient form R_k is at least the regret to k, and may be largest for a forecast that is not the best",
);
const E: (&str, &str) = (
    "E, B",
    "a bound on |r|, and one on forecasts and targets: E = 4 B^2 for squares, 8 B^2 for their gradients, 2 B G for losses with slopes of at most G",
);
const K: (&str, &str) = ("K, n", "numbers of forecasts and of rounds");
const MISSES: (&str, &str) = ("N, n", "numbers of misses and of rounds");
const ALPHA: (&str, &str) = ("alpha", "the part of targets that may lie outside of their intervals");

pub(crate) const EWA: Claim = Claim {
    formula: "R_k <= log(K) / eta + eta E^2 n / 8; without the second term for the square loss itself with eta <= 1 / (8 B^2)",
    form: FormulaOrigin::Ours(
        "Hoeffding's lemma and exp-concavity on the forecasts that are present; absent ones contribute w e^0",
    ),
    assumptions: &[ANY, FORMS],
    symbols: &[R, E, K, ("eta", "the rate")],
    conference: None,
};

pub(crate) const BOA: Claim = Claim {
    formula: "R_k <= (L + C) max(2 E, sqrt(V_k / L)) + 2.34 sqrt(L V_k)",
    form: FormulaOrigin::Ours(
        "exp(x - x^2) <= 1 + x for |x| <= 1/2, and z^{1/a} <= z + (a - 1) / e for ratios a of two rates",
    ),
    assumptions: &[ANY, FORMS],
    symbols: &[
        R,
        E,
        ("L", "log max(K, 2), K the number of forecasts"),
        ("C", "log(1 + 0.2 log(n / (4 L))), or 0 where n < 4 L; n the number of rounds"),
    ],
    conference: None,
};

pub(crate) const ML_POLY: Claim = Claim {
    formula: "R_k <= sqrt((E^2 + V_k) S) with S = sum_j (1 + log(1 + V_j / E^2)) <= K (1 + log(1 + n))",
    form: FormulaOrigin::Ours(
        "the sum of max(R_k, 0)^2 / (E^2 + V_k) grows by at most that of r^2 / (E^2 + V_k) in a round",
    ),
    assumptions: &[ANY, FORMS],
    symbols: &[R, E, K, ("S, V_j", "a sum over all forecasts, and their squared regrets")],
    conference: None,
};

pub(crate) const FIXED_SHARE: Claim = Claim {
    formula: "sum_t r <= (log(K) + m log(K / alpha) + (n - 1 - m) log(1 / (1 - alpha))) / eta + eta E^2 n / 8; without the last term for the square loss itself with eta <= 1 / (8 B^2)",
    form: FormulaOrigin::Ours("as for exponential weights, over all sequences with their prior weights"),
    assumptions: &[ANY, FORMS, "rounds in which the sequence's forecast is absent count 0"],
    symbols: &[
        ("r", "regret of a round to the forecast that the sequence follows there"),
        ("m", "changes of the sequence"),
        ("alpha", "the share that is spread over all forecasts"),
        E,
        K,
        ("eta", "the rate"),
    ],
    conference: None,
};

pub(crate) const ACI: Claim = Claim {
    formula: "|N / n - alpha| <= (max(alpha, 1 - alpha) + rate) / (rate n)",
    form: FormulaOrigin::Ours("the level never leaves [-rate, 1 + rate], and n steps of it are rate (alpha n - N)"),
    assumptions: &["scores are any sequence of numbers of at least 0"],
    symbols: &[MISSES, ALPHA],
    conference: None,
};

pub(crate) const TRACKING: Claim = Claim {
    formula: "|N / n - alpha| <= (2 B + rate) / (rate n)",
    form: FormulaOrigin::Ours("the radius never leaves [-rate, 2 B + rate], and n steps of it are rate (N - alpha n)"),
    assumptions: &[SCORES, "the first radius lies in [0, 2 B]"],
    symbols: &[MISSES, ALPHA, ("B", "bound on the targets")],
    conference: None,
};

pub(crate) const BETTING: Claim = Claim {
    formula: "|N / n - alpha| <= sqrt(2 / n log(e sqrt(pi n) (1 + (1 - alpha) 2 B N / epsilon)))",
    form: FormulaOrigin::Ours(
        "the wealth is at most epsilon + (1 - alpha) 2 B N, since a bet wins on misses only, and at least epsilon / (e sqrt(pi n)) exp((N - alpha n)^2 / (2 n))",
    ),
    assumptions: &[SCORES],
    symbols: &[
        MISSES,
        ALPHA,
        ("B", "bound on the targets"),
        ("epsilon", "initial wealth"),
        ("e", "the base of logarithms"),
    ],
    conference: None,
};
