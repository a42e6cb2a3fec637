//! shrinking-gradient: online gradient descent in the space of an infinite-layer network, from sampled neurons.

use std::cell::RefCell;
use std::sync::Arc;

use crate::feature::discrete::Discrete;
use crate::feature::family::{AT_ONCE, Family};
use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{
    AnyLearner, Block, Breakdown, Cost, Gauges, Hypothesis, Learner, LearnerEntry, Recipe, Setting, in_round,
};
use crate::learner::descent::expansion::diverged;
use crate::learner::entry::learner;
use crate::learner::layers::draw_count::{DrawCount, Precision};
use crate::learner::layers::layer_weights::LayerWeights;
use crate::learner::layers::sampled_coefficients::SampledCoefficients;
use crate::learner::said::Estimated;
use crate::params::typed::{OrWord, Parameters, parameters};
use crate::params::{Fallback, Kind, ParamError, PartKind, Range};
use crate::theory::iln;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::state::{StateError, Store, keep};

/// f_t = sum_{i < t} alpha_i Phi(x_i) with Phi(x)(w) = psi(x; w). In round t an unbiased estimate E_t of
/// f_t(x_t) = sum_i alpha_i E_w psi(x_i; w) psi(x_t; w) is drawn:
///
/// ```text
/// E_t = (|alpha|_1 / m) sum_{k <= m} sgn(alpha_{i_k}) psi(x_{i_k}; w_k) psi(x_t; w_k),  i_k ~ |alpha_i|,  w_k ~ mu;
/// |E_t| < 16 B:   alpha_t = -eta (E_t - y_t);      otherwise:   alpha <- alpha / 4,  alpha_t = 0.
/// ```
///
/// The source has the losses (f(x_t) - y_t)^2 / 2, and `eta` is the step size for these (traces record the squares
/// without the 1/2). The source measures the loss at the exact f_t(x_t), not at E_t. So do predictions here, through
/// the kernel in closed form or over a discrete mu. For a family with neither, a prediction is a separate estimate, or
/// a mean over neurons that are drawn once and that no step uses ([`ShrinkingGradient::evaluated_over`]).
///
/// Source: A. Globerson, R. Livni, Learning infinite-layer networks: beyond the kernel trick, 2016, Algorithms 1 and 2;
/// with the sign of the step and the factor |alpha|_1 / m of the estimate corrected (with the printed sign the regret
/// of 512 rounds of sign neurons is 3,800 instead of 16).
#[derive(Debug)]
pub struct ShrinkingGradient {
    eta: f64,
    /// 16 B.
    threshold: f64,
    count: DrawCount,
    precision: Precision,
    family: Arc<dyn Family>,
    evaluation: Evaluation,
    /// The points x_i; over a finite mu, phi(x_i).
    points: Matrix,
    coefficients: SampledCoefficients,
    shrinks: u64,
    spent: u64,
    largest_l1: f64,
}

/// How f(x) is evaluated exactly.
#[derive(Debug)]
enum Evaluation {
    /// Through the kernel in closed form.
    Closed(Arc<dyn Kernel>),
    /// Through the weights of f on the neurons of a finite mu.
    Finite(RefCell<LayerWeights>),
    /// As the mean over D neurons from mu, which no step uses: (1/D) sum_j F_j psi(x; w_j) with F_j = sum_i alpha_i
    /// psi(x_i; w_j). Its mean square error is at most |f|^2 / D.
    Layer(RefCell<LayerWeights>),
    /// Not at all.
    Sampled,
}

/// Kernel values held at once.
const POINTS: usize = 512;

/// Cost of one draw in floating-point operations, for planning: an index, the weights of a neuron, two evaluations.
const DRAW_FLOPS: f64 = 100.0;

