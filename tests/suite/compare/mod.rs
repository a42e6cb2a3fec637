//! `noregret compare`, end to end through the binary, in a folder with nothing but a file.

mod grids;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The first 200 rows of the diabetes data of B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Annals of Statistics 32
/// (2004), inputs rounded to four digits.
const DIABETES: &str = include_str!("diabetes.csv");

/// The progressive squared loss on them of KernelRidge of scikit-learn 1.7, refitted in every round: RBF kernel over inputs
/// scaled to [0, 1] and standardised targets, alpha in {1e-3, .., 10}, gamma in {0.01, 0.03, .., 3}, the best in hindsight
/// (0.1, 0.1). With targets as they are it is 3401.7.
const KERNEL_RIDGE: f64 = 3273.816858613337;

fn compare(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_noregret"));
    command.current_dir(folder).env_remove("NOREGRET_PROFILE").arg("compare").args(args).output().unwrap()
}

/// A comparison that succeeds, as JSON, with what it said.
fn compared(folder: &Path, args: &[&str]) -> (Value, String) {
    let output = compare(folder, &[args, &["--json"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

fn row<'a>(board: &'a Value, learner: &str) -> &'a Value {
    let rows = board["leaderboard"].as_array().unwrap();
    rows.iter().find(|row| row["learner"] == learner).unwrap_or_else(|| panic!("{learner}: {board:#}"))
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_else(|| panic!("{field}: {row:#}"))
}

#[test]
fn diabetes_is_predicted_as_well_as_by_kernel_ridge_in_hindsight_and_a_second_call_reuses_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("diabetes.csv"), DIABETES).unwrap();
    // Far more time than it takes: nothing depends on how fast the machine is.
    let args = ["diabetes.csv", "--target", "y", "--budget", "1h", "--learners", "kernel-ridge,pkawv-taylor,fogd"];
    let (board, _) = compared(folder.path(), &args);
    let best = &board["leaderboard"][0];
    assert!(number(best, "loss") <= 1.05 * KERNEL_RIDGE, "{best:#}");
    // The mean of the targets so far, in the units of the file.
    assert!((4000.0..8000.0).contains(&number(row(&board, "running-mean"), "loss")), "{board:#}");
    for learner in ["last-value", "majority", "kernel-ridge", "pkawv-taylor"] {
        assert_eq!(row(&board, learner)["runs"], 1, "{learner} draws nothing");
        assert!(number(row(&board, learner), "half_width") > 0.0);
    }
    assert_eq!(row(&board, "fogd")["runs"], 3);
    let project = folder.path().join("diabetes-compare");
    for file in ["pipeline/datasets/diabetes.toml", "pipeline/profiles.toml", "reports/index.html", "reports/report.md"]
    {
        assert!(project.join(file).is_file(), "{file}");
    }

    // Again: every setting is known, and the project has nothing to do.
    let (again, said) = compared(folder.path(), &args);
    assert_eq!(again["leaderboard"], board["leaderboard"]);
    assert!(said.contains("were known from before") && said.contains("nothing to do"), "{said}");

    // The printed command plays the same rounds.
    let stream = board["stream"].as_str().unwrap();
    let words = stream.split(' ').skip(1).chain(["--output", "rounds.csv"]);
    let played = Command::new(env!("CARGO_BIN_EXE_noregret")).current_dir(folder.path()).args(words).output().unwrap();
    let said = String::from_utf8(played.stderr).unwrap();
    assert!(played.status.success(), "{stream}\n{said}");
    let rounds = fs::read_to_string(folder.path().join("rounds.csv")).unwrap();
    let last = rounds.lines().last().unwrap().rsplit(',').next().unwrap().parse::<f64>().unwrap();
    assert!((last / 200.0 / number(best, "loss") - 1.0).abs() < 1e-9, "{last} {best:#}");

    // What the user wrote stays.
    let experiment = project.join("pipeline/experiments/diabetes.toml");
    let text = fs::read_to_string(&experiment).unwrap();
    let mine = text.replace("seed = 0", "seed = 0 # mine");
    assert_ne!(mine, text);
    fs::write(&experiment, &mine).unwrap();
    let fewer = [&args[..5], &["--learners", "kernel-ridge"]].concat();
    let output = compare(folder.path(), &fewer);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && printed.contains("You changed pipeline/experiments/diabetes.toml"), "{printed}");
    assert_eq!(fs::read_to_string(&experiment).unwrap(), mine);
    assert!(
        fs::read_to_string(project.join("pipeline/experiments/diabetes.toml.new")).unwrap().contains("kernel-ridge")
    );
}

/// Two classes as words, with a column of words, one of dates and gaps.
fn loans() -> String {
    let mut draw = crate::splitmix::SplitMix64(7);
    let mut uniform = move || draw.uniform();
    let mut text = "day,city,income,paid\n".to_owned();
    for i in 0..300 {
        let (city, income) = ((4.0 * uniform()) as usize, 1000.0 * (1.0 + uniform()));
        let score = [1.5, -1.5, 0.5, -0.5][city] + (income - 1500.0) / 250.0;
        let paid = if uniform() < 1.0 / (1.0 + (-3.0 * score).exp()) { "yes" } else { "no" };
        let income = if uniform() < 0.05 { String::new() } else { format!("{income:.0}") };
        let (month, day) = (i / 28 % 12 + 1, i % 28 + 1);
        text += &format!("2024-{month:02}-{day:02},{},{income},{paid}\n", ["Oslo", "Rome", "Lima", "Cairo"][city]);
    }
    text
}

