//! Weights of forecasts, from what each would have gained: the rules behind the learner `aggregate`.
//!
//! Of the K forecasts f_k of a round, those that are finite numbers are present, and are clipped to [-B, B]. The prediction p
//! is their mean with weights w_k of sum 1; where none is present, it is that of the round before (0 in the first), and nothing
//! is learned. The instant regret of a present forecast is r_k = l(p, y) - l(f_k, y), or in gradient form l'(p, y) (p - f_k),
//! which competes with convex combinations of forecasts too; that of an absent one is 0. With R_k = sum r_k, V_k = sum r_k^2,
//! L = log max(K, 2), and E the largest |r| that is possible:
//!
//! ```text
//! ewa          w_k ~ exp(eta R_k)
//! boa          w_k ~ eta_k exp(eta_k S_k),   S_k += r_k - eta_k r_k^2,   eta_k = min(1 / (2 E), sqrt(L / V_k))
//! ml-poly      w_k ~ max(R_k, 0) / (E^2 + V_k), and equal weights where all of these are 0
//! fixed-share  v_k ~ w_k exp(eta r_k),   w_k = (1 - alpha) v_k + alpha / K
//! ```
//!
//! The bounds are in [`crate::theory::aggregation`]. Where E is not known, it is the largest |r| so far, and no bound is
//! claimed. boa then is the rule of the package opera: with E_k the largest |r_k| so far, rounded up to a power of 2,
//! eta_k = min(1 / E_k, sqrt(L / V_k)) is that after the round, and S_k += (r_k - eta_k r_k^2 + E_k 1{eta_k r_k > 1/2}) / 2.
//!
//! Sources: N. Cesa-Bianchi, G. Lugosi, Prediction, learning, and games (2006); O. Wintenberger, Machine Learning 106 (2017);
//! P. Gaillard, G. Stoltz, T. van Erven, COLT 2014; M. Herbster, M. Warmuth, Machine Learning 32 (1998); Y. Freund,
//! R. Schapire, Y. Singer, M. Warmuth, STOC 1997 (absent forecasts).

use crate::learner::api::Breakdown;
use crate::theory::aggregation::{boa_regret, ewa_regret, fixed_share_regret, ml_poly_regret};
use noregret_numeric::linalg::elementary::exp_scaled;
use noregret_numeric::linalg::simd::vectorised;
use noregret_numeric::linalg::vector::{dot, squared_norm};
use noregret_numeric::state::{State, StateError, Store, keep};

/// What a prediction costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Penalty {
    /// (p - y)^2
    Square,
    /// |p - y|
    Absolute,
    /// tau (y - p) for p < y, (1 - tau) (p - y) for p > y.
    Pinball(f64),
}

impl Penalty {
    /// l(p, y).
    pub fn of(self, p: f64, y: f64) -> f64 {
        match self {
            Penalty::Square => (p - y) * (p - y),
            Penalty::Absolute => (p - y).abs(),
            Penalty::Pinball(tau) => (tau * (y - p)).max((1.0 - tau) * (p - y)),
        }
    }

    /// l'(p, y), and 0 at a kink.
    pub(crate) fn slope(self, p: f64, y: f64) -> f64 {
        match self {
            Penalty::Square => 2.0 * (p - y),
            _ if p == y => 0.0,
            Penalty::Absolute => (p - y).signum(),
            Penalty::Pinball(tau) if p < y => -tau,
            Penalty::Pinball(tau) => 1.0 - tau,
        }
    }

    /// E: no |r| is above it for forecasts and targets in [-`bound`, `bound`].
    pub fn range(self, gradient: bool, bound: f64) -> f64 {
        match self {
            Penalty::Square if gradient => 8.0 * bound * bound,
            Penalty::Square => 4.0 * bound * bound,
            Penalty::Absolute => 2.0 * bound,
            Penalty::Pinball(tau) => 2.0 * bound * tau.max(1.0 - tau),
        }
    }
}

/// The rate eta of exponential weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LearningRate {
    /// This one.
    Fixed(f64),
    /// 1 / (2 E) with the largest |r| so far as E.
    ExpConcave,
    /// sqrt(8 L / n) / E, with the largest |r| so far as E, and the number of rounds so far where n is not known.
    Convex {
        /// n.
        rounds: Option<f64>,
    },
}

