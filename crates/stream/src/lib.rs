#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// What nobody outside can reach is `pub(crate)`, so that whoever reads an item sees how far a change goes.
#![warn(unreachable_pub)]

pub mod args;
pub mod checkpoint;
pub mod classes;
pub mod error;
mod experts;
pub mod feed;
pub mod file_args;
pub mod further;
pub mod input;
mod kept;
pub mod learner;
pub mod line;
pub mod metrics;
mod origin;
pub mod output;
pub mod played;
pub mod predict;
pub mod rescaled;
pub mod rounds;
pub mod scales;
mod temporary;
pub mod value;
mod watch;

use std::io::{IsTerminal as _, stderr, stdout};
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::args::ScaleChoice;
pub use crate::args::StreamArgs;
use crate::checkpoint::{Saver, Start};
use crate::classes::Words;
pub use crate::error::StreamError;
use crate::input::{Input, Known};
use crate::kept::Resumed;
use crate::learner::{Chosen, Learnt};
use crate::line::{of_class_rounds, of_further, of_rounds, shortest};
use crate::metrics::Metric;
use crate::origin::is_pipe;
use crate::output::{Sink, Wanted, Written};
use crate::rescaled::{Spread, TargetScale};
use crate::rounds::{Late, Run, Why};
use crate::watch::Watch;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::copies;
use noregret_core::protocol::run::{BLOCK, Stop};
use noregret_model::misses::Misses;
use noregret_model::service::Service;
use noregret_numeric::draw::Draws;
use noregret_study::external::process::NOT_ISOLATED;
use noregret_study::external::watch::watched;

/// What is said of predictions and losses that owe something to later rows.
pub(crate) const SAW_ALL: &str = ", by scales that saw the whole file";

