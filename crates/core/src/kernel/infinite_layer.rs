//! The kernel of a feature family that has a closed form or a discrete mu.

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::feature::family::Family;
use crate::kernel::api::{Kernel, KernelEntry};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, PartKind};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::dot;

/// k(x, z) = E_w psi(x; w) psi(z; w).
#[derive(Clone, Debug)]
pub struct InfiniteLayer {
    family: Arc<dyn Family>,
    closed: Option<Arc<dyn Kernel>>,
}

impl InfiniteLayer {
    /// The kernel of `family`.
    pub fn new(family: Arc<dyn Family>) -> Self {
        let closed = family.kernel();
        Self { family, closed }
    }

    fn rows(map: &dyn FeatureMap, points: Rows<'_>) -> Vec<f64> {
        let mut features = vec![0.0; points.rows() * map.features()];
        map.write_rows(points, &mut features);
        features
    }
}

impl Kernel for InfiniteLayer {
    /// NaN if neither form exists; [`accepts`](Kernel::accepts) refuses such families beforehand.
    fn evaluate(&self, x: &[f64], z: &[f64]) -> f64 {
        let mut value = [f64::NAN];
        self.row(Rows::new(x.len(), x), z, &mut value);
        value[0]
    }

    fn row(&self, points: Rows<'_>, x: &[f64], out: &mut [f64]) {
        self.gram(Rows::new(x.len(), x), points, out);
    }

    fn gram(&self, left: Rows<'_>, right: Rows<'_>, out: &mut [f64]) {
        if let Some(closed) = &self.closed {
            return closed.gram(left, right, out);
        }
        let Some(map) = self.family.finite(left.cols()) else { return out.fill(f64::NAN) };
        let width = map.features().max(1);
        let (left, right) = (Self::rows(&*map, left), Self::rows(&*map, right));
        let pairs = left.chunks_exact(width).flat_map(|x| right.chunks_exact(width).map(move |z| (x, z)));
        for (value, (x, z)) in out.iter_mut().zip(pairs) {
            *value = dot(x, z);
        }
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        self.family.accepts(dim)?;
        if self.closed.is_none() && self.family.finite(dim).is_none() {
            let why = "this feature family has no kernel in closed form; wrap it: { name = \"discrete\", of = ... }";
            return Err(why.into());
        }
        Ok(())
    }

    fn features(&self, dim: usize) -> Option<Arc<dyn FeatureMap>> {
        self.family.finite(dim)
    }

    fn largest_diagonal(&self) -> Option<f64> {
        self.closed.as_ref().map_or(Some(1.0), |kernel| kernel.largest_diagonal())
    }
}

parameters! {
    /// Parameters of [`InfiniteLayer`].
    pub(crate) struct InfiniteLayerParams {
        /// the feature family psi(x; w) with its law mu of w
        feature: Arc<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("cosine");
    }
}

/// Registry entry.
pub(crate) static ENTRY: KernelEntry = KernelEntry {
    name: "infinite-layer",
    summary: "E_w psi(x; w) psi(z; w) of a feature family with a closed form or a discrete mu (Globerson, Livni, eq. 2)",
    module: module_path!(),
    params: InfiniteLayerParams::SPECS,
    build: |params| Ok(Arc::new(InfiniteLayer::new(InfiniteLayerParams::read(params).feature))),
};
