//! Rounds that the laws are tested on.

use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

/// Number of rounds of a law's run: enough for several windows and panels of the block forms.
pub(crate) const ROUNDS: usize = 300;

/// Rounds to play.
#[derive(Clone, Debug)]
pub struct LawRounds {
    /// One row per round.
    pub inputs: Matrix,
    /// One target per round.
    pub targets: Vec<f64>,
}

impl LawRounds {
    /// Uniform inputs on [-1, 1]^dim, every tenth of which is a repetition, with a smooth target and some noise.
    pub fn smooth(dim: usize, rounds: usize) -> Self {
        let mut draw = Draws::named(&["law data"]).at(Role::Example, dim as u64);
        let (mut inputs, mut targets) = (Matrix::zeros(rounds, dim), Vec::with_capacity(rounds));
        for t in 0..rounds {
            let repeated = inputs.row(t / 2).to_vec();
            for (value, repeated) in inputs.row_mut(t).iter_mut().zip(repeated) {
                *value = if t % 10 == 9 { repeated } else { draw.between(-1.0, 1.0) };
            }
            let x = inputs.row(t);
            let (first, last) = (x.first().copied().unwrap_or_default(), x.last().copied().unwrap_or_default());
            targets.push((3.0 * first).sin() * 0.7 + 0.3 * last + 0.1 * draw.normal());
        }
        Self { inputs, targets }
    }

    /// The same rounds with the signs of the targets, -1 and +1, as targets.
    pub fn with_labels(self) -> Self {
        let targets = self.targets.iter().map(|y| if *y < 0.0 { -1.0 } else { 1.0 }).collect();
        Self { targets, ..self }
    }

    /// The same rounds before number `t` (from 0). Round `t` has another target, and what follows is far away: other
    /// targets and, if `inputs`, other inputs.
    pub(crate) fn changed_from(&self, t: usize, inputs: bool) -> Self {
        let mut changed = self.clone();
        for (s, target) in changed.targets.iter_mut().enumerate().skip(t) {
            *target = 3.0 - 7.0 * *target;
            if s > t && inputs {
                changed.inputs.row_mut(s).iter_mut().for_each(|x| *x = 0.2 - 0.9 * *x);
            }
        }
        changed
    }

    /// Rounds with extreme inputs (zeros, a single point, values whose squares overflow, ...), each kind with its name,
    /// and with one target for all rounds.
    pub(crate) fn extreme(dim: usize, rounds: usize, target: f64) -> Vec<(&'static str, Self)> {
        let kinds = EXTREMES.iter().map(|(name, input)| {
            let mut inputs = Matrix::zeros(rounds, dim);
            for t in 0..rounds {
                inputs.row_mut(t).iter_mut().enumerate().for_each(|(k, value)| *value = input(t, k));
            }
            (*name, Self { inputs, targets: vec![target; rounds] })
        });
        kinds.collect()
    }
}

/// Input column k of round t, from t and k.
type InputFormula = fn(usize, usize) -> f64;

/// Inputs, with the name of their kind.
const EXTREMES: [(&str, InputFormula); 6] = [
    ("zeros", |_, _| 0.0),
    ("one point", |_, _| 0.3),
    ("large values", |t, k| 1e6 * ((t * 7 + k * 3) % 11) as f64),
    ("huge values", |t, k| if t % 2 == 0 { 1e200 } else { -1e150 * (k + 1) as f64 }),
    ("tiny values", |t, k| 1e-300 * (t * (k + 1)) as f64),
    ("alternating", |t, k| if k == 0 { (t % 2) as f64 } else { 1.0 }),
];

/// The draws of every run.
pub fn draws() -> Draws {
    Draws::named(&["laws"])
}

/// The largest absolute value.
pub fn scale(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |scale, value| scale.max(value.abs()))
}

/// The bits of all numbers, for comparisons without tolerance.
pub(crate) fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}
