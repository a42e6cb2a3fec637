//! `noregret stream`: one learner over a file of the user's own.

mod args;
mod error;
mod input;
mod learner;
mod output;
mod temporary;

pub use crate::cli::stream::args::StreamArgs;
pub use crate::cli::stream::error::StreamError;
use crate::cli::stream::input::Input;
use crate::cli::stream::learner::{Chosen, Seat};
use crate::cli::stream::output::{Sink, Written, shortest};
use crate::dataset::table::block;
use noregret_core::draw::Draws;
use noregret_core::learner::api::Block;
use noregret_core::linalg::matrix::Rows;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::noisy::NoisyPlayer;
use noregret_core::protocol::run::{BLOCK, Player, Stop, play_and_score};
use noregret_core::protocol::tally::Tally;

/// Runs the learner over the file; `interrupted` is asked between blocks of rows. Rounds go to the output, a summary
/// in one line to `say`.
///
/// # Errors
/// As [`StreamError`] says, with its exit status. What was played before a divergence or an interruption is written.
pub fn run(args: &StreamArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    let mut total = Stopwatch::default();
    match total.time(|| stream(args, interrupted)) {
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
fn stream(args: &StreamArgs, interrupted: &dyn Fn() -> bool) -> Result<Option<Summary>, StreamError> {
    let chosen = Chosen::from_args(args)?;
    let channel = chosen.channel(args)?;
    let order = Draws::named(&["stream", &args.seed.to_string(), "order"]);
    let mut input = Input::open(args, chosen.needs_rounds(args), interrupted)?;
    let seat = chosen.seat(args, &mut input, channel)?;
    let mut sink = Sink::create(args, &chosen.config(args))?;
    let mut feed = input.feed(&order)?;
    let draws = chosen.draws(args);

    let estimates = seat.estimates();
    let mut play = |player: &mut dyn Player| play_all(player, &mut feed, &mut sink, interrupted);
    let end = match seat {
        Seat::Full(mut learner) => play(&mut FullPlayer::new(&mut *learner, &draws))?,
        Seat::Noisy(mut learner, channel) => play(&mut NoisyPlayer::new(&mut *learner, &draws, &channel))?,
    };
    let rounds = end.tally.rounds();
    let average_loss = end.tally.loss() / rounds as f64;
    if matches!(end.why, Why::ReaderLeft) || sink.finish()? == Written::ReaderLeft {
        return Ok(None);
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
    interrupted: &dyn Fn() -> bool,
) -> Result<End, StreamError> {
    let (mut tally, mut watch) = (Tally::default(), Stopwatch::default());
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    let (mut predictions, mut rounds) = (Vec::new(), Vec::new());
    let (mut seen, most) = (0, BLOCK.min(block(feed.dim())));
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
        let block = Block { first_round: seen + 1, inputs: Rows::new(feed.dim(), &inputs), targets: &targets };
        predictions.resize(count, f64::NAN);
        rounds.clear();
        let outcome =
            play_and_score(player, block, &mut predictions, &mut tally, &mut watch, |round| rounds.push(round));
        seen += count as u64;
        if sink.write(&rounds)? == Written::ReaderLeft {
            break Why::ReaderLeft;
        }
        if let Err(stop) = outcome {
            break Why::Diverged(stop);
        }
    };
    Ok(End { tally, why })
}
