//! JSON lines: their rows are those of CSV with the same texts, and what is no table is refused where it stands.

use std::collections::BTreeMap;
use std::fs;

use noregret_data::catalogue::load_one;
use noregret_data::encode::choices::{ColumnEncoding, Decimal, MissingValues};
use noregret_data::error::DataError;
use noregret_data::format::open::{detect, open};
use noregret_data::format::{DataSource, FileFormat, ReadOptions};
use noregret_data::table::read;
use noregret_data::user::{Addition, add};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fuzz::config;
use super::{compressed, content_hash, source, table, target};

/// Dates, numbers with all their digits, words, truth and gaps.
const CSV: &str = "at,a,word,flag,n,y\n2024-01-31 10:00,1.50,red,true,9007199254740993,0.1\n\
                   2024-02-01 11:30,-2e-3,\"say \"\"hi\"\", you\",false,,1e300\n2024-02-02 12:00,NA,blue,true,-0,3\n\
                   2024-02-03 00:00,12,red,false,18446744073709551617,-0.30000000000000004\n";

/// The same: keys in another order, absent keys, null, escapes and blank lines.
const JSONL: &str = r#"{"at":"2024-01-31 10:00","a":1.50,"word":"red","flag":true,"n":9007199254740993,"y":0.1}
 { "a" : -2e-3, "at":"2024-02-01 11:30","flag":false,"word":"say \"hi\", you","y":1e300 }

{"at":"2024-02-02 12:00","a":null,"word":"bl\u0075e","flag":true,"n":-0,"y":3}
{"at":"2024-02-03 00:00","a":12,"word":"red","flag":false,"n":18446744073709551617,"y":-0.30000000000000004}
"#;

/// Options of a user who names the target and lets gaps be told.
fn options(target: &str) -> ReadOptions {
    let encoding = ColumnEncoding { missing: MissingValues::Indicator(Vec::new()), ..ColumnEncoding::recognising() };
    ReadOptions { target: Some(target.into()), encoding, ..ReadOptions::default() }
}

#[test]
fn rows_are_those_of_csv_in_every_compression() {
    let expected = content_hash(CSV.as_bytes(), &options("y"));
    let windows = format!("\u{feff}{}", JSONL.replace('\n', "\r\n"));
    let unended = JSONL.trim_end().to_owned();
    for text in [JSONL, &windows, &unended] {
        assert_eq!(content_hash(text.as_bytes(), &options("y")), expected, "{text:?}");
    }
    for (name, packed) in compressed(JSONL.as_bytes()) {
        assert_eq!(content_hash(&packed, &options("y")), expected, "{name}");
    }
    for (old, new) in
        [("1.50", "1.5000000000000002"), ("true", "false"), ("null", "0"), ("\"word\":\"red\"", "\"word\":\"blue\"")]
    {
        assert_ne!(content_hash(JSONL.replacen(old, new, 1).as_bytes(), &options("y")), expected, "{old}");
    }
    // The target of words, the columns that are chosen, numbers alone, and each row by what the ones before it say.
    let mut chosen = options("flag");
    chosen.inputs = Some(vec!["word".into(), "a".into()]);
    let mut first = options("word");
    first.encoding.first_cell = true;
    first.encoding.positive = Some("red".into());
    for options in [chosen, first] {
        assert_eq!(content_hash(JSONL.as_bytes(), &options), content_hash(CSV.as_bytes(), &options), "{options:?}");
    }
    let (csv, jsonl) = ("a,b,y\n1,2.5,3\n4,5e-7,6\n", "{\"a\":1,\"b\":2.5,\"y\":3}\n{\"y\":6,\"a\":4,\"b\":5e-7}\n");
    assert_eq!(content_hash(jsonl.as_bytes(), &target("y")), content_hash(csv.as_bytes(), &target("y")));
}

