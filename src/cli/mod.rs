//! The command line, with one file per subcommand. Results go to standard output, everything else to standard error.
//! This module alone prints errors and turns them into an exit status of [`exit`].

pub(crate) mod book;
pub(crate) mod check_learner;
pub mod clean;
pub(crate) mod compare;
pub(crate) mod complete;
pub mod dag;
pub(crate) mod data;
pub(crate) mod describe;
pub(crate) mod diff;
pub mod error;
pub mod exit;
pub mod explain;
pub(crate) mod export;
pub mod gc;
pub(crate) mod globals;
pub(crate) mod init;
pub mod list;
pub mod log;
pub(crate) mod man;
pub(crate) mod query;
pub(crate) mod report;
pub mod run;
pub(crate) mod select;
mod show;
pub mod status;
pub(crate) mod submit;
mod tables;
pub mod verify;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::cli::error::CliError;
use crate::cli::globals::{Globals, interrupt};
use noregret_engine::exec::interrupt::end_on_signals;
use noregret_engine::exec::progress::{complain, tell};
use noregret_engine::exec::store::ResultStore;
use noregret_engine::plan::work::Graph;
use noregret_platform::machine::address_limit;
use noregret_platform::signals::catch_size_limit;
use noregret_stream::{self as stream, predict};
use noregret_study::config::learners::Learners;
use noregret_study::config::project::Project;

use select::SelectArgs;
use show::show;

/// A reproducible research pipeline for online learning with kernels.
#[derive(Debug, Parser)]
#[command(name = "noregret", version, about, arg_required_else_help = true, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a new project: an experiment on your own file, a figure, tables; or the project of the papers
    Init(init::InitArgs),
    /// Make what is missing or stale: data, runs, figures, tables, report
    Run(run::RunArgs),
    /// Compute the missing cells on a cluster of Slurm or Ray, then make everything else
    Submit(submit::SubmitArgs),
    /// Show which stages are fresh, stale, missing, failed or unavailable
    Status(status::StatusArgs),
    /// Explain why a stage or its cells would run: old and new values, inputs, code
    Explain(explain::ExplainArgs),
    /// Show the stages and what they depend on
    Dag(dag::DagArgs),
    /// List learners, kernels, losses, datasets, experiments, stages
    List(list::ListArgs),
    /// Describe one learner, kernel, dataset, ..., or every key of a kind of file
    Describe(describe::DescribeArgs),
    /// Fetch, verify, add, update, remove or list datasets
    #[command(subcommand)]
    Data(data::DataCommand),
    /// Find the best learner for a file of your own, and make a project of it
    Compare(compare::CompareArgs),
    /// Play the laws that all learners obey against one, for example against one in another language
    CheckLearner(check_learner::CheckLearnerArgs),
    /// Run one learner over a file of your own
    Stream(Box<stream::StreamArgs>),
    /// Predict rows with a learner that was saved
    Predict(predict::PredictArgs),
    /// Make the report from the results that are there, without running any cell
    Report(report::ReportArgs),
    /// Filter, group and sort the result tables
    Query(query::QueryArgs),
    /// Export results with parameters, hashes and code identity, for others to read
    Export(export::ExportArgs),
    /// Compare two results folders, tables or runs; what `query` shows can be given
    Diff(diff::DiffArgs),
    /// Check stored files against their hashes, and results against results/pipeline.lock
    Verify(verify::VerifyArgs),
    /// Show what earlier runs did
    Log(log::LogArgs),
    /// Remove the results of stages
    Clean(clean::CleanArgs),
    /// Remove stored objects that nothing refers to any more
    Gc(gc::GcArgs),
    /// Print a completion script for a shell, which knows learners, stages, datasets and tables
    Completions(complete::CompletionsArgs),
    /// Write manual pages
    Man(man::ManArgs),
    /// Write the pages of docs/ with what the program says of itself
    #[command(hide = true)]
    Book(book::BookArgs),
}

/// Address space for each thread below which matrix products spare it.
const SPARE_BELOW: u64 = 2 << 30;

/// Spares address space where it is limited (`ulimit -v`).
fn heed_address_limit() {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    if address_limit().is_some_and(|limit| limit / threads < SPARE_BELOW) {
        noregret_numeric::linalg::dense::spare();
    }
}

/// Parses the arguments, runs the command and returns the exit status.
pub fn main() -> u8 {
    // Where they cannot be caught, signals end the program as they do others.
    let _ = end_on_signals();
    let _ = catch_size_limit();
    heed_address_limit();
    if complete::answer::<Cli>() {
        return exit::DONE;
    }
    let color = globals::color(std::env::args_os());
    let matches = Cli::command().color(color).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(mut error) => {
            // What clap suggests there, `-- VALUE`, is for arguments without an option.
            if error.get(ContextKind::Suggested).is_some() {
                let tip = "a value that begins with a minus is written as in `--option=-1`";
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            // Help and version are results; a closed pipe does not matter to either.
            let _ = error.print();
            return if error.use_stderr() { exit::USAGE } else { exit::DONE };
        }
    };
    match cli.globals.apply().and_then(|()| dispatch(cli)) {
        Ok(status) => status,
        Err(error) => {
            if !error.message.is_empty() {
                complain(&format!("{}{}\n", globals::error_label(color), error.message));
            }
            error.status
        }
    }
}

