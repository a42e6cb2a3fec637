//! Algorithm 4: the projection.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-algorithm-4",
    place: "Algorithm 4 (projection)",
    quote: "If squared norm is larger than",
    class: Class::Notation,
    reason: "Algorithm 3 has the factor right, and the comment says projection",
    printed: "if n > B_w, multiply all coefficients by sqrt(B_w) / n (n: the squared norm)",
    corrected: "multiply by sqrt(B_w / n)",
    method: "The squared norm that two coefficients with Gram matrix [[2, 1], [1, 3]] have after each of the two \
             factors; a projection to the ball must leave B_w",
    decide,
};

fn squared_norm(a: [f64; 2]) -> f64 {
    2.0 * a[0] * a[0] + 2.0 * a[0] * a[1] + 3.0 * a[1] * a[1]
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let equal = Relation::Equal;
    let rows = [([1.0, 1.2], 4.0), ([0.2, 0.15], 0.04)].map(|(coefficients, bound): ([f64; 2], f64)| {
        let n = squared_norm(coefficients);
        let scaled = |factor: f64| squared_norm(coefficients.map(|a| a * factor));
        let what = |form: &str| format!("squared norm after the {form} factor, B_w = {bound}, n = {n:.4}");
        [
            ErratumNumber::exact(&what("printed"), equal, bound, bound / n, scaled(bound.sqrt() / n), 1e-12),
            ErratumNumber::exact(&what("corrected"), equal, None, bound, scaled((bound / n).sqrt()), 1e-12),
        ]
    });
    rows.into_iter().flatten().collect()
}
