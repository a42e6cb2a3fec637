//! Metrics of predictions by name.

use clap::ValueEnum;

use noregret_core::loss::api::Loss;
use noregret_core::loss::logistic::Logistic;
use noregret_model::running::Running;

/// A metric of the rounds of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Metric {
    /// The mean of (prediction - target)²
    Squared,
    /// The mean of |prediction - target|
    Absolute,
    /// The share of wrong classes: by the sign for targets -1 and 1, by 1/2 for targets 0 and 1
    Error,
    /// The mean of -ln p, where p is the predicted probability of the class: the prediction for targets 0 and 1, (1 +
    /// prediction) / 2 for targets -1 and 1, within [1e-15, 1 - 1e-15]
    Log,
    /// The mean of ln(1 + exp(-prediction)) for the upper class and of ln(1 + exp(prediction)) for the lower one: predictions
    /// are logits, as those of aioli-taylor, aioli-fourier, and coin betting with the logistic loss
    Logistic,
    /// The probability that a row of the upper class is predicted above one of the lower class
    Auc,
    /// 1 - (sum of squared errors) / (sum of squared differences of the targets from their mean)
    R2,
}

impl Metric {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Squared => "squared",
            Metric::Absolute => "absolute",
            Metric::Error => "error",
            Metric::Log => "log",
            Metric::Logistic => "logistic",
            Metric::Auc => "auc",
            Metric::R2 => "r2",
        }
    }
}

/// The most rounds whose predictions are kept for the AUC.
const MOST_RANKED: usize = 1 << 22;

/// The smallest probability.
const LEAST: f64 = 1e-15;

/// The metrics of some rounds.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    rounds: u64,
    squared: f64,
    absolute: f64,
    /// Wrong classes and log losses, by the sign and by 1/2.
    wrong: [f64; 2],
    log: [f64; 2],
    logistic: f64,
    /// Whether a target was neither -1 nor 1, and whether one was neither 0 nor 1.
    other: [bool; 2],
    targets: Running,
    /// Predictions and whether the class is the upper one, where `ranks` are wanted.
    ranked: Vec<(f64, bool)>,
    ranks: bool,
}

impl Scores {
    /// No rounds; `metrics` will be asked for.
    pub fn new(metrics: &[Metric]) -> Self {
        Self { ranks: metrics.contains(&Metric::Auc), ..Self::default() }
    }

    /// Number of rounds.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Adds a round.
    pub fn add(&mut self, prediction: f64, target: f64) {
        self.rounds += 1;
        self.squared += (prediction - target).powi(2);
        self.absolute += (prediction - target).abs();
        self.targets.observe(target);
        for (i, (low, middle)) in [(-1.0, 0.0), (0.0, 0.5)].into_iter().enumerate() {
            self.other[i] |= target != low && target != 1.0;
            let above = prediction - middle;
            self.wrong[i] += match (above == 0.0, (above > 0.0) == (target > middle)) {
                (true, _) => 0.5,
                (_, right) => f64::from(u8::from(!right)),
            };
            let upper = ((prediction - low) / (1.0 - low)).clamp(LEAST, 1.0 - LEAST);
            self.log[i] -= if target > middle { upper.ln() } else { (1.0 - upper).ln() };
        }
        self.logistic += Logistic.of(prediction, if target > 0.0 { 1.0 } else { -1.0 });
        if self.ranks && self.ranked.len() < MOST_RANKED {
            self.ranked.push((prediction, target > 0.0));
        }
    }

