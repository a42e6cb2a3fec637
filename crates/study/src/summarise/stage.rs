//! `summarise/...`: the runs table and the traces of an experiment, from its cells; `summarise/all`: one runs table.

use std::path::PathBuf;
use std::sync::Arc;

use noregret_engine::plan::work::{
    Facts, Failure, Item, ItemInput, ItemOutcome, Job, Need, Product, Resolved, Unavailable, Work,
};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::json;

use crate::code;
use crate::config::experiment::Experiment;
use crate::run::stage as run;
use crate::stage::items::{provenance, published, single, stage_keys, whole};
use crate::summarise::compute::{self, CellResult, ExperimentSummary};
use crate::summarise::runs;
use noregret_numeric::meter::CpuMeter;
use noregret_report::trace::table::TraceError;

/// So many bytes of stored traces are held at once, and one trace more.
const AT_ONCE: usize = 1 << 20;

/// The item and the work of `summarise/NAME`.
pub(crate) fn stage(
    experiment: &Arc<Experiment>,
    cells: usize,
    comparators: Option<usize>,
    prepared: &[Option<ItemInput>],
) -> (Item, Arc<dyn Work>) {
    let mut inputs: Vec<ItemInput> = whole(&[cells], Need::Optional).collect();
    inputs.extend(whole(comparators.as_slice(), Need::Optional));
    // A failed cell leaves a gap; without data there is nothing to summarise, unless gaps are wanted.
    let need = if experiment.partial { Need::Optional } else { Need::Required };
    inputs.extend(prepared.iter().flatten().map(|input| ItemInput { need, ..*input }));
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
        // Cells of one name follow each other: the name, and how many they are.
        let labels: Vec<(&str, usize)> =
            cells.chunk_by(|a, b| a.label == b.label).map(|alike| (&*alike[0].label, alike.len())).collect();
        let streams: Vec<&str> = design.streams.iter().map(|stream| stream.name()).collect();
        let parameters = json!({ "experiment": design.name, "labels": labels, "streams": streams });
        let code = code::behind(module_path!(), compute::MODULE, &[]);
        Facts { parameters, code }
    }

    fn execute(&self, _: usize, job: &dyn Job) -> Result<Product, Failure> {
        let Experiment { design, cells, .. } = &*self.experiment;
        let name = &design.name;
        let of = |kind: &str| {
            let stage = format!("{kind}/{name}");
            job.inputs().iter().enumerate().filter(move |(_, input)| input.stage == stage)
        };
        let absent = |(_, input): (usize, &Resolved)| match &input.outcome {
            ItemOutcome::Unavailable(why) => Some(why.clone()),
            ItemOutcome::Done { .. } | ItemOutcome::Failed(_) => None,
        };
        let all: Option<Vec<Unavailable>> = of("run").map(absent).collect();
        if let Some(first) = all.and_then(|all| all.into_iter().next()) {
            return Err(Failure::Unavailable(first));
        }
        let solved = of("comparator").filter(|(_, input)| matches!(input.outcome, ItemOutcome::Done { .. }));
        let solved = solved.map(|(index, _)| job.object(index)).collect::<Result<Vec<_>, Failure>>()?;
        let objectives =
            compute::objectives(solved.into_iter()).map_err(|error| Failure::about("a comparator's object", error))?;
        let provenance = provenance(self, job, stage_keys(job));
        let mut summary = ExperimentSummary::new(design, objectives, &provenance).map_err(Failure::failed)?;
        // In the order of the tables, so that what was read is written and forgotten.
        let key = |input: &Resolved| match &input.outcome {
            ItemOutcome::Done { key, .. } => key.clone(),
            _ => run::name_of(design, &cells[input.item]),
        };
        let mut order: Vec<(String, usize)> = of("run").map(|(index, input)| (key(input), index)).collect();
        order.sort_by(|(a, _), (b, _)| compute::run_id(a).cmp(compute::run_id(b)));
        let mut order = order.into_iter().peekable();
        while order.peek().is_some() {
            if job.interrupted() {
                return Err(Failure::Interrupted);
            }
            let (mut read, mut bytes) = (Vec::new(), 0);
            while let Some((key, index)) = order.next_if(|_| bytes < AT_ONCE) {
                let input = &job.inputs()[index];
                let object = match &input.outcome {
                    ItemOutcome::Done { .. } => Ok(job.object(index)?),
                    ItemOutcome::Failed(why) => Err(why.clone()),
                    ItemOutcome::Unavailable(missing) => Err(missing.reason.clone()),
                };
                bytes += object.as_ref().map_or(0, Vec::len);
                read.push((input.item, key, object));
            }
            let meter = CpuMeter::current();
            let made = read.into_par_iter().map(|(item, key, object)| {
                let made = meter.charge(|| CellResult::new(key, object));
                Ok((item, made?))
            });
            for made in made.collect::<Vec<Result<_, TraceError>>>() {
                let settled = |item| move |candidate| self.experiment.settled(item, candidate);
                let added = made.and_then(|(item, made)| summary.add(&cells[item], settled(item), made));
                added.map_err(|error| Failure::about("the trace of a cell", error))?;
            }
        }
        let (runs, traces) = summary.tables().map_err(Failure::failed)?;
        Ok(Product::Files(vec![
            (PathBuf::from(format!("results/runs/{name}.parquet")), runs),
            (PathBuf::from(format!("results/traces/{name}.parquet")), traces),
        ]))
    }
}

/// The item and the work of `summarise/all`.
pub(crate) fn all(summaries: &[usize]) -> (Item, Arc<dyn Work>) {
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
