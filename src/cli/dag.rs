//! `noregret dag`: the stages and what they read.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::DONE;
use crate::cli::select::SelectArgs;
use crate::cli::show::{json, write};
use noregret_engine::plan::dag::{dot, mermaid, needed, nodes, text};
use noregret_engine::plan::select::select;
use noregret_engine::plan::work::Graph;

/// Options of `noregret dag`.
#[derive(Args, Clone, Debug, Default)]
pub struct DagArgs {
    /// Which stages, with all that they need, under which profile
    #[command(flatten)]
    pub select: SelectArgs,
    /// Print a Mermaid flowchart
    #[arg(long, conflicts_with_all = ["dot", "json"])]
    pub mermaid: bool,
    /// Print a Graphviz digraph
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints the DAG of the targets and of all that they need.
pub fn run(args: &DagArgs, graph: &Graph, out: &mut dyn Write) -> Result<u8, CliError> {
    let shown = needed(graph, &select(graph, &args.select.targets())?);
    let drawn = match args {
        DagArgs { json: true, .. } => return json(&nodes(graph, &shown), out).map(|()| DONE),
        DagArgs { mermaid: true, .. } => mermaid(graph, &shown),
        DagArgs { dot: true, .. } => dot(graph, &shown),
        _ => text(graph, &shown),
    };
    write(&drawn, out).map(|()| DONE)
}
