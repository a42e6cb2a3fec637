//! The planner: a pure function of the graph, what was asked for, and a snapshot of the store.

use crate::plan::dag::needed;
use crate::plan::estimate::CostRates;
use crate::plan::key::{KeyHash, hex, unavailable_marker, whole};
use crate::plan::reason::{BytesChanged, Reason};
use crate::plan::select::Selection;
use crate::plan::snapshot::{PublishedState, Snapshot, record_name};
use crate::plan::sources::{ContentDigest, Current, Sources, short, together};
use crate::plan::work::{Digest, Graph, Item, ItemInput, Need, Stage, Storage, Unavailable};

/// How an item stands before anything runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemStanding {
    /// Its product is there and holds.
    Fresh,
    /// It would have to be made, for this reason.
    ToMake(Reason),
    /// It cannot be made here.
    Unavailable(Box<Unavailable>),
}

/// One item to run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStep {
    /// Index of its stage.
    pub stage: usize,
    /// Index within the stage.
    pub item: usize,
    /// Why it runs.
    pub reason: Reason,
    /// The stage that needs it, if it was not itself asked for.
    pub needed_by: Option<u32>,
}

/// What a run will do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The items to run, inputs first.
    pub steps: Vec<PlannedStep>,
    /// The key of every item of the graph, provided that everything that still has to be made succeeds.
    pub keys: Vec<Vec<Digest>>,
    /// How every item stands.
    pub standings: Vec<Vec<ItemStanding>>,
    /// The content that was stored or published under the key of every item; `None` if nothing was.
    pub contents: Vec<Vec<Option<ContentDigest>>>,
    /// Whether some item counts as fresh although one of its inputs is not there, so that the bytes of its inputs
    /// cannot be compared.
    pub(crate) assumes: bool,
    /// What was asked for.
    pub selection: Selection,
}

/// Cells that are not there, as (stage, item), and why.
pub(crate) type Absent = Vec<(usize, usize, Reason)>;

impl Plan {
    /// How many of the items that were asked for are fresh.
    pub fn fresh(&self) -> usize {
        self.asked().filter(|&(stage, item)| self.standings[stage][item] == ItemStanding::Fresh).count()
    }

    /// The items that were asked for.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (usize, usize)> {
        let stages = self.selection.stages.iter().enumerate().filter(|(_, asked)| **asked);
        let items = stages.flat_map(|(stage, _)| (0..self.keys[stage].len()).map(move |item| (stage, item)));
        items.filter(|&(stage, item)| self.selection.asks(stage, item))
    }

    /// The items that were asked for and are unavailable here.
    pub fn unavailable(&self) -> impl Iterator<Item = (usize, usize, &Unavailable)> {
        self.asked().filter_map(|(stage, item)| match &self.standings[stage][item] {
            ItemStanding::Unavailable(unavailable) => Some((stage, item, &**unavailable)),
            _ => None,
        })
    }

    /// Removes the cells from the steps, and what only they need. Returns the cells that are not there, each with the
    /// reason.
    pub(crate) fn without_cells(&mut self, graph: &Graph) -> Absent {
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

    /// Why an item is not there: the reason, with that of a required input which failed last time.
    pub(crate) fn reason(&self, graph: &Graph, (stage, item): (usize, usize), reason: &Reason) -> String {
        let inputs = graph.stages[stage].items[item].inputs.iter().filter(|input| input.need == Need::Required);
        let of = |input: &ItemInput| graph.items(input).map(|item| (input.stage, item)).collect::<Vec<_>>();
        let failed = inputs.flat_map(of).find_map(|(stage, item)| match &self.standings[stage][item] {
            ItemStanding::ToMake(failed @ Reason::FailedBefore(_)) => Some((&graph.stages[stage].name, failed)),
            _ => None,
        });
        match failed {
            Some((input, failed)) if *reason == Reason::Missing => format!("{reason}; its input {input} {failed}"),
            _ => reason.to_string(),
        }
    }

    /// Core seconds that the steps will take, and the number of steps about which nothing is known.
    pub fn seconds(&self, graph: &Graph, rates: &CostRates) -> (f64, usize) {
        self.steps.iter().fold((0.0, 0), |(sum, unknown), step| {
            match rates.seconds(&graph.stages[step.stage].work.estimate(step.item)) {
                Some(seconds) => (sum + seconds, unknown),
                None => (sum, unknown + 1),
            }
        })
    }
}

