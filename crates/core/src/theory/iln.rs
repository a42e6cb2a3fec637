//! Infinite-layer networks: the regret bound of Theorem 1 with its constants, numbers of draws, and sizes of samples.
//!
//! Source: A. Globerson, R. Livni, Learning infinite-layer networks: beyond the kernel trick, 2016 (its numbering).
//! Losses are halved squares, l_t(f) = (f(x_t) - y_t)^2 / 2, with |y_t| <= 1 and |psi| <= 1. Traces hold the regret of
//! (f(x_t) - y_t)^2, which is twice the regret that is bounded here. `rounds` is T, `bound` is B, `eta` the step.

/// eta = B / sqrt(T), the step of Theorem 1. The proof requires eta < 1/8, that is T > 64 B^2.
pub fn theorem1_eta(rounds: f64, bound: f64) -> f64 {
    bound / rounds.sqrt()
}

/// Theorem 1 with the constants that its proof gives once corrected, for T rounds, norms up to B and a step eta < 1:
///
/// ```text
/// E R <= (B^2 / eta + eta (T + V)) / (2 (1 - eta)),   V = sum_t Var(E_t) + (1 / eta^2) sum_t (B + B_T)^2 P_t
/// ```
///
/// `excess` is V. It is 0 for exact kernel values, sum_t Var(E_t) in a run without shrinks, and at most 2 T for numbers
/// of draws as in [`theorem1_draws`] (T for the variances and T for the shrinks). At eta = B / sqrt(T) the bound is
/// about B sqrt(T) for V = 0 and 2 B sqrt(T) for V = 2 T. It is infinite for eta >= 1.
///
/// Derivation: summing |f_{t+1} - f*|^2 <= |f_t - f*|^2 - 2 eta (l_t(f_t) - l_t(f*)) + eta^2 (2 l_t(f_t) + Var(E_t)),
/// in expectation, gives R <= B^2 / (2 eta) + eta sum_t l_t(f_t) + eta V / 2 (the printed eqs. (10) and (14) lose the
/// factor 1/2). And sum_t l_t(f_t) = R + sum_t l_t(f*) <= R + T / 2, because the zero function has at most this loss.
pub fn theorem1_regret(rounds: f64, bound: f64, eta: f64, excess: f64) -> f64 {
    if eta >= 1.0 {
        return f64::INFINITY;
    }
    (bound * bound / eta + eta * (rounds + excess)) / (2.0 * (1.0 - eta))
}

/// |alpha^(t)|_1 <= (16 B + 1) eta (t - 1) before round t >= 1 (Lemma 4, where the sharp t - 1 is printed as t).
pub fn lemma4_l1(round: f64, bound: f64, eta: f64) -> f64 {
    (16.0 * bound + 1.0) * eta * (round - 1.0)
}

/// gamma = max(((16 B + 1) eta T + B)^2 / eta^2, e) of section C.2.
pub fn gamma(rounds: f64, bound: f64, eta: f64) -> f64 {
    let norm = (16.0 * bound + 1.0) * eta * rounds + bound;
    (norm * norm / (eta * eta)).max(std::f64::consts::E)
}

/// The number of draws that the proof requires at a given |alpha|_1, so that the variance |alpha|_1^2 / m is at most 1
/// and the probability of |E - f(x)| >= 8 B, which is at most 2 exp(-32 B^2 m / |alpha|_1^2) by Hoeffding's inequality,
/// is at most 1 / gamma:
///
/// ```text
/// m = |alpha|_1^2 max{1, log(2 gamma) / (32 B^2)}
/// ```
///
/// Both conditions hold given the past of the round, in which alpha is known, so that a learner may use its own norm
/// where the paper uses a bound. (The printed Hoeffding inequality, Lemma 3, lacks the factor 2 and a 2 in the
/// exponent.)
pub(crate) fn theorem1_draws_at(l1: f64, bound: f64, gamma: f64) -> f64 {
    l1 * l1 * ((2.0 * gamma).ln() / (32.0 * bound * bound)).max(1.0)
}

