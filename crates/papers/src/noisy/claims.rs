//! What the paper on noisy data claims, in full.

use crate::claim::{Claim, FormulaOrigin};

const T: (&str, &str) = ("T, t", "number of rounds, which is known beforehand; a round");
const W: (&str, &str) = ("W", "bound on the norm of the competitors and of the hypotheses, which are projected");
const ETA: (&str, &str) = ("eta", "step of projected gradient descent, the same in all rounds");
const LINEAR: (&str, &str) = ("w_t, w, x_t, y_t", "hypothesis before round t, competitor, clean input and target");
const FUNCTIONS: (&str, &str) = ("f_t, f, x_t, y_t", "hypothesis before round t, competitor, clean input and target");
const B_Y: (&str, &str) = ("B_y", "bound on (E y~_t^2)^(1/2), y~_t the noisy target");
const OBLIVIOUS: &str =
    "the clean rounds (x_t, y_t) are any sequence that is fixed beforehand; expectations are over the noise";
const UNBIASED: &str = "given the past, the noise on every copy of x_t and on y~_t has mean zero and bounded variance, and the copies and y~_t are independent; the law is otherwise unknown and may change with every round";
const GAUSSIAN: &str = "given the past, the noise on every copy of x_t is N(0, Sigma), with the same known Sigma in all rounds; y~_t has noise of mean zero; the two copies and y~_t are independent";
const QUERIED: &str = "each query returns an independent copy of x_t with noise of mean zero and E |x~|^2 <= B; its law is otherwise unknown and may change with every copy";
const DEGREES: &str =
    "Algorithm 4 with single terms; degrees N with P(N = n) = (p - 1) / p^(n + 1), drawn independently";
const ANALYTIC: &str = "convex loss l(y f) with y = -1 or +1 known without noise, or l(f - y); its derivative is sum_n gamma_n a^n, and l'_+ converges where it is evaluated";
const LATER: &str = "not in the conference version (COLT 2010), which has Algorithm 4 only";

pub(crate) const THEOREM_1: Claim = Claim {
    formula: "E sum_t (<w_t, x_t> - y_t)^2 - min_w sum_t (<w, x_t> - y_t)^2 <= W sqrt(G T) over |w| <= W, with G = 4 B^2 (W B + B_y)^2 and eta = W / sqrt(G T)",
    form: FormulaOrigin::Corrected {
        printed: "G = 4 (W^2 B^2 + B_y^2) B^2, without the cross term",
        errata: &["noisy-lemma-2"],
    },
    assumptions: &[
        OBLIVIOUS,
        UNBIASED,
        "E |x~_t|^2 <= B^2 and E y~_t^2 <= B_y^2 in every round",
        "Algorithm 1: two copies of x_t and one of y_t per round, squared loss",
    ],
    symbols: &[
        LINEAR,
        W,
        ("B", "bound on (E |x~_t|^2)^(1/2), x~_t a noisy copy of x_t"),
        B_Y,
        ("G", "bound on the mean squared norm of the gradient estimates"),
        ETA,
        T,
    ],
    conference: Some(
        "not in the conference version (COLT 2010), of which only footnote 2 mentions two copies for the squared loss",
    ),
};

