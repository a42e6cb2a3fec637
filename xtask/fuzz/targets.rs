//! What reads bytes that others may have written: each is called with any bytes and may refuse them, but not panic, hang
//! or take memory without bound. `make fuzz` looks for such bytes, guided by coverage; the tests replay what it kept.

use std::cell::OnceCell;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use noregret_data::catalogue::load_one;
use noregret_data::encode::choices::{ColumnEncoding, MissingValues, UnlabelledRows};
use noregret_data::encode::plan::EncodingPlan;
use noregret_data::fetch::{fetch, verify};
use noregret_data::format::open::open;
use noregret_data::format::{DataSource, FileFormat, ReadOptions};
use noregret_data::stored::from_parquet;
use noregret_data::table;
use noregret_engine::exec::store::{ObjectName, ResultStore};
use noregret_engine::exec::{batch, journal, lockfile, manifest, records};
use noregret_engine::plan::shard::Shard;
use noregret_engine::plan::sources::Sources;
use noregret_model::file;
use noregret_report::analysis::reported;
use noregret_report::exhibit::ShownExhibit;
use noregret_report::trace::{cell, join, read};
use noregret_study::config::declared::Declared;
use noregret_study::config::overrides::Override;
use noregret_study::config::project::Project;
use noregret_study::external::wire;
use noregret_study::graph::{Access, graph};
use noregret_study::tune::compute as tuning;

/// A reader.
pub struct Target {
    /// Its name: the folder of its corpus.
    pub name: &'static str,
    /// Reads the bytes.
    pub read: fn(&[u8]),
}

/// All readers.
pub const TARGETS: &[Target] = &[
    Target { name: "csv", read: |bytes| rows(bytes, Some(FileFormat::Csv)) },
    Target { name: "libsvm", read: |bytes| rows(bytes, Some(FileFormat::Libsvm)) },
    Target { name: "parquet", read: |bytes| rows(bytes, Some(FileFormat::Parquet)) },
    Target {
        name: "arrow",
        read: |bytes| {
            rows(bytes, Some(FileFormat::Arrow));
            recognised(bytes, Some(FileFormat::Arrow));
        },
    },
    Target {
        name: "arff",
        read: |bytes| {
            rows(bytes, Some(FileFormat::Arff));
            recognised(bytes, Some(FileFormat::Arff));
        },
    },
    Target {
        name: "jsonl",
        read: |bytes| {
            rows(bytes, Some(FileFormat::Jsonl));
            recognised(bytes, Some(FileFormat::Jsonl));
        },
    },
    Target { name: "compressed", read: |bytes| rows(bytes, None) },
    Target { name: "encoded", read: encoded },
    Target { name: "prepared", read: |bytes| drop(from_parquet(bytes)) },
    Target { name: "trace", read: trace },
    Target { name: "archive", read: archive },
    Target { name: "fetched", read: fetched },
    Target { name: "experiment", read: |bytes| declared("experiments/fuzzed.toml", bytes) },
    Target { name: "dataset", read: |bytes| declared("datasets/fuzzed.toml", bytes) },
    Target { name: "figure", read: |bytes| declared("figures/fuzzed.toml", bytes) },
    Target { name: "table", read: |bytes| declared("tables/fuzzed.toml", bytes) },
    Target { name: "reported", read: |bytes| drop(reported::read(&String::from_utf8_lossy(bytes))) },
    Target { name: "rate", read: |bytes| declared("rates/fuzzed.toml", bytes) },
    Target { name: "learner", read: |bytes| declared("learners/fuzzed.toml", bytes) },
    Target { name: "profiles", read: |bytes| declared("profiles.toml", bytes) },
    Target { name: "override", read: overridden },
    Target { name: "exhibit", read: exhibit },
    Target { name: "record", read: |bytes| noted("records/figure/a", bytes) },
    Target { name: "failure", read: |bytes| noted(&format!("failures/{KEY}"), bytes) },
    Target { name: "unavailable", read: |bytes| noted(&format!("unavailable/{KEY}"), bytes) },
    Target {
        name: "manifest",
        read: |bytes| stored("results/store/manifests/run/a.json", bytes, |store| drop(manifest::load(store, "run/a"))),
    },
    Target { name: "lock", read: |bytes| stored("results/pipeline.lock", bytes, |store| drop(lockfile::load(store))) },
    Target { name: "runs", read: |bytes| stored("results/log/runs.jsonl", bytes, |store| drop(journal::runs(store))) },
    Target {
        name: "measurements",
        read: |bytes| stored("results/log/measurements.jsonl", bytes, |store| drop(journal::rates(store))),
    },
    Target {
        name: "batch",
        read: |bytes| {
            stored("results/store/batches/a", bytes, |store| {
                let _ = batch::shards(store, "a", NonZeroUsize::MIN, true, || Ok(Vec::new()));
            })
        },
    },
    Target {
        name: "model",
        read: |bytes| {
            let _ = file::parse("model", bytes);
            // The encoders in its header are read by the program, if the digest is right.
            let _ = str::from_utf8(bytes).map(EncodingPlan::read);
        },
    },
    Target { name: "choice", read: |bytes| drop(tuning::read(bytes, 2)) },
    Target { name: "names", read: names },
    Target { name: "protocol", read: answered },
];

