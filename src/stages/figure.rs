//! `figure/...`: a picture, its description, its caption.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::{fingerprint, published, times};
use crate::analysis::record::Experiment;
use crate::code;
use crate::config::project::Project;
use crate::plan::work::{Facts, Failure, Input, Item, Job, Need, Product, Work};
use crate::report::figure::{Context, FigureSpec, render};
use crate::trace::read;

/// The item and the work of `figure/NAME`; `inputs` are the summaries of its experiments.
pub fn stage(project: &Project, profile: &str, spec: &FigureSpec, inputs: &[usize]) -> (Item, Arc<dyn Work>) {
    let work = Figure { project: project.clone(), profile: profile.to_owned(), spec: spec.clone() };
    let inputs = inputs.iter().map(|&stage| Input { stage, item: None, need: Need::Required }).collect();
    let facts = work.facts(0);
    (Item { fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code), inputs }, Arc::new(work))
}

struct Figure {
    project: Project,
    profile: String,
    spec: FigureSpec,
}

impl Work for Figure {
    fn label(&self, _: usize) -> String {
        String::new()
    }

    fn facts(&self, _: usize) -> Facts {
        let mut files = vec!["src/report/chart/layout.rs", "src/report/chart/svg.rs", "src/report/chart/png.rs"];
        files.extend(self.spec.source_file());
        let glue = code::shallow(&[file!(), "src/stages/times.rs", "src/report/figure/mod.rs"]);
        Facts {
            parameters: json!({ "profile": self.profile, "figure": format!("{:?}", self.spec) }),
            code: code::closure(&files).union(&glue),
        }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiments = experiments(&self.project, &self.spec.experiments, self.spec.measured(), job)?;
        let context = Context { profile: self.profile.clone() };
        render(&self.spec, &experiments, &context)
            .map(Product::Files)
            .map_err(|error| Failure::Failed(error.to_string()))
    }
}

/// The results of the named experiments among the inputs, with times if `measured`.
pub(super) fn experiments(
    project: &Project,
    names: &[String],
    measured: bool,
    job: &dyn Job,
) -> Result<BTreeMap<String, Experiment>, Failure> {
    let failed = |error: String| Failure::Failed(error);
    let mut files = published(job, |path| path.starts_with("results/runs") || path.starts_with("results/traces"))?;
    let mut experiments = BTreeMap::new();
    for name in names {
        let mut take = |folder: &str| {
            let path = format!("results/{folder}/{name}.parquet");
            files.remove(Path::new(&path)).map(|bytes| (path, bytes))
        };
        let (Some((runs_path, runs)), Some((traces_path, traces))) = (take("runs"), take("traces")) else { continue };
        let runs = read::runs(&runs_path, runs).map_err(|error| failed(error.to_string()))?;
        let traces = read::traces(&traces_path, traces).map_err(|error| failed(error.to_string()))?;
        let times = if measured {
            let ids = runs.column("run_id").and_then(|ids| ids.str().cloned()).map_err(|e| failed(e.to_string()))?;
            let ids: BTreeSet<String> = ids.iter().flatten().map(str::to_owned).collect();
            Some(times::table(&times::of_runs(project, Some(&ids))?)?)
        } else {
            None
        };
        let experiment = Experiment::new(name, &runs, &traces, times.as_ref(), None)
            .map_err(|error| failed(error.to_string()))?;
        experiments.insert(name.clone(), experiment);
    }
    Ok(experiments)
}
