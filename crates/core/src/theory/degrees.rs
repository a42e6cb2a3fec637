//! Laws of the random degrees by which Algorithm 4 of Cesa-Bianchi, Shalev-Shwartz, Shamir, "Online learning of noisy
//! data", estimates power series from noisy copies: geometric, as in the paper, or with the polynomial tail of the remark
//! that ends its section V.
//!
//! The estimate of sum_n c_n x^n from copies x_1, x_2, ... of a variable with mean x and second moment z^2 is c_N x_1 ...
//! x_N / P(N), or sum_{n <= N} c_n x_1 ... x_n / P(N >= n). With w_n = 1 / P(N = n) or 1 / P(N >= n), its second moment is
//! at most (sum_n |c_n| z^n sqrt(w_n))^2: Lemma 1, which for geometric degrees is p/(p-1) (sum_n |c_n| (sqrt(p) z)^n)^2.
//! So geometric degrees need a series that converges beyond z, and polynomial ones a number of finite moments: they also
//! estimate slopes of losses that are differentiable a few times only.

use crate::kernel::tensors::{TensorFeatures, exponential_term};
use crate::loss::api::AnalyticLoss;
use crate::theory::noisy;

/// A law of N = 0, 1, 2, ...
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DegreeLaw {
    /// P(N >= n) = p^-n for this p > 1.
    Geometric(f64),
    /// P(N >= n) = (n + 1)^-s for this s > 1; N has the moments of orders below s.
    Polynomial(f64),
}

impl DegreeLaw {
    /// The N of a number `u`, uniform on [0, 1).
    pub(crate) fn degree(self, u: f64) -> u32 {
        // 1 - u lies in (0, 1], so the quotient and the power are finite, and not below 0 and 1.
        match self {
            Self::Geometric(p) => (-(1.0 - u).ln() / p.ln()) as u32,
            Self::Polynomial(s) => ((1.0 - u).powf(-1.0 / s) as u32).saturating_sub(1),
        }
    }

    /// 1 / P(N = n).
    pub(crate) fn single_weight(self, n: u32) -> f64 {
        match self {
            Self::Geometric(p) => p.powf(f64::from(n) + 1.0) / (p - 1.0),
            // (n + 1)^-s - (n + 2)^-s without cancellation.
            Self::Polynomial(s) => self.all_weight(n) / -(-s * (f64::from(n) + 1.0).recip().ln_1p()).exp_m1(),
        }
    }

    /// 1 / P(N >= n).
    pub(crate) fn all_weight(self, n: u32) -> f64 {
        match self {
            Self::Geometric(p) => p.powf(f64::from(n)),
            Self::Polynomial(s) => (f64::from(n) + 1.0).powf(s),
        }
    }

    /// P(N >= n - 1) / P(N >= n), for n >= 1.
    pub(crate) fn ratio(self, n: u32) -> f64 {
        match self {
            Self::Geometric(p) => p,
            Self::Polynomial(s) => (1.0 + f64::from(n).recip()).powf(s),
        }
    }

    fn weight(self, n: u32, all_terms: bool) -> f64 {
        if all_terms { self.all_weight(n) } else { self.single_weight(n) }
    }

    /// E N: 1 / (p - 1), or zeta(s) - 1.
    pub fn mean(self) -> f64 {
        match self {
            Self::Geometric(p) => 1.0 / (p - 1.0),
            Self::Polynomial(s) => {
                // Euler-Maclaurin from 50 on, to rounding.
                let n = 50.0f64;
                let head: f64 = (2..50).map(|k| f64::from(k).powf(-s)).sum();
                let third = s * (s + 1.0) * (s + 2.0);
                let fifth = third * (s + 3.0) * (s + 4.0);
                let odd = s / (12.0 * n.powi(2)) - third / (720.0 * n.powi(4)) + fifth / (30_240.0 * n.powi(6));
                let ends = 1.0 / (s - 1.0) + 0.5 / n + odd;
                head + ends * n.powf(1.0 - s)
            }
        }
    }

    /// M, a bound on E|Psi~|^2 of a map for a kernel with tensor `features` and copies with E|x~|^2 <= B = `square`:
    /// sum_n beta_n B^n w_n, since degrees are orthogonal; for the Gaussian kernel times sum_k (c^k B^k / k!)^2 w_k for
    /// its damping c (exact for single terms where E<x~, x~'>^2 = B^2, an upper bound else). Infinite where it diverges.
    pub fn map_moment(self, features: &dyn TensorFeatures, all_terms: bool, square: f64) -> f64 {
        if let Self::Geometric(p) = self {
            return noisy::map_moment(features, p, all_terms, square);
        }
        let damp = match features.damping() * square {
            0.0 => 1.0,
            rate => series(|k| exponential_term(rate, k).powi(2), |k| self.weight(k, all_terms)),
        };
        damp * series(|n| features.beta(n) * square.powi(n as i32), |n| self.weight(n, all_terms))
    }