#[test]
fn two_classes_with_words_dates_and_gaps() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("loans.csv"), loans()).unwrap();
    let args = ["loans.csv", "--target", "paid", "--budget", "1h", "--learners", "pkawv-taylor,kernel-awv,kernel-ogd"];
    let (board, said) = compared(folder.path(), &args);
    assert!(said.contains("two classes") && said.contains("city"), "{said}");
    let (best, majority) = (&board["leaderboard"][0], row(&board, "majority"));
    assert!(number(best, "error_rate") < 0.6 * number(majority, "error_rate"), "{board:#}");
    // Losses are those of classes -1 and +1, so 0 loses 1.
    assert!(number(best, "loss") < 0.8, "{best:#}");
    let by_errors = [&args[..], &["--metric", "error", "--order", "shuffle", "--replicates", "2"]].concat();
    let (errors, _) = compared(folder.path(), &by_errors);
    assert_eq!(errors["leaderboard"][0]["loss"], errors["leaderboard"][0]["error_rate"]);
    assert_eq!(row(&errors, "kernel-awv")["runs"], 2);
}

/// The factor of 20,000 rounds would hold 1.6 GB.
#[test]
fn learners_of_cubic_cost_play_as_far_as_memory_allows_and_the_leaderboard_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..20_000).map(|i| format!("{},{}\n", i % 97, (f64::from(i % 97) / 9.0).sin())).collect();
    fs::write(folder.path().join("wave.csv"), format!("x,y\n{rows}")).unwrap();
    let args = ["wave.csv", "--target", "y", "--learners", "kernel-ridge,linear-ogd", "--budget", "6s"];
    let grid = ["--grid", "kernel-ridge.kernel.bandwidth=0.1", "--grid", "kernel-ridge.lambda=0.1,1"];
    let output = compare(folder.path(), &[&args[..], &grid[..]].concat());
    let (printed, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{said}");
    // Which of the two depends on the machine.
    let told = printed.contains("Cut short") || printed.contains("Left out: kernel-ridge");
    assert!(told, "{printed}{said}");
}

#[test]
fn mistakes_are_told_before_anything_is_played() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "x,y\n1,2\n2,3\n3,5\n").unwrap();
    let refused = |args: &[&str]| {
        let output = compare(folder.path(), &[&["a.csv", "--target", "y"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["--learners", "fogdd"]).contains("did you mean `fogd`"));
    assert!(refused(&["--learners", "noisy-gaussian"]).contains("it learns from noisy copies only"));
    assert!(refused(&["--grid", "fogd.etta=1"]).contains("etta"));
    assert!(refused(&["--metric", "error"]).contains("two values"));
    assert!(refused(&["--task", "binary"]).contains("more than two values"));
    assert!(refused(&["--budget", "soon"]).contains("30s, 2m or 1h"));
}

/// The files below a folder with their bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    files.sort();
    files
}

/// Another target goes into another folder, or is refused where the user named the folder; the first results stay.
#[test]
fn another_target_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), DIABETES).unwrap();
    let args = |target: &'static str| ["a.csv", "--budget", "1h", "--learners", "pkawv-taylor", "--target", target];
    compared(folder.path(), &args("y"));
    let first = folder.path().join("a-compare/results/compare");
    let before = files(&first);
    compared(folder.path(), &args("bmi"));
    assert!(folder.path().join("a-bmi-compare/reports/index.html").exists());
    let refused = compare(folder.path(), &[&args("bmi")[..], &["--output", "a-compare"]].concat());
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

/// What is a result has the same bytes on any number of threads, and where an earlier call was killed after its first files.
#[test]
fn results_of_a_comparison_have_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), DIABETES).unwrap();
    let args = ["a.csv", "--budget", "1h", "--learners", "pkawv-taylor,fogd", "--target", "y"];
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    compared(folder.path(), &[&args[..], &["-j", "2", "--output", "one"]].concat());
    for part in ["pipeline/profiles.toml", "pipeline/datasets/a.toml"] {
        fs::create_dir_all(two.join(part).parent().unwrap()).unwrap();
        fs::copy(one.join(part), two.join(part)).unwrap();
    }
    compared(folder.path(), &[&args[..], &["-j", "1", "--output", "two"]].concat());
    let bytes = |root: &Path| -> Vec<Vec<u8>> {
        files(&root.join("results/compare")).into_iter().map(|(_, bytes)| bytes).collect()
    };
    assert_eq!(bytes(&one).len(), 2);
    assert!(bytes(&one) == bytes(&two));
}

/// A word that the target never is would make all rows one class.
#[test]
fn a_class_that_is_not_there_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("loans.csv"), loans()).unwrap();
    let target = loans().lines().next().unwrap().split(',').next_back().unwrap().to_owned();
    let output = compare(folder.path(), &["loans.csv", "--target", &target, "--positive", "maybe"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("never `maybe`"), "{said}");
}

/// Commands that are printed can be pasted, whatever the file is called; rows that come once cannot be compared.
#[test]
fn printed_commands_can_be_pasted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my rows.csv"), DIABETES).unwrap();
    let args =
        ["my rows.csv", "--target", "y", "--budget", "1h", "--learners", "pkawv-taylor", "--output", "the results"];
    let output = compare(folder.path(), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let stream = said.lines().find(|line| line.trim_start().starts_with("noregret stream")).unwrap();
    let again = said.split('`').find(|part| part.starts_with("cd ")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_noregret")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    for command in [stream, again] {
        let mut shell = Command::new("/bin/sh");
        let ended = shell.current_dir(folder.path()).env("PATH", &path).args(["-c", command]).output().unwrap();
        assert!(ended.status.success(), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    let refused = compare(folder.path(), &["-", "--target", "y"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("put them into a file"));
}
