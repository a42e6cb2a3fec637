//! The runs and traces of an experiment, read back for analysis.

use std::collections::BTreeSet;
use std::error::Error;

use polars::prelude::DataFrame;

use noregret_report::analysis::record::ExperimentResults;
use noregret_report::trace::read;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// Finds the measured times of runs by their identifiers.
pub(crate) type Times<'a> = &'a dyn Fn(&BTreeSet<String>) -> Result<DataFrame, Cause>;

/// What went wrong, with its sources.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// The experiment `name` from its published files, each a name for messages and its bytes; `times` finds the measured
/// times of runs by their identifiers, where they are wanted.
///
/// # Errors
/// Bytes that are not such tables, or times that cannot be found.
pub(crate) fn read(
    name: &str,
    runs: (&str, Vec<u8>),
    traces: (&str, Vec<u8>),
    times: Option<Times<'_>>,
) -> Result<ExperimentResults, Cause> {
    let runs = read::runs(runs.0, runs.1)?;
    let traces = read::traces(traces.0, traces.1)?;
    let times = match times {
        None => None,
        Some(times) => {
            let ids = runs.column("run_id").and_then(|ids| ids.str().cloned())?;
            Some(times(&ids.iter().flatten().map(str::to_owned).collect())?)
        }
    };
    Ok(ExperimentResults::new(name, &runs, &traces, times.as_ref())?)
}
