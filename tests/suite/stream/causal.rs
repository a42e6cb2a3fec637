//! No scale but those of the whole file owes anything to later rows: found from the outside, by changing these.

use super::*;

/// Inputs on scales of their own: thousands, zeros and ones, a small drift; targets in the hundreds. From row `from` on
/// (from 0) everything is another thing, if `other`.
fn rows(count: usize, from: usize, other: bool) -> String {
    let mut text = String::from("a,b,c,y\n");
    for t in 0..count {
        let at = t as f64;
        let (a, b, c) = (4e3 + 900.0 * (at * 0.7).sin(), t % 3 % 2, 1e-3 * (at * 1.3).cos() + 1e-6 * at);
        let y = 300.0 + 40.0 * (a / 900.0 - 2e3 * c).sin() + 10.0 * b as f64;
        text += &match other && t >= from {
            true => format!("{},{},{},{}\n", 7.0 - 3.0 * a, t % 2, 50.0 * c, 1e4 - 2.0 * y),
            false => format!("{a},{b},{c},{y}\n"),
        };
    }
    text
}

/// The same rows, of which row `at` has another target.
fn other_target(count: usize, at: usize) -> String {
    let changed = |(t, line): (usize, &str)| match (t == at + 1, line.rsplit_once(',')) {
        (true, Some((inputs, _))) => format!("{inputs},-777\n"),
        _ => format!("{line}\n"),
    };
    rows(count, count, false).lines().enumerate().map(changed).collect()
}

/// The lines of rounds 1 to `count` of an output.
fn first(output: &[u8], count: usize) -> Vec<String> {
    let text = String::from_utf8(output.to_vec()).unwrap();
    let lines: Vec<String> = text.lines().skip(1).take(count).map(str::to_owned).collect();
    assert_eq!(lines.len(), count, "{text}");
    lines
}

fn played(args: &[&str]) -> Vec<u8> {
    let output = stream(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    output.stdout
}

/// What is tried: learners of several kinds, each with scales that know no later row. `auto` scales by itself.
fn settings() -> Vec<Vec<&'static str>> {
    let scales: [&[&str]; 4] = [
        &["--scale", "none", "--target-scale", "none"],
        &["--scale", "epochs", "--target-scale", "epochs"],
        &["--scale", "running", "--target-scale", "none"],
        &[],
    ];
    let learners: [&[&str]; 4] = [
        &["--learner", "pkrr-taylor", "--set", "lambda=1", "--set", "order=2"],
        &["--learner", "pkawv-fourier", "--set", "features=30"],
        &["--learner", "linear-ogd", "--set", "eta=1e-9"],
        &["--learner", "last-value"],
    ];
    let all = learners.iter().flat_map(|learner| scales.iter().map(|scale| [*learner, *scale].concat()));
    let auto = noregret_core::learner::LEARNERS.get("auto").map(|_| vec!["--learner", "auto"]);
    let derived = ["--learner", "linear-ridge", "--lags", "1,2,7", "--means", "3,28", "--periods", "24,5"];
    all.chain(auto).chain([derived.to_vec()]).collect()
}

const COUNT: usize = 760;

/// Rounds at which rows change: before the first epoch, where one begins, and between two.
const CUTS: [usize; 5] = [1, 2, 5, 300, 710];

fn with<'a>(setting: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [setting, &["--target", "y"], more].concat()
}

/// Predictions and losses of earlier rows are the same bytes, whatever comes later, live and in blocks; the prediction of a
/// row does not know its target; and a file that ends gives what its rows give in a longer one.
#[test]
fn later_rows_change_nothing() {
    let folder = Folder::new();
    let whole = folder.file("whole.csv", rows(COUNT, COUNT, false));
    for setting in settings() {
        for live in ["--live=yes", "--live=no"] {
            let play = |file: &str| played(&with(&setting, &[live, "--input", file]));
            let expected = play(&whole);
            for cut in CUTS {
                let changed = folder.file("changed.csv", rows(COUNT, cut, true));
                assert_eq!(first(&play(&changed), cut), first(&expected, cut), "{setting:?}, {live}, row {cut}");
                let target = folder.file("target.csv", other_target(COUNT, cut));
                let known = |output: &[u8]| column(&parse(output), 2)[..=cut].to_vec();
                assert_eq!(known(&play(&target)), known(&expected), "{setting:?}, {live}, target of row {cut}");
                let short = folder.file("short.csv", rows(cut, cut, false));
                let short = play(&short);
                if live == "--live=yes" {
                    assert_eq!(first(&short, cut), first(&expected, cut), "{setting:?}, cut at row {cut}");
                }
                for (one, other) in column(&parse(&short), 2).iter().zip(column(&parse(&expected), 2)) {
                    assert!((one - other).abs() <= 1e-9 * other.abs().max(1.0), "{setting:?}, cut at row {cut}");
                }
            }
        }
    }
}

