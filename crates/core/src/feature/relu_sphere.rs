//! Rectified linear neurons with weights on the sphere.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry, normals};
use crate::kernel::angle::{length, wedge};
use crate::kernel::api::Kernel;
use crate::kernel::arc_cosine::first_order;
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::vector::dot;

/// psi(x; w) = max(0, <w, x>), w uniform on the unit sphere of R^d, for |x| <= 1:
/// k(x, z) = |x| |z| (sin theta + (pi - theta) cos theta) / (2 pi d), a multiple of the arc-cosine kernel of order 1.
///
/// Inputs outside the unit ball are projected onto it, x / |x| replacing x, so that |psi| <= 1 for every input.
#[derive(Clone, Copy, Debug)]
pub struct ReluSphere;

impl Family for ReluSphere {
    fn weights(&self, dim: usize) -> usize {
        dim
    }

    fn sample(&self, _: usize, draw: &mut Draw, w: &mut [f64]) {
        normals(draw, 1.0, w);
        let norm = length(0.0, w);
        if norm > 0.0 {
            w.iter_mut().for_each(|w| *w /= norm);
        }
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        let norm = length(0.0, x);
        if norm > 1.0 {
            w.iter().zip(x).fold(0.0, |sum, (w, x)| sum + w * (x / norm)).clamp(0.0, 1.0)
        } else {
            dot(w, x).clamp(0.0, 1.0)
        }
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(OnSphere))
    }
}

/// The kernel of [`ReluSphere`].
#[derive(Clone, Copy, Debug)]
struct OnSphere;

impl Kernel for OnSphere {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let wedge = wedge(0.0, x, z);
        let lengths = wedge.left.min(1.0) * wedge.right.min(1.0);
        lengths * first_order(wedge.angle) / (2.0 * PI * x.len().max(1) as f64)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(0.5)
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "relu-sphere",
    summary: "max(0, <w, x>), w uniform on the sphere, |x| <= 1 (or projected); arc-cosine kernel of order 1 / (2 d)",
    module: module_path!(),
    params: &[],
    build: |_| Ok(Arc::new(ReluSphere)),
};