/// How weights follow from regrets; see the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AggregationRule {
    /// Exponential weights.
    Ewa(LearningRate),
    /// Bernstein online aggregation.
    Boa,
    /// The polynomially weighted average with a rate for each forecast.
    MlPoly,
    /// Exponential weights that are shared out.
    FixedShare {
        /// eta.
        rate: LearningRate,
        /// alpha.
        share: f64,
    },
}

/// What an aggregation does in every round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How weights follow from regrets.
    pub rule: AggregationRule,
    /// l.
    pub penalty: Penalty,
    /// Whether regrets are those of the gradient.
    pub gradient: bool,
    /// B; infinite where forecasts are not clipped.
    pub bound: f64,
    /// E, where it is known.
    pub range: Option<f64>,
}

/// A round under way: memory that is used again in every round.
#[derive(Clone, Debug)]
pub struct AggregationRound {
    /// Which forecasts are present.
    present: Vec<bool>,
    /// The clipped forecasts, 0 for absent ones.
    clipped: Vec<f64>,
    /// The weights, of sum 1 if any forecast is present; 0 for absent ones.
    pub weights: Vec<f64>,
    /// r_k.
    regrets: Vec<f64>,
    /// Whether any forecast is present.
    heard: bool,
    /// p.
    prediction: f64,
}

impl AggregationRound {
    /// For that many forecasts.
    pub fn new(experts: usize) -> Self {
        let zeros = || vec![0.0; experts];
        let (clipped, weights, regrets) = (zeros(), zeros(), zeros());
        Self { present: vec![false; experts], clipped, weights, regrets, heard: false, prediction: 0.0 }
    }
}

/// The regrets so far, and the weights that follow from them.
#[derive(Clone, Debug)]
pub struct Aggregation {
    settings: Settings,
    /// The number of rounds in which a forecast was present.
    rounds: u64,
    /// The prediction of the round before.
    last: f64,
    /// The largest |r| so far.
    widest: f64,
    /// R_k.
    regrets: Vec<f64>,
    /// V_k.
    squares: Vec<f64>,
    /// S_k of boa, log w_k of fixed-share.
    scores: Vec<f64>,
    /// eta_k of boa.
    rates: Vec<f64>,
    /// The largest |r_k| so far.
    largest: Vec<f64>,
    /// The weights of the last round.
    shown: Vec<f64>,
}

impl Aggregation {
    /// Of `experts` >= 1 forecasts, before the first round.
    pub fn new(settings: Settings, experts: usize) -> Self {
        let zeros = || vec![0.0; experts];
        let rate = settings.range.map_or(1.0, |range| 0.5 / range);
        let (regrets, squares, scores, largest, rates) = (zeros(), zeros(), zeros(), zeros(), vec![rate; experts]);
        Self {
            settings,
            rounds: 0,
            last: 0.0,
            widest: 0.0,
            regrets,
            squares,
            scores,
            rates,
            largest,
            shown: vec![1.0 / experts as f64; experts],
        }
    }

    /// R_k.
    pub fn regrets(&self) -> &[f64] {
        &self.regrets
    }

    /// V_k.
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The bound on R_k of forecast `of` on every sequence, for what is known of this one; none where E or eta is not fixed.
    pub(crate) fn regret_bound(&self, of: usize) -> Option<f64> {
        let Settings { rule, penalty, gradient, range, .. } = self.settings;
        let (range, experts, rounds) = (range?, self.experts() as f64, self.rounds as f64);
        let exp_concave = |eta: f64| penalty == Penalty::Square && !gradient && eta <= 0.5 / range * (1.0 + 1e-12);
        match rule {
            AggregationRule::Ewa(LearningRate::Fixed(eta)) => {
                Some(ewa_regret(experts, eta, range, rounds, exp_concave(eta)))
            }
            AggregationRule::FixedShare { rate: LearningRate::Fixed(eta), share } => {
                Some(fixed_share_regret(experts, 0.0, rounds, share, eta, range, exp_concave(eta)))
            }
            AggregationRule::Boa => Some(boa_regret(experts, self.squares[of], range, rounds)),
            AggregationRule::MlPoly => Some(ml_poly_regret(self.squares[of], &self.squares, range)),
            AggregationRule::Ewa(_) | AggregationRule::FixedShare { .. } => None,
        }
    }

