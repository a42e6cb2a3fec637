//! What the store holds at one moment: all that planning knows about the world.

use std::collections::HashMap;

use crate::plan::key::hex;
use crate::plan::sources::{ContentDigest, Sources};
use crate::plan::work::{Digest, Stage, Unavailable};

/// What the store holds. Maps are used for look-ups only and never iterated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Stored objects, by key.
    pub objects: HashMap<Digest, Object>,
    /// Objects whose bytes do not match their name, by key.
    pub damaged: HashMap<Digest, Object>,
    /// Records of published files, by [`record_name`].
    pub(crate) records: HashMap<String, PublishedFiles>,
    /// The errors of items that failed, by key.
    pub failures: HashMap<Digest, String>,
    /// What could not be reached a short while ago, by key.
    pub unavailable: HashMap<Digest, Unreached>,
}

/// Something that could not be reached.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Unreached {
    /// Why, and what to do.
    pub unavailable: Unavailable,
    /// The circumstances at that time ([`crate::plan::work::Work::circumstances`]).
    pub(crate) circumstances: String,
}

/// A stored object, as described by its file name.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The name of its file.
    pub file: String,
    /// The content that was stored.
    pub content: ContentDigest,
    /// What it was made from.
    pub(crate) made_from: Sources,
}

/// The published files of an item, as they were found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PublishedFiles {
    /// The key under which they were made.
    pub key: Digest,
    /// The fingerprint of the item that made them.
    pub fingerprint: Digest,
    /// What they were made from.
    pub(crate) made_from: Sources,
    /// The content that was published.
    pub content: ContentDigest,
    /// The files, relative to the project root.
    pub files: Vec<String>,
    /// Whether they are still as they were published.
    pub state: PublishedState,
}

/// Whether published files are still as they were published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PublishedState {
    /// All of them are.
    Intact,
    /// This one is gone.
    Missing(String),
    /// This one has other bytes.
    Damaged(String),
}

/// The name of an item's record, relative to the folder of records: the name of its stage, with the beginning of the
/// item's key if the stage has several items.
pub fn record_name(stage: &Stage, key: &Digest) -> String {
    if stage.items.len() == 1 { stage.name.clone() } else { format!("{}@{}", stage.name, hex(&key[..8])) }
}
