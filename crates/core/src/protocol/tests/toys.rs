//! Learners and streams for the tests of the protocols.

use crate::learner::api::{Breakdown, Gauges, Hypothesis, Learner, OracleLearner};
use crate::noise::api::Oracle;
use crate::protocol::record::RunRecord;
use crate::stream::api::Source;
use noregret_numeric::draw::{Draw, Draws};

/// Online gradient descent on <w, x>, jittered by its own draws in prediction and in learning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    pub weights: Vec<f64>,
    pub(crate) eta: f64,
    pub(crate) jitter: f64,
    pub(crate) learnt: u64,
}

impl Linear {
    pub(crate) fn new(dim: usize, eta: f64, jitter: f64) -> Self {
        Self { weights: vec![0.0; dim], eta, jitter, learnt: 0 }
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.weights.iter().zip(x).map(|(w, x)| w * x).sum()
    }
}

impl Hypothesis for Linear {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.value(x) + self.jitter * draw.normal()
    }

    fn gauges(&self) -> Gauges {
        Gauges { stored_points: Some(self.learnt), ..Gauges::default() }
    }
}

impl Learner for Linear {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let step = self.eta * 2.0 * (self.value(x) - y) * (1.0 + self.jitter * draw.normal());
        self.weights.iter_mut().zip(x).for_each(|(w, x)| *w -= step * x);
        self.learnt += 1;
        Ok(())
    }
}

/// Predicts 0 until it fails in a given round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fails {
    pub round: u64,
    pub(crate) how: How,
    pub seen: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    Predicting(f64),
    Attending,
    Learning,
}

impl Hypothesis for Fails {
    fn predict(&self, _x: &[f64], _draw: &mut Draw) -> f64 {
        match self.how {
            How::Predicting(value) if self.seen + 1 == self.round => value,
            _ => 0.0,
        }
    }

    fn gauges(&self) -> Gauges {
        Gauges { stored_points: Some(self.seen), ..Gauges::default() }
    }
}

impl Learner for Fails {
    fn attend(&mut self, _x: &[f64], _draw: &mut Draw) -> Result<(), Breakdown> {
        match self.how {
            How::Attending if self.seen + 1 == self.round => Err(Breakdown::new("cannot look")),
            _ => Ok(()),
        }
    }

    fn learn(&mut self, _x: &[f64], _y: f64, _draw: &mut Draw) -> Result<(), Breakdown> {
        self.seen += 1;
        match self.how {
            How::Learning if self.seen == self.round => Err(Breakdown::new("cannot learn")),
            _ => Ok(()),
        }
    }
}

/// Asks for a given number of copies each round and keeps all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spy {
    pub(crate) ask_x: usize,
    pub(crate) ask_y: usize,
    pub(crate) ask_y_first: bool,
    pub(crate) xs: Vec<Vec<f64>>,
    pub(crate) ys: Vec<f64>,
}

impl Hypothesis for Spy {
    fn predict(&self, _x: &[f64], _draw: &mut Draw) -> f64 {
        0.0
    }

    fn gauges(&self) -> Gauges {
        Gauges::default()
    }
}

impl OracleLearner for Spy {
    fn learn(&mut self, oracle: &mut dyn Oracle, _draw: &mut Draw) -> Result<(), Breakdown> {
        if self.ask_y_first {
            self.ys.extend((0..self.ask_y).map(|_| oracle.y()));
        }
        for _ in 0..self.ask_x {
            let mut x = vec![f64::NAN; oracle.dim()];
            oracle.x(&mut x);
            self.xs.push(x);
        }
        if !self.ask_y_first {
            self.ys.extend((0..self.ask_y).map(|_| oracle.y()));
        }
        Ok(())
    }
}

/// x ~ N(0, I_2), y = x_1 - 2 x_2 + N(0, 0.01) or its sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub rounds: Option<u64>,
    pub(crate) signs: bool,
}

impl Source for Plane {
    fn dim(&self) -> usize {
        2
    }

    fn rounds(&self) -> Option<u64> {
        self.rounds
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(crate::stream::api::EXAMPLE, round);
        x.fill_with(|| draw.normal());
        let y = x[0] - 2.0 * x[1] + 0.1 * draw.normal();
        if self.signs { y.signum() } else { y }
    }
}

pub(crate) const PLANE: Plane = Plane { rounds: None, signs: false };

pub(crate) fn named(name: &str) -> Draws {
    Draws::named(&["protocol tests", name])
}

/// The record without its times.
pub(crate) fn timeless(mut record: RunRecord) -> RunRecord {
    for checkpoint in &mut record.checkpoints {
        (checkpoint.cpu_ns, checkpoint.wall_ns) = (0, 0);
    }
    record
}

pub(crate) fn never() -> bool {
    false
}
