//! What unfinished items have come to: `results/store/partial/<key>`, the SHA-256 of the bytes before the bytes.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use crate::exec::scratch::Scratch;
use crate::exec::store::{Store, StoreError};

/// The bytes of a digest.
const DIGEST: usize = 32;

/// Where the item with this key, in hexadecimal, keeps what it has come to.
pub fn path(store: &Store, key: &str) -> PathBuf {
    store.folder("partial").join(key)
}

/// What was kept, unless there is nothing, or it is damaged.
pub fn read(store: &Store, key: &str) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path(store, key)).ok()?;
    let (digest, rest) = bytes.split_at_checked(DIGEST)?;
    if Sha256::digest(rest).as_slice() != digest {
        return None;
    }
    bytes.drain(..DIGEST);
    Some(bytes)
}

/// Keeps `bytes`.
pub fn write(scratch: &Scratch, store: &Store, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let digest = Sha256::digest(bytes);
    scratch.publish(&[digest.as_slice(), bytes].concat(), &path(store, key)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_counts_as_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path());
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
}
