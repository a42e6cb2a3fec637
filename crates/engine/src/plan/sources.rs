//! What a product was made from: for each stage that its item reads, one digest over the bytes of those inputs.
//!
//! A key names the inputs of an item, but not their bytes: a forced remake can put other bytes under the same key.
//! Every product therefore carries its [`Sources`]. It is fresh only while these match its inputs as they are now
//! ([`Current`]). Planning hashes no files: contents are recorded when products are made.

use crate::plan::key::{content, hex, unhex, whole};

/// The first 16 bytes of the SHA-256 of an object, or of the list of published files with their hashes.
pub(crate) type ContentDigest = [u8; 16];

/// The content of a stored object with these bytes.
pub(crate) fn content_of(bytes: &[u8]) -> ContentDigest {
    short(&content(bytes))
}

/// The first half of a digest.
pub(crate) fn short(digest: &[u8; 32]) -> ContentDigest {
    std::array::from_fn(|at| digest[at])
}

/// A content as a digest, followed by zeros.
pub(crate) fn padded(content: &ContentDigest) -> [u8; 32] {
    std::array::from_fn(|at| content.get(at).copied().unwrap_or(0))
}

/// The joint content of several inputs, in order; `None` if that of one is not known.
pub(crate) fn together(contents: impl IntoIterator<Item = Option<ContentDigest>>) -> Option<ContentDigest> {
    let mut missing = false;
    let padded = contents.into_iter().map_while(|content| {
        missing = content.is_none();
        content.as_ref().map(padded)
    });
    let together = short(&whole(padded));
    (!missing).then_some(together)
}

/// What a product was made from: the contents of its inputs, one for each stage, in the order of the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(Vec<ContentDigest>);

/// How many stages are told apart in a file name, whose length is limited.
const IN_NAMES: usize = 4;

impl Sources {
    /// Whether the item reads nothing, or was made before sources were recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same, short enough for a file name: too many stages are joined into one digest.
    pub(crate) fn for_names(self) -> Self {
        if self.0.len() <= IN_NAMES { self } else { Self(together(self.0.into_iter().map(Some)).into_iter().collect()) }
    }

    /// One word of hexadecimal for each stage.
    pub(crate) fn words(&self) -> Vec<String> {
        self.0.iter().map(hex).collect()
    }

    /// Reads what [`Sources::words`] wrote.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        words.into_iter().map(unhex).collect::<Option<_>>().map(Self)
    }

    /// Reads words that are written without gaps.
    pub fn parse(text: &str) -> Option<Self> {
        let words = text.as_bytes().chunks(32).map(|word| std::str::from_utf8(word).unwrap_or_default());
        Self::of_words(words)
    }
}

/// A stage that an item reads and whose bytes are not those that the product was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Index of the stage.
    pub stage: usize,
    /// What the product was made from.
    pub(crate) old: ContentDigest,
    /// What is there now.
    pub(crate) new: ContentDigest,
}

/// The inputs of an item as they are now, stage by stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Current(Vec<(usize, Option<ContentDigest>)>);

impl Current {
    /// Adds an input: the content of one item, or the joint content of a whole stage ([`together`]). `None` means that
    /// nothing is there.
    pub fn add(&mut self, stage: usize, content: Option<ContentDigest>) {
        match self.0.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, own)) => *own = together([*own, content]),
            None => self.0.push((stage, content)),
        }
    }

    /// What an item would be made from; `None` if an input is not there.
    pub fn sources(&self) -> Option<Sources> {
        self.0.iter().map(|(_, content)| *content).collect::<Option<_>>().map(Sources)
    }

    /// Whether every input is there.
    pub(crate) fn is_complete(&self) -> bool {
        self.0.iter().all(|(_, content)| content.is_some())
    }

    /// The stages whose bytes are not those that a product was made from; `None` if all are the same. A missing input
    /// counts as the same. The list is empty if the product does not tell its stages apart.
    pub(crate) fn changes(&self, made_from: &Sources) -> Option<Vec<Change>> {
        if made_from.0.len() != self.0.len() {
            let same = self.sources().is_none_or(|sources| sources.for_names() == *made_from);
            return (!same).then(Vec::new);
        }
        let pairs = self.0.iter().zip(&made_from.0);
        let changes: Vec<Change> = pairs
            .filter_map(|(&(stage, new), &old)| Some(Change { stage, old, new: new.filter(|new| *new != old)? }))
            .collect();
        (!changes.is_empty()).then_some(changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current(inputs: &[(usize, Option<u8>)]) -> Current {
        let mut current = Current::default();
        inputs.iter().for_each(|&(stage, byte)| current.add(stage, byte.map(|byte| [byte; 16])));
        current
    }

    #[test]
    fn a_changed_stage_is_named_and_a_missing_one_is_not() {
        let made_from = current(&[(4, Some(1)), (7, Some(2)), (4, Some(3))]).sources().unwrap();
        assert_eq!(made_from.words().len(), 2);
        let changes = |inputs: &[(usize, Option<u8>)]| {
            current(inputs).changes(&made_from).map(|changes| changes.iter().map(|change| change.stage).collect())
        };
        assert_eq!(changes(&[(4, Some(1)), (7, Some(2)), (4, Some(3))]), None);
        assert_eq!(changes(&[(4, Some(1)), (7, Some(9)), (4, Some(3))]), Some(vec![7]));
        assert_eq!(changes(&[(4, Some(3)), (7, Some(2)), (4, Some(1))]), Some(vec![4]), "the order counts");
        assert_eq!(changes(&[(4, Some(1)), (7, None), (4, Some(9))]), Some(vec![4]));
        assert_eq!(changes(&[(4, Some(9)), (7, Some(2)), (4, None)]), None);
    }

    #[test]
    fn many_stages_share_one_word_in_names() {
        let all = |last| current(&[(1, Some(1)), (2, Some(2)), (3, Some(3)), (4, Some(4)), (5, Some(last))]);
        let made_from = all(5).sources().unwrap().for_names();
        assert_eq!(made_from.words().len(), 1);
        assert_eq!(all(5).changes(&made_from), None);
        assert_eq!(all(6).changes(&made_from), Some(Vec::new()));
    }

    #[test]
    fn text_round_trips_and_refuses_what_it_is_not() {
        let sources = current(&[(0, Some(1)), (1, Some(2))]).sources().unwrap();
        assert_eq!(Sources::parse(&sources.words().concat()), Some(sources.clone()));
        assert_eq!(Sources::of_words(sources.words().iter().map(String::as_str)), Some(sources.clone()));
        assert_eq!(Sources::parse(&sources.words().concat()[1..]), None);
        assert_eq!(Sources::parse("parquet"), None);
        assert_eq!(Sources::parse(""), Some(Sources::default()));
    }
}
