//! Rates from declared rows to tables, all numbers computed again from the Parquet files, and the rows of this project.

use std::collections::BTreeSet;
use std::path::Path;

use arrow::array::AsArray;
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, UInt64Type};
use arrow::record_batch::RecordBatch;
use noregret_report::analysis::rate::assessment::{Assessed, Assessment, MeasuredRate};
use noregret_report::analysis::rate::exponent::half_width;
use noregret_report::trace::table::batch;
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;

use super::project::{SPLINE_RATE, Small};

const COUNT: &str = r#"
theorem = "cost-exact"
experiment = "spline-regret"
label = "AWV"
setting = "spline"
horizons = [16, 32, 64, 128]
"#;

const TABLE: &str = r#"
kind = "KIND"
experiments = []
title = "Table"
shows = "Rows"
"#;

fn project() -> Small {
    let project = Small::new();
    project.edit("pipeline/experiments/spline-regret.toml", "replicates = 2", "replicates = 6");
    project.edit("pipeline/experiments/spline-regret.toml", "[32, 64]", "[16, 32, 64, 128]");
    project.write("pipeline/rates/spline.toml", SPLINE_RATE);
    project.write("pipeline/rates/spline-count.toml", COUNT);
    for kind in ["rates", "costs", "bounds"] {
        project.write(&format!("pipeline/tables/{kind}.toml"), &TABLE.replace("KIND", kind));
    }
    project
}

fn table(project: &Small, path: &str) -> RecordBatch {
    batch(std::fs::read(project.path().join(path)).unwrap().into()).unwrap()
}

/// The values of a column, without nulls.
fn column<T: ArrowPrimitiveType>(table: &RecordBatch, name: &str) -> Vec<T::Native> {
    table.column_by_name(name).unwrap().as_primitive::<T>().iter().flatten().collect()
}

fn text(project: &Small, path: &str) -> String {
    std::fs::read_to_string(project.path().join(path)).unwrap()
}

fn measured(project: &Small, row: &str) -> MeasuredRate {
    let assessment: Assessment = serde_json::from_str(&text(project, &format!("results/rates/{row}.json"))).unwrap();
    let Assessed::Measured(measured) = assessment.outcome else { panic!("{row} is missing") };
    *measured
}

/// The least-squares slope of ln y on ln x.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = logs.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 / count, sum.1 + at.1 / count));
    logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / logs.iter().map(|(x, _)| (x - mx).powi(2)).sum::<f64>()
}

/// The computation that results/README.md shows in Python: the numbers of a row from results/rates/<row>.parquet alone,
/// and the values in that file from results/runs.
#[test]
fn every_number_comes_again_from_the_parquet_files() {
    let project = project();
    project.run(&["table/rates"]);
    let points = table(&project, "results/rates/spline.parquet");
    let number = |name: &str| -> Vec<f64> { column::<Float64Type>(&points, name) };
    let count = |name: &str| -> Vec<u64> { column::<UInt64Type>(&points, name) };
    let (value, shape, horizon, replicate) = (number("value"), number("shape"), count("horizon"), count("replicate"));
    assert_eq!(value.len(), 24);

    let runs = table(&project, "results/runs/spline-regret.parquet");
    let of = |name: &str| -> Vec<f64> { column::<Float64Type>(&runs, name) };
    let key = |name: &str| -> Vec<u64> { column::<UInt64Type>(&runs, name) };
    let (loss, best) = (of("cumulative_loss"), of("comparator_loss"));
    let place: Vec<(u64, u64)> = key("horizon").into_iter().zip(key("replicate")).collect();
    for i in 0..value.len() {
        let run = place.iter().position(|at| *at == (horizon[i], replicate[i])).unwrap();
        assert_eq!(value[i], loss[run] - best[run]);
    }

    let horizons: BTreeSet<u64> = horizon.iter().copied().collect();
    let exponent = |of: &[f64], without: Option<u64>| {
        let mean = |t: &u64| {
            let picked: Vec<f64> =
                (0..of.len()).filter(|&i| horizon[i] == *t && Some(replicate[i]) != without).map(|i| of[i]).collect();
            (*t as f64, picked.iter().sum::<f64>() / picked.len() as f64)
        };
        slope(&horizons.iter().map(mean).collect::<Vec<_>>())
    };
    let found = measured(&project, "spline");
    let alpha = exponent(&value, None);
    let left: Vec<f64> = (0..6).map(|seed| exponent(&value, Some(seed))).collect();
    let centre = left.iter().sum::<f64>() / 6.0;
    let error = (5.0 / 6.0 * left.iter().map(|one| (one - centre).powi(2)).sum::<f64>()).sqrt();
    let (jackknife, comparison) = (found.exponent.unwrap(), found.comparison.unwrap());
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    near(jackknife.value, alpha);
    near(jackknife.error, error);
    // t_5 is 2.570581835636314 at 95 % and 2.0150483733330233 at 90 %.
    let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found}, {expected}");
    close(half_width(&jackknife, 0.95), 2.570581835636314 * error);
    close(comparison.half_width_90, 2.0150483733330233 * error);
    near(comparison.predicted, exponent(&shape, None));
    near(comparison.delta, alpha - exponent(&shape, None));

    // The table has them in full precision.
    let csv = text(&project, "reports/tables/rates.csv");
    let line = csv.lines().find(|line| line.contains(",spline,")).unwrap();
    assert!(line.contains(&jackknife.value.to_string()), "{line}");
    assert!(line.contains(&comparison.delta.to_string()), "{line}");
}

