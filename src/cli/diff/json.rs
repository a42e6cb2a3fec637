//! Compares JSON texts value by value. Numbers are kept as they are written, because parsing may round them.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::table::same_number;
use super::tally::{DiffTally, ResultKind};

/// Marks the strings that stand for numbers: it precedes their digits.
const NUMBER: char = '\0';

/// A value that contains no other values.
#[derive(Clone, Debug)]
pub(super) enum Leaf {
    Number(String),
    Other(String),
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Leaf::Other(a), Leaf::Other(b)) => a == b,
            (Leaf::Number(a), Leaf::Number(b)) => {
                // An integer may have more digits than a float can represent.
                let float = |text: &str| text.contains(['.', 'e', 'E']);
                let number = |text: &str| text.parse::<f64>().ok();
                let equal = || number(a).zip(number(b)).is_some_and(|(a, b)| same_number(a, b));
                a == b || ((float(a) || float(b)) && equal())
            }
            _ => false,
        }
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Leaf::Number(text) | Leaf::Other(text)) = self;
        write!(f, "{text}")
    }
}

/// The leaves of a text, by path: `sample.values[0][3]`.
pub(super) type Leaves = BTreeMap<String, Leaf>;

/// Reads the leaves of a text.
pub(super) fn leaves(text: &str) -> serde_json::Result<Leaves> {
    serde_json::from_str::<IgnoredAny>(text)?;
    let mut found = Leaves::new();
    collect(String::new(), serde_json::from_str(&quoted(text))?, &mut found);
    Ok(found)
}

/// Turns the numbers of a JSON text into strings.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let (mut inside, mut escaped, mut number) = (false, false, false);
    for c in text.chars() {
        let digit = !inside && (c.is_ascii_digit() || c == '-' || (number && matches!(c, '.' | 'e' | 'E' | '+')));
        if digit != number {
            out += if digit { "\"\\u0000" } else { "\"" };
            number = digit;
        }
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = inside,
            '"' => inside = !inside,
            _ => {}
        }
        out.push(c);
    }
    if number {
        out.push('"');
    }
    out
}

fn collect(path: String, value: Value, found: &mut Leaves) {
    let leaf = match value {
        Value::Object(fields) if !fields.is_empty() => {
            let dot = if path.is_empty() { "" } else { "." };
            return fields.into_iter().for_each(|(name, value)| collect(format!("{path}{dot}{name}"), value, found));
        }
        Value::Array(values) if !values.is_empty() => {
            let values = values.into_iter().enumerate();
            return values.for_each(|(index, value)| collect(format!("{path}[{index}]"), value, found));
        }
        Value::String(text) => match text.strip_prefix(NUMBER) {
            Some(digits) => Leaf::Number(digits.to_owned()),
            None => Leaf::Other(serde_json::json!(text).to_string()),
        },
        other => Leaf::Other(other.to_string()),
    };
    found.insert(path, leaf);
}

/// Compares two texts leaf by leaf.
pub(super) fn compare(kind: ResultKind, file: &str, [a, b]: [&Leaves; 2], tally: &mut DiffTally<'_>) {
    let mut cells = 0;
    for (path, leaf) in a {
        match b.get(path) {
            Some(other) => {
                cells += 1;
                if leaf != other {
                    tally.differs(kind, &field(path), || format!("{file}: {path}: {leaf} -> {other}"));
                }
            }
            None => tally.only(kind, &field(path), 0, format_args!("{file}: {path}")),
        }
    }
    for path in b.keys().filter(|path| !a.contains_key(*path)) {
        tally.only(kind, &field(path), 1, format_args!("{file}: {path}"));
    }
    tally.compared(kind, 1, cells);
}

/// A path without its list indices.
fn field(path: &str) -> String {
    path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_their_bits_and_as_written() {
        let leaf = |text: &str| leaves(text).unwrap().remove("").unwrap();
        assert_eq!(leaf("1.50"), leaf("15e-1"));
        assert_eq!(leaf("1"), leaf("1.0"));
        assert_ne!(leaf("0.1"), leaf("0.10000000000000002"));
        assert_ne!(leaf("0.0"), leaf("-0.0"));
        assert_ne!(leaf("9007199254740993"), leaf("9007199254740992"));
        assert_ne!(leaf("1"), leaf("\"1\""));
        assert_ne!(leaf("null"), leaf("[]"));
    }

    #[test]
    fn every_leaf_has_a_path_and_digits_in_strings_stay() {
        let found = leaves(r#"{"a": [1, {"b": "x\"-2.5e3\\"}], "c": {}, "d 4": true}"#).unwrap();
        let found: Vec<String> = found.iter().map(|(path, leaf)| format!("{path} = {leaf}")).collect();
        assert_eq!(found, ["a[0] = 1", r#"a[1].b = "x\"-2.5e3\\""#, "c = {}", "d 4 = true"]);
        assert_eq!(field("a[1].b[0][2]"), "a.b");
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in ["", "{1: 2}", "[1", "{\"a\": 1} 2", "01"] {
            assert!(leaves(text).is_err(), "{text}");
        }
    }
}
