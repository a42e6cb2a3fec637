//! What is asked of a run, and which part of the work is in its scope: all of it, a shard of the cells, or everything
//! but the cells.

use std::num::NonZeroUsize;

use crate::exec::batch::{self, BatchError};
use crate::exec::journal;
use crate::exec::remote::RemoteError;
use crate::exec::store::{ResultStore, StoreError};
use crate::plan::estimate::CostRates;
use crate::plan::key::KeyHash;
use crate::plan::planner::{Absent, Plan, plan};
use crate::plan::select::{Selection, TargetError, select};
use crate::plan::shard::{Shard, deal};
use crate::plan::snapshot::Snapshot;
use crate::plan::work::{Digest, Graph, Stage};

/// What is asked of a run.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// Names or globs of stages; an empty list means all stages.
    pub targets: Vec<String>,
    /// How many threads share the work; 0 means as many as there are cores.
    pub jobs: usize,
    /// Make what was asked for again even if it is fresh.
    pub force: bool,
    /// Stop at the first failure.
    pub fail_fast: bool,
    /// Stop when the only work left is what another run is making.
    pub no_wait: bool,
    /// Try again what could not be reached a short while ago, if it is asked for by name or forced. Off for commands
    /// that only look.
    pub retry: bool,
    /// Which part of the work this run does.
    pub scope: RunScope,
}

impl RunRequest {
    fn select(&self, graph: &Graph) -> Result<Selection, TargetError> {
        let selection = select(graph, &self.targets)?;
        Ok(Selection { named: selection.named && self.retry, ..selection })
    }
}

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A target names no stage.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The batch that a shard belongs to cannot be used.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The place where the store is shared cannot be used.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// Threads or signal handlers could not be set up.
    #[error("cannot start the work: {0}")]
    Start(String),
}

/// Which part of the work a run does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunScope {
    /// All of it.
    #[default]
    All,
    /// One shard of the cells and what these cells need; nothing else.
    Shard {
        /// Which one.
        shard: Shard,
        /// The shards of one batch divide the cells that were missing when the first of them began. Without a batch,
        /// shards divide all cells, made or not.
        batch: Option<String>,
    },
    /// Everything but cells, made from the cells that are there.
    NoCells,
}

/// The plan of the part that is asked for, and the cells that it does without. With `dry`, nothing is written.
pub(crate) fn divide(
    graph: &Graph,
    request: &RunRequest,
    store: &ResultStore,
    snapshot: &Snapshot,
    dry: bool,
) -> Result<(Plan, Absent), RunError> {
    let selection = request.select(graph)?;
    let planned = |selection| plan(graph, selection, request.force, snapshot);
    let (shard, batch) = match &request.scope {
        RunScope::All => return Ok((planned(&selection), Vec::new())),
        RunScope::NoCells => {
            let mut plan = planned(&selection);
            let absent = plan.without_cells(graph);
            return Ok((plan, absent));
        }
        RunScope::Shard { shard, batch } => (shard, batch),
    };
    let mine = match batch {
        None => shard.of_all(graph, &selection),
        Some(name) => {
            let whole = planned(&selection);
            let make = || Ok(dealt(graph, &whole, &journal::rates(store)?, shard.count));
            let shards = batch::shards(store, name, shard.count, dry, make)?;
            let items = |(index, stage): (usize, &Stage)| (0..stage.items.len()).map(move |item| (index, item));
            let mine = |&(stage, item): &(usize, usize)| shards.get(&share(graph, stage, item)) == Some(&shard.index);
            graph.stages.iter().enumerate().flat_map(items).filter(mine).collect()
        }
    };
    Ok((planned(&selection.only(graph, &mine)), Vec::new()))
}

/// What a batch calls a cell: its key without its inputs, because the key of a cell on data that nobody has pinned
/// changes with the first fetch of these data. Cells that have this in common come into one shard.
pub fn share(graph: &Graph, stage: usize, item: usize) -> Digest {
    let stage = &graph.stages[stage];
    KeyHash::new(&stage.name, &stage.items[item].fingerprint).finish()
}

/// The missing cells of a plan, each with the shard that it is dealt to; by measured times if there are any.
pub fn dealt(graph: &Graph, plan: &Plan, rates: &CostRates, count: NonZeroUsize) -> Vec<(Digest, usize)> {
    let cells: Vec<_> = plan.steps.iter().filter(|step| graph.stages[step.stage].work.is_cell()).collect();
    let weights: Vec<f64> =
        cells.iter().map(|step| rates.guess(&graph.stages[step.stage].work.estimate(step.item))).collect();
    cells.iter().map(|step| share(graph, step.stage, step.item)).zip(deal(&weights, count)).collect()
}
