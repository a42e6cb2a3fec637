//! The values of a quantity for several seeds at several horizons, and the jackknife over seeds.

use serde::{Deserialize, Serialize};

use crate::analysis::summary::sum;

/// R_{s,i}: the value of seed s at horizon T_i. Seeds are the unit of replication: one seed has the same stream, noise
/// and draws at every horizon, so its values are not independent of each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateSample {
    /// T_1 < T_2 < ...
    pub horizons: Vec<u64>,
    /// The replicates, ascending.
    pub replicates: Vec<u64>,
    /// The values of each replicate, one per horizon.
    pub values: Vec<Vec<f64>>,
}

/// A statistic of the means over seeds with its jackknife.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jackknife {
    /// Its value for the means over all seeds.
    pub value: f64,
    /// Its standard error: sqrt((S-1)/S sum_s (a(-s) - mean a(-s))^2), a(-s) being its value without seed s. 0 where
    /// leaving a seed out changes nothing beyond rounding.
    pub error: f64,
    /// Its values without each seed.
    pub(crate) without: Vec<f64>,
}

impl Jackknife {
    /// A number that is known exactly.
    pub(crate) fn exact(value: f64) -> Self {
        Self { value, error: 0.0, without: vec![value; 2] }
    }
}

/// A standard error up to this, relative to the mean of the statistic or to 1, is rounding.
const ROUNDING: f64 = 1e-12;

impl RateSample {
    /// The number S of seeds.
    pub(crate) fn seeds(&self) -> usize {
        self.values.len()
    }

    /// The horizons as numbers.
    pub(crate) fn t(&self) -> Vec<f64> {
        self.horizons.iter().map(|horizon| *horizon as f64).collect()
    }

    /// m_i: the mean over seeds at each horizon.
    pub(crate) fn means(&self) -> Vec<f64> {
        self.means_of(|_| true)
    }

    /// The means over the seeds whose position `wanted` picks.
    fn means_of(&self, wanted: impl Fn(usize) -> bool) -> Vec<f64> {
        let picked: Vec<&Vec<f64>> =
            self.values.iter().enumerate().filter(|(seed, _)| wanted(*seed)).map(|(_, row)| row).collect();
        let count = picked.len() as f64;
        (0..self.horizons.len()).map(|i| sum(picked.iter().map(|row| row[i])) / count).collect()
    }

    /// The sample at the horizons from position `from` on.
    pub(crate) fn from(&self, from: usize) -> RateSample {
        RateSample {
            horizons: self.horizons[from..].to_vec(),
            replicates: self.replicates.clone(),
            values: self.values.iter().map(|row| row[from..].to_vec()).collect(),
        }
    }

    /// R_{s,i} - C_{s,i} + E C_i, for values C of another quantity on the same seeds whose expectations E C_i are known:
    /// a control variate. The mean is unbiased for E R_i, and its variance is that of the difference. None unless
    /// `control` has the same horizons and all of the seeds.
    pub(crate) fn controlled(&self, control: &RateSample, expected: &[f64]) -> Option<RateSample> {
        let fits = control.horizons == self.horizons && expected.len() == self.horizons.len();
        let partner = |replicate: &u64| {
            let place = control.replicates.iter().position(|other| other == replicate)?;
            control.values.get(place)
        };
        let partners: Vec<&Vec<f64>> = self.replicates.iter().map(partner).collect::<Option<_>>()?;
        let values = self.values.iter().zip(partners).map(|(row, other)| {
            row.iter().zip(other).zip(expected).map(|((value, control), expected)| value - control + expected).collect()
        });
        fits.then(|| RateSample { values: values.collect(), ..self.clone() })
    }

