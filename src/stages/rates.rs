//! `rates/ROW`: a row of the table of rates, from the runs of its experiment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use globset::Glob;
use serde_json::json;

use super::items::fingerprint;
use super::results::experiments;
use crate::analysis::rate::row::Row;
use crate::code;
use crate::compute::{experiment, rate};
use crate::config::project::Project;
use crate::trace::cell::Provenance;
use noregret_engine::plan::work::{Facts, Failure, Input, Item, Job, Need, Product, Work};

/// The item and the work of `rates/ROW`; `summary` is the summary of its experiment, where that is declared.
pub fn stage(project: &Project, row: &Row, summary: Option<usize>) -> (Item, Arc<dyn Work>) {
    let work = Rate { project: project.clone(), row: row.clone() };
    // A row whose experiment left nothing says so in its table.
    let inputs = summary.map(|stage| Input { stage, item: None, need: Need::Optional });
    let facts = work.facts(0);
    let fingerprint = fingerprint(&facts.parameters.to_string(), &facts.code);
    (Item { fingerprint, inputs: inputs.into_iter().collect() }, Arc::new(work))
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
    fn label(&self, _: usize) -> String {
        String::new()
    }

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
            code: (*code::behind(module_path!(), rate::MODULE, &[experiment::MODULE, row.theorem.module])).clone(),
        }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let row = &self.row;
        let found = experiments(&self.project, std::slice::from_ref(&row.experiment), false, job)?;
        let facts = self.facts(0);
        let provenance = Provenance {
            key: job.key().to_owned(),
            config: facts.parameters.to_string(),
            inputs: super::items::stage_keys(job),
            code: json!(facts.code),
        };
        let (values, text) = rate::assessed(row, found.get(&row.experiment), &provenance).map_err(Failure::Failed)?;
        let path = |extension: &str| PathBuf::from(format!("results/rates/{}.{extension}", row.name));
        Ok(Product::Files(vec![(path("parquet"), values), (path("json"), text)]))
    }
}