impl ShrinkingGradient {
    /// Starts at the zero function.
    ///
    /// # Errors
    /// Values out of range, a family for other inputs, exact values that the family does not have, or formulas that need
    /// an unknown number of rounds.
    pub fn new(params: ShrinkingGradientParams, setting: &Setting) -> Result<Self, ParamError> {
        params.check()?;
        let (family, bound) = (params.feature, params.norm_bound);
        family.accepts(setting.dim).map_err(|why| ParamError::refused("feature", why))?;
        let eta = match params.eta {
            OrWord::Given(eta) => eta,
            OrWord::Word(word) => iln::theorem1_eta(setting.rounds("eta", word)?, bound),
        };
        let count = match params.draws {
            OrWord::Given(count) => DrawCount::Fixed(count.ceil() as u64),
            OrWord::Word(word @ "theory") => {
                DrawCount::Theory { bound, gamma: iln::gamma(setting.rounds("draws", word)?, bound, eta) }
            }
            OrWord::Word("exact") if family.kernel().is_none() && family.finite(setting.dim).is_none() => {
                let why = "`exact` needs a kernel in closed form or a discrete mu: feature = { name = \"discrete\", of = ... }";
                return Err(ParamError::refused("draws", why));
            }
            OrWord::Word("exact") => DrawCount::Exact,
            OrWord::Word(_) => DrawCount::Adaptive { variance: params.variance },
        };
        let precision = match params.precision {
            OrWord::Given(precision) => Precision::Within { precision, failure: params.failure },
            OrWord::Word(_) => Precision::AsLearning,
        };
        let learner = Self::over(family, setting.dim, bound, eta, count, precision);
        Ok(match params.evaluation_neurons as usize {
            0 => learner,
            neurons => learner.evaluated_over(neurons, setting.dim, setting.draws.clone()),
        })
    }

    /// The zero function on R^`dim`, for norms up to `bound` > 0 and steps `eta` > 0. With [`DrawCount::Exact`] the
    /// family must have a kernel in closed form or a finite mu; otherwise every round breaks down.
    pub fn over(
        family: Arc<dyn Family>,
        dim: usize,
        bound: f64,
        eta: f64,
        count: DrawCount,
        precision: Precision,
    ) -> Self {
        let (evaluation, width) = match (family.finite(dim), family.kernel()) {
            (Some(map), _) => {
                let width = map.features();
                (Evaluation::Finite(RefCell::new(LayerWeights::new(map))), width)
            }
            (None, Some(kernel)) => (Evaluation::Closed(kernel), dim),
            (None, None) => (Evaluation::Sampled, dim),
        };
        Self {
            eta,
            threshold: 16.0 * bound,
            count,
            precision,
            family,
            evaluation,
            points: Matrix::with_width(width),
            coefficients: SampledCoefficients::default(),
            shrinks: 0,
            spent: 0,
            largest_l1: 0.0,
        }
    }

    /// The same for a family that has neither a kernel in closed form nor a finite mu: predictions are means over as
    /// many `neurons` from mu, drawn once from `draws`. Other learners stay as they are.
    pub(crate) fn evaluated_over(mut self, neurons: usize, dim: usize, draws: Draws) -> Self {
        if let Evaluation::Sampled = self.evaluation {
            let map = Discrete::new(self.family.clone(), neurons, draws).map(dim);
            self.evaluation = Evaluation::Layer(RefCell::new(LayerWeights::new(map)));
        }
        self
    }

    /// alpha, one entry per round.
    pub fn coefficients(&self) -> &SampledCoefficients {
        &self.coefficients
    }

    fn l1_norm(&self) -> f64 {
        self.coefficients.l1_norm()
    }

    /// f(x), if it can be evaluated; over a layer of neurons, up to its error.
    pub fn exact(&self, x: &[f64]) -> Option<f64> {
        match &self.evaluation {
            Evaluation::Closed(kernel) => Some(self.expanded(&**kernel, x, |i| self.coefficients.at(i))),
            Evaluation::Finite(layer) | Evaluation::Layer(layer) => Some(layer.borrow_mut().value(x)),
            Evaluation::Sampled => None,
        }
    }

    /// The averaged iterate at `x`, if it can be evaluated.
    fn exact_averaged(&self, x: &[f64]) -> Option<f64> {
        match &self.evaluation {
            Evaluation::Closed(kernel) => {
                let averaged = self.coefficients.averaged();
                Some(self.expanded(&**kernel, x, |i| averaged[i]))
            }
            Evaluation::Finite(layer) | Evaluation::Layer(layer) => {
                Some(layer.borrow_mut().averaged(x, self.coefficients.len()))
            }
            Evaluation::Sampled => None,
        }
    }

