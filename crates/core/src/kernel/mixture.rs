//! Radial kernels as mixtures of Gaussian kernels: k(x, z) = int exp(-u |x - z|^2) mu(du) for a positive measure mu. By
//! Schoenberg's theorem these are the radial kernels that are positive definite in every dimension.

use crate::linalg::quadrature::legendre_root;
use crate::params::{Fallback, Kind, Params, Range, Spec};

/// The measure mu of a mixture.
pub enum Mixture<'a> {
    /// One Gaussian, exp(-u |x - z|^2), of this rate u.
    Point(f64),
    /// mu(u) du on 0 < u <= `cutoff`, which may be infinite.
    Density {
        /// mu(u) for u > 0.
        density: Box<dyn Fn(f64) -> f64 + 'a>,
        /// The largest rate.
        cutoff: f64,
    },
}

/// The parameter that cuts a mixture, because components exp(-u r^2) narrower than the noise cannot be learnt.
pub const CUTOFF: Spec = Spec {
    name: "cutoff",
    doc: "largest rate u of the components exp(-u r^2) of the kernel that are kept; none: all are kept",
    kind: Kind::Real { range: Range::POSITIVE, words: &["none"] },
    default: Fallback::Word("none"),
};

/// The value of [`CUTOFF`].
pub fn cutoff(params: &Params) -> f64 {
    params.real_or_word(CUTOFF.name).unwrap_or(f64::INFINITY)
}

/// Nodes and weights of the Gauss-Legendre rule of `count` nodes for integrals of f(u) over 0 < u <= `cutoff`, in the
/// variable sqrt(u), which makes densities like u^(-1/2) smooth at 0. 24 nodes are accurate to 1e-9 for most truncated
/// kernels, 64 nodes to 1e-12 for all kernels in the tests.
pub fn nodes(count: usize, cutoff: f64) -> Vec<(f64, f64)> {
    (0..count)
        .map(|i| {
            let (x, weight) = legendre_root(count, i, 1e-16);
            let s = 0.5 * (x + 1.0);
            (cutoff * s * s, cutoff * s * weight)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule of n nodes is exact for polynomials of degree 2n - 1 in sqrt(u), times the 2 sqrt(u) of the substitution.
    #[test]
    fn the_rule_is_exact_for_polynomials() {
        for count in [2, 5, 24] {
            for half in 0..2 * count - 1 {
                let power = 0.5 * half as f64;
                let sum: f64 = nodes(count, 1.7).iter().map(|(u, weight)| weight * u.powf(power)).sum();
                let exact = 1.7f64.powf(power + 1.0) / (power + 1.0);
                assert!((sum - exact).abs() < 1e-13 * exact, "{count} {half}: {sum} {exact}");
            }
        }
    }
}
