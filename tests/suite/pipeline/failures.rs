//! Failures are counted, remembered and retried. Kills lose nothing.

use std::time::Duration;

use super::project::{Ended, Small};

#[test]
fn a_failing_learner_does_not_sink_the_grid() {
    let project = Small::new();
    let failing: Ended = project
        .command(&["run", "--offline"])
        .env("NOREGRET_FAIL_CELLS", "run/wine-quality:FOGD:1")
        .output()
        .unwrap()
        .into();
    assert_eq!(failing.status, 1, "{}", failing.stderr);
    assert!(failing.stderr.contains("made to fail on purpose"), "{}", failing.stderr);
    assert!(failing.stderr.contains("FOGD"), "{}", failing.stderr);
    let report = std::fs::read_to_string(project.path().join("reports/report.md")).unwrap();
    assert!(report.contains("1 of 2"), "{report}");
    let status = project.noregret(&["status", "--why"]);
    assert!(status.stdout.contains("failed"), "{}", status.stdout);
    // The next run tries it again, but no other cell.
    let plan = project.planned(&["run/*"]);
    assert_eq!(plan.lines().filter(|line| line.contains("replicate")).count(), 1, "{plan}");
    project.run(&[]);
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    assert_eq!(project.results(), undisturbed.results());
    let report = std::fs::read_to_string(project.path().join("reports/report.md")).unwrap();
    assert!(!report.contains("1 of 2"), "{report}");
}

