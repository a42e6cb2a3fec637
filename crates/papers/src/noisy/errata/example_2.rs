//! Example 2: the sign in the exponential loss.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-example-2",
    place: "Example 2 (exponential loss)",
    quote: "For the exponential loss function",
    class: Class::Notation,
    reason: "Section II has the sign right",
    printed: "l = exp(+y <w, Psi(x)>)",
    corrected: "l = exp(-y <w, Psi(x)>), as in Section II",
    method: "The error rate of gradient descent on both losses after 200 steps on 200 labels y = sign(x); a loss for \
             classification brings it below 1/2",
    decide,
};

/// The error rate of f(x) = w x after gradient descent on exp(sign y w x).
fn error_rate(draws: &Draws, sign: f64) -> f64 {
    let mut draw = draws.at(Role::Example, 1);
    let inputs: Vec<f64> = (0..200).map(|_| draw.between(-1.0, 1.0)).collect();
    let mut w = 0.0;
    for x in &inputs {
        let y = x.signum();
        w -= 0.05 * sign * y * x * (sign * y * w * x).exp();
    }
    inputs.iter().filter(|x| w * **x * x.signum() <= 0.0).count() as f64 / inputs.len() as f64
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("error rate on the printed loss", at_most, 0.5, None, error_rate(draws, 1.0), 1e-12),
        ErratumNumber::exact("error rate on the corrected loss", at_most, None, 0.5, error_rate(draws, -1.0), 1e-12),
    ]
}
