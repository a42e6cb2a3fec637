//! The least-squares problem over a ball of one radius, from a few products of the Gram matrix with a vector.
//!
//! With K = sum_k w_k v_k v_k' and the measure that has mass (v_k' y)^2 at w_k, the smallest loss over |f| <= U is the
//! maximum over nu >= 0 of nu int 1 / (w + nu) - nu U^2. The Lanczos method from y gives rules for this measure. As
//! 1 / (w + nu) has derivatives of alternating signs, a Gauss rule makes every such integral too small, and a
//! Gauss-Radau rule with a node at 0 too large: so the losses of the two rules enclose the one sought.
//!
//! Source: G. Golub, G. Meurant, "Matrices, moments and quadrature with applications", chapters 6 and 7.

use crate::comparator::api::ComparatorError;
use crate::comparator::penalty;
use crate::kernel::api::Kernel;
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::{add_scaled, dot, squared_norm};

/// Rows of the Gram matrix that are computed together.
const BLOCK: usize = 256;

/// The losses of both rules agree when they differ by this fraction or less.
const TOLERANCE: f64 = 1e-12;

/// The smallest loss over |f| <= `radius`; `None` if more than `limit` products would not determine it, as for a ball
/// that holds the unpenalised solution. Takes n^2 / 2 numbers and kernel values, and n^2 multiply-adds for each product.
///
/// # Errors
/// When a kernel value is not finite.
pub(crate) fn loss(
    kernel: &dyn Kernel,
    points: Rows<'_>,
    targets: &[f64],
    radius: f64,
    limit: usize,
) -> Result<Option<f64>, ComparatorError> {
    let gram = Gram::new(kernel, points)?;
    let total = squared_norm(targets);
    if total == 0.0 {
        return Ok(Some(0.0));
    }
    let mut basis = vec![targets.iter().map(|y| y / total.sqrt()).collect::<Vec<f64>>()];
    let mut jacobi = Jacobi::default();
    // The rules are compared after each growth of their number of nodes by an eighth.
    let mut check = 8;
    while let Some(last) = basis.last().filter(|_| basis.len() <= limit) {
        let mut next = gram.product(last);
        jacobi.diagonal.push(dot(&next, last));
        for _ in 0..2 {
            for row in &basis {
                let along = dot(row, &next);
                add_scaled(&mut next, -along, row);
            }
        }
        let norm = squared_norm(&next).sqrt();
        jacobi.side.push(norm);
        let exact = norm <= 1e-15 * jacobi.diagonal[0].abs() * (targets.len() as f64);
        if exact || basis.len() >= check {
            check += check.div_ceil(8);
            let Some(low) = jacobi.loss(None, total, radius) else { return Ok(None) };
            let high = jacobi.last_at_zero().and_then(|last| jacobi.loss(Some(last), total, radius));
            if exact || high.is_some_and(|high| high - low <= TOLERANCE * low) {
                return Ok(Some(low));
            }
        }
        next.iter_mut().for_each(|entry| *entry /= norm);
        basis.push(next);
    }
    Ok(None)
}

/// The lower triangle of a Gram matrix, in blocks of rows that end with the block's own columns.
struct Gram {
    blocks: Vec<Vec<f64>>,
}

impl Gram {
    fn new(kernel: &dyn Kernel, points: Rows<'_>) -> Result<Self, ComparatorError> {
        let n = points.rows();
        let mut blocks = Vec::new();
        for from in (0..n).step_by(BLOCK) {
            let to = n.min(from + BLOCK);
            let mut block = vec![0.0; (to - from) * to];
            kernel.gram(points.slice(from, to), points.slice(0, to), &mut block);
            if block.iter().any(|value| !value.is_finite()) {
                return Err(ComparatorError::NotFinite(n));
            }
            blocks.push(block);
        }
        Ok(Self { blocks })
    }

    /// K x. Each row is read from memory once.
    fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for (b, block) in self.blocks.iter().enumerate() {
            let (from, to) = (b * BLOCK, x.len().min((b + 1) * BLOCK));
            for (i, row) in block.chunks_exact(to).enumerate() {
                out[from + i] += dot(row, &x[..to]);
                add_scaled(&mut out[..from], x[from + i], &row[..from]);
            }
        }
        out
    }
}

/// The tridiagonal matrix of the Lanczos method: as many diagonal entries as products, and as many beside the diagonal,
/// of which the last leads to the next step.
#[derive(Default)]
struct Jacobi {
    diagonal: Vec<f64>,
    side: Vec<f64>,
}

