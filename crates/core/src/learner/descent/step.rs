//! Step sizes.

use crate::learner::api::Setting;
use crate::params::{Fallback, Kind, ParamError, Params, Range, Spec};
use crate::theory::noisy;

/// The parameter `eta` of online gradient descent with a constant step; the default is 1/sqrt(n).
pub(crate) const ETA: Spec = Spec {
    name: "eta",
    doc: "step size of gradient descent; 1/sqrt(n) for the horizon n",
    kind: Kind::Real { range: Range::POSITIVE, words: &["1/sqrt(n)"] },
    default: Fallback::Word("1/sqrt(n)"),
};

/// The parameter `eta` of projected gradient descent from noisy gradients; the default is the theorem's step.
pub(crate) const NOISY_ETA: Spec = Spec {
    name: "eta",
    doc: "step size of gradient descent; theory: radius / sqrt(G n) with the theorem's bound G on the mean squared gradient",
    kind: Kind::Real { range: Range::POSITIVE, words: &["theory", "1/sqrt(n)"] },
    default: Fallback::Word("theory"),
};

/// The factor on `eta`, because the theorems' steps are cautious.
pub(crate) const ETA_FACTOR: Spec =
    Spec::real("eta_factor", "factor on eta, for multiples of the theorem's step", Range::POSITIVE, 1.0);

/// The largest norm of a hypothesis.
pub(crate) const RADIUS: Spec =
    Spec::real("radius", "bound on the norm of the hypothesis (W; the norm, not its square)", Range::POSITIVE, 1.0);

/// A bound on the noisy inputs, for the theorem's step.
pub(crate) const INPUT_BOUND: Spec = Spec {
    name: "input_bound",
    doc: "bound on (E|x~|^2)^(1/2) of the noisy inputs (B), for eta = theory",
    kind: Kind::Real { range: Range::POSITIVE, words: &[] },
    default: Fallback::Real(1.0),
};

/// A bound on the noisy targets, for the theorem's step.
pub(crate) const TARGET_BOUND: Spec = Spec {
    name: "target_bound",
    doc: "bound on (E y~^2)^(1/2) of the noisy targets (B_y), for eta = theory",
    kind: Kind::Real { range: Range::NONNEGATIVE, words: &[] },
    default: Fallback::Real(1.0),
};

/// The value of [`ETA`].
///
/// # Errors
/// If the number of rounds is needed but not known.
pub(crate) fn eta(params: &Params, setting: &Setting) -> Result<f64, ParamError> {
    params.real_or_word(ETA.name).or_else(|word| Ok(setting.rounds(ETA.name, word)?.sqrt().recip()))
}

/// The value of [`NOISY_ETA`] times [`ETA_FACTOR`], where gradients g have E|g|^2 <= `moment` and [`RADIUS`] bounds the
/// hypothesis.
///
/// # Errors
/// If the number of rounds is needed but not known, or if the theorem's step is not a positive finite number.
pub(crate) fn noisy_eta(params: &Params, setting: &Setting, moment: impl FnOnce() -> f64) -> Result<f64, ParamError> {
    let eta = match params.real_or_word(NOISY_ETA.name) {
        Ok(eta) => eta,
        Err(word @ "theory") => noisy::step(params.real(RADIUS.name), moment(), setting.rounds(NOISY_ETA.name, word)?),
        Err(word) => setting.rounds(NOISY_ETA.name, word)?.sqrt().recip(),
    };
    let eta = eta * params.real(ETA_FACTOR.name);
    if eta > 0.0 && eta.is_finite() {
        Ok(eta)
    } else {
        let why =
            format!("the formula gives the step {eta}: the theorem is void for these bounds; give `eta` as a number");
        Err(ParamError::refused(NOISY_ETA.name, why))
    }
}
