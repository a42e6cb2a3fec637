//! Exact kernel ridge regression and its AWV form, over all points of the past.

use std::cell::RefCell;
use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, Kin, LAMBDAS, WIDTHS};
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, Setting, predicts_only};
use crate::learner::entry::learner;
use crate::learner::last_input::LastInput;
use crate::learner::parameters;
use crate::learner::predictive::{Predictive, Told};
use crate::learner::ridge::regression::{Awv, FunctionSpace, Regression, Ridge};
use crate::learner::ridge::sequential::{Forecast, PlaysBlocks, RidgeForecast, Sequential};
use crate::learner::weight::factor;
use crate::params::ParamError;
use crate::params::typed::parameters;
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::meter::join;
use noregret_numeric::state::{State as _, StateError, Store};

/// Rows of a panel of the factor, and rounds factorised at once: enough for matrix products to run at full speed.
const HEIGHT: usize = 256;

/// Inputs that are predicted at once: the factor is read, and put in order for products, once for each time.
const TOGETHER: usize = 512;

/// A block with at least this many kernel values computes them in two halves.
const WORTH_SHARING: usize = 1 << 18;

parameters! {
    /// Parameters of the exact forecasters.
    pub struct ExactParams {
        lambda: f64 = parameters::LAMBDA;
        kernel: Arc<dyn Kernel> = parameters::KERNEL;
    }
}

/// The exact forecaster. It takes n^2 / 2 numbers and n^3 / 3 multiply-adds for n rounds, nearly all of them in matrix
/// products when rounds come in blocks.
#[derive(Debug)]
pub struct ExactForecaster {
    kernel: Arc<dyn Kernel>,
    lambda: f64,
    points: Matrix,
    rounds: Sequential,
    last: RefCell<ExactCache>,
    /// What [`Sequential::coefficients`] computed after so many rounds.
    coefficients: RefCell<Option<(usize, Vec<f64>)>>,
    /// Whether these are all that is left of the rounds.
    predicts_only: bool,
    /// The sum of the logarithms of weights.
    log_weights: f64,
    told: Told,
    /// Gram rows of a block.
    gram: Vec<f64>,
    /// The zero prior of a block.
    priors: Vec<f64>,
}

/// What [`Sequential::forecast`] computed at the last input.
#[derive(Debug, Default)]
struct ExactCache {
    input: LastInput,
    /// L^-1 of the kernel values with all points.
    row: Vec<f64>,
    forecast: RidgeForecast,
}

impl FunctionSpace for ExactForecaster {
    type Params = ExactParams;
    type Learner = Self;

    fn learner(forecast: Forecast, params: ExactParams, setting: &Setting) -> Result<Self, ParamError> {
        let ExactParams { lambda, kernel } = params;
        parameters::accepts(&*kernel, setting)?;
        Ok(Self {
            kernel,
            lambda,
            points: Matrix::with_width(setting.dim),
            rounds: Sequential::new(forecast, lambda, HEIGHT),
            last: RefCell::default(),
            coefficients: RefCell::default(),
            predicts_only: false,
            log_weights: 0.0,
            told: Told::default(),
            gram: Vec::new(),
            priors: Vec::new(),
        })
    }

    fn cost(_: &ExactParams, rounds: u64, dim: usize) -> Cost {
        let n = rounds as f64;
        let block = HEIGHT as f64 * n;
        Cost {
            flops: n * n * n / 3.0 + n * n / 2.0 * (3 * dim + 20) as f64,
            bytes: Growing::bytes(rounds as usize, HEIGHT) + 8.0 * (n * (dim + 1) as f64 + block),
        }
    }
}

/// Exact kernel ridge regression.
pub type KernelRidge = Regression<ExactForecaster, Ridge>;
/// The exact kernel AWV forecaster.
pub type KernelAwv = Regression<ExactForecaster, Awv>;
/// Its parameters.
pub type KernelAwvParams = ExactParams;

/// Both forecasts are tried with the same values.
const ABOUT: About = About::grid(&[("lambda", LAMBDAS), ("kernel.bandwidth", WIDTHS)]).of(Kin::Exact);

