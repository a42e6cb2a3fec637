//! Objects of a store that are to be put into a bucket, and when it is time for a pack of them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::exec::pack::{BYTES, OBJECTS};
use crate::exec::remote::RemoteError;
use crate::exec::store::{ObjectError, ResultStore};

/// A pack is sent when it is full, or when its first object has waited so long.
pub(crate) const WAIT: Duration = Duration::from_secs(30);

/// What is to be sent.
#[derive(Default)]
pub(crate) struct Outbox {
    names: BTreeSet<String>,
    /// What could not be sent; it is tried after the others.
    later: BTreeSet<String>,
    bytes: u64,
    since: Option<Instant>,
    /// Why the last pack could not be sent.
    pub(crate) trouble: Option<RemoteError>,
}

impl Outbox {
    /// Adds an object of so many bytes.
    pub(crate) fn add(&mut self, name: &str, length: u64) {
        self.names.insert(name.to_owned());
        self.bytes += length;
        self.since.get_or_insert_with(Instant::now);
    }

    /// How many objects wait.
    pub(crate) fn len(&self) -> usize {
        self.names.len() + self.later.len()
    }

    /// Whether it is time for a pack. After a failure, only the wait counts.
    pub(crate) fn is_due(&self) -> bool {
        let waited = self.since.is_some_and(|since| since.elapsed() >= WAIT);
        waited || (self.trouble.is_none() && (self.names.len() >= OBJECTS || self.bytes >= BYTES))
    }

    /// Takes everything out, to be sent in [`Self::pack`]s.
    pub(crate) fn take(&mut self) -> Self {
        let trouble = self.trouble.clone();
        std::mem::replace(self, Self { trouble, ..Self::default() })
    }

    /// Puts back what could not be sent.
    pub(crate) fn put_back(&mut self, mut left: Self) {
        if left.len() > 0 {
            self.names.append(&mut left.names);
            self.later.append(&mut left.later);
            self.since = Some(Instant::now());
        }
    }

    /// The objects of the next pack; none at the end. What has been damaged or removed meanwhile is left out: it is made
    /// again, and offered then.
    pub(crate) fn pack(&mut self, store: &ResultStore) -> Vec<(String, Vec<u8>)> {
        let (mut objects, mut bytes) = (Vec::new(), 0);
        while objects.len() < OBJECTS && bytes < BYTES {
            let Some(name) = self.names.pop_first() else { break };
            match store.read(&name) {
                Ok(object) => {
                    bytes += object.len() as u64;
                    objects.push((name, object));
                }
                Err(ObjectError::Damaged { .. }) => {}
                Err(ObjectError::Store(error)) => self.postpone([name], RemoteError(error.to_string())),
            }
        }
        objects
    }

    /// Notes what could not be sent, and why.
    pub(crate) fn postpone(&mut self, names: impl IntoIterator<Item = String>, trouble: RemoteError) {
        self.later.extend(names);
        self.trouble = Some(trouble);
    }

    /// Tries again, at last, what could not be sent before.
    pub(crate) fn again(&mut self) {
        let mut later = std::mem::take(&mut self.later);
        self.names.append(&mut later);
    }
}
