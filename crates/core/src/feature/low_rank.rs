//! Coordinates in the span of points that are chosen so that the kernel is reproduced up to a stated tolerance: an
//! incomplete Cholesky factor of the Gram matrix.
//!
//! Sources: S. Fine, K. Scheinberg, JMLR 2 (2001), and F. Bach, M. Jordan, JMLR 3 (2002), for the factor; Y. Engel, S.
//! Mannor, R. Meir, The kernel recursive least-squares algorithm, IEEE Transactions on Signal Processing 52 (2004), for
//! the choice in one pass (approximate linear dependence).

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::kernel::api::Kernel;
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::linalg::vector::{dot, squared_norm};
use noregret_numeric::state::{StateError, Store};

/// Panel height of the factor.
const HEIGHT: usize = 256;

/// Inputs handled together: enough for matrix products to run at full speed.
const BLOCK: usize = 512;

/// psi(x) = L^-1 (k(x_j, x))_j with L L' = (k(x_i, x_j))_ij over the chosen points x_1, ..., x_r: the coordinates of
/// the projection of k(x, .) onto the span of the points, in an orthonormal basis.
#[derive(Debug)]
pub(crate) struct LowRank {
    kernel: Arc<dyn Kernel>,
    points: Matrix,
    factor: Growing,
    quality: Quality,
}

/// How well the kernel of psi reproduces k over the inputs x_1, ..., x_n from which the points were chosen, in terms of
/// E = K - (<psi(x_s), psi(x_t)>)_st, which is positive semidefinite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Quality {
    /// kappa^2 = max_t k(x_t, x_t).
    pub largest: f64,
    /// nu, the tolerance times kappa^2. No E_tt is larger, and hence no |E_st|.
    pub entry: f64,
    /// An upper bound of the trace of E, at most n nu.
    pub trace: f64,
    /// Kernel values computed to choose the points.
    pub evaluations: u64,
}

/// Why no points were chosen.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ChoiceError {
    /// A kernel value overflowed.
    #[error("kernel values of these inputs overflow; scale the inputs")]
    NotFinite,
    /// More points would be needed than are accepted.
    #[error(
        "the tolerance {tolerance} needs more than {most} points of these inputs, and a matrix of that order takes \
         more than 4 GiB; use a larger tolerance, a wider kernel or fewer rounds"
    )]
    TooMany {
        /// The tolerance asked for.
        tolerance: f64,
        /// The largest number of points accepted.
        most: usize,
    },
}

/// Working space of a pass.
#[derive(Default)]
struct Pass {
    /// psi of a block's inputs in the coordinates from before the block, and in those that the block added.
    known: Vec<f64>,
    added: Vec<f64>,
    /// k(x, x), and k(x, x) - |psi(x)|^2.
    own: Vec<f64>,
    left: Vec<f64>,
    /// Kernel values of the block with its newest point.
    values: Vec<f64>,
}

impl LowRank {
    /// No points yet of R^`dim`.
    pub(crate) fn new(kernel: Arc<dyn Kernel>, dim: usize) -> Self {
        // Pivots exceed the tolerance, so the factor's own floor never applies.
        let factor = Growing::new(HEIGHT, f64::MIN_POSITIVE);
        Self { kernel, points: Matrix::with_width(dim), factor, quality: Quality::default() }
    }

    /// Chooses points from `inputs` in one pass over blocks. From each block it repeatedly takes the input with the
    /// largest error k(x, x) - |psi(x)|^2, until no error exceeds `tolerance` times the largest k(x, x) of all inputs.
    /// For r points, n inputs take n r^2 / 2 multiply-adds, in matrix products.
    ///
    /// # Errors
    /// If kernel values are not finite, or more than `most` points would be needed.
    pub(crate) fn choose(
        kernel: Arc<dyn Kernel>,
        inputs: Rows<'_>,
        tolerance: f64,
        most: usize,
    ) -> Result<Self, ChoiceError> {
        let mut largest = 0.0_f64;
        for x in inputs.iter() {
            let own = kernel.diagonal(x);
            if !own.is_finite() {
                return Err(ChoiceError::NotFinite);
            }
            largest = largest.max(own);
        }
        let quality = Quality { largest, entry: tolerance * largest, ..Quality::default() };
        let mut chosen = Self { quality, ..Self::new(kernel, inputs.cols()) };
        let mut pass = Pass::default();
        for from in (0..inputs.rows()).step_by(BLOCK) {
            let block = inputs.slice(from, inputs.rows().min(from + BLOCK));
            if !chosen.take_in(block, &mut pass, most)? {
                return Err(ChoiceError::TooMany { tolerance, most });
            }
        }
        Ok(chosen)
    }

