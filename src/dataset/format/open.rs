//! Opening a file in whatever format it is.

use crate::dataset::error::DataError;
use crate::dataset::format::csv::Reader as CsvReader;
use crate::dataset::format::libsvm::{Reader as LibsvmReader, looks_like, scan_width};
use crate::dataset::format::parquet::{MAGIC, Reader as ParquetReader};
use crate::dataset::format::{Columns, Format, Options, RowReader, Source, Text, TextReader};

/// Blocks of the rows of a text.
struct Blocks<R> {
    reader: R,
    done: bool,
}

impl<R: TextReader> RowReader for Blocks<R> {
    fn columns(&self) -> &Columns {
        self.reader.columns()
    }

    fn next_block(
        &mut self,
        max_rows: usize,
        inputs: &mut Vec<f64>,
        targets: &mut Vec<f64>,
    ) -> Result<usize, DataError> {
        let mut rows = 0;
        while rows < max_rows && !self.done {
            let row = self.reader.next_row(inputs, targets);
            self.done = !matches!(row, Ok(true));
            rows += usize::from(row?);
        }
        Ok(rows)
    }
}

/// Opens `source` for reading rows. Memory does not grow with the source, except that a Parquet file which is itself
/// compressed is unpacked into memory (Parquet must be read from its end).
pub fn open(source: &Source, options: &Options) -> Result<Box<dyn RowReader>, DataError> {
    let text = Text::open(source)?;
    let format = match (options.format, source) {
        (Some(format), _) => format,
        (None, Source::Stdin) => Format::Csv,
        (None, _) => format(source, &text.head),
    };
    match format {
        Format::Csv => Ok(Box::new(Blocks { reader: CsvReader::open(text, options)?, done: false })),
        Format::Libsvm => {
            let width = match options.width {
                Some(width) => width,
                None if source.reopens() => scan_width(Text::open(source)?)?,
                None => {
                    return Err(DataError::Declaration {
                        file: source.to_string(),
                        detail: "LIBSVM text is read twice, which standard input cannot be; write it to a file".into(),
                    });
                }
            };
            Ok(Box::new(Blocks { reader: LibsvmReader::open(text, width, options)?, done: false }))
        }
        Format::Parquet => Ok(Box::new(ParquetReader::open(source, text, options)?)),
    }
}

/// The format of a file or of bytes in memory, found out from the content.
pub fn detect(source: &Source) -> Result<Format, DataError> {
    Ok(format(source, &Text::open(source)?.head))
}

/// The format of the content that begins with `head` (decompressed). A damaged first line does not turn a file that calls
/// itself LIBSVM into CSV.
fn format(source: &Source, head: &[u8]) -> Format {
    let named = || source.to_string().split('.').any(|part| matches!(part, "libsvm" | "svm" | "svmlight"));
    match recognise(head) {
        Format::Csv if named() => Format::Libsvm,
        found => found,
    }
}

/// The format of data that begins with `head` (decompressed).
fn recognise(head: &[u8]) -> Format {
    if head.starts_with(MAGIC) {
        Format::Parquet
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
        assert_eq!(recognise(b"+1 3:0.5 7:-1e-3\n-1\n"), Format::Libsvm);
        assert_eq!(recognise(b"\n-1 # all zero\n"), Format::Libsvm);
        assert_eq!(recognise(b"a,b\n1,2\n"), Format::Csv);
        assert_eq!(recognise(b"1,2\n3,4\n"), Format::Csv);
        assert_eq!(recognise(b"time 1:2\n"), Format::Csv);
    }
}
