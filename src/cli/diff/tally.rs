//! Counts what an exact comparison compares, and records the differences.

use std::collections::BTreeMap;
use std::fmt::Display;

/// The number of differences that are shown individually.
const SHOWN: usize = 20;

/// What is compared, and where it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ResultKind {
    /// `runs.parquet` and `runs/`.
    Runs,
    /// `traces/`.
    Traces,
    /// `rates/`.
    Rates,
    /// Findings of errata, in the store.
    Errata,
    /// Solutions of comparators, in the store.
    Comparators,
}

impl ResultKind {
    const ALL: [ResultKind; 5] =
        [ResultKind::Runs, ResultKind::Traces, ResultKind::Rates, ResultKind::Errata, ResultKind::Comparators];

    fn name(self) -> &'static str {
        match self {
            ResultKind::Runs => "runs",
            ResultKind::Traces => "traces",
            ResultKind::Rates => "rates",
            ResultKind::Errata => "errata",
            ResultKind::Comparators => "comparators",
        }
    }
}

#[derive(Default)]
struct Counts {
    files: usize,
    rows: usize,
    cells: usize,
}

/// The counts and differences of a comparison.
pub(super) struct DiffTally<'a> {
    sides: [&'a str; 2],
    counts: BTreeMap<ResultKind, Counts>,
    differing: BTreeMap<(ResultKind, String), usize>,
    shown: Vec<String>,
}

impl<'a> DiffTally<'a> {
    /// An empty tally of these two sides.
    pub(super) fn new(sides: [&'a str; 2]) -> Self {
        Self { sides, counts: BTreeMap::new(), differing: BTreeMap::new(), shown: Vec::new() }
    }

    /// Counts a file (or a stored object) that both sides have.
    pub(super) fn compared(&mut self, kind: ResultKind, rows: usize, cells: usize) {
        let counts = self.counts.entry(kind).or_default();
        counts.files += 1;
        counts.rows += rows;
        counts.cells += cells;
    }

    /// Records a difference in a column or field; `what` describes it.
    pub(super) fn differs(&mut self, kind: ResultKind, column: &str, what: impl FnOnce() -> String) {
        *self.differing.entry((kind, column.to_owned())).or_default() += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(what());
        }
    }

    /// Records two values that differ.
    pub(super) fn values(&mut self, kind: ResultKind, place: impl Display, column: &str, values: [&dyn Display; 2]) {
        self.differs(kind, column, || format!("{place}: {column}: {} -> {}", values[0], values[1]));
    }

    /// Records a file, row or field (`column` says which of them) that only one side has.
    pub(super) fn only(&mut self, kind: ResultKind, column: &str, side: usize, what: impl Display) {
        let given = self.sides[side];
        self.differs(kind, column, || format!("{what}: only in {given}"));
    }

    /// Records what is missing or damaged on one side.
    pub(super) fn wrong(&mut self, kind: ResultKind, side: usize, what: impl Display) {
        let given = self.sides[side];
        self.differs(kind, "(missing)", || format!("{given}: {what}"));
    }

    /// The text of the comparison, and whether it failed: something differs, or there was nothing to compare.
    pub(super) fn finish(self) -> (String, bool) {
        let mut text = String::new();
        for line in &self.shown {
            text += &format!("{line}\n");
        }
        let differences: usize = self.differing.values().sum();
        if differences > self.shown.len() {
            text += &format!("... and {} more differences\n", differences - self.shown.len());
        }
        if differences > 0 {
            text += "Differences by column:\n";
        }
        for ((kind, column), count) in &self.differing {
            text += &format!("  {} {column}: {count}\n", kind.name());
        }
        for kind in ResultKind::ALL {
            text += &match self.counts.get(&kind) {
                Some(Counts { files, rows, cells }) => {
                    format!("{}: {files} files, {rows} rows, {cells} cells compared\n", kind.name())
                }
                None => format!("{}: nothing compared\n", kind.name()),
            };
        }
        let cells = |kind: ResultKind| self.counts.get(&kind).map_or(0, |counts| counts.cells);
        let all: usize = ResultKind::ALL.map(cells).iter().sum();
        // Runs without traces, or traces without runs, cannot be called equal.
        let lacking = all == 0 || (cells(ResultKind::Runs) == 0) != (cells(ResultKind::Traces) == 0);
        text += &match (differences, lacking) {
            (_, true) => {
                format!("differences: {differences}; there is too little to compare: make the results first\n")
            }
            (0, false) => format!("no difference in {all} cells\n"),
            (_, false) => format!("differences: {differences}; cells compared: {all}\n"),
        };
        (text, differences > 0 || lacking)
    }
}
