//! `noregret compare`, end to end through the binary, in a folder with nothing but a file.

mod grids;
mod parts;
mod targets;

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

/// What `noregret stream` says of the rows that judge, by the command that `compare` printed.
fn streamed(folder: &Path, board: &Value) -> f64 {
    let stream = board["stream"].as_str().unwrap_or_else(|| panic!("no command: {board:#}"));
    let program = Path::new(env!("CARGO_BIN_EXE_noregret")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("/bin/sh");
    let played = shell.current_dir(folder).env("PATH", path).args(["-c", stream]).output().unwrap();
    let said = String::from_utf8(played.stderr).unwrap();
    assert!(played.status.success(), "{stream}\n{said}");
    let (half, rows) = (board["chose"].as_u64().unwrap(), board["rows"].as_u64().unwrap());
    let begin = format!("rounds {} to {rows}: {} ", half + 1, board["metric"].as_str().unwrap());
    let found = said.lines().find_map(|line| line.strip_prefix(&begin)).unwrap_or_else(|| panic!("{begin}: {said}"));
    found.parse().unwrap()
}

#[test]
fn diabetes_is_predicted_as_well_as_by_kernel_ridge_in_hindsight_and_a_second_call_reuses_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("diabetes.csv"), DIABETES).unwrap();
    // Far more time than it takes: nothing depends on how fast the machine is.
    let args = ["diabetes.csv", "--target", "y", "--budget", "1h", "--learners", "kernel-ridge,pkawv-taylor,fogd"];
    let (board, _) = compared(folder.path(), &args);
    let best = &board["leaderboard"][0];
    assert_eq!((&board["chose"], &board["rows"]), (&100.into(), &200.into()));
    // Over both halves, although only the first one chose.
    let both = 0.5 * (number(best, "loss") + number(best, "loss_choosing"));
    assert!(both <= 1.05 * KERNEL_RIDGE, "{both}: {best:#}");
    assert_eq!(board["winner"], best["learner"], "{board:#}");
    // The mean of the targets so far, in the units of the file.
    assert!((4000.0..8000.0).contains(&number(row(&board, "running-mean"), "loss")), "{board:#}");
    for learner in ["last-value", "majority", "kernel-ridge", "pkawv-taylor"] {
        let row = row(&board, learner);
        assert_eq!(row["runs"], 1, "{learner} draws nothing");
        assert!(row["place"] == "first" || number(row, "half_width") > 0.0, "{row:#}");
    }
    assert_eq!(row(&board, "fogd")["runs"], 3);
    let project = folder.path().join("diabetes-y-compare");
    for file in ["pipeline/datasets/diabetes.toml", "pipeline/profiles.toml", "leaderboard.txt", "leaderboard.png"] {
        assert!(project.join(file).is_file(), "{file}");
    }
    // The page has the numbers of the leaderboard, the command that is printed, and every learner beside its point.
    let page = fs::read_to_string(project.join("leaderboard.html")).unwrap();
    let winner = best["learner"].as_str().unwrap();
    let (from, to) = (board["chose"].as_u64().unwrap() + 1, board["rows"].as_u64().unwrap());
    let found = format!("<h1>{winner} has the lowest squared loss on rows {from} to {to} of diabetes, ");
    assert!(page.contains(&found), "{found}: {page}");
    let words = |text: &str| text.split(' ').map(|word| format!("<span>{word}</span> ")).collect::<String>();
    let command = board["stream"].as_str().unwrap().replace('/', "&#x2f;");
    assert!(page.contains(&words(&command)), "{command}");
    for line in board["leaderboard"].as_array().unwrap() {
        assert!(page.contains(&format!("<th scope=\"row\">{}</th>", line["learner"].as_str().unwrap())), "{line:#}");
    }
    let picture = fs::read_to_string(project.join("leaderboard.svg")).unwrap();
    for learner in ["running-mean", "last-value", "majority", "kernel-ridge"] {
        assert!(picture.contains(&format!("data-name=\"{learner}\"")), "{learner}");
    }

    // Again: every run is known.
    let (again, said) = compared(folder.path(), &args);
    assert_eq!(again["leaderboard"], board["leaderboard"]);
    assert!(said.contains("were known from before"), "{said}");

    // The printed command plays the same rounds.
    let found = streamed(folder.path(), &board);
    let loss = best["seeds"][0].as_f64().unwrap();
    assert!((found - loss).abs() < 1e-6 * loss, "{found} {loss}");

    // What the user wrote stays.
    let experiment = project.join("pipeline/experiments/diabetes.toml");
    let text = fs::read_to_string(&experiment).unwrap();
    let mine = text.replace("seed = 0", "seed = 0 # mine");
    assert_ne!(mine, text);
    fs::write(&experiment, &mine).unwrap();
    // A call for one learner forgets none of the others.
    let fewer = [&args[..5], &["--learners", "kernel-ridge", "--grid", "kernel-ridge.lambda=5"]].concat();
    let (less, _) = compared(folder.path(), &fewer);
    for learner in ["kernel-ridge", "pkawv-taylor", "fogd", "running-mean"] {
        assert_eq!(row(&less, learner)["seeds"], row(&board, learner)["seeds"], "{learner}");
    }
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
    assert!(number(best, "error_rate") < 0.7 * number(majority, "error_rate"), "{board:#}");
    // Losses are those of classes -1 and +1, so 0 loses 1.
    assert!(number(best, "loss") < 0.8, "{best:#}");
    let by_errors = [&args[..], &["--metric", "error"]].concat();
    let (errors, _) = compared(folder.path(), &by_errors);
    let best = &errors["leaderboard"][0];
    assert_eq!(best["loss"], best["error_rate"]);
    let losses: Vec<f64> = errors["leaderboard"].as_array().unwrap().iter().map(|row| number(row, "loss")).collect();
    assert!(losses.is_sorted(), "{losses:?}");
    // Shares of 150 rows, not squared losses.
    assert!(losses.iter().all(|loss| (150.0 * loss * 2.0).fract().abs() < 1e-9), "{losses:?}");
    // The command counts errors too, and finds the same.
    let found = streamed(folder.path(), &errors);
    assert!((found - best["seeds"][0].as_f64().unwrap()).abs() < 1e-6, "{found} {best:#}");
    let (shuffled, _) = compared(folder.path(), &[&by_errors[..], &["--order", "shuffle", "--seed", "4"]].concat());
    assert_ne!(shuffled["leaderboard"][0]["loss"], best["loss"], "another order");
    let found = streamed(folder.path(), &shuffled);
    assert!((found - shuffled["leaderboard"][0]["seeds"][0].as_f64().unwrap()).abs() < 1e-6, "{found}");
}

