//! Each kind of bad file gives one clear error, which names the place and the remedy.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringArray};
use noregret_data::encode::choices::ColumnEncoding;
use noregret_data::error::DataError;
use noregret_data::format::open::open;
use noregret_data::format::{DataSource, FileFormat, ReadOptions};
use parquet::basic::Compression;

use super::formats::parquet;
use super::{compressed, gzip, table, target};

/// Reads `bytes` and checks that the error matches `expected` and that its message contains all `words`.
macro_rules! fault {
    ($bytes:expr, $options:expr, $expected:pat, $($word:expr),+) => {{
        let error = table(&$bytes[..], &$options).expect_err("this file must be refused");
        assert!(matches!(error, $expected), "{error:?}");
        let message = error.to_string();
        for word in [$($word),+] {
            assert!(message.contains(word), "`{word}` is not in: {message}");
        }
    }};
}

/// A CSV file of 20 rows whose row `row` is `line`.
fn csv_with(row: usize, line: &str) -> Vec<u8> {
    let mut lines = vec!["x,y".to_owned()];
    lines.extend((1..=20).map(|i| if i == row { line.to_owned() } else { format!("{i}.5,{i}") }));
    lines.join("\n").into_bytes()
}

#[test]
fn files_that_are_not_there_or_empty() {
    let folder = tempfile::tempdir().unwrap();
    let missing = DataSource::Path(folder.path().join("absent.csv"));
    let error = open(&missing, &target("y")).err().unwrap();
    assert!(matches!(error, DataError::NoFile { .. }) && error.to_string().contains("absent.csv"));
    let error = open(&DataSource::Path(PathBuf::from(folder.path())), &target("y")).err().unwrap();
    assert!(matches!(error, DataError::Io { .. }), "{error:?}");
    fault!(b"", target("y"), DataError::Empty { .. }, "empty");
    fault!(b"x,y\n", target("y"), DataError::Empty { .. }, "no rows");
    fault!(b"\n\n", target("y"), DataError::Empty { .. }, "no line of data");
    let libsvm = ReadOptions { format: Some(FileFormat::Libsvm), ..ReadOptions::default() };
    fault!(b"# only a comment\n", libsvm, DataError::Empty { .. }, "no rows");
    let none: ArrayRef = Arc::new(Float64Array::from(Vec::<f64>::new()));
    let bytes = parquet(vec![("x", none.clone()), ("y", none)], Compression::SNAPPY);
    fault!(bytes, target("y"), DataError::Empty { .. }, "no rows");
}

/// 60 rows of two columns, written by pyarrow 26.
#[test]
fn pages_in_a_compression_that_is_not_read() {
    let bytes = include_bytes!("brotli.parquet");
    for encoding in [ColumnEncoding::default(), ColumnEncoding::recognising()] {
        let options = ReadOptions { encoding, ..target("y") };
        fault!(bytes, options, DataError::Parquet { .. }, "compressed by brotli", "zstd, snappy or gzip");
    }
}

/// 40 rows of two columns, written by pyarrow with checksums of its pages: 0, 1, 2, ... and 1, 3, 5, ... A bit of the second
/// 17 is turned, which would be another number.
#[test]
fn pages_that_are_not_what_was_written() {
    let mut bytes = include_bytes!("checksums.parquet").to_vec();
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    let mut reader = open(&super::source(&bytes), &target("y")).unwrap();
    assert_eq!(reader.next_block(100, &mut inputs, &mut targets).unwrap(), 40);
    assert_eq!(targets[8], 17.0);
    let at = bytes.windows(8).rposition(|bytes| bytes == 17.0_f64.to_le_bytes()).unwrap();
    bytes[at + 6] ^= 1;
    fault!(bytes, target("y"), DataError::Parquet { .. }, "CRC checksum mismatch");
}

#[test]
fn web_pages() {
    let page = b"\n<!DOCTYPE html><html><body>404 Not Found</body></html>";
    fault!(page, target("y"), DataError::WebPage { .. }, "web page", "<!DOCTYPE html>");
    fault!(compressed(page)[0].1, target("y"), DataError::WebPage { .. }, "web page");
}

