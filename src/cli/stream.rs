//! `noregret stream`: one learner over a file of the user's own.

mod error;
mod input;
mod learner;
mod output;
mod temporary;

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub use crate::cli::stream::error::StreamError;
use crate::cli::stream::input::Input;
use crate::cli::stream::learner::{Chosen, Seat};
use crate::cli::stream::output::{Sink, Written, shortest};
use crate::dataset::prepare::Scale;
use noregret_core::draw::Draws;
use noregret_core::learner::api::Block;
use noregret_core::linalg::matrix::Rows;
use noregret_core::protocol::clock::Stopwatch;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::noisy::NoisyPlayer;
use noregret_core::protocol::run::{BLOCK, Player, Stop, play_and_score};
use noregret_core::protocol::tally::Tally;

/// Run one learner over a file: predict each row's target, then learn from it
#[derive(Args, Clone, Debug)]
pub struct StreamArgs {
    /// The learner; `noregret list learners` names them
    #[arg(long, value_name = "NAME")]
    pub learner: String,
    /// A parameter of the learner: `lambda=0.1`, `kernel.name=gaussian`, `kernel.bandwidth=0.5` (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// CSV with a header, Parquet or LIBSVM text, plain or compressed by gzip, bzip2, xz or zstd; `-` reads CSV from
    /// standard input
    #[arg(long, value_name = "FILE")]
    pub input: String,
    /// The column to predict (LIBSVM text: the label, if not given)
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// The columns to predict from, in this order [default: all others, in file order]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub inputs: Option<Vec<String>>,
    /// Scale each input by its smallest and largest value in the file: unit to [0, 1], symmetric to [-1, 1]
    #[arg(long, value_enum, value_name = "SCALE", default_value_t)]
    pub scale: ScaleChoice,
    /// Play the rows in a random order (loads the file into memory)
    #[arg(long)]
    pub shuffle: bool,
    /// Seed of all random draws: the order, the noise, the learner's own
    #[arg(long, value_name = "N", default_value_t)]
    pub seed: u64,
    /// Where the rounds go: Parquet if it ends in .parquet, otherwise CSV [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Hide the rows behind this noise (losses are measured on the rows as they are)
    #[arg(long, value_name = "LAW")]
    pub noise: Option<String>,
    /// A parameter of the noise: `covariance=[0.1,0.2]`, `degrees=3` (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    pub noise_set: Vec<String>,
    /// Standard deviation of the noise on each input [default: 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub noise_std: Option<f64>,
    /// Standard deviation of the noise on the target, of the same law (Gaussian, if that law has no such parameter)
    /// [default: 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub target_noise_std: Option<f64>,
    /// Noisy copies of its inputs that a learner made for exact data takes the mean of [default: 1]
    #[arg(long, value_name = "K")]
    pub copies: Option<NonZeroU32>,
    /// Stop after so many rounds
    #[arg(long, value_name = "N")]
    pub limit: Option<NonZeroU64>,
}

/// Scaling of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ScaleChoice {
    /// As they are
    #[default]
    None,
    /// To [0, 1]
    Unit,
    /// To [-1, 1]
    Symmetric,
}

impl From<ScaleChoice> for Scale {
    fn from(choice: ScaleChoice) -> Self {
        match choice {
            ScaleChoice::None => Scale::None,
            ScaleChoice::Unit => Scale::Unit,
            ScaleChoice::Symmetric => Scale::Symmetric,
        }
    }
}

/// Runs the learner over the file; `interrupted` is asked between blocks of rows. Rounds go to the output, a summary
/// in one line to `say`.
///
/// # Errors
/// As [`StreamError`] says, with its exit status. What was played before a divergence or an interruption is written.
pub fn run(args: &StreamArgs, interrupted: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> Result<(), StreamError> {
    let mut total = Stopwatch::default();
    match total.time(|| stream(args, interrupted)) {
        Ok(Some(Summary { rounds, average_loss })) => {
            let seconds = total.spent().wall_ns as f64 / 1e9;
            say(&format!("{rounds} rounds, average loss {}, {seconds:.3} seconds", shortest(average_loss)));
            Ok(())
        }
        // Whoever reads the output has seen enough (`| head`): a normal end, about which nobody asks.
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What a complete run came to.
struct Summary {
    rounds: u64,
    average_loss: f64,
}

/// Everything but the timing. None where the reader of the output went away.
fn stream(args: &StreamArgs, interrupted: &dyn Fn() -> bool) -> Result<Option<Summary>, StreamError> {
    let chosen = Chosen::from_args(args)?;
    let channel = chosen.channel(args)?;
    let order = Draws::named(&["stream", &args.seed.to_string(), "order"]);
    let mut input = Input::open(args, chosen.needs_rounds(args), interrupted)?;
    let seat = chosen.seat(args, &mut input, channel)?;
    let mut sink = Sink::create(args, &chosen.config(args))?;
    let mut feed = input.feed(&order)?;
    let draws = chosen.draws(args);

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
        Why::AllPlayed | Why::ReaderLeft => Ok(Some(Summary { rounds, average_loss })),
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
    let mut seen = 0;
    let why = loop {
        if interrupted() {
            break Why::Interrupted;
        }
        inputs.clear();
        targets.clear();
        let count = feed.next_block(BLOCK, &mut inputs, &mut targets)?;
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
