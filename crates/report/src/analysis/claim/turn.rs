//! Whether the order of two curves turns, and where.

use super::{Agreement, ClaimDecision, Evidence, named_best, told};
use crate::analysis::curve::MeanCurve;
use crate::analysis::summary::{MeanEstimate, estimate_among};

/// Whether `higher` lies below `lower` at some round, and above it at a later one and all that follow, replicate by
/// replicate, at the rounds that both have; the intervals of all of them hold together. Contradicted where `higher` ends
/// below, or where `lower` lies below throughout.
pub(crate) fn turns(curves: &[MeanCurve], lower: &str, higher: &str) -> ClaimDecision {
    turn(curves, lower, higher).unwrap_or_else(ClaimDecision::untested)
}

fn turn(curves: &[MeanCurve], lower: &str, higher: &str) -> Result<ClaimDecision, String> {
    let (low, high) = (named_best(curves, lower)?, named_best(curves, higher)?);
    let differences = differences(low, high);
    let among = differences.len();
    let estimates: Option<Vec<(f64, MeanEstimate)>> =
        differences.iter().map(|(round, values)| Some((*round, estimate_among(values, among)?))).collect();
    let unpaired = || format!("{} and {} have no replicate in common at some round", low.label, high.label);
    let estimates = estimates.ok_or_else(unpaired)?;
    let Some(last) = estimates.last().copied() else { return Err(unpaired()) };
    let above = |(_, estimate): &(f64, MeanEstimate)| estimate.half_width.is_some_and(|half| estimate.mean > half);
    let below = |(_, estimate): &(f64, MeanEstimate)| estimate.half_width.is_some_and(|half| -estimate.mean > half);
    let from = estimates.iter().rposition(|one| !above(one)).map_or(0, |before| before + 1);
    let until = estimates.iter().rfind(|one| below(one)).copied();
    let agreement = match (estimates.get(from), until) {
        (Some(_), Some(_)) => Agreement::Supported,
        (Some(_), None) if from == 0 => Agreement::Contradicted,
        (None, _) if below(&last) => Agreement::Contradicted,
        _ => Agreement::Undecided,
    };
    let from = estimates.get(from).copied().unwrap_or(last);
    let (lower, higher) = (told(curves, low), told(curves, high));
    Ok(ClaimDecision { agreement, evidence: Evidence::Turn { lower, higher, until, from, among } })
}

/// The rounds that both curves have, each with the paired differences `high` - `low`.
fn differences(low: &MeanCurve, high: &MeanCurve) -> Vec<(f64, Vec<f64>)> {
    let shared = low.points.iter().filter_map(|a| Some((a, high.points.iter().find(|b| b.x == a.x)?)));
    let between = |a: f64, b: f64| b - a;
    shared.map(|(a, b)| (a.x, a.beside(b, between).map_or_else(Vec::new, |point| point.distinct()))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::curve;
    use super::*;

    /// Two curves over rounds 1, 2, 3 whose paired differences scatter by 0.1 around these means.
    fn decided(means: [f64; 3]) -> ClaimDecision {
        let values = |mean: f64| [mean + 5.0, mean + 5.1, mean + 4.9, mean + 5.0];
        let [a, b, c] = means.map(values);
        let high = curve("high", &[(1, &a), (2, &b), (3, &c)]);
        let flat: &[f64] = &[5.0; 4];
        turns(&[high, curve("low", &[(1, flat), (2, flat), (3, flat)])], "low", "high")
    }

    #[test]
    fn an_order_turns_once_and_for_good() {
        let found = decided([-1.0, 0.01, 2.0]);
        assert_eq!(found.agreement, Agreement::Supported);
        let Evidence::Turn { until: Some((first, before)), from: (last, after), among: 3, .. } = found.evidence else {
            panic!("{:?}", found.evidence)
        };
        assert_eq!((first, last), (1.0, 3.0));
        assert!((before.mean + 1.0).abs() < 1e-12 && (after.mean - 2.0).abs() < 1e-12);
        for (means, agreement) in [
            ([-1.0, -0.5, -0.4], Agreement::Contradicted),
            ([1.0, 2.0, 3.0], Agreement::Contradicted),
            ([1.0, 2.0, -3.0], Agreement::Contradicted),
            ([-1.0, 2.0, 0.01], Agreement::Undecided),
            ([0.01, 2.0, 3.0], Agreement::Undecided),
            ([0.01, 0.01, 0.01], Agreement::Undecided),
        ] {
            assert_eq!(decided(means).agreement, agreement, "{means:?}");
        }
        assert_eq!(turns(&[], "low", "high").agreement, Agreement::Untested);
    }

    /// A difference that one interval tells from 0, and three that hold together do not.
    #[test]
    fn intervals_of_all_rounds_hold_together() {
        let margin = |among: usize| estimate_among(&[0.0, 0.1, -0.1, 0.0], among).unwrap().half_width.unwrap();
        let (alone, together) = (margin(1), margin(3));
        assert!(together > 1.2 * alone);
        let between = 0.5 * (alone + together);
        assert_eq!(decided([-1.0, 0.0, between]).agreement, Agreement::Undecided);
        assert_eq!(decided([-1.0, 0.0, 1.01 * together]).agreement, Agreement::Supported);
    }
}
