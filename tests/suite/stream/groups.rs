//! A learner for each value of a column: each is what a stream of its own would be, awake or asleep.

use super::*;

/// Three groups in no regular order, with words and numbers as names, and targets of very different sizes.
fn rows(count: usize) -> String {
    let mut text = String::from("t,place,a,y,b,weight\n");
    for t in 0..count {
        let at = t as f64;
        let (group, scale) = [("Rome", 1.0), ("\"A, B\"", 50.0), ("7", -3.0)][t * t % 7 % 3];
        let (a, b) = (900.0 + 50.0 * (at * 0.7).sin(), (at * 0.3).cos());
        let y = if t % 17 == 5 { String::new() } else { format!("{}", scale * (a / 100.0 + 3.0 * b)) };
        text += &format!("{},{group},{a},{y},{b},{}\n", 10 * t, 1 + t % 2);
    }
    text
}

/// The rows of one group, with the header.
fn only(text: &str, group: &str) -> String {
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let own: Vec<&str> = lines.filter(|line| line.contains(&format!(",{group},"))).collect();
    format!("{header}\n{}\n", own.join("\n"))
}

fn played(args: &[&str]) -> (Vec<String>, String) {
    let output = stream(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    (String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect(), stderr(&output))
}

/// A line without its round and its cumulative loss, which count the rows of all groups, and without its group.
fn own(line: &str, group: &str) -> Vec<String> {
    let line = line.strip_suffix(&format!(",{group}")).unwrap_or(line);
    line.split(',').enumerate().filter(|(at, _)| ![0, 4].contains(at)).map(|(_, cell)| cell.to_owned()).collect()
}

const LEARNERS: [&[&str]; 6] = [
    &["--learner", "auto", "--set", "members=linear"],
    &["--learner", "kernel-awv", "--lags", "1,2"],
    &["--learner", "fogd", "--set", "eta=0.3", "--scale", "running"],
    &["--learner", "kernel-ridge", "--std", "--sample-weight", "weight"],
    &["--learner", "intervals", "--set", "base.name=running-mean"],
    &["--learner", "last-value", "--position", "t"],
];

#[test]
fn each_is_what_a_stream_of_its_own_finds() {
    let folder = Folder::new();
    let text = rows(300);
    let file = folder.file("rows.csv", &text);
    for learner in LEARNERS {
        let common = [learner, &["--target", "y"]].concat();
        let (all, said) = played(&[&common[..], &["--input", &file, "--group", "place"]].concat());
        assert!(said.contains(", 3 groups"), "{said}");
        assert!(all[0].ends_with(",group"), "{}", all[0]);
        let mut count = 0;
        for group in ["Rome", "\"A, B\"", "7"] {
            let part = folder.file("part.csv", only(&text, group));
            let (alone, _) = played(&[&common[..], &["--input", &part, "--drop", "place", "--live"]].concat());
            let of_group = all.iter().filter(|line| line.ends_with(&format!(",{group}")));
            let found: Vec<Vec<String>> = of_group.map(|line| own(line, group)).collect();
            let expected: Vec<Vec<String>> = alone[1..].iter().map(|line| own(line, group)).collect();
            assert_eq!(found, expected, "{learner:?} {group}");
            count += found.len();
        }
        assert_eq!((count, all.len()), (300, 301));
        let cell = |line: &str, at: usize| line.split(',').nth(at).unwrap().parse::<f64>().unwrap_or(0.0);
        let sum: f64 = all[1..].iter().map(|line| cell(line, 3)).sum();
        assert!((cell(&all[300], 4) - sum).abs() < 1e-9 * sum, "{} {sum}", all[300]);
        assert_eq!(cell(&all[300], 0), 300.0);
    }
}

/// Rows through a pipe, the file, and the file from a save on have the same lines.
#[test]
fn they_are_saved_resumed_and_loaded() {
    let folder = Folder::new();
    let text = rows(200);
    let part = text.lines().take(121).collect::<Vec<_>>().join("\n") + "\n";
    let rest = text.lines().enumerate().filter(|(at, _)| *at == 0 || *at > 120).map(|(_, line)| line);
    let rest = rest.collect::<Vec<_>>().join("\n") + "\n";
    let (file, first) = (folder.file("rows.csv", &text), folder.file("first.csv", part));
    let rest = folder.file("rest.csv", rest);
    for learner in LEARNERS {
        let learn = [learner, &["--target", "y", "--group", "place"]].concat();
        let (whole, _) = played(&[&learn[..], &["--input", &file]].concat());
        let live = stream_from(text.as_bytes(), &learn);
        assert_eq!(String::from_utf8(live.stdout).unwrap().lines().collect::<Vec<_>>(), whole, "{learner:?}");

        let (model, output) = (folder.path("model"), folder.path("out.csv"));
        let (model, output) = (model.to_str().unwrap(), output.to_str().unwrap());
        let save = ["--save", model, "--save-every", "40", "--output", output];
        played(&[&learn[..], &["--input", &first], &save].concat());
        // What is written of targets is an option of the run, not of the model.
        let std: &[&str] = if learner.contains(&"--std") { &["--std"] } else { &[] };
        let (loaded, said) = played(&[&["--load", model, "--input", &rest], std].concat());
        assert_eq!(loaded[1..], whole[121..], "{learner:?}");
        assert!(said.contains("200 rounds") && said.contains("3 groups (120 of the rounds before"), "{said}");
        played(&[&learn[..], &["--input", &file, "--resume"], &save].concat());
        assert_eq!(fs::read_to_string(output).unwrap().lines().collect::<Vec<_>>(), whole, "{learner:?}");

        let predict = ["predict", "--load", model, "--input", &rest];
        let found = Command::new(env!("CARGO_BIN_EXE_noregret")).args(predict).output().unwrap();
        assert_eq!(found.status.code(), Some(1), "{}", stderr(&found));
        assert!(stderr(&found).contains("a learner for each value of place"), "{}", stderr(&found));
        [model, output].iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}

#[test]
fn classes_are_those_of_all_groups() {
    let folder = Folder::new();
    let mut text = String::from("g,a,class\n");
    for t in 0..240 {
        let (group, a) = (t % 2, f64::from(t * 7 % 11));
        let high = (a > 5.0) == (group == 0);
        text += &format!("{group},{a},{}\n", if high { "high" } else { "low" });
    }
    let file = folder.file("rows.csv", text);
    let args = ["--input", &file, "--target", "class", "--group", "g"];
    let (found, said) = played(&[&args[..], &["--classes=low,high"]].concat());
    assert!(found[0].ends_with("probability_low,probability_high,group"), "{}", found[0]);
    // What a is in one group says the opposite in the other.
    let late: f64 = found[121..].iter().map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap()).sum();
    assert!(late < 12.0, "{late} errors in 120 rows: {said}");
    let refused = stream(&args);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--classes=a,b,c"), "{}", stderr(&refused));
}

/// The first row that cannot be played ends the run, in the order of the file, whichever group plays first.
#[test]
fn a_group_that_diverges_is_named_and_the_rows_before_are_written() {
    let folder = Folder::new();
    let mut text = String::from("g,a,y\n");
    for t in 0..60 {
        let a = if t >= 30 && t % 2 == 1 { "1e200" } else { "0.5" };
        text += &format!("{},{a},1\n", ["good", "bad"][t % 2]);
    }
    let file = folder.file("rows.csv", text);
    let found = stream(&[
        "--input",
        &file,
        "--target",
        "y",
        "--group",
        "g",
        "--learner",
        "linear-ogd",
        "--set",
        "eta=1",
        "--scale",
        "none",
        "--target-scale",
        "none",
    ]);
    assert_eq!(found.status.code(), Some(1), "{}", stderr(&found));
    assert!(stderr(&found).contains("stopped in round 32: of g bad"), "{}", stderr(&found));
    assert_eq!(String::from_utf8(found.stdout).unwrap().lines().count(), 1 + 31);
}

#[test]
fn what_does_not_go_with_groups_is_refused() {
    let folder = Folder::new();
    let file = folder.file("rows.csv", rows(30));
    let refused = |more: &[&str], says: &str| {
        let found = stream(&[&["--input", &file, "--target", "y", "--group", "place"], more].concat());
        assert_eq!(found.status.code(), Some(2), "{more:?}: {}", stderr(&found));
        assert!(stderr(&found).contains(says), "{more:?} {says}: {}", stderr(&found));
    };
    let ridge = ["--learner", "kernel-ridge"];
    refused(&["--shuffle"], "shuffle the file before");
    refused(&[&ridge[..], &["--scale", "unit"]].concat(), "use epochs or running");
    refused(&["--weights"], "run the group alone");
    refused(&["--id", "t"], "--id and --delay");
    refused(&["--ahead", "1,2"], "--learner ahead");
    refused(&["--further-targets", "b"], "run a stream for each target");
    refused(&["--unseen"], "--unseen");
    refused(&["--report", "page.html"], "run the group alone");
    refused(&["--save", "model", "--predict-only"], "--predict-only");
    refused(&["--learner", "fogd"], "give them a value with --set");
    let noisy = ["--learner", "kernel-ridge", "--noise", "gaussian", "--noise-std", "0.1"];
    refused(&noisy, "--noise");
    let found = stream(&["--input", &file, "--target", "y", "--group", "nowhere"]);
    assert_eq!(found.status.code(), Some(2), "{}", stderr(&found));
    assert!(stderr(&found).contains("nowhere"), "{}", stderr(&found));
    let long = folder.file("long.csv", format!("g,a,y\n{},2,1\n", "x".repeat(300)));
    let found = stream(&["--input", &long, "--target", "y", "--group", "g", "--learner", "running-mean"]);
    assert!(stderr(&found).contains("in round 1, g has a value of 300 bytes"), "{}", stderr(&found));
}
