//! Which rows are played, in which order, on which scale.

use super::*;

fn file(folder: &Folder) -> String {
    folder.file("table.csv", table(700))
}

#[test]
fn standard_input_is_the_same_as_a_file() {
    let folder = Folder::new();
    let file = file(&folder);
    let text = fs::read(&file).unwrap();
    let ridge = &RIDGE[..];
    let fogd = &["--learner", "fogd", "--target", "y", "--set", "features=20"][..];
    for extra in [
        &[][..],
        &["--scale", "unit"],
        &["--scale", "symmetric", "--limit", "300"],
        &["--shuffle", "--seed", "3"],
        &["--shuffle", "--scale", "unit", "--limit", "10"],
    ] {
        // fogd needs the number of rows for its step size, which takes one more pass.
        for learner in [ridge, fogd] {
            let from_file = stream(&[learner, &["--input", &file], extra].concat());
            let from_pipe = stream_from(&text, &[learner, extra, &["--live=no"]].concat());
            assert_eq!(rounds(&from_file), rounds(&from_pipe), "{learner:?} {extra:?}");
            // Answered row by row, the predictions agree up to rounding.
            let live = rounds(&stream_from(&text, &[learner, extra].concat()));
            for (a, b) in rounds(&from_file).iter().zip(&live) {
                assert!((a[2] - b[2]).abs() < 1e-9, "{learner:?} {extra:?}");
            }
        }
    }
}

#[test]
fn a_formula_in_the_number_of_rows_counts_them() {
    let folder = Folder::new();
    let file = file(&folder);
    let of = |extra: &[&str]| {
        let args = ["--learner", "fogd", "--target", "y", "--set", "features=20", "--input", &file];
        rounds(&stream(&[&args, extra].concat()))
    };
    let eta = format!("eta={}", (700f64).sqrt().recip());
    // The learner's draws depend on its parameters, so the predictions differ, but not by much in the mean.
    let (formula, number) = (of(&[]), of(&["--set", &eta]));
    let ratio = formula[699][4] / number[699][4];
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    // With a limit, n is the number of rounds.
    assert_eq!(of(&["--limit", "100"]).len(), 100);
    assert_ne!(of(&["--limit", "100"])[50][2], formula[50][2]);
}

#[test]
fn a_limit_is_a_prefix() {
    let folder = Folder::new();
    let file = file(&folder);
    let all = rounds(&stream(&[&RIDGE[..], &["--input", &file]].concat()));
    let some = rounds(&stream(&[&RIDGE[..], &["--input", &file, "--limit", "300"]].concat()));
    assert_eq!((all.len(), some.len()), (700, 300));
    // Blocks end at other rows, so predictions agree only up to rounding.
    for (a, b) in all.iter().zip(&some) {
        assert!((a[2] - b[2]).abs() < 1e-9);
    }
}

#[test]
fn shuffling_permutes_rows_by_the_seed() {
    let folder = Folder::new();
    let file = file(&folder);
    let of = |extra: &[&str]| rounds(&stream(&[&RIDGE[..], &["--input", &file], extra].concat()));
    let sorted = |rounds: &Rounds| {
        let mut targets = column(rounds, 1);
        targets.sort_by(f64::total_cmp);
        targets
    };
    let (plain, default, zero) = (of(&[]), of(&["--shuffle"]), of(&["--shuffle", "--seed", "0"]));
    let one = of(&["--shuffle", "--seed", "1"]);
    assert_eq!(default, zero, "the default seed is 0");
    assert_eq!(sorted(&plain), sorted(&zero));
    assert_eq!(sorted(&plain), sorted(&one));
    assert_ne!(column(&plain, 1), column(&zero, 1));
    assert_ne!(column(&zero, 1), column(&one, 1));
    // The order is the same for another learner.
    let args = ["--learner", "kernel-ridge", "--target", "y", "--input", &file, "--shuffle"];
    assert_eq!(column(&rounds(&stream(&args)), 1), column(&zero, 1));
}

#[test]
fn scaling_is_by_the_columns_of_the_whole_file() {
    let folder = Folder::new();
    let mut raw = String::from("a,y,c,b\n");
    let (mut unit, mut symmetric) = (String::from("a,y,c,b\n"), String::from("a,y,c,b\n"));
    for i in 0..=40i32 {
        let (a, b, y) = (f64::from(i * 7 % 41), f64::from(i - 8) * 3.0, f64::from(i % 5));
        raw += &format!("{a},{y},12.5,{b}\n");
        let (a, b) = (a / 40.0, (b + 24.0) / 120.0);
        unit += &format!("{a},{y},0,{b}\n");
        symmetric += &format!("{},{y},0,{}\n", 2.0 * a - 1.0, 2.0 * b - 1.0);
    }
    let raw = folder.file("raw.csv", raw);
    for (scale, expected) in [("unit", unit), ("symmetric", symmetric)] {
        let expected = folder.file("scaled.csv", expected);
        let play = |file: &str, scale: &str| {
            rounds(&stream(&[&RIDGE[..], &["--input", file, "--scale", scale, "--target-scale", "none"]].concat()))
        };
        let (by_hand, scaled) = (play(&expected, "none"), play(&raw, scale));
        for (a, b) in by_hand.iter().zip(&scaled) {
            assert_eq!(a[1], b[1], "targets are not scaled");
            assert!((a[2] - b[2]).abs() < 1e-9, "{scale}: {} {}", a[2], b[2]);
        }
        assert_eq!(by_hand.len(), scaled.len());
    }
}

