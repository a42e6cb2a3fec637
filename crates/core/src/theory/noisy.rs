//! Cesa-Bianchi, Shalev-Shwartz, Shamir, "Online learning of noisy data": constants, step sizes and regret bounds.
//!
//! All theorems have the same form: for gradients with E|g|^2 <= G and steps eta = W / sqrt(G T), the expected regret
//! is at most W sqrt(G T) against every competitor of norm at most W. (W is `radius` here and always a norm; the
//! paper's last section writes B_w for a squared norm.) Only G differs. The constants are the corrected ones: the
//! paper's proofs drop the cross term of (|w| B + B_y)^2 (Lemmas 2, 3, Theorems 3, 5), a factor 2 in Algorithm 2 and
//! squares in Lemma 14.

use crate::kernel::tensors::TensorFeatures;

/// eta = W / sqrt(G T) for gradients with E|g|^2 <= `moment` over `rounds` rounds.
pub fn step(radius: f64, moment: f64, rounds: f64) -> f64 {
    radius / (moment * rounds).sqrt()
}

/// Expected regret W sqrt(G T) of gradient descent with [`step`], against competitors of norm at most `radius`.
pub fn regret(radius: f64, moment: f64, rounds: f64) -> f64 {
    radius * (moment * rounds).sqrt()
}

/// Expected regret of projected gradient descent with any constant step, against competitors of norm at most `radius`:
/// W^2 / (2 eta) + eta G T / 2, which is [`regret`] at eta = [`step`].
pub fn regret_at(eta: f64, radius: f64, moment: f64, rounds: f64) -> f64 {
    0.5 * (radius * radius / eta + eta * moment * rounds)
}

/// G of Algorithm 1 (two copies), from Lemma 2: 4 B^2 (W B + B_y)^2, where `input_bound` = B bounds
/// (E|x~|^2)^(1/2) and `target_bound` = B_y bounds (E y~^2)^(1/2).
pub fn two_copy_moment(radius: f64, input_bound: f64, target_bound: f64) -> f64 {
    4.0 * (input_bound * (radius * input_bound + target_bound)).powi(2)
}

/// G of Algorithm 2 (known covariance), from Lemma 3: 4 r^2 + 8 W B_S r with r = B (W B + B_y), where `input_bound` = B
/// bounds (E|x~|^4)^(1/4), `target_bound` = B_y bounds (E y~^2)^(1/2) and `covariance_bound` = B_S the spectral norm of the
/// noise covariance. (x~ and y~ are independent given the past, so that no higher moment of y~ enters.)
pub fn covariance_moment(radius: f64, input_bound: f64, target_bound: f64, covariance_bound: f64) -> f64 {
    let reach = input_bound * (radius * input_bound + target_bound);
    4.0 * reach * reach + 8.0 * radius * covariance_bound * reach
}

/// V of Algorithm 3: 4 D (W sqrt(D) + B_y)^2, where `diagonal` = D = k^(x, x) is the squared norm of a copy in the
/// surrogate kernel's space, and `target_bound` = B_y >= (E y~^2)^(1/2).
pub fn surrogate_moment(radius: f64, diagonal: f64, target_bound: f64) -> f64 {
    4.0 * diagonal * (radius * diagonal.sqrt() + target_bound).powi(2)
}

/// Lemma 7, with the tight constant: the surrogate norm of a function of norm `norm` is at most sqrt(ratio) norm /
/// sqrt(1 - cos(angle)), where `ratio` = sup k^/k and `angle` (in (0, pi/2]; larger angles count as pi/2) is the angle
/// between its part with positive coefficients and the negative of its part with negative coefficients. (The paper's
/// constant sqrt(5) / sin(angle) is valid, but 1.58 to 2.24 times larger.)
pub fn surrogate_radius(norm: f64, ratio: f64, angle: f64) -> f64 {
    norm * (ratio / (1.0 - angle.cos().max(0.0))).sqrt()
}

/// The expected number of copies of x_t that Algorithm 4 asks for in a round: p / (p - 1)^2 with a dot-product kernel,
/// three times as many with the Gaussian kernel.
pub fn expected_queries(p: f64, gaussian: bool) -> f64 {
    p / (p - 1.0).powi(2) * if gaussian { 3.0 } else { 1.0 }
}

