//! Collects what the page of a run tells, a constant amount of work for each row.

use noregret_core::learner::api::{Interval, WEIGHTS};
use noregret_report::number::significant;
use noregret_report::streamed::story::{
    IntervalStory, IntervalsSoFar, LossesSoFar, MissStory, StoryMeasure, StoryMiss, StreamStory, WeightStory,
};

use super::largest::LargestMisses;
use super::rules::RuleLosses;
use super::thinned::Thinned;
use crate::line::{ClassPrediction, OutputLine, shortest};

/// What a run is, before its first row.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoryStart {
    /// The learner, the column that it predicts, and the file.
    pub learner: String,
    pub target: String,
    pub file: String,
    /// Whether targets are classes.
    pub classes: bool,
    /// Rows with a target, and all rows, that were played before this run, and the sum of their losses.
    pub(crate) scored: u64,
    pub rows: u64,
    pub loss: f64,
    /// The names of the forecasts that are combined, and what must be said of them.
    pub weights: Vec<String>,
    pub(crate) weights_note: Option<String>,
    /// Whether intervals are predicted, and the part of the targets that they are to contain.
    pub(crate) intervals: bool,
    pub level: Option<f64>,
    /// The column that names rows.
    pub mark: Option<String>,
}

/// What was found so far.
pub(crate) struct StoryCollector {
    start: StoryStart,
    rows: u64,
    scored: u64,
    /// The losses of the learner in this run.
    loss: f64,
    rules: RuleLosses,
    losses: Thinned<LossesSoFar>,
    weights: Thinned<Vec<f64>>,
    covered: u64,
    judged: u64,
    widths: (u64, f64),
    intervals: Thinned<IntervalsSoFar>,
    misses: LargestMisses,
}

impl StoryCollector {
    /// Nothing was played.
    pub(crate) fn new(start: StoryStart) -> Self {
        Self {
            start,
            rows: 0,
            scored: 0,
            loss: 0.0,
            rules: RuleLosses::default(),
            losses: Thinned::growing(),
            weights: Thinned::even(),
            covered: 0,
            judged: 0,
            widths: (0, 0.0),
            intervals: Thinned::growing(),
            misses: LargestMisses::default(),
        }
    }

    /// Takes note of rows, each of which has `each` marks; the first of them names it.
    pub(crate) fn add_all(&mut self, lines: &[OutputLine], (marks, each): (&[String], usize)) {
        for (i, line) in lines.iter().enumerate() {
            self.add(line, if each > 0 { marks.get(i * each).map(String::as_str) } else { None });
        }
    }

    /// Takes note of a row; `mark` is what its column says that names rows.
    fn add(&mut self, line: &OutputLine, mark: Option<&str>) {
        self.rows += 1;
        let (Some(target), Some(_)) = (line.target, line.loss) else { return };
        self.scored += 1;
        self.loss = line.cumulative_loss - self.start.loss;
        match &line.told {
            Some(told) => self.rules.tell(told),
            None => self.rules.add(target),
        }
        if self.losses.due(self.scored) {
            self.losses.push(self.scored, self.averages());
        }
        if let Some(interval) = &line.interval {
            self.judge(interval, target);
        }
        let row = line.row.unwrap_or(self.start.rows + self.rows);
        let mark = || mark.unwrap_or_default().to_owned();
        match &line.told {
            Some(told) => self.misses.add(surprise(told), || of_class(told, row, mark())),
            None => {
                let error = line.prediction - target;
                self.misses.add(error.abs(), || StoryMiss {
                    row,
                    mark: mark(),
                    prediction: significant(line.prediction, 6),
                    target: brief(target),
                    error: significant(error, 6),
                });
            }
        }
    }

    /// Takes note of the weights after some rows, which are only asked for where they count.
    pub(crate) fn weigh(&mut self, weights: impl FnOnce() -> [Option<f64>; WEIGHTS]) {
        if !self.start.weights.is_empty() && self.scored > 0 && self.weights.due(self.scored) {
            let own = weights().into_iter().take(self.start.weights.len()).map(Option::unwrap_or_default);
            self.weights.push(self.scored, own.collect());
        }
    }

    fn averages(&self) -> LossesSoFar {
        let of = |sum: f64| sum / self.scored as f64;
        let (learner, usual, last) = (of(self.loss), of(self.rules.usual), of(self.rules.last));
        LossesSoFar { rows: self.scored, learner, usual, last }
    }

    fn judge(&mut self, interval: &Interval, target: f64) {
        let Interval { lower, upper, missed } = *interval;
        self.judged += 1;
        self.covered += u64::from(!missed.unwrap_or(!(lower <= target && target <= upper)));
        let width = upper - lower;
        if width.is_finite() {
            self.widths = (self.widths.0 + 1, self.widths.1 + width);
        }
        if self.intervals.due(self.judged) {
            self.intervals.push(self.judged, self.intervals_so_far());
        }
    }

    fn intervals_so_far(&self) -> IntervalsSoFar {
        let (count, sum) = self.widths;
        let coverage = self.covered as f64 / self.judged as f64;
        IntervalsSoFar { rows: self.judged, coverage, width: (count > 0).then(|| sum / count as f64) }
    }

    /// How many rows were played in this run, and how many of them had a target.
    pub(crate) fn counts(&self) -> [u64; 2] {
        [self.rows, self.scored]
    }

