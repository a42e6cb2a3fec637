//! Models of earlier versions, models that a run leaves when it ends early, and models to predict with.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::models::{part, predict, text};
use super::{Folder, command, parse, rounds, stderr, stream, table};

/// A model that was saved when draws were named by all parameters goes on with those draws: loaded, resumed, and saved
/// again. The files in `earlier` are those of version 0.1.0 before that changed: 30 of the 40 rounds.
#[test]
fn a_model_saved_before_draws_were_named_by_fewer_parameters_keeps_its_draws() {
    let folder = Folder::new();
    let (rows, rounds) = (include_str!("earlier/rows.csv"), include_str!("earlier/rounds.csv"));
    let model = folder.file("m", include_bytes!("earlier/fogd.safetensors"));
    let input = folder.file("rows.csv", rows);
    let predictions =
        |text: &str| text.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    let of = |output: &Output| -> Vec<f64> {
        assert!(output.status.success(), "{}", stderr(output));
        predictions(&String::from_utf8_lossy(&output.stdout))
    };
    let expected = predictions(rounds);
    let close = |found: &[f64], expected: &[f64]| {
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9)
    };
    let learner = ["--learner", "fogd", "--set", "features=5", "--set", "eta=0.3", "--seed", "4", "--target", "y"];
    assert!(
        !close(&of(&stream(&[&learner[..], &["--input", &input]].concat())), &expected),
        "draws have another name now"
    );
    let (next, last) = (folder.file("next.csv", part(rows, 30, 35)), folder.file("last.csv", part(rows, 35, 40)));
    let again = folder.path("again");
    assert!(close(&of(&stream(&["--load", &model, "--input", &next, "--save", text(&again)])), &expected[30..35]));
    assert!(close(&of(&stream(&["--load", text(&again), "--input", &last])), &expected[35..]));
    let output = folder.file("rounds.csv", part(rounds, 0, 30));
    let resumed = ["--input", &input, "--resume", "--save", &model, "--output", &output];
    assert!(stream(&[&learner[..], &resumed].concat()).status.success());
    assert!(close(&predictions(&fs::read_to_string(&output).unwrap()), &expected));
}

/// Settings that differ by a billionth of lambda, or of a step, have the same draws, so that tuning finds no lucky ones.
#[test]
fn draws_are_named_by_what_shapes_them() {
    let folder = Folder::new();
    let input = folder.file("in.csv", table(200));
    let loss = |learner: &str, set: &[&str]| -> f64 {
        let sets: Vec<&str> = set.iter().flat_map(|one| ["--set", one]).collect();
        let output = stream(&[&["--learner", learner, "--target", "y", "--input", &input], &sets[..]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        rounds(&output).last().unwrap()[4]
    };
    for (learner, near, far) in [
        ("pkawv-fourier", ["lambda=1", "lambda=1.000000001"], "bandwidth=1.000000001"),
        ("fogd", ["eta=0.1", "eta=0.1000000001"], "features=101"),
    ] {
        let fixed = if learner == "fogd" { vec!["features=100"] } else { vec!["features=5"] };
        let [one, two] = near.map(|set| loss(learner, &[&fixed[..], &[set]].concat()));
        assert!((one - two).abs() < 1e-6 * one, "{learner}: {one} {two}");
        let other = loss(learner, &[near[0], far]);
        assert!((one - other).abs() > 1e-6 * one, "{learner}: {one} {other}");
    }
}

/// No run starts with a scale that ruins every learner. A model that was saved with it, by version 0.1.0, predicts as it did.
#[test]
fn the_running_scale_of_targets_is_refused_except_in_models_that_have_it() {
    let folder = Folder::new();
    let input = folder.file("rows.csv", include_str!("earlier/rows.csv"));
    let start = ["--learner", "running-mean", "--target", "y", "--input", &input, "--target-scale", "running"];
    let refused = stream(&start);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("another function") && refused.stdout.is_empty(), "{}", stderr(&refused));
    let model = folder.file("m", include_bytes!("earlier/running.safetensors"));
    let found = predict(&["--load", &model, "--input", &input]);
    assert!(found.status.success(), "{}", stderr(&found));
    let numbers = |text: &str| -> Vec<f64> {
        text.lines().skip(1).map(|line| line.split_once(',').unwrap().1.parse().unwrap()).collect()
    };
    let found = numbers(&String::from_utf8(found.stdout).unwrap());
    let expected = numbers(include_str!("earlier/running.csv"));
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-9), "{found:?}");
}

