//! The runs and traces of an experiment, read back for analysis.

use std::collections::BTreeSet;

use polars::prelude::DataFrame;

use crate::analysis::record::Experiment;
use crate::trace::read;

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// Finds the measured times of runs by their identifiers.
pub type Times<'a> = &'a dyn Fn(&BTreeSet<String>) -> Result<DataFrame, String>;

/// The experiment `name` from its published files, each a name for messages and its bytes; `times` finds the measured
/// times of runs by their identifiers, where they are wanted.
///
/// # Errors
/// Bytes that are no such tables, in words.
pub fn read(
    name: &str,
    runs: (&str, Vec<u8>),
    traces: (&str, Vec<u8>),
    times: Option<Times<'_>>,
) -> Result<Experiment, String> {
    let runs = read::runs(runs.0, runs.1).map_err(|error| error.to_string())?;
    let traces = read::traces(traces.0, traces.1).map_err(|error| error.to_string())?;
    let times = match times {
        None => None,
        Some(times) => {
            let ids = runs.column("run_id").and_then(|ids| ids.str().cloned()).map_err(|error| error.to_string())?;
            Some(times(&ids.iter().flatten().map(str::to_owned).collect())?)
        }
    };
    Experiment::new(name, &runs, &traces, times.as_ref(), None).map_err(|error| error.to_string())
}
