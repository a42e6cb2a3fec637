//! `run/...`: the cells of an experiment.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noregret_core::protocol::cell::{Cell, CellError};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::protocols;
use noregret_core::protocol::supervisor::Supervisor;
use noregret_core::stream::spec::Origin;
use noregret_engine::code::CodeIdentity;
use noregret_engine::plan::key::hex;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, ItemInput, Job, Need, Product, Work};
use noregret_numeric::state::Array;
use serde_json::json;

use crate::config::experiment::Experiment;
use crate::run::compute::{self, PlayError};
use crate::stage::items::{fingerprint, input_keys};
use crate::stage::tables::Tables;
use crate::tune::compute::{self as tuning, TunedChoice};
use crate::tune::stage as tune;
use noregret_model::arrays::{pack, unpack};
use noregret_report::trace::cell::{ChosenParameters, TableProvenance, read_cell};

/// A glob over `run/EXPERIMENT:LABEL:REPLICATE`; cells that match fail on purpose. For testing how a grid, its
/// figures and its report deal with failures.
const FAULT_VARIABLE: &str = "NOREGRET_FAIL_CELLS";

/// How often a long cell is kept, in whole seconds, in place of [`KEEP_EVERY`].
const KEEP_VARIABLE: &str = "NOREGRET_KEEP_EVERY";

/// How often a long cell is kept. Most cells take less; one that is killed loses no more.
const KEEP_EVERY: Duration = Duration::from_secs(60);

/// The items and the work of `run/NAME`; `prepared[i]` is the prepared data of stream i, where it has any, and `tuned`
/// the stage that chooses parameters, where some are to be chosen.
pub(crate) fn stage(
    experiment: &Arc<Experiment>,
    prepared: &[Option<ItemInput>],
    tuned: Option<usize>,
    tables: &Arc<Tables>,
) -> (Vec<Item>, Arc<dyn Work>) {
    let inputs: Vec<Arc<[ItemInput]>> = prepared.iter().map(|input| input.iter().copied().collect()).collect();
    let design = &experiment.design;
    let streams: Vec<String> = design.streams.iter().map(|stream| stream.canonical().to_string()).collect();
    let run = PlayCells { experiment: experiment.clone(), tables: tables.clone() };
    // Neighbouring cells differ in horizon and replicate alone: what they share is described and hashed once.
    let mut shared: Option<(&Cell, CodeIdentity)> = None;
    let mut items = Vec::with_capacity(experiment.cells.len());
    for (index, cell) in experiment.cells.iter().enumerate() {
        let known = shared.as_ref().is_some_and(|(last, ..)| {
            std::ptr::eq(last.learner, cell.learner)
                && Arc::ptr_eq(&last.params, &cell.params)
                && last.stream == cell.stream
                && last.feed == cell.feed
        });
        if !known {
            let alike = Cell { horizon: 0, replicate: 0, ..cell.clone() };
            let text = alike.canonical_with(design, &cell.params.canonical().to_string(), &streams[cell.stream]);
            let digest = hex(fingerprint(&text, &behind(experiment, index)));
            shared = Some((cell, CodeIdentity { digest, ..CodeIdentity::default() }));
        }
        if let Some((_, all)) = &shared {
            let own = format!("horizon {} replicate {}", cell.horizon, cell.replicate);
            let choice = experiment.open.get(&index).zip(tuned);
            let choice = choice.map(|(open, stage)| ItemInput { stage, item: Some(open.choice), need: Need::Required });
            let inputs = match choice {
                None => inputs[cell.stream].clone(),
                // The choice is the last input.
                Some(choice) => inputs[cell.stream].iter().copied().chain([choice]).collect(),
            };
            items.push(Item { fingerprint: fingerprint(&own, all), inputs });
        }
    }
    (items, Arc::new(run))
}

/// The code behind a cell, whichever parameters are chosen.
fn behind(experiment: &Experiment, index: usize) -> Arc<CodeIdentity> {
    let candidates = experiment.open.get(&index).map_or(1, |open| open.candidates.len());
    let cells: Vec<Cell> = (0..candidates).map(|candidate| experiment.settled(index, candidate)).collect();
    tune::behind(module_path!(), compute::MODULE, &experiment.design, cells.iter())
}

struct PlayCells {
    experiment: Arc<Experiment>,
    tables: Arc<Tables>,
}

impl Work for PlayCells {
    fn label(&self, item: usize) -> String {
        let cell = &self.experiment.cells[item];
        format!(
            "{} on {}, n = {}, replicate {}",
            cell.label,
            self.experiment.design.streams[cell.stream].name(),
            cell.horizon,
            cell.replicate
        )
    }

