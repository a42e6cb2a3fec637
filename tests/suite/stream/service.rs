//! A stream in service: rows that cannot be read, targets that come later, runs that go on from a pipe.

use std::time::Duration;

use super::models::text;
use super::*;

const LEARNER: [&str; 6] = ["--learner", "pkrr-taylor", "--set", "lambda=1", "--target", "y"];

const AUTO: [&str; 6] = ["--learner", "auto", "--set", "members=linear", "--target", "y"];

/// The lines of an output as fields.
fn fields(output: &Output) -> Vec<Vec<String>> {
    assert!(output.status.success(), "{}", stderr(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Rows that cannot be read stop the run, or are as if they had not been there; with `log`, each is told.
#[test]
fn bad_rows_are_passed_over_where_that_is_asked_for() {
    let folder = Folder::new();
    let sound = table(300);
    let mut lines: Vec<&str> = sound.lines().collect();
    for (at, bad) in [(301, "1,2"), (200, "1,x,2"), (100, "1,2,inf"), (50, "1,,2"), (1, "\"1\"2,3,4")] {
        lines.insert(at, bad);
    }
    let sound = folder.file("sound.csv", &sound);
    let bad = folder.file("bad.csv", lines.join("\n") + "\n");
    let play = |file: &str, more: &[&str]| stream(&[&LEARNER[..], &["--input", file], more].concat());
    for more in [&[][..], &["--live"], &["--missing", "mean"]] {
        let expected = play(&sound, more);
        let mean = more.contains(&"mean");
        for how in ["skip", "log"] {
            let found = play(&bad, &[more, &["--on-bad-row", how]].concat());
            let said = stderr(&found);
            assert!(found.status.success(), "{said}");
            let told = said.lines().filter(|line| line.starts_with("passed over: ")).count();
            if mean {
                // A row with a gap is a row.
                assert_eq!(parse(&found.stdout).len(), 301);
                continue;
            }
            assert!(found.stdout == expected.stdout, "{more:?}, {how}");
            assert!(said.contains(", 5 rows that cannot be read passed over"), "{said}");
            assert_eq!(told, if how == "log" { 5 } else { 0 }, "{said}");
            assert_eq!(said.contains("row 203") && said.contains("`x`"), how == "log", "{said}");
        }
    }
    for stop in [&[][..], &["--on-bad-row", "stop"]] {
        let found = play(&bad, stop);
        assert_eq!(found.status.code(), Some(1));
    }
    let refused = play(&bad, &["--on-bad-row", "skip", "--scale", "unit"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--on-bad-row"), "{}", stderr(&refused));
}

/// The file of what is called by a name: rows 1 to 40, of which the target comes `late` rows later, in a row without inputs
/// of its own; and what the learner should have seen.
#[test]
fn a_target_that_comes_later_teaches_the_earlier_inputs() {
    let folder = Folder::new();
    let rows = table(60);
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    let inputs = |row: &str| row.rsplit_once(',').unwrap().0.to_owned();
    let target = |row: &str| row.rsplit_once(',').unwrap().1.to_owned();
    let late = 7;
    let mut named = String::from("key,a,b,y\n");
    for t in 0..rows.len() + late {
        if t < rows.len() {
            named += &format!("n{t},{},\n", inputs(rows[t]));
        }
        if t >= late {
            named += &format!("n{},0,0,{}\n", t - late, target(rows[t - late]));
        }
    }
    let named = folder.file("named.csv", named);
    let by_delay = folder.file("plain.csv", table(60));
    let found = fields(&stream(&[&LEARNER[..], &["--input", &named, "--id", "key"]].concat()));
    let delayed = fields(&stream(&[&LEARNER[..], &["--input", &by_delay, "--delay", "7"]].concat()));
    let first: Vec<&Vec<String>> = found[1..].iter().filter(|line| line[1].is_empty()).collect();
    let second: Vec<&Vec<String>> = found[1..].iter().filter(|line| !line[1].is_empty()).collect();
    assert_eq!((first.len(), second.len(), delayed.len()), (60, 60, 61));
    for (t, (first, second)) in first.iter().zip(&second).enumerate() {
        assert_eq!(first[2], second[2], "row {t} is scored by what was said before its target came");
        assert_eq!(second[1], target(rows[t]));
    }
    // With the delay of 7 rows, the target of row t is learnt after row t + 7 is predicted, and so is it here.
    let [ids, delays]: [Vec<f64>; 2] = [
        first.iter().map(|line| line[2].parse().unwrap()).collect(),
        delayed[1..].iter().map(|line| line[2].parse().unwrap()).collect(),
    ];
    for (t, (one, other)) in ids.iter().zip(&delays).enumerate() {
        assert!((one - other).abs() < 1e-9, "row {t}: {one} {other}");
    }
    // The first 8 predictions know nothing yet, and without a delay others are better.
    assert!(delays[..8].iter().all(|prediction| *prediction == 0.0) && delays[8] != 0.0, "{delays:?}");
    let prompt = column(&rounds(&stream(&[&LEARNER[..], &["--input", &by_delay]].concat())), 2);
    assert!(prompt[2] != 0.0 && prompt[30] != delays[30]);
}

/// The line of a late target has the interval that was written when its row came, and the page and the summary count it.
/// In two parts, with rows that wait in the model, all is the same.
#[test]
fn a_late_target_has_the_interval_of_its_row() {
    let folder = Folder::new();
    let mut lines = vec!["key,x,y".to_owned()];
    for t in 0..130 {
        lines.push(format!("n{t},{},", t * 7 % 10));
        if let Some(late) = usize::checked_sub(t, 30) {
            lines.push(format!("n{late},0,{}", late * 7 % 10 + late * late % 3));
        }
    }
    let part = |rows: &[String]| format!("{}\n{}\n", lines[0], rows.join("\n"));
    let (file, first, rest) = (
        folder.file("all.csv", part(&lines[1..])),
        folder.file("first.csv", part(&lines[1..150])),
        folder.file("rest.csv", part(&lines[150..])),
    );
    let (page, model) = (folder.path("page.html"), folder.path("m"));
    let args = ["--learner", "intervals", "--target", "y", "--id", "key", "--missing", "mean"];
    let whole = stream(&[&args[..], &["--input", &file, "--report", text(&page)]].concat());
    let all = fields(&whole);
    assert_eq!(all[0][5..], ["lower", "upper", "missed", "recent_miss_rate"]);
    let (coming, late): (Vec<_>, Vec<_>) = all[1..].iter().partition(|line| line[1].is_empty());
    assert_eq!(late.len(), 100);
    let mut missed = 0;
    for (t, (coming, late)) in coming.iter().zip(&late).enumerate() {
        assert_eq!((&coming[2], &coming[5..7]), (&late[2], &late[5..7]), "row {t}");
        missed += late[7].parse::<usize>().unwrap();
        assert_eq!(late[8].parse::<f64>().unwrap(), missed as f64 / (t + 1) as f64);
    }
    assert!(missed > 0 && late[99][5].parse::<f64>().is_ok(), "{missed}");
    let said = stderr(&whole);
    assert!(said.contains(&format!(", {missed} targets outside of their intervals")), "{said}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Of 100 targets,"), "the page counts other targets");
    let begun = stream(&[&args[..], &["--input", &first, "--save", text(&model)]].concat());
    let ended = stream(&["--load", text(&model), "--input", &rest]);
    assert_eq!([&fields(&begun)[..], &fields(&ended)[1..]].concat(), all);
}

/// Rows without a target are rows: a target is learnt after as many of them.
#[test]
fn a_delay_counts_rows_without_a_target() {
    let folder = Folder::new();
    let file = folder.file("open.csv", "x,y\n1,10\n2,20\n3,\n4,\n5,30\n6,\n");
    let said = |delay: &str| -> Vec<f64> {
        let args = ["--learner", "last-value", "--target", "y", "--delay", delay, "--input", &file];
        fields(&stream(&args))[1..].iter().map(|line| line[2].parse().unwrap()).collect()
    };
    assert_eq!(said("1"), [0.0, 0.0, 10.0, 20.0, 20.0, 20.0]);
    assert_eq!(said("3"), [0.0, 0.0, 0.0, 0.0, 10.0, 20.0]);
}

/// What waits is saved: a run in two parts is one run.
#[test]
fn rows_that_wait_are_saved_with_the_model() {
    let folder = Folder::new();
    let all = table(80);
    let part = |from: usize, to: usize| {
        let lines: Vec<&str> = all.lines().collect();
        format!("{}\n{}\n", lines[0], lines[from + 1..=to].join("\n"))
    };
    let model = folder.path("m");
    let (whole, first, rest) = (folder.file("a", &all), folder.file("b", part(0, 33)), folder.file("c", part(33, 80)));
    let late = ["--delay", "5", "--unseen"];
    // The second one keeps what it knew of each row that waits.
    for learner in [LEARNER, AUTO] {
        let undisturbed = fields(&stream(&[&learner[..], &late, &["--input", &whole]].concat()));
        let saved = stream(&[&learner[..], &late, &["--input", &first, "--save", text(&model)]].concat());
        assert!(stderr(&saved).contains(", waiting to be learnt: 5"), "{}", stderr(&saved));
        let second = fields(&stream(&["--load", text(&model), "--input", &rest]));
        assert_eq!([&fields(&saved)[..], &second[1..]].concat(), undisturbed);
    }
}

/// Values outside of what was seen are counted, in a stream and by a model that predicts.
#[test]
fn what_was_not_seen_is_counted() {
    let folder = Folder::new();
    let file = folder.file("own.csv", "w,a,b,y\nred,1,5,1\nred,3,5,2\nred,2,5,1\nblue,2,6,1\nblue,4,4,2\nred,3,5,3\n");
    let model = folder.path("m");
    let args = [&LEARNER[..], &["--input", &file, "--unseen", "--save", text(&model)]].concat();
    let lines = fields(&stream(&args));
    assert_eq!(lines[0].last().unwrap(), "unseen");
    let counts: Vec<&str> = lines[1..].iter().map(|line| line.last().unwrap().as_str()).collect();
    // 16 columns of words, of which those of red and blue move, and two numbers.
    assert_eq!(counts, ["18", "1", "0", "3", "2", "0"]);
    let new = folder.file("new.csv", "w,a,b\nred,2,5\nred,100,5\nred,100,-100\n");
    let predicted = fields(&super::models::predict(&["--load", text(&model), "--input", &new]));
    let counts: Vec<&str> = predicted.iter().map(|line| line.last().unwrap().as_str()).collect();
    assert_eq!(counts, ["unseen", "0", "1", "2"]);
}

/// A run that was stopped goes on from a pipe that begins anywhere: rows at or before its position are passed over.
/// Without a position it says that it cannot know.
#[test]
fn a_pipe_is_resumed_by_position() {
    let folder = Folder::new();
    let rows = table(120);
    let mut lines = rows.lines();
    let header = format!("at,{}", lines.next().unwrap());
    let rows: Vec<String> =
        lines.enumerate().map(|(t, line)| format!("2024-01-{:02}T{:02}:00,{line}", 1 + t / 24, t % 24)).collect();
    let pipe = |from: usize, to: usize| format!("{header}\n{}\n", rows[from..to].join("\n")).into_bytes();
    let play = |from: usize, to: usize, name: &str, more: &[&str]| {
        let (model, output) = (folder.path(&format!("{name}.m")), folder.path(&format!("{name}.csv")));
        let save = ["--save", text(&model), "--save-every", "1000", "--output", text(&output), "--drop", "at"];
        stream_from(&pipe(from, to), &[&LEARNER[..], &save, more].concat())
    };
    let position = ["--position", "at"];
    let undisturbed = play(0, 120, "whole", &position);
    assert!(undisturbed.status.success(), "{}", stderr(&undisturbed));
    let mut bad = pipe(0, 70);
    bad.extend_from_slice(b"2024-01-09T00:00,1,x,2\n");
    // The run ends at a row that cannot be read, and saves.
    let (model, output) = (folder.path("parts.m"), folder.path("parts.csv"));
    let save = ["--save", text(&model), "--save-every", "1000", "--output", text(&output), "--drop", "at"];
    let stopped = stream_from(&bad, &[&LEARNER[..], &save, &position].concat());
    assert_eq!(stopped.status.code(), Some(1), "{}", stderr(&stopped));
    // The rows of the failed run stand in its unfinished output, where the resumed one finds them.
    let unfinished = folder.path("parts.csv.partial");
    if output.exists() && !unfinished.exists() {
        fs::rename(&output, &unfinished).unwrap();
    }
    let refused = play(40, 120, "parts", &["--resume"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("--position"), "{}", stderr(&refused));
    let resumed = play(40, 120, "parts", &[&position[..], &["--resume"]].concat());
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    assert_eq!(fs::read(folder.path("parts.csv")).unwrap(), fs::read(folder.path("whole.csv")).unwrap());
}

/// Positions that are missing or do not grow would lose rows when a run is resumed: that is said, once.
#[test]
fn positions_that_do_not_grow_are_told() {
    let folder = Folder::new();
    let said = |positions: &[&str]| {
        let rows: String = positions.iter().zip(1..).map(|(at, t)| format!("{at},{t},0.5,1\n")).collect();
        let file = folder.file("in.csv", format!("at,x,z,y\n{rows}"));
        let run = stream(&[&LEARNER[..], &["--input", &file, "--drop", "at", "--position", "at"]].concat());
        assert!(run.status.success(), "{}", stderr(&run));
        stderr(&run).lines().filter(|line| line.starts_with("--position")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(said(&["9", "10", "10", "1e3"]), [""; 0]);
    for (positions, why) in [
        (["1", "3", "2", "2"], "round 3 stands at 2, before 3;"),
        (["1", "1", "2", ""], "round 4 has none;"),
        (["1", "", "", "0"], "round 2 has none;"),
        (["1", "NA", "2", "3"], "round 2 stands at `NA`, which is no place;"),
        (["01/12/2024", "01/13/2024", "", ""], "round 2 stands at 01/13/2024, a date if the month comes first;"),
    ] {
        let told = said(&positions);
        assert!(told.len() == 1 && told[0].contains(why), "{positions:?}: {told:?}");
    }
}

/// Two rows stand at each position, and the save is between the two of one: none of them is lost.
#[test]
fn rows_at_one_position_are_all_played() {
    let folder = Folder::new();
    let rows = table(120);
    let mut lines = rows.lines();
    let header = format!("at,{}\n", lines.next().unwrap());
    let rows: String = lines.enumerate().map(|(t, line)| format!("{},{line}\n", t / 2)).collect();
    let input = folder.file("in.csv", header + &rows);
    let play = |name: &str, more: &[&str]| {
        let (model, output) = (folder.path(&format!("{name}.m")), folder.path(&format!("{name}.csv")));
        let own = [
            "--live",
            "--input",
            &input,
            "--drop",
            "at",
            "--position",
            "at",
            "--save",
            text(&model),
            "--output",
            text(&output),
        ];
        let run = stream(&[&LEARNER[..], &own, more].concat());
        assert!(run.status.success(), "{}", stderr(&run));
        fs::read(output).unwrap()
    };
    let undisturbed = play("whole", &[]);
    play("parts", &["--limit", "61"]);
    assert!(play("parts", &["--resume"]) == undisturbed);
}

/// Rows of another file are not those that were played.
#[test]
fn a_run_is_not_resumed_on_another_input() {
    let folder = Folder::new();
    let rows = table(120);
    let (header, rest) = rows.split_once('\n').unwrap();
    let other: Vec<&str> = rest.lines().rev().collect();
    let own = folder.file("own.csv", &rows);
    let other = folder.file("other.csv", format!("{header}\n{}\n", other.join("\n")));
    let (model, output) = (folder.path("m"), folder.path("out.csv"));
    let play = |input: &str, more: &[&str]| {
        let save = ["--input", input, "--save", text(&model), "--output", text(&output)];
        stream(&[&LEARNER[..], &save, more].concat())
    };
    assert!(play(&own, &["--limit", "50"]).status.success());
    let refused = play(&other, &["--resume"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("row 50 of") && stderr(&refused).contains("another one"), "{}", stderr(&refused));
    assert!(play(&own, &["--resume"]).status.success());
}

/// A run without a round has nothing that an earlier output should give way to.
#[test]
fn an_output_outlives_a_run_without_rounds() {
    let folder = Folder::new();
    let input = folder.file("in.csv", "x,y\n1e200,1e200\n");
    let output = folder.file("out.csv", "kept\n");
    let save = folder.path("m");
    for more in [&[][..], &["--save", text(&save)]] {
        let args = ["--input", &input, "--target", "y", "--learner", "linear-ogd", "--set", "eta=1", "--scale", "none"];
        let run = stream(&[&args[..], &["--target-scale", "none", "--output", &output], more].concat());
        assert_eq!(run.status.code(), Some(1), "{}", stderr(&run));
        assert!(stderr(&run).contains("no rounds were played"), "{}", stderr(&run));
        assert_eq!(fs::read_to_string(&output).unwrap(), "kept\n");
    }
}

/// Of two rows that wait under one name, the first is given up, and that is said.
#[test]
fn a_name_that_comes_again_is_told() {
    let folder = Folder::new();
    let input = folder.file("in.csv", "key,a,y\nk,1,\nk,100,\nj,2,\nk,,7\n");
    let run =
        stream(&["--input", &input, "--target", "y", "--learner", "linear-ridge", "--id", "key", "--missing", "mean"]);
    assert!(run.status.success(), "{}", stderr(&run));
    assert!(
        stderr(&run).contains("waiting to be learnt: 1, given up for a later row of the same name: 1"),
        "{}",
        stderr(&run)
    );
}

/// An output that cannot be written is an error, and what was learnt is saved: live, where each line is written at once, and in
/// blocks, which are written at the end.
#[test]
fn what_was_learnt_outlives_an_output_that_cannot_be_written() {
    let folder = Folder::new();
    let (input, model) = (folder.file("in.csv", table(50)), folder.path("m"));
    for (live, least) in [("--live=yes", 1), ("--live=no", 50)] {
        let args = ["--input", &input, "--save", text(&model), "--output", "/dev/full", live];
        let failed = stream(&[&LEARNER[..], &args].concat());
        assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
        let said = stderr(&failed);
        let rounds = noregret_model::file::read(&model).unwrap().header.rounds;
        assert!(said.contains("/dev/full") && said.contains(&format!("has the first {rounds} rounds")), "{said}");
        assert!(rounds >= least, "{rounds}");
        assert!(stream(&["--load", text(&model), "--input", &input]).status.success());
        fs::remove_file(&model).unwrap();
    }
    // Of a file, too, the model has more rounds than were written: nothing can follow on it, and what goes on is said.
    let (input, output) = (folder.file("long.csv", table(20_000)), folder.path("cut.csv"));
    let args = ["stream", "--learner", "running-mean", "--target", "y", "--input", &input, "--save", text(&model)];
    let args = [&args[..], &["--output", text(&output)]].concat();
    let within = r#"ulimit -f 200; exec "$0" "$@""#;
    let cut = Command::new("sh").args(["-c", within, env!("CARGO_BIN_EXE_noregret")]).args(&args).output().unwrap();
    assert!(!cut.status.success() && stderr(&cut).contains("cannot write"), "{}", stderr(&cut));
    let resumed = stream(&[&args[1..], &["--resume"]].concat());
    let said = stderr(&resumed);
    assert!(!resumed.status.success() && said.contains("go on from the model (--load MODEL)"), "{said}");
}

/// A second stream into an output that another one writes is refused, and takes nothing from it: a supervisor may start too early.
#[test]
fn a_second_stream_into_the_same_output_is_refused() {
    let folder = Folder::new();
    let (input, output, model) = (folder.file("in.csv", table(50)), folder.path("out.csv"), folder.path("m"));
    let args = ["--save", text(&model), "--output", text(&output), "--input"];
    let mut first = command(&[&LEARNER[..], &args, &["-", "--live=yes"]].concat());
    let mut first = first.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut rows = first.stdin.take().unwrap();
    rows.write_all(table(3).as_bytes()).unwrap();
    let partial = folder.path("out.csv.partial");
    while !fs::metadata(&partial).is_ok_and(|file| file.len() > 0) {
        assert!(first.try_wait().unwrap().is_none(), "the first stream ended");
        std::thread::sleep(Duration::from_millis(10));
    }
    for more in [&[][..], &["--resume"]] {
        let second = stream(&[&LEARNER[..], &args, &[&*input], more].concat());
        let said = stderr(&second);
        assert!(!second.status.success() && said.contains("another stream writes to it"), "{more:?}: {said}");
    }
    // Nor is its model replaced by a stream whose output goes elsewhere.
    let elsewhere = stream(&[&LEARNER[..], &["--save", text(&model), "--input", &input]].concat());
    let said = stderr(&elsewhere);
    assert!(!elsewhere.status.success() && said.contains("m: another stream writes to it"), "{said}");
    drop(rows);
    assert!(first.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 4);
    assert!(stream(&[&LEARNER[..], &args, &[&*input]].concat()).status.success(), "it is free again");
}
