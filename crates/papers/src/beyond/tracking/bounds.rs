//! Bounds on the regret against moving functions: of discounted forecasters, of the tracking forecaster, and of the mixture
//! over memories.
//!
//! A path is a sequence u_0, ..., u_(n-1) of functions, D = sum |u_t - u_(t-1)| its length, S = sum |u_t - u_(t-1)|^2 its squared
//! length, U = max |u_t|. Targets are in [-B, B], and |phi_t| <= kappa. The bounds are derived for the algorithms as they are
//! implemented ([`noregret_core::learner::ridge::fixed_features`], [`noregret_core::learner::ridge::tracking_awv_taylor`],
//! [`noregret_core::learner::combine::discount_mixture`]); published statements differ in their constants.

use noregret_core::learner::ridge::discount::Discount;

/// What the bounds of this module need to know of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackingProblem {
    /// n.
    pub rounds: f64,
    /// r, the number of features.
    pub features: f64,
    /// lambda.
    pub lambda: f64,
    /// B.
    pub bound: f64,
    /// kappa.
    pub kappa: f64,
    /// U.
    pub norm: f64,
}

impl TrackingProblem {
    /// r log(1 + kappa^2 n / (r lambda)).
    fn log_det(&self) -> f64 {
        self.features * (self.kappa * self.kappa * self.rounds / (self.features * self.lambda)).ln_1p()
    }

    /// 2 kappa (B + kappa U), the price of a step of length 1 for each past round that counts.
    fn step(&self) -> f64 {
        2.0 * self.kappa * (self.bound + self.kappa * self.norm)
    }
}

/// The bound on the regret of a discounted forecaster against a path of length D, in constants:
/// lambda U^2 + lambda U^2 n / eta + B^2 r log(1 + kappa^2 n / (r lambda)) + B^2 r n log(1 / gamma) + 2 lambda U D
/// + 2 kappa (B + kappa U) eta D, the second term only if the weight of |u|^2 is refreshed.
///
/// Without a discount eta is infinite, and the bound too unless D = 0.
pub fn discounted_regret(problem: &TrackingProblem, discount: Discount, length: f64) -> f64 {
    let TrackingProblem { rounds, features, lambda, bound, norm, .. } = *problem;
    let gamma = discount.gamma;
    let memory = gamma / (1.0 - gamma);
    let refreshed = discount.period().map_or(0.0, |_| lambda * norm * norm * rounds / memory);
    let moved = if length == 0.0 { 0.0 } else { 2.0 * lambda * norm * length + problem.step() * memory * length };
    lambda * norm * norm + refreshed + bound * bound * (problem.log_det() - features * rounds * gamma.ln()) + moved
}

/// The bound on the regret of the tracking forecaster with a = 1 and q > 0 against a path of squared length S that starts in
/// u_0: lambda |u_0|^2 + S / q + B^2 (r log(1 + kappa^2 n / (r lambda)) + kappa n (r q)^(1/2)). For q = 0 it is infinite unless
/// S = 0.
pub fn tracking_regret(problem: &TrackingProblem, q: f64, squared_start: f64, squared_length: f64) -> f64 {
    let TrackingProblem { rounds, features, lambda, bound, kappa, .. } = *problem;
    let moved = if squared_length == 0.0 { 0.0 } else { squared_length / q };
    lambda * squared_start + moved + bound * bound * (problem.log_det() + kappa * rounds * (features * q).sqrt())
}

/// The q for which [`tracking_regret`] is least: (2 S / (B^2 kappa n r^(1/2)))^(2/3).
pub fn best_step(problem: &TrackingProblem, squared_length: f64) -> f64 {
    let TrackingProblem { rounds, features, bound, kappa, .. } = *problem;
    (2.0 * squared_length / (bound * bound * kappa * rounds * features.sqrt())).powf(2.0 / 3.0)
}

/// The bound on the regret of the mixture of `experts` memories against a path of length D, with `price` = 8 for the average
/// and 2 for the aggregating algorithm: lambda U^2 + B^2 r log(1 + kappa^2 n / (r lambda)) + 2 lambda U D
/// + 2.13 (2 kappa (B + kappa U) (B^2 r + lambda U^2) n D)^(1/2) + price B^2 log K.
pub fn mixture_regret(problem: &TrackingProblem, length: f64, price: f64, experts: f64) -> f64 {
    let TrackingProblem { rounds, features, lambda, bound, norm, .. } = *problem;
    let still = bound * bound * features + lambda * norm * norm;
    lambda * norm * norm
        + bound * bound * problem.log_det()
        + 2.0 * lambda * norm * length
        + 2.13 * (problem.step() * still * rounds * length).sqrt()
        + price * bound * bound * experts.ln()
}
