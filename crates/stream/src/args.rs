//! The arguments of `noregret stream`.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum, ValueHint, value_parser};
use serde::{Deserialize, Serialize};

use crate::distribution::StdNoise;
use crate::error::StreamError;
use crate::file_args::FileArgs;
use crate::metrics::Metric;
use crate::rescaled::TargetScale;
use crate::value::{period, positive, whole};
use noregret_core::learner::derived::DerivedColumns;
use noregret_core::view::ViewKind;
use noregret_model::draws::DrawNames;
use noregret_model::inputs::Bounds;
use noregret_study::config::learners::Learners;

/// The learner that has nothing to set, and scales by itself.
pub const AUTO: &str = "auto";

/// The learner that forecasts several steps ahead.
pub(crate) const AHEAD: &str = "ahead";

/// The longest lag, and the most targets that a mean is of.
const MOST_LAGS: u64 = 1_000_000;

/// What a model has to be told again is `--load`'s: these options cannot be given with it.
const LOADED: [&str; 30] = [
    "learner",
    "set",
    "scale",
    "target_scale",
    "views",
    "lags",
    "means",
    "ahead",
    "periods",
    "periods_of",
    "seed",
    "noise",
    "noise_set",
    "noise_std",
    "target_noise_std",
    "copies",
    "drop",
    "categories",
    "numbers",
    "dates",
    "month_first",
    "category_as",
    "category_limit",
    "date_as",
    "missing",
    "positive",
    "classes",
    "further_targets",
    "sample_weight",
    "group",
];

