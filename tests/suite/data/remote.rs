//! Datasets of servers: their answers are those that the documentation of the interfaces describes, from a server on this
//! machine; the real servers are not asked.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use noregret_data::declaration::{Dataset, DatasetOrigin, RemoteFile, Task};
use noregret_data::encode::choices::{ColumnEncoding, MissingValues};
use noregret_data::error::DataError;
use noregret_data::fetch::{FetchAccess, FetchError, Network, fetch_with};
use noregret_data::format::{FileFormat, ReadOptions};
use noregret_data::remote::add::{RemoteAddition, add_remote};
use noregret_data::remote::place::{Place, Servers};
use parquet::basic::Compression;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fetch::server::{Answer, Pages, nobody};
use super::formats::parquet;
use super::{gzip, load_all};

/// A data folder, and a server for everything.
struct Bench {
    folder: TempDir,
    server: Pages,
    said: RefCell<Vec<String>>,
    mirrors: Vec<PathBuf>,
}

/// What is asked for beside the place.
#[derive(Clone, Default)]
struct Ask {
    name: Option<&'static str>,
    target: Option<&'static str>,
    member: Option<&'static str>,
    positive: Option<&'static str>,
    offline: bool,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, server: Pages::start(), said: RefCell::default(), mirrors: Vec::new() }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.server.root())
    }

    fn add_with(&self, place: &str, ask: &Ask) -> Result<Dataset, FetchError> {
        let known = load_all(&self.folder.path().join("pipeline"), &self.data()).unwrap();
        let servers = Servers { openml: self.server.root(), uci: format!("{}/", self.server.root()) };
        let encoding = ColumnEncoding {
            missing: MissingValues::Mean,
            positive: ask.positive.map(str::to_owned),
            ..ColumnEncoding::recognising()
        };
        let addition = RemoteAddition {
            place: Place::parse(place).unwrap(),
            name: ask.name.map(str::to_owned),
            options: ReadOptions { target: ask.target.map(str::to_owned), encoding, ..ReadOptions::default() },
            member: ask.member.map(str::to_owned),
        };
        self.with_access(ask.offline, |access| add_remote(&addition, &servers, &known, &self.data(), access))
    }

    fn with_access<T>(&self, offline: bool, act: impl FnOnce(&FetchAccess<'_>) -> T) -> T {
        // Timeouts matter only for servers that never answer.
        let network = Network { attempts: 2, pause: Duration::from_millis(1), ..Network::default() };
        let report = |line: &str| self.said.borrow_mut().push(line.to_owned());
        let network = (!offline).then_some(network);
        act(&FetchAccess { mirrors: &self.mirrors, network, report: &report, interrupted: &|| false })
    }

    fn add(&self, place: &str) -> Dataset {
        self.add_with(place, &Ask::default()).unwrap_or_else(|error| panic!("{place}: {error}"))
    }

    /// The error of a dataset that is refused, of which nothing stays behind.
    fn refused(&self, place: &str, ask: &Ask) -> String {
        let error = self.add_with(place, ask).expect_err(place).to_string();
        assert!(!self.data().join("added").exists(), "{place} is registered");
        let raw = fs::read_dir(self.data().join("raw")).into_iter().flatten().count();
        assert_eq!(raw, 0, "{place} leaves files");
        error
    }

    /// An OpenML dataset 44 with these columns: name, type, and what else is said of it.
    fn openml(&self, about: Value, columns: &[(&str, &str, &str)]) {
        let mut description = json!({
            "id": "44", "name": "Small_one", "version": "3", "format": "ARFF", "licence": "CC BY 4.0", "status": "active",
            "creator": ["A. Author", "B. Author"], "citation": "Author, A.:\nSmall things. 2020", "file_id": "99",
            "url": self.at("/data/v1/download/99/small.arff"), "md5_checksum": "0", "visibility": "public",
        });
        description.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
        let columns: Vec<Value> = columns
            .iter()
            .enumerate()
            .map(|(index, (name, kind, says))| {
                let is = |what: &str| (*says == what).to_string();
                json!({
                    "index": index.to_string(), "name": name, "data_type": kind, "is_target": is("target"),
                    "is_ignore": is("ignore"), "is_row_identifier": is("row"), "number_of_missing_values": "0",
                })
            })
            .collect();
        self.server.say("/api/v1/json/data/44", 200, &json!({ "data_set_description": description }).to_string());
        let features = json!({ "data_features": { "feature": columns } });
        self.server.say("/api/v1/json/data/features/44", 200, &features.to_string());
    }

    /// The same with a Parquet file, two classes, and columns that are no inputs.
    fn openml_parquet(&self) {
        let about = json!({
            "default_target_attribute": "class", "row_id_attribute": "id", "ignore_attribute": ["note"],
            "parquet_url": self.at("/datasets/0000/0044/dataset_44.pq"),
        });
        self.openml(about, &OPENML_COLUMNS);
        self.server.put("/datasets/0000/0044/dataset_44.pq", Answer::whole(openml_file(0.5)));
    }
}

