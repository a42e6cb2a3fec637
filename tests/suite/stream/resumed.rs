//! Runs that go on from a save: which rows they play, and what a refusal leaves as it was.

use super::models::text;
use super::*;

/// Plays rows into `NAME.csv` with the model `NAME.m`; the output.
fn play(folder: &Folder, name: &str, rows: &str, more: &[&str]) -> String {
    let (model, output) = (folder.path(&format!("{name}.m")), folder.path(&format!("{name}.csv")));
    let own = ["--learner", "linear-ridge", "--target", "y", "--drop", "at", "--position", "at"];
    let save = ["--save", text(&model), "--output", text(&output)];
    let run = stream_from(rows.as_bytes(), &[&own[..], &save, more].concat());
    assert!(run.status.success(), "{}", stderr(&run));
    fs::read_to_string(output).unwrap()
}

/// A row that was not played does not count among those at the last position.
#[test]
fn rows_that_were_not_played_do_not_count_at_a_position() {
    for (row, more) in [("2,bad,2", ["--on-bad-row", "skip"]), ("2,,2", ["--missing", "drop"])] {
        let folder = Folder::new();
        let begin = format!("at,a,y\n1,1,1\n{row}\n2,3,3\n");
        let whole = format!("{begin}2,4,4\n3,5,5\n");
        let undisturbed = play(&folder, "whole", &whole, &more);
        play(&folder, "parts", &begin, &more);
        assert_eq!(play(&folder, "parts", &whole, &[&more[..], &["--resume"]].concat()), undisturbed);
        assert_eq!(undisturbed.lines().count(), 5);
    }
}

/// Positions are ordered as they are written: with the month first, or with decimal commas.
#[test]
fn positions_are_ordered_as_they_are_written() {
    let cases = [
        ("at,a,y\n01/30/2024,1,2\n02/12/2024,4,5\n", "03/01/2024,5,6\n03/20/2024,6,7\n", &["--month-first"][..]),
        ("at;a;y\n1,5;1;2\n2,5;2;3\n", "10,5;3;4\n11,5;4;5\n", &["--decimal", "comma"]),
    ];
    for (begin, rest, more) in cases {
        let folder = Folder::new();
        let undisturbed = play(&folder, "whole", &format!("{begin}{rest}"), more);
        play(&folder, "parts", begin, more);
        let header = begin.lines().next().unwrap();
        assert_eq!(play(&folder, "parts", &format!("{header}\n{rest}"), &[more, &["--resume"]].concat()), undisturbed);
    }
    let own = ["--learner", "linear-ridge", "--target", "y", "--drop", "at", "--position", "at"];
    let said = stderr(&stream_from(b"at,a,y\n01/30/2024,1,2\n01/31/2024,2,3\n", &own));
    assert!(said.contains("01/30/2024, a date if the month comes first"), "{said}");
}

/// An input that is refused, and a limit below what was played, leave a complete output under its name.
#[test]
fn a_refusal_leaves_the_output_as_it_was() {
    let folder = Folder::new();
    let (model, output) = (folder.path("m"), folder.path("out.csv"));
    let save = ["--learner", "linear-ridge", "--target", "y", "--save", text(&model), "--output", text(&output)];
    let play = |rows: &str, more: &[&str]| {
        let input = folder.file("in.csv", rows);
        stream(&[&save[..], &["--input", &input], more].concat())
    };
    assert!(play("a,y\n1,2\n2,3\n3,14\n", &[]).status.success());
    let complete = read(&output);
    for (rows, more, why) in [
        ("a,y\n1,2\n2,3\n3,15\n7,9\n", &["--resume"][..], "row 3 of"),
        ("a,y\n1,2\n2,3\n3,14\n7,9\n", &["--resume", "--limit", "2"], "--limit 2: 3 rows were played before"),
    ] {
        let refused = play(rows, more);
        assert!(!refused.status.success() && stderr(&refused).contains(why), "{}", stderr(&refused));
        assert_eq!(read(&output), complete);
    }
}

/// A row that `predict` leaves out has its number, so that predictions can be joined by it.
#[test]
fn rows_that_are_left_out_have_their_numbers() {
    let folder = Folder::new();
    let model = folder.path("m");
    let rows = folder.file("rows.csv", "a,y\n1,1\n2,2\n3,3\n");
    let own = ["--learner", "linear-ridge", "--target", "y", "--missing", "drop", "--save", text(&model)];
    assert!(stream(&[&own[..], &["--input", &rows]].concat()).status.success());
    let new = folder.file("new.jsonl", "{\"a\":1}\n{\"a\":null}\n{\"a\":2}\n");
    let predict = ["predict", "--load", text(&model), "--input", &new];
    let run = Command::new(env!("CARGO_BIN_EXE_noregret")).args(predict).output().unwrap();
    let rows: Vec<String> = String::from_utf8_lossy(&run.stdout).lines().map(|line| line[..2].to_owned()).collect();
    assert_eq!(rows, ["ro", "1,", "3,"], "{}", stderr(&run));
    assert!(stderr(&run).contains("2 rows predicted") && stderr(&run).contains("is missing: 1"), "{}", stderr(&run));
}

/// What comes through standard input from a file is not replaced by its rounds.
#[test]
fn the_file_on_standard_input_is_not_replaced() {
    let folder = Folder::new();
    let rows = folder.file("rows.csv", "a,y\n1,2\n2,3\n");
    let args = ["-", "--learner", "linear-ridge", "--target", "y", "--output", &rows];
    let run = command(&args).stdin(fs::File::open(&rows).unwrap()).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("is the input"), "{}", stderr(&run));
    assert_eq!(fs::read_to_string(rows).unwrap(), "a,y\n1,2\n2,3\n");
}
