//! `noregret explain`: why something would be made, field by field.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::DONE;
use crate::cli::select::SelectArgs;
use crate::cli::show::{json, write};
use noregret_engine::exec::explain::{explain, text};
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::work::Graph;

/// Options of `noregret explain`.
#[derive(Args, Clone, Debug, Default)]
pub struct ExplainArgs {
    /// Which stages, under which profile
    #[command(flatten)]
    pub select: SelectArgs,
    /// Print JSON, with hashes in full
    #[arg(long)]
    pub json: bool,
}

/// Prints the differences between what would be made now and what was made before.
pub fn run(args: &ExplainArgs, graph: &Graph, store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let explanations = explain(graph, &args.select.plan(graph, store)?, store);
    if args.json {
        json(&explanations, out)?;
    } else {
        write(&text(&explanations), out)?;
    }
    Ok(DONE)
}
