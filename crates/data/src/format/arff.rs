//! ARFF, the text format of Weka and of OpenML: a header that declares each column and what it holds, then rows.
//!
//! It is read line by line, as CSV is, so that messages name the line that an editor shows. Rows without their zeros
//! (`{0 1, 3 2}`), columns that hold tables, and weights of rows are refused.

use std::collections::HashSet;

use crate::encode::kinds::{DeclaredKind, DeclaredKinds};
use crate::error::{DataError, Location, excerpt};
use crate::format::SourceText;
use crate::format::cells::{Cells, FileCell};
use crate::text::decoded;

/// The rows of ARFF, as text.
pub(super) struct ArffCells {
    text: SourceText,
    buffer: Vec<u8>,
    line: u64,
    row: u64,
    names: Vec<String>,
    kinds: DeclaredKinds,
    /// The values that the header allows in each column, where it lists them.
    allowed: Vec<Option<HashSet<Vec<u8>>>>,
    used: Vec<usize>,
    /// The values of the row, one after the other; where each ends; and whether it is there.
    values: Vec<u8>,
    ends: Vec<usize>,
    known: Vec<bool>,
}

/// A column as the header declares it.
struct Attribute {
    name: String,
    kind: DeclaredKind,
    allowed: Option<HashSet<Vec<u8>>>,
}

impl ArffCells {
    /// Reads the header.
    pub(super) fn open(text: SourceText) -> Result<Self, DataError> {
        let mut cells = Self {
            text,
            buffer: Vec::new(),
            line: 0,
            row: 0,
            names: Vec::new(),
            kinds: DeclaredKinds::new(),
            allowed: Vec::new(),
            used: Vec::new(),
            values: Vec::new(),
            ends: Vec::new(),
            known: Vec::new(),
        };
        loop {
            if !cells.next_line()? {
                return Err(cells.wrong("the header ends without `@data`".into()));
            }
            let line = cells.buffer.trim_ascii();
            let (word, rest) = line.split_at(line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len()));
            match &word.to_ascii_lowercase()[..] {
                b"@relation" => {}
                b"@attribute" => {
                    let Attribute { name, kind, allowed } = attribute(rest).map_err(|why| cells.wrong(why))?;
                    cells.kinds.insert(name.clone(), kind);
                    cells.names.push(name);
                    cells.allowed.push(allowed);
                }
                b"@data" if cells.names.is_empty() => {
                    return Err(cells.wrong("the header declares no `@attribute`".into()));
                }
                b"@data" => return Ok(cells),
                _ => {
                    let beginning = excerpt(line);
                    return Err(cells.wrong(format!("`{beginning}` is none of @relation, @attribute and @data")));
                }
            }
        }
    }

    /// Reads the next line that is neither blank nor a comment into the buffer; returns false at the end.
    fn next_line(&mut self) -> Result<bool, DataError> {
        loop {
            if !self.text.line(self.line + 1, &mut self.buffer)? {
                return Ok(false);
            }
            self.line += 1;
            if !matches!(self.buffer.trim_ascii_start(), [] | [b'%', ..]) {
                return Ok(true);
            }
        }
    }

    fn wrong(&self, detail: String) -> DataError {
        DataError::Arff { file: self.text.file.clone(), line: self.line, detail }
    }

    /// Takes the line apart.
    fn split(&mut self) -> Result<(), DataError> {
        self.values.clear();
        self.ends.clear();
        self.known.clear();
        let line = self.buffer.trim_ascii();
        if line.starts_with(b"{") {
            return Err(self.wrong(
                "rows without their zeros ({0 1, 3 2}) are not read; write the file as LIBSVM text or CSV".into(),
            ));
        }
        let delimiter = if line.contains(&b',') || !line.contains(&b'\t') { b',' } else { b'\t' };
        let (file, line_number) = (&self.text.file, self.line);
        let mut rest = line;
        loop {
            let start = self.values.len();
            let Some((quoted, after)) = value(&mut self.values, rest, |byte| byte == delimiter) else {
                return Err(DataError::OpenQuote { file: file.clone(), line: line_number });
            };
            self.known.push(quoted || &self.values[start..] != b"?");
            self.ends.push(self.values.len());
            match after {
                [] => return Ok(()),
                [byte, more @ ..] if *byte == delimiter => rest = more,
                _ => {
                    let column =
                        self.names.get(self.ends.len() - 1).cloned().unwrap_or_else(|| self.ends.len().to_string());
                    let row = format!("row {}", self.row);
                    return Err(DataError::Quote { file: file.clone(), row, lines: line_number.into(), column });
                }
            }
        }
    }

    fn field(&self, position: usize) -> &[u8] {
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.values[start..self.ends[position]]
    }
}

