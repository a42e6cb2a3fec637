//! Laws of kernels. Each takes points from the region in which the kernel is used.

use crate::kernel::api::Kernel;
use crate::laws::broken::{Broken, require};
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::matrix::Rows;

/// A law of kernels, on these points.
pub type KernelLaw = fn(&dyn Kernel, Rows<'_>) -> Result<(), Broken>;

/// Every law.
pub const LAWS: [KernelLaw; 6] = [symmetric, diagonal, rows_and_blocks, combinations, positive_semidefinite, finite];

/// What [`symmetric`] tests.
pub(crate) const SYMMETRIC: &str = "k(x, z) = k(z, x) to the bit";
/// What [`diagonal`] tests.
pub(crate) const DIAGONAL: &str = "the diagonal is k(x, x), and at most the largest diagonal";
/// What [`rows_and_blocks`] tests.
pub(crate) const ROWS: &str = "rows and blocks of kernel values are evaluations";
/// What [`combinations`] tests.
pub(crate) const COMBINATIONS: &str = "combinations of kernel functions are sums of evaluations";
/// What [`positive_semidefinite`] tests.
pub(crate) const POSITIVE: &str = "kernel matrices have no negative eigenvalue";
/// What [`finite`] tests.
pub(crate) const FINITE: &str = "finite inputs give finite kernel values";

/// Checks all [`LAWS`].
///
/// # Errors
/// The first law that is broken.
///
/// ```
/// use noregret_core::prelude::*;
/// use noregret_core::laws::{self, data::LawRounds};
///
/// /// exp(-|x - z|^p), which is positive definite for p <= 2 only.
/// #[derive(Debug)]
/// struct Power(f64);
/// impl Kernel for Power {
///     fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 { (-(x[0] - z[0]).abs().powf(self.0)).exp() }
/// }
/// let points = LawRounds::smooth(1, 60).inputs;
/// assert_eq!(laws::kernel::all(&Power(1.0), points.view()), Ok(()));
/// let broken = laws::kernel::all(&Power(4.0), points.view()).unwrap_err();
/// assert_eq!(broken.law, "kernel matrices have no negative eigenvalue");
/// ```
pub fn all(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    LAWS.iter().try_for_each(|law| law(kernel, points))
}

/// The order of the arguments does not matter.
pub(crate) fn symmetric(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    for (i, x) in points.iter().enumerate() {
        for (j, z) in points.iter().enumerate() {
            let (one, other) = (kernel.evaluate(x, z), kernel.evaluate(z, x));
            require(one.to_bits() == other.to_bits(), SYMMETRIC, || format!("points {i} and {j}: {one} and {other}"))?;
        }
    }
    Ok(())
}

/// [`Kernel::diagonal`] against [`Kernel::evaluate`] and [`Kernel::largest_diagonal`].
pub(crate) fn diagonal(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    for (i, x) in points.iter().enumerate() {
        let (own, found) = (kernel.evaluate(x, x), kernel.diagonal(x));
        let equal = (found - own).abs() <= 1e-14 * own;
        require(equal, DIAGONAL, || format!("point {i}: {found} instead of {own}"))?;
        let largest = kernel.largest_diagonal();
        let below = largest.is_none_or(|largest| own <= largest * (1.0 + 1e-14));
        require(below, DIAGONAL, || format!("point {i}: {own} is above {largest:?}"))?;
    }
    Ok(())
}

/// [`Kernel::row`] and [`Kernel::gram`] against [`Kernel::evaluate`]. Repeated points are the same point.
pub(crate) fn rows_and_blocks(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    let (n, block) = (points.rows(), gram(kernel, points));
    let mut row = vec![f64::NAN; n];
    for (i, x) in points.iter().enumerate() {
        row.fill(f64::NAN);
        kernel.row(points, x, &mut row);
        let own = kernel.evaluate(x, x);
        for (j, z) in points.iter().enumerate() {
            let value = kernel.evaluate(x, z);
            // Relative to the bound of Cauchy-Schwarz, because inner products may cancel.
            let scale = 1e-14 * (own * kernel.diagonal(z)).sqrt().max(value.abs());
            for (form, found) in [("row", row[j]), ("gram", block[i * n + j])] {
                let equal = (found - value).abs() <= scale;
                require(equal, ROWS, || format!("{form}, points {i} and {j}: {found} instead of {value}"))?;
            }
            require(x != z || value == own, ROWS, || format!("points {i} and {j} are one: {value} and {own}"))?;
        }
    }
    Ok(())
}

/// [`Kernel::combine`] against [`Kernel::evaluate`]: sums over points with coefficients of both signs, for several
/// numbers of inputs, added to what was there.
pub(crate) fn combinations(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    let coefficients: Vec<f64> = (0..points.rows()).map(|i| (i as f64).sin()).collect();
    for count in [1, 16, 53] {
        let from = points.rows().min(3);
        let inputs = points.slice(from, points.rows().min(from + count));
        let mut found = vec![0.5; inputs.rows()];
        kernel.combine(points, &coefficients, inputs, &mut found);
        for (j, (x, found)) in inputs.iter().zip(&found).enumerate() {
            let terms = || points.iter().zip(&coefficients).map(|(z, a)| a * kernel.evaluate(z, x));
            let expected = 0.5 + terms().sum::<f64>();
            let scale = 0.5 + terms().map(f64::abs).sum::<f64>();
            let equal = (found - expected).abs() <= 1e-13 * scale;
            require(equal, COMBINATIONS, || format!("input {j} of {count}: {found} instead of {expected}"))?;
        }
    }
    Ok(())
}

/// The smallest eigenvalue of the kernel matrix is at least 0, up to rounding.
pub(crate) fn positive_semidefinite(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    let (n, gram) = (points.rows(), gram(kernel, points));
    let trace: f64 = gram.iter().step_by(n + 1).sum();
    // There are no eigenvalues if a kernel value is not finite.
    let eigen = eigen::symmetric(&gram, n, false).map_err(|error| Broken::new(POSITIVE, error.to_string()))?;
    let smallest = eigen.values.first().copied().unwrap_or_default();
    require(smallest >= -1e-10 * trace, POSITIVE, || format!("eigenvalue {smallest}, trace {trace}"))
}

/// Values are finite at 0, at tiny inputs and at inputs a million times as large as the points.
pub(crate) fn finite(kernel: &dyn Kernel, points: Rows<'_>) -> Result<(), Broken> {
    let (Some(x), Some(z)) = (points.iter().next(), points.iter().nth(1)) else { return Ok(()) };
    for factor in [0.0, 1e-300, 1e6] {
        let [x, z] = [x, z].map(|point| point.iter().map(|value| value * factor).collect::<Vec<f64>>());
        let sound = kernel.evaluate(&x, &z).is_finite() && kernel.diagonal(&x).is_finite();
        require(sound, FINITE, || format!("the first two points times {factor}"))?;
    }
    Ok(())
}

/// The matrix of kernel values.
fn gram(kernel: &dyn Kernel, points: Rows<'_>) -> Vec<f64> {
    let mut gram = vec![f64::NAN; points.rows() * points.rows()];
    kernel.gram(points, points, &mut gram);
    gram
}
