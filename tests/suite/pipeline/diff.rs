//! `noregret diff A B --exact`: every value counts, but keys, configuration and the order of rows do not.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, StringArray, UInt32Array, UInt64Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{DataType, Float64Type, UInt64Type};
use arrow::record_batch::RecordBatch;
use noregret_engine::exec::store::ObjectName;
use noregret_engine::plan::key::unhex;
use noregret_engine::plan::sources::Sources;
use noregret_study::config::study::ItemKind;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::project::{Ended, SPLINE_RATE, Small, read};
use crate::studies::text;

const RUNS: &str = "runs/wine-quality.parquet";
const TRACES: &str = "traces/wine-quality.parquet";

/// A project with runs, traces, rates, comparators and the finding of one erratum.
fn project() -> Small {
    let project = Small::new();
    project.write("pipeline/tables/errata.toml", &text(ItemKind::Table, "errata"));
    project.write("pipeline/rates/spline.toml", &SPLINE_RATE.replace("16, 32, 64, 128", "32, 64"));
    project.run(&["summarise/all", "rates/spline", "errata/noisy-lemma-14"]);
    project
}

/// A copy of the results of a project in another folder.
struct Copy<'a> {
    project: &'a Small,
    folder: tempfile::TempDir,
}

impl<'a> Copy<'a> {
    fn new(project: &'a Small) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = project.path().join("results");
        for path in project.files(&["results"]) {
            let to = folder.path().join(path.strip_prefix(&from).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, fs::read(path).unwrap()).unwrap();
        }
        Self { project, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn batch(&self, name: &str) -> RecordBatch {
        let reader = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(self.path(name)).unwrap()).unwrap();
        let schema = reader.schema().clone();
        concat_batches(&schema, &reader.build().unwrap().collect::<Result<Vec<_>, _>>().unwrap()).unwrap()
    }

    /// Writes a table again, with changed columns and without its metadata.
    fn rewrite(&self, name: &str, change: impl Fn(&str, &ArrayRef) -> Option<ArrayRef>) {
        let batch = self.batch(name);
        let schema = batch.schema();
        let columns = schema
            .fields()
            .iter()
            .zip(batch.columns())
            .filter_map(|(field, column)| Some((field.name().clone(), change(field.name(), column)?, true)));
        self.save(name, &RecordBatch::try_from_iter_with_nullable(columns.collect::<Vec<_>>()).unwrap());
    }

    fn save(&self, name: &str, batch: &RecordBatch) {
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        fs::write(self.path(name), writer.into_inner().unwrap()).unwrap();
    }

    /// Changes the first number of a column.
    fn number(&self, name: &str, column: &str, change: impl Fn(f64) -> f64) {
        self.rewrite(name, |field, values| {
            let Some(numbers) = values.as_primitive_opt::<Float64Type>().filter(|_| field == column) else {
                return Some(values.clone());
            };
            let mut numbers: Vec<Option<f64>> = numbers.iter().collect();
            let first = numbers.iter_mut().flatten().next().unwrap();
            *first = change(*first);
            Some(Arc::new(Float64Array::from(numbers)))
        });
    }

    /// Changes the texts of a column.
    fn texts(&self, name: &str, column: &str, change: impl Fn(&str) -> String) {
        self.rewrite(name, |field, values| {
            let Some(texts) = values.as_string_opt::<i32>().filter(|_| field == column) else {
                return Some(values.clone());
            };
            Some(Arc::new(StringArray::from_iter_values(texts.iter().map(|text| change(text.unwrap())))))
        });
    }

    /// Picks rows of a table.
    fn rows(&self, name: &str, pick: impl Fn(u32) -> Vec<u32>) {
        let batch = self.batch(name);
        let rows = UInt32Array::from(pick(batch.num_rows() as u32));
        self.save(name, &take_record_batch(&batch, &rows).unwrap());
    }

    /// Changes the text of a file.
    fn edit(&self, name: &str, change: impl Fn(&str) -> String) {
        let text = read(&self.path(name));
        let changed = change(&text);
        assert_ne!(text, changed, "{name}");
        fs::write(self.path(name), changed).unwrap();
    }

    /// The keys in the manifest of a stage.
    fn keys(&self, stage: &str) -> Vec<String> {
        let text = read(&self.path(&format!("store/manifests/{stage}.json")));
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        let items = manifest["items"].as_array().unwrap();
        items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
    }

    fn object(&self, key: &str) -> PathBuf {
        let names = fs::read_dir(self.path("store/objects").join(&key[..2])).unwrap();
        let mut paths = names.map(|entry| entry.unwrap().path());
        paths.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(key)).unwrap()
    }

