//! Captions: what was run, what the bands are, and what is incomplete.

use crate::analysis::curve::Curve;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::Experiment;
use crate::analysis::summary::{LEVEL, Tally};
use crate::report::chart::svg::plain;
use crate::report::number::grouped;
use crate::trace::cell::RunStatus;
use noregret_core::errata::api::Finding;

/// What captions need to know besides the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The profile that was run.
    pub profile: String,
    /// The rows of rates that the figure shows.
    pub rates: Vec<Assessment>,
    /// How the runs were configured: what, and its value.
    pub setup: Vec<(String, String)>,
    /// The findings of the errata, where the figure shows them.
    pub findings: Vec<Finding>,
}

/// What a figure draws for one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A curve along rounds or horizons.
    Curve,
    /// A point, at the label's largest horizon.
    Point,
}

/// What was run (profile, replicates, horizons) and what is missing. `curves` has one curve for each stream and label.
pub fn replicates(curves: &[Curve], experiments: &[&Experiment], profile: &str, unit: Unit) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut horizons: Vec<u64> = match unit {
        Unit::Curve => experiments.iter().flat_map(|e| e.runs.iter().map(|run| run.horizon)).collect(),
        Unit::Point => curves.iter().map(|curve| curve.horizon).collect(),
    };
    horizons.sort_unstable();
    horizons.dedup();
    let horizon = match horizons.as_slice() {
        [] => "no runs".to_owned(),
        [one] => format!("horizon {} rounds", grouped(*one)),
        [first, .., last] => format!("horizons {} to {} rounds", grouped(*first), grouped(*last)),
    };
    let complete: Vec<&Curve> = curves.iter().filter(|curve| curve.tally.complete()).collect();
    let counts = {
        let mut counts: Vec<usize> = complete.iter().map(|curve| curve.tally.done).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    };
    let unit = if unit == Unit::Curve { "curve" } else { "point" };
    let all = curves.iter().all(|curve| curve.tally.complete());
    let of = if all { format!("per {unit}") } else { format!("per complete {unit}") };
    let shown = match counts.as_slice() {
        [] => format!("no {unit} has all its replicates"),
        [one] => format!("{} {of}", Tally { done: *one, ..Tally::default() }),
        [first, .., last] => format!("{first} to {last} replicates {of}, all completed"),
    };
    sentences.push(format!("Profile {profile}; {horizon}; {shown}."));
    let incomplete: Vec<String> = curves
        .iter()
        .filter(|curve| !curve.tally.complete())
        .map(|curve| format!("{}: {}{}", plain(&curve.label), curve.tally, cause(curve, experiments)))
        .collect();
    if !incomplete.is_empty() {
        sentences.push(format!("Incomplete: {}.", incomplete.join("; ")));
    }
    sentences
}

/// Why a replicate of a curve has no result; the first one if there are several.
fn cause(curve: &Curve, experiments: &[&Experiment]) -> String {
    experiments
        .iter()
        .filter(|experiment| experiment.name == curve.experiment)
        .flat_map(|experiment| &experiment.runs)
        .find(|run| run.stream == curve.stream && run.label == curve.label && run.status != RunStatus::Done)
        .and_then(|run| run.detail.as_ref())
        .map(|detail| format!(" ({})", detail.trim_end_matches('.')))
        .unwrap_or_default()
}

/// The parameters that were chosen on other orders of the rows, for the curves shown; None if there were none.
pub fn tuned(curves: &[Curve], experiments: &[&Experiment]) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for curve in curves {
        let own = experiments.iter().filter(|experiment| experiment.name == curve.experiment);
        let mut runs = own.flat_map(|experiment| &experiment.runs);
        let run = runs.find(|run| run.stream == curve.stream && run.label == curve.label && run.tuned.is_some());
        let several = curves.iter().any(|other| other.label == curve.label && other.stream != curve.stream);
        let on = if several { format!(" on {}", plain(&curve.stream)) } else { String::new() };
        let words = run.and_then(|run| run.tuned.as_ref());
        told.extend(words.map(|words| format!("{}{on}: {words}", plain(&curve.label))));
    }
    told.dedup();
    let heading = "Parameters chosen on other orders of the rows, by the lowest error on clean held-out rows (where none \
                   are held out, error rate; where targets are no classes, loss), in trials whose time is not counted";
    (!told.is_empty()).then(|| format!("{heading}: {}.", told.join("; ")))
}

/// The meaning of lines (or points) and bands; None if there are no points.
pub fn band(curves: &[Curve], unit: Unit) -> Option<String> {
    let mut points = curves.iter().flat_map(|curve| &curve.points).peekable();
    points.peek()?;
    let what = if unit == Unit::Curve { "Lines" } else { "Points" };
    Some(if points.any(|point| point.estimate.half_width.is_some()) {
        format!("{what} are means over replicates (seeds); bands are {:.0} % t intervals over seeds.", 100.0 * LEVEL)
    } else {
        format!("{what} are single replicates, so there are no bands.")
    })
}

/// The text with a full stop at the end, if it has none.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