/// A run with `--save` leaves a model also where its reader goes away, and where a row cannot be read: of the rounds that
/// were played, which the message counts.
#[test]
fn every_way_out_saves() {
    let folder = Folder::new();
    let rows = table(4000);
    let (input, model) = (folder.file("in.csv", &rows), folder.path("m"));
    let save = ["--learner", "pkawv-taylor", "--target", "y", "--save", text(&model)];
    let rounds_of = |path: &Path| noregret_model::file::read(path).unwrap().header.rounds;
    // `head` has enough long before the end.
    let mut child = command(&[&save[..], &["--input", &input]].concat());
    let mut child = child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let played = rounds_of(&model);
    assert!(stderr(&output).contains(&format!("has the first {played} rounds")), "{}", stderr(&output));
    assert!((1..4000).contains(&played), "{played}");

    let mut lines: Vec<&str> = rows.lines().collect();
    lines[200] = "1,x,2";
    let broken = folder.file("broken.csv", lines.join("\n"));
    fs::remove_file(&model).unwrap();
    let written = folder.path("out.csv");
    let output = stream(&[&save[..], &["--input", &broken, "--output", text(&written)]].concat());
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("row 200") && said.contains("has the first 199 rounds"), "{said}");
    assert_eq!((rounds_of(&model), fs::read_to_string(&written).unwrap().lines().count()), (199, 200));
    // It goes on with the rows after the bad one as if that had never been there.
    let [first, rest] = [(0, 199), (200, 400)].map(|(from, to)| part(&rows, from, to));
    let rest = folder.file("rest.csv", rest);
    let after = part(&rows, 200, 400);
    let sound = folder.file("sound.csv", first + after.split_once('\n').unwrap().1);
    let gone_on = parse(&stream(&["--load", text(&model), "--input", &rest]).stdout);
    let undisturbed = rounds(&stream(&["--learner", "pkawv-taylor", "--target", "y", "--input", &sound]));
    assert_eq!(gone_on.len(), 200);
    for (found, expected) in gone_on.iter().zip(&undisturbed[199..]) {
        assert!((found[2] - expected[2]).abs() < 1e-9, "{found:?} {expected:?}");
    }
}

/// What messages of `predict` advise can be done: it has the options of how text is written, and says of others whose they are.
#[test]
fn advice_of_predict_can_be_followed() {
    let folder = Folder::new();
    let (input, model) = (folder.file("in.csv", table(50)), folder.path("m"));
    let learn = ["--learner", "running-mean", "--target", "y", "--input", &input, "--save", text(&model)];
    assert!(stream(&learn).status.success());
    let said = |rows: &str, more: &[&str]| {
        let file = folder.file("rows.csv", rows);
        let output = predict(&[&["--load", text(&model), "--input", &file], more].concat());
        (output.status.code(), stderr(&output))
    };
    let (status, message) = said("a,b\n1,\n", &[]);
    assert_eq!(status, Some(1));
    assert!(message.contains("--missing is an option of the `noregret stream`"), "{message}");
    let (_, message) = said("a;b\n1,5;2\n", &[]);
    assert!(message.contains("--decimal comma") && !message.contains("is an option of"), "{message}");
    assert_eq!(said("a;b\n1,5;2\n", &["--decimal", "comma"]).0, Some(0));
    assert_eq!(said("a|b\n1|2\n", &["--delimiter", "|", "--format", "csv"]).0, Some(0));
}

/// What stands for a missing value is the mean of the rows that were learnt: it owes nothing to the rows that are predicted.
#[test]
fn a_prediction_does_not_depend_on_the_rows_above_it() {
    let folder = Folder::new();
    let rows: String = (0..60)
        .map(|t| format!("{},{},{t}\n", t % 7, if t % 5 == 0 { String::new() } else { t.to_string() }))
        .collect();
    let (input, model) = (folder.file("in.csv", format!("a,b,y\n{rows}")), folder.path("m"));
    for missing in ["mean", "indicator"] {
        let learn = ["--learner", "linear-ridge", "--target", "y", "--input", &input, "--missing", missing];
        assert!(stream(&[&learn[..], &["--save", text(&model)]].concat()).status.success());
        let last = |above: &str| {
            let file = folder.file("rows.csv", format!("a,b\n{above}3,\n"));
            let output = predict(&["--load", text(&model), "--input", &file]);
            let lines = String::from_utf8(output.stdout).unwrap();
            lines.lines().last().unwrap().split_once(',').unwrap().1.to_owned()
        };
        assert_eq!(last(""), last("1,900\n2,900\n"), "{missing}");
    }
}

/// A model of what predictions need predicts what the whole one does, is a small part of it, and refuses to learn.
#[test]
fn a_model_to_predict_with_is_small() {
    let folder = Folder::new();
    let input = folder.file("in.csv", table(600));
    let [whole, small] = ["whole", "small"].map(|name| folder.path(name));
    for (learner, less) in [("kernel-ridge", 20), ("pkawv-nystrom", 2), ("pkrr-nystrom", 2), ("kernel-awv", 0)] {
        let save = |model: &Path, more: &[&str]| {
            let args = ["--learner", learner, "--target", "y", "--input", &input, "--save", text(model)];
            // Scales by epochs keep rows, which are much more than these.
            let unscaled = ["--scale", "none", "--target-scale", "none"];
            let output = stream(&[&args[..], &unscaled, more].concat());
            assert!(output.status.success(), "{}", stderr(&output));
            (fs::metadata(model).unwrap().len(), stderr(&output))
        };
        let ((all, _), (some, said)) = (save(&whole, &[]), save(&small, &["--predict-only"]));
        assert!(less * some <= all && (less > 0 || some == all), "{learner}: {some} of {all} bytes");
        assert_eq!(said.contains("the whole one"), less == 0, "{said}");
        let predictions = |model: &Path| -> Vec<f64> {
            let output = predict(&["--load", text(model), "--input", &input]);
            assert!(output.status.success(), "{}", stderr(&output));
            let lines = String::from_utf8(output.stdout).unwrap();
            lines.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect()
        };
        let (of_all, of_some) = (predictions(&whole), predictions(&small));
        assert!(of_all.len() == 600 && of_all == of_some, "{learner}");
        let learnt = stream(&["--load", text(&small), "--input", &input]);
        match less {
            0 => assert!(learnt.status.success()),
            _ => {
                assert!(!learnt.status.success() && stderr(&learnt).contains("saved to predict"), "{}", stderr(&learnt))
            }
        }
    }
}