const OPENML_COLUMNS: [(&str, &str, &str); 5] = [
    ("id", "numeric", "row"),
    ("x", "numeric", ""),
    ("code", "nominal", ""),
    ("note", "string", "ignore"),
    ("class", "nominal", "target"),
];

/// Four rows with codes and classes that look like numbers; `first` is the first number.
fn openml_file(first: f64) -> Vec<u8> {
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))),
        ("x", Arc::new(Float64Array::from(vec![Some(first), None, Some(2.0), Some(-1.0)]))),
        ("code", Arc::new(StringArray::from(vec!["10", "20", "10", "30"]))),
        ("note", Arc::new(StringArray::from(vec!["a", "b", "c", "d"]))),
        ("class", Arc::new(StringArray::from(vec!["1", "2", "2", "1"]))),
    ];
    parquet(columns.to_vec(), Compression::SNAPPY)
}

fn only_file(dataset: &Dataset) -> &RemoteFile {
    let DatasetOrigin::Files(files) = &dataset.origin else { panic!("{dataset:?}") };
    assert_eq!(files.len(), 1);
    &files[0]
}

#[test]
fn openml_parquet_is_registered_as_the_server_says() {
    let bench = Bench::new();
    bench.openml_parquet();
    let added = bench.add("openml:44");
    assert_eq!((added.name.as_str(), added.title.as_str()), ("small-one", "Small_one (OpenML 44, version 3)"));
    assert_eq!(added.licence, "CC BY 4.0");
    assert!(added.citation.starts_with("Author, A.: Small things. 2020 (http"), "{}", added.citation);
    assert_eq!((added.format, added.task, added.rows), (FileFormat::Parquet, Task::Classification, 4));
    assert_eq!(added.target.as_deref(), Some("class"));
    assert_eq!(added.input_columns, Some(vec!["x".into(), "code".into()]));
    assert_eq!(
        (added.encoding.categories.clone(), added.encoding.positive.as_deref()),
        (vec!["code".to_owned()], Some("2"))
    );
    let file = only_file(&added);
    assert_eq!((file.name.as_str(), file.folder.as_deref()), ("dataset_44.pq", Some("openml-44")));
    assert_eq!(file.addresses, [bench.at("/datasets/0000/0044/dataset_44.pq")]);
    assert!(bench.server.asked().iter().all(|path| !path.contains(".arff")), "{:?}", bench.server.asked());
    // What is declared is what was registered, and what is in place is what is declared.
    let declared = load_all(&bench.folder.path().join("pipeline"), &bench.data()).unwrap();
    assert_eq!(declared["small-one"], added);
    let table = added.load(&bench.data().join("raw/small-one"), None).unwrap();
    assert_eq!(table.targets, [-1.0, 1.0, 1.0, -1.0]);
    assert_eq!(table.input_names.iter().filter(|name| name.starts_with("code#")).count(), 4);
    assert_eq!((table.inputs.dense().row(0)[0], table.inputs.dense().row(1)[0]), (0.5, 0.5));
    let again = bench.add_with("openml:44", &Ask::default()).unwrap_err().to_string();
    assert!(again.contains("`small-one` is taken") && again.contains("--name"), "{again}");
}

#[test]
fn another_machine_fetches_the_same_content_and_no_other() {
    let bench = Bench::new();
    bench.openml_parquet();
    let added = bench.add("openml:44");
    let fetch =
        |folder: &str| bench.with_access(false, |access| fetch_with(&added, &bench.folder.path().join(folder), access));
    assert_eq!(Some(fetch("other").unwrap().content_sha256), added.content_sha256);
    // The same rows in other bytes are the same content; one other number is not.
    let path = "/datasets/0000/0044/dataset_44.pq";
    bench.server.put(path, Answer::whole(gzip(&openml_file(0.5))));
    fetch("packed").unwrap();
    bench.server.put(path, Answer::whole(openml_file(0.75)));
    let error = fetch("changed").unwrap_err();
    assert!(matches!(&error, FetchError::Mismatch { problem, .. } if matches!(**problem, DataError::Content { .. })));
    let told = error.to_string();
    assert!(told.contains("is not the declared data: content differs") || told.contains("content differs"), "{told}");
    assert!(told.contains(path) && told.contains("small-one"), "{told}");
    assert!(!bench.folder.path().join("changed/dataset_44.pq").exists());
}

