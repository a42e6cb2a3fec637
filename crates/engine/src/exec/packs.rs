//! The packs of a store: `results/store/packs/<number>-<SHA-256 of the names in it>.zip`, each with many small objects. Like
//! objects, they are read-only and have a fixed modification time. Beside them are the open packs of running processes. An object that lies by
//! itself counts before a packed one under the same key, and one of a later pack before one of an earlier pack.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use noregret_platform::files::read_exact_at;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use sha2::{Digest as _, Sha256};

use crate::exec::clock;
use crate::exec::object::{ObjectName, StoreError, names, seal};
use crate::exec::open::{OPEN, OpenPack, records};
use crate::exec::pack::{PackMember, TAIL, index};
use crate::plan::key::{hex, unhex};
use crate::plan::snapshot::Object;
use crate::plan::work::Digest;

/// No object in a pack is larger.
const LARGEST: u64 = 1 << 30;

/// A folder whose time is younger than this may change once more without a change of its time. It is listed again after so long.
const UNSETTLED: Duration = Duration::from_secs(2);
const LIST_AGAIN: Duration = Duration::from_millis(20);

/// The packs in a folder, as far as they have been looked at.
#[derive(Debug)]
pub(crate) struct Packs {
    folder: PathBuf,
    known: Mutex<KnownPacks>,
}

/// What is known of the packs.
#[derive(Debug, Default)]
struct KnownPacks {
    files: BTreeSet<Arc<str>>,
    /// Open packs of others, and how far they have been read.
    open: BTreeMap<Arc<str>, u64>,
    /// Open packs of this process, whose objects are noted when they are appended.
    own: BTreeSet<Arc<str>>,
    /// The time of the folder when it was listed, and when to list it again though its time is the same.
    listed: Option<(Option<SystemTime>, Option<Instant>)>,
    objects: HashMap<Digest, PackedObject>,
    /// The members with other bytes than their names say, of packs whose times say that they were touched.
    damaged: BTreeMap<String, Arc<str>>,
    /// Packs that were touched, all of whose bytes are sound.
    touched: Vec<Arc<str>>,
    unreadable: Vec<Arc<str>>,
}

/// Where an object is.
#[derive(Clone, Debug)]
struct PackedObject {
    object: Object,
    pack: Arc<str>,
    from: u64,
    length: u64,
}

/// The digest of these names of objects.
pub(crate) fn digest<'a>(names: impl IntoIterator<Item = &'a str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    names.into_iter().for_each(|name| hash.update(format!("{name}\n")));
    hash.finalize().into()
}

/// The digest in the name of a pack; None if it is not one.
fn digest_of(file: &str) -> Option<[u8; 32]> {
    let (number, digest) = file.strip_suffix(".zip")?.split_once('-')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| unhex(digest))?
}

/// The number at the beginning of the name of a pack.
fn number_of(file: &str) -> Option<u64> {
    file.split_once('-')?.0.parse().ok()
}

impl KnownPacks {
    /// Adds an object. What this process has appended itself counts before what others have packed meanwhile; and what an open
    /// pack of another one says again, which may be that of a dead one, is known already.
    fn add(&mut self, PackMember { name, from, length }: PackMember, pack: &Arc<str>) {
        let Some(ObjectName { key, content, sources }) = ObjectName::parse(&name) else { return };
        let is_own = |pack: &Arc<str>| self.own.contains(pack);
        if let Some(known) = self.objects.get(&key) {
            let is_same = known.object.file == name;
            if is_own(&known.pack) && !is_own(pack) && !is_same || is_same && self.open.contains_key(pack) {
                return;
            }
        }
        let object = Object { file: name, content, made_from: sources };
        self.objects.insert(key, PackedObject { object, pack: Arc::clone(pack), from, length });
    }

    /// Forgets packs that are gone.
    fn forget(&mut self, gone: impl Fn(&Arc<str>) -> bool) {
        self.objects.retain(|_, place| !gone(&place.pack));
        self.files.retain(|file| !gone(file));
        self.open.retain(|file, _| !gone(file));
        self.own.retain(|file| !gone(file));
        self.damaged.retain(|_, file| !gone(file));
        self.touched.retain(|file| !gone(file));
        self.unreadable.retain(|file| !gone(file));
    }
}

