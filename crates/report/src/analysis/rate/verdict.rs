//! An exponent compared with that of a theorem: an equivalence test with a margin, whose verdicts claim no more than it
//! shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analysis::nemenyi::normal_below;
use crate::analysis::rate::exponent::half_width;
use crate::analysis::rate::sample::Jackknife;
use crate::analysis::student::central_probability;

/// The margin of equivalence where a row gives none.
pub(crate) const MARGIN: f64 = 0.05;
/// The fewest seeds for which a verdict is given, unless all seeds agree.
pub const LEAST_SEEDS: usize = 5;
/// The fewest horizons for which a verdict is given.
const LEAST_HORIZONS: usize = 4;
/// With fewer seeds than this their spread says too little about how many would decide.
const LEAST_FOR_POWER: usize = 10;
/// No more seeds than this are advised.
const MOST_SEEDS: f64 = 10_000.0;
/// The normal quantile at 97.5 %, of a test on two sides.
pub(crate) const Z_975: f64 = 1.959_963_984_540_054;
/// The normal quantiles at 95 %, 80 % and 90 %.
const Z_95: f64 = 1.644_853_626_951_472_7;
const Z_80: f64 = 0.841_621_233_572_914_3;
const Z_90: f64 = 1.281_551_565_544_600_4;

/// What the data say about an exponent on the range of horizons that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

impl ExponentVerdict {
    /// Its name in files.
    pub fn key(self) -> &'static str {
        match self {
            ExponentVerdict::Matches => "matches",
            ExponentVerdict::Faster => "faster",
            ExponentVerdict::Steeper => "steeper",
            ExponentVerdict::Inconclusive => "inconclusive",
            ExponentVerdict::TooFew => "too-few",
        }
    }
}

/// delta = exponent - effective exponent of the theorem's shape on the same horizons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExponentComparison {
    /// The effective exponent: the slope of the shape on the same horizons, fitted in the same way.
    pub predicted: f64,
    /// delta. Least squares is linear in the logs, so that it is also the slope of the quotient of mean and shape.
    pub delta: f64,
    /// Half the width of the 90 % interval of delta, which is that of the exponent.
    pub half_width_90: f64,
    /// Half the width of its 95 % interval.
    pub(crate) half_width_95: f64,
    /// What follows.
    pub verdict: ExponentVerdict,
    /// Where inconclusive, with at least 10 seeds: about how many seeds have 80 % power, if delta is what was measured;
    /// see [`seeds_for_power`].
    pub(crate) seeds: Option<Power>,
    /// The one-sided p-value of the hypothesis that the exponent is predicted + margin, against larger exponents; for
    /// the correction over many rows.
    pub(crate) probability_steeper: f64,
    /// That of the hypothesis that it is predicted - margin, against smaller ones.
    pub(crate) probability_faster: f64,
}

/// Compares an exponent over `horizons` horizons with the effective exponent `predicted`.
pub fn compare(found: &Jackknife, horizons: usize, predicted: f64, margin: f64) -> ExponentComparison {
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
    ExponentComparison {
        predicted,
        delta,
        half_width_90: narrow,
        half_width_95: wide,
        verdict,
        seeds: (verdict == ExponentVerdict::Inconclusive).then(|| seeds_for_power(found, delta, margin)).flatten(),
        probability_steeper: probability_above(found, delta - margin),
        probability_faster: probability_above(found, -delta - margin),
    }
}

/// How many seeds have 80 % power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Power {
    /// From about this many to about that many.
    Between(u64, u64),
    /// More than 10 000.
    Impractical,
}

/// About how many seeds decide with a probability of 80 %, if the true difference is `delta`: S (s error)^2 at both ends of the
/// 80 % interval of the squared error (chi-squared, by Wilson and Hilferty's approximation), rounded up to two digits. Outside of
/// the margin s = (z_95 + z_80) / (|delta| - margin); within it both tests are to succeed: with the normal distribution function P,
/// P(s (margin - |delta|) - z_95) + P(s (margin + |delta|) - z_95) - 1 = 80 %. None with fewer than 10 seeds.
///
/// Source: S. Julious, Sample sizes for clinical trials with normal data, Statistics in Medicine 23 (2004); E. Wilson,
/// M. Hilferty, The distribution of chi-square, PNAS 17 (1931).
pub(crate) fn seeds_for_power(found: &Jackknife, delta: f64, margin: f64) -> Option<Power> {
    let (near, far) = (margin - delta.abs(), margin + delta.abs());
    let precision = if near > 0.0 { equivalence(near, far) } else { (Z_95 + Z_80) / -near };
    seeds_at(found.without.len(), found.error, precision)
}

/// The reciprocal standard error at which a mean at these distances from the ends of the margin is found to be within it, by one
/// test at 5 % for each end, with a probability of 80 %. It lies between that for one end and that for two at equal distances.
fn equivalence(near: f64, far: f64) -> f64 {
    let (mut low, mut high) = ((Z_95 + Z_80) / near, (Z_95 + Z_90) / near);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let found = normal_below(middle * near - Z_95) + normal_below(middle * far - Z_95) - 1.0;
        if found < 0.8 { low = middle } else { high = middle }
    }
    high
}

