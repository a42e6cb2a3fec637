//! `report`: the pages, from what the figures and tables left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::code;
use crate::config::declared::{DEFAULT_PROFILE, Declared};
use crate::config::project::Project;
use crate::config::study::ItemKind;
use crate::stage::items::{published, relative, single, whole};
use crate::timings::stage::of_runs;
use noregret_engine::exec::clock;
use noregret_engine::plan::work::{Facts, Failure, Item, ItemOutcome, Job, Need, Product, Work};
use noregret_report::exhibit::{ShownExhibit, settle};
use noregret_report::page::content::{MissingStage, Preview, ReportContent, ReportProvenance, Size};
use noregret_report::page::write::{self, TEMPLATES};
use noregret_report::trace::read;

/// The item and the work of `report`; `shown` are the stages of all figures and tables, and of all summaries, so that a
/// missing experiment is listed even without a figure.
pub(crate) fn stage(project: &Project, declared: &Declared, shown: &[usize]) -> (Item, Arc<dyn Work>) {
    let papers = declared.experiments.values().any(|experiment| experiment.paper.is_some());
    let work = WriteReport { project: project.clone(), profile: declared.profile.clone(), papers };
    single(work, whole(shown, Need::Optional))
}

struct WriteReport {
    project: Project,
    profile: String,
    papers: bool,
}

impl Work for WriteReport {
    fn facts(&self, _: usize) -> Facts {
        Facts {
            parameters: json!({ "profile": self.profile, "templates": TEMPLATES, "design": designs(&self.project) }),
            code: code::behind(module_path!(), write::MODULE, &[]),
        }
    }

    fn reproducible(&self) -> bool {
        false
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let mut exhibits = Vec::new();
        // What is missing for the same reason is told once.
        let mut missing: Vec<MissingStage> = Vec::new();
        for (index, input) in job.inputs().iter().enumerate() {
            let (reason, remedy) = match &input.outcome {
                ItemOutcome::Done { .. } if input.stage.starts_with("summarise/") => continue,
                ItemOutcome::Done { files, .. } => {
                    exhibits.push(exhibit(job, index, files)?);
                    continue;
                }
                ItemOutcome::Failed(reason) => {
                    (reason, "remove the cause and run again: what failed is then made anew")
                }
                ItemOutcome::Unavailable(why) => (&why.reason, why.remedy.as_str()),
            };
            match missing.iter_mut().find(|known| known.reason == *reason) {
                Some(known) => known.stage += &format!(", {}", input.stage),
                None => missing.push(MissingStage {
                    stage: input.stage.clone(),
                    reason: reason.clone(),
                    remedy: remedy.to_owned(),
                }),
            }
        }
        settle(&mut exhibits);
        let runs = runs(job)?;
        let preview = preview(&self.project, &self.profile, &runs);
        let provenance = provenance(&self.project, &self.profile, &runs, job)?;
        let files = write::files(&ReportContent { exhibits, papers: self.papers, missing, provenance, preview })
            .map_err(Failure::failed)?;
        let file = |(name, text): (String, String)| (Path::new("reports").join(name), text.into_bytes());
        Ok(Product::Files(files.into_iter().map(file).collect()))
    }
}

/// What the figure or table that is input number `index` has published.
fn exhibit(job: &dyn Job, index: usize, files: &[PathBuf]) -> Result<ShownExhibit, Failure> {
    let mut contents = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|kind| kind == "json" || kind == "svg")) {
        contents.push((relative(path), job.published(index, path)?));
    }
    let shown = ShownExhibit::from_files(&job.inputs()[index].stage, &contents).map_err(Failure::failed)?;
    let names = files.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    Ok(ShownExhibit { files: names.collect(), ..shown })
}

/// The digest of what says how large the experiments are in every profile.
fn designs(project: &Project) -> String {
    let mut hash = Sha256::new();
    hash.update(std::fs::read(project.pipeline().join("profiles.toml")).unwrap_or_default());
    let studies = project.studies().unwrap_or_default();
    for (_, item) in studies.of(ItemKind::Experiment) {
        hash.update(std::fs::read(&item.file).unwrap_or_default());
    }
    hex::encode(hash.finalize())
}

