//! What a figure of curves found, in one sentence: the third of its caption.

use super::choose::names;
use super::options::{Abscissa, CurvesOptions, Tell};
use super::parts::Show;
use super::words::{exponent, short};
use crate::analysis::curve::{CurvePoint, MeanCurve};
use crate::chart::svg::plain;
use crate::number::{plus_minus, significant};

/// The range of the exponents, where the notes tell of exponents; else which curve ends lowest, or in how many of several
/// worlds (streams and experiments) it does. None where there is nothing to compare.
///
/// `fitted` are the curves whose exponents count.
pub(super) fn sentence(options: &CurvesOptions, curves: &[MeanCurve], fitted: &[MeanCurve]) -> Option<String> {
    if options.tell == Some(Tell::Exponents) {
        return exponents(fitted);
    }
    // Different quantities, and the same one under several panels, do not compare.
    if matches!(options.show, Show::Several(_)) {
        return None;
    }
    let mut worlds: Vec<&MeanCurve> = Vec::new();
    for curve in curves {
        if !worlds.iter().any(|known| known.is_beside(curve)) {
            worlds.push(curve);
        }
    }
    let lowest: Vec<(&MeanCurve, &CurvePoint)> =
        worlds.iter().filter_map(|world| lowest(options, curves, world)).collect();
    match lowest.as_slice() {
        [] => None,
        [(curve, point)] => {
            let value = plus_minus(point.estimate.mean, point.estimate.half_width);
            let at = match &options.against {
                Abscissa::Round => "after round",
                Abscissa::Horizon | Abscissa::Label => "at horizon",
                Abscissa::Quantity(_) => "at",
            };
            // A level has no point, so it is not compared.
            let apart = if options.levels.is_empty() { "The" } else { "Apart from the level lines, the" };
            Some(format!("{apart} lowest mean is {value} ({}, {at} {}).", plain(&curve.label), short(point.x)))
        }
        // Who ends lowest is not known where a level may be lower.
        _ if !options.levels.is_empty() => None,
        several => {
            // Where each has one curve, nothing was compared.
            if curves.iter().all(|curve| curve.label == curves[0].label) {
                return None;
            }
            let times = |label: &str| several.iter().filter(|(curve, _)| curve.label == label).count();
            // Of equally many, the first in the order of the legend.
            let (best, _) = several.iter().rev().max_by_key(|(curve, _)| times(&curve.label))?;
            Some(format!("{} ends lowest in {} of {} settings.", plain(&best.label), times(&best.label), several.len()))
        }
    }
}

/// The curve of a world that ends lowest among those that go furthest, with its last point; against a quantity, the one
/// with the lowest point.
fn lowest<'a>(
    options: &CurvesOptions,
    curves: &'a [MeanCurve],
    world: &MeanCurve,
) -> Option<(&'a MeanCurve, &'a CurvePoint)> {
    let here: Vec<&MeanCurve> = curves.iter().filter(|curve| curve.is_beside(world)).collect();
    let along = matches!(options.against, Abscissa::Quantity(_));
    let furthest = here.iter().filter_map(|curve| curve.last()).map(|end| end.x).max_by(f64::total_cmp)?;
    let points = here.iter().flat_map(|curve| curve.points.iter().map(move |point| (*curve, point)));
    let kept = points.filter(|(_, point)| point.estimate.mean.is_finite() && (along || point.x == furthest));
    kept.min_by(|(_, a), (_, b)| a.estimate.mean.total_cmp(&b.estimate.mean))
}

/// Between which values the exponents of the curves lie.
fn exponents(curves: &[MeanCurve]) -> Option<String> {
    let all = names(curves);
    let mut found: Vec<(f64, &String)> =
        curves.iter().zip(&all).filter_map(|(curve, name)| Some((exponent(curve)?, name))).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let told = |(value, name): &(f64, &String)| format!("{} ({})", significant(*value, 3), plain(name));
    match found.as_slice() {
        [] => None,
        [one] => Some(format!("The fitted exponent is {}.", significant(one.0, 3))),
        [first, .., last] => Some(format!("Fitted exponents lie between {} and {}.", told(first), told(last))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::summary::ReplicateTally;

    fn curve(stream: &str, label: &str, ends: &[(f64, f64)]) -> MeanCurve {
        let point = |&(x, y): &(f64, f64)| CurvePoint::new(x, vec![(0, y), (1, y)]);
        MeanCurve {
            experiment: "e".into(),
            stream: stream.into(),
            learner: "l".into(),
            label: label.into(),
            horizon: 10,
            tally: ReplicateTally::default(),
            points: ends.iter().filter_map(point).collect(),
        }
    }

    fn options(more: &str) -> CurvesOptions {
        toml::from_str(&format!("show = 'regret'\n{more}")).unwrap()
    }

    #[test]
    fn one_world_has_its_lowest_curve() {
        let curves = [
            curve("s", "a", &[(1.0, 1.0), (8.0, 5.0)]),
            curve("s", "b", &[(8.0, 3.0)]),
            curve("s", "c", &[(4.0, 0.1)]),
        ];
        let found = sentence(&options("against = 'round'"), &curves, &[]).unwrap();
        assert_eq!(found, "The lowest mean is 3.0000 \u{b1} 0 (b, after round 8).");
        let found = sentence(&options("against = 'queries'\ngroups = ['a']"), &curves, &[]).unwrap();
        assert!(found.starts_with("The lowest mean is ") && found.ends_with("(c, at 4)."), "{found}");
        let found = sentence(&options("against = 'queries'\nlevels = ['a']"), &curves[1..], &[]).unwrap();
        assert!(found.starts_with("Apart from the level lines, the lowest mean is "), "{found}");
        assert_eq!(sentence(&options("against = 'round'"), &[], &[]), None);
    }

    #[test]
    fn of_several_worlds_it_is_counted() {
        let ends = |stream: &str, a: f64, b: f64| [curve(stream, "a", &[(8.0, a)]), curve(stream, "b", &[(8.0, b)])];
        let curves = [ends("one", 1.0, 2.0), ends("two", 2.0, 1.0), ends("three", 3.0, 1.0)].concat();
        assert_eq!(
            sentence(&options("against = 'horizon'"), &curves, &[]).unwrap(),
            "b ends lowest in 2 of 3 settings."
        );
        assert_eq!(sentence(&options("against = 'queries'\nlevels = ['c']"), &curves, &[]), None);
        let even = &curves[..4];
        assert_eq!(sentence(&options("against = 'horizon'"), even, &[]).unwrap(), "a ends lowest in 1 of 2 settings.");
    }

    #[test]
    fn exponents_have_a_range() {
        let root = curve("s", "a", &[(1.0, 1.0), (4.0, 2.0)]);
        let line = curve("s", "b", &[(1.0, 1.0), (4.0, 4.0)]);
        let told = options("against = 'horizon'\ntell = 'exponents'");
        assert_eq!(
            sentence(&told, &[], &[line, root.clone()]).unwrap(),
            "Fitted exponents lie between 0.500 (a) and 1.00 (b)."
        );
        assert_eq!(sentence(&told, &[], &[root]).unwrap(), "The fitted exponent is 0.500.");
    }
}
