//! Ridge regression and its AWV form over the span of a dictionary that grows with the stream (Nystrom features).
//!
//! Source: R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019, section 4. Departure: the paper up- and downdates the
//! normal equations of the coefficients, whose matrix is singular as soon as a point repeats (its public code then
//! returns NaN). Here regression runs in orthonormal coordinates of the same span, with the same predictions.

use std::cell::RefCell;
use std::sync::Arc;

use crate::kernel::api::Kernel;
use crate::learner::about::{About, FEW_LAMBDAS, FEW_WIDTHS, Kin, Tried};
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, Setting, predicts_only};
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::predictive::{Predictive, Told};
use crate::learner::ridge::dictionary::{Dictionary, Offer, Projection, Projections, play_in_parts};
use crate::learner::ridge::growing_ridge::{self, GrowingRidge, PastRounds, RidgeScratch};
use crate::learner::ridge::kors::{self, SampleWeights, SamplerParams};
use crate::learner::ridge::nystrom_rows::{Prepared, from_coordinates};
use crate::learner::ridge::regression::{self, FunctionSpace, Regression};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::said::Attended;
use crate::learner::weight::factor;
use crate::params::typed::parameters;
use crate::params::{Fallback, Kind, ParamError};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use noregret_numeric::state::{State as _, StateError, Store, keep};

/// The largest number of rounds that are played together.
const TOGETHER: usize = 512;

/// When points are offered to the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DictionarySampling {
    /// Before the prediction of their round.
    Before,
    /// After it.
    After,
    /// All of them before the first round; then the dictionary is closed.
    Beforehand,
}

/// The space of a dictionary that grows with the stream; `sample` is the default of that parameter.
macro_rules! space {
    ($(#[doc = $about:literal])+ $space:ident, $params:ident, sample = $sample:literal) => {
        parameters! {
            /// Parameters of regression over the span of a dictionary.
            pub struct $params {
                lambda: f64 = parameters::LAMBDA;
                mu: f64 = kors::MU;
                beta: f64 = kors::BETA;
                epsilon: f64 = kors::EPSILON;
                weights: &'static str = kors::WEIGHTS;
                /// whether x_t may enter the dictionary before the prediction of its round (as in the paper) or after
                /// it (as in the authors' code for ridge regression)
                sample: &'static str = Kind::Choice(&["before", "after"]) => Fallback::Word($sample);
                /// whether each point is offered to the dictionary in its own round (sequential), or all inputs are
                /// offered before the first round (beforehand; then `sample` has no effect)
                dictionary: &'static str =
                    Kind::Choice(&["sequential", "beforehand"]) => Fallback::Word("sequential");
                kernel: Arc<dyn Kernel> = parameters::KERNEL;
            }
        }

        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug)]
        pub struct $space;

        impl FunctionSpace for $space {
            type Params = $params;
            type Learner = Nystrom;

            fn learner(forecast: Forecast, params: $params, setting: &Setting) -> Result<Nystrom, ParamError> {
                let $params { lambda, mu, beta, epsilon, weights, sample, dictionary, kernel } = params;
                parameters::accepts(&*kernel, setting)?;
                let sample = match (dictionary, sample) {
                    ("beforehand", _) => DictionarySampling::Beforehand,
                    (_, "after") => DictionarySampling::After,
                    _ => DictionarySampling::Before,
                };
                let rule = SamplerParams { mu, beta, epsilon, weights: SampleWeights::of(weights), least: 0.0 };
                Ok(Nystrom::new(forecast, kernel, lambda, rule, sample, setting))
            }

            /// The cost of a run whose dictionary grows like sqrt(n beta / mu), as it does on the papers' data.
            fn cost(params: &$params, rounds: u64, dim: usize) -> Cost {
                let n = rounds as f64;
                let m = kors::expected_points(params.mu, params.beta, n).clamp(1.0, n.max(1.0));
                let d = dim as f64;
                Cost { flops: n * (5.0 * m * m + m * (6.0 * d + 20.0)), bytes: 8.0 * (n * (d + m + 1.0) + 4.0 * m * m) }
            }
        }
    };
}

space! {
    /// Points are offered before the prediction of their round, unless told otherwise.
    OfferedBefore, PkawvNystromParams, sample = "before"
}

space! {
    /// Points are offered after the prediction of their round, unless told otherwise.
    OfferedAfter, PkrrNystromParams, sample = "after"
}

/// Both forecasts are tried with the same values.
const ABOUT: About = About::grid(&[
    ("lambda", FEW_LAMBDAS),
    ("mu", Tried::Numbers(&[0.1, 1.0, 10.0])),
    ("kernel.bandwidth", FEW_WIDTHS),
])
.of(Kin::Nystrom)
.random();

