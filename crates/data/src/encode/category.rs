//! Categories: one column for each value, or for each hash, or one of codes.

use serde::{Deserialize, Serialize};

use crate::encode::choices::CategoryAs;
use crate::text::decoded;

/// Values longer than this are known by their hash and their length.
const LONGEST: usize = 256;

/// Turns values into columns of which one is 1 and the others are 0, or into codes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Category {
    how: CategoryAs,
    /// Number of columns, or of codes.
    width: usize,
    /// One-hot and codes: the values that have a column or code of their own, in order of appearance, at most `width` - 1.
    seen: Vec<String>,
}

impl Category {
    /// `width` columns or codes (at least 2) that have seen no value.
    pub(crate) fn new(how: CategoryAs, width: usize) -> Self {
        Self { how, width: width.max(2), seen: Vec::new() }
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        if self.how == CategoryAs::Codes { 1 } else { self.width }
    }

    /// Appends the columns of a value.
    pub(crate) fn push(&mut self, value: &[u8], out: &mut Vec<f64>) {
        let (start, slot) = (out.len(), self.slot(value));
        if self.how == CategoryAs::Codes {
            out.push(slot as f64);
            return;
        }
        out.resize(start + self.width, 0.0);
        out[start + slot] = 1.0;
    }

    /// How values become columns.
    pub(crate) fn how(&self) -> CategoryAs {
        self.how
    }

    /// The names of the columns, which are made from that of the file's column.
    pub(crate) fn names(&self, column: &str) -> Vec<String> {
        let name = |slot: usize| match self.how {
            CategoryAs::Codes => column.to_owned(),
            CategoryAs::OneHot if slot == self.width => format!("{column}#others"),
            CategoryAs::OneHot => format!("{column}#{slot}"),
            CategoryAs::Hash => format!("{column}#hash{slot}"),
        };
        (1..=self.width()).map(name).collect()
    }

    /// The column that is 1, or the code, from 0. A new value takes the next one that is free; when only the last is left, all
    /// new values share that.
    pub(crate) fn slot(&mut self, value: &[u8]) -> usize {
        match self.how {
            CategoryAs::Hash => (fnv(value) % self.width as u64) as usize,
            CategoryAs::OneHot | CategoryAs::Codes => {
                let value = key(value);
                match self.seen.iter().position(|known| *known == value) {
                    Some(slot) => slot,
                    None => {
                        let slot = self.seen.len();
                        if slot + 1 < self.width {
                            self.seen.push(value);
                        }
                        slot
                    }
                }
            }
        }
    }
}

/// The value as text, without surrounding space.
fn key(value: &[u8]) -> String {
    let value = value.trim_ascii();
    if value.len() > LONGEST {
        return format!("{:016x}, {} bytes", fnv(value), value.len());
    }
    decoded(value).into_owned()
}

/// The 64-bit FNV-1a hash of the value without surrounding space, with its bits mixed so that a remainder uses them
/// all.
fn fnv(value: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = value.trim_ascii().iter().fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_columns_in_order_of_appearance_and_share_the_last() {
        let mut category = Category::new(CategoryAs::OneHot, 3);
        let slots: Vec<usize> = ["red", "blue", " red ", "green", "white", "blue"]
            .iter()
            .map(|value| category.slot(value.as_bytes()))
            .collect();
        assert_eq!(slots, [0, 1, 0, 2, 2, 1]);
        assert_eq!(category.names("c"), ["c#1", "c#2", "c#others"]);
    }

    #[test]
    fn codes_are_one_column_in_order_of_appearance() {
        let mut category = Category::new(CategoryAs::Codes, 3);
        let mut codes = Vec::new();
        for value in ["red", "blue", "red", "green", "white"] {
            category.push(value.as_bytes(), &mut codes);
        }
        assert_eq!(codes, [0.0, 1.0, 0.0, 2.0, 2.0]);
        assert_eq!((category.names("c"), category.width()), (vec!["c".to_owned()], 1));
    }

    /// 10,000 values in 8 columns, each with probability 1/8: a count is within 5 deviations of the mean, 1,250 +- 165.
    #[test]
    fn hashes_spread_values_evenly() {
        let mut category = Category::new(CategoryAs::Hash, 8);
        let mut counts = [0; 8];
        for i in 0..10_000 {
            counts[category.slot(format!("value {i}").as_bytes())] += 1;
        }
        assert!(counts.iter().all(|count| (1085..1415).contains(count)), "{counts:?}");
        assert_eq!(category.slot(b"value 7"), category.slot(b" value 7"));
        assert!(category.seen.is_empty());
    }

    #[test]
    fn long_values_take_little_memory() {
        let mut category = Category::new(CategoryAs::OneHot, 4);
        let (a, b) = (vec![b'a'; 100_000], vec![b'b'; 100_000]);
        assert_eq!([category.slot(&a), category.slot(&b), category.slot(&a)], [0, 1, 0]);
        assert!(category.seen.iter().all(|value| value.len() < 100));
    }
}