/// What is known about a whole stage, for items that read all of it.
struct Whole {
    /// Digest over all keys.
    required: Digest,
    /// Digest over keys, with markers for unavailable items.
    optional: Digest,
    unavailable: Option<Unavailable>,
    /// The same two over contents.
    required_bytes: Option<ContentDigest>,
    optional_bytes: Option<ContentDigest>,
    /// Whether an item of it may come out with other bytes.
    unsettled: bool,
}

/// Plans a run. With `force`, what was asked for is made again even if it is fresh.
pub fn plan(graph: &Graph, selection: &Selection, force: bool, snapshot: &Snapshot) -> Plan {
    let mut forward = PlanPass { graph, snapshot, stages: Vec::new(), wholes: Vec::new(), assumes: false };
    // Asking for something by name, or forcing it, means trying again what it needs and could not be reached.
    let again = if selection.named || force { needed(graph, selection) } else { vec![false; graph.stages.len()] };
    for (index, stage) in graph.stages.iter().enumerate() {
        let mut known = StageItems::default();
        for (position, item) in stage.items.iter().enumerate() {
            let asked = selection.asks(index, position);
            let (key, blocked) = forward.key(stage, item);
            let kept = forward.kept(stage, &key);
            let reason = forward.reason(stage, position, &key, kept.as_ref());
            // What is damaged or gone is expected to come out as it was.
            let sound = kept.as_ref().is_some_and(|kept| kept.trouble.is_none());
            known.contents.push(kept.map(|kept| kept.content));
            let standing = forward.standing(stage, position, &key, reason, blocked, again[index]);
            let again =
                matches!(standing, ItemStanding::ToMake(_)) || asked && force && standing == ItemStanding::Fresh;
            known.unsettled.push(sound && again);
            known.keys.push(key);
            known.standings.push(standing);
        }
        forward.stages.push(known);
        forward.wholes.push(None);
    }
    let assumes = forward.assumes;
    let (mut keys, mut standings, mut contents) = (Vec::new(), Vec::new(), Vec::new());
    for known in forward.stages {
        keys.push(known.keys);
        standings.push(known.standings);
        contents.push(known.contents);
    }
    let steps = steps(graph, selection, force, &standings);
    Plan { steps, keys, standings, contents, assumes, selection: selection.clone() }
}

/// What is known about the items of a stage, in order.
#[derive(Default)]
struct StageItems {
    keys: Vec<Digest>,
    standings: Vec<ItemStanding>,
    contents: Vec<Option<ContentDigest>>,
    /// Whether the product is there but will be made again when its turn comes.
    unsettled: Vec<bool>,
}

/// What was stored or published under the key of an item.
struct KeptRecord<'a> {
    content: ContentDigest,
    made_from: &'a Sources,
    /// What is wrong with it now, if anything is.
    trouble: Option<Reason>,
}

/// Goes through the stages in order, so that the inputs of an item are known when its turn comes.
struct PlanPass<'a> {
    graph: &'a Graph,
    snapshot: &'a Snapshot,
    stages: Vec<StageItems>,
    wholes: Vec<Option<Whole>>,
    assumes: bool,
}

