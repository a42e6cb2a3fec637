//! Exponents in n of the regret bounds (9), minimised over lambda, for m = n^a and d_eff(lambda) = (n / lambda)^gamma.
//!
//! Here lambda = n^l and mu = n m^(-1/gamma), which gives the dictionary m points. The bounds are lambda + d_eff + n mu
//! m / lambda for PKAWV, lambda + (n / m) d_eff for Sketched-KONS, and m (lambda + d_eff) + n mu / lambda for
//! Pros-N-KONS. The exponent of a sum is the largest exponent of its terms.

use crate::errata::search::minimum;

/// The algorithm whose bound is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BoundedAlgorithm {
    /// PKAWV with KORS.
    Pkawv,
    /// Sketched-KONS.
    Sketched,
    /// Pros-N-KONS.
    Pros,
}

/// The exponent of the bound, minimised over l in [0, 1] by golden section, since a maximum of linear functions of l
/// has one minimum.
pub(crate) fn exponent(bound: BoundedAlgorithm, gamma: f64, a: f64) -> f64 {
    let at = |l: f64| {
        let dimension = gamma * (1.0 - l);
        match bound {
            BoundedAlgorithm::Pkawv => l.max(dimension).max(2.0 - a / gamma + a - l),
            BoundedAlgorithm::Sketched => l.max(1.0 - a + dimension),
            BoundedAlgorithm::Pros => (a + l).max(a + dimension).max(2.0 - a / gamma - l),
        }
    };
    at(minimum(0.0, 1.0, at))
}
