//! `noregret run`: makes what is missing or stale.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::error::CliError;
use crate::cli::exit::of_run;
use crate::cli::select::SelectArgs;
use crate::cli::show::{counted, json, quoted};
use noregret_data::bucket::is_bucket;
use noregret_engine::exec::engine::{ItemEnd, RunRequest, RunSummary, SharedCount, dry_run, run as execute};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::{Terminal, Verbosity, complain, duration, tell, verbosity};
use noregret_engine::exec::remote::Remote;
use noregret_engine::exec::request::RunScope;
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::planner::{Plan, PlannedStep};
use noregret_engine::plan::select::select;
use noregret_engine::plan::shard::Shard;
use noregret_engine::plan::work::{Graph, Unavailable};
use noregret_stream::value::threads;
use noregret_study::bucket::SharedBucket;
use noregret_study::config::project::Project;

/// Options of `noregret run`.
#[derive(Args, Clone, Debug, Default)]
pub struct RunArgs {
    /// Which part of the pipeline, and under which profile
    #[command(flatten)]
    pub select: SelectArgs,
    /// Threads that share the work [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub jobs: Option<NonZeroUsize>,
    /// Print what would run, and why, and run nothing; equal lines are counted (`-v` prints each)
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Make the targets again, fresh or not
    #[arg(short, long)]
    pub force: bool,
    /// Stop at the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// Do not wait for work that another run is doing: exit with status 75
    #[arg(long)]
    pub no_wait: bool,
    /// Count data that cannot be reached as a failure
    #[arg(long)]
    pub strict: bool,
    /// Make one of N shards of the cells, and what it needs; N processes on a shared folder take a different I each
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Share out only what is missing when the first shard with this NAME starts (the id of a job, for example)
    #[arg(long, value_name = "NAME", requires = "shard")]
    pub batch: Option<String>,
    /// Make everything but cells, from the cells that are there; exit with status 1 if some are missing
    #[arg(long, conflicts_with = "shard")]
    pub no_cells: bool,
    /// Share what is made with other machines through a bucket, s3://BUCKET/PREFIX (docs/src/cluster.md) [default: `store` in
    /// noregret.toml]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "offline")]
    pub store: Option<String>,
    /// Print what was done, or with -n the plan, as JSON
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// The bucket through which the store is shared, if there is one.
    fn bucket(&self, root: &Path) -> Result<Option<Arc<dyn Remote>>, CliError> {
        if self.select.offline {
            return Ok(None);
        }
        let Some(address) =
            self.store.clone().map_or_else(|| Project::settings(root).map(|all| all.store), |one| Ok(Some(one)))?
        else {
            return Ok(None);
        };
        if !is_bucket(&address) {
            return Err(CliError::usage(format!("{address} is not the address of a bucket; write s3://BUCKET/PREFIX")));
        }
        let bucket = SharedBucket::open(&address).map_err(CliError::failed)?;
        Ok(Some(Arc::new(bucket)))
    }

    fn request(&self) -> RunRequest {
        RunRequest {
            targets: self.select.targets(),
            jobs: self.jobs.map_or(0, NonZeroUsize::get),
            force: self.force,
            fail_fast: self.fail_fast,
            no_wait: self.no_wait,
            retry: true,
            scope: match self.shard {
                Some(shard) => RunScope::Shard { shard, batch: self.batch.clone() },
                None if self.no_cells => RunScope::NoCells,
                None => RunScope::All,
            },
        }
    }
}

