//! How `auto` weighs the forecasts of its members, and what that guarantees.
//!
//! With the gradient of the squared loss, r_k = 2 (p - y) (p - f_k) for a member that is awake and 0 for one that sleeps, and
//! with R_k = sum r_k, V_k = sum r_k^2 and D_k = V_k + 10^-3 max_j V_j, the weights of those that are awake are
//!
//! ```text
//! w_k ~ max(R_k, 0) / D_k,   and equal where all R_k are 0 or less.
//! ```
//!
//! Then R_k <= sqrt(D_k S) at every round, with S = sum over rounds and awake members of r_k^2 / D_k, D_k that of before the
//! round, or of after it where that is 0. Proof: Phi = sum_k max(R_k, 0)^2 / D_k. No D_k ever falls, and max(R + r, 0)^2 <=
//! max(R, 0)^2 + 2 max(R, 0) r + r^2, so that a round adds at most 2 sum_k (max(R_k, 0) / D_k) r_k + sum_k r_k^2 / D_k to Phi.
//! The first sum is 0, because p is the mean of the forecasts with weights in proportion to max(R_k, 0) / D_k. So Phi <= S.
//! The squared loss is convex: the loss of the mean over the rounds in which a member is awake exceeds that member's by at most
//! R_k.
//!
//! Rounds in which no |r_k| is above 10^-9 of the squared range of the targets leave R, V and S alone: their r would be
//! rounding errors, and so would be the D that follow from them. The largest |r_k| of each is added to the bound instead. The
//! range counts as 10^-9 of the largest target at least, so that this holds while all targets are equal, too.
//!
//! Source: P. Gaillard, G. Stoltz, T. van Erven, COLT 2014 (ML-Poly); the rates D and the bound for them are ours.

use crate::learner::api::Breakdown;
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::state::{State, StateError, Store, keep};

/// The part of the largest V_j in every D_k.
const PART: f64 = 1e-3;

/// A round whose |r_k| are at most this part of the squared range of the targets teaches nothing.
const NOTHING: f64 = 1e-9;

/// The least range of targets, as a part of the largest.
const LEAST_WIDTH: f64 = 1e-9;

/// Regrets so far, and the weights that follow from them.
#[derive(Clone, Debug)]
pub(crate) struct RegretWeights {
    /// R_k.
    regrets: Vec<f64>,
    /// V_k.
    squares: Vec<f64>,
    /// S.
    terms: f64,
    /// The sum of the largest |r_k| of rounds that taught nothing.
    slack: f64,
    /// The smallest and the largest target.
    range: [f64; 2],
    /// The losses of `auto` and of each member over the rounds in which the member was awake, and the number of these.
    own: Vec<f64>,
    losses: Vec<f64>,
    awake: Vec<f64>,
    /// The losses of `auto` over all rounds.
    all: Sum,
    /// The weights of the last round.
    shown: Vec<f64>,
}

/// What is guaranteed about a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guarantee {
    /// The squared loss of `auto` over the rounds in which the member was awake.
    pub own: f64,
    /// That of the member, whose forecasts are clipped.
    pub loss: f64,
    /// The number of these rounds.
    pub awake: u64,
    /// R_k, at least the difference of the two losses.
    pub regret: f64,
    /// sqrt(D_k S), which R_k cannot exceed.
    pub bound: f64,
}

impl RegretWeights {
    /// Of `members` forecasts, before the first round.
    pub(crate) fn new(members: usize) -> Self {
        let zeros = || vec![0.0; members];
        Self {
            regrets: zeros(),
            squares: zeros(),
            terms: 0.0,
            slack: 0.0,
            range: [f64::INFINITY, f64::NEG_INFINITY],
            own: zeros(),
            losses: zeros(),
            awake: zeros(),
            all: Sum::default(),
            shown: zeros(),
        }
    }

