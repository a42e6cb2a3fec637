//! Arc-cosine kernels of orders 0 and 1: infinite layers of step neurons and of ReLU neurons.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::kernel::angle::wedge;
use crate::kernel::api::{Kernel, KernelEntry};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};

/// With theta the angle between x~ = (1, x) and z~ = (1, z),
///
/// ```text
/// order 0: 1 - theta / pi                                              = 2 E 1{<w, x~> >= 0} 1{<w, z~> >= 0}
/// order 1: |x~| |z~| (sin theta + (pi - theta) cos theta) / pi         = 2 E max(0, <w, x~>) max(0, <w, z~>)
/// ```
///
/// for w ~ N(0, I).
///
/// Source: Y. Cho, L. Saul, Kernel methods for deep learning, NIPS 2009, eqs. (1)-(6).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArcCosine {
    order: u64,
}

impl ArcCosine {
    /// The kernel of `order` 0 or 1 (any larger order means 1).
    pub(crate) fn new(order: u64) -> Self {
        Self { order }
    }
}

/// sin theta + (pi - theta) cos theta.
pub(crate) fn first_order(theta: f64) -> f64 {
    theta.sin() + (PI - theta) * theta.cos()
}

impl Kernel for ArcCosine {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let wedge = wedge(1.0, x, z);
        match self.order {
            0 => 1.0 - wedge.angle / PI,
            _ => ((wedge.left * wedge.right) * (first_order(wedge.angle) / PI)).min(f64::MAX),
        }
    }

    fn largest_diagonal(&self) -> Option<f64> {
        (self.order == 0).then_some(1.0)
    }
}

parameters! {
    /// Parameters of [`ArcCosine`].
    pub(crate) struct ArcCosineParams {
        /// 0 for step neurons, 1 for ReLU neurons
        order: u64 = Kind::integer(0, 1) => Fallback::Integer(1);
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "arc-cosine",
    summary: "1 - theta/pi, or |x||z| (sin theta + (pi - theta) cos theta)/pi, x = (1, x): step or ReLU neurons (Cho, Saul 2009)",
    module: module_path!(),
    params: ArcCosineParams::SPECS,
    build: |params| Ok(Arc::new(ArcCosine::new(ArcCosineParams::read(params).order))),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // (1, 0) and (1, 1) are at 45 degrees.
        let (step, relu) = (ArcCosine::new(0), ArcCosine::new(1));
        assert!((step.evaluate(&[0.0], &[1.0]) - 0.75).abs() < 1e-15);
        let expected = 2f64.sqrt() * (0.5f64.sqrt() + 0.75 * PI * 0.5f64.sqrt()) / PI;
        assert!((relu.evaluate(&[0.0], &[1.0]) - expected).abs() < 1e-15);
        assert!((relu.evaluate(&[2.0], &[2.0]) - 5.0).abs() < 1e-14);
    }
}
