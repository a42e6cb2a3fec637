//! The target: a number, one of two words, or one of several classes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::encode::choices::Decimal;
use crate::encode::column::finite;
use crate::encode::date::written;
use crate::encode::number::{is_missing, parse};
use crate::error::{DataError, Location, excerpt};
use crate::format::cells::FileCell;
use crate::text::decoded;
use noregret_core::learner::classes::MOST;

/// How the target column becomes numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetEncoder {
    /// Its first value decides between numbers, with this decimal sign, and words.
    Undecided(Decimal),
    /// It holds numbers.
    Number(Decimal),
    /// It holds words, of which only one was seen, the class -1: the next other one is +1.
    First(String),
    /// It holds words: +1 for `positive`, -1 for `negative`, or for every other word if that is None.
    Words {
        /// The word of the class +1.
        positive: String,
        /// The word of the class -1.
        negative: Option<String>,
    },
    /// It holds classes: 0, 1, 2, ... in this order.
    Classes {
        /// What the cells hold, as it was written first.
        words: Vec<String>,
        /// Whether there are no others.
        closed: bool,
    },
}

/// The text of a cell that is a class; None where it holds nothing.
fn class(cell: FileCell<'_>) -> Option<String> {
    match cell {
        FileCell::Missing => None,
        gap if gap.is_missing() => None,
        FileCell::Text(text) => Some(decoded(text.trim_ascii()).into_owned()),
        FileCell::Number(number) => Some(number.to_string()),
        FileCell::Date(seconds) => Some(written(seconds)),
    }
}

/// Pairs of words whose second one is the class +1, in lower case.
const PAIRS: [(&str, &str); 12] = [
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("off", "on"),
    ("bad", "good"),
    ("ham", "spam"),
    ("benign", "malignant"),
    ("b", "m"),
    ("absent", "present"),
];

