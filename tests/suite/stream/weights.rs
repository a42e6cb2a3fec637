//! Weights of rows: `--sample-weight`.

use super::*;

const ROWS: usize = 300;

/// Row t of `a,y`, and how often it comes.
fn row(t: usize) -> (String, usize) {
    let a = ((37 * t) % 101) as f64 / 50.0 - 1.0;
    (format!("{a},{}", (3.0 * a).sin() + ((t % 7) as f64 - 3.0) / 10.0), [1, 2, 0, 3][t % 4])
}

/// Rows with their weights in a column between the others; each as often as its weight says; the last of them without a target.
fn files(folder: &Folder) -> [String; 2] {
    let weighted = (0..ROWS).map(|t| {
        let (cells, times) = row(t);
        let (a, y) = cells.split_once(',').unwrap();
        format!("{a},{times},{y}\n")
    });
    let repeated = (0..ROWS).map(|t| format!("{}\n", row(t).0).repeat(row(t).1));
    let at = "0.3,";
    let (weighted, repeated) = (weighted.collect::<String>(), repeated.collect::<String>());
    [
        folder.file("weighted.csv", format!("a,w,y\n{weighted}{at},\n")),
        folder.file("repeated.csv", format!("a,y\n{repeated}{at}\n")),
    ]
}

fn last(output: &Output) -> f64 {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(output.status.success(), "{}", stderr(output));
    text.lines().last().unwrap().split(',').nth(2).unwrap().parse().unwrap()
}

/// On scales that do not count rows; in blocks, row by row, and from a saved model.
#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let folder = Folder::new();
    let [weighted, repeated] = files(&folder);
    let model = folder.path("model.safetensors").to_str().unwrap().to_owned();
    for learner in ["kernel-ridge", "pkawv-taylor", "linear-ridge", "running-mean"] {
        let common = ["--learner", learner, "--target", "y", "--scale", "none", "--target-scale", "none"];
        let play = |more: &[&str]| stream(&[&common[..], more].concat());
        let expected = last(&play(&["--input", &repeated]));
        let weights = ["--input", &weighted, "--sample-weight", "w"];
        let found = last(&play(&weights));
        assert!((found - expected).abs() < 1e-9, "{learner}: {found} {expected}");
        assert!((last(&play(&[&weights[..], &["--live"]].concat())) - expected).abs() < 1e-9, "{learner}");
        let ignored = last(&play(&["--input", &weighted, "--drop", "w"]));
        assert!((ignored - expected).abs() > 1e-4, "{learner}: {ignored} {expected}");
        // The column stays one of weights, where a model is loaded too.
        let (first, rest) = (folder.path("1.csv"), folder.path("2.csv"));
        let text = fs::read_to_string(&weighted).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        fs::write(&first, lines[..150].join("\n") + "\n").unwrap();
        fs::write(&rest, format!("a,w,y\n{}\n", lines[150..].join("\n"))).unwrap();
        let [first, rest] = [&first, &rest].map(|path| path.to_str().unwrap());
        let saved = play(&["--input", first, "--sample-weight", "w", "--save", &model]);
        assert!(saved.status.success(), "{}", stderr(&saved));
        let found = last(&stream(&["--load", &model, "--input", rest]));
        assert!((found - expected).abs() < 1e-9, "{learner}, loaded: {found} {expected}");
    }
}

#[test]
fn what_is_no_weight_is_refused_with_the_row() {
    let folder = Folder::new();
    let of = |weight: &str| folder.file("rows.csv", format!("a,w,y\n1,1,2\n2,{weight},3\n3,1,4\n"));
    let play = |learner: &str, weight: &str| {
        stream(&["--learner", learner, "--target", "y", "--input", &of(weight), "--sample-weight", "w"])
    };
    for (learner, weight, said) in [
        ("kernel-ridge", "-1", "row 2 (line 3), column `w`: the weight is -1, and weights are numbers of at least 0"),
        ("kernel-ridge", "x", "row 2 (line 3), column `w`: the weight is x, and weights are numbers of at least 0"),
        ("kernel-ridge", "", "row 2 (line 3), column `w`: the value is missing"),
        ("coin-taylor", "0.5", "the weight 0.5 is not one of 0, 1, 2"),
    ] {
        let output = play(learner, weight);
        let (status, text) = (output.status, stderr(&output));
        assert!(!status.success() && text.contains(said), "{learner} {weight}: {text}");
    }
    assert!(play("coin-taylor", "2").status.success());
    // Such a row can be passed over. One without a target needs no weight.
    let skipping = ["--target", "y", "--sample-weight", "w", "--on-bad-row", "skip", "--input"];
    let skipped = stream(&[&skipping[..], &[&of("-1")]].concat());
    assert!(skipped.status.success() && stderr(&skipped).contains("2 rounds"), "{}", stderr(&skipped));
    let open = folder.file("open.csv", "a,w,y\n1,1,2\n2,,\n3,1,4\n");
    assert!(stream(&[&skipping[..4], &["--input", &open]].concat()).status.success());
    let both = stream(&["--target", "y", "--input", &of("1"), "--sample-weight", "w", "--delay", "3"]);
    assert!(!both.status.success() && stderr(&both).contains("--delay"), "{}", stderr(&both));
}
