//! The kind of a column is that of its first cell that is not empty, or declared, and nothing depends on later rows: on files
//! with words, dates, numbers in disguise and gaps.

use std::sync::Arc;

use ::arrow::array::{ArrayRef, Float64Array, Int64Array};
use ::arrow::datatypes::Time64MicrosecondType;
use parquet::basic::Compression;

use super::*;
use crate::data::formats::parquet;

/// Rows with words, times, numbers as people write them, gaps, and two columns that begin late. From row `from` on (from 0)
/// everything is another thing, if `other`: new words, other numbers, and, if `bad`, cells that do not fit.
fn rows(count: usize, from: usize, other: bool, bad: bool) -> String {
    let mut text = String::from("word,at,price,gap,late,later,y\n");
    for t in 0..count {
        let (hour, day) = (t % 24, 1 + t / 24);
        let at = t as f64;
        let (word, price) = (["red", "blue", "green"][t * t % 7 % 3], 1000 + t * 37 % 5000);
        let gap = if t % 5 == 3 { String::new() } else { format!("{}", (at * 0.3).sin()) };
        let late = if t < 40 { "" } else { ["up", "down"][t % 2] };
        let later = if t < 60 { String::new() } else { format!("{}", t % 9) };
        let y = 20.0 + 3.0 * (hour as f64 * 0.26).sin() + word.len() as f64;
        let grouped = |number: usize| format!("\"${},{:03}\"", number / 1000, number % 1000);
        text += &match (other && t >= from, bad && t % 3 == 0) {
            (false, _) => {
                format!("{word},2024-03-{day:02} {hour:02}:30,{},{gap},{late},{later},{y}\n", grouped(price))
            }
            (true, false) => {
                let (word, late) = (format!("new{}", t % 40), ["2024-01-31", "5", "2024-02-01"][t % 3]);
                format!("{word},1999-12-{:02},{},{},{late},{},{}\n", 1 + t % 28, t % 3, 1e6 * at, -7.5 * at, -y * 9.0)
            }
            (true, true) => [
                format!("{word},noon,{price},{gap},{late},{later},{y}\n"),
                format!("{word},2024-03-01,many,{gap},{late},{later},{y}\n"),
                format!("{word},2024-03-01,5,x,{late},{later},{y}\n"),
                format!("{word},2024-03-01,5,7,{late},{later},many\n"),
                "too,few\n".to_owned(),
            ][t % 5]
                .clone(),
        };
    }
    text
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

const RIDGE: [&str; 3] = ["--learner", "pkrr-taylor", "--set=lambda=1"];

/// An ordinary learner on each scale that knows no later row, learners that are shown views, and `auto`.
fn settings() -> Vec<Vec<&'static str>> {
    let scales: [&[&str]; 3] = [
        &["--scale", "none", "--target-scale", "none"],
        &["--scale", "epochs", "--target-scale", "epochs"],
        &["--scale", "running", "--target-scale", "none"],
    ];
    let ordinary = scales.iter().map(|scale| [&RIDGE[..], scale].concat());
    let hashes = [&RIDGE[..], &["--category-as", "hash", "--missing", "indicator"]].concat();
    let views = vec!["--learner", "kernel-awv", "--views", "past,categories"];
    let past = vec!["--learner", "pkrr-taylor", "--views", "past"];
    ordinary.chain([hashes, views, past, vec!["--learner", "auto"]]).collect()
}

const COUNT: usize = 180;

/// Rows at which rows change: at the beginning, before the columns begin that begin late, and where they have begun.
const CUTS: [usize; 5] = [1, 2, 30, 50, 120];

fn with<'a>(setting: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let missing: &[&str] = if setting.contains(&"--missing") { &[] } else { &["--missing", "mean"] };
    [setting, &["--target", "y", "--on-bad-row", "skip"], missing, more].concat()
}

