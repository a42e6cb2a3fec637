//! Reports from made-up results: reading, figures, tables and pages.

mod browser;
mod claims;
mod ends;
mod errata;
mod looks;
mod pages;
mod samples;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema};
use noregret_report::analysis::record::ExperimentResults;
use noregret_report::caption::FigureContext;
use noregret_report::error::ReportError;
use noregret_report::exhibit::{Body, ShownExhibit};
use noregret_report::page::content::{MissingStage, Preview, ReportContent, ReportProvenance, Size};
use noregret_report::page::write::files;
use noregret_report::table::api::TableInput;
use noregret_report::trace::read::{self, TableReadError};
use noregret_report::trace::schema;
use noregret_report::{figure, table};
use noregret_study::config::study::ItemKind;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::studies::{self, all, keys};

use samples::{Sample, casp, frames, results, spline};

const FIGURES: [&str; 11] = [
    "casp-loss",
    "casp-time",
    "cod-rna-loss",
    "cod-rna-time",
    "ijcnn1-loss",
    "ijcnn1-time",
    "spline-regret",
    "susy-loss",
    "susy-time",
    "wine-quality-loss",
    "wine-quality-time",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn figure(name: &str) -> figure::api::Figure {
    figure::registry::checked(name, keys(ItemKind::Figure, name)).unwrap()
}

fn table(name: &str) -> table::api::CheckedTable {
    table::registry::checked(name, keys(ItemKind::Table, name)).unwrap()
}

fn context() -> FigureContext {
    FigureContext { profile: "quick".into(), ..FigureContext::default() }
}

fn shown(name: &str, results: &BTreeMap<String, ExperimentResults>) -> ShownExhibit {
    ShownExhibit::from_files(name, &figure::render::render(&figure(name), results, &context()).unwrap()).unwrap()
}

fn table_of_runs(name: &str, results: &BTreeMap<String, ExperimentResults>) -> Vec<(PathBuf, Vec<u8>)> {
    let table = table(name);
    let (shown, absent) = table.spec.found(results);
    let filled = (table.kind.fill)(&TableInput { experiments: &shown, ..TableInput::default() });
    table::render::render(&table, "quick", filled, &absent, &[]).unwrap()
}

/// The caption of an exhibit, followed by what it says of its claims.
fn told(shown: &ShownExhibit) -> String {
    let claims = shown.exhibit.claims.iter().map(|one| format!("{}: {} Rule: {}", one.outcome, one.evidence, one.rule));
    shown.exhibit.caption.iter().cloned().chain(claims).collect::<Vec<_>>().join("\n")
}

fn file<'a>(files: &'a [(PathBuf, Vec<u8>)], path: &str) -> &'a [u8] {
    &files.iter().find(|(found, _)| found == Path::new(path)).unwrap_or_else(|| panic!("{path} was not made")).1
}

fn text<'a>(files: &'a [(PathBuf, Vec<u8>)], path: &str) -> &'a str {
    std::str::from_utf8(file(files, path)).unwrap()
}

