//! Opens a file of any supported format.

use crate::encode::choices::{ColumnEncoding, Decimal};
use crate::encode::kinds::{DeclaredKinds, adopted};
use crate::encode::marks::Marks;
use crate::encode::plan::EncodingPlan;
use crate::encode::reader::{Encoded, First, sample};
use crate::encode::recognise::ColumnSample;
use crate::encode::target::Sought;
use crate::error::DataError;
use crate::format::arff::{ArffCells, is_arff};
use crate::format::cells::Cells;
use crate::format::columnar::{ColumnarCells, is_columnar};
use crate::format::columns::NO_TARGET;
use crate::format::csv::{CsvCells, CsvReader, is_separated_by_commas};
use crate::format::jsonl::{JsonlCells, is_jsonl};
use crate::format::libsvm::{LibsvmReader, looks_like, scan_width};
use crate::format::parquet::ParquetReader;
use crate::format::select::{select, select_known};
use crate::format::{DataSource, FileFormat, ReadOptions, ReaderColumns, RowReader, SourceText, TextReader};

/// Reads the rows of a text in blocks.
struct BlockReader<R> {
    reader: R,
    done: bool,
}

impl<R: TextReader> RowReader for BlockReader<R> {
    fn columns(&self) -> &ReaderColumns {
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
pub fn open(source: &DataSource, options: &ReadOptions) -> Result<Box<dyn RowReader>, DataError> {
    let text = SourceText::open(source)?;
    let format = match options.format {
        Some(format) => format,
        None => format(source, &text.head, options.alone),
    };
    let pointed = (format == FileFormat::Jsonl).then(|| with_points(options));
    let options = pointed.as_ref().unwrap_or(options);
    match format {
        FileFormat::Libsvm
            if !options.marks.is_empty() || !options.further_targets.is_empty() || options.after.is_some() =>
        {
            Err(DataError::Declaration {
                file: source.to_string(),
                detail: "LIBSVM text has no columns that name rows; write it as CSV".into(),
            })
        }
        FileFormat::Libsvm => libsvm(source, text, options),
        FileFormat::Csv | FileFormat::Parquet if options.encoding.is_plain() && options.plan.is_none() => {
            numbers(source, text, format, options)
        }
        _ => encoded(source, text, format, options),
    }
}

/// The options for numbers with decimal points, which those of JSON have, however other files write theirs.
fn with_points(options: &ReadOptions) -> ReadOptions {
    let encoding = ColumnEncoding { decimal: Some(Decimal::Point), ..options.encoding.clone() };
    let plan = options.plan.as_ref().map(|plan| Box::new(plan.clone().written_with(Decimal::Point)));
    ReadOptions { encoding, plan, ..options.clone() }
}

/// Opens a file of numbers, which need no encoder.
fn numbers(
    source: &DataSource,
    text: SourceText,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, DataError> {
    match format {
        FileFormat::Parquet => Ok(Box::new(ParquetReader::open(source, text, options)?)),
        _ => Ok(Box::new(BlockReader { reader: CsvReader::open(text, options)?, done: false })),
    }
}

/// Opens a file whose columns are encoded. The first row says how, or the first rows, as the options say; on a pipe, the first
/// row alone.
fn encoded(
    source: &DataSource,
    text: SourceText,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, DataError> {
    let cells = |text: SourceText| cells(source, text, format, options);
    let commas = format == FileFormat::Csv && is_separated_by_commas(&text.head, options);
    let mut first = cells(text)?;
    if let Some(plan) = &options.plan {
        if commas && plan.decimal == Decimal::Comma {
            let detail = "commas separate its columns, but numbers were said or learnt to have decimal commas; say which it is \
                          (--decimal point, or --delimiter)";
            return Err(DataError::Declaration { file: first.file().to_owned(), detail: detail.into() });
        }
        return planned(first, plan, options);
    }
    let raw = select(first.file(), first.names(), options, None)?;
    let typed = first.kinds().filter(|_| options.encoding.recognise).map(|kinds| {
        let encoding = adopted(&options.encoding, &raw.inputs, &raw.target, kinds);
        ReadOptions { encoding, ..options.clone() }
    });
    let options = typed.as_ref().unwrap_or(options);
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
    let plan = EncodingPlan::new(first.file(), &raw, &options.encoding, &found.samples, whole && !causal, !causal)?;
    let mut sought = Sought::of(&plan.target);
    if !whole {
        return Ok(Box::new(Encoded::from_first(first, raw, plan, found).seeking(sought).marking(marks)));
    }
    let words = found.samples.last().map(ColumnSample::words).unwrap_or_default();
    if let Some(sought) = &mut sought
        && !found.over
        && !words.iter().any(|word| sought.is_word(word))
    {
        seek(first.as_mut(), sought, &raw)?;
    }
    drop(first);
    let batches = options.tolerant && format == FileFormat::Parquet;
    if plan.is_plain() && matches!(format, FileFormat::Csv | FileFormat::Parquet) && marks.is_empty() && !batches {
        match numbers(source, SourceText::open(source)?, format, options) {
            // Numbers in a column of text.
            Err(DataError::NotNumeric { .. }) => {}
            other => return other,
        }
    }
    let mut again = cells(SourceText::open(source)?)?;
    again.project(&used)?;
    Ok(Box::new(Encoded::new(again, raw, plan, false).marking(marks)))
}

/// The rows of a file as it holds them.
fn cells(
    source: &DataSource,
    text: SourceText,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Box<dyn Cells>, DataError> {
    match format {
        FileFormat::Parquet | FileFormat::Arrow => {
            Ok(Box::new(ColumnarCells::open(source, text, format == FileFormat::Arrow)?))
        }
        FileFormat::Arff => Ok(Box::new(ArffCells::open(text)?)),
        FileFormat::Jsonl => Ok(Box::new(JsonlCells::open(text)?)),
        FileFormat::Csv | FileFormat::Libsvm => Ok(Box::new(CsvCells::open(text, options)?)),
    }
}

/// The names of all columns of a file, and what it declares of them; none of LIBSVM text, which has no names.
pub(crate) fn columns(source: &DataSource, options: &ReadOptions) -> Result<(Vec<String>, DeclaredKinds), DataError> {
    let text = SourceText::open(source)?;
    let format = options.format.unwrap_or_else(|| format(source, &text.head, options.alone));
    if format == FileFormat::Libsvm {
        return Ok((Vec::new(), DeclaredKinds::new()));
    }
    let cells = cells(source, text, format, options)?;
    Ok((cells.names().to_vec(), cells.kinds().cloned().unwrap_or_default()))
}

/// A reader of cells by encoders that are known before the first row.
fn planned(
    mut cells: Box<dyn Cells>,
    plan: &EncodingPlan,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, DataError> {
    let raw = select_known(cells.file(), cells.names(), plan, options.ignore_target)?;
    let target = (raw.target_position != NO_TARGET).then_some(raw.target_position);
    let marks = Marks::find(cells.file(), cells.names(), options)?;
    cells.project(&raw.input_positions.iter().copied().chain(target).chain(marks.positions()).collect::<Vec<_>>())?;
    Ok(Box::new(Encoded::new(cells, raw, plan.clone(), false).marking(marks)))
}

/// Looks for the class that is sought, to the end of the file if need be. A row that cannot be read is the reader's to tell.
fn seek(cells: &mut dyn Cells, sought: &mut Sought, raw: &ReaderColumns) -> Result<(), DataError> {
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

fn libsvm(source: &DataSource, text: SourceText, options: &ReadOptions) -> Result<Box<dyn RowReader>, DataError> {
    let width = match options.width {
        Some(width) => width,
        None if source.reopens() => scan_width(SourceText::open(source)?, options.tolerant)?,
        None => {
            return Err(DataError::Declaration {
                file: source.to_string(),
                detail: "LIBSVM text is read twice, but standard input can be read only once; write it to a file"
                    .into(),
            });
        }
    };
    Ok(Box::new(BlockReader { reader: LibsvmReader::open(text, width, options)?, done: false }))
}

/// The format of a file or of bytes in memory, recognised by the content.
pub fn detect(source: &DataSource) -> Result<FileFormat, DataError> {
    Ok(format(source, &SourceText::open(source)?.head, false))
}

/// The format of the content that begins with `head` (decompressed). A file that is named LIBSVM or JSON lines does not count
/// as CSV because its first line is damaged. `alone` says whether CSV may have a single column.
fn format(source: &DataSource, head: &[u8], alone: bool) -> FileFormat {
    match (source, recognise(head, alone)) {
        // LIBSVM text is read twice, and the comments before an ARFF header do not tell.
        (DataSource::Stdin, FileFormat::Libsvm | FileFormat::Arff) => FileFormat::Csv,
        (DataSource::Path(_) | DataSource::Bytes { .. }, found) => named(&source.to_string(), found),
        (DataSource::Remote(file), found) => named(&file.name(), found),
        (DataSource::Stdin, found) => found,
    }
}

/// The format of a file of this name whose content looks like `found`.
fn named(name: &str, found: FileFormat) -> FileFormat {
    match (found, by_name(name)) {
        (FileFormat::Csv, by_name) => by_name,
        // A line that holds a single number is no LIBSVM text in a file of another name.
        (FileFormat::Libsvm, FileFormat::Jsonl) => FileFormat::Jsonl,
        (found, _) => found,
    }
}

/// The format of text that does not show it.
fn by_name(name: &str) -> FileFormat {
    let mut ends = name.rsplit('.').skip_while(|end| matches!(*end, "gz" | "bz2" | "xz" | "zst"));
    match ends.next() {
        Some("jsonl" | "ndjson") => FileFormat::Jsonl,
        _ if name.split('.').any(|part| matches!(part, "libsvm" | "svm" | "svmlight")) => FileFormat::Libsvm,
        _ => FileFormat::Csv,
    }
}

/// The format of data that begins with `head` (decompressed).
fn recognise(head: &[u8], alone: bool) -> FileFormat {
    if let Some(arrow) = is_columnar(head) {
        if arrow { FileFormat::Arrow } else { FileFormat::Parquet }
    } else if is_jsonl(head) {
        FileFormat::Jsonl
    } else if is_arff(head) {
        FileFormat::Arff
    } else if looks_like(head, alone) {
        FileFormat::Libsvm
    } else {
        FileFormat::Csv
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn formats_are_recognised_by_content() {
        assert_eq!(recognise(b"PAR1\x15\x04", false), FileFormat::Parquet);
        assert_eq!(recognise(b"ARROW1\0\0", false), FileFormat::Arrow);
        assert_eq!(recognise(b"\xff\xff\xff\xff\x28\x01\0\0", false), FileFormat::Arrow);
        assert_eq!(recognise(b"+1 3:0.5 7:-1e-3\n-1\n", false), FileFormat::Libsvm);
        assert_eq!(recognise(b"\n-1 # all zero\n", false), FileFormat::Libsvm);
        assert_eq!(recognise(b"1.5\n2\n", true), FileFormat::Csv);
        assert_eq!(recognise(b"1 3:0.5\n", true), FileFormat::Libsvm);
        assert_eq!(recognise(b"% a comment\n@relation x\n", false), FileFormat::Arff);
        assert_eq!(recognise(b"{\"a\": 1}\n", false), FileFormat::Jsonl);
        assert_eq!(recognise(b"a,b\n1,2\n", false), FileFormat::Csv);
        assert_eq!(recognise(b"1,2\n3,4\n", false), FileFormat::Csv);
        assert_eq!(recognise(b"time 1:2\n", false), FileFormat::Csv);
        assert_eq!(named("rows.jsonl.gz", recognise(b"1.5\n{\"a\": 1}\n", false)), FileFormat::Jsonl);
        assert_eq!(named("rows.txt", recognise(b"1.5\n", false)), FileFormat::Libsvm);
    }

    #[test]
    fn rows_before_the_cut_of_a_compressed_file_are_read() {
        let rows: String = (0..500u64).map(|i| format!("{},{i}\n", i * i * 7919 % 10_007)).collect();
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(format!("x,y\n{rows}").as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let causal = ColumnEncoding { first_cell: true, ..ColumnEncoding::recognising() };
        for encoding in [ColumnEncoding::default(), ColumnEncoding::recognising(), causal] {
            let cut = packed[..packed.len() / 2].into();
            let options = ReadOptions { target: Some("y".into()), encoding, ..ReadOptions::default() };
            let mut reader = open(&DataSource::Bytes { name: "f".into(), bytes: cut }, &options).unwrap();
            let (mut inputs, mut targets) = (Vec::new(), Vec::new());
            let error = reader.next_block(1000, &mut inputs, &mut targets).unwrap_err();
            assert!(matches!(error, DataError::Compressed { .. }), "{error}");
            assert!(targets.len() > 100, "{}", targets.len());
            assert!(targets.iter().zip(0..).all(|(target, i)| *target == f64::from(i)));
        }
    }

    /// The targets of the rows that can be read, and the errors of the others.
    fn tolerant(text: &str, target: Option<&str>) -> (Vec<f64>, Vec<String>) {
        let source = DataSource::Bytes { name: "f".into(), bytes: text.as_bytes().into() };
        let encoding = ColumnEncoding { first_cell: true, ..ColumnEncoding::recognising() };
        let target = target.map(str::to_owned);
        let options = ReadOptions { target, tolerant: true, encoding, ..ReadOptions::default() };
        let mut reader = open(&source, &options).unwrap();
        let (mut inputs, mut targets, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            match reader.next_block(10, &mut inputs, &mut targets) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    assert!(error.is_of_a_row() && reader.pass_over(), "{error}");
                    errors.push(error.to_string());
                }
            }
        }
        assert_eq!(inputs.len(), targets.len() * reader.columns().inputs.len());
        (targets, errors)
    }

    #[test]
    fn rows_of_libsvm_text_are_passed_over() {
        let (targets, errors) =
            tolerant("1 1:0.5 3:2\n-1 2:1 2:3\n1 3:1\nx 1:1\n2 9\n3 2:1 3000000:1\n4 1:z 7:1\n5\n", None);
        assert_eq!(targets, [1.0, 1.0, 5.0]);
        assert_eq!(errors.len(), 5);
        assert!(errors[0].starts_with("f: row 2 (line 2): `2:3`: indices must ascend"), "{errors:?}");
    }

    #[test]
    fn rows_of_arff_are_passed_over() {
        let header = "@relation r\n@attribute a numeric\n@attribute b {u, v}\n@attribute y numeric\n@data\n";
        let rows = "1,u,1\n2,w,2\n3,v,3\n4,v\n5,'v,5\n6,'v'w,6\n7,?,7\nx,u,8\n9,u,9\n";
        let (targets, errors) = tolerant(&format!("{header}{rows}"), Some("y"));
        assert_eq!(targets, [1.0, 3.0, 9.0]);
        assert_eq!(errors.len(), 6);
        let why = "f: row 2 (line 7): cannot read as ARFF: column `b`: `w` is none of the values";
        assert!(errors[0].starts_with(why), "{errors:?}");
        assert!(errors[2].contains("line 10") && errors[3].contains("row 6 (line 11)"), "{errors:?}");
    }
}
