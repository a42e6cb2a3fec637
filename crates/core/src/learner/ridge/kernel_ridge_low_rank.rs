//! kernel-ridge-low-rank: online kernel ridge regression up to a stated tolerance, over inputs known beforehand.
//!
//! Exact regression keeps a factor of n^2 / 2 numbers. Here K is replaced by G = K - E, where E is positive
//! semidefinite and no entry of E exceeds the tolerance times max_t k(x_t, x_t) ([`LowRank`]). Regression over the r
//! coordinates of G is exact and takes 2 r^2 numbers in all. [`Quality::forecast_error`] bounds the difference of the
//! forecasts, for any targets; the measure `forecast_error_bound` reports it.

use std::sync::Arc;

use crate::feature::api::FeatureMap;
use crate::feature::low_rank::{LowRank, Quality};
use crate::kernel::api::Kernel;
use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting,
};
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::predictive::Predictive;
use crate::learner::ridge::discount::Discount;
use crate::learner::ridge::fixed_features::{FixedFeatures, MOST_FEATURES};
use crate::learner::ridge::sequential::Forecast;
use crate::params::typed::{Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::squared_norm;
use noregret_numeric::state::{StateError, Store};

/// The forecaster. It takes r (2 r + d) + r^2 / 2 numbers, and 3 r^2 multiply-adds per round, nearly all of them in
/// matrix products when rounds come in blocks.
#[derive(Debug)]
pub struct KernelRidgeLowRank {
    kernel: Arc<dyn Kernel>,
    lambda: f64,
    tolerance: f64,
    dim: usize,
    /// None before the inputs are seen.
    regression: Option<LowRankRidge>,
    /// Rounds played, and the sum of y^2 over them.
    played: u64,
    squares: f64,
}

#[derive(Debug)]
struct LowRankRidge {
    ridge: FixedFeatures,
    rank: u64,
    bytes: u64,
    quality: Quality,
}

impl KernelRidgeLowRank {
    /// A forecaster that has seen nothing.
    ///
    /// # Errors
    /// Values out of range; a kernel that does not accept inputs of this dimension.
    pub fn new(params: KernelRidgeLowRankParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let KernelRidgeLowRankParams { lambda, kernel, tolerance } = params;
        parameters::accepts(&*kernel, setting)?;
        Ok(Self { kernel, lambda, tolerance, dim: setting.dim, regression: None, played: 0, squares: 0.0 })
    }

    fn regress_over(&mut self, map: LowRank) {
        let (rank, bytes, quality) = (map.features() as u64, map.bytes(), map.quality());
        let ridge = FixedFeatures::new(Forecast::Ridge, Box::new(map), self.lambda);
        self.regression = Some(LowRankRidge { ridge, rank, bytes, quality });
    }

    fn regression(&mut self) -> Result<&mut LowRankRidge, Breakdown> {
        let missing = || Breakdown::new("all inputs are needed before the first round, to choose points among them");
        self.regression.as_mut().ok_or_else(missing)
    }

    fn count(&mut self, targets: &[f64]) {
        self.played += targets.len() as u64;
        self.squares += squared_norm(targets);
    }
}

impl Hypothesis for KernelRidgeLowRank {
    /// 0 before the inputs are seen.
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.regression.as_ref().map_or(0.0, |regression| regression.ridge.predict(x, draw))
    }

    fn gauges(&self) -> Gauges {
        let Some(LowRankRidge { ridge, rank, bytes, quality }) = &self.regression else {
            return Gauges { state_bytes: Some(0), ..Gauges::default() };
        };
        let gauges = ridge.gauges();
        Gauges {
            stored_points: Some(*rank),
            kernel_evaluations: Some(quality.evaluations + rank * self.played),
            state_bytes: gauges.state_bytes.map(|of_ridge| of_ridge + bytes),
            ..gauges
        }
    }

    /// `forecast_error_bound`: a bound on the difference of any forecast so far from that of exact regression.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        let bound = |known: &LowRankRidge| known.quality.forecast_error(self.lambda, self.squares.sqrt());
        self.regression.iter().map(|known| ("forecast_error_bound", bound(known))).collect()
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        self.regression.as_ref()?.ridge.predictive(x)
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.regression.as_ref().map_or_else(|| Some(Vec::new()), |known| known.ridge.predictives())
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        store.keep("played", &mut self.played)?;
        store.keep("squares", &mut self.squares)?;
        let mut foreseen = self.regression.is_some();
        store.keep("foreseen", &mut foreseen)?;
        if foreseen && store.is_loading() {
            let mut map = LowRank::new(self.kernel.clone(), self.dim);
            store.within("map", |store| map.state(store))?;
            self.regress_over(map);
        } else if let Some(regression) = &mut self.regression {
            store.within("map", |store| regression.ridge.map_mut().state(store))?;
        }
        self.regression
            .as_mut()
            .map_or(Ok(()), |regression| store.within("ridge", |store| regression.ridge.state(store)))
    }
}

