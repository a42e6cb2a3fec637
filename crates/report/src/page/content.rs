//! What a report is made from.

use serde::Serialize;

use crate::exhibit::ShownExhibit;
use crate::number::{duration, grouped};

/// Everything that the report shows.
#[derive(Clone, Debug, Default)]
pub struct ReportContent {
    /// Figures and tables, in any order.
    pub exhibits: Vec<ShownExhibit>,
    /// Whether the project has experiments of papers. What belongs to none then stands across the papers, also while
    /// nothing of theirs could be made: a page that exists only then would be left behind.
    pub papers: bool,
    /// What could not be made.
    pub missing: Vec<MissingStage>,
    /// Where the results come from.
    pub provenance: ReportProvenance,
    /// What was run and what the full design is, where that is more.
    pub preview: Option<Preview>,
}

/// Something that could not be made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MissingStage {
    /// The stage.
    pub stage: String,
    /// Why.
    pub reason: String,
    /// What the reader can do about it.
    pub remedy: String,
}

/// The size of a set of experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of runs.
    pub runs: u64,
    /// The sum of their rounds.
    pub rounds: u64,
    /// The largest number of replicates of a run.
    pub replicates: u64,
}

impl Size {
    /// Counts a run in.
    pub fn add(&mut self, rounds: u64, replicate: u64) {
        self.runs += 1;
        self.rounds += rounds;
        self.replicates = self.replicates.max(replicate + 1);
    }
}

/// A report of fewer rounds or replicates than the experiments are designed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The profile with the full design.
    pub design: String,
    /// What was run.
    pub here: Size,
    /// What the full design runs.
    pub full: Size,
}

impl Preview {
    /// How much was run, in a sentence.
    pub(crate) fn words(&self) -> String {
        let Preview { design, here, full } = self;
        format!(
            "{} rounds in {} runs with up to {} replicates. The full design (profile {design}) has {} rounds \
             in {} runs with up to {}. Verdicts may change.",
            grouped(here.rounds),
            grouped(here.runs),
            here.replicates,
            grouped(full.rounds),
            grouped(full.runs),
            full.replicates
        )
    }
}

/// Where the results come from and what they cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportProvenance {
    /// The commit of the source; empty if unknown.
    pub commit: String,
    /// Whether the source differs from that commit.
    pub modified: bool,
    /// The profile.
    pub profile: String,
    /// Names of programs and their versions.
    pub versions: Vec<(String, String)>,
    /// Properties of the machine: processor, cores, memory, system.
    pub machine: Vec<(String, String)>,
    /// Number of cells behind the results.
    pub cells: u64,
    /// Number of these cells that were not made, failed or diverged.
    pub unfinished_cells: u64,
    /// Processor time of all cells when they were made, in seconds.
    pub cpu_seconds: f64,
}

impl ReportProvenance {
    /// All of it as names and values.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let commit = match (self.commit.as_str(), self.modified) {
            ("", _) => "unknown".to_owned(),
            (commit, true) => format!("{commit}, with uncommitted changes"),
            (commit, false) => commit.to_owned(),
        };
        let mut facts = vec![("Commit".to_owned(), commit), ("Profile".to_owned(), self.profile.clone())];
        facts.extend(self.versions.iter().cloned());
        facts.extend(self.machine.iter().cloned());
        let unfinished = match self.unfinished_cells {
            0 => String::new(),
            count => format!(", {} of them without a result: not made, diverged or failed", grouped(count)),
        };
        facts.push(("Runs".into(), format!("{}{unfinished}", grouped(self.cells))));
        facts.push(("Processor time of all runs".into(), duration(self.cpu_seconds)));
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_says_how_much_was_run() {
        let (mut here, mut full) = (Size::default(), Size::default());
        here.add(100, 1);
        (0..20).for_each(|replicate| full.add(50_000, replicate));
        let words = Preview { design: "paper".into(), here, full }.words();
        assert!(words.starts_with("100 rounds in 1 runs with up to 2 replicates."), "{words}");
        assert!(words.contains("1\u{202f}000\u{202f}000 rounds in 20 runs with up to 20."), "{words}");
    }
}