impl Jacobi {
    /// The entry that follows on the diagonal of the rule with a node at 0; `None` if rounding hides it.
    fn last_at_zero(&self) -> Option<f64> {
        let (mut pivot, mut entry) = (f64::INFINITY, 0.0);
        for (diagonal, side) in self.diagonal.iter().zip(&self.side) {
            pivot = diagonal - entry;
            entry = side * side / pivot;
        }
        (pivot > 0.0).then_some(entry)
    }

    /// The loss by the rule of this matrix, with one more entry on the diagonal if it is given, for targets whose squares
    /// sum to `total`.
    fn loss(&self, last: Option<f64>, total: f64, radius: f64) -> Option<f64> {
        let n = self.diagonal.len() + usize::from(last.is_some());
        let mut matrix = vec![0.0; n * n];
        self.diagonal.iter().chain(&last).enumerate().for_each(|(i, value)| matrix[i * n + i] = *value);
        self.side[..n - 1].iter().enumerate().for_each(|(i, value)| matrix[(i + 1) * n + i] = *value);
        let eigen = eigen::symmetric(&matrix, n, true).ok()?;
        let masses = eigen.vectors.chunks_exact(n).map(|vector| total * vector[0] * vector[0]);
        let (modes, rest) = penalty::modes(&eigen.values, masses);
        Some(penalty::loss(&modes, rest, radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparator::norm_ball::NormBall;
    use crate::kernel::gaussian::Gaussian;
    use crate::kernel::linear::Linear;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Matrix;

    fn examples(n: usize, dim: usize) -> (Matrix, Vec<f64>) {
        let mut draw = Draws::named(&["lanczos"]).at(Role::Start, 0);
        let inputs = Matrix::from_data(n, dim, (0..n * dim).map(|_| draw.normal()).collect()).unwrap();
        let targets = inputs.view().iter().map(|x| x[0].sin() + draw.normal()).collect();
        (inputs, targets)
    }

    #[test]
    fn losses_are_those_of_all_eigenvalues() {
        let (inputs, targets) = examples(2 * BLOCK + 60, 3);
        for bandwidth in [0.3, 2.0] {
            let kernel = Gaussian::new(bandwidth);
            let ball = NormBall::over_kernel(&kernel, inputs.view(), &targets).unwrap();
            for radius in [0.0, 0.1, 1.0, 4.0] {
                let found = loss(&kernel, inputs.view(), &targets, radius, 120).unwrap().unwrap();
                let expected = ball.loss(radius);
                assert!((found - expected).abs() < 1e-11 * expected, "{bandwidth}, {radius}: {found} {expected}");
            }
        }
    }

    /// With too few products there is no answer rather than a wrong one: the loss of a ball that holds the unpenalised
    /// solution, which depends on the smallest eigenvalues, or of one that would take more of them.
    #[test]
    fn what_a_few_products_do_not_determine_is_not_answered() {
        let (inputs, targets) = examples(300, 3);
        let kernel = Gaussian::new(0.5);
        assert_eq!(loss(&kernel, inputs.view(), &targets, 1e6, 60).unwrap(), None);
        assert_eq!(loss(&kernel, inputs.view(), &targets, 3.0, 8).unwrap(), None);
        assert!(loss(&kernel, inputs.view(), &targets, 3.0, 60).unwrap().is_some());
    }

    /// Four products are all for a kernel of rank 3, whatever the ball holds.
    #[test]
    fn few_eigenvalues_end_it() {
        let (inputs, targets) = examples(200, 3);
        let ball = NormBall::over_kernel(&Linear, inputs.view(), &targets).unwrap();
        for radius in [0.1, 100.0] {
            let found = loss(&Linear, inputs.view(), &targets, radius, 4).unwrap().unwrap();
            assert!((found - ball.loss(radius)).abs() < 1e-11 * found, "{radius}: {found}");
        }
        assert_eq!(loss(&Linear, inputs.view(), &[0.0; 200], 1.0, 4).unwrap(), Some(0.0));
    }

    #[test]
    fn values_that_are_not_finite_are_refused() {
        let inputs = Matrix::from_data(2, 1, vec![1e200, 1.0]).unwrap();
        let found = loss(&Linear, inputs.view(), &[1.0, 1.0], 1.0, 4);
        assert_eq!(found, Err(ComparatorError::NotFinite(2)));
    }
}