    /// The metric, or None where it has no meaning for these targets.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        let rounds = self.rounds as f64;
        if self.rounds == 0 {
            return None;
        }
        let coding = self.other.iter().position(|other| !other);
        match metric {
            Metric::Squared => Some(self.squared / rounds),
            Metric::Absolute => Some(self.absolute / rounds),
            Metric::Error => coding.map(|coding| self.wrong[coding] / rounds),
            Metric::Log => coding.map(|coding| self.log[coding] / rounds),
            Metric::Logistic => coding.map(|_| self.logistic / rounds),
            Metric::Auc => coding.and_then(|_| auc(self.ranked.clone())),
            Metric::R2 => {
                let total = self.targets.deviation().powi(2) * rounds;
                (self.rounds > 1 && self.targets.spreads()).then(|| 1.0 - self.squared / total)
            }
        }
    }

    /// The metrics in one line.
    pub fn line(&self, metrics: &[Metric]) -> String {
        let value = |&metric: &Metric| match self.get(metric) {
            Some(value) => format!("{} {value:.6}", metric.name()),
            None => format!("{} -", metric.name()),
        };
        metrics.iter().map(value).collect::<Vec<_>>().join(", ")
    }
}

/// The share of pairs of an upper and a lower class whose predictions are in the right order; equal ones count one
/// half.
fn auc(mut ranked: Vec<(f64, bool)>) -> Option<f64> {
    ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut lower, mut upper, mut pairs) = (0.0, 0.0, 0.0);
    for equal in ranked.chunk_by(|a, b| a.0 == b.0) {
        let ups = equal.iter().filter(|(_, up)| *up).count() as f64;
        let downs = equal.len() as f64 - ups;
        pairs += ups * (lower + 0.5 * downs);
        lower += downs;
        upper += ups;
    }
    (lower > 0.0 && upper > 0.0).then(|| pairs / (lower * upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Metric; 7] =
        [Metric::Squared, Metric::Absolute, Metric::Error, Metric::Log, Metric::Auc, Metric::R2, Metric::Logistic];

    fn scores(rounds: &[(f64, f64)]) -> Vec<Option<f64>> {
        let mut scores = Scores::new(&ALL);
        rounds.iter().for_each(|&(prediction, target)| scores.add(prediction, target));
        ALL.iter().map(|&metric| scores.get(metric)).collect()
    }

    #[test]
    fn by_hand() {
        // Targets -1 and 1: errors 0, 1, 1/2; probabilities of the class 0.75, 0.4, 0.5; pairs 1/2 of 2 in order...
        // see below.
        let found = scores(&[(0.5, 1.0), (0.2, -1.0), (0.0, 1.0)]);
        let log = -(0.75f64.ln() + 0.4f64.ln() + 0.5f64.ln()) / 3.0;
        let logistic = ((-0.5f64).exp().ln_1p() + 0.2f64.exp().ln_1p() + 2f64.ln()) / 3.0;
        let squared = (0.25 + 1.44 + 1.0) / 3.0;
        let total = 2.0 * (1.0f64 - 1.0 / 3.0).powi(2) + (1.0f64 + 1.0 / 3.0).powi(2);
        let expected = [squared, (0.5 + 1.2 + 1.0) / 3.0, 0.5, log, 0.5, 1.0 - 3.0 * squared / total, logistic];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?} {expected}");
        }
        // Targets 0 and 1.
        let found = scores(&[(0.9, 1.0), (0.6, 0.0), (0.6, 1.0), (-3.0, 0.0)]);
        assert_eq!((found[2], found[4]), (Some(0.25), Some(0.875)));
        assert!((found[3].unwrap() + (0.9f64.ln() + 0.4f64.ln() + 0.6f64.ln()) / 4.0).abs() < 1e-9);
        let upper = (-0.9f64).exp().ln_1p() + (-0.6f64).exp().ln_1p();
        let lower = 0.6f64.exp().ln_1p() + (-3f64).exp().ln_1p();
        assert!((found[6].unwrap() - (upper + lower) / 4.0).abs() < 1e-12);
        // A logit of any size has a finite log loss.
        assert_eq!(scores(&[(-800.0, 1.0)])[6], Some(800.0));
        // Other targets have no classes, and equal ones no R2.
        let found = scores(&[(1.0, 2.5), (1.0, 1.0)]);
        assert_eq!((found[2], found[3], found[4], found[6]), (None, None, None, None));
        assert_eq!(scores(&[(1.0, 2.5), (1.0, 2.5)])[5], None);
        assert_eq!(scores(&[]), [None; 7]);
    }
}
