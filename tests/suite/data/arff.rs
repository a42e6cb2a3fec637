//! ARFF: what the header declares decides how rows are read, and what is not read is refused.

use std::collections::BTreeMap;
use std::fs;

use noregret_data::declaration::Task;
use noregret_data::encode::choices::{ColumnEncoding, Labels, MissingValues};
use noregret_data::error::DataError;
use noregret_data::format::ReadOptions;
use noregret_data::user::{Addition, add};

use super::{compressed, content_hash, table, target};

const HEADER: &str = "% Made up.\n\n@RELATION 'two words'\n@attribute 'a b' REAL\n@Attribute c {1, 2, 'three, 3'}\n\
                      @attribute n numeric\n@attribute y {0,1}\n";
const ROWS: &str = "0.5,1,7,0\n% between rows\n\n-1e1, 2 ,?,1\n.25,'three, 3',9,0\n2,1,1,1\n";

fn arff() -> String {
    format!("{HEADER}@data\n{ROWS}")
}

/// Options of a user who names the target and chooses what happens to gaps.
fn options(target: &str) -> ReadOptions {
    let encoding = ColumnEncoding { missing: MissingValues::Mean, ..ColumnEncoding::recognising() };
    ReadOptions { target: Some(target.into()), encoding, ..ReadOptions::default() }
}

#[test]
fn the_header_decides_what_columns_hold() {
    let read = table(arff().as_bytes(), &options("n")).unwrap_err();
    assert!(matches!(&read, DataError::Missing { at, .. } if at.row == 2 && at.lines == Some(12.into())), "{read}");
    let read = table(arff().as_bytes(), &options("y")).unwrap();
    // The numbers of `c` are categories, whose words are three; the mean of 7 fills the gap.
    assert_eq!(read.input_names[0], "a b");
    assert_eq!(read.input_names.iter().filter(|name| name.starts_with("c#")).count(), 4, "{:?}", read.input_names);
    assert_eq!(read.targets, [0.0, 1.0, 0.0, 1.0]);
    let rows = read.inputs.dense();
    assert_eq!((rows.row(1)[0], rows.row(1)[read.input_names.len() - 1]), (-10.0, 7.0));
    // Without the header's word, numbers are numbers.
    let csv = "a b,c,n,y\n0.5,1,7,0\n-10,2,,1\n.25,3,9,0\n2,1,1,1\n";
    assert_eq!(table(csv.as_bytes(), &options("y")).unwrap().input_names, ["a b", "c", "n"]);
    // Whoever reads the file knows better.
    let mut numbers = options("y");
    numbers.encoding.numbers = vec!["c".into()];
    assert!(
        matches!(table(arff().as_bytes(), &numbers), Err(DataError::NotANumber { at, .. }) if at.lines == Some(13.into()))
    );
    // Targets are classes where classes are wanted, whatever they look like.
    let mut classes = options("c");
    classes.encoding.labels = Labels::Words;
    assert_eq!(table(arff().as_bytes(), &classes).unwrap().targets, [0.0, 1.0, 2.0, 0.0]);
}

#[test]
fn it_equals_csv_with_the_same_kinds_in_every_compression() {
    let csv = "a b,c,n,y\n0.5,1,7,0\n-1e1,2,,1\n.25,\"three, 3\",9,0\n2,1,1,1\n";
    let mut named = options("y");
    named.encoding.categories = vec!["c".into()];
    let expected = content_hash(csv.as_bytes(), &named);
    assert_eq!(content_hash(arff().as_bytes(), &options("y")), expected);
    assert_eq!(content_hash(arff().replace('\n', "\r\n").as_bytes(), &options("y")), expected);
    for (name, packed) in compressed(arff().as_bytes()) {
        assert_eq!(content_hash(&packed, &options("y")), expected, "{name}");
    }
    assert_ne!(content_hash(arff().replace("0.5,1", "0.5,2").as_bytes(), &options("y")), expected);
    // Tabs between values.
    let tabs = "@relation t\n@attribute a real\n@attribute y real\n@data\n1\t2\n3\t4\n";
    assert_eq!(table(tabs.as_bytes(), &target("y")).unwrap().targets, [2.0, 4.0]);
}