/// Runs, or prints the plan. Returns the exit status.
pub fn run(args: &RunArgs, graph: &Graph, store: &ResultStore, out: &mut dyn Write) -> Result<u8, CliError> {
    let request = args.request();
    if args.dry_run {
        let (plan, rates) = dry_run(graph, &request, store)?;
        let (seconds, unknown) = plan.seconds(graph, &rates);
        let unavailable: Vec<_> = plan
            .unavailable()
            .map(|(stage, item, why)| ItemEnd {
                stage: graph.stages[stage].name.clone(),
                item: graph.stages[stage].work.label(item),
                why: why.clone(),
            })
            .collect();
        if args.json {
            json(&planned(graph, &plan, &unavailable, (seconds, unknown)), out)?;
            return Ok(0);
        }
        write_plan(graph, &plan, verbosity() < Verbosity::Verbose, out)?;
        tell(&format!("{}\n", outlook(&plan, seconds, unknown)));
        tell(&unavailable_text(&unavailable));
        return Ok(0);
    }
    let summary = make(args, graph, store)?;
    if args.json {
        json(&done(&summary), out)?;
    }
    Ok(of_run(&summary, args.strict))
}

/// Runs, and says what was done.
pub(crate) fn make(args: &RunArgs, graph: &Graph, store: &ResultStore) -> Result<RunSummary, CliError> {
    let request = args.request();
    if verbosity() == Verbosity::Verbose {
        let mut text = Vec::new();
        write_plan(graph, &dry_run(graph, &request, store)?.0, false, &mut text)?;
        tell(&String::from_utf8_lossy(&text));
    }
    let interrupt = Interrupt::install()
        .and_then(|interrupt| interrupt.heed_warnings().map(|()| interrupt))
        .map_err(|error| CliError::failed(format!("cannot catch signals: {error}")))?;
    let store = &store.clone().shared_in(args.bucket(store.root())?);
    let summary = execute(graph, &request, store, &Terminal::default(), &interrupt)?;
    if verbosity() == Verbosity::Quiet {
        complain(&failures_text(&summary));
    } else {
        tell(&summary_text(&summary, &args.select));
        if store.variant().is_some() {
            tell(&format!("overridden, hence published as a variant, in {}\n", store.base().display()));
        }
        tell(&tables_hint(args, graph, store.variant()));
    }
    Ok(summary)
}

/// How the tables of runs are made, where runs were asked for and their tables were not.
fn tables_hint(args: &RunArgs, graph: &Graph, variant: Option<&str>) -> String {
    let targets = args.select.targets();
    let named = match select(graph, &targets) {
        Ok(selection) if selection.named && args.shard.is_none() => selection.stages,
        _ => return String::new(),
    };
    let stages = || graph.stages.iter().zip(&named);
    let asked = |name: &str| stages().any(|(stage, asked)| *asked && stage.name == name);
    let runs = stages().filter(|(_, asked)| **asked).filter_map(|(stage, _)| stage.name.strip_prefix("run/"));
    let without: Vec<&str> = runs.filter(|name| !asked(&format!("summarise/{name}"))).collect();
    let Some(first) = without.first() else { return String::new() };
    let target = if without.len() == 1 { format!("summarise/{first}") } else { "'summarise/*'".to_owned() };
    let made = args.select.command(&format!("run {target}{}", args.select.overridden()));
    let variant = variant.map_or_else(String::new, |name| format!(" --variant {}", quoted(name)));
    format!("{made} makes their tables for `noregret query runs/{first}{variant}`\n")
}

/// A plan as data.
fn planned(
    graph: &Graph,
    plan: &Plan,
    unavailable: &[ItemEnd<Unavailable>],
    (seconds, unknown): (f64, usize),
) -> Value {
    let stage = |index: usize| &graph.stages[index];
    let steps = plan.steps.iter().map(|step| {
        json!({
            "stage": stage(step.stage).name,
            "item": stage(step.stage).work.label(step.item),
            "reason": step.reason.to_string(),
            "needed_by": step.needed_by.map(|by| stage(by as usize).name.as_str()),
        })
    });
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "unavailable": without(unavailable),
        "fresh": plan.fresh(),
        "seconds_on_one_core": seconds,
        "not_timed_yet": unknown,
    })
}

/// What is unavailable, as data.
fn without(unavailable: &[ItemEnd<Unavailable>]) -> Vec<Value> {
    let one = |ItemEnd { stage, item, why }: &ItemEnd<Unavailable>| json!({ "stage": stage, "item": item, "reason": why.reason, "remedy": why.remedy });
    unavailable.iter().map(one).collect()
}

