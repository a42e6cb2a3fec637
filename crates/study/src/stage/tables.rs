//! Prepared tables in memory: read once, shared by the cells that play them, freed after the last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use noregret_core::stream::spec::{Origin, StreamSpec};
use noregret_core::stream::table::Examples;
use noregret_data::stored::from_parquet;
use noregret_engine::plan::work::{Failure, ItemOutcome, Job};
use noregret_model::running::is_quantity;

/// The tables that some running cell holds, by key.
#[derive(Default)]
pub(crate) struct Tables {
    held: Mutex<HashMap<String, Arc<Mutex<Weak<Examples>>>>>,
}

impl Tables {
    /// The table of a stream, stored as the job's first input; none where a law makes the rounds. While one cell reads it,
    /// others that want it wait.
    pub(crate) fn of(&self, stream: &StreamSpec, job: &dyn Job) -> Result<Option<Arc<Examples>>, Failure> {
        match &stream.origin {
            Origin::Dataset { .. } => self.first(job).map(Some),
            Origin::Law(_) | Origin::Adversary { .. } => Ok(None),
        }
    }

    fn first(&self, job: &dyn Job) -> Result<Arc<Examples>, Failure> {
        let Some(ItemOutcome::Done { key, .. }) = job.inputs().first().map(|input| &input.outcome) else {
            return Err(Failure::failed("its prepared data were not made"));
        };
        let slot = self.held.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default().clone();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = slot.upgrade() {
            return Ok(table);
        }
        let bytes = job.object(0)?;
        let table = from_parquet(&bytes).map_err(|error| Failure::about("prepared data", error))?;
        let quantities = table.input_names.iter().map(|name| is_quantity(name)).collect();
        let examples = Examples::new(table.inputs, table.targets)
            .ok_or_else(|| Failure::failed("prepared data: inputs and targets differ in number"))?;
        let table = Arc::new(examples.with_quantities(quantities));
        *slot = Arc::downgrade(&table);
        Ok(table)
    }
}
