//! The best linear function of explicit features in a ball, for any smooth convex loss.

use crate::comparator::api::ComparatorError;
use crate::comparator::penalty;
use crate::loss::api::Loss;
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};

/// A minimiser of sum_t loss(<u, F_t>, y_t) over |u| <= radius.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The sum of losses.
    pub loss: f64,
    /// u.
    pub weights: Vec<f64>,
    /// The loss lies above the minimum by at most this.
    pub gap: f64,
}

/// The gap that is aimed at, relative to the loss (absolute if that is below 1): far below any regret of interest.
const TOLERANCE: f64 = 1e-10;
/// The largest number of Newton steps; a few tens suffice.
const STEPS: usize = 200;

/// Minimises over the ball by Newton steps with backtracking, each of which minimises a quadratic model over the ball
/// exactly. For convex losses phi(u) - min phi <= <g, u> + radius |g|, where g is the gradient at u, certifies the
/// result. O(n r^2 + r^3) per step for n rows of r features.
///
/// # Errors
/// A loss without second derivative, numbers that are not finite, or a gap that stays above the tolerance.
pub fn minimise(features: Rows<'_>, targets: &[f64], loss: &dyn Loss, radius: f64) -> Result<Minimum, ComparatorError> {
    let (n, r) = (features.rows(), features.cols());
    loss.curvature(0.0).ok_or(ComparatorError::NotSmooth)?;
    let mut weights = vec![0.0; r];
    let mut scaled = Matrix::zeros(n, r);
    for _ in 0..STEPS {
        let value = total(features, targets, loss, &weights);
        if !value.is_finite() {
            return Err(ComparatorError::NotFinite(n));
        }
        let mut gradient = vec![0.0; r];
        for (t, (row, &target)) in features.iter().zip(targets).enumerate() {
            let prediction = dot(row, &weights);
            add_scaled(&mut gradient, loss.slope(prediction, target), row);
            // The target of a margin loss is -1 or +1, so it does not change the second derivative.
            let bend = loss.curvature(loss.argument(prediction, target)).unwrap_or(0.0).max(0.0).sqrt();
            scaled.row_mut(t).iter_mut().zip(row).for_each(|(out, feature)| *out = bend * feature);
        }
        let gap = dot(&gradient, &weights) + radius * squared_norm(&gradient).sqrt();
        if gap <= TOLERANCE * value.max(1.0) {
            return Ok(Minimum { loss: value, weights, gap: gap.max(0.0) });
        }
        let mut step = model_minimum(scaled.view(), &gradient, &weights, radius)?;
        add_scaled(&mut step, -1.0, &weights);
        let decrease = dot(&gradient, &step);
        let mut length = 1.0;
        let next = loop {
            let mut next = weights.clone();
            add_scaled(&mut next, length, &step);
            if total(features, targets, loss, &next) <= value + 1e-4 * length * decrease {
                break next;
            }
            length *= 0.5;
            if length < 1e-12 {
                return Err(ComparatorError::NotConverged(n));
            }
        };
        weights = next;
    }
    Err(ComparatorError::NotConverged(n))
}

fn total(features: Rows<'_>, targets: &[f64], loss: &dyn Loss, weights: &[f64]) -> f64 {
    let mut sum = Sum::default();
    for (row, &target) in features.iter().zip(targets) {
        sum.add(loss.of(dot(row, weights), target));
    }
    sum.value()
}

