//! Captions: what was run, what the bands are, and what is incomplete.

use std::collections::BTreeSet;

use crate::analysis::curve::{CurvePoint, MeanCurve};
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::ExperimentResults;
use crate::analysis::summary::LEVEL;
use crate::chart::svg::plain;
use crate::chart::theme::Theme;
use crate::number::grouped;
use crate::trace::cell::EndStatus;
use noregret_papers::errata::api::ErratumFinding;

/// What figures need to know besides the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureContext {
    /// The profile that was run.
    pub profile: String,
    /// The rows of rates that the figure shows.
    pub rates: Vec<Assessment>,
    /// How the runs were configured: what, and its value.
    pub setup: Vec<(String, String)>,
    /// The findings of the errata, where the figure shows them.
    pub findings: Vec<ErratumFinding>,
    /// How the author wants it to look.
    pub theme: Theme,
}

/// What a figure draws for one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A curve along the rounds of the label's longest runs.
    Trace,
    /// A curve along horizons.
    Curve,
    /// A point, at the label's largest horizon.
    Point,
}

/// The most words of a caption under a figure, with the title.
pub const MOST_WORDS: usize = 80;

/// The caption of a figure in three sentences (what it shows, what points and bands are, what was found), followed by
/// the notes. What was found becomes a note where the caption would get too long.
pub fn of(
    title: &str,
    shows: &str,
    run: String,
    finding: Option<String>,
    notes: impl Iterator<Item = String>,
) -> Vec<String> {
    let first = format!("{} {run}", sentence(shows));
    let words = |text: &str| text.split_whitespace().count();
    let (first, more) = match finding {
        Some(found) if words(title) + words(&first) + words(&found) <= MOST_WORDS => (format!("{first} {found}"), None),
        other => (first, other),
    };
    std::iter::once(first).chain(more).chain(notes.filter(|note| !note.is_empty())).collect()
}

/// What lines (or points) and bands are, over how many replicates and rounds. `curves` has one curve for each stream and
/// label.
pub(crate) fn run(curves: &[MeanCurve], experiments: &[&ExperimentResults], profile: &str, unit: Unit) -> String {
    let mut horizons: Vec<u64> = match unit {
        Unit::Curve => experiments.iter().flat_map(|e| e.runs.iter().map(|run| run.horizon)).collect(),
        Unit::Point | Unit::Trace => curves.iter().map(|curve| curve.horizon).collect(),
    };
    horizons.sort_unstable();
    horizons.dedup();
    let over = match horizons.as_slice() {
        [] => "no runs".to_owned(),
        [one] => format!("horizon {} rounds", grouped(*one)),
        [first, .., last] => format!("horizons {} to {} rounds", grouped(*first), grouped(*last)),
    };
    let complete = || curves.iter().filter(|curve| curve.tally.complete()).map(|curve| curve.tally.done);
    let (what, one) = if unit == Unit::Point { ("Points", "point") } else { ("Lines", "curve") };
    let Some((least, most)) = complete().min().zip(complete().max()) else {
        return format!("Profile {profile}, {over}: no {one} has all its replicates.");
    };
    let mut points = curves.iter().flat_map(|curve| &curve.points);
    let means = if points.any(|point| point.estimate.half_width.is_some()) {
        let seeds = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let each = if curves.iter().all(|curve| curve.tally.complete()) { "" } else { " per complete curve" };
        format!("means over {seeds} seeds{each} with {:.0} % t intervals", 100.0 * LEVEL)
    } else {
        "single replicates, hence without intervals".to_owned()
    };
    format!("{what} are {means}; {over}, profile {profile}.")
}

/// Which curves are the same run several times; None if none is.
pub(crate) fn repeated(curves: &[MeanCurve]) -> Option<String> {
    let same = curves.iter().filter(|curve| curve.last().is_some_and(CurvePoint::repeats));
    let same: BTreeSet<String> = same.map(|curve| plain(&curve.label)).collect();
    let names = same.into_iter().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| {
        format!("The replicates of {names} are the same (rows in the order of their file), hence without intervals.")
    })
}

