//! What the paper on infinite-layer networks claims, in full.

use crate::claim::{Claim, FormulaOrigin};

const FORMULA: &str = "E sum_t (l_t(f_t) - l_t(f)) <= R = (B^2 / eta + eta (T + V)) / (2 (1 - eta)) for all |f| <= B, with l_t(f) = (f(x_t) - y_t)^2 / 2 and eta = B / sqrt(T)";
const OBLIVIOUS: &str = "inputs and targets are any sequence that is fixed beforehand, |y_t| <= 1; expectations are over the draws of the algorithm";
const NEURONS: &str =
    "features |psi(x; w)| <= 1, so that k(x, x) <= 1; Algorithm 1 with -eta (E_t - y_t), m draws per round";
const EXACT_LOSS: &str = "losses are those of f_t itself, not of its estimate E_t";
const STEP: &str = "B >= 1 and eta < 1/8, that is T > 64 B^2";
const B: (&str, &str) = ("B", "bound on the norm of the competitors");
const V: (&str, &str) = (
    "V",
    "sum over the rounds of the variance of E_t, and what shrinking costs; 0 for exact kernel values, at most 2 T with the draws of the theorem",
);
const T: (&str, &str) = ("T", "number of rounds, which is known beforehand");
const ROUND: (&str, &str) =
    ("f_t, f, x_t, y_t, l_t, t", "function before round t, competitor, input, target, halved squared loss, a round");

pub(crate) const THEOREM_1: Claim = Claim {
    formula: FORMULA,
    form: FormulaOrigin::Corrected {
        printed: "O(B sqrt(T)) without constants; the sum over l_t(f_t) alone; eqs. (10) and (14) lose a factor 1/2; +eta in Algorithm 1",
        errata: &["iln-equation-10", "iln-lemma-3", "iln-algorithm-1"],
    },
    assumptions: &[
        OBLIVIOUS,
        NEURONS,
        "V <= 2 T holds for m = max{n^2, n^2 log(2 g) / (32 B^2)} with n = (16 B + 1) eta T and g = max(((n + B) / eta)^2, e); for other m the bound holds with the V of the run",
        EXACT_LOSS,
        STEP,
    ],
    symbols: &[
        ROUND,
        B,
        ("R", "the bound; traces hold squares, so the bound that is compared with them is 2 R"),
        ("eta", "step of gradient descent, the same in all rounds"),
        V,
        T,
    ],
    conference: None,
};

pub(crate) const THEOREM_1_DRAWS: Claim = Claim {
    formula: "T m = O(B^4 T^2 ln(B T)) features psi are evaluated",
    form: FormulaOrigin::Ours(
        "an order; m = max{n^2, n^2 log(2 g) / (32 B^2)} with n = (16 B + 1) eta T and g = max(((n + B) / eta)^2, e) is enough, 289 T at B = 1 and T = 1024 (5645 T as printed)",
    ),
    assumptions: &[NEURONS, STEP],
    symbols: &[("B", "bound on the norm of the competitors"), ("m", "draws per round"), T],
    conference: None,
};

pub(crate) const THEOREM_1_TEST: Claim = Claim {
    formula: "|E - f(x)| <= epsilon with probability at least 1 - delta, for the mean E of m draws; m = 2 |alpha|_1^2 log(2 / delta) / epsilon^2 is enough",
    form: FormulaOrigin::Ours(
        "m = O(B^4 T log(1 / delta) / epsilon^2) by Lemma 4, |alpha|_1 <= (16 B + 1) eta T with eta = B / sqrt(T); the printed event of section C.2 lacks the precision",
    ),
    assumptions: &[NEURONS, STEP],
    symbols: &[
        ("epsilon", "largest error of the estimate"),
        ("delta", "probability of a larger error"),
        ("alpha", "coefficients of f; |alpha|_1 is the sum of their sizes"),
        ("E, f, x, m", "estimate, function, input, draws"),
        B,
        T,
        ("eta", "step of gradient descent, the same in all rounds"),
    ],
    conference: None,
};

pub(crate) const COROLLARY_1: Claim = Claim {
    formula: "E L(f_S) - L(f) <= R / T for all |f| <= B, R the bound of Theorem 1: of order B / sqrt(T)",
    form: FormulaOrigin::Corrected {
        printed: "T = O(B / epsilon^2) rounds for an excess of epsilon, where O(B^2 / epsilon^2) is needed; f_S as an infinite sum",
        errata: &["iln-corollary-1"],
    },
    assumptions: &[
        "the rounds are independent draws from one law, |y| <= 1; expectations are over them and over the draws of the algorithm",
        NEURONS,
        STEP,
        "predictions of f_S are exact; an estimate of one within epsilon with probability 1 - delta takes 2 a^2 log(2 / delta) / epsilon^2 further draws, a the sum of its absolute coefficients (Theorem 1 (3))",
    ],
    symbols: &[
        ("L", "expected halved squared loss of a function on a new round"),
        ("f_S, f", "average of f_1, .., f_T; competitor"),
        B,
        ("R", "(B^2 / eta + eta (T + V)) / (2 (1 - eta)), eta = B / sqrt(T)"),
        V,
        T,
    ],
    conference: None,
};
