//! `rates/ROW`: a row of the table of rates, from the runs of its experiment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use globset::Glob;
use serde_json::json;

use crate::code;
use crate::config::experiment::Experiment;
use crate::config::project::Project;
use crate::rate::compute;
use crate::rate::design::{digest, note_change};
use crate::rate::setups::{cells, setups};
use crate::stage::items::{provenance, single, stage_keys, whole};
use crate::stage::results::experiments;
use crate::summarise::read;
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};
use noregret_report::analysis::rate::row::{RateRow, control_name};
use noregret_report::analysis::rate::setup::Setup;

/// The item and the work of `rates/ROW`; `summaries` are those of its experiment and of its negative control, where these
/// are declared. In the default profile, of which the records are, the row is held against its recorded design.
pub(crate) fn stage(
    project: &Project,
    (row, is_default): (&RateRow, bool),
    experiment: Option<&Arc<Experiment>>,
    summaries: &[usize],
) -> (Item, Arc<dyn Work>) {
    let work = AssessRate { project: project.clone(), row: row.clone(), is_default, experiment: experiment.cloned() };
    // A row whose experiment left nothing says so in its table.
    let inputs = whole(summaries, Need::Optional);
    single(work, inputs)
}

/// The stages of the rows whose names some glob matches, in the order of their names.
pub(crate) fn chosen(stages: &BTreeMap<&str, usize>, globs: &[&str]) -> Vec<usize> {
    let matchers: Vec<_> = globs.iter().filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher())).collect();
    let wanted = |name: &&str| matchers.iter().any(|matcher| matcher.is_match(name));
    stages.iter().filter(|(name, _)| wanted(name)).map(|(_, stage)| *stage).collect()
}

struct AssessRate {
    project: Project,
    row: RateRow,
    is_default: bool,
    experiment: Option<Arc<Experiment>>,
}

impl AssessRate {
    fn setups(&self) -> Vec<Setup<'_>> {
        self.experiment.as_deref().map(|experiment| setups(&self.row, experiment)).unwrap_or_default()
    }
}

impl Work for AssessRate {
    fn facts(&self, _: usize) -> Facts {
        let row = &self.row;
        let setups: Vec<_> = self.setups().iter().map(Setup::canonical).collect();
        // What the theorem is applied to: the members of the runs compute the constants of its bound.
        let mut modules = vec![read::MODULE, row.theorem.module];
        if let Some(experiment) = &self.experiment {
            for cell in cells(row, experiment) {
                modules.extend(cell.modules(&experiment.design));
                modules.extend(experiment.design.streams[cell.stream].noise_modules());
            }
        }
        modules.sort_unstable();
        modules.dedup();
        Facts {
            parameters: json!({
                "control": row.control,
                "designs": [json!(row.designs), json!(self.is_default)],
                "experiment": row.experiment,
                "explanations": row.explanations.iter().map(|(of, text)| (of.key(), text)).collect::<BTreeMap<_, _>>(),
                "horizons": row.horizons,
                "label": row.label,
                "margin": row.margin,
                "negative": row.negative,
                "parameters": row.parameters,
                "quantity": row.quantity_name,
                "setting": row.setting,
                "setups": setups,
                "stream": row.stream,
                "theorem": row.theorem.name,
            }),
            code: code::behind(module_path!(), compute::MODULE, &modules),
        }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let mut row = self.row.clone();
        // Here rather than where it is declared, since digests take as much memory as all that is planned of the row.
        if let Some(experiment) = self.experiment.as_deref().filter(|_| self.is_default) {
            note_change(&mut row.designs, digest(&self.row, experiment));
        }
        let names = [row.experiment.clone(), control_name(&row.name)];
        let found = experiments(&self.project, &names, false, job)?;
        let provenance = provenance(self, job, stage_keys(job));
        let (values, text) =
            compute::assessed(&row, names.each_ref().map(|name| found.get(name)), &self.setups(), &provenance)
                .map_err(Failure::failed)?;
        let path = |extension: &str| PathBuf::from(format!("results/rates/{}.{extension}", row.name));
        Ok(Product::Files(vec![(path("parquet"), values), (path("json"), text)]))
    }
}
