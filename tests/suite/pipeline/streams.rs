//! The ten streams: who plays them where no mirror has them, and how figure and table follow from runs and from what other
//! programs reported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use noregret_core::stream::spec::Origin;
use noregret_report::analysis::reported::{self, ReportedLoss, ReportedMean};
use noregret_study::config::declared::Declared;
use noregret_study::config::project::Project;
use noregret_study::config::study::ItemKind;
use sha2::{Digest as _, Sha256};

use super::project::{Small, read};
use crate::studies::text;

/// Writes the experiment with its exhibits, and what other programs reported.
fn write(project: &Small) {
    project.write("pipeline/experiments/streams.toml", &text(ItemKind::Experiment, "streams"));
    for name in ["streams", "streams-weights"] {
        project.write(&format!("pipeline/figures/{name}.toml"), &text(ItemKind::Figure, name));
    }
    project.write("pipeline/tables/streams.toml", &text(ItemKind::Table, "streams"));
    project.write("peers/streams.csv", &read(&repository().join("peers/streams.csv")));
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The datasets of the experiment, by name, each with its rows.
fn datasets() -> BTreeMap<String, u64> {
    let project = Project::find(repository()).unwrap();
    let declared = Declared::load(&project, "paper", &[], &["run/streams".into()]).unwrap();
    let streams = &declared.experiments["streams"].design.streams;
    let named = |origin: &Origin| match origin {
        Origin::Dataset { name, rows, .. } => (name.clone(), *rows),
        _ => panic!("a dataset"),
    };
    streams.iter().map(|stream| named(&stream.origin)).collect()
}

fn committed() -> Vec<ReportedMean> {
    reported::read(&read(&repository().join("peers/streams.csv"))).unwrap()
}

/// The small project with the ten streams of this one.
fn ten() -> Small {
    let project = Small::new();
    write(&project);
    for name in datasets().keys() {
        let file = format!("pipeline/datasets/{name}.toml");
        project.write(&file, &read(&repository().join(&file)));
    }
    project
}

#[test]
fn without_a_mirror_they_are_unavailable_and_everything_else_runs() {
    let project = ten();
    // Online, too: nothing is asked of the network, since no address is known.
    let ended = project.noregret(&["run", "--profile", "quick"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(project.path().join("reports/figures/wine-quality-loss.svg").is_file());
    assert!(!project.path().join("reports/figures/streams.svg").exists());
    for name in datasets().keys() {
        let why =
            format!("{name} is neither here nor in a mirror, and nothing is known that it can be downloaded from");
        assert!(ended.stderr.contains(&why), "{name}: {}", ended.stderr);
    }
    let remedy = "put streams/bikeshare.csv into a folder and name it with NOREGRET_MIRROR or --mirror";
    assert!(ended.stderr.contains(remedy), "{}", ended.stderr);
    assert!(read(&project.path().join("reports/report.md")).contains("neither here nor in a mirror"));
}

/// What is committed is about the streams of the experiment in both profiles, and about the pinned version.
#[test]
fn the_committed_file_is_about_these_streams() {
    let lines = committed();
    let pinned = read(&repository().join("peers/requirements.in"));
    for (name, rows) in datasets() {
        for rows in [400, rows] {
            let here: Vec<&ReportedMean> =
                lines.iter().filter(|line| line.stream == name && line.rows == rows).collect();
            let settings: BTreeSet<&str> = here.iter().map(|line| line.setting.as_str()).collect();
            let expected = if here.iter().all(|line| line.loss == ReportedLoss::Squared) { 11 } else { 9 };
            assert_eq!((settings.len(), here.len()), (expected, expected), "{name}, {rows} rows");
            assert!(here.iter().any(|line| line.mean.is_some()), "{name}, {rows} rows");
        }
    }
    for line in &lines {
        assert!(pinned.contains(&format!("{}=={}\n", line.package, line.version)), "{line:?}");
        assert!(datasets().contains_key(&line.stream), "{line:?}");
    }
    let Some(folders) = std::env::var_os("NOREGRET_MIRROR") else { return eprintln!("skipped: no NOREGRET_MIRROR") };
    for folder in std::env::split_paths(&folders) {
        for name in datasets().keys() {
            let Ok(bytes) = std::fs::read(folder.join(format!("streams/{name}.csv"))) else { continue };
            let hash = hex::encode(Sha256::digest(&bytes));
            assert!(lines.iter().filter(|line| line.stream == *name).all(|line| line.sha256 == hash), "{name}");
        }
    }
}

/// The cells of a CSV file by column, row by row.
fn cells(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// Two streams that a mirror has in a folder, one of numbers and one of classes.
fn two(project: &Small) {
    let task = |name: &str| if name == "signs" { "classification" } else { "regression" };
    for name in ["hours", "signs"] {
        let mut text = "x1,x2,y\n".to_owned();
        for t in 0..60_u32 {
            let (x, y) = (t % 7, f64::from(t * t % 11) + 0.5 * f64::from(t % 7));
            text += &match name {
                "signs" => format!("{x},{},{}\n", t % 3, u32::from(y > 4.0)),
                _ => format!("{x},{},{y}\n", t % 3),
            };
        }
        project.write(&format!("mirror/streams/{name}.csv"), &text);
        let rest = "citation = \"none\"\nlicence = \"none\"\nrows = 60\ninputs = 2\ntarget = \"y\"\n[[files]]\n";
        let origin = format!("name = \"{name}.csv\"\nfolder = \"streams\"\naddresses = []\n");
        let task = task(name);
        let declared = format!("name = \"{name}\"\ntitle = \"{name}\"\ntask = \"{task}\"\n{rest}{origin}");
        project.write(&format!("pipeline/datasets/{name}.toml"), &declared);
    }
    write(project);
    let experiment = "title = \"Two\"\nreplicates = 2\nhorizons = [\"all\"]\n[stream]\norder = \"file\"\n\
                      zip.dataset = [\"hours\", \"signs\"]\nzip.target = [\"none\", \"sign\"]\n\
                      [[learners]]\nname = \"auto\"\nlabel = \"auto\"\n";
    project.write("pipeline/experiments/streams.toml", experiment);
    project.edit("pipeline/figures/streams-weights.toml", "\"bikeshare\"", "\"hours\"");
    let reported = "stream,rows,loss,setting,mean,seed,package,version,sha256\n\
                    hours,60,squared,one,9.5,0,other,1.0,00\nhours,60,squared,two,8,0,other,1.0,00\n\
                    hours,60,squared,cut,,0,other,1.0,00\nhours,59,squared,three,0.1,0,other,1.0,00\n\
                    signs,60,error rate,one,0.25,0,other,1.0,00\n";
    project.write("peers/streams.csv", reported);
}

#[test]
fn ratios_are_those_of_the_best_on_the_same_rows_and_the_last_line_is_their_geometric_mean() {
    let project = Small::new();
    two(&project);
    let run = || {
        let targets = ["table/streams", "figure/streams", "figure/streams-weights"];
        project.run(&[&targets[..], &["--mirror", project.path().join("mirror").to_str().unwrap()]].concat())
    };
    run();
    let rows = cells(&project.path().join("reports/tables/streams.csv"));
    let number = |row: &BTreeMap<String, String>, key: &str| -> f64 { row[key].parse().unwrap() };
    let [hours, signs, last] = rows.as_slice() else { panic!("two streams and a mean: {rows:?}") };
    assert_eq!([&*hours["other"], &*signs["other"], &*last["other"]], ["other, two", "other, one", ""]);
    assert_eq!([&*hours["loss"], &*signs["loss"], &*last["stream"]], ["squared", "error rate", "geometric mean"]);
    for (row, best) in [(hours, 8.0), (signs, 0.25)] {
        assert!((number(row, "ratio") - number(row, "mean") / best).abs() < 1e-12, "{row:?}");
        assert!(number(row, "least") <= number(row, "mean") && number(row, "mean") <= number(row, "largest"));
        assert!(number(row, "regret_to_best_per_row") <= number(row, "bound_to_best_per_row"), "{row:?}");
        let part = number(row, "largest_part_of_bound");
        assert!(part > 0.0 && part <= 1.0, "{row:?}");
        assert_eq!(row["replicates"], "2/2");
    }
    let mean = (number(hours, "ratio") * number(signs, "ratio")).sqrt();
    assert!((number(last, "ratio") - mean).abs() < 1e-12, "{last:?}");

    let dots = cells(&project.path().join("reports/figures/streams.csv"));
    let dots = dots.iter().filter(|row| row["mark"] == "dots");
    let shown: BTreeMap<&str, f64> = dots.map(|dot| (dot["y"].as_str(), number(dot, "x"))).collect();
    assert_eq!(shown, [("hours", number(hours, "ratio")), ("signs", number(signs, "ratio"))].into());

    let mut sums: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    let weights = cells(&project.path().join("reports/figures/streams-weights.csv"));
    for weight in &weights {
        let (sum, count) = sums.entry(weight["x"].as_str()).or_default();
        (*sum, *count) = (*sum + number(weight, "y"), *count + 1);
    }
    assert!(sums.len() > 10);
    // In the first row nobody knows a target yet.
    assert_eq!(sums.remove("1"), Some((0.0, 7)));
    assert!(sums.values().all(|(sum, count)| *count == 7 && (sum - 1.0).abs() < 1e-9), "{sums:?}");

    // Another loss of another program is another figure, and no other run.
    let before = std::fs::metadata(project.path().join("results/runs/streams.parquet")).unwrap().modified().unwrap();
    project.edit("peers/streams.csv", "two,8,", "two,4,");
    let ended = run();
    let again = cells(&project.path().join("reports/tables/streams.csv"));
    assert!((number(&again[0], "ratio") - 2.0 * number(hours, "ratio")).abs() < 1e-12, "{}", ended.stderr);
    let after = std::fs::metadata(project.path().join("results/runs/streams.parquet")).unwrap().modified().unwrap();
    assert_eq!(before, after);
}

#[test]
fn what_is_wrong_with_the_file_is_said() {
    let project = Small::new();
    two(&project);
    let refused = |words: &[&str]| {
        let ended = project.noregret(&["run", "-n", "table/streams", "--offline"]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        words.iter().for_each(|word| assert!(ended.stderr.contains(word), "`{word}` is not in {}", ended.stderr));
    };
    project.edit("peers/streams.csv", "two,8,", "two,-8,");
    refused(&["peers/streams.csv", "two on 60 rows of hours", "at least 0"]);
    std::fs::remove_file(project.path().join("peers/streams.csv")).unwrap();
    refused(&["cannot read", "peers/streams.csv"]);
    project.edit("pipeline/tables/streams.toml", "peers/streams.csv", "../streams.csv");
    refused(&["`reported` = `../streams.csv`", "a file in the project"]);
    project.edit("pipeline/tables/streams.toml", "reported = \"../streams.csv\"\n", "");
    refused(&["`reported` names no file"]);
}
