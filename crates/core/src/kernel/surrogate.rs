//! Surrogate kernels: k^ with E k^(a, x + n) = k(a, x) for Gaussian noise n ~ N(0, Sigma), for mixtures of Gaussian
//! kernels (Cesa-Bianchi, Shalev-Shwartz, Shamir, section IV; anisotropic noise in the coordinates of its principal axes).
//!
//! The component exp(-u |D|^2) has the surrogate prod_i (1 - 2 v_i u)^(-1/2) exp(-u D_i^2 / (1 - 2 v_i u)), where v_i
//! are the eigenvalues of Sigma and D_i the coordinates along its eigenvectors. A mixture is replaced by finitely many
//! components. k and k^ use the same ones, so that the pair is exactly unbiased, however coarse the quadrature rule.

use crate::kernel::api::Kernel;
use crate::kernel::gaussian::Gaussian;
use crate::kernel::mixture::{MixtureMeasure, components};
use crate::kernel::panels::{Points, QUERIES, Query, far_sum, near_many, near_sum, near_sums};
use noregret_numeric::linalg::covariance::{Axes, Covariance};
use noregret_numeric::linalg::matrix::Rows;

/// A kernel and its surrogate for Gaussian noise of known covariance.
#[derive(Clone, Debug)]
pub struct Surrogate {
    axes: Axes,
    clean: Components,
    noisy: Components,
}

/// sum_j weight_j exp(-sum_i rate_ji D_i^2) of differences D = x - z, in the coordinates along the noise's axes.
#[derive(Clone, Debug)]
pub struct Components {
    weights: Vec<f64>,
    rates: ComponentRates,
}

/// The largest relative error of k(x, x) that the components may leave.
pub(crate) const LARGEST_ERROR: f64 = 1e-6;

#[derive(Clone, Debug)]
enum ComponentRates {
    /// The same in all directions, one per component.
    Isotropic(Vec<f64>),
    /// One per component and direction, component after component.
    Anisotropic(Vec<f64>),
}

/// Why a kernel has no surrogate under a noise.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurrogateError {
    /// The kernel is no mixture of Gaussian kernels.
    #[error("it is not a mixture of Gaussian kernels")]
    NotAMixture,
    /// The mixture has no narrowest component.
    #[error("it has components narrower than any noise: give the kernel a cutoff")]
    NoCutoff,
    /// k(x, x) of the mixture is 0 in floating point.
    #[error("the cutoff leaves nothing of it: k(x, x) is below the range of floating point")]
    Empty,
    /// The components miss k(x, x) by more than [`LARGEST_ERROR`].
    #[error("its mixture of Gaussian kernels gives k(x, x) = {found} instead of {exact}")]
    Inexact { found: f64, exact: f64 },
    /// The component exp(-u r^2) is too narrow: 2 v u >= 1 for the variance v of the noise.
    #[error(
        "its narrowest component exp(-u r^2), u = {rate}, is no wider than the noise, whose largest variance {variance} \
         must be below 1 / (2 u) = {}",
        0.5 / rate
    )]
    TooNarrow { rate: f64, variance: f64 },
    /// k^(x, x) is not finite, or k(x, x) is 0.
    #[error("k^(x, x) is {0}: the total variance of the noise is too large")]
    Overflow(f64),
}

