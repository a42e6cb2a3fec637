//! The columns of the result tables, with type, unit and meaning. The book lists them.

/// Version of the trace tables; changes only by adding nullable columns, or with a new number.
pub(crate) const TRACE: &str = "trace/1";
/// Version of the runs table.
pub(crate) const RUNS: &str = "runs/1";
/// Version of the tables of values behind rates.
pub(crate) const RATES: &str = "rates/2";
/// Version of the table of times.
pub(crate) const TIMINGS: &str = "timings/1";

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// UTF-8 string.
    Text,
    /// Unsigned 64-bit integer.
    Count,
    /// 64-bit float.
    Number,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct ResultColumn {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// Whether it may be null ("not applicable"); NaN is never used for that.
    pub nullable: bool,
    /// Its unit, where it has one.
    pub unit: &'static str,
    /// What it holds.
    pub doc: &'static str,
}

const fn column(name: &'static str, kind: Type, nullable: bool, unit: &'static str, doc: &'static str) -> ResultColumn {
    ResultColumn { name, kind, nullable, unit, doc }
}

/// The trace of one cell, as it is kept in the store: one row per checkpoint, which ends with the gauges
/// ([`crate::trace::gauge`]).
pub const CHECKPOINTS: &[ResultColumn] = &[
    column("t", Type::Count, false, "rounds", "rounds played"),
    column(
        "cumulative_loss",
        Type::Number,
        false,
        "units of the loss",
        "sum of losses over rounds 1..t: (prediction - target)^2, or the experiment's own loss",
    ),
    column(
        "cumulative_error",
        Type::Number,
        true,
        "errors",
        "rounds with sign(prediction) != sign(target), a prediction of 0 counting 1/2; targets -1/+1 only",
    ),
    column(
        "comparator_loss",
        Type::Number,
        true,
        "units of the loss",
        "loss of the best fixed predictor of rounds 1..t, where the stream is an adversary that plays against one",
    ),
];

/// What identifies the run of a row; leads both result tables.
pub const IDENTITY: &[ResultColumn] = &[
    column("run_id", Type::Text, false, "", "first 16 hexadecimal digits of the cell's key"),
    column("experiment", Type::Text, false, "", "name of the experiment"),
    column("stream", Type::Text, false, "", "dataset or synthetic law"),
    column("learner", Type::Text, false, "", "registered name of the learner"),
    column("label", Type::Text, false, "", "name of the curve in figures"),
    column("replicate", Type::Count, false, "", "replicate, from 0"),
    column("horizon", Type::Count, false, "rounds", "number of rounds the run was set to play"),
];

/// The end of each run, in `runs.parquet`, after [`IDENTITY`]; gauges, measures `m_*` and parameters
/// `p_learner_*`, `p_stream_*` follow.
pub const ENDINGS: &[ResultColumn] = &[
    column(
        "status",
        Type::Text,
        false,
        "",
        "done, diverged (non-finite prediction or a breakdown of the learner) or failed",
    ),
    column("detail", Type::Text, true, "", "why, where status is not done"),
    column("rounds", Type::Count, false, "rounds", "rounds played"),
    column("cumulative_loss", Type::Number, true, "units of the loss", "at the last round"),
    column("average_loss", Type::Number, true, "units of the loss", "cumulative_loss / rounds"),
    column("cumulative_error", Type::Number, true, "errors", "at the last round"),
    column(
        "comparator_loss",
        Type::Number,
        true,
        "units of the loss",
        "objective of the comparator in hindsight at the horizon (loss plus penalty where it has one)",
    ),
    column("key", Type::Text, false, "", "full key of the cell"),
    column("config", Type::Text, false, "", "canonical JSON of the cell's configuration"),
    column("tuned", Type::Text, true, "", "parameters chosen on other orders of the rows, where there was a choice"),
];

/// The prefix of the columns of the runs table that hold measures: named numbers known at the end of a run.
pub const MEASURE: &str = "m_";

/// Measured times, one row per run and checkpoint. Not a result: they differ from run to run and are kept with the
/// log, never in a result table.
pub const TIMES: &[ResultColumn] = &[
    column("run_id", Type::Text, false, "", "first 16 hexadecimal digits of the cell's key"),
    column("t", Type::Count, false, "rounds", "rounds played"),
    column("cpu_ns", Type::Count, false, "ns", "processor time of the learner's rounds 1..t"),
    column("wall_ns", Type::Count, false, "ns", "elapsed time of the learner's rounds 1..t"),
    column("host", Type::Text, false, "", "machine that ran the cell"),
];

/// The values behind a row of the table of rates, in `rates/<row>.parquet`: one row per horizon and replicate.
pub const POINTS: &[ResultColumn] = &[
    column("row", Type::Text, false, "", "name of the row: the stage is `rates/<row>`"),
    column("experiment", Type::Text, false, "", "name of the experiment"),
    column("label", Type::Text, false, "", "name of the curve"),
    column("quantity", Type::Text, false, "", "what `value` is: regret, a gauge, or a measure (`m:name`)"),
    column("horizon", Type::Count, false, "rounds", "number of rounds of the run"),
    column("replicate", Type::Count, false, "", "replicate (seed), from 0"),
    column(
        "value",
        Type::Number,
        false,
        "",
        "the quantity at the end of the run, with the row's control variate if it has one",
    ),
    column("plain", Type::Number, true, "", "the quantity without the control variate, where the row has one"),
    column("shape", Type::Number, false, "", "the theorem's shape g at that horizon, without its constant factor"),
    column("bound", Type::Number, true, "", "the theorem's bound for this run, where its constants are known"),
];