    /// The weights of the last round, 0 for members that were asleep; zeros before the first.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.shown
    }

    /// The squared loss of `auto` over all rounds.
    pub(crate) fn loss(&self) -> f64 {
        self.all.value()
    }

    /// D of a member with V = `square`.
    fn rate(square: f64, largest: f64) -> f64 {
        square + PART * largest
    }

    /// max_j V_j.
    fn largest(&self) -> f64 {
        self.squares.iter().copied().fold(0.0, f64::max)
    }

    /// The mean of the forecasts that are awake, with the weights of this round, which are written; forecasts of sleeping
    /// members are NaN. 0 where nobody is awake.
    pub(crate) fn predict(&self, forecasts: &[f64], weights: &mut Vec<f64>) -> f64 {
        let largest = self.largest();
        weights.clear();
        let gained = |k: usize| !forecasts[k].is_nan() && self.regrets[k] > 0.0;
        let weight = |k: usize| self.regrets[k] / Self::rate(self.squares[k], largest);
        weights.extend((0..forecasts.len()).map(|k| if gained(k) { weight(k) } else { 0.0 }));
        let mut total: f64 = weights.iter().sum();
        if total <= 0.0 {
            weights.iter_mut().zip(forecasts).for_each(|(weight, forecast)| *weight = f64::from(!forecast.is_nan()));
            total = weights.iter().sum();
        }
        if total <= 0.0 {
            return 0.0;
        }
        weights.iter_mut().for_each(|weight| *weight /= total);
        let present = weights.iter().zip(forecasts).filter(|(weight, _)| **weight > 0.0);
        present.map(|(weight, forecast)| weight * forecast).sum()
    }

    /// Learns from a round: the forecasts, the weights and the mean that [`predict`](Self::predict) gave, and the target.
    ///
    /// # Errors
    /// If a regret overflows.
    pub(crate) fn learn(&mut self, forecasts: &[f64], weights: &[f64], p: f64, y: f64) -> Result<(), Breakdown> {
        self.shown.copy_from_slice(weights);
        let [low, high] = &mut self.range;
        (*low, *high) = (low.min(y), high.max(y));
        let width = (*high - *low).max(LEAST_WIDTH * high.abs().max(low.abs()));
        let awake: Vec<usize> = (0..forecasts.len()).filter(|k| !forecasts[*k].is_nan()).collect();
        let regret = |k: usize| 2.0 * (p - y) * (p - forecasts[k]);
        self.all.add((p - y) * (p - y));
        for &k in &awake {
            self.own[k] += (p - y) * (p - y);
            self.losses[k] += (forecasts[k] - y) * (forecasts[k] - y);
            self.awake[k] += 1.0;
        }
        let large =
            || Breakdown::new(format!("the target {y:e} or the prediction {p:e} is too large: regrets overflow"));
        if !self.all.value().is_finite() {
            return Err(large());
        }
        let widest = awake.iter().map(|k| regret(*k).abs()).fold(0.0, f64::max);
        if widest <= NOTHING * width * width {
            self.slack += widest;
            return Ok(());
        }
        let before = self.largest();
        let rates: Vec<f64> = awake.iter().map(|k| Self::rate(self.squares[*k], before)).collect();
        for &k in &awake {
            self.regrets[k] += regret(k);
            self.squares[k] += regret(k) * regret(k);
        }
        let after = self.largest();
        for (&k, rate) in awake.iter().zip(rates) {
            let rate = if rate > 0.0 { rate } else { Self::rate(self.squares[k], after) };
            self.terms += regret(k) * regret(k) / rate;
        }
        let sound = after.is_finite() && self.terms.is_finite();
        if sound { Ok(()) } else { Err(large()) }
    }

    /// What is guaranteed about member `k`.
    pub(crate) fn guarantee(&self, k: usize) -> Guarantee {
        Guarantee {
            own: self.own[k],
            loss: self.losses[k],
            awake: self.awake[k] as u64,
            regret: self.regrets[k],
            bound: (Self::rate(self.squares[k], self.largest()) * self.terms).sqrt() + self.slack,
        }
    }
}

