//! CSV: fields separated by commas, semicolons or tabs, with the quotes of RFC 4180.
//!
//! It is read line by line instead of with a CSV library, so that messages name the line that an editor shows. Blank
//! lines and Windows line ends confuse the line counts of the usual parsers.

use crate::encode::choices::{Decimal, UnlabelledRows};
use crate::encode::number::{disguised, is_missing};
use crate::error::{DataError, Location, excerpt, number};
use crate::format::cells::{Cells, FileCell};
use crate::format::records::{Records, first_line};
use crate::format::select::select;
use crate::format::{ReadOptions, ReaderColumns, SourceText, TextReader, is_binary};
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
        if let Some(what) = foreign(&text.head) {
            return Err(DataError::Foreign { file: text.file, what });
        }
        let mut records = Records::new(text, options);
        let file = records.text.file.clone();
        if !records.advance(None)? {
            return Err(DataError::Empty { file, what: "it has no line of data" });
        }
        if let Some(last) = records.overlong {
            return Err(records.long("the header".into(), last));
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

    /// What the column at this position is called in messages: its number, if it has no name.
    fn called(&self, position: usize) -> String {
        let name = &self.names[position];
        if name.is_empty() { (position + 1).to_string() } else { name.clone() }
    }

    /// The field at this position of the current row.
    fn field(&self, position: usize) -> &[u8] {
        self.records.record.field(position)
    }
}

/// What bytes are that no text holds.
const BINARY: &str = "binary data of an unknown kind, not text; write it as CSV or Parquet";

