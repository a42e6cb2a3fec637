//! Step sizes.

use crate::learner::api::Setting;
use crate::params::{Fallback, Kind, ParamError, Params, Range, Spec};

/// The parameter `eta` of online gradient descent with a constant step, 1/sqrt(n) unless given.
pub const ETA: Spec = Spec {
    name: "eta",
    doc: "step size of gradient descent; 1/sqrt(n) for the horizon n",
    kind: Kind::Real { range: Range::POSITIVE, words: &["1/sqrt(n)"] },
    default: Fallback::Word("1/sqrt(n)"),
};

/// The value of [`ETA`].
///
/// # Errors
/// Where the number of rounds is needed and not known.
pub fn eta(params: &Params, setting: &Setting) -> Result<f64, ParamError> {
    match (params.real_or_word(ETA.name), setting.horizon) {
        (Ok(eta), _) => Ok(eta),
        (Err(_), Some(rounds)) => Ok((rounds.max(1) as f64).sqrt().recip()),
        (Err(word), None) => {
            let why = format!("{word} needs the number of rounds, which is not known here; give `eta` as a number");
            Err(ParamError::refused(ETA.name, why))
        }
    }
}