fn dispatch(Cli { globals, command }: Cli) -> Result<u8, CliError> {
    let project = || globals.project();
    let maybe = || globals.project_if_any();
    // The learners that the project around declares, if there is one.
    let learners = || -> Result<Learners, CliError> {
        Ok(maybe()?.map(|project| Learners::load(project.root())).transpose()?.unwrap_or_default())
    };
    let on = |select: &SelectArgs, run: &dyn Fn(&Graph, &ResultStore) -> Result<u8, CliError>| {
        let (store, graph) = opened(&project()?, select)?;
        run(&graph, &store)
    };
    match command {
        Command::Init(args) => init::run(&args),
        Command::Run(args) => on(&args.select, &|graph, store| run::run(&args, graph, store, &mut stdout())),
        Command::Submit(args) => submit::run(&project()?, &args, &mut stdout()),
        Command::Status(args) => on(&args.select, &|graph, store| status::run(&args, graph, store, &mut stdout())),
        Command::Explain(args) => on(&args.select, &|graph, store| explain::run(&args, graph, store, &mut stdout())),
        Command::Dag(args) => on(&args.select, &|graph, _| dag::run(&args, graph, &mut stdout())),
        Command::List(args) => show(&list::list(maybe()?.as_ref(), &args)?),
        Command::Describe(args) => show(&describe::describe(maybe()?.as_ref(), &args)?),
        Command::Data(command) => data::run(&project()?, &command),
        Command::Compare(args) => compare::run(&args, &learners()?),
        Command::CheckLearner(args) => check_learner::run(&args, &learners()?, &mut stdout()),
        Command::Stream(mut args) => {
            args.learners = learners()?.into();
            args.command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
            over_file(|interrupted, say| stream::run(&args, interrupted, say))
        }
        Command::Predict(args) => over_file(|interrupted, say| predict::run(&args, interrupted, say)),
        Command::Report(args) => report::run(&project()?, &args),
        Command::Query(args) => query::run(&project()?, &args, &mut stdout()).map(|()| exit::DONE),
        Command::Export(args) => {
            let project = project()?;
            let (store, graph) = opened(&project, &args.select)?;
            export::run(&project, &args, &graph, &store, &mut stdout())
        }
        Command::Diff(args) => diff::run(maybe()?.as_ref(), &args, &mut stdout()),
        Command::Verify(args) => on(&args.select, &|graph, store| verify::run(&args, graph, store, &mut stdout())),
        Command::Log(args) => log::run(&args, &ResultStore::new(project()?.root()), &mut stdout()),
        Command::Clean(args) => on(&args.select, &|graph, store| clean::run(&args, graph, store, &mut stdout())),
        Command::Gc(args) => {
            // What any profile refers to is kept.
            let project = project()?;
            let graph = |profile| {
                let select = SelectArgs { profile: Some(profile), ..SelectArgs::default() };
                Ok(opened(&project, &select)?.1)
            };
            let graphs = project.profiles()?.into_keys().map(graph).collect::<Result<Vec<_>, CliError>>()?;
            gc::run(&args, &graphs, &ResultStore::new(project.root()), &mut stdout())
        }
        Command::Completions(args) => complete::run(&args, &mut stdout()),
        Command::Man(args) => man::run(&args, Cli::command(), &mut stdout()),
        Command::Book(args) => book::run(&args, &Cli::command(), &mut stdout()),
    }
}

/// `noregret stream` and `noregret predict`. After a signal, the rounds that were played are written before it ends.
fn over_file(
    run: impl FnOnce(&dyn Fn() -> bool, &mut dyn FnMut(&str)) -> Result<(), stream::StreamError>,
) -> Result<u8, CliError> {
    let interrupt = interrupt()?;
    let outcome = run(&|| interrupt.signal().is_some(), &mut |line| tell(&format!("{line}\n")));
    match (outcome, interrupt.signal()) {
        (Ok(()), _) => Ok(exit::DONE),
        (Err(error), Some(signal)) => Err(CliError { message: error.to_string(), status: exit::of_signal(signal) }),
        (Err(error), None) => Err(CliError { message: error.to_string(), status: error.exit_status() }),
    }
}

fn stdout() -> std::io::StdoutLock<'static> {
    std::io::stdout().lock()
}

/// The store and the DAG.
fn opened(project: &Project, select: &SelectArgs) -> Result<(ResultStore, Graph), CliError> {
    let graph = select.graph(project)?;
    Ok((select.store(project.root())?, graph))
}
