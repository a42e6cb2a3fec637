//! Claims that a figure can decide: an order between two learners, that they agree, or an exponent.

use crate::analysis::curve::Curve;
use crate::analysis::slope::power_law;
use crate::analysis::summary::{Estimate, estimate_among};

/// Relative differences up to this are rounding: results repeat to it across processors.
const ROUNDING: f64 = 1e-9;

/// Whether the data agree with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// They agree.
    Supported,
    /// They disagree.
    Contradicted,
    /// They do not decide.
    Undecided,
    /// There are no data.
    Untested,
}

/// What the data say about a claim, and the evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Whether they agree.
    pub agreement: Agreement,
    /// The numbers behind it.
    pub evidence: Evidence,
}

/// What decides a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The mean over paired replicates of one curve's value minus another's.
    Difference {
        /// Label of the curve that is claimed to be lower.
        lower: String,
        /// Label of the other.
        higher: String,
        /// The round at which they are compared.
        round: u64,
        /// Value of `higher` minus value of `lower`; the interval is corrected for the choice.
        estimate: Estimate,
        /// The number of pairs that the choice was among.
        among: usize,
    },
    /// The largest distance between the values of two curves, over paired replicates.
    Distance {
        /// Labels of the curves.
        labels: [String; 2],
        /// The round at which they are compared.
        round: u64,
        /// The distance.
        largest: f64,
        /// The number of pairs.
        pairs: usize,
    },
    /// A fitted exponent.
    Exponent {
        /// Label of the curve.
        label: String,
        /// The fitted exponent.
        fitted: f64,
        /// The number of points it was fitted to.
        points: usize,
    },
    /// The largest of several fitted exponents.
    Largest {
        /// Label of the curve that has it.
        label: String,
        /// The fitted exponent.
        fitted: f64,
        /// The number of points it was fitted to.
        points: usize,
        /// The number of curves.
        curves: usize,
    },
    /// The highest last mean of several curves.
    Most {
        /// Label of the curve that ends highest.
        label: String,
        /// Its last mean.
        most: Estimate,
    },
    /// The lowest last mean of several curves, and the curves that end below a bound.
    Least {
        /// Label of the curve that ends lowest.
        label: String,
        /// Its last mean.
        least: f64,
        /// Labels of the curves that the claim contradicts.
        below: Vec<String>,
    },
    /// Why there is nothing to decide by.
    Nothing(String),
}

impl Decision {
    fn untested(reason: String) -> Self {
        Self { agreement: Agreement::Untested, evidence: Evidence::Nothing(reason) }
    }
}

/// The curves of a label (with its stream, after a comma, where that matters) or, where no curve has it, of a
/// registered learner.
pub fn named<'a>(curves: &'a [Curve], name: &str) -> Vec<&'a Curve> {
    let is = |curve: &&Curve| curve.label == name || format!("{}, {}", curve.label, curve.stream) == name;
    let labelled: Vec<&Curve> = curves.iter().filter(is).collect();
    if labelled.is_empty() { curves.iter().filter(|curve| curve.learner == name).collect() } else { labelled }
}

/// Two curves side by side.
struct Pair<'a> {
    curves: [&'a Curve; 2],
    /// The last round that both reached, and the mean of the first there.
    round: u64,
    mean: f64,
    /// For each replicate that both have, the value of the second minus that of the first; at least one. Replicates
    /// with the same number share their data.
    differences: Vec<f64>,
}

/// The curves of some names, labels or learners, that got furthest; at least one.
fn family<'a>(curves: &'a [Curve], names: &[String]) -> Result<Vec<&'a Curve>, Decision> {
    let found = names.iter().flat_map(|name| named(curves, name));
    let mut ended: Vec<_> = found.filter_map(|curve| Some((curve, curve.last()?.x))).collect();
    let furthest = ended.iter().map(|(_, x)| *x).fold(f64::NEG_INFINITY, f64::max);
    ended.retain(|(_, x)| *x == furthest);
    if ended.is_empty() {
        return Err(nobody(names));
    }
    Ok(ended.into_iter().map(|(curve, _)| curve).collect())
}

fn nobody(names: &[String]) -> Decision {
    Decision::untested(format!("no completed replicate of {}", names.join(", ")))
}

/// The curve with the lowest last mean.
fn best<'a>(family: &[&'a Curve]) -> Option<&'a Curve> {
    let ended = family.iter().filter_map(|curve| Some((*curve, curve.last()?.estimate.mean)));
    ended.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(curve, _)| curve)
}

