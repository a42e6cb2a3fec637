//! Step sizes.

use crate::learner::api::Setting;
use crate::params::typed::{OrWord, shared};
use crate::params::{Fallback, Kind, ParamError, Range};
use crate::theory::noisy;

shared! {
    /// step size of gradient descent; 1/sqrt(n) for the horizon n
    ETA = "eta": Kind::Real { range: Range::POSITIVE, words: &["1/sqrt(n)"] } => Fallback::Word("1/sqrt(n)");
    /// step size of gradient descent; theory: radius / sqrt(G n) with the theorem's bound G on the mean squared gradient
    NOISY_ETA = "eta": Kind::Real { range: Range::POSITIVE, words: &["theory", "1/sqrt(n)"] } => Fallback::Word("theory");
    /// factor on eta, for multiples of the theorem's step
    ETA_FACTOR = "eta_factor": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// bound on the norm of the hypothesis (W; the norm, not its square)
    RADIUS = "radius": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// bound on (E|x~|^2)^(1/2) of the noisy inputs (B), for eta = theory
    INPUT_BOUND = "input_bound": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// bound on (E y~^2)^(1/2) of the noisy targets (B_y), for eta = theory
    TARGET_BOUND = "target_bound": Kind::real(Range::NONNEGATIVE) => Fallback::Real(1.0);
}

/// The value of [`ETA`].
///
/// # Errors
/// If the number of rounds is needed but not known.
pub(crate) fn eta(eta: &OrWord<f64>, setting: &Setting) -> Result<f64, ParamError> {
    eta.number().or_else(|word| Ok(setting.rounds(ETA.name, word)?.sqrt().recip()))
}

/// The value of [`NOISY_ETA`] times that of [`ETA_FACTOR`], where gradients g have E|g|^2 <= `moment` and [`RADIUS`] bounds
/// the hypothesis.
///
/// # Errors
/// If the number of rounds is needed but not known, or if the theorem's step is not a positive finite number.
pub(crate) fn noisy_eta(
    eta: &OrWord<f64>,
    factor: f64,
    radius: f64,
    setting: &Setting,
    moment: impl FnOnce() -> f64,
) -> Result<f64, ParamError> {
    let eta = match eta.number() {
        Ok(eta) => eta,
        Err(word @ "theory") => noisy::step(radius, moment(), setting.rounds(NOISY_ETA.name, word)?),
        Err(word) => setting.rounds(NOISY_ETA.name, word)?.sqrt().recip(),
    };
    let eta = eta * factor;
    if eta > 0.0 && eta.is_finite() {
        Ok(eta)
    } else {
        let why =
            format!("the formula gives the step {eta}: the theorem is void for these bounds; give `eta` as a number");
        Err(ParamError::refused(NOISY_ETA.name, why))
    }
}
