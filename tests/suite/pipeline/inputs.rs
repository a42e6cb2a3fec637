//! Bad configuration and bad data give one clear message and the right exit status.

use std::path::Path;

use super::project::{Small, WINE, WINE_LOSS};

/// Runs with a changed experiment file, which must be refused as wrong configuration with all of the given words.
fn refused(text: &str, words: &[&str]) {
    let project = Small::new();
    project.write("pipeline/experiments/wine-quality.toml", text);
    for command in [&["run", "--offline"][..], &["status"], &["run", "-n"]] {
        let ended = project.noregret(command);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
        for word in words.iter().chain(&["wine-quality.toml"]) {
            assert!(ended.stderr.contains(word), "`{word}` is not in: {}", ended.stderr);
        }
    }
    assert!(!project.path().join("results/store").exists());
}

#[test]
fn malformed_toml_names_file_line_and_column() {
    refused("title = \"Wine\nreplicates = 2", &["line 1"]);
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    refused(&WINE.replace("\"fogd\"", "\"fodg\""), &["unknown learner `fodg`", "`fogd`"]);
    refused(&WINE.replace("features = 20", "featurs = 20"), &["unknown parameter `featurs`", "`features`"]);
    refused(&WINE.replace("wine-quality", "wine-qualty"), &["wine-qualty", "`wine-quality`"]);
    refused(&WINE.replace("title =", "titel ="), &["titel"]);
    refused(&WINE.replace("scale = \"unit\"", "scal = \"unit\""), &["scal"]);
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    refused(&WINE.replace("[1, 1e-3]", "[1, -1]"), &["`lambda` = -1", "(0, inf)"]);
    refused(&WINE.replace("horizons = [300]", "horizons = [0]"), &["horizons"]);
    refused(&WINE.replace("horizons = [300]", "horizons = [99999]"), &["99999", "1599"]);
    refused(&WINE.replace("replicates = 2", "replicates = 0"), &["replicates"]);
    refused(&WINE.replace("order = 1", "order = []"), &["empty"]);
    refused(&WINE.replace("order = 1", "order = 60"), &["order", "features"]);
    refused(&WINE.replace("label = \"FOGD\"", "label = \"PKRR M = 1, lambda = 1\""), &["two curves"]);
}

#[test]
fn defaults_zips_and_fractions_that_make_no_sense_are_refused() {
    let defaults = |text: &str| WINE.replacen("[[learners]]", &format!("[defaults]\n{text}\n[[learners]]"), 1);
    refused(&defaults("lamda = 1"), &["`defaults.lamda`", "did you mean `lambda`?"]);
    refused(&defaults("bandwidth = -1"), &["learners[0] (pkrr-taylor)", "`bandwidth` = -1"]);
    let zip = |text: &str| WINE.replace("lambda = [1, 1e-3]\norder = 1", text);
    let unequal = zip("zip.lambda = [1, 1e-3]\nzip.order = [1, 2, 3]");
    refused(&unequal, &["`learners[0].zip.order`", "has length 3, but `zip.lambda` has length 2", "multiplied"]);
    refused(&zip("lambda = 1\nzip.lambda = [2]\nzip.order = [1]"), &["`learners[0].zip.lambda`", "outside `zip`"]);
    refused(&zip("zip.lambda = [1, -1]\nzip.order = [1, 1]"), &["learners[0].zip[1] (pkrr-taylor)", "`lambda` = -1"]);
    let fraction = |text: &str| WINE.replace("[1, 1e-3]", text);
    refused(&fraction("'1/0'"), &["`lambda`", "denominator of `1/0` is 0"]);
    refused(&fraction("'1/2/3'"), &["`lambda`", "two integers"]);
    refused(&fraction("'-1/2'"), &["`lambda`", "(0, inf)"]);
    refused(&fraction("{ horizon_power = '1/x' }"), &["lambda`", "with numbers"]);
}