#[test]
fn inputs_can_be_named() {
    let folder = Folder::new();
    let file = folder.file("wide.csv", "noise,b,y,a\n5,1,1,0\n-7,0,2,1\n9,0.5,3,0.5\n");
    let narrow = folder.file("narrow.csv", "a,b,y\n0,1,1\n1,0,2\n0.5,0.5,3\n");
    let named = rounds(&stream(&[&RIDGE[..], &["--input", &file, "--inputs", "a,b"]].concat()));
    assert_eq!(named, rounds(&stream(&[&RIDGE[..], &["--input", &narrow]].concat())));
    assert_ne!(named, rounds(&stream(&[&RIDGE[..], &["--input", &file]].concat())));
}

#[test]
fn runs_repeat_exactly() {
    let folder = Folder::new();
    let file = file(&folder);
    let args = ["--learner", "fogd", "--target", "y", "--input", &file, "--set", "features=10"];
    let of = |seed: &str| stream(&[&args[..], &["--seed", seed]].concat()).stdout;
    assert!(of("5") == of("5"));
    assert!(of("5") != of("6"));
}

/// A named pipe can be read only once, but LIBSVM text is read twice.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_the_same_as_a_file() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let folder = Folder::new();
    let text = "1 1:0.5 3:2\n-1 2:1\n1 1:1 2:1 3:1\n";
    let file = folder.file("rows.libsvm", text);
    let pipe = folder.path("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let ridge = |input: &str| rounds(&stream(&["--learner", "kernel-ridge", "--input", input]));
    let expected = ridge(&file);
    assert_eq!(expected.len(), 3);
    let found = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&pipe, text).unwrap());
        ridge(pipe.to_str().unwrap())
    });
    assert_eq!(found, expected);
}

/// A word that no row has would make all rows -1, and any learner right: it is refused, with the words that there are. A word
/// that comes late is found; on a pipe, the end of the rows tells.
#[test]
fn a_class_that_is_not_in_the_file_is_refused() {
    let folder = Folder::new();
    let rows = |last: &str| {
        let rows = (0..1500).map(|i| format!("{},{}\n", i as f64 / 1500.0, if i % 3 == 0 { "Yes" } else { "no" }));
        format!("a,y\n{}0.5,{last}\n", rows.collect::<String>())
    };
    let (file, late) = (folder.file("in.csv", rows("no")), folder.file("late.csv", rows("Maybe")));
    let args = |file: &str| -> Vec<String> {
        let args = ["--learner", "running-mean", "--target", "y", "--positive", "maybe", "--input", file];
        args.map(str::to_owned).to_vec()
    };
    let run = |file: &str| stream(&args(file).iter().map(String::as_str).collect::<Vec<_>>());
    let refused = run(&file);
    let said = stderr(&refused);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains("never `maybe`") && said.contains("Yes, no"), "{said}");
    let found = run(&late);
    assert!(found.status.success(), "{}", stderr(&found));
    assert_eq!(parse(&found.stdout).iter().filter(|round| round[1] == 1.0).count(), 1);
    let mut child = command(&args("-").iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = child
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), rows("no").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("never `maybe`"), "{}", stderr(&output));
}

/// The file can be named without a word before it, and the learner that nobody names is `auto`.
#[test]
fn a_file_and_its_target_are_enough() {
    let folder = Folder::new();
    let file = folder.file("own.csv", table(50));
    let plain = stream(&[&RIDGE[..], &["--input", &file]].concat());
    assert_eq!(rounds(&plain), rounds(&stream(&[&RIDGE[..], &[file.as_str()]].concat())));
    assert_eq!(rounds(&plain), rounds(&stream(&[&[file.as_str()], &RIDGE[..]].concat())));
    let both = stream(&[&RIDGE[..], &["--input", &file, &file]].concat());
    assert_eq!(both.status.code(), Some(2));
    assert!(stderr(&both).contains("--input"), "{}", stderr(&both));
    let neither = stream(&RIDGE);
    assert_eq!(neither.status.code(), Some(2));
    assert!(stderr(&neither).contains("--input"), "{}", stderr(&neither));
    let said = |output: &Output| {
        let said = stderr(output);
        (
            output.status.code(),
            output.stdout.clone(),
            said.rsplit_once(", ").map_or(said.clone(), |(said, _)| said.to_owned()),
        )
    };
    let auto = stream(&["--learner", "auto", "--target", "y", "--input", &file]);
    assert_eq!(said(&stream(&[&file, "--target", "y"])), said(&auto));
    assert_ne!(said(&plain), said(&auto));
}
