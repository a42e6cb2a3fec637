//! An entry of an experiment's learners, between its table in the file and its cells.

use std::collections::BTreeMap;

use noregret_core::learner::api::LearnerEntry;
use noregret_core::protocol::cell::Cell;
use toml::Table;

use super::label::UnlabelledCurve;
use super::stream::Rounds;
use crate::tune::declare::Tuning;

/// An entry of the file's learners, read: one row of its zipped lists, with its grid expanded.
pub(super) struct ExpandedEntry {
    /// Where it stands in the file, without the row of its zipped lists.
    pub origin: String,
    /// Where it stands in the file, with the learner's name.
    pub place: String,
    /// Its learner.
    pub learner: &'static LearnerEntry,
    /// The label that the author gave.
    pub(crate) template: Option<String>,
    /// How its parameters are chosen, where they are.
    pub(crate) tuning: Option<Tuning>,
    /// Its horizons.
    pub horizons: Vec<Rounds>,
    /// How often it plays.
    pub replicates: u32,
    /// Its parameters, once for each curve.
    pub points: Vec<Table>,
}

impl ExpandedEntry {
    /// One of its curves.
    pub(super) fn unlabelled<'a>(&'a self, point: &'a Table) -> UnlabelledCurve<'a> {
        UnlabelledCurve { origin: &self.origin, template: self.template.as_deref(), name: self.learner.name, point }
    }
}

/// Whether two cells are the same run.
pub(super) fn same_runs(a: &Cell, b: &Cell) -> bool {
    let identity = |cell: &Cell| (cell.learner.name, cell.feed.copies(), cell.stream, cell.horizon);
    identity(a) == identity(b) && a.configured == b.configured
}

/// Which two curves are the same runs, in words, if any are.
pub(super) fn twice(cells: &[Cell]) -> Option<String> {
    let mut curves = BTreeMap::new();
    cells.iter().filter(|cell| cell.replicate == 0).find_map(|cell| {
        let identity = (cell.learner.name, &*cell.configured, cell.feed.copies(), cell.stream, cell.horizon);
        let other = curves.insert(identity, &cell.label)?;
        Some(match *other == cell.label {
            true => format!("`{other}` plays {} rounds twice; leave one of the horizons out", cell.horizon),
            false => format!("`{other}` and `{}` are the same runs; leave one of them out", cell.label),
        })
    })
}
