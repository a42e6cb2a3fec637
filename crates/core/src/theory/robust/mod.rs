//! Online kernel regression with robust losses: lemmas, steps, scales and rates of the robust paper, in corrected form.
//!
//! Symbols: kappa^2 = sup K(x, x); w = W'(0+), C = sup W', and p, c_p of the growth condition
//! |W'(s) - w| <= c_p s^p; |y| <= M; the target is f_rho = L_K^r g with g in L2 (r > 0), and Tr(L_K^beta) is finite
//! (0 < beta <= 1). The algorithm runs T rounds with the constant step eta and the scale sigma.

pub mod bias;
pub mod exact;

use std::f64::consts::E;

/// The norm in which an error is measured. Each norm has its theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// |f - f_rho|_rho^2 in L2 of the inputs' law: theorem 1, for r > 0 and any beta.
    L2,
    /// |f - f_rho|_K^2 in the kernel's space: theorem 2, for r > 1/2.
    Rkhs,
}

/// The regularity of the target, r, and the capacity of the kernel, beta.
///
/// ```
/// use noregret_core::theory::robust::{Norm, Regularity};
///
/// let smooth = Regularity { target: 0.75, capacity: 0.5 };
/// assert!(smooth.is_covered(Norm::Rkhs));
/// assert!((smooth.rate(Norm::L2) - 0.6).abs() < 1e-12); // 2 r / (2 r + 1)
/// assert!((smooth.rate(Norm::Rkhs) - 0.25).abs() < 1e-12); // (2 r - 1) / (2 r + beta)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regularity {
    /// r of f_rho = L_K^r g.
    pub target: f64,
    /// beta of Tr(L_K^beta) < infinity; theorem 1 does not use it.
    pub capacity: f64,
}

impl Regularity {
    /// 2r + 1 of theorem 1, 2r + beta of theorem 2.
    fn denominator(self, norm: Norm) -> f64 {
        match norm {
            Norm::L2 => 2.0 * self.target + 1.0,
            Norm::Rkhs => 2.0 * self.target + self.capacity,
        }
    }

    /// Whether the theorem of `norm` covers it: r > 0 and 0 < beta <= 1; theorem 2 needs r > 1/2.
    pub fn is_covered(self, norm: Norm) -> bool {
        let least = if norm == Norm::L2 { 0.0 } else { 0.5 };
        self.target > least && self.capacity > 0.0 && self.capacity <= 1.0
    }

    /// theta of the step eta = T^-theta / eta_0: 2r / (2r + 1) (theorem 1), (2r + beta - 1) / (2r + beta) (theorem 2).
    pub fn step_exponent(self, norm: Norm) -> f64 {
        1.0 - 1.0 / self.denominator(norm)
    }

    /// The error falls like T^-rate when the scale is large: 2r / (2r + 1) (theorem 1, which has a factor log T
    /// besides), (2r - 1) / (2r + beta) (theorem 2).
    pub fn rate(self, norm: Norm) -> f64 {
        match norm {
            Norm::L2 => 2.0 * self.target / self.denominator(norm),
            Norm::Rkhs => (2.0 * self.target - 1.0) / self.denominator(norm),
        }
    }

    /// The least exponent a such that a scale of T^a keeps the rate: (r + p + 1) / (2 p (2r + 1)), or with 2r + beta.
    /// Theorems 1 and 2, and batch gradient descent.
    pub fn scale_exponent(self, norm: Norm, order: f64) -> f64 {
        (self.target + order + 1.0) / (2.0 * order * self.denominator(norm))
    }

    /// The second term of the theorems is T^a sigma^b: (a, b) with a = (2p + 2) / (2r + 1) (theorem 1) or
    /// (2p + 3) / (2r + beta) (theorem 2), b = -4p.
    pub fn bias_exponents(self, norm: Norm, order: f64) -> (f64, f64) {
        let power = if norm == Norm::L2 { 2.0 * order + 2.0 } else { 2.0 * order + 3.0 };
        (power / self.denominator(norm), -4.0 * order)
    }

    /// The number of iterations after which batch gradient descent stops, for steps eta l^-decay with decay < 1:
    /// ceil(factor T^(1 / ((2r + beta)(1 - decay)))) + 1.
    pub(crate) fn early_stopping(self, factor: f64, rounds: f64, decay: f64) -> f64 {
        (factor * rounds.powf(1.0 / (self.denominator(Norm::Rkhs) * (1.0 - decay)))).ceil() + 1.0
    }
}

