//! `noregret dag`: the stages and what they read.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::DONE;
use noregret_engine::plan::dag::{dot, mermaid, text};
use noregret_engine::plan::work::Graph;

/// Options of `noregret dag`.
#[derive(Args, Clone, Debug, Default)]
pub struct DagArgs {
    /// The profile [default: paper, or NOREGRET_PROFILE]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Print a Mermaid flowchart
    #[arg(long, conflicts_with = "dot")]
    pub mermaid: bool,
    /// Print a Graphviz digraph
    #[arg(long)]
    pub dot: bool,
}

/// Prints the DAG.
pub fn run(args: &DagArgs, graph: &Graph, out: &mut dyn Write) -> Result<u8, CliError> {
    let shown = match args {
        DagArgs { mermaid: true, .. } => mermaid(graph),
        DagArgs { dot: true, .. } => dot(graph),
        _ => text(graph),
    };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    Ok(DONE)
}