impl Learner for KernelRidgeLowRank {
    fn foresees(&self) -> bool {
        self.regression.is_none()
    }

    fn foresee(&mut self, inputs: Rows<'_>, _: &Draws) -> Result<(), Breakdown> {
        let map = LowRank::choose(self.kernel.clone(), inputs, self.tolerance, MOST_FEATURES as usize)
            .map_err(|error| Breakdown::new(error.to_string()))?;
        self.regress_over(map);
        Ok(())
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.regression()?.ridge.learn_weighted(x, y, weight, draw)?;
        self.count(&[weight.sqrt() * y]);
        Ok(())
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let outcome = self.regression()?.ridge.play(block, draws, predictions);
        let played = outcome.as_ref().map_or_else(|breakdown| breakdown.after, |()| block.targets.len());
        self.count(&block.targets[..played]);
        outcome
    }
}

parameters! {
    /// Parameters of [`KernelRidgeLowRank`].
    pub struct KernelRidgeLowRankParams {
        lambda: f64 = parameters::LAMBDA;
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
        /// largest error of a kernel value between two of the inputs, relative to the largest k(x, x); below 1e-12 it
        /// could not be distinguished from rounding errors
        tolerance: f64 =
            Kind::real(Range { min: 1e-12, min_open: false, max: 1.0, max_open: true }) => Fallback::Real(1e-8);
    }
}

