//! Exponents in n of the regret bounds (9), minimised over lambda, for m = n^a and d_eff(lambda) = (n / lambda)^gamma.
//!
//! With lambda = n^l and mu = n m^(-1/gamma), which makes the dictionary have m points:
//! PKAWV lambda + d_eff + n mu m / lambda, Sketched-KONS lambda + (n / m) d_eff,
//! Pros-N-KONS m (lambda + d_eff) + n mu / lambda. The exponent of a sum is the largest exponent of its terms.

/// The bound of which algorithm.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// PKAWV with KORS.
    Pkawv,
    /// Sketched-KONS.
    Sketched,
    /// Pros-N-KONS.
    Pros,
}

/// The exponent of the bound, minimised over l in [0, 1] by golden section: a maximum of linear functions of l has one
/// minimum.
pub fn exponent(bound: Bound, gamma: f64, a: f64) -> f64 {
    let at = |l: f64| {
        let dimension = gamma * (1.0 - l);
        match bound {
            Bound::Pkawv => l.max(dimension).max(2.0 - a / gamma + a - l),
            Bound::Sketched => l.max(1.0 - a + dimension),
            Bound::Pros => (a + l).max(a + dimension).max(2.0 - a / gamma - l),
        }
    };
    let shrink = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..120 {
        let (left, right) = (high - shrink * (high - low), low + shrink * (high - low));
        if at(left) < at(right) { high = right } else { low = left }
    }
    at(0.5 * (low + high))
}
