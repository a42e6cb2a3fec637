//! Claims that a figure can decide: an order between two learners, that they agree, or a bound on where they end. Each
//! has a rule with an interval; without one nothing is supported or contradicted. Exponents over horizons are decided by
//! rows of rates.

pub(crate) mod exponent;

pub(crate) mod turn;

use crate::analysis::curve::{CurvePoint, MeanCurve};
use crate::analysis::summary::{MeanEstimate, estimate_among};

/// Relative differences up to this are rounding: results repeat to it across processors.
const ROUNDING: f64 = 1e-9;

/// Whether the data agree with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
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
pub(crate) struct ClaimDecision {
    /// Whether they agree.
    pub(crate) agreement: Agreement,
    /// The numbers behind it.
    pub(crate) evidence: Evidence,
}

/// What decides a claim.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Evidence {
    /// The mean over paired replicates of one curve's value minus another's.
    Difference {
        /// Label of the curve that is claimed to be lower.
        lower: String,
        /// Label of the other.
        higher: String,
        /// The round, or the abscissa, at which they are compared.
        round: f64,
        /// Value of `higher` minus value of `lower`; the interval is corrected for the choice.
        estimate: MeanEstimate,
        /// The number of pairs that the choice was among.
        among: usize,
    },
    /// What one curve has over another in two quantities, over paired replicates.
    Both {
        /// Label of the curve that is claimed to be lower in both; of several, the one that comes closest to it.
        lower: String,
        /// Label of the other.
        higher: String,
        /// The round, or the abscissa, at which they are compared.
        round: f64,
        /// Values of `higher` minus values of `lower`; the intervals are corrected for the choice.
        estimates: [MeanEstimate; 2],
        /// The number of intervals that hold together.
        among: usize,
    },
    /// The mean over paired replicates of the difference of two curves that are claimed to agree.
    Distance {
        /// Labels of the curves.
        labels: [String; 2],
        /// The round, or the abscissa, at which they are compared.
        round: f64,
        /// Value of the second minus value of the first.
        estimate: MeanEstimate,
    },
    /// Where the order of two curves turns, over paired replicates. The intervals of all rounds hold together.
    Turn {
        /// Label of the curve that is claimed to be lower in the end.
        lower: String,
        /// Label of the other.
        higher: String,
        /// The last round, or abscissa, at which `higher` is clearly the lower one, and value of `higher` minus value of `lower` there.
        until: Option<(f64, MeanEstimate)>,
        /// The round from which on `lower` is clearly the lower one, and the difference there; without one, the last round.
        from: (f64, MeanEstimate),
        /// The number of rounds compared.
        among: usize,
    },
    /// The last mean of the curve, of several, that lies furthest on the wrong side of a bound.
    End {
        /// Label of the curve.
        label: String,
        /// Its last mean; the intervals of all curves hold together.
        end: MeanEstimate,
        /// The number of curves.
        among: usize,
        /// Labels of the curves that the claim contradicts.
        beyond: Vec<String>,
    },
    /// The exponent of a curve along the axis of the figure.
    Exponent {
        /// Label of the curve.
        label: String,
        /// Label of the curve that it is divided by, where there is one.
        over: Option<String>,
        /// The abscissae.
        abscissae: Vec<f64>,
        /// The exponent, with its jackknife interval.
        estimate: MeanEstimate,
    },
    /// Why there is nothing to decide by.
    Nothing(String),
}

impl ClaimDecision {
    fn untested(reason: String) -> Self {
        Self { agreement: Agreement::Untested, evidence: Evidence::Nothing(reason) }
    }
}

/// The curves of a label (with its stream, after a comma, where that matters) or, where no curve has it, of a
/// registered learner.
pub(crate) fn named<'a>(curves: &'a [MeanCurve], name: &str) -> Vec<&'a MeanCurve> {
    let is = |curve: &&MeanCurve| curve.label == name || format!("{}, {}", curve.label, curve.stream) == name;
    let labelled: Vec<&MeanCurve> = curves.iter().filter(is).collect();
    if labelled.is_empty() { curves.iter().filter(|curve| curve.learner == name).collect() } else { labelled }
}

/// The curves that a name stands for, which are on one stream.
///
/// # Errors
/// They are on several streams, or some replicate of one has diverged: a mean over the others would be that of a choice.
fn meant<'a>(curves: &'a [MeanCurve], name: &str) -> Result<Vec<&'a MeanCurve>, String> {
    let found = named(curves, name);
    if let Some(other) = found.iter().find(|curve| !curve.is_beside(found[0])) {
        let (one, other) = (&found[0].stream, &other.stream);
        return Err(match one == other {
            true => format!("{name} is a curve of several experiments: give labels that differ"),
            false => format!("{name} is on several streams: name one, as in `{name}, {one}` or `{name}, {other}`"),
        });
    }
    unbroken(&found)?;
    Ok(found)
}