impl TargetEncoder {
    /// The target of a column whose first rows hold `words`. A word of a known pair (yes and no, ...) says which class
    /// it is; of two other words, the second in the alphabet is the class +1. Capitals do not count.
    ///
    /// # Errors
    /// Why the words are not two classes.
    pub(crate) fn of_words(words: &[String], chosen: Option<&str>) -> Result<Self, String> {
        if let Some(positive) = chosen {
            return Ok(TargetEncoder::Words { positive: positive.trim().to_lowercase(), negative: None });
        }
        let of = |positive: &str, negative: &str| {
            Ok(TargetEncoder::Words { positive: positive.to_owned(), negative: Some(negative.to_owned()) })
        };
        let mut distinct: Vec<String> = words.iter().map(|word| word.trim().to_lowercase()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = |(no, yes): &&(&str, &str)| distinct.iter().all(|word| word == no || word == yes);
        match (PAIRS.iter().find(fits), &distinct[..]) {
            (Some((no, yes)), _) => of(yes, no),
            (None, [first, second]) => of(second, first),
            (None, [only]) => Err(format!("its first rows hold only the word `{only}`")),
            (None, many) => {
                let shown: Vec<&str> = many.iter().take(5).map(String::as_str).collect();
                let more = if many.len() > 5 { ", ..." } else { "" };
                Err(format!("it holds {} words ({}{more}), not two", many.len(), shown.join(", ")))
            }
        }
    }

    /// The target of a column whose first word this is: one of a known pair says which class it is; any other is -1.
    pub(crate) fn of_first_word(word: &str) -> Self {
        let word = word.trim().to_lowercase();
        match PAIRS.iter().find(|(no, yes)| word == *no || word == *yes) {
            Some((no, yes)) => TargetEncoder::Words { positive: (*yes).to_owned(), negative: Some((*no).to_owned()) },
            None => TargetEncoder::First(word),
        }
    }

    /// What the target is from a row on that holds this cell, where that says more.
    fn settled(&self, cell: FileCell<'_>) -> Option<Self> {
        match (self, cell) {
            (TargetEncoder::Undecided(_) | TargetEncoder::First(_), FileCell::Missing) => None,
            (TargetEncoder::Undecided(_) | TargetEncoder::First(_), FileCell::Text(text)) if is_missing(text) => None,
            (TargetEncoder::Undecided(decimal), FileCell::Number(_) | FileCell::Date(_)) => {
                Some(TargetEncoder::Number(*decimal))
            }
            (TargetEncoder::Undecided(decimal), FileCell::Text(text)) => Some(match parse(text, *decimal) {
                Some(_) => TargetEncoder::Number(*decimal),
                None => Self::of_first_word(&decoded(text)),
            }),
            (TargetEncoder::First(first), FileCell::Text(text)) => {
                let word = decoded(text.trim_ascii()).to_lowercase();
                (word != *first).then(|| TargetEncoder::Words { positive: word, negative: Some(first.clone()) })
            }
            _ => None,
        }
    }

    /// Takes note of a cell of a row that counts.
    pub(crate) fn settle(&mut self, cell: FileCell<'_>) {
        if let Some(settled) = self.settled(cell) {
            *self = settled;
        }
        if let (TargetEncoder::Classes { words, closed: false }, Some(word)) = (self, class(cell))
            && place(words, &word).is_none()
        {
            words.push(word);
        }
    }

    /// The number that a cell stands for; None where it holds nothing.
    ///
    /// # Errors
    /// What is wrong with it; `at` is where it is.
    pub(crate) fn value(&self, cell: FileCell<'_>, at: impl Fn() -> Location) -> Result<Option<f64>, DataError> {
        match self.settled(cell) {
            Some(settled) => settled.value_of(cell, at),
            None => self.value_of(cell, at),
        }
    }

    fn value_of(&self, cell: FileCell<'_>, at: impl Fn() -> Location) -> Result<Option<f64>, DataError> {
        match (self, cell) {
            (TargetEncoder::Classes { words, closed }, cell) => {
                cell.named(&at)?;
                let Some(word) = class(cell) else { return Ok(None) };
                match place(words, &word) {
                    Some(place) => Ok(Some(place as f64)),
                    None if *closed || words.len() >= MOST => {
                        let (text, classes) = (excerpt(word.as_bytes()), words.clone());
                        Err(DataError::Undeclared { at: Box::new(at()), text, classes })
                    }
                    None => Ok(Some(words.len() as f64)),
                }
            }
            (_, FileCell::Missing) => Ok(None),
            (_, gap) if gap.is_missing() => Ok(None),
            // The only word so far, or it would be settled.
            (TargetEncoder::First(_), _) => Ok(Some(-1.0)),
            (TargetEncoder::Number(_) | TargetEncoder::Undecided(_), FileCell::Number(number)) => {
                finite(number, || number.to_string(), at).map(Some)
            }
            (TargetEncoder::Number(decimal) | TargetEncoder::Undecided(decimal), FileCell::Text(text)) => {
                match parse(text, *decimal) {
                    Some(number) => finite(number, || excerpt(text), at).map(Some),
                    None => Err(DataError::NotATarget { at: Box::new(at()), text: excerpt(text) }),
                }
            }
            (TargetEncoder::Words { positive, negative }, FileCell::Text(text)) => {
                let word = decoded(text.trim_ascii()).to_lowercase();
                match negative {
                    _ if word == *positive => Ok(Some(1.0)),
                    Some(negative) if word != *negative => {
                        let classes = [negative.clone(), positive.clone()];
                        Err(DataError::OtherClass { at: Box::new(at()), text: excerpt(text), classes })
                    }
                    _ => Ok(Some(-1.0)),
                }
            }
            (TargetEncoder::Words { positive, .. }, FileCell::Number(number) | FileCell::Date(number)) => {
                Ok(Some(if number.to_string() == *positive { 1.0 } else { -1.0 }))
            }
            (TargetEncoder::Number(_) | TargetEncoder::Undecided(_), FileCell::Date(_)) => {
                Err(DataError::NotATarget { at: Box::new(at()), text: "date".to_owned() })
            }
        }
    }

    /// The classes 0, 1, 2, ... so far, where targets are such.
    pub fn words(&self) -> Option<&[String]> {
        match self {
            TargetEncoder::Classes { words, .. } => Some(words),
            _ => None,
        }
    }

    /// The words of the classes -1 and +1, where there are any.
    pub(crate) fn classes(&self) -> Option<(&str, &str)> {
        match self {
            TargetEncoder::Number(_) | TargetEncoder::Undecided(_) | TargetEncoder::Classes { .. } => None,
            TargetEncoder::First(first) => Some((first, "the next other word")),
            TargetEncoder::Words { positive, negative } => Some((negative.as_deref().unwrap_or("any other"), positive)),
        }
    }
}

/// The number of a class. Capitals do not count.
fn place(words: &[String], word: &str) -> Option<usize> {
    words.iter().position(|known| known == word).or_else(|| {
        let lower = word.to_lowercase();
        words.iter().position(|known| known.to_lowercase() == lower)
    })
}

/// The word that the user calls +1, as long as no row has it, and words that were there instead.
pub(crate) struct Sought {
    word: String,
    others: BTreeSet<String>,
}

/// How many words an error names.
const NAMED: usize = 5;

impl Sought {
    /// What is to be found for this target; None where nobody named a word.
    pub(crate) fn of(target: &TargetEncoder) -> Option<Self> {
        match target {
            TargetEncoder::Words { positive, negative: None } => {
                Some(Self { word: positive.clone(), others: BTreeSet::new() })
            }
            _ => None,
        }
    }

