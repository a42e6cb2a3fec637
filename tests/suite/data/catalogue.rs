//! Declarations: those of this project, wrong ones, and those that users add.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use noregret_data::catalogue::{find, load_one};
use noregret_data::declaration::{Dataset, DatasetOrigin, Task};
use noregret_data::error::DataError;
use noregret_data::fetch::{FetchError, fetch};
use noregret_data::format::{FileFormat, ReadOptions};
use noregret_data::prepare::{InputScale, Preparation, TargetTransform, prepare};
use noregret_data::user::{Addition, add};

use super::{gzip, load_all, target};

/// The declared datasets of this project.
fn declared() -> BTreeMap<String, Dataset> {
    load_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline"), Path::new("no such folder")).unwrap()
}

#[test]
fn the_declarations_of_this_project() {
    let all = declared();
    let facts: Vec<_> = all.values().map(|set| (set.name.as_str(), set.rows, set.inputs, set.task)).collect();
    for fact in [
        ("casp", 45_730, 9, Task::Regression),
        ("cod-rna", 271_617, 8, Task::Classification),
        ("ijcnn1", 141_691, 22, Task::Classification),
        ("susy", 5_000_000, 18, Task::Classification),
        ("wine-quality", 1_599, 11, Task::Regression),
    ] {
        assert!(facts.contains(&fact), "{fact:?} is not in {facts:?}");
    }
    assert_eq!(all["susy"].first_rows, Some(1_000_000));
    let error = find(&all, "caps").unwrap_err().to_string();
    assert!(error.contains("did you mean `casp`?") && error.contains("ijcnn1"), "{error}");
    for dataset in all.values() {
        // A declaration can be written and read again.
        assert_eq!(toml::from_str::<Dataset>(&toml::to_string(dataset).unwrap()).unwrap(), *dataset);
    }
}

#[test]
fn wine_is_the_table_of_uci() {
    let table = declared()["wine-quality"].load(Path::new("nowhere"), None).unwrap();
    assert_eq!((table.rows(), table.inputs.cols()), (1599, 11));
    assert_eq!((table.input_names[0].as_str(), table.target_name.as_str()), ("fixed acidity", "quality"));
    // The first and last lines of winequality-red.csv.
    assert_eq!(table.inputs.dense().row(0), [7.4, 0.7, 0.0, 1.9, 0.076, 11.0, 34.0, 0.9978, 3.51, 0.56, 9.4]);
    assert_eq!(table.inputs.dense().row(1598), [6.0, 0.31, 0.47, 3.6, 0.067, 18.0, 42.0, 0.99549, 3.39, 0.66, 11.0]);
    assert_eq!((table.targets[0], table.targets[1598]), (5.0, 6.0));
}

/// The mirror that holds `files`, if the environment names one.
fn mirror(files: &[&str]) -> Option<PathBuf> {
    let list = std::env::var_os("NOREGRET_MIRROR")?;
    std::env::split_paths(&list).find(|folder| files.iter().all(|file| folder.join(file).is_file()))
}

#[test]
fn public_data_load_from_a_mirror() {
    for (name, files, first_target) in [
        ("casp", &["CASP.csv"][..], 17.284),
        ("ijcnn1", &["ijcnn1.bz2", "ijcnn1.t.bz2"], -1.0),
        ("cod-rna", &["cod-rna.t"], -1.0),
    ] {
        let Some(mirror) = mirror(files) else {
            eprintln!("skipped: NOREGRET_MIRROR names no folder with {}", files.join(" and "));
            continue;
        };
        let dataset = &declared()[name];
        let folder = tempfile::tempdir().unwrap();
        let fetched = fetch(dataset, folder.path(), &[mirror], false, &|_| {}).unwrap();
        assert_eq!(Some(&fetched.content_sha256), dataset.content_sha256.as_ref());
        let table = dataset.load(folder.path(), None).unwrap();
        assert_eq!((table.rows() as u64, table.inputs.cols() as u64), (dataset.rows, dataset.inputs));
        assert_eq!(table.targets[0], first_target);
        if name == "casp" {
            let preparation = Preparation { scale: InputScale::Unit, target: TargetTransform::Authors };
            let prepared = prepare(table, &preparation).unwrap();
            let extreme = |f: fn(f64, f64) -> f64, values: &[f64]| values.iter().copied().reduce(f).unwrap();
            assert_eq!(extreme(f64::max, &prepared.targets), 1.0);
            // RMSD 0 becomes -1 / (2 * 20.999 - 1): the -0.024 of the erratum.
            assert_eq!(extreme(f64::min, &prepared.targets), -1.0 / (2.0 * 20.999 - 1.0));
            assert_eq!(extreme(f64::min, prepared.inputs.dense().data()), 0.0);
            assert_eq!(extreme(f64::max, prepared.inputs.dense().data()), 1.0);
        }
    }
}

