//! Lemma 2: the step that a round is compared with.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::layers::errata::sign_features::{InputVector, kernel, normal};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-lemma-2-index",
    place: "Lemma 2 (definition of f^)",
    quote: "be the unbiased estimator of",
    class: Class::Notation,
    reason: "Lemma 1 has the index right",
    printed: "f^_t = f_t - eta gradient_t",
    corrected: "f^_(t+1) = f_t - eta gradient_t, so that f^_t is what f_t would be without shrinking",
    method: "The share of 200 rounds of gradient descent with exact values, which never shrinks, in which f_t is \
             further from a fixed function of norm 1 than the printed f^_t; the lemma bounds its probability by 2 \
             exp(-m / (3 eta t)^2), which is 0 for exact values; sign features, eta = 1 / sqrt(200)",
    decide,
};

const ROUNDS: usize = 200;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let centre = normal(&mut draw);
    let eta = 1.0 / (ROUNDS as f64).sqrt();
    let (mut inputs, mut alpha): (Vec<InputVector>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut closer = 0;
    for _ in 0..ROUNDS {
        let x = normal(&mut draw);
        let best = kernel(&centre, &x);
        let y = if draw.uniform() < 0.5 * (1.0 + best) { 1.0 } else { -1.0 };
        let value: f64 = alpha.iter().zip(&inputs).map(|(alpha, past)| alpha * kernel(past, &x)).sum();
        let step = -eta * (value - y);
        // |f + step Phi(x) - f*|^2 - |f - f*|^2, where |Phi(x)| = 1.
        closer += usize::from(2.0 * step * (value - best) + step * step < 0.0);
        inputs.push(x);
        alpha.push(step);
    }
    let share = closer as f64 / ROUNDS as f64;
    vec![ErratumNumber::exact("share of rounds with f_t further away", Relation::AtMost, 0.0, None, share, 1e-9)]
}
