//! What is said about a run while it goes on and at its end: progress, metrics, and warnings.

use crate::line::{OutputLine, shortest};
use crate::metrics::{Metric, Scores};

/// The fewest rounds after which a warning is possible.
const ENOUGH: u64 = 100;

/// Watches the rounds of a run.
pub(crate) struct RoundWatch<'a> {
    say: &'a mut dyn FnMut(&str),
    progress: bool,
    metrics: Vec<Metric>,
    /// Rounds of a window, where windows are wanted.
    window: Option<u64>,
    all: Scores,
    recent: Scores,
    /// The last round before this run.
    first: Option<u64>,
    /// The last round before the window.
    before: Option<u64>,
    /// Whether there were rounds without a target.
    untargeted: bool,
    baselines: Baselines,
    majority: MajorityLoss,
    /// Whether inputs, and targets, are as they are in the file, so that scales are advised.
    unscaled: Option<[bool; 2]>,
    /// Cumulative loss and round of the last line of progress.
    last: (u64, f64),
}

impl<'a> RoundWatch<'a> {
    /// Tells the user a line.
    pub(crate) fn say(&mut self, line: &str) {
        (self.say)(line);
    }

    /// Nothing was played; `say` takes lines. With `progress`, a line after 1, 2, 4, 8, ... rounds. `unscaled` says whether
    /// inputs, and targets, are as they are in the file; None for a learner that has nothing to set.
    pub(crate) fn new(
        say: &'a mut dyn FnMut(&str),
        progress: bool,
        metrics: &[Metric],
        window: Option<u64>,
        unscaled: Option<[bool; 2]>,
    ) -> Self {
        if progress {
            say(&format!(
                "{:>12} {:>12} {:>10} {:>12} {:>12}",
                "average", "since last", "rounds", "target", "prediction"
            ));
        }
        let scores = Scores::new(metrics);
        Self {
            say,
            progress,
            metrics: metrics.to_vec(),
            window,
            all: scores.clone(),
            recent: scores,
            first: None,
            before: None,
            untargeted: false,
            baselines: Baselines::default(),
            majority: MajorityLoss::default(),
            unscaled,
            last: (0, 0.0),
        }
    }

    /// Takes note of rounds that were learned from.
    pub(crate) fn add(&mut self, lines: &[OutputLine]) {
        for line in lines {
            let before = *self.before.get_or_insert(line.round.saturating_sub(1));
            self.first.get_or_insert(before);
            let (Some(target), Some(loss), false) = (line.target, line.loss, line.early) else {
                self.untargeted |= line.target.is_none();
                continue;
            };
            let round = Learned { target, loss, prediction: line.prediction };
            match line.told.as_deref().and_then(|told| told.class) {
                Some(class) => self.majority.add(class, loss),
                None => self.baselines.add(&round),
            }
            if !self.metrics.is_empty() {
                for scores in [&mut self.all, &mut self.recent] {
                    match &line.told {
                        Some(told) => scores.tell(told),
                        None => scores.add(round.prediction, round.target),
                    }
                }
                if self.window.is_some_and(|window| self.recent.rounds >= window) {
                    let scores = self.recent.line(&self.metrics);
                    (self.say)(&format!("rounds {} to {}: {scores}", before + 1, line.round));
                    (self.before, self.recent) = (Some(line.round), Scores::new(&self.metrics));
                }
            }
            let (count, loss) =
                (self.baselines.rounds + self.majority.rounds, self.baselines.loss + self.majority.loss);
            if self.progress && count.is_power_of_two() {
                let recent = (loss - self.last.1) / (count - self.last.0).max(1) as f64;
                let numbers = [loss / count as f64, recent].map(brief);
                let [target, prediction] = match &line.told {
                    Some(told) => {
                        [&told.target, &told.prediction].map(|word| word.as_deref().unwrap_or("-").to_owned())
                    }
                    None => [target, round.prediction].map(brief),
                };
                (self.say)(&format!("{:>12} {:>12} {count:>10} {target:>12} {prediction:>12}", numbers[0], numbers[1]));
                self.last = (count, loss);
            }
        }
    }

