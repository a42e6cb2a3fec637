//! What a prediction knew, for rows that are learnt later than they were predicted.

use crate::view::{PAST, PastTargets};

/// The number of past errors, those of the second look.
const ERRORS: usize = 3;

/// Past targets, past errors of the bank, and the forecasts of the members, when a row was predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct PredictionContext<'a> {
    pub past: PastTargets,
    pub errors: [f64; ERRORS],
    pub forecasts: &'a [f64],
}

impl<'a> PredictionContext<'a> {
    /// That of so many members in numbers; none where these are of something else.
    pub(super) fn of(numbers: &'a [f64], members: usize) -> Option<Self> {
        let (past, rest) = numbers.split_first_chunk::<PAST>()?;
        let (errors, forecasts) = rest.split_first_chunk::<ERRORS>()?;
        (forecasts.len() == members).then_some(Self { past: PastTargets(*past), errors: *errors, forecasts })
    }

    /// As numbers.
    pub(super) fn numbers(past: PastTargets, errors: [f64; ERRORS], forecasts: &[f64]) -> Vec<f64> {
        [&past.0[..], &errors, forecasts].concat()
    }
}