impl Cells for ArffCells {
    fn file(&self) -> &str {
        &self.text.file
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn kinds(&self) -> Option<&DeclaredKinds> {
        Some(&self.kinds)
    }

    fn project(&mut self, positions: &[usize]) -> Result<(), DataError> {
        self.used = positions.to_vec();
        Ok(())
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        if !self.next_line()? {
            return match self.row {
                0 => Err(DataError::Empty { file: self.text.file.clone(), what: "it has no rows below `@data`" }),
                _ => Ok(false),
            };
        }
        self.row += 1;
        self.split()?;
        let (expected, found) = (self.names.len(), self.ends.len());
        if found != expected {
            let (file, row, lines) = (self.text.file.clone(), self.row, self.line.into());
            return Err(DataError::Ragged { file, row, lines, expected, found });
        }
        let stranger = self.used.iter().find(|&&position| {
            let allowed = self.allowed[position].as_ref().filter(|_| self.known[position]);
            allowed.is_some_and(|allowed| !allowed.contains(self.field(position)))
        });
        match stranger {
            None => Ok(true),
            Some(&position) => {
                let (column, text) = (&self.names[position], excerpt(self.field(position)));
                let detail = format!(
                    "column `{column}`: `{text}` is none of the values that the header lists; add it there, or correct it"
                );
                Err(DataError::ArffRow { file: self.text.file.clone(), row: self.row, line: self.line, detail })
            }
        }
    }

    fn cell(&self, position: usize) -> FileCell<'_> {
        if self.known[position] { FileCell::Text(self.field(position)) } else { FileCell::Missing }
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

/// Reads the value at the beginning of `rest`, which a byte of `ends` ends unless it is in quotes, and appends it to `text`.
/// Returns whether it is in quotes, and what follows it; None if they are not closed.
fn value<'a>(text: &mut Vec<u8>, rest: &'a [u8], ends: impl Fn(u8) -> bool) -> Option<(bool, &'a [u8])> {
    let space = rest.iter().position(|byte| ends(*byte) || !byte.is_ascii_whitespace()).unwrap_or(rest.len());
    let rest = &rest[space..];
    let Some((&quote @ (b'\'' | b'"'), mut inside)) = rest.split_first() else {
        let end = rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
        text.extend_from_slice(rest[..end].trim_ascii_end());
        return Some((false, &rest[end..]));
    };
    loop {
        inside = match inside {
            [] => return None,
            [b'\\', escaped, more @ ..] => {
                text.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => *other,
                });
                more
            }
            [byte, more @ ..] if *byte == quote => {
                let space = more.iter().position(|byte| ends(*byte) || !byte.is_ascii_whitespace());
                return Some((true, &more[space.unwrap_or(more.len())..]));
            }
            [byte, more @ ..] => {
                text.push(*byte);
                more
            }
        };
    }
}

/// What follows `@attribute`: a name and a type.
fn attribute(rest: &[u8]) -> Result<Attribute, String> {
    let mut name = Vec::new();
    let after = value(&mut name, rest.trim_ascii(), |byte| byte == b'{' || byte.is_ascii_whitespace());
    let (_, after) = after.ok_or("the quotes of a name are not closed")?;
    let name = decoded(&name).trim().to_owned();
    if name.is_empty() {
        return Err("an `@attribute` has no name".into());
    }
    let kind = after.trim_ascii();
    if let Some(list) = kind.strip_prefix(b"{") {
        let allowed = Some(listed(list).ok_or_else(|| format!("the list of the values of `{name}` is not closed"))?);
        return Ok(Attribute { name, kind: DeclaredKind::Category, allowed });
    }
    let end = kind.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'[').unwrap_or(kind.len());
    let found = match &kind[..end].to_ascii_lowercase()[..] {
        b"numeric" | b"real" | b"integer" => DeclaredKind::Number,
        b"string" => DeclaredKind::Text,
        b"date" => DeclaredKind::Date { month_first: month_first(&kind[end..]) },
        b"relational" => return Err(format!("`{name}` holds tables, which are not read")),
        b"" => return Err(format!("`{name}` has no type")),
        other => {
            let other = excerpt(other);
            return Err(format!(
                "`{name}` has the type `{other}`; numeric, real, integer, string, date and {{a, b, ...}} are read"
            ));
        }
    };
    Ok(Attribute { name, kind: found, allowed: None })
}

