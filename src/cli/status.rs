//! `noregret status`: the state of the stages.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::{DONE, FAILED};
use crate::cli::select::SelectArgs;
use crate::cli::show::{json, write};
use noregret_engine::exec::progress::{Verbosity, verbosity};
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::status::{StageStatus, status};
use noregret_engine::plan::work::Graph;

/// Options of `noregret status`.
#[derive(Args, Clone, Debug, Default)]
pub struct StatusArgs {
    /// Which stages, under which profile
    #[command(flatten)]
    pub select: SelectArgs,
    /// For each item that is not fresh, say why
    #[arg(long)]
    pub why: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Exit with status 1 if anything is stale, missing or failed
    #[arg(long)]
    pub exit_code: bool,
}

/// Prints the state of the stages.
pub fn run(args: &StatusArgs, graph: &Graph, store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let plan = args.select.plan(graph, store)?;
    let rows = status(graph, &plan, args.why || verbosity() == Verbosity::Verbose);
    if args.json {
        json(&rows, out)?;
    } else {
        write(&table(&rows), out)?;
    }
    let to_make = rows.iter().any(|row| row.stale + row.missing + row.failed > 0);
    Ok(if args.exit_code && to_make { FAILED } else { DONE })
}

/// A table with a row per stage, with reasons indented below it, and a last row of sums.
fn table(rows: &[StageStatus]) -> String {
    let width = rows.iter().map(|row| row.stage.len()).max().unwrap_or(0).max("stage".len());
    let heads = ["fresh", "stale", "missing", "failed", "unavailable"];
    let line = |name: &str, counts: [usize; 5]| {
        let mut text = format!("{name:width$}");
        for (count, head) in counts.iter().zip(heads) {
            let shown = if *count == 0 { "-".to_owned() } else { count.to_string() };
            text.push_str(&format!("  {shown:>w$}", w = head.len()));
        }
        text + "\n"
    };
    let mut text = format!("{:width$}  {}\n", "stage", heads.join("  "));
    let mut sums = [0; 5];
    for row in rows {
        let counts = [row.fresh, row.stale, row.missing, row.failed, row.unavailable];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        text.push_str(&line(&row.stage, counts));
        // The reason why data are unavailable is the same for all items of a stage, so it is printed once.
        let unavailable = row.why.iter().filter(|why| why.state == "unavailable").count();
        let mut told = false;
        for why in &row.why {
            let mut item = why.item.clone();
            if why.state == "unavailable" && unavailable > 1 {
                if std::mem::replace(&mut told, true) {
                    continue;
                }
                item = format!("{unavailable} items");
            }
            let gap = if item.is_empty() { "" } else { " " };
            text.push_str(&format!("  {item}{gap}{}: {}\n", why.state, why.reason));
            if let Some(remedy) = &why.remedy {
                text.push_str(&format!("    remedy: {remedy}\n"));
            }
        }
    }
    text + &line("all", sums)
}
