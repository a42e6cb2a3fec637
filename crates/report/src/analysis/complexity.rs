//! What Table 1 of the PKAWV paper predicts for a learner and a kernel: growth of regret and of what the learner keeps.

use crate::analysis::record::RunResult;
use crate::trace::gauge::{FEATURES, Gauge, STORED_POINTS};
use noregret_papers::pkawv::bounds::{Algorithm, optimal_exponent};

/// In which variable something grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The number of rounds n.
    Rounds,
    /// log n.
    LogRounds,
}

impl Base {
    /// Its value at n rounds.
    pub(crate) fn at(self, rounds: f64) -> f64 {
        match self {
            Base::Rounds => rounds,
            Base::LogRounds => rounds.ln(),
        }
    }
}

/// A power of n, or of log n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PredictedGrowth {
    /// What is raised to the power.
    pub(crate) base: Base,
    /// The power.
    pub exponent: f64,
}

/// What theory says of a run's learner on its stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prediction {
    /// Growth of the regret.
    pub(crate) regret: PredictedGrowth,
    /// Growth of the points or features m that the learner keeps; a round takes O(m^2) operations.
    pub(crate) size: PredictedGrowth,
    /// The gauge that is m.
    pub(crate) counted: Gauge,
}

/// The prediction for a run; none where the paper has none.
///
/// Periodic splines of smoothness s satisfy the capacity condition with gamma = 1/(2 s). There lambda is taken as
/// n^(gamma/(1+gamma)), and a dictionary as small as its bound allows for its best rate (Corollaries 7 and 8, equation
/// (9)). For the Gaussian kernel in d dimensions lambda is fixed: Theorem 4 for Taylor features, Theorem 6 with
/// mu = n^-2 for dictionaries, Table 1 for Pros-N-KONS. Sketched-KONS keeps a fixed share 1/c of the rounds in its
/// matrix, and its regret is c times the optimal one, for the Gaussian kernel with one more logarithm.
pub(crate) fn prediction(run: &RunResult) -> Option<Prediction> {
    let power = |base, exponent| PredictedGrowth { base, exponent };
    // A learner that keeps points pays for those, but Sketched-KONS for the rounds in its matrix.
    let counted = match run.learner.as_str() {
        "pkawv-taylor" | "sketched-kons" => FEATURES,
        _ => STORED_POINTS,
    };
    if let Some(smoothness) = run.parameters.get("kernel_smoothness") {
        let gamma = 1.0 / (2.0 * smoothness);
        let (regret, size) = match run.learner.as_str() {
            "kernel-awv" | "kernel-ridge" => (optimal_exponent(gamma), 1.0),
            name => {
                let algorithm = match name {
                    "pkawv-nystrom" if run.label.contains("beforehand") => Algorithm::Beforehand,
                    "pkawv-nystrom" => Algorithm::Pkawv,
                    "pros-n-kons" => Algorithm::ProsNKons,
                    "sketched-kons" => Algorithm::SketchedKons,
                    _ => return None,
                };
                (algorithm.floor(gamma), algorithm.knee(gamma))
            }
        };
        let (regret, size) = (power(Base::Rounds, regret), power(Base::Rounds, size));
        return Some(Prediction { regret, size, counted });
    }
    let dim = *run.parameters.get("stream_dim")?;
    let (regret, size) = match run.learner.as_str() {
        "kernel-awv" | "kernel-ridge" => (dim + 1.0, power(Base::Rounds, 1.0)),
        "pkawv-taylor" => (dim + 1.0, power(Base::LogRounds, dim)),
        "pkawv-nystrom" => (dim + 1.0, power(Base::LogRounds, dim + 2.0)),
        "sketched-kons" => (dim + 2.0, power(Base::Rounds, 1.0)),
        "pros-n-kons" => (2.0 * dim + 1.0, power(Base::LogRounds, dim)),
        _ => return None,
    };
    Some(Prediction { regret: power(Base::LogRounds, regret), size, counted })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::tests;

    fn run(learner: &str, (name, value): (&str, f64)) -> RunResult {
        RunResult {
            learner: learner.into(),
            parameters: [(name.to_owned(), value)].into(),
            ..tests::run(learner, 0, 1)
        }
    }

    /// Table 1: the Gaussian kernel in two dimensions, and gamma = 1/4, with the corrected exponent of Pros-N-KONS.
    #[test]
    fn predictions_are_those_of_table_1() {
        let gaussian = |learner| prediction(&run(learner, ("stream_dim", 2.0))).unwrap();
        for (learner, regret, size) in [("pkawv-taylor", 3.0, 2.0), ("pros-n-kons", 5.0, 2.0)] {
            let found = gaussian(learner);
            assert_eq!((found.regret, found.size), (logs(regret), logs(size)), "{learner}");
        }
        let sketched = gaussian("sketched-kons");
        assert_eq!(
            (sketched.regret, sketched.size),
            (logs(4.0), PredictedGrowth { base: Base::Rounds, exponent: 1.0 })
        );
        assert_eq!(sketched.counted, FEATURES);
        let capacity = |learner| prediction(&run(learner, ("kernel_smoothness", 2.0))).unwrap().regret.exponent;
        assert!((capacity("sketched-kons") - 0.2).abs() < 1e-15);
        assert!((capacity("pros-n-kons") - 0.52).abs() < 1e-15);
        assert!(prediction(&run("fogd", ("stream_dim", 2.0))).is_none());
    }

    fn logs(exponent: f64) -> PredictedGrowth {
        PredictedGrowth { base: Base::LogRounds, exponent }
    }
}