    /// A statistic of the means with its jackknife over seeds, each left out at all horizons at once; none where the
    /// statistic is not defined for some of the means, or with a single seed.
    ///
    /// Source: B. Efron, C. Stein, The jackknife estimate of variance, Annals of Statistics 9 (1981).
    pub(crate) fn jackknife(&self, statistic: impl Fn(&[f64]) -> Option<f64>) -> Option<Jackknife> {
        let count = self.seeds();
        if count < 2 {
            return None;
        }
        let value = statistic(&self.means())?;
        let without: Vec<f64> =
            (0..count).map(|seed| statistic(&self.means_of(|other| other != seed))).collect::<Option<_>>()?;
        let seeds = count as f64;
        let mean = sum(without.iter().copied()) / seeds;
        let error = ((seeds - 1.0) / seeds * sum(without.iter().map(|one| (one - mean).powi(2)))).sqrt();
        let error = if error <= ROUNDING * mean.abs().max(1.0) { 0.0 } else { error };
        Some(Jackknife { value, error, without })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The golden vector for rate fits: four seeds at five horizons; its statistics were computed with numpy and scipy.
    pub(crate) fn golden() -> RateSample {
        RateSample {
            horizons: vec![1000, 3000, 10_000, 30_000, 100_000],
            replicates: vec![0, 1, 2, 3],
            values: vec![
                vec![77.29, 130.33, 250.80, 463.11, 771.49],
                vec![80.15, 146.76, 266.17, 455.25, 789.22],
                vec![75.76, 136.06, 224.33, 406.17, 689.92],
                vec![64.85, 109.27, 216.18, 355.60, 701.15],
            ],
        }
    }

    #[test]
    fn golden_means() {
        let expected = [74.5125, 130.605, 239.37, 420.0325, 737.945];
        assert!(golden().means().iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-10));
        assert_eq!(golden().from(3).horizons, [30_000, 100_000]);
        assert_eq!(golden().from(3).values[3], [355.60, 701.15]);
    }

    /// The jackknife error of a mean is its standard error: for 2, 4, 4, 6 sqrt(8/3 / 4).
    #[test]
    fn the_jackknife_of_a_mean_is_its_standard_error() {
        let values = [2.0, 4.0, 4.0, 6.0].map(|value| vec![value]).to_vec();
        let sample = RateSample { horizons: vec![10], replicates: vec![0, 1, 2, 3], values };
        let found = sample.jackknife(|means| Some(means[0])).unwrap();
        assert_eq!(found.value, 4.0);
        assert!((found.error - (2.0_f64 / 3.0).sqrt()).abs() < 1e-15);
    }

    /// What seeds share with the control leaves the mean, and its place is taken by the expectation.
    #[test]
    fn a_control_takes_away_what_is_shared() {
        let sample = |values: [f64; 3]| {
            let values = values.iter().map(|value| vec![*value, 2.0 * value]).collect();
            RateSample { horizons: vec![10, 20], replicates: vec![0, 1, 2], values }
        };
        let (noisy, control) = (sample([1.5, 3.5, 2.5]), sample([1.0, 3.0, 2.0]));
        let found = noisy.controlled(&control, &[1.9, 3.8]).unwrap();
        assert_eq!(found.values, [[2.4, 4.8], [2.4, 4.8], [2.4, 4.8]]);
        let fewer = RateSample { replicates: vec![0, 1], values: control.values[..2].to_vec(), ..control.clone() };
        assert!(noisy.controlled(&fewer, &[1.9, 3.8]).is_none(), "a seed lacks its partner");
        assert!(fewer.controlled(&control, &[1.9, 3.8]).is_some());
        assert!(noisy.controlled(&control, &[1.9]).is_none());
    }

    #[test]
    fn equal_seeds_have_no_error_and_one_seed_no_jackknife() {
        let sample = RateSample { horizons: vec![10], replicates: vec![0, 1, 2], values: vec![vec![0.1]; 3] };
        assert_eq!(sample.jackknife(|means| Some(means[0])).unwrap().error, 0.0);
        let single = RateSample { replicates: vec![0], values: vec![vec![0.1]], ..sample.clone() };
        assert!(single.jackknife(|means| Some(means[0])).is_none());
        assert!(sample.jackknife(|_| None).is_none());
    }
}