    /// B_g >= E g^2 of the estimate g of the loss's derivative, for hypotheses of norm at most `radius` = W, maps with
    /// E|Psi~|^2 <= `map_moment` = M and, for losses of the residual, (E y~^2)^(1/2) <= `target_bound`: (sum_n |gamma_n|
    /// z^n sqrt(w_n))^2 with z = W sqrt(M) + |centre| + B_y. Infinite where it diverges.
    pub fn length_moment(
        self,
        loss: &dyn AnalyticLoss,
        all_terms: bool,
        radius: f64,
        map_moment: f64,
        target_bound: f64,
    ) -> f64 {
        let centre = loss.centre();
        if let Self::Geometric(p) = self {
            let bounds = noisy::AnalyticBounds { p, radius, map_moment, centre, target_bound, all_terms };
            return bounds.length_moment(|z| loss.majorant(z));
        }
        let z = radius * map_moment.sqrt() + centre.abs() + target_bound;
        let size = |n: u32| loss.coefficient(n).abs() * z.powi(n as i32);
        series(size, |n| self.weight(n, all_terms).sqrt()).powi(2)
    }
}

/// sum_n term(n) weight(n) over terms of at least 0; infinite if it does not converge within 4,000 terms.
fn series(term: impl Fn(u32) -> f64, weight: impl Fn(u32) -> f64) -> f64 {
    let (mut sum, mut small) = (0.0, 0);
    for n in 0..4_000 {
        let term = term(n);
        // 0 where a coefficient is 0 and the power overflows.
        let term = if term > 0.0 { term * weight(n) } else { 0.0 };
        sum += term;
        small = if term <= 1e-17 * sum { small + 1 } else { 0 };
        if small == 100 {
            return sum;
        }
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::DegreeLaw::{Geometric, Polynomial};
    use super::*;
    use crate::kernel::binomial::Binomial;
    use crate::kernel::exponential::ExponentialKernel;
    use crate::kernel::gaussian::Gaussian;
    use crate::loss::api::Loss;
    use crate::loss::exponential::ExponentialLoss;

    /// zeta(s) - 1 for s = 2, 3, 4 and 2.5; probabilities sum to 1, and what is drawn has the tail of the law.
    #[test]
    fn the_polynomial_law_is_a_law() {
        let pi = std::f64::consts::PI;
        let known = [
            (2.0, pi * pi / 6.0),
            (3.0, 1.202_056_903_159_594),
            (4.0, pi.powi(4) / 90.0),
            (2.5, 1.341_487_257_250_917),
        ];
        for (s, zeta) in known {
            let law = Polynomial(s);
            assert!((law.mean() - (zeta - 1.0)).abs() < 1e-14, "{s}: {}", law.mean());
            let sum: f64 = (0..1_000).map(|n| 1.0 / law.single_weight(n)).sum();
            assert!((sum + 1.0 / law.all_weight(1_000) - 1.0).abs() < 1e-13, "{s}");
            for n in 1..40 {
                let edge = 1.0 - 1.0 / law.all_weight(n);
                assert_eq!([law.degree(edge - 1e-12), law.degree(edge + 1e-12)], [n - 1, n], "{s}");
                assert!((law.ratio(n) * law.all_weight(n - 1) / law.all_weight(n) - 1.0).abs() < 1e-14);
            }
        }
        assert!((Polynomial(2.0).degree(1.0 - f64::EPSILON / 2.0) as f64).log2() < 27.0);
    }

    /// The general sums, by which moments of polynomial degrees are found, give the closed forms of geometric ones.
    #[test]
    fn sums_agree_with_the_closed_forms() {
        let (p, square) = (2.0_f64, 0.4_f64);
        let sum = |term: &dyn Fn(u32) -> f64, all| series(term, |n| Geometric(p).weight(n, all));
        let power = |features: &dyn TensorFeatures, n: u32| features.beta(n) * square.powi(n as i32);
        let bump = Gaussian::new(1.5);
        for all in [false, true] {
            let dot = Geometric(p).map_moment(&ExponentialKernel, all, square);
            assert!((sum(&|n| power(&ExponentialKernel, n), all) / dot - 1.0).abs() < 1e-13);
            let damp = sum(&|k| exponential_term(square * bump.damping(), k).powi(2), all);
            let both = damp * sum(&|n| power(&bump, n), all);
            assert!((both / Geometric(p).map_moment(&bump, all, square) - 1.0).abs() < 1e-12);
        }
        let (loss, z) = (ExponentialLoss.analytic().unwrap(), 1.3_f64);
        for all in [false, true] {
            let root = series(|n| loss.coefficient(n).abs() * z.powi(n as i32), |n| Geometric(p).weight(n, all).sqrt());
            let closed = Geometric(p).length_moment(loss, all, 1.0, z * z, 0.0);
            assert!((root.powi(2) / closed - 1.0).abs() < 1e-13);
        }
        // The binomial kernel's series converges below 1 only.
        assert_eq!(Polynomial(2.0).map_moment(&Binomial::new(1.0), true, 1.1), f64::INFINITY);
    }
}