/// Reads what the process of a learner may answer.
fn answered(bytes: &[u8]) {
    let _ = wire::Greeting::read(bytes);
    if let Ok(number) = wire::number(bytes) {
        assert!(number.is_finite());
    }
    let _ = (wire::asked(bytes), wire::list(bytes, 2));
    let _ = wire::numbers(bytes).map(|numbers| wire::gauges(&numbers));
}

/// A key in hexadecimal.
const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Reads a table of data with words, dates and gaps. What is accepted is complete and finite.
fn encoded(bytes: &[u8]) {
    [None, Some(FileFormat::Csv), Some(FileFormat::Arrow)].into_iter().for_each(|format| recognised(bytes, format));
}

/// Reads such a table in one format, or in that of its first bytes.
fn recognised(bytes: &[u8], format: Option<FileFormat>) {
    for missing in [MissingValues::Refuse, MissingValues::Drop, MissingValues::Indicator(Vec::new())] {
        let encoding = ColumnEncoding { missing, unlabelled: UnlabelledRows::Skip, ..ColumnEncoding::recognising() };
        let source = DataSource::Bytes { name: "fuzzed".into(), bytes: bytes.into() };
        let options = ReadOptions { format, target: Some("1".into()), encoding, ..ReadOptions::default() };
        if let Ok(mut reader) = open(&source, &options) {
            let width = reader.columns().inputs.len();
            let _ = table::scan_over(1 << 12, reader.as_mut(), |inputs, targets| {
                assert_eq!(inputs.len(), targets.len() * width);
                assert!(inputs.iter().chain(targets).all(|value| value.is_finite()));
            });
        }
    }
}

/// Reads a table of data. What is accepted is complete and finite.
fn rows(bytes: &[u8], format: Option<FileFormat>) {
    for header in [true, false] {
        let options = ReadOptions { format, header, target: Some("1".into()), ..ReadOptions::default() };
        let source = DataSource::Bytes { name: "data".into(), bytes: bytes.into() };
        let Ok(table) = open(&source, &options).and_then(|mut rows| table::read(rows.as_mut(), None, |_, _| {})) else {
            continue;
        };
        // A wide row would take the memory that a sparse one spares.
        if table.inputs.cols() <= 4096 {
            assert!(table.inputs.dense().data().iter().all(|value| value.is_finite()));
        }
        assert!(table.targets.iter().all(|value| value.is_finite()));
        assert_eq!(table.inputs.rows(), table.rows());
        assert!(table.rows() > 0 && table.inputs.cols() == table.input_names.len());
    }
}

/// Reads a cell, and the tables that are made of cells.
fn trace(bytes: &[u8]) {
    let _ = cell::read_cell(bytes);
    let _ = read::runs("runs", bytes.to_vec());
    let _ = read::traces("traces", bytes.to_vec());
    let _ = read::times("times", bytes.to_vec());
    let _ = join::runs(&[bytes.to_vec()]);
}

