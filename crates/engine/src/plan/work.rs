//! The contract between the engine (plan, exec), which knows nothing of kernels, and the stages, which do the work.

use std::error::Error;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

pub use crate::plan::key::Digest;
use crate::plan::key::whole;

/// The whole DAG of a profile: stages in topological order (inputs of a stage come before it).
#[derive(Default)]
pub struct Graph {
    /// The stages.
    pub stages: Vec<Stage>,
}

impl Graph {
    /// The items of its stage that an input stands for.
    pub(crate) fn items(&self, input: &ItemInput) -> Range<usize> {
        match input.item {
            Some(item) => item..item + 1,
            None => 0..self.stages[input.stage].items.len(),
        }
    }

    /// The key of an input, made of the keys (or markers) of its items.
    pub(crate) fn input_key(&self, input: &ItemInput, key: impl Fn(usize, usize) -> Digest) -> Digest {
        match input.item {
            Some(item) => key(input.stage, item),
            None => whole(self.items(input).map(|item| key(input.stage, item))),
        }
    }
}

/// A named node of the DAG. Most stages have one item; `run/...`, `comparator/...` have one per cell,
/// `prepare/...` one per variant.
pub struct Stage {
    /// Its name, `kind/name`, as asked for on the command line (`run/casp`).
    pub name: String,
    /// Its items.
    pub items: Vec<Item>,
    /// What does the work.
    pub work: Arc<dyn Work>,
    /// How its products are kept.
    pub storage: Storage,
}

impl Stage {
    /// What messages call an item: the name of its stage and, where that has several items, its label.
    pub fn called(&self, item: usize) -> String {
        format!("{} {}", self.name, self.work.label(item)).trim_end().to_owned()
    }
}

/// The unit of work and of caching.
#[derive(Clone)]
pub struct Item {
    /// SHA-256 of the canonical parameters and the code identity: everything that the product depends on besides its
    /// inputs.
    pub fingerprint: Digest,
    /// The inputs that it reads.
    pub inputs: Arc<[ItemInput]>,
}

/// A dependency of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemInput {
    /// Index of the stage.
    pub stage: usize,
    /// One of its items, or `None` for all of them.
    pub item: Option<usize>,
    /// Whether the item can be made without it.
    pub need: Need,
}

/// Whether an item can be made without an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// No: if the input failed or is unavailable, so is the item.
    Required,
    /// Yes: the item learns what is missing and says so in its product.
    Optional,
}

/// How products are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the store, under the item's key, with this file extension.
    Object { extension: &'static str },
    /// As files under their own names (figures, tables, summaries, raw data), with a record of key and hashes.
    Files,
}

/// The work of one stage.
pub trait Work: Send + Sync {
    /// What distinguishes an item, for people: `pkrr-taylor order=2 lambda=1 replicate=0`. Empty for stages of one
    /// item.
    fn label(&self, _item: usize) -> String {
        String::new()
    }

    /// Canonical parameters and code, for `explain` and metadata; their hash is the item's fingerprint.
    fn facts(&self, item: usize) -> Facts;

    /// A forecast, for the order of execution and the memory bound.
    fn estimate(&self, _item: usize) -> Estimate {
        Estimate::default()
    }

    /// Whether its items are cells: many, independent of each other and costly. A cluster spreads cells over its tasks.
    fn is_cell(&self) -> bool {
        false
    }

    /// Why the item cannot be made here, if that is known beforehand (data that cannot be reached).
    fn unavailable(&self, _item: usize) -> Option<Unavailable> {
        None
    }

    /// Whether equal keys mean equal bytes, so that results can be in the lock. This is not so for measured times, for
    /// pages that show a commit, and for raw files whose bytes differ between sources.
    fn reproducible(&self) -> bool {
        true
    }

    /// A number that sums up a stored object, for comparison between machines that round differently.
    fn value(&self, _object: &[u8]) -> Option<f64> {
        None
    }

    /// What access to the item's data depends on (mirrors, whether the network may be used). What could not be reached
    /// is remembered for a while, but it is tried again at once when this changes. It is not part of the key.
    fn circumstances(&self, _item: usize) -> String {
        String::new()
    }

    /// Hashes a file that the item reads and that no record tells of (a user's own): whether it is as it was when its
    /// key was made, or what is wrong. `None` if there is no such file.
    fn verify(&self, _item: usize) -> Option<Result<(), String>> {
        None
    }

    /// Makes the product.
    fn execute(&self, item: usize, job: &dyn Job) -> Result<Product, Failure>;
}

/// Everything that an item's product depends on besides its inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Canonical parameters.
    pub parameters: serde_json::Value,
    /// The code that computes it.
    pub code: Arc<crate::code::CodeIdentity>,
}

