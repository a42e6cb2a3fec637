//! Errors with a floor: m(T) = c + C T^(-b), c >= 0, by variable projection. For theorems whose error does not vanish,
//! such as robust losses with the scale held fixed.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::sample::{Jackknife, Sample};
use crate::analysis::summary::sum;

/// A fitted floor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// -b, so that it compares with exponents of T.
    pub exponent: Jackknife,
    /// c, in units of the quantity.
    pub floor: Jackknife,
}

/// Candidate exponents b: from LEAST to MOST in steps of STEP, then refined.
const LEAST: f64 = 0.02;
const MOST: f64 = 3.0;
const STEP: f64 = 0.02;
/// Halvings of the bracket around the best candidate by golden sections: 0.04 * 0.618^40 is below rounding.
const SECTIONS: usize = 40;

/// Fits the model to the means, with a jackknife over seeds; none with fewer than four horizons, a single seed or a
/// mean that is not positive.
///
/// Relative residuals (m_i - c - C T_i^(-b)) / m_i are squared and summed: errors of means grow with the means. For
/// each b the best (c, C) solves a linear problem, which leaves one unknown and no local traps.
///
/// Source: G. Golub, V. Pereyra, SIAM Journal on Numerical Analysis 10 (1973).
pub fn floor(sample: &Sample) -> Option<Floor> {
    let t = sample.t();
    if t.len() < 4 {
        return None;
    }
    let positive = |means: &[f64]| means.iter().all(|mean| *mean > 0.0 && mean.is_finite());
    let exponent = sample.jackknife(|means| positive(means).then(|| -fit(&t, means).0))?;
    let floor = sample.jackknife(|means| positive(means).then(|| fit(&t, means).1))?;
    Some(Floor { exponent, floor })
}

/// (b, c) of the best fit.
fn fit(t: &[f64], means: &[f64]) -> (f64, f64) {
    let cost = |b: f64| project(t, means, b).0;
    let steps = ((MOST - LEAST) / STEP).round() as usize;
    let grid = (0..=steps).map(|step| LEAST + STEP * step as f64);
    let best = grid.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(LEAST);
    let (mut low, mut high) = ((best - STEP).max(LEAST), (best + STEP).min(MOST));
    let section = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..SECTIONS {
        let (left, right) = (high - section * (high - low), low + section * (high - low));
        if cost(left) <= cost(right) { high = right } else { low = left }
    }
    let b = 0.5 * (low + high);
    (b, project(t, means, b).1)
}

/// (cost, c) of the best c >= 0 and C for this b.
fn project(t: &[f64], means: &[f64], b: f64) -> (f64, f64) {
    // Columns 1 / m and T^(-b) / m; the right side is 1.
    let rows: Vec<(f64, f64)> = t.iter().zip(means).map(|(t, mean)| (1.0 / mean, t.powf(-b) / mean)).collect();
    let inner = |f: fn(&(f64, f64)) -> f64| sum(rows.iter().map(f));
    let (cc, ct, tt) = (inner(|r| r.0 * r.0), inner(|r| r.0 * r.1), inner(|r| r.1 * r.1));
    let (c1, t1) = (inner(|r| r.0), inner(|r| r.1));
    let determinant = cc * tt - ct * ct;
    let both =
        (determinant > 1e-14 * cc * tt).then(|| ((c1 * tt - t1 * ct) / determinant, (cc * t1 - ct * c1) / determinant));
    let (c, factor) = match both {
        Some((c, factor)) if c >= 0.0 => (c, factor),
        _ => (0.0, t1 / tt),
    };
    (sum(rows.iter().map(|(one, power)| (1.0 - c * one - factor * power).powi(2))), c)
}

#[cfg(test)]
mod tests {
    use super::floor;
    use crate::analysis::rate::sample::Sample;

    fn sample(value: impl Fn(f64, f64) -> f64) -> Sample {
        let horizons: Vec<u64> = (7..15).map(|power| 1 << power).collect();
        let row = |seed: u64| horizons.iter().map(|t| value(*t as f64, seed as f64)).collect();
        Sample { values: (0..5).map(row).collect(), replicates: (0..5).collect(), horizons }
    }

    #[test]
    fn exponent_and_floor_are_found() {
        let found = floor(&sample(|t, _| 0.003 + 2.0 * t.powf(-0.714))).unwrap();
        assert!((found.exponent.value + 0.714).abs() < 1e-6, "{found:?}");
        assert!((found.floor.value - 0.003).abs() < 1e-8);
    }

    #[test]
    fn without_a_floor_there_is_none() {
        let found = floor(&sample(|t, seed| (1.0 + 0.1 * seed) * t.powf(-0.6))).unwrap();
        assert!((found.exponent.value + 0.6).abs() < 1e-6 && found.floor.value.abs() < 1e-8, "{found:?}");
        assert!(floor(&sample(|_, _| -1.0)).is_none());
    }
}
