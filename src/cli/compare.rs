//! `noregret compare`: every learner that fits a file, judged on rows that did not choose its setting, and a project to go
//! on from.

mod args;
mod file;
mod outcome;
mod show;
mod written;

pub(crate) use args::CompareArgs;

use std::sync::Arc;
use std::time::Duration;

use noregret_core::epoch::Scales;
use noregret_core::learner::api::Cost;
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::tell;
use serde_json::Value as Json;

use crate::cli::compare::file::Prepared;
use crate::cli::compare::outcome::Outcome;
use crate::cli::error::CliError;
use crate::cli::exit;
use crate::cli::show::show as print;
use noregret_stream::args::{AUTO, ScaleChoice, StreamArgs};
use noregret_stream::rescaled::TargetScale;
use noregret_stream::scales::settled;
use noregret_study::compare::arena::Arena;
use noregret_study::compare::board::{Entrant, ranked};
use noregret_study::compare::candidates::{Candidate, Wishes, assignments, candidates};
use noregret_study::compare::clock::{Budget, Clock, Wall};
use noregret_study::compare::contest::{Contest, Found, Judged, contest};
use noregret_study::compare::memory::{Memory, Settled};
use noregret_study::compare::metric::Metric;
use noregret_study::config::learners::Learners;

/// Memory that learners and data may take together, in bytes.
const MEMORY: f64 = 1.5 * (1 << 30) as f64;

/// Compares, prints the leaderboards and returns the exit status. `around` are the learners that the project around declares.
pub(crate) fn run(args: &CompareArgs, around: &Learners) -> Result<u8, CliError> {
    let clock = Wall::begin();
    let budget = Budget { seconds: args.budget.as_secs_f64() };
    let interrupt = Interrupt::install().map_err(|error| CliError::failed(format!("cannot catch signals: {error}")))?;
    let calls = args.each().map_err(CliError::usage)?;
    if calls.len() as f64 > budget.seconds {
        return Err(CliError::usage(format!(
            "--budget is too short: each of the {} targets needs at least one second",
            calls.len()
        )));
    }
    let (count, several, mut boards) = (calls.len(), calls.len() > 1, Vec::new());
    let mut compare = |(index, mut call): (usize, CompareArgs)| {
        let own = budget.of_one(clock.seconds(), count - index);
        call.budget = Duration::from_secs_f64(own.seconds);
        if several && index > 0 && !args.json {
            print("\n")?;
        }
        one(&call, around, &interrupt, &mut boards)
    };
    let ended: Result<(), CliError> = calls.into_iter().enumerate().try_for_each(&mut compare);
    // Those that were compared before one failed are there in any case.
    match boards.as_slice() {
        [] => {}
        [board] if !several => drop(print(&format!("{board:#}\n"))?),
        boards => drop(print(&format!("{:#}\n", Json::from(boards)))?),
    }
    ended.map(|()| exit::DONE)
}

