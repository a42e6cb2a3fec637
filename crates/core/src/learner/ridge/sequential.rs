//! Sequential ridge regression from a growing Cholesky factor, for exact kernels and for fixed features.
//!
//! With K the Gram matrix of the rounds so far, L L' = K + lambda I and z = L^-1 (y - prior), round t has
//!
//! ```text
//! l = L^-1 k_t,   ridge_t = prior_t + l' z,   pivot_t = k_tt + lambda - |l|^2 = lambda (1 + h_t),
//! awv_t = ridge_t / (1 + h_t),   z_t = (y_t - ridge_t) / sqrt(pivot_t),
//! ```
//!
//! so that the minimum over f of sum (y - f)^2 + lambda |f|^2 is lambda |z|^2. The prior is the forecast from the
//! rounds before the first row (zero for exact kernels).
//!
//! Sources: K. Azoury, M. Warmuth, Machine Learning 43 (2001); V. Vovk, International Statistical Review 69 (2001);
//! R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019.

use crate::learner::api::{Block, Breakdown, in_round};
use crate::learner::predictive::Told;
use noregret_numeric::linalg::dense::NotFinite;
use noregret_numeric::linalg::growing::Growing;
use noregret_numeric::linalg::vector::{dot, squared_norm};
use noregret_numeric::state::{State, StateError, Store, keep};

/// Which forecast is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// f_t(x_t), where f_t is the ridge regression over the past rounds.
    Ridge,
    /// The forecaster of Azoury, Warmuth and Vovk: the same, with f(x_t)^2 added to the objective that f_t minimises.
    Awv,
}

impl Forecast {
    /// The forecast where that of ridge regression is `ridge`, with this h.
    pub(crate) fn of(self, ridge: f64, h: f64) -> f64 {
        match self {
            Self::Ridge => ridge,
            Self::Awv => ridge / (1.0 + h),
        }
    }

    /// The forecast of ridge regression where this one is `forecast`, with this h.
    fn mean(self, forecast: f64, h: f64) -> f64 {
        match self {
            Self::Ridge => forecast,
            Self::Awv => forecast * (1.0 + h),
        }
    }

    /// The forecasts at several points, of which `rows` holds the u with h = |u|^2; that of ridge regression is u' `z`.
    pub(crate) fn of_rows(self, z: &[f64], rows: &[f64], out: &mut [f64]) {
        for (u, prediction) in rows.chunks_exact(z.len().max(1)).zip(out) {
            *prediction = self.of(dot(u, z), squared_norm(u));
        }
    }
}

/// Ridge regression over the rounds so far, in the order in which they were played.
#[derive(Debug)]
pub(crate) struct Sequential {
    forecast: Forecast,
    lambda: f64,
    factor: Growing,
    /// L^-1 (y - prior).
    whitened: Vec<f64>,
}

/// The ridge forecast at one input, with its pivot, given the rounds so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RidgeForecast {
    /// The ridge forecast.
    pub(crate) ridge: f64,
    /// Diagonal entry of K + lambda I at the input.
    pub(crate) own: f64,
    /// lambda (1 + h).
    pub(crate) pivot: f64,
}

impl Sequential {
    /// No rounds yet; `height` is the panel height of the factor.
    pub(crate) fn new(forecast: Forecast, lambda: f64, height: usize) -> Self {
        Self { forecast, lambda, factor: Growing::new(height, lambda), whitened: Vec::new() }
    }

    /// Number of rounds.
    pub(crate) fn len(&self) -> usize {
        self.whitened.len()
    }

    /// log det(I + K / lambda) = sum_t log(1 + h_t).
    pub(crate) fn log_det(&self) -> f64 {
        let terms = (0..self.len()).map(|i| 2.0 * self.factor.row(i)[i].ln() - self.lambda.ln());
        terms.sum()
    }

    /// h where the pivot is `pivot`.
    pub(crate) fn leverage(&self, pivot: f64) -> f64 {
        pivot / self.lambda - 1.0
    }

    /// Tells what was known of the targets of the rounds from `first` on, for which `predictions` were made. Each round
    /// multiplies the weights of those before it by `gamma`; the targets of round i are those of the learner times
    /// gamma^(-(i + 1) / 2).
    pub(crate) fn tell(&self, first: usize, predictions: &[f64], gamma: f64, told: &mut Told) {
        for ((i, z), prediction) in (first..).zip(&self.whitened[first..]).zip(predictions) {
            let h = self.leverage(self.factor.row(i)[i].powi(2));
            let square = gamma.powi(i as i32 + 1) * self.lambda * z * z;
            told.round(self.forecast.mean(*prediction, h), h, square, 1.0, gamma);
        }
    }

