//! Comparators: their trait, registry entry and errors, and what they share.

use crate::kernel::api::Kernel;
use crate::loss::api::Loss;
use crate::params::entry::Entry;
use crate::params::typed::shared;
use crate::params::{Fallback, Kind, ParamError, Params, PartKind, Range};
use crate::stream::api::Source;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::matrix::Rows;

/// Finds the best fixed predictor in hindsight, against which regret is measured.
///
/// ```
/// use noregret_core::prelude::*;
///
/// let entry = COMPARATORS.find("penalised")?;
/// let params = check(entry.params, &json!({ "lambda": 0.1, "kernel": "linear" }), "", &AllParts)?;
/// let comparator = (entry.build)(&params)?;
/// // min over w of (1 - w)^2 + (2 - 2 w)^2 + 0.1 w^2, at w = 5 / 5.1.
/// let points = Matrix::from_data(2, 1, vec![1.0, 2.0]).unwrap();
/// let best = comparator.solve(points.view(), &[1.0, 2.0]).unwrap();
/// assert!((best.objective - 0.1 * 5.0 / 5.1).abs() < 1e-12 && best.loss < best.objective);
/// # Ok::<(), ParamError>(())
/// ```
pub trait Comparator: Send + Sync {
    /// The best predictor of these examples under the squared loss, to a tolerance far below any regret of interest.
    fn solve(&self, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError>;

    /// Whether [`solve_for`](Comparator::solve_for) can handle this loss, which is not the squared one; the error says
    /// why not.
    fn accepts(&self, loss: &dyn Loss) -> Result<(), String> {
        let _ = loss;
        Err("minimises the squared loss only".into())
    }

    /// The same for a loss other than the squared one.
    fn solve_for(&self, loss: &dyn Loss, inputs: Rows<'_>, targets: &[f64]) -> Result<Best, ComparatorError> {
        let _ = (loss, inputs, targets);
        Err(ComparatorError::OtherLoss)
    }

    /// The loss of a predictor that the law itself names, for comparators that are not found by looking at the examples;
    /// None for the others. `inputs` and `targets` are the rounds of `source`, from the first.
    fn solve_on(
        &self,
        loss: &dyn Loss,
        source: &dyn Source,
        draws: &Draws,
        inputs: Rows<'_>,
        targets: &[f64],
    ) -> Option<Result<Best, ComparatorError>> {
        let _ = (loss, source, draws, inputs, targets);
        None
    }

    /// The operations and the bytes that solving takes, for a number of rounds and a number of inputs.
    fn cost(&self, rounds: u64, dim: usize) -> (f64, f64) {
        let _ = dim;
        let n = rounds as f64;
        (n * n * n / 3.0, 16.0 * n * n)
    }
}

/// The loss of the best fixed predictor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// Its sum of losses over the examples.
    pub loss: f64,
    /// What it minimises: the loss, plus a penalty if the comparator has one. Regret is measured against this.
    pub objective: f64,
}

impl Best {
    /// Of a comparator that minimises the loss alone.
    pub(super) fn of(loss: f64) -> Self {
        Self { loss, objective: loss }
    }

    /// A loss that holds its penalty, over so many rounds.
    ///
    /// # Errors
    /// If it is not finite.
    pub(super) fn finite(objective: f64, rounds: usize) -> Result<Self, ComparatorError> {
        match objective.is_finite() {
            true => Ok(Self::of(objective)),
            false => Err(ComparatorError::NotFinite(rounds)),
        }
    }
}

/// Makes a comparator from checked parameters.
pub(crate) type BuildComparator = fn(&Params) -> Result<Box<dyn Comparator>, ParamError>;

/// A registered comparator.
pub type ComparatorEntry = Entry<BuildComparator>;

shared! {
    /// whose space is searched
    KERNEL = "kernel": Kind::Part(PartKind::Kernel) => Fallback::Part("gaussian");
    /// largest norm U of the functions that are considered
    RADIUS = "radius": Kind::real(Range::NONNEGATIVE) => Fallback::Real(1.0);
}

/// [`Comparator::accepts`] of minimisers that take Newton steps.
pub(super) fn smooth(loss: &dyn Loss) -> Result<(), String> {
    match loss.curvature(0.0) {
        Some(_) => Ok(()),
        None => Err("needs a loss without kinks".into()),
    }
}

/// Why a comparator cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparatorError {
    /// Kernel values or features overflowed, or a decomposition did not converge.
    #[error("the comparator of {0} rounds cannot be computed: kernel values or features are not finite")]
    NotFinite(usize),
    /// The minimisation stopped short of its tolerance.
    #[error("the comparator of {0} rounds was not found: the minimisation stopped short of its tolerance")]
    NotConverged(usize),
    /// A loss with kinks, where a second derivative is needed.
    #[error("the loss has no second derivative, which the comparator needs")]
    NotSmooth,
    /// A stream that does not know the mean of its targets.
    #[error("the stream does not know the mean of its targets, which the comparator `law` predicts")]
    NoMean,
    /// Taylor features in larger number than fits into memory.
    #[error("the comparator has more than {0} Taylor features: its order is too high for so many inputs")]
    TooManyFeatures(u64),
    /// A comparator that is made for the squared loss.
    #[error("the comparator minimises the squared loss only")]
    OtherLoss,
}

/// The Gram matrix of `points`, row-major.
pub(super) fn gram(kernel: &dyn Kernel, points: Rows<'_>) -> Vec<f64> {
    let mut gram = vec![0.0; points.rows() * points.rows()];
    kernel.gram(points, points, &mut gram);
    gram
}
