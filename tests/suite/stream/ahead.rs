//! Forecasts at several horizons at once: each is what the learner `ahead` finds, owes nothing to later rows, and is written also
//! where its row is not there yet.

use super::*;

const HORIZONS: [usize; 3] = [1, 2, 5];

/// A target that depends on the two before it and on an input. From row `from` on, from 0, targets are other ones, if `other`.
fn table(rows: usize, from: usize, other: bool) -> String {
    let (mut text, mut last) = (String::from("a,y\n"), [0.0, 0.0]);
    for t in 0..rows {
        let a = 900.0 + 50.0 * (t as f64 * 0.7).sin();
        let y = 40.0 + 0.6 * last[0] - 0.3 * last[1] + a / 30.0;
        last = [y, last[0]];
        text += &format!("{a},{}\n", if other && t >= from { 500.0 - 3.0 * y } else { y });
    }
    text
}

/// The first lines of a table.
fn first(text: &str, rows: usize) -> String {
    text.lines().take(rows + 1).map(|line| format!("{line}\n")).collect()
}

/// The cells of an output, without its header.
fn cells(bytes: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn played(args: &[&str]) -> Vec<Vec<String>> {
    let output = stream(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    cells(&output.stdout)
}

/// The lines of a horizon without the columns `steps` and `forecast`: what a run with this horizon alone writes.
fn at(lines: &[Vec<String>], steps: usize) -> Vec<Vec<String>> {
    let own = lines.iter().filter(|line| line[1] == steps.to_string() && !line[2].is_empty());
    own.map(|line| [&line[..1], &line[2..line.len() - 1]].concat()).collect()
}

/// Learners of several kinds, with and without draws, scales, past targets, intervals and distributions; with what `--learner ahead`
/// needs to hold the same one.
const SETTINGS: [(&[&str], &[&str]); 6] = [
    (
        &["--learner", "linear-ridge", "--set", "lambda=0.1", "--lags", "1,2", "--means", "3"],
        &["--set", "base.name=linear-ridge", "--set", "base.lambda=0.1", "--lags", "1,2", "--means", "3"],
    ),
    (&["--learner", "kernel-awv", "--views", "past"], &["--set", "base=kernel-awv", "--views", "past"]),
    (&["--learner", "fogd", "--set", "eta=0.3"], &["--set", "base.name=fogd", "--set", "base.eta=0.3"]),
    (&["--learner", "kernel-ridge", "--std"], &["--set", "base=kernel-ridge", "--std"]),
    (
        &["--learner", "intervals", "--target-scale", "unit", "--scale", "none"],
        &["--set", "base=intervals", "--target-scale", "unit", "--scale", "none"],
    ),
    (
        &["--learner", "auto", "--set", "members=linear"],
        &["--set", "base={name='auto',members='linear'}", "--scale", "none", "--target-scale", "none"],
    ),
];

#[test]
fn each_horizon_is_what_a_run_with_it_alone_finds() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", table(120, 0, false));
    for ((learner, base), live) in SETTINGS.into_iter().flat_map(|setting| [(setting, false), (setting, true)]) {
        if live && learner.contains(&"unit") {
            continue;
        }
        let live: &[&str] = if live { &["--live"] } else { &[] };
        let common = [live, &["--input", &file, "--target", "y"]].concat();
        let all = played(&[&common[..], learner, &["--ahead", "1,2,5"]].concat());
        assert_eq!(at(&all, 1), played(&[&common[..], learner].concat()), "{learner:?}");
        for steps in HORIZONS {
            let alone = format!("steps={steps}");
            let alone = [&common[..], &["--learner", "ahead", "--set", &alone], base].concat();
            let expected = if steps == 1 && learner.contains(&"fogd") { continue } else { played(&alone) };
            assert_eq!(at(&all, steps), expected, "{learner:?}, {steps} steps");
        }
        // A horizon is not changed by others.
        assert_eq!(at(&played(&[&common[..], learner, &["--ahead", "5"]].concat()), 5), at(&all, 5), "{learner:?}");
    }
}

/// Whether forecasts at each horizon are the same before row 80, whatever targets are from this row on.
fn keeps_the_law(folder: &Folder, args: &[&str]) -> bool {
    let files = [false, true].map(|other| folder.file(&format!("{other}.csv"), table(120, 80, other)));
    let [before, other] = files.map(|file| {
        let lines = played(&[args, &["--input", &file, "--target", "y", "--ahead", "1,2,5"]].concat());
        // What was forecast at row 80 for later ones was known before its target.
        let told = |line: &[String]| {
            let row: usize = line[0].parse().unwrap();
            (row <= 81).then(|| (row, line[1].clone(), line[3].clone(), line.last().unwrap().clone()))
        };
        let later = |line: &[String]| {
            let (row, steps): (usize, usize) = (line[0].parse().unwrap(), line[1].parse().unwrap());
            (row > 81 && row < 81 + steps).then(|| (row, line[1].clone(), line[3].clone(), String::new()))
        };
        lines.iter().filter_map(|line| told(line).or_else(|| later(line))).collect::<Vec<_>>()
    });
    assert_eq!(before.len(), 81 * HORIZONS.len() + 1 + 4);
    before == other
}

/// A scale of the whole file is the negative control: it breaks the law.
#[test]
fn forecasts_owe_nothing_to_later_targets() {
    let folder = Folder::new();
    for (learner, _) in SETTINGS.into_iter().filter(|(learner, _)| !learner.contains(&"unit")) {
        for live in [&[][..], &["--live"]] {
            assert!(keeps_the_law(&folder, &[learner, live].concat()), "{learner:?} {live:?}");
        }
    }
    let whole = ["--learner", "linear-ridge", "--target-scale", "standardise", "--lags", "1"];
    assert!(!keeps_the_law(&folder, &whole));
}

/// Row 100 is between rows 94 and 118, after which epochs begin: what waits across the beginning of one is scaled anew, to rounding.
#[test]
fn what_is_not_due_yet_is_what_a_longer_file_finds() {
    let folder = Folder::new();
    let whole = table(110, 0, false);
    let files = [100, 110].map(|rows| folder.file(&format!("{rows}.csv"), first(&whole, rows)));
    // Rows without a target take what was forecast of them, as long as there is something.
    let known = first(&whole, 100) + "900,\n910,\n920,\n";
    let gap = folder.file("gap.csv", &known);
    for (learner, _) in SETTINGS {
        // The scale of the whole file is another one where the file is longer.
        let scale: &[&str] = if learner.contains(&"unit") { &["--limit", "100"] } else { &[] };
        let input = if scale.is_empty() { &files[0] } else { &files[1] };
        let common = [learner, &["--target", "y", "--ahead", "1,2,5"]].concat();
        let [found, expected] = [(input, scale), (&files[1], &[])]
            .map(|(file, more)| played(&[&common[..], &["--input", file], more].concat()));
        // With the ends of its interval, or its mean and deviation.
        let said =
            |line: &Vec<String>| [&line[3..4], line.get(6..8).filter(|_| line.len() > 7).unwrap_or_default()].concat();
        let due: Vec<&Vec<String>> = found.iter().skip(300).collect();
        assert_eq!(found[..300], expected[..300], "{learner:?}");
        let order: Vec<String> = due.iter().map(|line| line[..2].join(" ")).collect();
        assert_eq!(order, ["101 2", "101 5", "102 5", "103 5", "104 5"]);
        for line in due {
            let same = expected.iter().find(|other| other[..2] == line[..2]).unwrap();
            assert!(line[2].is_empty() && line[4].is_empty(), "{line:?}");
            assert_eq!(said(line), said(same), "{learner:?}");
            // It was forecast at the row so many rows before.
            let (row, steps): (usize, usize) = (line[0].parse().unwrap(), line[1].parse().unwrap());
            let made = (row - steps + 1).to_string();
            let made = found.iter().find(|other| other[0] == made && other[1] == line[1]).unwrap();
            assert_eq!(made.last(), Some(&line[3]), "{learner:?}");
        }
        if scale.is_empty() {
            let gap = played(&[&common[..], &["--input", &gap], scale].concat());
            let told: Vec<&[String]> =
                gap.iter().skip(300).filter(|line| line[1] != "1").map(|line| &line[..4]).collect();
            let nothing = |row: &str| [row, "2", "", ""].map(str::to_owned);
            let due = |at: usize| found[300 + at][..4].to_vec();
            let expected = [due(0), due(1), nothing("102").to_vec(), due(2), nothing("103").to_vec(), due(3), due(4)];
            assert_eq!(told, expected, "{learner:?}");
        }
    }
}

/// Saved after row 90, 3 rows without a target among the last, and gone on with, as an output and as a model; of Parquet every
/// part that a save ends.
#[test]
fn a_run_that_was_stopped_goes_on_with_the_same_bytes() {
    let folder = Folder::new();
    let gap =
        |text: String| text.replace(&text.lines().skip(88).take(3).collect::<Vec<_>>().join("\n"), "910,\n905,\n900,");
    let whole = gap(table(120, 0, false));
    let (file, part) = (folder.file("rows.csv", &whole), folder.file("part.csv", first(&whole, 90)));
    for (learner, _) in SETTINGS.into_iter().filter(|(learner, _)| !learner.contains(&"unit")) {
        let (model, output) = (folder.path("model"), folder.path("out.csv"));
        let learn = [learner, &["--target", "y", "--ahead", "1,2,5"]].concat();
        let save = ["--save", model.to_str().unwrap(), "--save-every", "30", "--output", output.to_str().unwrap()];
        played(&[&learn[..], &["--input", &file], &save].concat());
        let (whole, saved) = (fs::read(&output).unwrap(), fs::read(&model).unwrap());
        fs::remove_file(&model).unwrap();
        played(&[&learn[..], &["--input", &part], &save].concat());
        assert!(fs::read(&output).unwrap().len() < whole.len());
        let later = folder.file(
            "later.csv",
            "a,y\n".to_owned() + &table(120, 0, false).lines().skip(91).collect::<Vec<_>>().join("\n"),
        );
        // What is written beside predictions is no part of a model.
        let std: &[&str] = if learner.contains(&"--std") { &["--std"] } else { &[] };
        let model_goes_on = played(&[&["--load", model.to_str().unwrap(), "--input", &later], std].concat());
        assert_eq!(model_goes_on[..], cells(&whole)[270..], "{learner:?}");
        played(&[&learn[..], &["--input", &file, "--resume"], &save].concat());
        assert_eq!((fs::read(&output).unwrap(), fs::read(&model).unwrap()), (whole, saved), "{learner:?}");
        [model, output].iter().for_each(|path| fs::remove_file(path).unwrap());
    }
    let (model, output) = (folder.path("model"), folder.path("out.parquet"));
    let args =
        ["--learner", "linear-ridge", "--target", "y", "--ahead", "2,5", "--save-every", "30", "--unseen", "--save"];
    let args = [&args[..], &[model.to_str().unwrap(), "--output", output.to_str().unwrap(), "--input"]].concat();
    let parts = |args: &[&str]| {
        played(args);
        let mut names: Vec<PathBuf> = fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names.iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    let expected = parts(&[&args[..], &[&file]].concat());
    assert!(expected.len() == 5 && expected[4].0.ends_with("part-000000000124.parquet"));
    fs::remove_dir_all(&output).unwrap();
    fs::remove_file(&model).unwrap();
    parts(&[&args[..], &[&part]].concat());
    assert_eq!(parts(&[&args[..], &[&file, "--resume"]].concat()), expected);
}

/// A forecast is there with the row that it was made at; what is not due yet comes when the pipe ends.
#[test]
fn a_row_from_a_pipe_is_answered_with_forecasts_at_once() {
    use std::io::{BufRead, BufReader};
    let args = ["--learner", "last-value", "--target", "y", "--ahead", "1,3", "--target-scale", "none", "--input", "-"];
    let mut child = command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut pipe, mut answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
    pipe.write_all(b"hour,y\n").unwrap();
    for t in 1..=4 {
        pipe.write_all(format!("{},{t}\n", 100 + t).as_bytes()).unwrap();
        if t == 1 {
            let header = answers.next().unwrap().unwrap();
            assert_eq!(header, "round,steps,target,prediction,loss,cumulative_loss,forecast");
        }
        for steps in [1, 3] {
            let answer = answers.next().unwrap().unwrap();
            // 3 steps ahead the first target that is learnt is that of row 3, with row 1.
            let known = if steps == 3 && t < 4 { 0 } else { t - 1 };
            let (start, end) = (format!("{t},{steps},{t},"), format!(",{known}"));
            assert!(answer.starts_with(&start) && answer.ends_with(&end), "{answer}");
        }
    }
    drop(pipe);
    let rest: Vec<String> = answers.map(Result::unwrap).collect();
    assert_eq!(rest, ["5,3,,0,,30,", "6,3,,3,,30,"]);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_end_says_what_each_horizon_cost() {
    let folder = Folder::new();
    let input = folder.file("rows.csv", "hour,y\n0,1\n1,2\n2,3\n3,4\n");
    let page = folder.path("page.html");
    let args = ["--learner", "last-value", "--target", "y", "--input", &input, "--metrics", "mae", "--ahead"];
    let said = |more: &[&str]| stderr(&stream(&[&args[..], more].concat()));
    let all = said(&["1,3,9", "--report", page.to_str().unwrap()]);
    // 3 steps ahead, nothing was learnt when rows 3 and 4 were forecast: 0.
    for line in [
        "1 step ahead: 4 targets, average loss 1, mae 1.000000",
        "3 steps ahead: 2 targets, average loss 12.5, mae 3.500000",
        "9 steps ahead: no target had a forecast",
        "4 rounds, forecasts 1, 3, 9 steps ahead, ",
    ] {
        assert!(all.contains(line), "{line}: {all}");
    }
    let longer = folder.file("longer.csv", table(200, 100, true));
    let given = stream(&["--learner", "intervals", "--target", "y", "--input", &longer, "--ahead", "2"]);
    let missed = cells(&given.stdout).iter().filter(|line| line[8] == "1").count();
    let (said, line) = (stderr(&given), format!(", {missed} outside of their intervals"));
    assert!(missed > 0 && said.contains("2 steps ahead: 199 targets, ") && said.contains(&line), "{missed}: {said}");
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    let folder = Folder::new();
    let input = folder.file("rows.csv", "a,n,y,word\n1,1,2,b\n2,2,3,c\n");
    let model = folder.path("model");
    for (args, why) in [
        (&["--ahead", "0"][..], "horizons count from 1"),
        (&["--ahead", "2,2"], "once, in increasing order"),
        (&["--ahead", "24,1"], "once, in increasing order"),
        (&["--ahead", "1,100001"], "at most 100000"),
        (&["--ahead", "x"], "invalid"),
        (&["--ahead", "2", "--delay", "3"], "leave --delay out"),
        (&["--ahead", "2", "--id", "n"], "leave --id out"),
        (&["--ahead", "2", "--sample-weight", "n"], "take no weights"),
        (&["--ahead", "2", "--further-targets", "n"], "a stream for each target"),
        (&["--ahead", "2", "--weights"], "--weights: "),
        (&["--ahead", "2", "--noise", "gaussian", "--noise-std", "1"], "leave the noise out"),
        (&["--ahead", "2", "--shuffle"], "the order of the file"),
        (&["--ahead", "2", "--classes"], "--positive WORD"),
        (&["--ahead", "2", "--report", "page.html"], "put 1 before"),
        (&["--ahead", "2", "--learner", "ahead"], "without ahead"),
    ] {
        let learner: &[&str] = if args.contains(&"--learner") { &[] } else { &["--learner", "linear-ridge"] };
        let refused = stream(&[args, learner, &["--target", "y", "--input", &input, "--drop", "word"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(stderr(&refused).contains(why), "{args:?}: {}", stderr(&refused));
    }
    let words = stream(&["--ahead", "2", "--learner", "linear-ridge", "--target", "word", "--input", &input]);
    assert!(stderr(&words).contains("--positive WORD makes it -1 and +1"), "{}", stderr(&words));
    let save =
        ["--ahead", "2", "--target", "y", "--input", &input, "--drop", "word", "--save", model.to_str().unwrap()];
    assert!(stream(&save).status.success());
    let output = Command::new(env!("CARGO_BIN_EXE_noregret"))
        .args(["predict", "--load", model.to_str().unwrap(), "--input", &input])
        .output()
        .unwrap();
    assert!(output.status.code() == Some(2) && stderr(&output).contains("stream --load"), "{}", stderr(&output));
}