pub(crate) const THEOREM_2: Claim = Claim {
    formula: "E sum_t (<w_t, x_t> - y_t)^2 - min_w sum_t (<w, x_t> - y_t)^2 <= (G + 1) W sqrt(T) / 2 over |w| <= W, with G = 4 r^2 + 8 W B_S r, r = B (W B + B_y) and eta = W / sqrt(T)",
    form: FormulaOrigin::Corrected {
        printed: "G = 8 W^2 B^4 + 8 B_y^2 B^2 + 4 W^2 B^2 B_S + B_S^2 W^2, for the gradient estimate with Sigma_t w_t in place of 2 Sigma_t w_t; E |x~_t|^2 <= B",
        errata: &["noisy-lemma-3"],
    },
    assumptions: &[
        OBLIVIOUS,
        "given the past, the noise on x_t has mean zero and a known covariance Sigma_t, which may change with every round; the noise on y_t has mean zero, and the two are independent",
        "E |x~_t|^4 <= B^4, E y~_t^2 <= B_y^2 and |Sigma_t| <= B_S in every round (a bound on the fourth moment of y~_t is not needed)",
        "Algorithm 2 with 2 Sigma_t w_t: one copy of x_t and of y_t per round, squared loss",
    ],
    symbols: &[
        LINEAR,
        W,
        ("B", "bound on (E |x~_t|^4)^(1/4), x~_t the noisy copy of x_t"),
        B_Y,
        ("B_S", "bound on the spectral norm of Sigma_t"),
        ("G, r", "bound on the mean squared norm of the gradient estimates, and its part"),
        ETA,
        T,
    ],
    conference: Some(LATER),
};

pub(crate) const THEOREM_2_REMARK: Claim = Claim {
    formula: "E sum_t (<w_t, x_t> - y_t)^2 - min_w sum_t (<w, x_t> - y_t)^2 <= W sqrt(G T) over |w| <= W, with G = 4 r^2 + 8 W B_S r, r = B (W B + B_y) and eta = W / sqrt(G T)",
    form: FormulaOrigin::Corrected { printed: "the G of Theorem 2", errata: &["noisy-lemma-3"] },
    assumptions: &["those of Theorem 2", "G is known before the first round"],
    symbols: &[
        LINEAR,
        W,
        ("B", "bound on (E |x~_t|^4)^(1/4), x~_t the noisy copy of x_t"),
        B_Y,
        ("B_S", "bound on the spectral norm of Sigma_t"),
        ("G, r", "bound on the mean squared norm of the gradient estimates, and its part"),
        ETA,
        T,
    ],
    conference: Some(LATER),
};

pub(crate) const THEOREM_3: Claim = Claim {
    formula: "E sum_t (f_t(x_t) - y_t)^2 - min_f sum_t (f(x_t) - y_t)^2 <= W sqrt(V T) over f = sum_i a_i k(z_i, .) with sum_ij a_i a_j k^(z_i, z_j) <= W^2, where V = 4 D (W sqrt(D) + B_y)^2, D = k^(x, x) = det(I - Sigma / b^2)^(-1/2) and eta = W / sqrt(V T)",
    form: FormulaOrigin::Corrected {
        printed: "W^2 D + B_y^2 in place of (W sqrt(D) + B_y)^2, b^2 >= |Sigma| in place of >, and W >= sqrt(5 D) U / sin(beta), which is valid but 1.58 to 2.24 times the tight U sqrt(D / (1 - cos(beta)))",
        errata: &["noisy-theorem-3", "noisy-lemma-7"],
    },
    assumptions: &[
        OBLIVIOUS,
        GAUSSIAN,
        "every eigenvalue of Sigma is below b^2, and E y~_t^2 <= B_y^2",
        "Algorithm 3: Gaussian kernel, squared loss; training with k^ on two copies of x_t, predictions with k at clean points",
    ],
    symbols: &[
        FUNCTIONS,
        (
            "W",
            "bound on the norm of f in the space of the surrogate kernel k^, not of k. All f with |f| <= U in the space of k have it for W = U sqrt(D / (1 - cos(beta))), where beta <= pi/2 is at most the angle between the part of f with positive coefficients and minus the part with negative ones (pi/2 if there is only one part)",
        ),
        ("k, k^, x", "the kernel, its surrogate, any point"),
        ("b, I, Sigma", "bandwidth of the kernel, the unit matrix, covariance of the noise"),
        ("D", "k^(x, x), the squared norm of every copy in the space of k^"),
        ("V", "bound on the mean squared norm of the gradient estimates"),
        B_Y,
        ("a_i, a_j, z_i, z_j", "coefficients and centres of f"),
        ETA,
        T,
    ],
    conference: Some(LATER),
};

