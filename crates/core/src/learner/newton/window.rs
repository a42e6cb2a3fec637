//! Online Newton steps of rounds that are played together.
//!
//! Before them, A = R' R, and v is the point before projection. A round has u = R^-T psi. What it needs to know of the
//! earlier rounds j are the numbers l_j = psi' A_j^-1 psi_j, where A_j is A before the term of round j: with s_j the
//! strength of that term, they follow from the products of the u,
//!
//! ```text
//! l_j = u' u_j - sum_(i<j) c_i c_ji,   c_i = sqrt(s_i / (1 + s_i l_ii)) l_i   (those of round j: l_ji, c_ji).
//! ```
//!
//! The round finds psi' v less the sum of l_j times the step of round j.

use crate::learner::api::Breakdown;
use crate::learner::newton::constants;
use noregret_numeric::linalg::dense::{add_gram_lower, view, view_mut};
use noregret_numeric::linalg::upper::Upper;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};

/// Rounds are played together if the traces of their terms of A add up to at most this, in units of the A before them:
/// beyond it, the products of their u lose digits.
const LARGEST_SUM: f64 = 1e5;

/// Rounds are rotated into R one by one if they are fewer than this fraction of the coordinates.
const FEW: usize = 40;

/// A Newton step: multiples of A^-1 psi, with A before the round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewtonStep {
    /// The prediction.
    pub prediction: f64,
    /// How far the point is moved to the prediction.
    pub(crate) projection: f64,
    /// How far it is moved along the gradient.
    pub gradient: f64,
    /// The factor of psi psi' in the term that is added to A.
    pub(crate) strength: f64,
}

impl NewtonStep {
    /// The step of a round with psi' v = `before`, psi' A^-1 psi = `spread` and target `y`; the term that it adds to A is
    /// `curvature` times the square of the gradient.
    ///
    /// # Errors
    /// If it is not finite.
    pub(crate) fn new(before: f64, spread: f64, y: f64, clip: f64, curvature: f64) -> Result<Self, Breakdown> {
        let prediction = before.clamp(-clip, clip);
        let slope = 2.0 * (prediction - y);
        let strength = curvature * slope * slope;
        // If the spread is 0, then psi = 0, and there is nothing to project.
        let projection = if spread > 0.0 { constants::excess(before, clip) / spread } else { 0.0 };
        // (A + strength psi psi')^-1 psi = A^-1 psi / (1 + strength spread).
        let gradient = slope / (1.0 + strength * spread);
        if projection.is_finite() && gradient.is_finite() && strength.is_finite() {
            return Ok(Self { prediction, projection, gradient, strength });
        }
        Err(Breakdown::new(format!("a Newton step overflowed: gradient {gradient}, projection {projection}")))
    }
}

/// The rounds, and working space.
#[derive(Debug, Default)]
pub(crate) struct NewtonWindow {
    /// u of each round; its owner writes them.
    pub(crate) whitened: Vec<f64>,
    /// The products of the u, and then the c of each round.
    rows: Vec<f64>,
    /// sqrt(s / (1 + s l)) of each round.
    roots: Vec<f64>,
    strengths: Vec<f64>,
    /// The step of each round.
    moves: Vec<f64>,
    /// Working space of triangles, also for its owner.
    pub(crate) triangle: Vec<f64>,
}

impl NewtonWindow {
    /// Plays rounds over `coordinates` coordinates; `prior(i)` is psi' v of round i. Returns whether it did: if not, they
    /// have to be played one by one.
    pub(crate) fn play(
        &mut self,
        coordinates: usize,
        prior: impl Fn(usize) -> f64,
        targets: &[f64],
        clip: f64,
        curvature: f64,
        predictions: &mut [f64],
    ) -> bool {
        let count = targets.len();
        let largest = 2.0 * (clip + targets.iter().fold(0.0, |largest: f64, y| largest.max(y.abs())));
        let sum = squared_norm(&self.whitened) * (curvature * largest * largest).max(1.0);
        if sum.is_nan() || sum > LARGEST_SUM {
            return false;
        }
        self.rows.clear();
        self.rows.resize(count * count, 0.0);
        if coordinates > 0 {
            let u = view(&self.whitened, count, coordinates, coordinates);
            add_gram_lower(view_mut(&mut self.rows, count, count, count), 1.0, u);
        }
        for list in [&mut self.roots, &mut self.strengths, &mut self.moves] {
            list.clear();
        }
        for (i, (y, place)) in targets.iter().zip(predictions).enumerate() {
            let (earlier, row) = self.rows.split_at_mut(i * count);
            let mut before = prior(i);
            for (j, earlier) in earlier.chunks_exact(count).enumerate() {
                let l = row[j] - dot(&earlier[..j], &row[..j]);
                before -= self.moves[j] * l;
                row[j] = l * self.roots[j];
            }
            let spread = row[i] - squared_norm(&row[..i]);
            let Ok(step) = NewtonStep::new(before, spread, *y, clip, curvature) else { return false };
            *place = step.prediction;
            self.roots.push((step.strength / (1.0 + step.strength * spread)).sqrt());
            self.strengths.push(step.strength);
            self.moves.push(step.projection + step.gradient);
        }
        true
    }

    /// Takes the steps: moves `ahead`, which is v, and adds the terms of the rounds to `factor`, which is R.
    pub(crate) fn settle<'a>(&mut self, ahead: &mut [f64], factor: &mut Upper, psi: impl Fn(usize) -> &'a [f64]) {
        let (count, n) = (self.moves.len(), ahead.len());
        if n == 0 {
            return;
        }
        // A_i^-1 psi_i = R^-1 q_i with u_i = q_i + sum_(j<i) (root of j) c_ij q_j; the sum of the steps times q is that of
        // other multiples times u.
        for i in (0..count).rev() {
            let step = self.moves[i];
            for ((earlier, c), root) in self.moves[..i].iter_mut().zip(&self.rows[i * count..]).zip(&self.roots) {
                *earlier -= step * c * root;
            }
        }
        let mut way = vec![0.0; n];
        for (u, step) in self.whitened.chunks_exact_mut(n).zip(&self.moves) {
            add_scaled(&mut way, *step, u);
        }
        factor.solve(&mut way);
        add_scaled(ahead, -1.0, &way);
        for (u, strength) in self.whitened.chunks_exact_mut(n).zip(&self.strengths) {
            let root = strength.sqrt();
            u.iter_mut().for_each(|value| *value *= root);
        }
        if FEW * count < n || factor.absorb(&self.whitened, count, &mut self.triangle).is_err() {
            for (i, strength) in self.strengths.iter().enumerate() {
                let root = strength.sqrt();
                way.clear();
                way.extend(psi(i).iter().map(|value| root * value));
                factor.add(&mut way);
            }
        }
    }
}