    /// sum_i a_i k(x_i, x).
    fn expanded(&self, kernel: &dyn Kernel, x: &[f64], coefficient: impl Fn(usize) -> f64) -> f64 {
        let (mut values, mut sum) = ([0.0; POINTS], 0.0);
        for from in (0..self.points.rows()).step_by(POINTS) {
            let to = self.points.rows().min(from + POINTS);
            kernel.row(self.points.slice(from, to), x, &mut values[..to - from]);
            sum += (from..to).zip(&values).map(|(i, value)| coefficient(i) * value).sum::<f64>();
        }
        sum
    }

    /// An estimate of f(x) from `count` draws (Algorithm 2). Over a finite mu, pass phi(x) as `x`.
    pub fn estimate(&self, x: &[f64], count: u64, draw: &mut Draw) -> f64 {
        self.estimate_of(&self.coefficients, x, count, draw)
    }

    /// The same for the function with these coefficients.
    fn estimate_of(&self, coefficients: &SampledCoefficients, x: &[f64], count: u64, draw: &mut Draw) -> f64 {
        if count == 0 || coefficients.l1_norm() == 0.0 {
            return 0.0;
        }
        let (mut chosen, mut products) = ([0; AT_ONCE], [0.0; AT_ONCE]);
        let sampler = coefficients.sampler(count);
        let mut left = count;
        let mut sum = 0.0;
        while left > 0 {
            let now = left.min(AT_ONCE as u64) as usize;
            left -= now as u64;
            let (chosen, products) = (&mut chosen[..now], &mut products[..now]);
            sampler.sample(draw, chosen);
            if matches!(self.evaluation, Evaluation::Finite(_)) {
                // One atom of D for each draw: psi(x_i; w_j) psi(x; w_j) = D phi_j(x_i) phi_j(x).
                for (product, i) in products.iter_mut().zip(&*chosen) {
                    let atom = draw.below(x.len());
                    *product = x.len() as f64 * self.points.row(*i)[atom] * x[atom];
                }
            } else {
                self.family.products(self.points.view(), chosen, x, draw, products);
            }
            sum += coefficients.signed_sum(chosen, products);
        }
        coefficients.l1_norm() / count as f64 * sum
    }

    /// An estimate of the averaged iterate at `x`, with the number of draws of a prediction.
    fn estimate_of_average(&self, x: &[f64], draw: &mut Draw) -> Result<(f64, u64), Breakdown> {
        let averaged: SampledCoefficients = self.coefficients.averaged().into_iter().collect();
        let count = self.precision.draws(self.count, averaged.l1_norm())?;
        let value = match &self.evaluation {
            Evaluation::Finite(layer) => {
                layer.borrow_mut().look(x);
                self.estimate_of(&averaged, layer.borrow().features(), count, draw)
            }
            _ => self.estimate_of(&averaged, x, count, draw),
        };
        Ok((value, count))
    }

    /// E_t for `x`; `exact` is the exact prediction, if it is known already.
    fn learning_estimate(&mut self, x: &[f64], exact: Option<f64>, draw: &mut Draw) -> Result<f64, Breakdown> {
        if self.count == DrawCount::Exact {
            let value = exact.or_else(|| self.exact(x));
            return value.ok_or_else(|| Breakdown::new("the kernel of this feature family is not known"));
        }
        let count = self.count.at(self.l1_norm())?;
        self.spent += count;
        if let (Evaluation::Finite(layer) | Evaluation::Layer(layer), None) = (&self.evaluation, exact) {
            layer.borrow_mut().look(x);
        }
        Ok(match &self.evaluation {
            Evaluation::Finite(layer) => self.estimate(layer.borrow().features(), count, draw),
            _ => self.estimate(x, count, draw),
        })
    }

    /// Learns from (x, y), given the estimate E_t of f(x): the step of Algorithm 1. It is public for tests that fix the
    /// draws. Over a finite mu or a layer of neurons, f must just have been evaluated at x.
    ///
    /// # Errors
    /// If the estimate or the step is not finite.
    pub fn step(&mut self, x: &[f64], y: f64, estimate: f64) -> Result<(), Breakdown> {
        let step = -self.eta * (estimate - y);
        if !estimate.is_finite() || !step.is_finite() || !(self.l1_norm() + step.abs()).is_finite() {
            return Err(diverged("prediction", estimate, step));
        }
        let shrink = estimate.abs() >= self.threshold;
        if shrink {
            self.coefficients.shrink();
            self.shrinks += 1;
        } else {
            self.coefficients.push(step);
        }
        self.largest_l1 = self.largest_l1.max(self.l1_norm());
        if let Evaluation::Finite(layer) | Evaluation::Layer(layer) = &mut self.evaluation {
            layer.get_mut().end_round(step, shrink);
        }
        match &mut self.evaluation {
            Evaluation::Finite(layer) => self.points.push_row(layer.get_mut().features()),
            _ => self.points.push_row(x),
        }
        Ok(())
    }
}

