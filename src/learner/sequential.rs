//! Sequential ridge regression from a growing Cholesky factor: what exact kernels and fixed features have in common.
//!
//! With K the Gram matrix of the rounds so far, L L' = K + lambda I and z = L^-1 (y - prior), round t has
//!
//! ```text
//! l = L^-1 k_t,   ridge_t = prior_t + l' z,   pivot_t = k_tt + lambda - |l|^2 = lambda (1 + h_t),
//! awv_t = ridge_t / (1 + h_t),   z_t = (y_t - ridge_t) / sqrt(pivot_t),
//! ```
//!
//! so that the minimum over f of sum (y - f)^2 + lambda |f|^2 is lambda |z|^2. The prior is the forecast of what is
//! known from before the first row (zero for exact kernels).
//!
//! Sources: K. Azoury, M. Warmuth, Machine Learning 43 (2001); V. Vovk, International Statistical Review 69 (2001);
//! R. Jezequel, P. Gaillard, A. Rudi, NeurIPS 2019.

use crate::learner::api::{Breakdown, in_round};
use crate::linalg::dense::NotFinite;
use crate::linalg::growing::Growing;
use crate::linalg::vector::dot;

/// Which forecast is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// f_t(x_t), with f_t the ridge regression of the past.
    Ridge,
    /// The forecaster of Azoury, Warmuth and Vovk: the same with f(x_t)^2 added to what f_t minimises.
    Awv,
}

/// Rounds in the order they were played.
#[derive(Debug)]
pub struct Sequential {
    forecast: Forecast,
    lambda: f64,
    factor: Growing,
    /// L^-1 (y - prior).
    whitened: Vec<f64>,
}

/// What a forecast at one input rests on, given the rounds so far.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// The ridge forecast.
    pub ridge: f64,
    /// Diagonal entry of K + lambda I at the input.
    pub own: f64,
    /// lambda (1 + h).
    pub pivot: f64,
}

impl Sequential {
    /// No rounds yet; `height` is the panel height of the factor.
    pub fn new(forecast: Forecast, lambda: f64, height: usize) -> Self {
        Self { forecast, lambda, factor: Growing::new(height, lambda), whitened: Vec::new() }
    }

    /// Number of rounds.
    pub fn len(&self) -> usize {
        self.whitened.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.whitened.is_empty()
    }

    /// Forgets all rounds.
    pub fn clear(&mut self) {
        self.factor.clear();
        self.whitened.clear();
    }

    /// Looks at an input: `row` holds its kernel values with all rounds so far and is replaced by L^-1 of them;
    /// `own` is its kernel value with itself plus lambda.
    pub fn look(&self, prior: f64, own: f64, row: &mut [f64]) -> Outlook {
        self.factor.solve(row);
        Outlook { ridge: prior + dot(row, &self.whitened), own, pivot: self.factor.pivot(own, row) }
    }

    /// The forecast.
    pub fn predict(&self, ridge: f64, pivot: f64) -> f64 {
        match self.forecast {
            Forecast::Ridge => ridge,
            Forecast::Awv => ridge * (self.lambda / pivot),
        }
    }

    /// Appends the round whose [`look`](Sequential::look) left `row` and `outlook`.
    pub fn push(&mut self, row: &[f64], outlook: Outlook, target: f64) -> Result<(), Breakdown> {
        let Outlook { ridge, own, pivot } = outlook;
        let whitened = residual(ridge, pivot, target)?;
        self.factor.push(row, own, pivot);
        self.whitened.push(whitened);
        Ok(())
    }

    /// Appends several rounds to the factor; [`settle`](Sequential::settle) plays them. `rows` holds the new rows of
    /// K + lambda I as [`Growing::extend`] takes them. On an error nothing has changed.
    pub fn extend(&mut self, count: usize, rows: &[f64]) -> Result<(), NotFinite> {
        self.factor.extend(count, rows)
    }

    /// Plays the rounds that [`extend`](Sequential::extend) appended: each forecast is made before its target is
    /// used.
    pub fn settle(&mut self, priors: &[f64], targets: &[f64], predictions: &mut [f64]) -> Result<(), Breakdown> {
        for (i, (target, prediction)) in targets.iter().zip(predictions).enumerate() {
            let row = self.factor.row(self.len());
            let diagonal = row[self.len()];
            let ridge = priors[i] + dot(row, &self.whitened);
            let pivot = diagonal * diagonal;
            *prediction = self.predict(ridge, pivot);
            let whitened = residual(ridge, pivot, *target).map_err(in_round(i))?;
            self.whitened.push(whitened);
        }
        Ok(())
    }
}

/// (target - ridge) / sqrt(pivot), or what is wrong with it.
fn residual(ridge: f64, pivot: f64, target: f64) -> Result<f64, Breakdown> {
    let whitened = (target - ridge) / pivot.sqrt();
    if whitened.is_finite() && pivot.is_finite() {
        return Ok(whitened);
    }
    let cause = format!("the ridge forecast {ridge} or its variance {pivot} is beyond floating point");
    Err(Breakdown::new(cause))
}
