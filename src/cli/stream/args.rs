//! The arguments of `noregret stream`.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::engine::ArgValueCandidates;

use crate::cli::complete;
use crate::cli::value::{positive, whole};
use crate::dataset::prepare::Scale;

/// Run one learner over a file: predict each row's target, then learn from it
#[derive(Args, Clone, Debug)]
pub struct StreamArgs {
    /// The learner; `noregret list learners` names them
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(complete::learners))]
    pub learner: String,
    /// A parameter of the learner: `lambda=0.1`, `kernel=gaussian`, `kernel.bandwidth=1/2` (may be repeated; the grammar is
    /// that of `noregret run`)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// CSV with a header, Parquet or LIBSVM text, plain or compressed by gzip, bzip2, xz or zstd; `-` reads CSV from
    /// standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
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
    #[arg(long, value_name = "N", default_value_t, value_parser = whole::<u64>)]
    pub seed: u64,
    /// Where to write the rounds: Parquet if the name ends in .parquet, otherwise CSV [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Hide the rows behind this noise (losses are measured on the rows as they are)
    #[arg(long, value_name = "LAW", add = ArgValueCandidates::new(complete::noises))]
    pub noise: Option<String>,
    /// A parameter of the noise: `covariance=[0.1,0.2]`, `degrees=3` (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    pub noise_set: Vec<String>,
    /// Standard deviation of the noise on each input [default: 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub noise_std: Option<f64>,
    /// Standard deviation of the noise on the target, which follows the same law (Gaussian if that law has no such
    /// parameter) [default: 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub target_noise_std: Option<f64>,
    /// How many noisy copies of its inputs a learner made for exact data averages [default: 1]
    #[arg(long, value_name = "K", value_parser = positive::<NonZeroU32>)]
    pub copies: Option<NonZeroU32>,
    /// Stop after N rounds
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU64>)]
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
