//! `rates/ROW`: a row of the table of rates, from the runs of its experiment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use globset::Glob;
use serde_json::json;

use super::items::{provenance, single, stage_keys, whole};
use super::results::experiments;
use crate::analysis::rate::row::Row;
use crate::code;
use crate::compute::{experiment, rate};
use crate::config::project::Project;
use noregret_engine::plan::work::{Facts, Failure, Item, Job, Need, Product, Work};

/// The item and the work of `rates/ROW`; `summary` is the summary of its experiment, where that is declared.
pub fn stage(project: &Project, row: &Row, summary: Option<usize>) -> (Item, Arc<dyn Work>) {
    let work = Rate { project: project.clone(), row: row.clone() };
    // A row whose experiment left nothing says so in its table.
    let inputs = whole(summary.as_slice(), Need::Optional);
    single(work, inputs)
}

/// The stages of the rows whose names some glob matches, in the order of their names.
pub(super) fn chosen(stages: &BTreeMap<&str, usize>, globs: &[String]) -> Vec<usize> {
    let matchers: Vec<_> = globs.iter().filter_map(|glob| Some(Glob::new(glob).ok()?.compile_matcher())).collect();
    let wanted = |name: &&str| matchers.iter().any(|matcher| matcher.is_match(name));
    stages.iter().filter(|(name, _)| wanted(name)).map(|(_, stage)| *stage).collect()
}

struct Rate {
    project: Project,
    row: Row,
}

impl Work for Rate {
    fn facts(&self, _: usize) -> Facts {
        let row = &self.row;
        Facts {
            parameters: json!({
                "bound": format!("{:?}", row.bound),
                "experiment": row.experiment,
                "explanation": row.explanation,
                "floor": row.floor,
                "horizons": row.horizons,
                "label": row.label,
                "margin": row.margin,
                "parameters": row.parameters,
                "quantity": row.quantity_name,
                "setting": row.setting,
                "stream": row.stream,
                "theorem": row.theorem.name,
                "worst_per_round": row.worst_per_round,
            }),
            code: code::behind(module_path!(), rate::MODULE, &[experiment::MODULE, row.theorem.module]),
        }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let row = &self.row;
        let found = experiments(&self.project, std::slice::from_ref(&row.experiment), false, job)?;
        let provenance = provenance(self, job, stage_keys(job));
        let (values, text) = rate::assessed(row, found.get(&row.experiment), &provenance).map_err(Failure::failed)?;
        let path = |extension: &str| PathBuf::from(format!("results/rates/{}.{extension}", row.name));
        Ok(Product::Files(vec![(path("parquet"), values), (path("json"), text)]))
    }
}