/// What a run did, as data.
fn done(summary: &RunSummary) -> Value {
    let mut made: BTreeMap<&str, usize> = BTreeMap::new();
    summary.made.iter().for_each(|(stage, ..)| *made.entry(stage).or_default() += 1);
    let ends = |ends: &[ItemEnd<String>]| -> Vec<Value> {
        ends.iter().map(|end| json!({ "stage": end.stage, "item": end.item, "reason": end.why })).collect()
    };
    json!({
        "made": made,
        "fresh": summary.fresh,
        "found": summary.found,
        "rebuilt": summary.rebuilt,
        "failed": ends(&summary.failed),
        "not_made": ends(&summary.skipped),
        "unavailable": without(&summary.unavailable),
        "left": summary.left,
        "absent_cells": summary.absent,
        "outdated": summary.outdated,
        "signal": summary.signal,
        "stopped": summary.stopped,
        "shared": summary.shared.as_ref().map(|shared| json!({
            "address": shared.address,
            "taken": shared.taken,
            "sent": shared.sent,
            "unsent": shared.unsent.as_ref().map(|(count, why)| json!({ "objects": count, "reason": why })),
        })),
        "busy": summary.busy,
        "seconds": summary.seconds,
    })
}

/// A line for each step: stage, item, reason. With `grouped`, steps of a stage that have the same reason are counted.
fn write_plan(graph: &Graph, plan: &Plan, grouped: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let alike = |a: &PlannedStep, b: &PlannedStep| {
        grouped && a.stage == b.stage && a.reason == b.reason && a.needed_by == b.needed_by
    };
    for steps in plan.steps.chunk_by(alike) {
        let step = &steps[0];
        let stage = &graph.stages[step.stage];
        match steps.len() {
            1 => write!(out, "{}", stage.called(step.item))?,
            count => write!(out, "{} ({count} items)", stage.name)?,
        }
        write!(out, ": {}", step.reason)?;
        if let Some(by) = step.needed_by {
            write!(out, " (needed by {})", graph.stages[by as usize].name)?;
        }
        writeln!(out)?;
    }
    out.flush()
}

fn outlook(plan: &Plan, seconds: f64, unknown: usize) -> String {
    let steps = plan.steps.len();
    if steps == 0 {
        return format!("nothing to do: {} fresh", plan.fresh());
    }
    let unknown = if unknown > 0 { format!(", {unknown} not timed yet") } else { String::new() };
    let conditional = match plan.steps.iter().filter(|step| step.reason.is_conditional()).count() {
        0 => String::new(),
        n => format!(" ({n} of them only if an input comes out with other bytes)"),
    };
    format!("{steps} to make{conditional}, {} fresh; about {} on one core{unknown}", plan.fresh(), duration(seconds))
}

/// What failed, and why the run ended early, in words.
fn failures_text(summary: &RunSummary) -> String {
    let failed = summary.failed.iter().map(|end| {
        let gap = if end.item.is_empty() { "" } else { " " };
        format!("failed: {}{gap}{}: {}\n", end.stage, end.item, end.why)
    });
    let stopped = summary.stopped.iter().map(|why| format!("stopped: {why}\n"));
    failed.chain(stopped).chain(summary.shared.iter().map(unsent_text)).collect()
}