    /// What is told at the end, without the facts of the run; `weights` are those at the end, for which a learner without
    /// forecasts is not asked.
    pub(crate) fn ended(&self, weights: impl FnOnce() -> [Option<f64>; WEIGHTS]) -> StreamStory {
        let StoryStart { learner, target, file, .. } = self.start.clone();
        let start = &self.start;
        let losses = self.losses.ended(self.scored, (self.scored > 0).then(|| self.averages()));
        let names = start.weights.clone();
        let own = || weights().into_iter().take(names.len()).map(Option::unwrap_or_default).collect();
        let points = self.weights.ended(self.scored, (self.scored > 0 && !names.is_empty()).then(own));
        let spread = self.intervals.ended(self.judged, (self.judged > 0).then(|| self.intervals_so_far()));
        StreamStory {
            learner,
            target,
            file,
            measure: if start.classes { StoryMeasure::Classes } else { StoryMeasure::Squares },
            before: start.scored,
            losses: losses.into_iter().map(|(_, point)| point).collect(),
            weights: (!names.is_empty()).then(|| WeightStory { names, points, note: start.weights_note.clone() }),
            intervals: start.intervals.then(|| IntervalStory {
                level: start.level,
                points: spread.into_iter().map(|(_, point)| point).collect(),
                unbounded: self.judged - self.widths.0,
            }),
            misses: MissStory { mark: start.mark.clone(), rows: self.misses.rows() },
            ..StreamStory::default()
        }
    }
}

/// A number of the file in full where that is short, else with six digits.
fn brief(value: f64) -> String {
    let full = shortest(value);
    if full.len() > 8 { significant(value, 6) } else { full }
}

/// How unlikely the class of the row was held to be; a wrong class without probabilities is a miss of the smallest kind.
fn surprise(told: &ClassPrediction) -> f64 {
    match told.probability(told.class) {
        Some(probability) => -probability.ln(),
        None => f64::from(u8::from(told.predicted != told.class)) * f64::MIN_POSITIVE,
    }
}

fn of_class(told: &ClassPrediction, row: u64, mark: String) -> StoryMiss {
    let word = |word: &Option<std::sync::Arc<str>>| word.as_deref().unwrap_or("\u{2013}").to_owned();
    let error = told.probability(told.class).map_or("\u{2013}".into(), |probability| significant(probability, 3));
    StoryMiss { row, mark, prediction: word(&told.prediction), target: word(&told.target), error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::protocol::run::Scored;

    /// Rows with these targets and predictions.
    fn collected(rounds: &[(f64, f64)], start: StoryStart) -> StoryCollector {
        let mut collector = StoryCollector::new(start);
        let mut cumulative_loss = collector.start.loss;
        for (round, &(target, prediction)) in (1..).zip(rounds) {
            let loss = (target - prediction).powi(2);
            cumulative_loss += loss;
            let mut line = OutputLine::from(Scored { round, target, prediction, loss, cumulative_loss });
            line.interval = Some(Interval { lower: prediction - 1.0, upper: prediction + 1.0, missed: None });
            collector.add(&line, Some("monday"));
            collector.weigh(|| [Some(0.1); WEIGHTS]);
        }
        collector
    }

    #[test]
    fn losses_misses_and_intervals_by_hand() {
        let start = StoryStart { intervals: true, weights: vec!["a".into(), "b".into()], ..StoryStart::default() };
        let told = collected(&[(2.0, 1.0), (4.0, 4.0), (9.0, 4.0)], start).ended(|| [Some(0.5); WEIGHTS]);
        let last = told.losses.last().unwrap();
        assert_eq!((last.rows, last.learner, last.usual, last.last), (3, 26.0 / 3.0, 44.0 / 3.0, 11.0));
        let rows: Vec<(u64, &str)> = told.misses.rows.iter().map(|miss| (miss.row, miss.error.as_str())).collect();
        assert_eq!(rows, [(3, "-5.00000"), (1, "-1.00000")]);
        let end = told.intervals.unwrap().points.last().copied().unwrap();
        assert_eq!((end.coverage, end.width), (2.0 / 3.0, Some(2.0)));
        let weights = told.weights.unwrap();
        assert_eq!(weights.points, [(1, vec![0.1; 2]), (2, vec![0.1; 2]), (3, vec![0.5; 2])]);
    }

    /// A run that goes on knows nothing of the rows before it.
    #[test]
    fn what_was_played_before_is_left_out() {
        let start = StoryStart { scored: 10, rows: 12, loss: 100.0, ..StoryStart::default() };
        let told = collected(&[(2.0, 1.0), (4.0, 4.0)], start).ended(|| [None; WEIGHTS]);
        assert_eq!((told.before, told.losses[1].rows, told.losses[1].learner), (10, 2, 0.5));
        assert_eq!(told.misses.rows[0].row, 13);
    }

    #[test]
    fn targets_are_as_in_the_file_where_that_is_short() {
        assert_eq!([47.9, 598.0, 318.342430056529].map(brief), ["47.9", "598", "318.342"]);
    }

    /// The least likely class is missed most, whatever was predicted.
    #[test]
    fn classes_are_missed_by_their_probability() {
        let told = |class: usize, probabilities: Option<Vec<f64>>| ClassPrediction {
            class: Some(class),
            predicted: Some(0),
            probabilities,
            ..ClassPrediction::default()
        };
        let sizes = [told(1, Some(vec![0.9, 0.1])), told(0, Some(vec![0.9, 0.1])), told(1, None), told(0, None)];
        let sizes = sizes.each_ref().map(surprise);
        assert!(sizes.is_sorted_by(|a, b| a > b) && sizes[3] == 0.0, "{sizes:?}");
    }
}