impl<'a> PlanPass<'a> {
    /// The key of an item, and the first required input that is unavailable.
    fn key(&mut self, stage: &Stage, item: &Item) -> (Digest, Option<Unavailable>) {
        let mut hash = KeyHash::new(&stage.name, &item.fingerprint);
        let mut blocked = None;
        for input in item.inputs.iter() {
            let name = &self.graph.stages[input.stage].name;
            let (key, unavailable) = match input.item {
                Some(item) => {
                    let known = &self.stages[input.stage];
                    match (&known.standings[item], input.need) {
                        (ItemStanding::Unavailable(_), Need::Optional) => (unavailable_marker(), None),
                        (ItemStanding::Unavailable(unavailable), Need::Required) => {
                            (known.keys[item], Some(&**unavailable))
                        }
                        _ => (known.keys[item], None),
                    }
                }
                None => {
                    let whole = self.whole(input.stage);
                    match input.need {
                        Need::Optional => (whole.optional, None),
                        Need::Required => (whole.required, whole.unavailable.as_ref()),
                    }
                }
            };
            hash.input(name, &key);
            if let Some(unavailable) = unavailable {
                blocked.get_or_insert_with(|| unavailable.clone());
            }
        }
        (hash.finish(), blocked)
    }

    /// The contents of an item's inputs as they are now, and those of their stages that may come out with other bytes.
    fn current(&mut self, item: &Item) -> (Current, Vec<usize>) {
        let mut current = Current::default();
        let mut unsettled = Vec::new();
        for input in item.inputs.iter() {
            let (content, may_change) = match input.item {
                Some(item) => {
                    let known = &self.stages[input.stage];
                    let content = match (&known.standings[item], input.need) {
                        (ItemStanding::Unavailable(_), Need::Optional) => Some(short(&unavailable_marker())),
                        _ => known.contents[item],
                    };
                    (content, known.unsettled[item])
                }
                None => {
                    let whole = self.whole(input.stage);
                    let content =
                        if input.need == Need::Optional { whole.optional_bytes } else { whole.required_bytes };
                    (content, whole.unsettled)
                }
            };
            current.add(input.stage, content);
            if may_change && !unsettled.contains(&input.stage) {
                unsettled.push(input.stage);
            }
        }
        (current, unsettled)
    }

    fn whole(&mut self, stage: usize) -> &Whole {
        let known = &self.stages[stage];
        self.wholes[stage].get_or_insert_with(|| {
            let first = known.standings.iter().find_map(|standing| match standing {
                ItemStanding::Unavailable(unavailable) => Some((**unavailable).clone()),
                _ => None,
            });
            let marker = unavailable_marker();
            let is_missing = |item: usize| matches!(known.standings[item], ItemStanding::Unavailable(_));
            let key = |(item, key)| if is_missing(item) { &marker } else { key };
            let content = |(item, content): (usize, &Option<ContentDigest>)| match is_missing(item) {
                true => Some(short(&marker)),
                false => *content,
            };
            Whole {
                required: whole(known.keys.iter()),
                optional: whole(known.keys.iter().enumerate().map(key)),
                unavailable: first,
                required_bytes: together(known.contents.iter().copied()),
                optional_bytes: together(known.contents.iter().enumerate().map(content)),
                unsettled: known.unsettled.contains(&true),
            }
        })
    }

    fn standing(
        &self,
        stage: &Stage,
        item: usize,
        key: &Digest,
        reason: Option<Reason>,
        blocked: Option<Unavailable>,
        again: bool,
    ) -> ItemStanding {
        let Some(reason) = reason else { return ItemStanding::Fresh };
        let unreached = || {
            let unreached = self.snapshot.unavailable.get(key)?;
            let holds = !again && unreached.circumstances == stage.work.circumstances(item);
            holds.then(|| unreached.unavailable.clone())
        };
        match blocked.or_else(|| stage.work.unavailable(item)).or_else(unreached) {
            None => ItemStanding::ToMake(reason),
            // The product is there, and stays unless an input changes.
            Some(_) if reason.is_conditional() => ItemStanding::Fresh,
            Some(unavailable) => ItemStanding::Unavailable(Box::new(unavailable)),
        }
    }