    /// Adds the points that a block needs; returns false if there would be more than `most` points in all.
    fn take_in(&mut self, block: Rows<'_>, pass: &mut Pass, most: usize) -> Result<bool, ChoiceError> {
        let (before, count) = (self.features(), block.rows());
        let Pass { known, added, own, left, values } = pass;
        known.resize(count * before, 0.0);
        self.write_rows(block, known);
        let known = |i: usize| &known[i * before..(i + 1) * before];
        added.clear();
        added.resize(count * count, 0.0);
        own.clear();
        own.extend(block.iter().map(|x| self.kernel.diagonal(x)));
        left.clear();
        left.extend(own.iter().enumerate().map(|(i, own)| own - squared_norm(known(i))));
        values.resize(count, 0.0);
        self.quality.evaluations += (count * before) as u64;
        for new in 0.. {
            if left.iter().any(|left| !left.is_finite()) {
                return Err(ChoiceError::NotFinite);
            }
            // The first of the largest, so that the choice is the same on every machine.
            let Some(next) = (0..count).rev().max_by(|&i, &j| left[i].total_cmp(&left[j])) else { break };
            if left[next] <= self.quality.entry {
                break;
            }
            if self.features() == most {
                return Ok(false);
            }
            let length = left[next].sqrt();
            let along = added[next * count..next * count + new].to_vec();
            self.factor.push(&[known(next), &along].concat(), own[next], left[next]);
            self.points.push_row(block.row(next));
            self.kernel.row(block, block.row(next), values);
            self.quality.evaluations += count as u64;
            for i in 0..count {
                let coordinates = &mut added[i * count..i * count + new + 1];
                let explained = dot(known(i), known(next)) + dot(coordinates, &along);
                let coordinate = (values[i] - explained) / length;
                coordinates[new] = coordinate;
                left[i] -= coordinate * coordinate;
            }
            // Exactly 0, so that no input is taken twice.
            left[next] = 0.0;
        }
        // An upper bound, because later points may reduce these errors further.
        self.quality.trace += left.iter().map(|left| left.max(0.0)).sum::<f64>();
        Ok(true)
    }

    /// How well the kernel is reproduced.
    pub(crate) fn quality(&self) -> Quality {
        self.quality
    }

    /// Bytes of the points and the factor.
    pub(crate) fn bytes(&self) -> u64 {
        let r = self.features() as u64;
        8 * (r * self.points.cols() as u64 + r * (r + 1) / 2)
    }
}

impl Quality {
    /// An upper bound of |f_t - g_t| for every t <= n, where f_t is the forecast of kernel ridge regression from rounds
    /// 1, ..., t - 1 with weight `lambda`, g_t is the same with the kernel of psi, and `targets` is the norm |y| of the
    /// targets y_1, ..., y_(t-1):
    ///
    /// ```text
    /// |f_t - g_t| <= (sqrt(nu tr E) / lambda + kappa tr E / (2 lambda^(3/2))) |y|.
    /// ```
    ///
    /// With |y_t| <= Y and kappa = 1 this is at most Y n nu / lambda + Y n^(3/2) nu / (2 lambda^(3/2)).
    ///
    /// Proof. Let K, G be the two Gram matrices of the past, k, g their columns at x_t, and e = k - g. Then
    ///
    /// ```text
    /// f_t - g_t = e' (K + lambda)^-1 y - g' (G + lambda)^-1 E (K + lambda)^-1 y.
    /// ```
    ///
    /// |(K + lambda)^-1 y| <= |y| / lambda; |e|^2 = sum_s E_st^2 <= sum_s E_ss E_tt <= nu tr E; |E| <= tr E; and with
    /// G = Psi Psi' and g = Psi psi(x_t), |(G + lambda)^-1 g| <= |psi(x_t)| max_s s / (s^2 + lambda) <=
    /// kappa / (2 sqrt(lambda)).
    pub(crate) fn forecast_error(&self, lambda: f64, targets: f64) -> f64 {
        let first = (self.entry * self.trace).sqrt() / lambda;
        let second = self.largest.sqrt() * self.trace / (2.0 * lambda * lambda.sqrt());
        (first + second) * targets
    }
}

