//! Claims that a figure can decide: an order between two learners, or an exponent.

use std::fmt::{self, Display, Formatter};

use crate::analysis::curve::Curve;
use crate::analysis::slope::power_law;
use crate::analysis::summary::{LEVEL, estimate};

/// What the data say about a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The data agree, for this reason.
    Supported(String),
    /// The data disagree, for this reason.
    Contradicted(String),
    /// The data do not tell, for this reason.
    Undecided(String),
    /// The data are not there, for this reason.
    Untested(String),
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Supported(reason) => write!(f, "Supported here: {reason}"),
            Verdict::Contradicted(reason) => write!(f, "Contradicted here: {reason}"),
            Verdict::Undecided(reason) => write!(f, "Undecided here: {reason}"),
            Verdict::Untested(reason) => write!(f, "Not tested here: {reason}"),
        }
    }
}

/// Whether learner `lower` ends below learner `higher`: the best curve of each, compared replicate by replicate at
/// the last round that both reached (replicates of one number share their data). Decided when the [`LEVEL`] interval
/// of the mean difference leaves zero out.
pub fn order(curves: &[Curve], lower: &str, higher: &str) -> Verdict {
    let (best_low, best_high) = match (best(curves, lower), best(curves, higher)) {
        (Some(low), Some(high)) => (low, high),
        (low, _) => {
            let name = if low.is_none() { lower } else { higher };
            return Verdict::Untested(format!("no completed replicate of {name}"));
        }
    };
    let common = best_low
        .points
        .iter()
        .rev()
        .find_map(|point| Some((point, best_high.points.iter().find(|other| other.x == point.x)?)));
    let Some((low, high)) = common else {
        return Verdict::Untested(format!("{lower} and {higher} have no round in common"));
    };
    let differences: Vec<f64> = low
        .values
        .iter()
        .filter_map(|(replicate, value)| {
            let partner = high.values.iter().find(|(other, _)| other == replicate)?;
            Some(partner.1 - value)
        })
        .collect();
    let Some(found) = estimate(&differences) else {
        return Verdict::Untested(format!("{lower} and {higher} have no replicate in common"));
    };
    let Some(half_width) = found.half_width else {
        return Verdict::Undecided("a single replicate gives no interval".into());
    };
    let reason = format!(
        "{} minus {} is {:.3e} \u{b1} {half_width:.1e} at round {} ({} paired replicates, {:.0} % t interval).",
        best_high.label,
        best_low.label,
        found.mean,
        low.x,
        found.count,
        100.0 * LEVEL
    );
    if found.mean > half_width {
        Verdict::Supported(reason)
    } else if found.mean < -half_width {
        Verdict::Contradicted(reason)
    } else {
        Verdict::Undecided(reason)
    }
}

/// Whether a curve grows like x^`exponent` over its last `last` points, up to `tolerance` in the exponent.
/// A coarse look; the table of rates has the intervals.
pub fn exponent(curve: &Curve, exponent: f64, tolerance: f64, last: usize) -> Verdict {
    let points: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x as f64, point.estimate.mean)).collect();
    let tail = &points[points.len().saturating_sub(last)..];
    let Some(fit) = power_law(tail) else {
        return Verdict::Untested(format!("{} has no two horizons with positive regret", curve.label));
    };
    let reason = format!(
        "{} grows with exponent {:.3} over its last {} horizons, theory {exponent:.3}, tolerance \u{b1}{tolerance}.",
        curve.label,
        fit.slope,
        tail.len()
    );
    if (fit.slope - exponent).abs() <= tolerance { Verdict::Supported(reason) } else { Verdict::Contradicted(reason) }
}

/// The curve of a learner with the lowest last mean among those that got furthest.
fn best<'a>(curves: &'a [Curve], learner: &str) -> Option<&'a Curve> {
    let of_learner = curves.iter().filter(|curve| curve.learner == learner);
    let ended = of_learner.filter_map(|curve| Some((curve, curve.last()?)));
    ended
        .min_by(|(_, a), (_, b)| b.x.cmp(&a.x).then(a.estimate.mean.total_cmp(&b.estimate.mean)))
        .map(|(curve, _)| curve)
}

#[cfg(test)]
mod tests {
    use super::{Verdict, exponent, order};
    use crate::analysis::curve::{Curve, Point};
    use crate::analysis::summary::{Tally, estimate};

    fn curve(learner: &str, points: &[(u64, &[f64])]) -> Curve {
        let points = points.iter().map(|(x, values)| Point {
            x: *x,
            values: values.iter().enumerate().map(|(replicate, value)| (replicate as u64, *value)).collect(),
            estimate: estimate(values).unwrap(),
        });
        Curve {
            experiment: "e".into(),
            stream: "s".into(),
            learner: learner.into(),
            label: learner.to_uppercase(),
            horizon: 100,
            tally: Tally::default(),
            points: points.collect(),
        }
    }

    /// The spread between replicates is larger than the difference, but every pair agrees.
    #[test]
    fn an_order_is_decided_by_pairs() {
        let low = curve("a", &[(100, &[1.0, 2.0, 3.0])]);
        let high = curve("b", &[(100, &[1.1, 2.11, 3.09])]);
        let curves = [low, high];
        assert!(matches!(order(&curves, "a", "b"), Verdict::Supported(_)));
        assert!(matches!(order(&curves, "b", "a"), Verdict::Contradicted(_)));
        assert!(matches!(order(&curves, "a", "c"), Verdict::Untested(_)));
    }

    #[test]
    fn overlapping_values_leave_it_open() {
        let curves = [curve("a", &[(100, &[1.0, 2.0, 3.0])]), curve("b", &[(100, &[2.0, 1.0, 3.2])])];
        assert!(matches!(order(&curves, "a", "b"), Verdict::Undecided(_)));
        let single = [curve("a", &[(100, &[1.0])]), curve("b", &[(100, &[2.0])])];
        assert!(matches!(order(&single, "a", "b"), Verdict::Undecided(_)));
    }

    #[test]
    fn learners_are_compared_at_their_last_common_round() {
        let long = curve("a", &[(10, &[5.0, 5.1, 5.2]), (100, &[1.0, 1.0, 1.0])]);
        let short = curve("b", &[(10, &[2.0, 2.1, 2.2])]);
        assert!(matches!(order(&[long, short], "a", "b"), Verdict::Contradicted(_)));
    }

    #[test]
    fn exponents_within_tolerance() {
        let growing = curve("a", &[(1, &[9.0]), (64, &[4.0]), (512, &[8.0])]);
        assert!(matches!(exponent(&growing, 1.0 / 3.0, 0.05, 2), Verdict::Supported(_)));
        assert!(matches!(exponent(&growing, 0.5, 0.05, 2), Verdict::Contradicted(_)));
        let negative = curve("a", &[(64, &[-4.0]), (512, &[8.0])]);
        assert!(matches!(exponent(&negative, 0.5, 0.05, 2), Verdict::Untested(_)));
    }
}
