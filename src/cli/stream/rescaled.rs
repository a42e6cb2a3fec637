//! Targets that the learner sees on another scale.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::dataset::running::Running;
use noregret_core::learner::api::{Block, Breakdown, Gauges};
use noregret_core::linalg::matrix::Rows;
use noregret_core::protocol::run::Player;
use noregret_core::state::{State, StateError, Store};

/// The scale on which the learner sees the targets. Predictions, losses and metrics stay on that of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetScale {
    /// As they are
    #[default]
    None,
    /// To [0, 1], by the smallest and largest target of the whole file, later rows included
    Unit,
    /// To [-1, 1], by the same
    Symmetric,
    /// To mean 0 and deviation 1 over the whole file, later rows included
    Standardise,
    /// By the mean and deviation of the earlier rows alone
    Running,
}

impl TargetScale {
    /// Whether a pass over the whole file comes first.
    pub fn sees_all(self) -> bool {
        matches!(self, TargetScale::Unit | TargetScale::Symmetric | TargetScale::Standardise)
    }
}

/// What is known of the targets of a whole file.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The smallest and the largest.
    pub range: (f64, f64),
    /// Mean and deviation.
    pub moments: Running,
}

impl Default for Spread {
    fn default() -> Self {
        Self { range: (f64::INFINITY, f64::NEG_INFINITY), moments: Running::default() }
    }
}

impl Spread {
    /// Adds targets; those of rows without one do not count.
    pub fn observe(&mut self, targets: &[f64]) {
        for &target in targets.iter().filter(|target| !target.is_nan()) {
            self.range = (self.range.0.min(target), self.range.1.max(target));
            self.moments.observe(target);
        }
    }
}

/// Maps targets to the learner's scale: (y - shift) / factor.
#[derive(Clone, Copy, Debug)]
enum Map {
    Fixed { shift: f64, factor: f64 },
    Running(Running),
}

impl Map {
    fn now(&self) -> (f64, f64) {
        match self {
            Map::Fixed { shift, factor } => (*shift, *factor),
            Map::Running(running) => (running.mean(), running.deviation()),
        }
    }
}

/// The scale on which a learner sees targets, with what it has seen of them.
pub struct Rescale {
    /// None where targets are as they are, and pass through no arithmetic.
    map: Option<Map>,
    targets: Vec<f64>,
    maps: Vec<(f64, f64)>,
}

impl Rescale {
    /// This scale; `spread` is that of the whole file, where the scale needs it.
    pub fn new(scale: TargetScale, spread: &Spread) -> Self {
        let (low, high) = spread.range;
        let width = if high > low && (high - low).is_finite() { high - low } else { 1.0 };
        let low = if low.is_finite() { low } else { 0.0 };
        let fixed = |shift, factor| Some(Map::Fixed { shift, factor });
        let map = match scale {
            TargetScale::None => None,
            TargetScale::Unit => fixed(low, width),
            TargetScale::Symmetric => fixed(0.5 * low + 0.5 * high.max(low), 0.5 * width),
            TargetScale::Standardise => fixed(spread.moments.mean(), spread.moments.deviation()),
            TargetScale::Running => Some(Map::Running(Running::default())),
        };
        Self { map, targets: Vec::new(), maps: Vec::new() }
    }

    /// Plays with `player`, whose learner sees scaled targets.
    pub fn over<T>(&mut self, player: &mut dyn Player, play: impl FnOnce(&mut dyn Player) -> T) -> T {
        match &self.map {
            None => play(player),
            Some(_) => play(&mut Rescaled { player, scale: self }),
        }
    }

    /// A number on the learner's scale in round `i` of the last block, from 0, on the scale of the file.
    pub fn back_in(&self, i: usize, value: f64) -> f64 {
        match (&self.map, self.maps.get(i)) {
            (Some(_), Some((shift, factor))) => shift + factor * value,
            _ => value,
        }
    }

    /// A prediction of the learner on the scale of the file.
    pub fn back(&self, prediction: f64) -> f64 {
        self.map.as_ref().map(Map::now).map_or(prediction, |(shift, factor)| shift + factor * prediction)
    }
}

/// What was seen of the targets.
impl State for Rescale {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        match &mut self.map {
            None => Ok(()),
            Some(Map::Fixed { shift, factor }) => {
                store.keep("shift", shift)?;
                store.keep("factor", factor)
            }
            Some(Map::Running(running)) => running.state(store),
        }
    }
}

/// A player whose learner sees scaled targets.
struct Rescaled<'a> {
    player: &'a mut dyn Player,
    scale: &'a mut Rescale,
}

impl Player for Rescaled<'_> {
    fn play(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let Rescale { map, targets, maps } = &mut *self.scale;
        targets.clear();
        maps.clear();
        for &target in block.targets {
            // The target of a round is scaled by earlier ones, and so is its prediction.
            let (shift, factor) = map.as_ref().map_or((0.0, 1.0), Map::now);
            maps.push((shift, factor));
            targets.push((target - shift) / factor);
            if let Some(Map::Running(running)) = map {
                running.observe(target);
            }
        }
        let played = self.player.play(Block { targets: &*targets, ..block }, predictions);
        for (prediction, (shift, factor)) in predictions.iter_mut().zip(&*maps) {
            *prediction = shift + factor * *prediction;
        }
        played
    }

    fn predict(&self, round: u64, x: &[f64]) -> f64 {
        self.scale.back(self.player.predict(round, x))
    }

    fn gauges(&self) -> Gauges {
        self.player.gauges()
    }

    fn foresees(&self) -> bool {
        self.player.foresees()
    }

    fn foresee(&mut self, inputs: Rows<'_>) -> Result<(), Breakdown> {
        self.player.foresee(inputs)
    }

    fn queries(&self) -> Option<u64> {
        self.player.queries()
    }
}

#[cfg(test)]
mod tests {
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
        let mut spread = Spread::default();
        spread.observe(targets);
        let mut last = Last(0.0);
        let inputs = vec![0.0; targets.len()];
        let mut predictions = vec![f64::NAN; targets.len()];
        let mut rescale = Rescale::new(scale, &spread);
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
