//! Learners that are saved, loaded, resumed after a kill, and asked for predictions.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use super::{Folder, command, parse, rounds, stderr, stream, table};

/// `noregret predict`, run to its end.
pub fn predict(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_noregret")).arg("predict").args(args).output().unwrap()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The lines of a table with a header from line `from` to line `to`, counted from 0 below the header, with the header.
pub fn part(table: &str, from: usize, to: usize) -> String {
    let (header, rows) = table.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().skip(from).take(to - from).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

/// Learners of every kind of state, and behind noise: a learner made for it, one in its place, one that asks for copies.
const LEARNERS: [&[&str]; 11] = [
    &["--learner", "pkawv-taylor", "--set", "lambda=0.1"],
    &["--learner", "kernel-awv"],
    &["--learner", "linear-ridge", "--set", "half_life=20", "--lags", "1,30", "--periods", "24,7"],
    &["--learner", "pkawv-taylor", "--lags", "2", "--periods", "0.5", "--periods-of", "b"],
    &["--learner", "pkrr-nystrom"],
    &["--learner", "fogd", "--set", "eta=0.05", "--set", "features=40"],
    &["--learner", "nogd", "--set", "eta=0.05"],
    &["--learner", "shrinking-gradient", "--set", "eta=0.05"],
    &[
        "--learner",
        "noisy-gaussian",
        "--set",
        "eta=0.05",
        "--set",
        "covariance=0.01",
        "--noise",
        "gaussian",
        "--noise-std",
        "0.1",
    ],
    &["--learner", "noisy-analytic", "--set", "eta=0.01", "--noise", "uniform", "--noise-std", "0.1"],
    &["--learner", "kernel-awv", "--noise", "gaussian", "--noise-std", "0.1", "--copies", "2"],
];

/// A run in two parts, the second of which loads what the first saved, writes the bytes of one run with the same saves.
#[test]
fn a_run_in_two_parts_is_one_run() {
    let folder = Folder::new();
    let rows = table(700);
    let whole = folder.file("whole.csv", &rows);
    let (first, second) = (folder.file("1.csv", part(&rows, 0, 450)), folder.file("2.csv", part(&rows, 450, 700)));
    let [once, twice] = ["once", "twice"].map(|name| folder.path(name));
    for learner in LEARNERS {
        let run = |input: &str, more: &[&str]| {
            let saves = ["--target", "y", "--input", input, "--save-every", "150"];
            let output = stream(&[&saves, more].concat());
            assert!(output.status.success(), "{learner:?}: {}", stderr(&output));
            output
        };
        let expected = run(&whole, &[learner, &["--seed", "3", "--save", text(&once)]].concat());
        let start = run(&first, &[learner, &["--seed", "3", "--save", text(&twice)]].concat());
        let end = run(&second, &["--load", text(&twice), "--save", text(&twice)]);
        assert!(stderr(&end).contains("700 rounds, average loss"), "{}", stderr(&end));
        let below = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().split_once('\n').unwrap().1.to_owned();
        let found = String::from_utf8(start.stdout).unwrap() + &below(&end.stdout);
        assert!(found.as_bytes() == expected.stdout, "{learner:?}");
        // What is saved is the same too, but for the rows that the last run read.
        let strip = |path| {
            let model = noregret_model::file::read(path).unwrap();
            (format!("{:?}", model.arrays), model.header.rounds)
        };
        assert_eq!(strip(&once), strip(&twice), "{learner:?}");
    }
}

/// Parameters with as many digits as a number has, some of which a careless reader of JSON reads with another last one.
#[test]
fn a_model_keeps_the_last_digits_of_its_parameters() {
    let folder = Folder::new();
    let input = folder.file("in.csv", table(300));
    let model = folder.path("m");
    for lambda in ["0.9452706955539223", "0.38120423768821243", "0.21659939713061338"] {
        let set = format!("lambda={lambda}");
        let args =
            ["--learner", "pkawv-taylor", "--set", &set, "--target", "y", "--input", &input, "--save", text(&model)];
        assert!(stream(&args).status.success());
        let output = stream(&["--load", text(&model), "--input", &input]);
        assert!(output.status.success(), "{lambda}: {}", stderr(&output));
    }
}

/// Killed at any moment and resumed each time, a run leaves the bytes of one that was left alone: its output and its
/// model. Each kill comes when the model has just changed, so that it hits a run under way.
#[test]
fn killed_and_resumed_the_bytes_are_those_of_an_undisturbed_run() {
    let folder = Folder::new();
    let rows = 60_000;
    let input = folder.file("in.csv", table(rows));
    let run = |name: &str| {
        let (output, model) = (folder.path(&format!("{name}.csv")), folder.path(&format!("{name}.model")));
        let mut command = command(&["--learner", "fogd", "--set", "features=300", "--target", "y", "--input", &input]);
        command.args(["--scale", "unit", "--save-every", "1000", "--shuffle", "--resume"]);
        command.arg("--output").arg(&output).arg("--save").arg(&model).stderr(std::process::Stdio::null());
        (command, output, model)
    };
    let (mut alone, expected, expected_model) = run("alone");
    assert!(alone.status().unwrap().success());
    let (mut again, output, model) = run("killed");
    let mut kills = 0;
    for _ in 0..6 {
        let before = fs::read(&model).ok();
        let mut child = again.spawn().unwrap();
        while child.try_wait().unwrap().is_none() && fs::read(&model).ok() == before {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += u32::from(!output.exists());
    }
    assert!(kills > 0, "no kill hit a run under way");
    assert!(again.status().unwrap().success());
    assert!(fs::read(&output).unwrap() == fs::read(&expected).unwrap());
    assert!(fs::read(&model).unwrap() == fs::read(&expected_model).unwrap());
    // Once more there is nothing to do, and nothing changes.
    assert!(again.status().unwrap().success());
    assert!(fs::read(&output).unwrap() == fs::read(&expected).unwrap());
    assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), rows + 1);
    let names = folder.names();
    assert_eq!(names, ["alone.csv", "alone.model", "in.csv", "killed.csv", "killed.model"]);
}

/// A Parquet output that can be resumed is a folder of parts, and holds every round once.
#[test]
fn parquet_goes_in_parts() {
    let folder = Folder::new();
    let input = folder.file("in.csv", table(1000));
    let (output, model) = (folder.path("out.parquet"), folder.path("m"));
    let run = |more: &[&str]| {
        let args = ["--learner", "kernel-ogd", "--set", "eta=0.1", "--target", "y", "--input", &input];
        let files = ["--output", text(&output), "--save", text(&model), "--save-every", "300"];
        stream(&[&args[..], &files, more].concat())
    };
    assert!(run(&["--limit", "700"]).status.success());
    let again = run(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("there already") && stderr(&again).contains("--resume"), "{}", stderr(&again));
    // What a kill leaves behind: a part after the last save, and one that is not complete.
    fs::write(output.join("part-000000000999.parquet"), "").unwrap();
    fs::write(output.join(".part-.1-0.tmp"), "").unwrap();
    assert!(run(&["--resume"]).status.success());
    let mut names: Vec<String> =
        fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let parts = [300, 600, 700, 900, 1000].map(|round| format!("part-{round:012}.parquet"));
    assert_eq!(names, parts);
    let mut found = Vec::new();
    for name in parts {
        let file = fs::File::open(output.join(name)).unwrap();
        let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        for batch in reader.build().unwrap() {
            let batch = batch.unwrap();
            let column = batch.column_by_name("round").unwrap();
            let column = arrow::array::AsArray::as_primitive::<arrow::datatypes::UInt64Type>(column);
            found.extend(column.values().iter().copied());
        }
    }
    assert!(found.into_iter().eq(1..=1000));
}

/// Rows without a target are predicted, and nothing is learnt from them: the others are predicted as without them.
#[test]
fn rows_without_a_target_teach_nothing() {
    let folder = Folder::new();
    let rows = table(400);
    let lacks = |i: usize| i % 7 == 3 || (100..180).contains(&i);
    let (mut holes, mut dense) = (String::from("a,b,y\n"), String::from("a,b,y\n"));
    for (i, line) in rows.lines().skip(1).enumerate() {
        let (inputs, _) = line.rsplit_once(',').unwrap();
        holes += &if lacks(i) { format!("{inputs},\n") } else { format!("{line}\n") };
        dense += &if lacks(i) { String::new() } else { format!("{line}\n") };
    }
    let (holes, dense) = (folder.file("holes.csv", holes), folder.file("dense.csv", dense));
    let run = |input: &str| stream(&["--learner", "kernel-awv", "--target", "y", "--input", input]);
    let (found, expected) = (run(&holes), rounds(&run(&dense)));
    assert!(stderr(&found).contains("400 rounds, average loss"), "{}", stderr(&found));
    assert!(stderr(&found).contains(&format!("over the {} with a target", expected.len())), "{}", stderr(&found));
    let found = String::from_utf8(found.stdout).unwrap();
    let mut known = expected.iter();
    let mut sum = "0".to_owned();
    for (i, line) in found.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[0], (i + 1).to_string());
        assert!(fields[2].parse::<f64>().unwrap().is_finite());
        if lacks(i) {
            assert_eq!([fields[1], fields[3], fields[4]], ["", "", &*sum]);
        } else {
            let [_, target, prediction, ..] = known.next().unwrap();
            assert_eq!(fields[1].parse::<f64>().unwrap(), *target);
            assert!((fields[2].parse::<f64>().unwrap() - prediction).abs() < 1e-9);
            sum = fields[4].to_owned();
        }
    }
    assert!(known.next().is_none());
    let none = folder.file("none.csv", "a,y\n1,\n2,\n");
    let none = stream(&["--learner", "running-mean", "--target", "y", "--input", &none]);
    assert_eq!(
        String::from_utf8(none.stdout.clone()).unwrap().lines().skip(1).collect::<Vec<_>>(),
        ["1,,0,,0", "2,,0,,0"]
    );
    assert!(stderr(&none).contains("2 rounds, none with a target"));
}