/// What text is that begins with these bytes, where it is not read as CSV.
fn foreign(head: &[u8]) -> Option<&'static str> {
    let first = first_line(head).trim_ascii();
    let is_for_excel = match first.get(..4) {
        Some(word) => {
            word.eq_ignore_ascii_case(b"sep=") && matches!(&first[4..], [] | [b'!'..=b'/' | b':'..=b'@' | b'|'])
        }
        None => false,
    };
    let ends_alone = || !head.contains(&b'\n') && head.trim_ascii().contains(&b'\r');
    if is_for_excel {
        Some("text whose first line (`sep=`) is for Excel alone; remove that line, so that the header is the first one")
    } else if ends_alone() {
        Some(
            "text whose lines end with a carriage return alone; write it with usual line ends, such as by `tr '\\r' '\\n'`",
        )
    } else {
        None
    }
}

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
        let found = std::mem::take(&mut self.ahead) || {
            // A quotation mark that is never closed is one of a row.
            let found = self.records.advance(Some(self.names.len()));
            self.row += u64::from(found.is_err());
            found?
        };
        if !found {
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
        let row = self.row;
        if let Some(last) = self.records.overlong {
            return Err(self.records.long(format!("row {row}"), last));
        }
        let Records { text, record, .. } = &self.records;
        if record.len() != self.names.len() {
            let (expected, found) = (self.names.len(), record.len());
            return Err(DataError::Ragged {
                file: text.file.clone(),
                row,
                lines: self.records.lines(),
                expected,
                found,
            });
        }
        match record.broken {
            Some(position) => Err(self.records.broken(format!("row {row}"), self.called(position))),
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
            lines: Some(self.records.lines()),
            column: self.called(position),
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

/// Whether it is certain that commas separate the columns of a text that begins with `head`, so that no number has one. Where
/// there are quotes, one may.
pub(super) fn is_separated_by_commas(head: &[u8], options: &ReadOptions) -> bool {
    let line = first_line(head);
    let shown = line.contains(&b',') && !line.contains(&b';') && !line.contains(&b'\t');
    options.delimiter.map_or(shown, |delimiter| delimiter == b',') && !head.contains(&b'"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::choices::ColumnEncoding;
    use crate::format::DataSource;
    use crate::format::open::open;

    /// The targets of the rows that can be read, and the errors of the others.
    fn read(text: &str, tolerant: bool) -> (Vec<f64>, Vec<String>) {
        let source = DataSource::Bytes { name: "f".into(), bytes: text.as_bytes().into() };
        let encoding = ColumnEncoding { recognise: true, first_cell: true, ..ColumnEncoding::default() };
        let options = ReadOptions { target: Some("y".into()), tolerant, encoding, ..ReadOptions::default() };
        let mut reader = open(&source, &options).unwrap();
        let (mut targets, mut errors) = (Vec::new(), Vec::new());
        loop {
            match reader.next_block(7, &mut Vec::new(), &mut targets) {
                Ok(0) => return (targets, errors),
                Ok(_) => {}
                Err(error) => {
                    errors.push(error.to_string());
                    if !(tolerant && error.is_of_a_row() && reader.pass_over()) {
                        return (targets, errors);
                    }
                }
            }
        }
    }

    fn rows(change: impl Fn(usize) -> Option<&'static str>) -> String {
        let row = |i: usize| change(i).map_or_else(|| format!("{i},n{i},{i}\n"), str::to_owned);
        format!("a,c,y\n{}", (1..=100).map(row).collect::<String>())
    }

    #[test]
    fn a_stray_quotation_mark_takes_in_no_rows() {
        let text = rows(|i| match i {
            10 => Some("10,\"n10,10\n"),
            60 => Some("60,n60\",60\n"),
            _ => None,
        });
        let (targets, errors) = read(&text, false);
        assert_eq!(targets.len(), 9);
        let why = "f: row 10 (line 11): a quoted field goes on to line 61, over lines that look like rows; a quotation mark is \
                   missing or too many: correct it";
        assert_eq!(errors, [why]);
        let (targets, errors) = read(&text, true);
        assert_eq!((targets.len(), &errors[..]), (99, &[why.to_owned()][..]));
        assert_eq!(targets[9..].iter().sum::<f64>(), f64::from((11..=100).sum::<u32>()));
    }

    #[test]
    fn a_quotation_mark_without_another_one_costs_its_row() {
        let (targets, errors) = read(&rows(|i| (i == 10 || i == 100).then_some("10,\"n,10\n")), true);
        assert_eq!(targets.len(), 98);
        assert!(errors[0].contains("(line 11): a quoted field goes on to line 101"), "{errors:?}");
        assert!(errors[1].contains("line 101: a quoted field that begins here is never closed"), "{errors:?}");
    }

    #[test]
    fn long_texts_are_fields() {
        for lines in ["a letter\n".repeat(500), "dear, sir, and, madam\n\n".repeat(30), "1,2,3\n".repeat(20)] {
            let text = format!("a,c,y\n1,x,1\n2,\"{lines}\",2\n3,x,3\n");
            assert_eq!(read(&text, false), (vec![1.0, 2.0, 3.0], Vec::new()));
        }
    }

    #[test]
    fn rows_of_several_lines_are_told_with_these() {
        let (targets, errors) = read("a,c,y\n1,x,1\n2,\"x,2\n3,x\",3,4\n5,\"x\ny\",z\n6,x,6\n", true);
        assert_eq!(targets, [1.0, 6.0]);
        assert!(errors[0].contains("row 2 (lines 3 to 4) has 4 fields") && errors[0].contains("quotation mark"));
        assert!(errors[1].contains("row 3 (lines 5 to 6), column `y`"), "{errors:?}");
    }

    /// What is wrong with the text where columns are left out.
    fn wrong(text: &str, drop: &[&str]) -> Option<String> {
        let source = DataSource::Bytes { name: "f".into(), bytes: text.as_bytes().into() };
        let encodings = [ColumnEncoding::recognising(), ColumnEncoding::default()];
        let found = encodings.map(|encoding| {
            let drop = drop.iter().map(|name| (*name).to_owned()).collect();
            let options = ReadOptions { target: Some("y".into()), drop, encoding, ..ReadOptions::default() };
            let read = open(&source, &options).and_then(|mut reader| {
                let rows = reader.next_block(10, &mut Vec::new(), &mut Vec::new())?;
                assert_eq!((rows, &reader.columns().inputs[..]), (2, &["a".to_owned()][..]));
                Ok(())
            });
            read.err().map(|error| error.to_string())
        });
        assert_eq!(found[0].is_none(), found[1].is_none());
        found.into_iter().flatten().next()
    }

    #[test]
    fn columns_without_names_are_left_out_by_number() {
        for (text, drop) in [("a,y,\n1,2,\n2,3,\n", &["3"][..]), ("a,y,,\n1,2,,\n2,3,,\n", &["3", "4"])] {
            let message = wrong(text, &[]).unwrap();
            assert!(message.contains(&format!("--drop {}", drop.join(","))), "{message}");
            assert_eq!(wrong(text, drop), None);
        }
    }

    #[test]
    fn files_of_other_programs_are_told() {
        for (text, remedy) in [
            ("a y\n1 2\n3 4\n", "--delimiter space"),
            ("a|y\n1|2\n3|4\n", "(--delimiter)"),
            ("sep=;\na;y\n1;2\n3;4\n", "remove that line"),
            ("SEP=,\r\na,y\r\n1,2\r\n3,4\r\n", "remove that line"),
            ("a,y\r1,2\r3,4\r", "carriage return alone"),
        ] {
            let message = wrong(text, &[]).unwrap();
            assert!(message.contains(remedy), "{message}");
        }
        assert_eq!(wrong("a,y\r\n1,2\r\n3,4", &[]), None);
        for sound in ["sep=x,y\n1,2\n", "sep,y\n1,2\n", "a\r"] {
            assert_eq!(foreign(sound.as_bytes()), None, "{sound}");
        }
    }
}
