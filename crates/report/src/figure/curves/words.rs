//! What captions of the kind `curves` say besides what was run.

use super::choose::{ChosenCurves, choose, names};
use super::options::{CurvesOptions, Detail};
use super::parts::{Abscissa, CurveGroup, ExactCurve, GuideSpec};
use crate::analysis::combine::RelativeBy;
use crate::analysis::curve::{CurvePoint, MeanCurve, along_rounds, at_ends};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::ExperimentResults;
use crate::analysis::slope::power_law;
use crate::analysis::student::two_sided_quantile;
use crate::analysis::summary::{LEVEL, ReplicateTally};
use crate::caption::sentence;
use crate::chart::svg::plain;
use crate::number::{grouped, plus_minus, significant};

/// The share of replicates of an incomplete curve: ` (3/5)`.
pub(super) fn gaps(tally: &ReplicateTally) -> String {
    format!(" ({}/{})", tally.done, tally.total())
}

/// The meaning of the vertical axis.
pub(super) fn shown(options: &CurvesOptions, experiments: &[&ExperimentResults]) -> Vec<String> {
    let mut sentences = Vec::new();
    if options.shows(&RunQuantity::Regret) && matches!(options.against, Abscissa::Horizon | Abscissa::Label) {
        let text = "Regret is the cumulative loss minus that of the best predictor in hindsight (with its penalty, if \
                    it has one). There is one run per horizon.";
        sentences.push(text.into());
    }
    if let Some(reference) = &options.relative_to {
        let label = plain(&reference.label);
        sentences.push(match reference.by {
            RelativeBy::Ratio => format!("Values are divided by those of {label} on the same replicate."),
            RelativeBy::Difference => format!("The values of {label} on the same replicate are subtracted."),
        });
    }
    if options.worst_of_experiments {
        let names: Vec<&str> = experiments.iter().map(|one| one.name.as_str()).collect();
        sentences.push(format!("Shown is the largest of the means in {}.", names.join(" and ")));
    }
    if options.shows(&RunQuantity::ProcessorTime) {
        let text =
            "Processor time is that of one thread, measured when the runs were made; it differs from run to run.";
        sentences.push(text.into());
    }
    sentences
}

/// The largest distance of the measured means from their exact expectations, in standard errors, in a panel of this title.
pub(super) fn distance(
    (exact, title): (&ExactCurve, &str),
    values: &[(u64, f64)],
    curves: &[MeanCurve],
) -> Option<String> {
    let curve = curves.iter().find(|curve| curve.label == exact.of)?;
    let largest = curve.points.iter().filter_map(|point| {
        let (horizon, expected) = values.iter().find(|(horizon, _)| *horizon as f64 == point.x)?;
        let quantile = two_sided_quantile(point.estimate.count as u64 - 1, LEVEL)?;
        let error = point.estimate.half_width? / quantile;
        Some(((point.estimate.mean - expected).abs() / error, *horizon))
    });
    let (errors, horizon) = largest.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let count = curve.points.iter().map(|point| point.estimate.count).min().unwrap_or_default();
    Some(format!(
        "Largest distance of {} from its exact expectation{title}: {} standard errors (at {}, of {count} replicates).",
        plain(&exact.of),
        significant(errors, 2),
        grouped(horizon)
    ))
}

/// What a line is called whose height is given: its name, or where it is.
pub(super) fn fixed(guide: &GuideSpec) -> Option<String> {
    let factor = guide.factor?;
    Some(if guide.label.is_empty() { format!("at {}", short(factor)) } else { plain(&guide.label) })
}

/// The points of a curve that are drawn: along the rounds, those from the first round that is shown.
pub(super) fn drawn<'a>(options: &CurvesOptions, curve: &'a MeanCurve) -> impl Iterator<Item = &'a CurvePoint> {
    let from = if options.against == Abscissa::Round { options.from_round as f64 } else { f64::NEG_INFINITY };
    curve.points.iter().filter(move |point| point.x >= from || point.x.is_nan())
}

