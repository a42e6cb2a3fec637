//! The regret of AIOLI, online logistic regression over features (section by section as in `learner::aioli`).
//!
//! Source: R. Jezequel, P. Gaillard, A. Rudi, Efficient improper learning for online logistic regression, COLT 2020; with
//! constants that were derived for the update as implemented.

/// The bound on sum log(1 + exp(-y z)) minus that of any theta with |theta' phi_t| <= C in all rounds, whatever the inputs
/// and labels: lambda |theta|^2 + (1 + C) log det(I + sum c_t phi_t phi_t' / (2 lambda)), where c_t is the weight of round t.
pub fn aioli_regret(lambda: f64, squared_norm: f64, bound: f64, log_det: f64) -> f64 {
    lambda * squared_norm + (1.0 + bound) * log_det
}

/// What that determinant cannot exceed with r features and |phi|^2 <= kappa^2, since c_t <= 1 / (4 (1 + C)):
/// r log(1 + kappa^2 n / (8 r lambda (1 + C))).
pub fn aioli_log_det(rounds: f64, features: f64, lambda: f64, bound: f64, kappa2: f64) -> f64 {
    features * (kappa2 * rounds / (8.0 * features * lambda * (1.0 + bound))).ln_1p()
}
