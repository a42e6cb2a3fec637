//! The best function in hindsight in a ball: min sum_t loss(f(x_t), y_t) over |f| <= U.

use std::sync::Arc;

use crate::comparator::api::{self, Best, Comparator, ComparatorEntry, ComparatorError, gram, smooth};
use crate::comparator::{convex, lanczos, low_rank, penalty};
use crate::kernel::api::Kernel;
use crate::kernel::linear::Linear;
use crate::loss::api::Loss;
use crate::params::typed::{Parameters, parameters};
use noregret_numeric::linalg::dense;
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};

parameters! {
    /// Parameters of `norm-ball`.
    pub struct InBallParams {
        radius: f64 = api::RADIUS;
        kernel: Arc<dyn Kernel> = api::KERNEL;
    }
}

/// Its registry entry.
pub(crate) static ENTRY: ComparatorEntry = ComparatorEntry {
    name: "norm-ball",
    summary: "min sum loss(f(x_t), y_t) over |f| <= radius in a kernel's space",
    module: module_path!(),
    params: InBallParams::SPECS,
    build: |params| Ok(Box::new(InBall(Parameters::read(params)))),
};

struct InBall(InBallParams);

impl InBall {
    /// The rounds as finitely many features whose inner products are the kernel, if it has such features. They are
    /// computed once, because they may cost far more than a product.
    fn mapped(&self, inputs: Rows<'_>) -> Option<Matrix> {
        let map = self.0.kernel.features(inputs.cols())?;
        let mut features = Matrix::zeros(inputs.rows(), map.features());
        map.write_rows(inputs, features.data_mut());
        Some(features)
    }

    /// The smallest loss over the ball of the space of `kernel`.
    fn over(&self, kernel: &dyn Kernel, inputs: Rows<'_>, targets: &[f64]) -> Result<f64, ComparatorError> {
        let n = inputs.rows();
        let over_features = |most: usize| {
            let features = low_rank::features(kernel, inputs, most.min(n / 2))?;
            features.map(|features| NormBall::over_features(features.view(), targets)).transpose()
        };
        // Smooth kernels need few features for many rounds. The others have large eigenvalues only among the first few, and
        // small ones count little where the ball is small. If that fails, half as many features as rounds are still
        // cheaper than all eigenvalues.
        if let Some(ball) = over_features(RANK as usize)? {
            return Ok(ball.loss(self.0.radius));
        }
        if n <= GRAM
            && let Some(loss) = lanczos::loss(kernel, inputs, targets, self.0.radius, n / 16 + 32)?
        {
            return Ok(loss);
        }
        if let Some(ball) = over_features(n)? {
            return Ok(ball.loss(self.0.radius));
        }
        Ok(NormBall::over_kernel(kernel, inputs, targets)?.loss(self.0.radius))
    }
}

impl Comparator for InBall {
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let loss = match self.mapped(inputs) {
            // With fewer features than rounds, the problem over the features is smaller.
            Some(features) if features.cols() < inputs.rows() => {
                NormBall::over_features(features.view(), targets)?.loss(self.0.radius)
            }
            Some(features) => self.over(&Linear, features.view(), targets)?,
            None => self.over(&*self.0.kernel, inputs, targets)?,
        };
        Ok(Best::of(loss))
    }

    fn accepts(&self, loss: &dyn Loss) -> Result<(), String> {
        smooth(loss)
    }

    fn solve_for(&self, loss: &dyn Loss, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let n = inputs.rows();
        let features = match self.mapped(inputs) {
            Some(features) => low_rank::features(&Linear, features.view(), n)?,
            None => low_rank::features(&*self.0.kernel, inputs, n)?,
        };
        let features = features.ok_or(ComparatorError::NotFinite(n))?;
        let minimum = convex::minimise(features.view(), targets, loss, self.0.radius)?;
        Ok(Best::of(minimum.loss))
    }

    fn cost(&self, rounds: u64, _: usize) -> (f64, f64) {
        // An upper bound: the rank is known only with the data, and for smooth kernels on low-dimensional inputs it is
        // far lower.
        let (n, rank) = (rounds as f64, rounds.min(RANK) as f64);
        let gram = if rounds <= GRAM as u64 { 4.0 * n * n } else { 0.0 };
        (n * rank * rank, 16.0 * n * rank + gram)
    }
}

/// The largest number of features that [`InBall`] is expected to need.
const RANK: u64 = 256;

/// Up to so many rounds, half of the Gram matrix takes no more than 256 MiB.
const GRAM: usize = 8192;