impl Surrogate {
    /// The pair for `kernel` and noise of `covariance`, which must fit inputs of `dim` columns. A mixture is replaced
    /// by at most `count` components ([`components`]), which are the same for both kernels.
    ///
    /// # Errors
    /// If the kernel is not a mixture, if it has components too narrow for the noise (2 v u >= 1), if the components give
    /// k(x, x) with a relative error above [`LARGEST_ERROR`], or if the surrogate overflows.
    pub fn new(kernel: &dyn Kernel, covariance: &Covariance, dim: usize, count: usize) -> Result<Self, SurrogateError> {
        let mixture = kernel.mixture(dim).ok_or(SurrogateError::NotAMixture)?;
        let axes = covariance.axes(dim);
        let (largest, components) = match mixture {
            MixtureMeasure::Point(rate) => (rate, vec![(rate, 1.0)]),
            MixtureMeasure::Density { cutoff, .. } if !cutoff.is_finite() => {
                return Err(SurrogateError::NoCutoff);
            }
            MixtureMeasure::Density { mass, cutoff } => (cutoff, components(&*mass, cutoff, count)),
        };
        let (exact, found) = (kernel.diagonal(&vec![0.0; dim]), components.iter().map(|(_, mass)| mass).sum::<f64>());
        if components.is_empty() {
            return Err(SurrogateError::Empty);
        }
        let error = (found - exact).abs();
        if error.is_nan() || error > LARGEST_ERROR * exact {
            return Err(SurrogateError::Inexact { found, exact });
        }
        let noise = axes.largest();
        if 2.0 * noise * largest >= 1.0 {
            return Err(SurrogateError::TooNarrow { rate: largest, variance: noise });
        }
        let (rates, weights): (Vec<f64>, Vec<f64>) = components.iter().copied().unzip();
        let shrunk = |u: f64, v: f64| 1.0 - 2.0 * v * u;
        let loss = |u: f64| axes.variances.iter().map(|v| shrunk(u, *v).powf(-0.5)).product::<f64>();
        let noisy_weights: Vec<f64> = components.iter().map(|(u, weight)| weight * loss(*u)).collect();
        let isotropic = axes.variances.iter().all(|v| *v == axes.variances[0]);
        let noisy_rates = if isotropic {
            ComponentRates::Isotropic(rates.iter().map(|u| u / shrunk(*u, noise)).collect())
        } else {
            let along = |u: f64| axes.variances.iter().map(move |v| u / shrunk(u, *v));
            ComponentRates::Anisotropic(rates.iter().flat_map(|u| along(*u)).collect())
        };
        let pair = Self {
            axes,
            clean: Components { weights, rates: ComponentRates::Isotropic(rates) },
            noisy: Components { weights: noisy_weights, rates: noisy_rates },
        };
        if pair.diagonal().is_finite() && pair.clean.diagonal() > 0.0 {
            Ok(pair)
        } else {
            Err(SurrogateError::Overflow(pair.diagonal()))
        }
    }

    /// The coordinates along the noise's axes, in which both kernels are evaluated; `out` is as long as `x`.
    pub fn rotate(&self, x: &[f64], out: &mut [f64]) {
        self.axes.rotate(x, out);
    }

    /// k, for predictions at clean points.
    pub fn clean(&self) -> &Components {
        &self.clean
    }

    /// k^, for learning from noisy copies.
    pub fn noisy(&self) -> &Components {
        &self.noisy
    }

    /// k^(x, x), the same for all x.
    pub fn diagonal(&self) -> f64 {
        self.noisy.diagonal()
    }

    /// sup k^ / k = k^(x, x) / k(x, x).
    pub fn ratio(&self) -> f64 {
        self.noisy.diagonal() / self.clean.diagonal()
    }
}

impl Components {
    /// The value at a difference of 0.
    pub fn diagonal(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The value at two points, in the coordinates along the noise's axes.
    pub fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let mut points = Points::new(x.len());
        points.push(z);
        self.combine(&points, &[1.0], x)
    }

    /// sum_i coefficients_i k(points_i, x); as many coefficients as points.
    pub fn combine(&self, points: &Points, coefficients: &[f64], x: &[f64]) -> f64 {
        let (ComponentRates::Isotropic(rates) | ComponentRates::Anisotropic(rates)) = &self.rates;
        match points.near(x, rates) {
            Some(query) if matches!(self.rates, ComponentRates::Isotropic(_)) => {
                near_sum(&query, points, coefficients, &self.weights, rates)
            }
            _ => far_sum(x, points, coefficients, &self.weights, rates),
        }
    }

    /// [`combine`](Components::combine) at two points, in one pass over `points` if both are near.
    pub(crate) fn combine_two(&self, points: &Points, coefficients: &[f64], at: [&[f64]; 2]) -> [f64; 2] {
        if let ComponentRates::Isotropic(rates) = &self.rates
            && let [Some(first), Some(second)] = at.map(|x| points.near(x, rates))
        {
            near_sums(&[first, second], points, coefficients, &self.weights, rates)
        } else {
            at.map(|x| self.combine(points, coefficients, x))
        }
    }

