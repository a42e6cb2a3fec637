//! Random Fourier features of the Gaussian kernel as a space.

use crate::feature::api::FeatureMap;
use crate::feature::fourier::Fourier;
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, Setting};
use crate::learner::parameters;
use crate::learner::predictive::Predictive;
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::ridge::regression::{FeatureSpace, FunctionSpace};
use crate::learner::ridge::sequential::Forecast;
use crate::params::typed::{parameters, shared};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::state::{StateError, Store};

shared! {
    /// number D of random frequencies; each gives a sine and a cosine
    FEATURES = "features": Kind::integer(1, MOST_FEATURES / 2) => Fallback::Integer(100);
    /// iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
    KIND = "kind": Kind::Choice(&["iid", "orthogonal"]) => Fallback::Word("iid");
}

parameters! {
    /// Parameters of regression over random Fourier features of the Gaussian kernel.
    pub struct FourierParams {
        lambda: f64 = parameters::LAMBDA;
        bandwidth: f64 = parameters::BANDWIDTH;
        features: u64 = self::FEATURES;
        kind: &'static str = self::KIND;
    }
}

/// The parameters that shape the frequencies; see [`Recipe::drawn_by`](crate::learner::api::Recipe::drawn_by).
pub(crate) const DRAWN_BY: &[&str] = &["bandwidth", "features", "kind"];

/// The map of `features` frequencies, drawn from the learner's own draws.
pub fn draw_map(bandwidth: f64, features: u64, kind: &str, setting: &Setting) -> Fourier {
    let draw = &mut setting.draws.at(Role::Start, 0);
    match kind {
        "orthogonal" => Fourier::orthogonal(setting.dim, features as usize, bandwidth, draw),
        _ => Fourier::sample(setting.dim, features as usize, bandwidth, draw),
    }
}

/// The span of random Fourier features of the Gaussian kernel.
#[derive(Clone, Copy, Debug)]
pub struct FourierSpace;

impl FunctionSpace for FourierSpace {
    type Params = FourierParams;
    type Learner = MeasuredFeatures;
    const DRAWN_BY: &'static [&'static str] = DRAWN_BY;

    fn learner(forecast: Forecast, params: FourierParams, setting: &Setting) -> Result<MeasuredFeatures, ParamError> {
        let FourierParams { lambda, bandwidth, features, kind } = params;
        let map = draw_map(bandwidth, features, kind, setting);
        let forecaster = FixedFeatures::new(forecast, Box::new(map.clone()), lambda);
        Ok(MeasuredFeatures { forecaster, map, bandwidth, dim: setting.dim })
    }

    fn cost(params: &FourierParams, rounds: u64, dim: usize) -> Cost {
        Self::cost_of(params, Discount::NONE, rounds, dim)
    }
}

impl FeatureSpace for FourierSpace {
    fn map(params: &FourierParams, setting: &Setting) -> Result<(Box<dyn FeatureMap>, f64), ParamError> {
        let FourierParams { lambda, bandwidth, features, kind } = *params;
        Ok((Box::new(draw_map(bandwidth, features, kind, setting)), lambda))
    }

    fn cost_of(params: &FourierParams, discount: Discount, rounds: u64, dim: usize) -> Cost {
        let cost = FixedFeatures::cost(rounds, 2 * params.features, discount);
        Cost { flops: cost.flops + feature_cost(params.features, rounds, dim), ..cost }
    }
}

/// The forecaster, whose measures say how far the map is from the kernel.
#[derive(Debug)]
pub struct MeasuredFeatures {
    forecaster: FixedFeatures,
    map: Fourier,
    bandwidth: f64,
    dim: usize,
}

/// At how many pairs of points the map is compared with the kernel.
const PAIRS: u64 = 1000;

