//! Entries of a kernel matrix that nobody sees: of each, coins whose mean it is.

use std::sync::Arc;

use crate::feature::family::{Family, FamilyEntry};
use crate::kernel::api::Kernel;
use crate::params::entry::Chosen;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, PartKind};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::matrix::Rows;

/// The family `of`, whose products are not seen: in place of each product p = psi(x; w) psi(z; w) comes a coin, +1 with
/// probability (1 + p) / 2 and -1 otherwise. Its mean is k(x, z), it depends on nothing else, and its variance 1 - k(x, z)^2 is the
/// largest of an estimate that lies in [-1, 1]. No psi gives such estimates: it is the setting of learners who see unbiased
/// estimates of entries of a kernel matrix, for any kernel.
///
/// Source: A. Globerson, R. Livni, Learning infinite-layer networks: beyond the kernel trick, 2016, last section ("an unbiased estimate of a coordinate in a kernel matrix").
#[derive(Debug)]
pub(crate) struct Coins {
    of: Arc<dyn Family>,
}

impl Family for Coins {
    fn weights(&self, dim: usize) -> usize {
        self.of.weights(dim)
    }

    fn sample(&self, dim: usize, draw: &mut Draw, w: &mut [f64]) {
        self.of.sample(dim, draw, w);
    }

    fn value(&self, w: &[f64], x: &[f64]) -> f64 {
        self.of.value(w, x)
    }

    fn products(&self, points: Rows<'_>, chosen: &[usize], x: &[f64], draw: &mut Draw, out: &mut [f64]) {
        self.of.products(points, chosen, x, draw, out);
        for value in out.iter_mut() {
            *value = if 2.0 * draw.uniform() < 1.0 + *value { 1.0 } else { -1.0 };
        }
    }

    fn kernel(&self) -> Option<Arc<dyn Kernel>> {
        self.of.kernel()
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        self.of.accepts(dim)
    }
}

parameters! {
    /// Parameters of [`Coins`].
    pub(crate) struct CoinsParams {
        /// the family whose kernel's entries are the means of the coins
        of: Chosen<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("cosine");
    }
}

/// Registry entry.
pub(crate) static ENTRY: FamilyEntry = FamilyEntry {
    name: "coins",
    summary: "the kernel of the family `of`, seen only as coins whose means are its entries",
    module: module_path!(),
    params: CoinsParams::SPECS,
    build: |params| Ok(Arc::new(Coins { of: CoinsParams::read(params).of.object })),
};
