//! linear-ridge and linear-awv: least squares over the input columns as they are, with an intercept, and with forgetting by
//! rounds or by times (recursive least squares: S. Haykin, *Adaptive Filter Theory*, chapter 10).

use std::cell::RefCell;

use crate::epoch::Scales;
use crate::learner::about::{About, FEW_LAMBDAS, Tried};
use crate::learner::api::{Block, Breakdown, Cost, Gauges, Hypothesis, Learner, Setting, one_by_one};
use crate::learner::entry::learner;
use crate::learner::parameters;
use crate::learner::predictive::{Predictive, Told};
use crate::learner::ridge::augmented::Augmented;
use crate::learner::ridge::regression::{Awv, FunctionSpace, Regression, Ridge};
use crate::learner::ridge::sequential::Forecast;
use crate::learner::weight::factor;
use crate::params::typed::{OrWord, parameters};
use crate::params::{Fallback, Kind, ParamError, Range};
use noregret_numeric::draw::{Draw, Draws};
use noregret_numeric::linalg::matrix::Rows;
use noregret_numeric::linalg::vector::{dot, squared_norm};
use noregret_numeric::state::{State as _, StateError, Store, keep};

/// With more columns than this, the triangle takes more than 4 GiB.
const MOST_COLUMNS: usize = 32_000;

/// A round that counts less than this counts as much as this: what is left of it is below rounding errors either way.
const LEAST: f64 = 1e-30;

parameters! {
    /// Parameters of the linear forecasters.
    pub struct LinearParams {
        lambda: f64 = parameters::LAMBDA;
        /// whether a constant is added to the columns; lambda does not weigh on it
        intercept: bool = Kind::Flag => Fallback::Flag(true);
        /// number of rounds, or units of the time column, after which a round counts half; infinite: nothing is forgotten
        half_life: OrWord<f64> = Kind::Real { range: Range::POSITIVE, words: &["infinite"] } => Fallback::Word("infinite");
        /// the number, from 1, of the input column that holds times, which is then no regressor; 0: rounds are counted
        time: u64 = Kind::integer(0, MOST_COLUMNS as u64) => Fallback::Integer(0);
        /// whether lambda is forgotten like a round, as in recursive least squares; otherwise it is raised again when half
        /// of it is left
        forget_lambda: bool = Kind::Flag => Fallback::Flag(false);
    }
}

/// The forecaster over d coordinates, the columns and the intercept before them: d^2 / 2 numbers, and about 4 d^2 operations a
/// round.
#[derive(Debug)]
pub struct LinearForecaster {
    forecast: Forecast,
    params: LinearParams,
    half_life: f64,
    sums: Augmented,
    /// The multiple of I in A, beside the intercept.
    penalty: f64,
    /// The time of the last round; NaN before the first one, and without times.
    latest: f64,
    told: Told,
    /// Working space: a row of coordinates, and what stands behind them.
    row: RefCell<Vec<f64>>,
}

/// Linear ridge regression.
pub type LinearRidge = Regression<LinearForecaster, Ridge>;
/// The linear Azoury-Warmuth-Vovk forecaster.
pub type LinearAwv = Regression<LinearForecaster, Awv>;

impl FunctionSpace for LinearForecaster {
    type Params = LinearParams;
    type Learner = Self;

    fn learner(forecast: Forecast, params: LinearParams, setting: &Setting) -> Result<Self, ParamError> {
        let columns = setting.dim;
        if params.time > columns as u64 {
            return Err(ParamError::refused("time", format!("{} with {columns} input columns", params.time)));
        }
        if columns > MOST_COLUMNS {
            let why = format!("{columns} input columns take more than 4 GiB; at most {MOST_COLUMNS} are accepted");
            return Err(ParamError::refused("lambda", why));
        }
        let slopes = columns - usize::from(params.time > 0);
        let mut roots = vec![params.lambda.sqrt(); slopes + usize::from(params.intercept)];
        if params.intercept {
            roots[0] = 0.0;
        }
        Ok(Self {
            forecast,
            half_life: params.half_life.number().unwrap_or(f64::INFINITY),
            sums: Augmented::diagonal(&roots),
            penalty: params.lambda,
            latest: f64::NAN,
            told: Told::default(),
            row: RefCell::default(),
            params,
        })
    }

    fn cost(params: &LinearParams, rounds: u64, dim: usize) -> Cost {
        let (n, d) = (rounds as f64, (dim + 1) as f64);
        let raises = match params.half_life.number() {
            Ok(half_life) if !params.forget_lambda && params.time == 0 => (n / half_life).min(n),
            _ => 0.0,
        };
        let flops = n * (4.5 * d * d + 20.0 * d) + raises * d * d * d;
        Cost { flops, bytes: 8.0 * Augmented::numbers(dim + 1) as f64 }
    }
}