pub(crate) const THEOREM_5: Claim = Claim {
    formula: "E sum_t (f_t(x_t) - y_t)^2 - min_f sum_t (f(x_t) - y_t)^2 <= W sqrt(V T) over f = sum_i a_i k(z_i, .) with sum_ij a_i a_j k^(z_i, z_j) <= W^2, where V = 4 D (W sqrt(D) + B_y)^2, D = k^(x, x) = int_0^c prod_i (1 - 2 v_i u)^(-1/2) mu(u) du and eta = W / sqrt(V T)",
    form: FormulaOrigin::Corrected {
        printed: "for k = g (1 - exp(-c / g)), g = 1 / (1 + |x - z|^2 / d) and Sigma = sigma^2 I only, with sigma for sigma^2, the bound exp(2 sigma c) for D, W >= sqrt(5) U exp(sigma c) / sin(beta), without the cross term, and \"the kernel (7)\" where the surrogate (8) is meant",
        errata: &["noisy-equation-8", "noisy-theorem-3"],
    },
    assumptions: &[
        OBLIVIOUS,
        GAUSSIAN,
        "k is a mixture of Gaussian kernels, int_0^c exp(-u |x - z|^2) mu(u) du, all wider than the noise: 2 v_i c < 1; and E y~_t^2 <= B_y^2",
        "Algorithm 3 with k and its surrogate k^, squared loss; training with k^ on two copies of x_t, predictions with k at clean points",
    ],
    symbols: &[
        FUNCTIONS,
        (
            "W",
            "bound on the norm of f in the space of the surrogate kernel k^, not of k. All f with |f| <= U in the space of k have it for W = U sqrt(ratio / (1 - cos(beta))), where ratio = k^(x, x) / k(x, x) and beta is as in Theorem 3",
        ),
        ("k, k^, x", "the kernel, its surrogate, any point"),
        ("c, mu, u", "largest rate of the components (the cutoff), density of the mixture, a rate"),
        ("v_i", "eigenvalues of Sigma"),
        ("D", "k^(x, x), the squared norm of every copy in the space of k^"),
        ("V", "bound on the mean squared norm of the gradient estimates"),
        B_Y,
        ("a_i, a_j, z_i, z_j", "coefficients and centres of f"),
        ETA,
        T,
    ],
    conference: Some(LATER),
};

pub(crate) const THEOREM_6: Claim = Claim {
    formula: "E sum_t l(y_t f_t(x_t)) - min_f sum_t l(y_t f(x_t)) <= S sqrt(u T) over |f| <= W, with u = W^2 (p / (p - 1))^2 Q(p B), S = l'_+(sqrt((p - 1) u)) and step eta = W^2 / (S sqrt(u T))",
    form: FormulaOrigin::Corrected {
        printed: "B_w for W^2 in u and in the step, as here, but the minimum over |w| <= B_w; the projection by sqrt(B_w) / n~ for sqrt(B_w / n~); Subroutine 1 without the label y_t; u without the target for losses of the residual",
        errata: &["noisy-theorem-10", "noisy-algorithm-4", "noisy-lemma-4", "noisy-residual-losses"],
    },
    assumptions: &[
        OBLIVIOUS,
        QUERIED,
        DEGREES,
        ANALYTIC,
        "kernel Q(<x, z>) with Q(a) = sum_n beta_n a^n, beta_n >= 0, that converges at p B",
    ],
    symbols: &[
        FUNCTIONS,
        ("l", "the loss; l'_+(a) = sum_n |gamma_n| a^n for its derivative sum_n gamma_n a^n"),
        W,
        ("p", "base of the law of the degrees, p > 1"),
        ("Q, B", "Q(p B), for the kernel Q(<x, z>) and a bound B on E |x~|^2 (here not a root)"),
        (
            "S",
            "l'_+ at sqrt((p - 1) u); for losses of the residual at sqrt((p - 1) u) + sqrt(p) B_y, B_y a bound on (E y~_t^2)^(1/2)",
        ),
        ("u", "p / (p - 1) times W^2 and a bound on the mean squared norm of the estimates of Psi(x_t)"),
        ETA,
        T,
    ],
    conference: Some(
        "Theorem 1 of the conference version (COLT 2010), for its Algorithm 1; the text of it at hand lacks the formulas, so constants were not compared",
    ),
};

