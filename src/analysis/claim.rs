//! Claims that a figure can decide: an order between two learners, that they agree, or an exponent.

use crate::analysis::curve::{Curve, Point};
use crate::analysis::rate;
use crate::analysis::rate::sample::{Jackknife, Sample};
use crate::analysis::slope::power_law;
use crate::analysis::summary::{Estimate, LEVEL, estimate_among};

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
        /// Half the width of its interval, if it has one.
        half_width: Option<f64>,
        /// The number of points it was fitted to.
        points: usize,
    },
    /// The largest of several fitted exponents.
    Largest {
        /// Label of the curve that has it.
        label: String,
        /// The fitted exponent.
        fitted: f64,
        /// Half the width of its interval, if it has one.
        half_width: Option<f64>,
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

/// The exponent of a curve over its last `last` points.
struct Fit {
    slope: f64,
    points: usize,
    /// With its jackknife over the replicates that have all of these points; none from a single one.
    spread: Option<Jackknife>,
}

impl Fit {
    fn of(curve: &Curve, last: usize) -> Option<Self> {
        let tail = &curve.points[curve.points.len().saturating_sub(last)..];
        let means: Vec<(f64, f64)> = tail.iter().map(|point| (point.x, point.estimate.mean)).collect();
        let slope = power_law(&means)?.slope;
        let value = |point: &Point, replicate| Some(point.values.iter().find(|(other, _)| *other == replicate)?.1);
        let complete = tail.first()?.values.iter().filter_map(|(replicate, _)| {
            Some((*replicate, tail.iter().map(|point| value(point, *replicate)).collect::<Option<Vec<f64>>>()?))
        });
        let (replicates, values) = complete.unzip();
        let horizons = tail.iter().map(|point| point.x as u64).collect();
        let spread = rate::exponent::exponent(&Sample { horizons, replicates, values });
        Some(Self { slope, points: tail.len(), spread })
    }

    /// Half the width of its two-sided interval, one of `among` that hold together; infinite if it has none.
    fn half_width(&self, among: usize) -> f64 {
        let level = 1.0 - (1.0 - LEVEL) / among as f64;
        self.spread.as_ref().map_or(f64::INFINITY, |spread| rate::exponent::half_width(spread, level))
    }

    fn evidence(&self, curve: &Curve, among: usize) -> Evidence {
        let half_width = Some(self.half_width(among)).filter(|width| width.is_finite());
        let (fitted, points) = (self.slope, self.points);
        match among {
            1 => Evidence::Exponent { label: curve.label.clone(), fitted, half_width, points },
            curves => {
                let label = format!("{}, {}", curve.label, curve.stream);
                Evidence::Largest { label, fitted, half_width, points, curves }
            }
        }
    }
}

/// Whether a curve grows like x^`exponent` over its last `last` points, up to `tolerance` in the exponent: supported
/// where the 95 % interval of its exponent lies within the tolerance, contradicted where it lies outside.
pub fn exponent(curve: &Curve, exponent: f64, tolerance: f64, last: usize) -> Decision {
    let Some(fit) = Fit::of(curve, last) else {
        return Decision::untested(format!("{} lacks two horizons, or its regret is not positive", curve.label));
    };
    let (distance, wide) = ((fit.slope - exponent).abs(), fit.half_width(1));
    let agreement = match (distance + wide <= tolerance, distance - wide > tolerance) {
        (true, _) => Agreement::Supported,
        (_, true) => Agreement::Contradicted,
        _ => Agreement::Undecided,
    };
    Decision { agreement, evidence: fit.evidence(curve, 1) }
}

/// Whether all of these curves grow no faster than x^`exponent` over their last `last` points, up to `tolerance` in the
/// exponent. Supported where all intervals are below that, at 95 % together; contradicted where one is above it.
pub fn at_most(curves: &[&Curve], exponent: f64, tolerance: f64, last: usize) -> Decision {
    let fits: Option<Vec<_>> = curves.iter().map(|curve| Some((*curve, Fit::of(curve, last)?))).collect();
    let largest = |fits: &[(&Curve, Fit)]| (0..fits.len()).max_by(|a, b| fits[*a].1.slope.total_cmp(&fits[*b].1.slope));
    let (Some(fits), Some(most)) = (&fits, fits.as_deref().and_then(largest)) else {
        return Decision::untested("a curve lacks positive means at two horizons".into());
    };
    let (limit, among) = (exponent + tolerance, fits.len());
    let agreement = if fits.iter().all(|(_, fit)| fit.slope + fit.half_width(among) <= limit) {
        Agreement::Supported
    } else if fits.iter().any(|(_, fit)| fit.slope - fit.half_width(among) > limit) {
        Agreement::Contradicted
    } else {
        Agreement::Undecided
    };
    Decision { agreement, evidence: fits[most].1.evidence(fits[most].0, among) }
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
mod tests;
