//! What the page of a stream tells.

/// A run of one learner over one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamStory {
    /// The learner's name.
    pub learner: String,
    /// The column that was predicted.
    pub target: String,
    /// The file, or what stands for it.
    pub file: String,
    /// How losses are measured.
    pub measure: StoryMeasure,
    /// How many rows with a target an earlier run had learnt, about which this page knows nothing.
    pub before: u64,
    /// The losses along the rows; the last ones are those of all rows.
    pub losses: Vec<LossesSoFar>,
    /// The weights of the forecasts that were combined, if there were any.
    pub weights: Option<WeightStory>,
    /// The intervals that were predicted, if there were any.
    pub intervals: Option<IntervalStory>,
    /// What was missed most.
    pub misses: MissStory,
    /// Names and values about the run.
    pub facts: Vec<(String, String)>,
    /// Sentences that a reader must know.
    pub notes: Vec<String>,
}

/// How losses are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoryMeasure {
    /// By the squares of errors, and against the running mean.
    #[default]
    Squares,
    /// By the share of wrong classes, and against the class that was most frequent so far.
    Classes,
}

/// Average losses over the first rows with a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossesSoFar {
    /// How many rows.
    pub rows: u64,
    /// Of the learner.
    pub learner: f64,
    /// Of the mean of the earlier targets, or of their most frequent class.
    pub usual: f64,
    /// Of the target before.
    pub last: f64,
}

/// Weights along the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightStory {
    /// The names of the forecasts.
    pub names: Vec<String>,
    /// The number of rows, and the weight of each forecast there.
    pub points: Vec<(u64, Vec<f64>)>,
    /// What must be said of them.
    pub note: Option<String>,
}

/// Intervals along the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalStory {
    /// The part of the targets that they are to contain, where it is known.
    pub level: Option<f64>,
    /// What was found, row by row.
    pub points: Vec<IntervalsSoFar>,
    /// How many intervals had no finite width.
    pub unbounded: u64,
}

/// What intervals were over the first rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntervalsSoFar {
    /// How many rows.
    pub rows: u64,
    /// The part of the targets that they contained.
    pub coverage: f64,
    /// The mean of their finite widths; none before the first one.
    pub width: Option<f64>,
}

/// The largest misses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MissStory {
    /// The column that names rows, if there is one.
    pub mark: Option<String>,
    /// The rows, with the largest miss first.
    pub rows: Vec<StoryMiss>,
}

/// A row that was missed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoryMiss {
    /// Its number.
    pub row: u64,
    /// What names it.
    pub mark: String,
    /// What was predicted.
    pub prediction: String,
    /// What it was.
    pub target: String,
    /// Prediction minus target, or the probability that the class of the row had.
    pub error: String,
}