learner! {
    /// ## Formula
    ///
    /// ```text
    /// f_t = argmin_f  sum_{s < t} (y_s - f(x_s))^2 + lambda |f|^2,      p_t = f_t(x_t)
    /// ```
    ///
    /// ## Cost
    ///
    /// Round t solves one triangular system of size t: t^2 operations, and t^2 / 2 numbers in all. Ten thousand rounds take
    /// 0.4 GB.
    ///
    /// ## When to use it
    ///
    /// Up to some ten thousand rounds it is the yardstick: nothing that follows approximates anything better. Beyond that, use
    /// `kernel-ridge-low-rank` where the inputs are known beforehand, else
    /// `pkawv-taylor` in few dimensions or `pkawv-nystrom`.
    ///
    /// In the report: `figure/casp-loss`.
    pub(crate) static KERNEL_RIDGE = Regression::<ExactForecaster, Ridge>::entry(
        "kernel-ridge",
        "exact online kernel ridge regression: f_t minimises sum (y - f)^2 + lambda |f|^2 over the past",
        module_path!(),
        ABOUT,
    );

    /// ## Formula
    ///
    /// ```text
    /// f_t = argmin_f  sum_{s < t} (y_s - f(x_s))^2 + f(x_t)^2 + lambda |f|^2,      p_t = f_t(x_t)
    /// ```
    ///
    /// ## Cost
    ///
    /// As kernel-ridge: t^2 operations in round t, t^2 / 2 numbers in all.
    ///
    /// ## When to use it
    ///
    /// When a bound must hold on every sequence of targets: the term f(x_t)^2 gives a regret of order
    /// log det(I + K / lambda) without a bound on the predictions. It shrinks predictions where the past says little. On random
    /// rows it loses about as much as kernel-ridge.
    ///
    /// In the report: `figure/spline-regret`.
    pub(crate) static KERNEL_AWV = Regression::<ExactForecaster, Awv>::entry(
        "kernel-awv",
        "exact kernel Azoury-Warmuth-Vovk forecaster: ridge regression with f(x_t)^2 added (Gammerman, Kalnishkan, Vovk 2004)",
        module_path!(),
        ABOUT,
    );
}

impl ExactForecaster {
    /// Computes the coefficients anew if rounds were learnt since the last time.
    fn refresh(&self) {
        let cached = &mut *self.coefficients.borrow_mut();
        if cached.as_ref().is_none_or(|(rounds, _)| *rounds != self.points.rows()) {
            *cached = self.rounds.coefficients().map(|coefficients| (self.points.rows(), coefficients));
        }
    }

    /// The ridge forecast at `x`.
    fn forecast(&self, x: &[f64]) -> RidgeForecast {
        let ExactCache { input, row, forecast } = &mut *self.last.borrow_mut();
        if input.replace(x, self.points.rows()) {
            row.resize(self.points.rows(), 0.0);
            self.kernel.row(self.points.view(), x, row);
            *forecast = self.rounds.forecast(0.0, self.kernel.diagonal(x) + self.lambda, row);
        }
        *forecast
    }
}

impl PlaysBlocks for ExactForecaster {
    /// Up to the next panel, so that a block is one step of the factor.
    fn room(&self) -> usize {
        HEIGHT - self.points.rows() % HEIGHT
    }

    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown> {
        if self.predicts_only {
            return Err(predicts_only());
        }
        let forecast = self.forecast(x);
        *prediction = self.rounds.predict(forecast.ridge, forecast.pivot);
        self.rounds.push(&self.last.get_mut().row, forecast, y)?;
        self.points.push_row(x);
        self.rounds.tell(self.rounds.len() - 1, &[*prediction], 1.0, &mut self.told);
        Ok(())
    }

    fn step_block(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        if self.predicts_only {
            return Err(predicts_only());
        }
        let (old, count) = (self.points.rows(), block.targets.len());
        let width = old + count;
        self.points.push_rows(block.inputs);
        self.gram.resize(count * width, 0.0);
        let gram = &mut self.gram[..count * width];
        let (kernel, points, half) = (&*self.kernel, self.points.view(), count / 2);
        // An idle thread may help: a kernel value does not depend on the thread that computes it.
        let (top, bottom) = gram.split_at_mut(half * width);
        if count * width >= WORTH_SHARING {
            let (first, second) = (block.inputs.slice(0, half), block.inputs.slice(half, count));
            join(|| kernel.gram(first, points, top), || kernel.gram(second, points, bottom));
        } else {
            kernel.gram(block.inputs, points, gram);
        }
        for i in 0..count {
            gram[i * width + old + i] += self.lambda;
        }
        if self.rounds.extend(count, gram).is_err() {
            // Some entry overflowed: play the rounds before it.
            self.points.truncate(old);
            return self.step_one_by_one(block, predictions);
        }
        self.priors.resize(count, 0.0);
        let settled = self.rounds.settle(&self.priors[..count], block.targets, predictions);
        self.rounds.tell(old, predictions, 1.0, &mut self.told);
        settled
    }
}

