//! Earlier targets, their means and harmonics as inputs, and columns of times.

use super::models::{predict, text};
use super::{Folder, column, rounds, stderr, stream};

/// An hour, an input, and a target that depends on the two targets before it and on the hour of the day.
fn table(rows: usize) -> String {
    let (mut text, mut last) = (String::from("hour,a,y\n"), [0.0, 0.0]);
    for t in 0..rows {
        let a = (t as f64 * 0.7).sin();
        let y = 5.0 + 0.6 * last[0] - 0.3 * last[1] + a + (std::f64::consts::TAU * t as f64 / 24.0).cos();
        text += &format!("{t},{a},{y}\n");
        last = [y, last[0]];
    }
    text
}

/// An autoregression is the regression over a file that has the lags and the harmonics as columns, in blocks and live.
#[test]
fn lags_and_periods_are_columns_of_a_file_that_has_them() {
    let folder = Folder::new();
    let plain = table(300);
    let values: Vec<Vec<f64>> =
        plain.lines().skip(1).map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    let mut wide = String::from("hour,a,one,two,sine,cosine,y\n");
    for (t, row) in values.iter().enumerate() {
        let lag = |k: usize| if t == 0 { 0.0 } else { values[t.saturating_sub(k)][2] };
        let (sine, cosine) = (std::f64::consts::TAU * row[0] / 24.0).sin_cos();
        wide += &format!("{},{},{},{},{sine},{cosine},{}\n", row[0], row[1], lag(1), lag(2), row[2]);
    }
    let (plain, wide) = (folder.file("plain.csv", plain), folder.file("wide.csv", wide));
    let unscaled = ["--learner", "linear-ridge", "--target", "y", "--scale", "none", "--target-scale", "none"];
    let expected = column(&rounds(&stream(&[&unscaled[..], &["--input", &wide]].concat())), 2);
    let by_hour = ["--periods-of", "hour"];
    for more in [&by_hour[..], &["--live"], &[]] {
        let derived = ["--input", &plain, "--lags", "1,2", "--periods", "24"];
        let found = rounds(&stream(&[&unscaled[..], &derived, more].concat()));
        for (t, (found, expected)) in column(&found, 2).iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() < 1e-9, "{more:?}, row {t}: {found} and {expected}");
        }
    }
    // On scales of epochs, too, the target is found: it is linear in these columns, and not in the hour and a.
    let loss = |more: &[&str]| {
        let all =
            [&["--learner", "linear-ridge", "--set", "lambda=1e-6", "--target", "y", "--input", &plain][..], more];
        column(&rounds(&stream(&all.concat())), 3)[200..].iter().sum::<f64>()
    };
    let (with, without) = (loss(&["--lags", "1,2", "--periods", "24"]), loss(&[]));
    assert!(1e3 * with < without, "{with} {without}");
}

/// The columns that the Forecaster of the Python package calls `means` are the same as soon as so many targets are known: it is
/// `told(target - h - np.arange(count)).mean()`. While there are fewer, that repeats the oldest; here it is the mean of what there is.
#[test]
fn means_are_columns_of_a_file_that_has_them() {
    let folder = Folder::new();
    let targets = [3.0, 5.0, 4.0, 8.0, 0.0, -1.0, 2.5, 7.0];
    // By hand: the means of the last one, the last three and the last 100 targets.
    let means = [
        [0.0, 0.0, 0.0],
        [3.0, 3.0, 3.0],
        [5.0, 4.0, 4.0],
        [4.0, 4.0, 4.0],
        [8.0, 17.0 / 3.0, 5.0],
        [0.0, 4.0, 4.0],
        [-1.0, 7.0 / 3.0, 19.0 / 6.0],
        [2.5, 0.5, 21.5 / 7.0],
    ];
    let (mut plain, mut wide) = (String::from("a,y\n"), String::from("a,one,three,all,y\n"));
    for (t, (y, [one, three, all])) in targets.iter().zip(means).enumerate() {
        let a = (t as f64 * 0.7).sin();
        plain += &format!("{a},{y}\n");
        wide += &format!("{a},{one},{three},{all},{y}\n");
    }
    let (plain, wide) = (folder.file("plain.csv", plain), folder.file("wide.csv", wide));
    for more in [&["--scale", "none", "--target-scale", "none"][..], &[], &["--live"]] {
        let learn = [&["--learner", "linear-ridge", "--target", "y"], more].concat();
        let expected = column(&rounds(&stream(&[&learn[..], &["--input", &wide]].concat())), 2);
        let found = rounds(&stream(&[&learn[..], &["--input", &plain, "--means", "1,3,100"]].concat()));
        for (t, (found, expected)) in column(&found, 2).iter().zip(&expected).enumerate() {
            assert!((found - expected).abs() < 1e-9, "{more:?}, row {t}: {found} and {expected}");
        }
    }
}

