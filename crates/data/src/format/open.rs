//! Opens a file of any supported format.

use crate::encode::marks::Marks;
use crate::encode::plan::Plan;
use crate::encode::reader::{Encoded, First, sample};
use crate::encode::recognise::Sample;
use crate::encode::target::Sought;
use crate::error::DataError;
use crate::format::cells::Cells;
use crate::format::columnar::{ColumnarCells, is_columnar};
use crate::format::columns::NO_TARGET;
use crate::format::csv::{CsvCells, CsvReader};
use crate::format::libsvm::{LibsvmReader, looks_like, scan_width};
use crate::format::parquet::ParquetReader;
use crate::format::select::{select, select_known};
use crate::format::{Columns, Format, ReadOptions, RowReader, Source, Text, TextReader};

/// Reads the rows of a text in blocks.
struct Blocks<R> {
    reader: R,
    done: bool,
}

impl<R: TextReader> RowReader for Blocks<R> {
    fn columns(&self) -> &Columns {
        self.reader.columns()
    }

    fn next_block(&mut self, limit: usize, inputs: &mut Vec<f64>, targets: &mut Vec<f64>) -> Result<usize, DataError> {
        let mut rows = 0;
        while rows < limit && !self.done {
            let row = self.reader.next_row(inputs, targets);
            self.done = !matches!(row, Ok(true));
            rows += usize::from(row?);
        }
        Ok(rows)
    }

    fn pass_over(&mut self) -> bool {
        self.done = false;
        true
    }
}

/// Opens `source` for reading rows, encoded as the options say. Memory does not grow with the size of the source, with
/// one exception: a Parquet or Arrow file that is itself compressed, or comes through a pipe, is unpacked into memory,
/// because it is read from its end.
pub fn open(source: &Source, options: &ReadOptions) -> Result<Box<dyn RowReader>, DataError> {
    let text = Text::open(source)?;
    let format = match options.format {
        Some(format) => format,
        None => format(source, &text.head),
    };
    match format {
        Format::Libsvm
            if !options.marks.is_empty() || !options.further_targets.is_empty() || options.after.is_some() =>
        {
            Err(DataError::Declaration {
                file: source.to_string(),
                detail: "LIBSVM text has no columns that name rows; write it as CSV".into(),
            })
        }
        Format::Libsvm => libsvm(source, text, options),
        Format::Csv | Format::Parquet if options.encoding.is_plain() && options.plan.is_none() => {
            numbers(source, text, format, options)
        }
        _ => encoded(source, text, format, options),
    }
}

