//! `noregret verify`: checks stored files against their hashes, and results against `pipeline.lock`.

use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::error::CliError;
use crate::cli::exit::{DONE, FAILED};
use crate::cli::select::SelectArgs;
use crate::cli::show;
use crate::cli::show::quoted;
use noregret_engine::exec::lockfile::{self, Deviation, LockComparison};
use noregret_engine::exec::store::ResultStore;
use noregret_engine::exec::verify::{Verified, verify};
use noregret_engine::plan::select::select;
use noregret_engine::plan::work::Graph;

/// Options of `noregret verify`.
#[derive(Args, Clone, Debug, Default)]
pub struct VerifyArgs {
    /// Which stages, under which profile; where none is named, everything in the store
    #[command(flatten)]
    pub select: SelectArgs,
    /// Write results/pipeline.lock from these results
    #[arg(long, conflicts_with = "words")]
    pub write_lock: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "write_lock")]
    pub json: bool,
}

/// Verifies. The exit status is 1 if something is damaged or differs.
pub fn run(args: &VerifyArgs, graph: &Graph, store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let selection = select(graph, &args.select.targets())?;
    let verified = verify(graph, &selection, store)?;
    if args.json {
        show::json(&json_of(&verified), out)?;
        return Ok(if verified.is_sound() { DONE } else { FAILED });
    }
    for line in &verified.damaged {
        writeln!(out, "{line}")?;
    }
    for (stage, count, of) in &verified.unmade {
        writeln!(out, "{stage}: {count} of {of} not made, or stale")?;
    }
    if args.write_lock && verified.damaged.is_empty() {
        lockfile::write(&verified.lines, store)?;
        writeln!(out, "{}: {} lines", lockfile::path(store).display(), verified.lines.len())?;
        let absent = |comparison: &LockComparison| count(comparison, |one| matches!(one, Deviation::Absent(_)));
        let gone = verified.lock.as_ref().and_then(|lock| lock.as_ref().ok()).map_or(0, absent);
        if gone > 0 {
            let (gone, run) = (show::counted(gone, "result"), args.select.command("run"));
            writeln!(out, "{gone} of the former lock left out, not made or stale; {run} makes what is missing")?;
        }
        return Ok(DONE);
    }
    let lock = match &verified.lock {
        None => "no results/pipeline.lock to compare with".to_owned(),
        Some(Err(malformed)) => {
            writeln!(out, "{malformed}")?;
            "nothing compared with pipeline.lock".to_owned()
        }
        Some(Ok(comparison)) => {
            lines(comparison).iter().try_for_each(|line| writeln!(out, "{line}"))?;
            summary(comparison)
        }
    };
    writeln!(out, "{} files hashed, {} damaged; {lock}", verified.files, verified.damaged.len())?;
    if !verified.damaged.is_empty() {
        let lock = if args.write_lock { "; the lock is as it was" } else { "" };
        writeln!(out, "{} rebuilds what is damaged{lock}", args.select.command("run"))?;
    }
    if let Some((stage, ..)) = verified.unmade.first() {
        let words = args.select.targets();
        let words = if words.len() == 1 { &words[0] } else { stage };
        writeln!(out, "{} makes what is missing", args.select.command(&format!("run {}", quoted(words))))?;
    }
    out.flush()?;
    Ok(if verified.is_sound() { DONE } else { FAILED })
}

/// What was found, as JSON.
fn json_of(verified: &Verified) -> Value {
    let lock = match &verified.lock {
        None => Value::Null,
        Some(Err(malformed)) => json!({ "unusable": malformed }),
        Some(Ok(lock)) => {
            let failed = count(lock, Deviation::is_failure);
            let told: Vec<String> = lock.deviations.iter().map(ToString::to_string).collect();
            json!({ "compared": lock.compared, "differ": failed, "deviations": told })
        }
    };
    let unmade = verified.unmade.iter();
    let unmade = unmade.map(|(stage, count, of)| json!({ "stage": stage, "not_made": count, "items": of }));
    json!({
        "sound": verified.is_sound(), "files": verified.files, "damaged": verified.damaged,
        "not_made": unmade.collect::<Vec<_>>(), "lock": lock,
    })
}

/// Whether a deviation is of a kind.
type DeviationKind = fn(&Deviation) -> bool;

/// What may be otherwise than in the lock without a failure, and what it is called.
const OTHERS: [(DeviationKind, &str); 4] = [
    (|one| matches!(one, Deviation::Close(_) | Deviation::Derived(_)), "equal to 1e-9"),
    (|one| matches!(one, Deviation::Changed(_)), "made otherwise and not compared"),
    (|one| matches!(one, Deviation::Absent(_)), "in the lock alone"),
    (|one| matches!(one, Deviation::New(_)), "here alone"),
];

/// How many of these are told by name, for each reason.
const TOLD: usize = 10;

/// What differs, a line each: failures first and all of them, of what else is otherwise the first few.
fn lines(comparison: &LockComparison) -> Vec<String> {
    let told = |kind: &dyn Fn(&Deviation) -> bool| -> Vec<String> {
        comparison.deviations.iter().filter(|one| kind(one)).map(ToString::to_string).collect()
    };
    let mut lines = told(&Deviation::is_failure);
    for (kind, what) in OTHERS {
        let others = told(&kind);
        lines.extend(others.iter().take(TOLD).cloned());
        if others.len() > TOLD {
            lines.push(format!("... and {} more {what}; --json lists all", others.len() - TOLD));
        }
    }
    lines
}

/// How many deviations are of a kind.
fn count(comparison: &LockComparison, kind: DeviationKind) -> usize {
    comparison.deviations.iter().filter(|one| kind(one)).count()
}

/// How many results were compared with the lock, how many of these differ, and how many could not be compared.
fn summary(comparison: &LockComparison) -> String {
    let count = |kind| count(comparison, kind);
    let (failures, compared) = (count(Deviation::is_failure), comparison.compared);
    let others = OTHERS.map(|(kind, what)| (count(kind), what));
    let others = others.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("; {count} {what}"));
    let lock = match compared {
        0 => "no result could be compared with pipeline.lock".to_owned(),
        _ => format!("{failures} of {compared} results differ from pipeline.lock"),
    };
    std::iter::once(lock).chain(others).collect()
}