learner! {
    /// ## Formula
    ///
    /// ```text
    /// dictionary I: x_t enters with probability p = min(beta tau, 1), tau its ridge leverage score for mu (KORS)
    /// p_t = f_t(x_t),   f_t = argmin over span{k(x_i, .), i in I} of  sum_{s < t} (y_s - f(x_s))^2 + lambda |f|^2
    /// ```
    ///
    /// ## Cost
    ///
    /// |I|^2 operations per round, and t |I| more in a round in which a point enters; n |I| + |I|^2 numbers. The size of I
    /// follows the effective dimension of the inputs at mu: a smaller mu keeps more points.
    ///
    /// ## When to use it
    ///
    /// Any kernel, any number of inputs, when exact regression takes too long. Lower `mu` until the loss no longer falls.
    ///
    /// In the report: `figure/nystrom-mu`.
    pub(crate) static PKRR_NYSTROM = Regression::<OfferedAfter, regression::Ridge>::entry(
        "pkrr-nystrom",
        "ridge regression over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
        module_path!(),
        ABOUT,
    );

    /// ## Formula
    ///
    /// ```text
    /// I as for pkrr-nystrom
    /// f_t = argmin over span{k(x_i, .), i in I} of  sum_{s < t} (y_s - f(x_s))^2 + f(x_t)^2 + lambda |f|^2
    /// ```
    ///
    /// ## Cost
    ///
    /// As pkrr-nystrom.
    ///
    /// ## When to use it
    ///
    /// As pkrr-nystrom, with the bound of kernel-awv up to the error of the projection. With `dictionary = "beforehand"` the
    /// dictionary is built from all inputs before the first round, as one theorem wants it.
    ///
    /// In the report: `figure/nystrom-mu`.
    pub(crate) static PKAWV_NYSTROM = Regression::<OfferedBefore, regression::Awv>::entry(
        "pkawv-nystrom",
        "Azoury-Warmuth-Vovk forecaster over the span of a dictionary sampled by KORS (Jezequel, Gaillard, Rudi, NeurIPS 2019)",
        module_path!(),
        ABOUT,
    );
}

/// The forecaster. It holds n (d + m) + O(m^2) numbers for a dictionary of m points, and O(m^2 + m d) if the dictionary
/// is made beforehand.
#[derive(Clone, Debug)]
pub struct Nystrom {
    forecast: Forecast,
    sample: DictionarySampling,
    dictionary: Dictionary,
    ridge: GrowingRidge,
    past: PastRounds,
    rounds: u64,
    /// Whether the dictionary has been made beforehand.
    foreseen: bool,
    /// Whether the past was dropped, so that no point can be added.
    predicts_only: bool,
    /// Kernel evaluations between new points of the dictionary and the past.
    evaluations: u64,
    last: RefCell<NystromCache>,
    prepared: RefCell<Prepared>,
    projections: Projections,
    work: RidgeScratch,
    told: Told,
}

/// What was computed at the last input, after `rounds` rounds: a cache, invisible from outside.
#[derive(Clone, Debug, Default)]
struct NystromCache {
    point: Projection,
    rounds: u64,
    whitened: Vec<f64>,
    /// The ridge forecast and h.
    forecast: (f64, f64),
}

impl Nystrom {
    /// A forecaster that has seen nothing.
    pub fn new(
        forecast: Forecast,
        kernel: Arc<dyn Kernel>,
        lambda: f64,
        rule: SamplerParams,
        sample: DictionarySampling,
        setting: &Setting,
    ) -> Self {
        Self {
            forecast,
            sample,
            dictionary: Dictionary::new(kernel, rule, setting.dim),
            ridge: GrowingRidge::new(lambda),
            past: PastRounds::new(setting.dim),
            rounds: 0,
            foreseen: false,
            predicts_only: false,
            evaluations: 0,
            last: RefCell::default(),
            prepared: RefCell::default(),
            projections: Projections::default(),
            work: RidgeScratch::default(),
            told: Told::default(),
        }
    }

    /// [`Learner::foresee`] with one number from [0, 1) for each input.
    ///
    /// # Errors
    /// If kernel values are not finite.
    pub fn foresee_with(&mut self, inputs: Rows<'_>, mut uniform: impl FnMut(u64) -> f64) -> Result<(), Breakdown> {
        for (round, x) in (1..).zip(inputs.iter()) {
            self.forecast(x);
            self.offer(uniform(round))?;
        }
        self.foreseen = true;
        Ok(())
    }