fn pair<'a>(one: &'a Curve, other: &'a Curve) -> Result<Pair<'a>, Decision> {
    let (first, second) = (&one.label, &other.label);
    let common = one
        .points
        .iter()
        .rev()
        .find_map(|point| Some((point, other.points.iter().find(|partner| partner.x == point.x)?)));
    let Some((a, b)) = common else {
        return Err(Decision::untested(format!("{first} and {second} have no round in common")));
    };
    let differences = a.values.iter().filter_map(|(replicate, value)| {
        let partner = b.values.iter().find(|(partner, _)| partner == replicate)?;
        Some(partner.1 - value)
    });
    let differences: Vec<f64> = differences.collect();
    if differences.is_empty() {
        return Err(Decision::untested(format!("{first} and {second} have no replicate in common")));
    }
    Ok(Pair { curves: [one, other], round: a.x as u64, mean: a.estimate.mean, differences })
}

/// Whether `lower` ends below `higher`, compared replicate by replicate at the last round that both reached. Each is a
/// list of labels or learners, which stands for the best curve among them. Since the best one is found in the same
/// data, the intervals of all pairs hold together: the claim is supported if the best curve of `lower` lies below
/// every curve of `higher`, and contradicted if the best curve of `higher` lies below every curve of `lower`.
pub fn order(curves: &[Curve], lower: &[String], higher: &[String]) -> Decision {
    ordered(curves, lower, higher).unwrap_or_else(|untested| untested)
}

fn ordered(curves: &[Curve], lower: &[String], higher: &[String]) -> Result<Decision, Decision> {
    let (lows, highs) = (family(curves, lower)?, family(curves, higher)?);
    let among = lows.len() * highs.len();
    let (Some(low), Some(high)) = (best(&lows), best(&highs)) else {
        return Err(nobody(lower));
    };
    // How far the interval of a difference stays away from zero on one side, with the evidence; the least over pairs.
    let least = |pairs: Vec<(&Curve, &Curve)>, sign: f64| -> Result<(f64, Evidence), Decision> {
        let mut weakest: Option<(f64, Evidence)> = None;
        for (low, high) in pairs {
            let Pair { curves, round, mean, differences } = pair(low, high)?;
            let Some(estimate) = estimate_among(&differences, among) else {
                let (low, high) = (&low.label, &high.label);
                return Err(Decision::untested(format!("a difference between {low} and {high} is not finite")));
            };
            let margin = estimate.half_width.map_or(f64::INFINITY, |half_width| half_width.max(ROUNDING * mean.abs()));
            let clear = sign * estimate.mean - margin;
            if weakest.as_ref().is_none_or(|(least, _)| clear < *least) {
                let same = curves[0].label == curves[1].label;
                let [lower, higher] = curves.map(|curve| match same {
                    true => format!("{}, {}", curve.label, curve.stream),
                    false => curve.label.clone(),
                });
                weakest = Some((clear, Evidence::Difference { lower, higher, round, estimate, among }));
            }
        }
        weakest.ok_or_else(|| nobody(lower))
    };
    let (below, evidence) = least(highs.iter().map(|high| (low, *high)).collect(), 1.0)?;
    if below > 0.0 {
        return Ok(Decision { agreement: Agreement::Supported, evidence });
    }
    let (above, against) = least(lows.iter().map(|low| (*low, high)).collect(), -1.0)?;
    Ok(match above > 0.0 {
        true => Decision { agreement: Agreement::Contradicted, evidence: against },
        false => Decision { agreement: Agreement::Undecided, evidence },
    })
}

/// Whether the values of two curves, each a label or a learner, are within `tolerance` of each other in every
/// replicate, at the last round that both reached.
pub fn close(curves: &[Curve], one: &str, other: &str, tolerance: f64) -> Decision {
    let found = |name: &str| {
        let name = [name.to_owned()];
        family(curves, &name).and_then(|all| best(&all).ok_or_else(|| nobody(&name)))
    };
    let paired = found(one).and_then(|one| pair(one, found(other)?));
    let Pair { curves, round, differences, .. } = match paired {
        Ok(pair) => pair,
        Err(untested) => return untested,
    };
    let largest = differences.iter().fold(0.0, |largest: f64, difference| largest.max(difference.abs()));
    let agreement = if largest <= tolerance { Agreement::Supported } else { Agreement::Contradicted };
    let labels = curves.map(|curve| curve.label.clone());
    Decision { agreement, evidence: Evidence::Distance { labels, round, largest, pairs: differences.len() } }
}

