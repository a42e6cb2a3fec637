//! `noregret submit`: tasks on a cluster for the missing cells, and after them one that makes everything else. Slurm gets an
//! array of tasks and a job that follows it; with Ray, the program waits for the tasks.

mod limit;
mod ray;
mod slurm;
mod slurm_script;

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::exit;
use super::select::SelectArgs;
use super::show::{self, counted, quoted};
use noregret_engine::exec::engine::{RunRequest, dry_run};
use noregret_engine::exec::journal;
use noregret_engine::exec::progress::{duration, tell};
use noregret_engine::exec::request::{dealt, share};
use noregret_engine::exec::store::ResultStore;
use noregret_engine::exec::{batch, clock};
use noregret_engine::plan::estimate::CostRates;
use noregret_engine::plan::key::kind;
use noregret_engine::plan::planner::Plan;
use noregret_engine::plan::work::Graph;
use noregret_stream::value::positive;
use noregret_study::config::project::Project;

use limit::TimeLimit;
use slurm_script::Script;

/// What starts the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Slurm: submits jobs and ends.
    Slurm,
    /// Ray: plays the tasks and ends with them. RAY_ADDRESS names a running cluster; without it, Ray is started here.
    Ray,
}

/// Options of `noregret submit`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SubmitArgs {
    /// Which part of the pipeline, and under which profile
    #[command(flatten)]
    pub select: SelectArgs,
    /// What starts the tasks
    #[arg(short, long, value_name = "NAME", default_value = "slurm")]
    pub engine: Engine,
    /// Tasks that share the missing cells [default: as many as take about a quarter of an hour each; on Ray, two minutes]
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZeroUsize>)]
    pub jobs: Option<NonZeroUsize>,
    /// Slurm: time limit of each task: minutes, HH:MM:SS, D-HH:MM:SS [default: that of the partition]
    #[arg(short, long, value_name = "TIME")]
    pub time: Option<TimeLimit>,
    /// Slurm: partition
    #[arg(short, long, value_name = "NAME")]
    pub partition: Option<String>,
    /// Processors of each task, and threads that share its cells
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = positive::<NonZeroUsize>)]
    pub cpus: NonZeroUsize,
    /// Memory of each task, as Slurm writes it: 4G [default: that of the partition; on Ray, none is reserved]
    #[arg(short, long, value_name = "SIZE")]
    pub mem: Option<String>,
    /// Slurm: a further option of sbatch, as in --sbatch-arg=--account=lab
    #[arg(long = "sbatch-arg", value_name = "OPTION", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// Print the job script and submit nothing; needs no Slurm and no Ray
    #[arg(long)]
    pub print: bool,
}

impl Engine {
    /// How long a task should take where the number of tasks is not given, in seconds. Ray has no queue to wait in.
    fn task_seconds(self) -> f64 {
        match self {
            Self::Slurm => 900.0,
            Self::Ray => 120.0,
        }
    }
}

/// Plans, writes the job script and submits it, or prints it. Returns the exit status.
pub(crate) fn run(project: &Project, args: &SubmitArgs, out: &mut dyn Write) -> Result<u8, CliError> {
    let root = fs::canonicalize(project.root()).map_err(|error| CliError::io("cannot find", project.root(), error))?;
    if args.engine == Engine::Ray {
        let [time, partition] = [("--time", args.time.is_some()), ("--partition", args.partition.is_some())];
        ray::refuse(&[time, partition, ("--sbatch-arg", !args.sbatch.is_empty())])?;
    }
    let store = args.select.store(&root)?;
    let graph = args.select.graph(project)?;
    let request = RunRequest { targets: args.select.targets(), retry: true, ..RunRequest::default() };
    let (plan, _) = dry_run(&graph, &request, &store)?;
    let rates = journal::rates(&store)?;
    let missing = MissingWork::of(&graph, &plan, &rates);
    if plan.steps.is_empty() {
        tell(&format!("nothing to do: {} fresh\n", plan.fresh()));
        return Ok(exit::DONE);
    }
    let submission = Submission { project, root, args, store, graph, plan, rates, missing };
    match args.engine {
        Engine::Slurm => submission.on_slurm(out),
        Engine::Ray => submission.on_ray(out),
    }
}

