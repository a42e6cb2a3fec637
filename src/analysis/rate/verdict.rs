//! An exponent compared with that of a theorem: an equivalence test with a margin, whose verdicts claim no more than it
//! shows.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::exponent::half_width;
use crate::analysis::rate::sample::Jackknife;
use crate::analysis::student::{central_probability, two_sided_quantile};

/// The margin of equivalence where a row gives none.
pub const MARGIN: f64 = 0.05;
/// The fewest seeds for which a verdict is given, unless all seeds agree.
pub const LEAST_SEEDS: usize = 5;
/// The fewest horizons for which a verdict is given.
pub const LEAST_HORIZONS: usize = 4;
/// No more seeds than this are advised.
const MOST_SEEDS: u64 = 10_000;

/// What the data say about an exponent on the range of horizons that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExponentVerdict {
    /// The 90 % interval of delta lies inside (-margin, margin): two one-sided tests at 5 %.
    Matches,
    /// The 90 % interval lies below -margin and the 95 % interval below 0.
    Faster,
    /// The 90 % interval lies above +margin and the 95 % interval above 0. On a finite range this refutes no
    /// asymptotic bound.
    Steeper,
    /// None of these.
    Inconclusive,
    /// Too few seeds or horizons for any of these.
    TooFew,
}

/// delta = exponent - effective exponent of the theorem's shape on the same horizons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The effective exponent: the slope of the shape on the same horizons, fitted in the same way.
    pub predicted: f64,
    /// delta. Least squares is linear in the logs, so that it is also the slope of the quotient of mean and shape.
    pub delta: f64,
    /// Half the width of the 90 % interval of delta, which is that of the exponent.
    pub half_width_90: f64,
    /// Half the width of its 95 % interval.
    pub half_width_95: f64,
    /// What follows.
    pub verdict: ExponentVerdict,
    /// Where inconclusive: how many seeds would decide with the same delta and spread; none if more than 10 000.
    pub seeds_to_decide: Option<u64>,
    /// The one-sided p-value of the hypothesis that the exponent is predicted + margin, against larger exponents; for
    /// the correction over many rows.
    pub probability_steeper: f64,
}

/// Compares an exponent over `horizons` horizons with the effective exponent `predicted`.
pub fn compare(found: &Jackknife, horizons: usize, predicted: f64, margin: f64) -> Comparison {
    let delta = found.value - predicted;
    let (narrow, wide) = (half_width(found, 0.90), half_width(found, 0.95));
    let few = found.without.len() < LEAST_SEEDS && found.error > 0.0;
    let verdict = if few || horizons < LEAST_HORIZONS {
        ExponentVerdict::TooFew
    } else if delta - narrow > -margin && delta + narrow < margin {
        ExponentVerdict::Matches
    } else if delta + narrow < -margin && delta + wide < 0.0 {
        ExponentVerdict::Faster
    } else if delta - narrow > margin && delta - wide > 0.0 {
        ExponentVerdict::Steeper
    } else {
        ExponentVerdict::Inconclusive
    };
    Comparison {
        predicted,
        delta,
        half_width_90: narrow,
        half_width_95: wide,
        verdict,
        seeds_to_decide: (verdict == ExponentVerdict::Inconclusive)
            .then(|| seeds_to_decide(found, delta, margin))
            .flatten(),
        probability_steeper: probability_above(found, delta - margin),
    }
}

/// The fewest seeds at which the same delta, with an error that falls like 1 / sqrt(seeds), leaves "inconclusive".
fn seeds_to_decide(found: &Jackknife, delta: f64, margin: f64) -> Option<u64> {
    let now = found.without.len() as f64;
    let decides = |seeds: u64| {
        let error = found.error * (now / seeds as f64).sqrt();
        let half = |level| two_sided_quantile(seeds - 1, level).map(|quantile| quantile * error);
        let (Some(narrow), Some(wide)) = (half(0.90), half(0.95)) else { return false };
        let (distance, inside) = ((delta.abs() - margin).abs(), delta.abs() < margin);
        narrow < distance && (inside || wide < delta.abs())
    };
    // More seeds only narrow the intervals: double, then halve.
    let mut above = found.without.len() as u64 + 1;
    while !decides(above) {
        above *= 2;
        if above > MOST_SEEDS {
            return None;
        }
    }
    let mut below = found.without.len() as u64;
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if decides(middle) { above = middle } else { below = middle }
    }
    Some(above)
}

/// P(T > distance / error) for Student's T with S - 1 degrees of freedom.
fn probability_above(found: &Jackknife, distance: f64) -> f64 {
    if found.error == 0.0 {
        return if distance > 0.0 { 0.0 } else { 1.0 };
    }
    let tail = 0.5 * (1.0 - central_probability(found.without.len() as u64 - 1, distance.abs() / found.error));
    if distance > 0.0 { tail } else { 1.0 - tail }
}