/// The problem in the eigenbasis of the Gram matrix, ready for any radius.
///
/// With K = sum_k w_k v_k v_k' and beta_k = v_k' y, the ridge regression with penalty nu has squared norm sum_k w_k
/// beta_k^2 / (w_k + nu)^2 and loss sum_k (nu beta_k / (w_k + nu))^2 + rest, where rest is what no function explains.
/// The best function of the ball is the ridge regression whose norm is U, or that of nu = 0 if its norm is smaller.
///
/// ```
/// use noregret_core::{comparator::norm_ball::NormBall, prelude::*};
///
/// let points = Matrix::from_data(3, 1, vec![1.0, 2.0, 3.0]).unwrap();
/// let ball = NormBall::over_features(points.view(), &[2.0, 4.0, 6.0]).unwrap(); // y = 2 x
/// assert!(ball.loss(2.0) < 1e-12 && ball.loss(5.0) < 1e-12);
/// assert!((ball.loss(1.0) - 14.0).abs() < 1e-9); // w = 1: 1 + 4 + 9
/// assert!((ball.loss(0.0) - 56.0).abs() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct NormBall {
    /// (w_k, beta_k^2) for w_k > 0.
    modes: Vec<(f64, f64)>,
    /// sum of beta_k^2 over w_k = 0.
    rest: f64,
}

impl NormBall {
    /// Over a kernel's space: n^2 numbers and O(n^3) operations.
    ///
    /// # Errors
    /// When a kernel value is not finite.
    pub fn over_kernel(kernel: &dyn Kernel, points: Rows<'_>, targets: &[f64]) -> Result<Self, ComparatorError> {
        let n = points.rows();
        let eigen = eigen::symmetric(&gram(kernel, points), n, true).map_err(|_| ComparatorError::NotFinite(n))?;
        let projections = eigen.vectors.chunks_exact(n.max(1)).map(|vector| dot(vector, targets).powi(2));
        let (modes, rest) = penalty::modes(&eigen.values, projections);
        Ok(Self { modes, rest })
    }

    /// Over the linear functions of explicit `features` (one row per round): O(n r^2 + r^3) operations.
    ///
    /// # Errors
    /// When a feature is not finite.
    pub fn over_features(features: Rows<'_>, targets: &[f64]) -> Result<Self, ComparatorError> {
        let (n, r) = (features.rows(), features.cols());
        let mut covariance = vec![0.0; r * r];
        let rows = dense::view(features.data(), n, r, r);
        dense::product(dense::view_mut(&mut covariance, r, r, r), rows.transpose(), rows);
        let eigen = eigen::symmetric(&covariance, r, true).map_err(|_| ComparatorError::NotFinite(n))?;
        // F'F = sum_k w_k u_k u_k' gives v_k = F u_k / sqrt(w_k).
        let mut moment = vec![0.0; r];
        for (phi, y) in features.iter().zip(targets) {
            add_scaled(&mut moment, *y, phi);
        }
        let vectors = eigen.vectors.chunks_exact(r.max(1)).zip(&eigen.values);
        let projections = vectors.map(|(vector, value)| dot(vector, &moment).powi(2) / value);
        let (modes, _) = penalty::modes(&eigen.values, projections);
        let explained: f64 = modes.iter().map(|(_, squared)| squared).sum();
        Ok(Self { modes, rest: (squared_norm(targets) - explained).max(0.0) })
    }

    /// The smallest loss over |f| <= `radius`; `radius` >= 0.
    pub fn loss(&self, radius: f64) -> f64 {
        penalty::loss(&self.modes, self.rest, radius)
    }

    /// The nu whose ridge regression has norm `radius`; 0 if the unpenalised one lies in the ball, infinite for radius
    /// 0.
    pub fn penalty(&self, radius: f64) -> f64 {
        penalty::of_radius(&self.modes, radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::penalised;
    use crate::kernel::polynomial::Polynomial;
    use noregret_numeric::draw::{Draws, Role};

    #[test]
    fn extremes_and_agreement_with_the_penalised_form() {
        let (n, mut draw) = (40, Draws::named(&["ball"]).at(Role::Start, 0));
        let mut features = Matrix::zeros(n, 3);
        features.data_mut().iter_mut().for_each(|entry| *entry = draw.normal());
        let targets: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let primal = NormBall::over_features(features.view(), &targets).unwrap();
        // (0 + <x, z>)^1 is the linear kernel: the dual problem over the same functions.
        let dual = NormBall::over_kernel(&Polynomial::new(1, 0.0), features.view(), &targets).unwrap();
        for radius in [0.0, 1e-9, 0.1, 0.2, 5.0, f64::INFINITY] {
            assert!((primal.loss(radius) - dual.loss(radius)).abs() < 1e-12 * dual.loss(radius), "{radius}");
        }
        assert!((dual.loss(0.0) - squared_norm(&targets)).abs() < 1e-12 * n as f64);
        // A ridge regression is the best function of the ball whose radius is its norm.
        for lambda in [0.01, 3.0, 1e4] {
            let ridge = penalised::over_features(features.view(), &targets, lambda).unwrap();
            let loss = primal.loss(ridge.squared_norm.sqrt());
            assert!((loss - ridge.loss).abs() < 1e-11 * ridge.loss, "{lambda}: {loss} {}", ridge.loss);
        }
    }
}
