//! `noregret compare`: every learner that fits a file, judged on rows that did not choose its setting, and a project to go
//! on from. This module reads the arguments and leads through the steps: the file, the candidates, the contest, the board, and
//! what is written.

mod file;
mod name;
mod outcome;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use noregret_core::epoch::Scales;
use noregret_data::encode::column_list::list_of;
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::tell;
use serde_json::Value as Json;
use toml::Table;

use crate::cli::compare::file::{CompareQuestion, FileFacts, Opened, Opening};
use crate::cli::compare::outcome::{CompareOutcome, OutcomeNote, pointless};
use crate::cli::error::CliError;
use crate::cli::exit;
use crate::cli::globals::interrupt;
use crate::cli::show::show as print;
use noregret_stream::args::{AUTO, ScaleChoice, StreamArgs};
use noregret_stream::rescaled::TargetScale;
use noregret_stream::scales::settled;
use noregret_stream::value::{positive, threads};
use noregret_study::compare::arena::{Arena, Plate};
use noregret_study::compare::board::shown;
use noregret_study::compare::candidates::{Candidate, Wishes, candidates};
use noregret_study::compare::crew::{Budget, Clock, Crew, Wall};
use noregret_study::compare::halving::ContestResult;
use noregret_study::compare::played::{CompareMetric, JudgedSetting, PlayMemory};
use noregret_study::config::learners::Learners;

/// Play every learner that fits a file over a small grid of its parameters, print a leaderboard, and write a project
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// A file, and what is predicted from what
    #[command(flatten)]
    pub question: CompareQuestion,
    /// Only these learners, beside the baselines and `auto`; also those that the project around declares [default: all that
    /// fit; `noregret list learners` names them]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub learners: Vec<String>,
    /// Values to try in place of the default ones: `fogd.eta=0.01,0.1,1`, `kernel-ridge.kernel.name=gaussian,laplace`
    /// (may be repeated; values are for scaled inputs and targets)
    #[arg(long, value_name = "LEARNER.KEY=A,B,C")]
    pub grid: Vec<String>,
    /// Seeds under which learners that draw random numbers are judged: this one and the next ones [default: 3]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>)]
    pub replicates: Option<NonZeroU32>,
    /// What decides
    #[arg(long, value_enum, value_name = "METRIC", default_value_t)]
    pub metric: CompareMetric,
    /// How long it may take: `30s`, `2m`, `1h`. Nothing starts after this time, and everything has ended by 5/4 of it; where
    /// that is too short for all rows, fewer are played
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration)]
    pub budget: Duration,
    /// The folder of the project [default: NAME-TARGET-compare, with the names of the file and of the target]. Of several
    /// targets, each has a folder in it that is called after the target
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Seed of all random draws
    #[arg(long, value_name = "N", default_value_t)]
    pub seed: u32,
    /// Threads that share the work [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub jobs: Option<NonZeroUsize>,
    /// Print the leaderboard as JSON; of several targets, a list of them
    #[arg(long)]
    pub json: bool,
}

impl CompareArgs {
    /// A call for each target, with the budget of all.
    ///
    /// # Errors
    /// A target that is named twice.
    fn each(&self) -> Result<Vec<Self>, String> {
        let CompareQuestion { columns, further_targets, .. } = &self.question;
        let targets: Vec<&String> = columns.target.iter().chain(further_targets).collect();
        if targets.len() <= 1 {
            return Ok(vec![self.clone()]);
        }
        if let Some(twice) = targets.iter().enumerate().find(|(i, name)| targets[..*i].contains(name)) {
            return Err(format!("--further-targets: {} is named twice", twice.1));
        }
        let one = |target: &&String| {
            let mut call = self.clone();
            call.question.columns.target = Some((*target).clone());
            if columns.inputs.is_none() {
                let others = targets.iter().filter(|other| *other != target && !columns.drop.contains(other));
                call.question.columns.drop.extend(others.map(|other| list_of(std::slice::from_ref(other))));
            }
            call
        };
        Ok(targets.iter().map(one).collect())
    }

    /// Under how many seeds learners that draw random numbers are judged.
    fn replicates(&self) -> u32 {
        self.replicates.map_or(3, NonZeroU32::get)
    }
}