/// Both forecasts are tried with the same values; the longest half-life forgets nothing.
const ABOUT: About = About::grid(&[("lambda", FEW_LAMBDAS), ("half_life", Tried::Numbers(&[100.0, 1_000.0, 1e9]))]);

learner! {
    /// ## Formula
    ///
    /// ```text
    /// (w_t, c_t) = argmin  sum_{s < t} g_s (y_s - <w, x_s> - c)^2 + lambda |w|^2,      p_t = <w_t, x_t> + c_t
    /// g_s = 2^(-(rounds since s) / half_life),  or  2^(-(time since s) / half_life)
    /// ```
    ///
    /// The intercept c is not part of the penalty: targets that are all higher by 5 give forecasts that are higher by 5, and a
    /// small `lambda` gives least squares (`numpy.linalg.lstsq` on the rows so far, with a column of ones). Before the first
    /// round p_1 = 0. With `intercept = false` there is none.
    ///
    /// With a half-life this is recursive least squares with the forgetting factor 2^(-1 / `half_life`): a factor mu is
    /// `half_life` = -1 / log2(mu). Forgetting also takes lambda away. As soon as less than half of it is left, it is raised
    /// to lambda again, so that directions that inputs stay away from do not become arbitrary; this happens about once in a half-life.
    /// `forget_lambda = true` never raises it, which is the textbook's form, and that of padasip's `FilterRLS` with
    /// eps = `lambda` and `intercept = false`: where inputs stay constant for many half-lives, it follows rounding errors.
    ///
    /// `time` is the number of a column of times. Rounds are then forgotten by the time that passes between them, in units of that column,
    /// and not by their number. Times must not decrease; the run ends where they do. The inputs are not scaled by epochs then,
    /// since that would change the unit.
    ///
    /// ## Cost
    ///
    /// About 4 d^2 operations per round for d columns, in rotations that do not square the condition number, and d^2 / 2 numbers; with a
    /// half-life also d^3 once in each.
    ///
    /// ## When to use it
    ///
    /// First: what a line explains. With a half-life where the line moves. For curves: pkawv-taylor.
    pub(crate) static LINEAR_RIDGE = Regression::<LinearForecaster, Ridge>::entry(
        "linear-ridge",
        "ridge regression over the input columns with an intercept: recursive least squares, with a half-life if wanted",
        module_path!(),
        ABOUT,
    );

    /// ## Formula
    ///
    /// ```text
    /// A = sum_{s < t} g_s phi_s phi_s' + lambda I,   b = sum_{s < t} g_s y_s phi_s,   phi = (1, x)
    /// p_t = phi_t' A^-1 b / (1 + phi_t' A^-1 phi_t)
    /// ```
    ///
    /// g, lambda, the intercept (which lambda does not weigh on) and all parameters are those of linear-ridge. Its forecast minimises the same
    /// sum with (<w, x_t> + c)^2 added. Without an intercept and with nothing forgotten, its regret against w is at most
    /// `lambda |w|^2 + B^2 log det(I + sum x x' / lambda)` on every sequence with targets in [-B, B], whatever it predicts.
    ///
    /// ## Cost
    ///
    /// As linear-ridge.
    ///
    /// ## When to use it
    ///
    /// As linear-ridge, where the first rounds count, inputs may be large, or a bound must hold on every sequence: it shrinks forecasts
    /// at inputs of which the past says little. Later the two hardly differ.
    pub(crate) static LINEAR_AWV = Regression::<LinearForecaster, Awv>::entry(
        "linear-awv",
        "Azoury-Warmuth-Vovk forecaster over the input columns with an intercept, with a half-life if wanted (Vovk 2001; Azoury, Warmuth 2001)",
        module_path!(),
        ABOUT,
    );
}

impl LinearForecaster {
    /// The time of a round at `x`; NaN without times.
    fn time(&self, x: &[f64]) -> f64 {
        (self.params.time as usize).checked_sub(1).map_or(f64::NAN, |column| x[column])
    }

    /// How much the rounds so far count in a round at `x`, relative to what they did in the last one.
    fn discount(&self, x: &[f64]) -> f64 {
        let passed = match self.params.time {
            0 => 1.0,
            _ if self.latest.is_nan() => 0.0,
            _ => self.time(x) - self.latest,
        };
        (-passed.max(0.0) / self.half_life).exp2().max(LEAST)
    }

    /// The ridge forecast and h at `x`, before the target of the round; h is infinite while the intercept is not known.
    fn ridge(&self, x: &[f64]) -> (f64, f64) {
        let row = &mut *self.row.borrow_mut();
        self.write(x, 0.0, row);
        let (ridge, h) = self.sums.forecast(row);
        (ridge, h / self.discount(x))
    }

