//! Targets that the learner sees on another scale.

use noregret_core::learner::api::{Block, Breakdown, Gauges};
use noregret_core::protocol::run::Player;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::state::{State, StateError, Store};

use crate::running::Running;

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

/// The scale on which a learner sees targets, with what it has seen of them. By default targets are as they are.
#[derive(Clone, Debug, Default)]
pub struct Rescale {
    /// None where targets are as they are, and pass through no arithmetic.
    map: Option<Map>,
    targets: Vec<f64>,
    maps: Vec<(f64, f64)>,
}

impl Rescale {
    /// (y - shift) / factor.
    pub fn fixed(shift: f64, factor: f64) -> Self {
        Self { map: Some(Map::Fixed { shift, factor }), ..Self::default() }
    }

    /// By the mean and deviation of the targets of the earlier rows.
    pub fn running() -> Self {
        Self { map: Some(Map::Running(Running::default())), ..Self::default() }
    }

    /// Plays with `player`, whose learner sees scaled targets.
    pub fn over<T>(&mut self, player: &mut dyn Player, play: impl FnOnce(&mut dyn Player) -> T) -> T {
        match &self.map {
            None => play(player),
            Some(_) => play(&mut Rescaled { player, scale: self }),
        }
    }

    /// The shift and the factor of round `i` of the last block, from 0, where targets are not as they are.
    pub fn map_in(&self, i: usize) -> Option<(f64, f64)> {
        self.maps.get(i).copied().filter(|_| self.map.is_some())
    }

    /// The shift and the factor of the next round, where targets are not as they are.
    pub fn map(&self) -> Option<(f64, f64)> {
        self.map.as_ref().map(Map::now)
    }

    /// A number on the learner's scale in round `i` of the last block, from 0, on the scale of the file.
    pub fn back_in(&self, i: usize, value: f64) -> f64 {
        self.map_in(i).map_or(value, |(shift, factor)| shift + factor * value)
    }

    /// A prediction of the learner on the scale of the file.
    pub fn back(&self, prediction: f64) -> f64 {
        self.map().map_or(prediction, |(shift, factor)| shift + factor * prediction)
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