/// Refuses curves some replicate of which has diverged.
fn unbroken(curves: &[&MeanCurve]) -> Result<(), String> {
    let broken = curves.iter().find(|curve| curve.tally.diverged > 0);
    broken.map_or(Ok(()), |MeanCurve { label, over, tally, .. }| {
        let over = over.as_ref().map_or_else(String::new, |over| format!(" or of {over}"));
        Err(format!("{} of {} replicates of {label}{over} diverged", tally.diverged, tally.total()))
    })
}

/// The label of a curve, with its stream where another one has the same label.
fn told(curves: &[MeanCurve], curve: &MeanCurve) -> String {
    match curves.iter().filter(|other| other.label == curve.label).count() {
        0 | 1 => curve.label.clone(),
        _ => format!("{}, {}", curve.label, curve.stream),
    }
}

/// Two curves side by side.
struct CurvePair<'a> {
    curves: [&'a MeanCurve; 2],
    /// The last round that both reached, and the mean of the first there.
    round: f64,
    mean: f64,
    /// For each replicate that both have, the value of the second minus that of the first; at least one. Replicates
    /// with the same number share their data.
    differences: Vec<f64>,
}

/// The curves of some names, labels or learners, that have values; and which of the names has none, if one has not. What
/// would have to hold of all of them is then not known.
///
/// # Errors
/// No name has any.
fn family<'a>(curves: &'a [MeanCurve], names: &[String]) -> Result<(Vec<&'a MeanCurve>, Option<String>), String> {
    let found: Vec<Vec<&MeanCurve>> = names.iter().map(|name| meant(curves, name)).collect::<Result<_, _>>()?;
    if !curves.is_empty() && found.iter().all(Vec::is_empty) {
        return Err(uncalled(&names.join(" or ")));
    }
    let lacks = |(name, own): (&String, &Vec<&MeanCurve>)| match own.iter().find(|curve| curve.last().is_none()) {
        Some(empty) => Some(nobody(&empty.label)),
        None => own.is_empty().then(|| uncalled(name)),
    };
    let lacking = names.iter().zip(&found).find_map(lacks);
    let ended: Vec<&MeanCurve> = found.into_iter().flatten().filter(|curve| curve.last().is_some()).collect();
    if ended.is_empty() { Err(nobody(&names.join(", "))) } else { Ok((ended, lacking)) }
}

/// The curve of one name, the best of several.
fn named_best<'a>(curves: &'a [MeanCurve], name: &str) -> Result<&'a MeanCurve, String> {
    match family(curves, &[name.to_owned()])? {
        (_, Some(why)) => Err(why),
        (all, None) => best(&all).ok_or_else(|| nobody(name)),
    }
}

fn uncalled(name: &str) -> String {
    format!("the figure has no curve that is called {name}")
}

fn nobody(name: &str) -> String {
    format!("no completed replicate of {name}")
}

/// The curves that got furthest.
fn furthest<'a>(family: &[&'a MeanCurve]) -> Vec<&'a MeanCurve> {
    let end = |curve: &&MeanCurve| curve.last().map_or(f64::NEG_INFINITY, |end| end.x);
    let last = family.iter().map(end).fold(f64::NEG_INFINITY, f64::max);
    family.iter().filter(|curve| end(curve) == last).copied().collect()
}

/// The curve with the lowest last mean, of those that got furthest.
fn best<'a>(family: &[&'a MeanCurve]) -> Option<&'a MeanCurve> {
    let ended = furthest(family).into_iter().filter_map(|curve| Some((curve, curve.last()?.estimate.mean)));
    ended.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(curve, _)| curve)
}

fn pair<'a>(one: &'a MeanCurve, other: &'a MeanCurve) -> Result<CurvePair<'a>, String> {
    let (first, second) = (&one.label, &other.label);
    let common = one
        .points
        .iter()
        .rev()
        .find_map(|point| Some((point, other.points.iter().find(|partner| partner.x == point.x)?)));
    let Some((a, b)) = common else {
        return Err(format!("{first} and {second} have no round in common"));
    };
    let differences = a.beside(b, |a, b| b - a).map_or_else(Vec::new, |point| point.distinct());
    if differences.is_empty() {
        return Err(format!("{first} and {second} have no replicate in common"));
    }
    Ok(CurvePair { curves: [one, other], round: a.x, mean: a.estimate.mean, differences })
}

/// Whether `lower` ends below `higher`, compared replicate by replicate at the last round that both reached. Each is a
/// list of labels or learners, which stands for the best curve among them. Since the best one is found in the same
/// data, the intervals of all pairs hold together: the claim is supported if the best curve of `lower` lies below
/// every curve of `higher`, and contradicted if the best curve of `higher` lies below every curve of `lower`; of these, those count
/// that got furthest. Nothing is said where a curve without values could change it.
pub(crate) fn order(curves: &[MeanCurve], lower: &[String], higher: &[String]) -> ClaimDecision {
    ordered(curves, lower, higher).unwrap_or_else(ClaimDecision::untested)
}

