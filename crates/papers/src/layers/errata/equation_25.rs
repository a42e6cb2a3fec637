//! (25): the loss of the function 0.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-equation-25",
    place: "(25)",
    quote: "To bound the second term we note that",
    class: Class::Sharpened,
    reason: "the printed bound is valid; it forgets the factor 1/2 of the loss",
    printed: "sum of l_t(0) <= T",
    corrected: "<= T / 2, since |y_t| <= 1",
    method: "The largest loss (f(x) - y)^2 / 2 of f = 0, over 2001 values of y from -1 to 1",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let loss = |value: f64, y: f64| 0.5 * (value - y).powi(2);
    let largest = (-1000..=1000).map(|k| loss(0.0, f64::from(k) / 1000.0)).fold(0.0, f64::max);
    vec![ErratumNumber::exact("largest loss of a round", Relation::AtMost, 1.0, 0.5, largest, 1e-12)]
}