#[test]
fn susy_is_read_as_upstream_writes_it() {
    // Two lines of the file's form: no header, the label first, scientific notation with 18 decimals.
    let line = |label: &str, start: u32| {
        let numbers: Vec<String> = (0..18).map(|i| format!("{}.728614568710327148e-01", (start + i) % 9)).collect();
        format!("{label},{}\n", numbers.join(","))
    };
    let text = [line("0.000000000000000000e+00", 1), line("1.000000000000000000e+00", 5)].concat();
    let folder = tempfile::tempdir().unwrap();
    let mut dataset = declared()["susy"].clone();
    (dataset.rows, dataset.first_rows) = (2, Some(1));
    fs::write(folder.path().join("SUSY.csv.gz"), gzip(text.as_bytes())).unwrap();
    fetch(&dataset, folder.path(), &[], false, &|_| {}).unwrap();
    let table = dataset.load(folder.path(), None).unwrap();
    assert_eq!((table.rows(), table.inputs.cols()), (2, 18));
    assert_eq!(table.targets, [0.0, 1.0]);
    assert_eq!(table.inputs.dense().row(0)[..2], [0.172_861_456_871_032_71, 0.272_861_456_871_032_7]);
    let signs = Preparation { target: TargetTransform::Sign, ..Preparation::default() };
    assert_eq!(prepare(table, &signs).unwrap().targets, [-1.0, 1.0]);
    assert_eq!(dataset.load(folder.path(), dataset.first_rows).unwrap().rows(), 1);
}

/// A declaration in which `lines` replace those with the same key.
fn declaration(lines: &[&str]) -> String {
    let mut all = vec![
        "name = 'd'",
        "title = 't'",
        "citation = 'c'",
        "licence = 'l'",
        "task = 'regression'",
        "rows = 3",
        "inputs = 1",
        "target = 'y'",
        "files = [{ name = 'f', addresses = [] }]",
    ];
    for line in lines {
        let key = line.split(' ').next().unwrap();
        all.retain(|old| old.split(' ').next() != Some(key));
        all.push(line);
    }
    all.join("\n")
}

#[test]
fn wrong_declarations_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.toml");
    for (lines, words) in [
        (&["name = 'other'"][..], "must be called other.toml"),
        (&["name = '../d'"], "lower-case letters"),
        (&["colour = 'red'"], "unknown field `colour`"),
        (&["task = 'ranking'"], "unknown variant `ranking`"),
        (&["rows = 0"], "at least 1"),
        (&["rows = -1"], "rows"),
        (&["rows = 9223372036854775807"], "`rows` must be at most 1099511627776"),
        (&["format = 'libsvm'", "inputs = 18446744073709551615"], "inputs"),
        (&["format = 'libsvm'", "inputs = 9223372036854775807"], "`inputs` must be at most 1048576"),
        (&["first_rows = 4"], "`first_rows` must be from 1 to 3"),
        (&["content_sha256 = 'abc'"], "64 lower-case hexadecimal digits"),
        (&["path = 'f'"], "exactly one of"),
        (&["files = []"], "at least one file"),
        (&["files = [{ name = '../f', addresses = [] }]"], "not a plain file name"),
        (&["files = [{ name = 'f', addresses = [], rows = 2 }]"], "2 rows in all"),
        (&["files = [{ name = 'f', addresses = [] }, { name = 'g', addresses = [] }]"], "must have `rows`"),
        (
            &[
                "content_sha256 = '4a6edb0fcba42da8e514a464665e1f5316c8c1bdb3d829ae06be172ecdcbfe12'",
                "files = [{ name = 'f', addresses = [], rows = 1 }, { name = 'g', addresses = [], rows = 2 }]",
            ],
            "each of several files must have one too",
        ),
        (&["files = [{ name = 'f', addresses = [] }, { name = 'f', addresses = [] }]"], "listed twice"),
    ] {
        fs::write(&path, declaration(lines)).unwrap();
        let error = load_one(&path).unwrap_err();
        assert!(matches!(error, DataError::Declaration { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(words) && message.contains("d.toml"), "`{words}` is not in: {message}");
    }
    fs::write(&path, declaration(&[])).unwrap();
    assert_eq!(load_one(&path).unwrap().format, FileFormat::Csv);
}

/// A project folder with a file of the user's.
fn project() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (pipeline, data) = (folder.path().join("pipeline"), folder.path().join("data"));
    fs::write(folder.path().join("mine.csv"), "a,b,y\n1,2,0\n3,4,1\n5,6,1\n").unwrap();
    (folder, pipeline, data)
}