/// A run that is saved and loaded knows as little, and goes on as if it had never been saved.
#[test]
fn a_saved_run_goes_on_and_knows_no_later_row() {
    let folder = Folder::new();
    let (begin, cut) = (200, 300);
    let whole = rows(COUNT, COUNT, false);
    let lines: Vec<&str> = whole.lines().collect();
    let start = folder.file("start.csv", format!("{}\n", lines[..=begin].join("\n")));
    let rest = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        format!("{}\n{}\n", lines[0], lines[begin + 1..].join("\n"))
    };
    let same = folder.file("same.csv", rest(&whole));
    let other = folder.file("other.csv", rest(&rows(COUNT, cut, true)));
    let all = folder.file("all.csv", &whole);
    let model = folder.path("model.safetensors").to_str().unwrap().to_owned();
    for setting in settings() {
        let live = "--live";
        played(&with(&setting, &[live, "--input", &start, "--save", &model]));
        let go_on = |file: &str| played(&["--load", &model, live, "--input", file]);
        let (same, other) = (go_on(&same), go_on(&other));
        assert_eq!(first(&same, cut - begin), first(&other, cut - begin), "{setting:?}");
        let undisturbed = played(&with(&setting, &[live, "--input", &all]));
        assert_eq!(first(&same, COUNT - begin), first(&undisturbed, COUNT)[begin..], "{setting:?}");
    }
}

/// The negative control: scales of the whole file look ahead, are found to, and say so wherever their numbers are shown.
#[test]
fn scales_of_the_whole_file_fail() {
    let folder = Folder::new();
    let whole = folder.file("whole.csv", rows(COUNT, COUNT, false));
    let changed = folder.file("changed.csv", rows(COUNT, 300, true));
    let learner = ["--learner", "pkrr-taylor", "--set", "lambda=1"];
    let scales: [&[&str]; 5] = [
        &["--scale", "unit", "--target-scale", "none"],
        &["--scale", "symmetric", "--target-scale", "none"],
        &["--scale", "none", "--target-scale", "unit"],
        &["--scale", "none", "--target-scale", "symmetric"],
        &["--scale", "none", "--target-scale", "standardise"],
    ];
    for scale in scales {
        let play = |file: &str| stream(&with(&[&learner[..], scale].concat(), &["--input", file]));
        let (one, other) = (play(&whole), play(&changed));
        assert_ne!(first(&one.stdout, 300), first(&other.stdout, 300), "{scale:?}");
        let said = stderr(&one);
        assert!(said.contains("owe something to later rows"), "{scale:?}: {said}");
        let summary = said.lines().find(|line| line.contains(" rounds, average loss")).unwrap();
        assert!(summary.contains("by scales that saw the whole file"), "{scale:?}: {summary}");
    }
}

/// What nobody gave a scale is on causal ones, which beat none by far here; forecasts, labels, noise and constants are not.
#[test]
fn the_defaults_are_causal_where_they_make_sense() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows(400, 400, false));
    let ridge = ["--learner", "pkrr-taylor", "--set", "lambda=1", "--input", file.as_str()];
    let play = |scales: &[&str]| played(&with(&ridge, scales));
    let default = play(&[]);
    assert_eq!(default, play(&["--scale", "epochs", "--target-scale", "epochs"]));
    let loss = |output: &[u8]| parse(output).last().unwrap()[4];
    let none = loss(&play(&["--scale", "none", "--target-scale", "none"]));
    assert!(loss(&default) < 0.2 * none, "{} {none}", loss(&default));

    let plain = rows(300, 300, false);
    let labels = plain.lines().map(str::to_owned).enumerate().map(|(t, line)| match t {
        0 => format!("{line}\n"),
        t => format!("{},{}\n", line.rsplit_once(',').unwrap().0, if t % 3 == 0 { 1 } else { -1 }),
    });
    let labels = folder.file("labels.csv", labels.collect::<String>());
    let cases: [(&[&str], &[&str]); 3] = [
        (&["--learner", "aioli-taylor", "--input", &labels], &["--scale", "epochs", "--target-scale", "none"]),
        (&["--learner", "constant", "--input", &file], &["--scale", "epochs", "--target-scale", "none"]),
        (
            &[
                "--learner",
                "linear-ogd",
                "--set",
                "eta=1e-9",
                "--noise",
                "gaussian",
                "--noise-std",
                "1",
                "--input",
                &file,
            ],
            &["--scale", "none", "--target-scale", "none"],
        ),
    ];
    for (setting, scales) in cases {
        assert_eq!(played(&with(setting, &[])), played(&with(setting, scales)), "{setting:?}");
    }
    for (setting, scale, why) in [
        (cases[0].0, ["--target-scale", "epochs"], "labels -1 and 1"),
        (cases[2].0, ["--scale", "epochs"], "copies of the rows"),
    ] {
        let refused = stream(&with(setting, &scale));
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
}
