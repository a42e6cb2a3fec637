//! The rounds of a stream: played in blocks or one by one, at once or later, written and saved.

use std::cmp::Ordering;
use std::io::{Write as _, stderr};

use crate::ahead;
use crate::checkpoint::Saver;
use crate::classes::Words;
use crate::distribution::StdNoise;
use crate::error::StreamError;
use crate::feed::RowFeed;
use crate::further::{self, FurtherLearner};
use crate::group::GroupLearners;
use crate::intact::ReadFile;
use crate::kept::mark;
use crate::learner::Learnt;
use crate::line::OutputLine;
use crate::output::{Sink, WriteStatus};
use crate::played::{Wish, play_rows, predicted};
use crate::story::page::RunStory;
use crate::watch::RoundWatch;
use noregret_core::learner::api::{Block, Interval};
use noregret_core::protocol::run::{Scored, Stop};
use noregret_data::encode::marks::MarkOrder;
use noregret_model::header::Position;
use noregret_model::service::Waiting;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;
use noregret_platform::signals::Hold;

/// A number below 2^53 for the name of a row.
fn name(id: &str) -> u64 {
    mark(id.as_bytes()) >> 11
}

/// Why a run ended.
pub(crate) enum RunEnd {
    /// There are no further rows.
    AllPlayed,
    /// The reader of the output went away.
    ReaderLeft,
    /// The user stopped it.
    Interrupted,
    /// In this round.
    Diverged(u64, Stop),
    /// A row cannot be read.
    Unreadable(StreamError),
    /// The output cannot be written.
    Unwritten(StreamError),
}

/// When rows are learnt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// At once.
    Never,
    /// After so many further rows.
    By(u64),
    /// When a row of the same name has a target.
    Named,
}

/// A run under way.
pub(crate) struct StreamRun<'a> {
    /// What was learnt.
    pub state: Learnt,
    /// The input, if it is a file.
    pub file: Option<ReadFile>,
    /// What was learnt of further targets, or at further horizons.
    pub further: Vec<FurtherLearner>,
    /// The learners of groups, where there are any. Then `state` has learnt nothing but the losses of all.
    pub groups: Option<GroupLearners>,
    /// The horizons, where there are any.
    pub ahead: Vec<u64>,
    /// Whether rows have weights, which stand where further targets would.
    pub(crate) weighted: bool,
    /// The learner's own draws.
    pub draws: Draws,
    /// The rows.
    pub feed: RowFeed,
    /// Where rounds go.
    pub(crate) sink: Sink,
    /// Where models go.
    pub(crate) saver: Option<Saver>,
    /// What is said.
    pub(crate) watch: RoundWatch<'a>,
    /// What is told on a page of its own.
    pub(crate) story: Option<RunStory>,
    /// Whether rounds are played one by one.
    pub(crate) single: bool,
    /// The most rows that are read at once.
    pub(crate) most: u64,
    /// Whether the weights of forecasts are written; rounds are then played one by one.
    pub weights: bool,
    /// Whether what is known of targets is written, and what is believed of their noise.
    pub std: Option<StdNoise>,
    /// The classes so far, where targets are classes.
    pub words: Option<Words>,
    /// When rows are learnt.
    pub(crate) late: Late,
    /// Whether the first mark of each row is its position.
    pub position: bool,
    /// Whether rows up to the last position of an earlier run are passed over.
    pub(crate) passes_over: bool,
    /// How positions are written.
    pub(crate) places: MarkOrder,
    /// The last position.
    pub last: Option<String>,
    /// How many rows stood there.
    pub(crate) level: u64,
    /// Whether it was said that a position is missing, or does not grow.
    pub(crate) astray: bool,
    /// Rows that waited, and were given up because a later one had their name.
    pub(crate) replaced: u64,
    /// The last round.
    pub round: u64,
    /// How many rows of the input were played.
    pub rows: u64,
}