const ARFF: &str = "@relation small\n@attribute id numeric\n@attribute x real\n@attribute code {10,20,30}\n\
                    @attribute note string\n@attribute class {1,2}\n@data\n1,0.5,10,a,1\n2,?,20,'b, b',2\n3,2,10,c,2\n\
                    4,-1,30,d,1\n";

#[test]
fn arff_holds_the_same_where_there_is_no_parquet_or_a_page_in_its_place() {
    let bench = Bench::new();
    bench.openml_parquet();
    let content = bench.add("openml:44").content_sha256;
    bench.server.put("/data/v1/download/99/small.arff", Answer::whole(ARFF.into()));
    let add = |name: &'static str| bench.add_with("openml:44", &Ask { name: Some(name), ..Ask::default() }).unwrap();
    for (name, answer) in [
        ("page", Answer::whole(b"<html>busy</html>".to_vec())),
        ("gone", Answer::Status(404)),
        ("half", Answer::whole(openml_file(0.5)[..300].to_vec())),
    ] {
        bench.server.put("/datasets/0000/0044/dataset_44.pq", answer);
        let added = add(name);
        assert_eq!((added.format, &added.content_sha256), (FileFormat::Arff, &content), "{name}");
        assert_eq!(only_file(&added).addresses, [bench.at("/data/v1/download/99/small.arff")]);
    }
    let about = json!({ "default_target_attribute": "x", "row_id_attribute": "id" });
    bench.openml(about, &OPENML_COLUMNS);
    // Rows without a target are refused, as in files, unless the user leaves them out.
    let error = bench.add_with("openml:44", &Ask { name: Some("x"), ..Ask::default() }).unwrap_err().to_string();
    assert!(error.contains("column `x`: the value is missing"), "{error}");
    bench.server.put("/data/v1/download/99/small.arff", Answer::whole(ARFF.replace('?', "1.5").into_bytes()));
    let added = add("numbers");
    assert_eq!((added.task, added.target.as_deref()), (Task::Regression, Some("x")));
    let columns = added.input_columns.clone().unwrap();
    assert!(columns.contains(&"class".to_owned()) && !columns.contains(&"id".to_owned()), "{columns:?}");
    assert!(!columns.contains(&"note".to_owned()), "what the server ignores is no input");
}

#[test]
fn openml_without_a_default_target_says_which_columns_there_are() {
    let bench = Bench::new();
    let columns = OPENML_COLUMNS.map(|(name, kind, says)| (name, kind, if says == "target" { "" } else { says }));
    bench.openml(json!({ "parquet_url": bench.at("/44.pq") }), &columns);
    bench.server.put("/44.pq", Answer::whole(openml_file(0.5)));
    let error = bench.refused("openml:44", &Ask::default());
    assert!(error.contains("no default target") && error.contains("id, x, code, note, class"), "{error}");
    assert!(!bench.server.asked().contains(&"/44.pq".to_owned()), "nothing is downloaded for it");
    bench.openml(json!({ "default_target_attribute": "x,class", "parquet_url": bench.at("/44.pq") }), &columns);
    let error = bench.refused("openml:44", &Ask::default());
    assert!(error.contains("2 targets") && error.contains("x, class"), "{error}");
    let added = bench.add_with("openml:44", &Ask { target: Some("class"), ..Ask::default() }).unwrap();
    assert_eq!(added.input_columns, Some(vec!["code".into()]), "the other target is no input");
}

