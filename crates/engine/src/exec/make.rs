//! Making one item: lease it, look again whether it is there, execute it, keep its product.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::exec::clock;
use crate::exec::inputs::{Blocked, Changed, ItemInputs, KeptProduct, Outcomes, SettledItem};
use crate::exec::interrupt::Interrupt;
use crate::exec::journal::{Journal, Measurement};
use crate::exec::lease::{Lease, Leases};
use crate::exec::packer::Packer;
use crate::exec::partial;
use crate::exec::progress::Reporter;
use crate::exec::publish::{ProductOrigin, PublishError, publish};
use crate::exec::records::{
    FailureNote, FoundState, UNAVAILABLE_SECONDS, UnavailableNote, note_path, record, save_note,
};
use crate::exec::scratch::Scratch;
use crate::exec::shared::SharedPacks;
use crate::exec::store::{ObjectError, ObjectName, ResultStore, StoreError};
use crate::plan::key::hex;
use crate::plan::reason::Reason;
use crate::plan::snapshot::{Snapshot, Unreached, record_name};
use crate::plan::sources::{Sources, content_of};
use crate::plan::work::{Digest, Failure, Graph, ItemOutcome, Job, Product, Resolved, Storage, Unavailable};

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StepEnd {
    /// It was made.
    Made(KeptProduct),
    /// It was already there: another run, or an equal item, made it meanwhile.
    Found(KeptProduct),
    /// It failed.
    Failed(String),
    /// It was not tried because an input failed.
    Skipped(String),
    /// It cannot be made here.
    Unavailable(Unavailable),
    /// Another run is making it.
    Held,
    /// The run was interrupted.
    Interrupted,
}

/// How often each input of an item is rebuilt because it was damaged.
const REBUILDS: usize = 2;

/// How often a file that differs from its record is looked at again, and after which time.
const LOOKS: usize = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// What makes the items of one run.
pub(super) struct Maker<'a> {
    pub(super) graph: &'a Graph,
    pub(super) store: &'a ResultStore,
    pub(super) snapshot: &'a Snapshot,
    pub(super) reporter: &'a dyn Reporter,
    pub(super) interrupt: &'a Interrupt,
    pub(super) outcomes: Outcomes<'a>,
    pub(super) scratch: &'a Scratch,
    pub(super) packer: Packer<'a>,
    pub(super) leases: Arc<Leases>,
    pub(super) journal: Journal,
    /// Where objects are shared.
    pub(super) shared: Option<&'a SharedPacks<'a>>,
    /// How much memory there is, in bytes.
    pub(super) memory: f64,
    /// Why the run cannot go on.
    pub(super) stopped: OnceLock<String>,
    /// How many damaged inputs were rebuilt.
    pub(super) rebuilt: AtomicUsize,
    pub(super) complained: AtomicBool,
    /// Whether what another run has published meanwhile stays: this one makes do with the cells that are there, and the
    /// other may have more.
    pub(super) yields: bool,
}

/// Refuses what needs more bytes of memory than the machine has.
fn fits(needs: f64, has: f64) -> Result<(), Failure> {
    if needs > has {
        return Err(Failure::failed(format!(
            "needs about {:.0} GB of memory, but this machine has {:.1} GB; reduce its size (its horizon or its features, for example)",
            needs / 1e9,
            has / 1e9
        )));
    }
    Ok(())
}