    /// The same for the last round, which was learnt with a weight; m and h as they were before it, without its weight.
    pub(crate) fn tell_weighted(&self, (mean, leverage): (f64, f64), weight: f64, gamma: f64, told: &mut Told) {
        let last = self.whitened.last().copied().unwrap_or_default();
        let square = gamma.powi(self.len() as i32) * self.lambda * last * last;
        told.round(mean, leverage, square, weight, gamma);
    }

    /// Forgets all rounds.
    pub(crate) fn clear(&mut self) {
        self.factor.clear();
        self.whitened.clear();
    }

    /// The ridge forecast at an input. `row` holds its kernel values with all rounds so far, and is replaced by L^-1 `row`;
    /// `own` is its kernel value with itself plus lambda.
    pub(crate) fn forecast(&self, prior: f64, own: f64, row: &mut [f64]) -> RidgeForecast {
        self.factor.solve(row);
        RidgeForecast { ridge: prior + dot(row, &self.whitened), own, pivot: self.factor.pivot(own, row) }
    }

    /// The prediction from a ridge forecast and its pivot.
    pub(crate) fn predict(&self, ridge: f64, pivot: f64) -> f64 {
        match self.forecast {
            Forecast::Ridge => ridge,
            // Here lambda / pivot would be a quotient of rounding errors.
            Forecast::Awv if self.factor.is_lost(pivot, 0.0) => f64::NAN,
            Forecast::Awv => ridge * (self.lambda / pivot),
        }
    }

    /// The predictions at several inputs, by matrix products. `rows` holds their kernel values with all rounds so far, a
    /// row for each input, and is overwritten; `own` is the kernel value of each with itself plus lambda.
    pub(crate) fn predict_rows(&self, own: impl Iterator<Item = f64>, rows: &mut [f64], out: &mut [f64]) {
        self.factor.solve_rows(rows, out.len());
        for ((row, own), prediction) in rows.chunks_exact(self.len().max(1)).zip(own).zip(out) {
            *prediction = self.predict(dot(row, &self.whitened), self.factor.pivot(own, row));
        }
    }

    /// The coefficients (K + lambda I)^-1 (y - prior) of ridge regression over the rounds; None for other forecasts, whose
    /// denominators depend on the input.
    pub(crate) fn coefficients(&self) -> Option<Vec<f64>> {
        let mut coefficients = self.whitened.clone();
        (self.forecast == Forecast::Ridge).then(|| {
            self.factor.solve_transposed(&mut coefficients);
            coefficients
        })
    }

    /// Appends the round for which [`forecast`](Sequential::forecast) computed `row` and `forecast`.
    pub(crate) fn push(&mut self, row: &[f64], forecast: RidgeForecast, target: f64) -> Result<(), Breakdown> {
        let RidgeForecast { ridge, own, pivot } = forecast;
        if self.factor.is_lost(pivot, own) {
            return Err(singular());
        }
        let whitened = residual(ridge, pivot, target)?;
        self.factor.push(row, own, pivot);
        self.whitened.push(whitened);
        Ok(())
    }

    /// Appends several rounds to the factor; [`settle`](Sequential::settle) plays them. `rows` holds the new rows of K
    /// + lambda I in the layout of [`Growing::extend`]. An error leaves the factor unchanged.
    pub(crate) fn extend(&mut self, count: usize, rows: &[f64]) -> Result<(), NotFinite> {
        self.factor.extend(count, rows)
    }

    /// Plays the rounds that [`extend`](Sequential::extend) appended: each forecast is made before its target is
    /// used.
    pub(crate) fn settle(&mut self, priors: &[f64], targets: &[f64], predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (target, prediction)) in targets.iter().zip(predictions).enumerate() {
            let row = self.factor.row(self.len());
            let diagonal = row[self.len()];
            let ridge = priors[i] + dot(row, &self.whitened);
            let pivot = diagonal * diagonal;
            *prediction = self.predict(ridge, pivot);
            if self.factor.is_lost(pivot, 0.0) {
                return Err(singular()).map_err(in_round(i));
            }
            let whitened = residual(ridge, pivot, *target).map_err(in_round(i))?;
            self.whitened.push(whitened);
        }
        Ok(())
    }
}

