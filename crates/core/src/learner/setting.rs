//! What a learner is built for.

use crate::params::ParamError;
use noregret_numeric::draw::Draws;

/// The setting that a learner is built for.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Number of input columns.
    pub dim: usize,
    /// The horizon n, if it is known; parameters given by a formula in n need it.
    pub horizon: Option<u64>,
    /// The learner's own random draws.
    pub draws: Draws,
}

impl Setting {
    /// Inputs of `dim` columns, an unknown horizon, and draws that are the same each time.
    pub fn new(dim: usize) -> Self {
        Self { dim, horizon: None, draws: Draws::named(&[]) }
    }

    /// The horizon as a number, for the parameter `name` whose value is the formula `word`.
    ///
    /// # Errors
    /// If the horizon is not known.
    pub(crate) fn rounds(&self, name: &str, word: &str) -> Result<f64, ParamError> {
        self.horizon.map(|rounds| rounds.max(1) as f64).ok_or_else(|| {
            let why = format!("{word} needs the number of rounds, which is not known here; give `{name}` as a number");
            ParamError::refused(name, why)
        })
    }
}
