//! Curves made of other curves: relative to a reference, the worst of several experiments, several labels joined to
//! one.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::analysis::curve::{CurvePoint, MeanCurve};
use crate::analysis::summary::ReplicateTally;

/// How a value is set against the reference's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RelativeBy {
    /// value / reference.
    Ratio,
    /// value - reference.
    Difference,
}

/// Sets every value against that of the label `reference` on the same stream, replicate by replicate, at the same
/// abscissa or, where each run has an abscissa of its `own`, at the reference's only point. The reference's own curves are
/// left out. A replicate without a partner at some abscissa ended as the reference's replicates did that have no result.
pub(crate) fn relative(curves: Vec<MeanCurve>, reference: &str, comparison: RelativeBy, own: bool) -> Vec<MeanCurve> {
    let (references, mut curves): (Vec<MeanCurve>, Vec<MeanCurve>) =
        curves.into_iter().partition(|curve| curve.label == reference);
    for curve in &mut curves {
        let of = references.iter().find(|other| other.is_beside(curve));
        let partners = of.map(|other| other.points.as_slice()).unwrap_or_default();
        let compared = |point: &CurvePoint| {
            let partner = partners.iter().find(|partner| partner.x == point.x || own && partners.len() == 1)?;
            point.beside(partner, |value, base| match comparison {
                RelativeBy::Ratio => value / base,
                RelativeBy::Difference => value - base,
            })
        };
        curve.points = curve.points.iter().filter_map(compared).collect();
        curve.over = Some(reference.to_owned());
        curve.tally = paired(curve, of.map_or_else(ReplicateTally::default, |other| other.tally));
    }
    curves
}

/// How the replicates of a curve ended that is set against another one, whose own ended like `reference`.
fn paired(curve: &MeanCurve, reference: ReplicateTally) -> ReplicateTally {
    let tally = curve.tally;
    let fewest = curve.points.iter().map(|point| point.values.len()).min().unwrap_or_default();
    let done = fewest.min(reference.done).min(tally.done);
    let mut lost = tally.done - done;
    let mut of = |ended: usize| {
        let count = ended.min(lost);
        lost -= count;
        count
    };
    let (diverged, failed) = (tally.diverged + of(reference.diverged), tally.failed + of(reference.failed));
    ReplicateTally { done, diverged, failed, missing: tally.missing + lost }
}

/// For each label, at each abscissa that it has in all experiments, the point with the largest mean among them and all of
/// their streams. A label that some experiment lacks has no points.
pub(crate) fn worst(curves: &[MeanCurve], experiments: usize) -> Vec<MeanCurve> {
    let mut found: Vec<MeanCurve> = Vec::new();
    for curve in curves {
        if found.iter().any(|other| other.label == curve.label) {
            continue;
        }
        let same: Vec<&MeanCurve> = curves.iter().filter(|other| other.label == curve.label).collect();
        let at = |x: f64| -> Option<CurvePoint> {
            let points: Option<Vec<&CurvePoint>> =
                same.iter().map(|other| other.points.iter().find(|point| point.x == x)).collect();
            points?.into_iter().max_by(|a, b| a.estimate.mean.total_cmp(&b.estimate.mean)).cloned()
        };
        let own: BTreeSet<&str> = same.iter().map(|other| &*other.experiment).collect();
        let points = if own.len() == experiments { curve.points.iter() } else { [].iter() };
        let points = points.filter_map(|point| at(point.x)).collect();
        // It is no curve of one experiment, or of one stream.
        found.push(MeanCurve { points, experiment: String::new(), stream: String::new(), ..curve.clone() });
    }
    found
}

