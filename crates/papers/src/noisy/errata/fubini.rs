//! Section IV-D: the mixture under Fubini's theorem.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::quadrature::between;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-fubini",
    place: "Section IV-D, the line after (6)",
    quote: "By Fubini's theorem, we can write",
    class: Class::Notation,
    reason: "the weight is there on both sides of the line, and in (8)",
    printed: "k(x, a) = E [integral over (0, c) of k^_u du]: the weight mu(u) is lost",
    corrected: "k(x, a) = E [integral over (0, c) of k^_u mu(u) du]",
    method: "Both integrals by quadrature, for mu(u) = d exp(-u d), d = 2, |x - a|^2 = 0.61, cut at 0.75 (E k^_u = \
             k_u); compared with the closed form (7)",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (d, square, cut) = (2.0f64, 0.61f64, 0.75f64);
    let g = 1.0 / (1.0 + square / d);
    let kernel = g * (1.0 - (-cut * d / g).exp());
    let printed = between(0.0, cut, |u| (-u * square).exp());
    let corrected = between(0.0, cut, |u| (-u * square).exp() * d * (-u * d).exp());
    vec![ErratumNumber::exact("k(x, a)", Relation::Equal, printed, corrected, kernel, 1e-12)]
}