/// What was run, and the full design of the same experiments, where that has more rounds or replicates: that of the
/// profile which is run where none is named.
fn preview(project: &Project, profile: &str, runs: &[ReportedRun]) -> Option<Preview> {
    let declared = Declared::load(project, DEFAULT_PROFILE, &[], &[]).ok()?;
    if declared.profile == profile {
        return None;
    }
    let (mut here, mut full) = (Size::default(), Size::default());
    let names: BTreeSet<&str> = runs.iter().map(|run| run.experiment.as_str()).collect();
    runs.iter().for_each(|run| here.add(run.horizon, run.replicate));
    for cell in names.iter().filter_map(|name| declared.experiments.get(*name)).flat_map(|one| &one.cells) {
        full.add(cell.horizon, u64::from(cell.replicate));
    }
    let smaller = here.rounds < full.rounds || here.replicates < full.replicates;
    smaller.then_some(Preview { design: declared.profile, here, full })
}

fn provenance(
    project: &Project,
    profile: &str,
    runs: &[ReportedRun],
    job: &dyn Job,
) -> Result<ReportProvenance, Failure> {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = std::process::Command::new("git").args(arguments).current_dir(project.root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let ids: BTreeSet<String> = runs.iter().map(|run| run.id.clone()).collect();
    let timed = of_runs(project, Some(&ids), &|warning| job.say(warning))?;
    Ok(ReportProvenance {
        commit: git(&["rev-parse", "HEAD"]).unwrap_or_default(),
        modified: git(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty()),
        profile: profile.to_owned(),
        versions: vec![
            ("Made at".into(), format!("{} UTC", clock::utc(clock::now()))),
            ("noregret".into(), env!("CARGO_PKG_VERSION").into()),
            ("Compiler".into(), env!("NOREGRET_COMPILER").into()),
            ("SHA-256 of packages.lock".into(), hex::encode(Sha256::digest(code::PACKAGES))),
        ],
        machine: machine(),
        cells: runs.len() as u64,
        unfinished_cells: runs.iter().filter(|run| run.status != "done").count() as u64,
        cpu_seconds: timed.values().filter_map(|timed| timed.times.last()).map(|last| last.cpu_ns as f64 * 1e-9).sum(),
    })
}

/// A run, as the tables of runs tell of it.
struct ReportedRun {
    id: String,
    experiment: String,
    status: String,
    horizon: u64,
    replicate: u64,
}

/// Every run in the tables of the experiments among the inputs.
fn runs(job: &dyn Job) -> Result<Vec<ReportedRun>, Failure> {
    let mut rows = Vec::new();
    for (path, bytes) in published(job, |path| path.starts_with("results/runs"))? {
        let shown = path.display().to_string();
        let table = read::runs(&shown, bytes).map_err(Failure::failed)?;
        let words = |name: &str| -> Result<Vec<String>, Failure> {
            let column = table.column(name).and_then(|column| column.str());
            let column = column.map_err(|error| Failure::about(shown.clone(), error))?;
            Ok(column.iter().map(|value| value.unwrap_or_default().to_owned()).collect())
        };
        let counts = |name: &str| -> Result<Vec<u64>, Failure> {
            let column = table.column(name).and_then(|column| column.u64());
            let column = column.map_err(|error| Failure::about(shown.clone(), error))?;
            Ok(column.iter().map(Option::unwrap_or_default).collect())
        };
        let (ids, experiments, statuses) = (words("run_id")?, words("experiment")?, words("status")?);
        let sizes = counts("horizon")?.into_iter().zip(counts("replicate")?);
        let named = ids.into_iter().zip(experiments).zip(statuses);
        rows.extend(named.zip(sizes).map(|(((id, experiment), status), (horizon, replicate))| ReportedRun {
            id,
            experiment,
            status,
            horizon,
            replicate,
        }));
    }
    Ok(rows)
}

/// What describes this machine.
fn machine() -> Vec<(String, String)> {
    let text_of = |path: &str| std::fs::read_to_string(Path::new(path)).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let memory = field(&text_of("/proc/meminfo"), "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map(|kib| format!("{:.1} GiB", kib / 1_048_576.0));
    let cores = std::thread::available_parallelism().map(|cores| cores.to_string()).ok();
    [
        ("Processor", field(&text_of("/proc/cpuinfo"), "model name")),
        ("Cores", cores),
        ("Memory", memory),
        ("System", Some(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}
