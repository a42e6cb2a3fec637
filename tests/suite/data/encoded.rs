//! Files of the user's own as tables: Parquet and Arrow with words, dates and gaps, and what is found out about them.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray,
};
use arrow::datatypes::Int32Type;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use noregret_data::encode::choices::{ColumnEncoding, MissingValues};
use noregret_data::encode::plan::EncodingPlan;
use noregret_data::format::ReadOptions;
use noregret_data::format::open::open;
use noregret_data::own::{Own, table_of};
use parquet::basic::Compression;

use super::formats::parquet;
use super::target;

/// Columns of most types that tables have, with gaps.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("red"), Some("blue"), None, Some("red")].into_iter().collect();
    vec![
        ("word", Arc::new(StringArray::from(vec![Some("up"), Some("down"), Some("up"), None]))),
        ("colour", Arc::new(dictionary)),
        ("day", Arc::new(Date32Array::from(vec![19_723, 19_724, 19_725, 19_730]))),
        ("size", Arc::new(Float64Array::from(vec![Some(1.5), None, Some(2.5), Some(0.0)]))),
        ("sold", Arc::new(BooleanArray::from(vec![true, false, true, true]))),
        ("count", Arc::new(Int32Array::from(vec![1, 2, 3, 4]))),
        ("y", Arc::new(StringArray::from(vec![Some("yes"), Some("no"), None, Some("yes")]))),
    ]
}

fn read(bytes: &[u8], options: &ReadOptions) -> Own {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    table_of(file.path(), options, &|_, _, _| false).unwrap()
}

fn arrow(compression: Option<CompressionType>, stream: bool) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns()).unwrap();
    let mut bytes = Vec::new();
    if stream {
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    } else {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    bytes
}

#[test]
fn parquet_and_arrow_hold_words_dates_and_gaps() {
    let own = read(&parquet(columns(), Compression::SNAPPY), &target("y"));
    // The row without a target is left out, so that its gap in `colour` does not count.
    assert_eq!((own.table.rows(), own.skipped), (3, 1));
    assert_eq!(own.table.targets, [1.0, -1.0, 1.0]);
    assert_eq!(own.classes, Some(("no".into(), "yes".into())));
    assert_eq!(own.options.encoding.missing, MissingValues::Indicator(vec!["word".into(), "size".into()]));
    let names = &own.table.input_names;
    assert_eq!(names[..4], ["word#1", "word#2", "word#others", "word#missing"]);
    let of = |name: &str| -> Vec<f64> {
        let at = names.iter().position(|known| known == name).unwrap();
        let inputs = own.table.inputs.dense();
        (0..3).map(|row| inputs.row(row)[at]).collect()
    };
    // The mean in the gap is that of the three rows before, of which one has no target.
    assert_eq!(of("word#1"), [1.0, 0.0, 2.0 / 3.0]);
    assert_eq!(of("word#missing"), [0.0, 0.0, 1.0]);
    assert_eq!(of("day.days"), [0.0, 1.0, 7.0]);
    assert_eq!((of("size"), of("size#missing")), (vec![1.5, 1.5, 0.0], vec![0.0, 1.0, 0.0]));
    assert_eq!((of("sold"), of("count")), (vec![1.0, 0.0, 1.0], vec![1.0, 2.0, 4.0]));
    let quantities: Vec<&String> =
        names.iter().zip(&own.quantities).filter(|(_, yes)| **yes).map(|(name, _)| name).collect();
    assert_eq!(quantities, ["day.days", "size", "sold", "count"]);
    for bytes in [
        arrow(None, false),
        arrow(Some(CompressionType::LZ4_FRAME), false),
        arrow(Some(CompressionType::ZSTD), false),
        arrow(None, true),
        parquet(columns(), Compression::LZ4_RAW),
    ] {
        assert_eq!(read(&bytes, &target("y")).table, own.table);
    }
    // The options that were found out read the same table again.
    let again = read(&parquet(columns(), Compression::SNAPPY), &own.options);
    assert_eq!((again.table, again.options), (own.table, own.options));
}

#[test]
fn numbers_are_read_as_ever() {
    let text = b"a,b,y\n1,2,0\n3,4,1\n0.5,-1,0\n";
    let own = read(text, &target("y"));
    assert!(own.plan.is_none() && own.notes.is_empty());
    assert_eq!(own.values, Some(vec![0.0, 1.0]));
    assert_eq!(own.table, super::table(text, &target("y")).unwrap());
    let two = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(two.path(), text).unwrap();
}

#[test]
fn damaged_arrow_files_are_errors() {
    let whole = arrow(Some(CompressionType::LZ4_FRAME), false);
    let file = tempfile::NamedTempFile::new().unwrap();
    for length in (6..whole.len()).step_by(7) {
        std::fs::write(file.path(), &whole[..length]).unwrap();
        assert!(table_of(file.path(), &target("y"), &|_, _, _| false).is_err(), "{length}");
    }
    for at in (6..whole.len()).step_by(5) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        std::fs::write(file.path(), &damaged).unwrap();
        // It may be read, or not, but nothing panics.
        let _ = table_of(file.path(), &target("y"), &|_, _, _| false);
    }
}

/// What encoders have learned goes on with further rows, with or without a target: a saved model needs no more.
#[test]
fn a_plan_goes_on_where_it_stopped() {
    let rows = ["red,1,2024-01-01,1\n", "blue,,2024-01-05,0\n", "red,5,2024-01-07,1\n", "green,,2024-01-08,0\n"];
    let header = "c,a,d,y\n";
    let all = read((header.to_owned() + &rows.concat()).as_bytes(), &target("y"));
    let plan_after = |text: &str| {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut options = all.options.clone();
        // As wide as that of all rows.
        options.encoding.category_limit = std::num::NonZeroU32::new(4);
        options.encoding.category_as = noregret_data::encode::choices::CategoryAs::Hash;
        table_of(file.path(), &options, &|_, _, _| false).unwrap()
    };
    let whole = plan_after(&(header.to_owned() + &rows.concat()));
    let first = plan_after(&(header.to_owned() + &rows[..2].concat()));
    let plan = first.plan.unwrap();
    let plan: EncodingPlan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    for rest in [header.to_owned() + &rows[2..].concat(), "d,c,a\n2024-01-07,red,5\n2024-01-08,green,\n".to_owned()] {
        let options = ReadOptions { plan: Some(Box::new(plan.clone())), ..ReadOptions::default() };
        let (mut inputs, mut targets) = (Vec::new(), Vec::new());
        let mut reader = open(&super::source(rest.as_bytes()), &options).unwrap();
        assert_eq!(reader.next_block(9, &mut inputs, &mut targets).unwrap(), 2);
        let width = whole.table.input_names.len();
        assert_eq!(inputs, whole.table.inputs.dense().data()[2 * width..]);
        assert_eq!(targets[0].is_nan(), !rest.starts_with(header));
    }
}

#[test]
fn choices_of_the_user_stand() {
    let text = b"id,a,y\n7,1,2\n8,,3\n9,4,5\n";
    let encoding = ColumnEncoding { missing: MissingValues::Drop, ..ColumnEncoding::default() };
    let options = ReadOptions { drop: vec!["id".into()], encoding, ..target("y") };
    let own = read(text, &options);
    assert_eq!((own.table.rows(), own.skipped, own.table.input_names.len()), (2, 1, 1));
    assert_eq!(own.notes.last().unwrap(), "1 row is left out");
}
