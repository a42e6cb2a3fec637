//! Corollary 1: the number of examples.

use crate::draw::Draws;
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-corollary-1",
    paper: Paper::InfiniteLayer,
    place: "Corollary 1",
    quote: "Then the expected loss satisfies",
    class: Class::Wrong,
    reason: "the corollary states the order, and more examples are needed",
    printed: "T = O(B / eps^2); the sum in the average runs to infinity",
    corrected: "T = O(B^2 / eps^2), as the related-work section says; the sum runs to T",
    method: "The least T with regret <= eps T, eps = 0.05, for B = 1, 2, 4, of gradient descent on orthogonal inputs \
             of norm 1 with y = 1, compared with the best function of norm B; and the exponent of T in B",
    module: module_path!(),
    decide,
};

/// The regret of T rounds. No earlier round changes the coordinate of this round's input, so every prediction is 0. The
/// best function has the value B / sqrt(T) at every input.
fn regret(rounds: u64, b: f64) -> f64 {
    let best = b / (rounds as f64).sqrt();
    rounds as f64 * (0.5 - 0.5 * (best - 1.0).powi(2))
}

/// The least T with regret <= eps T.
fn rounds(b: f64, eps: f64) -> f64 {
    let (mut low, mut high) = (b.powi(2) as u64, 100_000u64);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if regret(middle, b) <= eps * middle as f64 { high = middle } else { low = middle }
    }
    high as f64
}

fn decide(_: &Draws) -> Vec<Quantity> {
    let [one, two, four] = [1.0, 2.0, 4.0].map(|b| rounds(b, 0.05));
    let row = |what: &str, ratio: f64| Quantity::exact(what, Relation::Equal, 1.0, 2.0, ratio.log2(), 2e-3);
    vec![row("exponent from B = 1 to 2", two / one), row("exponent from B = 2 to 4", four / two)]
}
