//! Completions know learners, stages, datasets, tables and profiles; manual pages are made from `--help`.

use super::printed;
use crate::pipeline::project::Small;

/// What the shell is offered for the last of these words.
fn offered(project: &Small, words: &[&str]) -> Vec<String> {
    let mut command = project.command(&["--", "noregret"]);
    command.args(words).env("NOREGRET_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    command.env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_COMPLETE_SPACE", "true");
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap().lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn completions_know_what_there_is() {
    let project = Small::new();
    let has = |words: &[&str], name: &str| {
        let offered = offered(&project, words);
        assert!(offered.iter().any(|one| one == name), "{words:?}: {offered:?}");
    };
    has(&["stream", "--learner", "pk"], "pkrr-taylor");
    has(&["run", "run/w"], "run/wine-quality");
    has(&["status", "table/"], "table/leaderboard");
    has(&["run", "--profile", ""], "quick");
    has(&["data", "fetch", "w"], "wine-quality");
    has(&["query", "traces/s"], "traces/spline-regret");
    has(&["describe", "gau"], "gaussian");
    has(&["describe", "spl"], "spline-regret");
    has(&["sta"], "status");
    // Also where a file is wrong.
    project.write("pipeline/experiments/bad.toml", "bad = [");
    has(&["run", "run/b"], "run/bad");
}

#[test]
fn scripts_and_pages_are_written() {
    let project = Small::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&project, &["completions", shell]);
        assert!(script.contains("NOREGRET_COMPLETE") && script.contains("noregret"), "{shell}: {script}");
    }
    assert_eq!(project.noregret(&["completions", "tcsh"]).status, 2);
    assert!(printed(&project, &["man"]).contains(".TH noregret 1"));
    printed(&project, &["man", "man/man1"]);
    for page in ["noregret.1", "noregret-run.1", "noregret-data-remove.1"] {
        let text = std::fs::read_to_string(project.path().join("man/man1").join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
}