/// Checks that elements are closed in the right order, and returns how often each was opened.
fn elements(svg: &str) -> BTreeMap<String, usize> {
    let mut open = Vec::new();
    let mut counts = BTreeMap::new();
    for part in svg.split('<').skip(1) {
        let (tag, after) = part.split_once('>').expect("an element is not finished");
        assert!(!after.contains('>'), "a bare > in {after}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closed out of order");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap().to_owned();
        assert_eq!(tag.matches('"').count() % 2, 0, "an attribute is not closed in {tag}");
        *counts.entry(name.clone()).or_default() += 1;
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    counts
}

// Specifications

#[test]
fn every_figure_and_table_of_the_pipeline_is_declared_well() {
    for name in FIGURES {
        let spec = figure(name);
        assert_eq!(spec.measured, name.ends_with("-time"), "{name}");
    }
    let files: Vec<String> = all(ItemKind::Figure).into_iter().map(|(name, _)| name).collect();
    let mut places = Vec::new();
    for name in &files {
        let spec = figure(name).spec;
        places.extend(spec.paper.map(|paper| (paper, spec.place)));
    }
    let all = places.len();
    places.sort_unstable();
    places.dedup();
    assert!(places.len() == all && places.iter().all(|(_, place)| place.is_some()), "each has a place of its own");
    assert!(FIGURES.iter().all(|name| files.iter().any(|file| file == name)));
    assert!(!table("leaderboard").kind.measured);
    assert!(table("leaderboard-times").kind.measured);
}

#[test]
fn wrong_specifications_name_file_and_mistake() {
    let good = studies::text(ItemKind::Figure, "casp-loss");
    let broken = |from: &str, to: &str| {
        assert!(good.contains(from));
        figure::registry::read("casp-loss", &good.replace(from, to)).err().unwrap().to_string()
    };
    assert!(broken("kind = \"curves\"", "kind = \"curvs\"").contains("known kinds: curves"));
    assert!(broken("title =", "titel =").contains("titel"));
    let option = broken("from_round", "from_rund");
    assert!(option.starts_with("figure/casp-loss: options:") && option.contains("from_rund"), "{option}");
    assert!(broken("tell = \"ends\"", "y_min = 0.0").contains("must be positive"));
    assert!(broken("tell = \"ends\"", "y_min = 0.2\ny_max = 0.1").contains("not below"));
    assert!(broken("experiments = [\"casp\"]", "experiments = []").contains("names no experiment"));
    assert!(broken("average_loss", "avrage_loss").contains("there is no quantity `avrage_loss`"));
    assert!(broken("kind = \"curves\"", "kind = \"forest\"").contains("options:"));
    assert!(table::registry::read("t", "kind = 3").is_err());
}

// Reading

/// The traces of samples, in the encodings of the result tables.
fn parquet_bytes(batch: &RecordBatch) -> Vec<u8> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap()))
        .set_dictionary_enabled(false);
    for field in batch.schema().fields() {
        let name = field.name().as_str();
        properties = match field.data_type() {
            DataType::Utf8 => properties.set_column_dictionary_enabled(name.into(), true),
            DataType::UInt64 => properties.set_column_encoding(name.into(), Encoding::DELTA_BINARY_PACKED),
            _ => properties.set_column_encoding(name.into(), Encoding::BYTE_STREAM_SPLIT),
        };
    }
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.build())).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn times_batch() -> RecordBatch {
    let fields = vec![
        Field::new("run_id", DataType::Utf8, false),
        Field::new("t", DataType::UInt64, false),
        Field::new("cpu_ns", DataType::UInt64, true),
        Field::new("wall_ns", DataType::UInt64, false),
        Field::new("host", DataType::Utf8, false),
        Field::new("p_learner_lambda", DataType::Float64, true),
    ];
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["00ff", "00ff"])),
        Arc::new(UInt64Array::from(vec![1, 10])),
        Arc::new(UInt64Array::from(vec![Some(1_000), Some(u64::MAX / 2)])),
        Arc::new(UInt64Array::from(vec![2_000, 20_000])),
        Arc::new(StringArray::from(vec!["here", "here"])),
        Arc::new(Float64Array::from(vec![Some(0.1), None])),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

#[test]
fn parquet_in_the_encodings_of_the_tables_is_read() {
    let frame = read::times("t", parquet_bytes(&times_batch())).unwrap();
    let rounds = read::counts("t", &frame, &schema::TIMES[1]).unwrap();
    assert_eq!(rounds, [Some(1), Some(10)]);
    let spent = read::counts("t", &frame, &schema::TIMES[2]).unwrap();
    assert_eq!(spent, [Some(1_000), Some(u64::MAX / 2)]);
}