/// Killed after row 40 and gone on with, the means are those of all rows.
#[test]
fn means_are_saved() {
    let folder = Folder::new();
    let whole = table(60);
    let first: String = whole.lines().take(41).map(|line| format!("{line}\n")).collect();
    let (whole, first) = (folder.file("whole.csv", &whole), folder.file("first.csv", first));
    let (model, output) = (folder.path("model.safetensors"), folder.path("out.csv"));
    let learn = ["--learner", "linear-awv", "--target", "y", "--means", "7,28", "--lags", "1", "--input"];
    let save = ["--save", text(&model), "--save-every", "20", "--output", text(&output)];
    assert!(stream(&[&learn[..], &[&first], &save].concat()).status.success());
    assert!(stream(&[&learn[..], &[&whole, "--resume"], &save].concat()).status.success());
    let expected =
        stream(&[&learn[..], &[&whole, "--save-every", "20", "--save", text(&folder.path("other"))]].concat());
    assert_eq!(std::fs::read(&output).unwrap(), expected.stdout);
}

/// A saved learner predicts the row that follows as the stream did.
#[test]
fn a_saved_autoregression_knows_the_last_targets() {
    let folder = Folder::new();
    let whole = table(101);
    let (header, last) = ("hour,a,y", whole.lines().last().unwrap());
    let first: String = whole.lines().take(101).map(|line| format!("{line}\n")).collect();
    let (whole, first) = (folder.file("whole.csv", &whole), folder.file("first.csv", first));
    let (row, model) = (folder.file("row.csv", format!("{header}\n{last}\n")), folder.path("model.safetensors"));
    let args = |input| {
        [
            "--learner",
            "linear-awv",
            "--target",
            "y",
            "--lags",
            "1,24",
            "--periods",
            "24,12",
            "--periods-of",
            "hour",
            "--input",
            input,
        ]
    };
    let expected = rounds(&stream(&args(&whole)))[100][2];
    rounds(&stream(&[&args(&first)[..], &["--save", text(&model)]].concat()));
    let told = predict(&["--load", text(&model), "--input", &row]);
    assert!(told.status.success(), "{}", stderr(&told));
    let found: f64 =
        String::from_utf8_lossy(&told.stdout).lines().nth(1).unwrap().rsplit(',').next().unwrap().parse().unwrap();
    assert!((found - expected).abs() < 1e-12 * expected.abs(), "{found} {expected}");
}