    /// Says the metrics of all rounds, and what is wrong with a learner that does nothing useful.
    pub(crate) fn finish(&mut self) {
        if !self.metrics.is_empty() {
            let line = self.all.line(&self.metrics);
            let with = if self.untargeted { " with a target" } else { "" };
            (self.say)(&match self.first {
                Some(first @ 1..) if self.all.rounds == 1 => format!("1 round{with} after round {first}: {line}"),
                Some(first @ 1..) => format!("{} rounds{with} after round {first}: {line}", self.all.rounds),
                _ => format!("all {} rounds{with}: {line}", self.all.rounds),
            });
        }
        for warning in
            self.baselines.warnings(self.unscaled).into_iter().chain(self.majority.warning(self.unscaled.is_some()))
        {
            (self.say)(&format!("warning: {warning}"));
        }
    }
}

/// Six digits, with an exponent where a number is very large or small.
fn brief(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e6).contains(&size) { format!("{number:.6}") } else { format!("{number:.4e}") }
}

/// A round that was learned from.
struct Learned {
    target: f64,
    prediction: f64,
    loss: f64,
}

/// Why a learner that has no parameters may do nothing useful.
const NOTHING_SAID: &str = "the inputs may say nothing about the target";

/// What predicting the most frequent of the earlier classes would have cost.
#[derive(Clone, Debug, Default)]
struct MajorityLoss {
    rounds: u64,
    loss: f64,
    of_most: f64,
    counts: Vec<u64>,
    most: usize,
}

impl MajorityLoss {
    fn add(&mut self, class: usize, loss: f64) {
        self.rounds += 1;
        self.loss += loss;
        // Before the first round no class is known.
        self.of_most += f64::from(u8::from(self.rounds == 1 || self.most != class));
        self.counts.resize(self.counts.len().max(class + 1), 0);
        self.counts[class] += 1;
        if self.counts[class] > self.counts[self.most] {
            self.most = class;
        }
    }

    /// That the learner does nothing useful, where it does not.
    fn warning(&self, tunable: bool) -> Option<String> {
        let advice = if tunable { "other parameters may help" } else { NOTHING_SAID };
        let average = |sum: f64| shortest(sum / self.rounds as f64);
        (self.rounds >= ENOUGH && self.loss > self.of_most).then(|| {
            format!(
                "the error rate {} is above that of predicting the most frequent of the earlier classes, {}: {advice}",
                average(self.loss),
                average(self.of_most)
            )
        })
    }
}

/// What trivial predictions would have cost.
#[derive(Clone, Debug, Default)]
struct Baselines {
    rounds: u64,
    loss: f64,
    /// The losses of 0 and of the mean of earlier targets.
    of_zero: f64,
    of_mean: f64,
    mean: f64,
    /// The smallest and the largest prediction, and how often each was made.
    low: (f64, u64),
    high: (f64, u64),
}

impl Baselines {
    fn add(&mut self, round: &Learned) {
        self.rounds += 1;
        self.loss += round.loss;
        self.of_zero += round.target.powi(2);
        self.of_mean += (round.target - self.mean).powi(2);
        self.mean += (round.target - self.mean) / self.rounds as f64;
        let first = self.rounds == 1;
        let tally = |(extreme, count): &mut (f64, u64), beyond: bool| {
            if beyond || first {
                (*extreme, *count) = (round.prediction, 1);
            } else if round.prediction == *extreme {
                *count += 1;
            }
        };
        let beyond = (round.prediction < self.low.0, round.prediction > self.high.0);
        tally(&mut self.low, beyond.0);
        tally(&mut self.high, beyond.1);
    }

