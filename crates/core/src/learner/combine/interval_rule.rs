//! Radii of intervals whose part of misses is at most a stated deviation from the part that is asked for, C / n or
//! sqrt(C log(n) / n) after n rounds, on every sequence: the rules behind the learner `intervals`.
//!
//! With s_t = |y_t - p_t| and q_t the radius of round t = 0, 1, ..., round t is a miss if s_t > q_t; alpha is the part of misses
//! that is asked for, and miss_t is 0 or 1:
//!
//! ```text
//! aci       q_t the ceil((1 - a_t)(m + 1))-th smallest of the last m scores, everything beyond the last, nothing for a_t >= 1;
//!           a_0 = alpha,  a_{t+1} = a_t + rate (alpha - miss_t)
//! tracking  q_{t+1} = q_t + rate (miss_t - alpha)
//! betting   q_t = w_t / (t + 1) sum_{s<t} (miss_s - alpha),  w_0 = epsilon,  w_{t+1} = w_t + (miss_t - alpha) q_t
//! ```
//!
//! The bounds on the deviation of the part of misses from alpha are in [`crate::theory::intervals`].
//!
//! Sources: I. Gibbs, E. Candes, NeurIPS 2021 (aci); A. Podkopaev, D. Xu, K. Lee, ICML 2024 (the idea of betting).

use crate::learner::api::Breakdown;
use noregret_numeric::state::{State, StateError, Store, keep};

/// How the radius follows from scores and misses; see the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadiusRule {
    /// Adaptive conformal inference.
    Aci {
        /// Step of the level a_t.
        rate: f64,
        /// How many scores count; 0 means all.
        window: usize,
    },
    /// Gradient descent on the pinball loss of the radius.
    Tracking {
        /// Step of the radius.
        rate: RadiusStep,
        /// q_0.
        start: f64,
    },
    /// Betting on a coin.
    Betting {
        /// w_0.
        epsilon: f64,
    },
}

/// The step of a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadiusStep {
    /// This one.
    Fixed(f64),
    /// This part of the largest score so far.
    OfLargest(f64),
}

/// The radius that stands for an interval that contains nothing.
pub(crate) const NOTHING: f64 = -1.0;

/// What rounding may add to (1 - a)(m + 1), whose ceiling is a rank: at a = 0.18 and m = 149 it is 123.00000000000001.
pub const ROUNDING: f64 = 1e-9;

/// The radius, and what it follows from.
#[derive(Clone, Debug)]
pub struct IntervalRadius {
    rule: RadiusRule,
    alpha: f64,
    rounds: u64,
    misses: u64,
    /// a_t of aci.
    level: f64,
    /// q_t of tracking.
    radius: f64,
    /// w_t of betting.
    wealth: f64,
    largest: f64,
    /// The scores that count, ascending.
    sorted: Vec<f64>,
    /// The same in the order of rounds, in a ring; empty where all scores count.
    recent: Vec<f64>,
    /// The place of the oldest in the ring, once it is full.
    oldest: usize,
}

impl IntervalRadius {
    /// Before the first round; `alpha` is between 0 and 1.
    pub fn new(rule: RadiusRule, alpha: f64) -> Self {
        let (radius, wealth) = match rule {
            RadiusRule::Aci { .. } => (0.0, 0.0),
            RadiusRule::Tracking { start, .. } => (start, 0.0),
            RadiusRule::Betting { epsilon } => (0.0, epsilon),
        };
        let (sorted, recent) = (Vec::new(), Vec::new());
        Self {
            rule,
            alpha,
            rounds: 0,
            misses: 0,
            level: alpha,
            radius,
            wealth,
            largest: 0.0,
            sorted,
            recent,
            oldest: 0,
        }
    }

    /// q_t: below 0, the interval contains nothing; if infinite, everything.
    pub fn value(&self) -> f64 {
        match self.rule {
            RadiusRule::Aci { .. } if self.level <= 0.0 => f64::INFINITY,
            RadiusRule::Aci { .. } if self.level >= 1.0 => NOTHING,
            RadiusRule::Aci { .. } => {
                let rank = ((1.0 - self.level) * (self.sorted.len() + 1) as f64 - ROUNDING).ceil().max(1.0);
                self.sorted.get(rank as usize - 1).copied().unwrap_or(f64::INFINITY)
            }
            RadiusRule::Tracking { .. } => self.radius,
            RadiusRule::Betting { .. } => {
                let surplus = self.misses as f64 - self.alpha * self.rounds as f64;
                self.wealth / (self.rounds + 1) as f64 * surplus
            }
        }
    }

    /// Rounds so far.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Misses so far.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// a_t of aci.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// w_t of betting.
    pub fn wealth(&self) -> f64 {
        self.wealth
    }

    /// Bytes of the scores that are kept.
    pub(crate) fn bytes(&self) -> u64 {
        64 + 8 * (self.sorted.len() + self.recent.len()) as u64
    }

    /// Learns the score of a round, a finite number; returns whether it was a miss.
    ///
    /// # Errors
    /// If the radius overflows.
    pub fn learn(&mut self, score: f64) -> Result<bool, Breakdown> {
        self.learn_late(score, self.value())
    }

    /// Learns the score of a round whose interval had this radius; returns whether it was a miss. Betting bets what it has now.
    ///
    /// # Errors
    /// If the radius overflows.
    pub(crate) fn learn_late(&mut self, score: f64, given: f64) -> Result<bool, Breakdown> {
        let radius = self.value();
        let missed = score > given;
        let surplus = f64::from(u8::from(missed)) - self.alpha;
        self.largest = self.largest.max(score);
        match self.rule {
            RadiusRule::Aci { rate, window } => {
                self.level -= rate * surplus;
                self.remember(score, window);
            }
            RadiusRule::Tracking { rate, .. } => {
                let rate = match rate {
                    RadiusStep::Fixed(rate) => rate,
                    RadiusStep::OfLargest(part) => part * self.largest,
                };
                self.radius += rate * surplus;
            }
            RadiusRule::Betting { .. } => self.wealth += surplus * radius,
        }
        self.rounds += 1;
        self.misses += u64::from(missed);
        if self.radius.is_finite() && self.wealth.is_finite() {
            return Ok(missed);
        }
        Err(Breakdown::new(format!("the radius of the interval overflowed after a score of {score:e}")))
    }

    /// Puts a score in its place, and drops the one that is too old.
    fn remember(&mut self, score: f64, window: usize) {
        let below = |sorted: &[f64], score: f64| sorted.partition_point(|other| *other < score);
        if window > 0 && self.recent.len() == window {
            let dropped = std::mem::replace(&mut self.recent[self.oldest], score);
            self.oldest = (self.oldest + 1) % window;
            self.sorted.remove(below(&self.sorted, dropped).min(window - 1));
        } else if window > 0 {
            self.recent.push(score);
        }
        self.sorted.insert(below(&self.sorted, score), score);
    }
}

impl State for IntervalRadius {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let window = if let RadiusRule::Aci { window, .. } = self.rule { window } else { 0 };
        keep!(self, store: rounds, misses, level, radius, wealth, largest, sorted, recent, oldest; rule, alpha);
        let fits = match window {
            0 => recent.is_empty(),
            window => recent.len() == sorted.len() && recent.len() <= window && *oldest < window,
        };
        store.check(fits && sorted.is_sorted(), "has scores that do not fit its window")
    }
}