impl StreamRun<'_> {
    /// Plays all rows. Blocks end at fixed rounds and at saves, so that the same saves give the same bits.
    pub(crate) fn play_all(&mut self, interrupted: &dyn Fn() -> bool) -> Result<RunEnd, StreamError> {
        let (mut inputs, mut targets, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            if interrupted() {
                return Ok(RunEnd::Interrupted);
            }
            inputs.clear();
            targets.clear();
            lines.clear();
            let to_save = self.saver.as_ref().map_or(u64::MAX, |saver| saver.ahead(self.round));
            let most = self.groups.as_ref().map_or(self.most, |groups| groups.batch().min(self.most));
            let asked = (most - self.round % most).min(to_save) as usize;
            let next = self.feed.next_block(asked, &mut inputs, &mut targets);
            for said in self.feed.take_said() {
                // Also where nothing else is said: such a row is lost. Nothing can be done where standard error is closed.
                let _ = writeln!(stderr(), "passed over: {said}");
            }
            let count = match next {
                Ok(0) => return Ok(RunEnd::AllPlayed),
                Ok(count) => count,
                // A wait for further rows that a signal has ended.
                Err(_) if interrupted() => return Ok(RunEnd::Interrupted),
                Err(error) if self.rows == 0 => return Err(error),
                Err(error) => return Ok(RunEnd::Unreadable(error)),
            };
            let hold = Hold::take();
            if let (Some(words), Some(all)) = (&mut self.words, self.feed.classes()) {
                words.extend_to(all);
            }
            let rows = Rows::new(self.feed.dim, &inputs);
            let block = Block { first_round: self.round + 1, inputs: rows, targets: &targets };
            let outcome = match self.late {
                _ if self.groups.is_some() => self.play_groups(block, &mut lines)?,
                Late::Never => self.play_further(block, &mut lines),
                _ => self.play_late(block, &mut lines),
            };
            drop(hold);
            lines.iter_mut().zip(&self.feed.unseen).for_each(|(line, count)| line.unseen = Some(*count));
            self.note_position(lines.len());
            if let Some(numbers) = &self.feed.numbers {
                lines.iter_mut().zip(numbers).for_each(|(line, number)| line.row = Some(*number));
            }
            self.note(&lines);
            let written = self.write(&lines);
            self.round += lines.len() as u64;
            self.rows += lines.len() as u64;
            let written = match written {
                Ok(written) => written,
                Err(error) if self.saver.is_none() => return Err(error),
                Err(error) => return Ok(RunEnd::Unwritten(error)),
            };
            if written == WriteStatus::ReaderLeft {
                return Ok(RunEnd::ReaderLeft);
            }
            if let Err(stop) = outcome {
                return Ok(RunEnd::Diverged(self.round + 1, stop));
            }
            if count as u64 == to_save && self.save()? == WriteStatus::ReaderLeft {
                return Ok(RunEnd::ReaderLeft);
            }
        }
    }

    /// Plays the rows of a block that have targets, and predicts the others.
    fn play(&mut self, block: Block<'_>, lines: &mut Vec<OutputLine>) -> Result<(), Stop> {
        let sample_weights = if self.weighted { &self.feed.further[..] } else { &[] };
        let wish = Wish { words: self.words.as_ref(), weights: self.weights, std: self.std, sample_weights };
        play_rows(&mut self.state, &self.draws, wish, block, lines)
    }

    /// The same by the learners of groups.
    fn play_groups(&mut self, block: Block<'_>, lines: &mut Vec<OutputLine>) -> Result<Result<(), Stop>, StreamError> {
        let Self { groups: Some(groups), feed, state, .. } = self else { return Ok(Ok(())) };
        let sample_weights = if self.weighted { &feed.further[..] } else { &[] };
        let wish = Wish { words: self.words.as_ref(), weights: false, std: self.std, sample_weights };
        let (each, at) = if self.position { (2, 1) } else { (1, 0) };
        groups.play(block, feed.marks.iter().skip(at).step_by(each), (wish, &mut state.tally), lines)
    }

    /// The same, for further targets and horizons, too.
    fn play_further(&mut self, block: Block<'_>, lines: &mut Vec<OutputLine>) -> Result<(), Stop> {
        self.play(block, lines)?;
        let wish = Wish { std: self.std, ..Wish::default() };
        further::play(&mut self.further, wish, block, &self.feed.further, lines)
    }

    /// Writes the lines of rounds, one for each horizon.
    fn write(&mut self, lines: &[OutputLine]) -> Result<WriteStatus, StreamError> {
        match self.ahead.is_empty() {
            true => self.sink.write(lines),
            false => self.sink.write(&ahead::spread(lines, &self.ahead)),
        }
    }

    /// Takes note of rounds, for what is said and told of them.
    fn note(&mut self, lines: &[OutputLine]) {
        self.watch.add(lines);
        if let Some(story) = &mut self.story {
            let each = usize::from(self.position) + usize::from(self.late == Late::Named);
            story.collector.add_all(lines, (&self.feed.marks, each));
            story.collector.weigh(|| self.state.seat.hypothesis().gauges().weights);
        }
    }

    /// Takes note of how far the first `rows` rows of the last block have come.
    fn note_position(&mut self, rows: usize) {
        if !self.position {
            return;
        }
        let each = if self.late == Late::Named || self.groups.is_some() { 2 } else { 1 };
        let mut astray = None;
        for (round, mark) in (self.round + 1..).zip(self.feed.marks.iter().step_by(each).take(rows)) {
            let order = self.last.as_ref().map_or(Ordering::Greater, |last| self.places.order(mark, last));
            let mut tell = |why: String| {
                astray.get_or_insert(why);
            };
            match (MarkOrder::is_missing(mark), order) {
                (true, _) => {
                    let stands = match &**mark {
                        "" => "has none".to_owned(),
                        mark => format!("stands at `{mark}`, which is no place"),
                    };
                    tell(format!("round {round} {stands}; --resume would play such a row again"));
                }
                (false, Ordering::Less) => {
                    let last = self.last.as_deref().unwrap_or_default();
                    tell(format!(
                        "round {round} stands at {mark}, before {last}; --resume goes on after the last saved position, \
                                  so that rows behind it would be lost"
                    ));
                }
                (false, order) => {
                    if self.places.is_other_date(mark) {
                        tell(format!(
                            "round {round} stands at {mark}, a date if the month comes first; --resume orders such \
                                      dates rightly with --month-first"
                        ));
                    }
                    match order {
                        Ordering::Equal => self.level += 1,
                        _ => (self.last, self.level) = (Some(mark.clone()), 1),
                    }
                }
            }
        }
        if let (Some(why), false) = (astray, self.astray) {
            self.astray = true;
            self.watch.say(&format!("--position: {why}"));
        }
    }

    /// Plays rows one by one, each of which is learnt later than it is predicted.
    fn play_late(&mut self, block: Block<'_>, lines: &mut Vec<OutputLine>) -> Result<(), Stop> {
        for i in 0..block.targets.len() {
            let (round, x, target) = (block.first_round + i as u64, block.inputs.row(i), block.targets[i]);
            let id = match self.late {
                Late::Named => self.feed.marks.get(i * (usize::from(self.position) + 1) + usize::from(self.position)),
                _ => None,
            };
            let id = id.filter(|id| !id.is_empty()).map(|id| name(id));
            let earlier = id.filter(|_| !target.is_nan()).and_then(|id| self.state.service.take(id));
            if let Some(earlier) = earlier {
                let earlier = Waiting { target, ..earlier };
                self.learn_late(&earlier)?;
                let mut line = self.scored(round, target, earlier.prediction)?;
                // The learner has judged the interval that it gave when the row came.
                if let Some(Interval { missed, .. }) = self.state.seat.hypothesis().intervals().last().copied() {
                    let [lower, upper] = earlier.ends;
                    line.interval = Some(Interval { lower, upper, missed });
                    line.recent_miss_rate = missed.map(|missed| self.state.misses.add(missed));
                }
                if let Some(words) = &self.words {
                    words.tell(&mut line, Some(target), None);
                }
                lines.push(line);
                continue;
            }
            let waits = match self.late {
                Late::Named => target.is_nan() && id.is_some(),
                _ => !target.is_nan(),
            };
            if !waits {
                self.play(block.part(i, i + 1), lines)?;
                self.learn_due(round)?;
                continue;
            }
            if id.is_some_and(|id| self.state.service.take(id).is_some()) {
                self.replaced += 1;
            }
            let Learnt { seat, tally, scale, service, .. } = &mut self.state;
            let draw = || self.draws.at(Role::Predict, round);
            let foretold = predicted(&*seat, (x, Some(target)), &mut draw(), scale, self.std);
            let line = foretold.line(round, tally.loss())?;
            let OutputLine { prediction, interval, distribution, .. } = line;
            let told = self.words.as_ref().and_then(|_| seat.hypothesis().probabilities_at(x, &mut draw()));
            let context = seat.hypothesis().context(x, &mut draw());
            // Where the target is known, its line says at once what became of the interval.
            let open = interval.filter(|_| target.is_nan());
            let ends = open.map_or([f64::NAN; 2], |Interval { lower, upper, .. }| [lower, upper]);
            let (id, inputs) = (id.unwrap_or(round), x.to_vec());
            service.wait(Waiting { id, round, inputs, target, prediction, ends, context });
            let mut line = match target.is_nan() {
                true => line,
                false => {
                    // The learner judges it when it learns the target.
                    let judged = |one: Interval| !(one.lower <= target && target <= one.upper);
                    let interval = interval.map(|one| Interval { missed: Some(judged(one)), ..one });
                    let missed = interval.and_then(|one| one.missed);
                    let recent_miss_rate = missed.map(|missed| self.state.misses.add(missed));
                    let scored = self.scored(round, target, prediction)?;
                    OutputLine { interval, distribution, recent_miss_rate, ..scored }
                }
            };
            if let Some(words) = &self.words {
                words.tell(&mut line, Some(target).filter(|target| !target.is_nan()), told);
            }
            lines.push(line);
            self.learn_due(round)?;
        }
        Ok(())
    }

    /// Learns what has waited for so many rows as it is to, once round `round` is predicted.
    fn learn_due(&mut self, round: u64) -> Result<(), Stop> {
        let Late::By(rows) = self.late else { return Ok(()) };
        let Some(last) = round.checked_sub(rows) else { return Ok(()) };
        while let Some(due) = self.state.service.due(last) {
            self.learn_late(&due)?;
        }
        Ok(())
    }

    /// A row whose prediction was made before.
    fn scored(&mut self, round: u64, target: f64, prediction: f64) -> Result<OutputLine, Stop> {
        let tally = &mut self.state.tally;
        let loss = tally.add(prediction, target).map_err(|error| Stop { cause: error.to_string() })?;
        Ok(Scored { round, target, prediction, loss, cumulative_loss: tally.loss() }.into())
    }

    /// Learns a row that has waited; its prediction was scored before.
    fn learn_late(&mut self, row: &Waiting) -> Result<(), Stop> {
        let Learnt { seat, scale, .. } = &mut self.state;
        let inputs = Rows::new(row.inputs.len(), &row.inputs);
        let block = Block { first_round: row.round, inputs, targets: &[row.target] };
        seat.play_late(&self.draws, block, &row.context, scale)
    }

    /// Saves what was learnt although its output is lost, unless an earlier save is as good; the error with what was saved.
    pub(crate) fn unwritten(&mut self, error: StreamError) -> Result<StreamError, StreamError> {
        let Some(saver) = &self.saver else { return Ok(error) };
        if self.single || saver.every().is_none() {
            self.keep(Position { rows: self.rows, ..Position::default() })?;
        }
        let kept = self.saver.as_ref().and_then(Saver::saved).unwrap_or_else(|| "no model was saved".into());
        Ok(StreamError::Unreadable { error: Box::new(error), kept })
    }

    /// Writes the forecasts of rows that are not there yet; the last of these rows.
    pub(crate) fn write_coming(&mut self) -> Result<(u64, WriteStatus), StreamError> {
        let lines = ahead::coming((&self.state, &self.further), self.round, self.std);
        match lines.last() {
            Some(last) => Ok((last.round, self.sink.write(&lines)?)),
            None => Ok((self.round, WriteStatus::All)),
        }
    }

    /// Saves the run, after what it has written so far.
    pub(crate) fn save(&mut self) -> Result<WriteStatus, StreamError> {
        if self.saver.is_none() {
            return Ok(WriteStatus::All);
        }
        let (position, written) = match self.sink.checkpoint(self.round) {
            Ok(checkpoint) => checkpoint,
            Err(error) => return Err(self.unwritten(error)?),
        };
        self.keep(Position { rows: self.rows, ..position }).map_err(|error| {
            let saved = self.saver.as_ref().and_then(Saver::saved);
            let kept = format!(
                "{}; what is written of the output stays: go on with --resume once a model can be written",
                saved.unwrap_or_else(|| "this run has saved no model before".into())
            );
            StreamError::Unreadable { error: Box::new(error), kept }
        })?;
        Ok(written)
    }

    /// Saves all that was learnt.
    fn keep(&mut self, position: Position) -> Result<(), StreamError> {
        let level = self.last.as_ref().map(|_| self.level);
        let position = Position { row: self.feed.row, level, ..position };
        let (Some(saver), round, last) = (&self.saver, self.round, self.last.clone()) else { return Ok(()) };
        match &mut self.groups {
            Some(groups) => saver.save_groups((groups, &mut self.state), &self.feed, round, position, last),
            None => saver.save((&mut self.state, &mut self.further), &mut self.feed, round, position, last),
        }
    }
}