    /// Why the learner does nothing useful, where it does not.
    fn warnings(&self, unscaled: Option<[bool; 2]>) -> Vec<String> {
        let [inputs, targets] = unscaled.unwrap_or_default();
        if self.rounds < ENOUGH || self.loss <= 0.0 {
            return Vec::new();
        }
        let average = |sum: f64| shortest(sum / self.rounds as f64);
        let mut warnings = Vec::new();
        let stuck = |(value, count): (f64, u64)| {
            (2 * count > self.rounds && self.low.0 < self.high.0).then_some((value, count))
        };
        if (self.loss - self.of_zero).abs() <= 1e-3 * self.of_zero && self.of_mean < 0.999 * self.of_zero {
            let scale = if inputs { "--scale epochs, " } else { "" };
            let target_scale = if targets { " (--target-scale epochs)" } else { "" };
            warnings.push(format!(
                "the losses are those of predicting 0 in every round (average {}), so the learner learned nothing: are \
                 inputs so far apart that its kernel is 0 between them ({scale}a larger bandwidth), or targets far larger \
                 than its predictions may be{target_scale}?",
                average(self.of_zero)
            ));
        } else if self.loss > self.of_mean * (1.0 + 1e-6) {
            let scales = match (inputs, targets) {
                (true, true) => " or scales (--scale epochs --target-scale epochs)",
                (true, false) => " or scales (--scale epochs)",
                (false, true) => " or scales (--target-scale epochs)",
                (false, false) => "",
            };
            let advice = match unscaled {
                Some(_) => format!("other parameters{scales} may help"),
                None => NOTHING_SAID.to_owned(),
            };
            warnings.push(format!(
                "the average loss {} is above that of predicting the mean of the earlier targets, {}: {advice}",
                average(self.loss),
                average(self.of_mean)
            ));
        }
        if let Some((value, count)) = stuck(self.low).or(stuck(self.high)).filter(|_| unscaled.is_some()) {
            let scale = if targets { " (--target-scale epochs brings targets near 0)" } else { "" };
            warnings.push(format!(
                "{count} of {} predictions are {}, the bound of all: does a clip or a radius hold them there{scale}?",
                self.rounds,
                shortest(value)
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::protocol::run::Scored;

    /// The warnings about a learner that predicts `f(round, target)`.
    fn warnings(targets: &[f64], f: impl Fn(usize, f64) -> f64) -> Vec<String> {
        let mut baselines = Baselines::default();
        for (i, &target) in targets.iter().enumerate() {
            let prediction = f(i, target);
            baselines.add(&Learned { target, prediction, loss: (prediction - target).powi(2) });
        }
        baselines.warnings(Some([true; 2]))
    }

    #[test]
    fn useless_learners_are_told_and_useful_ones_are_not() {
        let targets: Vec<f64> = (0..100).map(|i| 100.0 + f64::from(i % 7)).collect();
        let said = |f: fn(usize, f64) -> f64| warnings(&targets, f).join("; ");
        assert_eq!(said(|_, y| y + 0.1), "");
        assert!(said(|i, _| 1e-3 * i as f64 / 100.0).contains("predicting 0"));
        assert!(said(|i, _| 90.0 + i as f64 % 2.0).contains("mean of the earlier targets"));
        assert!(said(|i, _| f64::from(i as u32).min(10.0)).contains("90 of 100 predictions are 10"));
        // Too few rounds to tell.
        assert!(warnings(&targets[..20], |_, _| 0.0).is_empty());
        // Targets around 0: 0 is as good as the mean.
        let centred: Vec<f64> = (0..100).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert_eq!(warnings(&centred, |_, _| 0.0), Vec::<String>::new());
    }

    #[test]
    fn more_errors_than_the_most_frequent_class_are_told() {
        let said = |loss: fn(usize) -> f64| {
            let mut majority = MajorityLoss::default();
            (0..200).for_each(|t| majority.add(usize::from(t % 4 == 0), loss(t)));
            majority.warning(true)
        };
        assert_eq!(said(|t| f64::from(u8::from(t % 4 == 0))), None);
        assert!(said(|t| f64::from(u8::from(t % 3 == 0))).unwrap().contains("0.335"));
        // Before the first row no class is known, whichever it is.
        let mut majority = MajorityLoss::default();
        (0..100).for_each(|_| majority.add(0, 0.0));
        assert_eq!(majority.of_most, 1.0);
    }

    #[test]
    fn windows_and_progress() {
        let mut lines = Vec::new();
        let mut say = |line: &str| lines.push(line.to_owned());
        let mut watch = RoundWatch::new(&mut say, true, &[Metric::Absolute], Some(4), Some([false; 2]));
        for round in 1..=9u64 {
            let cumulative_loss = round as f64;
            let learned = Scored { round, target: 1.0, prediction: 0.0, loss: 1.0, cumulative_loss };
            watch.add(&[learned.into()]);
        }
        watch.finish();
        assert_eq!(lines.len(), 1 + 4 + 2 + 1, "{lines:?}");
        assert!(lines.contains(&"rounds 5 to 8: absolute 1.000000".to_owned()), "{lines:?}");
        assert_eq!(lines.last().unwrap(), "all 9 rounds: absolute 1.000000");

        // After rounds that an earlier run has played.
        let mut lines = Vec::new();
        let mut say = |line: &str| lines.push(line.to_owned());
        let mut watch = RoundWatch::new(&mut say, false, &[Metric::Absolute], None, None);
        watch.add(&[Scored { round: 501, target: 1.0, prediction: 0.0, loss: 1.0, cumulative_loss: 9.0 }.into()]);
        watch.finish();
        assert_eq!(lines, ["1 round after round 500: absolute 1.000000"]);
    }
}
