//! Several targets of a file: each has a folder of its own, and nothing of another one is lost.

use std::fs;

use super::{DIABETES, compare, compared, files, number, row, streamed};

/// Another target goes into another folder, or is refused where the user named the folder; the first results stay.
#[test]
fn another_target_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), DIABETES).unwrap();
    let args = |target: &'static str| ["a.csv", "--budget", "1h", "--learners", "pkawv-taylor", "--target", target];
    compared(folder.path(), &args("y"));
    let first = folder.path().join("a-y-compare/results/compare");
    let before = files(&first);
    compared(folder.path(), &args("bmi"));
    assert!(folder.path().join("a-bmi-compare/leaderboard.txt").exists());
    let refused = compare(folder.path(), &[&args("bmi")[..], &["--output", "a-y-compare"]].concat());
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("compares the target y") && said.contains("--output"), "{said}");
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/a.csv"), DIABETES).unwrap();
    let other = compare(folder.path(), &[&["other/a.csv"], &args("y")[1..]].concat());
    assert_eq!(other.status.code(), Some(2), "another file of this name");
    assert_eq!(files(&first), before);
    let (_, said) = compared(folder.path(), &args("y"));
    assert!(said.contains("were known from before"), "{said}");
    assert_eq!(files(&first), before);
}

/// Each target of a call is compared as it would be alone, from inputs among which no other target is.
#[test]
fn several_targets_are_compared_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), DIABETES).unwrap();
    let args = ["a.csv", "--budget", "1h", "--learners", "pkawv-taylor", "--target", "y"];
    let (boards, _) = compared(folder.path(), &[&args[..], &["--further-targets", "bmi,bp"]].concat());
    let boards = boards.as_array().unwrap();
    assert!(boards.iter().map(|board| board["target"].as_str().unwrap()).eq(["y", "bmi", "bp"]));
    let mut won = 0;
    for (board, [target, others]) in boards.iter().zip([["y", "bmi,bp"], ["bmi", "y,bp"], ["bp", "y,bmi"]]) {
        assert!(folder.path().join(format!("a-{target}-compare/leaderboard.svg")).exists());
        let alone = ["--target", target, "--drop", others, "--output", "alone"];
        let (alone, _) = compared(folder.path(), &[&args[..5], &alone].concat());
        fs::remove_dir_all(folder.path().join("alone")).unwrap();
        for (row, same) in board["leaderboard"].as_array().unwrap().iter().zip(alone["leaderboard"].as_array().unwrap())
        {
            assert_eq!([&row["learner"], &row["loss"]], [&same["learner"], &same["loss"]], "{target}");
        }
        // Where there is no tie for the first place, its command does the same.
        if let Some(seeds) = board["winner"].as_str().map(|_| &board["leaderboard"][0]["seeds"]) {
            won += 1;
            assert!((streamed(folder.path(), board) / seeds[0].as_f64().unwrap() - 1.0).abs() < 1e-5, "{target}");
        }
    }
    assert!(won > 0);
    // A column that is not there is refused before anything is played.
    let more = ["--further-targets", "nothing", "--output", "all"];
    let failed = compare(folder.path(), &[&args[..], &more].concat());
    assert!(failed.status.code() == Some(2) && !folder.path().join("all").exists());
    // Where the user names a folder, each target has one in it.
    let more = ["--further-targets", "bmi", "--output", "all"];
    compared(folder.path(), &[&args[..], &more].concat());
    assert!(["y", "bmi"].iter().all(|target| folder.path().join(format!("all/{target}/leaderboard.txt")).exists()));
    for (wrong, says) in [("y", "y is named twice"), ("bmi,bmi", "bmi is named twice")] {
        let refused = compare(folder.path(), &[&args[..], &["--further-targets", wrong]].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(String::from_utf8(refused.stderr).unwrap().contains(says), "{wrong}");
    }
}

/// Seconds since 1970: the first loss is 10^18 times those of the rows that judge, which it must not swallow.
#[test]
fn targets_far_from_zero_are_judged_by_what_varies() {
    let folder = tempfile::tempdir().unwrap();
    let input = |i: u64| f64::from(u32::try_from(i * 7919 % 400).unwrap()) / 200.0 - 1.0;
    let noise = |i: u64| (i * 104_729 % 1000) as f64 / 1000.0;
    let rows = (0..400).map(|i| format!("{},{:.3}\n", input(i), 1.7e9 + 4.0 * input(i) + noise(i)));
    fs::write(folder.path().join("seconds.csv"), format!("x,y\n{}", rows.collect::<String>())).unwrap();
    let args = ["seconds.csv", "--target", "y", "--budget", "1h", "--learners", "linear-ridge"];
    let (board, _) = compared(folder.path(), &args);
    assert!((number(row(&board, "last-value"), "loss") > 5.0), "{board:#}");
    let linear = number(row(&board, "linear-ridge"), "loss");
    assert!((0.05..0.3).contains(&linear), "{board:#}");
    assert!(!board["winner"].is_null(), "{board:#}");
    let (found, loss) = (streamed(folder.path(), &board), board["leaderboard"][0]["seeds"][0].as_f64().unwrap());
    assert!((found - loss).abs() < 1e-5 * loss, "{found} {loss}");
}

/// A project cannot name such a path: it is refused before anything is played.
#[test]
#[cfg(unix)]
fn a_path_that_is_not_utf8_is_refused_at_once() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let within = folder.path().join(std::ffi::OsStr::from_bytes(b"d\xff"));
    fs::create_dir(&within).unwrap();
    fs::write(within.join("a.csv"), DIABETES).unwrap();
    let refused = compare(&within, &["a.csv", "--target", "y", "--budget", "1h", "--learners", "linear-ridge"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("not UTF-8") && said.contains("another name") && !said.contains("searching"), "{said}");
}