/// `30s`, `2m`, `1h`, `1.5m`; a plain number is in seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time; write 30s, 2m or 1h");
    let (number, unit) = match text.trim().char_indices().last() {
        Some((at, 's')) => (&text.trim()[..at], 1.0),
        Some((at, 'm')) => (&text.trim()[..at], 60.0),
        Some((at, 'h')) => (&text.trim()[..at], 3600.0),
        _ => (text.trim(), 1.0),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * unit;
    if !(1.0..=1e7).contains(&seconds) {
        return Err(format!("`{text}` is not a time between one second and 100 days"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Compares, prints the leaderboards and returns the exit status. `around` are the learners that the project around declares.
pub(crate) fn run(args: &CompareArgs, around: &Learners) -> Result<u8, CliError> {
    let clock = Wall::begin();
    let budget = Budget { seconds: args.budget.as_secs_f64() };
    let interrupt = interrupt()?;
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
    let mut answer = |told: OutcomeNote| match args.json {
        true => {
            boards.push(told.json);
            Ok(())
        }
        false => print(&told.text).map(drop),
    };
    let (question, metric, output, seed) = (&args.question, args.metric, args.output.as_deref(), args.seed);
    let Opened { facts, plate, auto } =
        Opening { question, metric, output, seed, clock: &*clock, budget }.open(&say)?;
    let memory = PlayMemory::open(&facts.root, &facts.name);
    let wishes = wishes(args, around, &facts, memory.settled(&plate.content))?;
    let settings = candidates(&wishes, &facts.measure)?;
    if let Some(why) = &facts.pointless {
        return answer(pointless(&facts, why));
    }
    writable(&facts.root, &args.question.file)?;
    let _held = memory.hold()?;
    // What another call has played in the meantime is known, too.
    let memory = PlayMemory::open(&facts.root, &facts.name);
    let arena = Arc::new(arena(args, settings, &wishes.known, (plate, auto), memory)?);
    let found = judged(args, facts.metric, &arena, &clock, interrupt)?;
    let outcome = CompareOutcome {
        facts: &facts,
        arena: &arena,
        found: &found,
        shown: &shown(&found, &arena, facts.metric, facts.classes),
        elsewhere: &wishes.elsewhere,
        replicates: args.replicates(),
        budget: args.budget,
    };
    answer(outcome.written()?)?;
    let (known, all) = arena.memory.counts();
    if known > 0 {
        let path = arena.memory.path().display();
        say(&format!("{known} runs were known from before ({all} are remembered in {path})"));
    }
    say(&format!("{:.1} s of {} s", clock.seconds(), args.budget.as_secs_f64().round()));
    Ok(())
}

/// Makes sure, before all the work, that the project can be written, and can name the file.
fn writable(root: &Path, file: &Path) -> Result<(), CliError> {
    for path in [root, file] {
        let whole = std::path::absolute(path).map_err(|error| CliError::io("cannot find", path, error))?;
        if whole.to_str().is_none() {
            return Err(CliError::usage(format!(
                "{}: this path is not UTF-8, so that the files of a project cannot name it; give the folder or the file \
                 another name",
                whole.display()
            )));
        }
    }
    let there = root.ancestors().find(|folder| folder.exists()).filter(|folder| !folder.as_os_str().is_empty());
    let there = there.unwrap_or(Path::new("."));
    let tried = tempfile::tempfile_in(there).map(drop);
    tried.map_err(|error| CliError::io("cannot write into", there, error))
}

fn say(line: &str) {
    tell(&format!("{line}\n"));
}

/// What the user asks for, among the learners of the program, of the project that is written, and of the one around.
fn wishes(
    args: &CompareArgs,
    around: &Learners,
    facts: &FileFacts,
    settled: Vec<JudgedSetting>,
) -> Result<Wishes, CliError> {
    let declared = Learners::load(&facts.root)?;
    let elsewhere = around.declared().map(|(entry, _)| entry.name.to_owned());
    let elsewhere = elsewhere.filter(|name| declared.declared().all(|(entry, _)| entry.name != name)).collect();
    let known = Arc::new(declared.with(around));
    Ok(Wishes { learners: args.learners.clone(), grid: args.grid.clone(), known, elsewhere, settled })
}

/// The settings on the rows, or on those that `auto` reads, with what it is told of them.
fn arena(
    args: &CompareArgs,
    mut settings: Vec<Candidate>,
    known: &Arc<Learners>,
    (plate, auto): (Plate, Option<(Plate, Table)>),
    memory: PlayMemory,
) -> Result<Arena, CliError> {
    let scales = scales(&settings, known)?;
    let (other, words) = auto.unzip();
    if let Some(words) = words {
        for setting in settings.iter_mut().filter(|setting| setting.learner.name == AUTO) {
            let told = setting.table.clone().into_iter().chain(words.clone()).collect();
            let params = known.check(setting.learner, &told);
            setting.params = params.map_err(CliError::usage)?;
        }
    }
    let mut arena = Arena::new(plate, settings, scales, args.seed.into(), memory);
    arena.other = other.map(|plate| (AUTO, plate));
    Ok(arena)
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
        let args = StreamArgs { learner, learners: known.clone(), set: one.sets.clone(), ..StreamArgs::default() };
        let args = settled(args).map_err(|error| CliError::usage(format!("{}: {error}", one.learner.name)))?;
        let inputs = args.scale() == ScaleChoice::Epochs;
        all.push(Scales { inputs, targets: args.target_scale() == TargetScale::Epochs });
    }
    Ok(all)
}

/// Plays the contest. A setting that does not fit the file is refused before anything is played.
fn judged(
    args: &CompareArgs,
    metric: CompareMetric,
    arena: &Arc<Arena>,
    clock: &Arc<dyn Clock>,
    interrupt: &Interrupt,
) -> Result<ContestResult, CliError> {
    let threads =
        args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |jobs| jobs.get());
    let budget = Budget { seconds: args.budget.as_secs_f64() };
    let interrupted = || interrupt.signal().is_some();
    let crew = Crew { threads, clock: clock.clone(), budget, interrupted: &interrupted, say: &say };
    let found = arena.compete(metric, args.replicates(), &crew)?;
    found.ok_or_else(|| CliError {
        message: "interrupted; run the same command again to go on".into(),
        status: interrupt.signal().map_or(exit::FAILED, exit::of_signal),
    })
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn budgets_have_units() {
        let seconds = |text| duration(text).map(|time| time.as_secs_f64());
        assert_eq!(["30s", "2m", "1h", "1.5m", "45"].map(|text| seconds(text).unwrap()), [30., 120., 3600., 90., 45.]);
        for wrong in ["", "m", "fast", "0s", "-1m", "1d", "1e99h", "ö"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