impl Hypothesis for ShrinkingGradient {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        self.exact(x).unwrap_or_else(|| match self.precision.draws(self.count, self.l1_norm()) {
            Ok(count) => self.estimate(x, count, draw),
            // The run ends with this prediction, or with the reason when the learner learns.
            Err(_) => f64::NAN,
        })
    }

    fn gauges(&self) -> Gauges {
        let norm = match &self.evaluation {
            Evaluation::Finite(layer) => Some(layer.borrow().norm()),
            _ => None,
        };
        Gauges {
            stored_points: Some(self.points.rows() as u64),
            features: norm.map(|_| self.points.cols() as u64),
            norm,
            state_bytes: Some(8 * (self.points.rows() * self.points.cols()) as u64 + self.coefficients.bytes()),
            ..Gauges::default()
        }
    }

    /// As [`predict`](Hypothesis::predict): exact where that is possible, else an estimate.
    fn predict_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<f64> {
        let estimate = || self.estimate_of_average(x, draw).map_or(f64::NAN, |(value, _)| value);
        Some(self.exact_averaged(x).unwrap_or_else(estimate))
    }

    fn estimates(&self) -> bool {
        matches!(self.evaluation, Evaluation::Layer(_) | Evaluation::Sampled)
    }

    fn estimate_averaged(&self, x: &[f64], draw: &mut Draw) -> Option<Estimated> {
        match (self.precision, &self.evaluation) {
            (Precision::AsLearning, _) | (_, Evaluation::Sampled) => None,
            (Precision::Within { precision, .. }, _) => {
                let (value, draws) = self.estimate_of_average(x, draw).ok()?;
                Some(Estimated { value, precision, draws })
            }
        }
    }

    /// `shrinks`: number of rounds in which the coefficients were divided by 4; `draws`: number of draws (i, w) in all
    /// rounds; `l1_norm` and `l1_largest`: |alpha|_1 at the end, and its maximum; `l1_averaged`: the same norm of the
    /// averaged iterate; `eta`: the step size.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("shrinks", self.shrinks as f64),
            ("draws", self.spent as f64),
            ("l1_norm", self.l1_norm()),
            ("l1_largest", self.largest_l1),
            ("l1_averaged", self.coefficients.averaged().iter().map(|value| value.abs()).sum()),
            ("eta", self.eta),
        ]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: points, coefficients, shrinks, spent, largest_l1; eta, threshold, count, precision, family, evaluation);
        if let Evaluation::Finite(layer) | Evaluation::Layer(layer) = &mut self.evaluation {
            store.keep("layer", layer.get_mut())?;
        }
        store.check(points.rows() == coefficients.len(), "has points and coefficients of different numbers")
    }
}

impl Learner for ShrinkingGradient {
    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        let estimate = self.learning_estimate(x, None, draw)?;
        self.step(x, y, estimate)
    }

    /// Plays round by round, with one evaluation of f or of the features for both prediction and step.
    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (x, y)) in block.inputs.iter().zip(block.targets).enumerate() {
            let round = block.first_round + i as u64;
            let exact = self.exact(x);
            predictions[i] = match exact {
                Some(value) => value,
                None => self.predict(x, &mut draws.at(Role::Predict, round)),
            };
            let estimate = self.learning_estimate(x, exact, &mut draws.at(Role::Learn, round)).map_err(in_round(i))?;
            self.step(x, *y, estimate).map_err(in_round(i))?;
        }
        Ok(())
    }
}

