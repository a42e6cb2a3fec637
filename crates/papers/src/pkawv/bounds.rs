//! Regret bounds of projected kernel forecasters, and what they say about small dictionaries.
//!
//! Setting: the forecaster of Azoury, Warmuth and Vovk over a kernel's space (Kernel-AWV) or over subspaces of it
//! (PKAWV), with regularisation lambda > 0, n rounds, targets in [-B, B], k(x, x) <= kappa^2, K the Gram matrix of the
//! inputs. Bounds hold for every sequence of rounds and every f, R_n(f) = sum (p_t - y_t)^2 - sum (f(x_t) - y_t)^2.
//!
//! Source: R. Jezequel, P. Gaillard, A. Rudi, Efficient online learning with kernels for adversarial large scale
//! problems, NeurIPS 2019. Numbers of theorems and equations are the source's.

/// The regret of Kernel-AWV: R_n(f) <= lambda |f|^2 + B^2 log det(I + K / lambda). Proposition 1.
///
/// ```
/// use noregret_core::comparator::{effective_dimension::Spectrum, penalised::over_kernel};
/// use noregret_core::kernel::gaussian::Gaussian;
/// use noregret_core::learner::ridge::exact::{KernelAwv, KernelAwvParams};
/// use noregret_core::{laws::learner::play, prelude::*};
/// use noregret_papers::pkawv::bounds::kernel_awv_regret;
/// use std::sync::Arc;
///
/// // |y| <= 1, 50 rounds: the regret of a run never exceeds the bound.
/// let points = Matrix::from_data(50, 1, (0..50).map(|t| f64::from(t * 17 % 50) / 50.0).collect()).unwrap();
/// let targets: Vec<f64> = points.data().iter().map(|x| (9.0 * x).sin()).collect();
/// let (setting, kernel) = (Setting::new(1), Arc::new(Gaussian::new(0.2)));
/// let mut awv = KernelAwv::new(KernelAwvParams { lambda: 1.0, kernel: kernel.clone() }, &setting)?;
/// let said = play(&mut awv, points.view(), &targets, &setting.draws, 50).unwrap();
/// let loss: f64 = said.iter().zip(&targets).map(|(p, y)| (p - y) * (p - y)).sum();
/// let best = over_kernel(&*kernel, points.view(), &targets, 1.0, &[50]).unwrap()[0];
/// let log_det = Spectrum::of(&*kernel, points.view()).unwrap().log_det(1.0);
/// assert!(loss - best.loss <= kernel_awv_regret(1.0, best.squared_norm, 1.0, log_det));
/// # Ok::<(), ParamError>(())
/// ```
pub fn kernel_awv_regret(lambda: f64, squared_norm: f64, bound: f64, log_det: f64) -> f64 {
    lambda * squared_norm + bound * bound * log_det
}

/// log det(I + K / lambda) <= log(e + e n kappa^2 / lambda) d_eff(lambda), where d_eff(lambda) = Tr K (K + lambda I)^-1.
/// Proposition 2.
pub fn log_det(rounds: f64, lambda: f64, kappa2: f64, effective_dimension: f64) -> f64 {
    (1.0 + (rounds * kappa2 / lambda).ln_1p()) * effective_dimension
}

/// What regression in a fixed subspace adds to the bound of [`kernel_awv_regret`]: B^2 (mu + lambda) n mu / lambda^2.
/// Here mu = |(I - P) C_n^(1/2)|^2 is the largest eigenvalue of K minus the Gram matrix of the projected inputs.
/// Theorem 3.
pub fn fixed_subspace_cost(rounds: f64, lambda: f64, bound: f64, mu: f64) -> f64 {
    bound * bound * (mu + lambda) * rounds * mu / (lambda * lambda)
}

/// The order M = ceil(max(8 R^2 / b^2, 2 log(n / min(lambda, 1)))), at least 1, of the Taylor features of the Gaussian
/// kernel of bandwidth b on inputs |x| <= R, with which [`taylor_regret`] holds. Theorem 4.
pub fn taylor_order(rounds: f64, lambda: f64, radius: f64, bandwidth: f64) -> f64 {
    let approximation = 8.0 * (radius / bandwidth) * (radius / bandwidth);
    approximation.max(2.0 * (rounds / lambda.min(1.0)).ln()).ceil().max(1.0)
}

/// The regret of PKAWV over Taylor features of order [`taylor_order`]: lambda |f|^2 + (3/2) B^2 log det(I + K / lambda).
/// Theorem 4.
pub(crate) fn taylor_regret(lambda: f64, squared_norm: f64, bound: f64, log_det: f64) -> f64 {
    kernel_awv_regret(lambda, squared_norm, bound, 1.5 * log_det)
}