/// Names the points that a log axis cannot show because they are not positive; along the rounds, how many a curve has of them.
/// `of` says of what they are points, where that is not what the figure shows: ` (excess)`.
pub(super) fn not_positive(options: &CurvesOptions, curves: &[MeanCurve], of: &str) -> Option<String> {
    let along = options.against == Abscissa::Round;
    let places = curves.iter().zip(names(curves)).flat_map(|(curve, name)| {
        let points = || drawn(options, curve);
        let not: Vec<&CurvePoint> = points().filter(|point| point.estimate.mean <= 0.0).collect();
        let name = plain(&name);
        match (along, not.len()) {
            (_, 0) => Vec::new(),
            (false, _) => not.iter().map(|point| format!("{name} at {}", short(point.x))).collect(),
            (true, count) if count == points().count() => vec![name],
            (true, count) => vec![format!("{name} at {count} of {} rounds", points().count())],
        }
    });
    let places: Vec<String> = places.collect();
    (!places.is_empty()).then(|| format!("Not drawn{of}, because not positive: {}.", places.join(", ")))
}

/// The curves that end before the round from which on the figure shows them.
pub(super) fn before(options: &CurvesOptions, curves: &[MeanCurve]) -> Vec<String> {
    let short = |curve: &MeanCurve| !curve.points.is_empty() && drawn(options, curve).next().is_none();
    curves.iter().zip(names(curves)).filter(|(curve, _)| short(curve)).map(|(_, name)| plain(&name)).collect()
}

/// Names the labels that have no value in all of the experiments at once.
pub(super) fn not_in_all(worst: &[MeanCurve]) -> Option<String> {
    let absent: Vec<String> =
        worst.iter().filter(|curve| curve.points.is_empty()).map(|curve| plain(&curve.label)).collect();
    (!absent.is_empty()).then(|| format!("Not drawn, for want of values in each of them: {}.", absent.join(", ")))
}

/// The last value of each curve, lowest first, because it cannot be read from the picture.
pub(super) fn ends(
    options: &CurvesOptions,
    curves: &[MeanCurve],
    halves: bool,
    experiments: &[&ExperimentResults],
) -> Option<String> {
    let all = names(curves);
    let mut ends: Vec<_> =
        curves.iter().zip(&all).filter_map(|(curve, name)| Some((curve, name, curve.last()?))).collect();
    // The worlds of one label stay together.
    let by_mean = |a: &CurvePoint, b: &CurvePoint| a.estimate.mean.total_cmp(&b.estimate.mean);
    ends.sort_by(|(_, _, a), (_, _, b)| {
        let further = b.x.total_cmp(&a.x);
        if options.worst_of_experiments { further } else { further.then_with(|| by_mean(a, b)) }
    });
    let furthest = ends.first()?.2.x;
    let along = |one: &Detail| experiments.iter().flat_map(|e| along_rounds(e, &one.quantity)).collect();
    let details: Vec<(&Detail, Vec<MeanCurve>)> = options.details.iter().map(|one| (one, along(one))).collect();
    let value = |(curve, name, end): &(&MeanCurve, &String, &CurvePoint)| {
        let mut text = format!("{} {}", plain(name), plus_minus(end.estimate.mean, end.estimate.half_width));
        if end.x != furthest {
            text += &format!(" at {}", short(end.x));
        }
        if let Some(half) = curve.points.iter().rfind(|earlier| halves && 2.0 * earlier.x <= end.x) {
            let mean = half.estimate.mean;
            let mean = if mean.abs() < 10.0 { significant(mean, 3) } else { format!("{mean:.1}") };
            text += &format!(" ({mean} at {})", short(half.x));
        }
        for (detail, found) in &details {
            let same = found.iter().find(|other| other.is_beside(curve) && other.label == curve.label);
            let count = same.and_then(|other| Some(count(other.last()?.estimate.mean, &detail.words)));
            text += &count.map_or_else(String::new, |count| format!(" ({count})"));
        }
        text
    };
    let values: Vec<String> = ends.iter().map(value).collect();
    let place = if options.against == Abscissa::Round { "round" } else { "horizon" };
    let each = if options.worst_of_experiments { " in each of them" } else { "" };
    Some(format!("At {place} {}{each}: {}.", short(furthest), values.join(", ")))
}

/// The exponent that fits the means of a curve where it is drawn. None where replicates diverged: along horizons, each point would be
/// a mean over another set of the replicates that are left.
pub(super) fn exponent(options: &CurvesOptions, curve: &MeanCurve) -> Option<f64> {
    if curve.tally.diverged > 0 {
        return None;
    }
    let points: Vec<(f64, f64)> = drawn(options, curve).map(|point| (point.x, point.estimate.mean)).collect();
    Some(power_law(&points)?.slope)
}

