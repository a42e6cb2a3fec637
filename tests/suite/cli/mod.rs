//! The command line: what is validated, what is said, and in which form.

mod advice;
mod completions;
mod data;
mod json;
mod messages;
mod overrides;
mod results;
mod terminal;

use crate::pipeline::project::{Ended, Small};

/// Runs a command, which must end with this status.
fn ends(project: &Small, status: i32, arguments: &[&str]) -> Ended {
    let ended = project.noregret(arguments);
    assert_eq!(ended.status, status, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    ended
}

/// Runs a command, which must succeed, and returns its standard output.
fn printed(project: &Small, arguments: &[&str]) -> String {
    ends(project, 0, arguments).stdout
}

/// Runs a command, which must be refused as wrong usage with a message that holds all of these.
fn refused(project: &Small, arguments: &[&str], told: &[&str]) {
    let ended = ends(project, 2, arguments);
    for told in told {
        assert!(ended.stderr.contains(told), "{arguments:?}: `{told}` is not in: {}", ended.stderr);
    }
}