    fn kept(&self, stage: &Stage, key: &Digest) -> Option<KeptRecord<'a>> {
        let snapshot = self.snapshot;
        match stage.storage {
            Storage::Object { .. } => {
                let damaged = snapshot.damaged.get(key);
                let object = damaged.or_else(|| snapshot.objects.get(key))?;
                let trouble = damaged.map(|object| Reason::Damaged(object.file.as_str().into()));
                Some(KeptRecord { content: object.content, made_from: &object.made_from, trouble })
            }
            Storage::Files => {
                let record = snapshot.records.get(&record_name(stage, key)).filter(|record| record.key == *key)?;
                let trouble = match &record.state {
                    PublishedState::Intact => None,
                    PublishedState::Missing(file) => Some(Reason::Gone(file.as_str().into())),
                    PublishedState::Damaged(file) => Some(Reason::Damaged(file.as_str().into())),
                };
                Some(KeptRecord { content: record.content, made_from: &record.made_from, trouble })
            }
        }
    }

    /// Why the item has to be made; `None` if its product is there and holds good.
    fn reason(&mut self, stage: &Stage, item: usize, key: &Digest, kept: Option<&KeptRecord>) -> Option<Reason> {
        let reason = match kept {
            None => self.absent(stage, item, key),
            Some(KeptRecord { trouble: Some(trouble), .. }) => trouble.clone(),
            Some(kept) => self.bytes(&stage.items[item], kept.made_from)?,
        };
        Some(match self.snapshot.failures.get(key) {
            Some(error) if !reason.is_conditional() => Reason::FailedBefore(error.as_str().into()),
            _ => reason,
        })
    }

    fn absent(&self, stage: &Stage, item: usize, key: &Digest) -> Reason {
        let record = match stage.storage {
            Storage::Object { .. } => None,
            Storage::Files => self.snapshot.records.get(&record_name(stage, key)),
        };
        match record {
            None => Reason::Missing,
            Some(record) if record.fingerprint != stage.items[item].fingerprint => Reason::ParametersOrCodeChanged,
            Some(_) => Reason::InputChanged,
        }
    }

    /// Why a product with the right key does not hold, or may not: because of the bytes that it was made from.
    fn bytes(&mut self, item: &Item, made_from: &Sources) -> Option<Reason> {
        if item.inputs.is_empty() {
            return None;
        }
        if made_from.is_empty() {
            return Some(Reason::InputBytesUnrecorded);
        }
        let (current, unsettled) = self.current(item);
        let name = |stage: usize| self.graph.stages[stage].name.clone();
        if let Some(changes) = current.changes(made_from) {
            let changes = changes.iter().map(|change| BytesChanged {
                stage: name(change.stage),
                old: hex(change.old),
                new: hex(change.new),
            });
            return Some(Reason::InputBytesChanged(changes.collect()));
        }
        if !unsettled.is_empty() {
            return Some(Reason::InputMayChange(unsettled.into_iter().map(name).collect()));
        }
        self.assumes |= !current.is_complete();
        None
    }
}

/// The steps: goes back from what was asked for to everything that it needs.
fn steps(graph: &Graph, selection: &Selection, force: bool, standings: &[Vec<ItemStanding>]) -> Vec<PlannedStep> {
    let mut needed: Vec<Vec<Option<u32>>> = graph.stages.iter().map(|stage| vec![None; stage.items.len()]).collect();
    let mut steps = Vec::new();
    // No graph has 2^32 stages.
    let reader = |stage| u32::try_from(stage).unwrap_or(u32::MAX);
    for (index, stage) in graph.stages.iter().enumerate().rev() {
        for (position, item) in stage.items.iter().enumerate().rev() {
            let asked = selection.asks(index, position);
            let needed_by = needed[index][position];
            let reason = match &standings[index][position] {
                ItemStanding::ToMake(reason) if asked || needed_by.is_some() => {
                    let forced = force && asked && (*reason == Reason::Missing || reason.is_conditional());
                    if forced { Reason::Forced } else { reason.clone() }
                }
                ItemStanding::Fresh if asked && force => Reason::Forced,
                _ => continue,
            };
            for input in item.inputs.iter() {
                for input_item in graph.items(input) {
                    if matches!(standings[input.stage][input_item], ItemStanding::ToMake(_)) {
                        needed[input.stage][input_item].get_or_insert(reader(index));
                    }
                }
            }
            let needed_by = if asked { None } else { needed_by };
            steps.push(PlannedStep { stage: index, item: position, reason, needed_by });
        }
    }
    steps.reverse();
    steps
}
