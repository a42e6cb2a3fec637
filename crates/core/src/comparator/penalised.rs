//! The best function in hindsight under a penalty: min_f sum_t (y_t - f(x_t))^2 + lambda |f|^2.
//!
//! The penalised minimum is L* = lambda y' (K + lambda I)^-1 y, against which the regret of the AWV forecaster is at
//! most B^2 log det(I + K / lambda) for |y| <= B.

use std::sync::Arc;

use crate::comparator::api::{self, Best, Comparator, ComparatorEntry, ComparatorError};
use crate::kernel::api::Kernel;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::sum::Sum;
use noregret_numeric::linalg::vector::{add_scaled, dot, solve_lower, squared_norm};

parameters! {
    /// Parameters of `penalised`.
    pub struct OverKernelParams {
        /// regularisation
        lambda: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        kernel: Arc<dyn Kernel> = api::KERNEL;
    }
}

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "penalised",
    summary: "min_f sum (y_t - f(x_t))^2 + lambda |f|^2 over a kernel's space (PKAWV paper, section 2)",
    module: module_path!(),
    params: OverKernelParams::SPECS,
    build: |params| Ok(Box::new(OverKernel(Parameters::read(params)))),
};

struct OverKernel(OverKernelParams);

impl Comparator for OverKernel {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let best = over_kernel(&*self.0.kernel, inputs, targets, self.0.lambda, &[targets.len()])?;
        let best = best.first().ok_or(ComparatorError::NotFinite(targets.len()))?;
        Ok(Best { loss: best.loss, objective: best.objective })
    }

    /// The factor, of which about half is stored, and one block of kernel values.
    fn cost(&self, rounds: u64, _: usize) -> (f64, f64) {
        let n = rounds as f64;
        (n * n * n / 3.0, Growing::bytes(rounds as usize, BLOCK) + 8.0 * BLOCK as f64 * n)
    }
}

/// The ridge regression of all rounds up to a horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalised {
    /// The minimum, `loss + lambda squared_norm`.
    pub objective: f64,
    /// Its in-sample loss, sum_t (y_t - f(x_t))^2.
    pub loss: f64,
    /// |f|^2.
    pub squared_norm: f64,
}

/// Number of rows that are factorised at once.
const BLOCK: usize = 256;

/// The comparator over a kernel's space for each of `horizons`, in any order: each is a number of first rounds, at most
/// `targets.len()`. One factorisation for the longest serves all: n^3 / 3 multiply-adds and n^2 / 2 numbers. `lambda` >
/// 0.
///
/// # Errors
/// When a kernel value is not finite.
pub fn over_kernel(
    kernel: &dyn Kernel,
    points: Rows<'_>,
    targets: &[f64],
    lambda: f64,
    horizons: &[usize],
) -> Result<Vec<Penalised>, ComparatorError> {
    let mut order: Vec<usize> = (0..horizons.len()).collect();
    order.sort_by_key(|&i| horizons[i]);
    let mut factor = Growing::new(BLOCK, lambda);
    // z = L^-1 y; then L* = lambda |z|^2, and the coefficients are c = L^-T z.
    let mut whitened: Vec<f64> = Vec::new();
    let mut results = vec![Penalised { objective: 0.0, loss: 0.0, squared_norm: 0.0 }; horizons.len()];
    for i in order {
        let horizon = horizons[i].min(targets.len());
        extend(&mut factor, kernel, points, lambda, horizon).map_err(|_| ComparatorError::NotFinite(horizon))?;
        for (row, target) in (whitened.len()..horizon).zip(&targets[whitened.len()..horizon]) {
            let row = factor.row(row);
            let (diagonal, row) = (row[row.len() - 1], &row[..row.len() - 1]);
            whitened.push((target - dot(row, &whitened)) / diagonal);
        }
        let mut coefficients = whitened.clone();
        factor.solve_transposed(&mut coefficients);
        let objective = lambda * squared_norm(&whitened);
        let loss = lambda * lambda * squared_norm(&coefficients);
        let squared_norm = ((objective - loss) / lambda).max(0.0);
        results[i] = Penalised { objective, loss, squared_norm };
    }
    Ok(results)
}

fn extend(
    factor: &mut Growing,
    kernel: &dyn Kernel,
    points: Rows<'_>,
    lambda: f64,
    horizon: usize,
) -> Result<(), dense::NotFinite> {
    let mut gram = Vec::new();
    while factor.len() < horizon {
        let (from, to) = (factor.len(), horizon.min(factor.len() + BLOCK - factor.len() % BLOCK));
        gram.resize((to - from) * to, 0.0);
        let gram = &mut gram[..(to - from) * to];
        kernel.gram(points.slice(from, to), points.slice(0, to), gram);
        for i in from..to {
            gram[(i - from) * to + i] += lambda;
        }
        factor.extend(to - from, gram)?;
    }
    Ok(())
}

/// The comparator over the linear functions of explicit `features` (one row per round). `lambda` > 0.
///
/// # Errors
/// When a feature is not finite.
pub fn over_features(features: Rows<'_>, targets: &[f64], lambda: f64) -> Result<Penalised, ComparatorError> {
    let (n, r) = (features.rows(), features.cols());
    let mut factor = vec![0.0; r * r];
    factor.iter_mut().step_by(r + 1).for_each(|entry| *entry = lambda);
    let rows = dense::view(features.data(), n, r, r);
    dense::add_gram_lower(dense::view_mut(&mut factor, r, r, r), 1.0, rows.transpose());
    let mut weights = vec![0.0; r];
    for (phi, y) in features.iter().zip(targets) {
        add_scaled(&mut weights, *y, phi);
    }
    let largest = factor.iter().step_by(r + 1).copied().fold(0.0, f64::max);
    dense::cholesky(&mut factor, r, r, dense::pivot_floor(lambda, largest))
        .map_err(|_| ComparatorError::NotFinite(n))?;
    solve_lower(&factor, r, &[], &mut weights);
    for i in (0..r).rev() {
        weights[i] /= factor[i * r + i];
        let value = weights[i];
        add_scaled(&mut weights[..i], -value, &factor[i * r..i * r + i]);
    }
    let mut loss = Sum::default();
    for (phi, y) in features.iter().zip(targets) {
        let residual = y - dot(phi, &weights);
        loss.add(residual * residual);
    }
    let (loss, squared_norm) = (loss.value(), squared_norm(&weights));
    Ok(Penalised { objective: loss + lambda * squared_norm, loss, squared_norm })
}