/// What rows before row t say are the same bytes, whatever later rows are; a file that ends there gives the same bits live, and
/// so does a pipe.
#[test]
fn later_rows_decide_nothing() {
    let folder = Folder::new();
    let whole = rows(COUNT, COUNT, false, false);
    let file = folder.file("whole.csv", &whole);
    for setting in settings() {
        for live in ["--live=yes", "--live=no"] {
            let play = |file: &str| played(&with(&setting, &[live, "--input", file]));
            let expected = play(&file);
            for cut in CUTS {
                for bad in [false, true] {
                    let changed = folder.file("changed.csv", rows(COUNT, cut, true, bad));
                    let found = play(&changed);
                    if bad && live == "--live=no" {
                        // Rows that are passed over make the last block another one.
                        for (one, other) in parse(&found)[..cut].iter().zip(parse(&expected)) {
                            let near = one.iter().zip(&other).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1.0));
                            assert!(near, "{setting:?}, row {cut}: {one:?} {other:?}");
                        }
                        continue;
                    }
                    assert_eq!(first(&found, cut), first(&expected, cut), "{setting:?}, {live}, row {cut}, {bad}");
                }
                if live == "--live=yes" {
                    let short = folder.file("short.csv", rows(cut, cut, false, false));
                    assert_eq!(first(&play(&short), cut), first(&expected, cut), "{setting:?}, cut at row {cut}");
                }
            }
        }
        let live = played(&with(&setting, &["--live", "--input", &file]));
        assert_eq!(piped(&with(&setting, &["--input", "-"]), &whole).stdout, live, "{setting:?}");
    }
}