/// The least eta_0 of the paper's (8): max(C kappa^2, (1/e + 2 kappa^2 w)^2).
pub fn printed_eta_0(kappa2: f64, slope: f64, largest_slope: f64) -> f64 {
    (largest_slope * kappa2).max((1.0 / E + 2.0 * kappa2 * slope).powi(2))
}

/// The least eta_0 for which (8) implies the condition (28) that the proofs use, eta (1/e + 2 kappa^2 w)^2 log T <= 1
/// for all T. Since sup_T T^-theta log T = 1 / (e theta) exceeds 1 for theta < 1/e, the square is then multiplied by
/// this factor, which the paper leaves out.
pub fn eta_0(kappa2: f64, slope: f64, largest_slope: f64, theta: f64) -> f64 {
    let square = (1.0 / E + 2.0 * kappa2 * slope).powi(2);
    (largest_slope * kappa2).max(square * (1.0 / (E * theta)).max(1.0))
}

/// Lemma 4.1: |L_K^a (I - eta w L_K)^s| <= (a / (e w))^a (eta s)^-a for a, s > 0 and eta <= 1 / (kappa^2 w).
pub(crate) fn operator_norm(power: f64, slope: f64, eta: f64, steps: f64) -> f64 {
    (power / (E * slope * eta * steps)).powf(power)
}

/// What the bounds on the linearised error depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobustProblem {
    /// kappa^2 = sup K(x, x).
    pub kappa2: f64,
    /// M, a bound on |y|.
    pub target_bound: f64,
    /// w = W'(0+).
    pub slope: f64,
    /// C = sup W'.
    pub largest_slope: f64,
    /// p.
    pub order: f64,
    /// c_p.
    pub remainder: f64,
}

impl RobustProblem {
    /// C_1 of proposition 4.4: the linearisation contributes at most C_1 (eta T)^(2p+2) sigma^-4p to the squared L2 error
    /// (eta T >= 1), C_1 = 2 kappa^2 c_p^2 (M + kappa M sqrt C)^(4p+2) (kappa + sqrt(2 / (e w)))^2.
    pub(crate) fn c_1(&self) -> f64 {
        let kappa = self.kappa2.sqrt();
        let size = self.target_bound * (1.0 + kappa * self.largest_slope.sqrt());
        let sum = kappa + (2.0 / (E * self.slope)).sqrt();
        2.0 * self.kappa2 * self.remainder.powi(2) * size.powf(4.0 * self.order + 2.0) * sum.powi(2)
    }

    /// C_1 max(1, eta T)^(2p+2) sigma^-4p.
    pub(crate) fn bias(&self, eta: f64, rounds: f64, scale: f64) -> f64 {
        let growth = (eta * rounds).max(1.0).powf(2.0 * self.order + 2.0);
        self.c_1() * growth * scale.powf(-4.0 * self.order)
    }

    /// Proposition 4.5: sup_t E (f_(t+1)(x) - y)^2 <= 2 E(f_rho) + 4 |f_rho|_rho^2 + 2 bias, for `noise` = E(f_rho) the
    /// variance of y given x and `target_norm2` = |f_rho|_rho^2, when eta (1/e + 2 kappa^2 w)^2 log T <= 1.
    pub(crate) fn risk(&self, noise: f64, target_norm2: f64, eta: f64, rounds: f64, scale: f64) -> f64 {
        2.0 * noise + 4.0 * target_norm2 + 2.0 * self.bias(eta, rounds, scale)
    }

    /// Theorem 1 with its constants: E |f_(T+1) - f_rho|_rho^2 is at most
    /// 2 (r / (e w eta T))^2r |g|^2 + bias + 2 (eta kappa w)^2 risk (kappa^2 + (1 + log T) / (2 e w eta)),
    /// `source_norm2` = |g|^2; assumptions as for [`RobustProblem::risk`].
    pub fn theorem_1(&self, target: TargetRegularity, eta: f64, rounds: f64, scale: f64) -> f64 {
        let bias = self.bias(eta, rounds, scale);
        let start = 2.0 * operator_norm(target.regularity, self.slope, eta, rounds).powi(2) * target.source_norm2;
        let risk = self.risk(target.noise, target.norm2, eta, rounds, scale);
        let sum = self.kappa2 + (1.0 + rounds.ln()) / (2.0 * E * self.slope * eta);
        start + bias + 2.0 * (eta * self.slope).powi(2) * self.kappa2 * risk * sum
    }
}

