//! The theorems of each paper applied to runs: constants of bounds and conditions, from a [`Case`].

use crate::case::Case;
use crate::pkawv::applied as pkawv;
use crate::robust::applied as robust;
use noregret_core::learner::ridge::nystrom::PkawvNystromParams;
use noregret_core::params::typed::Parameters;

/// What [`reference()`] calls the exact expectation of the quantity itself.
pub const EXPECTATION: &str = "exact expectation";

/// A number that theory gives for a quantity of a run besides the theorem's own, and what it is: the exact expectation
/// of an error of least squares on the circle, or log det(I + K / mu), of which the size of a dictionary is a multiple
/// up to the cut of probabilities at 1.
pub fn reference(case: &Case<'_>, quantity: &str) -> Option<(&'static str, f64)> {
    match case.learner {
        "robust-ogd" => Some((EXPECTATION, *robust::exact_errors(case).ok()?.get(quantity)?)),
        "pkawv-nystrom" if quantity == "stored_points" => {
            Some(("log det(I + K / mu)", pkawv::log_det(case, PkawvNystromParams::read(case.params).mu).ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