pub(crate) const THEOREM_7: Claim = Claim {
    formula: "E sum_t l(y_t f_t(x_t)) - min_f sum_t l(y_t f(x_t)) <= S sqrt(u T) over |f| <= W, with u = W^2 (p / (p - 1))^3 exp(2 (sqrt(p) + p) B / s^2), s^2 = 2 b^2, S = l'_+(sqrt((p - 1) u)) and step eta = W^2 / (S sqrt(u T))",
    form: FormulaOrigin::Corrected {
        printed: "u = B_w (p / (p - 1))^3 exp((sqrt(p) B + 2 p sqrt(B)) / s^2); features (2 / s^2)^n / n! for their square root; otherwise as for Theorem 6",
        errata: &["noisy-lemma-14", "noisy-equation-25", "noisy-theorem-10"],
    },
    assumptions: &[OBLIVIOUS, QUERIED, DEGREES, ANALYTIC, "Gaussian kernel exp(-|x - z|^2 / s^2)"],
    symbols: &[
        FUNCTIONS,
        ("l", "the loss; l'_+(a) = sum_n |gamma_n| a^n for its derivative sum_n gamma_n a^n"),
        W,
        ("p", "base of the law of the degrees, p > 1"),
        ("b, s", "of the kernel; s^2 = 2 b^2 is the width of the paper"),
        ("B", "bound on E |x~|^2 (here not a root)"),
        (
            "S",
            "l'_+ at sqrt((p - 1) u); for losses of the residual at sqrt((p - 1) u) + sqrt(p) B_y, B_y a bound on (E y~_t^2)^(1/2)",
        ),
        ("u", "p / (p - 1) times W^2 and a bound on the mean squared norm of the estimates of Psi(x_t)"),
        ETA,
        T,
    ],
    conference: Some(
        "Theorem 2 of the conference version (COLT 2010); the text of it at hand lacks the formulas, so constants were not compared",
    ),
};

const ONE_COPY: (&str, &str) = (
    "excess",
    "the least over w of the larger of E l(<w, z>) - min_v E l(<v, z>) and l(<w, E z>) - min_v l(<v, E z>), v and w in the class; above 0 by the assumptions",
);
const ANY_LEARNER: &str =
    "any learner with hypotheses in the class that sees one noisy copy of x_t and y_t = 1 in each round, and no more";

pub(crate) const THEOREM_8: Claim = Claim {
    formula: "limsup max_w sum_t (l(<w_t, x_t>) - l(<w, x_t>)) / T > 0 with probability 1 in one of two worlds; in expectation, the larger of the two regrets is at least excess T",
    form: FormulaOrigin::Corrected {
        printed: "any compact convex class, and no convexity of the loss; D uniform on {x, -x} for {3 x, -x} in the proof; no constant: excess is ours, by the proof's convexity",
        errata: &["noisy-theorem-8-convexity", "noisy-theorem-8"],
    },
    assumptions: &[
        ANY_LEARNER,
        "l = l(., 1) is convex, bounded below and differentiable at 0 with l'(0) < 0",
        "the class contains a large enough ball: for the squared loss one of radius above 1/5",
        "the worlds: x_t = 3 x or -x at random without noise, and x_t = x with noise of -2 x or 2 x, |x| = 1",
    ],
    symbols: &[LINEAR, ("l, x", "the loss for the target 1; a unit vector"), ONE_COPY, T],
    conference: Some("Theorem 3 of the conference version (COLT 2010), which leaves kernels open, too"),
};