/// One curve through the points of several, in the order of their abscissae; points without one are left out.
pub(crate) fn join(label: &str, parts: &[&MeanCurve]) -> Option<MeanCurve> {
    let first = *parts.first()?;
    let mut points: Vec<CurvePoint> = parts.iter().flat_map(|part| part.points.clone()).collect();
    points.retain(|point| !point.x.is_nan());
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let tally = parts.iter().fold(ReplicateTally::default(), |sum, part| ReplicateTally {
        done: sum.done + part.tally.done,
        diverged: sum.diverged + part.tally.diverged,
        failed: sum.failed + part.tally.failed,
        missing: sum.missing + part.tally.missing,
    });
    Some(MeanCurve { label: label.to_owned(), points, tally, ..first.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(experiment: &str, label: &str, points: &[(f64, &[f64])]) -> MeanCurve {
        let point =
            |(x, values): &(f64, &[f64])| CurvePoint::new(*x, (0..).zip(values.iter().copied()).collect()).unwrap();
        MeanCurve {
            experiment: experiment.into(),
            stream: "s".into(),
            learner: "l".into(),
            label: label.into(),
            over: None,
            horizon: 10,
            tally: ReplicateTally {
                done: points.first().map_or(0, |point| point.1.len()),
                ..ReplicateTally::default()
            },
            points: points.iter().map(point).collect(),
        }
    }

    fn means(curve: &MeanCurve) -> Vec<(f64, f64)> {
        curve.points.iter().map(|point| (point.x, point.estimate.mean)).collect()
    }

    #[test]
    fn values_are_set_against_the_same_replicate() {
        let curves = || {
            vec![
                curve("e", "a", &[(3.0, &[2.0, 9.0, 5.0])]),
                curve("e", "r", &[(1.0, &[1.0, 3.0])]),
                curve("other", "a", &[(3.0, &[2.0])]),
            ]
        };
        let ratios = relative(curves(), "r", RelativeBy::Ratio, true);
        assert_eq!(ratios[0].points[0].values, [(0, 2.0), (1, 3.0)]);
        assert_eq!((ratios[0].tally.done, ratios[0].tally.missing), (2, 1));
        // The other experiment has no reference.
        assert!(ratios.len() == 2 && ratios[1].points.is_empty() && ratios[1].tally.missing == 1);
        // Of horizons, 3 is not 1.
        assert!(relative(curves(), "r", RelativeBy::Ratio, false)[0].points.is_empty());
        assert_eq!(relative(curves(), "r", RelativeBy::Difference, true)[0].points[0].values, [(0, 1.0), (1, 6.0)]);
    }

    /// Where the reference diverged, what is relative to it is that of a choice of replicates, however many horizons have all.
    #[test]
    fn a_reference_that_diverged_is_told() {
        let own = curve("e", "a", &[(2.0, &[2.0, 2.0, 2.0]), (4.0, &[2.0, 2.0, 2.0])]);
        let of = |ends: &[(f64, &[f64])]| {
            let tally = ReplicateTally { done: 1, diverged: 2, ..ReplicateTally::default() };
            let reference = MeanCurve { tally, ..curve("e", "r", ends) };
            let found = relative(vec![own.clone(), reference], "r", RelativeBy::Ratio, false);
            assert_eq!(found[0].over.as_deref(), Some("r"));
            found[0].tally
        };
        let expected = ReplicateTally { done: 1, diverged: 2, ..ReplicateTally::default() };
        assert_eq!(of(&[(2.0, &[1.0, 1.0, 1.0]), (4.0, &[1.0])]), expected);
        // The curve and the reference lost other replicates.
        let lost = ReplicateTally { done: 2, diverged: 1, ..ReplicateTally::default() };
        let point = |at: f64, values: &[(u64, f64)]| CurvePoint::new(at, values.to_vec()).unwrap();
        let with = |label: &str, values: &[(u64, f64)]| MeanCurve {
            tally: lost,
            points: vec![point(4.0, values)],
            ..curve("e", label, &[])
        };
        let both = vec![with("a", &[(0, 2.0), (2, 2.0)]), with("r", &[(1, 1.0), (2, 1.0)])];
        let expected_of_both = ReplicateTally { done: 1, diverged: 2, ..ReplicateTally::default() };
        assert_eq!(relative(both, "r", RelativeBy::Ratio, false)[0].tally, expected_of_both);
        // None of its replicates reached the last horizon.
        let tally = ReplicateTally { diverged: 3, ..ReplicateTally::default() };
        let reference = MeanCurve { tally, ..curve("e", "r", &[(2.0, &[1.0, 1.0, 1.0])]) };
        assert_eq!(relative(vec![own, reference], "r", RelativeBy::Ratio, false)[0].tally, tally);
    }

    #[test]
    fn the_worst_is_taken_where_all_experiments_have_a_value() {
        let curves = [
            curve("e", "a", &[(1.0, &[1.0]), (2.0, &[5.0]), (4.0, &[9.0])]),
            curve("f", "a", &[(1.0, &[3.0]), (2.0, &[4.0])]),
            curve("e", "b", &[(1.0, &[1.0])]),
        ];
        let other = MeanCurve { stream: "z".into(), ..curve("f", "a", &[(1.0, &[7.0]), (2.0, &[1.0])]) };
        assert_eq!(means(&worst(&[&curves[..], &[other]].concat(), 2)[0]), [(1.0, 7.0), (2.0, 5.0)]);
        let found = worst(&curves, 2);
        assert_eq!(means(&found[0]), [(1.0, 3.0), (2.0, 5.0)]);
        assert!(found.len() == 2 && found[1].points.is_empty());
        assert!(found.iter().all(|curve| curve.experiment.is_empty()));
    }

    #[test]
    fn labels_are_joined_in_the_order_of_their_abscissae() {
        let parts = [curve("e", "a", &[(3.0, &[1.0])]), curve("e", "b", &[(2.0, &[2.0])]), curve("e", "c", &[])];
        let nowhere = curve("e", "d", &[(f64::NAN, &[7.0])]);
        let joined = join("g", &[&parts[0], &parts[1], &parts[2], &nowhere]).unwrap();
        assert_eq!((means(&joined), joined.tally.done), (vec![(2.0, 2.0), (3.0, 1.0)], 3));
        assert!(join("g", &[]).is_none());
    }
}
