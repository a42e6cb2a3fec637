//! What can be known of forecasts in hindsight, where the columns of the inputs are the forecasts of experts: the loss of the
//! best one, and of the best sequence with few changes. A forecast that is no finite number is absent: whoever follows it in
//! that round has an infinite loss.

use crate::comparator::api::ComparatorError;
use crate::loss::api::Loss;
use noregret_numeric::linalg::dense::{cholesky, pivot_floor};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::solve_lower;

/// The least loss of a sequence of experts with at most m changes, for m = 0..=`shifts`; infinite where every sequence meets
/// an absent forecast. O(n K m) operations.
///
/// # Errors
/// If a target is no number.
pub fn best_sequences(
    forecasts: Rows<'_>,
    targets: &[f64],
    loss: &dyn Loss,
    shifts: usize,
) -> Result<Vec<f64>, ComparatorError> {
    let experts = forecasts.cols();
    // The least loss of a sequence with m changes so far that is at expert k now: row m.
    let mut least = vec![f64::INFINITY; (shifts + 1) * experts];
    least[..experts].fill(0.0);
    let lowest = |row: &[f64]| row.iter().copied().fold(f64::INFINITY, f64::min);
    for (t, (row, &y)) in forecasts.iter().zip(targets).enumerate() {
        if !y.is_finite() {
            return Err(ComparatorError::NotFinite(targets.len()));
        }
        for m in (0..=shifts).rev() {
            let (before, now) = least.split_at_mut(m * experts);
            // Nobody has changed before the first round.
            let come = if m == 0 || t == 0 { f64::INFINITY } else { lowest(&before[(m - 1) * experts..]) };
            for (value, forecast) in now.iter_mut().zip(row) {
                let own = if forecast.is_finite() { loss.of(*forecast, y) } else { f64::INFINITY };
                *value = value.min(come) + own;
            }
        }
    }
    let mut best = f64::INFINITY;
    let rows = least.chunks(experts.max(1)).map(|row| {
        best = best.min(lowest(row));
        best
    });
    Ok(rows.collect())
}

/// The products of the columns y - f_k of residuals, row-major, and of these with y: G = A'A for a combination of sum 1.
///
/// # Errors
/// If a forecast is absent: combinations of forecasts need all of them.
pub(crate) fn residual_products(forecasts: Rows<'_>, targets: &[f64]) -> Result<Vec<f64>, ComparatorError> {
    let k = forecasts.cols();
    let mut gram = vec![0.0; k * k];
    let mut residuals = vec![0.0; k];
    for (row, y) in forecasts.iter().zip(targets) {
        residuals.iter_mut().zip(row).for_each(|(residual, forecast)| *residual = y - forecast);
        for (line, a) in gram.chunks_mut(k).zip(&residuals) {
            line.iter_mut().zip(&residuals).for_each(|(sum, b)| *sum += a * b);
        }
    }
    match gram.iter().all(|product| product.is_finite()) {
        true => Ok(gram),
        false => Err(ComparatorError::NotFinite(targets.len())),
    }
}

/// The solution v of A v = b for a positive-semidefinite `n` x `n` matrix, row-major; where A is singular to working
/// precision, a small multiple of the identity is added.
pub(super) fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    let largest = (0..n).map(|i| a[i * n + i]).fold(f64::MIN_POSITIVE, f64::max);
    cholesky(&mut a, n, n, pivot_floor(0.0, largest)).ok()?;
    solve_lower(&a, n, &[], &mut b);
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| a[j * n + i] * b[j]).sum();
        b[i] = (b[i] - known) / a[i * n + i];
    }
    b.iter().all(|value| value.is_finite()).then_some(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::absolute::Absolute;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Matrix;

    /// Against all sequences of three experts over seven rounds, with absent forecasts.
    #[test]
    fn sequences_against_enumeration() {
        let mut draw = Draws::named(&["sequences"]).at(Role::Example, 0);
        for _ in 0..20 {
            let forecasts: Vec<f64> =
                (0..21).map(|_| if draw.below(5) == 0 { f64::NAN } else { draw.between(-1.0, 1.0) }).collect();
            let forecasts = Matrix::from_data(7, 3, forecasts).unwrap();
            let targets: Vec<f64> = (0..7).map(|_| draw.between(-1.0, 1.0)).collect();
            let mut expected = [f64::INFINITY; 4];
            for code in 0..3usize.pow(7) {
                let path: Vec<usize> = (0..7).map(|t| code / 3usize.pow(t) % 3).collect();
                let changes = path.windows(2).filter(|pair| pair[0] != pair[1]).count();
                let loss: f64 = (0..7)
                    .map(|t| (forecasts.row(t)[path[t]], targets[t]))
                    .map(|(f, y)| if f.is_finite() { Absolute.of(f, y) } else { f64::INFINITY })
                    .sum();
                expected.iter_mut().skip(changes).for_each(|least| *least = least.min(loss));
            }
            let found = best_sequences(forecasts.view(), &targets, &Absolute, 3).unwrap();
            for (found, expected) in found.iter().zip(expected) {
                assert!(*found == expected || (found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }
}
