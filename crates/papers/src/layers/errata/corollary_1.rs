//! Corollary 1: the number of examples.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-corollary-1",
    place: "Corollary 1",
    quote: "Then the expected loss satisfies",
    class: Class::Wrong,
    reason: "the corollary states the order, and more examples are needed",
    printed: "T = O(B / eps^2); the sum in the average runs to infinity",
    corrected: "T = O(B^2 / eps^2), as the related-work section says; the sum runs to T",
    method: "The least T with expected excess loss of the average at most eps = 0.02, for B = 1, 2, 4, of gradient \
             descent with exact values and eta = B / sqrt(T) on T orthogonal inputs of norm 1, equally likely, y = 1, \
             against the best function of norm B, by sums over the rounds; and the exponent of T in B",
    decide,
};

/// The expected loss of the average of f_1, .., f_T less that of the best function. At an input that came k times
/// before round t, 1 - f_t is (1 - eta)^k, and k is binomial: with p and q the means of (1 - eta)^k and of its square
/// after one round, E (1 - f_s) (1 - f_t) = q^(s-1) p^(t-s) for s <= t. The best function is B / sqrt(T) everywhere.
fn excess(rounds: u64, b: f64) -> f64 {
    let n = rounds as f64;
    let eta = b / n.sqrt();
    let (p, q) = (1.0 - eta / n, 1.0 - (2.0 - eta) * eta / n);
    // The square of round t, and its products with all earlier rounds.
    let (mut square, mut earlier, mut sum) = (1.0, 0.0, 0.0);
    for _ in 0..rounds {
        sum += square + 2.0 * earlier;
        earlier = (earlier + square) * p;
        square *= q;
    }
    0.5 * sum / (n * n) - 0.5 * (1.0 - eta).powi(2)
}

/// The least T with an excess of at most eps.
fn rounds(b: f64, eps: f64) -> f64 {
    let (mut low, mut high) = (b.powi(2) as u64, 100_000u64);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if excess(middle, b) <= eps { high = middle } else { low = middle }
    }
    high as f64
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let [one, two, four] = [1.0, 2.0, 4.0].map(|b| rounds(b, 0.02));
    // The order is that of small eps; at this one the exponents are within 0.01 of it.
    let row = |what: &str, ratio: f64| ErratumNumber::exact(what, Relation::Equal, 1.0, 2.0, ratio.log2(), 5e-3);
    vec![row("exponent from B = 1 to 2", two / one), row("exponent from B = 2 to 4", four / two)]
}
