//! Student's t noise: heavy tails with a bounded variance.

use std::sync::Arc;

use crate::noise::api::{NoiseEntry, NoiseLaw, Spread, scaled};
use crate::noise::parameters;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind};
use noregret_numeric::draw::Draw;

parameters! {
    /// Parameters of [`StudentT`].
    pub(crate) struct StudentTParams with required {
        noise_std: f64 = parameters::NOISE_STD;
        /// degrees of freedom; moments below this order are finite
        degrees: u64 = Kind::integer(3, 100) => Fallback::Integer(5);
    }
}

/// Registry entry.
pub(crate) static ENTRY: NoiseEntry = NoiseEntry {
    name: "student-t",
    summary: "Student's t, scaled to the standard deviation noise_std, independent coordinates",
    module: module_path!(),
    params: StudentTParams::SPECS,
    build: |params| {
        let StudentTParams { noise_std, degrees } = Parameters::read(params);
        Ok(Arc::new(StudentT { deviation: noise_std, degrees: degrees as u32 }))
    },
};

/// Coordinates independent, deviation sqrt((nu - 2) / nu) Z / sqrt(chi^2_nu / nu), whose variance is deviation^2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudentT {
    deviation: f64,
    degrees: u32,
}

impl NoiseLaw for StudentT {
    fn sample(&self, _round: u64, draw: &mut Draw, out: &mut [f64]) {
        for noise in out {
            let normal = draw.normal();
            let chi: f64 = (0..self.degrees).map(|_| draw.normal().powi(2)).sum();
            // The product of the two roots: sqrt((nu - 2) / chi^2).
            *noise = self.deviation * normal * (f64::from(self.degrees - 2) / chi).sqrt();
        }
    }

    fn covariance_times(&self, _round: u64, w: &[f64], out: &mut [f64]) {
        scaled(self.deviation * self.deviation, w, out);
    }

    /// The fourth moment is 3 (nu - 2) / (nu - 4) times the squared variance, infinite for nu <= 4.
    fn spread(&self, dim: usize) -> Option<Spread> {
        let degrees = f64::from(self.degrees);
        let kurtosis = if degrees > 4.0 { 3.0 * (degrees - 2.0) / (degrees - 4.0) } else { f64::INFINITY };
        Some(Spread::independent(dim, self.deviation * self.deviation, kurtosis))
    }
}
