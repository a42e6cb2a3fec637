//! What decided a claim, in words for a reader.

use crate::analysis::claim::Evidence;
use crate::analysis::summary::MeanEstimate;
use crate::chart::svg::plain;
use crate::claim::data::ClaimData;
use crate::number::{grouped, plus_minus, significant};

/// The evidence for a reader. `bound` is what curves are to end at: its value, the side of the worst end, and the side past it.
pub(super) fn words(evidence: &Evidence, bound: (f64, &str, &str), data: &ClaimData<'_>) -> String {
    let level = |label: &str| data.levels.iter().any(|level| level.label == label);
    let axis = |label: &str| data.axis.filter(|_| !level(label)).unwrap_or("round");
    let at = |label: &str, round: f64| format!("{} {}", axis(label), abscissa(round));
    let value = |estimate: &MeanEstimate| plus_minus(estimate.mean, estimate.half_width);
    match evidence {
        Evidence::Difference { lower: one, higher: other, round, estimate, .. }
        | Evidence::Distance { labels: [one, other], round, estimate } => {
            let (at, pairs) = (at(one, *round), pairs(estimate));
            let (one, other) = (plain(one), plain(other));
            match evidence {
                Evidence::Distance { .. } if estimate.mean == 0.0 => {
                    format!("{one} and {other} are equal in the mean at {at} ({pairs})")
                }
                _ => format!("{other} minus {one} is {} at {at} ({pairs})", value(estimate)),
            }
        }
        Evidence::Both { lower, higher, round, estimates: [first, second], .. } => {
            let (at, pairs, [y, x]) = (at(lower, *round), pairs(first), data.quantities);
            let (lower, higher, first, second) = (plain(lower), plain(higher), value(first), value(second));
            format!("{higher} minus {lower} is {first} in {y} and {second} in {x} at {at} ({pairs})")
        }
        Evidence::Turn { lower, higher, until, from, .. } => turned([lower, higher], until.as_ref(), from, axis(lower)),
        Evidence::End { label, end, beyond, .. } => {
            let (bound, side, past) = bound;
            let beyond: Vec<String> = beyond.iter().map(|label| plain(label)).collect();
            let beyond = match beyond.as_slice() {
                [] => String::new(),
                some => format!("; clearly {past} it: {}", some.join(", ")),
            };
            let (end, bound) = (value(end), significant(bound, 4));
            format!("the {side} end is {end} ({}), the bound {bound}{beyond}", plain(label))
        }
        Evidence::Exponent { label, over, abscissae, estimate } => {
            let over = over.as_ref().map_or_else(String::new, |over| format!(" over {}", plain(over)));
            let ends = [abscissae.first(), abscissae.last()];
            let ends = ends.map(|x| x.map_or_else(String::new, |x| abscissa(*x)));
            let (value, label) = (value(estimate), plain(label));
            format!(
                "the exponent of {label}{over} is {value} from {} to {} ({} replicates)",
                ends[0], ends[1], estimate.count
            )
        }
        Evidence::Nothing(reason) => reason.clone(),
    }
}
/// How many pairs are behind an estimate.
fn pairs(estimate: &MeanEstimate) -> String {
    match (estimate.count, estimate.half_width) {
        (1, _) => "one replicate, hence no interval".to_owned(),
        (count, Some(0.0)) => format!("the same in all {count} paired replicates"),
        (count, _) => format!("{count} paired replicates"),
    }
}

/// Where the order turns, or what there is in its place.
fn turned(
    [lower, higher]: [&str; 2],
    until: Option<&(f64, MeanEstimate)>,
    (round, estimate): &(f64, MeanEstimate),
    axis: &str,
) -> String {
    let value = |estimate: &MeanEstimate| plus_minus(estimate.mean, estimate.half_width);
    let clear = estimate.half_width.is_some_and(|half| estimate.mean > half);
    let before = until.filter(|_| clear).map_or_else(String::new, |(last, before)| {
        format!("{} at {axis} {}, the last one clearly below 0, and ", value(before), abscissa(*last))
    });
    let after = if clear { ", from where on it is clearly above 0" } else { ", the last one" };
    let (lower, higher, round) = (plain(lower), plain(higher), abscissa(*round));
    format!("{higher} minus {lower} is {before}{} at {axis} {round}{after} ({})", value(estimate), pairs(estimate))
}

/// The number that decides, where there is one.
pub(super) fn effect(evidence: &Evidence) -> Option<MeanEstimate> {
    match evidence {
        Evidence::Difference { estimate, .. } | Evidence::Distance { estimate, .. } => Some(*estimate),
        Evidence::Both { estimates: [first, _], .. } => Some(*first),
        Evidence::Exponent { estimate, .. } => Some(*estimate),
        Evidence::Turn { from: (_, estimate), .. } => Some(*estimate),
        Evidence::End { end, .. } => Some(*end),
        Evidence::Nothing(_) => None,
    }
}

/// A whole number with its digits in groups, as rounds are written; any other with four digits.
fn abscissa(x: f64) -> String {
    if x.fract() == 0.0 { grouped(x as u64) } else { significant(x, 4) }
}

/// The labels that were compared.
pub(super) fn compared(evidence: &Evidence) -> Vec<String> {
    match evidence {
        Evidence::Difference { lower, higher, .. }
        | Evidence::Both { lower, higher, .. }
        | Evidence::Turn { lower, higher, .. } => {
            vec![lower.clone(), higher.clone()]
        }
        Evidence::Distance { labels, .. } => labels.to_vec(),
        Evidence::Exponent { label, over, .. } => [label].into_iter().chain(over).cloned().collect(),
        Evidence::End { label, .. } => vec![label.clone()],
        Evidence::Nothing(_) => Vec::new(),
    }
}

/// The ends of an interval.
pub(super) fn ends((middle, half_width): (f64, f64)) -> (f64, f64) {
    (middle - half_width, middle + half_width)
}

#[cfg(test)]
mod tests {
    use super::{MeanEstimate, turned};

    #[test]
    fn a_turn_says_where_it_is() {
        let estimate = |mean: f64| MeanEstimate { mean, half_width: Some(0.5), count: 4 };
        let (before, after) = ((256.0, estimate(-2.0)), (4096.0, estimate(3.0)));
        let told = turned(["known", "wrong"], Some(&before), &after, "round");
        for part in
            ["wrong minus known is \u{2212}2.0", "at round 256, the last", "3.0", "at round 4096, from where on"]
        {
            assert!(told.replace('-', "\u{2212}").contains(part), "{told}");
        }
        let told = turned(["known", "wrong"], Some(&before), &(4096.0, estimate(0.1)), "horizon");
        assert!(!told.contains("256") && told.contains("at horizon 4096, the last one (4 paired"), "{told}");
    }
}