    /// Makes `row` the coordinates of `x`, with `last` behind them.
    fn write(&self, x: &[f64], last: f64, row: &mut Vec<f64>) {
        row.clear();
        row.extend(self.params.intercept.then_some(1.0));
        match self.params.time as usize {
            0 => row.extend_from_slice(x),
            time => [&x[..time - 1], &x[time..]].iter().for_each(|part| row.extend_from_slice(part)),
        }
        row.push(last);
    }

    /// A <- g A and b <- g b, lambda raised where that is due, then A <- A + weight phi phi' and b <- b + weight y phi; false if a
    /// number is beyond floating point.
    fn take(&mut self, x: &[f64], y: f64, weight: f64) -> bool {
        let discount = self.discount(x);
        let mut row = std::mem::take(self.row.get_mut());
        self.penalty *= discount;
        let mut decay = discount.sqrt();
        let mut finite = true;
        if !self.params.forget_lambda && self.penalty < 0.5 * self.params.lambda {
            row.clear();
            row.resize(self.sums.len() + 1, 0.0);
            finite &= self.sums.add(decay, &mut row);
            finite &= self.sums.raise(self.params.lambda - self.penalty, usize::from(self.params.intercept), &mut row);
            (self.penalty, decay) = (self.params.lambda, 1.0);
        }
        self.write(x, y, &mut row);
        if weight != 1.0 {
            row.iter_mut().for_each(|number| *number *= weight.sqrt());
        }
        finite &= self.sums.add(decay, &mut row);
        *self.row.get_mut() = row;
        finite
    }
}

impl Hypothesis for LinearForecaster {
    fn predict(&self, x: &[f64], _: &mut Draw) -> f64 {
        let (ridge, h) = self.ridge(x);
        self.forecast.of(ridge, h)
    }

    /// Ridge regression computes its weights once for all rows.
    fn predict_rows(&self, inputs: Rows<'_>, draw: &dyn Fn(usize) -> Draw, out: &mut [f64]) {
        let weights = (self.forecast == Forecast::Ridge).then(|| {
            let mut weights = Vec::new();
            self.sums.weights(&mut weights);
            weights
        });
        for ((i, x), prediction) in inputs.iter().enumerate().zip(out) {
            *prediction = match &weights {
                None => self.predict(x, &mut draw(i)),
                Some(weights) => {
                    let row = &mut *self.row.borrow_mut();
                    self.write(x, 0.0, row);
                    dot(&row[..weights.len()], weights)
                }
            };
        }
    }

    fn predictive(&self, x: &[f64]) -> Option<Predictive> {
        let (ridge, h) = self.ridge(x);
        self.told.predictive(ridge, h, self.discount(x))
    }

    fn predictives(&self) -> Option<Vec<Predictive>> {
        self.told.predictives()
    }

    /// The norm is that of w.
    fn gauges(&self) -> Gauges {
        let weights = &mut *self.row.borrow_mut();
        self.sums.weights(weights);
        let slopes = &weights[usize::from(self.params.intercept)..];
        Gauges {
            features: Some(self.sums.len() as u64),
            norm: Some(squared_norm(slopes).sqrt()),
            state_bytes: Some(8 * Augmented::numbers(self.sums.len()) as u64),
            ..Gauges::default()
        }
    }

    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        self.told.state(store)?;
        keep!(self, store: sums, penalty, latest; forecast, params, half_life, told, row);
        Ok(())
    }
}

impl Learner for LinearForecaster {
    /// Inputs keep their scale where one of them is a time, whose unit is that of the half-life.
    fn scalable(&self) -> Scales {
        Scales { inputs: self.params.time == 0, targets: true }
    }

    fn learn(&mut self, x: &[f64], y: f64, draw: &mut Draw) -> Result<(), Breakdown> {
        self.learn_weighted(x, y, 1.0, draw)
    }

    /// Rounds that are forgotten by their number forget one for a row of any weight.
    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64, _: &mut Draw) -> Result<(), Breakdown> {
        factor(weight)?;
        let (time, latest) = (self.time(x), self.latest);
        if time < latest {
            return Err(Breakdown::new(format!(
                "the time {time} is before that of the last round, {latest}; rows must come in the order of their times"
            )));
        }
        let ((ridge, h), discount) = (self.ridge(x), self.discount(x));
        self.told.begin(false);
        self.told.round(ridge, h, weight * (y - ridge).powi(2) / (1.0 + weight * h), weight, discount);
        if !self.take(x, y, weight) {
            return Err(Breakdown::new("the sums of squares of the inputs and targets are beyond floating point"));
        }
        self.latest = time;
        Ok(())
    }

    fn play(&mut self, block: Block<'_>, draws: &Draws, predictions: &mut [f64]) -> Result<(), Breakdown> {
        self.told.begin(true);
        let played = one_by_one(self, block, draws, predictions);
        self.told.end();
        played
    }
}