    /// The weights of the last round; equal ones before the first.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.shown
    }

    /// The number of forecasts.
    pub(crate) fn experts(&self) -> usize {
        self.regrets.len()
    }

    /// L.
    fn logarithm(&self) -> f64 {
        (self.experts().max(2) as f64).ln()
    }

    /// E; 0 while it is not known and no regret has been seen.
    fn range(&self) -> f64 {
        self.settings.range.unwrap_or(self.widest)
    }

    /// eta; 0 while no regret has been seen on which it depends.
    fn rate(&self, rate: LearningRate) -> f64 {
        match rate {
            LearningRate::Fixed(rate) => rate,
            _ if self.widest == 0.0 => 0.0,
            LearningRate::ExpConcave => 0.5 / self.widest,
            LearningRate::Convex { rounds } => {
                let rounds = rounds.unwrap_or(self.rounds as f64).max(1.0);
                (8.0 * self.logarithm() / rounds).sqrt() / self.widest
            }
        }
    }

    /// The prediction from these forecasts, one for each k; its weights are in `round`.
    pub fn predict(&self, forecasts: &[f64], round: &mut AggregationRound) -> f64 {
        clip(forecasts, self.settings.bound, &mut round.clipped, &mut round.present);
        round.heard = round.present.contains(&true);
        self.weigh(round);
        round.prediction = if round.heard { dot(&round.weights, &round.clipped) } else { self.last };
        round.prediction
    }

    /// Writes the weights of the forecasts that are present.
    fn weigh(&self, AggregationRound { present, weights, heard, .. }: &mut AggregationRound) {
        if !*heard {
            weights.fill(0.0);
            return;
        }
        match self.settings.rule {
            AggregationRule::Ewa(rate) => {
                let rate = self.rate(rate);
                exponential(weights, present, self.regrets.iter().map(|regret| rate * regret));
            }
            AggregationRule::Boa => {
                exponential(weights, present, self.rates.iter().zip(&self.scores).map(|(rate, score)| rate * score));
                weights.iter_mut().zip(&self.rates).for_each(|(weight, rate)| *weight *= rate);
            }
            AggregationRule::MlPoly => {
                let range = self.range() * self.range();
                for (k, weight) in weights.iter_mut().enumerate() {
                    let gained = present[k] && self.regrets[k] > 0.0;
                    *weight = if gained { self.regrets[k] / (range + self.squares[k]) } else { 0.0 };
                }
            }
            AggregationRule::FixedShare { .. } => exponential(weights, present, self.scores.iter().copied()),
        }
        let total: f64 = weights.iter().sum();
        if total > 0.0 && total.is_finite() {
            divide(weights, total);
        } else {
            let count = present.iter().filter(|present| **present).count().max(1) as f64;
            weights.iter_mut().zip(&*present).for_each(|(weight, here)| *weight = f64::from(u8::from(*here)) / count);
        }
    }

    /// Learns from the target of a round that [`predict`](Aggregation::predict) was asked about last.
    ///
    /// # Errors
    /// If a regret is not finite.
    pub fn learn(&mut self, round: &mut AggregationRound, y: f64) -> Result<(), Breakdown> {
        self.shown.copy_from_slice(&round.weights);
        self.last = round.prediction;
        if !round.heard {
            return Ok(());
        }
        let Settings { penalty, gradient, .. } = self.settings;
        let p = round.prediction;
        let (slope, loss) = (penalty.slope(p, y), penalty.of(p, y));
        let instant = |forecast: f64| if gradient { slope * (p - forecast) } else { loss - penalty.of(forecast, y) };
        for ((regret, forecast), present) in round.regrets.iter_mut().zip(&round.clipped).zip(&round.present) {
            *regret = if *present { instant(*forecast) } else { 0.0 };
        }
        let squares = squared_norm(&round.regrets);
        if !squares.is_finite() {
            let size = squares.sqrt();
            return Err(Breakdown::new(format!(
                "the regrets to the forecasts have the norm {size:e}, too large a number"
            )));
        }
        self.rounds += 1;
        self.widest = largest(&round.regrets, self.widest, f64::abs);
        let logarithm = self.logarithm();
        if let (AggregationRule::Boa, Some(range)) = (self.settings.rule, self.settings.range) {
            let Self { regrets, squares, scores, rates, .. } = self;
            learn_boa([regrets, squares, scores, rates], &round.regrets, logarithm, 0.5 / range);
        } else {
            let Self { regrets, squares, largest, .. } = self;
            for (k, r) in round.regrets.iter().enumerate() {
                regrets[k] += r;
                squares[k] += r * r;
                largest[k] = largest[k].max(r.abs());
            }
        }
        match self.settings.rule {
            AggregationRule::Boa if self.settings.range.is_none() => self.learn_running_boa(&round.regrets),
            AggregationRule::FixedShare { rate, share } => self.share_out(&round.regrets, self.rate(rate), share),
            _ => {}
        }
        if self.regrets.iter().chain(&self.squares).all(|sum| sum.is_finite()) {
            Ok(())
        } else {
            Err(Breakdown::new("the sum of the regrets to a forecast overflowed"))
        }
    }

    /// boa of the package opera. A forecast without a regret so far has the scale of all.
    fn learn_running_boa(&mut self, instant: &[f64]) {
        let logarithm = self.logarithm();
        for (k, r) in instant.iter().enumerate() {
            let scale = if self.largest[k] > 0.0 { self.largest[k] } else { self.widest };
            let scale = scale.log2().ceil().exp2();
            let rate = if scale > 0.0 { (logarithm / self.squares[k]).sqrt().min(1.0 / scale) } else { 1.0 };
            self.rates[k] = rate;
            let beyond = if rate * r > 0.5 { scale } else { 0.0 };
            self.scores[k] += 0.5 * (r - rate * r * r + beyond);
        }
    }

    /// The update of fixed-share, in logarithms.
    fn share_out(&mut self, instant: &[f64], rate: f64, share: f64) {
        let each = share / self.experts() as f64;
        self.scores.iter_mut().zip(instant).for_each(|(score, r)| *score += rate * r);
        let largest = self.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = self.scores.iter().map(|score| (score - largest).exp()).sum();
        let lost = largest + total.ln();
        for score in &mut self.scores {
            *score -= lost;
            if share > 0.0 {
                *score = ((1.0 - share) * score.exp() + each).ln();
            }
        }
    }
}

