//! Keys: one SHA-256 over everything that the product of an item depends on.
//!
//! | enters the key | not |
//! | --- | --- |
//! | the kind of stage (its name up to `/`) | the stage's own name beyond its kind: equal work is shared |
//! | the item's fingerprint: canonical parameters and code identity | its label, its position, its estimate |
//! | for every input, in order: the stage's name, and the input's key | where its files are, their times |
//! | for an optional input that is missing: a marker | why it cannot be had |
//!
//! A key is known before anything runs, because the keys of inputs are. Equal keys mean equal products as long as
//! inputs hold what their keys say; their bytes are compared separately (`sources.rs`).

use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// The key of one item, fed input by input.
pub(crate) struct KeyHash(Sha256);

impl KeyHash {
    /// Starts the key of an item of the stage `name` (`kind/...`).
    pub(crate) fn new(name: &str, fingerprint: &Digest) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"noregret key 1");
        text(&mut hash, kind(name));
        hash.update(fingerprint);
        Self(hash)
    }

    /// Adds an input: the name of its stage, and its key, marker, or digest over a whole stage.
    pub(crate) fn input(&mut self, stage: &str, key: &Digest) {
        text(&mut self.0, stage);
        self.0.update(key);
    }

    /// The key.
    pub(crate) fn finish(self) -> Digest {
        self.0.finalize().into()
    }
}

/// The kind of a stage: its name up to `/`.
pub fn kind(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// The digest that stands for a whole stage: over the keys (or markers) of all its items.
pub(crate) fn whole(keys: impl Iterator<Item = impl AsRef<[u8]>>) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"noregret stage 1");
    for key in keys {
        hash.update(key);
    }
    hash.finalize().into()
}

/// What stands for an optional input that is unavailable. It does not contain the reason, which names folders and
/// hosts: what is made without the input is the same whatever the reason.
pub(crate) fn unavailable_marker() -> Digest {
    marker("unavailable", &[])
}

/// What stands for an optional input that failed.
pub(crate) fn failed_marker(error: &str) -> Digest {
    marker("failed", &[error])
}

fn marker(kind: &str, texts: &[&str]) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"noregret marker 1");
    text(&mut hash, kind);
    for part in texts {
        text(&mut hash, part);
    }
    hash.finalize().into()
}

fn text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

/// SHA-256 of bytes.
pub fn content(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

pub use hex::encode as hex;

/// Reads `N` bytes of lower-case hexadecimal.
pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    let bytes = text.as_bytes();
    if bytes.len() != 2 * N {
        return None;
    }
    let mut out = [0; N];
    for (byte, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_length_prefixed_and_every_part_matters() {
        let key = |name: &str, print: u8, inputs: &[(&str, u8)]| {
            let mut hash = KeyHash::new(name, &[print; 32]);
            for (stage, byte) in inputs {
                hash.input(stage, &[*byte; 32]);
            }
            hash.finish()
        };
        let base = key("run/a", 1, &[("ab", 2), ("c", 3)]);
        assert_eq!(base, key("run/b", 1, &[("ab", 2), ("c", 3)]), "only the kind of the own name enters");
        assert_ne!(base, key("fit/a", 1, &[("ab", 2), ("c", 3)]));
        assert_ne!(base, key("run/a", 2, &[("ab", 2), ("c", 3)]));
        assert_ne!(base, key("run/a", 1, &[("a", 2), ("bc", 3)]));
        assert_ne!(base, key("run/a", 1, &[("c", 3), ("ab", 2)]));
        assert_ne!(base, key("run/a", 1, &[("ab", 2)]));
    }

    #[test]
    fn hexadecimal_round_trips_and_refuses_what_it_is_not() {
        let bytes: [u8; 32] = std::array::from_fn(|i| (i * 37) as u8);
        assert_eq!(unhex::<32>(&hex(bytes)), Some(bytes));
        assert_eq!(unhex::<2>("00g0"), None);
        assert_eq!(unhex::<2>("000"), None);
        assert_eq!(unhex::<2>("00FF"), None);
    }

    #[test]
    fn markers_tell_failed_from_unavailable() {
        assert_ne!(unavailable_marker(), failed_marker(""));
        assert_ne!(failed_marker("x"), failed_marker("y"));
    }
}
