//! How a run stores objects. What took long to make, or is large, lies by itself and is synced. Cheap objects are appended to an
//! open pack, which is synced every few seconds: a power cut costs what was made meanwhile. Small objects come into packs
//! as soon as there are enough of them.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noregret_platform::files::make_read_only;

use crate::exec::lease::Lease;
use crate::exec::object::seal;
use crate::exec::open::{OPEN, OpenPack};
use crate::exec::pack::{BYTES, OBJECTS, write_pack};
use crate::exec::packs::digest;
use crate::exec::scratch::{Scratch, host};
use crate::exec::store::{ObjectError, ResultStore, StoreError};
use crate::plan::key::content;

/// Larger objects are not packed.
pub(crate) const SMALL: u64 = 1 << 20;

/// Fewer objects are not packed.
pub(crate) const FEWEST: usize = 100;

/// What took less to make is cheap, and is synced after so long.
const CHEAP: Duration = Duration::from_millis(50);
const UNSYNCED: Duration = Duration::from_secs(5);

/// Stores the objects of one run.
pub(crate) struct Packer<'a> {
    store: &'a ResultStore,
    scratch: &'a Scratch,
    small: Mutex<SmallObjects>,
    packing: Mutex<()>,
}

/// The small objects that are to be packed.
#[derive(Default)]
struct SmallObjects {
    /// Those that lie by themselves.
    alone: Vec<String>,
    bytes: u64,
    open: Option<OpenPack>,
}

impl SmallObjects {
    fn len(&self) -> usize {
        self.alone.len() + self.open.as_ref().map_or(0, |open| open.names.len())
    }

    fn is_full(&self) -> bool {
        self.len() >= OBJECTS || self.bytes + self.open.as_ref().map_or(0, OpenPack::length) >= BYTES
    }

    /// The open pack, if it was not synced for long. It counts as synced from now on.
    fn take_unsynced(&mut self) -> Result<Option<(PathBuf, File)>, StoreError> {
        let due = |open: &&mut OpenPack| open.unsynced.is_some_and(|since| since.elapsed() >= UNSYNCED);
        self.open.as_mut().filter(due).map(OpenPack::take_unsynced).transpose()
    }
}

impl<'a> Packer<'a> {
    /// Nothing is stored yet.
    pub(crate) fn new(store: &'a ResultStore, scratch: &'a Scratch) -> Self {
        Self { store, scratch, small: Mutex::default(), packing: Mutex::default() }
    }

    fn small(&self) -> MutexGuard<'_, SmallObjects> {
        self.small.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an object that took so long to make, where there were others under its key `before`. What comes in place of others
    /// lies by itself until `gc` packs it, because that counts before all packs.
    pub(crate) fn object(&self, name: &str, bytes: &[u8], took: Duration, before: &[String]) -> Result<(), StoreError> {
        let length = bytes.len() as u64;
        // Where files may not become as large as packs are, all lie by themselves; and on Windows, where nobody can read what another
        // process holds.
        let alone = length > SMALL || took >= CHEAP || !before.is_empty() || cfg!(windows);
        if alone || self.append(name, bytes).is_err() {
            self.scratch.object(self.store, name, bytes)?;
            if length <= SMALL && before.is_empty() {
                let mut small = self.small();
                small.alone.push(name.to_owned());
                small.bytes += length;
            }
        }
        Ok(())
    }

    fn append(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let mut small = self.small();
        // Somebody may have removed it.
        if small.open.as_ref().is_some_and(|open| !self.store.packs().has_own(open.name())) {
            small.open = None;
        }
        let open = match &mut small.open {
            Some(open) => open,
            none => none.insert(self.store.packs().open(&self.scratch.name())?),
        };
        self.store.packs().append(open, name, bytes)
    }

    /// Packs and syncs what is due.
    pub(crate) fn tidy_due(&self) -> Result<(), StoreError> {
        if self.small().is_full() {
            return self.tidy();
        }
        let due = self.small().take_unsynced()?;
        due.map_or(Ok(()), |(path, file)| file.sync_data().map_err(StoreError::at("sync", &path)))
    }

