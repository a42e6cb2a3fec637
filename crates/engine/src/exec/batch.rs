//! Batches: which shard has which cell. This is settled once for all shards that share a batch name, whenever they
//! begin: the first shard writes it down, and a lease makes the others wait until it has.
//!
//! `results/store/batches/<name>`: a line `noregret batch 1, N shards of <name>`, then a line `<shard> <digest>` per cell.

use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::exec::lease::Lease;
use crate::exec::scratch::Scratch;
use crate::exec::store::{ResultStore, StoreError};
use crate::plan::key::{content, hex, unhex};
use crate::plan::work::Digest;

/// The shard of each cell, by what a batch calls it ([`crate::exec::request::share`]).
pub(crate) type Shards = HashMap<Digest, usize>;

/// Why a batch cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The name is not allowed.
    #[error("a batch name has 1 to 100 letters, digits, `-`, `_` or `.` and does not begin with `.`; found `{0}`")]
    Name(String),
    /// Its cells were dealt out to a different number of shards.
    #[error("batch `{name}` has {shards} shards, not {asked}; use another batch name for another number of shards")]
    Count {
        /// Its name.
        name: String,
        /// Its number of shards.
        shards: usize,
        /// The number that was asked for.
        asked: usize,
    },
    /// The file is not the one that the batch wrote.
    #[error("{} is not the file of the batch of this name; remove it and run the same command again", .0.display())]
    Malformed(PathBuf),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The folder of batches.
pub fn folder(store: &ResultStore) -> PathBuf {
    store.folder("batches")
}

/// The shards of the batch `name`. If there is no such batch yet, `make` gives its shards, which are written down
/// unless `dry`.
pub fn shards(
    store: &ResultStore,
    name: &str,
    count: NonZeroUsize,
    dry: bool,
    make: impl FnOnce() -> Result<Vec<(Digest, usize)>, StoreError>,
) -> Result<Shards, BatchError> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if !plain || name.is_empty() || name.len() > 100 || name.starts_with('.') {
        return Err(BatchError::Name(name.to_owned()));
    }
    if let Some(shards) = read(store, name, count)? {
        return Ok(shards);
    }
    if dry {
        return Ok(make()?.into_iter().collect());
    }
    let _lease = Lease::wait(store, &content(format!("batch {name}").as_bytes()))?;
    if let Some(shards) = read(store, name, count)? {
        return Ok(shards);
    }
    let shards = make()?;
    let mut text = format!("{HEAD}{count} shards of {name}\n");
    for (key, shard) in &shards {
        text.push_str(&format!("{shard} {}\n", hex(key)));
    }
    Scratch::open(store)?.publish(text.as_bytes(), &folder(store).join(name))?;
    Ok(shards.into_iter().collect())
}

const HEAD: &str = "noregret batch 1, ";

fn read(store: &ResultStore, name: &str, asked: NonZeroUsize) -> Result<Option<Shards>, BatchError> {
    let path = folder(store).join(name);
    let Some(text) = StoreError::if_there(&path, fs::read_to_string(&path))? else { return Ok(None) };
    let mut lines = text.lines();
    let head = lines.next().and_then(|line| line.strip_prefix(HEAD)?.split_once(" shards"));
    // Earlier versions wrote no name.
    let head = head.filter(|(_, of)| of.is_empty() || of.strip_prefix(" of ") == Some(name));
    let Some(shards) = head.and_then(|(count, _)| count.parse::<usize>().ok()) else {
        return Err(BatchError::Malformed(path));
    };
    if shards != asked.get() {
        return Err(BatchError::Count { name: name.to_owned(), shards, asked: asked.get() });
    }
    let cells = lines.map(|line| {
        let (shard, key) = line.split_once(' ')?;
        Some((unhex(key)?, shard.parse().ok()?))
    });
    cells.collect::<Option<Shards>>().map(Some).ok_or(BatchError::Malformed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).expect("not zero")
    }

    #[test]
    fn the_first_one_settles_it() -> Result<(), BatchError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(folder.path());
        let deal = |cells: &[(u8, usize)]| Ok(cells.iter().map(|&(key, shard)| ([key; 32], shard)).collect());
        let dry = shards(&store, "a", count(2), true, || deal(&[(9, 1)]))?;
        assert_eq!(dry, Shards::from([([9; 32], 1)]));
        let first = shards(&store, "a", count(2), false, || deal(&[(1, 1), (2, 2)]))?;
        assert_eq!(first, Shards::from([([1; 32], 1), ([2; 32], 2)]));
        let second = shards(&store, "a", count(2), false, || deal(&[(2, 1)]))?;
        assert_eq!(second, first);
        let other = shards(&store, "b", count(2), false, || deal(&[(2, 1)]))?;
        assert_eq!(other, Shards::from([([2; 32], 1)]));
        Ok(())
    }

    #[test]
    fn a_wrong_name_another_number_and_another_file_are_refused() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let store = ResultStore::new(root.path());
        let of = |name: &str, n| shards(&store, name, count(n), false, || Ok(vec![([1; 32], 1)]));
        for wrong in ["", "../a", ".a", "a b", "a/b"] {
            assert!(matches!(of(wrong, 2), Err(BatchError::Name(_))), "{wrong}");
        }
        assert!(of("a", 2).is_ok());
        assert!(matches!(of("a", 3), Err(BatchError::Count { shards: 2, asked: 3, .. })));
        for text in [
            "",
            "x\n",
            "noregret batch 1, 2 shards of b\n",
            "noregret batch 1, 2 shards\n1\n",
            "noregret batch 1, 2 shards\n1 zz\n",
        ] {
            fs::write(folder(&store).join("a"), text).expect("a file");
            assert!(matches!(of("a", 2), Err(BatchError::Malformed(_))), "{text}");
        }
    }
}
