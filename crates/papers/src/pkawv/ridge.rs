//! Ridge regression of a run in hindsight, with the determinant that bounds regrets against it.

use crate::case::Inapplicable;
use noregret_core::feature::api::FeatureMap;
use noregret_core::feature::taylor::Taylor;
use noregret_core::kernel::api::Kernel;
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::{add_scaled, dot, solve_lower, squared_norm};

use crate::guarantee::{PlayedRun, Prefix};

/// Rounds of which a Gram matrix is factored.
pub(crate) const GRAM_ROUNDS: usize = 512;
/// Multiply-adds of the products of features, and numbers that features may take.
const PRODUCTS: usize = 200_000_000;
const NUMBERS: usize = 8_000_000;

/// The minimiser f of sum (y_t - f(x_t))^2 + lambda |f|^2, and log det(I + K / lambda).
pub(crate) struct Ridge {
    /// The minimum L*.
    pub(crate) objective: f64,
    /// sum (y_t - f(x_t))^2.
    pub loss: f64,
    /// |f|^2.
    pub squared_norm: f64,
    /// log det(I + K / lambda).
    pub(crate) log_det: f64,
    /// f(x_t).
    pub(crate) fitted: Vec<f64>,
    /// The largest k(x_t, x_t).
    pub diagonal: f64,
}

/// Replaces `a`, the lower triangle of order n of a positive-semidefinite matrix plus lambda I, by its factor L, and `b` by
/// L^-T L^-1 b; returns log det(a / lambda) and |L^-1 b|^2.
fn solve(a: &mut [f64], b: &mut [f64], lambda: f64) -> Result<(f64, f64), Inapplicable> {
    let n = b.len();
    let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
    dense::cholesky(a, n, n, dense::pivot_floor(lambda, largest)).map_err(|_| "kernel values are not finite")?;
    solve_lower(a, n, &[], b);
    let whitened = squared_norm(b);
    for i in (0..n).rev() {
        b[i] /= a[i * n + i];
        let value = b[i];
        add_scaled(&mut b[..i], -value, &a[i * n..i * n + i]);
    }
    Ok(((0..n).map(|i| 2.0 * a[i * n + i].ln() - lambda.ln()).sum(), whitened))
}

/// Over the space of a kernel: L* = lambda y' (K + lambda I)^-1 y.
pub(crate) fn over_kernel(kernel: &dyn Kernel, rounds: &Prefix<'_>, lambda: f64) -> Result<Ridge, Inapplicable> {
    let n = rounds.targets.len();
    let mut gram = vec![0.0; n * n];
    kernel.gram(rounds.inputs, rounds.inputs, &mut gram);
    over_gram(gram, rounds.targets, lambda)
}

/// Over the space whose Gram matrix has this lower triangle.
fn over_gram(mut gram: Vec<f64>, targets: &[f64], lambda: f64) -> Result<Ridge, Inapplicable> {
    let n = targets.len();
    let diagonal = gram.iter().step_by(n + 1).copied().fold(0.0, f64::max);
    gram.iter_mut().step_by(n + 1).for_each(|own| *own += lambda);
    let mut coefficients = targets.to_vec();
    let (log_det, whitened) = solve(&mut gram, &mut coefficients, lambda)?;
    let (objective, loss) = (lambda * whitened, lambda * lambda * squared_norm(&coefficients));
    let fitted = targets.iter().zip(&coefficients).map(|(y, c)| y - lambda * c).collect();
    Ok(Ridge { objective, loss, squared_norm: ((objective - loss) / lambda).max(0.0), log_det, fitted, diagonal })
}

