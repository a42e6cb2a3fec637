//! AIOLI: online logistic regression over a fixed feature map, for labels y = -1, +1. The prediction z is a logit.
//!
//! With A = 2 lambda I and b = 0 at first, a round has
//!
//! ```text
//! h = phi' A^-1 phi,   v = phi' A^-1 b,   z + h tanh(z / 2) = v,
//! s = sigma(-y z),   c = sigma(z) sigma(-z) / (1 + C),   A += c phi phi',   b += (y s + c z) phi:
//! ```
//!
//! both possible losses of x_t are part of the objective that the prediction minimises. It is ridge regression with weights c
//! and pseudo-targets z + y s / c, so rounds are gathered into windows ([`crate::learner::ridge::whitened`]). With
//! A = C C' at the start of a window, u = C^-1 phi, and L L' = I + D G D for the products G of the window's u and
//! D = diag(sqrt c), the round has l = L^-1 D G_t, h = |u|^2 - |l|^2, v = u' C^-1 b + l' zeta, after which the new row of L
//! is sqrt(c) l with the pivot 1 + c h, and zeta_t = sqrt(c) (z + y s / c - v) / L_tt.
//!
//! Source: R. Jezequel, P. Gaillard, A. Rudi, Efficient improper learning for online logistic regression, COLT 2020.

use std::cell::RefCell;

use crate::feature::api::FeatureMap;
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, in_round, label};
use crate::learner::last_input::LastInput;
use crate::learner::ridge::sequential::PlaysBlocks;
use crate::learner::ridge::whitened::Whitened;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::upper::Upper;
use noregret_numeric::linalg::vector::{dot, squared_norm};
use noregret_numeric::state::{StateError, Store, keep};

shared! {
    /// weight of the squared norm |theta|^2, beside the log losses
    LAMBDA = "lambda": Kind::real(Range::POSITIVE) => Fallback::Real(0.01);
    /// C, the largest |theta' phi(x)| of the functions to compete with; their norm, as |phi| <= 1
    BOUND = "bound": Kind::real(Range::POSITIVE) => Fallback::Real(10.0);
}

/// A round whose logit is larger ends its window: its pseudo-target may not be representable.
const LARGEST_LOGIT: f64 = 600.0;

/// The number of rounds in a window over r features, as for ridge regression; smaller, because the rows of its factor are
/// solved for one after the other.
fn window(features: usize) -> usize {
    (features / 2).clamp(32, 512)
}

/// 1 / (1 + exp(-z)) without overflow.
pub(crate) fn sigma(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let power = z.exp();
        power / (1.0 + power)
    }
}

/// The weight c = sigma(z) sigma(-z) / (1 + C) of a round with logit z.
pub fn weight(z: f64, bound: f64) -> f64 {
    sigma(z) * sigma(-z) / (1.0 + bound)
}

/// The root z of z + h tanh(z / 2) = v for h >= 0. For v > 0 the left side is increasing and concave, so Newton's
/// iterates from v / (1 + h / 2) increase to the root; at most 4 steps in all tests.
pub fn root(v: f64, h: f64) -> f64 {
    let size = v.abs();
    let mut z = size / (1.0 + 0.5 * h);
    for _ in 0..64 {
        let tanh = (0.5 * z).tanh();
        let step = (size - z - h * tanh) / (1.0 + 0.5 * h * (1.0 - tanh * tanh));
        z += step;
        if step <= 4e-16 * z {
            break;
        }
    }
    z.copysign(v)
}

/// The learner over r features: 2 r^2 numbers, and two windows of features.
#[derive(Debug)]
pub struct Aioli {
    lambda: f64,
    bound: f64,
    window: Whitened,
    /// sqrt(c) and y s + c z of the window's rounds, L' (solving along its rows, no step waits for a whole sum), and zeta.
    roots: Vec<f64>,
    rises: Vec<f64>,
    triangle: Upper,
    residuals: Vec<f64>,
    capacity: usize,
    played: usize,
    last: RefCell<AioliCache>,
    /// Products of a block's rounds with each other and with those of the window.
    gram: Vec<f64>,
    /// The prior forecasts of a block's rounds.
    priors: Vec<f64>,
}