    /// Stores an object under another key, with other bytes.
    fn store(&self, key: &str, new: &str, change: impl Fn(&str) -> String) {
        let text = read(&self.object(key));
        fs::remove_file(self.object(key)).unwrap();
        let bytes = change(&text).into_bytes();
        let folder = self.path("store/objects").join(&new[..2]);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(ObjectName::format(&unhex(new).unwrap(), &bytes, &Sources::default(), "json")), bytes)
            .unwrap();
    }

    /// The comparison of the project with this copy.
    fn diff(&self) -> Ended {
        self.project.noregret(&["diff", ".", self.folder.path().to_str().unwrap(), "--exact"])
    }

    fn passes(&self, why: &str) {
        let ended = self.diff();
        assert_eq!(ended.status, 0, "{why}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("no difference in "), "{why}: {}", ended.stdout);
    }

    /// Checks that the comparison fails and that its output contains all these words.
    fn fails(&self, why: &str, told: &[&str]) {
        let ended = self.diff();
        assert_eq!(ended.status, 1, "{why}: {}{}", ended.stdout, ended.stderr);
        for told in told {
            assert!(ended.stdout.contains(told), "{why}: `{told}` is not in\n{}", ended.stdout);
        }
    }
}

/// The next larger f64 after a positive one.
fn next(x: f64) -> f64 {
    f64::from_bits(x.to_bits() + 1)
}

/// A JSON text with the last digit of its last long float changed.
fn last_digit(text: &str) -> String {
    let places: Vec<usize> = text.match_indices('.').map(|(place, _)| place).collect();
    let digits = |place: &usize| text[place + 1..].chars().take_while(char::is_ascii_digit).count();
    let place = places.into_iter().rfind(|place| digits(place) > 10).unwrap();
    let end = place + digits(&place);
    let other = if text.as_bytes()[end] == b'1' { '2' } else { '1' };
    format!("{}{other}{}", &text[..end], &text[end + 1..])
}

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

#[test]
fn equal_results_pass_whatever_their_keys_and_the_order_of_their_rows() {
    let project = project();
    let copy = Copy::new(&project);
    let ended = copy.diff();
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    // Three tables of runs, a trace per experiment, one row of rates, four comparators and one erratum.
    assert!(ended.stdout.starts_with("runs: 3 files, 20 rows, "), "{}", ended.stdout);
    for counted in ["traces: 2 files", "rates: 2 files", "errata: 1 files", "comparators: 4 files"] {
        assert!(ended.stdout.contains(counted), "{}", ended.stdout);
    }

    let tables = ["runs.parquet", RUNS, TRACES, "runs/spline-regret.parquet", "traces/spline-regret.parquet"];
    for name in tables {
        copy.texts(name, "run_id", reversed);
        copy.texts(name, "key", reversed);
        copy.texts(name, "config", |_| "{}".into());
        copy.rows(name, |count| (0..count).rev().collect());
    }
    copy.rows("rates/spline.parquet", |count| (0..count).rev().collect());
    for stage in ["errata/noisy-lemma-14", "comparator/spline-regret"] {
        for key in copy.keys(stage) {
            copy.store(&key, &reversed(&key), str::to_owned);
            copy.edit(&format!("store/manifests/{stage}.json"), |text| text.replace(&key, &reversed(&key)));
        }
    }
    copy.passes("other keys, another order");
    // This comparison still finds altered values.
    copy.number(TRACES, "norm", next);
    copy.fails("other keys, one altered norm", &["traces norm: 1\n", "traces/wine-quality.parquet: wine-quality | "]);
}

#[test]
fn one_altered_cell_fails_wherever_it_is() {
    let project = project();
    let cell = |name: &str, column: &str| {
        let copy = Copy::new(&project);
        copy.number(name, column, next);
        copy.fails(name, &[name, &format!(" {column}: 1\n"), "differences: 1;"]);
    };
    cell("runs.parquet", "average_loss");
    cell(RUNS, "p_learner_lambda");
    cell("runs/spline-regret.parquet", "comparator_loss");
    cell(TRACES, "cumulative_loss");
    cell("rates/spline.parquet", "shape");

    let copy = Copy::new(&project);
    copy.texts(RUNS, "status", |_| "diverged".into());
    copy.fails("a text", &["runs status: 6\n", "status: done -> diverged"]);
    let copy = Copy::new(&project);
    copy.rewrite(TRACES, |name, values| match values.as_primitive_opt::<UInt64Type>() {
        Some(counts) if name == "state_bytes" => {
            Some(Arc::new(UInt64Array::from_iter(counts.iter().enumerate().map(|(row, n)| n.filter(|_| row > 0)))))
        }
        _ => Some(values.clone()),
    });
    copy.fails("a value that became null", &["traces state_bytes: 1\n", "-> null\n"]);

    let copy = Copy::new(&project);
    copy.edit("rates/spline.json", last_digit);
    copy.fails("rates", &["rates/spline.json: outcome.measured.", "differences: 1;"]);
    for (stage, kind) in [("errata/noisy-lemma-14", "errata"), ("comparator/spline-regret", "comparators")] {
        let copy = Copy::new(&project);
        let key = copy.keys(stage).pop().unwrap();
        copy.store(&key, &key, last_digit);
        copy.fails(stage, &[stage, &format!("\n  {kind} "), "differences: 1;"]);
    }
}

