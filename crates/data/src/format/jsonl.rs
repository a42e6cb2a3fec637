//! JSON lines: an object on each line, whose keys are the columns.
//!
//! A value is what CSV makes of the same text. Numbers keep the text that the file has, and thus all their digits. The keys of
//! the first object name the columns: a later object may lack some, which are missing there, but has no others, since nothing
//! could be made of these in the rounds before.

use std::collections::HashMap;
use std::ops::Range;

use serde::de::IgnoredAny;

use crate::error::{DataError, Location, excerpt};
use crate::format::SourceText;
use crate::format::cells::{Cells, FileCell};

/// The rows of JSON lines, as text.
pub(super) struct JsonlCells {
    text: SourceText,
    buffer: Vec<u8>,
    line: u64,
    row: u64,
    /// Whether the current object is the first one, which was read ahead for its keys.
    ahead: bool,
    object: Object,
    names: Vec<String>,
    /// Where the column of each key is.
    places: HashMap<Vec<u8>, usize>,
    used: Vec<usize>,
    /// What the row holds in each column.
    row_values: Vec<Held>,
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq)]
enum Held {
    /// The object has no such key.
    Absent,
    Null,
    /// Where the value is in the text of the object.
    Text(Range<usize>),
    /// An array or an object, in words.
    Nested(&'static str),
}

/// The keys of an object and what they hold, in its order.
#[derive(Default)]
struct Object {
    /// All keys and values, one after the other.
    text: Vec<u8>,
    members: Vec<(Range<usize>, Held)>,
}

/// How rows are to be written.
const REMEDY: &str = "write each row as one object on a line of its own, such as {\"x\": 1.5, \"y\": null} (jq -c makes such lines: \
                      `jq -c .` of objects, `jq -c '.[]'` of an array)";

impl JsonlCells {
    /// Reads the first object.
    pub(super) fn open(text: SourceText) -> Result<Self, DataError> {
        let mut cells = Self {
            text,
            buffer: Vec::new(),
            line: 0,
            row: 0,
            ahead: true,
            object: Object::default(),
            names: Vec::new(),
            places: HashMap::new(),
            used: Vec::new(),
            row_values: Vec::new(),
        };
        if !cells.next_object()? {
            return Err(DataError::Empty { file: cells.text.file, what: "it has no line of data" });
        }
        for (key, _) in &cells.object.members {
            let key = &cells.object.text[key.clone()];
            let count = cells.names.len();
            if *cells.places.entry(key.to_vec()).or_insert(count) == count {
                cells.names.push(String::from_utf8_lossy(key).into_owned());
            }
        }
        if cells.names.is_empty() {
            return Err(cells.wrong(format!("the first object has no keys, which name the columns; {REMEDY}")));
        }
        cells.place()?;
        Ok(cells)
    }

    /// Reads the next line that is not blank; returns false at the end.
    fn next_object(&mut self) -> Result<bool, DataError> {
        loop {
            if !self.text.line(self.line + 1, &mut self.buffer)? {
                return Ok(false);
            }
            self.line += 1;
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        self.row += 1;
        self.object.read(self.buffer.trim_ascii_end()).map_err(|why| self.wrong(format!("{why}; {REMEDY}")))?;
        Ok(true)
    }

    /// Puts what the keys of the object hold into their columns.
    fn place(&mut self) -> Result<(), DataError> {
        self.row_values.clear();
        self.row_values.resize(self.names.len(), Held::Absent);
        let members = std::mem::take(&mut self.object.members);
        for (i, (key, held)) in members.iter().enumerate() {
            let key = &self.object.text[key.clone()];
            // Most often, keys are in the order of the first object.
            let same = self.names.get(i).is_some_and(|name| name.as_bytes() == key).then_some(i);
            let Some(place) = same.or_else(|| self.places.get(key).copied()) else {
                let key = excerpt(key);
                return Err(self.wrong(format!(
                    "the key `{key}` is none of the first object, whose keys name the columns; give it `\"{key}\": null` there, or \
                     correct the key"
                )));
            };
            if self.row_values[place] != Held::Absent {
                return Err(self.wrong(format!("the key `{}` occurs twice; keep one of them", excerpt(key))));
            }
            self.row_values[place] = held.clone();
        }
        self.object.members = members;
        Ok(())
    }

    fn wrong(&self, detail: String) -> DataError {
        DataError::Jsonl { file: self.text.file.clone(), row: self.row, line: self.line, detail }
    }
}

impl Cells for JsonlCells {
    fn file(&self) -> &str {
        &self.text.file
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn project(&mut self, positions: &[usize]) -> Result<(), DataError> {
        self.used = positions.to_vec();
        Ok(())
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        if !std::mem::take(&mut self.ahead) {
            if !self.next_object()? {
                return Ok(false);
            }
            self.place()?;
        }
        let nested = self.used.iter().find_map(|&position| match self.row_values[position] {
            Held::Nested(what) => Some((excerpt(self.names[position].as_bytes()), what)),
            _ => None,
        });
        match nested {
            None => Ok(true),
            Some((key, what)) => Err(self.wrong(format!(
                "the key `{key}` holds {what}, which is no value of a column; write what is in it under keys of their own, or \
                 leave it out (--drop {key})"
            ))),
        }
    }

    fn cell(&self, position: usize) -> FileCell<'_> {
        match &self.row_values[position] {
            Held::Text(range) => FileCell::Text(&self.object.text[range.clone()]),
            Held::Absent | Held::Null | Held::Nested(_) => FileCell::Missing,
        }
    }

