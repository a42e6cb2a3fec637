//! The Fair window: the power in condition (3).

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::windows;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-fair",
    place: "List of losses (Fair)",
    quote: "Fair loss [16]",
    class: Class::Text,
    reason: "our text lost small fractions in this list, and the paper probably prints 1/2",
    printed: "p = 1, c_p = 1 in |W'(s) - W'(0)| <= c_p s^p",
    corrected: "p = 1/2, c_p = 1/2",
    method: "|W'(s) - W'(0)| in closed form, sqrt(s) / (2 (1 + sqrt(s)))",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    [1e-6f64, 1e-2, 1.0]
        .iter()
        .map(|&s| {
            let found = windows::fair(0.0).1 - windows::fair(s).1;
            ErratumNumber::exact(&format!("|W'({s}) - W'(0)|"), Relation::AtMost, s, 0.5 * s.sqrt(), found, 1e-12)
        })
        .collect()
}