#[test]
fn what_is_missing_on_one_side_is_a_difference() {
    let project = project();
    let copy = Copy::new(&project);
    copy.rewrite(RUNS, |name, values| (name != "norm").then(|| values.clone()));
    copy.fails("a column", &["runs/wine-quality.parquet: column norm: only in .\n"]);
    let copy = Copy::new(&project);
    copy.rewrite(RUNS, |name, values| match (name, values.data_type()) {
        ("rounds", DataType::UInt64) => Some(Arc::new(Float64Array::from(vec![300.0; values.len()]))),
        _ => Some(values.clone()),
    });
    copy.fails("a type", &["runs/wine-quality.parquet: type: rounds: UInt64 -> Float64\n"]);
    for (name, kind) in [(RUNS, "runs"), (TRACES, "traces"), ("rates/spline.parquet", "rates")] {
        let copy = Copy::new(&project);
        copy.rows(name, |count| (1..count).collect());
        copy.fails("a row", &[name, &format!("{kind} (row): 1\n"), ": only in .\n"]);
        let copy = Copy::new(&project);
        copy.rows(name, |count| (0..=count).map(|row| row.min(count - 1)).collect());
        copy.fails("a row too many", &[name, &format!("{kind} (row): ")]);
        fs::remove_file(copy.path(name)).unwrap();
        copy.fails("a file", &[&format!("{name}: only in .\n")]);
    }
    for stage in ["errata/noisy-lemma-14", "comparator/spline-regret"] {
        let copy = Copy::new(&project);
        let path = copy.object(&copy.keys(stage)[0]);
        fs::write(&path, "{}").unwrap();
        copy.fails("damage", &[stage, " is damaged\n"]);
        fs::remove_file(path).unwrap();
        copy.fails("an object", &[stage, " is missing\n"]);
        fs::remove_file(copy.path(&format!("store/manifests/{stage}.json"))).unwrap();
        copy.fails("a manifest", &[stage, "(object): "]);
    }
    // The summary read comparators. If neither side has their manifest, the comparison must not pass.
    let copies = [Copy::new(&project), Copy::new(&project)];
    for copy in &copies {
        fs::remove_dir_all(copy.path("store/manifests/comparator")).unwrap();
    }
    let [a, b] = copies.each_ref().map(|copy| copy.folder.path().to_str().unwrap());
    let ended = project.noregret(&["diff", a, b, "--exact"]);
    assert_eq!(ended.status, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("comparator/spline-regret: not in the store"), "{}", ended.stdout);
}

#[test]
fn nan_is_nan_and_the_sign_of_zero_counts() {
    let project = project();
    let copies = [Copy::new(&project), Copy::new(&project)];
    let [a, b] = copies.each_ref().map(|copy| copy.folder.path().to_str().unwrap());
    let put = |values: [f64; 2]| {
        for (copy, value) in copies.iter().zip(values) {
            copy.number(TRACES, "cumulative_loss", |_| value);
        }
        project.noregret(&["diff", a, b, "--exact"])
    };
    let ended = put([f64::NAN, f64::from_bits(f64::NAN.to_bits() | 1)]);
    assert_eq!(ended.status, 0, "{}", ended.stdout);
    let ended = put([0.0, -0.0]);
    assert_eq!(ended.status, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("cumulative_loss: 0.0 -> -0.0\n"), "{}", ended.stdout);
}