    /// Whether the cell holds the word.
    pub(crate) fn is(&mut self, cell: FileCell<'_>) -> bool {
        match cell {
            FileCell::Missing => false,
            FileCell::Text(text) => !is_missing(text) && self.is_word(&decoded(text)),
            FileCell::Number(number) | FileCell::Date(number) => self.is_word(&number.to_string()),
        }
    }

    /// Whether this is the word, in whatever capitals.
    pub(crate) fn is_word(&mut self, word: &str) -> bool {
        let found = word.trim().to_lowercase() == self.word;
        if !found && self.others.len() <= NAMED {
            self.others.insert(word.trim().to_owned());
        }
        found
    }

    /// That no row has it.
    pub(crate) fn error(&self, file: &str, column: &str) -> DataError {
        let mut words: Vec<&str> = self.others.iter().map(String::as_str).take(NAMED).collect();
        if self.others.len() > NAMED {
            words.push("...");
        }
        let (word, others) = (excerpt(self.word.as_bytes()), excerpt(words.join(", ").as_bytes()));
        DataError::NoSuchClass { file: file.to_owned(), column: column.to_owned(), word, others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(words: &[&str]) -> Result<(String, String), String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        TargetEncoder::of_words(&words, None).map(|target| {
            let (negative, positive) = target.classes().unwrap();
            (negative.to_owned(), positive.to_owned())
        })
    }

    #[test]
    fn two_words_are_two_classes() {
        let pair = |a: &str, b: &str| Ok((a.to_owned(), b.to_owned()));
        assert_eq!(classes(&["Yes"]), pair("no", "yes"));
        assert_eq!(classes(&["NO", "no"]), pair("no", "yes"));
        assert_eq!(classes(&["True", "False"]), pair("false", "true"));
        assert_eq!(classes(&["gamma", "hadron", "gamma"]), pair("gamma", "hadron"));
        assert_eq!(classes(&["M", "B"]), pair("b", "m"));
        assert!(classes(&["cat"]).unwrap_err().contains("only the word `cat`"));
        assert!(classes(&["a", "b", "c"]).unwrap_err().contains("3 words"));
        let one = TargetEncoder::of_words(&["a".into(), "b".into(), "c".into()], Some("B")).unwrap();
        assert_eq!(one.classes(), Some(("any other", "b")));
    }

    #[test]
    fn classes_are_numbered_as_they_appear() {
        let at = || Location { file: "f".into(), row: 3, lines: None, column: "y".into() };
        let mut target = TargetEncoder::Classes { words: Vec::new(), closed: false };
        let found: Vec<Option<f64>> = ["b", " a ", "B", "NA", "2", "a"]
            .iter()
            .map(|text| {
                let cell = FileCell::Text(text.as_bytes());
                let value = target.value(cell, at).unwrap();
                target.settle(cell);
                value
            })
            .collect();
        assert_eq!(found, [Some(0.0), Some(1.0), Some(0.0), None, Some(2.0), Some(1.0)]);
        assert_eq!(target.words().unwrap(), ["b", "a", "2"]);
        assert_eq!(target.value(FileCell::Number(2.0), at).unwrap(), Some(2.0));
        let closed = TargetEncoder::Classes { words: vec!["b".into(), "a".into()], closed: true };
        let message = closed.value(FileCell::Text(b"c"), at).unwrap_err().to_string();
        assert!(message.contains("row 3") && message.contains("`c`") && message.contains("b, a"), "{message}");
    }

    #[test]
    fn words_become_signs_and_others_are_refused() {
        let at = || Location { file: "f".into(), row: 3, lines: None, column: "y".into() };
        let target = TargetEncoder::of_words(&["yes".into()], None).unwrap();
        let of = |text: &'static str| target.value(FileCell::Text(text.as_bytes()), at);
        assert_eq!(of(" YES ").unwrap(), Some(1.0));
        assert_eq!(of("no").unwrap(), Some(-1.0));
        assert_eq!(of("NA").unwrap(), None);
        let message = of("perhaps").unwrap_err().to_string();
        assert!(
            message.contains("row 3") && message.contains("`perhaps`") && message.contains("--positive"),
            "{message}"
        );
        let first = TargetEncoder::of_first_word("B");
        let message = first.value(FileCell::Text(b"A"), at).unwrap_err().to_string();
        for part in ["`A` is a third word", "pair `b` (-1) and `m` (+1)", "--classes of `stream`", "no task is given"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