/// The exponent of each curve over all of its points that are drawn.
pub(super) fn exponents(options: &CurvesOptions, curves: &[MeanCurve]) -> Option<String> {
    let of = |(curve, name): (&MeanCurve, &String)| {
        Some(format!("{} {}", plain(name), significant(exponent(options, curve)?, 3)))
    };
    let fitted: Vec<String> = curves.iter().zip(&names(curves)).filter_map(of).collect();
    let over = match options.against {
        Abscissa::Horizon => "horizons".to_owned(),
        Abscissa::Round if options.from_round > 1 => format!("points from round {}", grouped(options.from_round)),
        _ => "points".to_owned(),
    };
    let broken = curves.iter().zip(names(curves)).filter(|(curve, _)| curve.tally.diverged > 0);
    let broken = broken.map(|(curve, name)| match &curve.over {
        Some(over) => format!("{} (or of {})", plain(&name), plain(over)),
        None => plain(&name),
    });
    let broken = broken.collect::<Vec<_>>().join(", ");
    let without = format!("none where replicates diverged: {broken}");
    let fitted = match (fitted.is_empty(), broken.is_empty()) {
        (true, true) => return None,
        (true, false) => without,
        (false, true) => fitted.join(", "),
        (false, false) => format!("{}; {without}", fitted.join(", ")),
    };
    Some(format!("Exponents fitted to the means over all {over}: {fitted}."))
}

/// The value of each point, group by group, with the details of its runs; then the levels.
pub(super) fn points(
    options: &CurvesOptions,
    chosen: &ChosenCurves,
    experiments: &[&ExperimentResults],
) -> Vec<String> {
    let Abscissa::Quantity(x) = &options.against else { return Vec::new() };
    let ends =
        |one: &Detail| -> Vec<MeanCurve> { experiments.iter().flat_map(|e| at_ends(e, x, &one.quantity)).collect() };
    let details: Vec<(&Detail, Vec<MeanCurve>)> = options.details.iter().map(|one| (one, ends(one))).collect();
    // The abscissa of a point is not repeated among its details.
    let value = |unit: &MeanCurve, level: bool| {
        let told = details.iter().filter(|(detail, _)| level || detail.quantity != *x).filter_map(|(detail, found)| {
            let found = found.iter().find(|other| other.is_beside(unit) && other.label == unit.label)?;
            Some(count(found.last()?.estimate.mean, &detail.words))
        });
        let told: Vec<String> = told.collect();
        let told = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
        let end = unit.last()?.estimate;
        Some(format!("{}{told}", plus_minus(end.mean, end.half_width)))
    };
    let mut paragraphs = Vec::new();
    for (curve, name) in chosen.curves.iter().zip(names(&chosen.curves)) {
        let Some(group) = options.groups.iter().find(|group| group.label() == curve.label) else { continue };
        let mine = |unit: &&MeanCurve| {
            let beside = unit.is_beside(curve) || options.through_streams && unit.experiment == curve.experiment;
            beside && group.holds(&unit.label)
        };
        let mut units: Vec<(f64, &MeanCurve)> =
            chosen.units.iter().filter(mine).filter_map(|unit| Some((unit.last()?.x, unit))).collect();
        units.retain(|(x, _)| !x.is_nan());
        units.sort_by(|a, b| a.0.total_cmp(&b.0));
        let text = |(x, unit): &(f64, &MeanCurve)| Some(format!("{} at {}", value(unit, false)?, short(*x)));
        let texts = match group {
            CurveGroup::Beginning(_) => units.iter().filter_map(text).collect::<Vec<_>>().join(", "),
            CurveGroup::Through(one) => {
                let found = units.iter().filter_map(|unit| Some(format!("{} {}", plain(&unit.1.label), text(unit)?)));
                let absent = one.through.iter().filter(|label| !units.iter().any(|(_, unit)| unit.label == **label));
                let absent = absent.map(|label| format!("{} without a value", plain(label)));
                found.chain(absent).collect::<Vec<_>>().join("; ")
            }
        };
        if !texts.is_empty() {
            paragraphs.push(sentence(&format!("{}: {texts}", plain(&name))));
        }
    }
    let levels = chosen.levels.iter().zip(names(&chosen.levels));
    paragraphs
        .extend(levels.filter_map(|(unit, name)| Some(sentence(&format!("{}: {}", plain(&name), value(unit, true)?)))));
    paragraphs
}

