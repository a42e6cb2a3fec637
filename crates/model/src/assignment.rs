//! `KEY=VALUE` on the command line: one grammar for `noregret run` and `noregret stream`.
//!
//! KEY is a dotted name (`kernel.bandwidth`). VALUE is TOML (`0.5`, `[1, 2]`, `"text"`, `{ name = "matern" }`); a word
//! without quotes or brackets is text (`gaussian`, `1/3`).

use toml::{Table, Value};

/// The most parts that a key has. Tables are walked by recursion, so that a deeper one could exhaust the stack.
const MOST_PARTS: usize = 32;

/// What is wrong with an assignment.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// There is no `=`.
    #[error("write KEY=VALUE, for example lambda=0.1")]
    NoValue,
    /// A part of this key is empty.
    #[error("a part of the key `{0}` is empty")]
    EmptyPart(String),
    /// The key has so many parts.
    #[error("the key has {0} parts; the deepest parameter has far fewer than {MOST_PARTS}")]
    TooDeep(usize),
    /// The value cannot be read.
    #[error("the value is neither TOML nor a word without spaces: {0}")]
    Value(String),
    /// The value of this part of the key is no table.
    #[error("{0}")]
    NoTable(String),
}

/// One `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The parts of KEY.
    pub path: Vec<String>,
    /// VALUE.
    pub value: Value,
}

impl Assignment {
    /// Parses `KEY=VALUE`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(given: &str) -> Result<Self, AssignmentError> {
        let (key, text) = given.split_once('=').ok_or(AssignmentError::NoValue)?;
        let path: Vec<String> = key.split('.').map(|part| part.trim().to_owned()).collect();
        if path.iter().any(String::is_empty) {
            return Err(AssignmentError::EmptyPart(key.trim().to_owned()));
        }
        if path.len() > MOST_PARTS {
            return Err(AssignmentError::TooDeep(path.len()));
        }
        let text = text.trim();
        let value = match text.parse::<Value>() {
            Ok(value) => value,
            // `.5` and `1.` are numbers everywhere but in TOML.
            Err(_) if let Some(number) = decimal(text) => Value::Float(number),
            Err(_) if !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && !"\"'[]{}".contains(c)) => {
                Value::String(text.to_owned())
            }
            Err(error) => return Err(AssignmentError::Value(error.message().to_owned())),
        };
        Ok(Self { path, value })
    }

    /// Puts the value into `table`; a value of the same key is replaced.
    ///
    /// # Errors
    /// The part of the key whose value is not a table.
    pub fn apply(&self, table: &mut Table) -> Result<(), AssignmentError> {
        insert(table, &self.path, &self.value)
    }
}

/// A number in digits with a point at its beginning or end (`.5`, `-1.`, `+.5e-3`).
fn decimal(text: &str) -> Option<f64> {
    let digits = text.chars().any(|c| c.is_ascii_digit());
    let plain = text.chars().all(|c| matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-'));
    text.parse().ok().filter(|number: &f64| digits && plain && number.is_finite())
}

/// Puts `value` at the dotted name `path`, and makes tables on the way. A name of a part, `kernel = "gaussian"`, becomes
/// `kernel = { name = "gaussian" }` where `path` goes on below it.
///
/// # Errors
/// The part of the name whose value is not a table.
pub fn insert(table: &mut Table, path: &[impl AsRef<str>], value: &Value) -> Result<(), AssignmentError> {
    match path {
        [] => Ok(()),
        [name] => {
            table.insert(name.as_ref().to_owned(), value.clone());
            Ok(())
        }
        [name, rest @ ..] => {
            let entry = table.entry(name.as_ref()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::String(member) = entry {
                *entry = Value::Table(Table::from_iter([("name".to_owned(), Value::String(member.clone()))]));
            }
            match entry {
                Value::Table(inner) => insert(inner, rest, value),
                _ => Err(AssignmentError::NoTable(name.as_ref().to_owned())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(given: &[&str]) -> Result<Table, AssignmentError> {
        let mut table = Table::new();
        given.iter().try_for_each(|given| Assignment::parse(given)?.apply(&mut table))?;
        Ok(table)
    }

    #[test]
    fn numbers_may_begin_or_end_with_a_point() {
        for (text, number) in [(".1", 0.1), ("-.5", -0.5), ("1.", 1.0), ("+.25e1", 2.5)] {
            assert_eq!(Assignment::parse(&format!("a={text}")).unwrap().value, Value::Float(number), "{text}");
        }
        assert_eq!(Assignment::parse("a=.").unwrap().value, Value::String(".".into()));
    }

    #[test]
    fn assignments_become_a_table() {
        let parsed = table(&[
            "lambda=.1",
            "lambda=1e-3",
            "order = 3",
            "p=.5",
            "q=-1.",
            "kernel.name=gaussian",
            "kernel.bandwidth=1/2",
            "eta=1/sqrt(n)",
            "weights=\"theory\"",
            "as_published=true",
            "grid=[1, 2]",
        ]);
        let expected: Table = toml::from_str(
            "lambda = 0.001\norder = 3\np = 0.5\nq = -1.0\nkernel = { name = 'gaussian', bandwidth = '1/2' }\neta = '1/sqrt(n)'\n\
             weights = 'theory'\nas_published = true\ngrid = [1, 2]",
        )
        .unwrap();
        assert_eq!(parsed, Ok(expected));
    }

    #[test]
    fn a_short_part_can_be_refined_and_the_last_one_wins() {
        let parsed = table(&["kernel=gaussian", "kernel.bandwidth=2", "kernel.bandwidth=3"]).unwrap();
        assert_eq!(parsed, toml::from_str("kernel = { name = 'gaussian', bandwidth = 3 }").unwrap());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for wrong in ["lambda", "=1", "kernel.=1", "lambda=", "lambda=[1", "lambda=\"x", "label=two words"] {
            assert!(table(&[wrong]).is_err(), "{wrong}");
        }
        assert_eq!(table(&["lambda=1", "lambda.x=2"]), Err(AssignmentError::NoTable("lambda".into())));
        let deep = format!("{}=1", vec!["a"; 20_000].join("."));
        assert!(table(&[&deep]).is_err_and(|error| error.to_string().contains("20000 parts")));
        // One value, not a way to smuggle in another key.
        assert!(table(&["lambda=1\neta=2"]).is_err());
    }
}
