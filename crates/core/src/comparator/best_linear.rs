//! best-linear: the least squared loss of a fixed linear combination of forecasts, where the inputs are forecasts.

use crate::comparator::api::{Best, Comparator, ComparatorEntry, ComparatorError};
use crate::comparator::experts::solve;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::{add_scaled, dot};

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "best-linear",
    summary: "min_w sum (y - w'x)^2: least squares on the input columns, such as forecasts",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Box::new(BestLinear)),
};

struct BestLinear;

impl Comparator for BestLinear {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let k = inputs.cols();
        let (mut gram, mut products) = (vec![0.0; k * k], vec![0.0; k]);
        for (x, y) in inputs.iter().zip(targets) {
            add_scaled(&mut products, *y, x);
            gram.chunks_mut(k).zip(x).for_each(|(row, factor)| add_scaled(row, *factor, x));
        }
        // An error of the weights enters the loss of their residuals only by its square.
        let weights = solve(gram, products).ok_or(ComparatorError::NotFinite(targets.len()))?;
        let residuals = inputs.iter().zip(targets).map(|(x, y)| y - dot(&weights, x));
        let loss: f64 = residuals.map(|residual| residual * residual).sum();
        Best::finite(loss, targets.len())
    }

    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let (n, k) = (rounds as f64, dim as f64);
        (2.0 * n * k * k + k * k * k, 8.0 * k * k)
    }
}