/// What is to be submitted, and what is known of it.
struct Submission<'a> {
    project: &'a Project,
    /// The project's folder.
    root: PathBuf,
    args: &'a SubmitArgs,
    store: ResultStore,
    graph: Graph,
    plan: Plan,
    rates: CostRates,
    missing: MissingWork,
}

impl Submission<'_> {
    /// Submits an array of tasks to Slurm, and the job that follows it.
    fn on_slurm(&self, out: &mut dyn Write) -> Result<u8, CliError> {
        let Self { root, args, missing, .. } = self;
        if !args.print && !slurm::is_here() {
            return Err(CliError::failed(
                "sbatch is not on the PATH, so this is not a login node of a Slurm cluster; there, load or install Slurm's \
                 commands. `noregret submit --print` shows the job script without them, `--engine ray` plays the tasks \
                 on Ray, and `noregret run --shard I/N` runs as a task under any other scheduler (docs/src/cluster.md)",
            ));
        }
        let largest = slurm::largest_index();
        let tasks = missing.tasks(args.jobs, args.engine, largest);
        let script = script(self.project, root, args, tasks, missing.cells)?;
        self.tell(tasks);
        if args.jobs.is_some_and(|jobs| jobs.get() > tasks && tasks == largest) {
            tell(&format!("{largest} tasks, since Slurm's MaxArraySize allows no more\n"));
        }
        if args.print {
            return show::write(&script.text("job.sh"), out).map(|()| exit::DONE);
        }
        let path = write(root, slurm_script::FOLDER, "sh", |name| Ok(script.text(name)))?;
        let array = match tasks {
            0 => None,
            _ => Some(slurm::sbatch(root, &[], &path)?),
        };
        if let Some(id) = &array {
            self.deal(&script.batch(id), tasks);
        }
        let after = array.as_ref().map(|id| format!("--dependency=afterany:{id}"));
        let mut options = vec!["--array=0"];
        options.extend(after.as_deref());
        let report = slurm::sbatch(root, &options, &path).map_err(|error| match &array {
            Some(id) => CliError::failed(format!(
                "the cells are submitted as job {id}, but what comes after them is not: {}; {} makes it",
                error.message,
                args.select.command("run")
            )),
            None => error,
        })?;
        show::write(&told(&path, array.as_deref(), &report, tasks, missing.cells), out).map(|()| exit::DONE)
    }

    /// Plays the tasks on Ray, and then the one that follows them.
    fn on_ray(&self, out: &mut dyn Write) -> Result<u8, CliError> {
        let Self { root, args, missing, .. } = self;
        let python = ray::python();
        let tasks = missing.tasks(args.jobs, args.engine, usize::MAX);
        let mut command = vec![program()?.display().to_string()];
        command.extend(words(self.project, root, args)?);
        let job = ray::RayJob {
            root: root.clone(),
            command,
            tasks,
            moment: clock::now() as u64,
            cpus: args.cpus.get(),
            memory: args.mem.as_deref().map_or(Ok(0), ray::bytes)?,
        };
        if args.print {
            self.tell(tasks);
            return show::write(&job.text("job.py")?, out).map(|()| exit::DONE);
        }
        ray::check(&python)?;
        self.tell(tasks);
        let path = write(root, ray::FOLDER, "py", |name| job.text(name))?;
        self.deal(&job.batch(&path), tasks);
        show::write(&ray::told(&path, tasks, missing.cells), out)?;
        ray::play(&python, &path)
    }

    /// Tells the user what so many tasks will do.
    fn tell(&self, tasks: usize) {
        tell(&self.missing.outlook(self.args, &self.graph, &self.plan, &self.rates, tasks));
    }

    /// Fixes who computes what, as the user was told; otherwise the first task would fix it.
    fn deal(&self, batch: &str, tasks: usize) {
        let Some(count) = NonZeroUsize::new(tasks) else { return };
        let deal = || Ok(dealt(&self.graph, &self.plan, &self.rates, count));
        if let Err(error) = batch::shards(&self.store, batch, count, false, deal) {
            tell(&format!("warning: {error}\n"));
        }
    }
}

/// What has to be computed.
struct MissingWork {
    /// How many cells.
    cells: usize,
    /// Forecast of the time that they take on one core, in seconds.
    seconds: f64,
    /// Forecast of the memory that the largest of them needs, in bytes.
    bytes: f64,
    /// Stages that fetch data which are not here yet.
    data: Vec<String>,
}

