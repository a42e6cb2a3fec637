//! `run/...`: the cells of an experiment.

use std::sync::Arc;

use serde_json::json;

use super::fingerprint;
use super::tables::Tables;
use crate::code::{self, Identity};
use crate::config::cell::{CellSpec, Feed};
use crate::config::experiment::Experiment;
use crate::config::stream::{Corruption, Order, Origin};
use crate::draw::Draws;
use crate::learner::api::{AnyLearner, Hypothesis, Learner, OracleLearner};
use crate::plan::work::{Estimate, Facts, Failure, Input, Item, Job, Product, Work};
use crate::protocol::adapter::FromCopies;
use crate::protocol::grid::Grid;
use crate::protocol::noisy::Channel;
use crate::protocol::record::{Record, Status};
use crate::protocol::run::{Interrupted, Options};
use crate::protocol::score::final_measures;
use crate::protocol::{adversary, full, noisy};
use crate::stream::api::Source;
use crate::stream::corruption::corrupted::Corrupted;
use crate::stream::table::TableSource;
use crate::trace::cell::{Provenance, read_cell, write_cell};

/// A glob over `run/EXPERIMENT:LABEL:REPLICATE`; cells that match fail on purpose. For testing how a grid, its
/// figures and its report deal with failures.
pub const FAULT_VARIABLE: &str = "NOREGRET_FAIL_CELLS";

/// The items and the work of `run/NAME`; `prepared[i]` is the prepared data of stream i, where it has any.
pub fn stage(
    experiment: &Arc<Experiment>,
    prepared: &[Option<Input>],
    tables: &Arc<Tables>,
) -> (Vec<Item>, Arc<dyn Work>) {
    let inputs: Vec<Arc<[Input]>> = prepared.iter().map(|input| input.iter().copied().collect()).collect();
    let run = Run {
        experiment: experiment.clone(),
        tables: tables.clone(),
        streams: experiment.streams.iter().map(|stream| stream.canonical().to_string()).collect(),
    };
    // Neighbouring cells share learner and parameters: their text and code identity are made once.
    let mut shared: Option<(&CellSpec, String, Identity)> = None;
    let mut items = Vec::with_capacity(experiment.cells.len());
    for cell in &experiment.cells {
        let known = shared.as_ref().is_some_and(|(last, ..)| {
            std::ptr::eq(last.learner, cell.learner)
                && Arc::ptr_eq(&last.params, &cell.params)
                && last.stream == cell.stream
        });
        if !known {
            shared = Some((cell, cell.params.canonical().to_string(), run.code(cell)));
        }
        if let Some((_, params, code)) = &shared {
            items.push(Item {
                fingerprint: fingerprint(&describe(experiment, cell, params, &run.streams[cell.stream]), code),
                inputs: inputs[cell.stream].clone(),
            });
        }
    }
    (items, Arc::new(run))
}

struct Run {
    experiment: Arc<Experiment>,
    tables: Arc<Tables>,
    streams: Vec<String>,
}

impl Run {
    /// The code behind a cell: learner, nested parts, stream, protocol and trace, and this file.
    fn code(&self, cell: &CellSpec) -> Identity {
        let stream = &self.experiment.streams[cell.stream];
        let mut files = vec![cell.learner.file, "src/protocol/score.rs", "src/trace/cell.rs"];
        files.extend(cell.params.files());
        files.extend(self.experiment.measure.files());
        match &stream.noise {
            Some(noise) if cell.feed != Feed::Clean => {
                files.extend(["src/protocol/noisy.rs", "src/protocol/adapter.rs"]);
                files.extend(&noise.files);
            }
            _ => files.push("src/protocol/full.rs"),
        }
        match &stream.origin {
            Origin::Dataset { .. } => files.push("src/stream/table.rs"),
            Origin::Law { entry, params, .. } => {
                files.push(entry.file);
                files.extend(params.files());
            }
            Origin::Adversary { entry, params, .. } => {
                files.extend(["src/protocol/adversary.rs", entry.file]);
                files.extend(params.files());
            }
        }
        files.extend(stream.corruption.iter().flat_map(Corruption::files));
        code::closure(&files).union(&code::shallow(&[file!()]))
    }
}