#[test]
fn columns_that_are_not_there_or_used_twice() {
    let csv = b"height,width,height_2,class\n1,2,3,4\n";
    fault!(csv, target("clas"), DataError::NoColumn { .. }, "`clas`", "did you mean `class`?", "height, width");
    fault!(csv, target("5"), DataError::NoColumn { .. }, "`5`");
    fault!(csv, target("0"), DataError::NoColumn { .. }, "`0`");
    fault!(csv, ReadOptions::default(), DataError::NoTarget { .. }, "which column is the target", "height, width");
    let inputs = |names: &[&str]| ReadOptions {
        inputs: Some(names.iter().map(|&name| name.to_owned()).collect()),
        ..target("class")
    };
    fault!(csv, inputs(&["width", "heigth"]), DataError::NoColumn { .. }, "`heigth`", "`height`");
    fault!(csv, inputs(&["class"]), DataError::Repeated { .. }, "`class`", "target");
    fault!(csv, inputs(&["width", "width"]), DataError::Repeated { .. }, "`width`", "twice");
    fault!(csv, inputs(&[]), DataError::NoInputs { .. }, "no input columns");
    fault!(b"y\n1\n", target("y"), DataError::NoInputs { .. }, "no input columns");
    fault!(b"a,a,y\n1,2,3\n", target("y"), DataError::Repeated { .. }, "`a`", "twice");
    let first = ReadOptions { inputs: Some(vec!["a".into()]), ..target("y") };
    fault!(b"a,a,y\n1,2,3\n", first, DataError::Repeated { .. }, "`a`", "twice");
    fault!(b"1 1:2\n", target("class"), DataError::NoColumn { .. }, "label");
}

#[test]
fn rows_of_the_wrong_length() {
    fault!(csv_with(17, "1"), target("y"), DataError::Ragged { .. }, "row 17", "line 18", "1 fields", "2 are");
    fault!(csv_with(1, "1,2,3"), target("y"), DataError::Ragged { .. }, "row 1 ", "line 2", "3 fields");
    fault!(csv_with(20, "1,"), target("y"), DataError::NotANumber { .. }, "row 20", "`y`", "empty");
}

#[test]
fn quotes_that_are_never_closed() {
    fault!(b"x,y\n1,2\n\"3,4\n5,6\n", target("y"), DataError::OpenQuote { .. }, "line 3", "never closed");
    let long = format!("x,y\n\"1,{}", "2\n".repeat(1 << 20));
    fault!(long.as_bytes(), target("y"), DataError::OpenQuote { .. }, "line 2");
}

#[test]
fn fields_that_are_partly_in_quotes() {
    fault!(csv_with(17, "\"4\"5,1"), target("y"), DataError::Quote { .. }, "row 17 (line 18)", "`x`", "closing quote");
    fault!(csv_with(3, "1, \"2\" 3"), target("y"), DataError::Quote { .. }, "row 3 ", "`y`");
    fault!(b"\"x\"a,y\n1,2\n", target("y"), DataError::Quote { .. }, "the header (line 1)", "column `1`");
    let unused = ReadOptions { inputs: Some(vec!["x".into()]), ..target("y") };
    fault!(b"x,t,y\n1,\"a\"b,2\n", unused, DataError::Quote { .. }, "row 1 ", "column `t`");
}

#[test]
fn lines_without_end() {
    let libsvm = ReadOptions { format: Some(FileFormat::Libsvm), ..ReadOptions::default() };
    let line = vec![b' '; (1 << 26) + 10];
    for (start, options) in [(&b"x,y\n1,2\n"[..], target("y")), (b"1 1:2\n-1 1:3\n", libsvm)] {
        let endless = [start, &line].concat();
        fault!(endless, options, DataError::LongLine { .. }, "line 3", "whose lines end");
        fault!(gzip(&endless), options, DataError::LongLine { .. }, "line 3");
    }
}

#[test]
fn values_that_are_no_numbers() {
    fault!(csv_with(17, "abc,1"), target("y"), DataError::NotANumber { .. }, "data: row 17 (line 18)", "`x`", "`abc`");
    fault!(csv_with(3, "1,2O"), target("y"), DataError::NotANumber { .. }, "row 3", "column `y`", "`2O`");
    fault!(csv_with(3, "1 2,2"), target("y"), DataError::NotANumber { .. }, "`1 2`");
    for text in ["NaN", "inf", "-Infinity", "1e400"] {
        let line = format!("{text},1");
        fault!(csv_with(17, &line), target("y"), DataError::NotFinite { .. }, "row 17", "`x`", text, "finite number");
    }
    // Blank lines, and all lines of quoted fields, count as lines but not as rows.
    fault!(b"x,y\n\n1,2\n\nnan,4\n", target("y"), DataError::NotFinite { .. }, "row 2 (line 5)");
    fault!(
        b"x,t,y\r\n1,\"a\r\nb\",2\r\n1,c,inf\r\n",
        ReadOptions { inputs: Some(vec!["x".into()]), ..target("y") },
        DataError::NotFinite { .. },
        "row 2 (line 4)"
    );
    let long = format!("x,y\n{},1\n", "z".repeat(1000));
    let message = table(long.as_bytes(), &target("y")).unwrap_err().to_string();
    assert!(message.len() < 200, "{message}");
}

#[test]
fn a_header_that_is_data() {
    fault!(b"1.5,2\n3,4\n", target("1"), DataError::NoHeader { .. }, "1.5,2", "column names");
}