/// What was computed at the last input.
#[derive(Debug, Default)]
struct AioliCache {
    input: LastInput,
    phi: Vec<f64>,
    /// C^-1 phi.
    whitened: Vec<f64>,
    /// L^-1 D times the products of C^-1 phi with those of the window.
    row: Vec<f64>,
    round: AioliRound,
}

/// The numbers of one round before its label is known.
#[derive(Clone, Copy, Debug, Default)]
struct AioliRound {
    h: f64,
    v: f64,
    z: f64,
}

impl Aioli {
    /// A learner over `map` that has seen nothing; `lambda`, `bound` > 0.
    pub fn new(map: Box<dyn FeatureMap>, lambda: f64, bound: f64) -> Self {
        let capacity = window(map.features());
        Self {
            lambda,
            bound,
            window: Whitened::new(map, 2.0 * lambda),
            roots: Vec::new(),
            rises: Vec::new(),
            triangle: Upper::default(),
            residuals: Vec::new(),
            capacity,
            played: 0,
            last: RefCell::default(),
            gram: Vec::new(),
            priors: Vec::new(),
        }
    }

    /// The cost of `rounds` rounds over `features` features, without that of the features themselves.
    pub(crate) fn cost(rounds: u64, features: u64) -> Cost {
        let (n, r) = (rounds as f64, features as f64);
        let capacity = window(features as usize) as f64;
        let round = 2.0 * r * r + capacity * r + capacity * capacity / 3.0 + r * r * r / (3.0 * capacity);
        Cost { flops: n * round, bytes: Whitened::bytes(r, capacity) }
    }

    /// h, v and z at an input. `row` holds the products of its u = C^-1 phi with those of the window, and is replaced by
    /// l; `own` is |u|^2, and `prior` is u' C^-1 b.
    fn round(&self, prior: f64, own: f64, row: &mut [f64]) -> AioliRound {
        row.iter_mut().zip(&self.roots).for_each(|(product, root)| *product *= root);
        self.triangle.solve_transposed(row);
        let h = own - squared_norm(row);
        // Not `max`, which would hide a NaN.
        let h = if h < 0.0 { 0.0 } else { h };
        let v = prior + dot(row, &self.residuals);
        AioliRound { h, v, z: root(v, h) }
    }

    /// The logit at `x`.
    fn logit(&self, x: &[f64]) -> f64 {
        let AioliCache { input, phi, whitened, row, round } = &mut *self.last.borrow_mut();
        if input.replace(x, self.played) {
            let prior = self.window.evaluate(x, 1.0, self.roots.len(), [phi, whitened, row]);
            *round = self.round(prior, squared_norm(whitened), row);
        }
        round.z
    }

    /// Learns the label of the round for which [`round`](Aioli::round) computed `row`; its phi and u are in the window
    /// already. Returns whether a new window has begun.
    fn learn_label(&mut self, row: &mut [f64], round: AioliRound, target: f64) -> Result<bool, Breakdown> {
        let (y, AioliRound { h, v, z }) = (label(target)?, round);
        let c = weight(z, self.bound);
        let root = c.sqrt();
        let pivot = 1.0 + c * h;
        // sqrt(c) times the pseudo-target z + y s / c, where s / sqrt(c) = sqrt(1 + C) exp(-y z / 2).
        let pushed = root * (z - v) + y * (1.0 + self.bound).sqrt() * (-0.5 * y * z).exp();
        let residual = pushed / pivot.sqrt();
        self.roots.push(root);
        self.rises.push(y * sigma(-y * z) + c * z);
        self.played += 1;
        let extreme = z.abs() > LARGEST_LOGIT;
        if !(extreme || residual.is_finite() && pivot.is_finite()) || !z.is_finite() {
            return Err(Breakdown::new(format!("the logit {z} or its variance {h} overflowed")));
        }
        if !extreme {
            row.iter_mut().for_each(|entry| *entry *= root);
            self.triangle.push(row, pivot.sqrt());
            self.residuals.push(residual);
        }
        let full = extreme || self.roots.len() == self.capacity;
        if full {
            self.close()?;
        }
        Ok(full)
    }

