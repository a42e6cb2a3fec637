//! `tune/...`: the parameters of an experiment's tuned learners, chosen on other orders of the rows; one item for each
//! curve and stream.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use noregret_core::protocol::cell::{Cell, CellError};
use noregret_core::protocol::design::Design;
use noregret_core::protocol::protocols;
use noregret_engine::code::CodeIdentity;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, ItemInput, ItemOutcome, Job, Product, Work};
use serde_json::json;

use crate::code;
use crate::config::experiment::Experiment;
use crate::stage::items::item;
use crate::stage::tables::Tables;
use crate::tune::compute::{self, JudgedCandidate, TuneError, TunedChoice};
use crate::tune::declare::{Choice, TuneCandidate};
use noregret_report::analysis::tuned::{TunedSetting, TuningChoice};

/// The items and the work of `tune/NAME`, for an experiment with tuned learners; `prepared[i]` is the prepared data of
/// stream i, where it has any.
pub(crate) fn stage(
    experiment: &Arc<Experiment>,
    prepared: &[Option<ItemInput>],
    tables: &Arc<Tables>,
) -> Option<(Vec<Item>, Arc<dyn Work>)> {
    let work = Tune { experiment: experiment.clone(), tables: tables.clone() };
    let inputs = |choice: &Choice| prepared[first(choice).stream].iter().copied().collect();
    let items: Vec<Item> =
        experiment.choices.iter().enumerate().map(|(index, choice)| item(&work, index, inputs(choice))).collect();
    (!items.is_empty()).then(|| (items, Arc::new(work) as Arc<dyn Work>))
}

/// Its first trial: all trials have the learner, the stream and the length of this one.
fn first(choice: &Choice) -> &Cell {
    &choice.candidates[0].trials[0]
}

/// The code behind a number of cells that differ in parameters alone: their protocol, and the members that they select.
pub(crate) fn behind<'a>(
    glue: &'static str,
    computation: &'static str,
    design: &Design,
    cells: impl Iterator<Item = &'a Cell>,
) -> Arc<CodeIdentity> {
    let mut members = Vec::new();
    let mut seen = BTreeSet::new();
    for cell in cells {
        let own = cell.modules(design).into_iter().chain([protocols::of(design, cell).module]);
        members.extend(own.filter(|module| seen.insert(*module)));
    }
    code::behind(glue, computation, &members)
}

/// What an experiment chooses among, without the scores.
pub(crate) fn tried(experiment: &Experiment) -> impl Iterator<Item = TuningChoice> {
    experiment.choices.iter().map(|choice| {
        let cell = first(choice);
        let setting =
            |one: &TuneCandidate| TunedSetting { words: one.setting.clone(), ends: one.ends.clone(), score: None };
        TuningChoice {
            experiment: experiment.design.name.clone(),
            stream: experiment.design.streams[cell.stream].name().to_owned(),
            label: choice.label.to_string(),
            rounds: cell.horizon,
            orders: choice.candidates[0].trials.len(),
            settings: choice.candidates.iter().map(setting).collect(),
            chosen: 0,
        }
    })
}

/// The choices among the inputs, with their scores, and the names of those that were not made.
pub(crate) fn choices(
    experiments: &BTreeMap<String, Arc<Experiment>>,
    job: &dyn Job,
) -> Result<(Vec<TuningChoice>, Vec<String>), Failure> {
    let (mut choices, mut absent) = (Vec::new(), Vec::new());
    for (index, input) in job.inputs().iter().enumerate() {
        let name = input.stage.strip_prefix("tune/");
        let Some(mut choice) = name.and_then(|name| tried(experiments.get(name)?).nth(input.item)) else { continue };
        let ItemOutcome::Done { .. } = input.outcome else {
            absent.push(format!("{} on {}", choice.label, choice.stream));
            continue;
        };
        let found = compute::read(&job.object(index)?, choice.settings.len());
        let found = found.map_err(|error| Failure::about(&input.stage, error))?;
        choice.chosen = found.candidate;
        for (setting, score) in choice.settings.iter_mut().zip(found.scores) {
            setting.score = score;
        }
        choices.push(choice);
    }
    Ok((choices, absent))
}

struct Tune {
    experiment: Arc<Experiment>,
    tables: Arc<Tables>,
}

impl Tune {
    fn trials(&self, item: usize) -> impl Iterator<Item = &Cell> {
        self.experiment.choices[item].candidates.iter().flat_map(|candidate| &candidate.trials)
    }
}

impl Work for Tune {
    fn label(&self, item: usize) -> String {
        let choice = &self.experiment.choices[item];
        let stream = self.experiment.trials.streams[first(choice).stream].name();
        format!("{} on {stream}, {} settings", choice.label, choice.candidates.len())
    }

    fn facts(&self, item: usize) -> Facts {
        let design = &self.experiment.trials;
        let canonical =
            |cell: &Cell| -> serde_json::Value { serde_json::from_str(&cell.canonical(design)).unwrap_or_default() };
        let candidates = self.experiment.choices[item].candidates.iter().map(|candidate| {
            let trials: Vec<_> = candidate.trials.iter().map(canonical).collect();
            json!({ "ends": candidate.ends, "setting": candidate.setting, "trials": trials })
        });
        let code = behind(module_path!(), compute::MODULE, design, self.trials(item));
        Facts { parameters: json!({ "candidates": candidates.collect::<Vec<_>>() }), code }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let costs = self.trials(item).map(|cell| cell.cost(&self.experiment.trials, &cell.params));
        let group = first(&self.experiment.choices[item]).learner.name.to_owned();
        costs.fold(Estimate { cost: 0.0, bytes: 0.0, group }, |all, one| Estimate {
            cost: all.cost + one.flops,
            bytes: all.bytes.max(one.bytes),
            ..all
        })
    }

    fn is_cell(&self) -> bool {
        true
    }

    /// The loss of the setting that was chosen.
    fn value(&self, object: &[u8]) -> Option<f64> {
        let chosen: TunedChoice = serde_json::from_slice(object).ok()?;
        Some(chosen.scores.get(chosen.candidate)?.as_ref()?.average_loss)
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let (design, choice) = (&self.experiment.trials, &self.experiment.choices[item]);
        let cell = first(choice);
        let table = self.tables.of(&design.streams[cell.stream], job)?;
        let candidates = choice.candidates.iter().map(|candidate| JudgedCandidate {
            setting: &candidate.setting,
            ends: &candidate.ends,
            trials: &candidate.trials,
        });
        let candidates: Vec<JudgedCandidate> = candidates.collect();
        let protocol = protocols::of(design, cell);
        match compute::choose(design, &candidates, protocol, table.as_ref(), &|| job.interrupted()) {
            Ok(bytes) => Ok(Product::Object { bytes, measurements: None }),
            Err(TuneError::Cell(CellError::Interrupted)) => Err(Failure::Interrupted),
            Err(error) => Err(Failure::failed(error)),
        }
    }
}