/// Run one learner over a file: predict each row's target, then learn from it. Rows without a target are predicted only
///
/// The fields that are not skipped go into saved models, and come from them with `--load`.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[command(long_about = None)]
pub struct StreamArgs {
    /// The file, as with --input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "input")]
    #[serde(skip)]
    pub file_named: Option<String>,
    /// The learner; `noregret list learners` names them [default: auto, which has nothing to set]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub learner: String,
    /// The learners that there are.
    #[arg(skip)]
    #[serde(skip)]
    pub learners: Arc<Learners>,
    /// How its draws are named. A model goes on with the draws that it was saved with.
    #[arg(skip)]
    #[serde(default = "DrawNames::unsaid", skip_serializing_if = "DrawNames::is_unsaid")]
    pub draws: DrawNames,
    /// A parameter of the learner: `lambda=0.1`, `kernel=gaussian`, `kernel.bandwidth=1/2` (may be repeated; the
    /// grammar is that of `noregret run`)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// CSV, JSON lines, Parquet, Arrow IPC (Feather), ARFF or LIBSVM text, plain or compressed by gzip, bzip2, xz or zstd; a
    /// folder, or a pattern in quotes ('parts/*.parquet'), is its files one after the other, by name; `https://` begins the address
    /// of a file, and `s3://` that of a file, a folder or a pattern of a bucket; `-` reads CSV, JSON lines, Parquet or Arrow IPC
    /// from standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "file_named",
          default_value = "", hide_default_value = true)]
    #[serde(skip)]
    pub input: String,
    #[command(flatten)]
    pub file: FileArgs,
    /// The target is one of several classes, in the words of the file; with `--classes=a,b,c`, these and no others. Targets of
    /// words are classes anyway, in the order in which they appear, unless --positive makes them -1 and +1
    #[arg(long, value_name = "WORDS", value_delimiter = ',', num_args = 0.., require_equals = true,
          conflicts_with_all = ["positive", "noise"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
    /// Scale the inputs. `unit` and `symmetric` see the whole file before the first round; `epochs` and `running` see no
    /// later row [default: epochs; none behind --noise, for learners that take forecasts (aggregate), learners in processes
    /// of their own, and auto, which scales by itself]
    #[arg(long, value_enum, value_name = "SCALE")]
    pub scale: Option<ScaleChoice>,
    /// Scale the targets that the learner sees; predictions and losses stay on the scale of the file. `unit`, `symmetric`
    /// and `standardise` see the whole file before the first round; `epochs` sees no later row [default: epochs; none where
    /// that is the default of --scale, for learners that take labels -1 and 1, and for constant and majority, which predict
    /// values of the file]
    #[arg(long, value_enum, value_name = "SCALE")]
    pub target_scale: Option<TargetScale>,
    /// What the learner is shown of a row besides its columns, anew at each epoch (needs the scale epochs): `past` adds the last
    /// target and exponential means of the targets with memories 8 and 64; `categories` makes a column for each value, seen so
    /// far, of columns of words and of 3 to 32 whole numbers. `auto` has these views itself
    #[arg(long, value_enum, value_name = "VIEWS", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ViewChoice>,
    /// Show the learner earlier targets as further inputs: for each number K the K-th last target that is known when the row is
    /// predicted, so that `--lags 1,2,24` with a linear learner is an autoregression
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = value_parser!(u64).range(1..=MOST_LAGS),
          conflicts_with_all = ["noise", "shuffle"])]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lags: Vec<u64>,
    /// Show the learner means of earlier targets as further inputs: for each number N that of the last N targets that are known when the
    /// row is predicted, or of all while there are fewer
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = value_parser!(u64).range(1..=MOST_LAGS),
          conflicts_with_all = ["noise", "shuffle"])]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<u64>,
    /// Forecast the target so many steps ahead, at several horizons at once: at horizon H each row forecasts the target of the row
    /// H - 1 rows after it, and is learnt when that is known, as with `--learner ahead`. 1 is the plain learner. The output has a
    /// line for each row and horizon (column `steps`), and at its end the forecasts of rows that are not there yet
    #[arg(long, value_name = "H", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ahead: Vec<u64>,
    /// Show the learner the sine and the cosine of a turn in each of these periods as further inputs, counted in rows that were
    /// learnt, or in units of the column --periods-of; 24,12,8 are the first three harmonics of 24
    #[arg(long, value_name = "PERIODS", value_delimiter = ',', value_parser = period,
          conflicts_with_all = ["noise", "shuffle"])]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<f64>,
    /// The column of numbers that holds the time of --periods; it stays an input
    #[arg(long, value_name = "COLUMN", requires = "periods")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub periods_of: Option<String>,
    /// Answer each row as it arrives: rounds are played and written one by one [default: yes where rows come through a
    /// pipe and no option needs all of them first; else no, and rounds are played in blocks, which is faster and gives
    /// the same predictions to about 1e-9]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
          value_parser = BoolishValueParser::new())]
    #[serde(skip)]
    pub live: Option<bool>,
    /// Show the average loss after 1, 2, 4, 8, ... rounds on standard error [default: yes on a terminal]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
          value_parser = BoolishValueParser::new())]
    #[serde(skip)]
    pub progress: Option<bool>,
    /// Show these metrics of all rounds on standard error at the end
    #[arg(long, value_enum, value_name = "METRICS", value_delimiter = ',')]
    #[serde(skip)]
    pub metrics: Vec<Metric>,
    /// Show the metrics of every N rounds with a target, too
    #[arg(long, value_name = "N", requires = "metrics", value_parser = positive::<NonZeroU64>)]
    #[serde(skip)]
    pub window: Option<NonZeroU64>,
    /// Play the rows in a random order (loads the file into memory); the output has a further column `row`, the number
    /// of the row among those of the file that are read
    #[arg(long)]
    pub shuffle: bool,
    /// Seed of all random draws: the order, the noise, the learner's own
    #[arg(long, value_name = "N", default_value_t, value_parser = whole::<u64>)]
    pub seed: u64,
    /// Write the weights of the forecasts that each prediction combines, as columns `weight_NAME` (aggregate,
    /// expert-mixture, discount-mixture; the first ten; of auto the families of its members). Rounds are then played one by one
    #[arg(long)]
    pub weights: bool,
    /// Write what was known of each target before it was seen, as columns `mean`, `std` (standard deviation) and `log_loss` (-ln of
    /// its density), for ridge regressions and model-averaging; S is the standard deviation of the noise of targets, which is learnt
    /// without it. Intervals that keep their share of targets whatever these are: the learner `intervals`
    #[arg(long, value_name = "S", num_args = 0..=1, require_equals = true, default_missing_value = "learnt",
          conflicts_with_all = ["classes", "positive", "further_targets"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std: Option<StdNoise>,
    /// Where to write the rounds: Parquet if the name ends in .parquet, otherwise CSV [default: standard output]
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub output: Option<PathBuf>,
    /// Write a page about this run when it ends, as one HTML file that needs no network: what was found, losses over time against
    /// the running mean (or majority) and the last value, weights, intervals, and the largest misses, with the values of
    /// --position or --id beside them
    #[arg(long, value_name = "REPORT.html", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub report: Option<PathBuf>,
    /// The command line, for that page; empty where there is none.
    #[arg(skip)]
    #[serde(skip)]
    pub command: Vec<String>,
    /// Hide the rows behind this noise (losses are measured on the rows as they are)
    #[arg(long, value_name = "LAW")]
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
    /// Columns that are predicted, too, from the same inputs, each by a learner of its own that is made alike. Output has
    /// for each the columns of the first target: target_NAME, prediction_NAME, loss_NAME, cumulative_loss_NAME, and where the
    /// learner gives intervals lower_NAME, upper_NAME, missed_NAME and recent_miss_rate_NAME
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',',
          conflicts_with_all = ["noise", "shuffle", "id", "delay", "weights", "classes", "positive"])]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_targets: Vec<String>,
    /// A column with the weight of each row, a number of at least 0; it is no input. A row of weight 2 teaches the learner as much as
    /// the row twice. Ridge regressions, Azoury-Warmuth-Vovk forecasters and running-mean take any weight, other learners learn
    /// the row 0, 1, 2, ... times. Losses count rows, whatever their weights
    #[arg(long, value_name = "COLUMN",
          conflicts_with_all = ["noise", "shuffle", "id", "delay", "further_targets"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_weight: Option<String>,
    /// Keep a learner for each value of this column, which is no input. Each sees the rows of its value and no others, so that
    /// predictions are those of a run of its own; the output has a further column `group`. Where there are too many to stay in
    /// memory, those that have had no row for a while sleep in a file
    #[arg(long, value_name = "COLUMN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// How many noisy copies of its inputs a learner made for exact data averages [default: 1]
    #[arg(long, value_name = "K", value_parser = positive::<NonZeroU32>)]
    pub copies: Option<NonZeroU32>,
    /// What happens to a row that cannot be read, in the order of the file: `stop` ends the run, `skip` passes it over, `log`
    /// says so on standard error, too
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    #[serde(skip_serializing_if = "OnBadRow::is_stop")]
    pub on_bad_row: OnBadRow,
    /// A column that says where a row stands in the stream: numbers, dates or text that grow or stay. With --resume, the rows up to
    /// the last one that was saved are passed over, also on a pipe that begins elsewhere
    #[arg(long, value_name = "COLUMN", conflicts_with = "shuffle")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// A column that names rows; it is no input. A row without a target is predicted and waits; a later row of the same name
    /// that has a target teaches the learner with the earlier inputs, and its loss is that of the earlier prediction
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["shuffle", "delay", "weights"])]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Learn from the target of a row only after N further rows, as if it came so late
    #[arg(long, value_name = "N", conflicts_with = "weights", value_parser = positive::<NonZeroU32>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<NonZeroU32>,
    /// Write a column `unseen`: how many inputs of the row lie outside of what earlier rows had in their columns
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// Stop after N rounds
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU64>)]
    #[serde(skip)]
    pub limit: Option<NonZeroU64>,
    /// Save the learner at the end, as a safetensors file that `--load`, `noregret predict` and numpy read
    #[arg(long, value_name = "MODEL")]
    #[serde(skip)]
    pub save: Option<PathBuf>,
    /// Save it also after every N rounds (a Parquet output is then a folder of files, which end where it is saved)
    #[arg(long, value_name = "N", requires = "save", value_parser = positive::<NonZeroU64>)]
    #[serde(skip)]
    pub save_every: Option<NonZeroU64>,
    /// Save only what predictions need, where that is less: of kernel-ridge the coefficients instead of a factor, of the
    /// Nystrom learners no past rounds. Such a model is for `noregret predict`; it cannot learn
    #[arg(long, requires = "save", conflicts_with_all = ["save_every", "resume"])]
    #[serde(skip)]
    pub predict_only: bool,
    /// Go on with a saved learner, with the round numbers, the scaling, the seed and the columns that it was saved with
    #[arg(long, value_name = "MODEL", conflicts_with_all = LOADED)]
    #[serde(skip)]
    pub load: Option<PathBuf>,
    /// Go on with a run that was stopped, from its last save: give the options that it had, and this one
    #[arg(long, requires = "save", requires = "output")]
    #[serde(skip)]
    pub resume: bool,
}