/// What is said of classes where nobody asks for other metrics.
const OF_CLASSES: [Metric; 3] = [Metric::Error, Metric::Log, Metric::Brier];

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
    let after = start.after();
    if start.resumed && after.is_none() && args.input == "-" && is_pipe() {
        let why = "the input is a pipe, which does not say where it begins: name a column that does (--position COLUMN, from the \
                   first run on), or put the rows into a file";
        return Err(StreamError::Resume(why.into()));
    }
    let counted = start.loaded.is_none() && chosen.needs_rounds(args);
    let known = Known { forecasts: chosen.takes_absent(args), ..start.known() };
    let mut input = Input::open(args, counted, known, interrupted)?;
    let horizon = match &start.loaded {
        Some(loaded) => loaded.header().horizon,
        None if counted => Some(input.rows()?),
        None => None,
    };
    let chosen = chosen.with_codes(input.codes());
    let classes = classes::known(args, &input)?;
    let seat = chosen.seat(args, &input.quantities(), horizon, channel, classes)?;
    let quantities = input.quantities();
    let further = further::all(args, &chosen, (&quantities, &input.columns().target), horizon, classes)?;
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
        columns: match input.classes() {
            _ if !further.is_empty() => {
                let own = of_rounds(false, &[], args.unseen, false);
                own.iter().cloned().chain(of_further(&args.further_targets, true)).collect()
            }
            // Only those that were declared, so that a run that goes on has the columns that it had.
            Some(_) => of_class_rounds(args.classes.as_deref().unwrap_or_default(), args.unseen, args.shuffle),
            None => of_rounds(seat.hypothesis().interval(0.0).is_some(), &weights, args.unseen, args.shuffle),
        },
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
    if after.is_none() && feed.skip(position.rows)? < position.rows {
        let why = format!("{} has fewer rows than the {} that were played before", args.input, position.rows);
        return Err(StreamError::Resume(why));
    }
    // Lines of progress would stand between the rounds, where both go to a terminal.
    let apart = args.output.is_some() || !stdout().is_terminal();
    let progress = args.progress.unwrap_or_else(|| stderr().is_terminal() && apart && !live);
    let unscaled = [args.scale() == ScaleChoice::None, args.target_scale() == TargetScale::None];
    let metrics = if classes.is_some() && args.metrics.is_empty() { &OF_CLASSES } else { &args.metrics[..] };
    let watch = Watch::new(say, progress, metrics, args.window.map(NonZeroU64::get), unscaled);
    let draws = chosen.draws(args);
    let (tally, misses, service) = (classes::tally(classes), Misses::default(), Service::default());
    let state = Learnt { seat, tally, scale, misses, service };
    // A block of rounds with many copies takes long, and signals are looked for between blocks.
    let many = args.copies.is_some_and(|copies| copies.get() > copies::most(feed.dim()) / BLOCK as u32);
    let late = match (&args.id, args.delay) {
        (Some(_), _) => Late::Named,
        (None, Some(rows)) => Late::By(rows.get() as usize),
        (None, None) => Late::Never,
    };
    let single = live || args.weights || many || late != Late::Never;
    let (round, rows, weights) = (first, position.rows, args.weights);
    let (position, last) = (args.position.is_some(), after.map(|(_, last)| last));
    let words = classes.map(|_| Words::default());
    let mut run = Run {
        state,
        further,
        draws,
        feed,
        sink,
        saver,
        watch,
        single,
        weights,
        words,
        late,
        position,
        last,
        round,
        rows,
    };
    if let Some(loaded) = start.loaded {
        loaded.fill(&chosen, &mut run.state, &mut run.further, &mut run.feed)?;
    }
    let why = run.play_all(interrupted)?;
    let (rounds, scored) = (run.round, run.state.tally.rounds());
    let average = shortest(run.state.tally.loss() / scored as f64);
    let what = if run.words.is_some() { "error rate" } else { "average loss" };
    let mut said = match scored {
        0 => format!("{rounds} rounds, none with a target"),
        scored if scored == rounds => format!("{rounds} rounds, {what} {average}"),
        _ => format!("{rounds} rounds, {what} {average} over the {scored} with a target"),
    };
    if let Some(missed) = run.state.seat.hypothesis().gauges().missed.filter(|_| scored > 0) {
        said +=
            &format!(", {missed} targets outside of their intervals ({:.2} %)", 100.0 * missed as f64 / scored as f64);
    }
    if first > 0 {
        said += &format!(" ({first} of the rounds before this run)");
    }
    if run.feed.bad() > 0 {
        said += &format!(", {} rows that cannot be read passed over", run.feed.bad());
    }
    match (run.state.service.waiting(), run.state.service.forgotten()) {
        (0, 0) => {}
        (waiting, 0) => said += &format!(", {waiting} rows wait to be learnt"),
        (waiting, lost) => {
            said += &format!(", {waiting} rows wait to be learnt, and {lost} were given up: too many waited")
        }
    }
    if args.sees_whole_file() {
        said += SAW_ALL;
    }
    // A run that ends early goes on from its last save, or from here if it has no others.
    let last = match why {
        Why::AllPlayed => run.saver.is_some(),
        // One by one, rounds are the same whenever it is saved.
        Why::Interrupted | Why::ReaderLeft | Why::Unreadable(_) => {
            run.saver.as_ref().is_some_and(|saver| run.single || !saver.is_periodic())
        }
        Why::Diverged(..) | Why::Unwritten(_) => false,
    };
    if let Why::Unwritten(error) = why {
        return Err(run.unwritten(error)?);
    }
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
        further::said(&run.further, &args.metrics).iter().for_each(|line| run.watch.say(line));
        let account = run.state.seat.hypothesis().account();
        account.iter().for_each(|line| run.watch.say(line));
    }
    match why {
        Why::Interrupted => Err(StreamError::Interrupted { rounds }),
        Why::Diverged(round, Stop { cause }) => Err(StreamError::Diverged {
            learner: args.learner.clone(),
            round,
            cause,
            written: match scored {
                0 => "no rounds were played".into(),
                scored => format!("{scored} rounds before, {what} {average}"),
            },
        }),
        Why::Unreadable(error) => {
            let error = Box::new(error);
            let saved = saved.map(|saved| format!("; {saved}")).unwrap_or_default();
            Err(StreamError::Unreadable { error, kept: format!("{rounds} rounds before are written{saved}") })
        }
        Why::Unwritten(error) => Err(error),
        Why::AllPlayed | Why::ReaderLeft => Ok(Some(Summary { said, estimates })),
    }
}
