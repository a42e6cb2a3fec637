//! What a run shares through a bucket: it takes from the packs there what others have made, and puts there what it has.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use zip::result::ZipResult;

use crate::exec::outbox::{Outbox, WAIT};
use crate::exec::pack::{BYTES, PackMember, TAIL, index, pack, unpack};
use crate::exec::packer::Packer;
use crate::exec::progress::Reporter;
use crate::exec::remote::{Remote, RemoteError};
use crate::exec::store::{ObjectName, ResultStore, StoreError};
use crate::plan::key::{hex, unhex};
use crate::plan::planner::{ItemStanding, Plan};
use crate::plan::snapshot::Snapshot;
use crate::plan::sources::Sources;
use crate::plan::work::{Digest, Graph, Storage};

/// The folder of packs. A pack is called `<SHA-256 of its bytes>.zip`, so that nobody writes over another's.
const PACKS: &str = "packs/";

/// After so many packs in a row that cannot be read or sent, it is the bucket that cannot be.
const FAILURES: usize = 3;

/// What a run took from a bucket and put there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedCount {
    /// The address of the bucket.
    pub address: String,
    /// Objects that were taken from there.
    pub taken: usize,
    /// Objects that were put there.
    pub sent: usize,
    /// Objects that could not be put there, and why.
    pub unsent: Option<(usize, String)>,
}

/// The packs of a bucket, as a run sees them.
pub(crate) struct SharedPacks<'a> {
    remote: &'a dyn Remote,
    store: &'a ResultStore,
    reporter: &'a dyn Reporter,
    /// The keys that the run needs, with the extensions of their objects.
    wanted: HashMap<Digest, &'static str>,
    known: Mutex<BucketPacks>,
    unsent: Mutex<Outbox>,
    sending: Mutex<()>,
}

/// What is known to be there.
#[derive(Default)]
struct BucketPacks {
    packs: HashSet<Arc<str>>,
    /// The objects under each key, and the pack of each.
    objects: HashMap<Digest, Vec<(ObjectName, Arc<str>)>>,
    /// The pack that was read last, because keys that were not known before may be in it, too.
    last: Option<(Arc<str>, Vec<u8>)>,
    /// When to look for further packs, and until when nothing is asked for after a failure.
    look_at: Option<Instant>,
    rests_until: Option<Instant>,
    /// Packs that were told of as damaged.
    damaged: HashSet<Arc<str>>,
    taken: usize,
    sent: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BucketPacks {
    fn add(&mut self, objects: impl IntoIterator<Item = String>, pack: &str) {
        let pack: Arc<str> = pack.into();
        for name in objects.into_iter().filter_map(|name| ObjectName::parse(&name)) {
            self.objects.entry(name.key).or_default().push((name, pack.clone()));
        }
        self.packs.insert(pack);
    }

    fn pack_of(&self, key: &Digest, sources: &Sources) -> Option<Arc<str>> {
        let found = self.objects.get(key)?.iter().find(|(name, _)| name.sources == *sources);
        found.map(|(_, pack)| pack.clone())
    }

    /// Forgets that a pack has the object of a key.
    fn forget(&mut self, key: &Digest, pack: &str) {
        if let Some(objects) = self.objects.get_mut(key) {
            objects.retain(|(_, other)| **other != *pack);
        }
    }
}

/// Whether this is the name of a pack.
fn is_pack(name: &str) -> bool {
    let digest = name.strip_prefix(PACKS).and_then(|name| name.strip_suffix(".zip"));
    digest.is_some_and(|digest| digest.len() == 64 && unhex::<32>(digest).is_some())
}

impl<'a> SharedPacks<'a> {
    /// Asks the bucket what it has.
    pub(crate) fn open(
        remote: &'a dyn Remote,
        store: &'a ResultStore,
        reporter: &'a dyn Reporter,
        graph: &Graph,
        plan: &Plan,
    ) -> Result<Self, RemoteError> {
        remote.check()?;
        let mut wanted = HashMap::new();
        for step in &plan.steps {
            if let Storage::Object { extension } = graph.stages[step.stage].storage {
                wanted.insert(plan.keys[step.stage][step.item], extension);
            }
        }
        let (known, unsent, sending) = (Mutex::default(), Mutex::default(), Mutex::default());
        let shared = Self { remote, store, reporter, wanted, known, unsent, sending };
        shared.look(&mut lock(&shared.known))?;
        Ok(shared)
    }

