//! Cosine neurons: the infinite layer whose kernel is half the Gaussian kernel.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::feature::family::{AT_ONCE, Family, FamilyEntry, activation, normals};
use crate::kernel::api::Kernel;
use crate::kernel::gaussian::Gaussian;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, Range};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::elementary::cosines;
use noregret_numeric::linalg::matrix::Rows;

/// psi(x; v, b) = cos(<v, x> + b), v ~ N(0, I / bandwidth^2), b uniform on [0, 2 pi): k(x, z) = exp(-|x - z|^2 / (2
/// bandwidth^2)) / 2. The usual factor sqrt(2) is left out, so that |psi| <= 1.
///
/// w = (b, v).
#[derive(Clone, Copy, Debug)]
pub struct Cosine {
    bandwidth: f64,
    /// 1 / bandwidth, finite.
    inverse: f64,
}

impl Cosine {
    /// The family of this `bandwidth` > 0.
    pub fn new(bandwidth: f64) -> Self {
        Self { bandwidth, inverse: bandwidth.recip().min(f64::MAX) }
    }
}

impl Family for Cosine {
    fn sample(&self, _: usize, draw: &mut Draw, w: &mut [f64]) {
        if let Some((bias, w)) = w.split_first_mut() {
            normals(draw, self.inverse, w);
            *bias = TAU * draw.uniform();
        }
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        phase(w, x).cos()
    }

    /// Computes the same as the default, with all cosines at once.
    fn products(&self, points: Rows<'_>, chosen: &[usize], x: &[f64], draw: &mut Draw, out: &mut [f64]) {
        let dim = x.len();
        let (mut short, mut long) = ([0.0; 16], Vec::new());
        let w: &mut [f64] = if dim < short.len() {
            &mut short[..=dim]
        } else {
            long.resize(dim + 1, 0.0);
            &mut long
        };
        let mut phases = [0.0; 2 * AT_ONCE];
        let count = out.len().min(AT_ONCE);
        for (k, i) in chosen.iter().enumerate().take(count) {
            self.sample(dim, draw, w);
            phases[k] = phase(w, points.row(*i));
            phases[count + k] = phase(w, x);
        }
        cosines(&mut phases[..2 * count]);
        for (k, value) in out.iter_mut().enumerate().take(count) {
            *value = phases[k] * phases[count + k];
        }
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(HalfGaussian(Gaussian::new(self.bandwidth))))
    }
}

/// <v, x> + b, finite for finite inputs.
#[inline]
fn phase(w: &[f64], x: &[f64]) -> f64 {
    let phase = activation(w, x);
    // Extreme weights with extreme inputs: any phase is as good as another.
    if phase.is_finite() { phase } else { 0.0 }
}

/// exp(-|x - z|^2 / (2 bandwidth^2)) / 2.
#[derive(Clone, Copy, Debug)]
struct HalfGaussian(Gaussian);

impl Kernel for HalfGaussian {
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        0.5 * self.0.evaluate(x, z)
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        self.0.row(points, x, out);
        out.iter_mut().for_each(|value| *value *= 0.5);
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        self.0.gram(left, right, out);
        out.iter_mut().for_each(|value| *value *= 0.5);
    }

    fn largest_diagonal(&self) -> Option<f64> {
        Some(0.5)
    }
}

parameters! {
    /// Parameters of [`Cosine`].
    pub(crate) struct CosineParams {
        /// width of the Gaussian kernel
        bandwidth: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "cosine",
    summary: "cos(<w, x> + b), w ~ N(0, I / bandwidth^2), b uniform; half the Gaussian kernel (Rahimi, Recht 2007)",
    module: module_path!(),
    params: CosineParams::SPECS,
    build: |params| Ok(Arc::new(Cosine::new(CosineParams::read(params).bandwidth))),
};
