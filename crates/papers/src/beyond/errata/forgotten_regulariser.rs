//! Discounting that forgets the regulariser too: along what no input excites any more, nothing is left.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-forgotten-regulariser",
    place: "discounted ridge regression",
    quote: "",
    class: Class::Pitfall,
    reason: "with W = 0 the recursion is shortest, and the analysis of the discounted forecaster allows it",
    printed: "A <- gamma A is all that a discount needs, so that lambda I is forgotten with the data",
    corrected: "every W rounds, (1 - gamma^W) lambda I is put back: the weight of |w|^2 stays above gamma^W lambda",
    method: "The recursion of A for gamma = 0.9, lambda = 1 over 3,000 rounds of one and the same input in the plane: its \
             smallest entry along the direction that no input has, with W = 0 and with W = 9",
    decide,
};

const GAMMA: f64 = 0.9;
const ROUNDS: u32 = 3000;

/// The smallest curvature along (0, 1), where all inputs are (1, 0); the matrix is diagonal.
fn curvature(refresh: u32) -> f64 {
    let (mut entry, mut smallest) = (1.0, f64::INFINITY);
    for t in 0..ROUNDS {
        entry *= GAMMA;
        smallest = entry.min(smallest);
        if refresh > 0 && (t + 1).is_multiple_of(refresh) {
            entry += 1.0 - GAMMA.powi(refresh as i32);
        }
    }
    smallest
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (at_least, kept) = (Relation::AtLeast, (9.0 * GAMMA.ln()).exp());
    vec![
        ErratumNumber::exact("smallest curvature over lambda, W = 0", at_least, kept, None, curvature(0), 1e-9),
        ErratumNumber::exact("smallest curvature over lambda, W = 9", at_least, kept, kept, curvature(9), 1e-9),
    ]
}
