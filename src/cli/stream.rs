//! `noregret stream`: one learner over a file of the user's own.

pub(super) mod args;
pub(super) mod checkpoint;
pub(super) mod error;
mod experts;
pub(super) mod input;
mod kept;
pub(super) mod learner;
pub(super) mod line;
mod metrics;
pub(super) mod output;
pub(super) mod rescaled;
pub(super) mod scales;
mod temporary;
mod watch;

use std::io::{IsTerminal as _, stderr, stdout};
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::cli::stream::args::ScaleChoice;
pub use crate::cli::stream::args::StreamArgs;
use crate::cli::stream::checkpoint::{Saver, Start};
pub use crate::cli::stream::error::StreamError;
use crate::cli::stream::input::{Feed, Input, Known};
use crate::cli::stream::kept::Resumed;
use crate::cli::stream::learner::{Chosen, Learnt, Seat};
use crate::cli::stream::line::{Line, of_rounds, shortest};
use crate::cli::stream::output::{Sink, Wanted, Written};
use crate::cli::stream::rescaled::{Spread, TargetScale};
use crate::cli::stream::watch::Watch;
use crate::dataset::table::block;
use crate::external::process::NOT_ISOLATED;
use crate::external::watch::watched;
use noregret_core::draw::{Draw, Draws, Role};
use noregret_core::learner::api::{Block, Interval};
use noregret_core::linalg::matrix::Rows;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::copies;
use noregret_core::protocol::run::{BLOCK, Stop};
use noregret_core::protocol::tally::Tally;
use noregret_model::misses::Misses;
use noregret_model::targets::Rescale;

/// What is said of predictions and losses that owe something to later rows.
pub(super) const SAW_ALL: &str = ", by scales that saw the whole file";

/// Runs the learner over the file; `interrupted` is asked between blocks of rows. Rounds go to the output, a summary
/// in one line to `say`, after what was found out about the file, progress, metrics and warnings where there are any.
///
/// # Errors
/// As [`StreamError`] says, with its exit status. What was played before a divergence or an interruption is written.
pub fn run(args: &StreamArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    let mut total = Stopwatch::default();
    let (outcome, left) = watched(&Arc::default(), || total.time(|| stream(args, interrupted, say)));
    let process = left.first().map(|report| report.learner.clone());
    match (outcome, left.into_iter().find_map(|report| report.failure)) {
        (Err(StreamError::Diverged { written, .. }), Some(cause)) => Err(StreamError::Failed { cause, written }),
        (Ok(Some(Summary { said, .. })), Some(cause)) => Err(StreamError::Failed { cause, written: said }),
        (Ok(Some(Summary { said, estimates })), None) => {
            let seconds = total.spent().wall_ns as f64 / 1e9;
            say(&format!("{said}, {seconds:.3} seconds"));
            if let Some(learner) = process {
                say(&format!("{learner}: {NOT_ISOLATED}"));
            }
            if estimates {
                say(
                    "predictions are estimates from sampled neurons: the mean of a loss is that of the learner's function \
                     plus the variance of the estimate",
                );
            }
            Ok(())
        }
        // The reader of the output went away (`| head`): a normal end that needs no summary.
        (Ok(None), _) => Ok(()),
        (Err(error), _) => Err(error),
    }
}

/// The result of a complete run.
struct Summary {
    said: String,
    /// Whether predictions are estimates.
    estimates: bool,
}