/// beta = 12 log(n / delta), for which the guarantees of KORS hold with probability 1 - delta. Proposition 5.
pub fn kors_beta(rounds: f64, delta: f64) -> f64 {
    12.0 * (rounds / delta).ln()
}

/// The size of the dictionary of KORS: at most 3 rho beta d_onl(mu) with rho = (1 + epsilon) / (1 - epsilon), where
/// d_onl(mu) = sum_t h_t / (1 + h_t) <= log det(I + K / mu) is the sum of the online leverage scores. Proposition 5,
/// in the form of its source (D. Calandriello, A. Lazaric, M. Valko, ICML 2017): it holds with probability 1 - delta for
/// beta = [`kors_beta`]. For any other beta it is three times the expected size, if the scores are as accurate as there.
///
/// The proposition itself states 9 d_eff(mu) log(2 n / delta)^2. A constant was lost: with beta = 12 log(n / delta) and
/// epsilon = 1/2 the bound is 108 log(n / delta) d_onl(mu).
pub fn dictionary_size(beta: f64, epsilon: f64, online_dimension: f64) -> f64 {
    3.0 * (1.0 + epsilon) / (1.0 - epsilon) * beta * online_dimension
}

/// The regret of PKAWV with the sequential dictionary of KORS, which has m points at the end, for mu <= lambda and with
/// the probability of Proposition 5: lambda |f|^2 + B^2 log det(I + K / lambda) + 2 B^2 (m + 1) n mu / lambda. Theorem
/// 6 (which bounds the determinant by [`log_det`]).
pub fn sequential_dictionary_regret(
    rounds: f64,
    lambda: f64,
    mu: f64,
    squared_norm: f64,
    bound: f64,
    log_det: f64,
    points: f64,
) -> f64 {
    let approximation = 2.0 * bound * bound * (points + 1.0) * rounds * mu / lambda;
    kernel_awv_regret(lambda, squared_norm, bound, log_det) + approximation
}

/// The exponent of n in the optimal regret under d_eff(lambda) <= (n / lambda)^gamma: gamma / (1 + gamma), reached at
/// lambda = n^(gamma / (1 + gamma)). Here and below 0 < gamma < 1.
pub fn optimal_exponent(gamma: f64) -> f64 {
    gamma / (1.0 + gamma)
}

/// An algorithm of Figure 1. With a dictionary of m = n^a points and the best lambda, its regret is n to the power
/// [`exponent`](Algorithm::exponent), up to logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// PKAWV with the sequential dictionary of KORS: lambda + d_eff(lambda) + n m mu / lambda. Corollary 7.
    Pkawv,
    /// PKAWV with the dictionary of all inputs, known beforehand: lambda + d_eff(lambda) + n mu / lambda. Corollary 8.
    Beforehand,
    /// Sketched-KONS: lambda + n d_eff(lambda) / m. Equation (9).
    SketchedKons,
    /// Pros-N-KONS: m (lambda + d_eff(lambda)) + n mu / lambda. Equation (9).
    ProsNKons,
}

impl Algorithm {
    /// All of them, in the order of the figure's legend.
    pub const ALL: [Algorithm; 4] =
        [Algorithm::SketchedKons, Algorithm::ProsNKons, Algorithm::Pkawv, Algorithm::Beforehand];

    /// The exponent of n in the regret with a dictionary of n^`size` points, 0 <= `size` <= 1.
    ///
    /// For Pros-N-KONS the paper draws a floor of 4 gamma / (1 + gamma)^2, which is the exponent of m^2 where its line
    /// ends. Minimising the paper's equation (9) gives gamma (3 + gamma) / (1 + gamma)^2.
    pub fn exponent(self, gamma: f64, size: f64) -> f64 {
        let slope = match self {
            Algorithm::Pkawv | Algorithm::ProsNKons => (1.0 - gamma) / (2.0 * gamma),
            Algorithm::Beforehand => 1.0 / (2.0 * gamma),
            Algorithm::SketchedKons => 1.0 / (1.0 + gamma),
        };
        self.floor(gamma).max(1.0 - slope * size)
    }

    /// The least exponent that any dictionary reaches.
    pub fn floor(self, gamma: f64) -> f64 {
        match self {
            Algorithm::ProsNKons => gamma * (3.0 + gamma) / ((1.0 + gamma) * (1.0 + gamma)),
            _ => optimal_exponent(gamma),
        }
    }