/// Runs of one label on one stream are distinguished by their parameters.
#[test]
fn runs_of_the_same_name_are_matched_by_their_parameters() {
    let project = project();
    let copies = [Copy::new(&project), Copy::new(&project)];
    for name in [RUNS, TRACES] {
        copies.iter().for_each(|copy| copy.texts(name, "label", |_| "PKRR".into()));
        copies[1].texts(name, "run_id", reversed);
        copies[1].rows(name, |count| (0..count).rev().collect());
    }
    let [a, b] = copies.each_ref().map(|copy| copy.folder.path().to_str().unwrap());
    let ended = project.noregret(&["diff", a, b, "--exact"]);
    assert_eq!(ended.status, 0, "{}", ended.stdout);
    copies[1].number(RUNS, "p_learner_lambda", |lambda| if lambda == 1.0 { 1e-3 } else { 1.0 });
    assert_eq!(project.noregret(&["diff", a, b, "--exact"]).status, 1);
}

#[test]
fn a_comparison_of_nothing_never_passes() {
    let project = Small::new();
    let folder = |name: &str| fs::create_dir_all(project.path().join(name)).unwrap();
    let diff = |arguments: &[&str]| project.noregret(&[&["diff", "--exact"], arguments].concat());
    folder("a/store");
    folder("b/store");
    let ended = diff(&["a", "b"]);
    assert_eq!((ended.status, ended.stdout.contains("no store/manifests")), (1, true), "{}", ended.stdout);
    folder("a/store/manifests");
    folder("b/store/manifests");
    let ended = diff(&["a", "b"]);
    assert_eq!((ended.status, ended.stdout.contains("too little to compare")), (1, true), "{}", ended.stdout);
    for (wrong, told) in [
        (&["a", "pipeline"][..], "contains no results"),
        (&["a", "a"], "the same folder"),
        (&["a", "a/store/.."], "the same folder"),
        (&["a", "b", "--tolerance", "1"], "cannot be used with"),
    ] {
        let ended = diff(wrong);
        assert_eq!((ended.status, ended.stderr.contains(told)), (2, true), "{}", ended.stderr);
    }
}

/// Without `--exact` numbers are equal up to a tolerance, measures among them.
#[test]
fn a_comparison_with_a_tolerance_sees_measures() {
    let project = Small::new();
    project.edit("pipeline/experiments/wine-quality.toml", "replicates = 2", "replicates = 2\ntest_rows = 100");
    project.run(&["summarise/all"]);
    let copy = Copy::new(&project);
    let diff = || project.noregret(&["diff", ".", copy.folder.path().to_str().unwrap()]);
    for (factor, status) in [(1.0 + 1e-12, 0), (2.0, 1)] {
        copy.number("runs/wine-quality.parquet", "m_test_loss", |loss| factor * loss);
        let ended = diff();
        assert_eq!(ended.status, status, "{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.stdout.contains("m_test_loss: "), status == 1, "{}", ended.stdout);
    }
}

/// The table of all runs is as old as the last run of its stage; what is shown is as new as the runs of each experiment.
#[test]
fn what_was_run_by_name_is_shown_and_compared() {
    let project = Small::new();
    project.run(&["summarise/all"]);
    let copy = Copy::new(&project);
    let query = |rest: &[&str]| project.noregret(&[&["query"], rest].concat()).stdout;
    let loss = || query(&["runs", "-w", "experiment=spline-regret", "-c", "run_id,average_loss"]);
    let before = loss();
    project.edit("pipeline/experiments/spline-regret.toml", "replicates = 2", "replicates = 3");
    project.run(&["summarise/spline-regret"]);
    let (after, own) = (loss(), query(&["runs/spline-regret", "-c", "run_id,average_loss"]));
    assert!(after.lines().count() > before.lines().count(), "{after}");
    assert_eq!(after, own);
    for side in [".", "runs"] {
        let ended = project.noregret(&["diff", side, copy.folder.path().to_str().unwrap()]);
        assert_eq!((ended.status, ended.stdout.contains("only in")), (1, true), "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn what_is_in_packs_is_compared() {
    let project = Small::new();
    project.edit("pipeline/experiments/spline-regret.toml", "replicates = 2", "replicates = 60");
    project.run(&["summarise/spline-regret"]);
    let packs = project.files(&["results/store/packs"]);
    assert_eq!((packs.len(), project.files(&["results/store/objects"]).len()), (1, 0));
    let copy = Copy::new(&project);
    copy.passes("packed");
    let pack = copy.path("store/packs").join(packs[0].file_name().unwrap());
    let bytes = fs::read(&pack).unwrap();
    fs::write(&pack, &bytes[..bytes.len() / 2]).unwrap();
    copy.fails("half a pack", &["is missing"]);
    fs::remove_file(&pack).unwrap();
    copy.fails("no pack", &["is missing"]);
}
