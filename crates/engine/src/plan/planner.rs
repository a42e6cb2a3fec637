//! The planner: a pure function of the graph, what was asked for, and a snapshot of the store.

use crate::plan::estimate::Rates;
use crate::plan::key::{KeyHash, unavailable_marker, whole};
use crate::plan::reason::Reason;
use crate::plan::select::Selection;
use crate::plan::snapshot::{RecordState, Snapshot, record_name};
use crate::plan::work::{Digest, Graph, Item, Need, Stage, Storage, Unavailable};

/// How an item stands before anything runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Its product is there.
    Fresh,
    /// It would have to be made, for this reason.
    ToMake(Reason),
    /// It cannot be made here.
    Unavailable(Unavailable),
}

/// One item to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Index of its stage.
    pub stage: usize,
    /// Index within the stage.
    pub item: usize,
    /// Its key, should all its inputs that are still to be made succeed.
    pub key: Digest,
    /// Why it runs.
    pub reason: Reason,
    /// The stage that needs it, if it was not itself asked for.
    pub needed_by: Option<usize>,
}

/// What a run will do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The items to run, inputs first.
    pub steps: Vec<Step>,
    /// The key of every item of the graph, should everything still to be made succeed.
    pub keys: Vec<Vec<Digest>>,
    /// How every item stands.
    pub standings: Vec<Vec<Standing>>,
    /// What was asked for.
    pub selection: Selection,
}

/// Cells that are not there, as (stage, item), and why.
pub type Absent = Vec<(usize, usize, Reason)>;

impl Plan {
    /// How many items that were asked for are there already.
    pub fn fresh(&self) -> usize {
        self.asked().filter(|&(stage, item)| self.standings[stage][item] == Standing::Fresh).count()
    }

    /// The items that were asked for.
    pub fn asked(&self) -> impl Iterator<Item = (usize, usize)> {
        let stages = self.selection.stages.iter().enumerate().filter(|(_, asked)| **asked);
        let items = stages.flat_map(|(stage, _)| (0..self.keys[stage].len()).map(move |item| (stage, item)));
        items.filter(|&(stage, item)| self.selection.asks(stage, item))
    }

    /// The items that were asked for and cannot be had here.
    pub fn unavailable(&self) -> impl Iterator<Item = (usize, usize, &Unavailable)> {
        self.asked().filter_map(|(stage, item)| match &self.standings[stage][item] {
            Standing::Unavailable(unavailable) => Some((stage, item, unavailable)),
            _ => None,
        })
    }

    /// Takes the cells out, and what only they need; returns those that are not there, with the reason.
    pub fn without_cells(&mut self, graph: &Graph) -> Absent {
        let mut needed: Vec<Vec<bool>> = graph.stages.iter().map(|stage| vec![false; stage.items.len()]).collect();
        let mut absent = Vec::new();
        let mut kept = Vec::new();
        for step in std::mem::take(&mut self.steps).into_iter().rev() {
            let stage = &graph.stages[step.stage];
            if stage.work.is_cell() {
                absent.push((step.stage, step.item, step.reason));
                continue;
            }
            if !self.selection.asks(step.stage, step.item) && !needed[step.stage][step.item] {
                continue;
            }
            for input in stage.items[step.item].inputs.iter() {
                match input.item {
                    Some(item) => needed[input.stage][item] = true,
                    None => needed[input.stage].fill(true),
                }
            }
            kept.push(step);
        }
        kept.reverse();
        self.steps = kept;
        absent.reverse();
        absent
    }

    /// Core seconds that the steps will take, and how many steps nothing is known of.
    pub fn seconds(&self, graph: &Graph, rates: &Rates) -> (f64, usize) {
        self.steps.iter().fold((0.0, 0), |(sum, unknown), step| {
            match rates.seconds(&graph.stages[step.stage].work.estimate(step.item)) {
                Some(seconds) => (sum + seconds, unknown),
                None => (sum, unknown + 1),
            }
        })
    }
}

/// What is known of a whole stage, for items that read all of it.
struct Whole {
    /// Over all keys.
    required: Digest,
    /// Over keys, and markers for items that are unavailable.
    optional: Digest,
    unavailable: Option<Unavailable>,
}

/// Plans a run. `force` makes what was asked for again, fresh or not.
pub fn plan(graph: &Graph, selection: &Selection, force: bool, snapshot: &Snapshot) -> Plan {
    let mut forward = Forward { graph, snapshot, keys: Vec::new(), standings: Vec::new(), wholes: Vec::new() };
    for (index, stage) in graph.stages.iter().enumerate() {
        let mut keys = Vec::with_capacity(stage.items.len());
        let mut standings = Vec::with_capacity(stage.items.len());
        for (position, item) in stage.items.iter().enumerate() {
            // Asking for something by name, or forcing it, means trying again what could not be reached.
            let again = selection.asks(index, position) && (selection.named || force);
            let (key, blocked) = forward.key(stage, item);
            standings.push(forward.standing(stage, position, &key, blocked, again));
            keys.push(key);
        }
        forward.keys.push(keys);
        forward.standings.push(standings);
        forward.wholes.push(None);
    }
    let Forward { keys, standings, .. } = forward;
    let steps = steps(graph, selection, force, &keys, &standings);
    Plan { steps, keys, standings, selection: selection.clone() }
}