    fn facts(&self, item: usize) -> Facts {
        let cell = &self.experiment.cells[item];
        let design = &self.experiment.design;
        let parameters = serde_json::from_str(&cell.canonical(design)).unwrap_or_default();
        Facts { parameters, code: behind(&self.experiment, item) }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let cell = &self.experiment.cells[item];
        let stream = &self.experiment.design.streams[cell.stream];
        let forecast = |params| cell.cost(&self.experiment.design, params);
        // The costliest candidate may be chosen.
        let costs: Vec<_> = match self.experiment.open.get(&item) {
            None => vec![forecast(&cell.params)],
            Some(open) => open.candidates.iter().map(|(params, _)| forecast(params)).collect(),
        };
        let flops = costs.iter().map(|cost| cost.flops).fold(0.0, f64::max);
        let bytes = costs.iter().map(|cost| cost.bytes).fold(0.0, f64::max);
        let data = match &stream.origin {
            Origin::Dataset { bytes, .. } => *bytes,
            Origin::Law(_) | Origin::Adversary { .. } => 0.0,
        };
        // A dense trace has a row for each round, which is held until the cell ends.
        let trace = if self.experiment.design.dense { 256.0 * cell.horizon as f64 } else { 0.0 };
        Estimate { cost: flops, bytes: bytes + data + trace, group: cell.learner.name.to_owned() }
    }

    fn is_cell(&self) -> bool {
        true
    }

    fn value(&self, object: &[u8]) -> Option<f64> {
        Some(read_cell(object).ok()?.rows.last()?.cumulative_loss)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let design = &self.experiment.design;
        let tuned = match self.experiment.open.get(&item) {
            None => None,
            Some(open) => Some(chosen(job, open.candidates.len())?),
        };
        let cell = &self.experiment.settled(item, tuned.as_ref().map_or(0, |chosen| chosen.candidate));
        fail_on_purpose(&format!("run/{}:{}:{}", design.name, cell.label, cell.replicate))?;
        let table = self.tables.of(&design.streams[cell.stream], job)?;
        let config: serde_json::Value = serde_json::from_str(&cell.canonical(design)).unwrap_or_default();
        let provenance = TableProvenance {
            key: job.key().to_owned(),
            config: config.to_string(),
            inputs: input_keys(job),
            code: json!(behind(&self.experiment, item).without_packages()),
            tuned: tuned.map(|chosen| ChosenParameters { candidate: chosen.candidate, words: chosen.words }),
        };
        let keeper = Keeper::new(job, self.label(item))?;
        match compute::play(design, cell, protocols::of(design, cell), table, provenance, &keeper) {
            Ok(played) => {
                if let Some((round, cause)) = played.breakdown {
                    job.say(&format!("{}: diverged in round {round}: {cause}", self.label(item)));
                }
                Ok(Product::Object { bytes: played.bytes, measurements: Some(json!({ "times": played.times })) })
            }
            Err(PlayError::Cell(CellError::Interrupted)) => Err(Failure::Interrupted),
            Err(error) => Err(Failure::failed(error)),
        }
    }
}

/// Keeps what a long cell has come to, now and then.
struct Keeper<'a> {
    job: &'a dyn Job,
    label: String,
    every: Duration,
    last: std::cell::Cell<Instant>,
}

impl<'a> Keeper<'a> {
    fn new(job: &'a dyn Job, label: String) -> Result<Self, Failure> {
        let every = match std::env::var(KEEP_VARIABLE) {
            Err(_) => KEEP_EVERY,
            Ok(text) => {
                let seconds = text.parse::<u64>().map_err(|error| Failure::about(KEEP_VARIABLE, error))?;
                Duration::from_secs(seconds)
            }
        };
        Ok(Self { job, label, every, last: std::cell::Cell::new(Instant::now()) })
    }
}

impl Supervisor for Keeper<'_> {
    fn interrupted(&self) -> bool {
        self.job.interrupted()
    }

    fn kept(&self) -> Option<BTreeMap<String, Array>> {
        let state = unpack(&self.job.kept()?).ok()?;
        self.job.say(&format!("{}: goes on where an earlier run was stopped", self.label));
        Some(state)
    }

    fn due(&self) -> bool {
        let due = self.last.get().elapsed() >= self.every;
        if due {
            self.last.set(Instant::now());
        }
        due
    }

    fn keep(&self, state: BTreeMap<String, Array>) {
        // A cell that cannot be kept is still played.
        let kept = pack(&state).map_err(Failure::failed).and_then(|bytes| self.job.keep(&bytes));
        if let Err(error) = kept {
            self.job.say(&format!("{}: what it has come to is not kept: {error}", self.label));
        }
    }
}

/// The choice that a cell waits for: its last input, among so many settings.
fn chosen(job: &dyn Job, settings: usize) -> Result<TunedChoice, Failure> {
    let last = job.inputs().len().checked_sub(1).ok_or_else(|| Failure::failed("its parameters were not chosen"))?;
    tuning::read(&job.object(last)?, settings).map_err(|error| Failure::about("a choice of parameters", error))
}

/// A name for a cell that has no result and hence no key: 64 hexadecimal digits from its configuration.
pub(crate) fn name_of(design: &Design, cell: &Cell) -> String {
    hex(fingerprint(&cell.canonical(design), &CodeIdentity::default()))
}

fn fail_on_purpose(name: &str) -> Result<(), Failure> {
    let Ok(pattern) = std::env::var(FAULT_VARIABLE) else { return Ok(()) };
    match globset::Glob::new(&pattern) {
        Ok(glob) if glob.compile_matcher().is_match(name) => {
            Err(Failure::failed(format!("made to fail on purpose: {FAULT_VARIABLE} = {pattern}")))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::about(FAULT_VARIABLE, error)),
    }
}