#[test]
fn a_diverging_learner_is_a_result() {
    let project = Small::new();
    project.edit("pipeline/experiments/wine-quality.toml", "features = 20", "features = 20\neta = 1e200");
    project.run(&["summarise/wine-quality"]);
    let ended = project.noregret(&[
        "query",
        "runs/wine-quality",
        "-w",
        "status=diverged",
        "-c",
        "label,detail",
        "--format",
        "csv",
    ]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(ended.stdout.lines().count(), 3, "{}", ended.stdout);
    // Its means are of the rounds that it played: groups that mix it with others say so.
    let grouped = |more: &[&str]| {
        let words = ["query", "runs/wine-quality", "-c", "average_loss", "-g"];
        project.noregret(&[&words, more].concat()).stderr
    };
    assert!(grouped(&["label"]).contains("2 of "), "{}", grouped(&["label"]));
    assert_eq!(grouped(&["label,status"]), "");
    assert_eq!(grouped(&["label", "-w", "status=done"]), "");
}

/// Twenty kills at moments spread over the length of a run (a fixed sequence), then a run without a kill.
#[test]
fn killed_at_any_moment_just_run_again() {
    let project = Small::new();
    let mut state = 12345u64;
    for _ in 0..20 {
        let mut child = project.command(&["run", "--offline"]).stderr(std::process::Stdio::null()).spawn().unwrap();
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        std::thread::sleep(Duration::from_millis(state >> 57));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    project.run(&[]);
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    assert_eq!(project.results(), undisturbed.results());
}

/// A cell that was kept and then killed goes on, and leaves the bytes of an undisturbed run and nothing else.
#[test]
fn a_long_cell_that_is_killed_goes_on() {
    let project = || {
        let project = Small::new();
        let long = "title = \"Long\"\nhorizons = [400000]\nreplicates = 1\n[stream]\nlaw = \"uniform-inputs\"\ndim = 2\n\
                    [[learners]]\nname = \"pkrr-taylor\"\nlabel = \"it\"\norder = 12\n";
        project.write("pipeline/experiments/long.toml", long);
        project
    };
    let killed = project();
    let kept = || killed.files(&["results/store/partial"]);
    let mut command = killed.command(&["run", "--offline", "run/long"]);
    let mut child = command.env("NOREGRET_KEEP_EVERY", "0").stderr(std::process::Stdio::null()).spawn().unwrap();
    while kept().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "the cell ended before it was kept");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(kept().len(), 1);
    let ended = killed.run(&["run/long"]);
    assert!(ended.stderr.contains("goes on where an earlier run was stopped"), "{}", ended.stderr);
    assert!(kept().is_empty());
    let undisturbed = project();
    undisturbed.run(&["run/long"]);
    assert_eq!(killed.results(), undisturbed.results());
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let project = Small::new();
    project.edit("pipeline/experiments/wine-quality.toml", "replicates = 2", "replicates = 2000");
    let mut child =
        project.command(&["run", "--offline", "run/*"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Once something is stored, signals are caught.
    let stored = |folder: &str| project.path().join(folder).read_dir().is_ok_and(|mut files| files.next().is_some());
    while !stored("results/store/packs") && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let killed = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.status, 143, "{}", ended.stderr);
    assert!(ended.stderr.contains("again"), "{}", ended.stderr);
}

#[test]
fn a_results_folder_that_cannot_be_written_is_one_clear_message() {
    let project = Small::new();
    // A file in the place of a folder stops even root; permissions do not.
    project.write("results", "not a folder");
    let ended = project.noregret(&["run", "--offline"]);
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("results"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
}

#[test]
fn a_full_disk_is_one_clear_message_and_the_next_run_goes_on() {
    let project = Small::new();
    // A limit on file size acts like a full disk: writing fails in the middle of a file.
    let binary = env!("CARGO_BIN_EXE_noregret");
    let ended: Ended = std::process::Command::new("sh")
        .args(["-c", &format!("trap '' XFSZ; ulimit -f 2; exec {binary} run --offline")])
        .current_dir(project.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    assert!(ended.stderr.contains("results/") || ended.stderr.contains("reports/"), "{}", ended.stderr);
    project.run(&[]);
    let undisturbed = Small::new();
    undisturbed.run(&[]);
    assert_eq!(project.results(), undisturbed.results());
}

/// The signal of the limit would end commands that catch no other.
#[test]
fn a_limit_on_the_size_of_files_is_an_error_of_every_command() {
    let project = Small::new();
    project.run(&["run/*"]);
    let binary = env!("CARGO_BIN_EXE_noregret");
    for words in ["verify --write-lock", "run --offline -f figure/spline-regret"] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("ulimit -f 0; exec {binary} {words}")]).current_dir(project.path());
        let ended: Ended = command.output().unwrap().into();
        assert_eq!(ended.status, 1, "{words}: {ended:?}");
        assert!(ended.stderr.contains("File too large"), "{words}: {ended:?}");
    }
}

/// Final measures, comparators and large draws do not ask whether they were interrupted. Each would take an hour.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_run_in_the_middle_of_a_long_step() {
    use std::process::Stdio;

    use rustix::process::Signal;

    use super::project::signalled;

    let gaussian = r#"kernel = { name = "gaussian", bandwidth = 1 }"#;
    let experiment = |sizes: &str, learner: &str| {
        let stream = format!("[stream]\nlaw = \"kernel-function\"\n{gaussian}");
        let learner = format!("[[learners]]\nlabel = \"a\"\n{learner}");
        format!("title = \"t\"\nreplicates = 1\n{sizes}\n{stream}\n{learner}\n")
    };
    let comparator = format!("name = \"constant\"\n[comparator]\nname = \"penalised\"\n{gaussian}");
    let long = [
        experiment("horizons = [20]\ntest_rows = 100000000000", "name = \"constant\""),
        experiment("horizons = [64]", "name = \"shrinking-gradient\"\ndraws = 1000000000"),
        experiment("horizons = [20000]", &comparator),
    ];
    for (text, (signal, status)) in long.into_iter().zip([(Signal::TERM, 143), (Signal::INT, 130), (Signal::TERM, 143)])
    {
        let project = Small::new();
        project.write("pipeline/experiments/long.toml", &text);
        let targets = ["run", "--offline", "-j", "1", "run/long", "comparator/long"];
        let targets = if text.contains("comparator") { &targets[..] } else { &targets[..5] };
        let mut child = project.command(targets).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let working = project.path().join("results/store/tmp");
        // Most likely the step has begun half a second later; if not, the signal ends the run all the more.
        let begun = || {
            let begun = std::fs::read_dir(&working).is_ok_and(|files| files.count() > 0);
            begun && {
                std::thread::sleep(Duration::from_millis(500));
                true
            }
        };
        assert_eq!(signalled(&mut child, signal, begun), Some(status), "{text}");
        // Nothing is lost or damaged, and nothing is in the way.
        let verified = project.noregret(&["verify"]);
        assert_eq!(verified.status, 0, "{}", verified.stderr);
        project.run(&["run/wine-quality"]);
    }
}

/// A measure that no run has would make an empty picture.
#[test]
fn a_figure_without_values_says_which_there_are() {
    let project = Small::new();
    let figure = "title = 'T'\nshows = 'S'\ny = 'y'\nexperiments = ['spline-regret']\n\
                  options = { show = 'm:squared_l3_error', against = 'horizon' }\n";
    project.write("pipeline/figures/wrong.toml", figure);
    let refused = project.noregret(&["run", "figure/wrong"]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("no run has a value of `m:squared_l3_error`"), "{}", refused.stderr);
    project.edit("pipeline/figures/wrong.toml", "m:squared_l3_error", "regret");
    project.run(&["figure/wrong"]);
}