/// Those of other files may have commas, and what was learnt of one may go on with JSON lines.
#[test]
fn numbers_have_points_whatever_is_said_of_others() {
    let text = "{\"a\":1.234,\"y\":5}\n{\"a\":-0.5,\"y\":1.125}\n";
    let encoding = ColumnEncoding { decimal: Some(Decimal::Comma), ..ColumnEncoding::recognising() };
    let commas = ReadOptions { encoding, ..target("y") };
    assert_eq!(content_hash(text.as_bytes(), &commas), content_hash(text.as_bytes(), &target("y")));
    let learnt = open(&source(b"a;y\n1,5;2\n"), &commas).unwrap();
    let planned = ReadOptions { plan: learnt.plan().cloned().map(Box::new), ..ReadOptions::default() };
    let read = table(text.as_bytes(), &planned).unwrap();
    assert_eq!((read.inputs.dense().data(), &read.targets[..]), (&[1.234, -0.5][..], &[5.0, 1.125][..]));
}

#[test]
fn what_is_no_table_is_refused_with_its_line() {
    let after = |line: &str| format!("{{\"a\":1,\"tags\":1,\"y\":2}}\n\n{line}\n");
    let second = "data: row 2 (line 3)";
    for (text, place, words) in [
        (after("{\"a\":1,\"y\":2,\"b\":3}"), second, "`b` is none of the first object"),
        (after("{\"a\":1,\"y\":2,\"a\":3}"), second, "`a` occurs twice"),
        (after("{\"a\":1,\"tags\":[\"]\"],\"y\":2}"), second, "`tags` holds an array, which is no value"),
        (after("{\"a\":{\"b\":1},\"y\":2}"), second, "`a` holds an object, which is no value"),
        (after("{\"a\":1,\"y\":2"), second, "column 12 of the line: EOF while parsing an object"),
        (after("{\"a\":1 \"y\":2}"), second, "column 8 of the line: expected `,` or `}`"),
        (after("{\"a\":NaN,\"y\":2}"), second, "column 6 of the line: expected value"),
        (after("{\"a\":\"x\\ud800\",\"y\":2}"), second, "of the line: unexpected end of hex escape"),
        (after("{\"a\":1,\"y\":2}{\"a\":1,\"y\":2}"), second, "column 14 of the line: trailing characters"),
        (after("[1,2]"), second, "column 1 of the line: an array begins"),
        (after("1,2"), second, "something else begins where an object is expected"),
        (after("{\"a\":\"x\",\"y\":2}"), "row 2 (line 3), column `a`", "`x` is not a number"),
        (after("{\"a\":1e999,\"y\":2}"), "row 2 (line 3), column `a`", "1e999 is not a finite number"),
        (after("{\"a\":1}"), "row 2 (line 3), column `y`", "the value is missing"),
        ("[\n {\"a\":1,\"y\":2}\n]\n".into(), "data: row 1 (line 1)", "jq -c '.[]'"),
        ("{\n \"a\":1,\"y\":2\n}\n".into(), "data: row 1 (line 1)", "column 1 of the line: EOF"),
        ("{\"a\":1,\"y\":2,\"a\":2}\n".into(), "data: row 1 (line 1)", "`a` occurs twice"),
        ("{}\n{\"a\":1}\n".into(), "data: row 1 (line 1)", "has no keys"),
        ("{\"a\":1,\"x\":2}\n".into(), "data: ", "no column `y`"),
    ] {
        let error = table(text.as_bytes(), &target("y")).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(words), "{text}: {error}");
    }
    // What nobody asks for may be anything, and is passed over with its brackets.
    let mut without = target("y");
    without.drop = vec!["tags".into()];
    let read = table(after("{\"a\":1,\"tags\":{\"b\":[\"]}\",{}]},\"y\":4}").as_bytes(), &without).unwrap();
    assert_eq!((&read.input_names[..], &read.targets[..]), (&["a".to_owned()][..], &[2.0, 4.0][..]));
    let long = format!("{{\"a\":1,\"y\":\"{}\"}}\n", "x".repeat(1 << 26));
    assert!(matches!(table(long.as_bytes(), &target("y")), Err(DataError::LongLine { line: 1, .. })));
}

