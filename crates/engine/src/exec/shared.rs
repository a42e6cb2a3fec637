//! What a run shares through a bucket: it takes from the packs there what others have made, and puts there what it has.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::exec::pack::{index, pack, unpack};
use crate::exec::progress::Reporter;
use crate::exec::remote::{Remote, RemoteError};
use crate::exec::scratch::Scratch;
use crate::exec::store::{ObjectName, ResultStore, StoreError};
use crate::plan::key::hex;
use crate::plan::planner::{ItemStanding, Plan};
use crate::plan::snapshot::Snapshot;
use crate::plan::sources::Sources;
use crate::plan::work::{Digest, Graph, Storage};

/// The folder of packs. A pack is called `<SHA-256 of its bytes>.zip`, so that nobody writes over another's.
const PACKS: &str = "packs/";

/// A pack is made of so many objects, or of so many bytes, or when its first object has waited so long. Packs that others
/// have made meanwhile are looked for as often.
const OBJECTS: usize = 1000;
const BYTES: u64 = 16 << 20;
const WAIT: Duration = Duration::from_secs(30);

/// How many bytes at the end of a pack are asked for, to read its directory. That of so many objects is shorter.
const TAIL: u64 = 512 << 10;

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

/// Why nothing was taken.
pub(crate) enum TakeError {
    /// The bucket cannot be read.
    Remote(RemoteError),
    /// The store of this machine cannot be written.
    Store(StoreError),
}

/// The packs of a bucket, as a run sees them.
pub(crate) struct SharedPacks<'a> {
    remote: &'a dyn Remote,
    store: &'a ResultStore,
    reporter: &'a dyn Reporter,
    /// The keys that the run needs, with the extensions of their objects.
    wanted: HashMap<Digest, &'static str>,
    known: Mutex<KnownPacks>,
    unsent: Mutex<Unsent>,
    sending: Mutex<()>,
}

/// What is known to be there.
#[derive(Default)]
struct KnownPacks {
    packs: HashSet<Arc<str>>,
    /// The objects under each key, and the pack of each.
    objects: HashMap<Digest, Vec<(ObjectName, Arc<str>)>>,
    listed: Option<Instant>,
    taken: usize,
    sent: usize,
}

