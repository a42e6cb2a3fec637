//! `table/...`: a table as Markdown, CSV and LaTeX.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::code;
use crate::config::declared::Declared;
use crate::config::experiment::Experiment;
use crate::config::project::Project;
use crate::erratum::stage::findings;
use crate::stage::items::{single, whole};
use crate::stage::results::{assessments, described, experiments};
use crate::stage::setup::{label, setup};
use crate::summarise::read;
use crate::tune::stage::{choices, tried};
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};
use noregret_report::table::api::{Fill, Table};
use noregret_report::table::errata::{KIND, counts};
use noregret_report::table::render::{self, render};

/// The item and the work of `table/NAME`; `inputs` are the stages that it draws on: the
/// summaries of its experiments, the errata, the rates, or the choices of its experiments.
pub(crate) fn stage(project: &Project, declared: &Declared, shown: &Table, inputs: &[usize]) -> (Item, Arc<dyn Work>) {
    let chosen = match shown.kind.fill {
        Fill::Tuning(_) => shown.spec.experiments.iter(),
        _ => [].iter(),
    };
    let experiments = chosen.filter_map(|name| Some((name.clone(), declared.experiments.get(name)?.clone())));
    let setup = setup(declared, &format!("table/{}", shown.spec.name), &shown.spec.experiments, &[]);
    let (project, profile, mut shown) = (project.clone(), declared.profile.clone(), shown.clone());
    let behind = match shown.kind.fill {
        Fill::Rates(_) | Fill::Claims(_) => declared.changed.keys().cloned().collect(),
        _ => shown.spec.experiments.clone(),
    };
    label(declared, &behind, &mut shown.spec.title, &mut shown.spec.shows);
    let work = ShowTable { project, profile, shown, experiments: experiments.collect(), setup };
    single(work, whole(inputs, Need::Optional))
}

struct ShowTable {
    project: Project,
    profile: String,
    shown: Table,
    /// The experiments whose choices it shows, by name.
    experiments: BTreeMap<String, Arc<Experiment>>,
    setup: Vec<(String, String)>,
}

impl Work for ShowTable {
    fn facts(&self, _: usize) -> Facts {
        let members = [self.shown.kind.module, read::MODULE];
        let choices = self.experiments.values().flat_map(|experiment| tried(experiment));
        Facts {
            parameters: json!({
                "choices": choices.collect::<Vec<_>>(),
                "profile": self.profile,
                "setup": self.setup,
                "table": format!("{:?}", self.shown.spec),
            }),
            code: code::behind(module_path!(), render::MODULE, &members),
        }
    }

    fn reproducible(&self) -> bool {
        !self.shown.kind.measured
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let measured = self.shown.kind.measured;
        let found = || experiments(&self.project, &self.shown.spec.experiments, measured, job);
        let (filled, absent) = match self.shown.kind.fill {
            Fill::Runs(fill) => {
                let found = found()?;
                let (shown, absent) = self.shown.spec.found(&found);
                (fill(&shown), absent)
            }
            Fill::Reported(fill) => {
                let found = found()?;
                let (shown, absent) = self.shown.spec.found(&found);
                (fill(&shown, &self.shown.spec.others), absent)
            }
            Fill::Bounded(fill) => {
                let found = found()?;
                let (shown, absent) = self.shown.spec.found(&found);
                (fill(&shown, &assessments(job)?.0), absent)
            }
            Fill::Errata(fill) => {
                let (findings, absent) = findings(job)?;
                if self.shown.kind.name == KIND.name {
                    counts(&findings).iter().for_each(|line| job.say(line));
                }
                (fill(&findings), absent)
            }
            Fill::Rates(fill) => {
                let (rates, absent) = assessments(job)?;
                (fill(&rates), absent)
            }
            Fill::Claims(fill) => {
                let (figures, absent) = described(job)?;
                let (rates, _) = assessments(job)?;
                (fill(&figures, &rates), absent)
            }
            Fill::Tuning(fill) => {
                let (choices, absent) = choices(&self.experiments, job)?;
                (fill(&choices), absent)
            }
        };
        render(&self.shown, &self.profile, filled, &absent, &self.setup).map(Product::Files).map_err(Failure::failed)
    }
}