/// An exact forecaster evaluates the kernel n (n + 1) / 2 times, and the exponent of the count is that of this number.
#[test]
fn counts_are_held_against_complexities() {
    let project = project();
    project.run(&["rates/spline-count", "table/costs"]);
    let found = measured(&project, "spline-count");
    let expected = slope(&[16.0, 32.0, 64.0, 128.0].map(|n: f64| (n, n * (n + 1.0) / 2.0)));
    assert!((found.exponent.unwrap().value - expected).abs() < 1e-12);
    let costs = text(&project, "reports/tables/costs.md");
    assert!(costs.contains("| spline-count |") && costs.contains("as stated"), "{costs}");
}

/// Rows say what is missing, and their stages succeed.
#[test]
fn rows_without_results_say_why() {
    let project = project();
    project.run(&["table/rates", "table/bounds"]);
    let rates = text(&project, "reports/tables/rates.md");
    assert!(rates.contains("2 one-sided tests of 1 row, corrected together by Holm's procedure at 5 %"), "{rates}");
    let ended = project.run(&["table/rates", "table/bounds", "horizons=[16, 32, 64]"]);
    let variant = ended.stderr.split("as a variant, in ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    let rates = super::project::read(&Path::new(variant).join("reports/tables/rates.md"));
    assert!(rates.contains("| spline |") && rates.contains("at horizon 128"), "{rates}");
}

/// The constants of a bound are those of the runs, and what the runs do not meet is named: lambda is n^(1/2) here, where
/// Remark 2.1 has n^(1/3).
#[test]
fn bounds_and_conditions_are_those_of_the_runs() {
    let project = project();
    project.run(&["table/bounds", "table/rates"]);
    let found = measured(&project, "spline");
    assert!(found.no_bound.is_none() && found.constants["target_bound"] == 1.0);
    let check = found.value_check.unwrap();
    assert_eq!((check.worst, check.vacuous_to), (Some(128.0), None), "always predicting 0 costs 1 per round");
    let missed: Vec<_> = found.conditions.iter().filter(|one| one.met != Some(true)).collect();
    assert_eq!(missed.len(), 1, "{missed:?}");
    let (low, high) = missed[0].here.unwrap();
    assert!(missed[0].what == "lambda" && (low - 4.0).abs() < 1e-12 && (high - 128f64.sqrt()).abs() < 1e-12);
    for name in ["bounds", "rates"] {
        let table = text(&project, &format!("reports/tables/{name}.md"));
        assert!(table.contains("not met: lambda is 4 to 11.3, 2.52 to 5.04 needed"), "{table}");
    }
}

/// A change of margin or horizons makes the row again, but no cell.
#[test]
fn rows_are_cached_like_everything_else() {
    let project = project();
    project.run(&["table/rates"]);
    assert!(!project.planned(&["table/rates"]).contains("rates/spline"));
    project.write("pipeline/rates/spline.toml", &format!("margin = 0.1\n{SPLINE_RATE}"));
    let planned = project.planned(&["table/rates"]);
    assert!(planned.contains("rates/spline") && planned.contains("table/rates"), "{planned}");
    assert!(!planned.contains("run/spline-regret"), "{planned}");
}

/// Mistakes in the file of a row are found before anything runs.
#[test]
fn rows_are_checked_when_read() {
    let project = project();
    project.write("pipeline/rates/spline.toml", &SPLINE_RATE.replace("pkawv-capacity", "pkawv-capcity"));
    let ended = project.noregret(&["run", "-n", "--offline", "table/rates"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("did you mean `pkawv-capacity`?"), "{}", ended.stderr);
}

/// A row is refused if it names something that its experiment does not have, with a suggestion.
#[test]
fn names_in_rows_are_checked() {
    let project = project();
    for (row, words) in [
        (
            SPLINE_RATE.replace("spline-regret", "spline-regrets"),
            "`experiment`: there is no experiment `spline-regrets`; did you",
        ),
        (SPLINE_RATE.replace("\"AWV\"", "\"AVW\""), "`label`: spline-regret has no label `AVW`; did you mean `AWV`?"),
        (format!("stream = 'circle'\n{SPLINE_RATE}"), "`stream`: spline-regret has no stream `circle`; there are: "),
        (
            SPLINE_RATE.replace("128]", "256]"),
            "`horizons`: spline-regret does not play `AWV` for 256 rounds; there are: 16, 32, 64, 128",
        ),
    ] {
        project.write("pipeline/rates/spline.toml", &row);
        let ended = project.noregret(&["status"]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        for word in ["pipeline/rates/spline.toml", words] {
            assert!(ended.stderr.contains(word), "`{word}` is not in: {}", ended.stderr);
        }
    }
}

/// A row tells of one stream, and says which where its curve is on several.
#[test]
fn a_row_of_several_streams_names_one() {
    let project = project();
    project.edit(
        "pipeline/experiments/spline-regret.toml",
        "law = \"periodic-spline\"",
        "law = [\"periodic-spline\", \"circle\"]",
    );
    let ended = project.noregret(&["status"]);
    let told = "pipeline/rates/spline.toml: `stream`: spline-regret plays `AWV` on several streams; name one of them: ";
    assert!(ended.status == 2 && ended.stderr.contains(told), "{}", ended.stderr);
}

/// Every row of this project names an experiment, a label and horizons that exist in every profile. In the paper
/// profile it has at least four horizons, which a verdict needs.
#[test]
fn the_rows_of_the_repository_fit_its_experiments() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = Project::find(root).unwrap();
    for profile in ["quick", "paper", "full"] {
        let declared = Declared::load(&project, profile, &[], &[]).unwrap();
        assert!(!declared.rates.is_empty());
        for (name, row) in &declared.rates {
            let experiment = declared.experiments.get(&row.experiment);
            let experiment = experiment.unwrap_or_else(|| panic!("{name}: no experiment {}", row.experiment));
            for (horizon, label) in row.horizons.iter().flat_map(|horizon| {
                [Some(&row.label), row.control.as_ref()].into_iter().flatten().map(move |label| (horizon, label))
            }) {
                let cells = experiment.cells.iter().filter(|cell| {
                    let stream = experiment.design.streams[cell.stream].name();
                    let fits = row.stream.as_deref().is_none_or(|wanted| wanted == stream);
                    *cell.label == **label && cell.horizon == *horizon && fits
                });
                let replicates = cells.count();
                assert!(replicates > 0, "{name}, {profile}: no runs of `{label}` at horizon {horizon}");
                assert!(replicates >= 2, "{name}, {profile}: {replicates} replicates");
            }
            assert!(profile == "quick" || row.horizons.len() >= 4, "{name}, {profile}: too few horizons");
        }
    }
}
