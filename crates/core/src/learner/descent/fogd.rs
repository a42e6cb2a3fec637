//! fogd: online gradient descent over random Fourier features.

use std::cell::RefCell;

use crate::feature::api::FeatureMap;
use crate::feature::fourier::Fourier;
use crate::learner::about::{About, FEW_WIDTHS, Kin, STEPS, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::learner::descent::expansion::diverged;
use crate::learner::descent::step;
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::vector::{add_scaled, dot};
use noregret_numeric::state::{StateError, Store};

/// p_t = w' z(x_t), w -= 2 eta (p_t - y_t) z(x_t), with 2 D random Fourier features z.
#[derive(Debug)]
pub struct Fogd {
    eta: f64,
    map: Fourier,
    weights: Vec<f64>,
    frequency_bytes: u64,
    /// Buffer for z(x).
    features: RefCell<Vec<f64>>,
    /// Buffer for the waves of two rounds.
    waves: Vec<f64>,
}

impl Fogd {
    /// Starts at w = 0, over features that are drawn from the learner's own draws.
    ///
    /// # Errors
    /// Values out of range, frequencies that take more than 4 GiB, or a step that needs an unknown number of rounds.
    pub fn new(params: FogdParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let (count, dim) = (params.features as usize, setting.dim);
        if count.saturating_mul(dim) > MOST_NUMBERS {
            let why = format!("{count} frequencies of {dim} input columns take more than 4 GiB");
            return Err(ParamError::refused("features", why));
        }
        let map = Fourier::sample(dim, count, params.bandwidth, &mut setting.draws.at(Role::Start, 0));
        Ok(Self::over(step::eta(&params.eta, setting)?, map, dim))
    }

    /// Starts at w = 0, over the features `map` of R^`dim`.
    pub fn over(eta: f64, map: Fourier, dim: usize) -> Self {
        let features = map.features();
        Self {
            eta,
            map,
            weights: vec![0.0; features],
            frequency_bytes: 4 * (features * dim) as u64,
            features: RefCell::new(vec![0.0; features]),
            waves: vec![0.0; 2 * features],
        }
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown> {
        let features = self.features.get_mut();
        self.map.write(x, features);
        *prediction = dot(&self.weights, features);
        let step = -2.0 * self.eta * (*prediction - y);
        if !step.is_finite() {
            return Err(diverged("prediction", *prediction, step));
        }
        add_scaled(&mut self.weights, step, features);
        Ok(())
    }
}

impl Hypothesis for Fogd {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let features = &mut *self.features.borrow_mut();
        self.map.write(x, features);
        dot(&self.weights, features)
    }

    fn gauges(&self) -> Gauges {
        let own = Gauges::of_weights(&self.weights);
        Gauges { state_bytes: own.state_bytes.map(|bytes| bytes + self.frequency_bytes), ..own }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let Self { eta: _, map: _, weights, frequency_bytes: _, features: _, waves: _ } = self;
        store.keep("weights", &mut weights[..])
    }
}

impl Learner for Fogd {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut prediction = 0.0;
        self.step(x, y, &mut prediction)
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let scale = self.map.scale();
        // The steps of two rounds are applied in the pass over the frequencies that the next two rounds make anyway.
        let mut steps = [0.0; 2];
        self.waves.fill(0.0);
        let mut done = 0;
        while let Some(products) = (done + 1 < block.targets.len())
            .then(|| [block.inputs.row(done), block.inputs.row(done + 1)])
            .and_then(|inputs| self.map.pass(inputs, steps, &mut self.waves, &mut self.weights))
        {
            let [first, second] = products.values;
            let mut step = |i: usize, prediction: f64| {
                predictions[i] = prediction;
                let step = -2.0 * self.eta * (prediction - block.targets[i]);
                if step.is_finite() {
                    Ok(step)
                } else {
                    Err(diverged("prediction", prediction, step)).map_err(in_round(i))
                }
            };
            let before = step(done, first)?;
            steps = [before, step(done + 1, before.mul_add(products.between, second))?].map(|step| scale * step);
            done += 2;
        }
        for (waves, step) in self.waves.chunks_exact(self.weights.len()).zip(steps) {
            add_scaled(&mut self.weights, step, waves);
        }
        // A last round without a partner, and all rounds from the first whose input is too large for `pass`.
        let rest = predictions.iter_mut().zip(block.inputs.iter().zip(block.targets)).enumerate().skip(done);
        for (i, (prediction, (x, y))) in rest {
            self.step(x, *y, prediction).map_err(in_round(i))?;
        }
        Ok(())
    }
}

/// The most numbers in all frequencies: 4 GiB.
const MOST_NUMBERS: usize = 1 << 29;

parameters! {
    /// Parameters of [`Fogd`].
    pub struct FogdParams {
        eta: OrWord<f64> = step::ETA;
        bandwidth: f64 = parameters::BANDWIDTH;
        /// number D of random frequencies; each gives a sine and a cosine
        features: u64 = Kind::integer(1, 1_000_000) => Fallback::Integer(1000);
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// z(x) = (sin(u_i' x), cos(u_i' x))_{i <= D} / sqrt(D),   u_i ~ N(0, I / b^2)
    /// p_t = w' z(x_t),   w <- w - 2 eta (p_t - y_t) z(x_t)
    /// ```
    ///
    /// ## Cost
    ///
    /// 2 D d operations per round and D d numbers: about 2 microseconds for D = 1000, d = 8. It does not grow with the stream.
    ///
    /// ## When to use it
    ///
    /// Millions of rows, many inputs, any time budget. Everything depends on `eta`: try 0.01 to 1, or let `noregret compare` or
    /// `tune` choose.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "fogd",
        summary: "online gradient descent over random Fourier features of the Gaussian kernel (Lu, Hoi et al., JMLR 2016)",
        module: module_path!(),
        params: FogdParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(Fogd::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let count = FogdParams::read(params).features as f64;
                Cost { flops: rounds as f64 * count * (2 * dim + 60) as f64, bytes: 8.0 * count * (dim + 4) as f64 }
            },
            drawn_by: &["features", "bandwidth"],
            about: About::grid(&[("eta", STEPS), ("bandwidth", FEW_WIDTHS), ("features", Tried::Whole(&[100, 1000]))])
                .of(Kin::Gradient)
                .random(),
        },
    };
}