vectorised! {
    /// boa with rates of at most `most` = 1 / (2 E): R_k, V_k, S_k and eta_k, from r_k and L.
    fn learn_boa<'a>(sums: [&'a mut [f64]; 4], instant: &'a [f64], logarithm: f64, most: f64) -> () {
        let [regrets, squares, scores, rates] = sums;
        for ((((regret, square), score), rate), r) in regrets.iter_mut().zip(squares).zip(scores).zip(rates).zip(instant) {
            *regret += r;
            *score += r - *rate * (r * r);
            *square += r * r;
            // Compared and not `min`, which compiles to more: no rate is NaN while V_k is finite.
            let next = (logarithm / *square).sqrt();
            *rate = if next < most { next } else { most };
        }
    }
}

vectorised! {
    /// Writes which forecasts are numbers, and these, moved to [-`bound`, `bound`].
    fn clip<'a>(forecasts: &'a [f64], bound: f64, clipped: &'a mut [f64], present: &'a mut [bool]) -> () {
        for ((forecast, clipped), present) in forecasts.iter().zip(clipped).zip(present) {
            *present = forecast.is_finite();
            let above = if *forecast < -bound { -bound } else { *forecast };
            let inside = if above > bound { bound } else { above };
            *clipped = if *present { inside } else { 0.0 };
        }
    }
}

vectorised! {
    fn divide<'a>(weights: &'a mut [f64], by: f64) -> () {
        weights.iter_mut().for_each(|weight| *weight /= by);
    }
}

/// The largest of `least` and `size` of these numbers, without those that are NaN. Eight maxima at once hide the latency
/// of one.
fn largest(numbers: &[f64], least: f64, size: impl Fn(f64) -> f64) -> f64 {
    let mut most = [least; 8];
    for numbers in numbers.chunks(8) {
        for (most, number) in most.iter_mut().zip(numbers) {
            let size = size(*number);
            *most = if size > *most { size } else { *most };
        }
    }
    most.into_iter().fold(least, f64::max)
}

/// Writes exp of the exponents of those that are present, up to a common factor that makes the largest 1; 0 for the others.
fn exponential(weights: &mut [f64], present: &[bool], exponents: impl Iterator<Item = f64>) {
    for ((weight, here), exponent) in weights.iter_mut().zip(present).zip(exponents) {
        *weight = if *here { exponent } else { f64::NEG_INFINITY };
    }
    let largest = largest(weights, f64::NEG_INFINITY, |weight| weight);
    weights.iter_mut().for_each(|weight| *weight -= largest);
    exp_scaled(weights, 1.0);
}

impl State for Aggregation {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: rounds, last, widest, regrets[..], squares[..], scores[..], rates[..], largest[..], shown[..];
            settings);
        Ok(())
    }
}
