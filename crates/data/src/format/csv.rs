//! CSV: fields separated by commas, semicolons or tabs, with the quotes of RFC 4180.
//!
//! It is read line by line instead of with a CSV library, so that messages name the line that an editor shows. Blank
//! lines and Windows line ends confuse the line counts of the usual parsers.

use crate::encode::choices::{Decimal, UnlabelledRows};
use crate::encode::number::{disguised, is_missing};
use crate::error::{DataError, Location, excerpt, number};
use crate::format::cells::{Cells, FileCell};
use crate::format::select::select;
use crate::format::{LONGEST_FIELD, ReadOptions, ReaderColumns, SourceText, TextReader, is_binary};
use crate::text::decoded;

/// The rows of CSV text, as text.
pub(super) struct CsvCells {
    records: Records,
    /// Whether the current record is the first row, which was read ahead to count the columns.
    ahead: bool,
    names: Vec<String>,
    row: u64,
}

impl CsvCells {
    pub(super) fn open(text: SourceText, options: &ReadOptions) -> Result<Self, DataError> {
        if is_binary(&text.head) {
            return Err(DataError::Foreign { file: text.file, what: BINARY });
        }
        let mut records = Records::new(text, options);
        let file = records.text.file.clone();
        if !records.advance()? {
            return Err(DataError::Empty { file, what: "it has no line of data" });
        }
        let record = &records.record;
        if let Some(position) = record.broken {
            return Err(records.broken("the header".into(), (position + 1).to_string()));
        }
        let names: Vec<String> = if options.header {
            if record.holds_data() {
                let line = excerpt(&record.iter().collect::<Vec<_>>().join(&b','));
                let remedy = "add a header line, or say that there is none (--no-header; in a declaration, \
                              `header = false`)";
                return Err(DataError::NoHeader { file, line, remedy });
            }
            record.iter().map(|name| decoded(name).into_owned()).collect()
        } else {
            let letter = if options.letters { "c" } else { "" };
            (1..=record.len()).map(|position| format!("{letter}{position}")).collect()
        };
        Ok(Self { records, ahead: !options.header, names, row: 0 })
    }

    /// The field at this position of the current row.
    fn field(&self, position: usize) -> &[u8] {
        self.records.record.field(position)
    }
}

/// What bytes are that no text holds.
const BINARY: &str = "binary data of an unknown kind, not text; write it as CSV or Parquet";

impl Cells for CsvCells {
    fn file(&self) -> &str {
        &self.records.text.file
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn project(&mut self, _: &[usize]) -> Result<(), DataError> {
        Ok(())
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        if !std::mem::take(&mut self.ahead) && !self.records.advance()? {
            return match self.row {
                0 => Err(DataError::Empty { file: self.file().to_owned(), what: "it has no rows below the header" }),
                _ => Ok(false),
            };
        }
        self.row += 1;
        // What comes through a pipe shows no more than its first line beforehand.
        if self.row == 1 && is_binary(&self.records.record.text) {
            return Err(DataError::Foreign { file: self.file().to_owned(), what: BINARY });
        }
        let Records { text, record, first_line, .. } = &self.records;
        let (row, line) = (self.row, *first_line);
        if record.len() != self.names.len() {
            let (expected, found) = (self.names.len(), record.len());
            return Err(DataError::Ragged { file: text.file.clone(), row, line, expected, found });
        }
        match record.broken {
            Some(position) => Err(self.records.broken(format!("row {row}"), self.names[position].clone())),
            None => Ok(true),
        }
    }

    fn cell(&self, position: usize) -> FileCell<'_> {
        FileCell::Text(self.field(position))
    }

    fn location(&self, position: usize) -> Location {
        Location {
            file: self.file().to_owned(),
            row: self.row,
            line: Some(self.records.first_line),
            column: self.names[position].clone(),
        }
    }
}

/// Reads rows of numbers from CSV text.
pub(super) struct CsvReader {
    cells: CsvCells,
    columns: ReaderColumns,
    /// Whether rows without a target have the target NaN.
    unlabelled: bool,
    /// Whether numbers may be written for people.
    disguised: bool,
}

impl CsvReader {
    pub(super) fn open(text: SourceText, options: &ReadOptions) -> Result<Self, DataError> {
        let cells = CsvCells::open(text, options)?;
        let columns = select(cells.file(), cells.names(), options, None)?;
        let unlabelled = options.encoding.unlabelled == UnlabelledRows::Keep;
        Ok(Self { cells, columns, unlabelled, disguised: options.encoding.recognise })
    }
}