impl State for Sequential {
    fn state(&mut self, store: &mut Store) -> Result<(), StateError> {
        keep!(self, store: factor, whitened; forecast, lambda);
        store.check(factor.len() == whitened.len(), "has a factor and residuals of different numbers of rounds")
    }
}

/// A forecaster that plays rounds one by one, or several at once while there is room for them.
pub(crate) trait PlaysBlocks {
    /// How many rounds can be played at once from the present state; at least one.
    fn room(&self) -> usize;

    /// Plays one round.
    fn step(&mut self, x: &[f64], y: f64, prediction: &mut f64) -> Result<(), Breakdown>;

    /// Plays several rounds at once; at most [`room`](Self::room).
    fn step_block(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown>;

    /// Plays the rounds of a block one after the other.
    fn step_one_by_one(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, ((x, y), prediction)) in block.inputs.iter().zip(block.targets).zip(predictions).enumerate() {
            self.step(x, *y, prediction).map_err(in_round(i))?;
        }
        Ok(())
    }

    /// Plays a block of any size, with as many rounds at once as there is room for.
    fn step_all(&mut self, block: Block<'_>, predictions: &mut [f64]) -> Result<(), Breakdown> {
        let mut done = 0;
        while done < block.targets.len() {
            let take = (block.targets.len() - done).min(self.room());
            let (part, predictions) = (block.part(done, done + take), &mut predictions[done..done + take]);
            let played =
                if take == 1 { self.step_one_by_one(part, predictions) } else { self.step_block(part, predictions) };
            played.map_err(|b| Breakdown { after: done + b.after, ..b })?;
            done += take;
        }
        Ok(())
    }
}

/// The breakdown of a learner whose lambda is too small for the working precision.
pub(crate) fn singular() -> Breakdown {
    Breakdown::new("K + lambda I is singular to working precision; these inputs need a larger lambda")
}

/// (target - ridge) / sqrt(pivot), or a breakdown if it is not finite.
fn residual(ridge: f64, pivot: f64, target: f64) -> Result<f64, Breakdown> {
    let whitened = (target - ridge) / pivot.sqrt();
    if whitened.is_finite() && pivot.is_finite() {
        return Ok(whitened);
    }
    let cause = format!("the ridge forecast {ridge} or its variance {pivot} overflowed");
    Err(Breakdown::new(cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal rows with lambda far below rounding: the second pivot is lambda (1 + h) = 2e-17 in exact arithmetic, and 0
    /// in working precision.
    #[test]
    fn a_lambda_lost_in_rounding_is_said() {
        let lambda = 1e-17;
        let mut one_by_one = Sequential::new(Forecast::Ridge, lambda, 4);
        let first = one_by_one.forecast(0.0, 1.0 + lambda, &mut []);
        one_by_one.push(&[], first, 1.0).unwrap();
        let mut row = [1.0];
        let second = one_by_one.forecast(0.0, 1.0 + lambda, &mut row);
        let error = one_by_one.push(&row, second, 2.0).unwrap_err();
        assert!(error.cause.contains("singular"), "{error:?}");

        let mut block = Sequential::new(Forecast::Ridge, lambda, 4);
        block.extend(2, &[1.0, 0.0, 1.0, 1.0]).unwrap();
        let mut predictions = [0.0; 2];
        let error = block.settle(&[0.0; 2], &[1.0, 2.0], &mut predictions).unwrap_err();
        // The ridge forecast of the second round uses the first round only; the AWV forecast would need the lost pivot.
        assert_eq!((error.after, predictions[1]), (2, 1.0));
        assert!(error.cause.contains("larger lambda"), "{error:?}");
        assert!(Sequential { forecast: Forecast::Awv, ..block }.predict(1.0, 1e-17).is_nan());
    }

    /// With a lambda above rounding, equal rows are averaged.
    #[test]
    fn equal_rows_with_a_sound_lambda_are_averaged() {
        let lambda = 1e-12;
        let mut rounds = Sequential::new(Forecast::Ridge, lambda, 4);
        let one = 1.0 + lambda;
        rounds.extend(3, &[one, 0.0, 0.0, 1.0, one, 0.0, 1.0, 1.0, one]).unwrap();
        let mut predictions = [0.0; 3];
        rounds.settle(&[0.0; 3], &[1.0, 2.0, 3.0], &mut predictions).unwrap();
        assert!((predictions[1] - 1.0).abs() < 1e-3 && (predictions[2] - 1.5).abs() < 1e-3, "{predictions:?}");
    }
}
