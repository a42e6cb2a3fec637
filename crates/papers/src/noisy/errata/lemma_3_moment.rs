//! Lemma 3: the second moment of the one-copy gradient.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::quadrature::normal_mean;
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-3-moment",
    place: "Lemma 3 (proof of G)",
    quote: "using the well-known inequality",
    class: Class::ProofGap,
    reason: "the third line of the proof drops a cross term, which can be positive; no case was found that exceeds G",
    printed: "E |g|^2 <= 8 E |(<w, x1> - y1) x1|^2 - 4 w' Sigma E [<w, x1> x1] + |Sigma w|^2, g with Sigma w as \
              printed",
    corrected: "with 4 y w' Sigma x added on the right",
    method: "E |g|^2 by quadrature in one dimension for w = 1, x = 2, y = 3 and noise N(0, 1), with both right sides \
             in closed form; and the largest E |g|^2 / G over 20000 random cases, with Sigma w as printed and with 2 \
             Sigma w as corrected, from closed moments",
    decide,
};

const SEARCHED: u64 = 20_000;

/// E |g|^2 / G for g = 2 (w x1 - y1) x1 - factor v w, x1 = x + N(0, v), y1 = y + noise of variance u.
fn ratio([w, x, y, v, u]: [f64; 5], factor: f64) -> f64 {
    // E x1^n.
    let moments = [1.0, x, x * x + v, x.powi(3) + 3.0 * x * v, x.powi(4) + 6.0 * x * x * v + 3.0 * v * v];
    let square = w * w * moments[4] - 2.0 * w * y * moments[3] + (y * y + u) * moments[2];
    let along = w * moments[2] - y * moments[1];
    let found = 4.0 * square - 4.0 * factor * v * w * along + (factor * v * w).powi(2);
    // B_x^4 = E x1^4 also bounds E x1^2, by B_x^2.
    let (b2, target) = (moments[4].sqrt(), y * y + u);
    let g = 8.0 * w * w * b2 * b2 + 8.0 * target * b2 + 4.0 * w * w * b2 * v + (v * w).powi(2);
    found / g
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let (w, x, y, v) = (1.0, 2.0, 3.0, 1.0);
    let moment = normal_mean(v, |n| (2.0 * (w * (x + n) - y) * (x + n) - v * w).powi(2));
    // E (x1 - 3)^2 x1^2 = E (n^2 + n - 2)^2 = 4 and E x1^2 = 5.
    let printed = 8.0 * 4.0 - 4.0 * w * w * v * 5.0 + (v * w).powi(2);
    let corrected = printed + 4.0 * y * w * v * x;
    let mut draw = draws.at(Role::Example, 1);
    let mut worst = [0.0f64; 2];
    for _ in 0..SEARCHED {
        let [w, x, y] = std::array::from_fn(|_| draw.between(-2.0, 2.0));
        let [v, u] = std::array::from_fn(|_| draw.between(0.0, 2.0).powi(2));
        for (worst, factor) in worst.iter_mut().zip([1.0, 2.0]) {
            *worst = worst.max(ratio([w, x, y, v, u], factor));
        }
    }
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("E |g|^2 at one point", at_most, printed, corrected, moment, 1e-9),
        ErratumNumber::exact("largest E |g|^2 / G, printed g", at_most, 1.0, 1.0, worst[0], 1e-12),
        ErratumNumber::exact("largest E |g|^2 / G, corrected g", at_most, 1.0, 1.0, worst[1], 1e-12),
    ]
}