    /// Reads the directories of packs that were not there before.
    fn look(&self, known: &mut BucketPacks) -> Result<(), RemoteError> {
        let mut failures = 0;
        for (pack, length) in self.remote.list(PACKS)? {
            if known.packs.contains(&*pack) || !is_pack(&pack) {
                continue;
            }
            let directory = |bytes: u64| -> Result<ZipResult<Vec<PackMember>>, RemoteError> {
                let from = length.saturating_sub(bytes);
                Ok(index(from, self.remote.read(&pack, from)?))
            };
            let part = match directory(TAIL) {
                Ok(Err(_)) if length > TAIL => directory(BYTES),
                other => other,
            };
            let names = match part {
                Ok(Ok(members)) => Ok(members.into_iter().map(|member| member.name).collect()),
                Ok(Err(error)) => Err(format!("it is damaged: {error}; remove it")),
                Err(error) => {
                    failures += 1;
                    if failures == FAILURES {
                        return Err(error);
                    }
                    Err(error.to_string())
                }
            };
            let names = names.unwrap_or_else(|why| {
                self.reporter.say(&format!("warning: {}/{pack} is not used: {why}", self.remote.address()));
                Vec::new()
            });
            known.add(names, &pack);
        }
        known.look_at = Some(Instant::now() + WAIT);
        Ok(())
    }

