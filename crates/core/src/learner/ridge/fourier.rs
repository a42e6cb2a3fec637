//! Parameters and construction of the forecasters over random Fourier features.

use crate::feature::api::FeatureMap;
use crate::feature::fourier::Fourier;
use crate::learner::api::{AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, Setting};
use crate::learner::parameters::{BANDWIDTH, LAMBDA};
use crate::learner::ridge::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::ridge::forgetting::Discount;
use crate::learner::ridge::sequential::Forecast;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, ParamError, Params, Spec};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::vector::dot;
use noregret_numeric::state::{StateError, Store};

shared! {
    /// number D of random frequencies; each gives a sine and a cosine
    FEATURES = "features": Kind::integer(1, MOST_FEATURES / 2) => Fallback::Integer(100);
    /// iid: independent frequencies; orthogonal: orthogonal within blocks of d, with independent lengths
    KIND = "kind": Kind::Choice(&["iid", "orthogonal"]) => Fallback::Word("iid");
}

/// lambda, bandwidth, features, kind.
pub const PARAMS: &[Spec] = &[LAMBDA, BANDWIDTH, FEATURES, KIND];

/// The parameters that shape the frequencies; see [`Recipe::drawn_by`](crate::learner::api::Recipe::drawn_by).
pub(crate) const DRAWN_BY: &[&str] = &[BANDWIDTH.name, FEATURES.name, KIND.name];

/// The map of these parameters, drawn from the learner's own draws.
pub fn map(params: &Params, setting: &Setting) -> Fourier {
    draw_map(params.real(BANDWIDTH.name), params.integer(FEATURES.name), params.word(KIND.name), setting)
}

/// The map of these parameters, drawn from the learner's own draws.
pub(crate) fn draw_map(bandwidth: f64, features: u64, kind: &str, setting: &Setting) -> Fourier {
    let (count, draw) = (features as usize, &mut setting.draws.at(Role::Start, 0));
    match kind {
        "orthogonal" => Fourier::orthogonal(setting.dim, count, bandwidth, draw),
        _ => Fourier::sample(setting.dim, count, bandwidth, draw),
    }
}

/// Builds the forecaster.
///
/// # Errors
/// None; the limit of `features` keeps its matrices below 4 GiB each.
pub(crate) fn build(forecast: Forecast, params: &Params, setting: &Setting) -> Result<AnyLearner, ParamError> {
    let map = map(params, setting);
    let forecaster = FixedFeatures::new(forecast, Box::new(map.clone()), params.real(LAMBDA.name));
    let (bandwidth, dim) = (params.real(BANDWIDTH.name), setting.dim);
    Ok(AnyLearner::Full(Box::new(Measured { forecaster, map, bandwidth, dim })))
}

/// The forecaster, whose measures say how far the map is from the kernel.
struct Measured {
    forecaster: FixedFeatures,
    map: Fourier,
    bandwidth: f64,
    dim: usize,
}

/// At how many pairs of points the map is compared with the kernel.
const PAIRS: u64 = 1000;

impl Hypothesis for Measured {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.forecaster.predict(x, draw)
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

impl Learner for Measured {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.forecaster.learn(x, y, draw)
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.forecaster.play(block, draws, predictions)
    }
}

/// The operations that the features of a run take: D d for the phases, and a sine and a cosine of each.
pub(crate) fn feature_cost(features: u64, rounds: u64, dim: usize) -> f64 {
    rounds as f64 * features as f64 * (2 * dim + 40) as f64
}

/// The cost of a run.
pub(crate) fn cost(params: &Params, rounds: u64, dim: usize) -> Cost {
    let features = params.integer(FEATURES.name);
    let cost = FixedFeatures::cost(rounds, 2 * features, Discount::NONE);
    Cost { flops: cost.flops + feature_cost(features, rounds, dim), ..cost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::ridge::pkawv_fourier::ENTRY;
    use crate::params::check::check;
    use crate::parts::AllParts;

    fn errors(toml: &str, seed: u64) -> Vec<f64> {
        let params = check(ENTRY.params, &toml.parse::<toml::Table>().unwrap(), "", &AllParts).unwrap();
        let draws = Draws::named(&["fourier", &seed.to_string()]);
        let setting = Setting { dim: 8, horizon: None, draws };
        let AnyLearner::Full(learner) = build(Forecast::Awv, &params, &setting).unwrap() else { unreachable!() };
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
        let found: Vec<Vec<f64>> = (0..40).map(|seed| errors("features = 100\nbandwidth = 1", seed)).collect();
        let squares: Vec<f64> = found.iter().map(|errors| errors[0] * errors[0]).collect();
        let mean = squares.iter().sum::<f64>() / 40.0;
        let error = (squares.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (39.0 * 40.0)).sqrt();
        assert!((mean - expected).abs() < 5.0 * error && error < 0.05 * expected, "{mean} {error} {expected}");
        assert!(found.iter().all(|errors| errors[1] > errors[0] && errors[1] < 1.0), "{found:?}");
        let orthogonal = errors("features = 100\nbandwidth = 1\nkind = 'orthogonal'", 0)[0];
        assert!(orthogonal < 0.75 * expected.sqrt(), "{orthogonal} {expected}");
    }
}