    /// [`combine`](Components::combine) at each row of `at`, into `out`; `points` is read once for up to [`QUERIES`]
    /// rows.
    pub(crate) fn combine_many(&self, points: &Points, coefficients: &[f64], at: Rows<'_>, out: &mut [f64]) {
        if let (ComponentRates::Isotropic(rates), [weight]) = (&self.rates, &self.weights[..]) {
            out.fill(0.0);
            Gaussian::of_rate(rates[0]).combine(points.rows(), coefficients, at, out);
            out.iter_mut().for_each(|out| *out *= weight);
            return;
        }
        for (part, out) in out.chunks_mut(QUERIES).enumerate() {
            let at = at.slice(part * QUERIES, part * QUERIES + out.len());
            // In pairs; a last row without a partner is its own partner.
            let count = out.len().next_multiple_of(2);
            let mut queries = [Query::default(); QUERIES];
            let near = match &self.rates {
                ComponentRates::Isotropic(rates) => {
                    let rows = (0..count).map(|q| at.row(q.min(out.len() - 1)));
                    let mut pairs = queries.iter_mut().zip(rows);
                    let all = pairs.all(|(query, x)| points.near(x, rates).map(|found| *query = found).is_some());
                    all.then_some(rates)
                }
                ComponentRates::Anisotropic(_) => None,
            };
            match near {
                Some(rates) => near_many(&queries[..count], points, coefficients, &self.weights, rates, out),
                None => out.iter_mut().zip(at.iter()).for_each(|(out, x)| *out = self.combine(points, coefficients, x)),
            }
        }
    }
}