/// The exponent of a curve over its last `last` points, and how many there are.
fn fitted(curve: &Curve, last: usize) -> Option<(f64, usize)> {
    let points: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x, point.estimate.mean)).collect();
    let tail = &points[points.len().saturating_sub(last)..];
    Some((power_law(tail)?.slope, tail.len()))
}

/// Whether a curve grows like x^`exponent` over its last `last` points, up to `tolerance` in the exponent. A coarse
/// check; the table of rates has the intervals.
pub fn exponent(curve: &Curve, exponent: f64, tolerance: f64, last: usize) -> Decision {
    let Some((slope, points)) = fitted(curve, last) else {
        return Decision::untested(format!("{} has fewer than two points, or one that is not positive", curve.label));
    };
    Decision {
        agreement: if (slope - exponent).abs() <= tolerance { Agreement::Supported } else { Agreement::Contradicted },
        evidence: Evidence::Exponent { label: curve.label.clone(), fitted: slope, points },
    }
}

/// Whether all of these curves grow no faster than x^`exponent` over their last `last` points, up to `tolerance` in the
/// exponent.
pub fn at_most(curves: &[&Curve], exponent: f64, tolerance: f64, last: usize) -> Decision {
    let mut fits: Vec<_> = curves.iter().filter_map(|curve| Some((curve, fitted(curve, last)?))).collect();
    fits.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let Some(&(curve, (fitted, points))) = fits.last() else {
        return Decision::untested("every curve has fewer than two points, or one that is not positive".into());
    };
    Decision {
        agreement: if fitted <= exponent + tolerance { Agreement::Supported } else { Agreement::Contradicted },
        evidence: match fits.len() {
            1 => Evidence::Exponent { label: curve.label.clone(), fitted, points },
            curves => Evidence::Largest { label: format!("{}, {}", curve.label, curve.stream), fitted, points, curves },
        },
    }
}

/// Whether all of these curves end at `bound` or below: their intervals do. Contradicted by an interval above it.
pub fn ends_below(curves: &[&Curve], bound: f64) -> Decision {
    let ends = || curves.iter().filter_map(|curve| Some((*curve, curve.last()?.estimate)));
    let Some((highest, most)) = ends().max_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean)) else {
        return Decision::untested("no curve has a completed replicate".into());
    };
    let wide = |end: &Estimate| end.half_width.unwrap_or(f64::INFINITY);
    let agreement = if ends().all(|(_, end)| end.mean + wide(&end) <= bound) {
        Agreement::Supported
    } else if ends().any(|(_, end)| end.mean - wide(&end) > bound) {
        Agreement::Contradicted
    } else {
        Agreement::Undecided
    };
    Decision { agreement, evidence: Evidence::Most { label: highest.label.clone(), most } }
}

/// Whether all of these curves end at `bound` or above: their intervals do. Contradicted by an interval below it.
pub fn at_least(curves: &[&Curve], bound: f64) -> Decision {
    let ends = || curves.iter().filter_map(|curve| Some((*curve, curve.last()?.estimate)));
    let Some((lowest, end)) = ends().min_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean)) else {
        return Decision::untested("no curve has a completed replicate".into());
    };
    let wide = |end: &Estimate| end.half_width.unwrap_or(f64::INFINITY);
    let below = ends().filter(|(_, end)| end.mean + wide(end) < bound);
    let below: Vec<String> = below.map(|(curve, _)| curve.label.clone()).collect();
    let agreement = if !below.is_empty() {
        Agreement::Contradicted
    } else if ends().all(|(_, end)| end.mean - wide(&end) >= bound) {
        Agreement::Supported
    } else {
        Agreement::Undecided
    };
    Decision { agreement, evidence: Evidence::Least { label: lowest.label.clone(), least: end.mean, below } }
}

#[cfg(test)]
mod tests {
    use super::{Agreement, Decision, Evidence, at_least, at_most, close, ends_below, exponent};
    use crate::analysis::curve::{Curve, Point};
    use crate::analysis::summary::{Tally, estimate};

    fn order(curves: &[Curve], lower: &str, higher: &str) -> Decision {
        super::order(curves, &[lower.into()], &[higher.into()])
    }

