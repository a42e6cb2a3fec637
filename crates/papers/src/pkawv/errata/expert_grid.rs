//! Section 3.1, end: mixing a grid of lambda by exponential weights.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-expert-grid",
    place: "Section 3.1 (grid of lambda)",
    quote: "using the fact that the squared loss is exp-concave on",
    class: Class::Notation,
    reason: "the printed order O(B^2 log(grid)) holds; only the interval is another one than that of the targets",
    printed: "the squared loss is exp-concave on [0, B]",
    corrected: "on [-B, B], where targets and predictions lie everywhere in the paper; there eta = 1 / (8 B^2), and \
                mixing costs 8 B^2 log(grid)",
    method: "The largest eta for which exp(-eta (p - y)^2) is concave in p at every y in [-B, B], by bisection of \
             second differences on a grid, B = 1; the printed value is the same on [0, B]",
    decide,
};

/// The largest eta with exp(-eta (p - y)^2) concave in p, for p and y in [low, 1].
fn largest(low: f64) -> f64 {
    let step = 1e-3;
    let concave = |eta: f64| {
        let f = |p: f64, y: f64| (-eta * (p - y).powi(2)).exp();
        let inner = |k: i32| low + step + (1.0 - low - 2.0 * step) * f64::from(k) / 200.0;
        let y = |k: i32| low + (1.0 - low) * f64::from(k) / 200.0;
        (0..=200).all(|i| {
            (0..=200).all(|j| {
                let (p, y) = (inner(i), y(j));
                // At the edge the second derivative is 0: differences of the size of rounding do not count as
                // curvature.
                f(p - step, y) - 2.0 * f(p, y) + f(p + step, y) <= 1e-15
            })
        })
    };
    let (mut below, mut above) = (1e-3, 10.0);
    for _ in 0..40 {
        let middle = 0.5 * (below + above);
        if concave(middle) { below = middle } else { above = middle }
    }
    below
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    vec![ErratumNumber::exact("largest eta on [-B, B]", Relation::Equal, largest(0.0), 0.125, largest(-1.0), 1e-2)]
}
