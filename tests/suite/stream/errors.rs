//! Wrong arguments and broken files give one clear message, the right exit status, and no output but the rounds before.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use parquet::basic::Compression;

use super::*;
use crate::data::formats::parquet;

/// Runs with `args`, which must fail with `status` and one line that contains all `fragments`.
fn refused(args: &[&str], status: i32, fragments: &[&str]) {
    let output = stream(args);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{args:?}: {message}");
    for fragment in fragments {
        assert!(message.contains(fragment), "{args:?}: `{fragment}` is not in: {message}");
    }
    // The names of the columns, and the rounds that the message counts.
    let written =
        message.rsplit_once(" rounds before are written").map(|(told, _)| told.rsplit('(').next().unwrap().parse());
    let lines = written.map_or(0, |rounds: Result<usize, _>| 1 + rounds.unwrap());
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), lines, "{args:?}");
}

#[test]
fn wrong_names_and_parameters() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(30));
    let input = ["--input", file.as_str(), "--target", "y"];
    let cases: [(&[&str], &[&str]); 14] = [
        (&["--learner", "kernel-rigde"], &["unknown learner `kernel-rigde`", "did you mean `kernel-ridge`?"]),
        (&["--learner", "fogd", "--set", "etta=1"], &["unknown parameter `etta`", "did you mean `eta`?"]),
        (&["--learner", "fogd", "--set", "eta=-1"], &["`eta` = -1", "(0, inf)"]),
        (&["--learner", "fogd", "--set", "eta=quick"], &["`eta` = \"quick\""]),
        (&["--learner", "fogd", "--set", "eta=nan"], &["`eta` = nan"]),
        (&["--learner", "fogd", "--set", "features=2.5"], &["`features` = 2.5"]),
        (&["--learner", "fogd", "--set", "eta"], &["--set eta: write KEY=VALUE"]),
        (&["--learner", "fogd", "--set", "=1"], &["--set =1", "empty"]),
        (&["--learner", "kernel-ridge", "--set", "kernel=gausian"], &["unknown kernel `gausian`", "`gaussian`"]),
        (&["--learner", "kernel-ridge", "--set", "kernel.bandwith=1"], &["`kernel.bandwith`", "`bandwidth`"]),
        (&["--learner", "kernel-ridge", "--set", "kernel.bandwidth=0"], &["`kernel.bandwidth` = 0"]),
        (&["--learner", "kernel-ridge", "--set", "lambda=1", "--set", "lambda.x=1"], &["`lambda`"]),
        (
            &["--learner", "expert-mixture", "--set", "bound=1", "--set", "grid.lamda=[1]"],
            &["`grid.lamda`", "`lambda`"],
        ),
        (
            &["--learner", "pkawv-nystrom", "--set", "dictionary=beforehand"],
            &["all inputs before the first round", "noregret data add"],
        ),
    ];
    for (args, fragments) in cases {
        refused(&[args, &input].concat(), 2, fragments);
    }
}

#[test]
fn wrong_columns() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(30));
    let ridge = ["--learner", "kernel-ridge", "--input", file.as_str()];
    refused(&ridge, 2, &["target"]);
    refused(&[&ridge[..], &["--target", "yy"]].concat(), 2, &["no column `yy`", "a, b, y"]);
    refused(&[&ridge[..], &["--target", "y", "--inputs", "a,z"]].concat(), 2, &["no column `z`"]);
    refused(&[&ridge[..], &["--target", "y", "--inputs", "a,y"]].concat(), 2, &["`y`"]);
}

#[test]
fn broken_data() {
    let folder = Folder::new();
    let ridge = |file: &str, status, fragments: &[&str]| {
        refused(&["--learner", "kernel-ridge", "--target", "y", "--input", file], status, fragments);
    };
    let with_row_17 = |row: &str| {
        let mut lines: Vec<String> = table(30).lines().map(str::to_owned).collect();
        lines[17] = row.to_owned();
        lines.join("\n") + "\n"
    };
    ridge(&folder.path("nothing.csv").display().to_string(), 1, &["nothing.csv", "no such file"]);
    ridge(&folder.file("empty.csv", ""), 1, &["empty"]);
    ridge(&folder.file("header.csv", "a,b,y\n"), 1, &["header.csv"]);
    ridge(&folder.file("nan.csv", with_row_17("1,NaN,2")), 1, &["row 17", "`b`", "NaN"]);
    ridge(&folder.file("infinite.csv", with_row_17("1,2,inf")), 1, &["row 17", "`y`", "inf"]);
    ridge(&folder.file("word.csv", with_row_17("1,two,2")), 1, &["row 17", "`two` is not a number"]);
    ridge(&folder.file("short.csv", with_row_17("1,2")), 1, &["row 17", "2 fields where 3 are expected"]);
    ridge(&folder.file("page.csv", "<!DOCTYPE html><html></html>"), 1, &["web page"]);
    ridge(&folder.file("cut.parquet", "PAR1 and no more"), 1, &["cut.parquet", "Parquet"]);
}