#[test]
fn a_file_of_the_users_own() {
    let (folder, pipeline, data) = project();
    let addition = Addition { file: folder.path().join("mine.csv"), name: "mine".into(), options: target("y") };
    let added = add(&addition, &BTreeMap::new(), &data).unwrap().dataset;
    assert_eq!((added.rows, added.inputs, added.task), (3, 2, Task::Classification));
    // It is found again, even after the project has moved.
    let text = fs::read_to_string(data.join("added/mine.toml")).unwrap();
    assert!(text.contains("path = \"mine.csv\""), "{text}");
    let all = load_all(&pipeline, &data).unwrap();
    assert_eq!(all["mine"], added);
    assert_eq!(all["mine"].load(&data.join("raw/mine"), None).unwrap().targets, [0.0, 1.0, 1.0]);
    let fetched = fetch(&all["mine"], &data.join("raw/mine"), &[], false, &|_| {}).unwrap();
    assert_eq!(fetched.files, [folder.path().join("mine.csv")]);

    // Its name is taken now.
    let error = add(&addition, &all, &data).unwrap_err();
    assert!(matches!(error, DataError::Name { .. }) && error.to_string().contains("is taken"), "{error}");

    // The file is never replaced. If it has changed, that is an error; if it is gone, it is unavailable.
    fs::write(folder.path().join("mine.csv"), "a,b,y\n1,2,0\n3,4,1\n5,7,1\n").unwrap();
    let error = fetch(&all["mine"], &data.join("raw/mine"), &[], false, &|_| {}).unwrap_err();
    assert!(matches!(error, FetchError::Mismatch { .. }) && error.to_string().contains("data update mine"), "{error}");
    assert!(matches!(all["mine"].load(&data, None), Err(DataError::Content { .. })));
    fs::remove_file(folder.path().join("mine.csv")).unwrap();
    let error = fetch(&all["mine"], &data.join("raw/mine"), &[], false, &|_| {}).unwrap_err();
    assert!(matches!(error, FetchError::Unavailable { .. }), "{error}");
}

#[test]
fn selections_and_formats_of_added_files_are_kept() {
    let (folder, pipeline, data) = project();
    let file = folder.path().join("sparse.txt");
    fs::write(&file, "2.5 1:1 3:4\n0 2:-1\n1 1:7\n").unwrap();
    for (name, inputs, width) in [("all", None, 3), ("some", Some(vec!["3".to_owned(), "1".to_owned()]), 2)] {
        let options = ReadOptions { inputs, ..ReadOptions::default() };
        let addition = Addition { file: file.clone(), name: name.into(), options };
        let added = add(&addition, &load_all(&pipeline, &data).unwrap(), &data).unwrap().dataset;
        assert_eq!((added.format, added.inputs, added.task), (FileFormat::Libsvm, width, Task::Regression));
        let again = &load_all(&pipeline, &data).unwrap()[name];
        let table = again.load(Path::new(""), None).unwrap();
        assert_eq!(table.inputs.dense().row(0), if width == 3 { &[1.0, 0.0, 4.0][..] } else { &[4.0, 1.0] });
    }
}

#[test]
fn bad_additions_leave_nothing_behind() {
    let (folder, _, data) = project();
    let bad = folder.path().join("bad.csv");
    fs::write(&bad, "a,y\n1,2\nx,3\n").unwrap();
    let mine = folder.path().join("mine.csv");
    let bell = folder.path().join("bell.csv");
    fs::write(&bell, "a,y\u{7}\n1,2\n").unwrap();
    for (file, name, column) in
        [(&bad, "bad", "y"), (&bell, "bell", "2"), (&mine, "no/slash", "y"), (&mine, "Big", "y"), (&mine, "m", "z")]
    {
        let addition = Addition { file: file.clone(), name: name.into(), options: target(column) };
        assert!(add(&addition, &BTreeMap::new(), &data).is_err(), "{name}");
    }
    assert!(!data.exists());
    // A name in the catalogue is taken, even if it was not registered.
    let addition = Addition { file: mine, name: "casp".into(), options: target("y") };
    assert!(add(&addition, &declared(), &data).unwrap_err().to_string().contains("taken"));
}

#[test]
fn a_name_declared_twice_is_an_error() {
    let (folder, pipeline, data) = project();
    let addition = Addition { file: folder.path().join("mine.csv"), name: "d".into(), options: target("y") };
    let added = add(&addition, &BTreeMap::new(), &data).unwrap().dataset;
    assert!(matches!(added.origin, DatasetOrigin::Path(_)));
    fs::create_dir_all(pipeline.join("datasets")).unwrap();
    fs::write(pipeline.join("datasets/d.toml"), declaration(&[])).unwrap();
    assert!(load_all(&pipeline, &data).unwrap_err().to_string().contains("another file declares"));
}