/// The rounds of a stream on one replicate.
pub(super) fn source(
    experiment: &Experiment,
    stream: usize,
    replicate: u32,
    tables: &Tables,
    job: &dyn Job,
) -> Result<Arc<dyn Source>, Failure> {
    let spec = &experiment.streams[stream];
    let source: Arc<dyn Source> = match &spec.origin {
        Origin::Law { source, .. } => source.clone(),
        Origin::Adversary { entry, .. } => {
            return Err(Failure::Failed(format!("{} has no rounds before it meets a learner", entry.name)));
        }
        Origin::Dataset { order, .. } => {
            let table = tables.get(job, 0)?;
            Arc::new(match order {
                Order::File => TableSource::in_file_order(table),
                Order::Shuffle => {
                    TableSource::shuffled(table, &spec.draws(experiment.seed, &experiment.name, replicate))
                }
            })
        }
    };
    Ok(match &spec.corruption {
        None => source,
        Some(corruption) => Arc::new(Corrupted::new(source, corruption.law.clone())),
    })
}

impl Work for Run {
    fn label(&self, item: usize) -> String {
        let cell = &self.experiment.cells[item];
        format!(
            "{} on {}, n = {}, replicate {}",
            cell.label,
            self.experiment.streams[cell.stream].name(),
            cell.horizon,
            cell.replicate
        )
    }

    fn facts(&self, item: usize) -> Facts {
        let cell = &self.experiment.cells[item];
        let text = parameters(&self.experiment, item);
        Facts { parameters: serde_json::from_str(&text).unwrap_or_default(), code: self.code(cell) }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let cell = &self.experiment.cells[item];
        let stream = &self.experiment.streams[cell.stream];
        let cost = (cell.learner.cost)(&cell.params, cell.horizon, stream.dim());
        let data = match &stream.origin {
            Origin::Dataset { rows, dim, .. } => (*rows * (*dim as u64 + 2) * 8) as f64,
            Origin::Law { .. } | Origin::Adversary { .. } => 0.0,
        };
        Estimate { cost: cost.flops, bytes: cost.bytes + data, group: cell.learner.name.to_owned() }
    }

    fn is_cell(&self) -> bool {
        true
    }

    fn value(&self, object: &[u8]) -> Option<f64> {
        Some(read_cell(object).ok()?.rows.last()?.cumulative_loss)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let experiment = &*self.experiment;
        let cell = &experiment.cells[item];
        fail_on_purpose(&format!("run/{}:{}:{}", experiment.name, cell.label, cell.replicate))?;
        let stream = &experiment.streams[cell.stream];
        let learner = cell
            .build(stream, experiment.seed, &experiment.name)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        let options = Options {
            grid: if experiment.dense { Grid::Dense } else { Grid::default() },
            classification: stream.is_classification(),
            loss: experiment.measure.loss.clone(),
            ..Options::new(cell.horizon)
        };
        let stream_draws = stream.draws(experiment.seed, &experiment.name, cell.replicate);
        let learner_draws = cell.draws(experiment.seed, &experiment.name);
        if let Origin::Adversary { entry, params, .. } = &stream.origin {
            let mut adversary = (entry.build)(params).map_err(|error| Failure::Failed(error.to_string()))?;
            let AnyLearner::Full(mut learner) = learner else {
                return Err(Failure::Failed(format!("{} plays the noisy protocol only", cell.learner.name)));
            };
            let interrupted = || job.interrupted();
            let duel =
                adversary::play(&mut *learner, &mut *adversary, &stream_draws, &learner_draws, &options, &interrupted);
            let mut record = duel.map_err(|_| Failure::Interrupted)?.record;
            if record.status == Status::Done {
                record.measures =
                    learner.measures().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            }
            return self.product(item, &record, job);
        }
        let source = source(experiment, cell.stream, cell.replicate, &self.tables, job)?;
        let rounds = Rounds {
            source: &*source,
            stream_draws: &stream_draws,
            learner_draws: &learner_draws,
            options: &options,
            test_rows: experiment.test_rows,
            interrupted: &|| job.interrupted(),
        };
        let channel = stream.noise.as_ref().map(|noise| Channel {
            inputs: noise.inputs.clone(),
            targets: noise.targets.clone(),
            draws: stream.noise_draws(experiment.seed, &experiment.name, cell.replicate),
        });
        let record = match (learner, channel, cell.feed) {
            (AnyLearner::Full(learner), None, _) | (AnyLearner::Full(learner), Some(_), Feed::Clean) => {
                rounds.full(learner)
            }
            (AnyLearner::Full(learner), Some(channel), Feed::Copies(copies)) => {
                rounds.noisy(Box::new(FromCopies::new(learner, copies)), &channel)
            }
            (AnyLearner::Noisy(learner), Some(channel), _) => rounds.noisy(learner, &channel),
            (AnyLearner::Noisy(_), None, _) => {
                return Err(Failure::Failed(format!("{} plays the noisy protocol only", cell.learner.name)));
            }
        }
        .map_err(|_| Failure::Interrupted)?;
        self.product(item, &record, job)
    }
}

