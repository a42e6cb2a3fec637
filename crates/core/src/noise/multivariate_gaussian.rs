//! Gaussian noise of any covariance.

use std::sync::Arc;

use crate::noise::api::{NoiseEntry, NoiseLaw, Spread};
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use noregret_numeric::draw::Draw;
use noregret_numeric::linalg::covariance::Covariance;
use noregret_numeric::linalg::vector::add_scaled;

parameters! {
    /// Parameters of [`MultivariateGaussian`].
    pub(crate) struct MultivariateGaussianParams with required {
        /// covariance of the noise
        covariance: Covariance = Kind::Covariance { words: &[] } => Fallback::Required;
    }
}

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "multivariate-gaussian",
    summary: "N(0, covariance)",
    module: module_path!(),
    params: MultivariateGaussianParams::SPECS,
    build: |params| {
        let MultivariateGaussianParams { covariance } = Parameters::read(params);
        Ok(Arc::new(MultivariateGaussian { covariance }))
    },
};

/// N(0, Sigma), drawn as independent normal numbers along the principal axes of Sigma.
#[derive(Clone, Debug)]
pub(crate) struct MultivariateGaussian {
    covariance: Covariance,
}

impl NoiseLaw for MultivariateGaussian {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        let axes = self.covariance.axes(out.len());
        let along = axes.variances.iter().map(|variance| variance.sqrt() * draw.normal());
        match &axes.rotation {
            None => out.iter_mut().zip(along).for_each(|(noise, value)| *noise = value),
            Some(rotation) => {
                out.fill(0.0);
                for (axis, value) in rotation.view().iter().zip(along) {
                    add_scaled(out, value, axis);
                }
            }
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        self.covariance.apply(w, out);
    }

    fn spread(&self, dim: usize) -> Option<Spread> {
        let variances = self.covariance.axes(dim).variances;
        let of_square = 2.0 * variances.iter().map(|variance| variance * variance).sum::<f64>();
        Some(Spread { variance: self.covariance.largest(), trace: variances.iter().sum(), of_square })
    }

    fn accepts(&self, dim: usize) -> Result<(), String> {
        self.covariance.fits(dim).map_err(|error| error.to_string())
    }
}
