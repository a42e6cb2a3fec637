//! (9), Algorithm 1: the sign of the gradient, and of the step.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::layers::errata::sign_features::{InputVector, kernel, normal};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-algorithm-1",
    place: "(9), Algorithm 1",
    quote: "Algorithm 1: The",
    class: Class::Notation,
    reason: "the step has the sign of (9); (12) and Lemma 2 have the right one",
    printed: "gradient of the loss = (y - <f, Phi(x)>) Phi(x), and so alpha_t = eta (E_t - y_t)",
    corrected: "(<f, Phi(x)> - y) Phi(x), as (12) and Lemma 2 have it, and so alpha_t = -eta (E_t - y_t)",
    method: "The derivative of (<f + h Phi(z), Phi(x)> - y)^2 / 2 in h at 0, by a central difference, which is exact \
             for a quadratic; the coefficient of a gradient step at the first round, where E_t = 0, in the same way; \
             and the regret of both forms against a fixed function of norm 1, with the exact kernel of sign features \
             in place of the estimate, T = 512, B = 1, eta = B / sqrt(T), which the theorem bounds by (B^2 / eta + 4 \
             eta T) / (1 - 2 eta)",
    decide,
};

const ROUNDS: usize = 512;
const CENTRES: usize = 8;

/// The regret against `target`, whose values at the inputs are given, with alpha_t = sign eta (E_t - y_t).
fn regret(inputs: &[InputVector], targets: &[f64], best: &[f64], eta: f64, sign: f64) -> f64 {
    let mut alpha: Vec<f64> = Vec::with_capacity(inputs.len());
    let mut regret = 0.0;
    for (t, x) in inputs.iter().enumerate() {
        let value: f64 = alpha.iter().zip(inputs).map(|(alpha, past)| alpha * kernel(past, x)).sum();
        regret += 0.5 * (value - targets[t]).powi(2) - 0.5 * (best[t] - targets[t]).powi(2);
        if value.abs() < 16.0 {
            alpha.push(sign * eta * (value - targets[t]));
        } else {
            alpha.iter_mut().for_each(|alpha| *alpha *= 0.25);
            alpha.push(0.0);
        }
    }
    regret
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let centres: Vec<InputVector> = (0..CENTRES).map(|_| normal(&mut draw)).collect();
    let weights: Vec<f64> = (0..CENTRES).map(|_| draw.normal()).collect();
    let value = |x: &InputVector| centres.iter().zip(&weights).map(|(z, c)| c * kernel(z, x)).sum::<f64>();
    let norm = centres.iter().zip(&weights).map(|(z, c)| c * value(z)).sum::<f64>().sqrt();
    let inputs: Vec<InputVector> = (0..ROUNDS).map(|_| normal(&mut draw)).collect();
    let best: Vec<f64> = inputs.iter().map(|x| value(x) / norm).collect();
    // P(y = 1) = (1 + f(x)) / 2, so that f is the regression function.
    let targets: Vec<f64> = best.iter().map(|f| if draw.uniform() < 0.5 * (1.0 + f) { 1.0 } else { -1.0 }).collect();
    let eta = 1.0 / (ROUNDS as f64).sqrt();
    let bound = (1.0 / eta + 4.0 * eta * ROUNDS as f64) / (1.0 - 2.0 * eta);
    let [printed, corrected] = [1.0, -1.0].map(|sign| regret(&inputs, &targets, &best, eta, sign));
    // The loss of f = alpha Phi(x), |Phi(x)| = 1, as a function of alpha at 0.
    let y = targets[0];
    let loss = |alpha: f64| 0.5 * (alpha * kernel(&inputs[0], &inputs[0]) - y).powi(2);
    let step = -eta * (loss(1e-3) - loss(-1e-3)) / 2e-3;
    let (x, z) = (&inputs[1], &inputs[2]);
    let (f, along) = (0.7 * kernel(&centres[0], x), kernel(z, x));
    let loss = |h: f64| 0.5 * (f + h * along - 0.5).powi(2);
    let derivative = (loss(0.25) - loss(-0.25)) / 0.5;
    let (at_most, equal) = (Relation::AtMost, Relation::Equal);
    let what = "derivative in the direction Phi(z)";
    vec![
        ErratumNumber::exact(what, equal, (0.5 - f) * along, (f - 0.5) * along, derivative, 1e-12),
        ErratumNumber::exact("alpha_1 of a gradient step", equal, -eta * y, eta * y, step, 1e-9),
        ErratumNumber::exact("regret of the printed form", at_most, bound, None, printed, 1e-9),
        ErratumNumber::exact("regret of the corrected form", at_most, None, bound, corrected, 1e-9),
    ]
}
