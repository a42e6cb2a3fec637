//! `noregret clean`: removes results, so that they are made again.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::DONE;
use crate::cli::select::SelectArgs;
use crate::cli::show::{counted, json};
use noregret_engine::exec::clean::clean;
use noregret_engine::exec::progress::tell;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::key::kind;
use noregret_engine::plan::work::Graph;

/// Options of `noregret clean`.
#[derive(Args, Clone, Debug, Default)]
pub struct CleanArgs {
    /// Which stages, under which profile
    #[command(flatten)]
    pub select: SelectArgs,
    /// Print what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Removes the results of the targets. Downloads (`fetch/...`) are removed only if they are named.
pub fn run(args: &CleanArgs, graph: &Graph, store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let mut plan = args.select.plan(graph, store)?;
    if args.select.targets().is_empty() {
        for (selected, stage) in plan.selection.stages.iter_mut().zip(&graph.stages) {
            *selected &= kind(&stage.name) != "fetch";
        }
    }
    let files = clean(graph, &plan, store, args.dry_run)?;
    if args.json {
        json(&serde_json::json!({ "removed": !args.dry_run, "files": files }), out)?;
    } else {
        files.iter().try_for_each(|file| writeln!(out, "{}", file.display()))?;
    }
    out.flush()?;
    tell(&format!("{} {}\n", counted(files.len(), "file"), if args.dry_run { "would be removed" } else { "removed" }));
    Ok(DONE)
}
