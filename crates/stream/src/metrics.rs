//! Metrics of predictions by name.

use clap::ValueEnum;

use crate::line::ClassPrediction;
use noregret_core::learner::classes::LEAST as LEAST_OF_CLASSES;
use noregret_core::loss::api::Loss;
use noregret_core::loss::logistic::Logistic;
use noregret_model::running::Running;
use noregret_report::number::significant;

/// A metric of the rounds of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Metric {
    /// The mean of (prediction - target)²
    Squared,
    /// The mean of |prediction - target|
    Absolute,
    /// The root of the mean of (prediction - target)²
    Rmse,
    /// The mean of |prediction - target|, by its other name
    Mae,
    /// The share of wrong classes: by the sign for targets -1 and 1, by 1/2 for targets 0 and 1; a prediction
    /// of exactly that counts as half an error
    Error,
    /// The share of right classes
    Accuracy,
    /// The mean of -ln p, where p is the probability of the class of the row. Of targets that are numbers it is the prediction
    /// for 0 and 1, and (1 + prediction) / 2 for -1 and 1, within [1e-15, 1 - 1e-15]
    Log,
    /// Half the mean of the sum over classes of (p - 1 if it is the class of the row, else 0)², with the same p: for two
    /// classes, (p - 1)²
    Brier,
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
    pub(crate) fn name(self) -> &'static str {
        match self {
            Metric::Squared => "squared",
            Metric::Absolute => "absolute",
            Metric::Rmse => "rmse",
            Metric::Mae => "mae",
            Metric::Error => "error",
            Metric::Accuracy => "accuracy",
            Metric::Log => "log",
            Metric::Brier => "brier",
            Metric::Logistic => "logistic",
            Metric::Auc => "auc",
            Metric::R2 => "r2",
        }
    }

    /// Whether it is in the unit of the target, or in its square, and not a share.
    fn has_unit(self) -> bool {
        matches!(self, Metric::Squared | Metric::Absolute | Metric::Rmse | Metric::Mae)
    }
}

/// A metric with six decimals, or, where it is small and has a unit, which may be a large one, with six digits.
pub fn printed(value: f64, has_unit: bool) -> String {
    if has_unit && value != 0.0 && value < 0.1 { significant(value, 6) } else { format!("{value:.6}") }
}

/// The most rounds whose predictions are kept for the AUC.
const MOST_RANKED: usize = 1 << 22;

/// The smallest probability.
const LEAST: f64 = 1e-15;

/// Sums over rounds whose targets are classes in the words of the file.
#[derive(Clone, Debug, Default)]
struct ClassSums {
    wrong: f64,
    /// Rounds with probabilities, the sum of their log losses, and that of their Brier scores.
    told: u64,
    log: f64,
    brier: f64,
    /// The number of classes.
    classes: usize,
}

/// The metrics of some rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scores {
    /// Number of rounds.
    pub rounds: u64,
    squared: f64,
    absolute: f64,
    /// Wrong classes, log losses and Brier scores, by the sign and by 1/2.
    wrong: [f64; 2],
    log: [f64; 2],
    brier: [f64; 2],
    logistic: f64,
    /// Whether a target was neither -1 nor 1, and whether one was neither 0 nor 1.
    other: [bool; 2],
    /// The first target, and by how much the targets differ from it: the squares of large ones would leave no digits.
    first: Option<f64>,
    targets: Running,
    /// Predictions and whether the class is the upper one, where `ranks` are wanted.
    ranked: Vec<(f64, bool)>,
    ranks: bool,
    /// Of classes in words.
    words: Option<ClassSums>,
}

impl Scores {
    /// No rounds; `metrics` will be asked for.
    pub(crate) fn new(metrics: &[Metric]) -> Self {
        Self { ranks: metrics.contains(&Metric::Auc), ..Self::default() }
    }

    /// Adds a round.
    pub(crate) fn add(&mut self, prediction: f64, target: f64) {
        self.rounds += 1;
        self.squared += (prediction - target).powi(2);
        self.absolute += (prediction - target).abs();
        self.targets.observe(target - *self.first.get_or_insert(target));
        for (i, (low, middle)) in [(-1.0, 0.0), (0.0, 0.5)].into_iter().enumerate() {
            self.other[i] |= target != low && target != 1.0;
            let above = prediction - middle;
            self.wrong[i] += match (above == 0.0, (above > 0.0) == (target > middle)) {
                (true, _) => 0.5,
                (_, right) => f64::from(u8::from(!right)),
            };
            let upper = ((prediction - low) / (1.0 - low)).clamp(LEAST, 1.0 - LEAST);
            let p = if target > middle { upper } else { 1.0 - upper };
            self.log[i] -= p.ln();
            self.brier[i] += (p - 1.0).powi(2);
        }
        self.logistic += Logistic.of(prediction, if target > 0.0 { 1.0 } else { -1.0 });
        if self.ranks && self.ranked.len() < MOST_RANKED {
            self.ranked.push((prediction, target > 0.0));
        }
    }

    /// Adds a round whose target is a class.
    pub(crate) fn tell(&mut self, told: &ClassPrediction) {
        let Some(class) = told.class else { return };
        self.rounds += 1;
        let sums = self.words.get_or_insert_default();
        sums.wrong += f64::from(u8::from(told.predicted != Some(class)));
        sums.classes = sums.classes.max(class + 1);
        let Some(probabilities) = &told.probabilities else { return };
        let own = probabilities.get(class).copied().unwrap_or(LEAST_OF_CLASSES);
        let others = probabilities.iter().enumerate().filter(|(k, _)| *k != class).map(|(_, p)| p * p);
        sums.told += 1;
        sums.log -= own.ln();
        sums.brier += 0.5 * ((own - 1.0).powi(2) + others.sum::<f64>());
        if self.ranks && self.ranked.len() < MOST_RANKED {
            let upper = probabilities.get(1).copied();
            let lower = probabilities.first().map(|p| 1.0 - p);
            self.ranked.push((upper.or(lower).unwrap_or(0.5), class == 1));
        }
    }

