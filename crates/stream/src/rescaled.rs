//! Targets that the learner sees on another scale.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::error::StreamError;
use noregret_model::running::Running;
use noregret_model::targets::Rescale;

/// The scale on which the learner sees the targets. Predictions, losses and metrics stay on that of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetScale {
    /// As they are
    #[default]
    None,
    /// To mean 0 and deviation 1 by the rows before the epoch, as with `--scale epochs`
    Epochs,
    /// To [0, 1], by the smallest and largest target of the whole file, later rows included
    Unit,
    /// To [-1, 1], by the same
    Symmetric,
    /// To mean 0 and deviation 1 over the whole file, later rows included
    Standardise,
    /// By the mean and deviation of the earlier rows alone: refused, but in models that were saved with it
    #[value(hide = true)]
    Running,
}

/// Why a run cannot start with [`TargetScale::Running`]. The numbers are those of `running-mean` on the 200 rows of
/// tests/suite/compare/diabetes.csv.
const REFUSED: &str = "--target-scale running is refused: with every row, the earlier targets move under the learner, which \
                       then learns another function (the loss of a running mean on 200 patients with diabetes rises from \
                       5,781 to 42,070); epochs, the default, scales by the earlier rows alone and moves nothing under the \
                       learner";

impl TargetScale {
    /// Whether a run may start with it.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn check(self) -> Result<(), StreamError> {
        match self {
            TargetScale::Running => Err(StreamError::Usage(REFUSED.into())),
            _ => Ok(()),
        }
    }

    /// Whether a pass over the whole file comes first.
    pub(crate) fn sees_all(self) -> bool {
        matches!(self, TargetScale::Unit | TargetScale::Symmetric | TargetScale::Standardise)
    }

    /// The scale, before the first round; `spread` is that of the whole file, where the scale needs it.
    pub(crate) fn rescale(self, spread: &TargetSpread) -> Rescale {
        let (low, high) = spread.range;
        let width = if high > low && (high - low).is_finite() { high - low } else { 1.0 };
        let low = if low.is_finite() { low } else { 0.0 };
        match self {
            // Over epochs, the learner scales by itself.
            TargetScale::None | TargetScale::Epochs => Rescale::default(),
            TargetScale::Unit => Rescale::fixed(low, width),
            TargetScale::Symmetric => Rescale::fixed(0.5 * low + 0.5 * high.max(low), 0.5 * width),
            TargetScale::Standardise => Rescale::fixed(spread.moments.mean(), spread.moments.deviation()),
            TargetScale::Running => Rescale::running(),
        }
    }
}

/// What is known of the targets of a whole file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetSpread {
    /// The smallest and the largest.
    pub range: (f64, f64),
    /// Mean and deviation.
    pub(crate) moments: Running,
}

impl Default for TargetSpread {
    fn default() -> Self {
        Self { range: (f64::INFINITY, f64::NEG_INFINITY), moments: Running::default() }
    }
}

impl TargetSpread {
    /// Adds targets; those of rows without one do not count.
    pub(crate) fn observe(&mut self, targets: &[f64]) {
        for &target in targets.iter().filter(|target| !target.is_nan()) {
            self.range = (self.range.0.min(target), self.range.1.max(target));
            self.moments.observe(target);
        }
    }
}

#[cfg(test)]
mod tests {
    use noregret_core::learner::api::{Block, Breakdown, Gauges};
    use noregret_core::protocol::run::Player;
    use noregret_numeric::linalg::matrix::Rows;

    use super::*;

    /// Predicts the target that the learner saw last.
    struct Last(f64);

    impl Player for Last {
        fn play(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
            for (prediction, &target) in predictions.iter_mut().zip(block.targets) {
                *prediction = self.0;
                self.0 = target;
            }
            Ok(())
        }

        fn predict(&self, _: u64, _: &[f64]) -> f64 {
            self.0
        }

        fn gauges(&self) -> Gauges {
            Gauges::default()
        }
    }

    fn predictions(scale: TargetScale, targets: &[f64]) -> (Vec<f64>, f64) {
        let mut spread = TargetSpread::default();
        spread.observe(targets);
        let mut last = Last(0.0);
        let inputs = vec![0.0; targets.len()];
        let mut predictions = vec![f64::NAN; targets.len()];
        let mut rescale = scale.rescale(&spread);
        let block = Block { first_round: 1, inputs: Rows::new(1, &inputs), targets };
        rescale.over(&mut last, |player| player.play(block, &mut predictions)).unwrap();
        let next = rescale.over(&mut last, |player| player.predict(9, &[0.0]));
        assert!(!scale.sees_all() || last.0.abs() <= 1.0, "{scale:?}: {}", last.0);
        (predictions, next)
    }

    #[test]
    fn predictions_come_back_to_the_scale_of_the_file() {
        let targets = [10.0, 14.0, 12.0];
        assert_eq!(predictions(TargetScale::Unit, &targets), (vec![10.0, 10.0, 14.0], 12.0));
        assert_eq!(predictions(TargetScale::Symmetric, &targets), (vec![12.0, 10.0, 14.0], 12.0));
        // No earlier target, so that 0 is 0; then the mean is 10 with no spread, so that 10 was seen as 10.
        let (running, _) = predictions(TargetScale::Running, &[1.0, 2.0, 3.0]);
        assert_eq!(running[..2], [0.0, 2.0]);
        // What follows does not change what was predicted.
        assert_eq!(running[..2], predictions(TargetScale::Running, &[1.0, 2.0, -1.0]).0[..2]);
    }
}
