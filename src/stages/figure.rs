//! `figure/...`: a picture, its description, its caption.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use polars::prelude::DataFrame;
use serde_json::json;

use super::rates::assessments;
use super::{fingerprint, published, times};
use crate::analysis::record::Experiment;

use crate::code;
use crate::compute::experiment;
use crate::compute::function::{self, Function};
use crate::config::project::Project;
use crate::report::caption::Context;
use crate::report::error::ReportError;
use crate::report::figure::api::{Figure, Sampled};
use crate::report::figure::functions::abscissae;
use crate::report::figure::render::{self, render};
use noregret_engine::plan::work::{Facts, Failure, Input, Item, Job, Need, Product, Work};

/// The item and the work of `figure/NAME`; `functions` are those that it shows, `inputs` the summaries of its
/// experiments and its rows of rates.
pub fn stage(
    project: &Project,
    profile: &str,
    shown: &Figure,
    functions: Option<Arc<[Function]>>,
    inputs: &[usize],
) -> (Item, Arc<dyn Work>) {
    let functions = functions.unwrap_or_default();
    let work = Show { project: project.clone(), profile: profile.to_owned(), shown: shown.clone(), functions };
    let inputs = inputs.iter().map(|&stage| Input { stage, item: None, need: Need::Required }).collect();
    let facts = work.facts(0);
    (Item { fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code), inputs }, Arc::new(work))
}

struct Show {
    project: Project,
    profile: String,
    shown: Figure,
    functions: Arc<[Function]>,
}

impl Work for Show {
    fn label(&self, _: usize) -> String {
        String::new()
    }

    fn facts(&self, _: usize) -> Facts {
        let mut members = vec![self.shown.kind.module, experiment::MODULE];
        if !self.functions.is_empty() {
            members.push(function::MODULE);
            members.extend(self.functions.iter().flat_map(|function| &function.modules));
        }
        Facts {
            parameters: json!({ "profile": self.profile, "figure": format!("{:?}", self.shown.spec) }),
            code: code::behind(module_path!(), render::MODULE, &members),
        }
    }

    fn reproducible(&self) -> bool {
        !self.shown.kind.measured
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiments = experiments(&self.project, &self.shown.spec.experiments, self.shown.kind.measured, job)?;
        let (rates, _) = assessments(job)?;
        let context = Context { profile: self.profile.clone(), rates };
        let failed = |error: ReportError| Failure::Failed(error.to_string());
        let mut shown = self.shown.clone();
        if !self.functions.is_empty() {
            let at = abscissae(&shown.spec).map_err(failed)?;
            let sampled = self.functions.iter().map(|function| Sampled {
                label: function.label.clone(),
                points: at.iter().map(|&x| (x, function.at(x))).collect(),
            });
            shown.spec.sampled = sampled.collect();
        }
        render(&shown, &experiments, &context).map(Product::Files).map_err(failed)
    }
}

/// The results of the named experiments among the inputs, with times if `measured`.
pub(super) fn experiments(
    project: &Project,
    names: &[String],
    measured: bool,
    job: &dyn Job,
) -> Result<BTreeMap<String, Experiment>, Failure> {
    let mut files = published(job, |path| path.starts_with("results/runs") || path.starts_with("results/traces"))?;
    let mut experiments = BTreeMap::new();
    for name in names {
        let mut take = |folder: &str| {
            let path = format!("results/{folder}/{name}.parquet");
            files.remove(Path::new(&path)).map(|bytes| (path, bytes))
        };
        let (Some((runs_path, runs)), Some((traces_path, traces))) = (take("runs"), take("traces")) else { continue };
        let times = |ids: &BTreeSet<String>| {
            let timed = times::of_runs(project, Some(ids)).map_err(|error| error.to_string())?;
            times::table(&timed).map_err(|error| error.to_string())
        };
        let times: Option<&dyn Fn(&BTreeSet<String>) -> Result<DataFrame, String>> =
            if measured { Some(&times) } else { None };
        let experiment =
            experiment::read(name, (&runs_path, runs), (&traces_path, traces), times).map_err(Failure::Failed)?;
        experiments.insert(name.clone(), experiment);
    }
    Ok(experiments)
}
