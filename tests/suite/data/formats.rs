//! Every format gives the rows that were written, for any compression and block size.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int8Array, Int64Array, RecordBatch, StringArray, UInt16Array,
};
use noregret_data::format::open::open;
use noregret_data::format::{FileFormat, ReadOptions};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use sha2::{Digest, Sha256};

use super::{compressed, content_hash, source, table, target};

const CSV: &[u8] = b"a,y,b\n1,10,0.5\n-2,20,1e-3\n3.25,30,-7\n";

#[test]
fn csv_gives_all_other_columns_in_file_order() {
    let table = table(CSV, &target("y")).unwrap();
    assert_eq!(table.input_names, ["a", "b"]);
    assert_eq!(table.target_name, "y");
    assert_eq!(table.targets, [10.0, 20.0, 30.0]);
    assert_eq!(table.inputs.dense().data(), [1.0, 0.5, -2.0, 1e-3, 3.25, -7.0]);
}

#[test]
fn inputs_come_in_the_order_asked_for_and_others_need_not_be_numbers() {
    let text = b"id,a,y,b\nfirst,1,10,0.5\nsecond,-2,20,\"4\"\n";
    let options = ReadOptions { inputs: Some(vec!["b".into(), "a".into()]), ..target("y") };
    let table = table(text, &options).unwrap();
    assert_eq!(table.input_names, ["b", "a"]);
    assert_eq!(table.inputs.dense().data(), [0.5, 1.0, 4.0, -2.0]);
}

#[test]
fn a_column_can_be_named_by_position() {
    assert_eq!(table(CSV, &target("2")).unwrap(), table(CSV, &target("y")).unwrap());
    // A name has precedence over a position.
    let table = table(b"0,1,2\n7,8,9\n", &target("2")).unwrap();
    assert_eq!((table.targets, table.target_name), (vec![9.0], "2".to_owned()));
}

#[test]
fn the_spelling_of_a_file_does_not_matter() {
    let plain = table(CSV, &target("y")).unwrap();
    for variant in [
        &b"\xef\xbb\xbfa,y,b\n1,10,0.5\n-2,20,1e-3\n3.25,30,-7\n"[..],
        b"a,y,b\r\n1,10,0.5\r\n-2,20,1e-3\r\n3.25,30,-7",
        b"a;y;b\n1;10;0.5\n-2;20;1e-3\n3.25;30;-7\n",
        b"a\ty\tb\n1\t10\t0.5\n-2\t20\t1e-3\n3.25\t30\t-7\n",
        b" a , y ,\"b\"\n\n 1 ,+10, .5\n-2.0,2e1,0.001\n3.25,30,-7\n\n",
    ] {
        assert_eq!(table(variant, &target("y")).unwrap(), plain, "{}", String::from_utf8_lossy(variant));
    }
}

#[test]
fn without_a_header_columns_are_numbered() {
    let options = ReadOptions { header: false, ..target("1") };
    let table = table(b"1.0e+00,9.7e-01,6.5e-01\n0.0e+00,1.6e+00,-1.2e-02\n", &options).unwrap();
    assert_eq!(table.input_names, ["2", "3"]);
    assert_eq!(table.targets, [1.0, 0.0]);
    assert_eq!(table.inputs.dense().data(), [0.97, 0.65, 1.6, -0.012]);
}

const LIBSVM: &[u8] = b"# a comment\n+1 2:0.5 4:-1e-2\n\n-1 # nothing but zeros\n-1.0\t1:3 \r\n";

#[test]
fn libsvm_fills_in_zeros_and_finds_the_width() {
    let table = table(LIBSVM, &ReadOptions::default()).unwrap();
    assert_eq!(table.input_names, ["1", "2", "3", "4"]);
    assert_eq!(table.target_name, "label");
    assert_eq!(table.targets, [1.0, -1.0, -1.0]);
    assert_eq!(table.inputs.dense().data(), [0.0, 0.5, 0.0, -0.01, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
}

#[test]
fn libsvm_keeps_a_declared_width_and_a_selection() {
    let wide = table(LIBSVM, &ReadOptions { width: Some(6), ..ReadOptions::default() }).unwrap();
    assert_eq!(wide.inputs.cols(), 6);
    let chosen = ReadOptions { inputs: Some(vec!["4".into(), "1".into()]), ..ReadOptions::default() };
    assert_eq!(table(LIBSVM, &chosen).unwrap().inputs.dense().data(), [-0.01, 0.0, 0.0, 0.0, 0.0, 3.0]);
}

/// A Parquet file of the columns `columns`.
pub fn parquet(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    // Two rows per group, so that files of a few rows have several.
    parquet_as(columns, WriterProperties::builder().set_compression(compression).set_max_row_group_row_count(Some(2)))
}

/// Columns as Parquet with these properties.
pub fn parquet_as(columns: Vec<(&str, ArrayRef)>, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// The rows of `CSV` as Parquet.
fn parquet_of_csv(compression: Compression) -> Vec<u8> {
    let a: ArrayRef = Arc::new(Float32Array::from(vec![1.0, -2.0, 3.25]));
    let y: ArrayRef = Arc::new(Int8Array::from(vec![10, 20, 30]));
    let b: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1e-3, -7.0]));
    parquet(vec![("a", a), ("y", y), ("b", b)], compression)
}

#[test]
fn parquet_in_common_codecs_equals_csv() {
    let expected = table(CSV, &target("y")).unwrap();
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        assert_eq!(table(&parquet_of_csv(codec), &target("y")).unwrap(), expected, "{codec}");
    }
}