    /// The metric of classes.
    fn of_classes(&self, sums: &ClassSums, metric: Metric) -> Option<f64> {
        let told = (sums.told > 0).then_some(sums.told as f64);
        match metric {
            Metric::Error => Some(sums.wrong / self.rounds as f64),
            Metric::Accuracy => Some(1.0 - sums.wrong / self.rounds as f64),
            Metric::Log => Some(sums.log / told?),
            Metric::Brier => Some(sums.brier / told?),
            Metric::Auc if sums.classes == 2 => auc(self.ranked.clone()),
            _ => None,
        }
    }

    /// The metric, or None where it has no meaning for these targets.
    pub(crate) fn get(&self, metric: Metric) -> Option<f64> {
        let rounds = self.rounds as f64;
        if self.rounds == 0 {
            return None;
        }
        if let Some(sums) = &self.words {
            return self.of_classes(sums, metric);
        }
        let coding = self.other.iter().position(|other| !other);
        match metric {
            Metric::Squared => Some(self.squared / rounds),
            Metric::Absolute | Metric::Mae => Some(self.absolute / rounds),
            Metric::Rmse => Some((self.squared / rounds).sqrt()),
            Metric::Error => coding.map(|coding| self.wrong[coding] / rounds),
            Metric::Accuracy => coding.map(|coding| 1.0 - self.wrong[coding] / rounds),
            Metric::Brier => coding.map(|coding| self.brier[coding] / rounds),
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
    pub(crate) fn line(&self, metrics: &[Metric]) -> String {
        let value = |&metric: &Metric| match self.get(metric) {
            Some(value) => format!("{} {}", metric.name(), printed(value, metric.has_unit())),
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
    fn small_losses_keep_their_digits() {
        let losses = [4052.1027534, 0.25, 0.0, 0.001831942, 1.8319421e-9].map(|value| printed(value, true));
        assert_eq!(losses, ["4052.102753", "0.250000", "0.000000", "0.00183194", "1.83194e-9"]);
        assert_eq!([0.025, -0.01].map(|value| printed(value, false)), ["0.025000", "-0.010000"]);
    }

    /// R2 is that of the differences, however far from zero the targets are.
    #[test]
    fn r2_of_large_targets_keeps_its_digits() {
        let r2 = |from: f64| {
            let mut scores = Scores::new(&ALL);
            (0..150).for_each(|i| scores.add(from + f64::from(i % 7), from + f64::from(i * i % 11)));
            scores.get(Metric::R2).unwrap()
        };
        assert_eq!([1e12, -1e15].map(|from| (r2(from) - r2(0.0)).abs() < 1e-12), [true; 2]);
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

    #[test]
    fn names_of_the_same_and_of_the_opposite() {
        let all = [Metric::Squared, Metric::Rmse, Metric::Mae, Metric::Accuracy, Metric::Brier];
        let mut scores = Scores::new(&all);
        [(0.5, 1.0), (0.2, -1.0), (0.0, 1.0)].iter().for_each(|&(prediction, target)| scores.add(prediction, target));
        let found = all.map(|metric| scores.get(metric).unwrap());
        let brier = (0.25f64.powi(2) + 0.6f64.powi(2) + 0.25) / 3.0;
        let expected = [2.69 / 3.0, (2.69f64 / 3.0).sqrt(), 1.7 / 3.0 + 1.0 / 3.0, 0.5, brier];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    /// Three rounds: right with .7, wrong with .2 for the class of the row, and a class that was not known yet.
    #[test]
    fn classes_by_hand() {
        let told = |class, predicted, probabilities: &[f64]| ClassPrediction {
            class: Some(class),
            predicted: Some(predicted),
            probabilities: Some(probabilities.to_vec()),
            ..ClassPrediction::default()
        };
        let all = [Metric::Error, Metric::Accuracy, Metric::Log, Metric::Brier, Metric::Auc, Metric::Squared];
        let mut scores = Scores::new(&all);
        scores.tell(&told(0, 0, &[0.7, 0.3]));
        scores.tell(&told(1, 0, &[0.8, 0.2]));
        assert_eq!(scores.get(Metric::Auc), Some(0.0));
        scores.tell(&told(2, 0, &[0.6, 0.4]));
        let found = all.map(|metric| scores.get(metric));
        let log = -(0.7f64.ln() + 0.2f64.ln() + 1e-6f64.ln()) / 3.0;
        let brier = (0.09 + 0.64 + 0.5 * ((1.0 - 1e-6f64).powi(2) + 0.36 + 0.16)) / 3.0;
        for (found, expected) in found.iter().zip([2.0 / 3.0, 1.0 / 3.0, log, brier]) {
            assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?} {expected}");
        }
        assert_eq!(found[4..], [None, None]);
        // A row that was predicted before has no probabilities, and counts as an error.
        scores.tell(&ClassPrediction { probabilities: None, ..told(1, 0, &[]) });
        assert_eq!((scores.get(Metric::Error), scores.get(Metric::Log)), (Some(0.75), found[2]));
    }
}