impl Packs {
    /// Those in this folder, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, known: Mutex::default() }
    }

    /// The path of a pack.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// The pack that has the object of this name, be it damaged.
    pub(crate) fn holder(&self, name: &str) -> Result<Option<PathBuf>, StoreError> {
        let sound = self.place(name)?.map(|place| place.pack);
        let pack = sound.or_else(|| self.lock().damaged.get(name).cloned());
        Ok(pack.map(|pack| self.path(&pack)))
    }

    fn lock(&self) -> MutexGuard<'_, KnownPacks> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is in the packs now. Their directories are read once; what others add or remove is seen by the time of the folder.
    fn known(&self) -> Result<MutexGuard<'_, KnownPacks>, StoreError> {
        let mut known = self.lock();
        let time = StoreError::if_there(&self.folder, fs::metadata(&self.folder).and_then(|meta| meta.modified()))?;
        let is_listed =
            |(of, again): (_, Option<Instant>)| of == time && again.is_none_or(|again| Instant::now() < again);
        if !known.listed.is_some_and(is_listed) {
            self.list(&mut known)?;
            let is_settled = time.is_none_or(|time| time.elapsed().is_ok_and(|age| age > UNSETTLED));
            known.listed = Some((time, (!is_settled).then(|| Instant::now() + LIST_AGAIN)));
        }
        let open: Vec<(Arc<str>, u64)> = known.open.iter().map(|(file, read)| (Arc::clone(file), *read)).collect();
        for (file, read) in open {
            let path = self.path(&file);
            let length = StoreError::if_there(&path, fs::metadata(&path))?.map_or(0, |meta| meta.len());
            if length < read {
                // Another process has got the same name.
                known.objects.retain(|_, place| place.pack != file);
                known.open.insert(file, 0);
            } else if length > read
                && let Some((members, read)) = StoreError::if_there(&path, records(&path, read))?
            {
                // Of a process that ended with its machine, not all may have come to the disk.
                let damaged = self.damaged_in(&file, &members)?;
                for member in members {
                    if damaged.contains(&member.name) {
                        known.damaged.insert(member.name, Arc::clone(&file));
                    } else {
                        known.add(member, &file);
                    }
                }
                known.open.insert(file, read);
            }
        }
        Ok(known)
    }

    /// Looks at what the folder has.
    fn list(&self, known: &mut KnownPacks) -> Result<(), StoreError> {
        let here = names(&self.folder)?;
        let open: BTreeSet<&str> = here.iter().map(String::as_str).filter(|file| file.ends_with(OPEN)).collect();
        let here: BTreeSet<Arc<str>> =
            here.iter().filter(|file| digest_of(file).is_some()).map(|file| Arc::from(file.as_str())).collect();
        let is_gone = |file: &Arc<str>| !here.contains(file) && !open.contains(&**file);
        let all = known.files.iter().chain(known.open.keys()).chain(&known.own);
        let gone: BTreeSet<Arc<str>> = all.filter(|file| is_gone(file)).cloned().collect();
        if !gone.is_empty() {
            known.forget(|file| gone.contains(file));
        }
        if gone.iter().any(|file| digest_of(file).is_some()) {
            // What they hid counts again.
            known.files.clear();
            known.touched.clear();
            known.unreadable.clear();
            known.open.values_mut().for_each(|read| *read = 0);
        }
        let added: Vec<Arc<str>> = here.difference(&known.files).cloned().collect();
        added.into_iter().try_for_each(|file| self.load(known, file))?;
        let KnownPacks { open: read, own, .. } = known;
        open.into_iter().filter(|file| !own.contains(*file)).for_each(|file| _ = read.entry(file.into()).or_insert(0));
        Ok(())
    }

    /// Notes what a pack has. If its time is not that which it was given, all its bytes are looked at.
    fn load(&self, known: &mut KnownPacks, file: Arc<str>) -> Result<(), StoreError> {
        let path = self.path(&file);
        let Some(meta) = StoreError::if_there(&path, fs::metadata(&path))? else { return Ok(()) };
        let Some(members) = self.members(&file)? else {
            known.files.insert(Arc::clone(&file));
            known.unreadable.push(file);
            return Ok(());
        };
        let expected = digest_of(&file).map(|digest| seal(&digest));
        let damaged =
            if meta.modified().ok() == expected { BTreeSet::new() } else { self.damaged_in(&file, &members)? };
        known.files.insert(Arc::clone(&file));
        if meta.modified().ok() != expected && damaged.is_empty() {
            known.touched.push(Arc::clone(&file));
        }
        for member in members {
            if damaged.contains(&member.name) || member.from.saturating_add(member.length) > meta.len() {
                known.damaged.insert(member.name, Arc::clone(&file));
            } else {
                known.add(member, &file);
            }
        }
        Ok(())
    }

    /// What the directory of a pack says; None if it cannot be read.
    pub(crate) fn members(&self, file: &str) -> Result<Option<Vec<PackMember>>, StoreError> {
        let path = self.path(file);
        if file.ends_with(OPEN) {
            // It may have been closed meanwhile.
            let found = StoreError::if_there(&path, records(&path, 0))?;
            return Ok(Some(found.map(|(members, _)| members).unwrap_or_default()));
        }
        let read = |tail: u64| -> io::Result<_> {
            let file = File::open(&path)?;
            let length = file.metadata()?.len();
            let from = length.saturating_sub(tail);
            let mut bytes = vec![0; usize::try_from(length - from).map_err(io::Error::other)?];
            read_exact_at(&file, &mut bytes, from)?;
            Ok(index(from, bytes).ok())
        };
        let found = read(TAIL).and_then(|found| if found.is_none() { read(u64::MAX) } else { Ok(found) });
        let found: Option<Vec<PackMember>> = StoreError::if_there(&path, found)?.unwrap_or_else(|| Some(Vec::new()));
        let is_own =
            |members: &Vec<PackMember>| digest_of(file) == Some(digest(members.iter().map(|member| &*member.name)));
        Ok(found.filter(|members| members.is_empty() || is_own(members)))
    }

    /// Those of these members of a pack whose bytes are not what their names say.
    fn damaged_in(&self, file: &str, members: &[PackMember]) -> Result<BTreeSet<String>, StoreError> {
        let path = self.path(file);
        let Some(file) = StoreError::if_there(&path, File::open(&path))? else { return Ok(BTreeSet::new()) };
        let is_sound = |member: &&PackMember| {
            let bytes = usize::try_from(member.length).ok().filter(|_| member.length <= LARGEST);
            let read = |length| {
                let mut bytes = vec![0; length];
                read_exact_at(&file, &mut bytes, member.from).is_ok().then_some(bytes)
            };
            let bytes = bytes.and_then(read);
            bytes.is_some_and(|bytes| ObjectName::parse(&member.name).is_some_and(|name| name.matches(&bytes)))
        };
        Ok(members.iter().filter(|member| !is_sound(member)).map(|member| member.name.clone()).collect())
    }

    /// The packed object under a key that counts.
    pub(crate) fn find(&self, key: &Digest) -> Result<Option<String>, StoreError> {
        Ok(self.known()?.objects.get(key).map(|place| place.object.file.clone()))
    }

    fn place(&self, name: &str) -> Result<Option<PackedObject>, StoreError> {
        let Some(parsed) = ObjectName::parse(name) else { return Ok(None) };
        let found =
            |known: &KnownPacks| known.objects.get(&parsed.key).filter(|place| place.object.file == name).cloned();
        let known = found(&self.lock());
        if known.is_some() { Ok(known) } else { Ok(found(&*self.known()?)) }
    }

    /// How many bytes the object of this name has; None if it is in no pack.
    pub(crate) fn length(&self, name: &str) -> Option<u64> {
        self.place(name).ok()?.map(|place| place.length)
    }

    /// The bytes in the place of an object, which may be damaged; None if it is in no pack.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        // A pack that is gone has been written anew, under another name.
        for _ in 0..2 {
            let Some(place) = self.place(name)? else { return Ok(None) };
            let path = self.path(&place.pack);
            let read = || -> io::Result<Vec<u8>> {
                let mut bytes = vec![0; usize::try_from(place.length).map_err(io::Error::other)?];
                read_exact_at(&File::open(&path)?, &mut bytes, place.from)?;
                Ok(bytes)
            };
            match read() {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(Some(Vec::new())),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let mut known = self.lock();
                    known.listed = None;
                    known.forget(|file| *file == place.pack);
                }
                Err(error) => return Err(StoreError::at("read", &path)(error)),
            }
        }
        Ok(None)
    }

    /// No longer counts an object whose bytes turned out to be damaged, and marks its pack, so that other processes look at all of it.
    pub(crate) fn distrust(&self, name: &str) -> Result<(), StoreError> {
        let Some(place) = self.place(name)? else { return Ok(()) };
        let mut known = self.lock();
        if let Some(parsed) = ObjectName::parse(name)
            && known.objects.get(&parsed.key).is_some_and(|other| other.object.file == name)
        {
            known.objects.remove(&parsed.key);
        }
        // Who may not mark it makes it again all the same.
        let _ = File::open(self.path(&place.pack)).and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH));
        Ok(())
    }

    /// All objects that count, and those that are damaged. With `everything`, all bytes are looked at; with `repair`, packs
    /// that were touched and are sound get their time again.
    pub(crate) fn all(&self, repair: bool, everything: bool) -> Result<PackedObjects, StoreError> {
        let (mut sound, mut damaged, files) = {
            let mut known = self.known()?;
            let touched = if repair { std::mem::take(&mut known.touched) } else { Vec::new() };
            for file in touched {
                // An error is no harm: the next run looks at the pack again.
                let time = digest_of(&file).map(|digest| seal(&digest));
                let _ = time.map(|time| File::open(self.path(&file)).and_then(|file| file.set_modified(time)));
            }
            let sound: HashMap<Digest, Object> =
                known.objects.iter().map(|(key, place)| (*key, place.object.clone())).collect();
            let open = known.open.keys().chain(&known.own);
            let damaged = known.damaged.keys().filter_map(|name| Some((ObjectName::parse(name)?, name.clone())));
            (sound, damaged.collect::<Vec<_>>(), known.files.iter().chain(open).cloned().collect::<Vec<_>>())
        };
        if everything {
            let check = |file: &Arc<str>| match self.members(file)? {
                Some(members) => self.damaged_in(file, &members),
                None => Ok(BTreeSet::new()),
            };
            let found: Vec<BTreeSet<String>> = files.par_iter().map(check).collect::<Result<_, _>>()?;
            for (file, names) in files.iter().zip(found) {
                for name in names {
                    let Some(parsed) = ObjectName::parse(&name) else { continue };
                    // Another pack may have it, too.
                    if self.place(&name)?.is_some_and(|place| place.pack == *file) {
                        sound.remove(&parsed.key);
                        damaged.push((parsed, name));
                    }
                }
            }
        }
        Ok((sound, damaged))
    }

    /// The files of all packs, the open ones of others last.
    pub(crate) fn files(&self) -> Result<Vec<Arc<str>>, StoreError> {
        let known = self.known()?;
        Ok(known.files.iter().chain(known.open.keys()).cloned().collect())
    }

    /// Opens a pack, in the name of this process.
    pub(crate) fn open(&self, name: &str) -> Result<OpenPack, StoreError> {
        fs::create_dir_all(&self.folder).map_err(StoreError::at("create", &self.folder))?;
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Containers may all have the same host name and process.
        let began = (clock::now() * 1e6) as u64;
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let file: Arc<str> = format!("{name}-{began:x}-{count}{OPEN}").into();
            let mut known = self.lock();
            if let Some(pack) = OpenPack::create(Arc::clone(&file), self.path(&file))? {
                known.own.insert(file);
                return Ok(pack);
            }
        }
    }

    /// Whether this open pack of this process is still there.
    pub(crate) fn has_own(&self, file: &str) -> bool {
        self.lock().own.contains(file)
    }

    /// Appends an object to an open pack of this process.
    pub(crate) fn append(&self, pack: &mut OpenPack, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let member = pack.append(name, bytes)?;
        let mut known = self.lock();
        if !known.own.contains(pack.name()) {
            let gone = io::Error::new(ErrorKind::NotFound, "somebody has removed it");
            return Err(StoreError::at("write", &self.path(pack.name()))(gone));
        }
        known.add(member, pack.name());
        Ok(())
    }

    /// The path of the next pack, which is to have these objects.
    pub(crate) fn next(&self, objects: &[String]) -> Result<PathBuf, StoreError> {
        let packs = names(&self.folder)?.into_iter().filter(|file| digest_of(file).is_some());
        let last = packs.filter_map(|file| number_of(&file)).max().unwrap_or(0);
        let digest = hex(digest(objects.iter().map(String::as_str)));
        Ok(self.path(&format!("{:08}-{digest}.zip", last.saturating_add(1))))
    }

    /// Looks at the folder again before anything is looked up, because this process has changed it.
    pub(crate) fn list_again(&self) {
        self.lock().listed = None;
    }

    /// Removes an open pack, whose objects are elsewhere now.
    pub(crate) fn close(&self, file: &str) -> Result<(), StoreError> {
        let path = self.path(file);
        StoreError::if_there(&path, fs::remove_file(&path))?;
        let mut known = self.lock();
        known.listed = None;
        known.forget(|other| **other == *file);
        Ok(())
    }

    /// The packs whose directory cannot be read.
    pub(crate) fn unreadable(&self) -> Result<Vec<PathBuf>, StoreError> {
        Ok(self.known()?.unreadable.iter().map(|file| self.path(file)).collect())
    }
}

/// The objects that count, by key, and the names of damaged ones.
pub(crate) type PackedObjects = (HashMap<Digest, Object>, Vec<(ObjectName, String)>);
