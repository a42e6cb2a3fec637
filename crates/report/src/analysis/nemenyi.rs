//! The critical difference of mean ranks after Nemenyi: over all pairs of k equal treatments in n blocks, the largest
//! difference is below q sqrt(k (k + 1) / (6 n)) with probability about `level`. q is the quantile of the range of k
//! standard normal variables (the studentized range with infinite degrees of freedom) divided by sqrt 2.
//!
//! Source: J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006), section 3.2.2.

use std::f64::consts::{PI, SQRT_2};

/// The step of the trapezoidal rule, whose error falls faster than any power of it for such integrands.
const STEP: f64 = 0.05;

/// The normal density is below 1e-22 beyond.
const END: f64 = 10.0;

/// P(Z <= z) for a standard normal Z.
pub(crate) fn normal_below(z: f64) -> f64 {
    0.5 * puruspe::erfc(-z / SQRT_2)
}

/// P(R <= w) for the range R of `count` standard normal variables: the integral over the least of them of its density,
/// count phi(z), times the probability that the others lie within w above it.
fn range_below(count: usize, w: f64) -> f64 {
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    let within = |z: f64| (normal_below(z + w) - normal_below(z)).max(0.0).powi(count as i32 - 1);
    let steps = (2.0 * END / STEP) as i32;
    let terms = (0..=steps).map(|at| f64::from(at) * STEP - END).map(|z| density(z) * within(z));
    (count as f64 * STEP * terms.sum::<f64>()).min(1.0)
}

/// q for `count` treatments. None for fewer than two, or a level outside of 0 to 1.
pub(crate) fn quantile(count: usize, level: f64) -> Option<f64> {
    if count < 2 || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while range_below(count, high) < level {
        low = high;
        high *= 2.0;
        if high > 4.0 * END {
            return None;
        }
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if range_below(count, middle) < level { low = middle } else { high = middle }
    }
    Some(high / SQRT_2)
}

/// The critical difference of the mean ranks of `count` treatments in `blocks` blocks.
pub(crate) fn critical_difference(count: usize, blocks: usize, level: f64) -> Option<f64> {
    let spread = (count * (count + 1)) as f64 / (6.0 * blocks as f64);
    (blocks > 0).then(|| Some(quantile(count, level)? * spread.sqrt()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::ranks::ranks;
    use noregret_numeric::draw::{Draws, Role};

    /// Table 5 (a) of Demsar (2006), which has three decimals made from a table of two more: the one for seven is 0.0007 off.
    #[test]
    fn published_quantiles() {
        let published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        for (count, known) in (2..).zip(published) {
            let found = quantile(count, 0.95).unwrap();
            assert!((found - known).abs() < 8e-4, "{count}: {found}, published {known}");
        }
        let at_ten = [(2, 1.645), (5, 2.459), (10, 2.920)];
        assert!(at_ten.iter().all(|(count, known)| (quantile(*count, 0.9).unwrap() - known).abs() < 6e-4));
    }

    /// studentized_range.ppf(0.95, k, inf) / sqrt(2) and cdf of scipy 1.17.1.
    #[test]
    fn quantiles_of_scipy() {
        let known = [(2, 1.959_964), (3, 2.343_701), (7, 2.948_320), (12, 3.268_004), (20, 3.543_799), (30, 3.748_578)];
        for (count, known) in known {
            let found = quantile(count, 0.95).unwrap();
            assert!((found - known).abs() < 1e-6, "{count}: {found}, scipy {known}");
        }
        let below = [(3, 1.0, 0.240_712_641_23), (10, 4.0, 0.873_147_867_85), (20, 5.0, 0.948_635_336_42)];
        assert!(below.iter().all(|(count, w, known)| (range_below(*count, *w) - known).abs() < 1e-9));
    }

    /// Of four classifiers on 14 data sets, section 3.2.4 of Demsar: 2.569 sqrt(4 5 / (6 14)) = 1.25 at 5 %.
    #[test]
    fn the_example_of_demsar() {
        assert!((critical_difference(4, 14, 0.95).unwrap() - 1.25).abs() < 5e-3);
        assert_eq!((critical_difference(4, 0, 0.95), critical_difference(1, 9, 0.95)), (None, None));
        assert_eq!((quantile(3, 1.0), quantile(3, f64::NAN)), (None, None));
    }

    /// 4000 tables of 20 blocks of 8 equal treatments: some pair differs in at most 5 %, within 6.3 % (exceeded with
    /// probability below 1e-3 at 5 %) and above 2 %, so that the difference is not too wide either.
    #[test]
    fn equal_treatments_differ_at_the_level() {
        let (tables, blocks, count) = (4000, 20, 8);
        let critical = critical_difference(count, blocks, 0.95).unwrap();
        let alarms = (0..tables).filter(|table| {
            let draw = &mut Draws::named(&["nemenyi"]).at(Role::Example, *table);
            let mut sums = vec![0.0; count];
            for _ in 0..blocks {
                let values: Vec<f64> = (0..count).map(|_| draw.normal()).collect();
                sums.iter_mut().zip(ranks(&values)).for_each(|(sum, rank)| *sum += rank);
            }
            let ends = sums.iter().fold((f64::INFINITY, 0.0_f64), |ends, sum| (ends.0.min(*sum), ends.1.max(*sum)));
            (ends.1 - ends.0) / blocks as f64 > critical
        });
        let rate = alarms.count() as f64 / tables as f64;
        assert!((0.02..=0.063).contains(&rate), "{rate}");
    }
}