thread_local! {
    static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
}

/// A project of this thread, with one dataset from an archive, one experiment, one figure, one table and one rate.
fn project() -> PathBuf {
    FOLDER.with(|folder| {
        let made = || {
            let folder = tempfile::tempdir().expect("a temporary folder");
            for (name, text) in FILES {
                write(&folder.path().join("pipeline").join(name), text.as_bytes());
            }
            folder
        };
        folder.get_or_init(made).path().to_owned()
    })
}

const FILES: &[(&str, &str)] = &[
    ("profiles.toml", "[paper]\ndescription = 'all'\n[quick]\ndescription = 'less'\n"),
    ("experiments/e.toml", include_str!("project/experiment.toml")),
    ("datasets/d.toml", include_str!("project/dataset.toml")),
    ("figures/f.toml", include_str!("project/figure.toml")),
    ("tables/t.toml", include_str!("project/table.toml")),
    ("rates/r.toml", include_str!("project/rate.toml")),
];

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file");
}

/// Reads the project with one file of these bytes.
fn declared(name: &str, bytes: &[u8]) {
    let root = project();
    let path = root.join("pipeline").join(name);
    write(&path, bytes);
    planned(&root, &[]);
    match FILES.iter().find(|(file, _)| *file == name) {
        Some((_, text)) => write(&path, text.as_bytes()),
        None => fs::remove_file(&path).expect("the file is there"),
    }
}

/// Applies the bytes as one override each line.
fn overridden(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let overrides: Vec<Override> = text.lines().filter_map(|line| Override::parse(line).ok()).collect();
    planned(&project(), &overrides);
}

/// Reads a project and lists its stages.
fn planned(root: &Path, overrides: &[Override]) {
    let project = Project::find(root).expect("a project");
    if let Ok(declared) = Declared::load(&project, "paper", overrides, &[]) {
        let _ = graph(&project, &declared, &Access { mirrors: Vec::new(), online: false });
    }
}

/// Fetches the dataset of the project from a mirror that holds the bytes, as a file and as an archive.
fn archive(bytes: &[u8]) {
    let root = project();
    let mirror = root.join("mirror");
    write(&mirror.join("d.csv"), bytes);
    write(&mirror.join("d.zip"), bytes);
    let dataset = load_one(&root.join("pipeline/datasets/d.toml")).expect("a dataset");
    let raw = root.join("data/raw/d");
    let _ = fetch(&dataset, &raw, &[mirror], false, &|_| {});
    let _ = fs::remove_dir_all(raw);
}

/// Verifies a dataset beside whose files the record of the fetch consists of the bytes.
fn fetched(bytes: &[u8]) {
    let root = project();
    let dataset = load_one(&root.join("pipeline/datasets/d.toml")).expect("a dataset");
    let raw = root.join("data/raw/d");
    write(&raw.join("d.csv"), b"a,1\n1,2\n3,4\n");
    write(&raw.join("fetched.toml"), bytes);
    let _ = verify(&dataset, &raw);
}

/// Reads the description of a figure, with its picture.
fn exhibit(bytes: &[u8]) {
    let files = ["a.json", "a.svg"].map(|name| (PathBuf::from(name), bytes.to_vec()));
    let _ = ShownExhibit::from_files("figure/a", &files);
}

/// Reads a store in which one file has these bytes.
fn stored(path: &str, bytes: &[u8], read: impl Fn(&ResultStore)) {
    let root = project();
    write(&root.join(path), bytes);
    read(&ResultStore::new(&root));
    // Reading a store writes nothing but records.
    let _ = fs::remove_dir_all(root.join("results"));
}

/// Reads a store in which one note, or record, has these bytes.
fn noted(name: &str, bytes: &[u8]) {
    stored(&format!("results/store/{name}.json"), bytes, |store| drop(records::snapshot(store, true, Some(0.0))));
}

/// Reads names of objects, shards and sources.
fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(name) = ObjectName::parse(&text) {
        let _ = name.seal();
    }
    let _ = text.parse::<Shard>();
    let _ = Sources::parse(&text);
    let _ = Sources::of_words(text.split(' '));
}
