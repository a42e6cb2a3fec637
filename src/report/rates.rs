//! Describes assessed rates in words, for tables and captions. The words claim no more than was shown.

use crate::analysis::rate::assess::{Assessed, Assessment, Measured};
use crate::analysis::rate::bound::{Standing, ValueCheck};
use crate::analysis::rate::verdict::ExponentVerdict;
use crate::report::caption::sentence;
use crate::report::number::{grouped, significant};
use noregret_core::theory::api::Subject;

/// The paper and the place of the theorem.
pub fn citation(row: &Assessment) -> String {
    format!("{}: {}", row.paper.title(), row.place)
}

/// The measured part of a row, if it has one.
pub fn measured(row: &Assessment) -> Option<&Measured> {
    match &row.outcome {
        Assessed::Measured(measured) => Some(measured),
        Assessed::Missing(_) => None,
    }
}

/// The verdict.
pub fn verdict(row: &Assessment) -> String {
    let measured = match &row.outcome {
        Assessed::Missing(reason) => return format!("missing: {reason}"),
        Assessed::Measured(measured) => measured,
    };
    let Some(comparison) = &measured.comparison else {
        let places: Vec<String> = measured.not_positive.iter().map(|horizon| grouped(*horizon)).collect();
        return match places.as_slice() {
            [] if measured.sample.seeds() < 2 => "a single seed".into(),
            [] => format!("{} is not positive when some seed is left out", row.quantity),
            places => format!("{} is not positive at T = {}", row.quantity, places.join(", ")),
        };
    };
    let cost = row.subject == Subject::Cost;
    let words = match comparison.verdict {
        ExponentVerdict::Matches if cost => "as stated".into(),
        ExponentVerdict::Matches => "matches".into(),
        ExponentVerdict::Faster if cost => "grows more slowly than stated".into(),
        ExponentVerdict::Faster => "faster than the bound".into(),
        ExponentVerdict::Steeper if cost => "grows faster than stated on this range".into(),
        ExponentVerdict::Steeper => "steeper than the bound on this range".into(),
        ExponentVerdict::Inconclusive => match comparison.seeds_to_decide {
            Some(seeds) => format!("inconclusive ({} seeds would decide)", grouped(seeds)),
            None => "inconclusive (no practical number of seeds would decide)".into(),
        },
        ExponentVerdict::TooFew => "too few seeds or horizons for a verdict".to_owned(),
    };
    let curved =
        comparison.verdict != ExponentVerdict::TooFew && measured.bend_from_shape.is_some_and(|bend| bend.curved);
    if curved { format!("{words}; curved") } else { words }
}

/// Whether the verdict is "steeper".
pub fn is_steeper(row: &Assessment) -> bool {
    let comparison = measured(row).and_then(|measured| measured.comparison.as_ref());
    comparison.is_some_and(|comparison| comparison.verdict == ExponentVerdict::Steeper)
}

/// Whether the curve is straight on log-log axes, bends like the theorem's shape, or is curved otherwise.
pub fn line(measured: &Measured) -> Option<&'static str> {
    let (bend, relative) = (measured.bend?, measured.bend_from_shape?);
    Some(match (relative.curved, bend.curved) {
        (true, _) => "curved",
        (false, true) => "bends like the shape",
        (false, false) => "straight",
    })
}

/// The first and the last horizon, and their number: `64 to 2048 (6)`.
pub fn range(measured: &Measured) -> String {
    let horizons = &measured.sample.horizons;
    let end = |horizon: Option<&u64>| horizon.map(|horizon| grouped(*horizon)).unwrap_or_default();
    format!("{} to {} ({})", end(horizons.first()), end(horizons.last()), horizons.len())
}

/// The number of seeds: `10`, or `9 of 10` if replicates were left out.
pub fn seeds(measured: &Measured) -> String {
    let tally = measured.tally;
    if tally.complete() { tally.done.to_string() } else { format!("{} of {}", tally.done, tally.total()) }
}

/// Whether the bound holds, and the largest share of it: `holds: at most 0.41 of the bound`.
pub fn value_check(check: &ValueCheck) -> String {
    let standing = match check.standing {
        Standing::Holds => "holds",
        Standing::Exceeded => "exceeded",
        Standing::Open => "open",
    };
    let vacuous = if check.vacuous { ", vacuous" } else { "" };
    format!("{standing}: at most {} of the bound{vacuous}", significant(check.largest, 3))
}

/// The explanations of rows, as their files give them, and a note where an explanation is missing: paragraphs for a
/// caption.
pub fn explanations(rows: &[&Assessment]) -> Vec<String> {
    let paragraph = |row: &&Assessment| {
        let steeper = is_steeper(row);
        let text = match &row.explanation {
            Some(text) => sentence(text),
            None if steeper => "The row has no explanation.".into(),
            None => return None,
        };
        Some(format!("{} ({}, {}): {text}", row.row, citation(row), verdict(row)))
    };
    rows.iter().filter_map(paragraph).collect()
}
