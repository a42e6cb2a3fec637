//! Packs written anew, without what nobody needs any longer. Only for whoever has the store alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exec::open::OPEN;
use crate::exec::pack::{BYTES, OBJECTS};
use crate::exec::packer::{FEWEST, SMALL, pack_all};
use crate::exec::scratch::Scratch;
use crate::exec::store::{ObjectError, ObjectName, ResultStore, StoreError, names};
use crate::plan::work::Digest;

/// A pack with less than half of what it may have is joined with others.
const FEW: usize = OBJECTS / 2;

/// What is to be done.
#[derive(Default)]
pub(crate) struct Repack {
    /// What is lost: paths of packs, and of members as if packs were folders, with their bytes.
    pub(crate) lost: Vec<(PathBuf, u64)>,
    /// The packs that go.
    old: Vec<Arc<str>>,
    /// The objects that come into new packs.
    kept: Vec<String>,
}

impl Repack {
    /// What is to be done so that packs have only objects with keys that are `needed`. To `join` means to pack what lies by itself and
    /// to make one pack of several small ones.
    pub(crate) fn plan(store: &ResultStore, needed: impl Fn(&Digest) -> bool, join: bool) -> Result<Self, StoreError> {
        let (mut repack, mut small) = (Self::default(), Vec::new());
        let packs = store.packs();
        for file in packs.files()? {
            let path = packs.path(&file);
            let Some(members) = packs.members(&file)? else {
                if !join {
                    continue;
                }
                let bytes = path.metadata().map_or(0, |meta| meta.len());
                repack.lost.push((path, bytes));
                repack.old.push(file);
                continue;
            };
            let (lost, (mut kept, mut bytes)) = (repack.lost.len(), (Vec::new(), 0));
            for member in members {
                let parsed = ObjectName::parse(&member.name).filter(|name| needed(&name.key));
                let is_kept = match parsed {
                    Some(name) => !join || counts(store, &name.key, &member.name, &path)?,
                    None => false,
                };
                if is_kept {
                    bytes += member.length;
                    kept.push(member.name);
                } else {
                    repack.lost.push((path.join(&member.name), member.length));
                }
            }
            if repack.lost.len() > lost || kept.is_empty() || join && file.ends_with(OPEN) {
                repack.old.push(file);
                repack.kept.append(&mut kept);
            } else if kept.len() < FEW && bytes < BYTES / 2 {
                small.push((file, kept));
            }
        }
        if join {
            let alone = alone(store, needed)?;
            if !repack.kept.is_empty() || small.len() + usize::from(alone.len() >= FEWEST) > 1 {
                small.into_iter().for_each(|(file, mut kept)| {
                    repack.old.push(file);
                    repack.kept.append(&mut kept);
                });
            }
            if alone.len() >= FEWEST {
                repack.kept.extend(alone);
            }
        }
        Ok(repack)
    }

    /// Does it. A process that is killed meanwhile leaves some objects in two packs.
    pub(crate) fn carry_out(self, store: &ResultStore, scratch: &Scratch) -> Result<(), StoreError> {
        pack_all(store, scratch, self.kept)?;
        self.old.iter().try_for_each(|file| store.remove(&store.packs().path(file)))
    }
}

/// Whether the object of this name in a pack is what is found under its key, or would be if what is found were not damaged.
fn counts(store: &ResultStore, key: &Digest, name: &str, pack: &Path) -> Result<bool, StoreError> {
    let Some(found) = store.find(key)? else { return Ok(false) };
    if found == name {
        return Ok(if store.lies_in(name)? == pack { true } else { store.is_sound_alone(name)? == Some(false) });
    }
    match store.read(&found) {
        Ok(_) => Ok(false),
        Err(ObjectError::Damaged { .. }) => Ok(true),
        Err(ObjectError::Store(error)) => Err(error),
    }
}

/// The small objects that lie by themselves under keys that are `needed`.
fn alone(store: &ResultStore, needed: impl Fn(&Digest) -> bool) -> Result<Vec<String>, StoreError> {
    let objects = store.folder("objects");
    let mut alone = Vec::new();
    for shard in names(&objects)? {
        for name in names(&objects.join(shard))? {
            let is_needed = ObjectName::parse(&name).is_some_and(|parsed| needed(&parsed.key));
            if is_needed && store.length(&name) <= SMALL {
                alone.push(name);
            }
        }
    }
    alone.sort_unstable();
    Ok(alone)
}