    /// Packs the small objects, if they are enough for a pack. If not, all lie by themselves afterwards. After an error, objects lie where
    /// they lay, and the next run tidies up.
    pub(crate) fn tidy(&self) -> Result<(), StoreError> {
        let _only = self.packing.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *self.small());
        let is_enough = taken.len() >= FEWEST || taken.is_full();
        let SmallObjects { mut alone, mut open, bytes } = taken;
        if !is_enough {
            let mut small = self.small();
            small.alone.append(&mut alone);
            small.bytes += bytes;
        }
        let names = open.as_mut().map(|open| std::mem::take(&mut open.names)).unwrap_or_default();
        // It is held until its objects are elsewhere.
        self.settle(names, alone, is_enough, open.as_ref().map(|open| &**open.name()))
    }

    /// Packs these objects of an open pack, and those that lie by themselves, or puts each of the former by itself; and removes the open pack.
    fn settle(
        &self,
        mut names: Vec<String>,
        alone: Vec<String>,
        packed: bool,
        file: Option<&str>,
    ) -> Result<(), StoreError> {
        // Others may have been replaced meanwhile.
        names.retain(|name| self.store.is_current(name));
        if packed {
            names.extend(alone);
            pack_all(self.store, self.scratch, names)?;
        } else {
            for name in names.into_iter().filter(|name| self.store.is_current(name)) {
                match self.store.read(&name) {
                    Ok(bytes) => self.scratch.object(self.store, &name, &bytes)?,
                    Err(ObjectError::Damaged { .. }) => {}
                    Err(ObjectError::Store(error)) => return Err(error),
                }
            }
        }
        file.map_or(Ok(()), |file| self.store.packs().close(file))
    }

    /// Tidies up what processes have left that were killed.
    pub(crate) fn tidy_after(&self, dead: Vec<(Arc<str>, File)>) -> Result<(), StoreError> {
        for (file, _held) in dead {
            let members = self.store.packs().members(&file)?.unwrap_or_default();
            let names: Vec<String> = members.into_iter().map(|member| member.name).collect();
            let is_enough = names.len() >= FEWEST;
            self.settle(names, Vec::new(), is_enough, Some(&file))?;
        }
        Ok(())
    }
}

/// The open packs of processes of this machine that were killed. They are held now, so that nobody else tidies them up.
pub(crate) fn of_dead(store: &ResultStore) -> Vec<(Arc<str>, File)> {
    let host = format!("{}.", host());
    let mut files = store.packs().files().unwrap_or_default();
    files.retain(|file| file.ends_with(OPEN) && file.starts_with(&host));
    let held = |file: Arc<str>| {
        let path = store.packs().path(&file);
        // Whoever cannot write to it leaves it to others.
        let held = File::options().write(true).open(&path).ok().filter(|held| held.try_lock().is_ok())?;
        path.exists().then_some((file, held))
    };
    files.into_iter().filter_map(held).collect()
}

/// Makes packs of objects, and removes those that lie by themselves. What is gone or damaged is left out.
pub(crate) fn pack_all(store: &ResultStore, scratch: &Scratch, names: Vec<String>) -> Result<(), StoreError> {
    // As many in each.
    let each = names.len().div_ceil((names.len() / OBJECTS).max(1));
    let mut names = names.into_iter().peekable();
    while names.peek().is_some() {
        let (mut some, mut bytes) = (Vec::new(), 0);
        while let Some(name) = names.next_if(|_| some.len() < each && bytes < 2 * BYTES) {
            bytes += store.length(&name);
            some.push(name);
        }
        some.sort_unstable();
        some.dedup();
        while let Some(name) = pack(store, scratch, &some)? {
            let mut others = Vec::new();
            for other in some.drain(..).filter(|other| *other != name) {
                match store.read(&other) {
                    Ok(_) => others.push(other),
                    Err(ObjectError::Damaged { .. }) => {}
                    Err(ObjectError::Store(error)) => return Err(error),
                }
            }
            some = others;
        }
        some.iter().try_for_each(|name| store.remove(&store.object_path(name)))?;
    }
    Ok(())
}

/// Makes a pack of objects in the order of their names, unless one of them is gone or damaged, which is returned.
fn pack(store: &ResultStore, scratch: &Scratch, names: &[String]) -> Result<Option<String>, StoreError> {
    if names.is_empty() {
        return Ok(None);
    }
    let _numbers = Lease::wait(store, &content(b"packs"))?;
    let path = store.packs().next(names)?;
    let broken = Mutex::new(None);
    let read = |name: &String| match store.read(name) {
        Ok(bytes) => Ok((name.clone(), bytes)),
        Err(ObjectError::Store(error)) => Err(io::Error::other(error)),
        Err(error) => {
            *broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
            Err(io::Error::other(error))
        }
    };
    let content = |file: &File| {
        write_pack(BufWriter::new(file), names.iter().map(read)).and_then(|mut writer| Ok(writer.flush()?))?;
        file.set_modified(seal(&digest(names.iter().map(String::as_str))))?;
        make_read_only(file)
    };
    let written = scratch.publish_with(&content, &path);
    store.packs().list_again();
    let broken = broken.into_inner().unwrap_or_else(PoisonError::into_inner);
    if broken.is_some() { Ok(broken) } else { written.map(|_| None) }
}
