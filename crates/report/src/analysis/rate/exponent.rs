//! The exponent of a quantity: the slope of the log of its mean over seeds on the log of the horizon.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::sample::{Jackknife, RateSample};
use crate::analysis::slope::power_law;
use crate::analysis::student::two_sided_quantile;
use crate::analysis::summary::{MeanEstimate, estimate};

/// alpha = sum_i (x_i - mean x) ln m_i / sum_i (x_i - mean x)^2 with x = ln T: least squares with equal weights.
///
/// The log of the mean, not the mean of logs, because theorems bound expectations.
pub fn slope(horizons: &[f64], means: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = horizons.iter().copied().zip(means.iter().copied()).collect();
    power_law(&points).map(|fit| fit.slope)
}

/// The exponent with its jackknife over seeds; none where a mean, with or without some seed, is not positive.
pub fn exponent(sample: &RateSample) -> Option<Jackknife> {
    let t = sample.t();
    sample.jackknife(|means| slope(&t, means))
}

/// The two-sided interval of a jackknifed statistic: value +- t_{S-1} error.
pub fn interval(found: &Jackknife, level: f64) -> (f64, f64) {
    let half_width = half_width(found, level);
    (found.value - half_width, found.value + half_width)
}

/// Half the width of that interval.
pub fn half_width(found: &Jackknife, level: f64) -> f64 {
    // A jackknife has at least two seeds and levels are constants in range, so the quantile exists.
    let quantile = two_sided_quantile(found.without.len() as u64 - 1, level).unwrap_or(f64::INFINITY);
    if found.error == 0.0 { 0.0 } else { quantile * found.error }
}

/// Other estimates of the exponent, for comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checks {
    /// The mean of the slopes of single seeds with its t interval; none where some value is not positive. It differs
    /// visibly from the exponent where values are skewed or a seed is an outlier.
    pub(crate) per_seed: Option<MeanEstimate>,
    /// The slope of the medians over seeds; none where a median is not positive.
    pub(crate) of_medians: Option<f64>,
    /// The exponent with the smallest horizons dropped one by one, down to five points: (first horizon kept, exponent).
    pub(crate) from: Vec<(u64, f64)>,
}

/// The fewest points that the stability check keeps.
const KEEP: usize = 5;

/// Computes the checks.
pub(crate) fn checks(sample: &RateSample) -> Checks {
    let t = sample.t();
    let slopes: Option<Vec<f64>> = sample.values.iter().map(|row| slope(&t, row)).collect();
    let medians: Vec<f64> = (0..t.len()).map(|i| median(sample.values.iter().map(|row| row[i]).collect())).collect();
    let from = (1..(t.len() + 1).saturating_sub(KEEP)).filter_map(|first| {
        let kept = sample.from(first);
        Some((kept.horizons[0], slope(&kept.t(), &kept.means())?))
    });
    Checks {
        per_seed: slopes.and_then(|slopes| estimate(&slopes)),
        of_medians: slope(&t, &medians),
        from: from.collect(),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[middle],
        _ => 0.5 * (values[middle - 1] + values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::sample::tests::golden;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_papers::theorem::GrowthRate;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found}, expected {expected}");
    }

    #[test]
    fn golden_exponent() {
        let found = exponent(&golden()).unwrap();
        near(found.value, 0.4996952993629757);
        near(found.error, 0.008069515819512244);
        for (found, expected) in found.without.iter().zip([0.49614519, 0.50128610, 0.50662756, 0.49483364]) {
            assert!((found - expected).abs() < 5e-9, "{found}, expected {expected}");
        }
        let (low, high) = interval(&found, 0.95);
        near(low, 0.4740144985577405);
        near(high, 0.5253761001682109);
    }

    #[test]
    fn golden_checks() {
        let found = checks(&golden());
        let per_seed = found.per_seed.unwrap();
        near(per_seed.mean, 0.4999881974784841);
        near(per_seed.mean - per_seed.half_width.unwrap(), 0.4732842235010147);
        near(per_seed.mean + per_seed.half_width.unwrap(), 0.5266921714559536);
        assert!(found.from.is_empty(), "five points are the least");
        assert!((found.of_medians.unwrap() - 0.5).abs() < 0.02);
    }

    /// The slope that a bound has on the same grid, and the difference from it.
    #[test]
    fn golden_effective_exponents() {
        let t = golden().t();
        for (shape, expected) in [
            (GrowthRate::power(0.5), 0.5),
            (GrowthRate::log(3.0), 0.33189076517134425),
            (GrowthRate { power: 0.5, log_power: 1.0 }, 0.6106302550571142),
        ] {
            let values: Vec<f64> = t.iter().map(|t| shape.ln(*t).exp()).collect();
            near(slope(&t, &values).unwrap(), expected);
            near(exponent(&golden()).unwrap().value - expected, 0.4996952993629757 - expected);
        }
    }

    #[test]
    fn no_exponent_where_a_mean_is_not_positive() {
        let mut sample = golden();
        sample.values[3][0] = -1000.0;
        assert!(exponent(&sample).is_none());
        // Positive in the mean of all seeds, but not without one of them.
        let sample =
            RateSample { values: vec![vec![1.0, 2.0], vec![-0.5, 3.0]], horizons: vec![1, 2], replicates: vec![0, 1] };
        assert!(exponent(&sample).is_none());
    }

    #[test]
    fn stability_drops_the_smallest_horizons() {
        let horizons: Vec<u64> = (5..13).map(|power| 1 << power).collect();
        let row: Vec<f64> = horizons.iter().map(|t| 3.0 * (*t as f64).sqrt()).collect();
        let sample = RateSample { horizons, replicates: vec![0, 1], values: vec![row; 2] };
        let found = checks(&sample).from;
        assert_eq!(found.iter().map(|(first, _)| *first).collect::<Vec<_>>(), [64, 128, 256]);
        assert!(found.iter().all(|(_, slope)| (slope - 0.5).abs() < 1e-12));
    }

    /// How often the 95 % interval holds the exponent 1/2: 400 samples of 5 seeds at 8 horizons whose values share a
    /// factor and a slope error per seed (common random numbers). With coverage 0.95 the count is binomial: below 360
    /// or above 398 it falls with probability under 2e-4 together.
    #[test]
    fn coverage_with_common_random_numbers() {
        let horizons: Vec<u64> = (10..18).map(|power| 1 << power).collect();
        let draws = Draws::named(&["test", "coverage"]);
        let mut covered = 0;
        for sample in 0..400 {
            let row = |seed: u64| -> Vec<f64> {
                let mut draw = draws.at(Role::Example, 16 * sample + seed);
                let (factor, tilt) = (0.4 * draw.normal(), 0.06 * draw.normal());
                let value = |t: &u64| {
                    let x = (*t as f64).ln();
                    (0.5 * x + factor + tilt * (x - 9.4) + 0.1 * draw.normal()).exp()
                };
                horizons.iter().map(value).collect()
            };
            let values = (0..5).map(row).collect();
            let sample = RateSample { horizons: horizons.clone(), replicates: (0..5).collect(), values };
            let (low, high) = interval(&exponent(&sample).unwrap(), 0.95);
            covered += u32::from((low..=high).contains(&0.5));
        }
        assert!((360..=398).contains(&covered), "{covered} of 400 intervals hold the exponent");
    }
}