/// The cost of a run, with 300 points for every digit of the tolerance, as the papers' data need.
fn cost(tolerance: f64, rounds: u64, dim: usize) -> Cost {
    let points = (300.0 * -tolerance.log10()).clamp(1.0, rounds.max(1) as f64);
    let Cost { flops, bytes } = FixedFeatures::cost(rounds, points as u64, Discount::NONE);
    let (n, d) = (rounds as f64, dim as f64);
    Cost {
        flops: flops + 2.0 * n * points * (points + 3.0 * d + 20.0),
        // All inputs are held while points are chosen.
        bytes: bytes + 8.0 * (n * (d + 1.0) + 0.5 * points * points),
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// K ~ G = R R',  R of rank r, with 0 <= K - G and no entry of K - G above tolerance * max_t k(x_t, x_t)
    /// f_t: ridge regression over the r coordinates of G
    /// ```
    ///
    /// ## Cost
    ///
    /// r^2 operations per round and n r + 2 r^2 numbers, where r is the rank that the tolerance needs. It reads all inputs
    /// before the first round (never the targets). The measure `forecast_error_bound` says how far a forecast can be from that
    /// of exact regression.
    ///
    /// ## When to use it
    ///
    /// Exact regression over a stored file that is too long for `kernel-ridge`. Not for a stream whose inputs
    /// arrive one by one.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "kernel-ridge-low-rank",
        summary: "online kernel ridge regression to a tolerance, through an incomplete Cholesky factor over inputs known \
                  beforehand (Fine, Scheinberg, JMLR 2001; Engel, Mannor, Meir, IEEE TSP 2004)",
        module: module_path!(),
        params: KernelRidgeLowRankParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(KernelRidgeLowRank::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| cost(KernelRidgeLowRankParams::read(params).tolerance, rounds, dim),
            drawn_by: &[],
            about: About::new(Compared::Absent("it needs all inputs before the first round")).of(Kin::Exact),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::gaussian::Gaussian;
    use crate::learner::ridge::exact::{ExactParams, KernelRidge};
    use crate::parts::Defaults;
    use noregret_numeric::draw::Role;
    use noregret_numeric::linalg::matrix::Matrix;

    const ROUNDS: usize = 700;

    fn stream() -> (Matrix, Vec<f64>) {
        let mut draw = Draws::named(&["low-rank ridge"]).at(Role::Example, 0);
        let inputs = Matrix::from_data(ROUNDS, 3, (0..3 * ROUNDS).map(|_| draw.between(0.0, 1.0)).collect()).unwrap();
        let targets = inputs.view().iter().map(|x| if (6.0 * x[0]).sin() + x[1] > 0.6 { 1.0 } else { -1.0 }).collect();
        (inputs, targets)
    }

    fn play(learner: &mut dyn Learner, inputs: &Matrix, targets: &[f64]) -> Vec<f64> {
        let draws = Draws::named(&["none"]);
        if learner.foresees() {
            learner.foresee(inputs.view(), &draws).unwrap();
        }
        let mut predictions = vec![0.0; targets.len()];
        learner.play(Block { first_round: 1, inputs: inputs.view(), targets }, &draws, &mut predictions).unwrap();
        predictions
    }

    /// Forecasts equal those of exact regression up to the bound, and in fact much more closely. The difference shrinks
    /// with the tolerance.
    #[test]
    fn forecasts_are_those_of_exact_regression_to_the_bound() {
        let (inputs, targets) = stream();
        for lambda in [1.0, 0.01] {
            let kernel = Arc::new(Gaussian::new(1.0));
            let params = ExactParams { lambda, kernel: kernel.clone() };
            let mut exact = KernelRidge::new(params, &Setting::new(3)).unwrap();
            let expected = play(&mut exact, &inputs, &targets);
            let mut largest = f64::INFINITY;
            for tolerance in [1e-1, 1e-4, 1e-8, 1e-11] {
                let params = KernelRidgeLowRankParams { lambda, kernel: kernel.clone(), tolerance };
                let mut learner = KernelRidgeLowRank::new(params, &Setting::new(inputs.cols())).unwrap();
                let found = play(&mut learner, &inputs, &targets);
                let [("forecast_error_bound", bound)] = learner.measures()[..] else { panic!() };
                let differences = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
                let difference = differences.fold(0.0, f64::max);
                assert!(difference <= bound + 1e-12, "{lambda} {tolerance}: {difference} {bound}");
                assert!(
                    difference < 20.0 * tolerance / lambda && difference < largest,
                    "{lambda} {tolerance}: {difference}"
                );
                let n = ROUNDS as f64;
                let crude = n * tolerance * (1.0 / lambda + n.sqrt() / (2.0 * lambda.powf(1.5)));
                assert!(bound <= crude * (1.0 + 1e-12), "{lambda} {tolerance}: {bound} {crude}");
                largest = difference;
            }
        }
    }

    /// A constant input has one coordinate, so regression over it is exact.
    #[test]
    fn equal_inputs_are_averaged() {
        let inputs = Matrix::from_data(600, 2, vec![0.5; 1200]).unwrap();
        let targets: Vec<f64> = (0..600).map(|t| f64::from(t % 3)).collect();
        let mut learner = KernelRidgeLowRank::new(KernelRidgeLowRankParams::default(), &Setting::new(1)).unwrap();
        let found = play(&mut learner, &inputs, &targets);
        assert_eq!(learner.gauges().stored_points, Some(1));
        let mut sum = 0.0;
        for (t, (found, y)) in found.iter().zip(&targets).enumerate() {
            assert!((found - sum / (t as f64 + 1.0)).abs() < 1e-12, "{t}");
            sum += y;
        }
    }

    #[test]
    fn rounds_before_the_inputs_are_refused() {
        let mut learner = KernelRidgeLowRank::new(KernelRidgeLowRankParams::default(), &Setting::new(1)).unwrap();
        let error = learner.learn(&[0.0], 1.0, &mut Draws::named(&["none"]).at(Role::Learn, 1)).unwrap_err();
        assert!(error.cause.contains("before the first round"), "{error:?}");
    }
}
