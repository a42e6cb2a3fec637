//! Rectified linear neurons cut off at 1.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};
use std::sync::{Arc, LazyLock};

use crate::feature::family::{Family, FamilyEntry, activation, normals};
use crate::kernel::angle::wedge;
use crate::kernel::api::Kernel;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::quadrature::gauss_legendre;

/// psi(x; w) = min(max(<w, (1, x)>, 0), 1), w ~ N(0, weight_std^2 I). Its kernel is not elementary, but a
/// one-dimensional integral.
#[derive(Clone, Copy, Debug)]
pub struct ClippedRelu {
    weight_std: f64,
}

impl ClippedRelu {
    /// The family of this standard deviation > 0.
    pub fn new(weight_std: f64) -> Self {
        Self { weight_std }
    }
}

impl Family for ClippedRelu {
    fn sample(&self, _: usize, draw: &mut Draw, w: &mut [f64]) {
        normals(draw, self.weight_std, w);
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        activation(w, x).clamp(0.0, 1.0)
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(Clipped { deviation: self.weight_std }))
    }
}

/// The kernel of [`ClippedRelu`], by quadrature.
///
/// With u = <w, (1, x)> ~ N(0, a) and v = <w, (1, z)> given u normal with mean mu = c u / a and variance
/// tau^2 = b - c^2 / a,
///
/// ```text
/// k(x, z) = int_0^inf min(u, 1) N(u; 0, a) tau [G(mu / tau) - G((mu - 1) / tau)] du,   G(s) = s Phi(s) + phi(s).
/// ```
#[derive(Clone, Copy, Debug)]
struct Clipped {
    deviation: f64,
}

/// Nodes on each piece on which the integrand is smooth; together they give the kernel up to
/// 1e-13 sqrt(k(x, x) k(z, z)).
static RULE: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| gauss_legendre(16));

/// Number of standard deviations of u beyond which the integrand vanishes in double precision.
const FAR: f64 = 9.0;

/// E max(0, v) for v ~ N(mean, deviation^2).
fn rectified(mean: f64, deviation: f64) -> f64 {
    let s = mean / deviation;
    // This includes deviation 0, where the limit is max(0, mean).
    if !s.is_finite() || s.abs() > 40.0 {
        return mean.max(0.0);
    }
    mean * 0.5 * libm::erfc(-s * FRAC_1_SQRT_2) + deviation * (-0.5 * s * s).exp() / TAU.sqrt()
}

impl Kernel for Clipped {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let wedge = wedge(1.0, x, z);
        // u is integrated over, the wider of the two: the value is then symmetric to the bit.
        let (wide, narrow) = (wedge.left.max(wedge.right), wedge.left.min(wedge.right));
        let deviation = |length: f64| (self.deviation * length).clamp(1e-140, 1e140);
        let (wide, narrow) = (deviation(wide), deviation(narrow));
        let (slope, tau) = (wedge.angle.cos() * (narrow / wide), wedge.angle.sin().abs() * narrow);
        let integrand = |u: f64| {
            let mean = slope * u;
            let inner = rectified(mean, tau) - rectified(mean - 1.0, tau);
            u.min(1.0) * (-0.5 * (u / wide).powi(2)).exp() * inner
        };
        // The integrand has a kink at u = 1 and bends, over a width of a few tau, where the mean of v is 0 or 1.
        let bend = slope.recip().abs();
        let (end, width) = (FAR * wide, 6.0 * tau * bend);
        let mut ends = [0.0, 1.0, width, bend - width, bend, bend + width, 0.4 * end, end];
        ends.iter_mut().for_each(|at| *at = at.max(0.0).min(end));
        ends.sort_by(f64::total_cmp);
        let piece = |from: f64, to: f64| {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            half * RULE.iter().map(|(node, weight)| weight * integrand(middle + half * node)).sum::<f64>()
        };
        let integral: f64 = ends.windows(2).filter(|pair| pair[0] < pair[1]).map(|pair| piece(pair[0], pair[1])).sum();
        integral / (wide * (2.0 * PI).sqrt())
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(0.5)
    }
}

parameters! {
    /// Parameters of [`ClippedRelu`].
    pub(crate) struct ClippedReluParams {
        /// standard deviation of weights and biases
        weight_std: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "clipped-relu",
    summary: "min(max(<w, (1, x)>, 0), 1), w ~ N(0, weight_std^2 I); its kernel is a one-dimensional integral",
    module: module_path!(),
    params: ClippedReluParams::SPECS,
    build: |params| Ok(Arc::new(ClippedRelu::new(ClippedReluParams::read(params).weight_std))),
};
