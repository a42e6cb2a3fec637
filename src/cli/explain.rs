//! `noregret explain`: why something would be made, field by field.

use std::io::Write;

use clap::Args;

use crate::cli::exit::{DONE, FAILED, Stop};
use crate::exec::engine::{RunRequest, dry_run};
use crate::exec::explain::{explain, text};
use crate::exec::store::Store;
use crate::plan::work::Graph;

/// Options of `noregret explain`.
#[derive(Args, Clone, Debug, Default)]
pub struct ExplainArgs {
    /// Stage names or globs
    #[arg(value_name = "TARGET", required = true)]
    pub targets: Vec<String>,
    /// Print JSON, with hashes in full
    #[arg(long)]
    pub json: bool,
}

/// Prints what differs between what is asked for and what was made before.
pub fn run(args: &ExplainArgs, graph: &Graph, store: &Store, out: &mut dyn Write) -> Result<u8, Stop> {
    let request = RunRequest { targets: args.targets.clone(), ..RunRequest::default() };
    let (plan, _) = dry_run(graph, &request, store)?;
    let explanations = explain(graph, &plan, store);
    if args.json {
        let text = serde_json::to_string_pretty(&explanations);
        let text = text.map_err(|error| Stop { message: error.to_string(), code: FAILED })?;
        writeln!(out, "{text}")?;
    } else {
        out.write_all(text(&explanations).as_bytes())?;
    }
    out.flush()?;
    Ok(DONE)
}