/// The sound rows of a file of columns come before the first bad one, in whatever column and batch of the reader it is, as those of
/// a text do.
#[test]
fn rows_before_a_bad_one_of_columns_are_played() {
    let folder = Folder::new();
    let column = |bad: &[(u32, f64)]| -> ArrayRef {
        let value = |i: u32| bad.iter().find(|(row, _)| *row == i).map_or(f64::from(i % 100), |(_, value)| *value);
        Arc::new((0..9000).map(value).collect::<Float64Array>())
    };
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    for (x, y, rounds) in [
        (&[(60, nan)][..], &[][..], 60),
        (&[(60, infinite)], &[], 60),
        (&[], &[(60, infinite)], 60),
        (&[(70, nan)], &[(50, infinite)], 50),
        (&[(50, nan)], &[(70, infinite)], 50),
        (&[(0, nan)], &[], 0),
        (&[(8500, nan)], &[], 8500),
    ] {
        let bytes = parquet(vec![("x", column(x)), ("y", column(y))], Compression::SNAPPY);
        let file = folder.file("bad.parquet", bytes);
        let output = stream(&["--learner", "running-mean", "--target", "y", "--input", &file, "--missing", "refuse"]);
        let message = stderr(&output);
        assert!(message.contains(&format!("row {}", rounds + 1)), "{message}");
        let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines, if rounds == 0 { lines.min(1) } else { rounds + 1 }, "{message}");
    }
}

/// What a decimal sign, a separator or the index of a table can be taken for.
#[test]
fn remedies_name_the_sign_that_was_taken_for_another() {
    let folder = Folder::new();
    let commas = folder.file("commas.csv", "x;y\n0,5;1\n1,5;2\n2,5;3\n");
    let model = folder.path("commas.safetensors").display().to_string();
    let learn = ["--learner", "linear-ridge", "--target", "y", "--input", &commas, "--save", &model];
    assert!(stream(&learn).status.success());
    let predict = |text: &str, more: &[&str]| {
        let file = folder.file("new.csv", text);
        let words = [&["predict", "--load", &model, "--input", &file], more].concat();
        let output = Command::new(env!("CARGO_BIN_EXE_noregret")).args(words).output().unwrap();
        (output.status.success(), stderr(&output))
    };
    // A point may group digits: only the user knows.
    assert!(predict("x\n1.250\n", &[]).1.contains("decimal commas, as those that it has learnt"));
    assert!(!predict("x\n1.250\n", &["--decimal", "point"]).1.contains("decimal commas"));
    let (played, told) = predict("x\n1.25\n", &[]);
    assert!(!played && told.contains("--decimal point"), "{told}");
    let (played, told) = predict("x,z\n1.250,2\n", &[]);
    assert!(!played && told.contains("commas separate its columns"), "{told}");
    // In these, commas are those of numbers and names.
    for sound in ["x\n0,5\n0,7\n", "note, long;x\na;0,5\n"] {
        let (played, told) = predict(sound, &[]);
        assert!(played, "{sound}: {told}");
    }
    let lines = folder.file("new.jsonl", "{\"x\": 1.5}\n");
    let words = ["predict", "--load", &model, "--input", &lines];
    let of_json = Command::new(env!("CARGO_BIN_EXE_noregret")).args(words).output().unwrap();
    assert!(of_json.status.success() && !stderr(&of_json).contains("decimal commas"), "{}", stderr(&of_json));
    let refused = |text: &str| stderr(&stream(&["--target", "y", "--input", &folder.file("other.csv", text)]));
    assert!(refused("a|y\n1|2\n").contains("(--delimiter)"));
    assert!(!refused("a,b\n1,2\n").contains("(--delimiter)"));
    let index = stream(&["--target", "y", "--input", &folder.file("index.csv", ",x,y\n0,1,2\n1,2,3\n")]);
    assert!(stderr(&index).contains("which is an input; leave it out (--drop 1)"), "{}", stderr(&index));
}

#[test]
fn an_output_is_not_packed() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(30));
    let output = folder.path("out.csv.GZ").display().to_string();
    refused(&[&RIDGE[..], &["--input", &file, "--output", &output]].concat(), 2, &["not packed", "leave .GZ out"]);
}

#[test]
fn standard_input_is_called_by_its_name() {
    // With and without the copy that a second pass needs.
    for extra in [&[][..], &["--scale", "unit"]] {
        let output = stream_from(b"a,y\n1,2\n3,x\n", &[&RIDGE[..], extra].concat());
        assert_eq!(output.status.code(), Some(1));
        let message = stderr(&output);
        assert!(message.contains("standard input: row 2"), "{message}");
    }
}

#[test]
fn clap_reports_wrong_arguments() {
    for args in [&[][..], &["--learner", "fogd"], &["--learner", "fogd", "--input", "x", "--limit", "0"]] {
        assert_eq!(stream(args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(stream(&["--help"]).status.code(), Some(0));
}

#[test]
fn a_divergence_is_told_in_few_digits() {
    let folder = Folder::new();
    let file = folder.file("table.csv", table(30));
    let output = stream(&["--learner", "kernel-ogd", "--set", "eta=1e150", "--input", &file, "--target", "y"]);
    let message = stderr(&output);
    assert!(output.status.code() == Some(1) && message.contains("diverged: prediction"), "{message}");
    let digits = message.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    assert!(digits.is_some_and(|digits| digits <= 17), "{message}");
}
