//! `figure/...`: a picture, its description, its caption.

use std::sync::Arc;

use serde_json::json;

use super::errata::findings;
use super::items::{single, whole};
use super::results::{assessments, experiments};
use super::setup::{label, setup};
use crate::code;
use crate::compute::experiment;
use crate::compute::function::{self, Function};
use crate::config::project::{Declared, Project};
use crate::report::caption::Context;
use crate::report::chart::theme::Theme;
use crate::report::figure::api::{Figure, Sampled};
use crate::report::figure::functions::abscissae;
use crate::report::figure::render::{self, render};
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};

/// The item and the work of `figure/NAME`; `inputs` are the summaries of its experiments, its rows of
/// rates and the errata.
pub fn stage(project: &Project, declared: &Declared, shown: &Figure, inputs: &[usize]) -> (Item, Arc<dyn Work>) {
    let functions = declared.functions.get(&shown.spec.name).cloned().unwrap_or_default();
    let setup = setup(declared, &format!("figure/{}", shown.spec.name), &shown.spec.experiments);
    let (mut shown, theme) = (shown.clone(), declared.theme.clone());
    label(declared, &shown.spec.experiments, &mut shown.spec.title, &mut shown.spec.shows);
    let work =
        ShowFigure { project: project.clone(), profile: declared.profile.clone(), shown, functions, setup, theme };
    single(work, whole(inputs, Need::Required))
}

struct ShowFigure {
    project: Project,
    profile: String,
    shown: Figure,
    functions: Arc<[Function]>,
    setup: Vec<(String, String)>,
    theme: Theme,
}

impl Work for ShowFigure {
    fn facts(&self, _: usize) -> Facts {
        let mut members = vec![self.shown.kind.module, experiment::MODULE];
        if !self.functions.is_empty() {
            members.push(function::MODULE);
            members.extend(self.functions.iter().flat_map(|function| &function.modules));
        }
        let mut parameters = json!({
            "profile": self.profile,
            "figure": format!("{:?}", self.shown.spec),
            // As they were checked, with every default filled in.
            "functions": format!("{:?}", self.functions),
            "setup": self.setup,
        });
        if self.theme != Theme::default() {
            parameters["style"] = json!(format!("{:?}", self.theme));
        }
        Facts { parameters, code: code::behind(module_path!(), render::MODULE, &members) }
    }

    fn reproducible(&self) -> bool {
        !self.shown.measured
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiments = experiments(&self.project, &self.shown.spec.experiments, self.shown.measured, job)?;
        let (rates, _) = assessments(job)?;
        let (findings, _) = findings(job)?;
        let (profile, setup, theme) = (self.profile.clone(), self.setup.clone(), self.theme.clone());
        let context = Context { profile, rates, setup, findings, theme };
        let mut shown = self.shown.clone();
        if !self.functions.is_empty() {
            let at = abscissae(&shown.spec).map_err(Failure::failed)?;
            let sampled = self.functions.iter().map(|function| Sampled {
                label: function.label.clone(),
                points: at.iter().map(|&x| (x, function.at(x))).collect(),
            });
            shown.spec.sampled = sampled.collect();
        }
        render(&shown, &experiments, &context).map(Product::Files).map_err(Failure::failed)
    }
}