/// What theorem 1 needs to know about the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRegularity {
    /// r of f_rho = L_K^r g.
    pub regularity: f64,
    /// |g|^2 in L2.
    pub source_norm2: f64,
    /// |f_rho|^2 in L2.
    pub norm2: f64,
    /// E(f_rho), the variance of y given x.
    pub noise: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over eigenvalues in [0, kappa^2], the supremum of x^a (1 - eta w x)^s stays below the bound and comes close to
    /// it.
    #[test]
    fn operator_norms_are_bounded_sharply() {
        for (power, steps) in [(0.5, 3.0), (0.5, 2000.0), (1.0, 50.0), (2.0, 8000.0)] {
            let (slope, eta) = (0.5, 0.3);
            let grid = (0..200_000).map(|i| f64::from(i) / 200_000.0 / (eta * slope));
            let largest = grid.map(|x| x.powf(power) * (1.0 - eta * slope * x).powf(steps)).fold(0.0, f64::max);
            let bound = operator_norm(power, slope, eta, steps);
            assert!(largest <= bound * (1.0 + 1e-12), "{power} {steps}: {largest} {bound}");
            assert!(steps / power < 1000.0 || largest > 0.999 * bound, "{power} {steps}: {largest} {bound}");
        }
    }

    /// For p = 1: (eta T)^4 sigma^-4, and no less than sigma^-4.
    #[test]
    fn the_bias_grows_with_rounds_and_falls_with_the_scale() {
        let problem = RobustProblem {
            kappa2: 1.0,
            target_bound: 1.0,
            slope: 1.0,
            largest_slope: 1.0,
            order: 1.0,
            remainder: 1.0,
        };
        let relative = |eta, scale| problem.bias(eta, 100.0, scale) / problem.c_1();
        assert!((relative(0.1, 2.0) / 625.0 - 1.0).abs() < 1e-14);
        assert!((relative(1e-3, 2.0) * 16.0 - 1.0).abs() < 1e-14);
    }

    /// The corrected eta_0 implies eta (1/e + 2 kappa^2 w)^2 log T <= 1 for every T, the printed one does not.
    #[test]
    fn steps_satisfy_the_condition_of_the_proof() {
        let violates = |eta_0: f64, theta: f64| {
            (1..200).any(|i| {
                let rounds = 1.2f64.powi(i);
                let eta = rounds.powf(-theta) / eta_0;
                eta * (1.0 / E + 2.0 * 4.29).powi(2) * rounds.ln() > 1.0 + 1e-12
            })
        };
        for theta in [0.05, 0.1, 0.3, 0.5, 0.8] {
            assert!(!violates(eta_0(4.29, 1.0, 1.0, theta), theta), "{theta}");
            assert_eq!(violates(printed_eta_0(4.29, 1.0, 1.0), theta), theta < 1.0 / E, "{theta}");
        }
    }

    /// At the threshold of the scale both terms of the theorems fall at the same rate, and so does theorem 1 with its
    /// constants.
    #[test]
    fn terms_balance_at_the_threshold() {
        for (regularity, order) in
            [(Regularity { target: 0.75, capacity: 0.5 }, 1.0), (Regularity { target: 1.25, capacity: 0.25 }, 0.5)]
        {
            for norm in [Norm::L2, Norm::Rkhs] {
                let (rounds, scale) = regularity.bias_exponents(norm, order);
                let bias = rounds + scale * regularity.scale_exponent(norm, order);
                let rate = regularity.rate(norm);
                assert!((bias + rate).abs() < 1e-12, "{bias} {rate}");
            }
        }
        let problem = RobustProblem {
            kappa2: 4.0,
            target_bound: 1.0,
            slope: 0.5,
            largest_slope: 0.5,
            order: 1.0,
            remainder: 0.25,
        };
        let target = TargetRegularity { regularity: 0.75, source_norm2: 1.0, norm2: 0.5, noise: 0.1 };
        let at = |rounds: f64| {
            let regularity = Regularity { target: 0.75, capacity: 1.0 };
            let eta = rounds.powf(-regularity.step_exponent(Norm::L2)) / eta_0(4.0, 0.5, 0.5, 0.6);
            let scale = rounds.powf(regularity.scale_exponent(Norm::L2, 1.0));
            problem.theorem_1(target, eta, rounds, scale)
        };
        let exponent = (at(1e12) / at(1e10)).ln() / 100f64.ln();
        // -0.6, and the factor log T of one term, which alone would add log(12/10) / log(100).
        assert!(exponent > -0.6 && exponent < -0.6 + 0.0396, "{exponent}");
    }
}