/// Over the linear functions of explicit features, one row a round.
pub(crate) fn over_features(features: Rows<'_>, targets: &[f64], lambda: f64) -> Result<Ridge, Inapplicable> {
    let (n, r) = (features.rows(), features.cols());
    let rows = dense::view(features.data(), n, r, r);
    if n < r {
        let mut gram = vec![0.0; n * n];
        dense::add_gram_lower(dense::view_mut(&mut gram, n, n, n), 1.0, rows);
        return over_gram(gram, targets, lambda);
    }
    let mut products = vec![0.0; r * r];
    products.iter_mut().step_by(r + 1).for_each(|own| *own = lambda);
    dense::add_gram_lower(dense::view_mut(&mut products, r, r, r), 1.0, rows.transpose());
    let mut weights = vec![0.0; r];
    features.iter().zip(targets).for_each(|(phi, y)| add_scaled(&mut weights, *y, phi));
    let (log_det, _) = solve(&mut products, &mut weights, lambda)?;
    let fitted: Vec<f64> = features.iter().map(|phi| dot(phi, &weights)).collect();
    let loss = fitted.iter().zip(targets).map(|(f, y)| (y - f) * (y - f)).sum::<f64>();
    let norm = squared_norm(&weights);
    let diagonal = features.iter().map(squared_norm).fold(0.0, f64::max);
    Ok(Ridge { objective: loss + lambda * norm, loss, squared_norm: norm, log_det, fitted, diagonal })
}

/// The Taylor features of the rounds of a run, as many as are worth it.
///
/// # Errors
/// If there are too many features, or no checkpoint in reach.
pub(crate) fn taylor<'a>(
    run: &PlayedRun<'a>,
    bandwidth: f64,
    order: u64,
    most: usize,
) -> Result<(Prefix<'a>, Matrix), Inapplicable> {
    let map = Taylor::new(run.inputs.cols(), order as usize, bandwidth).ok_or("it has too many features")?;
    let r = map.features();
    // n r^2 or, where there are more features than rounds, n^2 r.
    let worth = (PRODUCTS / (r * r)).max((PRODUCTS / r).isqrt());
    let rounds = run.within(most.min(worth).min(NUMBERS / r))?;
    let mut features = Matrix::zeros(rounds.targets.len(), r);
    map.write_rows(rounds.inputs, features.data_mut());
    Ok((rounds, features))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::comparator::effective_dimension::Spectrum;
    use noregret_core::comparator::penalised;
    use noregret_core::kernel::gaussian::Gaussian;
    use noregret_core::kernel::linear::Linear;
    use noregret_numeric::draw::{Draws, Role};

    /// Against the comparator and the spectrum of the core, which are computed in other ways; and a linear kernel against the
    /// inputs as features.
    #[test]
    fn ridge_is_that_of_the_comparators() {
        let mut draw = Draws::named(&["ridge"]).at(Role::Example, 0);
        let inputs = Matrix::from_data(60, 3, (0..180).map(|_| draw.normal()).collect()).unwrap();
        let targets: Vec<f64> = (0..60).map(|_| draw.normal()).collect();
        let rounds = Prefix { rounds: 60, total: 0.0, inputs: inputs.view(), targets: &targets, largest: 1.0 };
        let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
        for lambda in [0.01, 1.0, 30.0] {
            let few = Prefix { targets: &targets[..2], inputs: inputs.slice(0, 2), rounds: 2, ..rounds };
            let (two, other) =
                (over_kernel(&Linear, &few, lambda).unwrap(), over_features(few.inputs, few.targets, lambda));
            same(two.objective, other.unwrap().objective);
            let (kernel, found) = (Gaussian::new(1.0), over_kernel(&Gaussian::new(1.0), &rounds, lambda).unwrap());
            let known = penalised::over_kernel(&kernel, inputs.view(), &targets, lambda, &[60]).unwrap()[0];
            same(found.objective, known.objective);
            same(found.loss, known.loss);
            same(found.log_det, Spectrum::of(&kernel, inputs.view()).unwrap().log_det(lambda));
            let fitted: f64 = found.fitted.iter().zip(&targets).map(|(f, y)| (f - y).powi(2)).sum();
            same(fitted, found.loss);
            let linear = over_kernel(&Linear, &rounds, lambda).unwrap();
            let features = over_features(inputs.view(), &targets, lambda).unwrap();
            for (a, b) in [
                (linear.objective, features.objective),
                (linear.loss, features.loss),
                (linear.squared_norm, features.squared_norm),
                (linear.log_det, features.log_det),
                (linear.diagonal, features.diagonal),
            ] {
                same(a, b);
            }
        }
    }
}
