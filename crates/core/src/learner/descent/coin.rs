//! Betting on a coin: gradient descent in a function space without a step size, a norm bound or a horizon.
//!
//! The wealth is w = epsilon at first, and c counts bets. With S = sum of a_s k(x_s, .) over the bets so far, the function is
//! f = w / (c + 1) S. After the slope g = l'(f(x), y) at the prediction before it is clipped, the bet a = -g / (G kappa) wins
//! a f(x), is added to S, and c grows by one. A slope of 0 is no bet. Here G bounds |g|, and kappa^2 is the largest k(x, x):
//! what is known of it, or the largest so far if that is larger.
//!
//! Source: F. Orabona, D. Pal, Coin betting and parameter-free online learning, NIPS 2016.

use crate::learner::api::{Breakdown, Gauges, label};
use crate::learner::newton::aioli::sigma;
use crate::params::typed::{OrWord, shared};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::state::{State, StateError, Store, keep};

shared! {
    /// convex loss with bounded slopes; hinge and logistic take labels -1 and 1
    LOSS = "loss": Kind::Choice(&["absolute", "hinge", "logistic", "pinball"]) => Fallback::Word("absolute");
    /// quantile of the pinball loss: tau (y - p) below y, (1 - tau) (p - y) above
    TAU = "tau": Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.5);
    /// initial wealth, in units of predictions
    EPSILON = "epsilon": Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    /// largest absolute prediction B, for absolute and pinball losses with |y| <= B; bets take the slope before clipping
    CLIP = "clip": Kind::Real { range: Range::POSITIVE, words: &["none"] } => Fallback::Word("none");
}

/// A loss and its slopes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BettingLoss {
    Absolute,
    Hinge,
    Logistic,
    Pinball(f64),
}

impl BettingLoss {
    /// l'(p, y), and 0 at a kink.
    fn slope(self, p: f64, y: f64) -> f64 {
        match self {
            BettingLoss::Absolute if p == y => 0.0,
            BettingLoss::Absolute => (p - y).signum(),
            BettingLoss::Hinge if y * p >= 1.0 => 0.0,
            BettingLoss::Hinge => -y,
            BettingLoss::Logistic => -y * sigma(-y * p),
            BettingLoss::Pinball(_) if p == y => 0.0,
            BettingLoss::Pinball(tau) if p < y => -tau,
            BettingLoss::Pinball(tau) => 1.0 - tau,
        }
    }

    /// G, the largest |l'|.
    fn steepest(self) -> f64 {
        match self {
            BettingLoss::Pinball(tau) => tau.max(1.0 - tau),
            _ => 1.0,
        }
    }
}

/// The wealth, and the rule of bets.
#[derive(Clone, Debug)]
pub(crate) struct CoinBetting {
    loss: BettingLoss,
    clip: f64,
    /// The largest sqrt k(x, x) that is known.
    kappa: f64,
    wealth: f64,
    bets: u64,
}

impl CoinBetting {
    /// Before the first round; `kappa` >= 0 is what is known of the largest sqrt k(x, x).
    pub(crate) fn new(loss: &str, tau: f64, epsilon: f64, clip: &OrWord<f64>, kappa: f64) -> Self {
        let loss = match loss {
            "hinge" => BettingLoss::Hinge,
            "logistic" => BettingLoss::Logistic,
            "pinball" => BettingLoss::Pinball(tau),
            _ => BettingLoss::Absolute,
        };
        Self { loss, clip: clip.number().unwrap_or(f64::INFINITY), kappa, wealth: epsilon, bets: 0 }
    }

    /// w / (c + 1), by which f is a multiple of S.
    pub(crate) fn share(&self) -> f64 {
        self.wealth / (self.bets + 1) as f64
    }

    /// The prediction, where S(x) = `value`.
    pub(crate) fn report(&self, value: f64) -> f64 {
        (self.share() * value).clamp(-self.clip, self.clip)
    }

    /// What is recorded at the end of a run.
    pub(crate) fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![("bets", self.bets as f64), ("wealth", self.wealth)]
    }

    /// What a learner holds whose S over explicit features is `sum`.
    pub(crate) fn gauges(&self, sum: &[f64]) -> Gauges {
        let own = Gauges::of_weights(sum);
        let scaled = |norm: f64| self.share() * norm;
        Gauges { norm: own.norm.map(scaled), state_bytes: own.state_bytes.map(|bytes| bytes + 24), ..own }
    }

    /// Whether targets must be labels.
    pub(crate) fn wants_labels(&self) -> bool {
        matches!(self.loss, BettingLoss::Hinge | BettingLoss::Logistic)
    }

    /// The bet a at an input with S(x) = `value` and k(x, x) = `own`; none if there is nothing to bet on.
    ///
    /// # Errors
    /// If a label is needed and `target` is none, or numbers overflow.
    pub(crate) fn bet(&mut self, value: f64, own: f64, target: f64) -> Result<Option<f64>, Breakdown> {
        let target = if self.wants_labels() { label(target)? } else { target };
        let raw = self.share() * value;
        if !(raw.is_finite() && own.is_finite()) {
            return Err(Breakdown::new(format!("the prediction {raw} or k(x, x) = {own} overflowed")));
        }
        self.kappa = self.kappa.max(own.sqrt());
        let slope = self.loss.slope(raw, target);
        if slope == 0.0 || self.kappa == 0.0 {
            return Ok(None);
        }
        let bet = -slope / (self.loss.steepest() * self.kappa);
        let wealth = self.wealth + bet * raw;
        // |S(x)| <= c kappa, so that less than the wealth is lost: only overflow ends here.
        if !(wealth > 0.0 && wealth.is_finite() && bet.is_finite()) {
            return Err(Breakdown::new(format!("the wealth {wealth:e} or the bet {bet:e} left the range of numbers")));
        }
        self.wealth = wealth;
        self.bets += 1;
        Ok(Some(bet))
    }
}

impl State for CoinBetting {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: kappa, wealth, bets; loss, clip);
        store.check(*wealth > 0.0 && *kappa >= 0.0, "has no wealth, or no bound on k(x, x)")
    }
}
