//! Values compared with a bound with explicit constants.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::sample::RateSample;
use crate::analysis::student::two_sided_quantile;
use crate::analysis::summary::{LEVEL, estimate};

/// What the values say about a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BoundStanding {
    /// The upper end of the 95 % interval of mean / bound is below 1 at every horizon.
    Holds,
    /// The lower end of an interval that holds at all horizons at once (Bonferroni) is above 1 at some horizon.
    Exceeded,
    /// Neither.
    Open,
}

/// Values over bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueCheck {
    /// The largest mean of value / bound.
    pub(crate) largest: f64,
    /// The horizon where that is.
    pub(crate) at: u64,
    /// The largest upper end of the 95 % intervals of the means; none from a single seed.
    pub upper: Option<f64>,
    /// What follows.
    pub(crate) standing: BoundStanding,
    /// The largest value that is possible at the last horizon, where it is known.
    pub worst: Option<f64>,
    /// The last horizon up to which the bound is at least the trivial value, so that it says nothing; none
    /// where it says something everywhere.
    pub vacuous_to: Option<u64>,
}

impl ValueCheck {
    /// Whether the bound says nothing at any of the `horizons`.
    pub(crate) fn vacuous(&self, horizons: &[u64]) -> bool {
        self.vacuous_to.is_some() && self.vacuous_to == horizons.last().copied()
    }
}

/// Compares R_{s,i} with bounds b_{s,i}; none without horizons or where a bound is not positive. `worst` holds the
/// largest value that is possible at each horizon, where it is known.
pub(crate) fn check(sample: &RateSample, bounds: &[Vec<f64>], worst: &[Option<f64>]) -> Option<ValueCheck> {
    if bounds.iter().flatten().any(|bound| !(*bound > 0.0 && bound.is_finite())) {
        return None;
    }
    let horizons = sample.horizons.len();
    let mut found: Option<ValueCheck> = None;
    let (mut below, mut exceeded) = (true, false);
    for i in 0..horizons {
        let ratios: Vec<f64> = sample.values.iter().zip(bounds).map(|(row, bounds)| row[i] / bounds[i]).collect();
        let ratio = estimate(&ratios)?;
        let upper = ratio.half_width.map(|half_width| ratio.mean + half_width);
        below &= upper.is_some_and(|upper| upper < 1.0);
        // The simultaneous interval is wider by the quotient of the quantiles.
        let freedom = ratios.len() as u64 - 1;
        let simultaneous = two_sided_quantile(freedom, 1.0 - (1.0 - LEVEL) / horizons as f64);
        if let (Some(half_width), Some(own), Some(wide)) =
            (ratio.half_width, two_sided_quantile(freedom, LEVEL), simultaneous)
        {
            exceeded |= ratio.mean - half_width * wide / own > 1.0;
        }
        let largest = found.as_ref().is_none_or(|found| ratio.mean > found.largest);
        let upper = match (upper, found.as_ref()) {
            (upper, None) => upper,
            (upper, Some(found)) => upper.zip(found.upper).map(|(new, old)| new.max(old)),
        };
        let (value, at) = match found {
            Some(ref found) if !largest => (found.largest, found.at),
            _ => (ratio.mean, sample.horizons[i]),
        };
        found = Some(ValueCheck {
            largest: value,
            at,
            upper,
            standing: BoundStanding::Open,
            worst: None,
            vacuous_to: None,
        });
    }
    let mut found = found?;
    found.standing = match (below, exceeded) {
        (true, _) => BoundStanding::Holds,
        (_, true) => BoundStanding::Exceeded,
        _ => BoundStanding::Open,
    };
    found.worst = worst.last().copied().flatten();
    let says_nothing = |i: &usize| {
        let least = bounds.iter().map(|row| row[*i]).fold(f64::INFINITY, f64::min);
        worst.get(*i).copied().flatten().is_some_and(|worst| least >= worst)
    };
    found.vacuous_to = (0..horizons).take_while(says_nothing).last().map(|i| sample.horizons[i]);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::sample::tests::golden;

    fn bounds(value: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
        vec![golden().t().into_iter().map(value).collect(); 4]
    }

    #[test]
    fn bounds_that_hold_and_bounds_that_do_not() {
        let holds = check(&golden(), &bounds(|t| 5.0 * t.sqrt()), &[]).unwrap();
        assert_eq!(holds.standing, BoundStanding::Holds);
        // The means over 5 sqrt T: 0.471, 0.477, 0.479, 0.485, 0.467.
        assert_eq!(holds.at, 30_000);
        assert!((holds.largest - 420.0325 / (5.0 * 30_000_f64.sqrt())).abs() < 1e-12);
        assert!(holds.upper.unwrap() > holds.largest && holds.vacuous_to.is_none());
        assert_eq!(check(&golden(), &bounds(|t| 1.5 * t.sqrt()), &[]).unwrap().standing, BoundStanding::Exceeded);
        assert_eq!(check(&golden(), &bounds(|t| 2.4 * t.sqrt()), &[]).unwrap().standing, BoundStanding::Open);
    }

    #[test]
    fn bounds_above_all_that_can_be_lost_say_nothing() {
        let (t, horizons) = (golden().t(), golden().horizons);
        let worst = |per_round: f64| t.iter().map(|t| Some(per_round * t)).collect::<Vec<_>>();
        assert!(check(&golden(), &bounds(|t| 5.0 * t), &worst(4.0)).unwrap().vacuous(&horizons));
        assert_eq!(check(&golden(), &bounds(|t| 5.0 * t), &worst(6.0)).unwrap().vacuous_to, None);
        // 100 sqrt(T) is at least T up to T = 10,000.
        let partly = check(&golden(), &bounds(|t| 100.0 * t.sqrt()), &worst(1.0)).unwrap();
        assert_eq!((partly.vacuous_to, partly.vacuous(&horizons)), (Some(10_000), false));
        assert!(check(&golden(), &bounds(|_| 0.0), &[]).is_none());
    }
}