    /// Adds the window to A and b and starts the next one.
    fn close(&mut self) -> Result<(), Breakdown> {
        let (rounds, multiple) = (self.roots.len(), 2.0 * self.lambda);
        self.window.add_to_moment(&self.rises);
        self.window.scale_features(&self.roots);
        self.roots.clear();
        self.rises.clear();
        self.residuals.clear();
        self.triangle.clear();
        self.window.absorb(rounds, 1.0, 0.0, multiple)
    }
}

impl PlaysBlocks for Aioli {
    /// Up to the end of the window.
    fn room(&self) -> usize {
        self.capacity - self.roots.len()
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown> {
        *prediction = self.logit(x);
        let AioliCache { phi, whitened, row, round, .. } = self.last.get_mut();
        let (mut row, round) = (std::mem::take(row), *round);
        self.window.push(phi, whitened);
        let learnt = self.learn_label(&mut row, round, y);
        self.last.get_mut().row = row;
        learnt.map(|_| ())
    }

    fn step_block(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let (old, count) = (self.roots.len(), block.targets.len());
        let width = old + count;
        self.window.extend(block.inputs, &[]);
        let mut gram = std::mem::take(&mut self.gram);
        gram.resize(gram.len().max(count * width), 0.0);
        self.window.products(old, 0.0, &mut gram[..count * width]);
        let mut priors = std::mem::take(&mut self.priors);
        priors.clear();
        self.window.priors(old, &mut priors);

        let mut played = Ok(());
        for (i, row) in gram.chunks_exact_mut(width).take(count).enumerate() {
            let (row, own) = row[..=old + i].split_at_mut(old + i);
            let round = self.round(priors[i], own[0], row);
            predictions[i] = round.z;
            match self.learn_label(row, round, block.targets[i]).map_err(in_round(i)) {
                // The rest was whitened for the window that has just ended.
                Ok(true) if i + 1 < count => {
                    let rest = self.step_all(block.part(i + 1, count), &mut predictions[i + 1..]);
                    played = rest.map_err(|breakdown| Breakdown { after: i + 1 + breakdown.after, ..breakdown });
                    break;
                }
                Ok(_) => {}
                Err(breakdown) => {
                    played = Err(breakdown);
                    break;
                }
            }
        }
        (self.gram, self.priors) = (gram, priors);
        played
    }
}

impl Hypothesis for Aioli {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.logit(x)
    }

    fn gauges(&self) -> Gauges {
        self.window.gauges(self.capacity)
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.window.state(store)?;
        keep!(self, store: roots, rises, triangle, residuals, played; lambda, bound, window, capacity, last, gram, priors);
        let sizes = [self.window.len(), rises.len(), triangle.len(), residuals.len()];
        let agree = sizes == [roots.len(); 4];
        store.check(agree && roots.len() < self.capacity, "has a window of parts of different sizes")
    }
}

impl Learner for Aioli {
    fn wants_labels(&self) -> bool {
        true
    }

    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut prediction = 0.0;
        self.step(x, y, &mut prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.step_all(block, predictions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For v from 1e-290, where no root is subnormal, to 1e300, and h up to 1e12.
    #[test]
    fn roots_solve_their_equation() {
        for v in [1e-290, 1e-3, 0.7, 40.0, 1e4, 1e300] {
            for h in [0.0, 1e-9, 0.3, 7.0, 1e5, 1e12] {
                let z = root(v, h);
                let found = z + h * (0.5 * z).tanh();
                assert!((found - v).abs() <= 1e-14 * v, "{v} {h}: {z} {found}");
                assert_eq!(root(-v, h), -z);
            }
        }
        assert_eq!(root(0.0, 3.0), 0.0);
        assert!(root(f64::NAN, 1.0).is_nan());
    }

    #[test]
    fn sigma_at_both_ends() {
        assert_eq!((sigma(0.0), sigma(1e3), sigma(-1e3)), (0.5, 1.0, 0.0));
        assert!((sigma(-700.0).ln() + 700.0).abs() < 1e-9);
    }
}
