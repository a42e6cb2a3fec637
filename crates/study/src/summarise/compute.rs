//! The runs table and the traces of an experiment, from its cells.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use noregret_core::params::Params;
use noregret_core::protocol::cell::Cell;
use noregret_core::protocol::design::Design;
use serde_json::Value as Json;

use crate::comparator::compute::Solved;
use noregret_report::trace::cell::{EndStatus, Ending, Stored, TableProvenance, TraceRow, read_cell};
use noregret_report::trace::table::TraceError;
use noregret_report::trace::write::{self, FlatParameters, RunColumns, RunIdentity, RunRow, Traces};

/// Where code identity starts.
pub const MODULE: &str = module_path!();

/// What became of a cell.
pub(crate) enum CellResult {
    /// Its key, and what its stored trace tells.
    Trace { key: String, stored: Stored },
    /// A name in place of its key, and why it has no trace.
    Nothing { name: String, why: String },
}

impl CellResult {
    /// From the bytes of its trace, or why there are none.
    ///
    /// # Errors
    /// Bytes that are not a trace.
    pub(crate) fn new(key: String, object: Result<Vec<u8>, String>) -> Result<Self, TraceError> {
        match object {
            Ok(bytes) => Ok(Self::Trace { key, stored: read_cell(&bytes)? }),
            Err(why) => Ok(Self::Nothing { name: key, why }),
        }
    }
}

/// The finite objectives of solved comparators, by stream, horizon and replicate, from their stored objects.
///
/// # Errors
/// Bytes that are not a solved comparator.
pub(crate) fn objectives(
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

/// Folds the runs of an experiment, cell by cell. What it holds of each is of a small, fixed size: the traces are
/// written as they come, and the rows of the runs table are completed as they are written.
pub(crate) struct ExperimentSummary<'a> {
    design: &'a Design,
    provenance: &'a TableProvenance,
    objectives: BTreeMap<(usize, u64, u32), f64>,
    /// By the address of the parameters, which are kept here.
    learners: HashMap<*const Params, (Arc<Params>, Shared)>,
    streams: Vec<Shared>,
    columns: RunColumns,
    runs: Vec<HeldRun>,
    traces: Traces,
}

/// What many cells share: canonical text, and columns of the runs table.
struct Shared {
    text: String,
    parameters: Arc<FlatParameters>,
}

impl Shared {
    fn new(canonical: &Json) -> Self {
        Self { text: canonical.to_string(), parameters: Arc::new(FlatParameters::new(canonical)) }
    }
}

/// A run, as it is held until the runs table is written.
struct HeldRun {
    cell: Cell,
    key: String,
    ending: Ending,
    last: Option<TraceRow>,
    measures: Box<[(Arc<str>, f64)]>,
    tuned: Option<String>,
}

impl<'a> ExperimentSummary<'a> {
    /// No runs yet; `objectives` are what their regrets are measured against.
    ///
    /// # Errors
    /// The table of traces cannot be begun.
    pub(crate) fn new(
        design: &'a Design,
        objectives: BTreeMap<(usize, u64, u32), f64>,
        provenance: &'a TableProvenance,
    ) -> Result<Self, TraceError> {
        let streams = design.streams.iter().map(|stream| Shared::new(&stream.canonical())).collect();
        Ok(Self {
            design,
            provenance,
            objectives,
            learners: HashMap::new(),
            streams,
            columns: RunColumns::default(),
            runs: Vec::new(),
            traces: Traces::new(provenance)?,
        })
    }

    /// Adds a cell; `settled` is the same cell with the parameters of a candidate, where they were to be chosen. Cells
    /// come in ascending order of [`run_id`].
    ///
    /// # Errors
    /// Cells out of order.
    pub(crate) fn add(
        &mut self,
        cell: &Cell,
        settled: impl Fn(usize) -> Cell,
        made: CellResult,
    ) -> Result<(), TraceError> {
        let (key, ending, stored) = match made {
            CellResult::Trace { key, stored } => (key, stored.ending.clone(), Some(stored)),
            CellResult::Nothing { name, why } => {
                (name, Ending { status: EndStatus::Failed, detail: Some(why), rounds: 0 }, None)
            }
        };
        let tuned = stored.as_ref().and_then(|stored| stored.tuned.as_ref());
        let cell = tuned.map_or_else(|| cell.clone(), |tuned| settled(tuned.candidate));
        let learner = self.learners.entry(Arc::as_ptr(&cell.params));
        let (_, learner) = learner.or_insert_with(|| (cell.params.clone(), Shared::new(&cell.params.canonical())));
        self.columns.learner(&learner.parameters);
        self.columns.stream(&self.streams[cell.stream].parameters);
        if let Some(stored) = &stored {
            self.traces.push(&identity(self.design, &cell, &key), &stored.rows)?;
        }
        let measures = stored.iter().flat_map(|stored| &stored.measures);
        let run = HeldRun {
            key,
            ending,
            last: stored.as_ref().and_then(|stored| stored.rows.last().copied()),
            measures: measures.map(|(name, value)| (self.columns.measure(name), *value)).collect(),
            tuned: tuned.map(|tuned| tuned.words.clone()),
            cell,
        };
        self.runs.push(run);
        Ok(())
    }

    /// The runs table and the traces as Parquet bytes.
    ///
    /// # Errors
    /// What could not be written.
    pub(crate) fn tables(self) -> Result<(Vec<u8>, Vec<u8>), TraceError> {
        let Self { design, provenance, objectives, learners, streams, columns, runs, traces } = self;
        let traces = traces.finish()?;
        let row = |HeldRun { cell, key, ending, last, measures, tuned }: HeldRun| {
            let ((_, learner), stream) = (&learners[&Arc::as_ptr(&cell.params)], &streams[cell.stream]);
            let objective = objectives.get(&(cell.stream, cell.horizon, cell.replicate)).copied();
            RunRow {
                identity: identity(design, &cell, &key),
                ending,
                comparator_loss: objective.or_else(|| last.and_then(|last| last.comparator_loss)),
                last,
                measures: measures.into(),
                config: cell.canonical_with(design, &learner.text, &stream.text),
                key,
                tuned,
                learner_parameters: learner.parameters.clone(),
                stream_parameters: stream.parameters.clone(),
            }
        };
        Ok((write::runs(provenance, &columns, runs.into_iter().map(row))?, traces))
    }
}

/// What the tables call a run: the beginning of its key.
pub(crate) fn run_id(key: &str) -> &str {
    key.get(..16).unwrap_or(key)
}

fn identity(design: &Design, cell: &Cell, key: &str) -> RunIdentity {
    RunIdentity {
        run_id: run_id(key).to_owned(),
        experiment: design.name.clone(),
        stream: design.streams[cell.stream].name().to_owned(),
        learner: cell.learner.name.to_owned(),
        label: cell.label.to_string(),
        replicate: u64::from(cell.replicate),
        horizon: cell.horizon,
    }
}