    /// [`Learner::attend`] with the number that it draws from [0, 1).
    ///
    /// # Errors
    /// If kernel values are not finite.
    pub fn attend_with(&mut self, x: &[f64], uniform: f64) -> Result<(), Breakdown> {
        if self.predicts_only {
            return Err(predicts_only());
        }
        match self.sample {
            DictionarySampling::Before => {
                self.forecast(x);
                self.offer(uniform)
            }
            DictionarySampling::Beforehand if !self.foreseen => {
                Err(Breakdown::new("a dictionary that is made beforehand needs all inputs before the first round"))
            }
            _ => Ok(()),
        }
    }

    /// [`Learner::learn`] with the number that it draws from [0, 1).
    ///
    /// # Errors
    /// If the forecast is not finite.
    pub fn learn_with(&mut self, x: &[f64], y: f64, uniform: f64) -> Result<(), Breakdown> {
        self.learn_weighted_with(x, y, 1.0, uniform)
    }

    /// [`Learner::learn_weighted`] likewise. The dictionary is offered the row once: the points that it holds depend on inputs
    /// alone.
    fn learn_weighted_with(&mut self, x: &[f64], y: f64, weight: f64, uniform: f64) -> Result<(), Breakdown> {
        factor(weight)?;
        if self.predicts_only {
            return Err(predicts_only());
        }
        let (ridge, h) = self.forecast(x);
        growing_ridge::finite(ridge, h)?;
        let NystromCache { point, whitened, .. } = self.last.get_mut();
        let leverage = self.ridge.leverage(h, self.dictionary.rest(x, &point.psi));
        self.told.begin(false);
        self.told.round(ridge, leverage, weight * (y - ridge).powi(2) / (1.0 + weight * h), weight, 1.0);
        let root = weight.sqrt();
        whitened.clear();
        whitened.extend(point.psi.iter().map(|coordinate| root * coordinate));
        if self.sample != DictionarySampling::Beforehand {
            self.past.push(x, root, whitened, root * y);
        }
        self.ridge.learn(whitened, root * y);
        self.rounds += 1;
        if self.sample == DictionarySampling::After { self.offer(uniform) } else { Ok(()) }
    }

    /// [`Hypothesis::attended`]: what the dictionary would do is done to a copy of the learner.
    fn attended(&self, x: &[f64]) -> Option<Attended> {
        if self.sample != DictionarySampling::Before || self.predicts_only {
            return None;
        }
        let mut copy = self.clone();
        copy.forecast(x);
        let probability = copy.dictionary.probability(&copy.last.get_mut().point).ok()?;
        copy.offer(0.0).ok()?;
        Some(Attended { probability, prediction: copy.predicted(x) })
    }

    fn predicted(&self, x: &[f64]) -> f64 {
        let (ridge, h) = self.forecast(x);
        self.forecast.of(ridge, h)
    }

    /// Plays the first rounds of a block together; returns how many.
    fn play_together(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<usize, Breakdown> {
        if self.predicts_only {
            return Err(predicts_only());
        }
        let mut points = std::mem::take(&mut self.projections);
        let role = if self.sample == DictionarySampling::Before { Role::Attend } else { Role::Learn };
        let count = if self.sample == DictionarySampling::Beforehand {
            self.dictionary.project_rows(block.inputs, &mut points);
            points.coordinates.resize(block.targets.len() + 1, self.dictionary.coordinates());
            block.targets.len()
        } else {
            let uniform = |i| draws.at(role, block.first_round + i as u64).uniform();
            self.dictionary.offer_rows(block.inputs, &mut points, uniform)
        };
        let Block { inputs, targets, .. } = block.part(0, count);
        let after = usize::from(self.sample == DictionarySampling::After);
        self.evaluations += points.grown.iter().map(|i| self.rounds + (i + after) as u64).sum::<u64>();
        self.add_coordinates(inputs, &points);
        let known = if after == 0 { &points.coordinates[1..] } else { &points.coordinates[..count] };
        let psi = |i| points.psi(i);
        let played = self.ridge.play(self.forecast, psi, known, targets, &mut self.work, &mut predictions[..count]);
        let rest = |i: usize| self.dictionary.rest(inputs.row(i), &psi(i)[..known[i]]);
        self.ridge.tell(&self.work, rest, &mut self.told);
        if self.sample != DictionarySampling::Beforehand {
            self.past.push_rows(inputs, psi, targets);
        }
        self.rounds += count as u64;
        self.projections = points;
        played.map(|()| count)
    }

    /// Adds the coordinates of the points of a block that entered.
    fn add_coordinates(&mut self, inputs: Rows<'_>, points: &Projections) {
        let width = self.dictionary.coordinates();
        let (mut new, mut coordinates) = (Matrix::with_width(inputs.cols()), Matrix::with_width(width));
        for &i in &points.grown {
            new.push_row(inputs.row(i));
            coordinates.push_row(points.psi(i));
        }
        self.past.extend(self.dictionary.kernel(), new.view(), &coordinates, &mut self.work);
        self.ridge.grow(&mut self.work);
    }

    /// Whether many inputs were predicted by what was computed for all of them.
    #[cfg(test)]
    pub(super) fn prepared(&self) -> bool {
        self.prepared.borrow().is_made()
    }

    /// Offers the last input to the dictionary.
    fn offer(&mut self, uniform: f64) -> Result<(), Breakdown> {
        let point = &self.last.get_mut().point;
        if let Offer::Grown(coordinate) = self.dictionary.offer(point, uniform)? {
            self.evaluations += self.past.len() as u64;
            let x = Rows::new(point.x().len(), point.x());
            self.past.extend(self.dictionary.kernel(), x, &coordinate.row(), &mut self.work);
            self.ridge.grow(&mut self.work);
        }
        Ok(())
    }

    /// The ridge forecast and h at `x`.
    fn forecast(&self, x: &[f64]) -> (f64, f64) {
        let NystromCache { point, rounds, whitened, forecast } = &mut *self.last.borrow_mut();
        if self.dictionary.project(x, point) || *rounds != self.rounds {
            *rounds = self.rounds;
            whitened.clone_from(&point.psi);
            *forecast = self.ridge.forecast(whitened);
        }
        *forecast
    }
}

impl Hypothesis for Nystrom {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        self.predicted(x)
    }