    fn curve(learner: &str, points: &[(u32, &[f64])]) -> Curve {
        let points = points.iter().map(|(x, values)| Point {
            x: f64::from(*x),
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
        assert_eq!(order(&curves, "a", "b").agreement, Agreement::Supported);
        assert_eq!(order(&curves, "b", "a").agreement, Agreement::Contradicted);
        assert_eq!(order(&curves, "a", "c").agreement, Agreement::Untested);
    }

    /// A learner that was run in two ways: a label tells which is meant, the learner's name means the better one.
    #[test]
    fn labels_come_before_learners() {
        let run = |label: &str, value: f64| {
            let values = [value, value + 0.1];
            Curve { label: label.into(), ..curve("ogd", &[(100, &values)]) }
        };
        let curves = [run("noise-free", 1.0), curve("a", &[(100, &[2.0, 2.1])]), run("naive", 3.0)];
        assert_eq!(order(&curves, "a", "ogd").agreement, Agreement::Contradicted);
        assert_eq!(order(&curves, "a", "naive").agreement, Agreement::Supported);
        assert_eq!(order(&curves, "noise-free, s", "A").agreement, Agreement::Supported);
    }

    /// Three curves of one learner that differ by noise alone: the lowest of them is below a fourth of the same law when
    /// it is taken for the only one, and not when the choice counts. The learner that is claimed to be higher must be
    /// beaten by all means, not only in its lowest curve.
    #[test]
    fn the_best_of_many_is_held_to_more() {
        let run = |label: &str, learner: &str, values: &[f64]| Curve {
            label: label.into(),
            ..curve(learner, &[(9, values)])
        };
        let mut curves = vec![run("best", "a", &[0.90, 0.96, 0.92, 1.0]), run("other", "b", &[1.0, 1.0, 1.0, 1.02])];
        assert_eq!(order(&curves, "a", "b").agreement, Agreement::Supported);
        curves.extend(["x", "y", "z"].map(|label| run(label, "a", &[1.01, 0.97, 1.0, 1.02])));
        let decided = order(&curves, "a", "b");
        assert_eq!(decided.agreement, Agreement::Undecided);
        assert!(matches!(decided.evidence, Evidence::Difference { among: 4, .. }), "{decided:?}");
        let named = super::order(&curves, &["best".into(), "x".into()], &["other".into()]);
        assert!(matches!(named.evidence, Evidence::Difference { among: 2, .. }), "{named:?}");
        // A curve that did not get as far does not take part in the choice.
        curves.retain(|curve| curve.label.len() > 1);
        curves.push(Curve { label: "short".into(), ..curve("a", &[(3, &[0.1, 0.1, 0.1, 0.1])]) });
        assert_eq!(order(&curves, "a", "b").agreement, Agreement::Supported);
        let clear =
            [run("clear", "a", &[0.5, 0.5, 0.5, 0.51]), curves[1].clone(), run("wild", "b", &[0.2, 3.0, 0.3, 2.9])];
        assert_eq!(order(&clear[..2], "a", "b").agreement, Agreement::Supported);
        assert_eq!(order(&clear, "a", "b").agreement, Agreement::Undecided, "`wild` may be below");
    }

    #[test]
    fn overlapping_values_leave_it_open() {
        let curves = [curve("a", &[(100, &[1.0, 2.0, 3.0])]), curve("b", &[(100, &[2.0, 1.0, 3.2])])];
        assert_eq!(order(&curves, "a", "b").agreement, Agreement::Undecided);
        let single = [curve("a", &[(100, &[1.0])]), curve("b", &[(100, &[2.0])])];
        assert_eq!(order(&single, "a", "b").agreement, Agreement::Undecided);
    }

    #[test]
    fn rounding_decides_nothing() {
        let curves = [curve("a", &[(100, &[1.0, 1.0])]), curve("b", &[(100, &[1.0 + 1e-12, 1.0 + 1e-12])])];
        assert_eq!(order(&curves, "a", "b").agreement, Agreement::Undecided);
    }

    #[test]
    fn learners_are_compared_at_their_last_common_round() {
        let long = curve("a", &[(10, &[5.0, 5.1, 5.2]), (100, &[1.0, 1.0, 1.0])]);
        let short = curve("b", &[(10, &[2.0, 2.1, 2.2])]);
        assert_eq!(order(&[long, short], "a", "b").agreement, Agreement::Contradicted);
    }

    /// Every pair must be close, not their mean, and only the last common round counts.
    #[test]
    fn curves_are_close_in_every_replicate() {
        let curves = [
            curve("a", &[(10, &[1.0, 2.0]), (100, &[9.0, 9.0])]),
            curve("b", &[(1, &[8.0, 8.0]), (10, &[1.25, 1.75])]),
        ];
        let verdict = close(&curves, "a", "b", 0.25);
        assert_eq!(verdict.agreement, Agreement::Supported);
        let labels = ["A".to_owned(), "B".to_owned()];
        assert_eq!(verdict.evidence, Evidence::Distance { labels, round: 10, largest: 0.25, pairs: 2 });
        assert_eq!(close(&curves, "b", "a", 0.2).agreement, Agreement::Contradicted);
        assert_eq!(close(&curves, "a", "c", 1.0).agreement, Agreement::Untested);
    }

    #[test]
    fn exponents_within_tolerance() {
        let growing = curve("a", &[(1, &[9.0]), (64, &[4.0]), (512, &[8.0])]);
        assert_eq!(exponent(&growing, 1.0 / 3.0, 0.05, 2).agreement, Agreement::Supported);
        assert_eq!(exponent(&growing, 0.5, 0.05, 2).agreement, Agreement::Contradicted);
        // Slower than a bound is no contradiction of the bound; faster is.
        assert_eq!(at_most(&[&growing], 0.5, 0.05, 2).agreement, Agreement::Supported);
        assert_eq!(at_most(&[&growing], 0.2, 0.05, 2).agreement, Agreement::Contradicted);
        let negative = curve("a", &[(64, &[-4.0]), (512, &[8.0])]);
        let flat = curve("b", &[(64, &[4.0]), (512, &[4.0])]);
        let largest = at_most(&[&growing, &flat, &negative], 0.3, 0.05, 2);
        assert_eq!(largest.agreement, Agreement::Supported);
        let Evidence::Largest { label, fitted, points: 2, curves: 2 } = largest.evidence else { panic!("{largest:?}") };
        assert!(label == "A, s" && (fitted - 1.0 / 3.0).abs() < 1e-12, "{label} {fitted}");
        assert_eq!(at_most(&[&growing, &flat], 0.0, 0.05, 2).agreement, Agreement::Contradicted);
        assert_eq!(at_most(&[&negative], 0.0, 0.05, 2).agreement, Agreement::Untested);
        assert_eq!(exponent(&negative, 0.5, 0.05, 2).agreement, Agreement::Untested);
    }

    #[test]
    fn curves_end_at_a_bound_or_below() {
        let (low, high) = (curve("a", &[(9, &[1.0, 1.02, 1.01])]), curve("b", &[(9, &[1.1, 1.3, 1.2])]));
        assert_eq!(ends_below(&[&low], 1.1).agreement, Agreement::Supported);
        assert_eq!(ends_below(&[&low], 1.011).agreement, Agreement::Undecided);
        let both = ends_below(&[&high, &low], 0.9);
        assert!(matches!(&both.evidence, Evidence::Most { label, .. } if label == "B"), "{both:?}");
        assert_eq!(both.agreement, Agreement::Contradicted);
        assert_eq!(ends_below(&[&low, &high], 1.1).agreement, Agreement::Undecided);
        assert_eq!(ends_below(&[&curve("c", &[(9, &[1.0])])], 2.0).agreement, Agreement::Undecided, "no interval");
        assert_eq!(ends_below(&[], 2.0).agreement, Agreement::Untested);
    }

    #[test]
    fn curves_end_at_a_bound_or_above() {
        let (high, low) = (curve("a", &[(10, &[0.1]), (100, &[0.5, 0.51])]), curve("b", &[(100, &[0.2, 0.2])]));
        let found = at_least(&[&high, &low], 0.3);
        assert_eq!(found.agreement, Agreement::Contradicted);
        assert_eq!(found.evidence, Evidence::Least { label: "B".into(), least: 0.2, below: vec!["B".into()] });
        assert_eq!(at_least(&[&high], 0.3).agreement, Agreement::Supported);
        // 0.2 and 0.3 have an interval that holds the bound; a single value has none.
        let (wide, single) = (curve("c", &[(100, &[0.2, 0.3])]), curve("d", &[(100, &[0.5])]));
        assert_eq!(at_least(&[&high, &wide], 0.3).agreement, Agreement::Undecided);
        assert_eq!(at_least(&[&single], 0.3).agreement, Agreement::Undecided);
        assert_eq!(at_least(&[], 0.3).agreement, Agreement::Untested);
    }
}