#[test]
fn noise_and_held_out_rows_are_checked_against_stream_and_learner() {
    let noisy = "[stream.noise.inputs]\nname = \"gaussian\"\nnoise_std = 0.1\n\n[[learners]]";
    let with = |noise: &str| WINE.replacen("[[learners]]", noise, 1);
    refused(&with(&noisy.replace("gaussian", "gausian")), &["unknown noise `gausian`", "`gaussian`"]);
    refused(&with(&noisy.replace("0.1", "-1")), &["stream.noise.inputs.noise_std", "[0, inf)"]);
    refused(&with(&noisy.replace("inputs", "input")), &["stream.noise.input"]);
    refused(&WINE.replace("order = 1", "order = 1\ncopies = 2"), &["copies", "has no noise"]);
    refused(&with(noisy).replace("order = 1", "order = 1\ncopies = 0"), &["copies", "at least 1"]);
    let many = with(noisy).replace("order = 1", "order = 1\ncopies = 4294967295");
    refused(&many, &["4294967295 copies of 11 inputs", "at most 1525201", "divided by the square root"]);
    refused(&with(noisy).replace("order = 1", "order = 1\ncopies = 2\nclean = true"), &["clean"]);
    refused(&WINE.replacen("replicates", "test_rows = 1400\nreplicates", 1), &["test_rows", "1400", "1599"]);
}

/// The number of cells is known before any is made.
#[test]
fn a_grid_without_measure_is_refused() {
    refused(&WINE.replacen("replicates = ", "replicates = 429496729", 1), &["cells; at most 1000000"]);
    let list = format!("{:?}", (1..=1100).collect::<Vec<_>>());
    let grid = WINE.replace("order = 1\n", &format!("order = {list}\n")).replace("[1, 1e-3]", &list);
    refused(&grid, &["1210000 combinations of values"]);
    let wide = "title = \"t\"\nreplicates = 1\nhorizons = [8]\n[stream]\nlaw = \"uniform-inputs\"\ndim = 10000\n";
    let wide = format!("{wide}[[learners]]\nname = \"fogd\"\nfeatures = 1000000\n");
    refused(&wide, &["features", "1000000 frequencies of 10000 input columns", "4 GiB"]);
}

#[test]
fn outside_a_project_the_message_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ended: super::project::Ended = std::process::Command::new(env!("CARGO_BIN_EXE_noregret"))
        .arg("run")
        .current_dir(folder.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("pipeline"), "{}", ended.stderr);
}

/// A small table.
pub const TINY: &str = "y,a,b\n1,0.5,2\n-1,0.25,2\n1,0.75,2\n-1,0.1,2\n";

/// A project with an experiment on a dataset that the user adds.
pub fn with_own_data(text: &str) -> Small {
    let project = Small::new();
    project.write("own/tiny.csv", text);
    project.write(
        "pipeline/experiments/own.toml",
        "title = \"Own\"\nreplicates = 1\nhorizons = [4]\n[stream]\ndataset = \"tiny\"\nscale = \"unit\"\n[[learners]]\nname = \"kernel-ridge\"\n",
    );
    project
}

/// 2,000 rows of 47,236 inputs, of which 75 are not zero: 755 MB with the zeros, 2 MB without.
#[cfg(target_os = "linux")]
#[test]
fn sparse_rows_take_little_memory() {
    let mut text = String::new();
    for row in 0..2000_usize {
        text += if row % 3 == 0 { "1" } else { "-1" };
        (0..75).for_each(|k| text += &format!(" {}:0.{}", 1 + 629 * k + (row * 31 + k) % 629, 1 + row % 9));
        text += if row == 0 { " 47236:1\n" } else { "\n" };
    }
    let project = Small::new();
    project.write("own/wide.svm", &text);
    let learners = "[[learners]]\nname = \"linear-ogd\"\neta = 0.01\n[[learners]]\nname = \"running-mean\"\n";
    let stream = "[stream]\ndataset = \"wide\"\nscale = \"unit\"\n";
    let sizes = "title = \"Wide\"\nreplicates = 1\nhorizons = [2000]\n";
    let limited = |arguments: &[&str]| {
        let within = r#"ulimit -v 640000 && exec "$0" "$@""#;
        let mut command = std::process::Command::new("sh");
        command.args(["-c", within, env!("CARGO_BIN_EXE_noregret")]).args(arguments).current_dir(project.path());
        let ended: super::project::Ended = command.output().unwrap().into();
        assert_eq!(ended.status, 0, "{arguments:?}: {}", ended.stderr);
        ended.stdout
    };
    limited(&["data", "add", "own/wide.svm", "--name", "wide"]);
    project.write("pipeline/experiments/wide.toml", &format!("{sizes}{stream}{learners}"));
    limited(&["run", "--offline", "-j", "1", "run/wide"]);
    let stream = ["stream", "--learner", "linear-ogd", "--set", "eta=0.01", "--input", "own/wide.svm", "--shuffle"];
    assert_eq!(limited(&stream).lines().count(), 2001);
}