/// A run over standard input.
fn piped(args: &[&str], text: &str) -> Output {
    let mut child = command(args);
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let (mut pipe, text) = (child.stdin.take().unwrap(), text.to_owned());
    let feeder = std::thread::spawn(move || std::io::Write::write_all(&mut pipe, text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    output
}

/// A run that is saved, and loaded or resumed, knows as little, and goes on as if it had never been saved: also where it was
/// saved before some columns began.
#[test]
fn saved_and_resumed_runs_know_no_later_row() {
    let folder = Folder::new();
    let whole = rows(COUNT, COUNT, false, false);
    let file = folder.file("whole.csv", &whole);
    for setting in settings() {
        let undisturbed = played(&with(&setting, &["--live", "--input", &file]));
        for (begin, cut) in [(30, 35), (100, 120)] {
            let changed = rows(COUNT, cut, true, true);
            let part = |text: &str| {
                let lines: Vec<&str> = text.lines().collect();
                format!("{}\n{}\n", lines[0], lines[begin + 1..].join("\n"))
            };
            let start = folder.file("start.csv", rows(begin, begin, false, false));
            let [same, other] = [("same.csv", &whole), ("other.csv", &changed)];
            let (same, other) = (folder.file(same.0, part(same.1)), folder.file(other.0, part(other.1)));
            let model = folder.path("model").to_str().unwrap().to_owned();
            played(&with(&setting, &["--live", "--input", &start, "--save", &model]));
            let go_on = |file: &str| played(&["--load", &model, "--live", "--on-bad-row", "skip", "--input", file]);
            assert_eq!(first(&go_on(&same), COUNT - begin), first(&undisturbed, COUNT)[begin..], "{setting:?}");
            let found = first(&go_on(&other), cut - begin);
            assert_eq!(found, first(&undisturbed, cut)[begin..], "{setting:?}");
            // The same file, of which the rows that were not yet read became others.
            let (model, output) = (folder.path("resumed"), folder.path("resumed.csv"));
            let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
            let (model, output) = (text(&model), text(&output));
            let grown = folder.file("grown.csv", &whole);
            let files = ["--live", "--input", &grown, "--save", &model, "--output", &output];
            let limit = begin.to_string();
            played(&with(&setting, &[&files[..], &["--limit", &limit]].concat()));
            std::fs::write(&grown, &changed).unwrap();
            played(&with(&setting, &[&files[..], &["--resume"]].concat()));
            let found = std::fs::read(&output).unwrap();
            assert_eq!(first(&found, cut), first(&undisturbed, cut), "{setting:?}");
            std::fs::remove_file(&model).unwrap();
            std::fs::remove_file(&output).unwrap();
        }
    }
}

/// The negative control: scales of the whole file look ahead on such files, too.
#[test]
fn scales_of_the_whole_file_look_ahead() {
    let folder = Folder::new();
    let whole = folder.file("whole.csv", rows(COUNT, COUNT, false, false));
    let changed = folder.file("changed.csv", rows(COUNT, 120, true, false));
    for scale in [["unit", "none"], ["symmetric", "none"], ["none", "standardise"]] {
        let scales = ["--scale", scale[0], "--target-scale", scale[1], "--missing", "mean", "--target", "y", "--input"];
        let play = |file: &str| first(&played(&[&RIDGE[..], &scales, &[file]].concat()), 120);
        assert_ne!(play(&whole), play(&changed), "{scale:?}");
    }
}

/// What a column holds, and what the program says about a later cell that does not fit.
#[test]
fn the_first_cell_decides_and_a_later_one_that_does_not_fit_is_a_bad_row() {
    let folder = Folder::new();
    let play = |text: &str, more: &[&str]| {
        let file = folder.file("own.csv", text);
        stream(&[&["--learner", "running-mean", "--target", "y", "--input", &file], more].concat())
    };
    // Eleven of twelve cells are words, and the first one is a number.
    let numbers = format!("a,b,y\n7,1,1\n{}", "x,2,2\n".repeat(11));
    let refused = play(&numbers, &[]);
    let said = stderr(&refused);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    for part in ["own.csv: row 2 (line 3), column `a`", "`x`", "--categories a", "--on-bad-row skip"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let words = play(&numbers, &["--categories", "a"]);
    assert!(stderr(&words).contains("a: categories in 16 columns"), "{}", stderr(&words));
    assert_eq!(rounds(&words).len(), 12);
    let skipped = play(&numbers, &["--on-bad-row", "skip"]);
    assert!(stderr(&skipped).contains("11 rows that cannot be read passed over"), "{}", stderr(&skipped));
    // A word in front makes categories of numbers, unless they are declared.
    let unknown = "a,y\nunknown,1\n1,2\n2.5,3\n";
    assert!(stderr(&play(unknown, &[])).contains("a: categories"));
    let declared = play(unknown, &["--numbers", "a", "--on-bad-row", "log"]);
    assert_eq!(rounds(&declared).len(), 2);
    assert!(stderr(&declared).contains("row 1 (line 2), column `a`: `unknown`"), "{}", stderr(&declared));
    // Which number of a date is the day.
    let dates = "d,y\n01/02/2024,1\n02/28/2024,2\n";
    let said = stderr(&play(dates, &[]));
    assert!(said.contains("column `d`: `02/28/2024` is not a date") && said.contains("--month-first"), "{said}");
    assert_eq!(rounds(&play(dates, &["--month-first"])).len(), 2);
    // Targets: a number, then a word. Among two words, behind noise: the second one is +1, or a pair is known.
    let said = stderr(&play("a,y\n1,2\n2,many\n", &[]));
    assert!(said.contains("the target `many` is not a number") && said.contains("--positive"), "{said}");
    let targets = |words: [&str; 4]| {
        let rows: String = words.iter().map(|word| format!("1,{word}\n")).collect();
        column(&rounds(&play(&format!("a,y\n{rows}"), &NOISE)), 1)
    };
    assert_eq!(targets(["ham", "spam", "ham", "spam"]), [-1.0, 1.0, -1.0, 1.0]);
    assert_eq!(targets(["yes", "yes", "no", "no"]), [1.0, 1.0, -1.0, -1.0]);
    assert_eq!(targets(["north", "north", "east", "north"]), [-1.0, -1.0, 1.0, -1.0]);
    let said = stderr(&play("a,y\n1,x\n2,y\n3,z\n", &NOISE));
    assert!(
        said.contains("row 3")
            && said.contains("`z` is a third word")
            && said.contains("the pair `x` (-1) and `y` (+1)"),
        "{said}"
    );
}

/// Noise that changes nothing: behind it, targets are numbers, also those that stand for words.
const NOISE: [&str; 4] = ["--noise", "gaussian", "--noise-std", "0"];

/// A row without a target decides what columns hold; the first target decides what targets are. That they are classes must be
/// known before the first prediction.
#[test]
fn targets_may_come_late() {
    let folder = Folder::new();
    let words = folder.file("words.csv", "a,y\nup,\ndown,\nup,east\ndown,west\nup,east\n");
    let signs = folder.file("signs.csv", "a,y\nup,\ndown,\nup,-1\ndown,1\nup,-1\n");
    let play = |file: &str, more: &[&str]| stream(&[&RIDGE[..], &["--target", "y", "--input", file], more].concat());
    let expected = play(&signs, &NOISE);
    assert!(expected.status.success(), "{}", stderr(&expected));
    assert_eq!(play(&words, &NOISE).stdout, expected.stdout);
    let refused = play(&words, &[]);
    let said = stderr(&refused);
    assert!(said.contains("row 3") && said.contains("`east`") && said.contains("--classes"), "{said}");
    let classes = String::from_utf8(play(&words, &["--classes"]).stdout).unwrap();
    assert!(classes.lines().nth(5).unwrap().starts_with("5,east,east"), "{classes}");
}

/// Rows that are passed over or left out at the beginning decide nothing, and are counted, in a file and on a pipe.
#[test]
fn rows_that_do_not_count_decide_nothing() {
    let text = "a,b,y\nkg,,unit\nkg\n1,2,3\nfour,5,6\n4,5,6\n";
    let folder = Folder::new();
    let file = folder.file("own.csv", text);
    let args = |input| ["--learner", "running-mean", "--target", "y", "--on-bad-row", "skip", "--input", input];
    let (found, live) = (stream(&args(&file)), piped(&args("-"), text));
    for output in [&found, &live] {
        assert_eq!(column(&rounds(output), 1), [3.0, 6.0]);
        assert!(stderr(output).contains("3 rows that cannot be read passed over"), "{}", stderr(output));
    }
}

/// Views make of a row what its learner cannot see otherwise: the level of the last targets, and what each whole number stands
/// for. The columns that the learner has by itself are not changed by a view that adds nothing.
#[test]
fn views_show_past_targets_and_categories() {
    let folder = Folder::new();
    // A level that moves, and a table of effects without order.
    let effects = [9.0, -3.0, 4.0, -8.0, 0.0, 7.0, -6.0, 2.0, -9.0, 5.0];
    let line = |t: usize| {
        let (at, kind, word) = (t as f64, t * 7 % 10, t * t % 5 % 3);
        let y = 20.0 * (at / 25.0).sin() + effects[kind] + 3.0 * word as f64;
        format!("{kind},w{word},{},{y}\n", (at * 0.37).sin())
    };
    let text = (0..300).map(line).collect::<String>();
    let file = folder.file("own.csv", format!("kind,word,a,y\n{text}"));
    let ridge = ["--learner", "pkrr-taylor", "--set", "lambda=0.1", "--set", "bandwidth=5", "--target", "y", "--input"];
    let loss = |more: &[&str]| parse(&played(&[&ridge[..], &[&file], more].concat())).last().unwrap()[4];
    let (none, past, categories) = (loss(&[]), loss(&["--views", "past"]), loss(&["--views", "categories"]));
    let both = loss(&["--views", "past,categories"]);
    assert!(past < 0.2 * none && categories < none, "{none} {past} {categories}");
    assert!(both < 0.7 * past, "{past} {both}");
    // Without categories, a view of them is none.
    let plain = folder.file(
        "plain.csv",
        "a,b,y\n".to_owned()
            + &(0..90)
                .map(|t| {
                    let at = f64::from(t);
                    format!("{},{},{}\n", (at * 0.7).sin(), 100.0 * (at * 0.3).cos(), (at * 0.7).sin() - at / 50.0)
                })
                .collect::<String>(),
    );
    let play =
        |more: &[&str]| played(&[&["--learner", "kernel-awv", "--target", "y", "--input", &plain], more].concat());
    assert_eq!(play(&["--views", "categories"]), play(&[]));
    // What cannot have views says why.
    for (args, why) in [
        (vec!["--learner", "auto"], "auto has these views itself"),
        (vec!["--learner", "kernel-awv", "--scale", "none"], "--scale epochs"),
        (vec!["--learner", "aggregate"], "--scale epochs"),
    ] {
        let refused = stream(&[&args[..], &["--views", "past", "--target", "y", "--input", &plain]].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("--views") && stderr(&refused).contains(why), "{}", stderr(&refused));
    }
}

/// Time stamps with a smooth cycle of the day, and with an effect of each hour and weekday: `auto` finds both in the column.
#[test]
fn auto_sees_the_cycles_of_a_date() {
    let folder = Folder::new();
    let effects = [0.0, 4.0, -3.0, 7.0, 1.0, -6.0, 2.0, 5.0, -1.0, -7.0, 3.0, 6.0];
    let line = |t: usize, smooth: bool| {
        let (hour, day, a) = (t % 24, t / 24, ((t * t) as f64 * 0.37).sin());
        let y = match smooth {
            true => 10.0 * (hour as f64 * std::f64::consts::TAU / 24.0).sin(),
            false => effects[hour / 2] + 2.0 * effects[day % 7],
        };
        format!("2024-{:02}-{:02} {hour:02}:00:00,{a},{}\n", 1 + day / 28, 1 + day % 28, y + a)
    };
    for (smooth, part) in [(true, 0.2), (false, 0.3)] {
        let text = (0..700).map(|t| line(t, smooth)).collect::<String>();
        let file = folder.file("own.csv", format!("at,a,y\n{text}"));
        let loss =
            |more: &[&str]| parse(&played(&[&["--target", "y", "--input", &file], more].concat())).last().unwrap()[4];
        let (found, without) = (loss(&[]), loss(&["--drop", "at"]));
        assert!(found < part * without, "{smooth}: {found} {without}");
    }
}

/// In a typed file, a number beyond 2^53 may have been another one: it is no name, and as an input it is what it is.
#[test]
fn numbers_beyond_what_is_exact_name_nothing() {
    let folder = Folder::new();
    let large = (0..6).map(|i| 1_740_000_000_000_000_001 + i % 3).collect::<Int64Array>();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("key", Arc::new(large)),
        ("a", Arc::new((0..6).map(f64::from).collect::<Float64Array>())),
        ("y", Arc::new((0..6).map(|i| f64::from(i % 3)).collect::<Float64Array>())),
    ];
    let file = folder.file("rows.parquet", parquet(columns, Compression::SNAPPY));
    let of = |more: &[&str]| stream(&[&["--learner", "running-mean", "--input", &*file], more].concat());
    for more in [&["--group", "key"][..], &["--id", "key"], &["--position", "key"], &["--categories", "key"]] {
        let refused = of(&[&["--target", "y"], more].concat());
        let said = stderr(&refused);
        assert!(!refused.status.success() && said.contains("row 1, column `key`: 174"), "{more:?}: {said}");
    }
    let classes = stderr(&of(&["--target", "key", "--classes"]));
    assert!(classes.contains("names something"), "{classes}");
    assert!(of(&["--target", "y"]).status.success());
}

/// A model that learnt times of the day from text predicts the same from a typed file.
#[test]
fn times_of_the_day_are_hours_in_every_format() {
    let folder = Folder::new();
    let minutes = || (0..40_i64).map(|t| 7 * t * t % 1440);
    let csv: String = minutes().map(|m| format!("{}:{:02},{}\n", m / 60, m % 60, m % 11)).collect();
    let csv = folder.file("rows.csv", format!("at,y\n{csv}"));
    let at = minutes().map(|m| m * 60_000_000).collect::<Int64Array>().reinterpret_cast::<Time64MicrosecondType>();
    let y = minutes().map(|m| (m % 11) as f64).collect::<Float64Array>();
    let typed =
        folder.file("rows.parquet", parquet(vec![("at", Arc::new(at)), ("y", Arc::new(y))], Compression::SNAPPY));
    let with = |input: &str| rounds(&stream(&["--learner", "linear-ridge", "--target", "y", "--input", input]));
    assert!(with(&csv) == with(&typed), "the rounds differ");
}
