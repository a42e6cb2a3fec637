//! How far the part of misses of intervals may be from the part that was asked for (`learner::interval_rule`), on every
//! sequence of scores, without any probability.
//!
//! Sources: I. Gibbs, E. Candes, NeurIPS 2021, for the first; the other two are derived here. The radius of tracking stays in
//! [-rate, largest score + rate], and its sum of steps is rate times the surplus of misses. The wealth of betting is at most
//! epsilon + (1 - alpha) N times the largest score after N misses, and at least
//! epsilon / (e sqrt(pi n)) exp(surplus^2 / (2 n)).

/// The bound on |misses / n - alpha| for adaptive conformal inference: its level never leaves [-rate, 1 + rate].
///
/// ```
/// use noregret_core::theory::intervals::aci_deviation;
///
/// // A short run is promised little: of 100 targets, 29 may be missed where 10 are asked for.
/// assert!((aci_deviation(0.1, 0.05, 100.0) - 0.19).abs() < 1e-12);
/// assert!((aci_deviation(0.1, 0.05, 10_000.0) - 0.0019).abs() < 1e-12);
/// ```
pub fn aci_deviation(alpha: f64, rate: f64, rounds: f64) -> f64 {
    (alpha.max(1.0 - alpha) + rate) / (rate * rounds)
}

/// The bound on |misses / n - alpha| for a radius that starts in [0, `reach`] and moves by gradient steps, for scores in
/// [0, `reach`].
pub fn tracking_deviation(reach: f64, rate: f64, rounds: f64) -> f64 {
    (reach + rate) / (rate * rounds)
}

/// The bound on |misses / n - alpha| for a radius by betting, for scores in [0, `reach`], after `misses` misses.
pub fn betting_deviation(alpha: f64, epsilon: f64, reach: f64, rounds: f64, misses: f64) -> f64 {
    let wealth = 1.0 + (1.0 - alpha) * reach * misses / epsilon;
    let logarithm = 1.0 + 0.5 * (std::f64::consts::PI * rounds).ln() + wealth.ln();
    (2.0 / rounds * logarithm).sqrt()
}
