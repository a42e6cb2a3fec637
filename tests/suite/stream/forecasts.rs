//! Forecasts as columns, absent ones among them, and intervals.

use super::{Folder, column, rounds, stderr, stream};

/// Rows of three forecasts of y, the first too high, the second too low, the third noisy; every third cell is empty.
fn forecasts(rows: usize, gaps: bool) -> String {
    let mut text = String::from("gam,forest,kalman,load\n");
    for i in 0..rows {
        let y = 2000.0 + 300.0 * (i as f64 * 0.3).sin();
        let cells = [y + 100.0, y - 60.0, y + 200.0 * (i as f64 * 1.7).cos()];
        let cells = cells.iter().enumerate().map(|(k, cell)| match gaps && (i + k) % 3 == 0 {
            true => String::new(),
            false => cell.to_string(),
        });
        text += &format!("{},{y}\n", cells.collect::<Vec<_>>().join(","));
    }
    text
}

const BOA: [&str; 8] =
    ["--learner", "aggregate", "--set", "rule=boa", "--inputs", "gam,forest,kalman", "--target", "load"];

/// The lines of a CSV output, without the header, in fields.
fn lines(csv: &[u8]) -> Vec<Vec<String>> {
    let text = std::str::from_utf8(csv).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The first prediction is the mean of the forecasts that are there; the last ones are better than any of them.
#[test]
fn an_empty_cell_is_an_absent_forecast() {
    let folder = Folder::new();
    for missing in [None, Some("refuse"), Some("drop"), Some("mean")] {
        let file = folder.file("forecasts.csv", forecasts(300, true));
        let mut args = [&BOA[..], &["--input", &file]].concat();
        args.extend(missing.iter().flat_map(|how| ["--missing", how]));
        let found = rounds(&stream(&args));
        assert_eq!(found.len(), 300, "{missing:?}");
        let y = 2000.0;
        assert!((found[0][2] - (y - 60.0 + y + 200.0) / 2.0).abs() < 1e-9, "{:?}", found[0]);
    }
    let file = folder.file("all.csv", forecasts(300, false));
    let found = rounds(&stream(&[&BOA[..], &["--input", &file]].concat()));
    let late: f64 = column(&found, 3)[200..].iter().sum::<f64>() / 100.0;
    assert!(late < 60.0 * 60.0, "{late}");
}

/// A row without any forecast is predicted as the row before, and the learner goes on.
#[test]
fn a_row_without_forecasts_repeats_the_prediction() {
    let folder = Folder::new();
    let file = folder.file("forecasts.csv", "a,b,y\n1,3,2\n,NA,5\n4,4,4\n");
    let found = rounds(&stream(&["--learner", "aggregate", "--target", "y", "--input", &file]));
    assert_eq!(column(&found, 2), [2.0, 2.0, 4.0]);
}

#[test]
fn forecasts_are_not_scaled() {
    let folder = Folder::new();
    let file = folder.file("forecasts.csv", forecasts(5, true));
    for scale in [["--scale", "running"], ["--target-scale", "unit"]] {
        let refused = stream(&[&BOA[..], &["--input", &file], &scale].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("forecasts"), "{}", stderr(&refused));
    }
    // Learners as experts have inputs like any other.
    let experts = ["--learner", "aggregate", "--set", "experts=['running-mean', 'last-value']", "--target", "load"];
    let gaps = stream(&[&experts[..], &["--input", &file]].concat());
    assert!(!gaps.status.success() && stderr(&gaps).contains("--missing"), "{}", stderr(&gaps));
}

/// The columns of intervals: a miss is a target outside, in the scale of the file, and the part of misses is what was asked
/// for, up to the bound. Predictions are those of the learner inside.
#[test]
fn intervals_are_columns() {
    let folder = Folder::new();
    let text = forecasts(400, false);
    let file = folder.file("forecasts.csv", text);
    let inner = ["--target", "load", "--target-scale", "standardise", "--input", file.as_str()];
    let base = "base={ name = 'pkawv-taylor', order = 2 }";
    let around = stream(&[&["--learner", "intervals", "--set", base, "--set", "alpha=0.2"], &inner[..]].concat());
    assert!(around.status.success(), "{}", stderr(&around));
    assert!(
        around
            .stdout
            .starts_with(b"round,target,prediction,loss,cumulative_loss,lower,upper,missed,recent_miss_rate\n")
    );
    let alone = stream(&[&["--learner", "pkawv-taylor", "--set", "order=2"], &inner[..]].concat());
    let (around_lines, alone) = (lines(&around.stdout), lines(&alone.stdout));
    let mut missed = 0;
    for (line, alone) in around_lines.iter().zip(&alone) {
        assert_eq!(line[..5], alone[..]);
        let number = |at: usize| line[at].parse::<f64>().ok();
        let (target, prediction) = (number(1).unwrap(), number(2).unwrap());
        let miss = number(7).unwrap();
        if let (Some(lower), Some(upper)) = (number(5), number(6)) {
            assert!(((lower + upper) / 2.0 - prediction).abs() < 1e-6, "{line:?}");
            assert_eq!(miss == 1.0, target < lower || target > upper, "{line:?}");
        }
        missed += usize::from(miss == 1.0);
        // Fewer rounds than the window of the rate.
        assert_eq!(number(8), Some(missed as f64 / number(0).unwrap()), "{line:?}");
    }
    // (max(alpha, 1 - alpha) + rate) / (rate n) with rate 0.05.
    assert!((missed as f64 / 400.0 - 0.2).abs() <= 0.85 / (0.05 * 400.0), "{missed}");
    assert!(stderr(&around).contains(&format!("{missed} targets outside of their intervals")), "{}", stderr(&around));
}

/// Blocks and single rounds give the same intervals, and a saved learner predicts with intervals.
#[test]
fn intervals_survive_blocks_and_saves() {
    let folder = Folder::new();
    let file = folder.file("forecasts.csv", forecasts(200, false));
    let model = folder.path("model");
    let args = ["--learner", "intervals", "--set", "rule=betting", "--target", "load", "--input", file.as_str()];
    let single = stream(&[&args[..], &["--live"]].concat());
    let blocks = stream(&[&args[..], &["--save", model.to_str().unwrap()]].concat());
    let (single, blocks) = (lines(&single.stdout), lines(&blocks.stdout));
    for (a, b) in single.iter().zip(&blocks) {
        assert_eq!(a[7], b[7]);
    }
    let predict = std::process::Command::new(env!("CARGO_BIN_EXE_noregret"))
        .args(["predict", "--load", model.to_str().unwrap(), "--input", &file])
        .output()
        .unwrap();
    assert!(predict.stdout.starts_with(b"row,prediction,lower,upper\n"), "{}", stderr(&predict));
    assert_eq!(lines(&predict.stdout).len(), 200);
}

/// Each prediction is the sum of the forecasts with the weights in its row, and the same as without these columns.
#[test]
fn weights_are_columns_of_their_forecasts() {
    let folder = Folder::new();
    let file = folder.file("forecasts.csv", forecasts(300, true) + "2000,2100,,\n");
    let args = [&BOA[..], &["--input", &file]].concat();
    let (with, without) = (stream(&[&args[..], &["--weights"]].concat()), stream(&args));
    let header = "round,target,prediction,loss,cumulative_loss,weight_gam,weight_forest,weight_kalman\n";
    assert!(with.stdout.starts_with(header.as_bytes()), "{}", stderr(&with));
    let inputs = lines(&std::fs::read(&file).unwrap());
    let (with, without) = (lines(&with.stdout), lines(&without.stdout));
    assert_eq!((with.len(), without.len()), (301, 301));
    for (i, (line, input)) in with.iter().zip(&inputs).enumerate().take(300) {
        let number = |text: &String| text.parse::<f64>().ok();
        let weights: Vec<f64> = line[5..].iter().map(|cell| number(cell).unwrap()).collect();
        let sum = |of: &dyn Fn(usize) -> f64| (0..3).map(|k| weights[k] * of(k)).sum::<f64>();
        assert!((sum(&|_| 1.0) - 1.0).abs() < 1e-12, "{line:?}");
        assert!((0..3).all(|k| number(&input[k]).is_some() || weights[k] == 0.0), "{line:?}");
        let prediction = number(&line[2]).unwrap();
        assert!((sum(&|k| number(&input[k]).unwrap_or(0.0)) - prediction).abs() < 1e-6, "{line:?}");
        assert!((number(&without[i][2]).unwrap() - prediction).abs() < 1e-6, "{line:?}");
    }
    assert_eq!(with[300][5..], ["", "", ""], "a row without a target: {:?}", with[300]);
}

/// Learners are called by their names, and by what differs between those of one name; others have numbers.
#[test]
fn weights_have_the_names_of_learners() {
    let folder = Folder::new();
    let file = folder.file("forecasts.csv", forecasts(40, false));
    let header = |settings: &[&str]| {
        let set = settings[1..].iter().flat_map(|setting| ["--set", setting]);
        let args = ["--weights", "--target", "load", "--input", &file, "--learner", settings[0]];
        let output = stream(&args.into_iter().chain(set).collect::<Vec<_>>());
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let names =
            text.lines().next().and_then(|line| line.strip_prefix("round,target,prediction,loss,cumulative_loss,"));
        (names.unwrap_or_default().to_owned(), stderr(&output))
    };
    let list = "experts=['running-mean', 'last-value', {name='fogd', features=10}, {name='fogd', features=20}]";
    let named = "weight_running-mean,weight_last-value,weight_fogd features=10,weight_fogd features=20";
    assert_eq!(header(&["aggregate", list]).0, named);
    let grid = ["expert-mixture", "base.name=pkrr-taylor", "grid={ lambda=[0.5, 2] }", "bound=3000"];
    assert_eq!(header(&grid).0, "weight_pkrr-taylor lambda=0.5,weight_pkrr-taylor lambda=2");
    assert_eq!(header(&["aggregate", "experts=['last-value', 'last-value']"]).0, "weight_1,weight_2");
    let many = format!("grid={{ lambda={:?} }}", (1..=12).collect::<Vec<_>>());
    let (names, said) = header(&["expert-mixture", "base.name=pkrr-taylor", &many, "bound=3000"]);
    assert!(names.split(',').count() == 10 && said.contains("first 10 of 12"), "{names} {said}");
    let families = "weight_averages,weight_linear,weight_past-linear,weight_categories-linear,weight_past-categories-linear,\
                    weight_kernel,weight_past-kernel,weight_categories-kernel,weight_past-categories-kernel,weight_second-look";
    assert_eq!(header(&["auto"]).0, families);
    assert!(header(&["fogd"]).1.contains("fogd combines no forecasts"), "{:?}", header(&["fogd"]));
}

/// A run that goes on from a model has the rate of misses of the rounds before.
#[test]
fn the_rate_of_misses_goes_on_from_a_model() {
    let folder = Folder::new();
    let all = forecasts(300, false);
    let whole = folder.file("all.csv", &all);
    let (first, rest): (Vec<_>, Vec<_>) = all.lines().skip(1).enumerate().partition(|(i, _)| *i < 120);
    let part = |name: &str, rows: Vec<(usize, &str)>| {
        let rows: Vec<&str> = rows.into_iter().map(|(_, row)| row).collect();
        folder.file(name, format!("gam,forest,kalman,load\n{}\n", rows.join("\n")))
    };
    let (first, rest) = (part("first.csv", first), part("rest.csv", rest));
    let model = folder.path("model");
    let model = model.to_str().unwrap();
    let args = ["--learner", "intervals", "--set", "base.name=last-value", "--target", "load", "--input"];
    let undisturbed = lines(&stream(&[&args[..], &[&whole]].concat()).stdout);
    assert!(stream(&[&args[..], &[&first, "--save", model]].concat()).status.success());
    let resumed = lines(&stream(&["--load", model, "--input", &rest]).stdout);
    let rates = |lines: &[Vec<String>]| lines.iter().map(|line| line[8].clone()).collect::<Vec<_>>();
    assert_eq!(rates(&resumed), rates(&undisturbed[120..]));
}