    fn predict_rows(&self, inputs: Rows<'_>, draw: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        if self.ridge.is_empty() {
            return (0..out.len()).for_each(|i| out[i] = self.predict(inputs.row(i), &mut draw(i)));
        }
        let mut prepared = self.prepared.borrow_mut();
        if !prepared.predict(self.forecast, self.rounds, &self.dictionary, &self.ridge, inputs, out) {
            from_coordinates(self.forecast, &self.dictionary, &self.ridge, inputs, out);
        }
    }

    /// The function has a part outside of the dictionary's span, with the kernel's variance there, as in the deterministic
    /// training conditional of J. Quinonero-Candela, C. Rasmussen, JMLR 6 (2005).
    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        let (ridge, h) = self.forecast(x);
        let rest = self.dictionary.rest(x, &self.last.borrow().point.psi);
        self.told.predictive(ridge, self.ridge.leverage(h, rest), 1.0)
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.told.predictives()
    }

    fn attended(&self, x: &[f64]) -> Option<Attended> {
        self.attended(x)
    }

    /// The dictionary with the ridge regression over it, without the rounds, which only a new point needs.
    fn keep_predictions(&mut self) -> bool {
        self.predicts_only |= !self.past.is_empty();
        self.past = PastRounds::new(self.dictionary.dim());
        self.predicts_only
    }

    fn gauges(&self) -> Gauges {
        Gauges {
            stored_points: Some(self.dictionary.len() as u64),
            features: Some(self.dictionary.coordinates() as u64),
            kernel_evaluations: Some(self.dictionary.evaluations() + self.evaluations),
            state_bytes: Some(self.dictionary.bytes() + self.ridge.bytes() + self.past.bytes()),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        // It may be that of another state.
        self.prepared.take();
        store.keep_some("predicts_only", &mut self.predicts_only, &mut [1.0][..])?;
        self.told.state(store)?;
        keep!(self, store: dictionary, ridge, past, rounds, foreseen, evaluations;
            forecast, sample, predicts_only, last, prepared, projections, work, told);
        let agree = ridge.len() == dictionary.coordinates() && (past.is_empty() || past.coordinates() == ridge.len());
        store.check(agree, "has parts of different sizes")
    }
}

impl Learner for Nystrom {
    fn foresees(&self) -> bool {
        self.sample == DictionarySampling::Beforehand && !self.foreseen
    }

    /// Uses the draws that rounds attending to these inputs would use. The sequential dictionary of a whole run and the
    /// one made beforehand therefore hold the same points.
    fn foresee(&mut self, inputs: Rows<'_>, draws: &Draws) -> Result<(), Breakdown> {
        self.foresee_with(inputs, |round| draws.at(Role::Attend, round).uniform())
    }

    fn attend(&mut self, x: &[f64], draw: &mut Draw) -> Result<(), Breakdown> {
        self.attend_with(x, draw.uniform())
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_with(x, y, draw.uniform())
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted_with(x, y, weight, draw.uniform())
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.begin(true);
        let played = play_in_parts(self, block, draws, predictions, TOGETHER, |this, part, predictions| {
            match this.sample != DictionarySampling::Beforehand || this.foreseen {
                true => this.play_together(part, draws, predictions),
                false => Ok(0),
            }
        });
        self.told.end();
        played
    }
}
