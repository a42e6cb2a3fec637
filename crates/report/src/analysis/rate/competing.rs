//! Competing shapes: which one, fitted to the smaller horizons, best predicts the two largest.

use serde::{Deserialize, Serialize};

use crate::analysis::rate::sample::RateSample;
use crate::analysis::summary::sum;
use noregret_papers::theorem::GrowthRate;

/// A shape that was fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CandidateShape {
    /// In words, with the fitted exponent: `T^0.31`, `(ln T)^2.7`.
    pub name: String,
    /// The root mean square of ln(mean / fit) at the two largest horizons, which the fit did not see.
    pub(crate) error: f64,
}

/// How many of the largest horizons are held out.
const HELD_OUT: usize = 2;
/// The fewest points that a shape with two constants is fitted to.
const LEAST: usize = 3;

/// The candidates, best first: a free power of T, a free power of ln T, a free power of T times ln T, and the theorem's
/// shape with a free factor. Fitted by least squares in the logs, which is linear for each. Empty where there are too
/// few horizons or a mean is not positive. Points are held out because a good fit within the fitted range proves
/// nothing.
pub(crate) fn candidates(sample: &RateSample, shape: &GrowthRate) -> Vec<CandidateShape> {
    let (t, means) = (sample.t(), sample.means());
    if t.len() < LEAST + HELD_OUT
        || means.iter().any(|mean| mean.is_nan() || *mean <= 0.0)
        || t.iter().any(|t| *t < 2.0)
    {
        return Vec::new();
    }
    let y: Vec<f64> = means.iter().map(|mean| mean.ln()).collect();
    let seen = t.len() - HELD_OUT;
    let fit = |covariate: &dyn Fn(f64) -> f64, offset: &dyn Fn(f64) -> f64, free: bool| {
        let points: Vec<(f64, f64)> = t.iter().zip(&y).map(|(t, y)| (covariate(*t), y - offset(*t))).collect();
        let (slope, intercept) = line(&points[..seen], free);
        let residuals = points[seen..].iter().map(|(x, y)| (y - intercept - slope * x).powi(2));
        (slope, (sum(residuals) / HELD_OUT as f64).sqrt())
    };
    let log = |t: f64| t.ln();
    let log_log = |t: f64| t.ln().ln();
    let none = |_: f64| 0.0;
    let (power, error) = fit(&log, &none, true);
    let mut found = vec![CandidateShape { name: GrowthRate::power(power).text(), error }];
    let (log_power, error) = fit(&log_log, &none, true);
    found.push(CandidateShape { name: GrowthRate::log(log_power).text(), error });
    let (power, error) = fit(&log, &log_log, true);
    found.push(CandidateShape { name: GrowthRate { power, log_power: 1.0 }.text(), error });
    let (_, error) = fit(&none, &|t| shape.ln(t), false);
    found.push(CandidateShape { name: format!("{} (theorem)", shape.text()), error });
    found.sort_by(|a, b| a.error.total_cmp(&b.error));
    found
}

/// (slope, intercept) of the least-squares line; slope 0 unless it is free.
fn line(points: &[(f64, f64)], free: bool) -> (f64, f64) {
    let count = points.len() as f64;
    let mean_x = sum(points.iter().map(|point| point.0)) / count;
    let mean_y = sum(points.iter().map(|point| point.1)) / count;
    if !free {
        return (0.0, mean_y);
    }
    let spread = sum(points.iter().map(|(x, _)| (x - mean_x).powi(2)));
    let slope = sum(points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y))) / spread;
    (slope, mean_y - slope * mean_x)
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use crate::analysis::rate::sample::RateSample;
    use noregret_papers::theorem::GrowthRate;

    fn sample(value: impl Fn(f64) -> f64) -> RateSample {
        let horizons: Vec<u64> = (10..18).map(|power| 1 << power).collect();
        let row: Vec<f64> = horizons.iter().map(|t| value(*t as f64)).collect();
        RateSample { values: vec![row; 2], replicates: vec![0, 1], horizons }
    }

    #[test]
    fn the_true_shape_wins() {
        let best = |value: fn(f64) -> f64| candidates(&sample(value), &GrowthRate::power(0.4)).swap_remove(0);
        assert_eq!(best(|t| 2.0 * t.powf(0.25)).name, "T^0.25");
        assert_eq!(best(|t| 0.1 * t.ln().powi(3)).name, "(ln T)^3");
        assert_eq!(best(|t| t.sqrt() * t.ln()).name, "T^0.5 ln T");
        assert!(best(|t| t.sqrt() * t.ln()).error < 1e-10);
        let theorem = candidates(&sample(|t| t.powf(0.4)), &GrowthRate::power(0.4));
        assert!(theorem.iter().any(|one| one.name == "T^0.4 (theorem)" && one.error < 1e-10));
        assert_eq!(theorem.len(), 4);
    }

    #[test]
    fn too_few_points_have_no_competition() {
        assert!(candidates(&sample(|t| t).from(4), &GrowthRate::power(1.0)).is_empty());
        assert!(candidates(&sample(|t| 2000.0 - t), &GrowthRate::power(1.0)).is_empty());
    }
}
