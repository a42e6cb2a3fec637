//! `report`: the pages, from what the figures and tables left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::items::{published, relative, single, whole};
use super::times;
use crate::code;
use crate::config::project::Project;
use crate::report::exhibit::Shown;
use crate::report::page::{self, Missing, Provenance, Report, TEMPLATES, html, markdown};
use crate::trace::read;
use noregret_engine::plan::work::{Facts, Failure, Item, ItemOutcome, Job, Need, Product, Work};

/// The item and the work of `report`; `shown` are the stages of all figures and tables, and of all summaries, so that a
/// missing experiment is listed even without a figure.
pub fn stage(project: &Project, profile: &str, shown: &[usize]) -> (Item, Arc<dyn Work>) {
    let work = Page { project: project.clone(), profile: profile.to_owned() };
    single(work, whole(shown, Need::Optional))
}

struct Page {
    project: Project,
    profile: String,
}

impl Work for Page {
    fn facts(&self, _: usize) -> Facts {
        Facts {
            parameters: json!({ "profile": self.profile, "templates": TEMPLATES }),
            code: code::behind(module_path!(), page::MODULE, &[]),
        }
    }

    fn reproducible(&self) -> bool {
        false
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let mut exhibits = Vec::new();
        // What is missing for the same reason is told once.
        let mut missing: Vec<Missing> = Vec::new();
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
                None => missing.push(Missing {
                    stage: input.stage.clone(),
                    reason: reason.clone(),
                    remedy: remedy.to_owned(),
                }),
            }
        }
        let report = Report { exhibits, missing, provenance: provenance(&self.project, &self.profile, job)? };
        pages(&report)
    }
}

/// The files of a report.
fn pages(report: &Report) -> Result<Product, Failure> {
    Ok(Product::Files(vec![
        (PathBuf::from("reports/index.html"), html(report).map_err(Failure::failed)?.into_bytes()),
        (PathBuf::from("reports/report.md"), markdown(report).map_err(Failure::failed)?.into_bytes()),
    ]))
}

/// What the figure or table that is input number `index` has published.
fn exhibit(job: &dyn Job, index: usize, files: &[PathBuf]) -> Result<Shown, Failure> {
    let mut contents = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|kind| kind == "json" || kind == "svg")) {
        contents.push((relative(path), job.published(index, path)?));
    }
    Shown::from_files(&job.inputs()[index].stage, &contents).map_err(Failure::failed)
}

fn provenance(project: &Project, profile: &str, job: &dyn Job) -> Result<Provenance, Failure> {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = std::process::Command::new("git").args(arguments).current_dir(project.root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let (mut cells, mut unfinished) = (0, 0);
    let mut ids = std::collections::BTreeSet::new();
    for run in runs(job)? {
        cells += 1;
        unfinished += u64::from(run.1 != "done");
        ids.insert(run.0);
    }
    let timed = times::of_runs(project, Some(&ids), &|warning| job.say(warning))?;
    Ok(Provenance {
        commit: git(&["rev-parse", "HEAD"]).unwrap_or_default(),
        modified: git(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty()),
        profile: profile.to_owned(),
        versions: vec![("noregret".into(), env!("CARGO_PKG_VERSION").into())],
        machine: machine(),
        cells,
        unfinished_cells: unfinished,
        cpu_seconds: timed.values().filter_map(|timed| timed.times.last()).map(|last| last.cpu_ns as f64 * 1e-9).sum(),
    })
}

/// (run_id, status) of every run in the tables of the experiments among the inputs.
fn runs(job: &dyn Job) -> Result<Vec<(String, String)>, Failure> {
    let mut rows = Vec::new();
    for (path, bytes) in published(job, |path| path.starts_with("results/runs"))? {
        let shown = path.display().to_string();
        let table = read::runs(&shown, bytes).map_err(Failure::failed)?;
        let column = |name: &str| -> Result<Vec<String>, Failure> {
            let column = table.column(name).and_then(|column| column.str());
            let column = column.map_err(|error| Failure::about(shown.clone(), error))?;
            Ok(column.iter().map(|value| value.unwrap_or_default().to_owned()).collect())
        };
        rows.extend(column("run_id")?.into_iter().zip(column("status")?));
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