#[test]
fn more_than_two_classes_are_declared_unless_one_is_named() {
    let bench = Bench::new();
    bench.openml(json!({ "default_target_attribute": "code", "parquet_url": bench.at("/44.pq") }), &OPENML_COLUMNS);
    bench.server.put("/44.pq", Answer::whole(openml_file(0.5)));
    let added = bench.add_with("openml:44", &Ask { name: Some("all"), ..Ask::default() }).unwrap();
    assert_eq!((added.task, &added.classes[..]), (Task::Classes, &["10", "20", "30"].map(String::from)[..]));
    let table = added.load(&bench.data().join("raw/all"), None).unwrap();
    assert_eq!(table.targets, [0.0, 1.0, 0.0, 2.0]);
    let added = bench.add_with("openml:44", &Ask { positive: Some("10"), ..Ask::default() }).unwrap();
    let table = added.load(&bench.data().join("raw/small-one"), None).unwrap();
    assert_eq!(table.targets, [1.0, -1.0, 1.0, -1.0]);
}

#[test]
fn openml_is_asked_by_name() {
    let bench = Bench::new();
    bench.openml_parquet();
    let list = "/api/v1/json/data/list/data_name/Small_one/status/active/limit/100";
    let one = |number: u32, version: u32| json!({ "did": number, "name": "Small_one", "version": version, "status": "active" });
    bench.server.say(list, 200, &json!({ "data": { "dataset": [one(44, 3), one(45, 4)] } }).to_string());
    let error = bench.refused("openml:Small_one", &Ask::default());
    assert!(error.contains("openml:44 (version 3), openml:45 (version 4)"), "{error}");
    bench.server.say(list, 412, r#"{"error":{"code":"372","message":"No results"}}"#);
    let error = bench.refused("openml:Small_one", &Ask::default());
    assert!(error.contains("No results (code 372)") && error.contains("412"), "{error}");
    bench.server.say(list, 200, &json!({ "data": { "dataset": [one(44, 3)] } }).to_string());
    assert_eq!(bench.add("openml:Small_one").rows, 4);
}

#[test]
fn servers_that_fail_are_told_from_data_that_are_not_there() {
    let bench = Bench::new();
    let ask = Ask::default();
    bench.server.say("/api/v1/json/data/44", 412, r#"{"error":{"code":"111","message":"Unknown dataset"}}"#);
    let error = bench.refused("openml:44", &ask);
    assert!(error.contains("openml:44: the server says: Unknown dataset (code 111) (HTTP status 412"), "{error}");
    bench.server.say("/api/v1/json/data/44", 200, r#"{"data_set_descr"#);
    let error = bench.refused("openml:44", &ask);
    assert!(error.contains("is no JSON") && error.contains("/api/v1/json/data/44"), "{error}");
    bench.server.say("/api/v1/json/data/44", 200, r#"{"data_set_description":{"id":"44"}}"#);
    let error = bench.refused("openml:44", &ask);
    assert!(error.contains("no `data_set_description.name`"), "{error}");
    // It hangs up before it answers, or in the midst of its answer.
    bench.server.put("/api/v1/json/data/44", Answer::Raw(Vec::new()));
    let error = bench.refused("openml:44", &ask);
    assert!(error.contains("openml:44: cannot be reached") && error.contains("2 attempts"), "{error}");
    bench.server.put("/api/v1/json/data/44", Answer::whole(b"{\"data_set_description\":{}}".to_vec()).dropped(9));
    let error = bench.refused("openml:44", &ask);
    assert!(error.contains("cannot be reached") && error.contains("connection broke"), "{error}");
    bench.openml_parquet();
    let error = bench.refused("openml:44", &Ask { offline: true, ..Ask::default() });
    assert!(error.contains("(offline)") && error.contains("allow the network"), "{error}");
    bench.server.put("/datasets/0000/0044/dataset_44.pq", Answer::Status(404));
    let error = bench.refused("openml:44", &ask);
    assert!(
        error.contains("dataset_44.pq (HTTP status 404)") && error.contains("small.arff (HTTP status 404)"),
        "{error}"
    );
    bench.openml(json!({ "default_target_attribute": "class", "url": null }), &OPENML_COLUMNS);
    assert!(bench.refused("openml:44", &ask).contains("names no file"));
    let gone = format!("http://{}/a.csv", nobody());
    assert!(bench.refused(&gone, &ask).contains("cannot be reached"));
}

/// The answer of UCI for dataset 7.
fn uci(bench: &Bench, data_url: Value) {
    let variable =
        |name: &str, role: &str, kind: &str| json!({ "name": name, "role": role, "type": kind, "units": null });
    let about = json!({
        "uci_id": 7, "name": "Bike Sharing", "repository_url": "https://archive.ics.uci.edu/dataset/7/bike",
        "data_url": data_url, "creators": ["C. Creator"], "year_of_dataset_creation": 2013, "dataset_doi": "10.24432/X",
        "variables": [
            variable("instant", "ID", "Integer"), variable("season", "Feature", "Categorical"),
            variable("temp", "Feature", "Continuous"), variable("casual", "Other", "Integer"),
            variable("cnt", "Target", "Integer"),
        ],
    });
    bench.server.say("/api/dataset?id=7", 200, &json!({ "status": 200, "data": about }).to_string());
}

#[test]
fn uci_says_roles_and_types() {
    let bench = Bench::new();
    uci(&bench, json!(bench.at("/static/public/7/data.csv")));
    let csv = "instant,season,temp,casual,cnt\n1,1,0.5,3,16\n2,2,0.25,8,40\n3,1,0.75,5,32\n";
    bench.server.put("/static/public/7/data.csv", Answer::whole(csv.into()));
    let added = bench.add("uci:7");
    assert_eq!((added.name.as_str(), added.title.as_str()), ("bike-sharing", "Bike Sharing (UCI 7)"));
    assert_eq!(
        added.citation,
        "C. Creator (2013). Bike Sharing. UCI Machine Learning Repository. https://doi.org/10.24432/X"
    );
    assert_eq!((added.target.as_deref(), added.task), (Some("cnt"), Task::Regression));
    assert_eq!(added.input_columns, Some(vec!["season".into(), "temp".into()]));
    assert_eq!(added.encoding.categories, ["season"]);
    assert_eq!(only_file(&added).folder.as_deref(), Some("uci-7"));
    // A mirror of several has the file in a folder of its own, which is enough offline.
    let mut other = Bench { mirrors: vec![bench.folder.path().join("mirror")], ..Bench::new() };
    fs::create_dir_all(other.mirrors[0].join("uci-7")).unwrap();
    fs::write(other.mirrors[0].join("data.csv"), "another,file\n1,2\n").unwrap();
    fs::write(other.mirrors[0].join("uci-7/data.csv"), csv).unwrap();
    let raw = other.folder.path().join("raw");
    let fetched = other.with_access(true, |access| fetch_with(&added, &raw, access)).unwrap();
    assert_eq!(Some(fetched.content_sha256), added.content_sha256);
    other.mirrors.clear();
    let raw = other.folder.path().join("again");
    assert!(other.with_access(true, |access| fetch_with(&added, &raw, access)).is_err());
}

#[test]
fn uci_datasets_that_cannot_be_imported_are_refused() {
    let bench = Bench::new();
    uci(&bench, Value::Null);
    let error = bench.refused("uci:7", &Ask::default());
    assert!(error.contains("`Bike Sharing`") && error.contains("not available for import"), "{error}");
    assert!(error.contains("https://archive.ics.uci.edu/dataset/7/bike"), "{error}");
    let nothing = r#"{"status":404,"message":"No datasets found with id 7"}"#;
    for status in [200, 404] {
        bench.server.say("/api/dataset?id=7", status, nothing);
        let error = bench.refused("uci:7", &Ask::default());
        assert!(error.contains("uci:7: the server says: No datasets found with id 7"), "{error}");
    }
    bench.server.say("/api/dataset?id=7", 200, r#"{"status":200,"data":{"name":"x","data_url":"http://x/"}}"#);
    assert!(bench.refused("uci:7", &Ask::default()).contains("no `data.variables`"));
    assert!(bench.refused("uci:7", &Ask { offline: true, ..Ask::default() }).contains("(offline)"));
}

/// A zip archive of these files.
fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn addresses_give_files_of_every_kind() {
    let mut bench = Bench::new();
    let csv = "a,y\n1,2\n2,4.5\n3,6\n";
    bench.server.put("/d/Plain.csv", Answer::whole(csv.into()));
    bench.server.put("/d/packed.csv.gz?v=2", Answer::whole(gzip(csv.as_bytes())));
    bench.server.put("/d/table.parquet", Answer::whole(openml_file(0.5)));
    bench.server.put("/d/one.zip", Answer::whole(zipped(&[("in/it.csv", csv)])));
    bench.server.put("/d/two.zip", Answer::whole(zipped(&[("in/it.csv", csv), ("readme.txt", "-")])));
    let y = Ask { target: Some("y"), ..Ask::default() };
    let two = bench.refused(&bench.at("/d/two.zip"), &y);
    assert!(two.contains("2 files (in/it.csv, readme.txt)") && two.contains("--member"), "{two}");
    let none = bench.refused(&bench.at("/d/two.zip"), &Ask { member: Some("no.csv"), ..y.clone() });
    assert!(none.contains("`no.csv`") && none.contains("no such member"), "{none}");
    let plain = bench.refused(&bench.at("/d/Plain.csv"), &Ask { member: Some("it.csv"), ..y.clone() });
    assert!(plain.contains("no archive"), "{plain}");
    let untold = bench.refused(&bench.at("/d/Plain.csv"), &Ask::default());
    assert!(untold.contains("which column is the target? name one of: a, y"), "{untold}");
    let column = bench.refused(&bench.at("/d/Plain.csv"), &Ask { target: Some("z"), ..Ask::default() });
    assert!(column.contains("no column `z`"), "{column}");
    assert!(bench.refused(&bench.at("/d/absent.csv"), &y).contains("HTTP status 404"));
    // A folder that an earlier dataset of this name has left keeps its files.
    let left = bench.data().join("raw/left");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("kept"), "precious").unwrap();
    let named = Ask { name: Some("left"), ..y.clone() };
    let error = bench.add_with(&bench.at("/d/absent.csv"), &named).unwrap_err().to_string();
    assert!(error.contains("HTTP status 404"), "{error}");
    assert_eq!(fs::read(left.join("kept")).unwrap(), b"precious");
    let mut contents = Vec::new();
    for (path, member) in
        [("/d/Plain.csv", None), ("/d/packed.csv.gz?v=2", None), ("/d/one.zip", None), ("/d/two.zip", Some("it.csv"))]
    {
        let added = bench.add_with(&bench.at(path), &Ask { member, ..y.clone() }).unwrap();
        assert_eq!(only_file(&added).addresses, [bench.at(path)]);
        // Without what was downloaded, it is fetched as it was registered.
        let raw = bench.folder.path().join("elsewhere").join(&added.name);
        let fetched = bench.with_access(false, |access| fetch_with(&added, &raw, access)).unwrap();
        assert_eq!(Some(&fetched.content_sha256), added.content_sha256.as_ref(), "{path}");
        contents.push((added.name, added.content_sha256));
    }
    assert!(contents.iter().all(|(_, content)| *content == contents[0].1), "{contents:?}");
    assert_eq!(contents.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["plain", "packed", "one", "two"]);
    let table = bench.add_with(&bench.at("/d/table.parquet"), &Ask { target: Some("x"), name: Some("t"), ..y.clone() });
    assert!(table.unwrap_err().to_string().contains("value is missing"));
    // A mirror is enough.
    bench.mirrors = vec![bench.folder.path().join("mirror")];
    fs::create_dir(&bench.mirrors[0]).unwrap();
    fs::write(bench.mirrors[0].join("far.csv"), csv).unwrap();
    let far = bench.add_with("https://nowhere.invalid/far.csv", &Ask { offline: true, ..y }).unwrap();
    assert_eq!(far.content_sha256, contents[0].1);
}

#[test]
fn a_download_that_breaks_is_resumed_by_the_next_one() {
    let bench = Bench::new();
    let rows: String = (0..2000_u32).map(|i| format!("{i},{}\n", i % 7)).collect();
    let file = Answer::whole(format!("a,y\n{rows}").into_bytes()).tag("\"one\"");
    let ask = Ask { target: Some("y"), ..Ask::default() };
    bench.server.put("/big.csv", file.clone().dropped(5000));
    let error = bench.add_with(&bench.at("/big.csv"), &ask).unwrap_err().to_string();
    assert!(error.contains("connection broke"), "{error}");
    assert!(bench.data().join("raw/big/big.csv.part").is_file(), "what has arrived stays");
    assert!(!bench.data().join("added").exists());
    bench.server.put("/big.csv", file);
    assert_eq!(bench.add_with(&bench.at("/big.csv"), &ask).unwrap().rows, 2000);
    assert!(!bench.data().join("raw/big/big.csv.part").exists());
}

#[test]
fn an_unusable_name_is_refused_before_anything_is_asked() {
    let bench = Bench::new();
    bench.openml_parquet();
    for name in ["No Name", "../x", ""] {
        let error = bench.refused("openml:44", &Ask { name: Some(name), ..Ask::default() });
        assert!(error.contains("dataset name"), "{error}");
    }
    assert_eq!(bench.server.asked(), Vec::<String>::new());
    assert_eq!(load_all(&bench.folder.path().join("pipeline"), &bench.data()).unwrap(), BTreeMap::new());
}
