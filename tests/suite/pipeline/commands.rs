//! Commands that read what is there.

use super::project::Small;

/// A folder that is not there is no project, even if the current folder is one or is inside one.
#[test]
fn a_mistyped_project_is_refused() {
    let project = Small::new();
    let list = |folder: &str| project.noregret(&["--project", folder, "list", "experiments"]);
    assert_eq!(list("pipeline/..").status, 0);
    let inside = project.path().join("nowhere");
    for wrong in ["nowhere", "../nowhere", inside.to_str().unwrap()] {
        let ended = list(wrong);
        assert_eq!(ended.status, 2, "{wrong}: {}", ended.stdout);
        assert!(ended.stderr.contains("nowhere"), "{}", ended.stderr);
    }
}

#[test]
fn the_lock_is_written_for_everything_or_not_at_all() {
    let project = Small::new();
    let ended = project.noregret(&["verify", "--write-lock", "run/*"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot be used with"), "{}", ended.stderr);
}

#[test]
fn conditions_fit_the_type_of_their_column() {
    let project = Small::new();
    project.run(&["summarise/wine-quality"]);
    let query = |condition: &str| project.noregret(&["query", "runs/wine-quality", "-w", condition]);
    assert_eq!(query("label=a[b").status, 0, "brackets mean nothing but to `~`");
    for (wrong, told) in [("label~a[b", "glob"), ("horizon~3*", "`horizon` is numeric"), ("horizon=x", "numeric")] {
        let ended = query(wrong);
        assert_eq!((ended.status, ended.stderr.contains(told)), (2, true), "{wrong}: {}", ended.stderr);
    }
}
