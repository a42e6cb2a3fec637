//! Local slopes: the exponent between neighbouring horizons, which shows a burn-in, a floor or a logarithm.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::exponent::half_width;
use crate::analysis::rate::sample::RateSample;
use crate::analysis::summary::LEVEL;
use noregret_papers::theorem::GrowthRate;

/// The slope between two neighbouring horizons.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LocalSlope {
    /// sqrt(T_i T_{i+1}).
    pub horizon: f64,
    /// ln(m_{i+1} / m_i) / ln(T_{i+1} / T_i).
    pub slope: f64,
    /// Half the width of its 95 % jackknife interval.
    pub half_width: f64,
    /// The same of the theorem's shape.
    pub(crate) predicted: f64,
}

/// The local slopes; those next to a mean that is not positive are left out.
pub(crate) fn local_slopes(sample: &RateSample, shape: &GrowthRate) -> Vec<LocalSlope> {
    let t = sample.t();
    let between = |i: usize| {
        let step = (t[i + 1] / t[i]).ln();
        let slope = |means: &[f64]| {
            let positive = means[i] > 0.0 && means[i + 1] > 0.0;
            positive.then(|| (means[i + 1] / means[i]).ln() / step)
        };
        let found = sample.jackknife(slope)?;
        Some(LocalSlope {
            horizon: (t[i] * t[i + 1]).sqrt(),
            slope: found.value,
            half_width: half_width(&found, LEVEL),
            predicted: (shape.ln(t[i + 1]) - shape.ln(t[i])) / step,
        })
    };
    (0..t.len().saturating_sub(1)).filter_map(between).collect()
}

#[cfg(test)]
mod tests {
    use super::local_slopes;
    use crate::analysis::rate::sample::tests::golden;
    use noregret_papers::theorem::GrowthRate;

    #[test]
    fn golden_local_slopes() {
        let found = local_slopes(&golden(), &GrowthRate::power(0.5));
        for (found, expected) in found.iter().zip([0.51083591, 0.50319490, 0.51184719, 0.46806473]) {
            assert!((found.slope - expected).abs() < 5e-9, "{}, expected {expected}", found.slope);
            assert!(found.half_width > 0.0 && (found.predicted - 0.5).abs() < 1e-12);
        }
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn what_is_not_positive_has_no_slope() {
        let mut sample = golden();
        for row in &mut sample.values {
            row[1] = -1.0;
        }
        assert_eq!(local_slopes(&sample, &GrowthRate::power(0.5)).len(), 2);
    }
}