#[test]
fn unusable_tables_are_refused_with_table_and_column() {
    let error = read::runs("results/runs/casp.parquet", b"<html>".to_vec()).unwrap_err();
    assert!(
        matches!(error, TableReadError::Parquet { .. }) && error.to_string().starts_with("results/runs/casp.parquet:")
    );

    // Its damaged page asks for 2^61 bytes.
    let error = read::runs("t", include_bytes!("../../xtask/fuzz/corpus/trace/pages").to_vec()).unwrap_err();
    assert!(matches!(error, TableReadError::Parquet { .. }), "{error}");

    let batch = times_batch();
    let fewer = batch.project(&[0, 2, 3, 4]).unwrap();
    let error = read::times("times.parquet", parquet_bytes(&fewer)).unwrap_err();
    assert!(error.to_string().starts_with("times.parquet: column `t` is missing"), "{error}");

    let mut columns = batch.columns().to_vec();
    columns[2] = Arc::new(UInt64Array::from(vec![Some(1), None]));
    let holes = RecordBatch::try_new(batch.schema(), columns).unwrap();
    let error = read::times("times.parquet", parquet_bytes(&holes)).unwrap_err();
    assert!(error.to_string().contains("column `cpu_ns` has no value in row 2"), "{error}");

    let mut frames = frames("casp", "casp", &casp());
    let _ = frames.traces.drop_in_place("cumulative_loss").unwrap();
    let error = ExperimentResults::new("casp", &frames.runs, &frames.traces, None).unwrap_err();
    assert!(error.to_string().contains("traces of casp: column `cumulative_loss` is missing"), "{error}");
    frames.runs.rename("stream", "label2".into()).unwrap();
    frames.runs.rename("replicate", "stream".into()).unwrap();
    let error = ExperimentResults::new("casp", &frames.runs, &frames.traces, None).unwrap_err();
    assert!(matches!(error, TableReadError::WrongType { column: "stream", .. }), "{error}");
}

// Figures

#[test]
fn the_same_results_give_the_same_bytes_on_any_thread() {
    let all = results("casp", &casp());
    let spec = figure("casp-loss");
    let here = figure::render::render(&spec, &all, &context()).unwrap();
    let elsewhere: Vec<_> = std::thread::scope(|scope| {
        let one = || scope.spawn(|| figure::render::render(&spec, &all, &context()).unwrap());
        let both = [one(), one()];
        both.map(|thread| thread.join().unwrap()).to_vec()
    });
    assert!(elsewhere.iter().all(|files| *files == here));
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut frames = frames("casp", "casp", &casp());
    let straight = ExperimentResults::new("casp", &frames.runs, &frames.traces, None).unwrap();
    frames.runs = frames.runs.reverse();
    frames.traces = frames.traces.reverse();
    let backwards = ExperimentResults::new("casp", &frames.runs, &frames.traces, None).unwrap();
    let spec = figure("casp-loss");
    let draw = |one: ExperimentResults| {
        figure::render::render(&spec, &BTreeMap::from([("casp".to_owned(), one)]), &context()).unwrap()
    };
    assert!(draw(straight) == draw(backwards));
}