    /// The objects in a pack that are wanted.
    fn open_pack(
        &self,
        known: &mut BucketPacks,
        pack: &Arc<str>,
        wanted: impl Fn(&ObjectName) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, RemoteError> {
        let bytes = match &known.last {
            Some((last, bytes)) if last == pack => bytes,
            _ => &known.last.insert((pack.clone(), self.remote.read(pack, 0)?)).1,
        };
        let objects = unpack(bytes, |name| ObjectName::parse(name).is_some_and(|name| wanted(&name)));
        Ok(objects.unwrap_or_default())
    }

    /// Takes the object of a key that was made from `sources` into the store, if it is in a pack, and with it what else the
    /// pack has of what the run needs. Returns whether it is in the store now. A bucket that cannot be read is left alone for
    /// a while: what is there is made here.
    pub(crate) fn take(
        &self,
        key: &Digest,
        sources: &Sources,
        extension: &'static str,
        packer: &Packer<'_>,
    ) -> Result<bool, StoreError> {
        let mut known = lock(&self.known);
        let since = Instant::now();
        if known.rests_until.is_some_and(|until| since < until) {
            return Ok(false);
        }
        let mut tried = || -> Result<Result<bool, StoreError>, RemoteError> {
            if known.pack_of(key, sources).is_none() && known.look_at.is_none_or(|at| since >= at) {
                self.look(&mut known)?;
            }
            while let Some(pack) = known.pack_of(key, sources) {
                match self.take_from(&mut known, &pack, (key, sources, extension), packer)? {
                    Ok(false) => {}
                    other => return Ok(other),
                }
                known.forget(key, &pack);
                if known.damaged.insert(pack.clone()) {
                    let address = self.remote.address();
                    self.reporter.say(&format!("warning: {address}/{pack} is damaged: what it lacks is made here"));
                }
            }
            Ok(Ok(false))
        };
        tried().unwrap_or_else(|trouble| {
            known.rests_until = Some(Instant::now() + WAIT.max(10 * since.elapsed()));
            self.reporter.say(&format!("warning: {trouble}; what is there is made here for now"));
            Ok(false)
        })
    }

    /// Takes the asked object and what else is needed from a pack; returns whether the asked one was in it.
    fn take_from(
        &self,
        known: &mut BucketPacks,
        pack: &Arc<str>,
        (key, sources, extension): (&Digest, &Sources, &'static str),
        packer: &Packer<'_>,
    ) -> Result<Result<bool, StoreError>, RemoteError> {
        let is_asked = |name: &ObjectName| name.key == *key && name.sources == *sources;
        let here = match self.store.find_all(key) {
            Ok(names) => names,
            Err(error) => return Ok(Err(error)),
        };
        // Another thread may have taken it meanwhile, with what it asked for itself.
        let (asked, others): (Vec<_>, Vec<_>) =
            here.iter().partition(|name| ObjectName::parse(name).is_some_and(|name| is_asked(&name)));
        let mut found = !asked.is_empty();
        let is_wanted = |name: &ObjectName| is_asked(name) || self.wanted.contains_key(&name.key);
        let objects = if found { Vec::new() } else { self.open_pack(known, pack, is_wanted)? };
        let mut keep = |name: String, bytes: Vec<u8>| -> Result<(), StoreError> {
            let Some(parsed) = ObjectName::parse(&name) else { return Ok(()) };
            let asked = is_asked(&parsed);
            let extension = if asked { extension } else { self.wanted[&parsed.key] };
            // Others are taken only where there is nothing under their key.
            let is_ours = name == ObjectName::format(&parsed.key, &bytes, &parsed.sources, extension);
            if is_ours && (asked || self.store.find(&parsed.key)?.is_none()) {
                packer.object(&name, &bytes, Duration::ZERO, if asked { &here } else { &[] })?;
                known.taken += 1;
                found |= asked;
            }
            Ok(())
        };
        let kept = objects.into_iter().try_for_each(|(name, bytes)| keep(name, bytes));
        let removed = kept.and_then(|()| {
            // What was made from other inputs would hide it. The lease of the key is this thread's.
            let others = others.iter().filter(|_| found);
            others.map(|name| self.store.object_path(name)).try_for_each(|path| self.store.remove(&path))
        });
        Ok(removed.map(|()| found))
    }

    /// Notes an object of the store that others may want.
    pub(crate) fn offer(&self, name: &str) {
        let Some(parsed) = ObjectName::parse(name) else { return };
        if lock(&self.known).objects.get(&parsed.key).is_some_and(|all| all.iter().any(|(known, _)| *known == parsed)) {
            return;
        }
        lock(&self.unsent).add(name, self.store.length(name));
    }

    /// Offers what the plan found fresh.
    pub(crate) fn offer_fresh(&self, plan: &Plan, snapshot: &Snapshot) {
        let items = plan.standings.iter().flatten().zip(plan.keys.iter().flatten());
        let fresh = items.filter(|(standing, _)| **standing == ItemStanding::Fresh);
        fresh.filter_map(|(_, key)| snapshot.objects.get(key)).for_each(|object| self.offer(&object.file));
    }

    /// Puts a pack there if there is enough for one, or if some of it has waited long enough.
    pub(crate) fn send_due(&self) {
        if lock(&self.unsent).is_due() {
            let _only = lock(&self.sending);
            self.send();
        }
    }

    /// Puts everything there; returns what has been taken and sent.
    pub(crate) fn send_all(&self) -> SharedCount {
        let only = lock(&self.sending);
        lock(&self.unsent).again();
        self.send();
        drop(only);
        self.count()
    }

    /// Puts what waits there, in packs. One that cannot be sent does not hold up the others.
    fn send(&self) {
        let mut outbox = lock(&self.unsent).take();
        let mut failures = 0;
        while failures < FAILURES {
            let objects = outbox.pack(self.store);
            let sent: Vec<String> = objects.iter().map(|(name, _)| name.clone()).collect();
            if sent.is_empty() {
                break;
            }
            match self.put(objects, &sent) {
                Ok(()) => outbox.trouble = None,
                Err(trouble) => {
                    if outbox.trouble.is_none() {
                        self.reporter.say(&format!("warning: {trouble}; what is made stays here and is sent later"));
                    }
                    outbox.postpone(sent, trouble);
                    failures += 1;
                }
            }
        }
        let mut unsent = lock(&self.unsent);
        unsent.trouble = outbox.trouble.clone();
        unsent.put_back(outbox);
    }

    fn put(&self, objects: Vec<(String, Vec<u8>)>, sent: &[String]) -> Result<(), RemoteError> {
        let bytes = pack(objects).map_err(|error| RemoteError(format!("objects cannot be packed: {error}")))?;
        let name = format!("{PACKS}{}.zip", hex(Sha256::digest(&bytes)));
        self.remote.create(&name, &bytes)?;
        let mut known = lock(&self.known);
        known.add(sent.iter().cloned(), &name);
        known.sent += sent.len();
        Ok(())
    }

    /// What has been taken and sent so far.
    pub(crate) fn count(&self) -> SharedCount {
        let unsent = lock(&self.unsent);
        let why = || unsent.trouble.as_ref().map_or_else(|| "the run was interrupted".to_owned(), ToString::to_string);
        let left = (unsent.len() > 0).then(|| (unsent.len(), why()));
        let known = lock(&self.known);
        SharedCount { address: self.remote.address(), taken: known.taken, sent: known.sent, unsent: left }
    }
}