impl Hypothesis for MeasuredFeatures {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.forecaster.predict(x, draw)
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        self.forecaster.predictive(x)
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.forecaster.predictives()
    }

    fn gauges(&self) -> Gauges {
        self.forecaster.gauges()
    }

    /// The root mean square and the largest of z(x)' z(y) - exp(-|x - y|^2 / (2 b^2)) over [`PAIRS`] pairs of points that
    /// are uniform on [0, 1]^d, the same for all maps.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        let draws = Draws::named(&["pairs of points of the unit cube"]);
        let (mut squares, mut largest) = (0.0, 0.0_f64);
        for pair in 0..PAIRS {
            let draw = &mut draws.at(Role::Example, pair);
            let mut point = || (0..self.dim).map(|_| draw.between(0.0, 1.0)).collect::<Vec<f64>>();
            let (x, y) = (point(), point());
            let features = [&x, &y].map(|at| {
                let mut features = vec![0.0; self.map.features()];
                self.map.write(at, &mut features);
                features
            });
            let distance: f64 = x.iter().zip(&y).map(|(x, y)| (x - y) * (x - y)).sum();
            let kernel = (-0.5 * distance / (self.bandwidth * self.bandwidth)).exp();
            let error = dot(&features[0], &features[1]) - kernel;
            squares += error * error;
            largest = largest.max(error.abs());
        }
        vec![("kernel_error", (squares / PAIRS as f64).sqrt()), ("largest_kernel_error", largest)]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { forecaster, map: _, bandwidth: _, dim: _ } = self;
        forecaster.state(store)
    }
}

impl Learner for MeasuredFeatures {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.forecaster.learn(x, y, draw)
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.forecaster.learn_weighted(x, y, weight, draw)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.forecaster.play(block, draws, predictions)
    }
}

/// The operations that the features of a run take: D d for the phases, and a sine and a cosine of each.
pub(crate) fn feature_cost(features: u64, rounds: u64, dim: usize) -> f64 {
    rounds as f64 * features as f64 * (2 * dim + 40) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::ridge::regression::{Awv, Regression};
    use crate::parts::Defaults;

    fn errors(kind: &'static str, seed: u64) -> Vec<f64> {
        let params = FourierParams { kind, ..FourierParams::default() };
        let draws = Draws::named(&["fourier", &seed.to_string()]);
        let setting = Setting { dim: 8, horizon: None, draws };
        let learner = Regression::<FourierSpace, Awv>::new(params, &setting).unwrap();
        learner.measures().into_iter().map(|(_, value)| value).collect()
    }

    /// The mean of the squared error at a pair is (1 - exp(-|x - y|^2 / b^2))^2 / (2 D) for independent frequencies. The mean
    /// over 40 maps (fixed seeds) lies within five standard errors, which it leaves with probability 6e-7.
    #[test]
    fn the_error_of_the_kernel_is_that_of_the_variance() {
        let draws = Draws::named(&["pairs of points of the unit cube"]);
        let variance = |pair: u64| {
            let draw = &mut draws.at(Role::Example, pair);
            let mut point = || (0..8).map(|_| draw.between(0.0, 1.0)).collect::<Vec<f64>>();
            let (x, y) = (point(), point());
            let distance: f64 = x.iter().zip(&y).map(|(x, y)| (x - y) * (x - y)).sum();
            (1.0 - (-distance).exp()).powi(2) / 200.0
        };
        let expected = (0..PAIRS).map(variance).sum::<f64>() / PAIRS as f64;
        let found: Vec<Vec<f64>> = (0..40).map(|seed| errors("iid", seed)).collect();
        let squares: Vec<f64> = found.iter().map(|errors| errors[0] * errors[0]).collect();
        let mean = squares.iter().sum::<f64>() / 40.0;
        let error = (squares.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (39.0 * 40.0)).sqrt();
        assert!((mean - expected).abs() < 5.0 * error && error < 0.05 * expected, "{mean} {error} {expected}");
        assert!(found.iter().all(|errors| errors[1] > errors[0] && errors[1] < 1.0), "{found:?}");
        let orthogonal = errors("orthogonal", 0)[0];
        assert!(orthogonal < 0.75 * expected.sqrt(), "{orthogonal} {expected}");
    }
}