impl Maker<'_> {
    /// Makes the item of a step, unless another run is making it or has made it.
    pub(super) fn attempt(&self, stage: usize, item: usize, reason: &Reason) -> (Digest, StepEnd) {
        let inputs = self.outcomes.resolve(stage, item);
        let key = self.outcomes.key(stage, item);
        let inputs = match inputs {
            Ok(inputs) => inputs,
            Err(Blocked::Failed(why)) => return (key, StepEnd::Skipped(why)),
            Err(Blocked::Unavailable(unavailable)) => return (key, StepEnd::Unavailable(unavailable)),
        };
        let ended = match self.leased(stage, item, &key, inputs, reason) {
            Ok(ended) => return ended,
            Err(Failure::Unavailable(unavailable)) => {
                let note = UnavailableNote {
                    stage: self.graph.stages[stage].name.clone(),
                    unreached: Unreached {
                        unavailable: unavailable.clone(),
                        circumstances: self.graph.stages[stage].work.circumstances(item),
                    },
                    until: clock::now() + UNAVAILABLE_SECONDS,
                };
                self.note(save_note(self.store, self.scratch, "unavailable", &key, &note));
                StepEnd::Unavailable(unavailable)
            }
            Err(Failure::Interrupted) if self.interrupt.signal().is_some() => StepEnd::Interrupted,
            Err(failure) => {
                let error = failure.to_string();
                let note = FailureNote {
                    stage: self.graph.stages[stage].name.clone(),
                    item: self.graph.stages[stage].work.label(item),
                    error: error.clone(),
                };
                self.note(save_note(self.store, self.scratch, "failures", &key, &note));
                StepEnd::Failed(error)
            }
        };
        (key, ended)
    }

    fn leased(
        &self,
        stage: usize,
        item: usize,
        key: &Digest,
        inputs: ItemInputs,
        reason: &Reason,
    ) -> Result<(Digest, StepEnd), Failure> {
        let Some(_lease) = self.stored(self.leases.take(self.store, key))? else { return Ok((*key, StepEnd::Held)) };
        if let Some(damaged) = self.snapshot.damaged.get(key)
            && matches!(self.store.read(&damaged.file), Err(ObjectError::Damaged { .. }))
        {
            self.stored(self.store.discard(&damaged.file))?;
        }
        if *reason != Reason::Forced {
            let found = || -> Result<_, Failure> {
                let present = self.present(stage, key, false)?.filter(|(_, made_from)| *made_from == inputs.sources);
                Ok(present.map(|(kept, _)| (*key, StepEnd::Found(kept))))
            };
            if let Some(found) = found()? {
                return Ok(found);
            }
            if let Storage::Object { extension } = self.graph.stages[stage].storage
                && self.taken(key, &inputs.sources, extension)?
                && let Some(found) = found()?
            {
                return Ok(found);
            }
        }
        self.make(stage, item, key, inputs).map(|(key, kept)| (key, StepEnd::Made(kept)))
    }

    /// Takes an object from where it is shared; returns whether it was there.
    fn taken(&self, key: &Digest, sources: &Sources, extension: &'static str) -> Result<bool, Failure> {
        let Some(shared) = self.shared else { return Ok(false) };
        self.stored(shared.take(key, sources, extension, &self.packer))
    }

    /// The product under `key` and what it was made from, if it is there. Published files are hashed if `thorough`, or if
    /// their time differs.
    fn present(&self, stage: usize, key: &Digest, thorough: bool) -> Result<Option<(KeptProduct, Sources)>, Failure> {
        let target = &self.graph.stages[stage];
        match target.storage {
            Storage::Object { .. } => Ok(self.stored(self.store.find(key))?.and_then(|name| self.object(&name))),
            Storage::Files => {
                let Some(record) = record(self.store, &record_name(target, key)) else { return Ok(None) };
                if record.key != hex(key) {
                    return Ok(None);
                }
                for output in &record.outputs {
                    if matches!(
                        self.stored(output.check(self.store, thorough))?,
                        FoundState::Missing | FoundState::Damaged
                    ) {
                        return Ok(None);
                    }
                }
                let kept = KeptProduct { files: record.paths(self.store), content: record.content() };
                Ok(Some((kept, record.sources())))
            }
        }
    }

    /// The product stored in the object of this name.
    fn object(&self, name: &str) -> Option<(KeptProduct, Sources)> {
        let ObjectName { content, sources, .. } = ObjectName::parse(name)?;
        Some((KeptProduct { files: vec![self.store.object_path(name)], content }, sources))
    }

    /// Executes an item and keeps its product. Inputs that turn out to be damaged are rebuilt. Returns the product and
    /// its key, which is another than expected if the work has found out what nobody knew.
    fn make(
        &self,
        stage: usize,
        item: usize,
        key: &Digest,
        mut inputs: ItemInputs,
    ) -> Result<(Digest, KeptProduct), Failure> {
        let target = &self.graph.stages[stage];
        let (mut rebuilt, hex_key) = (HashMap::<usize, usize>::new(), hex(key));
        fits(target.work.estimate(item).bytes, self.memory)?;
        loop {
            let begin = Instant::now();
            let job = ItemJob { maker: self, stage, item, key: &hex_key, inputs: &inputs.all };
            let execute = || {
                self.unchanged(stage, item)?;
                let product = target.work.execute(item, &job)?;
                // If an input changed while it was being read, the product is not what its key says.
                self.unchanged(stage, item).map(|()| product)
            };
            let result = catch_unwind(AssertUnwindSafe(execute));
            let seconds = begin.elapsed().as_secs_f64();
            let product = match result.unwrap_or_else(|panic| Err(Failure::failed(panic_text(&*panic)))) {
                Ok(product) => product,
                Err(Failure::DamagedInput { index }) => {
                    let count = rebuilt.entry(index).or_insert(0);
                    *count += 1;
                    if *count > REBUILDS {
                        return Err(Failure::failed("an input was damaged again after each rebuild; check the disk"));
                    }
                    self.rebuild(stage, item, index)?;
                    inputs = self.outcomes.resolve(stage, item)?;
                    continue;
                }
                Err(other) => return Err(other),
            };
            let expected = target.items[item].fingerprint;
            let fingerprint = if let Product::Placed { fingerprint, .. } = &product { *fingerprint } else { expected };
            let known = fingerprint == expected;
            let made = if known { *key } else { self.outcomes.key_of(stage, item, &fingerprint) };
            let origin = ProductOrigin { key: &made, fingerprint: &fingerprint, sources: &inputs.sources };
            let (kept, measurements) = self.keep((stage, item), origin, product, begin)?;
            let notes = ["failures", "unavailable"].map(|what| note_path(self.store, what, key));
            for path in notes.into_iter().chain([partial::path(self.store, &hex_key)]) {
                self.stored(self.store.remove(&path))?;
            }
            let estimate = target.work.estimate(item);
            self.note(self.journal.measured(&Measurement {
                key: hex_key,
                stage: target.name.clone(),
                item: target.work.label(item),
                group: estimate.group,
                cost: estimate.cost,
                seconds,
                cpu: self.journal.cpu.clone(),
                host: self.journal.host.clone(),
                measurements,
            }));
            return Ok((made, kept));
        }
    }

    fn unchanged(&self, stage: usize, item: usize) -> Result<(), Failure> {
        let mut left = LOOKS;
        loop {
            match self.stored(self.outcomes.changed_file(stage, item))? {
                None => return Ok(()),
                Some(Changed { by_a_run: Some(index), .. }) if !self.yields => {
                    return Err(Failure::DamagedInput { index });
                }
                // Another run that has just replaced the file is about to record it.
                Some(Changed { by_a_run: None, .. }) if left > 0 => thread::sleep(BETWEEN_LOOKS),
                Some(Changed { file, .. }) => return Err(overtaken(&file)),
            }
            left -= 1;
        }
    }

    fn keep(
        &self,
        (stage, item): (usize, usize),
        origin: ProductOrigin,
        product: Product,
        begin: Instant,
    ) -> Result<(KeptProduct, Option<serde_json::Value>), Failure> {
        let (target, ProductOrigin { key, sources, .. }) = (&self.graph.stages[stage], origin);
        let files = match (product, target.storage) {
            (Product::Object { bytes, measurements }, Storage::Object { extension }) => {
                let before = self.stored(self.store.find_all(key))?;
                let name = ObjectName::format(key, &bytes, sources, extension);
                self.stored(self.packer.object(&name, &bytes, begin.elapsed(), &before))?;
                let path = self.store.object_path(&name);
                let content = ObjectName::parse(&name).map_or_else(|| content_of(&bytes), |name| name.content);
                for old in before.iter().filter(|old| **old != name) {
                    let contradicts = |old: &ObjectName| old.sources == *sources && old.content != content;
                    if ObjectName::parse(old).is_some_and(|old| contradicts(&old)) && self.store.read(old).is_ok() {
                        self.reporter.say(&format!(
                            "warning: {}: made again, it came out differently: its computation is not deterministic",
                            target.called(item)
                        ));
                    }
                    self.stored(self.store.remove(&self.store.object_path(old)))?;
                }
                return Ok((KeptProduct { files: vec![path], content }, measurements));
            }
            (Product::Files(files), Storage::Files) => {
                files.into_iter().map(|(path, bytes)| (path, Some(bytes))).collect::<Vec<_>>()
            }
            (Product::Placed { files, .. }, Storage::Files) => files.into_iter().map(|path| (path, None)).collect(),
            (_, storage) => {
                return Err(Failure::failed(format!("a stage kept as {storage:?} made a product of another kind")));
            }
        };
        let name = record_name(target, key);
        match publish(self.store, self.scratch, &name, origin, &files) {
            Ok((files, content)) => Ok((KeptProduct { files, content }, None)),
            Err(PublishError::Store(error)) => self.stored(Err(error)),
            Err(error) => Err(Failure::failed(error)),
        }
    }

    /// Rebuilds a damaged input, and whatever is missing for that.
    fn rebuild(&self, stage: usize, item: usize, index: usize) -> Result<(), Failure> {
        let Some((stage, item)) = self.outcomes.stage_of(stage, item, index) else {
            return Err(Failure::failed(format!("there is no input number {index}")));
        };
        let Some(SettledItem { outcome: ItemOutcome::Done { .. }, key, .. }) = self.outcomes.settled(stage, item)
        else {
            return Err(Failure::failed(format!("input number {index} was never made")));
        };
        let target = &self.graph.stages[stage];
        let other = |key| record(self.store, &record_name(target, key)).is_some_and(|record| record.key != hex(key));
        self.reporter.say(&format!(
            "{}: {}; rebuilding it",
            target.called(item),
            match target.storage {
                Storage::Object { .. } => "the stored object is damaged",
                Storage::Files if other(&key) => "another run has published fewer results",
                Storage::Files => "a published file is damaged",
            }
        ));
        self.remake(stage, item, &key).map_err(|failure| match failure {
            Failure::Interrupted | Failure::Unavailable(_) => failure,
            other => Failure::about(format!("its input {} is damaged and could not be rebuilt", target.name), other),
        })
    }

    /// Makes sure that an item is there and undamaged, whatever the plan says.
    fn remake(&self, stage: usize, item: usize, key: &Digest) -> Result<(), Failure> {
        let _lease = self.stored(Lease::wait(self.store, key))?;
        let target = &self.graph.stages[stage];
        if let Storage::Object { .. } = target.storage
            && let Some(name) = self.stored(self.store.find(key))?
            && self.store.read(&name).is_err()
        {
            self.stored(self.store.discard(&name))?;
        }
        if let Some((kept, _)) = self.present(stage, key, true)? {
            self.outcomes.done(stage, item, key, &kept);
            return Ok(());
        }
        let missing: Vec<(usize, usize)> = self
            .outcomes
            .inputs_of(stage, item)
            .filter(|(stage, item, _)| self.outcomes.get(*stage, *item).is_none())
            .map(|(stage, item, _)| (stage, item))
            .collect();
        for (stage, item) in missing {
            self.remake(stage, item, &self.outcomes.key(stage, item))?;
        }
        let (key, kept) = self.make(stage, item, key, self.outcomes.resolve(stage, item)?)?;
        self.outcomes.done(stage, item, &key, &kept);
        self.rebuilt.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Warns of a log, note or manifest that could not be written; only the first time.
    pub(super) fn complain(&self, text: &str) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            self.reporter.say(&format!("warning: {text}"));
        }
    }

    /// An error of the store makes the item fail. If nothing more can be written, it also ends the run.
    fn stored<T>(&self, result: Result<T, StoreError>) -> Result<T, Failure> {
        result.map_err(|error| {
            if error.is_fatal() {
                // The first reason counts.
                let _ = self.stopped.set(error.to_string());
            }
            Failure::failed(error)
        })
    }

    /// An error in writing logs and notes is reported once and otherwise ignored: results do not depend on them.
    pub(super) fn note(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.complain(&error.to_string());
        }
    }
}

