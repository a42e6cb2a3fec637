//! How many draws an estimate of a function's value takes.

use crate::learner::api::Breakdown;
use crate::theory::iln;

/// The rule for the number of draws of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawCount {
    /// Always m.
    Fixed(u64),
    /// ceil(|alpha|_1^2 max{1, log(2 gamma) / (32 B^2)}), as the proof of Theorem 1 needs; see
    /// [`iln::theorem1_draws_at`].
    Theory {
        /// B.
        bound: f64,
        /// gamma of section C.2.
        gamma: f64,
    },
    /// max(8, ceil(|alpha|_1^2 / variance)), for estimates of at most this variance.
    Adaptive {
        /// The largest variance.
        variance: f64,
    },
    /// E_t = f_t(x_t), by exact kernel values: online gradient descent with shrinks.
    Exact,
}

/// The precision of predictions that must be estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Precision {
    /// That of the estimates from which the learner learns.
    AsLearning,
    /// Within `precision` with probability at least 1 - `failure`; see [`iln::estimate_draws`].
    Within {
        /// Largest error.
        precision: f64,
        /// Probability of a larger error.
        failure: f64,
    },
}

/// An estimate with more draws than this is refused: with |y| <= 1 the norm of alpha never requires so many.
pub const MOST_DRAWS: f64 = (1u64 << 32) as f64;

/// `count` rounded up, if an estimate may take so many draws.
fn whole(count: f64, l1: f64) -> Result<u64, Breakdown> {
    if count <= MOST_DRAWS {
        return Ok(count.ceil() as u64);
    }
    Err(Breakdown::new(format!(
        "an estimate would take {count:.1e} draws, because the absolute values of the coefficients sum to {l1:.1e}; \
         targets should lie in [-1, 1]"
    )))
}

impl DrawCount {
    /// The draws of a step, for coefficients of this |alpha|_1.
    ///
    /// # Errors
    /// If there would be more than 2^32.
    pub(crate) fn at(self, l1: f64) -> Result<u64, Breakdown> {
        match self {
            _ if l1 == 0.0 => Ok(0),
            DrawCount::Fixed(count) => Ok(count),
            DrawCount::Theory { bound, gamma } => whole(iln::theorem1_draws_at(l1, bound, gamma).max(1.0), l1),
            DrawCount::Adaptive { variance } => whole((l1 * l1 / variance).max(8.0), l1),
            DrawCount::Exact => Ok(0),
        }
    }
}

impl Precision {
    /// The draws of a prediction, for coefficients of this |alpha|_1, by a learner whose steps take `count`.
    ///
    /// # Errors
    /// If there would be more than 2^32.
    pub(crate) fn draws(self, count: DrawCount, l1: f64) -> Result<u64, Breakdown> {
        match self {
            Precision::AsLearning => count.at(l1),
            Precision::Within { precision, failure } => whole(iln::estimate_draws(l1, precision, failure), l1),
        }
    }
}