/// Runs the learner without timing it. None where the reader of the output went away.
fn stream(
    given: &StreamArgs,
    interrupted: &dyn Fn() -> bool,
    say: &mut dyn FnMut(&str),
) -> Result<Option<Summary>, StreamError> {
    let start = Start::of(&given.named())?;
    let (args, first, position) = (&start.args, start.round(), start.position());
    let chosen = Chosen::from_args(args)?;
    let channel = chosen.channel(args)?;
    let order = Draws::named(&["stream", &args.seed.to_string(), "order"]);
    let counted = start.loaded.is_none() && chosen.needs_rounds(args);
    let known = Known { forecasts: chosen.takes_absent(args), ..start.known() };
    let mut input = Input::open(args, counted, known, interrupted)?;
    let horizon = match &start.loaded {
        Some(loaded) => loaded.header().horizon,
        None if counted => Some(input.rows()?),
        None => None,
    };
    let seat = chosen.seat(args, &input.quantities(), horizon, channel)?;
    let saver = Saver::new(args, &chosen, input.columns(), horizon)?;
    let mut config = chosen.config(args);
    if let Some(choices) = input.choices() {
        config["file"] = choices;
    }
    let live = input.live();
    let weights = match args.weights {
        true => experts::shown(&chosen, seat.hypothesis(), &input.columns().inputs, say)?,
        false => Vec::new(),
    };
    let sink = Sink::create(&Wanted {
        output: args.output.as_deref(),
        input: &args.input,
        columns: of_rounds(seat.hypothesis().interval(0.0).is_some(), &weights, args.shuffle),
        config: &config.to_string(),
        kept: saver.is_some(),
        in_parts: saver.as_ref().is_some_and(Saver::is_periodic),
        resumed: start.resumed.then_some(Resumed { position, round: first }),
        again: args.resume,
        live,
    })?;
    for note in input.notes() {
        say(&note);
    }
    if args.sees_whole_file() && start.loaded.is_none() {
        say(
            "the scales saw the whole file first: predictions owe something to later rows (the scale epochs sees none)",
        );
    }
    let fits = args.target_scale().sees_all() && start.loaded.is_none();
    let scale = args.target_scale().rescale(&if fits { input.spread()? } else { Spread::default() });
    let mut feed = input.feed(&order)?;
    if feed.skip(position.rows)? < position.rows {
        let why = format!("{} has fewer rows than the {} that were played before", args.input, position.rows);
        return Err(StreamError::Resume(why));
    }
    // Lines of progress would stand between the rounds, where both go to a terminal.
    let apart = args.output.is_some() || !stdout().is_terminal();
    let progress = args.progress.unwrap_or_else(|| stderr().is_terminal() && apart && !live);
    let unscaled = [args.scale() == ScaleChoice::None, args.target_scale() == TargetScale::None];
    let watch = Watch::new(say, progress, &args.metrics, args.window.map(NonZeroU64::get), unscaled);
    let draws = chosen.draws(args);
    let state = Learnt { seat, tally: Tally::default(), scale, misses: Misses::default() };
    // A block of rounds with many copies takes long, and signals are looked for between blocks.
    let many = args.copies.is_some_and(|copies| copies.get() > copies::most(feed.dim()) / BLOCK as u32);
    let single = live || args.weights || many;
    let (round, rows) = (first, position.rows);
    let mut run = Run { state, draws, feed, sink, saver, watch, single, weights: args.weights, round, rows };
    if let Some(loaded) = start.loaded {
        loaded.fill(&chosen, &mut run.state, run.feed.scaling())?;
    }
    let why = run.play_all(interrupted)?;
    let (rounds, scored) = (run.round, run.state.tally.rounds());
    let average = shortest(run.state.tally.loss() / scored as f64);
    let mut said = match scored {
        0 => format!("{rounds} rounds, none with a target"),
        scored if scored == rounds => format!("{rounds} rounds, average loss {average}"),
        _ => format!("{rounds} rounds, average loss {average} over the {scored} with a target"),
    };
    if let Some(missed) = run.state.seat.hypothesis().gauges().missed.filter(|_| scored > 0) {
        said +=
            &format!(", {missed} targets outside of their intervals ({:.2} %)", 100.0 * missed as f64 / scored as f64);
    }
    if first > 0 {
        said += &format!(" ({first} of the rounds before this run)");
    }
    if args.sees_whole_file() {
        said += SAW_ALL;
    }
    // A run that ends early goes on from its last save, or from here if it has no others.
    let last = match why {
        Why::AllPlayed => run.saver.is_some(),
        Why::Interrupted | Why::ReaderLeft | Why::Unreadable(_) => {
            run.saver.as_ref().is_some_and(|saver| !saver.is_periodic())
        }
        Why::Diverged(..) => false,
    };
    if last && args.predict_only && !run.state.seat.hypothesis_mut().keep_predictions() {
        run.watch.say("predictions need all that was learnt: the model is the whole one");
    }
    let left = (last && run.save()? == Written::ReaderLeft) || matches!(why, Why::ReaderLeft);
    let estimates = run.state.seat.hypothesis().estimates();
    let saved = run.saver.as_ref().and_then(|saver| saver.saved());
    if let (Why::ReaderLeft, Some(saved)) = (&why, &saved) {
        run.watch.say(&format!("the reader of the output left after {rounds} rounds; {saved}"));
    }
    if left || run.sink.finish(rounds)? == Written::ReaderLeft {
        return Ok(None);
    }
    if !matches!(why, Why::Interrupted) {
        run.watch.finish();
    }
    match why {
        Why::Interrupted => Err(StreamError::Interrupted { rounds }),
        Why::Diverged(round, Stop { cause }) => Err(StreamError::Diverged {
            learner: args.learner.clone(),
            round,
            cause,
            written: match scored {
                0 => "no rounds were played".into(),
                scored => format!("{scored} rounds before, average loss {average}"),
            },
        }),
        Why::Unreadable(error) => {
            let error = Box::new(error);
            let saved = saved.map(|saved| format!("; {saved}")).unwrap_or_default();
            Err(StreamError::Unreadable { error, kept: format!("{rounds} rounds before are written{saved}") })
        }
        Why::AllPlayed | Why::ReaderLeft => Ok(Some(Summary { said, estimates })),
    }
}

/// An interval on another scale.
fn moved(interval: Interval, to: impl Fn(f64) -> f64) -> Interval {
    Interval { lower: to(interval.lower), upper: to(interval.upper), ..interval }
}