fn ordered(curves: &[MeanCurve], lower: &[String], higher: &[String]) -> Result<ClaimDecision, String> {
    // Those of `lower` are a choice, of which the ones that got furthest take part.
    let ((lows, no_low), (highs, no_high)) = (family(curves, lower)?, family(curves, higher)?);
    let lows = furthest(&lows);
    let among = lows.len() * highs.len();
    let (Some(low), Some(high)) = (best(&lows), best(&highs)) else {
        return Err(nobody(&lower.join(", ")));
    };
    // How far the interval of a difference stays away from zero on one side, with the evidence; the least over pairs.
    let least = |pairs: Vec<(&MeanCurve, &MeanCurve)>, sign: f64| -> Result<(f64, Evidence), String> {
        let mut weakest: Option<(f64, Evidence)> = None;
        for (low, high) in pairs {
            let CurvePair { curves: [one, other], round, mean, differences } = pair(low, high)?;
            let Some(estimate) = estimate_among(&differences, among) else {
                let (low, high) = (&low.label, &high.label);
                return Err(format!("a difference between {low} and {high} is not finite"));
            };
            let margin = estimate.half_width.map_or(f64::INFINITY, |half_width| half_width.max(ROUNDING * mean.abs()));
            let clear = sign * estimate.mean - margin;
            if weakest.as_ref().is_none_or(|(least, _)| clear < *least) {
                let (lower, higher) = (told(curves, one), told(curves, other));
                weakest = Some((clear, Evidence::Difference { lower, higher, round, estimate, among }));
            }
        }
        weakest.ok_or_else(|| nobody(&lower.join(", ")))
    };
    let (below, evidence) = least(highs.iter().map(|high| (low, *high)).collect(), 1.0)?;
    if below > 0.0 {
        return no_high.map_or(Ok(ClaimDecision { agreement: Agreement::Supported, evidence }), Err);
    }
    let (above, against) = least(lows.iter().map(|low| (*low, high)).collect(), -1.0)?;
    match (above > 0.0, no_low) {
        (true, Some(why)) => Err(why),
        (true, None) => Ok(ClaimDecision { agreement: Agreement::Contradicted, evidence: against }),
        (false, _) => Ok(ClaimDecision { agreement: Agreement::Undecided, evidence }),
    }
}

/// Whether one curve of `lower` ends below `higher` in both of two quantities, compared replicate by replicate at the
/// last round that both reached: one and the same curve must win twice. `measures` are the curves of each quantity. The
/// intervals of all curves in both quantities hold together: supported if some curve has both of its intervals above
/// zero, contradicted if every curve has one below.
pub(crate) fn both(measures: [&[MeanCurve]; 2], lower: &[String], higher: &str) -> ClaimDecision {
    both_of(measures, lower, higher).unwrap_or_else(ClaimDecision::untested)
}

fn both_of(measures: [&[MeanCurve]; 2], lower: &[String], higher: &str) -> Result<ClaimDecision, String> {
    let (members, missing) = family(measures[0], lower)?;
    let members = furthest(&members);
    let among = 2 * members.len();
    let rival = named_best(measures[0], higher)?;
    let beside = |curves: &[MeanCurve], like: &MeanCurve| {
        let same = |other: &&MeanCurve| other.label == like.label && other.is_beside(like);
        curves.iter().find(same).cloned().ok_or_else(|| nobody(&like.label))
    };
    let rivals = [rival.clone(), beside(measures[1], rival)?];
    let (mut lost, mut closest) = (0, None::<(f64, Evidence)>);
    for member in &members {
        let mut estimates = Vec::new();
        let mut at = 0.0;
        for (one, other) in [(*member).clone(), beside(measures[1], member)?].iter().zip(&rivals) {
            let CurvePair { round, differences, .. } = pair(one, other)?;
            let unknown = || format!("a difference of {} is not finite", one.label);
            estimates.push(estimate_among(&differences, among).ok_or_else(unknown)?);
            at = round;
        }
        let [first, second] = estimates[..] else { return Err(nobody(&member.label)) };
        // In half widths, because the quantities have units of their own.
        let clear = |one: MeanEstimate| match one.half_width {
            Some(_) if one.mean == 0.0 => 0.0,
            Some(half_width) => one.mean / half_width,
            None => f64::NEG_INFINITY,
        };
        lost += usize::from([first, second].into_iter().any(|one| one.half_width.is_some() && clear(one) < -1.0));
        let least = clear(first).min(clear(second));
        if closest.as_ref().is_none_or(|(best, _)| least > *best) {
            let (lower, higher) = (told(measures[0], member), told(measures[0], rival));
            closest = Some((least, Evidence::Both { lower, higher, round: at, estimates: [first, second], among }));
        }
    }
    let (least, evidence) = closest.ok_or_else(|| nobody(&lower.join(", ")))?;
    let agreement = match (least > 1.0, lost == members.len(), missing) {
        (true, ..) => Agreement::Supported,
        (false, true, Some(why)) => return Err(why),
        (false, true, None) => Agreement::Contradicted,
        (false, false, _) => Agreement::Undecided,
    };
    Ok(ClaimDecision { agreement, evidence })
}