#[test]
fn a_figure_is_an_svg_of_named_groups_and_a_png() {
    let files = figure::render::render(&figure("casp-loss"), &results("casp", &casp()), &context()).unwrap();
    let svg = text(&files, "reports/figures/casp-loss.svg");
    let counts = elements(svg);
    assert_eq!((counts["svg"], counts["title"], counts["desc"]), (1, 1, 1));
    assert_eq!(svg.matches("<g class=\"legend\"").count(), 8);
    // One learner has no completed replicate, so it has a legend entry but no curve.
    assert_eq!(svg.matches("<g class=\"series\"").count(), 7);
    assert_eq!(svg.matches("class=\"curve\"").count(), 7);
    assert!(svg.contains("data-name=\"PKRR Taylor M=2\""));
    assert!(svg.contains("data-x=\"log ") && svg.contains("data-y=\"log "));
    assert!(svg.contains("<title>casp: average squared loss</title>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let png = file(&files, "reports/figures/casp-loss.png");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&png[16..20], &1520u32.to_be_bytes()[..]);
    let csv = text(&files, "reports/figures/casp-loss.csv");
    assert!(
        csv.starts_with("panel,curve,x,y,half_width,replicates,low,high,mark\n") && csv.contains(",FOGD,45730,"),
        "{csv}"
    );
}

#[test]
fn captions_say_what_was_run_and_what_is_incomplete() {
    let shown = shown("casp-loss", &results("casp", &casp()));
    let caption = told(&shown);
    for part in [
        "Lines are means over 5 seeds per complete curve with 95 % t intervals; horizons 5000 to 45\u{202f}730 rounds, \
         profile quick.",
        "Incomplete: Pros-N-KONS: 3 of 5 replicates; 1 diverged, 1 failed (diverged at a bad pivot); \
         Sketched-KONS: 0 of 5 replicates; 5 diverged (diverged at a bad pivot).",
        "KRR 0.0",
        " at 5000.",
        "yes: FOGD minus PKRR Taylor M=3 is 0.0106",
        "(5 paired replicates). Rule: 95 % t interval of the mean paired difference on one side of 0, corrected for 2 pairs \
         of curves, of which the best in hindsight is compared (Bonferroni)",
        "no data: 1 of 5 replicates of Pros-N-KONS diverged. Rule: ",
        "no data: the figure has no curve that is called FOGD, tuned.",
    ] {
        assert!(caption.contains(part), "`{part}` is not in:\n{caption}");
    }
    let svg = shown.svg.unwrap();
    assert!(svg.contains("3 of 5 replicates"), "the description of the picture holds the caption");
    assert!(svg.contains(">Pros-N-KONS (3/5)</text>"));
}

#[test]
fn results_without_a_completed_run_are_shown_as_such() {
    let failed = vec![Sample { statuses: vec!["failed"; 3], ..Sample::default() }];
    let shown = shown("casp-loss", &results("casp", &failed));
    let svg = shown.svg.as_ref().unwrap();
    elements(svg);
    assert!(svg.contains("no completed runs") && !svg.contains("class=\"series\""));
    let caption = shown.exhibit.caption.join("\n");
    assert!(caption.contains("no curve has all its replicates") && caption.contains("0 of 3 replicates; 3 failed"));
    let named =
        "no data: the figure has no curve that is called PKRR Taylor M=2 or PKRR Taylor M=3 or PKRR Taylor M=4.";
    assert!(told(&shown).contains(named), "{}", told(&shown));
}

#[test]
fn single_replicates_have_no_band() {
    let single = vec![Sample { statuses: vec!["done"], ..Sample::default() }];
    let shown = shown("casp-loss", &results("casp", &single));
    assert!(shown.exhibit.caption.join("\n").contains("Lines are single replicates, hence without intervals"));
    assert!(!shown.svg.unwrap().contains("fill-opacity"));
}

#[test]
fn regret_is_held_against_its_theory() {
    let shown = shown("spline-regret", &results("spline-regret", &spline()));
    let svg = shown.svg.unwrap();
    for horizon in [64, 128, 256, 512, 1024, 2048] {
        assert!(svg.contains(&format!(">{horizon}</text>")), "no label at {horizon}");
    }
    assert!(svg.contains("n<tspan dx=\"0.52\" dy=\"-5.46\" font-size=\"9.36\">1/3</tspan>"));
    let caption = shown.exhibit.caption.join("\n");
    assert!(caption.contains("means over 5 seeds with 95 % t intervals; horizons 64 to 2048 rounds"));
    // The row that the claim names was not assessed here.
    let claim = &shown.exhibit.claims[0];
    assert_eq!((claim.rate.as_deref(), claim.outcome.as_str()), (Some("pkawv-capacity-s1"), "missing"));
}

#[test]
fn regret_that_is_not_positive_is_named_and_not_drawn() {
    let negative = spline().into_iter().map(|one| match one.horizon {
        128 => Sample { comparator: |n| n, ..one },
        _ => one,
    });
    let shown = shown("spline-regret", &results("spline-regret", &negative.collect::<Vec<_>>()));
    let caption = shown.exhibit.caption.join("\n");
    assert!(caption.contains("Not drawn, because not positive: Kernel-AWV at 128."), "{caption}");
    assert!(!shown.svg.unwrap().contains("NaN"));
}

#[test]
fn measured_times_go_to_their_own_folder() {
    let files = figure::render::render(&figure("casp-time"), &results("casp", &casp()), &context()).unwrap();
    let mut found: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    found.sort();
    let endings = ["-column.pdf", "-text.pdf", ".csv", ".json", ".png", ".svg", ".tex"];
    assert_eq!(found, endings.map(|ending| PathBuf::from(format!("reports/timings/casp-time{ending}"))));
}

#[test]
fn a_figure_without_its_experiment_says_which() {
    let error = figure::render::render(&figure("casp-loss"), &BTreeMap::new(), &context()).unwrap_err();
    assert!(matches!(error, ReportError::NoExperiment { .. }));
    assert_eq!(error.to_string(), "casp-loss: the results of experiment `casp` are needed");
}

// Tables

#[test]
fn the_leaderboard() {
    let samples = vec![
        Sample { label: "KRR", learner: "kernel-ridge", horizon: 100, statuses: vec!["done"], ..Sample::default() },
        Sample { label: "FOGD", loss: |_| 0.5, wiggle: 0.0, ..Sample::default() },
        Sample {
            label: "PKRR",
            learner: "pkrr-taylor",
            loss: |_| 0.25,
            wiggle: 0.0,
            statuses: vec!["done", "done", "diverged"],
            ..Sample::default()
        },
    ];
    let all = results("casp", &samples);
    let files = table_of_runs("leaderboard", &all);
    let rows: Vec<&str> =
        text(&files, "reports/tables/leaderboard.md").lines().filter(|line| line.starts_with("| casp")).collect();
    assert_eq!(
        rows[..2],
        [
            "| casp | FOGD | 1000 | **0.50000 \u{b1} 0** | \u{2013} | \u{2013} | \u{2013} | 23.8 KiB | 5/5 |",
            "| casp | PKRR | 1000 | 0.25000 \u{b1} 0 | \u{2013} | \u{2013} | 46 | 23.8 KiB | 2/3, 1 diverged |",
        ]
    );
    assert!(rows[2].starts_with("| casp | KRR | 100 | ") && !rows[2].contains("**"));
    let csv = text(&files, "reports/tables/leaderboard.csv");
    assert!(csv.starts_with("dataset,learner,rounds,average_loss,average_loss_half_width,error_rate,"));
    assert!(csv.contains("\ncasp,FOGD,1000,0.5,0,,,,,24384,5/5\n"), "{csv}");
    assert!(text(&files, "reports/tables/leaderboard.tex").contains("\\textbf{0.50000 $\\pm$~0}"));
    let shown = ShownExhibit::from_files("leaderboard", &files).unwrap();
    assert!(matches!(shown.exhibit.body, Body::Table(_)));
    let caption = shown.exhibit.caption.join("\n");
    assert!(caption.contains("Without results, hence left out: ijcnn1, cod-rna, susy, wine-quality."));
    assert!(caption.contains("counted in the last column"));
}

#[test]
fn the_leaderboard_of_signs_goes_by_error_rate() {
    let samples = vec![
        Sample { label: "A", loss: |_| 0.1, error: Some(|_| 0.3), ..Sample::default() },
        Sample { label: "B", loss: |_| 0.2, error: Some(|_| 0.2), ..Sample::default() },
    ];
    let files = table_of_runs("leaderboard-times", &results("susy", &samples));
    let rows: Vec<&str> = text(&files, "reports/timings/leaderboard-times.md")
        .lines()
        .filter(|line| line.starts_with("| susy"))
        .collect();
    assert!(rows[0].starts_with("| susy | B |") && rows[0].contains("**0.20000 \u{b1} 0**"), "{}", rows[0]);
    assert!(rows[0].contains(" ms |"), "seconds are shown: {}", rows[0]);
}
