//! What Table 1 of the PKAWV paper predicts for a learner and a kernel: growth of regret and of what the learner keeps.

use crate::analysis::record::Run;
use crate::theory::pkawv::{Algorithm, optimal_exponent};

/// In which variable something grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The number of rounds n.
    Rounds,
    /// log n.
    LogRounds,
}

impl Base {
    /// Its value at n rounds.
    pub fn at(self, rounds: f64) -> f64 {
        match self {
            Base::Rounds => rounds,
            Base::LogRounds => rounds.ln(),
        }
    }
}

/// A power of n, or of log n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Of what.
    pub base: Base,
    /// To which power.
    pub exponent: f64,
}

/// What theory says of a run's learner on its stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Growth of the regret.
    pub regret: Growth,
    /// Growth of the points or features m that the learner keeps; a round takes O(m^2) operations.
    pub size: Growth,
}

/// The prediction for a run; none where the paper has none.
///
/// Periodic splines of smoothness s satisfy the capacity condition with gamma = 1/(2 s). There lambda is taken as
/// n^(gamma/(1+gamma)), and a dictionary as small as its bound allows for its best rate (Corollaries 7 and 8, equation
/// (9)). For the Gaussian kernel in d dimensions lambda is fixed: Theorem 4 for Taylor features, Theorem 6 with
/// mu = n^-2 for dictionaries.
pub fn prediction(run: &Run) -> Option<Prediction> {
    let power = |base, exponent| Growth { base, exponent };
    if let Some(smoothness) = run.parameters.get("kernel_smoothness") {
        let gamma = 1.0 / (2.0 * smoothness);
        let (regret, size) = match run.learner.as_str() {
            "kernel-awv" | "kernel-ridge" => (optimal_exponent(gamma), 1.0),
            name => {
                let algorithm = match name {
                    "pkawv-nystrom" if run.label.contains("beforehand") => Algorithm::Beforehand,
                    "pkawv-nystrom" => Algorithm::Pkawv,
                    "pros-n-kons" => Algorithm::ProsNKons,
                    _ => return None,
                };
                (algorithm.floor(gamma), algorithm.knee(gamma))
            }
        };
        return Some(Prediction { regret: power(Base::Rounds, regret), size: power(Base::Rounds, size) });
    }
    let dim = *run.parameters.get("stream_dim")?;
    let size = match run.learner.as_str() {
        "kernel-awv" | "kernel-ridge" => power(Base::Rounds, 1.0),
        "pkawv-taylor" => power(Base::LogRounds, dim),
        "pkawv-nystrom" => power(Base::LogRounds, dim + 2.0),
        _ => return None,
    };
    Some(Prediction { regret: power(Base::LogRounds, dim + 1.0), size })
}
