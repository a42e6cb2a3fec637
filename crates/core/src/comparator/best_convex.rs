//! best-convex: the least squared loss of a fixed convex combination of forecasts, where the inputs are forecasts.
//!
//! With weights of sum 1 the residual is sum w_k (y - f_k): the combination is the point of the convex hull of the columns
//! y - f_k that is nearest to 0. P. Wolfe's algorithm (Mathematical Programming 11, 1976) finds it on the matrix G of their
//! products, and ends with a certificate: (G w)_k >= w'G w for all k, up to rounding.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::comparator::experts::{residual_products, solve};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::dot;

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "best-convex",
    summary: "min over weights w >= 0 of sum 1 of sum (y - sum_k w_k f_k)^2: the best convex combination of the input columns, where these are forecasts",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Box::new(BestConvex)),
};

struct BestConvex;

impl Comparator for BestConvex {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        Ok(Best::of(best_combination(inputs, targets)?.1))
    }

    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let k = dim as f64;
        (2.0 * rounds as f64 * k * k + 10.0 * k * k * k * k, 16.0 * k * k)
    }
}

/// By how much the certificate may fail, as a part of the largest squared loss of a forecast.
const TOLERANCE: f64 = 1e-12;

/// The weights of the best convex combination of forecasts under the squared loss, at least 0 and of sum 1, and its loss.
///
/// # Errors
/// Absent forecasts, and products whose rounding keeps the certificate out of reach.
pub fn best_combination(forecasts: Rows<'_>, targets: &[f64]) -> Result<(Vec<f64>, f64), ComparatorError> {
    let k = forecasts.cols();
    let mut gram = residual_products(forecasts, targets)?;
    let scale = (0..k).map(|i| gram[i * k + i]).fold(0.0, f64::max);
    if k == 0 || scale == 0.0 {
        return Ok((vec![1.0 / k.max(1) as f64; k], 0.0));
    }
    gram.iter_mut().for_each(|product| *product /= scale);
    let mut weights = vec![0.0; k];
    let first = (0..k).min_by(|&i, &j| gram[i * k + i].total_cmp(&gram[j * k + j])).unwrap_or(0);
    weights[first] = 1.0;
    let mut held = vec![first];
    for _ in 0..100 * k {
        let slopes: Vec<f64> = gram.chunks(k).map(|row| dot(row, &weights)).collect();
        let value = dot(&slopes, &weights);
        let next = (0..k).min_by(|&i, &j| slopes[i].total_cmp(&slopes[j])).unwrap_or(0);
        if slopes[next] >= value - TOLERANCE || held.contains(&next) {
            let found = slopes[next] >= value - 1e3 * TOLERANCE;
            let loss = value.max(0.0) * scale;
            return if found { Ok((weights, loss)) } else { Err(ComparatorError::NotConverged(targets.len())) };
        }
        held.push(next);
        descend(&gram, k, &mut held, &mut weights);
    }
    Err(ComparatorError::NotConverged(targets.len()))
}

/// Goes to the nearest point of the affine hull of the points that are held, as far as it stays in their convex hull, and lets
/// go of points whose weight becomes 0, until it is there.
fn descend(gram: &[f64], k: usize, held: &mut Vec<usize>, weights: &mut [f64]) {
    while !held.is_empty() {
        // The nearest point of the affine hull solves (G + 1 1') v ~ 1.
        let entry = |i: usize, j: usize| gram[i * k + j] + 1.0;
        let system = held.iter().flat_map(|&i| held.iter().map(move |&j| entry(i, j))).collect();
        let Some(mut goal) = solve(system, vec![1.0; held.len()]) else { return };
        let total: f64 = goal.iter().sum();
        goal.iter_mut().for_each(|goal| *goal /= total);
        // How far to go: 1 is all the way.
        let mut part = 1.0_f64;
        for (&at, goal) in held.iter().zip(&goal) {
            if *goal <= 0.0 {
                part = part.min(weights[at] / (weights[at] - goal));
            }
        }
        for (&at, goal) in held.iter().zip(&goal) {
            weights[at] += part * (goal - weights[at]);
        }
        if part >= 1.0 {
            return;
        }
        // The weight that ended the way is 0 up to rounding.
        let least = held.iter().map(|&at| weights[at]).fold(f64::INFINITY, f64::min);
        held.retain(|&at| {
            let stays = weights[at] > least.max(1e-15);
            if !stays {
                weights[at] = 0.0;
            }
            stays
        });
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
    }
}