/// A coarse forecast of what an item needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Relative cost (floating-point operations, or bytes to move). The costliest work comes first.
    pub cost: f64,
    /// Peak memory in bytes.
    pub bytes: f64,
    /// Items of one group take time in proportion to `cost`; earlier runs of the group predict seconds.
    pub group: String,
}

/// Why something is unavailable here, and what to do about it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Unavailable {
    /// What was tried, and what happened.
    pub reason: String,
    /// What the user can do.
    pub remedy: String,
}

/// What an item may use while it runs.
pub trait Job: Sync {
    /// The item's full key, in hexadecimal.
    fn key(&self) -> &str;
    /// The outcomes of its inputs, in the order in which they were declared; a whole stage is listed item by item.
    fn inputs(&self) -> &[Resolved];
    /// The verified bytes of the stored object of `inputs()[index]`.
    fn object(&self, index: usize) -> Result<Vec<u8>, Failure>;
    /// SHA-256, in hexadecimal, of one of the published files of `inputs()[index]`, as it was published.
    fn recorded(&self, index: usize, file: &Path) -> Result<String, Failure>;
    /// The verified bytes of one of the published files of `inputs()[index]`.
    fn published(&self, index: usize, file: &Path) -> Result<Vec<u8>, Failure> {
        let recorded = self.recorded(index, file)?;
        match std::fs::read(file) {
            Ok(bytes) if hex::encode(Sha256::digest(&bytes)) == recorded => Ok(bytes),
            Ok(_) => Err(Failure::DamagedInput { index }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::DamagedInput { index }),
            Err(error) => Err(Failure::about(format!("cannot read {}", file.display()), error)),
        }
    }
    /// Whether the run was interrupted. Long work asks now and then and, if so, returns [`Failure::Interrupted`].
    fn interrupted(&self) -> bool;
    /// Shows the user a message while the work goes on.
    fn say(&self, message: &str);
    /// What an earlier attempt at this item kept last with [`keep`](Job::keep), if its bytes are whole.
    fn kept(&self) -> Option<Vec<u8>> {
        None
    }
    /// Keeps what this attempt has come to, in place of what was kept before, so that the next one can go on from there
    /// if this one is killed. It is removed when the item is made.
    fn keep(&self, _bytes: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}

/// An input, and its outcome.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The stage's name.
    pub stage: String,
    /// The item within the stage.
    pub item: usize,
    /// What became of it.
    pub outcome: ItemOutcome,
}

/// What became of an item.
#[derive(Clone, Debug)]
pub enum ItemOutcome {
    /// It was made: its key in hexadecimal, and its files (the object, or the published files).
    Done { key: String, files: Vec<PathBuf> },
    /// It failed, with this error.
    Failed(String),
    /// It is unavailable here.
    Unavailable(Unavailable),
}

/// What an item makes.
#[derive(Debug)]
pub enum Product {
    /// Bytes for the store ([`Storage::Object`]), and optional measurements (times, host) that are logged and never
    /// enter a key.
    Object { bytes: Vec<u8>, measurements: Option<serde_json::Value> },
    /// Files to publish: paths relative to the project root, with their bytes ([`Storage::Files`]).
    Files(Vec<(PathBuf, Vec<u8>)>),
    /// Files that the work itself has put in place, atomically (downloads too large for memory).
    Placed {
        /// Their paths, relative to the project root, or full.
        files: Vec<PathBuf>,
        /// The item's fingerprint as it is now that the files are there: what they hold may not have been known
        /// before. The key of the item, and of all that reads it, follows. It is the fingerprint of every later graph.
        fingerprint: Digest,
    },
}

/// Why an item could not be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// An error with its chain of sources. It is recorded and counted, and the next run tries again.
    #[error(transparent)]
    Failed(Arc<dyn Error + Send + Sync>),
    /// Data that cannot be reached; not an error.
    #[error("unavailable: {}", .0.reason)]
    Unavailable(Unavailable),
    /// The object, or a published file, of `inputs()[index]` is damaged. The engine rebuilds it and executes the item
    /// again.
    #[error("an input is damaged")]
    DamagedInput { index: usize },
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// An error with words in front that say what it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{about}: {cause}")]
struct Concerning {
    about: String,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

impl Failure {
    /// A failure from an error, or from words.
    pub fn failed(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Failure::Failed(cause.into().into())
    }

    /// A failure; `about` says what it concerns: `about: cause`.
    pub fn about(about: impl Into<String>, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::failed(Concerning { about: about.into(), cause: cause.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_keep_their_sources() {
        let failure = Failure::about("the input", std::io::Error::other("a damaged disk"));
        assert_eq!(failure.to_string(), "the input: a damaged disk");
        assert!(failure.source().is_some_and(|source| source.is::<std::io::Error>()));
        assert!(Failure::failed("words").source().is_none());
    }
}