impl FeatureMap for LowRank {
    fn features(&self) -> usize {
        self.points.rows()
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        self.kernel.row(self.points.view(), x, out);
        self.factor.solve(out);
    }

    fn write_rows(&self, inputs: Rows<'_>, out: &mut [f64]) {
        let r = self.features();
        if r > 0 {
            self.kernel.gram(inputs, self.points.view(), out);
            self.factor.solve_rows(out, inputs.rows());
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { kernel: _, points, factor, quality } = self;
        store.keep("points", points)?;
        store.keep("factor", factor)?;
        let Quality { largest, entry, trace, evaluations } = quality;
        store.keep("largest", largest)?;
        store.keep("entry", entry)?;
        store.keep("trace", trace)?;
        store.keep("evaluations", evaluations)?;
        store.check(points.rows() == factor.len(), "has points and a factor of different numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use crate::kernel::linear::Linear;
    use noregret_numeric::draw::{Draws, Role};

    fn inputs(n: usize, dim: usize) -> Matrix {
        let mut draw = Draws::named(&["low rank"]).at(Role::Start, 0);
        Matrix::from_data(n, dim, (0..n * dim).map(|_| draw.between(0.0, 1.0)).collect()).unwrap()
    }

    /// Over several blocks, no kernel value is wrong by more than the tolerance, by single rows and by many, and the
    /// trace is bounded.
    #[test]
    fn the_kernel_is_reproduced_to_the_tolerance() {
        let (n, kernel) = (2 * BLOCK + 7, Gaussian::new(0.7));
        let inputs = inputs(n, 2);
        let mut before = 0;
        for tolerance in [1e-2, 1e-5, 1e-8] {
            let map = LowRank::choose(Arc::new(kernel), inputs.view(), tolerance, n).unwrap();
            let r = map.features();
            assert!(before < r && r < 150, "{tolerance}: {r}");
            before = r;
            let (mut psi, mut one) = (vec![0.0; n * r], vec![0.0; r]);
            map.write_rows(inputs.view(), &mut psi);
            let mut trace = 0.0;
            for (s, (x, psi_s)) in inputs.view().iter().zip(psi.chunks_exact(r)).enumerate() {
                let left = kernel.diagonal(x) - squared_norm(psi_s);
                assert!((-1e-13..=tolerance).contains(&left), "{tolerance}, input {s}: {left}");
                trace += left;
                for (z, psi_t) in inputs.view().iter().zip(psi.chunks_exact(r)).skip(s % 50).step_by(50) {
                    assert!((kernel.evaluate(x, z) - dot(psi_s, psi_t)).abs() <= tolerance, "{tolerance}");
                }
                map.write(x, &mut one);
                assert!(one.iter().zip(psi_s).all(|(a, b)| (a - b).abs() < 1e-9), "{tolerance}, input {s}");
            }
            let quality = map.quality();
            assert!(trace <= quality.trace + 1e-12 && quality.trace <= n as f64 * quality.entry, "{quality:?} {trace}");
        }
    }

    /// Repeated inputs add no points; a kernel of rank r is reproduced by r points; the zero kernel needs none.
    #[test]
    fn no_more_points_than_the_rank() {
        let repeated = Matrix::from_data(900, 1, (0..900).map(|i| f64::from(i % 3)).collect()).unwrap();
        let chosen = LowRank::choose(Arc::new(Gaussian::new(1.0)), repeated.view(), 1e-10, 900).unwrap();
        assert_eq!(chosen.features(), 3);
        let linear = || Arc::new(Linear);
        assert_eq!(LowRank::choose(linear(), inputs(600, 4).view(), 1e-12, 600).unwrap().features(), 4);
        let zeros = LowRank::choose(linear(), Matrix::zeros(10, 4).view(), 1e-12, 10).unwrap();
        assert_eq!((zeros.features(), zeros.quality().trace), (0, 0.0));
    }

    #[test]
    fn what_cannot_be_chosen_is_said() {
        let kernel = Arc::new(Gaussian::new(0.01));
        let error = LowRank::choose(kernel, inputs(50, 3).view(), 1e-8, 49).unwrap_err();
        assert!(error.to_string().contains("more than 49 points"), "{error}");
        let huge = Matrix::from_data(1, 1, vec![1e200]).unwrap();
        assert_eq!(LowRank::choose(Arc::new(Linear), huge.view(), 1e-8, 1).unwrap_err(), ChoiceError::NotFinite);
    }
}
