//! The exact expected error of least squares on the circle, at given horizons, for figures that compare measurements
//! with it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::schema;
use noregret_core::params::number;
use noregret_core::theory::robust::exact::ExactLeastSquares;
use noregret_numeric::linalg::bernoulli::BernoulliSeries;

/// Frequencies that the recursion follows one by one.
const FREQUENCIES: u32 = 512;

/// The circle problem, the steps of gradient descent on it, and the error that is asked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectation {
    /// n: the target is amplitude P_n.
    pub(crate) decay: u32,
    /// Factor of the target.
    #[serde(default = "half", deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) amplitude: f64,
    /// Half-width of the uniform noise; its variance is noise^2 / 3.
    #[serde(default = "half", deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub noise: f64,
    /// s of the kernel.
    #[serde(default = "one")]
    pub(crate) smoothness: u32,
    /// The step of round t out of T is factor T^-power t^-step_decay; this is its factor.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) factor: f64,
    /// The power of the horizon in the step.
    #[serde(default, deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub power: f64,
    /// The power of the round in the step.
    #[serde(default, deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    pub(crate) step_decay: f64,
    /// Whether the error is measured in the kernel's space instead of L2.
    #[serde(default)]
    pub(crate) rkhs: bool,
    /// Whether the error is that of the averaged iterate instead of the last one.
    #[serde(default)]
    pub averaged: bool,
}

fn half() -> f64 {
    0.5
}

fn one() -> u32 {
    1
}

impl Expectation {
    /// E |f - f_rho|^2 after T rounds, for each horizon T.
    ///
    /// # Errors
    /// What is wrong with the parameters.
    pub(crate) fn at(&self, horizons: &[u64]) -> Result<Vec<(u64, f64)>, String> {
        let target = BernoulliSeries::new(0.0, &[(self.decay, self.amplitude)]);
        let target = target.filter(|target| target.smoothed(self.smoothness).is_some() && self.smoothness > 0);
        let target = target.ok_or("`decay` and `smoothness` must be at least 1 and moderate")?;
        horizons
            .iter()
            .map(|&horizon| {
                let mut exact =
                    ExactLeastSquares::new(&target, self.smoothness, self.noise * self.noise / 3.0, FREQUENCIES);
                let step = self.factor * (horizon as f64).powf(-self.power);
                for t in 1..=horizon {
                    exact.step(if self.step_decay == 0.0 { step } else { step * (t as f64).powf(-self.step_decay) });
                }
                let error = match (self.rkhs, self.averaged) {
                    (false, false) => Some(exact.l2()),
                    (false, true) => Some(exact.l2_averaged()),
                    (true, false) => exact.rkhs(),
                    (true, true) => exact.rkhs_averaged(),
                };
                Ok((horizon, error.ok_or("the target is not in the kernel's space")?))
            })
            .collect()
    }

    /// r* of the target.
    pub(crate) fn regularity(&self) -> f64 {
        f64::from(2 * self.decay - 1) / f64::from(4 * self.smoothness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the reference implementation for n = 3, c = 1 in L2 and n = 2, c = 1/2 in the kernel's space.
    #[test]
    fn known_expectations() {
        let base = Expectation {
            decay: 3,
            amplitude: 0.5,
            noise: 0.5,
            smoothness: 1,
            factor: 1.0,
            power: 5.0 / 7.0,
            step_decay: 0.0,
            rkhs: false,
            averaged: false,
        };
        let near = |found: &[(u64, f64)], expected: [f64; 2]| {
            for ((_, found), expected) in found.iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-5, "{found} instead of {expected}");
            }
        };
        near(&base.at(&[128, 1024]).unwrap(), [0.007203, 0.0016114]);
        let rough = Expectation { decay: 2, factor: 0.5, power: 0.5, rkhs: true, ..base.clone() };
        near(&rough.at(&[128, 1024]).unwrap(), [0.165778, 0.0938343]);
        assert!(Expectation { decay: 1, rkhs: true, ..base.clone() }.at(&[4]).is_err());
        assert!(Expectation { decay: 30, ..base }.at(&[4]).is_err());
    }
}
