//! A folder, or a pattern, is compared as the file that holds all its rows.

use std::fs;

use serde_json::Value;

use super::{DIABETES, compare, compared, streamed};

/// Words, gaps and the rows of the diabetes data, of which some words come only in later files.
fn rows() -> (String, Vec<String>) {
    let mut lines = DIABETES.lines();
    let header = format!("kind,gap,{}\n", lines.next().unwrap());
    let row = |(i, line): (usize, &str)| {
        let gap = if i % 7 == 3 { String::new() } else { format!("{}", (i as f64 * 0.37).sin()) };
        format!("{},{gap},{line}\n", ["old", "new", "later"][i / 60 % 3])
    };
    (header, lines.enumerate().map(row).collect())
}

/// What is found, but for times.
fn found(board: &Value) -> Vec<[Value; 5]> {
    let rows = board["leaderboard"].as_array().unwrap();
    rows.iter()
        .map(|row| ["learner", "setting", "loss", "loss_choosing", "seeds"].map(|key| row[key].clone()))
        .collect()
}

#[test]
fn a_folder_is_compared_as_its_rows_in_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (header, rows) = rows();
    fs::write(folder.path().join("whole.csv"), header.clone() + &rows.concat()).unwrap();
    fs::create_dir_all(folder.path().join("parts/2025")).unwrap();
    for (name, rows) in [("part-9.csv", &rows[..70]), ("part-10.csv", &rows[70..100]), ("part-11.csv", &rows[100..])] {
        fs::write(folder.path().join("parts/2025").join(name), header.clone() + &rows.concat()).unwrap();
    }
    let args = ["--target", "y", "--budget", "1h", "--learners", "kernel-ridge,fogd", "--output"];
    let with = |input: &str, output: &str| compared(folder.path(), &[&[input][..], &args, &[output]].concat()).0;
    let whole = with("whole.csv", "a");
    assert_eq!((&whole["rows"], found(&whole).len() > 3), (&200.into(), true));
    for (input, output) in [("parts/2025", "b"), ("parts/**/part-*.csv", "c")] {
        let board = with(input, output);
        assert_eq!((&board["content"], found(&board)), (&whole["content"], found(&whole)), "{input}");
        // The command that is printed reads the same files.
        assert!(board["stream"].as_str().unwrap().contains(input), "{board:#}");
        let loss = board["leaderboard"][0]["seeds"][0].as_f64().unwrap();
        assert!((streamed(folder.path(), &board) - loss).abs() < 1e-6 * loss);
        assert!(folder.path().join(output).join("leaderboard.png").is_file());
        assert!(!folder.path().join(output).join("pipeline").exists());
    }
    // Files in another order are other rows.
    let part = |name: &str| folder.path().join("parts/2025").join(name);
    fs::rename(part("part-9.csv"), part("part-12.csv")).unwrap();
    assert_ne!(with("parts/2025", "d")["content"], whole["content"]);
    // It is called by its folder, and says which files it has read, and why there is no project.
    let output = compare(folder.path(), &[&["parts/2025/*.csv"][..], &args[..6]].concat());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(folder.path().join("2025-y-compare/leaderboard.txt").is_file());
    for part in
        ["3 files, in the order of their names: parts/2025/part-10.csv", "a dataset is one file, and not a folder"]
    {
        assert!(said.contains(part), "{said}");
    }
    for (input, status, why) in [("parts/*.csv", 2, "no file matches"), ("parts", 2, "2025 is a folder")] {
        let refused = compare(folder.path(), &[&[input][..], &args[..6]].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(status) && said.contains(why), "{said}");
    }
}