impl StreamArgs {
    /// The same options, with the file and the learner that they mean.
    pub(crate) fn named(&self) -> Self {
        let mut named = self.clone();
        if let Some(file) = named.file_named.take() {
            named.input = file;
        }
        // A model has a learner of its own.
        if named.learner.is_empty() && named.load.is_none() {
            named.learner = AUTO.into();
        }
        named
    }

    /// How inputs are scaled; as they are, as long as nothing is settled.
    pub fn scale(&self) -> ScaleChoice {
        self.scale.unwrap_or_default()
    }

    /// How the targets are scaled that the learner sees.
    pub fn target_scale(&self) -> TargetScale {
        self.target_scale.unwrap_or_default()
    }

    /// What the learner is shown of a row; None where that is its columns.
    pub(crate) fn view(&self) -> Option<ViewKind> {
        let has = |view| self.views.contains(&view);
        let kind = ViewKind { past: has(ViewChoice::Past), categories: has(ViewChoice::Categories) };
        (kind != ViewKind::default()).then_some(kind)
    }

    /// Whether the learner is one over epochs.
    pub(crate) fn is_over_epochs(&self) -> bool {
        self.scale() == ScaleChoice::Epochs || self.target_scale() == TargetScale::Epochs
    }

    /// The columns that are derived for inputs of these names.
    ///
    /// # Errors
    /// If none of them is `--periods-of`.
    pub(crate) fn derived(&self, inputs: &[String]) -> Result<DerivedColumns, StreamError> {
        let find = |name: &String| {
            let found = inputs.iter().position(|input| input == name);
            found.ok_or_else(|| {
                let why = format!(
                    "--periods-of {name}: there is no such input; it must be a column of numbers, among the inputs"
                );
                StreamError::Usage(why)
            })
        };
        let clock = self.periods_of.as_ref().map(find).transpose()?;
        let [lags, means] =
            [&self.lags, &self.means].map(|counts| counts.iter().map(|count| *count as usize).collect());
        Ok(DerivedColumns { lags, means, periods: self.periods.clone(), clock })
    }

