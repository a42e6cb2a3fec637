//! `table/...`: a table as Markdown, CSV and LaTeX.

use std::sync::Arc;

use serde_json::json;

use super::errata::findings;
use super::items::{single, whole};
use super::results::{assessments, experiments};
use crate::code;
use crate::compute::experiment;
use crate::config::project::Project;
use crate::report::table::api::{Fill, Table};
use crate::report::table::errata::{KIND, counts};
use crate::report::table::render::{self, render};
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};

/// The item and the work of `table/NAME`; `inputs` are the stages that it draws on: the
/// summaries of its experiments, the errata, or the rates.
pub fn stage(project: &Project, profile: &str, shown: &Table, inputs: &[usize]) -> (Item, Arc<dyn Work>) {
    let work = ShowTable { project: project.clone(), profile: profile.to_owned(), shown: shown.clone() };
    single(work, whole(inputs, Need::Optional))
}

struct ShowTable {
    project: Project,
    profile: String,
    shown: Table,
}

impl Work for ShowTable {
    fn facts(&self, _: usize) -> Facts {
        let members = [self.shown.kind.module, experiment::MODULE];
        Facts {
            parameters: json!({ "profile": self.profile, "table": format!("{:?}", self.shown.spec) }),
            code: code::behind(module_path!(), render::MODULE, &members),
        }
    }

    fn reproducible(&self) -> bool {
        !self.shown.kind.measured
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let (filled, absent) = match self.shown.kind.fill {
            Fill::Runs(fill) => {
                let spec = &self.shown.spec;
                let found = experiments(&self.project, &spec.experiments, self.shown.kind.measured, job)?;
                let (shown, absent) = spec.found(&found);
                (fill(&shown), absent)
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
        };
        render(&self.shown, &self.profile, filled, &absent).map(Product::Files).map_err(Failure::failed)
    }
}