/// Which of several one-sided tests stay significant at the family-wise `level` by Holm's step-down procedure.
///
/// Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6
/// (1979).
pub fn holm(probabilities: &[f64], level: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let mut significant = vec![false; probabilities.len()];
    for (rank, &index) in order.iter().enumerate() {
        // The first that fails ends the procedure; NaN fails.
        if probabilities[index] <= level / (order.len() - rank) as f64 {
            significant[index] = true;
        } else {
            break;
        }
    }
    significant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::exponent::exponent;
    use crate::analysis::rate::sample::tests::golden;

    /// Ten seeds: t_9 is 1.8331 at 90 % and 2.2622 at 95 %.
    fn found(value: f64, error: f64) -> Jackknife {
        Jackknife { value, error, without: vec![value; 10] }
    }

    fn verdict(delta: f64, error: f64) -> ExponentVerdict {
        compare(&found(0.5 + delta, error), 8, 0.5, 0.05).verdict
    }

    #[test]
    fn verdicts_by_hand() {
        assert_eq!(verdict(0.01, 0.02), ExponentVerdict::Matches); // 0.01 + 0.0367 < 0.05
        assert_eq!(verdict(0.02, 0.02), ExponentVerdict::Inconclusive); // 0.0567
        assert_eq!(verdict(0.09, 0.02), ExponentVerdict::Steeper); // 0.0533 above the margin
        assert_eq!(verdict(-0.09, 0.02), ExponentVerdict::Faster);
        assert_eq!(verdict(0.08, 0.02), ExponentVerdict::Inconclusive);
        assert_eq!(verdict(0.049, 0.0), ExponentVerdict::Matches);
        assert_eq!(verdict(0.051, 0.0), ExponentVerdict::Steeper);
        let few = |error| Jackknife { without: vec![0.5; 4], ..found(0.5, error) };
        assert_eq!(compare(&few(0.001), 8, 0.5, 0.05).verdict, ExponentVerdict::TooFew);
        assert_eq!(compare(&few(0.0), 8, 0.5, 0.05).verdict, ExponentVerdict::Matches, "seeds do not differ");
        assert_eq!(compare(&found(0.5, 0.0), 3, 0.5, 0.05).verdict, ExponentVerdict::TooFew);
    }

    /// Differences of the golden exponent from three shapes.
    #[test]
    fn golden_differences() {
        let found = exponent(&golden()).unwrap();
        for (predicted, delta) in [
            (0.5, -0.00030470063702370265),
            (0.33189076517134425, 0.16780453419163144),
            (0.6106302550571142, -0.11093495569413853),
        ] {
            assert!((compare(&found, 5, predicted, MARGIN).delta - delta).abs() < 1e-12);
        }
    }

    /// At the number of seeds that is given the interval fits, with one seed fewer it does not.
    #[test]
    fn seeds_that_would_decide() {
        for delta in [0.02, -0.04, 0.08] {
            let inconclusive = compare(&found(0.5 + delta, 0.02), 8, 0.5, 0.05);
            let seeds = inconclusive.seeds_to_decide.unwrap();
            let at = |seeds: u64| {
                let error = 0.02 * (10.0 / seeds as f64).sqrt();
                let with = Jackknife { without: vec![0.5; seeds as usize], ..found(0.5 + delta, error) };
                compare(&with, 8, 0.5, 0.05).verdict
            };
            assert!(
                at(seeds) != ExponentVerdict::Inconclusive && at(seeds - 1) == ExponentVerdict::Inconclusive,
                "{delta}: {seeds}"
            );
        }
        assert_eq!(compare(&found(0.55, 0.02), 8, 0.5, 0.05).seeds_to_decide, None, "on the margin no number decides");
        assert_eq!(compare(&found(0.5, 0.0), 8, 0.5, 0.05).seeds_to_decide, None);
    }

    #[test]
    fn probabilities_of_steepness() {
        // At the distance t_{9, 0.95} = 1.8331129 errors above the margin the probability is 5 %.
        let edge = compare(&found(0.5 + 0.05 + 0.02 * 1.8331129326536335, 0.02), 8, 0.5, 0.05);
        assert!((edge.probability_steeper - 0.05).abs() < 1e-9);
        assert!(compare(&found(0.5, 0.02), 8, 0.5, 0.05).probability_steeper > 0.9);
    }

    /// Holm at 5 % over four tests compares 0.0125, 0.0167, 0.025, 0.05 in turn.
    #[test]
    fn holm_by_hand() {
        assert_eq!(holm(&[0.03, 0.001, 0.016, 0.4], 0.05), [false, true, true, false]);
        assert_eq!(holm(&[0.02, f64::NAN], 0.05), [true, false]);
        assert!(holm(&[], 0.05).is_empty());
    }
}