impl Run {
    /// The trace of a run, as it is stored.
    fn product(&self, item: usize, record: &Record, job: &dyn Job) -> Result<Product, Failure> {
        if let Status::Diverged { round, cause } = &record.status {
            job.say(&format!("{}: diverged in round {round}: {cause}", self.label(item)));
        }
        let facts = self.facts(item);
        let provenance = Provenance {
            key: job.key().to_owned(),
            config: facts.parameters.to_string(),
            inputs: super::input_keys(job),
            code: facts.code.without_packages(),
        };
        let bytes = write_cell(&record.trace(provenance)).map_err(|error| Failure::Failed(error.to_string()))?;
        Ok(Product::Object { bytes, measurements: Some(json!({ "times": record.times() })) })
    }
}

/// What all protocols play with.
struct Rounds<'a> {
    source: &'a dyn Source,
    stream_draws: &'a Draws,
    learner_draws: &'a Draws,
    options: &'a Options,
    test_rows: u64,
    interrupted: &'a dyn Fn() -> bool,
}

impl Rounds<'_> {
    fn full(&self, mut learner: Box<dyn Learner>) -> Result<Record, Interrupted> {
        let Self { source, stream_draws, learner_draws, options, interrupted, .. } = *self;
        let record = full::play(&mut *learner, source, stream_draws, learner_draws, options, interrupted)?;
        Ok(self.measured(record, &*learner))
    }

    fn noisy(&self, mut learner: Box<dyn OracleLearner>, channel: &Channel) -> Result<Record, Interrupted> {
        let Self { source, stream_draws, learner_draws, options, interrupted, .. } = *self;
        let record = noisy::play(&mut *learner, source, channel, stream_draws, learner_draws, options, interrupted)?;
        Ok(self.measured(record, &*learner))
    }

    fn measured(&self, mut record: Record, hypothesis: &dyn Hypothesis) -> Record {
        if record.status == Status::Done {
            let Self { source, stream_draws, learner_draws, test_rows, .. } = *self;
            record.measures = final_measures(hypothesis, source, stream_draws, learner_draws, record.rounds, test_rows);
        }
        record
    }
}

/// Canonical JSON of everything that distinguishes a cell but code and data; fields in alphabetical order.
fn describe(experiment: &Experiment, cell: &CellSpec, params: &str, stream: &str) -> String {
    format!(
        r#"{{"configured":{},"copies":{},"dense":{},"experiment":{},"horizon":{},"learner":{},"loss":{},"parameters":{params},"replicate":{},"seed":{},"stream":{stream},"test_rows":{}}}"#,
        json!(*cell.configured),
        cell.feed.copies(),
        experiment.dense,
        json!(experiment.name),
        cell.horizon,
        json!(cell.learner.name),
        experiment.measure.part.canonical(),
        cell.replicate,
        experiment.seed,
        experiment.test_rows,
    )
}

/// Canonical JSON of the configuration of cell `item`.
pub(super) fn parameters(experiment: &Experiment, item: usize) -> String {
    let cell = &experiment.cells[item];
    let stream = experiment.streams[cell.stream].canonical().to_string();
    describe(experiment, cell, &cell.params.canonical().to_string(), &stream)
}

/// A name for a cell that has no result and hence no key: 64 hexadecimal digits from its configuration.
pub(super) fn name_of(experiment: &Experiment, item: usize) -> String {
    let digest = fingerprint(&parameters(experiment, item), &Identity::default());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fail_on_purpose(name: &str) -> Result<(), Failure> {
    let Ok(pattern) = std::env::var(FAULT_VARIABLE) else { return Ok(()) };
    match globset::Glob::new(&pattern) {
        Ok(glob) if glob.compile_matcher().is_match(name) => {
            Err(Failure::Failed(format!("made to fail on purpose: {FAULT_VARIABLE} = {pattern}")))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::Failed(format!("{FAULT_VARIABLE}: {error}"))),
    }
}