/// Opens a file of numbers, which need no encoder.
fn numbers(
    source: &Source,
    text: Text,
    format: Format,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, DataError> {
    match format {
        Format::Parquet => Ok(Box::new(ParquetReader::open(source, text, options)?)),
        _ => Ok(Box::new(Blocks { reader: CsvReader::open(text, options)?, done: false })),
    }
}

/// Opens a file whose columns are encoded. The first row says how, or the first rows, as the options say; on a pipe, the first
/// row alone.
fn encoded(
    source: &Source,
    text: Text,
    format: Format,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, DataError> {
    let cells = |text: Text| -> Result<Box<dyn Cells>, DataError> {
        match format {
            Format::Parquet | Format::Arrow => {
                Ok(Box::new(ColumnarCells::open(source, text, format == Format::Arrow)?))
            }
            Format::Csv | Format::Libsvm => Ok(Box::new(CsvCells::open(text, options)?)),
        }
    };
    let mut first = cells(text)?;
    if let Some(plan) = &options.plan {
        return planned(first, plan, options);
    }
    let raw = select(first.file(), first.names(), options, None)?;
    let marks = Marks::find(first.file(), first.names(), options)?;
    let used = raw.input_positions.iter().copied().chain([raw.target_position]).chain(marks.positions());
    let used: Vec<usize> = used.collect();
    first.project(&used)?;
    let whole = source.reopens();
    let causal = options.encoding.first_cell;
    let found = match causal {
        true => First::find(first.as_mut(), &raw, &options.encoding, options.tolerant)?,
        false => First::known(sample(first.as_mut(), &raw, !whole, options.tolerant)?),
    };
    let plan = Plan::new(first.file(), &raw, &options.encoding, &found.samples, whole && !causal, !causal)?;
    let mut sought = Sought::of(&plan.target);
    if !whole {
        return Ok(Box::new(Encoded::from_first(first, raw, plan, found).seeking(sought).marking(marks)));
    }
    let words = found.samples.last().map(Sample::words).unwrap_or_default();
    if let Some(sought) = &mut sought
        && !found.over
        && !words.iter().any(|word| sought.is_word(word))
    {
        seek(first.as_mut(), sought, &raw)?;
    }
    drop(first);
    let typed = options.tolerant && format == Format::Parquet;
    if plan.is_plain() && format != Format::Arrow && marks.is_empty() && !typed {
        match numbers(source, Text::open(source)?, format, options) {
            // Numbers in a column of text.
            Err(DataError::NotNumeric { .. }) => {}
            other => return other,
        }
    }
    let mut again = cells(Text::open(source)?)?;
    again.project(&used)?;
    Ok(Box::new(Encoded::new(again, raw, plan, false).marking(marks)))
}

/// A reader of cells by encoders that are known before the first row.
fn planned(mut cells: Box<dyn Cells>, plan: &Plan, options: &ReadOptions) -> Result<Box<dyn RowReader>, DataError> {
    let raw = select_known(cells.file(), cells.names(), plan, options.ignore_target)?;
    let target = (raw.target_position != NO_TARGET).then_some(raw.target_position);
    let marks = Marks::find(cells.file(), cells.names(), options)?;
    cells.project(&raw.input_positions.iter().copied().chain(target).chain(marks.positions()).collect::<Vec<_>>())?;
    Ok(Box::new(Encoded::new(cells, raw, plan.clone(), false).marking(marks)))
}

/// Looks for the class that is sought, to the end of the file if need be. A row that cannot be read is the reader's to tell.
fn seek(cells: &mut dyn Cells, sought: &mut Sought, raw: &Columns) -> Result<(), DataError> {
    while let Ok(more) = cells.advance() {
        if !more {
            return Err(sought.error(cells.file(), &raw.target));
        }
        if sought.is(cells.cell(raw.target_position)) {
            break;
        }
    }
    Ok(())
}

fn libsvm(source: &Source, text: Text, options: &ReadOptions) -> Result<Box<dyn RowReader>, DataError> {
    let width = match options.width {
        Some(width) => width,
        None if source.reopens() => scan_width(Text::open(source)?)?,
        None => {
            return Err(DataError::Declaration {
                file: source.to_string(),
                detail: "LIBSVM text is read twice, but standard input can be read only once; write it to a file"
                    .into(),
            });
        }
    };
    Ok(Box::new(Blocks { reader: LibsvmReader::open(text, width, options)?, done: false }))
}

/// The format of a file or of bytes in memory, recognised by the content.
pub fn detect(source: &Source) -> Result<Format, DataError> {
    Ok(format(source, &Text::open(source)?.head))
}

/// The format of the content that begins with `head` (decompressed). A file that is named LIBSVM does not count as CSV
/// because its first line is damaged.
fn format(source: &Source, head: &[u8]) -> Format {
    // Text on standard input is CSV: LIBSVM text is read twice.
    if let (Source::Stdin, None) = (source, is_columnar(head)) {
        return Format::Csv;
    }
    let named = || source.to_string().split('.').any(|part| matches!(part, "libsvm" | "svm" | "svmlight"));
    match recognise(head) {
        Format::Csv if named() => Format::Libsvm,
        found => found,
    }
}

/// The format of data that begins with `head` (decompressed).
fn recognise(head: &[u8]) -> Format {
    if let Some(arrow) = is_columnar(head) {
        if arrow { Format::Arrow } else { Format::Parquet }
    } else if looks_like(head) {
        Format::Libsvm
    } else {
        Format::Csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_content() {
        assert_eq!(recognise(b"PAR1\x15\x04"), Format::Parquet);
        assert_eq!(recognise(b"ARROW1\0\0"), Format::Arrow);
        assert_eq!(recognise(b"\xff\xff\xff\xff\x28\x01\0\0"), Format::Arrow);
        assert_eq!(recognise(b"+1 3:0.5 7:-1e-3\n-1\n"), Format::Libsvm);
        assert_eq!(recognise(b"\n-1 # all zero\n"), Format::Libsvm);
        assert_eq!(recognise(b"a,b\n1,2\n"), Format::Csv);
        assert_eq!(recognise(b"1,2\n3,4\n"), Format::Csv);
        assert_eq!(recognise(b"time 1:2\n"), Format::Csv);
    }
}