    /// The exponent of the size of the smallest dictionary that reaches the floor. If it exceeds 1, there is no such
    /// dictionary; for PKAWV this is so if gamma > sqrt(2) - 1.
    pub fn knee(self, gamma: f64) -> f64 {
        match self {
            Algorithm::Pkawv => 2.0 * gamma / (1.0 - gamma * gamma),
            Algorithm::Beforehand => 2.0 * gamma / (1.0 + gamma),
            Algorithm::SketchedKons => 1.0,
            Algorithm::ProsNKons => 2.0 * gamma / ((1.0 + gamma) * (1.0 + gamma)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 B^2 (m + 1) T mu / lambda above the regret of the exact algorithm: 2 3^2 5 100 0.5 / 2.
    #[test]
    fn a_dictionary_costs_what_it_leaves_out() {
        let above =
            sequential_dictionary_regret(100.0, 2.0, 0.5, 0.0, 3.0, 1.0, 4.0) - kernel_awv_regret(2.0, 0.0, 3.0, 1.0);
        assert!((above - 2250.0).abs() < 1e-9);
    }

    /// The bounds in m, mu and lambda that the exponents come from, as exponents of n, minimised over
    /// lambda = n^l on a fine grid; mu = n m^(-1/gamma).
    fn minimised(algorithm: Algorithm, gamma: f64, a: f64) -> f64 {
        let bound = |l: f64| {
            let effective = gamma * (1.0 - l);
            let mu = 1.0 - a / gamma;
            match algorithm {
                Algorithm::Pkawv => l.max(effective).max(1.0 + a + mu - l),
                Algorithm::Beforehand => l.max(effective).max(1.0 + mu - l),
                Algorithm::SketchedKons => l.max(1.0 - a + effective),
                Algorithm::ProsNKons => (a + l.max(effective)).max(1.0 + mu - l),
            }
        };
        (0..=20_000).map(|i| bound(f64::from(i) * 1e-4 - 0.5)).fold(f64::INFINITY, f64::min)
    }

    /// A smaller dictionary than allowed may always be used, so the exponent is the least over b <= a.
    #[test]
    fn exponents_are_the_minima_of_the_bounds() {
        for gamma in [0.1, 0.2, 2f64.sqrt() - 1.0, 0.6, 0.9] {
            for algorithm in Algorithm::ALL {
                let mut least = f64::INFINITY;
                for step in 0..=50 {
                    let a = f64::from(step) / 50.0;
                    least = least.min(minimised(algorithm, gamma, a));
                    let found = algorithm.exponent(gamma, a);
                    // Sizes come in steps of 0.02, and the steepest line falls by 0.1 in one.
                    assert!(
                        found <= least + 2e-4 && least <= found + 0.11,
                        "{algorithm:?} {gamma} {a}: {found} {least}"
                    );
                    if a > 0.0 && found > algorithm.floor(gamma) {
                        assert!((found - least).abs() < 2e-4, "{algorithm:?} {gamma} {a}: {found} {least}");
                    }
                }
            }
        }
    }

    #[test]
    fn knees_are_where_the_lines_meet_the_floors() {
        for gamma in [0.1, 0.2, 2f64.sqrt() - 1.0, 0.6] {
            for algorithm in Algorithm::ALL {
                let knee = algorithm.knee(gamma);
                assert!((algorithm.exponent(gamma, knee) - algorithm.floor(gamma)).abs() < 1e-14, "{algorithm:?}");
                assert!(algorithm.exponent(gamma, 0.99 * knee) > algorithm.floor(gamma) + 1e-6, "{algorithm:?}");
            }
        }
        // PKAWV reaches the optimal rate with fewer than n points only below gamma = sqrt(2) - 1, where its line is
        // that of Sketched-KONS.
        let limit = 2f64.sqrt() - 1.0;
        assert!((Algorithm::Pkawv.knee(limit) - 1.0).abs() < 1e-14);
        for step in 0..=10 {
            let a = f64::from(step) / 10.0;
            let [pkawv, sketched] = [Algorithm::Pkawv, Algorithm::SketchedKons].map(|one| one.exponent(limit, a));
            assert!((pkawv - sketched).abs() < 1e-14);
        }
    }

    #[test]
    fn with_the_beta_of_the_theory_the_constant_is_108() {
        let (n, delta) = (1e4, 0.05);
        let size = dictionary_size(kors_beta(n, delta), 0.5, 10.0);
        assert!((size - 108.0 * (n / delta).ln() * 10.0).abs() < 1e-9);
    }
}