/// Predictions of a saved learner are those with which it would go on, scaled as it was, whatever else the file holds.
#[test]
fn a_saved_learner_predicts() {
    let folder = Folder::new();
    let rows = table(500);
    let input = folder.file("in.csv", part(&rows, 0, 400));
    let model = folder.path("m");
    let learn = ["--learner", "pkrr-taylor", "--scale", "unit", "--target", "y", "--input", &input, "--save"];
    assert!(stream(&[&learn[..], &[text(&model)]].concat()).status.success());
    let mut turned = String::from("note,b,a\n");
    for line in rows.lines().skip(401) {
        let fields: Vec<&str> = line.split(',').collect();
        turned += &format!("text,{},{}\n", fields[1], fields[0]);
    }
    let later = folder.file("later.csv", &turned);
    let found = predict(&["--load", text(&model), "--input", &later]);
    assert!(stderr(&found).contains("100 rows predicted by pkrr-taylor after 400 rounds"), "{}", stderr(&found));
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(found.starts_with("row,prediction\n1,"));
    let found: Vec<f64> = found.lines().skip(1).map(|line| line.split_once(',').unwrap().1.parse().unwrap()).collect();
    assert_eq!(found.len(), 100);
    // A stream without targets predicts the same.
    let unlabelled: String =
        rows.lines().skip(401).map(|line| line.rsplit_once(',').unwrap().0.to_owned() + ",\n").collect();
    let unlabelled = folder.file("unlabelled.csv", format!("a,b,y\n{unlabelled}"));
    let same = stream(&["--load", text(&model), "--input", &unlabelled]);
    let lines = String::from_utf8(same.stdout).unwrap();
    let column = |line: &str| line.split(',').nth(2).unwrap().parse::<f64>().unwrap();
    assert!(lines.lines().skip(1).map(column).eq(found.iter().copied()));
    // The first row of a stream with targets, too.
    let goes_on = folder.file("goes_on.csv", part(&rows, 400, 500));
    let goes_on = stream(&["--load", text(&model), "--input", &goes_on]);
    let first = parse(&goes_on.stdout)[0];
    assert_eq!(first[0], 401.0);
    assert!((first[2] - found[0]).abs() < 1e-9);
    let parquet = folder.path("p.parquet");
    assert!(predict(&["--load", text(&model), "--input", &later, "--output", text(&parquet)]).status.success());
    assert!(fs::read(&parquet).unwrap().starts_with(b"PAR1"));
    let lacks = folder.file("lacks.csv", "a\n1\n");
    let lacks = predict(&["--load", text(&model), "--input", &lacks]);
    assert!(lacks.status.code() == Some(2) && stderr(&lacks).contains("`b`"), "{}", stderr(&lacks));
}

