//! doubly-stochastic: gradient descent over an infinite layer with fresh neurons in every round, which are kept.

use std::sync::Arc;

use crate::feature::family::Family;
use crate::learner::about::{About, Compared, Kin};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::learner::descent::expansion::diverged;
use crate::learner::entry::learner;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::state::{StateError, Store, keep};

/// f_t = sum_j a_j psi(.; w_j) over the neurons of all rounds before. Round t draws w_1, ..., w_b from mu and takes the step
/// of lambda |f|^2 / 2 + (f(x) - y)^2 / 2 along the unbiased estimate of Phi(x_t) that they give:
///
/// ```text
/// eta_t = eta / (t + delay),   a <- (1 - eta_t lambda) a,   a_new = -(eta_t / b) (f_t(x_t) - y_t) psi(x_t; w_new)
/// ```
///
/// Values f_t(x) are exact, unlike those of the shrinking gradient. With delay = 0 and eta lambda in (1, 2] or a whole
/// number, E(f_t(x) - f*(x))^2 is O(1/t) for the minimiser f* of the expected penalised loss.
///
/// Source: B. Dai, B. Xie, N. He, Y. Liang, A. Raj, M.-F. Balcan, L. Song, Scalable kernel methods via doubly stochastic
/// gradients, NIPS 2014, Algorithms 1 and 2; it is reference 9 of Globerson and Livni.
#[derive(Debug)]
pub struct DoublyStochastic {
    lambda: f64,
    eta: f64,
    delay: f64,
    family: Arc<dyn Family>,
    /// Neurons per round.
    batch: usize,
    /// One w per row.
    neurons: Matrix,
    weights: Vec<f64>,
    rounds: u64,
    /// The neuron that is drawn.
    drawn: Vec<f64>,
}

impl DoublyStochastic {
    /// Starts at the zero function.
    ///
    /// # Errors
    /// Values out of range, or a family for other inputs.
    pub fn new(params: DoublyStochasticParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let DoublyStochasticParams { lambda, eta, delay, neurons, feature: family } = params;
        family.accepts(setting.dim).map_err(|why| ParamError::refused("feature", why))?;
        let eta = eta.number().unwrap_or(1.0 / lambda);
        if !eta.is_finite() {
            return Err(ParamError::refused(
                "lambda",
                "is so small that 1 / lambda is not finite; give `eta` as a number",
            ));
        }
        let (delay, batch) = (delay.number().unwrap_or(eta), neurons as usize);
        let neurons = Matrix::with_width(family.weights(setting.dim));
        let drawn = vec![0.0; neurons.cols()];
        Ok(Self { lambda, eta, delay, family, batch, neurons, weights: Vec::new(), rounds: 0, drawn })
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.neurons.view().iter().zip(&self.weights).map(|(w, weight)| weight * self.family.value(w, x)).sum()
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.rounds += 1;
        let step = self.eta / (self.rounds as f64 + self.delay);
        let change = -step * (prediction - y) / self.batch as f64;
        if !change.is_finite() {
            return Err(diverged("prediction", prediction, change));
        }
        self.weights.iter_mut().for_each(|weight| *weight *= 1.0 - step * self.lambda);
        for _ in 0..self.batch {
            self.family.sample(x.len(), draw, &mut self.drawn);
            self.weights.push(change * self.family.value(&self.drawn, x));
            self.neurons.push_row(&self.drawn);
        }
        Ok(())
    }
}

impl Hypothesis for DoublyStochastic {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.value(x)
    }

    fn gauges(&self) -> Gauges {
        let count = self.weights.len() as u64;
        Gauges {
            features: Some(count),
            state_bytes: Some(8 * count * (self.neurons.cols() as u64 + 1)),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: neurons, weights, rounds; lambda, eta, delay, family, batch, drawn);
        store.check(neurons.rows() == weights.len(), "has neurons and weights of different numbers")
    }
}

impl Learner for DoublyStochastic {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let prediction = self.value(x);
        self.step(x, y, prediction, draw)
    }

    /// Evaluates every round once, where predicting and learning would do it twice.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (x, &y)) in block.inputs.iter().zip(block.targets).enumerate() {
            predictions[i] = self.value(x);
            let mut draw = draws.at(Role::Learn, block.first_round + i as u64);
            self.step(x, y, predictions[i], &mut draw).map_err(in_round(i))?;
        }
        Ok(())
    }
}

