//! `figure/...`: a picture, its description, its caption.

use std::sync::Arc;

use serde_json::json;

use crate::code;
use crate::config::declared::Declared;
use crate::config::experiment::Experiment;
use crate::config::project::Project;
use crate::erratum::stage::findings;
use crate::figure::compute::function::{self, Function};
use crate::figure::compute::hindsight::{self, Hindsight};
use crate::stage::items::{single, whole};
use crate::stage::results::{described, experiments};
use crate::stage::setup::{label, setup};
use crate::summarise::read;
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};
use noregret_report::caption::FigureContext;
use noregret_report::chart::theme::Theme;
use noregret_report::error::ReportError;
use noregret_report::figure::api::{Figure, SampledFunction};
use noregret_report::figure::functions::abscissae;
use noregret_report::figure::render::{self, render};

/// The item and the work of `figure/NAME`; `inputs` are the summaries of its experiments, its rows of
/// rates and the errata.
pub(crate) fn stage(project: &Project, declared: &Declared, shown: &Figure, inputs: &[usize]) -> (Item, Arc<dyn Work>) {
    let functions = declared.functions.get(&shown.spec.name).cloned().unwrap_or_default();
    let hindsight = declared.hindsight.get(&shown.spec.name).cloned().unwrap_or_default();
    let setup = setup(declared, &format!("figure/{}", shown.spec.name), &shown.spec.experiments, &hindsight);
    let (mut shown, theme) = (shown.clone(), declared.theme.clone());
    label(declared, &shown.spec.experiments, &mut shown.spec.title, &mut shown.spec.shows);
    let solved = shown.spec.experiments.iter().filter(|_| !hindsight.is_empty());
    let solved = solved.filter_map(|name| declared.experiments.get(name).cloned()).collect();
    let (project, profile) = (project.clone(), declared.profile.clone());
    let work = ShowFigure { project, profile, shown, functions, hindsight, solved, setup, theme };
    single(work, whole(inputs, Need::Required))
}

struct ShowFigure {
    project: Project,
    profile: String,
    shown: Figure,
    functions: Arc<[Function]>,
    hindsight: Arc<[Hindsight]>,
    /// The experiments on whose rounds these are solved.
    solved: Vec<Arc<Experiment>>,
    setup: Vec<(String, String)>,
    theme: Theme,
}

impl Work for ShowFigure {
    fn facts(&self, _: usize) -> Facts {
        let mut members = self.shown.modules();
        members.push(read::MODULE);
        if !self.functions.is_empty() {
            members.push(function::MODULE);
            members.extend(self.functions.iter().flat_map(|function| &function.modules));
        }
        if !self.hindsight.is_empty() {
            members.push(hindsight::MODULE);
            members.extend(self.hindsight.iter().flat_map(Hindsight::modules));
            let streams = self.solved.iter().flat_map(|experiment| &experiment.design.streams);
            members.extend(streams.flat_map(|stream| stream.modules()));
        }
        let mut parameters = json!({
            "profile": self.profile,
            "figure": format!("{:?}", self.shown.spec),
            // As they were checked, with every default filled in.
            "functions": self.functions.iter().map(|one| json!([one.label, one.form])).collect::<Vec<_>>(),
            "setup": self.setup,
        });
        if !self.hindsight.is_empty() {
            let forms = self.hindsight.iter().map(|one| json!([one.label, one.entry.name, one.params.canonical()]));
            parameters["hindsight"] = forms.collect();
        }
        if self.theme != Theme::default() {
            parameters["style"] = json!(format!("{:?}", self.theme));
        }
        Facts { parameters, code: code::behind(module_path!(), render::MODULE, &members) }
    }

    fn reproducible(&self) -> bool {
        !self.shown.measured
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let mut experiments = experiments(&self.project, &self.shown.spec.experiments, self.shown.measured, job)?;
        for experiment in &self.solved {
            let Some(played) = experiments.get_mut(&experiment.design.name) else { continue };
            for one in &*self.hindsight {
                if job.interrupted() {
                    return Err(Failure::Interrupted);
                }
                let solved = one.runs(&experiment.design, &experiment.problems, played);
                played.runs.extend(solved.map_err(|error| Failure::about(&*one.label, error))?);
            }
        }
        let (rates, _) = described("rates/", job)?;
        let (findings, _) = findings(job)?;
        let (profile, setup, theme) = (self.profile.clone(), self.setup.clone(), self.theme.clone());
        let context = FigureContext { profile, rates, setup, findings, theme };
        let mut shown = self.shown.clone();
        if !self.functions.is_empty() {
            let at = abscissae(&shown.spec).map_err(Failure::failed)?;
            let sampled = self.functions.iter().map(|function| SampledFunction {
                label: function.label.clone(),
                points: at.iter().map(|&x| (x, function.at(x))).collect(),
            });
            shown.spec.sampled = sampled.collect();
        }
        render(&shown, &experiments, &context).map(Product::Files).map_err(|error| match error {
            // The stage has the name of the figure.
            ReportError::Specification { cause, .. } => Failure::failed(cause),
            error => Failure::failed(error),
        })
    }
}