/// The values of a list up to its closing brace; None if it has none.
fn listed(list: &[u8]) -> Option<HashSet<Vec<u8>>> {
    let mut values = HashSet::new();
    let mut rest = list;
    loop {
        let mut text = Vec::new();
        let (_, after) = value(&mut text, rest, |byte| byte == b',' || byte == b'}')?;
        values.insert(text);
        match after {
            [b',', more @ ..] => rest = more,
            [b'}', ..] => return Some(values),
            _ => return None,
        }
    }
}

/// Whether a format of dates, such as `"MM/dd/yyyy"`, has the month before the day and the year behind both.
fn month_first(format: &[u8]) -> bool {
    let at = |letter: u8| format.iter().position(|byte| *byte == letter).unwrap_or(usize::MAX);
    at(b'M') < at(b'd') && at(b'd') < at(b'y')
}

/// Whether text begins as ARFF does: with `@relation`, behind comments and blank lines.
pub(super) fn is_arff(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !matches!(line, [] | [b'%', ..])).unwrap_or_default();
    const WORD: &[u8] = b"@relation";
    first.len() > WORD.len()
        && first[..WORD.len()].eq_ignore_ascii_case(WORD)
        && first[WORD.len()].is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_unquoted() {
        let read = |line: &str| {
            let (mut text, mut rest, mut found) = (Vec::new(), line.as_bytes(), Vec::new());
            while let Some((quoted, after)) = value(&mut text, rest, |byte| byte == b',') {
                found.push((quoted, String::from_utf8(std::mem::take(&mut text)).unwrap()));
                match after {
                    [b',', more @ ..] => rest = more,
                    [] => return Some(found),
                    _ => return None,
                }
            }
            None
        };
        let plain = |text: &str| (false, text.to_owned());
        let quoted = |text: &str| (true, text.to_owned());
        assert_eq!(read("1, b c ,?"), Some(vec![plain("1"), plain("b c"), plain("?")]));
        assert_eq!(
            read(r#"'a, b' ,"it's",'it\'s\t\\',"#).unwrap(),
            [quoted("a, b"), quoted("it's"), quoted("it's\t\\"), plain("")]
        );
        assert_eq!(read("'open,1"), None);
        assert_eq!(read("'a' b,1"), None);
    }

    #[test]
    fn attributes_have_names_and_types() {
        let read = |text: &str| {
            attribute(text.as_bytes()).map(|read| (read.name, read.kind, read.allowed.map(|all| all.len())))
        };
        let is = |name: &str, kind, values| Ok((name.to_owned(), kind, values));
        assert_eq!(read("  'two words' NUMERIC "), is("two words", DeclaredKind::Number, None));
        assert_eq!(read("\tx\tinteger [0, 9]"), is("x", DeclaredKind::Number, None));
        assert_eq!(read("c{a, 'b}, c' , \"?\"}"), is("c", DeclaredKind::Category, Some(3)));
        assert_eq!(read("t date \"MM/dd/yyyy\""), is("t", DeclaredKind::Date { month_first: true }, None));
        assert_eq!(read("t date 'yyyy-MM-dd HH:mm'"), is("t", DeclaredKind::Date { month_first: false }, None));
        assert_eq!(read("s string"), is("s", DeclaredKind::Text, None));
        for wrong in ["", "x", "x fuzzy", "x relational", "c {a, b", "c {'a}", "'x numeric"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_beginning_tells() {
        assert!(is_arff(b"% a comment, @data\r\n\r\n@RELATION x\r\n"));
        for no in [&b"@relationship,b\n1,2\n"[..], b"relation,b\n", b"% only a comment\n", b"", b"a,b\n@relation x\n"] {
            assert!(!is_arff(no), "{}", String::from_utf8_lossy(no));
        }
    }
}
