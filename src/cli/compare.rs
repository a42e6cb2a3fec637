//! `noregret compare`: every learner that fits a file, and a project to go on from.

mod args;
mod file;
mod show;

pub use args::CompareArgs;

use std::sync::Arc;
use std::time::{Duration, Instant};

use noregret_engine::exec::engine::{RunRequest, run as execute};
use noregret_engine::exec::interrupt::Interrupt;
use noregret_engine::exec::progress::{Terminal, tell};
use noregret_engine::exec::store::Store;

use crate::cli::compare::args::RowOrder;
use crate::cli::compare::file::Prepared;
use crate::cli::error::CliError;
use crate::cli::exit;
use crate::cli::run::summary_text;
use crate::cli::select::Select;
use crate::compare::candidates::{Candidate, Wishes, candidates};
use crate::compare::halving::{Found, Search, search};
use crate::compare::leaderboard::{Reading, rows};
use crate::compare::project::{Entrant, Files, PROFILES, Writer};
use crate::compare::trials::{Arena, Memory, Setup};
use crate::config::learners::Learners;
use crate::config::project::{DEFAULT_PROFILE, Project};
use crate::dataset::listing::declarations;
use crate::stages::outcome::outcome;

/// The share of the budget after which no setting of the search goes on.
const SEARCH_ENDS: f64 = 0.7;

/// The longest that one run may take, as a share of the budget.
const LONGEST: f64 = 0.3;

/// Memory that learners and data may take together, in bytes.
const MEMORY: f64 = 1.5 * (1 << 30) as f64;

/// Compares, prints the leaderboard and returns the exit status.
pub fn run(args: &CompareArgs) -> Result<u8, CliError> {
    let begin = Instant::now();
    let interrupt = Interrupt::install().map_err(|error| CliError::failed(format!("cannot catch signals: {error}")))?;
    let say = |line: &str| tell(&format!("{line}\n"));
    let own = file::read(args)?;
    let root = file::folder(args, &own.table.target_name)?;
    let name = args.name();
    let mut writer = Writer::open(&root, &format!("results/compare/{name}-files.json"));
    let fail = CliError::failed;
    writer.put_once("pipeline/profiles.toml", PROFILES).map_err(fail)?;
    std::fs::create_dir_all(root.join("pipeline/experiments"))
        .map_err(|error| CliError::io("cannot make", &root.join("pipeline/experiments"), error))?;
    let prepared = file::prepare(args, own, &name, &root, &mut writer)?;
    say(&prepared.words);

    let known = Arc::new(Learners::load(&root)?);
    let wishes = Wishes { learners: args.learners.clone(), grid: args.grid.clone(), known: known.clone() };
    let settings = candidates(&wishes, &prepared.measure).map_err(CliError::usage)?;
    let (found, arena) = searched(args, &name, prepared, (&settings, known), &root, begin, &interrupt)?;
    if let Some(signal) = interrupt.signal() {
        return Err(CliError {
            message: "interrupted; run the same command again to go on".into(),
            status: exit::of_signal(signal),
        });
    }
    let Searched { found, learners, prepared } = found;
    // The stages read the rows again; both together would take twice the memory.
    drop(arena);
    let replicates = args.replicates();
    let (mut entrants, mut left_out) = (Vec::new(), Vec::new());
    for ((first, found), times) in learners.iter().zip(found).zip(times(&learners, &settings, args)) {
        match found {
            Found::Chosen(choice) => {
                entrants.push(Entrant { candidate: &settings[choice.setting], choice, replicates: times });
            }
            Found::LeftOut(why) => left_out.push((settings[*first].learner.name, why)),
        }
    }
    entrants.sort_by(|a, b| b.choice.horizon.cmp(&a.choice.horizon).then(a.choice.score.total_cmp(&b.choice.score)));
    let files = Files {
        name: &name,
        file: &args.file.display().to_string(),
        rows: prepared.rows,
        in_order: args.order == RowOrder::File,
        seed: args.seed.into(),
        metric: args.metric,
        stream: &prepared.stream,
        unit: &prepared.unit_words,
        replicates,
        entrants: &entrants,
        left_out: &left_out,
    };
    for (path, text) in files.all() {
        writer.put(&path, &text).map_err(fail)?;
    }
    let kept = writer.close().map_err(fail)?;
    let project =
        Project::find(&std::path::absolute(&root).map_err(|error| CliError::io("cannot find", &root, error))?)?;
    let status = made(&project, &name, &interrupt)?;
    if interrupt.signal().is_some() {
        return Ok(status);
    }
    let results = outcome(&project, &name).map_err(|error| CliError::failed(error.to_string()))?;
    let reading = Reading { metric: args.metric, unit: prepared.unit };
    let words = |label: &str| {
        let entrant = entrants.iter().find(|entrant| entrant.candidate.learner.name == label);
        entrant.map_or_else(|| "as in the experiment".to_owned(), |entrant| entrant.candidate.words.clone())
    };
    let board = rows(&results, reading, &words);
    show::show(args, &show::Shown { prepared: &prepared, files: &files, board: &board, kept: &kept, root: &root })?;
    let seconds = begin.elapsed().as_secs_f64();
    say(&format!("{seconds:.1} s of {} s", args.budget.as_secs()));
    Ok(status)
}