/// What is to be put there.
#[derive(Default)]
struct Unsent {
    names: Vec<String>,
    bytes: u64,
    since: Option<Instant>,
    trouble: Option<RemoteError>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl KnownPacks {
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
    fn look(&self, known: &mut KnownPacks) -> Result<(), RemoteError> {
        known.listed = Some(Instant::now());
        for (pack, length) in self.remote.list(PACKS)? {
            if known.packs.contains(&*pack) {
                continue;
            }
            let from = length.saturating_sub(TAIL);
            let part = index(from, self.remote.read(&pack, from)?);
            let names = match part {
                // A single object may have a longer name than ours have, or the pack is another program's.
                Err(_) if from > 0 => index(0, self.remote.read(&pack, 0)?),
                other => other,
            };
            let names = names.unwrap_or_else(|error| {
                self.reporter.say(&format!(
                    "warning: {}/{pack} is damaged ({error}) and is not used; remove it",
                    self.remote.address()
                ));
                Vec::new()
            });
            known.add(names, &pack);
        }
        Ok(())
    }

    /// Takes the object of a key that was made from `sources` into the store, if it is in a pack, and with it what else the
    /// pack has of what the run needs. Returns whether it is in the store now.
    pub(crate) fn take(
        &self,
        key: &Digest,
        sources: &Sources,
        extension: &'static str,
        scratch: &Scratch,
    ) -> Result<bool, TakeError> {
        let mut known = lock(&self.known);
        if known.pack_of(key, sources).is_none() && known.listed.is_none_or(|listed| listed.elapsed() >= WAIT) {
            self.look(&mut known).map_err(TakeError::Remote)?;
        }
        let Some(pack) = known.pack_of(key, sources) else { return Ok(false) };
        let is_asked = |name: &ObjectName| name.key == *key && name.sources == *sources;
        // Another thread may have taken it meanwhile, with what it asked for itself.
        let here = self.store.find_all(key).map_err(TakeError::Store)?;
        if here.iter().filter_map(|name| ObjectName::parse(name)).any(|name| is_asked(&name)) {
            return Ok(true);
        }
        let bytes = self.remote.read(&pack, 0).map_err(TakeError::Remote)?;
        let is_wanted = |name: &ObjectName| is_asked(name) || self.wanted.contains_key(&name.key);
        let objects = unpack(bytes, |name| ObjectName::parse(name).is_some_and(|name| is_wanted(&name)));
        let mut found = false;
        for (name, bytes) in objects.unwrap_or_default() {
            let Some(parsed) = ObjectName::parse(&name) else { continue };
            let asked = is_asked(&parsed);
            let extension = if asked { extension } else { self.wanted[&parsed.key] };
            let before = self.store.find_all(&parsed.key).map_err(TakeError::Store)?;
            // What was made from other inputs is taken only where it was asked for.
            let is_ours = name == ObjectName::format(&parsed.key, &bytes, &parsed.sources, extension);
            if !is_ours || (!asked && !before.is_empty()) {
                continue;
            }
            scratch.object(self.store, &parsed.key, &bytes, &parsed.sources, extension).map_err(TakeError::Store)?;
            known.taken += 1;
            found |= asked;
            for old in before.iter().filter(|old| **old != name) {
                self.store.remove(&self.store.object_path(old)).map_err(TakeError::Store)?;
            }
        }
        if !found {
            let address = self.remote.address();
            self.reporter.say(&format!("warning: {address}/{pack} is damaged: {} is made here", hex(&key[..8])));
            if let Some(objects) = known.objects.get_mut(key) {
                objects.retain(|(_, other)| *other != pack);
            }
        }
        Ok(found)
    }

    /// Notes an object of the store that others may want.
    pub(crate) fn offer(&self, name: &str) {
        let Some(parsed) = ObjectName::parse(name) else { return };
        if lock(&self.known).objects.get(&parsed.key).is_some_and(|all| all.iter().any(|(known, _)| *known == parsed)) {
            return;
        }
        let length = std::fs::metadata(self.store.object_path(name)).map_or(0, |meta| meta.len());
        let mut unsent = lock(&self.unsent);
        unsent.names.push(name.to_owned());
        unsent.bytes += length;
        unsent.since.get_or_insert_with(Instant::now);
    }

    /// Offers what the plan found fresh.
    pub(crate) fn offer_fresh(&self, plan: &Plan, snapshot: &Snapshot) {
        let items = plan.standings.iter().flatten().zip(plan.keys.iter().flatten());
        let fresh = items.filter(|(standing, _)| **standing == ItemStanding::Fresh);
        fresh.filter_map(|(_, key)| snapshot.objects.get(key)).for_each(|object| self.offer(&object.file));
    }

    /// Puts a pack there if there is enough for one, or if some of it has waited long enough.
    pub(crate) fn send_due(&self) {
        let due = {
            let unsent = lock(&self.unsent);
            let waited = unsent.since.is_some_and(|since| since.elapsed() >= WAIT);
            // After a failure, only the wait counts.
            waited || (unsent.trouble.is_none() && (unsent.names.len() >= OBJECTS || unsent.bytes >= BYTES))
        };
        if due {
            match self.sending.try_lock() {
                Err(TryLockError::WouldBlock) => {}
                _ => self.send(),
            }
        }
    }

    /// Puts everything there; returns what has been taken and sent.
    pub(crate) fn send_all(&self) -> SharedCount {
        let only = lock(&self.sending);
        self.send();
        drop(only);
        self.count()
    }

    /// Puts what is noted there, in packs.
    fn send(&self) {
        let Unsent { mut names, .. } = std::mem::take(&mut *lock(&self.unsent));
        names.sort_unstable();
        names.dedup();
        while !names.is_empty() {
            let (mut objects, mut bytes) = (Vec::new(), 0);
            while let Some(name) = names.pop() {
                // What has been damaged or removed meanwhile is made and offered again.
                let Ok(object) = self.store.read(&name) else { continue };
                bytes += object.len() as u64;
                objects.push((name, object));
                if objects.len() >= OBJECTS || bytes >= BYTES {
                    break;
                }
            }
            let sent: Vec<String> = objects.iter().map(|(name, _)| name.clone()).collect();
            if sent.is_empty() {
                continue;
            }
            if let Err(trouble) = self.put(objects, &sent) {
                names.extend(sent);
                let mut unsent = lock(&self.unsent);
                if unsent.trouble.is_none() {
                    self.reporter.say(&format!("warning: {trouble}; what is made stays here and is sent later"));
                }
                let trouble = Some(trouble);
                names.append(&mut unsent.names);
                *unsent = Unsent { names, bytes: 0, since: Some(Instant::now()), trouble };
                return;
            }
        }
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
        let left = (!unsent.names.is_empty()).then(|| (unsent.names.len(), why()));
        let known = lock(&self.known);
        SharedCount { address: self.remote.address(), taken: known.taken, sent: known.sent, unsent: left }
    }
}