/// An input that is no longer what it was when its key was made.
fn overtaken(file: &Path) -> Failure {
    Failure::failed(format!("{} changed during this run; run the same command again", file.display()))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked (a bug): {}", text.unwrap_or("no message"))
}

struct ItemJob<'a> {
    maker: &'a Maker<'a>,
    stage: usize,
    item: usize,
    key: &'a str,
    inputs: &'a [Resolved],
}

impl Job for ItemJob<'_> {
    fn key(&self) -> &str {
        self.key
    }

    fn inputs(&self) -> &[Resolved] {
        self.inputs
    }

    fn object(&self, index: usize) -> Result<Vec<u8>, Failure> {
        let Some(input) = self.inputs.get(index) else {
            return Err(Failure::failed(format!("there is no input number {index}")));
        };
        let ItemOutcome::Done { files, .. } = &input.outcome else {
            return Err(Failure::failed(format!("input {} was not made", input.stage)));
        };
        let name = files.first().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        let object = self.maker.outcomes.stage_of(self.stage, self.item, index);
        let object = object.is_some_and(|(stage, _)| self.maker.graph.stages[stage].storage != Storage::Files);
        let Some(name) = name.filter(|_| object) else {
            return Err(Failure::failed(format!("input {} is not an object of the store", input.stage)));
        };
        self.maker.store.read(name).map_err(|error| match error {
            ObjectError::Damaged { .. } => Failure::DamagedInput { index },
            ObjectError::Store(error) => Failure::failed(error),
        })
    }

    fn recorded(&self, index: usize, file: &Path) -> Result<String, Failure> {
        let Maker { graph, store, outcomes, .. } = self.maker;
        let input = outcomes.stage_of(self.stage, self.item, index);
        let input = input.and_then(|(stage, item)| Some((&graph.stages[stage], outcomes.settled(stage, item)?)));
        let Some((target, settled)) = input else {
            return Err(Failure::failed(format!("there is no input number {index}")));
        };
        let Some(record) = record(store, &record_name(target, &settled.key)) else {
            return Err(Failure::DamagedInput { index });
        };
        if record.content() != settled.content {
            // A `report` beside this run may have published what it could make from fewer cells.
            return Err(if self.maker.yields { overtaken(file) } else { Failure::DamagedInput { index } });
        }
        let output = record.outputs.into_iter().find(|output| store.place(&output.path) == file);
        let output = output.ok_or_else(|| Failure::failed(format!("{} published no {}", target.name, file.display())));
        output.map(|output| output.sha256)
    }

    fn interrupted(&self) -> bool {
        self.maker.interrupt.signal().is_some()
    }

    fn say(&self, message: &str) {
        self.maker.reporter.say(&format!("{}: {message}", self.maker.graph.stages[self.stage].name));
    }

    fn kept(&self) -> Option<Vec<u8>> {
        partial::read(self.maker.store, self.key)
    }

    fn keep(&self, bytes: &[u8]) -> Result<(), Failure> {
        let Maker { scratch, store, .. } = self.maker;
        partial::write(scratch, store, self.key, bytes).map_err(Failure::failed)
    }
}
