//! Frozen designs: what a row of rates or a finding was to measure, fixed before it is run, with the date and every later
//! change.
//!
//! `pipeline/designs.lock` has a line for each state of a design in the profile paper, oldest first; a finding is called by
//! its figure, `figure/NAME`:
//!
//! ```text
//! row digest date because
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::config::ConfigError;
use crate::config::experiment::Experiment;
use crate::rate::setups::setups;
use noregret_report::analysis::rate::row::{RateRow, RecordedDesign};
use noregret_report::analysis::rate::setup::Setup;

/// The digest of a row's design: theorem and its parameters, curve, quantity, horizons, margin, seeds, streams, parameters
/// of the learner and comparator. What a result is compared with, but not how: the rules of verdicts are code.
pub fn digest(row: &RateRow, experiment: &Experiment) -> String {
    let setups: Vec<_> = setups(row, experiment).iter().map(Setup::canonical).collect();
    let played = experiment.cells.iter().filter(|cell| *cell.label == *row.label);
    let seeds = played.map(|cell| cell.replicate + 1).max().unwrap_or(0);
    let design = json!([
        row.theorem.name,
        row.parameters,
        row.label,
        row.stream,
        row.quantity_name,
        row.horizons,
        row.margin,
        row.control,
        experiment.design.seed,
        seeds,
        setups,
    ]);
    hex::encode(&Sha256::digest(design.to_string().as_bytes())[..8])
}

/// The recorded designs of a folder `pipeline`, by row or figure; none where it has no `designs.lock`.
///
/// # Errors
/// A file that cannot be read, or a line that is none.
pub(crate) fn recorded(pipeline: &Path) -> Result<BTreeMap<String, Vec<RecordedDesign>>, ConfigError> {
    let path = pipeline.join("designs.lock");
    let wrong = |message: String| ConfigError::Malformed { path: path.display().to_string(), message };
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        text => text.map_err(|error| wrong(error.to_string()))?,
    };
    let mut found: BTreeMap<String, Vec<RecordedDesign>> = BTreeMap::new();
    for (line, number) in text.lines().zip(1..) {
        let [row, digest, date, because] = line.splitn(4, ' ').collect::<Vec<_>>()[..] else {
            return Err(wrong(format!("line {number}: must be a row, a digest, a date and a reason")));
        };
        let [digest, date, because] = [digest, date, because].map(str::to_owned);
        found.entry(row.to_owned()).or_default().push(RecordedDesign { digest, date, because });
    }
    Ok(found)
}

/// Adds a state where `digest` is not the one that was recorded last.
pub(super) fn note_change(recorded: &mut Vec<RecordedDesign>, digest: String) {
    if recorded.last().is_none_or(|last| last.digest == digest) {
        return;
    }
    let because = format!("pipeline/designs.lock has no line with its digest, {digest}");
    recorded.push(RecordedDesign { digest, date: "a day that is not recorded".into(), because });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_that_changed_without_a_line_is_told() {
        let state = |digest: &str| RecordedDesign { digest: digest.into(), ..RecordedDesign::default() };
        let noted = |recorded: &[&str], digest: &str| {
            let mut recorded: Vec<_> = recorded.iter().copied().map(state).collect();
            note_change(&mut recorded, digest.into());
            recorded.last().map(|last| last.because.clone()).unwrap_or_default()
        };
        assert_eq!((noted(&["01", "02"], "02"), noted(&[], "02")), (String::new(), String::new()));
        // Back to an earlier one is a change, too.
        assert!(noted(&["01", "02"], "01").contains("no line with its digest, 01"));
    }

    #[test]
    fn a_file_of_designs_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        assert!(recorded(folder.path()).unwrap().is_empty());
        let file = folder.path().join("designs.lock");
        std::fs::write(&file, "a 01 2026-11-26 first run\na 02 2026-12-01 more seeds\nb 03 2026-11-26 first run\n")
            .unwrap();
        let found = recorded(folder.path()).unwrap();
        let states: Vec<&str> = found["a"].iter().map(|state| state.because.as_str()).collect();
        assert_eq!((states, found["b"][0].digest.as_str()), (vec!["first run", "more seeds"], "03"));
        std::fs::write(&file, "a 01 2026-11-26 first run\na 02\n").unwrap();
        assert!(recorded(folder.path()).unwrap_err().to_string().contains("line 2"));
    }
}