/// What a person gets who says nothing but the target: rentals by hour, of which the day and the shop say most, at hours that
/// matter where the shop is open.
#[test]
fn auto_reads_words_and_dates_as_it_does_in_stream() {
    let mut draw = crate::splitmix::SplitMix64(11);
    let mut text = "at,shop,rentals\n".to_owned();
    for i in 0..360 {
        let (shop, hour) = ((3.0 * draw.uniform()) as usize, i % 24);
        let open = [6..12, 10..20, 0..24][shop].contains(&hour);
        let rentals = if open { 20.0 + 30.0 * ((hour * 7 % 24) as f64 / 24.0) } else { 0.0 } + draw.uniform();
        let (day, shop) = (i / 24 + 1, ["north", "harbour", "station"][shop]);
        text += &format!("2024-03-{day:02} {hour:02}:00,{shop},{rentals:.2}\n");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("shop.csv"), text).unwrap();
    let args = ["shop.csv", "--target", "rentals", "--budget", "1h", "--learners", "linear-ogd"];
    let (board, _) = compared(folder.path(), &args);
    let (auto, command) = (row(&board, "auto"), board["stream"].as_str().unwrap());
    assert!(
        board["winner"] == "auto" && !command.contains("--category-as") && !command.contains("--date-as"),
        "{board:#}"
    );
    let found = streamed(folder.path(), &board);
    assert!((found - auto["seeds"][0].as_f64().unwrap()).abs() < 1e-6 * found, "{found}, {auto:#}");
    let project =
        fs::read_to_string(folder.path().join("shop-rentals-compare/pipeline/experiments/shop.toml")).unwrap();
    assert!(project.contains("codes and dates with a calendar"), "{project}");
    // Who chooses the columns has them for all, and with circles alone it is harder.
    let (same, _) = compared(folder.path(), &[&args[..], &["--category-as", "one-hot", "--output", "same"]].concat());
    assert!(number(row(&same, "auto"), "loss") > number(auto, "loss"), "{same:#}");
}

