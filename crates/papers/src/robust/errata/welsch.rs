//! The Welsch window: the constant in condition (3).

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-welsch",
    place: "List of losses (Welsch)",
    quote: "Welsch loss [27]",
    class: Class::Text,
    reason: "our text lost small fractions in this list, and the paper probably prints another constant; the one that \
             we read is valid",
    printed: "c_p = 1 for p = 1",
    corrected: "c_p = 1/4",
    method: "The largest |W'(s) - W'(0)| / s over 2000 values of s from 0.000001 to 1000000",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let largest = (0..2000)
        .map(|k| 10f64.powf(-6.0 + 12.0 * f64::from(k) / 1999.0))
        .map(|s| -0.5 * (-0.5 * s).exp_m1() / s)
        .fold(0.0, f64::max);
    vec![ErratumNumber::exact("smallest valid c_p", Relation::AtMost, 1.0, 0.25, largest, 1e-6)]
}