/// Whether the values of two curves, each a label or a learner, agree up to `tolerance` in the mean over replicates, at
/// the last round that both reached: supported where the interval of the mean paired difference lies within the
/// tolerance, contradicted where it lies outside.
pub(crate) fn close(curves: &[MeanCurve], one: &str, other: &str, tolerance: f64) -> ClaimDecision {
    let paired = named_best(curves, one).and_then(|one| pair(one, named_best(curves, other)?));
    let CurvePair { curves: found, round, differences, .. } = match paired {
        Ok(pair) => pair,
        Err(untested) => return ClaimDecision::untested(untested),
    };
    let Some(estimate) = estimate_among(&differences, 1) else {
        return ClaimDecision::untested(format!("{one} and {other} have no replicate in common"));
    };
    let (distance, wide) = (estimate.mean.abs(), estimate.half_width.unwrap_or(f64::INFINITY));
    let agreement = match (distance + wide <= tolerance, distance - wide > tolerance) {
        (true, _) => Agreement::Supported,
        (_, true) => Agreement::Contradicted,
        _ => Agreement::Undecided,
    };
    ClaimDecision {
        agreement,
        evidence: Evidence::Distance { labels: found.map(|curve| told(curves, curve)), round, estimate },
    }
}

/// Whether all of these curves end at `bound` or below: their intervals do, which hold together. Contradicted by an
/// interval above it; else nothing is said where one has no values, or one that is named is `absent`.
pub(crate) fn ends_below(curves: &[&MeanCurve], absent: Option<&str>, bound: f64) -> ClaimDecision {
    ends(curves, absent, bound, 1.0)
}

/// Whether all of these curves end at `bound` or above: their intervals do, which hold together. Contradicted by an
/// interval below it; else nothing is said where one has no values.
pub(crate) fn at_least(curves: &[&MeanCurve], bound: f64) -> ClaimDecision {
    ends(curves, None, bound, -1.0)
}

/// Whether no curve ends beyond `bound`: above it where `sign` is 1, below it where it is -1.
fn ends(curves: &[&MeanCurve], absent: Option<&str>, bound: f64, sign: f64) -> ClaimDecision {
    if let Err(broken) = unbroken(curves) {
        return ClaimDecision::untested(broken);
    }
    let reached: Vec<(&MeanCurve, &CurvePoint)> =
        curves.iter().filter_map(|curve| Some((*curve, curve.last()?))).collect();
    let among = reached.len();
    let end = |(curve, point): &(&MeanCurve, &CurvePoint)| {
        let end = estimate_among(&point.distinct(), among).unwrap_or(point.estimate);
        ((*curve).clone(), sign * (end.mean - bound), end)
    };
    let ends: Vec<(MeanCurve, f64, MeanEstimate)> = reached.iter().map(end).collect();
    let Some((worst, _, end)) = ends.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return ClaimDecision::untested("no curve has a completed replicate".into());
    };
    let wide = |end: &MeanEstimate| end.half_width.unwrap_or(f64::INFINITY);
    let beyond = ends.iter().filter(|(_, excess, end)| excess - wide(end) > 0.0);
    // Curves of the same name are told apart by their streams.
    let named = |curve: &MeanCurve| match ends.iter().filter(|(other, ..)| other.label == curve.label).count() {
        1 => curve.label.clone(),
        _ => format!("{}, {}", curve.label, curve.stream),
    };
    let beyond: Vec<String> = beyond.map(|(curve, ..)| named(curve)).collect();
    let lacking = curves.iter().find(|curve| curve.last().is_none()).map(|curve| nobody(&curve.label));
    let lacking = lacking.or_else(|| absent.map(uncalled));
    let agreement = if !beyond.is_empty() {
        Agreement::Contradicted
    } else if let Some(why) = lacking {
        return ClaimDecision::untested(why);
    } else if ends.iter().all(|(_, excess, end)| excess + wide(end) <= 0.0) {
        Agreement::Supported
    } else {
        Agreement::Undecided
    };
    ClaimDecision { agreement, evidence: Evidence::End { label: named(worst), end: *end, among, beyond } }
}

#[cfg(test)]
pub(crate) mod tests;