/// Encoders of words and gaps and running scales live on with the learner: a run in two parts is one run, and what is
/// saved predicts rows without a target.
#[test]
fn encoders_and_scales_live_on() {
    let folder = Folder::new();
    let mut rows = String::from("colour,size,answer\n");
    for i in 0..300 {
        let colour = ["red", "blue", "green"][i * i % 7 % 3];
        let size = if i % 11 == 4 { String::new() } else { (i as f64 * 0.37).sin().to_string() };
        rows += &format!("{colour},{size},{}\n", if (i * 7) % 5 < 2 { "yes" } else { "no" });
    }
    let whole = folder.file("whole.csv", &rows);
    let (first, second) = (folder.file("1.csv", part(&rows, 0, 180)), folder.file("2.csv", part(&rows, 180, 300)));
    let [once, twice] = ["once", "twice"].map(|name| folder.path(name));
    let learn = ["--learner", "kernel-awv", "--missing", "indicator", "--scale", "running"];
    let run = |input: &str, more: &[&str]| {
        let output = stream(&[&["--target", "answer", "--input", input, "--save-every", "60"], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let expected = run(&whole, &[&learn[..], &["--save", text(&once)]].concat());
    let start = run(&first, &[&learn[..], &["--save", text(&twice)]].concat());
    let end = run(&second, &["--load", text(&twice), "--save", text(&twice)]);
    assert_eq!(start + end.split_once('\n').unwrap().1, expected);
    let [once, twice] = [once, twice].map(|path| (noregret_model::file::read(&path).unwrap(), path));
    assert_eq!(once.0.header.plan, twice.0.header.plan);
    assert_eq!(format!("{:?}", once.0.arrays), format!("{:?}", twice.0.arrays));
    let bare = folder.file("bare.csv", "size,colour\n0.1,red\n,violet\n");
    let found = predict(&["--load", text(&once.1), "--input", &bare]);
    assert!(found.status.success(), "{}", stderr(&found));
    assert_eq!(String::from_utf8(found.stdout).unwrap().lines().count(), 3);
}

/// The horizon that 1/sqrt(n) meant is kept: what is loaded takes the same steps.
#[test]
fn the_horizon_is_kept() {
    let folder = Folder::new();
    let rows = table(300);
    let whole = folder.file("whole.csv", &rows);
    let later = folder.file("later.csv", part(&rows, 100, 300));
    let model = folder.path("m");
    let learn = ["--learner", "kernel-ogd", "--target", "y", "--input", &whole];
    // The save at round 100 is what the limit of the copy stopped at; its horizon is that of all rows.
    assert!(stream(&[&learn[..], &["--save", text(&model), "--save-every", "100"]].concat()).status.success());
    assert_eq!(noregret_model::file::read(&model).unwrap().header.horizon, Some(300));
    assert!(stream(&[&learn[..], &["--limit", "100", "--save", text(&model)]].concat()).status.success());
    assert_eq!(noregret_model::file::read(&model).unwrap().header.horizon, Some(100));
    let loaded = stream(&["--load", text(&model), "--input", &later]);
    let explicit = stream(&[&learn[..], &["--set", "eta=0.1"]].concat());
    for (a, b) in parse(&loaded.stdout).iter().zip(&rounds(&explicit)[100..]) {
        assert!(a[0] == b[0] && (a[2] - b[2]).abs() < 1e-9, "{a:?} {b:?}");
    }
}

#[test]
fn what_cannot_be_loaded_or_resumed_is_refused_with_a_reason() {
    let folder = Folder::new();
    let input = folder.file("in.csv", table(200));
    let (model, output) = (folder.path("m"), folder.path("out.csv"));
    let learn = ["--learner", "kernel-ogd", "--set", "eta=0.1", "--target", "y", "--input", &input];
    let saves = ["--save", text(&model), "--save-every", "50", "--output", text(&output)];
    assert!(stream(&[&learn[..], &saves].concat()).status.success());
    let refused = |args: &[&[&str]], status: i32, says: &[&str]| {
        let found = stream(&args.concat());
        assert_eq!(found.status.code(), Some(status), "{args:?}: {}", stderr(&found));
        says.iter().for_each(|says| assert!(stderr(&found).contains(says), "{says}: {}", stderr(&found)));
    };
    let other = ["--learner", "kernel-ogd", "--set", "eta=0.2", "--target", "y", "--input", &input];
    refused(&[&other, &saves, &["--resume"]], 1, &["cannot resume", "eta=0.1", "eta=0.2"]);
    refused(&[&learn, &["--save-every", "5"]], 2, &["--save"]);
    refused(&[&learn, &saves, &["--resume", "--missing", "mean"]], 1, &["no --missing, not with --missing mean"]);
    refused(&[&learn, &saves, &["--resume", "--drop", "b"]], 1, &["no --drop, not with --drop b"]);
    refused(&[&learn, &["--resume"]], 2, &["--save"]);
    // Options that are left out, too: those that have a default, and those of how the file is read.
    let left = folder.path("left");
    let saves_left = ["--save", text(&left), "--output", "/dev/null"];
    let more = ["--delay", "3", "--unseen", "--std=0.3", "--month-first", "--lags", "1"];
    let ridge = ["--learner", "kernel-ridge", "--target", "y", "--input", &input];
    assert!(stream(&[&ridge[..], &saves_left, &more].concat()).status.success());
    for (gone, says) in [
        (0..2, "--delay 3, not with no --delay"),
        (2..3, "--unseen, not with no --unseen"),
        (3..4, "--std"),
        (4..5, "--month-first, not with no --month-first"),
        (5..7, "--lags 1, not with no --lags"),
    ] {
        let kept: Vec<&str> = more.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, one)| *one).collect();
        refused(&[&ridge, &saves_left, &kept, &["--resume"]], 1, &[says]);
    }
    refused(&[&learn, &["--load", text(&model)]], 2, &["cannot be used with"]);
    refused(&[&learn, &["--save", "/no/such/folder/m"]], 2, &["no such folder"]);
    refused(&[&learn, &["--save", &input]], 2, &["the input"]);
    let socket = folder.path("socket");
    let _open = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    refused(&[&learn, &["--save", text(&socket)]], 2, &["a device, a pipe or a socket"]);
    assert!(!fs::metadata(&socket).unwrap().is_file());
    refused(&[&["--target", "y"]], 2, &["--input"]);
    let load = ["--load", text(&model), "--input", &input];
    refused(&[&load, &["--target", "a"]], 2, &["was saved with the target y"]);
    // An output of another run, or none.
    let whole = fs::read(&output).unwrap();
    fs::write(&output, [&b"x"[..], &whole].concat()).unwrap();
    refused(&[&learn, &saves, &["--resume"]], 1, &["cannot resume", "no line of round 200"]);
    assert!(!folder.path("out.csv.partial").exists(), "the output of the other run keeps its name");
    fs::remove_file(&output).unwrap();
    refused(&[&learn, &saves, &["--resume"]], 1, &["cannot resume", "is not there"]);
    let bytes = fs::read(&model).unwrap();
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for (damaged, says) in
        [(&bytes[..bytes.len() / 2], "not a whole"), (&flipped, "SHA-256"), (b"a,b\n1,2\n", "not a whole")]
    {
        fs::write(&model, damaged).unwrap();
        refused(&[&load], 1, &["is no model that can be used", says, "save it again"]);
        let predicted = predict(&load);
        assert!(predicted.status.code() == Some(1) && stderr(&predicted).contains(says));
    }
    fs::remove_file(&model).unwrap();
    refused(&[&load], 1, &["cannot read the model", "No such file"]);
}
