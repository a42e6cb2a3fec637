//! Unbiased estimates of tensor features from a random number of noisy copies: Map_Estimate and Mult of Cesa-Bianchi,
//! Shalev-Shwartz, Shamir (Subroutines 2 to 7, corrected), and a variant that keeps all terms up to the drawn degree.

use crate::kernel::tensors::{TensorFeatures, exponential_term};
use crate::learner::noisy::tensor_sum::{Element, TensorSum};
use crate::noise::api::Oracle;
use crate::theory::degrees::DegreeLaw;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::{dot, squared_norm};

/// How a power series is estimated from its terms up to a random degree N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// Term N alone, divided by P(N): the paper's estimator.
    SingleTerm,
    /// All terms n <= N, each divided by P(N >= n). It needs the same copies and has a smaller variance.
    AllTerms,
}

/// The law of the random degrees, and the estimator that uses them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomMap {
    /// The law.
    pub law: DegreeLaw,
    /// Which terms are used.
    pub estimator: Estimator,
}

impl RandomMap {
    /// Draws N.
    pub(crate) fn degree(&self, draw: &mut Draw) -> u32 {
        self.law.degree(draw.uniform())
    }

    /// An independent estimate of Psi(x_t), from N copies, or from 2 N1 + N2 copies for a kernel with damping.
    pub fn draw(&self, features: &dyn TensorFeatures, oracle: &mut dyn Oracle, draw: &mut Draw) -> Element {
        let pairs = if features.damping() == 0.0 { 0 } else { self.degree(draw) };
        let degree = self.degree(draw);
        let dim = oracle.dim();
        let mut copies = vec![0.0; (2 * pairs + degree) as usize * dim];
        copies.chunks_exact_mut(dim.max(1)).for_each(|copy| oracle.x(copy));
        self.element(features, pairs, degree, copies, dim)
    }

    /// The estimate from `copies` of `dim` entries: `pairs` pairs that estimate damp(x) = exp(-c |x|^2) by
    /// prod <c_(2j-1), c_(2j)> (-c)^pairs / pairs!, then `degree` copies whose product estimates the tensor power.
    pub fn element(
        &self,
        features: &dyn TensorFeatures,
        pairs: u32,
        degree: u32,
        mut copies: Vec<f64>,
        dim: usize,
    ) -> Element {
        let tail = copies.split_off(2 * pairs as usize * dim);
        let damping = features.damping();
        let damp = if damping == 0.0 {
            1.0
        } else {
            let products = copies.chunks_exact(2 * dim.max(1)).map(|pair| dot(&pair[..dim], &pair[dim..]));
            match self.estimator {
                Estimator::SingleTerm => {
                    self.law.single_weight(pairs) * exponential_term(-damping, pairs) * products.product::<f64>()
                }
                Estimator::AllTerms => {
                    let (mut sum, mut term) = (1.0, 1.0);
                    for (k, product) in (1u32..).zip(products) {
                        term *= -damping * self.law.ratio(k) * product / f64::from(k);
                        sum += term;
                    }
                    sum
                }
            }
        };
        let term = |n: u32, weight: f64| {
            let coefficient = damp * weight * features.beta(n).sqrt();
            (coefficient != 0.0).then_some((n, coefficient))
        };
        let terms = match self.estimator {
            Estimator::SingleTerm => term(degree, self.law.single_weight(degree)).into_iter().collect(),
            Estimator::AllTerms => (0..=degree).filter_map(|n| term(n, self.law.all_weight(n))).collect(),
        };
        Element { terms, copies: tail }
    }
}