/// About how many values decide, with a probability of 80 %, by a test at the normal quantile `level` on the mean of `now` values
/// with this standard error, at this distance from its limit.
pub(crate) fn seeds_deciding(now: usize, error: f64, distance: f64, level: f64) -> Option<Power> {
    seeds_at(now, error, (level + Z_80) / distance)
}

/// How many seeds have this reciprocal standard error, where `now` have `error`.
fn seeds_at(now: usize, error: f64, precision: f64) -> Option<Power> {
    if now < LEAST_FOR_POWER || error == 0.0 {
        return None;
    }
    let freedom = now as f64 - 1.0;
    let quantile = |z: f64| (1.0 - 2.0 / (9.0 * freedom) + z * (2.0 / (9.0 * freedom)).sqrt()).powi(3);
    let about = now as f64 * (precision * error).powi(2);
    let [low, high] =
        [quantile(Z_90), quantile(-Z_90)].map(|quantile| two_digits((about / quantile).max(now as f64 + 1.0)));
    Some(if high <= MOST_SEEDS { Power::Between(low as u64, high as u64) } else { Power::Impractical })
}

/// The number rounded up to two significant digits.
fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf((value.log10().floor() - 1.0).max(0.0));
    (value / unit).ceil() * unit
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
pub(crate) fn holm(probabilities: &[f64], level: f64) -> Vec<bool> {
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
    use crate::analysis::rate::sample::RateSample;
    use crate::analysis::rate::sample::tests::golden;
    use noregret_numeric::draw::{Draws, Role};

    /// Ten seeds: t_9 is 1.8331 at 90 % and 2.2622 at 95 %.
    fn found(value: f64, error: f64) -> Jackknife {
        found_of(value, error, 10)
    }

    fn found_of(value: f64, error: f64, seeds: usize) -> Jackknife {
        Jackknife { value, error, without: vec![value; seeds] }
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

    /// Seeds with a standard deviation of 0.1 around delta = 0.02 reach equivalence within 0.05 with 80 % power at about
    /// 69 of them, 0.1^2 (1.645 + 0.842)^2 / 0.03^2. At 69, 250 samples are decided 200 times; below 175 or above 225
    /// times with probability under 2e-4 together.
    #[test]
    fn seeds_that_would_decide() {
        let of = |seeds: usize| found_of(0.52, 0.1 / (seeds as f64).sqrt(), seeds);
        let Some(Power::Between(low, high)) = seeds_for_power(&of(10), 0.02, 0.05) else { panic!() };
        assert_eq!((low, high), (43, 150), "69 over the quantiles 1.629 and 0.464 of chi-squared with 9 degrees / 9");
        assert_eq!(seeds_for_power(&of(9), 0.02, 0.05), None, "too few seeds to tell");
        assert_eq!(seeds_for_power(&of(10), 0.0499, 0.05), Some(Power::Impractical), "next to the margin");
        assert_eq!(seeds_for_power(&found(0.52, 0.0), 0.02, 0.05), None);
        // At 0 both tests fail alike: (z_95 + z_90)^2 = 8.56 in place of 6.18.
        let factor = (equivalence(0.05, 0.05) * 0.05 / (Z_95 + Z_80)).powi(2);
        assert!((factor - 8.563_84 / 6.182_56).abs() < 1e-4, "{factor}");
        let draws = Draws::named(&["test", "power"]);
        let decided = (0..250).filter(|sample| {
            let mut draw = draws.at(Role::Example, *sample);
            let row = |_| vec![0.02 + 0.1 * draw.normal()];
            let values: Vec<Vec<f64>> = (0..69).map(row).collect();
            let sample = RateSample { horizons: vec![2], replicates: (0..69).collect(), values };
            let found = sample.jackknife(|means| Some(0.5 + means[0])).unwrap();
            compare(&found, 8, 0.5, 0.05).verdict == ExponentVerdict::Matches
        });
        let decided = decided.count();
        assert!((175..=225).contains(&decided), "{decided}");
    }

    #[test]
    fn probabilities_of_both_sides() {
        // At the distance t_{9, 0.95} = 1.8331129 errors above the margin the probability is 5 %.
        let edge = compare(&found(0.5 + 0.05 + 0.02 * 1.8331129326536335, 0.02), 8, 0.5, 0.05);
        assert!((edge.probability_steeper - 0.05).abs() < 1e-9);
        let middle = compare(&found(0.5, 0.02), 8, 0.5, 0.05);
        assert!(middle.probability_steeper > 0.9 && middle.probability_faster > 0.9);
        let below = compare(&found(0.5 - 0.05 - 0.02 * 1.8331129326536335, 0.02), 8, 0.5, 0.05);
        assert!((below.probability_faster - 0.05).abs() < 1e-9 && below.probability_steeper > 0.99);
    }

    /// Holm at 5 % over four tests compares 0.0125, 0.0167, 0.025, 0.05 in turn.
    #[test]
    fn holm_by_hand() {
        assert_eq!(holm(&[0.03, 0.001, 0.016, 0.4], 0.05), [false, true, true, false]);
        assert_eq!(holm(&[0.02, f64::NAN], 0.05), [true, false]);
        assert!(holm(&[], 0.05).is_empty());
    }
}