    fn location(&self, position: usize) -> Location {
        Location {
            file: self.text.file.clone(),
            row: self.row,
            lines: Some(self.line.into()),
            column: self.names[position].clone(),
        }
    }
}

impl Object {
    /// Reads an object from its line; the error says what is wrong where.
    fn read(&mut self, line: &[u8]) -> Result<(), String> {
        self.text.clear();
        self.members.clear();
        let at = |column: usize, why: &str| format!("column {column} of the line: {why}");
        let inside = line.trim_ascii_start();
        let start = line.len() - inside.len() + 1;
        if !inside.starts_with(b"{") {
            let what = if inside.starts_with(b"[") { "an array" } else { "something else" };
            return Err(at(start, &format!("{what} begins where an object is expected")));
        }
        str::from_utf8(line).map_err(|error| at(error.valid_up_to() + 1, "no UTF-8"))?;
        serde_json::from_slice::<IgnoredAny>(line).map_err(|error| at(error.column(), &words(&error)))?;
        // It is an object, and nothing follows it.
        let mut rest = between(&inside[1..]);
        while rest.starts_with(b"\"") {
            let (key, after) = self.string(line, rest)?;
            let after = between(after);
            let (held, after) = match after.first() {
                Some(b'"') => {
                    let (value, after) = self.string(line, after)?;
                    (Held::Text(value), after)
                }
                Some(b'{') => (Held::Nested("an object"), behind(after)),
                Some(b'[') => (Held::Nested("an array"), behind(after)),
                _ => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}');
                    let (value, after) = after.split_at(after.iter().position(ends).unwrap_or(after.len()));
                    (if value == b"null" { Held::Null } else { Held::Text(self.keep(value)) }, after)
                }
            };
            self.members.push((key, held));
            rest = between(after);
        }
        Ok(())
    }

    /// Keeps the string at the beginning of `rest`, a part of `line`. Returns where it is kept, and what follows it.
    fn string<'a>(&mut self, line: &[u8], rest: &'a [u8]) -> Result<(Range<usize>, &'a [u8]), String> {
        let (quoted, after) = rest.split_at(closed(rest));
        if !quoted.contains(&b'\\') {
            return Ok((
                self.keep(quoted.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(quoted)),
                after,
            ));
        }
        // Halves of letters are well formed, and no text.
        let text: String = serde_json::from_slice(quoted).map_err(|error| {
            format!("column {} of the line: {}", line.len() - rest.len() + error.column(), words(&error))
        })?;
        Ok((self.keep(text.as_bytes()), after))
    }

    fn keep(&mut self, text: &[u8]) -> Range<usize> {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        start..self.text.len()
    }
}

/// What an error says, without its place.
fn words(error: &serde_json::Error) -> String {
    let told = error.to_string();
    told.split(" at line ").next().unwrap_or(&told).to_owned()
}

/// What follows the space, the comma or the colon between two values.
fn between(rest: &[u8]) -> &[u8] {
    let ends = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b',' | b':');
    &rest[rest.iter().position(ends).unwrap_or(rest.len())..]
}

