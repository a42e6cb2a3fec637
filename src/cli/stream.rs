//! `noregret stream`: one learner over a file of the user's own.

mod args;
mod error;
mod input;
mod learner;
mod metrics;
mod output;
mod rescaled;
mod temporary;
mod watch;

use std::io::{IsTerminal as _, stderr, stdout};
use std::num::NonZeroU64;

pub use crate::cli::stream::args::StreamArgs;
pub use crate::cli::stream::error::StreamError;
use crate::cli::stream::input::Input;
use crate::cli::stream::learner::{Chosen, Seat};
use crate::cli::stream::output::{Sink, Written, shortest};
use crate::cli::stream::rescaled::{Rescaled, Spread, TargetScale};
use crate::cli::stream::watch::Watch;
use crate::dataset::prepare::Scale;
use crate::dataset::table::block;
use noregret_core::draw::Draws;
use noregret_core::learner::api::Block;
use noregret_core::linalg::matrix::Rows;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::noisy::NoisyPlayer;
use noregret_core::protocol::run::{BLOCK, Player, Scored, Stop, play_and_score};
use noregret_core::protocol::tally::Tally;

/// Runs the learner over the file; `interrupted` is asked between blocks of rows. Rounds go to the output, a summary
/// in one line to `say`, after what was found out about the file, progress, metrics and warnings where there are any.
///
/// # Errors
/// As [`StreamError`] says, with its exit status. What was played before a divergence or an interruption is written.
pub fn run(args: &StreamArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    let mut total = Stopwatch::default();
    match total.time(|| stream(args, interrupted, say)) {
        Ok(Some(Summary { rounds, average_loss, estimates })) => {
            let seconds = total.spent().wall_ns as f64 / 1e9;
            say(&format!("{rounds} rounds, average loss {}, {seconds:.3} seconds", shortest(average_loss)));
            if estimates {
                say(
                    "predictions are estimates from sampled neurons: the mean of a loss is that of the learner's function \
                     plus the variance of the estimate",
                );
            }
            Ok(())
        }
        // The reader of the output went away (`| head`): a normal end that needs no summary.
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The result of a complete run.
struct Summary {
    rounds: u64,
    average_loss: f64,
    /// Whether predictions are estimates.
    estimates: bool,
}

/// Runs the learner without timing it. None where the reader of the output went away.
fn stream(
    args: &StreamArgs,
    interrupted: &dyn Fn() -> bool,
    say: &mut dyn FnMut(&str),
) -> Result<Option<Summary>, StreamError> {
    let chosen = Chosen::from_args(args)?;
    let channel = chosen.channel(args)?;
    let order = Draws::named(&["stream", &args.seed.to_string(), "order"]);
    let mut input = Input::open(args, chosen.needs_rounds(args), interrupted)?;
    let seat = chosen.seat(args, &mut input, channel)?;
    let mut config = chosen.config(args);
    if let Some(choices) = input.choices() {
        config["file"] = choices;
    }
    let live = input.live();
    let mut sink = Sink::create(args, &config.to_string(), live)?;
    for note in input.notes() {
        say(&note);
    }
    let whole = args.scale.of_file() != Scale::None || args.target_scale.sees_all();
    if whole {
        say("scaled by the whole file: predictions owe something to later rows (--scale running sees none)");
    }
    let spread = if args.target_scale.sees_all() { input.spread()? } else { Spread::default() };
    let mut feed = input.feed(&order)?;
    // Lines of progress would stand between the rounds, where both go to a terminal.
    let apart = args.output.is_some() || !stdout().is_terminal();
    let progress = args.progress.unwrap_or_else(|| stderr().is_terminal() && apart && !live);
    let mut watch = Watch::new(say, progress, &args.metrics, args.window.map(NonZeroU64::get));
    let draws = chosen.draws(args);

    let estimates = seat.estimates();
    let mut play = |player: &mut dyn Player| {
        let most = if live { 1 } else { BLOCK.min(block(feed.dim())) };
        let mut scaled = Rescaled::new(player, args.target_scale, &spread);
        // Targets that are not scaled pass through no multiplication.
        let player: &mut dyn Player = if args.target_scale == TargetScale::None { scaled.inner() } else { &mut scaled };
        play_all(player, &mut feed, &mut sink, &mut watch, most, interrupted)
    };
    let end = match seat {
        Seat::Full(mut learner) => play(&mut FullPlayer::new(&mut *learner, &draws))?,
        Seat::Noisy(mut learner, channel) => play(&mut NoisyPlayer::new(&mut *learner, &draws, &channel))?,
    };
    let rounds = end.tally.rounds();
    let average_loss = end.tally.loss() / rounds.max(1) as f64;
    if matches!(end.why, Why::ReaderLeft) || sink.finish()? == Written::ReaderLeft {
        return Ok(None);
    }
    if !matches!(end.why, Why::Interrupted) {
        watch.finish();
    }
    match end.why {
        Why::Interrupted => Err(StreamError::Interrupted { rounds }),
        Why::Diverged(Stop { cause }) => Err(StreamError::Diverged {
            learner: args.learner.clone(),
            round: rounds + 1,
            cause,
            written: match rounds {
                0 => "no rounds were played".into(),
                rounds => format!("{rounds} rounds before, average loss {}", shortest(average_loss)),
            },
        }),
        Why::AllPlayed | Why::ReaderLeft => Ok(Some(Summary { rounds, average_loss, estimates })),
    }
}

/// How a run ended.
struct End {
    tally: Tally,
    why: Why,
}

/// Why a run ended.
enum Why {
    AllPlayed,
    ReaderLeft,
    Interrupted,
    Diverged(Stop),
}

fn play_all(
    player: &mut dyn Player,
    feed: &mut input::Feed,
    sink: &mut Sink,
    watch: &mut Watch<'_>,
    most: usize,
    interrupted: &dyn Fn() -> bool,
) -> Result<End, StreamError> {
    let (mut tally, mut clock) = (Tally::default(), Stopwatch::default());
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    let (mut predictions, mut rounds) = (Vec::new(), Vec::new());
    let dim = feed.dim();
    let why = loop {
        if interrupted() {
            break Why::Interrupted;
        }
        inputs.clear();
        targets.clear();
        let count = feed.next_block(most, &mut inputs, &mut targets)?;
        if count == 0 {
            break Why::AllPlayed;
        }
        predictions.resize(count, f64::NAN);
        rounds.clear();
        let (mut at, mut outcome) = (0, Ok(()));
        // Runs of rows with a target and of rows without one.
        for run in targets.chunk_by(|a, b| a.is_nan() == b.is_nan()) {
            let rows = &inputs[at * dim..(at + run.len()) * dim];
            let (first_round, inputs) = (tally.rounds() + 1, Rows::new(dim, rows));
            at += run.len();
            if run[0].is_nan() {
                rounds.extend(
                    inputs.iter().map(|x| unlabelled(first_round, player.predict(first_round, x), tally.loss())),
                );
                continue;
            }
            let block = Block { first_round, inputs, targets: run };
            let predictions = &mut predictions[..run.len()];
            outcome = play_and_score(player, block, predictions, &mut tally, &mut clock, |round| rounds.push(round));
            if outcome.is_err() {
                break;
            }
        }
        watch.add(&rounds);
        if sink.write(&rounds, feed.numbers())? == Written::ReaderLeft {
            break Why::ReaderLeft;
        }
        if let Err(stop) = outcome {
            break Why::Diverged(stop);
        }
    };
    Ok(End { tally, why })
}

/// A row without a target, which is predicted from the rounds before and not learned from.
fn unlabelled(round: u64, prediction: f64, cumulative_loss: f64) -> Scored {
    Scored { round, target: f64::NAN, prediction, loss: f64::NAN, cumulative_loss }
}