/// P(exactly m copies of x_t in a round), m = 0, 1, ..., `largest`, for either kind of kernel.
///
/// A map takes N copies, or 2 N1 + N2 with the Gaussian kernel. A round takes one map and n further ones. N, N1, N2 and
/// n are independent with P(. = k) = (p - 1)/p^(k+1). If F is the generating function of a map, that of a round is R =
/// F (p - 1)/(p - F), so that the sequence solves p R = F (R + p - 1).
pub fn queries_law(p: f64, gaussian: bool, largest: usize) -> Vec<f64> {
    let degree = |n: usize| (p - 1.0) / p * p.powf(-(n as f64));
    let map: Vec<f64> = (0..=largest)
        .map(
            |m| if gaussian { (0..=m / 2).map(|pairs| degree(pairs) * degree(m - 2 * pairs)).sum() } else { degree(m) },
        )
        .collect();
    let mut round: Vec<f64> = Vec::with_capacity(largest + 1);
    for m in 0..=largest {
        let known: f64 = round.iter().enumerate().map(|(k, value)| value * map[m - k]).sum();
        round.push((known + (p - 1.0) * map[m]) / (p - map[0]));
    }
    round
}

/// M = E|Psi~|^2 of a map for a dot-product kernel Q(<x, x'>): p/(p-1) Q(p B), where `value` = Q(p B) and B bounds
/// E|x~|^2; Q(p B) itself if all terms up to the drawn degree are kept.
pub fn dot_product_map_moment(p: f64, value: f64, all_terms: bool) -> f64 {
    if all_terms { value } else { p / (p - 1.0) * value }
}

/// M = E|Psi~|^2 of a single-term map for the Gaussian kernel, exact:
/// (p/(p-1))^2 I_0(2 sqrt(p A) / s^2) exp(2 p B / s^2) with s^2 = 2 bandwidth^2, B = `square` = E|x~|^2 and
/// A = `overlap` = E<x~, x~'>^2 <= B^2 of two independent copies. (Lemma 14 prints exponents that lost their squares.)
pub fn gaussian_map_moment(p: f64, bandwidth: f64, square: f64, overlap: f64) -> f64 {
    let s2 = 2.0 * bandwidth * bandwidth;
    (p / (p - 1.0)).powi(2) * overlaps(p * overlap / (s2 * s2), 0.0) * (2.0 * p * square / s2).exp()
}

/// M of an all-terms map for the Gaussian kernel, exact: exp(2 p B / s^2) times
/// sum_{k,l} (-1)^(k+l) p^min(k,l) A^min(k,l) m^|k-l| / (k! l! s^(2(k+l))), where m = `clean` = |x|^2 and the rest is as
/// for [`gaussian_map_moment`].
pub fn gaussian_all_terms_moment(p: f64, bandwidth: f64, square: f64, overlap: f64, clean: f64) -> f64 {
    let s2 = 2.0 * bandwidth * bandwidth;
    overlaps(p * overlap / (s2 * s2), clean / s2) * (2.0 * p * square / s2).exp()
}

/// M, a bound on E|Psi~|^2, of a map for a kernel with tensor `features` and copies with E|x~|^2 <= `square` (Theorem
/// 10).
pub(crate) fn map_moment(features: &dyn TensorFeatures, p: f64, all_terms: bool, square: f64) -> f64 {
    let damping = features.damping();
    if damping == 0.0 {
        return dot_product_map_moment(p, features.series(p * square), all_terms);
    }
    let bandwidth = (0.5 / damping).sqrt();
    if all_terms {
        // The sum over pairs of terms decreases in |x|^2, so its value at 0 bounds it.
        gaussian_all_terms_moment(p, bandwidth, square, square * square, 0.0)
    } else {
        gaussian_map_moment(p, bandwidth, square, square * square)
    }
}