parameters! {
    /// Parameters of [`ShrinkingGradient`].
    pub struct ShrinkingGradientParams {
        /// B: norm of the functions that regret is measured against; the coefficients shrink if |E_t| >= 16 B
        norm_bound: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(1.0);
        /// step size for the loss (f(x) - y)^2 / 2; theory: B / sqrt(T)
        eta: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["theory"] } => Fallback::Word("theory");
        /// m: neurons drawn per round (rounded up); theory: as many as the proof of Theorem 1 needs at the
        /// present |alpha|_1; adaptive: as many as `variance` needs; exact: none, with exact kernel values instead
        draws: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["theory", "adaptive", "exact"] }
            => Fallback::Word("adaptive");
        /// largest variance of an estimate, for draws = adaptive: m = max(8, |alpha|_1^2 / variance)
        variance: f64 = Kind::real(Range::POSITIVE) => Fallback::Real(0.2);
        /// largest error of a prediction that must be estimated (no closed form, no discrete mu), and of estimates
        /// of the averaged iterate; as-learning: with as many draws as a step takes
        precision: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["as-learning"] }
            => Fallback::Word("as-learning");
        /// probability of an error larger than `precision`
        failure: f64 = Kind::real(Range { max: 1.0, ..Range::POSITIVE }) => Fallback::Real(0.05);
        /// the neurons psi(x; w) and their law mu
        feature: Arc<dyn Family> = Kind::Part(PartKind::Feature) => Fallback::Part("cosine");
        /// D: for a family with neither a closed form nor a discrete mu, predictions are means over D neurons
        /// that are drawn once and that no step uses (mean square error at most |f|^2 / D); 0: separate estimates
        evaluation_neurons: u64 = Kind::integer(0, 1_000_000) => Fallback::Added(&Fallback::Integer(0));
    }
}

/// The rough number of draws in a run: |alpha|_1 is of order B sqrt(t) with the step of the theory.
fn forecast(params: &ShrinkingGradientParams, rounds: f64) -> f64 {
    let squared_l1 = params.norm_bound.powi(2) * rounds;
    rounds
        * match params.draws {
            OrWord::Given(count) => count,
            OrWord::Word("exact") => 0.0,
            OrWord::Word("theory") => squared_l1,
            OrWord::Word(_) => squared_l1 / params.variance,
        }
}

learner! {
    /// ## Formula
    ///
    /// ```text
    /// k(x, x') = E_w psi(x; w) psi(x'; w)     (an infinite layer of neurons psi)
    /// E_t = (|alpha|_1 / m) sum_{j <= m} sgn(alpha_{i_j}) psi(x_{i_j}; w_j) psi(x_t; w_j),   i_j ~ |alpha|, w_j ~ mu
    /// |E_t| < 16 B:  alpha_t = -eta (E_t - y_t);     otherwise:  alpha <- alpha / 4,  alpha_t = 0
    /// ```
    ///
    /// ## Cost
    ///
    /// m draws per round, each of a few d operations; d + 1 numbers per round.
    ///
    /// ## When to use it
    ///
    /// Kernels that have no closed form but whose neurons can be drawn. For kernels with a closed form
    /// `kernel-ogd` does the same without noise.
    ///
    /// In the report: `figure/iln-regret`.
    pub(crate) static ENTRY = LearnerEntry {
        name: "shrinking-gradient",
        summary: "gradient descent over an infinite layer from sampled neurons, with shrinks (Globerson, Livni 2016, Alg. 1)",
        module: module_path!(),
        params: ShrinkingGradientParams::SPECS,
        build: Recipe {
            learner: |params, setting| AnyLearner::full(ShrinkingGradient::new(Parameters::read(params), setting)),
            cost: |params, rounds, dim| {
                let (n, params) = (rounds as f64, ShrinkingGradientParams::read(params));
                let neurons = n * params.evaluation_neurons as f64;
                let flops = n * n / 2.0 * (3 * dim + 22) as f64
                    + (forecast(&params, n) + neurons) * (DRAW_FLOPS + 10.0 * dim as f64);
                Cost { flops, bytes: 8.0 * n * (dim + 4) as f64 }
            },
            drawn_by: &["feature", "evaluation_neurons"],
            about: About::grid(&[
                ("norm_bound", Tried::Numbers(&[1.0, 3.0, 10.0])),
                ("eta", Tried::Numbers(&[0.03, 0.1, 0.3])),
                ("feature.bandwidth", FEW_WIDTHS),
            ])
            .of(Kin::Layers)
            .random(),
        },
    };
}

#[cfg(test)]
mod tests;
