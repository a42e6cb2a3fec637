//! Targets that are classes, in the words of the file, from the outside.

use super::*;

/// Rows around three centres; `virginica` appears in row `late` (from 0). From row `from` on everything is another thing, with
/// other words, if `other`.
fn flowers(count: usize, late: usize, from: usize, other: bool) -> String {
    let mut text = String::from("a,b,species\n");
    for t in 0..count {
        let kind = if t == late { 2 } else { (t * t + t / 3) % if t < late { 2 } else { 3 } };
        let at = t as f64;
        let (a, b) = ([-1.0, 1.0, 0.0][kind] + 0.6 * (at * 0.7).sin(), [0.0, 0.0, 2.0][kind] + 0.6 * (at * 1.3).cos());
        text += &match other && t >= from {
            true => format!("{},{},{}\n", 40.0 - a, 9.0 * b, ["rose", "tulip", "virginica", "setosa"][t % 4]),
            false => format!("{a},{b},{}\n", ["setosa", "versicolor", "virginica"][kind]),
        };
    }
    text
}

/// The cells of an output, with its header.
fn cells(output: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8(output.to_vec()).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn played(args: &[&str]) -> (Vec<Vec<String>>, String) {
    let output = stream(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    (cells(&output.stdout), stderr(&output))
}

const LEARNERS: [&[&str]; 3] = [
    &["--learner", "auto"],
    &["--learner", "kernel-awv", "--set", "lambda=0.1"],
    &["--learner", "fogd", "--set", "eta=0.3"],
];

#[test]
fn labels_and_probabilities_are_in_the_words_of_the_file() {
    let folder = Folder::new();
    let file = folder.file("flowers.csv", flowers(240, 50, 240, false));
    for learner in LEARNERS {
        let args =
            [&[&file, "--target", "species", "--metrics", "error,accuracy,log,brier,auc,rmse"], learner].concat();
        let (found, said) = played(&args);
        let header = ["round", "target", "prediction", "loss", "cumulative_loss", "probability", "target_probability"];
        assert_eq!(found[0], header);
        assert_eq!(found[1], ["1", "setosa", "", "1", "1", "", "1e-6"], "nothing is known before the first row");
        assert!(found[2..].iter().all(|row| ["setosa", "versicolor", "virginica"].contains(&&*row[2])), "{found:?}");
        assert!(found[1..52].iter().all(|row| row[2] != "virginica") && found[51][6] == "1e-6", "{:?}", found[51]);
        let number = |row: &[String], at: usize| row[at].parse::<f64>().unwrap();
        let rows = &found[1..];
        let wrong = rows.iter().filter(|row| row[1] != row[2]).count() as f64;
        assert_eq!(number(&found[240], 4), wrong);
        assert!(wrong < 0.25 * 240.0, "{learner:?}: {wrong}");
        let log = -rows.iter().map(|row| number(row, 6).ln()).sum::<f64>() / 240.0;
        let expected = format!("error {:.6}, accuracy {:.6}, log {log:.6}", wrong / 240.0, 1.0 - wrong / 240.0);
        assert!(said.contains(&expected) && said.contains("brier 0.") && said.contains("auc -, rmse -"), "{said}");
        assert!(said.contains("error rate") && said.contains("species: classes"), "{said}");
    }
}

#[test]
fn later_rows_change_nothing_and_live_is_the_same() {
    let folder = Folder::new();
    let file = folder.file("a.csv", flowers(160, 50, 160, false));
    for learner in LEARNERS {
        let (whole, _) = played(&[&[&*file, "--target", "species", "--live"], learner].concat());
        for from in [1, 30, 50, 90] {
            let other = folder.file("b.csv", flowers(160, 50, from, true));
            let (found, _) = played(&[&[&*other, "--target", "species", "--live"], learner].concat());
            assert_eq!(found[..=from], whole[..=from], "{learner:?} {from}");
            assert_ne!(found[from + 1..], whole[from + 1..], "the control");
        }
        let (blocks, _) = played(&[&[&*file, "--target", "species"], learner].concat());
        for (one, other) in blocks[1..].iter().zip(&whole[1..]) {
            assert_eq!(one[..5], other[..5], "{learner:?}");
            let near = |at: usize| match (one[at].parse::<f64>(), other[at].parse::<f64>()) {
                (Ok(one), Ok(other)) => (one - other).abs() < 1e-6,
                _ => one[at] == other[at],
            };
            assert!(near(5) && near(6), "{learner:?}: {one:?} {other:?}");
        }
    }
}

#[test]
fn a_model_goes_on_is_resumed_and_predicts() {
    let folder = Folder::new();
    let text = flowers(160, 50, 160, false);
    let file = folder.file("a.csv", &text);
    let lines: Vec<&str> = text.lines().collect();
    let first = folder.file("1.csv", lines[..=70].join("\n") + "\n");
    let second = folder.file("2.csv", format!("{}\n{}\n", lines[0], lines[71..].join("\n")));
    let bare = folder.file("bare.csv", "b,a\n2,0\n0,-1\n");
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    for learner in LEARNERS {
        let (model, half, output) = (folder.path("m"), folder.path("h"), folder.path("out.csv"));
        let learn = [&["--target", "species", "--save-every", "10"], learner].concat();
        let (expected, _) = played(&[&learn[..], &[&file, "--save", &text(&model)]].concat());
        let (start, _) = played(&[&learn[..], &[&first, "--save", &text(&half)]].concat());
        let (end, _) =
            played(&["--input", &second, "--load", &text(&half), "--save", &text(&half), "--save-every", "10"]);
        assert_eq!([&start[..], &end[1..]].concat(), expected, "{learner:?}");
        let predicted = |path: &PathBuf| {
            let output = Command::new(env!("CARGO_BIN_EXE_noregret"))
                .args(["predict", "--load", &text(path), "--input", &bare])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            cells(&output.stdout)
        };
        let found = predicted(&model);
        let names = ["row", "prediction", "probability"].map(str::to_owned);
        assert_eq!(found[0][..3], names);
        assert_eq!(found[0][3..].iter().map(|name| &name[..12]).collect::<Vec<_>>(), ["probability_"; 3]);
        assert_eq!([&*found[1][1], &*found[2][1]], ["virginica", "setosa"], "{learner:?}");
        let sum: f64 = found[1][3..].iter().map(|p| p.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        assert_eq!(predicted(&half), found);
        // A run that is stopped after 70 rows and resumed writes the same file.
        let [half_path, output_path] = [&half, &output].map(text);
        let resumable = [&learn[..], &["--save", &half_path, "--output", &output_path]].concat();
        fs::remove_file(&half).unwrap();
        played(&[&resumable[..], &[&first]].concat());
        played(&[&resumable[..], &[&file, "--resume"]].concat());
        assert_eq!(cells(&fs::read(&output).unwrap()), expected, "{learner:?}");
        [model, half, output].iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}

#[test]
fn classes_are_declared_and_others_are_bad_rows() {
    let folder = Folder::new();
    let file = folder.file("a.csv", flowers(100, 50, 100, false));
    let learn = ["--target", "species", "--learner", "kernel-awv", "--set", "lambda=0.1"];
    let (found, said) = played(&[&learn[..], &[&file, "--classes=virginica,setosa,versicolor"]].concat());
    assert_eq!(found[0][7..], ["probability_virginica", "probability_setosa", "probability_versicolor"]);
    assert_eq!(found[1][7].parse::<f64>().unwrap(), 1.0 / 3.0, "{:?}", found[1]);
    let refused = |more: &[&str], status: i32, why: &str| {
        let output = stream(&[&learn[..], more].concat());
        assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{why}: {}", stderr(&output));
    };
    refused(&[&file, "--classes=setosa,Setosa"], 2, "--classes names the class `Setosa` twice");
    refused(&[&file, "--classes=setosa,,rose"], 2, "--classes names a class that is empty");
    let words: Vec<String> = (0..257).map(|t| format!("w{t}")).collect();
    refused(&[&file, &format!("--classes={}", words.join(","))], 2, "--classes names 257 classes");
    let rows: String = words.iter().map(|word| format!("1,{word}\n")).collect();
    let many = folder.file("many.csv", format!("a,species\n{rows}"));
    refused(&[&many, "--live"], 1, "row 257 (line 258), column `species`: `w256` is one class more than the 256");
    assert!(said.contains("one of the classes virginica, setosa, versicolor"), "{said}");
    let two = [&learn[..], &[&*file, "--classes=setosa,versicolor"]].concat();
    let output = stream(&two);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["row 51", "`species`", "`virginica`", "setosa, versicolor", "--classes", "--on-bad-row"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let (skipped, said) = played(&[&two[..], &["--on-bad-row", "skip", "--metrics", "auc"]].concat());
    assert!(skipped.len() < 101 && said.contains("auc 0.9"), "{said}");
    // Numbers are classes where that is said.
    let numbers = folder.file("n.csv", flowers(60, 60, 60, false).replace("setosa", "7").replace("versicolor", "3"));
    let (found, _) = played(&[&learn[..], &[&numbers, "--classes"]].concat());
    assert!(found[2..].iter().all(|row| ["7", "3"].contains(&&*row[2])), "{found:?}");
    for (more, why) in [(&["--target-scale", "unit"][..], "--target-scale"), (&["--weights"], "--weights")] {
        let output = stream(&[&learn[..], &[&file], more].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why) && stderr(&output).contains("--positive"), "{}", stderr(&output));
    }
}

#[test]
fn rows_that_wait_and_parquet() {
    let folder = Folder::new();
    let file = folder.file("a.csv", flowers(100, 50, 100, false));
    let learn = ["--target", "species", "--learner", "kernel-awv", "--set", "lambda=0.1"];
    let (at_once, _) = played(&[&learn[..], &[&file]].concat());
    let (late, said) = played(&[&learn[..], &[&file, "--delay", "5"]].concat());
    assert_eq!(late[0], at_once[0]);
    assert!(late[1..7].iter().all(|row| row[2].is_empty()) && !late[8][2].is_empty(), "{:?}", &late[..9]);
    assert!(said.contains("error 0."), "{said}");
    let text = "key,a,species\nmon,1,\ntue,2,rose\nwed,3,tulip\nmon,,tulip\nthu,1,\n";
    let named = folder.file("id.csv", text);
    let args =
        ["--target", "species", "--learner", "kernel-awv", "--set", "lambda=0.1", "--id", "key", "--missing", "mean"];
    let (found, _) = played(&[&args[..], &[&named, "--classes"]].concat());
    assert_eq!(found[4][1..4], ["tulip", "", "1"], "what was predicted on Monday");
    assert_eq!((found[4][6].as_str(), found[5][1].as_str()), ("", ""));
    assert_eq!(found[5][2], "tulip");
    let parquet = folder.path("out.parquet");
    let (_, said) = played(&[&learn[..], &[&file, "--output", parquet.to_str().unwrap()]].concat());
    assert!(said.contains("100 rounds"), "{said}");
    let again = folder.path("again.csv");
    let read = ["--input", parquet.to_str().unwrap(), "--target", "prediction", "--inputs", "probability", "--classes"];
    let more = ["--learner", "last-value", "--missing", "mean", "--output", again.to_str().unwrap()];
    played(&[&read[..], &more].concat());
    let words: Vec<String> = cells(&fs::read(&again).unwrap())[2..].iter().map(|row| row[1].clone()).collect();
    assert_eq!(words, at_once[2..].iter().map(|row| row[2].clone()).collect::<Vec<_>>());
}
