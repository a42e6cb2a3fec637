//! What a figure of curves found, in one sentence: the third of its caption. Which curve ends lowest is seen, and whether it
//! does so by more than chance is for claims to say.

use super::choose::names;
use super::options::{CurvesOptions, Tell};
use super::words::exponent;
use crate::analysis::curve::MeanCurve;
use crate::chart::svg::plain;
use crate::number::significant;

/// Between which values the exponents of some curves lie, where the notes tell of exponents.
pub(super) fn sentence(options: &CurvesOptions, curves: &[MeanCurve]) -> Option<String> {
    if options.tell != Some(Tell::Exponents) {
        return None;
    }
    let all = names(curves);
    let mut found: Vec<(f64, &String)> =
        curves.iter().zip(&all).filter_map(|(curve, name)| Some((exponent(options, curve)?, name))).collect();
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
    use crate::analysis::curve::CurvePoint;
    use crate::analysis::summary::ReplicateTally;

    fn curve(label: &str, ends: &[(f64, f64)]) -> MeanCurve {
        let point = |&(x, y): &(f64, f64)| CurvePoint::new(x, vec![(0, y), (1, y)]);
        MeanCurve {
            experiment: "e".into(),
            stream: "s".into(),
            learner: "l".into(),
            label: label.into(),
            over: None,
            horizon: 10,
            tally: ReplicateTally::default(),
            points: ends.iter().filter_map(point).collect(),
        }
    }

    #[test]
    fn exponents_have_a_range() {
        let root = curve("a", &[(1.0, 1.0), (4.0, 2.0)]);
        let line = curve("b", &[(1.0, 1.0), (4.0, 4.0)]);
        let options = |more: &str| toml::from_str(&format!("show = 'regret'\nagainst = 'horizon'\n{more}")).unwrap();
        let told: CurvesOptions = options("tell = 'exponents'");
        let both = [line, root.clone()];
        assert_eq!(sentence(&told, &both).unwrap(), "Fitted exponents lie between 0.500 (a) and 1.00 (b).");
        assert_eq!(sentence(&told, std::slice::from_ref(&root)).unwrap(), "The fitted exponent is 0.500.");
        // Its points are means over the replicates that are left at each.
        let tally = ReplicateTally { done: 2, diverged: 1, ..ReplicateTally::default() };
        let broken = MeanCurve { tally, ..curve("c", &[(1.0, 1.0), (4.0, 9.0)]) };
        let both = [root, broken];
        assert_eq!(sentence(&told, &both).unwrap(), "The fitted exponent is 0.500.");
        let all = super::super::words::exponents(&told, &both).unwrap();
        assert!(all.ends_with("a 0.500; none where replicates diverged: c."), "{all}");
        assert_eq!(sentence(&options(""), &both), None);
    }
}