impl State for RegretWeights {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: regrets[..], squares[..], own[..], losses[..], awake[..], shown[..], terms, slack, range[..], all);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_numeric::draw::{Draws, Role};

    /// Plays targets against forecasts that may react to the mean, and returns the aggregate.
    fn played(
        members: usize,
        rounds: usize,
        mut forecast: impl FnMut(usize, usize) -> f64,
        mut y: impl FnMut(f64, &[f64]) -> f64,
    ) -> RegretWeights {
        let (mut all, mut weights) = (RegretWeights::new(members), Vec::new());
        for t in 0..rounds {
            let forecasts: Vec<f64> = (0..members).map(|k| forecast(k, t)).collect();
            let p = all.predict(&forecasts, &mut weights);
            let target = y(p, &forecasts);
            all.learn(&forecasts, &weights, p, target).unwrap();
        }
        all
    }

    /// No regret is above its bound: 60 random streams of 400 rounds with sleeping members, targets far off or adversarial
    /// (away from the mean, or at one member), and members that differ by rounding errors.
    #[test]
    fn regrets_stay_below_their_bounds() {
        let mut largest = 0.0_f64;
        for stream in 0..60u64 {
            let mut draw = Draws::named(&["auto bound"]).at(Role::Example, stream);
            let mut other = Draws::named(&["auto bound"]).at(Role::Start, stream);
            let forecast = |k: usize, t: usize| match (stream % 3, k) {
                (1, 0) => 0.1,
                (1, 1) => 0.1 + 1e-17 * t as f64,
                _ if draw.uniform() < 0.3 => f64::NAN,
                _ => draw.normal() + k as f64 * (stream % 5) as f64 / 5.0,
            };
            let all = played(6, 400, forecast, |p, forecasts| match stream % 4 {
                0 => other.normal(),
                1 => p - other.sign(),
                2 => forecasts.iter().copied().find(|f| !f.is_nan()).unwrap_or(0.0),
                _ => 50.0 * other.normal(),
            });
            for k in 0..6 {
                let Guarantee { own, loss, regret, bound, .. } = all.guarantee(k);
                assert!(regret <= bound * (1.0 + 1e-9), "stream {stream}, member {k}: {regret} above {bound}");
                assert!(own - loss <= regret + 1e-9 * (own + loss), "the gradient bounds the loss");
                largest = largest.max(regret / bound);
            }
        }
        // The bound is no empty one: somewhere it is nearly half used up.
        assert!((0.3..=1.0).contains(&largest), "{largest}");
    }

    /// The control: weights that are not those of the rule break the bound.
    #[test]
    fn other_weights_break_the_bound() {
        let mut all = RegretWeights::new(2);
        for _ in 0..1000 {
            // All weight on the worse forecast.
            all.learn(&[0.0, 1.0], &[0.0, 1.0], 1.0, 0.0).unwrap();
        }
        let Guarantee { regret, bound, .. } = all.guarantee(0);
        assert!(regret > bound, "{regret} {bound}");
    }

    /// While all targets are equal, the mean of equal forecasts differs from them by rounding errors alone, which must not
    /// be divided by in later rounds.
    #[test]
    fn a_beginning_of_equal_targets_leaves_the_bound_alone() {
        let forecast = |k: usize, t: usize| if t < 20 { 0.1 } else { k as f64 };
        let target = |t: usize| if t < 20 { 0.1 } else { 2.0 };
        let mut rounds = 0..50;
        let all = played(7, 50, forecast, |_, _| target(rounds.next().unwrap()));
        let mut late = 20..50;
        let without = played(7, 30, |k, _| k as f64, |_, _| target(late.next().unwrap()));
        for k in 0..7 {
            let (bound, other) = (all.guarantee(k).bound, without.guarantee(k).bound);
            assert!((bound - other).abs() < 1e-9 * other, "{bound} {other}");
        }
    }

    #[test]
    fn the_best_member_wins_and_an_overflow_is_said() {
        let all = played(3, 50, |k, _| k as f64, |_, _| 2.0);
        let weights = all.weights();
        assert!(weights[2] > 0.9 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{weights:?}");
        assert!(RegretWeights::new(2).learn(&[0.0, 1.0], &[0.5, 0.5], 0.5, 1e200).unwrap_err().cause.contains("1e200"));
    }
}