pub(crate) const THEOREM_9: Claim = Claim {
    formula: "limsup max_w sum_t (l(<w_t, x_t>) - l(<w, x_t>)) / T > 0 with probability 1 in one of two worlds; in expectation, the larger of the two regrets is at least excess T",
    form: FormulaOrigin::Corrected { printed: "no constant: excess is ours, by the proof's convexity", errata: &[] },
    assumptions: &[
        ANY_LEARNER,
        "the class is compact and convex, and l = l(., 1) is convex (the proof needs it)",
        "z has a law on a compact set such that no w of the class minimises both E l(<w, z>) and l(<w, E z>)",
        "the worlds: x_t independent copies of z without noise, and x_t = E z with noise z - E z",
    ],
    symbols: &[LINEAR, ("l, z", "the loss for the target 1; a random input"), ONE_COPY, T],
    conference: Some("Theorem 5 of the conference version (COLT 2010)"),
};

pub(crate) const THEOREM_10: Claim = Claim {
    formula: "E sum_t l(y_t f_t(x_t)) - min_f sum_t l(y_t f(x_t)) <= W sqrt(B_g M T) over |f| <= W, with step eta = W / sqrt(B_g M T)",
    form: FormulaOrigin::Corrected {
        printed: "eta = B_w / sqrt(B_g M), divided by sqrt(T) in the algorithm, and B_w sqrt(B_g M T) over |w| <= B_w, where Algorithm 4 projects to |w|^2 <= B_w = W^2; estimates that are independent of the past",
        errata: &["noisy-theorem-10", "noisy-theorem-10-condition"],
    },
    assumptions: &[
        OBLIVIOUS,
        "given the past, the estimates g_t of l' at y_t f_t(x_t), times y_t, and Psi~_t of the features of x_t are unbiased and independent of each other (not of the past)",
        "given the past, E |Psi~_t|^2 <= M and E g_t^2 <= B_g",
        "the loss is convex; inner products of estimates are computed exactly",
    ],
    symbols: &[
        FUNCTIONS,
        ("l, Psi~_t, g_t", "the loss; the estimates of the features and of the derivative"),
        W,
        (
            "B_g, M",
            "bounds on the second moments; computed for Algorithm 4 from p, the kernel and the loss (Lemmas 1, 12, 14)",
        ),
        ETA,
        T,
    ],
    conference: Some(
        "Theorem 4 of the conference version (COLT 2010); the text of it at hand lacks the formulas, so constants were not compared",
    ),
};

pub(crate) const QUERIES_DOT_PRODUCT: Claim = Claim {
    formula: "E N_t = p / (p - 1)^2",
    form: FormulaOrigin::Printed,
    assumptions: &[
        DEGREES,
        "one map for the update, and as many independent ones as the drawn degree of the loss; every copy counts, also of degrees that the kernel or the loss lacks",
        "the copies of x_t alone; one or more copies of y_t come on top",
    ],
    symbols: &[("N_t", "number of copies of x_t that round t takes"), ("p", "base of the law of the degrees, p > 1")],
    conference: Some("Theorem 1 of the conference version (COLT 2010)"),
};

pub(crate) const QUERIES_GAUSSIAN: Claim = Claim {
    formula: "E N_t = 3 p / (p - 1)^2",
    form: FormulaOrigin::Printed,
    assumptions: &[
        DEGREES,
        "as with dot-product kernels; a map takes 2 N1 + N2 copies, N1 and N2 independent degrees",
        "the copies of x_t alone; one or more copies of y_t come on top",
    ],
    symbols: &[("N_t", "number of copies of x_t that round t takes"), ("p", "base of the law of the degrees, p > 1")],
    conference: Some("Theorem 2 of the conference version (COLT 2010)"),
};
