//! Opens a file of any supported format.

use crate::dataset::error::DataError;
use crate::dataset::format::csv::CsvReader;
use crate::dataset::format::libsvm::{LibsvmReader, looks_like, scan_width};
use crate::dataset::format::parquet::{MAGIC, ParquetReader};
use crate::dataset::format::{Columns, Format, ReadOptions, RowReader, Source, Text, TextReader};

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
}

/// Opens `source` for reading rows. Memory does not grow with the size of the source, with one exception: a Parquet
/// file that is itself compressed is unpacked into memory, because Parquet is read from its end.
pub fn open(source: &Source, options: &ReadOptions) -> Result<Box<dyn RowReader>, DataError> {
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
                        detail:
                            "LIBSVM text is read twice, but standard input can be read only once; write it to a file"
                                .into(),
                    });
                }
            };
            Ok(Box::new(Blocks { reader: LibsvmReader::open(text, width, options)?, done: false }))
        }
        Format::Parquet => Ok(Box::new(ParquetReader::open(source, text, options)?)),
    }
}

/// The format of a file or of bytes in memory, recognised by the content.
pub fn detect(source: &Source) -> Result<Format, DataError> {
    Ok(format(source, &Text::open(source)?.head))
}

/// The format of the content that begins with `head` (decompressed). A file that is named LIBSVM does not count as CSV
/// because its first line is damaged.
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
