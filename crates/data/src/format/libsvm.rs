//! LIBSVM text: `label index:value ...` per line. Indices ascend from 1, absent indices are zero, `#` starts a comment.

use crate::error::{DataError, Location, excerpt, number};
use crate::format::select::select;
use crate::format::{MOST_INPUTS, ReadOptions, ReaderColumns, SourceText, TextReader};

/// The name of the target column.
const LABEL: &str = "label";

/// Reads rows from LIBSVM text. Columns are called `label`, `1`, `2`, ...
pub(super) struct LibsvmReader {
    lines: LibsvmLines,
    columns: ReaderColumns,
    /// One dense row of all inputs.
    dense: Vec<f64>,
}

impl LibsvmReader {
    pub(super) fn open(text: SourceText, width: usize, options: &ReadOptions) -> Result<Self, DataError> {
        let names: Vec<String> =
            std::iter::once(LABEL.to_owned()).chain((1..=width).map(|index| index.to_string())).collect();
        let columns = select(&text.file, &names, options, Some(0))?;
        Ok(Self { lines: LibsvmLines::new(text), columns, dense: vec![0.0; width] })
    }
}

impl TextReader for LibsvmReader {
    fn columns(&self) -> &ReaderColumns {
        &self.columns
    }

    fn next_row(&mut self, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<bool, DataError> {
        if !self.lines.advance()? {
            return Ok(false);
        }
        self.dense.fill(0.0);
        let mut fields = self.lines.fields();
        let label = self.lines.number(fields.next().unwrap_or_default(), LABEL)?;
        let mut last = 0;
        for pair in fields {
            let (index, value) = self.lines.pair(pair, last)?;
            let Some(entry) = self.dense.get_mut(index - 1) else {
                let why = format!("index {index} is beyond the declared {} inputs", self.dense.len());
                return Err(self.lines.error(pair, why));
            };
            *entry = value;
            last = index;
        }
        // Position 0 among the file's columns is the label.
        let value = |position: usize| if position == 0 { label } else { self.dense[position - 1] };
        inputs.extend(self.columns.input_positions.iter().map(|&position| value(position)));
        targets.push(value(self.columns.target_position));
        Ok(true)
    }
}

/// The largest index in the text, which is the number of inputs. Where the reader is `tolerant`, rows that cannot be read do not
/// count.
pub(super) fn scan_width(text: SourceText, tolerant: bool) -> Result<usize, DataError> {
    let mut lines = LibsvmLines::new(text);
    let mut width = 0;
    while lines.advance()? {
        match lines.last_index() {
            Ok(last) => width = width.max(last),
            Err(error) if tolerant && error.is_of_a_row() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(width)
}

/// Whether the first line that is not empty looks like LIBSVM text. A line without pairs is a row of zeros; it could be CSV
/// of one column, and is if that may be `alone`.
pub(super) fn looks_like(head: &[u8], alone: bool) -> bool {
    let Some(line) = head.split(|&byte| byte == b'\n').map(content).find(|line| !line.is_empty()) else {
        return false;
    };
    let parses = |text: &[u8]| std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok());
    // The head may end within the line, so only the index of the first pair is checked.
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    fields.next().is_some_and(parses)
        && fields.next().map_or(!alone, |pair| {
            pair.iter().position(|&byte| byte == b':').is_some_and(|colon| pair[..colon].iter().all(u8::is_ascii_digit))
        })
}

/// A line without its comment and surrounding space.
fn content(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii()
}

/// The lines of a text that hold a row, one at a time.
struct LibsvmLines {
    text: SourceText,
    buffer: Vec<u8>,
    row: u64,
    line: u64,
}

impl LibsvmLines {
    fn new(text: SourceText) -> Self {
        Self { text, buffer: Vec::new(), row: 0, line: 0 }
    }

    /// Moves to the next row; returns false at the end. A text without rows is an error.
    fn advance(&mut self) -> Result<bool, DataError> {
        loop {
            if !self.text.line(self.line + 1, &mut self.buffer)? {
                return match self.row {
                    0 => Err(DataError::Empty { file: self.text.file.clone(), what: "it has no rows" }),
                    _ => Ok(false),
                };
            }
            self.line += 1;
            if !content(&self.buffer).is_empty() {
                self.row += 1;
                return Ok(true);
            }
        }
    }

    /// The label and the pairs of this row.
    fn fields(&self) -> impl Iterator<Item = &[u8]> {
        content(&self.buffer).split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
    }

    /// The last index of this row; 0 if it has none.
    fn last_index(&self) -> Result<usize, DataError> {
        self.fields().skip(1).try_fold(0, |last, pair| Ok(self.pair(pair, last)?.0))
    }

    fn number(&self, text: &[u8], column: &str) -> Result<f64, DataError> {
        number(text, || Location {
            file: self.text.file.clone(),
            row: self.row,
            lines: Some(self.line.into()),
            column: column.to_owned(),
        })
    }

    /// The index of a pair, which must exceed `last`, and its value.
    fn pair(&self, pair: &[u8], last: usize) -> Result<(usize, f64), DataError> {
        let error = |why: &str| Err(self.error(pair, why.to_owned()));
        let Some(colon) = pair.iter().position(|&byte| byte == b':') else {
            return error("there is no colon");
        };
        let (index_text, value_text) = (&pair[..colon], &pair[colon + 1..]);
        let index = match std::str::from_utf8(index_text).ok().and_then(|text| text.parse::<usize>().ok()) {
            Some(0) => return error("indices count from 1"),
            Some(index) if index > MOST_INPUTS => return error("the index is too large for this program"),
            Some(index) if index <= last => return error("indices must ascend within a row"),
            Some(index) => index,
            None => return error("the index is not a positive integer"),
        };
        Ok((index, self.number(value_text, std::str::from_utf8(index_text).unwrap_or_default())?))
    }

    fn error(&self, pair: &[u8], why: String) -> DataError {
        let (file, row, line) = (self.text.file.clone(), self.row, self.line);
        DataError::Libsvm { file, row, line, text: excerpt(pair), why }
    }
}