#[test]
fn the_content_shows_the_format_and_else_the_name() {
    let named = |name: &str, text: &str| DataSource::Bytes { name: name.into(), bytes: text.as_bytes().into() };
    for (name, text, format) in [
        ("a.csv", JSONL, FileFormat::Jsonl),
        ("a.jsonl", "a,y\n1,2\n", FileFormat::Jsonl),
        ("a.ndjson.gz", "a,y\n1,2\n", FileFormat::Jsonl),
        ("rows.jsonl.csv", "a,y\n1,2\n", FileFormat::Csv),
        ("my.jsonl/rows.csv", "a,y\n1,2\n", FileFormat::Csv),
        ("my.svm.csv", "a,y\n1,2\n", FileFormat::Libsvm),
    ] {
        assert_eq!(detect(&named(name, text)).unwrap(), format, "{name}");
    }
    let error =
        open(&named("a.jsonl", "x,y\n1,2\n"), &options("y")).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("a.jsonl: row 1 (line 1)") && error.contains("write each row as one object"), "{error}");
}

#[test]
fn a_file_is_registered_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("mine.jsonl"), folder.path().join("data"));
    fs::write(&file, JSONL).unwrap();
    let addition = Addition { file, name: "mine".into(), options: options("y") };
    let added = add(&addition, &BTreeMap::new(), &data).unwrap().dataset;
    assert_eq!((added.format, added.rows), (FileFormat::Jsonl, 4));
    let declared = data.join("added/mine.toml");
    assert!(fs::read_to_string(&declared).unwrap().contains("format = \"jsonl\""));
    assert_eq!(load_one(&declared).unwrap().content_sha256, added.content_sha256);
    let csv = table(CSV.as_bytes(), &options("y")).unwrap();
    assert_eq!(added.load(&folder.path().join("raw"), None).unwrap().targets, csv.targets);
    // Other content is not the registered one.
    fs::write(&addition.file, JSONL.replace("1.50", "1.51")).unwrap();
    let error = added.load(&folder.path().join("raw"), None).unwrap_err();
    assert!(matches!(error, DataError::Content { .. }), "{error}");
}

/// A number, a word, a truth value and a target, any of the first three perhaps absent.
type Row = (Option<f64>, Option<String>, Option<bool>, f64);

fn any_row() -> impl Strategy<Value = Row> {
    let number = || prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), (-9..9_i32).prop_map(f64::from)];
    let word = prop_oneof!["[^\\x00]{0,12}", "[a-c\"\\\\,{}\\[\\]: \n\t]{0,6}"];
    (prop::option::of(number()), prop::option::of(word), prop::option::of(any::<bool>()), number())
}

proptest! {
    #![proptest_config(config(256))]

    /// In whatever order the keys are, and however what is missing is written.
    #[test]
    fn any_rows_are_those_of_csv(rows in prop::collection::vec((any_row(), any::<u8>()), 1..12)) {
        let field = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
        let (mut csv, mut jsonl) = ("a,word,flag,y\n".to_owned(), String::new());
        for (i, ((a, word, flag, y), order)) in rows.iter().enumerate() {
            let [number, truth] = [a.map(|a| json!(a).to_string()), flag.map(|flag| flag.to_string())]
                .map(Option::unwrap_or_default);
            let y = json!(y);
            csv += &format!("{number},{},{truth},{y}\n", field(word.clone().unwrap_or_default()));
            let mut members = vec![("a", json!(a)), ("word", json!(word)), ("flag", json!(flag)), ("y", y)];
            if i > 0 {
                members.retain(|(_, value)| *value != Value::Null || order % 2 == 0);
                let turn = usize::from(*order) % members.len();
                members.rotate_left(turn);
            }
            let members: Vec<String> = members.iter().map(|(key, value)| format!("{}:{value}", json!(key))).collect();
            jsonl += &format!("{{{}}}\n", members.join(","));
        }
        let mut options = options("y");
        options.encoding.recognise = false;
        options.encoding.categories = vec!["word".into(), "flag".into()];
        prop_assert_eq!(content_hash(jsonl.as_bytes(), &options), content_hash(csv.as_bytes(), &options), "{}", jsonl);
        let read = read(open(&source(jsonl.as_bytes()), &options).unwrap().as_mut(), None, |_, _| {}).unwrap();
        let targets: Vec<u64> = rows.iter().map(|((.., y), _)| y.to_bits()).collect();
        prop_assert_eq!(read.targets.iter().map(|y| y.to_bits()).collect::<Vec<_>>(), targets);
    }
}
