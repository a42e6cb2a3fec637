//! (6) and (7): two meanings of c.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::quadrature::between;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-equation-6",
    place: "(6) against (7)",
    quote: "is chosen not too small, then",
    class: Class::Notation,
    reason: "each formula holds with its own c",
    printed: "the mixture is cut at c in (6), and at c / d in (7)",
    corrected: "two names: the cut u_max, and c = d u_max",
    method: "The mixture of (6) for the measure d exp(-u d), cut at c and at c / d, by quadrature, compared with the \
             closed form (7); d = 3, c = 1.5, |x - x'|^2 = 0.61",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (d, c, square) = (3.0f64, 1.5f64, 0.61f64);
    let g = 1.0 / (1.0 + square / d);
    let cut = |end: f64| between(0.0, end, |u| d * (-u * d - u * square).exp());
    let closed = g * (1.0 - (-c / g).exp());
    vec![ErratumNumber::exact("k(x, x') of (7)", Relation::Equal, cut(c), cut(c / d), closed, 1e-12)]
}