impl MissingWork {
    fn of(graph: &Graph, plan: &Plan, rates: &CostRates) -> Self {
        let mut missing = Self { cells: 0, seconds: 0.0, bytes: 0.0, data: Vec::new() };
        for step in &plan.steps {
            let stage = &graph.stages[step.stage];
            if stage.work.is_cell() {
                let estimate = stage.work.estimate(step.item);
                missing.cells += 1;
                missing.seconds += rates.guess(&estimate);
                missing.bytes = missing.bytes.max(estimate.bytes);
            } else if kind(&stage.name) == "fetch" {
                missing.data.push(stage.name.clone());
            }
        }
        missing
    }

    /// The number of tasks: as asked for, or else by the forecast, but no more than there are cells or than Slurm allows.
    fn tasks(&self, asked: Option<NonZeroUsize>, engine: Engine, largest: usize) -> usize {
        let forecast = (self.seconds / engine.task_seconds()).ceil().clamp(1.0, 1e6) as usize;
        asked.map_or(forecast, NonZeroUsize::get).min(self.cells).min(largest)
    }

    /// What the user should know before the tasks begin.
    fn outlook(&self, args: &SubmitArgs, graph: &Graph, plan: &Plan, rates: &CostRates, tasks: usize) -> String {
        let others = plan.steps.len() - self.cells;
        let mut text = match NonZeroUsize::new(tasks) {
            None => format!("no cell is missing; {others} other items to make\n"),
            Some(count) => {
                let mut sums = vec![0.0; tasks];
                let dealt: HashMap<_, _> = dealt(graph, plan, rates, count).into_iter().collect();
                for step in &plan.steps {
                    if let Some(shard) = dealt.get(&share(graph, step.stage, step.item)) {
                        sums[shard - 1] += rates.guess(&graph.stages[step.stage].work.estimate(step.item));
                    }
                }
                let longest = sums.into_iter().fold(0.0, f64::max) / args.cpus.get() as f64;
                let mut text = format!(
                    "{} missing, about {} on one core: {} of up to about {}; the largest cell needs about {} of memory\n",
                    counted(self.cells, "cell"),
                    duration(self.seconds),
                    counted(tasks, "task"),
                    duration(longest),
                    size(self.bytes)
                );
                if let Some(limit) = args.time.as_ref().and_then(|limit| limit.seconds).filter(|limit| longest > *limit)
                {
                    text.push_str(&format!(
                        "that is more than the {} of --time: what a task does not reach is left for the next {}\n",
                        duration(limit),
                        args.select.command("submit")
                    ));
                }
                text
            }
        };
        let unavailable: BTreeSet<&str> =
            plan.unavailable().map(|(stage, ..)| graph.stages[stage].name.as_str()).collect();
        if !unavailable.is_empty() {
            let names: Vec<&str> = unavailable.into_iter().collect();
            text.push_str(&format!(
                "unavailable: {} ({} says why)\n",
                names.join(", "),
                args.select.command("status --why")
            ));
        }
        if !self.data.is_empty() {
            let names = self.data.join(" ");
            text.push_str(&format!(
                "not here yet: {names}; where nodes have no network, run {} on this machine first\n",
                args.select.command(&format!("run {names}"))
            ));
        }
        text
    }
}

/// This program.
fn program() -> Result<PathBuf, CliError> {
    std::env::current_exe().map_err(|error| CliError::io("cannot find", Path::new("noregret"), error))
}

/// The program's arguments, the same for all tasks.
fn words(project: &Project, root: &Path, args: &SubmitArgs) -> Result<Vec<String>, CliError> {
    let here = std::env::current_dir().map_err(|error| CliError::io("cannot find", Path::new("."), error))?;
    let access = args.select.access();
    let mut words = vec!["--project".to_owned(), root.display().to_string(), "run".to_owned()];
    words.extend(args.select.words.iter().cloned());
    words.extend(["--profile".to_owned(), args.select.profile_in(project)?]);
    words.extend((!access.online).then(|| "--offline".to_owned()));
    for mirror in &access.mirrors {
        words.extend(["--mirror".to_owned(), here.join(mirror).display().to_string()]);
    }
    if let Some(style) = &args.select.style {
        words.extend(["--style".to_owned(), here.join(style).display().to_string()]);
    }
    Ok(words)
}