#[test]
fn a_file_of_the_users_own_becomes_a_dataset() {
    let project = with_own_data(TINY);
    let added = project.noregret(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    project.run(&["summarise/own"]);
    assert!(project.planned(&["summarise/own"]).lines().all(|line| !line.contains("run/")));
    let again = project.noregret(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
    assert_eq!(again.status, 2, "{}", again.stderr);
    // A file with a changed byte is never accepted as the same data.
    project.edit("own/tiny.csv", "0.25", "0.26");
    let ended = project.noregret(&["run", "--offline", "summarise/own"]);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("tiny"), "{}", ended.stderr);
    project.edit("own/tiny.csv", "0.26", "0.25");
    project.run(&["summarise/own"]);
    // `clean` removes what the pipeline made, but not the user's own file.
    assert_eq!(project.noregret(&["clean", "fetch/*"]).status, 0);
    assert!(project.path().join("own/tiny.csv").is_file());
}

#[test]
fn a_file_outside_the_project_can_be_added() {
    let elsewhere = tempfile::tempdir().unwrap();
    let project = with_own_data(TINY);
    let file = elsewhere.path().join("tiny.csv");
    std::fs::rename(project.path().join("own/tiny.csv"), &file).unwrap();
    let added = project.noregret(&["data", "add", file.to_str().unwrap(), "--name", "tiny", "--target", "y"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    project.run(&["summarise/own"]);
    let before = project.stamps();
    project.run(&["summarise/own"]);
    assert_eq!(before, project.stamps());
}

#[test]
fn bad_files_are_refused_when_they_are_added() {
    for (text, words) in [
        ("", &["tiny.csv", "empty"][..]),
        ("y,a\n1,2\n1,NaN\n", &["tiny.csv", "row 2", "`a`"]),
        ("y,a\n1,2\n1,x\n", &["tiny.csv", "row 2", "`a`"]),
        ("y,a\n1,2\n1\n", &["tiny.csv", "row 2"]),
        ("z,a\n1,2\n", &["tiny.csv", "`y`"]),
    ] {
        let project = with_own_data(text);
        let ended = project.noregret(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
        assert!(ended.status == 1 || ended.status == 2, "{}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "`{word}` is not in: {}", ended.stderr);
        }
    }
}

/// A declared dataset that only a mirror has.
pub(super) fn mirrored(project: &Small, mirror: &Path) {
    let added = project.noregret(&["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "y"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    let declared = super::project::read(&project.path().join("data/added/tiny.toml"));
    let hash = declared.lines().find(|line| line.starts_with("content_sha256")).unwrap().to_owned();
    std::fs::remove_file(project.path().join("data/added/tiny.toml")).unwrap();
    project.write(
        "pipeline/datasets/tiny.toml",
        &format!(
            "name = \"tiny\"\ntitle = \"Tiny\"\ncitation = \"none\"\nlicence = \"none\"\ntask = \"regression\"\nrows = 4\ninputs = 2\ntarget = \"y\"\nformat = \"csv\"\n{hash}\n[[files]]\nname = \"tiny.csv\"\naddresses = [\"http://127.0.0.1:9/tiny.csv\"]\n"
        ),
    );
    std::fs::create_dir_all(mirror).unwrap();
    std::fs::rename(project.path().join("own/tiny.csv"), mirror.join("tiny.csv")).unwrap();
}

#[test]
fn fetching_says_whether_it_has_the_data_and_verifying_changes_nothing() {
    let project = with_own_data(TINY);
    let mirror = project.path().join("elsewhere");
    mirrored(&project, &mirror);
    let status = |words: &[&str]| project.noregret(&[&["data"], words].concat()).status;
    assert_eq!(status(&["fetch", "tiny", "--offline"]), 1, "it is not here");
    assert_eq!((status(&["verify", "tiny"]), status(&["verify"])), (1, 0), "asked for by name, it is missed");
    let folder = mirror.to_str().unwrap();
    assert_eq!(status(&["fetch", "tiny", "--offline", "--mirror", folder]), 0);
    assert_eq!(status(&["verify", "tiny"]), 0);
    let place = project.path().join("data/raw/tiny/tiny.csv");
    let damaged = super::project::read(&place).replacen('1', "7", 1);
    std::fs::write(&place, &damaged).unwrap();
    let ended = project.noregret(&["data", "verify", "tiny"]);
    assert!(ended.status == 1 && ended.stderr.contains("noregret data fetch tiny"), "{}", ended.stderr);
    assert_eq!(super::project::read(&place), damaged, "it stays where it is");
    assert_eq!(status(&["fetch", "tiny", "--offline", "--mirror", folder]), 0, "it is mended");
    assert_eq!(status(&["verify", "tiny"]), 0);
}

#[test]
fn data_that_cannot_be_reached_are_unavailable_and_a_mirror_helps() {
    let project = with_own_data(TINY);
    let mirror = project.path().join("elsewhere");
    mirrored(&project, &mirror);
    let ended = project.run(&[]);
    assert!(ended.stderr.contains("tiny") && ended.stderr.contains("unavailable"), "{}", ended.stderr);
    assert!(ended.stderr.contains("NOREGRET_MIRROR"), "the remedy: {}", ended.stderr);
    let report = super::project::read(&project.path().join("reports/report.md"));
    assert!(report.contains("tiny"), "{report}");
    assert!(project.path().join("reports/figures/wine-quality-loss.svg").is_file());
    let strict = project.noregret(&["run", "--offline", "--strict"]);
    assert_eq!(strict.status, 1, "{}", strict.stderr);
    // Nothing has changed, so there is nothing to do.
    let before = project.stamps();
    project.run(&[]);
    assert_eq!(before, project.stamps());

    let with_mirror = project.run(&["--mirror", mirror.to_str().unwrap()]);
    assert!(with_mirror.stderr.contains("run/own"), "{}", with_mirror.stderr);
    assert!(project.path().join("results/runs/own.parquet").is_file());

    // A damaged raw file is found and fetched again from the mirror. Nothing that depends on it reruns.
    let raw = project.files(&["data/raw"]).into_iter().find(|path| path.ends_with("tiny.csv")).unwrap();
    std::fs::write(&raw, TINY.replace("0.25", "0.26")).unwrap();
    let ended = project.run(&["--mirror", mirror.to_str().unwrap()]);
    assert!(!ended.stderr.contains("run/own"), "{}", ended.stderr);
    assert_eq!(super::project::read(&raw), TINY);
}

#[test]
fn a_file_moved_aside_by_a_wrong_declaration_is_taken_back() {
    let project = with_own_data(TINY);
    let mirror = project.path().join("elsewhere");
    mirrored(&project, &mirror);
    let mirror = mirror.to_str().unwrap();
    project.run(&["fetch/tiny", "--mirror", mirror]);
    project.edit("pipeline/datasets/tiny.toml", "rows = 4", "rows = 5");
    project.edit("pipeline/experiments/own.toml", "[4]", "[3]");
    let ended = project.noregret(&["run", "--offline", "fetch/tiny"]);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    project.edit("pipeline/datasets/tiny.toml", "rows = 5", "rows = 4");
    project.run(&["summarise/own"]);
}

const FUNCTIONS: &str = "
kind = 'functions'
paper = 'noisy-data'
title = 'Losses'
x = 'u'
y = 'loss'
shows = 'Losses'
options = { from = '-1/2', to = 1, compare = [{ first = 'f', second = 'g' }] }
[[functions]]
zip.label = ['f', 'g']
zip.loss = ['absolute', 'squared']
";

/// A figure is refused if it names something that its experiments do not have, with a suggestion.
#[test]
fn names_in_figures_are_checked() {
    let project = Small::new();
    let claim = "[[claims]]\ntext = 't'\nsource = 's'\ntest = { order = { lower = 'FOGD, wine-quality', higher = 'pkrr-taylor' } }";
    let good = format!("{WINE_LOSS}\n{claim}");
    let status = |text: &str, profile: &str| {
        project.write("pipeline/figures/wine-quality-loss.toml", text);
        project.noregret(&["status", "--profile", profile])
    };
    assert_eq!(status(FUNCTIONS, "quick").status, 0);
    assert_eq!(status(&good, "quick").status, 0);
    let rates = WINE_LOSS.replace("title", "rates = ['spline*']\ntitle");
    for (text, field, hint) in [
        (good.replace("\"FOGD\"", "\"FOGDD\""), "`options.order`: wine-quality has no label `FOGDD`", "`FOGD`?"),
        (
            good.replace("pkrr-taylor", "pkrr-tailor"),
            "`claims`: wine-quality has no label or learner",
            "`pkrr-taylor`?",
        ),
        (good.replace("FOGD, wine", "FOGD, wein"), "`claims`", "`FOGD, wein-quality`"),
        (WINE_LOSS.replace("order", "streams"), "`options.streams`: wine-quality has no stream `FOGD`", "wine-quality"),
        (WINE_LOSS.replace("[\"wine-quality\"]", "[\"wine\"]"), "`experiments`: there is no experiment `wine`", ""),
        (rates, "`rates`: no row of rates matches `spline*`", ""),
        (
            FUNCTIONS.replace("second = 'g'", "second = 'ff'"),
            "`options.compare`: this figure has no function `ff`",
            "`f`?",
        ),
    ] {
        let refused = status(&text, "quick");
        assert_eq!(refused.status, 2, "{field}: {}", refused.stderr);
        for word in ["pipeline/figures/wine-quality-loss.toml", field, hint] {
            assert!(refused.stderr.contains(word), "`{word}` is not in: {}", refused.stderr);
        }
    }
    // Labels of other profiles are known, and labels that an override renames.
    let grid = WINE.replace("[1, 1e-3]", "[1, 1e-3]\nprofile.quick = { lambda = 5 }");
    project.write("pipeline/experiments/wine-quality.toml", &grid);
    let named = WINE_LOSS.replace("\"FOGD\"", "\"PKRR M = 1, lambda = 1\"");
    assert_eq!((status(&named, "paper").status, status(&named, "quick").status), (0, 0));
    let renamed = project.noregret(&["run", "-n", "--offline", "wine-quality.lambda=7"]);
    assert_eq!(renamed.status, 0, "{}", renamed.stderr);
    assert_eq!(status(&named.replace("lambda = 1", "lambda = 2"), "quick").status, 2);
    project.write("pipeline/figures/wine-quality-loss.toml", WINE_LOSS);
    project.edit("pipeline/tables/leaderboard.toml", "\"wine-quality\"", "\"wine-qualty\"");
    let refused = project.noregret(&["status"]);
    assert_eq!(refused.status, 2);
    for word in ["pipeline/tables/leaderboard.toml", "`experiments`: there is no experiment"] {
        assert!(refused.stderr.contains(word), "`{word}` is not in: {}", refused.stderr);
    }
}

/// Words, dates and gaps are encoded when a file is added; the declaration says how, and experiments use it. Running scales
/// are those of file order, and of it alone.
#[test]
fn a_file_with_words_dates_and_gaps_becomes_a_dataset() {
    let mut text = String::from("id;colour;when;size;bought\n");
    for i in 0..40 {
        let size = if i % 9 == 4 { String::new() } else { format!("{},5", i % 6) };
        let bought = if i % 6 > 2 { "yes" } else { "no" };
        text += &format!("{i};{};{:02}.03.2024;{size};{bought}\n", ["red", "blue", "white"][i % 3], 1 + i % 30);
    }
    let project = with_own_data(&text);
    let add = ["data", "add", "own/tiny.csv", "--name", "tiny", "--target", "bought", "--drop", "id"];
    let refused = project.noregret(&add);
    assert_ne!(refused.status, 0);
    assert!(refused.stderr.contains("row 5") && refused.stderr.contains("--missing"), "{}", refused.stderr);
    let added = project.noregret(&[&add[..], &["--missing", "indicator=size"]].concat());
    assert_eq!(added.status, 0, "{}", added.stderr);
    // colour: 4, when: 5, size: 2.
    assert!(added.stdout.starts_with("tiny: 40 rows x 11 inputs"), "{}", added.stdout);
    let declared = super::project::read(&project.path().join("data/added/tiny.toml"));
    for part in ["task = \"classification\"", "categories = [\"colour\"]", "dates = [\"when\"]", "decimal = \"comma\""]
    {
        assert!(declared.contains(part), "{declared}");
    }
    project.run(&["summarise/own"]);
    project.edit("pipeline/experiments/own.toml", "scale = \"unit\"", "scale = \"running\"");
    let shuffled = project.noregret(&["run", "--offline", "summarise/own"]);
    assert_eq!(shuffled.status, 2, "{}", shuffled.stderr);
    assert!(
        shuffled.stderr.contains("stream.scale") && shuffled.stderr.contains("order = \"file\""),
        "{}",
        shuffled.stderr
    );
    project.edit("pipeline/experiments/own.toml", "scale = \"running\"", "scale = \"running\"\norder = \"file\"");
    project.run(&["summarise/own"]);
}
