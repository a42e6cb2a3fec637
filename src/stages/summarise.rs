//! `summarise/...`: the runs table and the traces of an experiment, from its cells; `summarise/all`: one runs table.

use std::path::PathBuf;
use std::sync::Arc;

use noregret_engine::plan::work::{Facts, Failure, Input, Item, ItemOutcome, Job, Need, Product, Work};
use serde_json::json;

use super::items::{provenance, published, single, stage_keys, whole};
use super::run;
use crate::code;
use crate::compute::runs;
use crate::compute::summary::{self, CellResult, Summary};
use crate::config::experiment::Experiment;

/// The item and the work of `summarise/NAME`.
pub fn stage(
    experiment: &Arc<Experiment>,
    cells: usize,
    comparators: Option<usize>,
    prepared: &[Option<Input>],
) -> (Item, Arc<dyn Work>) {
    let mut inputs: Vec<Input> = whole(&[cells], Need::Optional).collect();
    inputs.extend(whole(comparators.as_slice(), Need::Optional));
    // A failed cell leaves a gap; without data there is nothing to summarise.
    inputs.extend(prepared.iter().flatten().copied());
    let work = Summarise { experiment: experiment.clone() };
    single(work, inputs)
}

struct Summarise {
    experiment: Arc<Experiment>,
}

impl Work for Summarise {
    fn facts(&self, _: usize) -> Facts {
        // Names of curves and streams are not part of a cell's key, but they are part of the tables.
        let Experiment { design, cells, .. } = &*self.experiment;
        let labels: Vec<&str> = cells.iter().map(|cell| &*cell.label).collect();
        let streams: Vec<&str> = design.streams.iter().map(|stream| stream.name()).collect();
        let parameters = json!({ "experiment": design.name, "labels": labels, "streams": streams });
        let code = code::behind(module_path!(), summary::MODULE, &[]);
        Facts { parameters, code }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let Experiment { design, cells, .. } = &*self.experiment;
        let name = &design.name;
        let of = |kind: &str| {
            let stage = format!("{kind}/{name}");
            job.inputs().iter().enumerate().filter(move |(_, input)| input.stage == stage)
        };
        let solved = of("comparator").filter(|(_, input)| matches!(input.outcome, ItemOutcome::Done { .. }));
        let solved = solved.map(|(index, _)| job.object(index)).collect::<Result<Vec<_>, Failure>>()?;
        let objectives =
            summary::objectives(solved.into_iter()).map_err(|error| Failure::about("a comparator's object", error))?;
        let mut summary = Summary::new(design, objectives);
        for (index, input) in of("run") {
            let cell = &cells[input.item];
            let nothing = |why: &str| CellResult::Nothing { name: run::name_of(design, cell), why: why.to_owned() };
            let made = match &input.outcome {
                ItemOutcome::Done { key, .. } => CellResult::Trace { key: key.clone(), bytes: job.object(index)? },
                ItemOutcome::Failed(error) => nothing(error),
                ItemOutcome::Unavailable(missing) => nothing(&missing.reason),
            };
            let settled = |candidate| self.experiment.settled(input.item, candidate);
            summary.add(cell, settled, made).map_err(|error| Failure::about("the trace of a cell", error))?;
        }
        let (runs, traces) = summary.tables(&provenance(self, job, stage_keys(job))).map_err(Failure::failed)?;
        Ok(Product::Files(vec![
            (PathBuf::from(format!("results/runs/{name}.parquet")), runs),
            (PathBuf::from(format!("results/traces/{name}.parquet")), traces),
        ]))
    }
}

/// The item and the work of `summarise/all`.
pub fn all(summaries: &[usize]) -> (Item, Arc<dyn Work>) {
    single(All, whole(summaries, Need::Optional))
}

struct All;

impl Work for All {
    fn facts(&self, _: usize) -> Facts {
        let code = code::behind(module_path!(), runs::MODULE, &[]);
        Facts { parameters: json!({ "table": "runs" }), code }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let tables = published(job, |path| path.starts_with("results/runs"))?;
        let bytes = runs::joined(&tables.into_values().collect::<Vec<_>>()).map_err(Failure::failed)?;
        Ok(Product::Files(vec![(PathBuf::from("results/runs.parquet"), bytes)]))
    }
}
