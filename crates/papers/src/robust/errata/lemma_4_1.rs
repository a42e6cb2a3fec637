//! Lemma 4.1: the extremum in its proof, and the sharpness of its bound.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-lemma-4-1",
    place: "Lemma 4.1 (proof)",
    quote: "the last inequality holds since function",
    class: Class::Notation,
    reason: "the lemma uses the maximum, and its bound is right",
    printed: "x^alpha exp(-eta W'(0) x s) is minimized at x = alpha / (W'(0) eta s)",
    corrected: "it is maximized there; the bound of the lemma is right, and sharp as s / alpha grows",
    method: "The smallest ratio of the function to its value at that x, over 2000 points from a tenth to ten times \
             that x, alpha = 1/2; and the ratio of the exact supremum of x^alpha (1 - eta W'(0) x)^s to the bound, at \
             s = 2000, alpha = 1/2",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (alpha, s) = (0.5f64, 2000.0f64);
    // With eta W'(0) = 1 the extremum is at alpha / s.
    let at = alpha / s;
    let relative = |factor: f64| factor.powf(alpha) * (-(factor - 1.0) * alpha).exp();
    let smallest = (0..2000).map(|k| relative(10f64.powf(-1.0 + 2.0 * f64::from(k) / 1999.0))).fold(1.0, f64::min);
    // The supremum of x^alpha (1 - x)^s is at alpha / (alpha + s).
    let x = alpha / (alpha + s);
    let supremum = alpha * x.ln() + s * (-x).ln_1p();
    let bound = alpha * (at.ln() - 1.0);
    vec![
        ErratumNumber::exact("smallest ratio to the value at that x", Relation::AtLeast, 1.0, None, smallest, 1e-12),
        ErratumNumber::exact("supremum over bound", Relation::AtMost, 1.0, 1.0, (supremum - bound).exp(), 1e-12),
        ErratumNumber::exact(
            "supremum over bound, from below",
            Relation::AtLeast,
            0.999,
            0.999,
            (supremum - bound).exp(),
            1e-12,
        ),
    ]
}
