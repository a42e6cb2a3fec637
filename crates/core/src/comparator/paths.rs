//! The least penalised loss of functions u' phi that change over time: piecewise constant ones, and paths of small squared
//! length. Both follow from the forecasts of one pass forward.
//!
//! With P = I / lambda and m = 0 at first, h = phi' P phi and ridge = phi' m, a round adds (y - ridge)^2 / (1 + h) to
//! min {lambda |u_0|^2 + sum |u_t - a u_(t-1)|^2 / q + sum (y_t - u_t' phi_t)^2}, and P, m move as in
//! [`crate::learner::ridge::tracking`]; with q = 0 and a = 1 the function is constant.

use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::symmetric::Symmetric;
use noregret_numeric::linalg::vector::dot;

/// The pass forward.
struct ForwardPass {
    variance: Symmetric,
    mean: Vec<f64>,
    v: Vec<f64>,
}

impl ForwardPass {
    fn new(features: usize, lambda: f64) -> Self {
        let variance = Symmetric::identity(features, lambda.recip());
        Self { variance, mean: vec![0.0; features], v: vec![0.0; features] }
    }

    /// What the round adds to the minimum.
    fn step(&mut self, phi: &[f64], y: f64, q: f64, a: f64) -> f64 {
        self.variance.product(phi, &mut self.v);
        let factor = (1.0 + dot(phi, &self.v)).recip();
        let residual = y - dot(phi, &self.mean);
        self.mean.iter_mut().zip(&self.v).for_each(|(mean, v)| *mean = a * (*mean + residual * factor * v));
        self.variance.shrink(a * a, factor, &self.v, q);
        residual * residual * factor
    }
}

/// The minimum over all paths: lambda |u_0|^2 + sum |u_t - a u_(t-1)|^2 / q + sum of squared errors; for q = 0, over
/// u_t = a^t u_0. O(n r^2) for n rows of r features.
pub fn smoothest(features: Rows<'_>, targets: &[f64], lambda: f64, q: f64, a: f64) -> f64 {
    let mut pass = ForwardPass::new(features.cols(), lambda);
    features.iter().zip(targets).map(|(phi, y)| pass.step(phi, *y, q, a)).sum()
}

/// The least sum over pieces of min_w lambda |w|^2 + sum of squared errors, for 0, ..., `switches` switches, with the first
/// rows of the pieces. Pieces start at multiples of `spacing`. The minima of all pieces with one start come from one pass:
/// O(n^2 r^2 / spacing), and (n / spacing)^2 numbers. More switches than starts change nothing.
pub fn segments(
    features: Rows<'_>,
    targets: &[f64],
    lambda: f64,
    switches: usize,
    spacing: usize,
) -> Vec<(f64, Vec<usize>)> {
    let blocks = targets.len().div_ceil(spacing);
    // costs[i][j - i]: of the piece of the blocks i..=j.
    let costs: Vec<Vec<f64>> = (0..blocks)
        .map(|first| {
            let (mut pass, mut sum) = (ForwardPass::new(features.cols(), lambda), 0.0);
            let blocks = (first..blocks).map(|block| block * spacing..((block + 1) * spacing).min(targets.len()));
            let ends = blocks.map(|rows| {
                rows.for_each(|t| sum += pass.step(features.row(t), targets[t], 0.0, 1.0));
                sum
            });
            ends.collect()
        })
        .collect();
    // The best partition of the first j + 1 blocks into the present number of pieces, for each j.
    let mut best: Vec<(f64, Vec<usize>)> = costs.first().into_iter().flatten().map(|cost| (*cost, vec![0])).collect();
    let mut found: Vec<(f64, Vec<usize>)> = best.last().cloned().into_iter().collect();
    for _ in 0..switches.min(blocks.saturating_sub(1)) {
        let split = |j: usize| {
            let last = |i: &usize| best[i - 1].0 + costs[*i][j - i];
            let start = (1..=j).min_by(|one, other| last(one).total_cmp(&last(other)));
            start.filter(|start| last(start) < best[j].0).map_or_else(
                || best[j].clone(),
                |start| (last(&start), best[start - 1].1.iter().copied().chain([start * spacing]).collect()),
            )
        };
        let next = (0..best.len()).map(split).collect();
        best = next;
        found.extend(best.last().cloned());
    }
    found
}