/// Compares on one target. A leaderboard that is asked for as JSON is added to `boards`; another one is printed.
fn one(args: &CompareArgs, around: &Learners, interrupt: &Interrupt, boards: &mut Vec<Json>) -> Result<(), CliError> {
    let clock: Arc<dyn Clock> = Arc::new(Wall::begin());
    let budget = Budget { seconds: args.budget.as_secs_f64() };
    let say = |line: &str| tell(&format!("{line}\n"));
    let own = file::read(args, &*clock, budget)?;
    let several = file::classes(&own).map(<[String]>::len);
    let args = &judged_by_errors(args, several)?;
    let root = file::folder(args, &own.table.target_name)?;
    let name = args.name();
    let prepared = file::prepare(args, own, (&name, &root), &*clock, budget)?;
    say(&prepared.words);

    let declared = Learners::load(&root)?;
    let elsewhere = around.declared().map(|(entry, _)| entry.name.to_owned());
    let elsewhere: Vec<String> =
        elsewhere.filter(|name| declared.declared().all(|(entry, _)| entry.name != name)).collect();
    let memory = Memory::open(
        root.join(format!("results/compare/{name}-plays.json")),
        root.join(format!("results/log/compare-{name}-seconds.json")),
    );
    let settled = memory.settled(&prepared.plate.content);
    let wishes = Wishes {
        learners: args.learners.clone(),
        grid: args.grid.clone(),
        known: Arc::new(declared.with(around)),
        elsewhere: elsewhere.clone(),
        settled,
    };
    let settings = candidates(&wishes, &prepared.measure).map_err(CliError::usage)?;
    if let Some(why) = pointless(&prepared) {
        return show::pointless(args, &prepared, &why, boards);
    }
    let other = file::for_auto(args, &prepared, &*clock, budget);
    let Prepared { plate, .. } = prepared;
    let prepared = Prepared { plate: plate.emptied(), ..prepared };
    let scales = scales(&settings, &wishes.known)?;
    let mut arena = Arena::new(plate, settings, scales, args.seed.into(), memory);
    if let Some((plate, words)) = other {
        for setting in arena.settings.iter_mut().filter(|setting| setting.learner.name == AUTO) {
            let told = setting.table.clone().into_iter().chain(words.clone()).collect();
            setting.params =
                wishes.known.check(setting.learner, &told).map_err(|error| CliError::usage(error.to_string()))?;
        }
        arena.other = Some((AUTO, plate));
    }
    let arena = Arc::new(arena);
    let mut learners: Vec<usize> = Vec::new();
    let mut own = Vec::with_capacity(arena.settings.len());
    for (index, setting) in arena.settings.iter().enumerate() {
        if index == 0 || setting.learner.name != arena.settings[index - 1].learner.name {
            // A setting that does not fit the file is refused before anything is played.
            let built = arena.learner(index, 0);
            built.map_err(|error| CliError::usage(format!("{}: {error}", setting.learner.name)))?;
            learners.push(index);
        }
        own.push(learners.len() - 1);
    }
    let threads =
        args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |jobs| jobs.get());
    let other = arena.other.as_ref().map_or(0, |(_, plate)| plate.inputs.cols() + 1);
    let data = 8.0 * prepared.rows as f64 * (prepared.measure.dim + 1 + other) as f64;
    let seeds = |first: &usize| if arena.settings[*first].grid.random { args.replicates() } else { 1 };
    // Of more than two classes, each has a learner.
    let each = several.filter(|classes| *classes > 2).unwrap_or(1) as f64;
    let cost = |setting: usize, rows| {
        let Candidate { learner, params, .. } = &arena.settings[setting];
        let dim = arena.plate_of(setting).inputs.cols();
        let Cost { flops, bytes } = (learner.build.cost)(params, rows, dim);
        Cost { flops: each * flops, bytes: each * bytes }
    };
    let found = contest(&Contest {
        learners: &own,
        always: &learners.iter().map(|first| arena.settings[*first].grid.always).collect::<Vec<_>>(),
        seeds: &learners.iter().map(seeds).collect::<Vec<_>>(),
        rows: prepared.rows,
        threads,
        memory: ((MEMORY - data) / threads as f64).max(64.0 * f64::from(1 << 20)),
        metric: args.metric,
        clock: clock.clone(),
        budget,
        cost: &cost,
        field: arena.clone(),
        interrupted: &|| interrupt.signal().is_some(),
        say: &say,
    });
    if let Some(signal) = interrupt.signal() {
        arena.memory.save().map_err(CliError::failed)?;
        let message = "interrupted; run the same command again to go on".into();
        return Err(CliError { message, status: exit::of_signal(signal) });
    }
    let (found, mut left_out) = honest(found, &arena);
    left_out.extend(found.left_out.iter().map(|(one, why)| (arena.settings[learners[*one]].learner.name, why.clone())));
    let entrants: Vec<Entrant> = found.judged.iter().map(|one| entrant(one, &arena)).collect();
    let board = ranked(&entrants, found.rows, args.metric, prepared.classes);
    remember(&found, &arena, &learners)?;
    let outcome = Outcome {
        args,
        prepared: &prepared,
        arena: &arena,
        found: &found,
        entrants: &entrants,
        board: &board,
        left_out: &left_out,
        elsewhere: &elsewhere,
        root: &root,
        name: &name,
    };
    let kept = written::all(&outcome)?;
    show::show(&outcome, &kept, boards)?;
    let (known, all) = arena.memory.counts();
    if known > 0 {
        let path = arena.memory.path().display();
        say(&format!("{known} runs were known from before ({all} are remembered in {path})"));
    }
    say(&format!("{:.1} s of {} s", clock.seconds(), args.budget.as_secs_f64().round()));
    Ok(())
}

