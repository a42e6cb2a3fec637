//! What a learner refuses before it plays.

use std::sync::atomic::Ordering;

use noregret_core::learner::api::{AnyLearner, Block, Breakdown as CoreBreakdown};
use noregret_numeric::linalg::matrix::Rows;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::Breakdown;
use crate::learner::{Learner, Playing};
use crate::origin::Origin;
use crate::pool;

/// How a learner begins to say that it has only what predictions need. It has learnt nothing of the row, and still predicts.
const PREDICTS_ONLY: &str = "it was saved to predict";

/// What is said of the breakdown of the learner `name`, which is `broken` from then on: nobody knows what it holds.
pub fn broke_down(broken: &mut Option<String>, name: &str, round: u64, cause: &str) -> String {
    if cause.starts_with(PREDICTS_ONLY) {
        return format!("{name} cannot learn: {cause}");
    }
    let why = format!("{name} broke down in round {round}: {cause}");
    *broken = Some(why.clone());
    why
}

/// What stopped the rounds, as an exception: a learner that was saved to predict did not break down.
pub fn stopped(why: String) -> PyErr {
    if why.contains(PREDICTS_ONLY) { PyValueError::new_err(why) } else { Breakdown::new_err(why) }
}

/// Refuses to use what broke down, with the reason.
pub fn unbroken(broken: Option<&String>) -> Result<(), String> {
    broken.map_or(Ok(()), |why| Err(why.clone()))
}

impl Playing {
    /// This, unless the learner broke down.
    pub(crate) fn sound(&self) -> Result<&Self, String> {
        unbroken(self.broken.as_ref()).map(|()| self)
    }
}

impl Learner {
    /// Refuses inputs of another number of columns, or with values that it does not take.
    pub fn check_inputs(&self, inputs: &PyReadonlyArray2<'_, f64>, rows: &[f64]) -> PyResult<()> {
        let (found, wanted) = (inputs.as_array().ncols(), self.origin.setting.dim);
        if found != wanted {
            return Err(PyValueError::new_err(format!(
                "X has {found} columns, but {} expects {wanted}",
                self.origin.name
            )));
        }
        match rows.iter().position(|value| !self.allows(*value)) {
            Some(at) => Err(PyValueError::new_err(format!(
                "X has {} in row {} and column {}",
                rows[at],
                at / wanted,
                at % wanted
            ))),
            None => Ok(()),
        }
    }

    /// Whether an input may have this value.
    fn allows(&self, value: f64) -> bool {
        value.is_finite() || (self.takes_absent && value.is_nan())
    }

    /// The columns of a dictionary in their order; 0 where it has none.
    pub fn row(&self, x: &Bound<'_, PyDict>, columns: &Bound<'_, PyList>) -> PyResult<Vec<f64>> {
        if columns.len() != self.origin.setting.dim {
            let (found, name) = (columns.len(), self.origin.name);
            return Err(PyValueError::new_err(format!(
                "{found} columns for {name}, which expects {}",
                self.origin.setting.dim
            )));
        }
        let value = |name: Bound<'_, PyAny>| {
            let wrong = |value: &Bound<'_, PyAny>| match value.repr() {
                Ok(shown) => PyTypeError::new_err(format!("x has {shown} in column {name}; inputs are numbers")),
                Err(error) => error,
            };
            let number = |value: Bound<'_, PyAny>| value.extract::<f64>().map_err(|_| wrong(&value));
            let value = x.get_item(&name)?.map_or(Ok(0.0), number)?;
            let refused = || PyValueError::new_err(format!("x has {value} in column {name}"));
            self.allows(value).then_some(value).ok_or_else(refused)
        };
        columns.iter().map(value).collect()
    }

    /// Refuses weights of rows that are too many or too few, are no finite numbers >= 0, or are not taken by the learner. Where
    /// there are none, all rows weigh 1.
    pub fn check_weights(&self, py: Python<'_>, weights: &[f64], rows: usize) -> PyResult<()> {
        if !weights.is_empty() && weights.len() != rows {
            return Err(PyValueError::new_err(format!("X has {rows} rows and sample_weight has {}", weights.len())));
        }
        let refused = |row: usize, why: &str| {
            Err(PyValueError::new_err(format!("sample_weight has {} in row {row}: {why}", weights[row])))
        };
        if let Some(row) = weights.iter().position(|weight| !(0.0..f64::INFINITY).contains(weight)) {
            return refused(row, "weights are finite numbers of at least 0");
        }
        // A learner takes all weights, or whole ones, or none but 1. What it has taken once it takes again.
        for (whole, taken) in [true, false].into_iter().zip(&self.taken) {
            let of_kind = |(_, weight): &(usize, &f64)| **weight != 1.0 && (weight.fract() == 0.0) == whole;
            let least = weights.iter().enumerate().filter(of_kind).min_by(|one, other| one.1.total_cmp(other.1));
            let Some((row, weight)) = least.filter(|_| !taken.load(Ordering::Relaxed)) else { continue };
            let tried = |weight| pool::run(py, || self.tried(weight));
            if let Some(Err(breakdown)) = tried(*weight)
                && matches!(tried(1.0), Some(Ok(())))
            {
                return refused(row, &breakdown.cause);
            }
            taken.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// What such a learner makes of a first row of zeros with this weight; None if it cannot be built.
    fn tried(&self, weight: f64) -> Option<Result<(), CoreBreakdown>> {
        let Origin { options, table, inputs, setting, .. } = &self.origin;
        let (_, learner) = Origin::build(options.clone(), table.clone(), inputs.clone(), setting.horizon).ok()?;
        let (AnyLearner::Full(mut learner), row) = (learner, vec![0.0; setting.dim]) else { return None };
        if learner.foresees() {
            learner.foresee(Rows::single(&row), &setting.draws).ok()?;
        }
        let target = [if self.wants_labels { 1.0 } else { 0.0 }];
        let block = Block { first_round: 1, inputs: Rows::single(&row), targets: &target };
        Some(learner.play_weighted(block, &[weight], &setting.draws, &mut [f64::NAN]))
    }

    /// Refuses targets that are too many, too few, or of a kind that it does not take.
    pub fn check_targets(&self, targets: &[f64], rows: usize) -> PyResult<()> {
        if targets.len() != rows {
            return Err(PyValueError::new_err(format!("X has {rows} rows and y has {}", targets.len())));
        }
        let allowed = |target: f64| if self.wants_labels { target.abs() == 1.0 } else { target.is_finite() };
        match targets.iter().position(|target| !allowed(*target)) {
            Some(at) => Err(PyValueError::new_err(format!(
                "y has {} in row {at}; {} takes {}",
                targets[at],
                self.origin.name,
                if self.wants_labels { "labels -1 and 1 only" } else { "finite targets only" }
            ))),
            None => Ok(()),
        }
    }
}