/// The job script of Slurm.
fn script(project: &Project, root: &Path, args: &SubmitArgs, tasks: usize, cells: usize) -> Result<Script, CliError> {
    let (program, words) = (program()?, words(project, root, args)?);
    args.mem.as_deref().map(ray::bytes).transpose()?;
    let mut directives: Vec<String> = Vec::new();
    let given =
        [("time", args.time.as_ref().map(|limit| limit.text.as_str())), ("partition", args.partition.as_deref())];
    for (name, value) in given.into_iter().chain([("mem", args.mem.as_deref())]) {
        directives.extend(value.map(|value| format!("--{name}={}", quoted(value))));
    }
    directives.extend(args.sbatch.iter().cloned());
    let texts = directives.iter().chain(&words).map(String::as_str).chain(program.to_str()).chain(root.to_str());
    if let Some(text) = texts.into_iter().find(|text| text.contains(char::is_control)) {
        return Err(CliError::usage(format!("{text:?} cannot be written into a job script")));
    }
    Ok(Script {
        root: root.to_owned(),
        program,
        words,
        tasks,
        cells,
        moment: clock::now() as u64,
        cpus: args.cpus.get(),
        warning: args.time.as_ref().map_or(limit::WARNING, TimeLimit::warning),
        directives,
    })
}

/// Writes a job script into a folder of the project, under the first free name, which its text may depend on.
fn write(
    root: &Path,
    folder: &str,
    ending: &str,
    text: impl Fn(&str) -> Result<String, CliError>,
) -> Result<PathBuf, CliError> {
    let place = root.join(folder);
    fs::create_dir_all(&place).map_err(|error| CliError::io("cannot create", &place, error))?;
    for number in 1.. {
        let name = format!("{folder}/job-{number}.{ending}");
        let (path, text) = (root.join(&name), text(&name)?);
        match File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(CliError::io("cannot write", &path, error)),
            Ok(()) => return Ok(path),
        }
    }
    Err(CliError::failed(format!("no free name in {}", place.display())))
}

/// The ids of the jobs, and how to follow, cancel and collect them.
fn told(script: &Path, array: Option<&str>, report: &str, tasks: usize, cells: usize) -> String {
    let ids: Vec<&str> = array.into_iter().chain([report]).collect();
    let mut text = String::new();
    if let Some(id) = array {
        text.push_str(&format!("job {id}: {} in {}\n", counted(cells, "cell"), counted(tasks, "task")));
    }
    let after = if array.is_some() { ", when these have ended" } else { "" };
    text.push_str(&format!("job {report}: tables, figures and the report{after}\n"));
    text.push_str(&format!("script   {}\n", script.display()));
    text.push_str(&format!(
        "follow   noregret status; squeue -j {}; tail {}/{}_*.log\n",
        ids.join(","),
        slurm_script::FOLDER,
        ids[0]
    ));
    text.push_str(&format!("cancel   scancel {}\n", ids.join(" ")));
    text.push_str(
        "collect  noregret report; to make what was cut off or failed, run the same `noregret submit` again\n",
    );
    text
}

/// A number of bytes as people write it: `40 MB`, `2.5 GB`.
fn size(bytes: f64) -> String {
    if bytes < 1e9 { format!("{:.0} MB", (bytes / 1e6).ceil()) } else { format!("{:.1} GB", bytes / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_follow_the_forecast_within_cells_and_what_slurm_allows() {
        let missing = |cells, seconds| MissingWork { cells, seconds, bytes: 0.0, data: Vec::new() };
        assert_eq!(missing(500, 10.0 * 900.0).tasks(None, Engine::Slurm, 1000), 10);
        assert_eq!(missing(500, 0.0).tasks(None, Engine::Slurm, 1000), 1);
        assert_eq!(missing(500, 1200.0).tasks(None, Engine::Ray, usize::MAX), 10);
        assert_eq!(missing(5, 10.0 * 900.0).tasks(None, Engine::Slurm, 1000), 5);
        assert_eq!(missing(500, 1.0).tasks(NonZeroUsize::new(8), Engine::Slurm, 1000), 8);
        assert_eq!(missing(5000, 1.0).tasks(NonZeroUsize::new(4000), Engine::Slurm, 1000), 1000);
        assert_eq!(missing(0, 0.0).tasks(NonZeroUsize::new(8), Engine::Slurm, 1000), 0);
        assert_eq!(missing(500, f64::INFINITY).tasks(None, Engine::Slurm, 1000), 500);
    }
}