#[test]
fn dates_have_the_month_first_where_the_header_says_so() {
    let text = |format: &str| {
        format!(
            "@relation t\n@attribute t date \"{format}\"\n@attribute y real\n@data\n\"02/03/2020\",1\n\"03/04/2020\",2\n"
        )
    };
    let elapsed = |format: &str| {
        let read = table(text(format).as_bytes(), &options("y")).unwrap();
        let column = read.input_names.iter().position(|name| name.ends_with(".days")).unwrap();
        read.inputs.dense().row(1)[column]
    };
    // From 3 February to 4 March, and from 2 March to 3 April.
    assert_eq!((elapsed("MM/dd/yyyy"), elapsed("dd/MM/yyyy")), (30.0, 32.0));
}

#[test]
fn what_is_not_read_is_refused_with_its_line() {
    let row = |row: &str| format!("{HEADER}@data\n0.5,1,7,0\n{row}\n");
    for (text, line, words) in [
        (row("{0 1, 3 1}"), "line 10", "without their zeros"),
        (row("1,4,1,0"), "line 10", "`4` is none of the values"),
        (row("1,1,1,0,{2}"), "line 10", "has 5 fields where 4 are expected"),
        (row("1,1,1"), "line 10", "has 3 fields where 4 are expected"),
        (row("1,'three, 3,1,0"), "line 10", "never closed"),
        (row("1,'1' 1,1,0"), "line 10", "text follows the closing quote"),
        (row("x,1,1,0"), "line 10", "`x` is not a number"),
        (format!("{HEADER}0.5,1,7,0\n"), "line 8", "none of @relation, @attribute and @data"),
        (HEADER.into(), "line 7", "ends without `@data`"),
        (format!("{HEADER}@data\n"), "", "no rows below `@data`"),
        ("@relation x\n@data\n1\n".into(), "line 2", "declares no `@attribute`"),
        (arff().replace("REAL", "relational"), "line 4", "holds tables"),
        (arff().replace("REAL", "fuzzy"), "line 4", "type `fuzzy`"),
        (arff().replace("'three, 3'}", "'three, 3'"), "line 5", "not closed"),
        (arff().replace("@attribute n", "@attribute c"), "", "occurs twice"),
    ] {
        let error = table(text.as_bytes(), &options("y")).unwrap_err().to_string();
        assert!(error.starts_with("data: ") && error.contains(line) && error.contains(words), "{error}");
    }
}

#[test]
fn a_target_of_two_classes_is_registered_as_two_classes() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("mine.arff"), folder.path().join("data"));
    fs::write(&file, arff()).unwrap();
    let addition =
        |name: &str, target: &str| Addition { file: file.clone(), name: name.into(), options: options(target) };
    let none = BTreeMap::new();
    let added = add(&addition("two", "y"), &none, &data).unwrap().dataset;
    assert_eq!((added.task, added.encoding.positive.as_deref()), (Task::Classification, Some("1")));
    assert_eq!(added.load(&folder.path().join("raw"), None).unwrap().targets, [-1.0, 1.0, -1.0, 1.0]);
    let error = add(&addition("three", "c"), &none, &data).unwrap_err().to_string();
    assert!(error.contains("3 words (1, 2, three, 3), not two") && error.contains("--positive"), "{error}");
    let mut several = addition("several", "c");
    several.options.encoding.labels = Labels::Words;
    let added = add(&several, &none, &data).unwrap().dataset;
    assert_eq!((added.task, &added.classes[..]), (Task::Classes, &["1", "2", "three, 3"].map(String::from)[..]));
    let mut one = addition("one", "c");
    one.options.encoding.positive = Some("three, 3".into());
    let added = add(&one, &none, &data).unwrap().dataset;
    assert_eq!(added.load(&folder.path().join("raw"), None).unwrap().targets, [-1.0, -1.0, 1.0, -1.0]);
    assert_eq!(add(&addition("number", "a b"), &none, &data).unwrap().dataset.task, Task::Regression);
}
