//! (10), (14): a factor 2 in the regret bound.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-equation-10",
    place: "(10), (14)",
    quote: "enjoys the following regret bound for every",
    class: Class::Sharpened,
    reason: "the printed bound is valid; a factor of 2 is lost on the way",
    printed: "regret <= B^2 / eta + eta sum |gradient|^2",
    corrected: "2 regret <= B^2 / eta + eta sum |gradient|^2, as the proof gives",
    method: "The largest ratio of the regret to the right side, for gradient descent on T = 500 orthogonal inputs of \
             norm 1 with y = 1, compared with its own final function; eta = 0.000001",
    decide,
};

const ROUNDS: usize = 500;

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let eta = 1e-6;
    // Coordinate t of f changes only in round t.
    let mut f = [0.0; ROUNDS];
    let (mut loss, mut gradients) = (0.0, 0.0);
    for coordinate in &mut f {
        let residual = *coordinate - 1.0;
        loss += 0.5 * residual * residual;
        gradients += residual * residual;
        *coordinate -= eta * residual;
    }
    let best: f64 = f.iter().map(|value| 0.5 * (value - 1.0f64).powi(2)).sum();
    let square: f64 = f.iter().map(|value| value * value).sum();
    let ratio = (loss - best) / (square / eta + eta * gradients);
    // The ratio is (1 - eta / 2) / 2.
    vec![ErratumNumber::exact("smallest valid constant on the right", Relation::AtMost, 1.0, 0.5, ratio, 1e-9)]
}