/// Three words are three classes: errors decide, nothing else can, and the command finds the same.
#[test]
fn several_classes_are_judged_by_errors() {
    let folder = tempfile::tempdir().unwrap();
    let rating = |(i, line): (usize, &str)| match line.rsplit_once(',') {
        Some((rest, "yes")) if i % 3 == 0 => format!("{rest},fully\n"),
        _ => format!("{line}\n"),
    };
    let text: String = loans().lines().enumerate().map(rating).collect();
    fs::write(folder.path().join("ratings.csv"), text).unwrap();
    let args = ["ratings.csv", "--target", "paid", "--budget", "1h", "--learners", "pkawv-taylor,fogd,aioli-taylor"];
    let (board, said) = compared(folder.path(), &args);
    assert!(said.contains("3 classes"), "{said}");
    assert_eq!(board["metric"], "error");
    let losses: Vec<f64> = board["leaderboard"].as_array().unwrap().iter().map(|row| number(row, "loss")).collect();
    assert!(losses.iter().all(|loss| (450.0 * loss).fract().abs() < 1e-9 || (450.0 * loss).fract() > 1.0 - 1e-9));
    assert!(number(row(&board, "pkawv-taylor"), "loss") < number(row(&board, "majority"), "loss"), "{board:#}");
    let first = &board["leaderboard"][0];
    if !board["stream"].is_null() {
        let found = streamed(folder.path(), &board);
        assert!((found - first["seeds"][0].as_f64().unwrap()).abs() < 1e-6, "{found} {first:#}");
    }
    let refused = compare(folder.path(), &[&args[..], &["--metric", "absolute"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("one of 3 classes"));
}

/// Classes that are numbers, in the file's units where these are 0 and 1, and as -1 and +1 else: the command agrees.
#[test]
fn classes_may_be_numbers() {
    let folder = tempfile::tempdir().unwrap();
    for (name, low, high) in [("zeros", "0", "1"), ("ones", "1", "2")] {
        let text = loans().replace(",yes\n", &format!(",{high}\n")).replace(",no\n", &format!(",{low}\n"));
        fs::write(folder.path().join(format!("{name}.csv")), text).unwrap();
        let file = format!("{name}.csv");
        let args = [&file, "--target", "paid", "--budget", "1h", "--learners", "pkawv-taylor", "--metric", "error"];
        let (board, _) = compared(folder.path(), &args);
        let found = streamed(folder.path(), &board);
        assert!((found - number(&board["leaderboard"][0], "loss")).abs() < 1e-6, "{found}: {board:#}");
        // The figure of the project shows what decided.
        let study = folder.path().join(format!("{name}-paid-compare/pipeline/experiments/{name}.toml"));
        let study = fs::read_to_string(study).unwrap();
        assert!(study.contains("show = \"error_rate\"") && !study.contains("average_loss"), "{study}");
    }
}

/// The factor of 20,000 rounds would hold 1.6 GB.
#[test]
fn learners_that_do_not_fit_into_memory_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..20_000).map(|i| format!("{},{}\n", i % 97, (f64::from(i % 97) / 9.0).sin())).collect();
    fs::write(folder.path().join("wave.csv"), format!("x,y\n{rows}")).unwrap();
    let args = ["wave.csv", "--target", "y", "--learners", "kernel-ridge,linear-ogd", "--budget", "1h", "-j", "2"];
    let grid = ["--grid", "kernel-ridge.kernel.bandwidth=0.1", "--grid", "kernel-ridge.lambda=1"];
    let output = compare(folder.path(), &[&args[..], &grid[..]].concat());
    let (printed, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{said}");
    assert!(printed.contains("Left out: kernel-ridge: it would hold") && printed.contains("linear-ogd"), "{printed}");
}

/// Rows of a file, compared, and its verdict.
fn verdict(rows: &str, learners: &str) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), format!("x,y\n{rows}")).unwrap();
    let (board, _) = compared(folder.path(), &["a.csv", "--target", "y", "--budget", "1h", "--learners", learners]);
    let verdict = board["verdict"].as_str().unwrap().to_owned();
    (board, verdict)
}

