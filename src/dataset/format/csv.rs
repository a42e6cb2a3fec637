//! CSV: fields separated by commas, semicolons or tabs, quoted as RFC 4180 says.

use std::io::BufRead;

use ::csv::{ByteRecord, ErrorKind, ReaderBuilder, Trim};

use crate::dataset::error::{DataError, Place, excerpt, number};
use crate::dataset::format::select::select;
use crate::dataset::format::{Columns, Options, RowReader, Text, read_error};

/// Reads rows from CSV text.
pub struct Reader {
    file: String,
    compression: super::Compression,
    records: ::csv::Reader<Box<dyn BufRead + Send>>,
    record: ByteRecord,
    /// Whether `record` holds a row that was read ahead.
    ahead: bool,
    fields: usize,
    columns: Columns,
    row: u64,
    done: bool,
}

impl Reader {
    pub(super) fn open(text: Text, options: &Options) -> Result<Self, DataError> {
        let Text { file, compression, head, bytes } = text;
        let mut records = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .delimiter(delimiter(&head))
            .from_reader(bytes);
        let mut record = ByteRecord::new();
        let found = records.read_byte_record(&mut record).map_err(|error| csv_error(&file, compression, error))?;
        if !found {
            return Err(DataError::Empty { file, what: "there is not a single line of data" });
        }
        let names: Vec<String> = if options.header {
            if holds_data(&record) {
                let line = excerpt(&record.iter().collect::<Vec<_>>().join(&b','));
                let remedy = "put a line of column names first, or say that there is none (header = false)";
                return Err(DataError::NoHeader { file, line, remedy });
            }
            record.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
        } else {
            (1..=record.len()).map(|position| position.to_string()).collect()
        };
        let columns = select(&file, &names, options, None)?;
        let (ahead, fields) = (!options.header, names.len());
        Ok(Self { file, compression, records, record, ahead, fields, columns, row: 0, done: false })
    }

    /// Appends one row; false at the end.
    fn next_row(&mut self, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<bool, DataError> {
        if !std::mem::take(&mut self.ahead) {
            let found = self.records.read_byte_record(&mut self.record);
            if !found.map_err(|error| csv_error(&self.file, self.compression, error))? {
                if self.row == 0 {
                    return Err(DataError::Empty {
                        file: self.file.clone(),
                        what: "there are no rows below the header",
                    });
                }
                return Ok(false);
            }
        }
        self.row += 1;
        let row = self.row;
        let line = self.record.position().map_or(0, |position| position.line());
        if self.record.len() != self.fields {
            let (expected, found) = (self.fields, self.record.len());
            return Err(DataError::Ragged { file: self.file.clone(), row, line, expected, found });
        }
        let field = |position: usize, column: &str| {
            number(&self.record[position], || Place {
                file: self.file.clone(),
                row,
                line: Some(line),
                column: column.to_owned(),
            })
        };
        for (&position, column) in self.columns.input_positions.iter().zip(&self.columns.inputs) {
            inputs.push(field(position, column)?);
        }
        targets.push(field(self.columns.target_position, &self.columns.target)?);
        Ok(true)
    }
}

impl RowReader for Reader {
    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn next_block(
        &mut self,
        max_rows: usize,
        inputs: &mut Vec<f64>,
        targets: &mut Vec<f64>,
    ) -> Result<usize, DataError> {
        let mut rows = 0;
        while rows < max_rows && !self.done {
            match self.next_row(inputs, targets) {
                Ok(true) => rows += 1,
                Ok(false) => self.done = true,
                Err(error) => {
                    self.done = true;
                    return Err(error);
                }
            }
        }
        Ok(rows)
    }
}

/// The separator that the first line has most of; a comma where it has none.
fn delimiter(head: &[u8]) -> u8 {
    let line = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let count = |separator: u8| line.iter().filter(|&&byte| byte == separator).count();
    // The last of equals wins, hence the comma at the end.
    [b'\t', b';', b','].into_iter().max_by_key(|&separator| count(separator)).unwrap_or(b',')
}

/// Whether a header is a row of data: all numbers. Consecutive integers from 0 or 1 are how tools name the columns
/// of a nameless table, and do name columns.
fn holds_data(record: &ByteRecord) -> bool {
    let text = |field: &[u8]| std::str::from_utf8(field).ok().map(str::to_owned);
    let numbers: Option<Vec<f64>> = record.iter().map(|field| text(field)?.parse().ok()).collect();
    let counts_from = |start: usize| {
        record.iter().enumerate().all(|(i, field)| text(field).is_some_and(|text| text == (start + i).to_string()))
    };
    numbers.is_some() && !counts_from(0) && !counts_from(1)
}

fn csv_error(file: &str, compression: super::Compression, error: ::csv::Error) -> DataError {
    let detail = error.to_string();
    let source = match error.into_kind() {
        ErrorKind::Io(source) => source,
        _ => std::io::Error::other(detail),
    };
    read_error(file, compression, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_shows_the_separator() {
        assert_eq!(delimiter(b"a,b,c\n1;2;3;4"), b',');
        assert_eq!(delimiter(b"\n\"fixed, acidity\";b;c\n"), b';');
        assert_eq!(delimiter(b"a\tb\n"), b'\t');
        assert_eq!(delimiter(b"alone\n"), b',');
    }

    #[test]
    fn a_header_of_numbers_is_data_unless_it_counts() {
        let record = |line: &str| ByteRecord::from(line.split(',').collect::<Vec<_>>());
        assert!(holds_data(&record("1.0,2.5e-1,3")));
        assert!(holds_data(&record("2,3,4")));
        assert!(!holds_data(&record("0,1,2")));
        assert!(!holds_data(&record("1,2,3")));
        assert!(!holds_data(&record("1.0,x,3")));
    }
}