/// The number of draws per round, fixed beforehand, that eqs. (26) and (27) need: [`theorem1_draws_at`] the bound
/// |alpha|_1 <= (16 B + 1) eta T of Lemma 4, that is max{((16 B + 1) eta T)^2, C (eta T)^2 log(2 gamma)} with
/// C = (16 B + 1)^2 / (32 B^2).
pub fn theorem1_draws(rounds: f64, bound: f64, eta: f64) -> f64 {
    theorem1_draws_at((16.0 * bound + 1.0) * eta * rounds, bound, gamma(rounds, bound, eta))
}

/// The number of draws after which an estimate of <f, Phi(x)> is within `precision` of it with probability at least 1 -
/// `failure`: the least integer m >= 2 |alpha|_1^2 log(2 / failure) / precision^2 (Hoeffding; end of section C.2, where
/// the printed event lacks the precision).
pub fn estimate_draws(l1: f64, precision: f64, failure: f64) -> f64 {
    (2.0 * l1 * l1 * (2.0 / failure).ln() / (precision * precision)).ceil()
}

/// Corollary 1: after T rounds of independent examples, the expected loss of the averaged function exceeds that of the
/// best function of norm at most B by at most [`theorem1_regret`] / T. At eta = B / sqrt(T) and with exact kernel
/// values it is at most epsilon after (B / epsilon + B)^2 rounds, of order B^2 / epsilon^2 where O(B / epsilon^2) is
/// printed.
pub fn corollary1_excess(rounds: f64, bound: f64, eta: f64, excess: f64) -> f64 {
    theorem1_regret(rounds, bound, eta, excess) / rounds
}

/// The regret of gradient descent at any eta, exact or sampled, on inputs that are orthogonal in feature space with
/// k(x, x) = kappa^2 and targets -1, +1: kappa B sqrt(T) - kappa^2 B^2 / 2. Every prediction is 0, and the best
/// function of the ball has f(x_t) = kappa B y_t / sqrt(T). Valid for kappa B <= sqrt(T).
pub fn orthogonal_regret(rounds: f64, bound: f64, kappa: f64) -> f64 {
    kappa * bound * rounds.sqrt() - 0.5 * (kappa * bound).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_about_b_sqrt_t_and_holds_on_orthogonal_inputs() {
        for (rounds, bound) in [(1024.0, 1.0), (4096.0, 1.0), (65_536.0, 4.0)] {
            let eta = theorem1_eta(rounds, bound);
            let value = theorem1_regret(rounds, bound, eta, 0.0);
            assert!((value * (1.0 - eta) / (bound * rounds.sqrt()) - 1.0).abs() < 1e-14);
            assert!(orthogonal_regret(rounds, bound, 1.0) < value);
        }
        assert_eq!(theorem1_regret(1.0, 1.0, 1.0, 0.0), f64::INFINITY);
    }

    /// Within 0.1 with probability 95 % after 1,024 rounds with B = 1: 2.2e8 draws by Lemma 4's |alpha|_1 <= 544, as an
    /// independent program has it; an eighth of the norm needs a 64th of them.
    #[test]
    fn draws_at_test_time() {
        let l1 = lemma4_l1(1025.0, 1.0, theorem1_eta(1024.0, 1.0));
        assert_eq!(l1, 544.0);
        let draws = estimate_draws(l1, 0.1, 0.05);
        assert!(
            (draws / 2.183e8 - 1.0).abs() < 1e-3 && (estimate_draws(l1 / 8.0, 0.1, 0.05) * 64.0 - draws).abs() < 65.0
        );
    }

    /// The table of orthogonal regrets for kappa^2 = 1/2, B = 1, as simulated by an independent program.
    #[test]
    fn orthogonal_regrets() {
        for (rounds, regret) in [(128.0, 7.75), (256.0, 11.06), (512.0, 15.75), (1024.0, 22.38), (2048.0, 31.75)] {
            assert!((orthogonal_regret(rounds, 1.0, 0.5f64.sqrt()) - regret).abs() < 0.005);
        }
    }
}