/// A file that says nothing crowns nobody, and prints no command; one that says something does.
#[test]
fn nobody_is_crowned_without_a_reason() {
    let mut draw = crate::splitmix::SplitMix64(11);
    let noise: Vec<f64> = (0..400).map(|_| draw.uniform()).collect();
    let x = |i: usize| f64::from((i * 7 % 23) as u32);
    let rows = |of: &dyn Fn(usize) -> f64, count: usize| -> String {
        (0..count).map(|i| format!("{},{}\n", x(i), of(i))).collect()
    };
    let learners = "pkawv-taylor,linear-ogd";
    let (board, why) = verdict(&rows(&|i| (x(i) / 6.0).sin() + 0.1 * noise[i], 400), learners);
    assert!(board["winner"] == "auto" && board["stream"].is_string(), "{why}");
    let nothing = [
        (rows(&|_| 7.0, 400), "the target is 7 in every row"),
        (rows(&|_| 7.0, 1), "1 row"),
        (rows(&|i| noise[i], 400), "No winner: "),
        // Too few for an interval, however good the predictions are.
        (rows(&x, 60), "No winner: "),
        (rows(&|i| noise[i], 3), "No winner: "),
    ];
    for (rows, expected) in nothing {
        let (board, why) = verdict(&rows, learners);
        assert!(board["winner"].is_null() && board["stream"].is_null(), "{why}: {board:#}");
        assert!(why.contains(expected), "{why}");
    }
    // No row has a target.
    let (board, why) = verdict("1,\n2,\n3,\n", learners);
    assert!(board["winner"].is_null() && why.contains("no rows to play"), "{why}");
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
    assert!(refused(&["--drop", "z"]).contains("no column `z`"));
    // What cannot be written is found before anything is played.
    fs::write(folder.path().join("taken"), "").unwrap();
    let ended = compare(folder.path(), &["a.csv", "--target", "y", "--output", "taken/project"]);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(!ended.status.success() && said.contains("taken") && ended.stdout.is_empty(), "{said}");
}

/// The files below a folder with their bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    files.sort();
    files
}

/// No row knows a later one: other rows at the end change neither the settings nor the losses before them.
#[test]
fn later_rows_change_nothing_before_them() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--target", "y", "--budget", "1h", "--learners", "pkawv-taylor,kernel-ogd,fogd,kons,last-value"];
    let mut end = 0;
    let other: Vec<String> = DIABETES
        .lines()
        .map(|line| {
            end += 1;
            // A row of inputs and a target far outside of all before.
            if end <= 151 { line.to_owned() } else { line.split(',').map(|_| "9e4").collect::<Vec<_>>().join(",") }
        })
        .collect();
    let boards = [("one", DIABETES.to_owned()), ("two", other.join("\n") + "\n")].map(|(name, text)| {
        fs::write(folder.path().join(format!("{name}.csv")), text).unwrap();
        compared(folder.path(), &[&[format!("{name}.csv").as_str()], &args[..]].concat()).0
    });
    for row in boards[0]["leaderboard"].as_array().unwrap() {
        let learner = row["learner"].as_str().unwrap();
        let same = self::row(&boards[1], learner);
        for field in ["parameters", "loss_choosing"] {
            assert_eq!(same[field], row[field], "{learner}");
        }
        // What was changed is seen where it judges.
        assert_ne!(same["loss"], row["loss"], "{learner}");
    }
    assert!(boards[0]["method"].as_str().unwrap().contains("those of earlier rows"), "{:#}", boards[0]);
}