#[test]
fn libsvm_lines() {
    let options = ReadOptions { format: Some(FileFormat::Libsvm), ..ReadOptions::default() };
    for (line, words) in [
        ("1 2", ["`2`", "no colon"]),
        ("1 0:5", ["`0:5`", "count from 1"]),
        ("1 x:5", ["`x:5`", "not a positive integer"]),
        ("1 -1:5", ["`-1:5`", "not a positive integer"]),
        ("1 3:1 2:1", ["`2:1`", "ascend"]),
        ("1 3:1 3:1", ["`3:1`", "ascend"]),
        ("1 99999999999:1", ["`99999999999:1`", "too large"]),
        ("1 99999999999999999999999:1", ["9999", "not a positive integer"]),
        ("1 qid:3 1:2", ["`qid:3`", "not a positive integer"]),
    ] {
        let bytes = format!("# first\n1 1:1\n{line}\n");
        fault!(bytes.as_bytes(), options, DataError::Libsvm { .. }, "row 2 (line 3)", words[0], words[1]);
    }
    fault!(b"1 1:1\nyes 1:2\n", options, DataError::NotANumber { .. }, "row 2", "`label`", "`yes`");
    fault!(b"1 1:1\n1 4:\n", options, DataError::NotANumber { .. }, "row 2", "column `4`", "empty");
    fault!(b"1 1:1\n1 4:nan\n", options, DataError::NotFinite { .. }, "row 2", "column `4`", "nan");
    let narrow = ReadOptions { width: Some(3), ..options };
    fault!(b"1 1:1\n1 4:7\n", narrow, DataError::Libsvm { .. }, "row 2", "index 4", "3 inputs");
}

#[test]
fn compressed_data_that_ends_early() {
    let csv = csv_with(0, "");
    for (name, packed) in compressed(&csv) {
        // The end of the last member is missing.
        fault!(packed[..packed.len() - 3], target("y"), DataError::Compressed { .. }, name, "truncated");
    }
}

#[test]
fn parquet_that_is_damaged_or_not_numeric() {
    let forced = ReadOptions { format: Some(FileFormat::Parquet), ..target("y") };
    fault!(b"x,y\n1,2\n", forced, DataError::Parquet { .. }, "PAR1");
    fault!(b"PAR1 and nothing else", target("y"), DataError::Parquet { .. }, "data");
    let x: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, f64::NAN]));
    let y: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), Some(2.0), None]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let bytes = parquet(vec![("x", x), ("y", y), ("t", text)], Compression::SNAPPY);
    fault!(bytes, target("y"), DataError::NotNumeric { .. }, "`t`", "Utf8", "inputs");
    let only = |input: &str, output: &str| ReadOptions { inputs: Some(vec![input.into()]), ..target(output) };
    fault!(bytes, only("x", "y"), DataError::NotFinite { .. }, "row 3", "`x`", "NaN");
    let halved = &bytes[..bytes.len() / 2];
    fault!(halved, only("x", "y"), DataError::Parquet { .. }, "Parquet");
    let fine: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0]));
    let null: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0)]));
    let bytes = parquet(vec![("x", fine), ("y", null)], Compression::SNAPPY);
    fault!(bytes, target("y"), DataError::NotANumber { .. }, "row 2", "`y`", "null");
}

#[test]
fn a_reader_says_nothing_more_after_an_error() {
    let mut reader = open(&super::source(&csv_with(2, "a,b")), &target("y")).unwrap();
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    assert_eq!(reader.next_block(1, &mut inputs, &mut targets).unwrap(), 1);
    assert!(reader.next_block(1, &mut inputs, &mut targets).is_err());
    assert_eq!(reader.next_block(1, &mut inputs, &mut targets).unwrap(), 0);
}

#[test]
fn an_error_ends_all_files_of_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let dataset: noregret_data::declaration::Dataset = toml::from_str(
        "name = 't'\ntitle = 't'\ncitation = 't'\nlicence = 't'\ntask = 'regression'\nrows = 3\ninputs = 1\n\
         target = 'y'\nfiles = [{ name = 'a', addresses = [], rows = 2 }, { name = 'b', addresses = [], rows = 1 }]",
    )
    .unwrap();
    std::fs::write(folder.path().join("a"), "x,y\n1,2\n3,four\n").unwrap();
    std::fs::write(folder.path().join("b"), "x,y\n5,6\n").unwrap();
    let mut reader = dataset.open(folder.path()).unwrap();
    let (mut inputs, mut targets) = (Vec::new(), Vec::new());
    assert_eq!(reader.next_block(1, &mut inputs, &mut targets).unwrap(), 1);
    assert!(reader.next_block(9, &mut inputs, &mut targets).is_err());
    assert_eq!(reader.next_block(9, &mut inputs, &mut targets).unwrap(), 0);
}