/// The minimiser over |v| <= radius of <g, v - u> + |S (v - u)|^2 / 2, where S'S is the Hessian.
fn model_minimum(
    scaled: Rows<'_>,
    gradient: &[f64],
    weights: &[f64],
    radius: f64,
) -> Result<Vec<f64>, ComparatorError> {
    let (n, r) = (scaled.rows(), scaled.cols());
    let mut hessian = vec![0.0; r * r];
    let rows = dense::view(scaled.data(), n, r, r);
    dense::product(dense::view_mut(&mut hessian, r, r, r), rows.transpose(), rows);
    let eigen = eigen::symmetric(&hessian, r, true).map_err(|_| ComparatorError::NotFinite(n))?;
    // Flat directions are given a little curvature, so that the model has a single minimum.
    let floor = eigen.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max) * f64::EPSILON;
    let mode = |k: usize| &eigen.vectors[k * r..(k + 1) * r];
    let pulls: Vec<(f64, f64)> = (0..r)
        .map(|k| {
            let bend = eigen.values[k].max(floor);
            (bend, bend * dot(mode(k), weights) - dot(mode(k), gradient))
        })
        .collect();
    // In the eigenbasis v_k = b_k / (w_k + nu), which is a ridge regression whose targets have squared projections
    // b_k^2 / w_k.
    let modes: Vec<_> = pulls.iter().map(|(w, b)| (*w, b * b / w)).collect();
    let penalty = penalty::of_radius(&modes, radius);
    let mut minimum = vec![0.0; r];
    for (k, (bend, pull)) in pulls.iter().enumerate() {
        add_scaled(&mut minimum, pull / (bend + penalty), mode(k));
    }
    // The multiplier is exact only to rounding.
    let norm = squared_norm(&minimum).sqrt();
    if norm > radius {
        minimum.iter_mut().for_each(|value| *value *= radius / norm);
    }
    Ok(minimum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::norm_ball::NormBall;
    use crate::loss::exponential::ExponentialLoss;
    use crate::loss::hinge::Hinge;
    use crate::loss::smoothed_absolute::SmoothedAbsolute;
    use crate::loss::smoothed_hinge::SmoothedHinge;
    use crate::loss::squared::Squared;
    use noregret_numeric::draw::{Draws, Role};

    fn problem() -> (Matrix, Vec<f64>) {
        let mut draw = Draws::named(&["convex"]).at(Role::Start, 0);
        let mut features = Matrix::zeros(80, 3);
        features.data_mut().iter_mut().for_each(|entry| *entry = draw.normal());
        let targets = features.view().iter().map(|row| if row[0] + draw.normal() > 0.0 { 1.0 } else { -1.0 });
        let targets = targets.collect();
        (features, targets)
    }

    #[test]
    fn agrees_with_the_closed_form_of_the_squared_loss() {
        let (features, targets) = problem();
        let exact = NormBall::over_features(features.view(), &targets).unwrap();
        for radius in [0.0, 0.1, 0.4, 10.0] {
            let found = minimise(features.view(), &targets, &Squared, radius).unwrap();
            let loss = exact.loss(radius);
            assert!((found.loss - loss).abs() < 1e-9 * loss, "{radius}: {} {loss}", found.loss);
        }
    }

    /// No point of the ball does better: 2,000 random ones are tried, and many close to the minimum.
    #[test]
    fn nothing_in_the_ball_is_better() {
        let (features, targets) = problem();
        let losses: [&dyn Loss; 3] = [&ExponentialLoss, &SmoothedHinge::new(2.0, 0.0), &SmoothedAbsolute { c: 1.5 }];
        let mut draw = Draws::named(&["convex"]).at(Role::Start, 1);
        for loss in losses {
            for radius in [0.3f64, 3.0, 50.0] {
                let best = minimise(features.view(), &targets, loss, radius).unwrap();
                assert!(squared_norm(&best.weights).sqrt() <= radius * (1.0 + 1e-12));
                assert!(best.gap <= 1e-10 * best.loss.max(1.0));
                for i in 0..2_000 {
                    let spread = if i % 2 == 0 { 2.0 * radius } else { 1e-3 };
                    let mut other: Vec<f64> = best.weights.iter().map(|w| w + spread * draw.normal()).collect();
                    let norm = squared_norm(&other).sqrt();
                    if norm > radius {
                        other.iter_mut().for_each(|value| *value *= radius / norm);
                    }
                    let value = total(features.view(), &targets, loss, &other);
                    assert!(value >= best.loss - best.gap - 1e-12 * best.loss, "{loss:?} {radius}: {value}");
                }
            }
        }
    }

    #[test]
    fn kinks_are_refused() {
        let (features, targets) = problem();
        assert_eq!(minimise(features.view(), &targets, &Hinge, 1.0), Err(ComparatorError::NotSmooth));
    }
}
