//! The runs table and the traces of an experiment, from its cells.

use std::collections::BTreeMap;

use noregret_core::protocol::cell::Cell;
use noregret_core::protocol::design::Design;
use serde_json::Value as Json;

use crate::compute::comparator::Solved;
use crate::trace::cell::{Ending, Provenance, RunStatus, read_cell};
use crate::trace::table::TraceError;
use crate::trace::write::{self, RunIdentity, RunRow};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// What became of a cell.
pub enum CellResult {
    /// Its key, and its stored trace.
    Trace { key: String, bytes: Vec<u8> },
    /// A name in place of its key, and why it has no trace.
    Nothing { name: String, why: String },
}

/// The finite objectives of solved comparators, by stream, horizon and replicate, from their stored objects.
///
/// # Errors
/// Bytes that are not a solved comparator.
pub fn objectives(
    solved: impl Iterator<Item = Vec<u8>>,
) -> Result<BTreeMap<(usize, u64, u32), f64>, serde_json::Error> {
    solved
        .map(|bytes| serde_json::from_slice(&bytes))
        .filter_map(|solved: Result<Solved, _>| {
            let place = |solved: Solved| Some(((solved.stream, solved.horizon, solved.replicate), solved.objective?));
            solved.map(place).transpose()
        })
        .collect()
}

/// Collects the runs of an experiment, cell by cell.
pub struct Summary<'a> {
    design: &'a Design,
    streams: Vec<Json>,
    objectives: BTreeMap<(usize, u64, u32), f64>,
    runs: Vec<RunRow>,
    traces: Vec<(RunIdentity, crate::trace::cell::CellTrace)>,
}

impl<'a> Summary<'a> {
    /// No runs yet; `objectives` are what their regrets are measured against.
    pub fn new(design: &'a Design, objectives: BTreeMap<(usize, u64, u32), f64>) -> Self {
        let streams = design.streams.iter().map(|stream| stream.canonical()).collect();
        Self { design, streams, objectives, runs: Vec::new(), traces: Vec::new() }
    }

    /// Adds a cell; `settled` is the same cell with the parameters of a candidate, where they were to be chosen.
    ///
    /// # Errors
    /// Bytes that are not a trace.
    pub fn add(&mut self, cell: &Cell, settled: impl Fn(usize) -> Cell, made: CellResult) -> Result<(), TraceError> {
        let (key, ending, trace) = match made {
            CellResult::Trace { key, bytes } => {
                let trace = read_cell(&bytes)?;
                (key, trace.ending.clone(), Some(trace))
            }
            CellResult::Nothing { name, why } => {
                (name, Ending { status: RunStatus::Failed, detail: Some(why), rounds: 0 }, None)
            }
        };
        let tuned = trace.as_ref().and_then(|trace| trace.provenance.tuned.clone());
        let cell = &tuned.as_ref().map_or_else(|| cell.clone(), |tuned| settled(tuned.candidate));
        let identity = RunIdentity {
            run_id: key.chars().take(16).collect(),
            experiment: self.design.name.clone(),
            stream: self.design.streams[cell.stream].name().to_owned(),
            learner: cell.learner.name.to_owned(),
            label: cell.label.to_string(),
            replicate: u64::from(cell.replicate),
            horizon: cell.horizon,
        };
        let last = trace.as_ref().and_then(|trace| trace.rows.last().cloned());
        let objective = self.objectives.get(&(cell.stream, cell.horizon, cell.replicate)).copied();
        self.runs.push(RunRow {
            identity: identity.clone(),
            ending,
            comparator_loss: objective.or_else(|| last.as_ref().and_then(|last| last.comparator_loss)),
            last,
            measures: trace.as_ref().map(|trace| trace.measures.clone()).unwrap_or_default(),
            config: cell.canonical(self.design),
            key,
            tuned: tuned.map(|tuned| tuned.words),
            learner_parameters: cell.params.canonical(),
            stream_parameters: self.streams[cell.stream].clone(),
        });
        self.traces.extend(trace.map(|trace| (identity, trace)));
        Ok(())
    }

    /// The runs table and the traces as Parquet bytes.
    ///
    /// # Errors
    /// What could not be written.
    pub fn tables(mut self, provenance: &Provenance) -> Result<(Vec<u8>, Vec<u8>), TraceError> {
        self.runs.sort_by(|a, b| a.identity.run_id.cmp(&b.identity.run_id));
        self.traces.sort_by(|a, b| a.0.run_id.cmp(&b.0.run_id));
        Ok((write::runs(provenance, &self.runs)?, write::experiment_traces(provenance, self.traces)?))
    }
}
