//! `summarise/...`: the runs table and the traces of an experiment, from its cells; `summarise/all`: one runs table.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::comparator::Solved;
use super::{fingerprint, run};
use crate::code;
use crate::config::experiment::Experiment;
use crate::plan::work::{Facts, Failure, Input, Item, Job, Need, Outcome, Product, Work};
use crate::trace::cell::{Ending, Provenance, Status, read_cell};
use crate::trace::join;
use crate::trace::table::TraceError;
use crate::trace::write::{self, Identity, Run};

/// The item and the work of `summarise/NAME`.
pub fn stage(
    experiment: &Arc<Experiment>,
    cells: usize,
    comparators: Option<usize>,
    prepared: &[Option<Input>],
) -> (Item, Arc<dyn Work>) {
    let mut inputs = vec![Input { stage: cells, item: None, need: Need::Optional }];
    inputs.extend(comparators.map(|stage| Input { stage, item: None, need: Need::Optional }));
    // Cells may fail and leave a gap; data that are not there leave nothing to summarise.
    inputs.extend(prepared.iter().flatten().copied());
    let work = Summarise { experiment: experiment.clone() };
    let facts = work.facts(0);
    let item = Item { fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code), inputs: inputs.into() };
    (item, Arc::new(work))
}

struct Summarise {
    experiment: Arc<Experiment>,
}

impl Work for Summarise {
    fn label(&self, _: usize) -> String {
        String::new()
    }

    fn facts(&self, _: usize) -> Facts {
        // Labels are not part of a cell's key, but they are part of the tables.
        let labels: Vec<&str> = self.experiment.cells.iter().map(|cell| &*cell.label).collect();
        let parameters = json!({ "experiment": self.experiment.name, "labels": labels });
        let code = code::closure(&["src/trace/write.rs", "src/trace/cell.rs"]).union(&code::shallow(&[file!()]));
        Facts { parameters, code }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiment = &*self.experiment;
        let inputs = job.inputs();
        let name = &experiment.name;
        let solved = inputs
            .iter()
            .enumerate()
            .filter(|(_, input)| input.stage == format!("comparator/{name}"))
            .filter(|(_, input)| matches!(input.outcome, Outcome::Done { .. }))
            .map(|(index, _)| {
                let solved: Solved = serde_json::from_slice(&job.object(index)?)
                    .map_err(|error| Failure::Failed(format!("a comparator's object: {error}")))?;
                Ok(((solved.stream, solved.horizon, solved.replicate), solved.objective))
            })
            .collect::<Result<BTreeMap<_, f64>, Failure>>()?;

        let mut runs = Vec::with_capacity(experiment.cells.len());
        let mut traces = Vec::with_capacity(experiment.cells.len());
        for (index, input) in inputs.iter().enumerate().filter(|(_, input)| input.stage == format!("run/{name}")) {
            let cell = &experiment.cells[input.item];
            let stream = &experiment.streams[cell.stream];
            let failed = |key: String, detail: &str| {
                (key, Ending { status: Status::Failed, detail: Some(detail.to_owned()), rounds: 0 }, None)
            };
            let (key, ending, trace) = match &input.outcome {
                Outcome::Done { key, .. } => {
                    let trace = read_cell(&job.object(index)?)
                        .map_err(|error| Failure::Failed(format!("the trace of a cell: {error}")))?;
                    (key.clone(), trace.ending.clone(), Some(trace))
                }
                Outcome::Failed(error) => failed(run::name_of(experiment, input.item), error),
                Outcome::Unavailable(missing) => failed(run::name_of(experiment, input.item), &missing.reason),
            };
            let identity = Identity {
                run_id: key.chars().take(16).collect(),
                experiment: name.clone(),
                stream: stream.name().to_owned(),
                learner: cell.learner.name.to_owned(),
                label: cell.label.to_string(),
                replicate: u64::from(cell.replicate),
                horizon: cell.horizon,
            };
            runs.push(Run {
                identity: identity.clone(),
                ending,
                last: trace.as_ref().and_then(|trace| trace.rows.last().cloned()),
                measures: trace.as_ref().map(|trace| trace.measures.clone()).unwrap_or_default(),
                comparator_loss: solved.get(&(cell.stream, cell.horizon, cell.replicate)).copied(),
                config: run::parameters(experiment, input.item),
                key,
                learner_parameters: cell.params.canonical(),
                stream_parameters: stream.canonical(),
            });
            traces.extend(trace.map(|trace| (identity, trace)));
        }
        runs.sort_by(|a, b| a.identity.run_id.cmp(&b.identity.run_id));
        traces.sort_by(|a, b| a.0.run_id.cmp(&b.0.run_id));
        let facts = self.facts(0);
        let provenance = Provenance {
            key: job.key().to_owned(),
            config: facts.parameters.to_string(),
            inputs: super::stage_keys(job),
            code: facts.code,
        };
        let failed = |error: TraceError| Failure::Failed(error.to_string());
        Ok(Product::Files(vec![
            (PathBuf::from(format!("results/runs/{name}.parquet")), write::runs(&provenance, &runs).map_err(failed)?),
            (
                PathBuf::from(format!("results/traces/{name}.parquet")),
                write::experiment_traces(&provenance, traces).map_err(failed)?,
            ),
        ]))
    }
}

/// The item and the work of `summarise/all`.
pub fn all(summaries: &[usize]) -> (Item, Arc<dyn Work>) {
    let inputs = summaries.iter().map(|&stage| Input { stage, item: None, need: Need::Optional }).collect();
    let facts = All.facts(0);
    (Item { fingerprint: fingerprint(&facts.parameters.to_string(), &facts.code), inputs }, Arc::new(All))
}

struct All;

impl Work for All {
    fn label(&self, _: usize) -> String {
        String::new()
    }

    fn facts(&self, _: usize) -> Facts {
        let code = code::closure(&["src/trace/join.rs"]).union(&code::shallow(&[file!()]));
        Facts { parameters: json!({ "table": "runs" }), code }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let tables = super::published(job, |path| path.starts_with("results/runs"))?;
        let bytes = join::runs(&tables.into_values().collect::<Vec<_>>())
            .map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(Product::Files(vec![(PathBuf::from("results/runs.parquet"), bytes)]))
    }
}
