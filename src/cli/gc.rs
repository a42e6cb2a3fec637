//! `noregret gc`: removes stored objects that no plan refers to any more.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::DONE;
use crate::cli::show::{counted, json};
use noregret_engine::exec::gc::gc;
use noregret_engine::exec::progress::tell;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::work::Graph;

/// Options of `noregret gc`.
#[derive(Args, Clone, Debug, Default)]
pub struct GcArgs {
    /// Print what would be removed, and remove nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Collects garbage. `graphs` has one graph per profile, so that no profile loses results.
pub fn run(args: &GcArgs, graphs: &[Graph], store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let collected = gc(graphs, store, args.dry_run)?;
    if args.json {
        let found = serde_json::json!({ "removed": !args.dry_run, "files": collected.files, "bytes": collected.bytes,
            "away": collected.away });
        json(&found, out)?;
    } else {
        collected.files.iter().try_for_each(|file| writeln!(out, "{}", file.display()))?;
    }
    out.flush()?;
    collected.warnings.iter().for_each(|warning| tell(&format!("{warning}\n")));
    let word = if args.dry_run { "would be removed" } else { "removed" };
    tell(&format!("{}, {:.1} MB {word}\n", counted(collected.files.len(), "file"), collected.bytes as f64 / 1e6));
    if collected.away > 0 {
        let items = counted(collected.away, "item");
        tell(&format!("kept: what was stored of {items} that cannot be made here now (`noregret status` says why)\n"));
    }
    Ok(DONE)
}
