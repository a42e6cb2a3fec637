//! What processes do wrong ends their runs at once, with a clear message, and spoils no other run.

use super::{processes, project, python, runs};

/// Plays a mode beside a sound run; the message of the failed one.
fn failure(mode: &str, edit: impl Fn(&crate::pipeline::project::Small)) -> Option<String> {
    if !python(None) {
        return None;
    }
    let token = format!("naughty-{mode}");
    let project = project(&[mode, "sound"], 60, &token);
    edit(&project);
    let ended = project.noregret(&["run", "--offline", "summarise/naughty"]);
    assert_eq!(ended.status, 1, "{mode}: {}", ended.stderr);
    assert!(processes(&token).is_empty(), "{mode} left processes behind");
    let kept = runs(&project, "label,status");
    let done = |label: &str| kept.iter().filter(|row| row[0] == label && row[1] == "done").count();
    assert_eq!((done("sound"), done("own"), done(mode)), (2, 2, 0), "{kept:?}");
    // A failure is no result: it is tried again.
    let plan = project.planned(&["summarise/naughty"]);
    assert_eq!(plan.lines().filter(|line| line.contains("replicate")).count(), 2, "{plan}");
    Some(ended.stderr)
}

/// Whether a surplus answer was seen: before the next question, or, where it came later than that, by the next echo.
fn out_of_step(told: &str) -> bool {
    told.contains("before it was asked") || told.contains("do not belong to the questions")
}

#[test]
fn a_process_that_answers_before_it_is_asked_fails_in_its_first_round() {
    let Some(told) = failure("early", |_| {}) else { return };
    assert!(out_of_step(&told), "{told}");
}

#[test]
fn a_process_without_echo_that_answers_ahead_fails_at_the_latest_at_the_end() {
    let Some(told) = failure("ahead", |_| {}) else { return };
    assert!(told.contains("before it was asked") || told.contains("at the end of the run"), "{told}");
}

#[test]
fn a_process_that_answers_twice_fails() {
    let Some(told) = failure("twice", |_| {}) else { return };
    assert!(out_of_step(&told), "{told}");
}

#[test]
fn a_process_that_never_answers_fails_in_time() {
    let limited = |project: &crate::pipeline::project::Small| {
        project.edit("pipeline/learners/naughty.toml", "[[parameters]]", "[limits]\nmessage = 2\n[[parameters]]");
    };
    let Some(told) = failure("never", limited) else { return };
    assert!(told.contains("did not answer within 2 s"), "{told}");
}

#[test]
fn a_process_that_writes_a_line_without_end_fails() {
    let Some(told) = failure("flood", |_| {}) else { return };
    assert!(told.contains("a line of more than 1048576 bytes"), "{told}");
}

#[test]
fn a_process_that_ends_early_fails_with_its_last_words() {
    let Some(told) = failure("exit", |_| {}) else { return };
    assert!(told.contains("ended with status 3") && told.contains("out of paper"), "{told}");
}

#[test]
fn a_process_that_answers_garbage_fails() {
    let Some(told) = failure("garbage", |_| {}) else { return };
    assert!(told.contains("`about 0.3` instead of a number") && told.contains("belongs on standard error"), "{told}");
}

/// What is no number is what a learner predicts, and would predict again: its run is a result.
#[test]
fn a_process_that_predicts_no_number_diverges() {
    if !python(None) {
        return;
    }
    let project = project(&["nan"], 60, "naughty-nan");
    project.run(&["summarise/naughty"]);
    let rows = runs(&project, "label,status,detail");
    assert_eq!(rows[0][..2], ["nan", "diverged"], "{rows:?}");
    assert!(rows[0][2].contains("NaN, no finite number"), "{rows:?}");
    assert_eq!(project.planned(&["summarise/naughty"]), "");
}

#[test]
fn a_process_of_another_version_fails() {
    let other = |project: &crate::pipeline::project::Small| {
        project.edit("learners/naughty.py", "\"version\": \"1\"", "\"version\": \"2\" if mode == \"slow\" else \"1\"");
    };
    let Some(told) = failure("slow", other) else { return };
    assert!(told.contains("its version is `2`"), "{told}");
}