/// Goes over the stages in order, so that the inputs of an item are known when it is its turn.
struct Forward<'a> {
    graph: &'a Graph,
    snapshot: &'a Snapshot,
    keys: Vec<Vec<Digest>>,
    standings: Vec<Vec<Standing>>,
    wholes: Vec<Option<Whole>>,
}

impl Forward<'_> {
    /// The key of an item, and what it cannot be made without.
    fn key(&mut self, stage: &Stage, item: &Item) -> (Digest, Option<Unavailable>) {
        let mut hash = KeyHash::new(&stage.name, &item.fingerprint);
        let mut blocked = None;
        for input in item.inputs.iter() {
            let name = &self.graph.stages[input.stage].name;
            match input.item {
                Some(item) => match (&self.standings[input.stage][item], input.need) {
                    (Standing::Unavailable(_), Need::Optional) => {
                        hash.input(name, &unavailable_marker());
                    }
                    (standing, _) => {
                        if let Standing::Unavailable(unavailable) = standing {
                            blocked.get_or_insert_with(|| unavailable.clone());
                        }
                        hash.input(name, &self.keys[input.stage][item]);
                    }
                },
                None => {
                    let whole = self.whole(input.stage);
                    if input.need == Need::Optional {
                        hash.input(name, &whole.optional);
                    } else {
                        hash.input(name, &whole.required);
                        if let Some(unavailable) = &whole.unavailable {
                            blocked.get_or_insert_with(|| unavailable.clone());
                        }
                    }
                }
            }
        }
        (hash.finish(), blocked)
    }

    fn whole(&mut self, stage: usize) -> &Whole {
        let (keys, standings) = (&self.keys[stage], &self.standings[stage]);
        self.wholes[stage].get_or_insert_with(|| {
            let mut first = None;
            let mut marked = Vec::with_capacity(keys.len());
            for (key, standing) in keys.iter().zip(standings) {
                if let Standing::Unavailable(unavailable) = standing {
                    marked.push(unavailable_marker());
                    first.get_or_insert_with(|| unavailable.clone());
                } else {
                    marked.push(*key);
                }
            }
            Whole { required: whole(keys.iter()), optional: whole(marked.iter()), unavailable: first }
        })
    }

    fn standing(
        &self,
        stage: &Stage,
        item: usize,
        key: &Digest,
        blocked: Option<Unavailable>,
        again: bool,
    ) -> Standing {
        let Some(reason) = self.reason(stage, item, key) else { return Standing::Fresh };
        if let Some(unavailable) = blocked.or_else(|| stage.work.unavailable(item)) {
            return Standing::Unavailable(unavailable);
        }
        match self.snapshot.unavailable.get(key) {
            Some(unreached) if !again && unreached.circumstances == stage.work.circumstances(item) => {
                Standing::Unavailable(unreached.unavailable.clone())
            }
            _ => Standing::ToMake(reason),
        }
    }

    /// Why the item's product is not there; `None` if it is.
    fn reason(&self, stage: &Stage, item: usize, key: &Digest) -> Option<Reason> {
        let reason = match stage.storage {
            Storage::Object { .. } => {
                if let Some(file) = self.snapshot.damaged.get(key) {
                    return Some(Reason::Damaged(file.clone()));
                }
                if self.snapshot.objects.contains_key(key) {
                    return None;
                }
                Reason::Missing
            }
            Storage::Files => match self.snapshot.records.get(&record_name(stage, key)) {
                None => Reason::Missing,
                Some(record) if record.key == *key => match &record.state {
                    RecordState::Intact => return None,
                    RecordState::Missing(file) => Reason::Gone(file.clone()),
                    RecordState::Damaged(file) => Reason::Damaged(file.clone()),
                },
                Some(record) if record.fingerprint != stage.items[item].fingerprint => Reason::ParametersOrCodeChanged,
                Some(_) => Reason::InputChanged,
            },
        };
        Some(match self.snapshot.failures.get(key) {
            Some(error) => Reason::FailedBefore(error.clone()),
            None => reason,
        })
    }
}

/// Goes back from what was asked for to what that needs.
fn steps(
    graph: &Graph,
    selection: &Selection,
    force: bool,
    keys: &[Vec<Digest>],
    standings: &[Vec<Standing>],
) -> Vec<Step> {
    let mut needed: Vec<Vec<Option<usize>>> = graph.stages.iter().map(|stage| vec![None; stage.items.len()]).collect();
    let mut steps = Vec::new();
    for (index, stage) in graph.stages.iter().enumerate().rev() {
        for (position, item) in stage.items.iter().enumerate().rev() {
            let asked = selection.asks(index, position);
            let needed_by = needed[index][position];
            let reason = match &standings[index][position] {
                Standing::ToMake(reason) if asked || needed_by.is_some() => {
                    if force && asked && *reason == Reason::Missing { Reason::Forced } else { reason.clone() }
                }
                Standing::Fresh if asked && force => Reason::Forced,
                _ => continue,
            };
            for input in item.inputs.iter() {
                let items = match input.item {
                    Some(item) => item..item + 1,
                    None => 0..graph.stages[input.stage].items.len(),
                };
                for input_item in items {
                    if matches!(standings[input.stage][input_item], Standing::ToMake(_)) {
                        needed[input.stage][input_item].get_or_insert(index);
                    }
                }
            }
            let needed_by = if asked { None } else { needed_by };
            steps.push(Step { stage: index, item: position, key: keys[index][position], reason, needed_by });
        }
    }
    steps.reverse();
    steps
}