/// A leaderboard of more rows stays, and the call that played fewer says so.
#[test]
fn a_shorter_comparison_does_not_replace_a_longer_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), DIABETES).unwrap();
    let args = ["a.csv", "--budget", "1h", "--learners", "pkawv-taylor", "--target", "y"];
    compared(folder.path(), &args);
    let board = folder.path().join("a-y-compare/leaderboard.json");
    let text = fs::read_to_string(&board).unwrap();
    // As if the file had had more rows in play.
    let longer = text.replace("\"rows\": 200,\n  \"stream\"", "\"rows\": 2000,\n  \"stream\"");
    assert_ne!(longer, text);
    fs::write(&board, &longer).unwrap();
    let printed = String::from_utf8(compare(folder.path(), &args).stdout).unwrap();
    assert!(printed.contains("An earlier call played 2000 rows"), "{printed}");
    assert_eq!(fs::read_to_string(&board).unwrap(), longer);
    // Another metric is another leaderboard.
    compared(folder.path(), &[&args[..], &["--metric", "absolute"]].concat());
    assert_ne!(fs::read_to_string(&board).unwrap(), longer);
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
        let results = files(&root.join("results/compare")).into_iter().map(|(_, bytes)| bytes);
        results.chain([fs::read(root.join("leaderboard.svg")).unwrap()]).collect()
    };
    assert_eq!(bytes(&one).len(), 3);
    assert!(bytes(&one) == bytes(&two));
}

/// The project that is written can be run, and has the losses that were judged, those of the rows that chose among them.
#[test]
fn the_project_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), DIABETES).unwrap();
    let args = ["a.csv", "--budget", "1h", "--learners", "pkawv-taylor,fogd", "--target", "y"];
    let (board, _) = compared(folder.path(), &args);
    let mut run = Command::new(env!("CARGO_BIN_EXE_noregret"));
    let ended = run.current_dir(folder.path().join("a-y-compare")).args(["run", "--offline"]).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(folder.path().join("a-y-compare/reports/index.html").is_file());
    let mut query = Command::new(env!("CARGO_BIN_EXE_noregret"));
    query.current_dir(folder.path().join("a-y-compare")).args(["query", "runs/a", "--json"]);
    let runs = String::from_utf8(query.output().unwrap().stdout).unwrap();
    let runs: Vec<Value> = runs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for learner in ["pkawv-taylor", "running-mean", "last-value", "majority"] {
        let run = runs.iter().find(|run| run["label"] == learner).unwrap();
        let judged = row(&board, learner);
        let both = 0.5 * (number(judged, "loss") + number(judged, "loss_choosing"));
        assert!((number(run, "average_loss") - both).abs() <= 1e-6 * both, "{learner}: {run:#}, {both}");
    }
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
    // What the command is said to print, it prints.
    let says = said.lines().find_map(|line| line.split("it says: squared ").nth(1)).unwrap();
    let says = says.split([' ', ':']).next().unwrap();
    let mut shell = Command::new("/bin/sh");
    let ended = shell.current_dir(folder.path()).env("PATH", &path).args(["-c", stream]).output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(told.contains(&format!("rounds 101 to 200: squared {says}")), "{says}: {told}");
    let refused = compare(folder.path(), &["-", "--target", "y"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("put them into a file"));
}
