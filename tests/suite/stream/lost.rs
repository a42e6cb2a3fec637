//! What an earlier run has written is not lost.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::models::{part, predict, text};
use super::*;

/// Where the model of an output is not there, a resumed run does not begin anew: with a mistyped name, the rounds would go.
#[test]
fn an_output_is_not_given_up_where_its_model_is_missing() {
    let folder = Folder::new();
    let (rows, few) = (folder.file("rows.csv", table(120)), folder.file("few.csv", part(&table(120), 0, 20)));
    let play = |input: &str, model: &str, output: &str, more: &[&str]| {
        let (model, output) = (folder.path(model), folder.path(output));
        let save = ["--save", text(&model), "--output", text(&output), "--save-every", "10", "--input", input];
        stream(&[&RIDGE[..], &save, more].concat())
    };
    for output in ["whole.csv", "parts.parquet"] {
        assert!(play(&rows, "model", output, &[]).status.success());
        let refused = play(&few, "mistyped", output, &["--resume"]);
        assert_eq!(refused.status.code(), Some(1));
        let said = stderr(&refused);
        assert!(said.contains("whose model is not there") && said.contains("mistyped"), "{said}");
        // As it was: the right model goes on with it.
        assert!(play(&rows, "model", output, &["--resume"]).status.success());
    }
    // A run that was killed between two saves.
    fs::rename(folder.path("whole.csv"), folder.path("whole.csv.partial")).unwrap();
    assert_eq!(play(&few, "mistyped", "whole.csv", &["--resume"]).status.code(), Some(1));
    // One that was killed before its first save begins anew.
    let begun: Vec<u8> = fs::read(folder.path("whole.csv.partial")).unwrap();
    let lines: Vec<&[u8]> = begun.split_inclusive(|byte| *byte == b'\n').take(8).collect();
    fs::write(folder.path("begun.csv.partial"), lines.concat()).unwrap();
    let begun = play(&few, "begun", "begun.csv", &["--resume"]);
    assert!(begun.status.success(), "{}", stderr(&begun));
    assert_eq!(parse(&fs::read(folder.path("begun.csv")).unwrap()).len(), 20);
}

/// A model that only its owner may read stays so.
#[test]
fn what_is_replaced_keeps_its_permissions() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", table(40));
    let files = [folder.path("model"), folder.path("kept.csv"), folder.path("plain.csv")];
    let play = || {
        let [model, kept, plain] = files.each_ref().map(|file| text(file));
        for more in [&["--save", model, "--output", kept][..], &["--output", plain]] {
            assert!(stream(&[&RIDGE[..], &["--input", &rows], more].concat()).status.success());
        }
    };
    play();
    files.iter().for_each(|file| fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap());
    play();
    for file in &files {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
}

/// An input that begins again, as a topic that was made anew, is not passed over in silence.
#[test]
fn rows_that_a_resumed_run_passes_over_are_counted() {
    let folder = Folder::new();
    let row = |at: usize| format!("{at},{},{}\n", at % 7, at % 5);
    let rows = |from: usize, to: usize| format!("at,a,y\n{}", (from..to).map(row).collect::<String>()).into_bytes();
    let (model, output) = (folder.path("m"), folder.path("o.csv"));
    let save = ["--save", text(&model), "--output", text(&output), "--drop", "at", "--position", "at"];
    let play = |from: usize, to: usize, more: &[&str]| {
        let played = stream_from(&rows(from, to), &[&RIDGE[..], &save, more].concat());
        assert!(played.status.success(), "{}", stderr(&played));
        stderr(&played)
    };
    play(1001, 1101, &[]);
    let (before, said) = (fs::read(&model).unwrap(), play(1, 501, &["--resume"]));
    assert!(said.contains(", rows passed over up to the last position: 500"), "{said}");
    assert!(said.contains("warning: no row stands after 1100, the last position"), "{said}");
    assert_eq!(fs::read(&model).unwrap(), before, "nothing was learnt");
    let said = play(1091, 1111, &["--resume"]);
    assert!(
        said.contains("110 rounds") && said.contains("the last position: 10") && !said.contains("warning: no row"),
        "{said}"
    );
    // A header alone has no row that is new; where a run begins, it is an error.
    let (model, said) = (fs::read(&model).unwrap(), play(1, 1, &["--resume"]));
    assert!(said.contains("110 rounds"), "{said}");
    assert_eq!(fs::read(folder.path("m")).unwrap(), model);
    let begun = stream_from(&rows(1, 1), &RIDGE);
    assert_eq!(begun.status.code(), Some(1));
    assert!(stderr(&begun).contains("no rows below the header"), "{}", stderr(&begun));
}

/// The rows before one that cannot be read are predicted, from a file as from a pipe.
#[test]
fn rows_before_a_bad_one_are_predicted() {
    let folder = Folder::new();
    let (rows, model) = (folder.file("rows.csv", table(60)), folder.path("m"));
    assert!(stream(&[&RIDGE[..], &["--input", &rows, "--save", text(&model)]].concat()).status.success());
    let mut lines: Vec<String> = table(60).lines().map(str::to_owned).collect();
    lines[31] = lines[31].replacen(|c: char| c.is_ascii_digit(), "x", 1);
    let bad = folder.file("bad.csv", lines.join("\n") + "\n");
    let predicted = predict(&["--load", text(&model), "--input", &bad]);
    assert_eq!(predicted.status.code(), Some(1));
    assert_eq!(String::from_utf8(predicted.stdout.clone()).unwrap().lines().count(), 31);
    assert!(stderr(&predicted).contains("row 31") && stderr(&predicted).contains("(30 rows before are predicted)"));
}

/// `-q` says nothing but what went wrong: a row that is lost did.
#[test]
fn lost_rows_are_told_where_nothing_else_is() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", format!("{}1,2\n", table(30)));
    let played = stream(&[&RIDGE[..], &["--input", &rows, "--on-bad-row", "log", "-q"]].concat());
    assert!(played.status.success());
    let said = stderr(&played);
    assert!(said.lines().count() == 1 && said.starts_with("passed over: ") && said.contains("row 31"), "{said}");
}

/// The rows of LIBSVM text before one that cannot be read are played, as those of CSV. Scales of the whole file see it first, and
/// the message says so.
#[test]
fn rows_of_libsvm_before_a_bad_one_are_played() {
    let folder = Folder::new();
    let rows = folder.file("rows.svm", "1 1:2 2:3\n2 1:1 2:2\n3 1:x 2:1\n4 1:1 4:4\n");
    let play = |more: &[&str]| stream(&[&["--learner", "linear-ridge", "--input", &rows], more].concat());
    let played = play(&[]);
    assert_eq!(played.status.code(), Some(1));
    assert_eq!(parse(&played.stdout).len(), 2);
    let said = stderr(&played);
    assert!(said.contains("row 3 (line 3)") && said.contains("(2 rounds before are written)"), "{said}");
    let scaled = play(&["--scale", "unit"]);
    assert_eq!((scaled.status.code(), scaled.stdout.len()), (Some(1), 0));
    let said = stderr(&scaled);
    assert!(said.contains("no row was played, since the scales see the whole file first"), "{said}");
}

/// A column without a name is told by its place.
#[test]
fn an_empty_column_without_a_name_is_told_as_such() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "a,,y\n1,,2\n2,,3\n");
    let said = stderr(&stream(&[&RIDGE[..], &["--input", &rows, "--missing", "drop"]].concat()));
    assert!(said.lines().any(|line| line.starts_with("a column without a name: empty in the first row")), "{said}");
}
