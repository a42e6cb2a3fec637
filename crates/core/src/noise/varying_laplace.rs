//! Laplace noise with different variances in every round and coordinate.

use std::sync::Arc;

use crate::noise::api::{NoiseEntry, NoiseLaw, Spread};
use crate::noise::parameters;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use noregret_numeric::draw::{Draw, Draws, Role};

parameters! {
    /// Parameters of [`VaryingLaplace`].
    pub(crate) struct VaryingLaplaceParams with required {
        noise_std: f64 = parameters::MEAN_NOISE_STD;
        /// seed of the sequence of variances
        seed: u64 = Kind::integer(0, u32::MAX as u64) => Fallback::Integer(0);
    }
}

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "varying-laplace",
    summary: "Laplace; each round and coordinate has its own variance, uniform on [0, 2 noise_std^2]",
    module: module_path!(),
    params: VaryingLaplaceParams::SPECS,
    build: |params| {
        let VaryingLaplaceParams { noise_std, seed } = Parameters::read(params);
        let variances = Draws::named(&["varying-laplace", &seed.to_string()]);
        Ok(Arc::new(VaryingLaplace { deviation: noise_std, variances }))
    },
};

/// Coordinates independent, Laplace; the variances of a round are fixed in advance by separate draws.
#[derive(Clone, Debug)]
pub(crate) struct VaryingLaplace {
    deviation: f64,
    variances: Draws,
}

impl VaryingLaplace {
    /// The variances of a round, coordinate after coordinate.
    fn variances(&self, round: u64) -> impl Iterator<Item = f64> {
        let (mean, mut draw) = (self.deviation * self.deviation, self.variances.at(Role::Start, round));
        std::iter::repeat_with(move || mean * draw.between(0.0, 2.0))
    }
}

impl NoiseLaw for VaryingLaplace {
    fn sample(&self, round: u64, draw: &mut Draw, out: &mut [f64]) {
        for (noise, variance) in out.iter_mut().zip(self.variances(round)) {
            // As in `laplace`: the density exp(-|z|/b) / (2b) has variance 2 b^2.
            *noise = draw.sign() * (0.5 * variance).sqrt() * -(1.0 - draw.uniform()).ln();
        }
    }

    fn covariance_times(&self, round: u64, w: &[f64], out: &mut [f64]) {
        for ((out, w), variance) in out.iter_mut().zip(w).zip(self.variances(round)) {
            *out = variance * w;
        }
    }

    /// No variance is above twice the mean.
    fn spread(&self, dim: usize) -> Option<Spread> {
        Some(Spread::independent(dim, 2.0 * self.deviation * self.deviation, 6.0))
    }
}