impl Hypothesis for ExactForecaster {
    fn predict(&self, x: &[f64], draw: &mut Draw) -> f64 {
        if self.predicts_only {
            let mut prediction = [0.0];
            self.predict_rows(Rows::single(x), &|_| draw.clone(), &mut prediction);
            return prediction[0];
        }
        let forecast = self.forecast(x);
        self.rounds.predict(forecast.ridge, forecast.pivot)
    }

    /// Ridge regression sums over its coefficients, which are computed once after learning; AWV, whose denominator depends on
    /// the input, solves with the factor for many inputs at once.
    fn predict_rows(&self, inputs: Rows<'_>, _: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        let points = self.points.view();
        self.refresh();
        out.fill(0.0);
        match &*self.coefficients.borrow() {
            _ if points.rows() == 0 => {}
            Some((_, coefficients)) => self.kernel.combine(points, coefficients, inputs, out),
            None => {
                let mut gram = vec![0.0; TOGETHER.min(inputs.rows()) * points.rows()];
                for (from, out) in (0..).step_by(TOGETHER).zip(out.chunks_mut(TOGETHER)) {
                    let (part, gram) = (inputs.slice(from, from + out.len()), &mut gram[..out.len() * points.rows()]);
                    self.kernel.gram(part, points, gram);
                    self.rounds.predict_rows(part.iter().map(|x| self.kernel.diagonal(x) + self.lambda), gram, out);
                }
            }
        }
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        let forecast = (!self.predicts_only).then(|| self.forecast(x))?;
        self.told.predictive(forecast.ridge, self.rounds.leverage(forecast.pivot), 1.0)
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        if self.predicts_only { None } else { self.told.predictives() }
    }

    fn keep_predictions(&mut self) -> bool {
        self.refresh();
        self.predicts_only = self.coefficients.get_mut().is_some();
        if self.predicts_only {
            self.rounds.clear();
        }
        self.predicts_only
    }

    fn gauges(&self) -> Gauges {
        let n = self.points.rows() as u64;
        Gauges {
            stored_points: Some(n),
            kernel_evaluations: Some(n * (n + 1) / 2),
            state_bytes: Some(8 * (n * (n + 1) / 2 + n * (self.points.cols() as u64 + 1))),
            ..Gauges::default()
        }
    }

    /// `log_det` = log det(I + W K / lambda) of the rounds played, with their weights W, the quantity in the regret bounds.
    fn measures(&self) -> Vec<(&'static str, f64)> {
        vec![("log_det", self.rounds.log_det() + self.log_weights)]
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        let mut coefficients = self.coefficients.get_mut().take().filter(|_| self.predicts_only).unwrap_or_default().1;
        store.keep_some("coefficients", &mut self.predicts_only, &mut coefficients)?;
        store.keep("points", &mut self.points)?;
        if self.predicts_only {
            let agree = coefficients.len() == self.points.rows();
            self.coefficients = RefCell::new(Some((coefficients.len(), coefficients)));
            return store.check(agree, "has points and coefficients of different numbers");
        }
        store.keep("rounds", &mut self.rounds)?;
        store.keep_some("log_weights", &mut (self.log_weights != 0.0), &mut self.log_weights)?;
        self.told.state(store)?;
        store.check(self.points.rows() == self.rounds.len(), "has points and rounds of different numbers")
    }
}

impl Learner for ExactForecaster {
    fn learn(&mut self, x: &[f64], y: f64, _: &mut Draw) -> Result<(), Breakdown> {
        let mut prediction = 0.0;
        self.told.begin(false);
        self.step(x, y, &mut prediction)
    }

    /// On the diagonal of K + lambda I, the row has lambda / weight.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        if factor(weight)? == 1.0 || self.predicts_only {
            return self.learn(x, y, draw);
        }
        self.told.begin(false);
        let RidgeForecast { ridge, own, pivot } = self.forecast(x);
        let known = (ridge, self.rounds.leverage(pivot));
        let more = self.lambda / weight - self.lambda;
        if more.is_infinite() {
            self.told.round(known.0, known.1, 0.0, 0.0, 1.0);
            return Ok(());
        }
        let weighted = RidgeForecast { ridge, own: own + more, pivot: pivot + more };
        self.rounds.push(&self.last.get_mut().row, weighted, y)?;
        self.points.push_row(x);
        self.log_weights += weight.ln();
        self.rounds.tell_weighted(known, weight, 1.0, &mut self.told);
        Ok(())
    }

    fn play(&mut self, block: Block<'_>, _: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.begin(false);
        self.step_all(block, predictions)
    }
}