/// <w, Psi(x)> at a given x: the sum of Mult(e, x) over the elements e of w. Psi are the features of the kernel itself,
/// also where it shortens x, so that w is a function of the kernel's space.
pub fn evaluate(function: &TensorSum, features: &dyn TensorFeatures, x: &[f64]) -> f64 {
    let shortening = features.shortening(x);
    let short: Vec<f64>;
    let x = if shortening < 1.0 {
        short = x.iter().map(|entry| shortening * entry).collect();
        &short
    } else {
        x
    };
    let damp = (-features.damping() * squared_norm(x)).exp();
    // For large x, powers of x may overflow where the damping factor is 0.
    if damp == 0.0 { 0.0 } else { damp * function.evaluate(x, |n| features.beta(n).sqrt()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::api::Kernel;
    use crate::kernel::binomial::Binomial;
    use crate::kernel::exponential::ExponentialKernel;
    use crate::kernel::gaussian::Gaussian;
    use crate::kernel::linear::Linear;
    use crate::kernel::polynomial::Polynomial;
    use noregret_numeric::draw::{Draws, Role};

    /// Degrees follow their law: 200,000 draws, chi-squared with 9 degrees of freedom, at most 53.0 (false-alarm rate
    /// 3e-8 each).
    #[test]
    fn degrees_follow_their_law() {
        let polynomial = [2.0, 3.0].map(DegreeLaw::Polynomial);
        for law in [1.5, 2.0, 4.0].map(DegreeLaw::Geometric).into_iter().chain(polynomial) {
            let map = RandomMap { law, estimator: Estimator::SingleTerm };
            let mut draw = Draws::named(&["degrees"]).at(Role::Start, 0);
            let n = 200_000;
            let mut counts = [0.0; 10];
            for _ in 0..n {
                // The last class holds all larger degrees; for p = 4 it has an expectation of 0.76.
                counts[(map.degree(&mut draw) as usize).min(9)] += 1.0;
            }
            let chi: f64 = (0..10u32)
                .map(|k| {
                    let probability = if k < 9 { 1.0 / law.single_weight(k) } else { 1.0 / law.all_weight(9) };
                    let expected = probability * f64::from(n);
                    (counts[k as usize] - expected).powi(2) / expected
                })
                .sum();
            assert!(chi < 53.0, "{law:?}: {chi}");
        }
    }

    /// Degrees above the polynomial's give the zero element.
    #[test]
    fn terms_that_the_kernel_lacks_are_left_out() {
        let kernel = Polynomial::new(2, 1.0);
        let single = RandomMap { law: DegreeLaw::Geometric(2.0), estimator: Estimator::SingleTerm };
        assert!(single.element(&kernel, 0, 3, vec![0.1; 3], 1).terms.is_empty());
        let all = RandomMap { law: DegreeLaw::Geometric(2.0), estimator: Estimator::AllTerms };
        let degrees: Vec<u32> = all.element(&kernel, 0, 3, vec![0.1; 3], 1).terms.iter().map(|term| term.0).collect();
        assert_eq!(degrees, [0, 1, 2]);
    }

    /// w = Psi(z), written out as tensors up to degree 400, is the function k(z, .), for every kernel and on every input:
    /// predictions lie in the space over which comparators minimise.
    #[test]
    fn features_are_those_of_the_kernel() {
        let kernels: [&dyn Kernel; 6] = [
            &Linear,
            &Polynomial::new(3, 1.0),
            &ExponentialKernel,
            &Binomial::new(0.5),
            &Binomial::new(2.0),
            &Gaussian::new(1.5),
        ];
        let z = [0.6, -0.5];
        for kernel in kernels {
            let features = kernel.tensors().unwrap();
            let damp = (-features.damping() * squared_norm(&z)).exp();
            let terms = (0..=400).map(|n| (n, damp * features.beta(n).sqrt())).collect();
            let mut w = TensorSum::new(2);
            w.add(1.0, &Element { terms, copies: z.repeat(400) });
            for x in [[0.0, 0.0], [0.3, 0.4], [0.7, -0.7], [-0.8, -0.6], [3.0, -2.0]] {
                let (found, exact) = (evaluate(&w, features, &x), kernel.evaluate(&z, &x));
                assert!((found - exact).abs() < 1e-10 * (1.0 + exact.abs()), "{kernel:?} at {x:?}: {found} {exact}");
            }
        }
        // The test above can fail: beyond 0.99 the unshortened features give another function.
        let (binomial, x) = (Binomial::new(0.5), [0.8, -0.6]);
        assert!((binomial.series(0.78) - binomial.evaluate(&z, &x)).abs() > 1e-3);
    }
}