/// Let f = sum_i a_i k(x_i, .) = f+ - f-, where f+ has the positive coefficients and f- the negative ones. This is the
/// angle between f+ and f- in the kernel's space; pi/2 if one of them is 0. The wider it is, the smaller is the norm of
/// f's surrogate (`crate::theory::noisy::surrogate_radius`). `gram` is the kernel matrix of the points, row-major.
pub fn split_angle(gram: &[f64], coefficients: &[f64]) -> f64 {
    let part = |sign: f64| coefficients.iter().map(move |a| (sign * a).max(0.0));
    let product = |left: f64, right: f64| -> f64 {
        let rows = part(left).zip(gram.chunks_exact(coefficients.len().max(1)));
        rows.map(|(a, row)| a * row.iter().zip(part(right)).map(|(k, b)| k * b).sum::<f64>()).sum()
    };
    let norms = (product(1.0, 1.0) * product(-1.0, -1.0)).sqrt();
    if norms > 0.0 { (product(1.0, -1.0) / norms).clamp(-1.0, 1.0).acos() } else { std::f64::consts::FRAC_PI_2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::laplace::Laplace;
    use noregret_numeric::draw::{Draws, Role};
    use noregret_numeric::linalg::matrix::Matrix;

    #[test]
    fn without_noise_it_is_the_kernel() {
        let kernel = Gaussian::new(0.8);
        let pair = Surrogate::new(&kernel, &Covariance::isotropic(0.0).unwrap(), 2, 24).unwrap();
        let (x, z) = ([0.3, -1.0], [0.1, 0.4]);
        for components in [pair.clean(), pair.noisy()] {
            assert!((components.evaluate(&x, &z) - kernel.evaluate(&x, &z)).abs() < 1e-15);
        }
        assert_eq!((pair.diagonal(), pair.ratio()), (1.0, 1.0));
    }

    #[test]
    fn constants_of_the_gaussian_kernel() {
        let covariance = Covariance::diagonal(vec![0.1, 0.4]).unwrap();
        let pair = Surrogate::new(&Gaussian::new(1.1), &covariance, 2, 24).unwrap();
        // prod_i (1 - v_i / b^2)^(-1/2).
        let expected: f64 = [0.1f64, 0.4].map(|v| (1.0 - v / (1.1 * 1.1)).powf(-0.5)).iter().product();
        assert!((pair.diagonal() - expected).abs() < 1e-14);
        assert_eq!(pair.ratio(), pair.diagonal());
    }

    #[test]
    fn noise_as_wide_as_the_kernel_is_refused() {
        let wide = Covariance::isotropic(1.0).unwrap();
        let refused =
            |kernel: &dyn Kernel, covariance| Surrogate::new(kernel, covariance, 1, 24).unwrap_err().to_string();
        assert!(refused(&Gaussian::new(1.0), &wide).contains("below"));
        assert!(refused(&Laplace::new(1.0, f64::INFINITY), &wide).contains("cutoff"));
        assert!(refused(&Laplace::new(1.0, 0.5), &wide).contains("below"));
        assert!(refused(&crate::kernel::linear::Linear, &wide).contains("mixture"));
    }

    /// A kernel whose mixture lacks a thousandth of its mass.
    #[derive(Debug)]
    struct Short(Laplace);

    impl Kernel for Short {
        fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
            self.0.evaluate(x, z)
        }

        fn mixture(&self, dim: usize) -> Option<MixtureMeasure<'_>> {
            let Some(MixtureMeasure::Density { mass, cutoff }) = self.0.mixture(dim) else { return None };
            Some(MixtureMeasure::Density { mass: Box::new(move |log_rate| 0.999 * mass(log_rate)), cutoff })
        }
    }

    #[test]
    fn components_that_miss_the_kernel_are_refused() {
        let noise = Covariance::isotropic(0.2).unwrap();
        let of = |kernel: &dyn Kernel| Surrogate::new(kernel, &noise, 3, 24);
        assert!(of(&Laplace::new(1.0, 0.9)).is_ok());
        assert!(of(&Short(Laplace::new(1.0, 0.9))).unwrap_err().to_string().contains("instead of"));
        // A cutoff that leaves nothing that floating point can hold.
        assert!(of(&Laplace::new(1e-4, 0.9)).unwrap_err().to_string().contains("leaves nothing"));
    }

    /// Sums over panels, the last of which is incomplete, equal sums over points.
    #[test]
    fn combinations_are_sums_of_evaluations() {
        let mut draw = Draws::named(&["surrogate"]).at(Role::Start, 0);
        let full = Matrix::from_data(2, 2, vec![0.2, 0.05, 0.05, 0.1]).unwrap();
        let (isotropic, full) = (Covariance::isotropic(0.2).unwrap(), Covariance::full(full).unwrap());
        let (laplace, gaussian) = (Laplace::new(1.0, 1.5), Gaussian::new(1.0));
        let kernels: [&dyn Kernel; 2] = [&laplace, &gaussian];
        for (kernel, covariance) in kernels.into_iter().flat_map(|kernel| [(kernel, &isotropic), (kernel, &full)]) {
            let pair = Surrogate::new(kernel, covariance, 2, 12).unwrap();
            let (mut points, mut coefficients, mut all) = (Points::new(2), Vec::new(), Vec::new());
            for _ in 0..70 {
                let x = [draw.normal(), draw.normal()];
                points.push(&x);
                coefficients.push(draw.normal());
                all.push(x);
            }
            let x = [0.2, -0.1];
            for components in [pair.clean(), pair.noisy()] {
                let sum: f64 = all.iter().zip(&coefficients).map(|(z, a)| a * components.evaluate(&x, z)).sum();
                let found = components.combine(&points, &coefficients, &x);
                assert!((found - sum).abs() < 1e-13);
                let other = components.combine(&points, &coefficients, &all[5]);
                assert_eq!(components.combine_two(&points, &coefficients, [&x, &all[5]]), [found, other]);
                for count in [1, 2, 70] {
                    let (at, mut many) = (all[..count].concat(), vec![f64::NAN; count]);
                    components.combine_many(&points, &coefficients, Rows::new(2, &at), &mut many);
                    let single: Vec<f64> =
                        all[..count].iter().map(|x| components.combine(&points, &coefficients, x)).collect();
                    assert!(many.iter().zip(&single).all(|(a, b)| (a - b).abs() < 1e-13), "{many:?} {single:?}");
                }
            }
        }
    }

    #[test]
    fn angles_of_parts() {
        let gram = [1.0, 0.6, 0.6, 1.0];
        assert!((split_angle(&gram, &[2.0, -3.0]) - 0.6f64.acos()).abs() < 1e-15);
        assert_eq!(split_angle(&gram, &[2.0, 3.0]), std::f64::consts::FRAC_PI_2);
    }
}
