//! The records of CSV text: fields with their separators and quotes.

use std::io::{BufRead, Cursor};

use crate::encode::choices::Decimal;
use crate::error::{DataError, Lines};
use crate::format::{LONGEST_FIELD, ReadOptions, SourceText};

/// The records of a text, one at a time. Blank lines are skipped.
pub(super) struct Records {
    pub(super) text: SourceText,
    delimiter: u8,
    buffer: Vec<u8>,
    pub(super) record: Record,
    /// The number of lines read.
    line: u64,
    /// The line on which `record` begins.
    first_line: u64,
    /// Lines that are read again before those of `text`.
    again: Cursor<Vec<u8>>,
    /// The line to which a quoted field of the current record goes on, where a quotation mark is wrong. The line after the first
    /// one is then read next.
    pub(super) overlong: Option<u64>,
}

/// How many lines a quoted field may go on over, whatever these hold. Beyond that, lines that look like rows are taken for such:
/// a quotation mark that stands alone takes in rows to the next one, while letters and programs in a cell seldom have as many
/// separators in a line as there are in a row.
const FIELD_LINES: u64 = 20;

impl Records {
    pub(super) fn new(text: SourceText, options: &ReadOptions) -> Self {
        let comma = options.encoding.decimal != Some(Decimal::Comma);
        let delimiter = options.delimiter.unwrap_or_else(|| delimiter(&text.head, comma));
        let (record, again) = (Record::default(), Cursor::default());
        Self { text, delimiter, buffer: Vec::new(), record, line: 0, first_line: 0, again, overlong: None }
    }

    /// Moves to the next record, which should have `width` fields, if that is known; returns false at the end.
    pub(super) fn advance(&mut self, width: Option<usize>) -> Result<bool, DataError> {
        self.record.clear();
        self.overlong = None;
        loop {
            if !self.next_line()? {
                return Ok(false);
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        self.first_line = self.line;
        let mut further = Vec::new();
        while !self.record.feed(&self.buffer, self.delimiter) {
            if self.record.text.len() > LONGEST_FIELD || !self.next_line()? {
                self.again_from(further);
                return Err(DataError::OpenQuote { file: self.text.file.clone(), line: self.first_line });
            }
            further.extend_from_slice(&self.buffer);
        }
        let width = width.unwrap_or(self.record.len());
        if self.line - self.first_line > FIELD_LINES && are_rows(&further, self.delimiter, width) {
            self.overlong = Some(self.line);
            self.again_from(further);
        }
        Ok(true)
    }

    /// Reads the lines after the first one of the current record again.
    fn again_from(&mut self, mut further: Vec<u8>) {
        let left = usize::try_from(self.again.position()).unwrap_or(usize::MAX);
        further.extend_from_slice(self.again.get_ref().get(left..).unwrap_or_default());
        self.again = Cursor::new(further);
        self.line = self.first_line;
    }

    /// The lines of the current record.
    pub(super) fn lines(&self) -> Lines {
        Lines { first: self.first_line, last: self.line }
    }

    /// The error of a field of the current record that is partly in quotes.
    pub(super) fn broken(&self, row: String, column: String) -> DataError {
        DataError::Quote { file: self.text.file.clone(), row, lines: self.lines(), column }
    }

    /// The error of a field of the current record that goes on to the line `last`, over rows.
    pub(super) fn long(&self, row: String, last: u64) -> DataError {
        DataError::LongQuote { file: self.text.file.clone(), row, line: self.first_line, last }
    }

    /// Reads a line with its line end into `buffer`; returns false at the end.
    fn next_line(&mut self) -> Result<bool, DataError> {
        self.buffer.clear();
        let again = self.again.read_until(b'\n', &mut self.buffer).map_err(|error| self.text.error(error))? > 0;
        let found = again || self.text.line(self.line + 1, &mut self.buffer)?;
        self.line += u64::from(found);
        Ok(found)
    }
}

/// Whether nearly all of these lines, which are in quotes, could be rows of `width` fields.
fn are_rows(lines: &[u8], delimiter: u8, width: usize) -> bool {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let (all, alike) = lines.fold((0, 0), |(all, alike), line| {
        let fields = line.iter().filter(|&&byte| byte == delimiter).count() + 1;
        (all + 1, alike + usize::from(fields == width))
    });
    10 * alike >= 9 * all
}

/// The fields of one record, without quotes and surrounding space.
#[derive(Default)]
pub(super) struct Record {
    /// All fields, one after the other.
    pub(super) text: Vec<u8>,
    /// Where each field ends in `text`.
    ends: Vec<usize>,
    /// Whether the text so far ends within a quoted field.
    quoted: bool,
    /// The first field with text after its closing quote.
    pub(super) broken: Option<usize>,
}

impl Record {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.quoted = false;
        self.broken = None;
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.field(i))
    }

