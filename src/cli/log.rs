//! `noregret log`: earlier runs.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::DONE;
use crate::cli::show::{counted, json};
use noregret_engine::exec::journal::runs;
use noregret_engine::exec::progress::duration;
use noregret_engine::exec::progress::tell;
use noregret_engine::exec::store::ResultStore;

/// Options of `noregret log`.
#[derive(Args, Clone, Debug, Default)]
pub struct LogArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the runs that did something, oldest first.
pub fn run(args: &LogArgs, store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let (runs, lost) = runs(store);
    if lost > 0 {
        tell(&format!("results/log/runs.jsonl: {} cannot be read and are left out\n", counted(lost, "line")));
    }
    if args.json {
        json(&runs, out)?;
    } else {
        for run in &runs {
            let targets = if run.targets.is_empty() { "everything".to_owned() } else { run.targets.join(" ") };
            let variant = run.variant.as_ref().map(|name| format!("  as variant {name}")).unwrap_or_default();
            let failed = if run.failed > 0 { format!(", {} failed", run.failed) } else { String::new() };
            let left = if run.left > 0 { format!(", {} left", run.left) } else { String::new() };
            let seconds = duration(run.seconds);
            let (when, end, made, jobs) = (&run.when, &run.end, run.made, counted(run.jobs, "thread"));
            writeln!(out, "{when}  {end:11}  {made} made{failed}{left}  {seconds} on {jobs}  {targets}{variant}")?;
        }
    }
    out.flush()?;
    Ok(DONE)
}