/// The prediction for a row without a target, with its interval, on the scale of the file.
fn predicted(seat: &Seat, x: &[f64], draw: &mut Draw, scale: &Rescale) -> (f64, Option<Interval>) {
    told(seat, seat.hypothesis().predict(x, draw), scale)
}

/// A prediction of the learner's with its interval, on the scale of the file.
pub(super) fn told(seat: &Seat, prediction: f64, scale: &Rescale) -> (f64, Option<Interval>) {
    let interval = seat.hypothesis().interval(prediction).map(|interval| moved(interval, |end| scale.back(end)));
    (scale.back(prediction), interval)
}

/// Why a run ended.
enum Why {
    AllPlayed,
    ReaderLeft,
    Interrupted,
    /// In this round.
    Diverged(u64, Stop),
    /// A row cannot be read.
    Unreadable(StreamError),
}

/// A run under way.
struct Run<'a> {
    state: Learnt,
    draws: Draws,
    feed: Feed,
    sink: Sink,
    saver: Option<Saver>,
    watch: Watch<'a>,
    /// Whether rounds are played one by one.
    single: bool,
    /// Whether the weights of forecasts are written; rounds are then played one by one.
    weights: bool,
    /// The last round.
    round: u64,
    /// How many rows of the input were played.
    rows: u64,
}

impl Run<'_> {
    /// Plays all rows. Blocks end at fixed rounds and at saves, so that the same saves give the same bits.
    fn play_all(&mut self, interrupted: &dyn Fn() -> bool) -> Result<Why, StreamError> {
        let (mut inputs, mut targets, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let most = if self.single { 1 } else { BLOCK.min(block(self.feed.dim())) as u64 };
        loop {
            if interrupted() {
                return Ok(Why::Interrupted);
            }
            inputs.clear();
            targets.clear();
            lines.clear();
            let to_save = self.saver.as_ref().map_or(u64::MAX, |saver| saver.ahead(self.round));
            let asked = (most - self.round % most).min(to_save) as usize;
            let count = match self.feed.next_block(asked, &mut inputs, &mut targets) {
                Ok(0) => return Ok(Why::AllPlayed),
                Ok(count) => count,
                // What cannot be saved is as if it had never been played.
                Err(error) if self.rows == 0 || self.saver.is_none() => return Err(error),
                Err(error) => return Ok(Why::Unreadable(error)),
            };
            let rows = Rows::new(self.feed.dim(), &inputs);
            let block = Block { first_round: self.round + 1, inputs: rows, targets: &targets };
            let outcome = self.play(block, &mut lines);
            if let Some(numbers) = self.feed.numbers() {
                lines.iter_mut().zip(numbers).for_each(|(line, number)| line.row = Some(*number));
            }
            self.watch.add(&lines);
            let written = self.sink.write(&lines)?;
            self.round += lines.len() as u64;
            self.rows += lines.len() as u64;
            if written == Written::ReaderLeft {
                return Ok(Why::ReaderLeft);
            }
            if let Err(stop) = outcome {
                return Ok(Why::Diverged(self.round + 1, stop));
            }
            if count as u64 == to_save && self.save()? == Written::ReaderLeft {
                return Ok(Why::ReaderLeft);
            }
        }
    }

    /// Plays the rows of a block that have targets, and predicts the others.
    fn play(&mut self, block: Block<'_>, lines: &mut Vec<Line>) -> Result<(), Stop> {
        let mut from = 0;
        for part in block.targets.chunk_by(|one, next| one.is_nan() == next.is_nan()) {
            let part = block.part(from, from + part.len());
            from += part.targets.len();
            let Learnt { seat, tally, scale, misses } = &mut self.state;
            if !part.targets[0].is_nan() {
                let start = lines.len();
                let played = seat.play(&self.draws, part, scale, tally, |round| lines.push(round.into()));
                for (i, (line, interval)) in lines[start..].iter_mut().zip(seat.hypothesis().intervals()).enumerate() {
                    line.interval = Some(moved(*interval, |end| scale.back_in(i, end)));
                    line.recent_miss_rate = interval.missed.map(|missed| misses.add(missed));
                }
                if self.weights {
                    lines[start..].iter_mut().for_each(|line| line.weights = seat.hypothesis().gauges().weights);
                }
                played?;
                continue;
            }
            for (round, x) in (part.first_round..).zip(part.inputs.iter()) {
                let (prediction, interval) = predicted(&*seat, x, &mut self.draws.at(Role::Predict, round), scale);
                if !prediction.is_finite() {
                    return Err(Stop { cause: format!("the prediction is {prediction}") });
                }
                lines.push(Line::without_target(round, prediction, interval, tally.loss()));
            }
        }
        Ok(())
    }

    /// Saves the run, after what it has written so far.
    fn save(&mut self) -> Result<Written, StreamError> {
        let Some(saver) = &self.saver else { return Ok(Written::All) };
        let (mut position, written) = self.sink.checkpoint(self.round)?;
        position.rows = self.rows;
        saver.save(&mut self.state, &mut self.feed, self.round, position)?;
        Ok(written)
    }
}