parameters! {
    /// Parameters of [`DoublyStochastic`].
    pub struct DoublyStochasticParams {
        /// penalty of lambda |f|^2 / 2 + (f(x) - y)^2 / 2
        lambda: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(0.1);
        /// numerator of the step eta / (t + delay); theory: 1 / lambda
        eta: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["theory"] } => Fallback::Word("theory");
        /// rounds by which steps are as if later; eta: as many as eta, so that no step is above 1
        delay: OrWord<f64> = Kind::Real { range: Range::NONNEGATIVE, words: &["eta"] } => Fallback::Word("eta");
        /// b: neurons drawn per round, all of which are kept
        neurons: u64 = Kind::integer(1, 500) => Fallback::Integer(8);
        /// the neurons psi(x; w) and their law mu
        feature: Arc<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("cosine");
    }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// w_1, ..., w_b ~ mu in every round,   eta_t = eta / (t + delay)
    /// f_{t+1} = (1 - eta_t lambda) f_t - (eta_t / b) (f_t(x_t) - y_t) sum_j psi(x_t; w_j) psi(.; w_j)
    /// ```
    ///
    /// ## Cost
    ///
    /// b neurons more in every round, all of which every prediction evaluates: 1 to 50 ns each, depending on the family.
    ///
    /// ## When to use it
    ///
    /// As a competitor of `shrinking-gradient`: it needs no estimate of its own values and no bound on a norm, but a penalty that is
    /// chosen beforehand, and memory that grows by b neurons a round.
    ///
    /// In the report: `figure/iln-competitors`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "doubly-stochastic",
        summary: "gradient descent over an infinite layer with fresh neurons in every round (Dai et al., NIPS 2014)",
        module: module_path!(),
        params: DoublyStochasticParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(DoublyStochastic::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let kept = rounds as f64 * DoublyStochasticParams::read(params).neurons as f64;
                Cost { flops: 0.5 * kept * rounds as f64 * (2 * dim + 40) as f64, bytes: 8.0 * kept * (dim + 2) as f64 }
            },
            drawn_by: &["feature", "neurons"],
            about: About::new(Compared::Absent("a competitor of shrinking-gradient, which kernels in closed form do not need"))
                .of(Kin::Layers)
                .random(),
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::cosine::Cosine;
    use crate::feature::discrete::Discrete;
    use crate::parts::Defaults;

    /// Over a layer of one neuron, a step is one of ridge regression on the number psi(x), in closed form: with eta = 1 /
    /// lambda and delay = 0, f_{t+1} = s_t / (lambda t) with s_t = sum_{i <= t} (y_i - f_i(x_i)) psi(x_i) psi.
    #[test]
    fn one_neuron_is_a_regression_on_a_number() {
        let atom = Matrix::from_data(1, 2, vec![0.3, 1.1]).unwrap();
        let cosine = Arc::new(Cosine::new(1.0));
        let psi = |x: f64| cosine.value(&[0.3, 1.1], &[x]);
        let family = Arc::new(Discrete::given(cosine.clone(), atom, 1));
        let params = DoublyStochasticParams {
            lambda: 0.5,
            delay: OrWord::Given(0.0),
            neurons: 3,
            feature: family,
            ..DoublyStochasticParams::default()
        };
        let mut learner = DoublyStochastic::new(params, &Setting::new(1)).unwrap();
        let draws = Draws::named(&["one neuron"]);
        let (mut sum, mut before) = (0.0, 0.0);
        for t in 1..=40u64 {
            let (x, y) = ((t as f64).sin(), (0.7 * t as f64).cos());
            let found = learner.predict(&[x], &mut draws.at(Role::Predict, t));
            assert!((found - before * psi(x)).abs() < 1e-12, "{t}: {found}");
            sum += (y - before * psi(x)) * psi(x);
            before = sum / (0.5 * t as f64);
            learner.learn(&[x], y, &mut draws.at(Role::Learn, t)).unwrap();
        }
        assert_eq!(learner.gauges().features, Some(120));
    }

    /// E f_2(z) = eta_1 y k(x, z) after one round, for the kernel of the family, within five standard errors over 40,000
    /// learners.
    #[test]
    fn steps_are_unbiased() {
        let (x, z) = ([0.2, -0.5], [0.7, 0.1]);
        let params =
            DoublyStochasticParams { neurons: 1, delay: OrWord::Given(9.0), ..DoublyStochasticParams::default() };
        let kernel = params.feature.kernel().unwrap();
        let expected = 10.0 / (1.0 + 9.0) * 0.8 * kernel.evaluate(&x, &z);
        let draws = Draws::named(&["unbiased"]);
        let count = 40_000;
        let [sum, squares] = (0..count).fold([0.0; 2], |[sum, squares], i| {
            let mut learner = DoublyStochastic::new(params.clone(), &Setting::new(2)).unwrap();
            learner.learn(&x, 0.8, &mut draws.at(Role::Learn, i)).unwrap();
            let value = learner.predict(&z, &mut draws.at(Role::Predict, i));
            [sum + value, squares + value * value]
        });
        let mean = sum / count as f64;
        let error = ((squares / count as f64 - mean * mean) / count as f64).sqrt();
        assert!((mean - expected).abs() < 5.0 * error, "{mean} {expected} {error}");
    }
}
