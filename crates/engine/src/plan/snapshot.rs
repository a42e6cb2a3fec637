//! What the store holds at one moment: all that planning knows of the world.

use std::collections::HashMap;

use crate::plan::key::hex;
use crate::plan::sources::{Content, Sources};
use crate::plan::work::{Digest, Stage, Unavailable};

/// What the store holds. Maps are only looked up, never iterated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Stored objects, by key.
    pub objects: HashMap<Digest, Object>,
    /// Objects whose bytes are not what their name says, by key.
    pub damaged: HashMap<Digest, Object>,
    /// Records of published files, by [`record_name`].
    pub records: HashMap<String, PublishedFiles>,
    /// Errors of items that failed, by key.
    pub failures: HashMap<Digest, String>,
    /// What could not be reached a short while ago, by key.
    pub unavailable: HashMap<Digest, Unreached>,
}

/// Something that could not be reached.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Unreached {
    /// Why, and what to do.
    pub unavailable: Unavailable,
    /// Under which circumstances ([`crate::plan::work::Work::circumstances`]).
    pub circumstances: String,
}

/// A stored object, as its file name describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The name of its file.
    pub file: String,
    /// The content that was stored.
    pub content: Content,
    /// What it was made from.
    pub made_from: Sources,
}

/// The record of published files, as found.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedFiles {
    /// The key under which they were made.
    pub key: Digest,
    /// The fingerprint of the item that made them.
    pub fingerprint: Digest,
    /// What they were made from.
    pub made_from: Sources,
    /// The content that was published.
    pub content: Content,
    /// The files, relative to the project root.
    pub files: Vec<String>,
    /// Whether they are still what was published.
    pub state: PublishedState,
}

/// Whether published files are still what was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishedState {
    /// All of them.
    Intact,
    /// This one is gone.
    Missing(String),
    /// This one has other bytes.
    Damaged(String),
}

/// The name of the record of an item, relative to the folder of records: that of its stage; where a stage has several
/// items, with the beginning of the item's key.
pub fn record_name(stage: &Stage, key: &Digest) -> String {
    if stage.items.len() == 1 { stage.name.clone() } else { format!("{}@{}", stage.name, hex(&key[..8])) }
}