/// `1 point`, `12 345 points`, `0.20 shrinks`.
fn count(value: f64, words: &str) -> String {
    if value == 1.0 {
        format!("1 {}", singular(words))
    } else if value >= 10.0 || value.fract() == 0.0 {
        format!("{} {words}", grouped(value.round() as u64))
    } else {
        format!("{} {words}", significant(value, 2))
    }
}

/// One of what `words` name: `copy` of `copies`.
fn singular(words: &str) -> String {
    match words.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => words.strip_suffix('s').unwrap_or(words).to_owned(),
    }
}

/// The lowest mean of each curve, compared with the baseline stream at the same abscissa; then the levels.
pub(super) fn lowest(options: &CurvesOptions, chosen: &ChosenCurves, experiments: &[&ExperimentResults]) -> String {
    let baseline = options.baseline.as_ref();
    let baseline = baseline.map(|stream| (stream, choose(options, experiments, std::slice::from_ref(stream))));
    let change = |here: &CurvePoint,
                  there: fn(&ChosenCurves) -> &[MeanCurve],
                  label: &str,
                  same: &dyn Fn(&CurvePoint) -> bool| {
        let (stream, other) = baseline.as_ref()?;
        let partner =
            there(other).iter().find(|curve| curve.label == label)?.points.iter().find(|point| same(point))?;
        Some(format!(" ({})", change_from(here.estimate.mean / partner.estimate.mean, &plain(stream))))
    };
    let mut told = Vec::new();
    for (curve, name) in chosen.curves.iter().zip(names(&chosen.curves)) {
        let lowest = drawn(options, curve).min_by(|a, b| a.estimate.mean.total_cmp(&b.estimate.mean));
        let Some(point) = lowest else { continue };
        let change = change(point, |other| &other.curves, &curve.label, &|other| other.x == point.x);
        let (label, mean) = (plain(&name), significant(point.estimate.mean, 3));
        told.push(format!("{label} {mean} at {}{}", short(point.x), change.unwrap_or_default()));
    }
    for (level, name) in chosen.levels.iter().zip(names(&chosen.levels)) {
        let Some(point) = level.last() else { continue };
        let change = change(point, |other| &other.levels, &level.label, &|_| true);
        let (label, mean) = (plain(&name), significant(point.estimate.mean, 3));
        told.push(format!("{label} {mean}{}", change.unwrap_or_default()));
    }
    format!("Lowest means: {}.", told.join("; "))
}

/// A quotient of means as a change from that of `stream`: in per cent, or as a factor where per cents say nothing.
fn change_from(quotient: f64, stream: &str) -> String {
    if (0.5..2.0).contains(&quotient) {
        format!("{:+.1} % from \u{201c}{stream}\u{201d}", 100.0 * (quotient - 1.0))
    } else {
        format!("{} times that of \u{201c}{stream}\u{201d}", significant(quotient, 2))
    }
}

/// An abscissa in few digits.
pub(super) fn short(x: f64) -> String {
    if x.fract() == 0.0 && (0.0..1e15).contains(&x) {
        return grouped(x as u64);
    }
    let text = significant(x, 3);
    let plain = text.contains('.') && !text.contains('e');
    if plain { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::{change_from, count};

    #[test]
    fn large_changes_are_factors() {
        assert_eq!(change_from(1.034, "clean"), "+3.4 % from \u{201c}clean\u{201d}");
        assert_eq!(change_from(3503.8, "clean"), "3504 times that of \u{201c}clean\u{201d}");
    }

    #[test]
    fn counts_agree_with_their_words() {
        let of = |value| ["copies", "points", "share beyond"].map(|words| count(value, words));
        assert_eq!(of(1.0), ["1 copy", "1 point", "1 share beyond"]);
        assert_eq!(of(12_345.0), ["12\u{202f}345 copies", "12\u{202f}345 points", "12\u{202f}345 share beyond"]);
        assert_eq!(count(0.2, "shrinks"), "0.20 shrinks");
    }
}