/// The arguments, with errors as the metric of several classes.
fn judged_by_errors(args: &CompareArgs, classes: Option<usize>) -> Result<CompareArgs, CliError> {
    match (classes, args.metric) {
        (None, _) => Ok(args.clone()),
        (Some(_), Metric::Squared | Metric::Error) => Ok(CompareArgs { metric: Metric::Error, ..args.clone() }),
        (Some(classes), Metric::Absolute) => {
            let why =
                format!("--metric absolute is for numbers; the target is one of {classes} classes, which errors judge");
            Err(CliError::usage(why))
        }
    }
}

/// The scales of each setting: those that `noregret stream` gives its learner.
fn scales(settings: &[Candidate], known: &Arc<Learners>) -> Result<Vec<Scales>, CliError> {
    let mut all: Vec<Scales> = Vec::with_capacity(settings.len());
    for (index, one) in settings.iter().enumerate() {
        let before = index.checked_sub(1).filter(|before| settings[*before].learner.name == one.learner.name);
        if let Some(same) = before.map(|before| all[before]) {
            all.push(same);
            continue;
        }
        let learner = one.learner.name.to_owned();
        let args =
            StreamArgs { learner, learners: known.clone(), set: assignments(&one.table), ..StreamArgs::default() };
        let args = settled(args).map_err(|error| CliError::usage(format!("{}: {error}", one.learner.name)))?;
        let inputs = args.scale() == ScaleChoice::Epochs;
        all.push(Scales { inputs, targets: args.target_scale() == TargetScale::Epochs });
    }
    Ok(all)
}

/// Why there is nothing to compare on these rows, where there is not.
fn pointless(prepared: &Prepared) -> Option<String> {
    if prepared.rows < 2 {
        let rows = if prepared.rows == 1 { "1 row" } else { "no rows" };
        let why =
            "half of the rows choose the settings and the other half judges them, so it takes 2, and 100 for intervals";
        return Some(format!("No winner: the file has {rows} with a target; {why}."));
    }
    let value = prepared.constant?;
    let so = "every learner that predicts it is right, and nothing can be learnt";
    Some(format!("No winner: the target is {value} in every row, so that {so}."))
}

/// Takes out settings of earlier calls that were chosen on rows that judge now.
fn honest(mut found: Found, arena: &Arena) -> (Found, Vec<(&'static str, String)>) {
    let mut left_out = Vec::new();
    let half = found.rows / 2;
    for one in &mut found.judged {
        let settled = arena.settings[one.setting].settled.as_ref();
        one.chosen_on = one.chosen_on.max(settled.map_or(0, |settled| settled.chosen_on));
    }
    found.judged.retain(|one| {
        let fair = one.chosen_on <= half;
        if !fair {
            let why = format!("an earlier call chose its setting on {} rows, of which some judge now", one.chosen_on);
            left_out.push((arena.settings[one.setting].learner.name, why));
        }
        fair
    });
    (found, left_out)
}

fn entrant(one: &Judged, arena: &Arena) -> Entrant {
    let Candidate { learner, grid, words, .. } = &arena.settings[one.setting];
    Entrant {
        learner: learner.name.to_owned(),
        setting: one.setting,
        parameters: words.clone(),
        baseline: grid.baseline,
        runs: one.runs.clone(),
        short: one.short.clone(),
    }
}

/// Keeps what was judged, so that no later call forgets it.
fn remember(found: &Found, arena: &Arena, learners: &[usize]) -> Result<(), CliError> {
    for one in &found.judged {
        let candidate = &arena.settings[one.setting];
        // Baselines take part in every call anyway.
        if one.runs.is_empty() || candidate.grid.always || learners.is_empty() {
            continue;
        }
        let settled = Settled {
            learner: candidate.learner.name.to_owned(),
            table: candidate.table.clone(),
            content: arena.plate.content.clone(),
            chosen_on: one.chosen_on,
            rows: found.rows,
            seeds: one.runs.len() as u32,
        };
        arena.memory.settle(arena.key(one.setting, 0), settled);
    }
    arena.memory.save().map_err(CliError::failed)
}
