//! Weights of rows: how much a row counts in what a learner minimises.

use crate::learner::breakdown::Breakdown;

/// The most often that a learner is shown one row for its weight.
const MOST_OFTEN: f64 = 1e6;

/// How often a row of this weight is learnt.
///
/// # Errors
/// If that is no whole number.
pub(crate) fn whole(weight: f64) -> Result<u64, Breakdown> {
    if weight.fract() == 0.0 && (0.0..=MOST_OFTEN).contains(&weight) {
        return Ok(weight as u64);
    }
    Err(Breakdown::new(format!(
        "the weight {weight} is not one of 0, 1, 2, ..., {MOST_OFTEN}; this learner learns a row as often as its weight says. Ridge \
         regressions and Azoury-Warmuth-Vovk forecasters take fractions"
    )))
}

/// A factor in a sum of losses.
///
/// # Errors
/// If it is no finite number >= 0.
pub(crate) fn factor(weight: f64) -> Result<f64, Breakdown> {
    if weight >= 0.0 && weight.is_finite() {
        return Ok(weight);
    }
    Err(Breakdown::new(format!("the weight {weight} is no finite number of at least 0")))
}