/// sum_{k,l} a^min(k,l) (-m)^|k-l| / (k! l!); I_0(2 sqrt(a)) for m = 0.
fn overlaps(a: f64, m: f64) -> f64 {
    // Summed along diagonals: the terms (k, k + gap) are a^k / k!^2 times (-m)^gap k! / (k + gap)!.
    let (mut sum, mut diagonal) = (0.0, 1.0);
    for k in 0..TERMS {
        let (mut row, mut off) = (1.0, 1.0);
        for gap in 1..TERMS {
            off *= -m / f64::from(k + gap);
            row += 2.0 * off;
        }
        sum += diagonal * row;
        diagonal *= a / f64::from(k + 1).powi(2);
    }
    sum
}

/// Number of terms of the double series: far more than arguments below 100 need.
const TERMS: u32 = 400;

/// Bounds of Algorithm 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnalyticBounds {
    /// Parameter of the degree law, > 1.
    pub p: f64,
    /// Norm W of the competitors.
    pub radius: f64,
    /// M, a bound on E|Psi~|^2.
    pub map_moment: f64,
    /// The point about which the loss is expanded.
    pub centre: f64,
    /// B_y >= (E y~^2)^(1/2) for losses of the residual, 0 for losses of the margin.
    pub target_bound: f64,
    /// Whether all terms up to the drawn degree are kept.
    pub all_terms: bool,
}

impl AnalyticBounds {
    /// B_g >= E g^2 for the estimate g of the loss's derivative: p/(p-1) l'_+(z)^2, without the fraction if all terms are
    /// kept, where z = sqrt(p) (W sqrt(M) + |centre| + B_y) and l'_+(z) = sum_n |gamma_n| z^n is `plus` (Lemma 1 applied
    /// to the copies; Theorem 10).
    pub fn length_moment(&self, plus: impl Fn(f64) -> f64) -> f64 {
        let z = self.p.sqrt() * (self.radius * self.map_moment.sqrt() + self.centre.abs() + self.target_bound);
        let factor = if self.all_terms { 1.0 } else { self.p / (self.p - 1.0) };
        factor * plus(z).powi(2)
    }

    /// G = B_g M: |g Psi~|^2 has independent factors.
    pub fn moment(&self, plus: impl Fn(f64) -> f64) -> f64 {
        self.length_moment(plus) * self.map_moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dropped cross term: w = -1, x = y = 1 without noise has |g|^2 = 16, above the printed 8.
    #[test]
    fn lemma_2_needs_its_cross_term() {
        let gradient = 2.0 * (-1.0f64 - 1.0);
        assert!(gradient * gradient > 4.0 * (1.0 + 1.0));
        assert_eq!(two_copy_moment(1.0, 1.0, 1.0), gradient * gradient);
    }

    #[test]
    fn the_law_of_queries_is_geometric_for_dot_products() {
        for p in [1.5f64, 2.0, 4.0] {
            let law = queries_law(p, false, 60);
            for (m, probability) in law.iter().enumerate() {
                // P(at least m copies): one map of degree N and n maps for the gradient's length.
                let tail = |m: usize| (p / (p * p - p + 1.0)).powi(m as i32);
                let exact = tail(m) - tail(m + 1);
                assert!((probability - exact).abs() < 1e-14, "{p} {m}");
            }
            for gaussian in [false, true] {
                let law = queries_law(p, gaussian, 3000);
                let mean: f64 = law.iter().enumerate().map(|(m, probability)| m as f64 * probability).sum();
                assert!((mean / expected_queries(p, gaussian) - 1.0).abs() < 1e-9, "{p} {mean}");
                assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_step_of_the_theorem_minimises_the_bound() {
        let (radius, moment, rounds) = (1.5, 40.0, 700.0);
        let best = step(radius, moment, rounds);
        let least = regret(radius, moment, rounds);
        assert!((regret_at(best, radius, moment, rounds) / least - 1.0).abs() < 1e-14);
        for factor in [0.1, 0.9, 1.1, 4.0] {
            assert!(regret_at(factor * best, radius, moment, rounds) > 1.001 * least);
        }
    }

    #[test]
    fn a_wide_angle_costs_nothing() {
        assert_eq!(surrogate_radius(2.0, 4.0, 3.0), 4.0);
        assert_eq!(surrogate_radius(2.0, 4.0, std::f64::consts::FRAC_PI_2).round(), 4.0);
    }
}