/// A column of times keeps its unit: without being asked, inputs are not scaled, wherever the column stands.
#[test]
fn times_keep_their_unit() {
    let folder = Folder::new();
    let input = folder.file("rows.csv", table(200));
    let args = ["--target", "y", "--input", &input];
    for learner in [
        &["--learner", "linear-ridge", "--set", "time=1", "--set", "half_life=12"][..],
        &["--learner", "intervals", "--set", "base={name='linear-awv',time=1,half_life=12}"],
        &["--learner", "linear-awv", "--set", "time=2"],
    ] {
        let unscaled = stream(&[learner, &args, &["--scale", "none"]].concat());
        if learner[3] == "time=2" {
            let why = stderr(&unscaled);
            assert!(!unscaled.status.success() && why.contains("in the order of their times"), "{why}");
            continue;
        }
        let by_itself = stream(&[learner, &args].concat());
        assert_eq!(column(&rounds(&by_itself), 2), column(&rounds(&unscaled), 2));
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let folder = Folder::new();
    let input = folder.file("rows.csv", table(20));
    for (args, why) in [
        (&["--learner", "linear-ridge", "--lags", "0"][..], "'0'"),
        (&["--learner", "linear-ridge", "--means", "0"], "'0'"),
        (&["--learner", "aggregate", "--means", "7"], "the inputs are forecasts"),
        (&["--learner", "linear-ridge", "--periods", "0"], "a number above 0"),
        (&["--learner", "linear-ridge", "--periods", "7", "--periods-of", "day"], "there is no such input"),
        (&["--learner", "linear-ridge", "--periods-of", "hour"], "--periods"),
        (&["--learner", "aggregate", "--lags", "1"], "the inputs are forecasts"),
        (&["--learner", "linear-ridge", "--lags", "1", "--shuffle"], "--shuffle"),
        (&["--learner", "linear-ridge", "--set", "time=3"], "3 with 2 input columns"),
        (&["--learner", "linear-ridge", "--set", "time=2", "--scale", "epochs"], "whose unit is that of half_life"),
        (&["--learner", "linear-ridge", "--set", "time=1", "--views", "past"], "--scale epochs"),
    ] {
        let refused = stream(&[args, &["--target", "y", "--input", &input]].concat());
        assert!(!refused.status.success() && stderr(&refused).contains(why), "{args:?}: {}", stderr(&refused));
    }
}

/// A series alone: what is known of it are its earlier values.
#[test]
fn the_target_may_be_the_only_column() {
    let folder = Folder::new();
    let series: Vec<f64> = (0..120).map(|i| (f64::from(i) * 0.4).sin() + 0.01 * f64::from(i % 7)).collect();
    let alone: String = series.iter().map(|y| format!("{y}\n")).collect();
    let beside: String = series.iter().map(|y| format!("1,{y}\n")).collect();
    let alone = folder.file("alone.csv", format!("y\n{alone}"));
    let beside = folder.file("beside.csv", format!("one,y\n{beside}"));
    let ridge = ["--learner", "kernel-ridge", "--target", "y"];
    for derived in [&["--lags", "1,3"][..], &["--means", "4"], &["--periods", "7"]] {
        let made = rounds(&stream(&[&ridge[..], derived, &["--input", &alone]].concat()));
        // A column of ones is at the same distance of itself in all rows.
        let expected = rounds(&stream(&[&ridge[..], derived, &["--input", &beside]].concat()));
        assert_eq!(made.len(), 120);
        let apart = made.iter().zip(&expected).map(|(one, other)| (one[2] - other[2]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{derived:?}: {apart:e}");
    }
    let none = stream(&[&ridge[..], &["--input", &alone]].concat());
    assert!(none.status.code() == Some(2) && stderr(&none).contains("no input columns"), "{}", stderr(&none));
    let model = folder.path("model");
    let model = model.to_str().unwrap();
    let saved = stream(&[&ridge[..], &["--lags", "1", "--input", &alone, "--save", model]].concat());
    assert!(saved.status.success(), "{}", stderr(&saved));
    let next = stream(&["--load", model, "--input", &folder.file("next.csv", "y\nNA\n")]);
    let text = String::from_utf8(next.stdout.clone()).unwrap();
    let row: Vec<&str> = text.lines().nth(1).unwrap_or_default().split(',').collect();
    assert!(row[0] == "121" && row[2].parse::<f64>().is_ok(), "{text}");
    let mut predict = std::process::Command::new(env!("CARGO_BIN_EXE_noregret"));
    let refused = predict.args(["predict", "--load", model, "--input", &alone]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("noregret stream --load"), "{}", stderr(&refused));
}

/// Without names, too: a file of numbers is no LIBSVM text then, through a pipe or not.
#[test]
fn a_series_without_a_name_is_a_column() {
    let folder = Folder::new();
    let text: String = (0..60).map(|i| format!("{}\n", (f64::from(i) * 0.3).sin())).collect();
    let file = folder.file("series.txt", &text);
    let args = ["--learner", "linear-ridge", "--no-header", "--target", "c1", "--lags", "1", "--live"];
    let one = stream(&[&args[..], &["--input", &file]].concat());
    let other = super::stream_from(text.as_bytes(), &args);
    assert_eq!(rounds(&one).len(), 60);
    assert!(one.stdout == other.stdout, "{}{}", stderr(&one), stderr(&other));
}

/// A class that appears late gets a learner that learns the rows so far, with what is derived for each.
#[test]
fn a_late_class_learns_what_is_derived() {
    let folder = Folder::new();
    let words: Vec<&str> = (0..60)
        .map(|i| {
            if i > 20 && i % 3 == 0 {
                "c"
            } else if i % 2 == 0 {
                "a"
            } else {
                "b"
            }
        })
        .collect();
    let beside: String = words.iter().enumerate().map(|(i, word)| format!("{},{word}\n", i % 5)).collect();
    let alone: String = words.iter().map(|word| format!("{word}\n")).collect();
    for (file, text) in [("beside.csv", format!("x,k\n{beside}")), ("alone.csv", format!("k\n{alone}"))] {
        let input = folder.file(file, text);
        for learner in ["linear-ridge", "kernel-ridge", "auto"] {
            for derived in [&["--lags", "1,2"][..], &["--periods", "6"]] {
                let output = stream(&[&["--learner", learner, "--target", "k", "--input", &input], derived].concat());
                assert!(output.status.success(), "{file}, {learner}, {derived:?}: {}", stderr(&output));
                assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 61);
            }
        }
    }
}
