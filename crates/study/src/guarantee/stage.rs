//! `guarantee/...`: the runs of an experiment held against what theorems promise of every run. An item is a stream, a horizon
//! and a replicate: the rounds that its runs share.

use std::collections::BTreeMap;
use std::sync::Arc;

use noregret_core::protocol::cell::Cell;
use noregret_core::stream::spec::Origin;
use noregret_engine::plan::work::{Estimate, Facts, Failure, Item, ItemInput, ItemOutcome, Job, Need, Product, Work};
use noregret_papers::guarantee::Guarantee;
use noregret_papers::guarantees::GUARANTEES;
use noregret_report::analysis::guarantee::{CheckOutcome, CheckedRun, GuaranteeChecks, GuaranteeWords};
use noregret_report::trace::cell::read_cell;
use serde_json::json;

use crate::code;
use crate::config::declared::Declared;
use crate::config::experiment::Experiment;
use crate::guarantee::compute;
use crate::stage::items::item;
use crate::stage::tables::Tables;

/// What is stated of a learner.
fn stated(cell: &Cell) -> impl Iterator<Item = &'static Guarantee> {
    let name = cell.learner.name;
    GUARANTEES.iter().copied().filter(move |guarantee| guarantee.learners.contains(&name))
}

/// The items and the work of `guarantee/NAME`, where something is stated of a learner of the experiment; `cells` is the stage of
/// its runs.
pub(crate) fn stage(
    experiment: &Arc<Experiment>,
    cells: usize,
    prepared: &[Option<ItemInput>],
    tables: &Arc<Tables>,
) -> Option<(Vec<Item>, Arc<dyn Work>)> {
    let mut groups: BTreeMap<(usize, u64, u32), Vec<usize>> = BTreeMap::new();
    for (index, cell) in experiment.cells.iter().enumerate().filter(|(_, cell)| stated(cell).next().is_some()) {
        groups.entry((cell.stream, cell.horizon, cell.replicate)).or_default().push(index);
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    let work = HoldAgainst { experiment: experiment.clone(), groups, tables: tables.clone() };
    let inputs = |group: &Vec<usize>| {
        let stream = experiment.cells[group[0]].stream;
        let runs = group.iter().map(|&cell| ItemInput { stage: cells, item: Some(cell), need: Need::Optional });
        prepared[stream].iter().copied().chain(runs).collect()
    };
    let items: Vec<Item> =
        work.groups.iter().enumerate().map(|(index, group)| item(&work, index, inputs(group))).collect();
    (!items.is_empty()).then(|| (items, Arc::new(work) as Arc<dyn Work>))
}

struct HoldAgainst {
    experiment: Arc<Experiment>,
    /// The runs of each item.
    groups: Vec<Vec<usize>>,
    tables: Arc<Tables>,
}

impl HoldAgainst {
    fn cells(&self, item: usize) -> impl Iterator<Item = &Cell> {
        self.groups[item].iter().map(|&index| &self.experiment.cells[index])
    }

    /// The first run of an item.
    fn first(&self, item: usize) -> &Cell {
        &self.experiment.cells[self.groups[item][0]]
    }
}

impl Work for HoldAgainst {
    fn label(&self, item: usize) -> String {
        let Cell { stream, horizon, replicate, .. } = self.first(item);
        format!("{}, n = {horizon}, replicate {replicate}", self.experiment.design.streams[*stream].name())
    }

    /// The keys of the runs hold their parameters and streams.
    fn facts(&self, item: usize) -> Facts {
        let design = &self.experiment.design;
        let stream = &design.streams[self.first(item).stream];
        let held = |cell: &Cell| (cell.label.to_string(), stated(cell).map(|one| one.name).collect::<Vec<_>>());
        let parameters = json!({
            "experiment": design.name,
            "stream": stream.name(),
            "runs": self.cells(item).map(held).collect::<Vec<_>>(),
        });
        let mut members: Vec<&'static str> = self.cells(item).flat_map(stated).map(|one| one.module).collect();
        members.extend(self.cells(item).flat_map(|cell| cell.params.modules()));
        members.extend(design.loss.part.modules());
        members.extend(stream.modules());
        members.sort_unstable();
        members.dedup();
        Facts { parameters, code: code::behind(module_path!(), compute::MODULE, &members) }
    }

    fn estimate(&self, item: usize) -> Estimate {
        let cell = self.first(item);
        let (n, dim) = (cell.horizon as f64, self.experiment.design.streams[cell.stream].dim() as f64);
        let each = n.min(512.0).powi(3) / 3.0;
        let cost = 1e6 + self.groups[item].len() as f64 * each;
        Estimate { cost, bytes: 8.0 * (n * dim).min(4e6) + 1e8, group: "guarantee".into() }
    }

    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure> {
        let design = &self.experiment.design;
        let first = self.first(item);
        let real = matches!(design.streams[first.stream].origin, Origin::Dataset { .. });
        let rounds = match self.cells(item).flat_map(stated).any(|one| one.rounds) {
            true => compute::rounds(design, first, self.tables.of(&design.streams[first.stream], job)?),
            false => None,
        };
        let mut checks = Vec::new();
        let runs = job.inputs().len() - self.groups[item].len();
        for (place, &index) in self.groups[item].iter().enumerate() {
            let cell = &self.experiment.cells[index];
            if job.interrupted() {
                return Err(Failure::Interrupted);
            }
            let stored = match &job.inputs()[runs + place].outcome {
                ItemOutcome::Done { .. } => {
                    let stored = read_cell(&job.object(runs + place)?);
                    Some(stored.map_err(|error| Failure::about("the trace of a run", error))?)
                }
                _ => None,
            };
            let chosen = stored.as_ref().and_then(|stored| stored.tuned.as_ref()).map_or(0, |tuned| tuned.candidate);
            let settled = self.experiment.settled(index, chosen);
            for guarantee in stated(cell) {
                let outcome = match &stored {
                    Some(stored) => compute::check(design, &settled, stored, rounds.as_ref(), guarantee),
                    None => CheckOutcome::Silent("it has no result".into()),
                };
                checks.push(compute::placed(design, cell, real, guarantee, outcome));
            }
        }
        checks.iter().filter_map(CheckedRun::violation).for_each(|line| job.say(&line));
        let bytes = serde_json::to_vec(&checks).map_err(Failure::failed)?;
        Ok(Product::Object { bytes, measurements: None })
    }
}

/// The checks among the inputs, and the names of the stages that left some out.
pub(crate) fn checks(job: &dyn Job, declared: &Unchecked) -> Result<(GuaranteeChecks, Vec<String>), Failure> {
    let mut found =
        GuaranteeChecks { stated: words(), others: declared.others.clone(), runs: declared.runs, checks: Vec::new() };
    let mut absent: Vec<String> = Vec::new();
    for (index, input) in job.inputs().iter().enumerate().filter(|(_, input)| input.stage.starts_with("guarantee/")) {
        if let ItemOutcome::Done { .. } = input.outcome {
            let checks: Result<Vec<CheckedRun>, _> = serde_json::from_slice(&job.object(index)?);
            found.checks.extend(checks.map_err(|error| Failure::about(&input.stage, error))?);
        } else if absent.last() != Some(&input.stage) {
            absent.push(input.stage.clone());
        }
    }
    Ok((found, absent))
}

/// All statements in words.
pub(crate) fn words() -> Vec<GuaranteeWords> {
    let of = |one: &&Guarantee| GuaranteeWords {
        name: one.name.into(),
        source: one.source.into(),
        says: one.says.into(),
        learners: one.learners.join(", "),
    };
    GUARANTEES.iter().map(of).collect()
}

/// The numbers of all runs, and of those that no statement speaks of, by learner.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Unchecked {
    runs: u64,
    others: BTreeMap<String, u64>,
}

impl Unchecked {
    /// Of everything that is declared.
    pub(crate) fn new(declared: &Declared) -> Self {
        let mut found = Self::default();
        for cell in declared.experiments.values().flat_map(|experiment| &experiment.cells) {
            found.runs += 1;
            if stated(cell).next().is_none() {
                *found.others.entry(cell.learner.name.to_owned()).or_default() += 1;
            }
        }
        found
    }
}
