//! What `noregret compare` has found, and what it has written.

use std::path::Path;

use crate::cli::compare::args::CompareArgs;
use crate::cli::compare::file::Prepared;
use noregret_study::compare::arena::Arena;
use noregret_study::compare::board::{Board, Entrant};
use noregret_study::compare::contest::Found;

/// What a call has found.
pub(super) struct Outcome<'a> {
    /// What was asked for.
    pub args: &'a CompareArgs,
    /// The file.
    pub prepared: &'a Prepared,
    /// The settings, and what was played.
    pub arena: &'a Arena,
    /// Which settings were chosen.
    pub found: &'a Found,
    /// The learners that were judged.
    pub entrants: &'a [Entrant],
    /// Their ranking.
    pub board: &'a Board,
    /// Who was left out, and why.
    pub left_out: &'a [(&'static str, String)],
    /// Learners that another project declares.
    pub elsewhere: &'a [String],
    /// The folder.
    pub root: &'a Path,
    /// The name of dataset and experiment.
    pub name: &'a str,
}

/// What was written, and what was left as it was.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// Files that the user changed.
    pub changed: Vec<String>,
    /// How many rows an earlier call has played, where that are more and its leaderboard therefore stays.
    pub earlier: Option<u64>,
    /// Whether there is a picture.
    pub picture: bool,
    /// Whether there is a project.
    pub project: bool,
}
