//! The map phi(x) = x, for learners over features that somebody else has computed.

use crate::feature::api::FeatureMap;

/// phi(x) = x on R^r.
#[derive(Clone, Copy, Debug)]
pub struct IdentityMap(pub usize);

impl FeatureMap for IdentityMap {
    fn features(&self) -> usize {
        self.0
    }

    fn write(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }
}