    /// Whether a scale is computed from all rows of a file before the first one is predicted.
    pub(crate) fn sees_whole_file(&self) -> bool {
        self.scale().bounds().is_some() || self.target_scale().sees_all()
    }
}

/// What happens to rows that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBadRow {
    /// The run ends; what was played before is written and saved
    #[default]
    Stop,
    /// It is passed over
    Skip,
    /// It is passed over, and standard error says why
    Log,
}

impl OnBadRow {
    fn is_stop(&self) -> bool {
        *self == OnBadRow::Stop
    }
}

/// What a learner is shown of a row besides its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewChoice {
    /// Past targets
    Past,
    /// Columns of categories as indicators
    Categories,
}

/// Scaling of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleChoice {
    /// As they are
    #[default]
    None,
    /// (x - mean) / deviation, within [-4, 4], by the rows before the epoch (it begins at rows 2, 3, 4, 5, 7, 9, ..., 710,
    /// 1420, 2840, ...): there the learner is made anew from all rows so far. Columns of categories, circles, and zeros and
    /// ones are centred only
    Epochs,
    /// To [0, 1], by the smallest and largest value of each column in the whole file
    Unit,
    /// To [-1, 1], by the same
    Symmetric,
    /// By the mean and deviation of this row and the earlier ones; columns of categories, circles and indicators stay
    Running,
}

impl ScaleChoice {
    /// What the range of each column in the whole file is mapped to, where the scale is one by the whole file.
    pub(crate) fn bounds(self) -> Option<Bounds> {
        match self {
            ScaleChoice::None | ScaleChoice::Epochs | ScaleChoice::Running => None,
            ScaleChoice::Unit => Some(Bounds::Unit),
            ScaleChoice::Symmetric => Some(Bounds::Symmetric),
        }
    }
}