/// What the search found.
struct Searched {
    found: Vec<Found>,
    /// The first setting of each learner.
    learners: Vec<usize>,
    prepared: Prepared,
}

/// How often each learner plays: those without random numbers play the order of the file once.
fn times(learners: &[usize], settings: &[Candidate], args: &CompareArgs) -> Vec<u32> {
    let of = |first: &usize| match args.order {
        RowOrder::File if !settings[*first].grid.random => 1,
        _ => args.replicates(),
    };
    learners.iter().map(of).collect()
}

/// Searches the settings within the budget.
fn searched(
    args: &CompareArgs,
    name: &str,
    mut prepared: Prepared,
    (settings, declared): (&[Candidate], Arc<Learners>),
    root: &std::path::Path,
    begin: Instant,
    interrupt: &Interrupt,
) -> Result<(Searched, Arena), CliError> {
    let threads =
        args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |jobs| jobs.get());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| CliError::failed(format!("cannot start threads: {error}")))?;
    let table = prepared.table.take().ok_or_else(|| CliError::failed("the file was not prepared"))?;
    let arena = Arena {
        setup: Setup {
            name: name.to_owned(),
            stream: prepared.stream.clone(),
            seed: args.seed.into(),
            metric: args.metric,
        },
        learners: declared,
        datasets: [(name.to_owned(), prepared.dataset.clone())].into(),
        table,
        content: prepared.content.clone(),
    };
    let mut learners: Vec<usize> = Vec::new();
    let mut own = Vec::with_capacity(settings.len());
    for (index, setting) in settings.iter().enumerate() {
        if index == 0 || setting.learner.name != settings[index - 1].learner.name {
            // A setting that does not fit the file is refused before anything is played.
            arena.cell(setting, prepared.rows)?;
            learners.push(index);
        }
        own.push(learners.len() - 1);
    }
    let seconds = args.budget.as_secs_f64();
    let read = begin.elapsed().as_secs_f64();
    // The project reads and prepares the file again, and draws the report.
    let left = (seconds - 2.0 * read - 2.0).max(0.2 * seconds);
    let deadline = begin + Duration::from_secs_f64(SEARCH_ENDS * seconds);
    // Baselines play whatever the time is, so that there is something to show.
    let stop = |candidate: &Candidate| {
        interrupt.signal().is_some() || (!candidate.grid.baseline && Instant::now() >= deadline)
    };
    let memory = Memory::open(
        root.join(format!("results/compare/{name}-settings.json")),
        root.join(format!("results/log/compare-{name}-seconds.json")),
    );
    let say = |line: &str| tell(&format!("{line}\n"));
    let data = 3.0 * 8.0 * prepared.rows as f64 * (prepared.measure.dim + 1) as f64;
    let dim = prepared.measure.dim;
    let found = search(&Search {
        learners: &own,
        replicates: &times(&learners, settings, args),
        always: &learners.iter().map(|first| settings[*first].grid.baseline).collect::<Vec<_>>(),
        rows: prepared.rows,
        budget: left * threads as f64,
        longest: LONGEST * seconds,
        memory: ((MEMORY - data) / threads as f64).max(64.0 * (1 << 20) as f64),
        cost: &|setting, rows| (settings[setting].learner.build.cost)(&settings[setting].params, rows, dim),
        play: &|chosen, rows| {
            let chosen: Vec<&Candidate> = chosen.iter().map(|setting| &settings[*setting]).collect();
            pool.install(|| arena.play_all(&chosen, rows, &memory, &stop, &say))
        },
        say: &say,
    });
    memory.save().map_err(CliError::failed)?;
    let (known, all) = memory.counts();
    if known > 0 {
        say(&format!("{known} of these were known from before ({all} are remembered in {})", memory.path().display()));
    }
    Ok((Searched { found, learners, prepared }, arena))
}

/// Makes the project: what compare declared, or all of it where nothing else is declared.
fn made(project: &Project, name: &str, interrupt: &Interrupt) -> Result<u8, CliError> {
    let experiments = declarations(&project.pipeline().join("experiments"));
    let experiments = experiments.map_err(|error| CliError::failed(error.to_string()))?;
    let words = match experiments.len() {
        1 => Vec::new(),
        _ => vec![format!("figure/{name}-loss"), format!("table/{name}"), format!("table/{name}-times")],
    };
    let select = Select { words, profile: Some(DEFAULT_PROFILE.into()), offline: true, ..Select::default() };
    let graph = select.graph(project)?;
    let request = RunRequest { targets: select.targets(), retry: true, ..RunRequest::default() };
    let store = Store::new(project.root());
    tell("playing the chosen settings\n");
    let summary = execute(&graph, &request, &store, &Terminal::default(), interrupt)?;
    tell(&summary_text(&summary, &select));
    Ok(exit::of_run(&summary, false))
}