impl TextReader for CsvReader {
    fn columns(&self) -> &ReaderColumns {
        &self.columns
    }

    fn next_row(&mut self, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<bool, DataError> {
        if !self.cells.advance()? {
            return Ok(false);
        }
        let field = |position: usize| {
            let text = self.cells.field(position);
            number(text, || self.cells.location(position)).or_else(|error| {
                // Beyond the first rows, by which columns were recognised.
                let found = Some(text).filter(|_| self.disguised).and_then(|text| disguised(text, Decimal::Point));
                found.filter(|number| number.is_finite()).ok_or(error)
            })
        };
        for &position in &self.columns.input_positions {
            inputs.push(field(position)?);
        }
        let target = self.columns.target_position;
        let missing = self.unlabelled && is_missing(self.cells.field(target));
        let told = |error| match error {
            DataError::NotANumber { at, text } if self.disguised => DataError::NotATarget { at, text },
            other => other,
        };
        targets.push(if missing { f64::NAN } else { field(target).map_err(told)? });
        Ok(true)
    }
}

/// The records of a text, one at a time. Blank lines are skipped.
struct Records {
    text: SourceText,
    delimiter: u8,
    buffer: Vec<u8>,
    record: Record,
    /// The number of lines read.
    line: u64,
    /// The line on which `record` begins.
    first_line: u64,
}

impl Records {
    fn new(text: SourceText, options: &ReadOptions) -> Self {
        let comma = options.encoding.decimal != Some(Decimal::Comma);
        let delimiter = options.delimiter.unwrap_or_else(|| delimiter(&text.head, comma));
        Self { text, delimiter, buffer: Vec::new(), record: Record::default(), line: 0, first_line: 0 }
    }

    /// Moves to the next record; returns false at the end.
    fn advance(&mut self) -> Result<bool, DataError> {
        self.record.clear();
        loop {
            if !self.next_line()? {
                return Ok(false);
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        self.first_line = self.line;
        while !self.record.feed(&self.buffer, self.delimiter) {
            if self.record.text.len() > LONGEST_FIELD || !self.next_line()? {
                return Err(DataError::OpenQuote { file: self.text.file.clone(), line: self.first_line });
            }
        }
        Ok(true)
    }

    /// The error of a field of the current record that is partly in quotes.
    fn broken(&self, row: String, column: String) -> DataError {
        DataError::Quote { file: self.text.file.clone(), row, line: self.first_line, column }
    }

    /// Reads a line with its line end into `buffer`; returns false at the end.
    fn next_line(&mut self) -> Result<bool, DataError> {
        let found = self.text.line(self.line + 1, &mut self.buffer)?;
        self.line += u64::from(found);
        Ok(found)
    }
}

/// The fields of one record, without quotes and surrounding space.
#[derive(Default)]
struct Record {
    /// All fields, one after the other.
    text: Vec<u8>,
    /// Where each field ends in `text`.
    ends: Vec<usize>,
    /// Whether the text so far ends within a quoted field.
    quoted: bool,
    /// The first field with text after its closing quote.
    broken: Option<usize>,
}

impl Record {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.quoted = false;
        self.broken = None;
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
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
    fn holds_data(&self) -> bool {
        let text = |field| std::str::from_utf8(field).unwrap_or_default();
        let counts_from =
            |start: usize| self.iter().enumerate().all(|(i, field)| text(field) == (start + i).to_string());
        self.iter().all(|field| text(field).parse::<f64>().is_ok()) && !counts_from(0) && !counts_from(1)
    }
}

/// Whether it is certain that commas separate the columns of a text that begins with `head`, so that no number has one. Where
/// there are quotes, one may.
pub(super) fn is_separated_by_commas(head: &[u8], options: &ReadOptions) -> bool {
    let line = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let shown = line.contains(&b',') && !line.contains(&b';') && !line.contains(&b'\t');
    options.delimiter.map_or(shown, |delimiter| delimiter == b',') && !head.contains(&b'"')
}

/// The most frequent separator in the first line; a comma if it has none, and a semicolon if a comma cannot be one.
fn delimiter(head: &[u8], comma: bool) -> u8 {
    let line = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
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
