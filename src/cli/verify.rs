//! `noregret verify`: checks stored files against their hashes, and results against `pipeline.lock`.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::{DONE, FAILED};
use crate::cli::select::Select;
use noregret_engine::exec::lock;
use noregret_engine::exec::store::Store;
use noregret_engine::exec::verify::verify;
use noregret_engine::plan::select::select;
use noregret_engine::plan::work::Graph;

/// Options of `noregret verify`.
#[derive(Args, Clone, Debug, Default)]
pub struct VerifyArgs {
    /// Which stages, under which profile
    #[command(flatten)]
    pub select: Select,
    /// Write results/pipeline.lock from these results
    #[arg(long, conflicts_with = "words")]
    pub write_lock: bool,
}

/// Verifies. The exit status is 1 if something is damaged or differs.
pub fn run(args: &VerifyArgs, graph: &Graph, store: &Store, out: &mut dyn Write) -> Result<u8, CliError> {
    let selection = select(graph, &args.select.targets())?;
    let verified = verify(graph, &selection, store)?;
    for line in &verified.damaged {
        writeln!(out, "{line}")?;
    }
    if args.write_lock && verified.damaged.is_empty() {
        lock::write(&verified.lines, store)?;
        writeln!(out, "{}: {} lines", lock::path(store).display(), verified.lines.len())?;
        return Ok(DONE);
    }
    for deviation in verified.deviations.iter().flatten() {
        writeln!(out, "{deviation}")?;
    }
    let lock = match &verified.deviations {
        None => "no results/pipeline.lock to compare with".to_owned(),
        Some(deviations) => {
            let failures = deviations.iter().filter(|deviation| deviation.is_failure()).count();
            format!("{failures} of {} results differ from pipeline.lock", verified.lines.len())
        }
    };
    writeln!(out, "{} files hashed, {} damaged; {lock}", verified.files, verified.damaged.len())?;
    if !verified.damaged.is_empty() {
        let lock = if args.write_lock { "; the lock is as it was" } else { "" };
        writeln!(out, "`noregret run` rebuilds what is damaged{lock}")?;
    }
    out.flush()?;
    Ok(if verified.is_sound() { DONE } else { FAILED })
}