/// The length of the string at the beginning of `rest`, with its quotes.
fn closed(rest: &[u8]) -> usize {
    let mut end = 1;
    while let Some(byte) = rest.get(end) {
        match byte {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    rest.len()
}

/// What follows the array or the object at the beginning of `rest`.
fn behind(mut rest: &[u8]) -> &[u8] {
    let mut depth = 0_usize;
    while let Some(byte) = rest.first() {
        let length = if *byte == b'"' { closed(rest) } else { 1 };
        depth += usize::from(matches!(byte, b'{' | b'['));
        let closes = matches!(byte, b'}' | b']');
        rest = &rest[length..];
        if closes {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                break;
            }
        }
    }
    rest
}

/// Whether text begins as JSON lines do, or as an array of objects, which is refused with what to do.
pub(super) fn is_jsonl(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let head = head.strip_prefix(b"[").map_or(head, <[u8]>::trim_ascii_start);
    head.strip_prefix(b"{").is_some_and(|inside| matches!(inside.trim_ascii_start(), [b'"' | b'}', ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys and values of a line: None for null, the kind of what is nested.
    fn read(line: &str) -> Result<Vec<(String, Option<String>)>, String> {
        let mut object = Object::default();
        object.read(line.as_bytes())?;
        let text = |range: &Range<usize>| String::from_utf8(object.text[range.clone()].to_vec()).unwrap();
        let value = |held: &Held| match held {
            Held::Text(range) => Some(text(range)),
            Held::Nested(what) => Some((*what).to_owned()),
            Held::Absent | Held::Null => None,
        };
        Ok(object.members.iter().map(|(key, held)| (text(key), value(held))).collect())
    }

    #[test]
    fn values_keep_their_text() {
        let line = r#" { "a" : -1.50e+3,"b":null , "c":true,"d":"say \"x\", \u00e9\\","e\n":9007199254740993,"f":"" }"#;
        let found = read(line).unwrap();
        let expected = [
            ("a", Some("-1.50e+3")),
            ("b", None),
            ("c", Some("true")),
            ("d", Some("say \"x\", \u{e9}\\")),
            ("e\n", Some("9007199254740993")),
            ("f", Some("")),
        ];
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value.map(str::to_owned))));
        assert_eq!(read("{}\r"), Ok(Vec::new()));
        // What is nested is passed over, with the brackets in its strings.
        let found = read(r#"{"a":[1,{"b":"]}\""}],"c":{"d":[[]]},"e":"last"}"#).unwrap();
        let held: Vec<_> = found.iter().map(|(_, value)| value.as_deref().unwrap()).collect();
        assert_eq!(held, ["an array", "an object", "last"]);
    }

    #[test]
    fn what_is_no_object_is_refused_where_it_goes_wrong() {
        for (line, column, why) in [
            (r#"{"a":1 "b":2}"#, 8, "expected `,` or `}`"),
            (r#"{"a":1"#, 6, "EOF"),
            (r#"{"a":NaN}"#, 6, "expected value"),
            (r#"{"a":01}"#, 7, "invalid number"),
            (r#"{"a":1} {"a":2}"#, 9, "trailing"),
            (r#"{"a":1,}"#, 8, "key must be a string"),
            ("{'a':1}", 2, "key must be a string"),
            ("{\"a\":\"\t\"}", 6, "control character"),
            (r#"{"a":"\x"}"#, 8, "escape"),
            (r#"{"a":1,"b":"x\ud800"}"#, 20, "hex escape"),
            (r#"  [{"a":1}]"#, 3, "an array begins"),
            ("a,b", 1, "something else begins"),
        ] {
            let told = read(line).unwrap_err();
            assert!(
                told.starts_with(&format!("column {column} of the line: ")) && told.contains(why),
                "{line}: {told}"
            );
        }
        let mut object = Object::default();
        assert_eq!(object.read(b"{\"a\":\"\xff\"}"), Err("column 7 of the line: no UTF-8".into()));
    }

    #[test]
    fn the_beginning_tells() {
        for yes in ["{\"a\":1}\n", " \n{ \"a\"", "{}", "[{\"a\":1}]", "[\n  {\n    \"a\": 1\n"] {
            assert!(is_jsonl(yes.as_bytes()), "{yes}");
        }
        for no in ["{a},b\n", "a,{\"b\"}\n", "[1, 2]", "", "{", "[[{\"a\":1}]]"] {
            assert!(!is_jsonl(no.as_bytes()), "{no}");
        }
    }
}
