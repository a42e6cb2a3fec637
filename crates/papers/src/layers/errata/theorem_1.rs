//! Theorem 1: what the sum runs over.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-theorem-1",
    place: "Theorem 1 (1.)",
    quote: "observed by the algorithm we have for",
    class: Class::Notation,
    reason: "(6) has the regret right",
    printed: "E [sum of l_t(f_t) - min over f of l_t(f)] = O(B sqrt(T)), with one loss under the minimum",
    corrected: "the minimum of the sum of the losses",
    method: "Both differences over B sqrt(T), for gradient descent on T = 4096 orthogonal inputs of norm 1 with y = 1, \
             B = 1, eta = B / sqrt(T), against the constant of C.2, 5 / (1 - 2 eta)",
    decide,
};

const ROUNDS: usize = 4096;

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let root = (ROUNDS as f64).sqrt();
    let eta = 1.0 / root;
    let constant = 5.0 / (1.0 - 2.0 * eta);
    // Coordinate t of f changes only in round t, after its loss.
    let mut f = vec![0.0; ROUNDS];
    let (mut total, mut best) = (0.0, 0.0);
    for coordinate in &mut f {
        total += 0.5 * (*coordinate - 1.0f64).powi(2);
        *coordinate -= eta * (*coordinate - 1.0);
        // The best function of norm 1 has the same value at every input.
        best += 0.5 * (1.0 / root - 1.0).powi(2);
    }
    // The last loss alone is least for Phi(x_T), whose value at x_T is |Phi(x_T)|^2 = 1.
    let norm = 1.0f64;
    let single = 0.5 * (norm - 1.0).powi(2);
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact(
            "total less one loss, over B sqrt(T)",
            at_most,
            constant,
            None,
            (total - single) / root,
            1e-9,
        ),
        ErratumNumber::exact(
            "total less the sum, over B sqrt(T)",
            at_most,
            None,
            constant,
            (total - best) / root,
            1e-9,
        ),
    ]
}