/// The result of a run, in words; hints name the profile of `select`.
pub fn summary_text(summary: &RunSummary, select: &SelectArgs) -> String {
    let RunSummary { fresh, failed, skipped, unavailable, .. } = summary;
    let absent = absent_text(summary, select) + &summary.shared.as_ref().map_or_else(String::new, shared_text);
    if summary.is_noop() {
        let missing: BTreeSet<&str> = unavailable.iter().map(|end| end.stage.as_str()).collect();
        return match missing.len() {
            0 => format!("nothing to do: {fresh} fresh\n{absent}"),
            // Where they were asked for by name, the reason is the answer.
            _ if *fresh == 0 => unavailable_text(unavailable) + &absent,
            n => format!(
                "nothing to do: {fresh} fresh; {} unavailable ({} says why)\n{absent}",
                counted(n, "stage"),
                select.command("status --why")
            ),
        };
    }
    let mut text = String::new();
    text.push_str(&failures_text(&RunSummary { stopped: None, shared: None, ..summary.clone() }));
    let by_stage: BTreeSet<(&str, &str)> = skipped.iter().map(|end| (end.stage.as_str(), end.why.as_str())).collect();
    for (stage, why) in by_stage {
        let count = skipped.iter().filter(|end| end.stage == stage && end.why == why).count();
        let items = if count > 1 { format!(" ({count} items)") } else { String::new() };
        text.push_str(&format!("not made: {stage}{items}: {why}\n"));
    }
    text.push_str(&unavailable_text(unavailable));
    text.push_str(&counts_text(summary));
    if let Some(why) = &summary.stopped {
        text.push_str(&format!("stopped: {why}\n"));
    }
    text.push_str(&absent);
    if summary.outdated > 0 {
        let n = summary.outdated;
        text.push_str(&format!(
            "{} {} stale now, since the bytes of inputs changed; {} remakes what is stale\n",
            counted(n, "result"),
            if n == 1 { "is" } else { "are" },
            select.command("run")
        ));
    }
    if summary.signal.is_some() {
        text.push_str("interrupted; nothing is lost: to go on, run the same command again\n");
    } else if summary.busy {
        text.push_str("another run is making the rest\n");
    } else if !failed.is_empty() {
        text.push_str("what failed is tried again by the next run\n");
    }
    text
}

/// What a run did without.
fn absent_text(summary: &RunSummary, select: &SelectArgs) -> String {
    match summary.absent {
        0 => String::new(),
        n => format!(
            "went without {} that are not made: {} or {} makes them\n",
            counted(n, "cell"),
            select.command("run"),
            select.command("submit")
        ),
    }
}

/// What was taken from a bucket and put there.
fn shared_text(shared: &SharedCount) -> String {
    let SharedCount { address, taken, sent, .. } = shared;
    format!("{address}: {} taken, {sent} sent\n{}", counted(*taken, "object"), unsent_text(shared))
}

/// What could not be put into a bucket.
fn unsent_text(shared: &SharedCount) -> String {
    let Some((count, why)) = &shared.unsent else { return String::new() };
    format!("not sent: {} (the next run sends what is missing there): {why}\n", counted(*count, "object"))
}

/// How many items came out in which way, and how long that took.
fn counts_text(summary: &RunSummary) -> String {
    let RunSummary { made, fresh, found, rebuilt, failed, skipped, unavailable, left, .. } = summary;
    let counts = [
        (made.len(), "made"),
        (*found, "there already (another run, an equal item, or inputs with the same bytes)"),
        (*rebuilt, "damaged and rebuilt"),
        (failed.len(), "failed"),
        (skipped.len(), "not made"),
        (unavailable.len(), "unavailable"),
        (*left, "left"),
        (*fresh, "fresh"),
    ];
    let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    format!("{}; {}\n", counts.join(", "), duration(summary.seconds))
}

/// What is unavailable, once for each reason, with the remedy.
fn unavailable_text(unavailable: &[ItemEnd<Unavailable>]) -> String {
    let mut text = String::new();
    let mut told: Vec<&Unavailable> = Vec::new();
    for end in unavailable {
        if told.contains(&&end.why) {
            continue;
        }
        told.push(&end.why);
        let stages: BTreeSet<&str> =
            unavailable.iter().filter(|other| other.why == end.why).map(|other| other.stage.as_str()).collect();
        let stages: Vec<&str> = stages.into_iter().collect();
        let Unavailable { reason, remedy } = &end.why;
        text.push_str(&format!("unavailable: {}: {reason}\n  remedy: {remedy}\n", stages.join(", ")));
    }
    text
}