    /// Adds a line; returns false if it ends within a quoted field, which continues on the next line.
    fn feed(&mut self, line: &[u8], delimiter: u8) -> bool {
        let find = |text: &[u8], wanted: u8| text.iter().position(|&byte| byte == wanted);
        let mut rest = line;
        // Whether `rest` follows a closing quote. A further quote then opens nothing.
        let mut closed = false;
        loop {
            if self.quoted {
                let Some(quote) = find(rest, b'"') else {
                    self.text.extend_from_slice(rest);
                    return false;
                };
                // Two quotes stand for one.
                let doubled = rest.get(quote + 1) == Some(&b'"');
                self.text.extend_from_slice(&rest[..quote + usize::from(doubled)]);
                rest = &rest[quote + 1 + usize::from(doubled)..];
                self.quoted = doubled;
                closed = !doubled;
                continue;
            }
            let spaces = rest.iter().take_while(|&&byte| byte == b' ').count();
            if !closed && rest.get(spaces) == Some(&b'"') {
                self.quoted = true;
                rest = &rest[spaces + 1..];
                continue;
            }
            let end = find(rest, delimiter);
            let plain = rest[..end.unwrap_or(rest.len())].trim_ascii();
            if closed && !plain.is_empty() {
                self.broken.get_or_insert(self.ends.len());
            }
            self.text.extend_from_slice(plain);
            self.ends.push(self.text.len());
            closed = false;
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return true,
            }
        }
    }

    /// Whether this header is a row of data: all fields are numbers. Consecutive integers from 0 or 1 count as names,
    /// because tools number the columns of a table without names.
    pub(super) fn holds_data(&self) -> bool {
        let text = |field| std::str::from_utf8(field).unwrap_or_default();
        let counts_from =
            |start: usize| self.iter().enumerate().all(|(i, field)| text(field) == (start + i).to_string());
        self.iter().all(|field| text(field).parse::<f64>().is_ok()) && !counts_from(0) && !counts_from(1)
    }
}

/// The first line that is not blank.
pub(super) fn first_line(head: &[u8]) -> &[u8] {
    head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default()
}

/// The most frequent separator in the first line; a comma if it has none, and a semicolon if a comma cannot be one.
fn delimiter(head: &[u8], comma: bool) -> u8 {
    let line = first_line(head);
    let count = |separator: u8| line.iter().filter(|&&byte| byte == separator).count();
    // The last of equal maxima wins, so the comma comes last.
    let known: &[u8] = if comma { b"\t;," } else { b"\t;" };
    known.iter().copied().max_by_key(|&separator| count(separator)).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_shows_the_separator() {
        assert_eq!(delimiter(b"a,b,c\n1;2;3;4", true), b',');
        assert_eq!(delimiter(b"\n\"fixed, acidity\";b;c\n", true), b';');
        assert_eq!(delimiter(b"a\tb\n", true), b'\t');
        assert_eq!(delimiter(b"alone\n", true), b',');
        assert_eq!(delimiter(b"1,5;2,25,3\n", false), b';');
    }

    fn record(line: &str) -> Record {
        let mut record = Record::default();
        assert!(record.feed(line.as_bytes(), b','));
        record
    }

    #[test]
    fn a_header_of_numbers_is_data_unless_it_counts() {
        assert!(record("1.0,2.5e-1,3").holds_data());
        assert!(record("2,3,4").holds_data());
        assert!(!record("0,1,2").holds_data());
        assert!(!record("1,2,3").holds_data());
        assert!(!record("1.0,x,3").holds_data());
    }

    #[test]
    fn fields_are_split_and_unquoted() {
        let fields = |line: &str| -> Vec<String> {
            record(line).iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
        };
        assert_eq!(fields("a, b ,c\r\n"), ["a", "b", "c"]);
        assert_eq!(fields("a,,\n"), ["a", "", ""]);
        assert_eq!(fields("\"a,b\", \"say \"\"x\"\"\" ,c\n"), ["a,b", "say \"x\"", "c"]);
        assert_eq!(fields("\"\",5\" pipe,\" kept \""), ["", "5\" pipe", " kept "]);
        assert_eq!(record("a,\"4\"5,\"b\"c\n").broken, Some(1));
        assert_eq!(record("\"a\" , \"b\",\"\"\r\n").broken, None);
    }

    #[test]
    fn a_quoted_field_may_span_lines() {
        let mut record = Record::default();
        assert!(!record.feed(b"1,\"two\n", b','));
        assert!(!record.feed(b"lines, \"\"quoted\"\"\n", b','));
        assert!(record.feed(b"end\",3\n", b','));
        assert_eq!(record.iter().collect::<Vec<_>>(), [&b"1"[..], b"two\nlines, \"quoted\"\nend", b"3"]);
    }
}