#[test]
fn parquet_reads_numbers_of_any_width_and_only_the_columns_it_needs() {
    let bytes = parquet(
        vec![
            ("name", Arc::new(StringArray::from(vec!["p", "q"])) as ArrayRef),
            ("wide", Arc::new(Int64Array::from(vec![1 << 53, -5]))),
            ("small", Arc::new(UInt16Array::from(vec![65535, 0]))),
            ("flag", Arc::new(BooleanArray::from(vec![true, false]))),
        ],
        Compression::SNAPPY,
    );
    let options = ReadOptions { inputs: Some(vec!["small".into(), "wide".into()]), ..target("flag") };
    let table = table(&bytes, &options).unwrap();
    assert_eq!(table.inputs.dense().data(), [65535.0, 9007199254740992.0, 0.0, -5.0]);
    assert_eq!(table.targets, [1.0, 0.0]);
}

#[test]
fn compression_changes_nothing() {
    let parquet = parquet_of_csv(Compression::SNAPPY);
    for (bytes, options) in [(CSV, target("y")), (LIBSVM, ReadOptions::default()), (&parquet, target("y"))] {
        let plain = table(bytes, &options).unwrap();
        for (name, packed) in compressed(bytes) {
            assert_eq!(table(&packed, &options).unwrap(), plain, "{name}");
            assert_eq!(content_hash(&packed, &options), content_hash(bytes, &options), "{name}");
        }
    }
}

#[test]
fn files_and_bytes_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = parquet_of_csv(Compression::SNAPPY);
    for (name, bytes, options) in
        [("t.csv", CSV, target("y")), ("t.svm", LIBSVM, ReadOptions::default()), ("t.parquet", &parquet, target("y"))]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let source = noregret_data::format::DataSource::Path(path);
        let read = noregret_data::table::read(open(&source, &options).unwrap().as_mut(), None, |_, _| {}).unwrap();
        assert_eq!(read, table(bytes, &options).unwrap());
    }
}

#[test]
fn blocks_of_any_size_give_the_same_rows() {
    let rows: u32 = 20_000;
    let mut text = String::from("x,y\n");
    for i in 0..rows {
        text.push_str(&format!("{},{}\n", f64::from(i) / 7.0, i % 3));
    }
    let column = |f: fn(u32) -> f64| -> ArrayRef { Arc::new((0..rows).map(f).collect::<Float64Array>()) };
    let batch =
        RecordBatch::try_from_iter([("x", column(|i| f64::from(i) / 7.0)), ("y", column(|i| f64::from(i % 3)))])
            .unwrap();
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let whole = table(text.as_bytes(), &target("y")).unwrap();
    for bytes in [text.as_bytes(), &parquet] {
        for block in [1, 7, 8192, 1 << 20] {
            let mut reader = open(&source(bytes), &target("y")).unwrap();
            let (mut inputs, mut targets) = (Vec::new(), Vec::new());
            loop {
                let before = targets.len();
                let got = reader.next_block(block, &mut inputs, &mut targets).unwrap();
                assert!(got <= block);
                assert_eq!(targets.len(), before + got);
                if got == 0 {
                    break;
                }
            }
            assert_eq!(inputs, whole.inputs.dense().data());
            assert_eq!(targets, whole.targets);
            assert_eq!(reader.next_block(block, &mut inputs, &mut targets).unwrap(), 0);
        }
    }
}

#[test]
fn the_content_hash_is_as_documented() {
    let hash = |numbers: &[f64]| {
        let mut hash = Sha256::new();
        hash.update(3_u64.to_le_bytes());
        hash.update(3_u64.to_le_bytes());
        numbers.iter().for_each(|number| hash.update(number.to_le_bytes()));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let csv = hash(&[1.0, 10.0, 0.5, -2.0, 20.0, 1e-3, 3.25, 30.0, -7.0]);
    assert_eq!(content_hash(CSV, &target("y")), csv);
    // The roles of columns and the order of the selected inputs do not matter; the file's order does.
    assert_eq!(content_hash(CSV, &target("b")), csv);
    let turned = ReadOptions { inputs: Some(vec!["b".into(), "a".into()]), ..target("y") };
    assert_eq!(content_hash(CSV, &turned), csv);
    assert_eq!(content_hash(&parquet_of_csv(Compression::UNCOMPRESSED), &target("y")), csv);
    // For LIBSVM text, the label comes first and zeros are included.
    let narrow = b"1 2:0.5\n-1 1:-3\n2 1:1 2:1\n";
    assert_eq!(content_hash(narrow, &ReadOptions::default()), hash(&[1.0, 0.0, 0.5, -1.0, -3.0, 0.0, 2.0, 1.0, 1.0]));
}

#[test]
fn a_format_can_be_forced() {
    for (word, format) in [
        ("csv", FileFormat::Csv),
        ("libsvm", FileFormat::Libsvm),
        ("parquet", FileFormat::Parquet),
        ("feather", FileFormat::Arrow),
        ("jsonl", FileFormat::Jsonl),
        ("ndjson", FileFormat::Jsonl),
        ("arff", FileFormat::Arff),
    ] {
        assert_eq!(word.parse(), Ok(format));
    }
    assert!("xls".parse::<FileFormat>().unwrap_err().contains("csv, jsonl, libsvm, parquet, arrow or arff"));
    let options = ReadOptions { format: Some(FileFormat::Csv), header: false, ..target("1") };
    assert!(table(LIBSVM, &options).is_err());
    assert!(table(CSV, &ReadOptions { format: Some(FileFormat::Libsvm), ..ReadOptions::default() }).is_err());
}
