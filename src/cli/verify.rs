//! `noregret verify`: checks stored files against their hashes, and results against `pipeline.lock`.

use std::io::Write;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::exit::{DONE, FAILED};
use crate::cli::select::Select;
use noregret_engine::exec::lock::{self, Comparison, Deviation};
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
    let lock = match &verified.lock {
        None => "no results/pipeline.lock to compare with".to_owned(),
        Some(Err(malformed)) => {
            writeln!(out, "{malformed}")?;
            "nothing compared with pipeline.lock".to_owned()
        }
        Some(Ok(comparison)) => {
            comparison.deviations.iter().try_for_each(|deviation| writeln!(out, "{deviation}"))?;
            summary(comparison)
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

/// How many results were compared with the lock, how many of these differ, and how many could not be compared.
fn summary(comparison: &Comparison) -> String {
    let count = |counts: fn(&Deviation) -> bool| comparison.deviations.iter().filter(|one| counts(one)).count();
    let (failures, compared) = (count(Deviation::is_failure), comparison.compared);
    let others = [
        (count(|one| matches!(one, Deviation::Close(_) | Deviation::Derived(_))), "equal to 1e-9"),
        (count(|one| matches!(one, Deviation::Changed(_))), "made otherwise and not compared"),
        (count(|one| matches!(one, Deviation::Absent(_))), "in the lock alone"),
        (count(|one| matches!(one, Deviation::New(_))), "here alone"),
    ];
    let others = others.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("; {count} {what}"));
    let lock = match compared {
        0 => "no result could be compared with pipeline.lock".to_owned(),
        _ => format!("{failures} of {compared} results differ from pipeline.lock"),
    };
    std::iter::once(lock).chain(others).collect()
}
