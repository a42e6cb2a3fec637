//! `table/...`: a table as Markdown, CSV and LaTeX.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use crate::code;
use crate::config::declared::Declared;
use crate::config::experiment::Experiment;
use crate::config::project::Project;
use crate::erratum::stage::findings;
use crate::guarantee::stage::{Unchecked, checks, words};
use crate::stage::items::{single, whole};
use crate::stage::results::{described, experiments};
use crate::stage::setup::{label, setup};
use crate::summarise::read;
use crate::tune::stage::{choices, tried};
use noregret_engine::plan::work::{self, Facts, Failure, Item, ItemOutcome, Job, Product, Work};
use noregret_report::analysis::guarantee::GuaranteeChecks;
use noregret_report::exhibit::ExhibitNeed;
use noregret_report::table::api::{CheckedTable, TableInput};
use noregret_report::table::render::{self, render};

/// The item and the work of `table/NAME`; `inputs` are the stages behind what its kind needs.
pub(crate) fn stage(
    project: &Project,
    declared: &Declared,
    shown: &CheckedTable,
    inputs: &[usize],
) -> (Item, Arc<dyn Work>) {
    let chosen = shown.spec.experiments.iter().filter(|_| shown.needs(ExhibitNeed::Choices));
    let experiments = chosen.filter_map(|name| Some((name.clone(), declared.experiments.get(name)?.clone())));
    let setup = setup(declared, &format!("table/{}", shown.spec.name), &shown.spec.experiments, &[]);
    let stating = shown.needs(ExhibitNeed::Guarantees);
    let unchecked = if stating { Unchecked::new(declared) } else { Unchecked::default() };
    let (project, profile, mut shown) = (project.clone(), declared.profile.clone(), shown.clone());
    let behind = match shown.needs(ExhibitNeed::Rates) {
        true => declared.changed.keys().cloned().collect(),
        false => shown.spec.experiments.clone(),
    };
    label(declared, &behind, &mut shown.spec.title, &mut shown.spec.shows);
    let work = ShowTable { project, profile, shown, experiments: experiments.collect(), setup, unchecked };
    single(work, whole(inputs, work::Need::Optional))
}

struct ShowTable {
    project: Project,
    profile: String,
    shown: CheckedTable,
    /// The experiments whose choices it shows, by name.
    experiments: BTreeMap<String, Arc<Experiment>>,
    setup: Vec<(String, String)>,
    /// What it says of runs that are held against no statement.
    unchecked: Unchecked,
}

impl Work for ShowTable {
    fn facts(&self, _: usize) -> Facts {
        let members = [self.shown.kind.module, read::MODULE];
        let choices = self.experiments.values().flat_map(|experiment| tried(experiment));
        let mut parameters = json!({
            "choices": choices.collect::<Vec<_>>(),
            "profile": self.profile,
            "setup": self.setup,
            "table": format!("{:?}", self.shown.spec),
        });
        if self.shown.needs(ExhibitNeed::Guarantees) {
            parameters["guarantees"] = json!([words(), self.unchecked]);
        }
        Facts { parameters, code: code::behind(module_path!(), render::MODULE, &members) }
    }

    fn reproducible(&self) -> bool {
        !self.shown.kind.measured
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let CheckedTable { spec, kind, .. } = &self.shown;
        // A table without any row would take the place of one that was made when there were some.
        if let Some(nothing) = nothing_made(job) {
            return Err(nothing);
        }
        let (mut found, mut tuned) = (BTreeMap::new(), Vec::new());
        let (mut rates, mut decided, mut figures) = (Vec::new(), Vec::new(), Vec::new());
        let mut guarantees = GuaranteeChecks::default();
        let mut absent = None;
        for need in kind.needs {
            let lacking = match need {
                ExhibitNeed::Runs => {
                    found = experiments(&self.project, &spec.experiments, kind.measured, job)?;
                    spec.found(&found).1
                }
                ExhibitNeed::Rates | ExhibitNeed::Bounds => keep(described("rates/", job)?, &mut rates),
                ExhibitNeed::Errata => keep(findings(job)?, &mut decided),
                ExhibitNeed::Guarantees => keep(checks(job, &self.unchecked)?, &mut guarantees),
                ExhibitNeed::Claims => keep(described("figure/", job)?, &mut figures),
                ExhibitNeed::Choices => keep(choices(&self.experiments, job)?, &mut tuned),
                ExhibitNeed::Reported | ExhibitNeed::Functions | ExhibitNeed::Hindsight => continue,
            };
            absent.get_or_insert(lacking);
        }
        let given = TableInput {
            experiments: &spec.found(&found).0,
            rates: &rates,
            findings: &decided,
            figures: &figures,
            choices: &tuned,
            reported: &spec.others,
            guarantees: Some(&guarantees).filter(|_| self.shown.needs(ExhibitNeed::Guarantees)),
            options: Some(&spec.options),
        };
        (kind.says)(&given).iter().for_each(|line| job.say(line));
        let (filled, absent) = ((kind.fill)(&given), absent.unwrap_or_default());
        render(&self.shown, &self.profile, filled, &absent, &self.setup).map(Product::Files).map_err(Failure::failed)
    }
}

/// Why there is nothing that a table is made of, if there is nothing.
fn nothing_made(job: &dyn Job) -> Option<Failure> {
    let (mut unavailable, mut failed) = (None, None);
    for input in job.inputs() {
        match &input.outcome {
            ItemOutcome::Done { .. } => return None,
            ItemOutcome::Unavailable(why) => unavailable = unavailable.or(Some(why)),
            ItemOutcome::Failed(error) => failed = failed.or(Some(error)),
        }
    }
    let failed = failed.map(|error| Failure::failed(NothingMade(error.clone())));
    failed.or_else(|| unavailable.cloned().map(Failure::Unavailable))
}

/// What a table shows failed.
#[derive(Debug, thiserror::Error)]
#[error("nothing that it shows could be made: {0}")]
struct NothingMade(String);

/// Keeps what was found, and returns what is absent.
fn keep<T>((found, absent): (T, Vec<String>), here: &mut T) -> Vec<String> {
    *here = found;
    absent
}