/// Which curves lack replicates, and why; None if none does. Values may be relative to those of `reference`.
pub(crate) fn incomplete(
    curves: &[MeanCurve],
    experiments: &[&ExperimentResults],
    reference: Option<&str>,
) -> Option<String> {
    let lacking = || curves.iter().filter(|curve| !curve.tally.complete());
    let named = |curve: &MeanCurve| {
        let alike = || lacking().filter(|other| other.label == curve.label);
        let mut name = plain(&curve.label);
        if alike().any(|other| other.stream != curve.stream) {
            name = format!("{name}, {}", plain(&curve.stream));
        }
        if alike().any(|other| other.experiment != curve.experiment) {
            name = format!("{name}, {}", curve.experiment);
        }
        name
    };
    let incomplete: Vec<String> = lacking()
        .map(|curve| format!("{}: {}{}", named(curve), curve.tally, cause(curve, experiments, reference)))
        .collect();
    (!incomplete.is_empty()).then(|| format!("Incomplete: {}.", incomplete.join("; ")))
}

/// Why a replicate of a curve has no result; the first one if there are several.
fn cause(curve: &MeanCurve, experiments: &[&ExperimentResults], reference: Option<&str>) -> String {
    let own = experiments.iter().filter(|experiment| experiment.name == curve.experiment);
    let runs: Vec<_> = own.flat_map(|experiment| &experiment.runs).filter(|run| run.stream == curve.stream).collect();
    let broken = |label: &str| {
        let broken = runs.iter().find(|run| run.label == label && run.status != EndStatus::Done)?;
        Some(broken.detail.as_ref().map(|detail| detail.trim_end_matches('.').to_owned()))
    };
    let any = runs.iter().any(|run| run.label == curve.label);
    let own = broken(&curve.label).map(|detail| detail.map_or_else(String::new, |detail| format!(" ({detail})")));
    let others = reference.and_then(|of| {
        let why = broken(of)?.map_or_else(String::new, |detail| format!(": {detail}"));
        Some(format!(" (with replicates of {} that ended early{why})", plain(of)))
    });
    match (own, others) {
        (Some(own), others) => own + &others.unwrap_or_default(),
        (None, Some(others)) => others,
        (None, None) if any && curve.tally.missing > 0 => match reference {
            Some(of) => format!(" (no such value in their runs, or in those of {})", plain(of)),
            None => " (their runs have no such value)".into(),
        },
        (None, None) => String::new(),
    }
}

/// The parameters that were chosen on other orders of the rows, for the curves shown; None if there were none.
pub(crate) fn tuned(curves: &[MeanCurve], experiments: &[&ExperimentResults]) -> Option<String> {
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

/// The text with a full stop at the end, if it has none.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// The labels of curves that end before the horizon `furthest`, if there are any.
pub(crate) fn fewer_rounds<'a>(curves: impl Iterator<Item = &'a MeanCurve>, furthest: Option<u64>) -> Option<String> {
    let names = listed(curves.filter(|curve| curve.last().is_some() && Some(curve.horizon) != furthest));
    (!names.is_empty()).then_some(names)
}

/// The labels of some curves, for a caption.
pub(crate) fn listed<'a>(curves: impl Iterator<Item = &'a MeanCurve>) -> String {
    curves.map(|curve| plain(&curve.label)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_captions_leave_what_was_found_to_the_notes() {
        let of = |words: usize| {
            let shows = vec!["word"; words].join(" ");
            super::of("A title", &shows, "A run.".into(), Some("A finding.".into()), ["A note.".to_owned()].into_iter())
        };
        let short = of(MOST_WORDS - 6);
        assert!(short[0].ends_with("word. A run. A finding.") && short[1..] == ["A note."], "{short:?}");
        let long = of(MOST_WORDS - 5);
        assert!(long[0].ends_with("A run.") && long[1..] == ["A finding.", "A note."], "{long:?}");
    }
}
