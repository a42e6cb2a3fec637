//! Labels -1 and +1 whose mean is a function that moves: what [`super::switching_function`] and [`super::rotating_function`]
//! share.
//!
//! x is uniform on [-1, 1]^d, phi the Taylor features of the Gaussian kernel with |phi(x)| <= 1, and y = +1 with probability
//! (1 + phi(x)' u_t) / 2, where |u_t| = `norm` <= 1: the mean of y is phi(x)' u_t, and the noise is large.

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::feature::taylor::Taylor;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, ParamError, Range};
use crate::stream::api::{EXAMPLE, Reach, Source};
use noregret_numeric::draw::{Draw, Draws, Role};

shared! {
    /// width of the Gaussian kernel
    BANDWIDTH = "bandwidth": Kind::real(Range::POSITIVE) => Fallback::Real(0.5);
    /// largest degree M of the Taylor features
    ORDER = "order": Kind::integer(0, 100) => Fallback::Integer(2);
    /// |u_t|
    NORM = "norm": Kind::real(Range { min: 0.0, min_open: false, max: 1.0, max_open: false }) => Fallback::Real(1.0);
}

/// The horizon of a law that was not told any.
const ROUNDS: u64 = 1000;

/// With more features than this the law is refused.
const MOST_FEATURES: u64 = 10_000;

/// How u_t moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// It jumps to a uniformly random direction this many times, at equal distances.
    Jumps(u64),
    /// It turns this many times around, in the plane of two random directions.
    Turns(f64),
}

/// The law; see the module.
#[derive(Clone, Debug)]
pub(crate) struct MovingFunction {
    map: Arc<Taylor>,
    dim: usize,
    norm: f64,
    motion: Motion,
    rounds: u64,
}

impl MovingFunction {
    /// The law of the checked parameters `dim`, [`BANDWIDTH`], [`ORDER`] and [`NORM`].
    ///
    /// # Errors
    /// If there are too many features.
    pub(crate) fn new(dim: u64, bandwidth: f64, order: u64, norm: f64, motion: Motion) -> Result<Self, ParamError> {
        let (dim, order) = (dim as usize, order as usize);
        let few = Taylor::count(dim, order).is_some_and(|count| count <= MOST_FEATURES);
        let map = few.then(|| Taylor::new(dim, order, bandwidth)).flatten().ok_or_else(|| {
            let why = format!("{order} with {dim} inputs gives more than {MOST_FEATURES} features");
            ParamError::refused(ORDER.name, why)
        })?;
        Ok(Self { map: Arc::new(map), dim, norm, motion, rounds: ROUNDS })
    }

    /// u_t, in the draws of the replicate.
    pub(crate) fn weights(&self, round: u64, draws: &Draws) -> Vec<f64> {
        let r = self.map.features();
        let direction = |index: u64| direction(r, &mut draws.at(Role::Start, index));
        let mut u = match self.motion {
            Motion::Jumps(jumps) => {
                let piece = u128::from(round - 1) * u128::from(jumps + 1) / u128::from(self.rounds.max(round));
                direction(piece as u64)
            }
            Motion::Turns(turns) => {
                let (one, mut other) = (direction(0), direction(1));
                let along: f64 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
                other.iter_mut().zip(&one).for_each(|(b, a)| *b -= along * a);
                scale_to(&mut other, 1.0);
                let angle = std::f64::consts::TAU * turns * (round - 1) as f64 / self.rounds as f64;
                one.iter().zip(&other).map(|(a, b)| angle.cos() * a + angle.sin() * b).collect()
            }
        };
        u.iter_mut().for_each(|entry| *entry *= self.norm);
        u
    }
}

/// A uniformly random direction of length 1.
fn direction(r: usize, draw: &mut Draw) -> Vec<f64> {
    let mut u: Vec<f64> = (0..r).map(|_| draw.normal()).collect();
    scale_to(&mut u, 1.0);
    u
}

/// Scales `u` to this length; a zero vector, which has probability 0 or no entries but one, stays.
fn scale_to(u: &mut [f64], length: f64) {
    let norm = u.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    if norm > 0.0 {
        u.iter_mut().for_each(|entry| *entry *= length / norm);
    }
}

impl Source for MovingFunction {
    fn dim(&self) -> usize {
        self.dim
    }

    fn example(&self, round: u64, draws: &Draws, x: &mut [f64]) -> f64 {
        let mut draw = draws.at(EXAMPLE, round);
        x.fill_with(|| draw.between(-1.0, 1.0));
        let mean = self.mean(round, draws, x).unwrap_or_default();
        if 2.0 * draw.uniform() < 1.0 + mean { 1.0 } else { -1.0 }
    }

    fn mean(&self, round: u64, draws: &Draws, x: &[f64]) -> Option<f64> {
        let mut phi = vec![0.0; self.map.features()];
        self.map.write(x, &mut phi);
        Some(phi.iter().zip(self.weights(round, draws)).map(|(phi, u)| phi * u).sum())
    }

    fn over(&self, rounds: u64) -> Option<Arc<dyn Source>> {
        Some(Arc::new(Self { rounds, ..self.clone() }))
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach { input: (self.dim as f64).sqrt(), target: 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(motion: Motion, rounds: u64) -> MovingFunction {
        let map = Arc::new(Taylor::new(1, 2, 0.5).unwrap());
        MovingFunction { map, dim: 1, norm: 1.0, motion, rounds }
    }

    fn distances(law: &MovingFunction) -> Vec<f64> {
        let draws = Draws::named(&["moving-function"]);
        let path: Vec<Vec<f64>> = (1..=law.rounds).map(|round| law.weights(round, &draws)).collect();
        for u in &path {
            assert!((u.iter().map(|entry| entry * entry).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let step = |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        path.windows(2).map(step).collect()
    }

    /// Eight jumps in 900 rounds, one after every hundredth; a path of two turns has the length 4 pi (1 - 1/n) up to chords.
    #[test]
    fn paths_jump_and_turn() {
        let steps = distances(&law(Motion::Jumps(8), 900));
        let jumps: Vec<usize> = steps.iter().enumerate().filter(|(_, step)| **step > 0.0).map(|(i, _)| i + 1).collect();
        assert_eq!(jumps, [100, 200, 300, 400, 500, 600, 700, 800]);
        let steps = distances(&law(Motion::Turns(2.0), 1000));
        let chord = 2.0 * (std::f64::consts::TAU / 1000.0).sin();
        assert!(steps.iter().all(|step| (step - chord).abs() < 1e-12), "{chord} {steps:?}");
        // A law that goes on after its horizon does not panic.
        assert_eq!(law(Motion::Jumps(3), 10).weights(50, &Draws::named(&["late"])).len(), 3);
    }

    /// The mean of y (phi' u) over 20,000 rounds is that of (phi' u)^2, within 5 standard errors (rate 6e-7).
    #[test]
    fn labels_have_their_mean() {
        let (law, draws, n) = (law(Motion::Turns(2.0), 20_000), Draws::named(&["moving-function"]), 20_000);
        let mut sum = 0.0;
        for round in 1..=n {
            let mut x = [0.0];
            let y = law.example(round, &draws, &mut x);
            let mean = law.mean(round, &draws, &x).unwrap();
            assert!(y.abs() == 1.0 && mean.abs() <= 1.0);
            sum += (y - mean) * mean;
        }
        assert!(sum.abs() < 5.0 * (n as f64).sqrt(), "{sum}");
    }
}
