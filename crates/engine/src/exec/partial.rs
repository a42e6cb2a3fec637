//! What unfinished items have come to: `results/store/partial/<key>`, the SHA-256 of key and bytes before the bytes.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use crate::exec::scratch::Scratch;
use crate::exec::store::{ResultStore, StoreError};

/// The bytes of a digest.
const DIGEST: usize = 32;

/// Where the item with this key, in hexadecimal, keeps what it has come to.
pub(crate) fn path(store: &ResultStore, key: &str) -> PathBuf {
    store.folder("partial").join(key)
}

/// The digest of what the item with this key has come to. Under the name of another one it is none.
fn digest(key: &str, bytes: &[u8]) -> [u8; DIGEST] {
    Sha256::new().chain_update(key).chain_update(bytes).finalize().into()
}

/// What was kept, unless there is nothing, or it is damaged or of another item.
pub(crate) fn read(store: &ResultStore, key: &str) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path(store, key)).ok()?;
    let (kept, rest) = bytes.split_at_checked(DIGEST)?;
    if digest(key, rest) != kept {
        return None;
    }
    bytes.drain(..DIGEST);
    Some(bytes)
}

/// Keeps `bytes`.
pub(crate) fn write(scratch: &Scratch, store: &ResultStore, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
    scratch.publish(&[&digest(key, bytes), bytes].concat(), &path(store, key)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_counts_as_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = ResultStore::new(folder.path());
        let scratch = Scratch::open(&store).expect("a store");
        assert_eq!(read(&store, "aa"), None);
        write(&scratch, &store, "aa", b"half").expect("space");
        assert_eq!(read(&store, "aa").as_deref(), Some(&b"half"[..]));
        write(&scratch, &store, "aa", b"three quarters").expect("space");
        assert_eq!(read(&store, "aa").as_deref(), Some(&b"three quarters"[..]));
        let bytes = fs::read(path(&store, "aa")).expect("a file");
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            fs::write(path(&store, "aa"), &broken).expect("space");
            assert_eq!(read(&store, "aa"), None, "byte {at}");
            fs::write(path(&store, "aa"), &bytes[..at]).expect("space");
            assert_eq!(read(&store, "aa"), None, "the first {at} bytes");
        }
    }

    #[test]
    fn what_belongs_to_another_item_counts_as_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = ResultStore::new(folder.path());
        let scratch = Scratch::open(&store).expect("a store");
        let keys = ["a".repeat(64), "b".repeat(64)];
        let swap = || {
            let [one, other] = [0, 1].map(|i| path(&store, &keys[i]));
            let aside = folder.path().join("aside");
            for (from, to) in [(&one, &aside), (&other, &one), (&aside, &other)] {
                fs::rename(from, to).expect("a file");
            }
        };
        let found = || [0, 1].map(|i| read(&store, &keys[i]));
        keys.iter().for_each(|key| write(&scratch, &store, key, key.as_bytes()).expect("space"));
        swap();
        assert_eq!(found(), [None, None]);
        swap();
        assert_eq!(found(), [0, 1].map(|i| Some(keys[i].clone().into_bytes())));
    }
}
