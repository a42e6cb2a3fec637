//! Section 5: the function that the coefficients stand for.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::layers::errata::sign_features::{InputVector, feature, normal};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-section-5",
    place: "Section 5, after (9) and before (11)",
    quote: "as we have in Algorithm 1 (but with different",
    class: Class::Notation,
    reason: "Algorithm 1 has the input of the coefficient's own round; its sum to t instead of t - 1 adds a \
             coefficient that is still 0",
    printed: "f_t = sum over i <= t of alpha_i Phi(x_t)",
    corrected: "f_t = sum over i < t of alpha_i Phi(x_i)",
    method: "Six rounds of gradient descent on a function of 64 random sign features, as a vector; its value at \
             another point, compared with both sums",
    decide,
};

const FEATURES: usize = 64;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let weights: Vec<InputVector> = (0..FEATURES).map(|_| normal(&mut draw)).collect();
    let phi = |x: &InputVector| -> Vec<f64> { weights.iter().map(|w| feature(x, w)).collect() };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / FEATURES as f64;
    let inputs: Vec<InputVector> = (0..6).map(|_| normal(&mut draw)).collect();
    let elsewhere = phi(&normal(&mut draw));
    let (mut f, mut alpha) = (vec![0.0; FEATURES], Vec::new());
    for x in &inputs {
        let phi = phi(x);
        let residual = dot(&f, &phi) - draw.sign();
        f.iter_mut().zip(&phi).for_each(|(f, phi)| *f -= 0.3 * residual * phi);
        alpha.push(-0.3 * residual);
    }
    let at = |x: &InputVector| dot(&phi(x), &elsewhere);
    let printed = alpha.iter().sum::<f64>() * inputs.last().map_or(f64::NAN, at);
    let corrected: f64 = alpha.iter().zip(&inputs).map(|(alpha, x)| alpha * at(x)).sum();
    let what = "value of f after six rounds";
    vec![ErratumNumber::exact(what, Relation::Equal, printed, corrected, dot(&f, &elsewhere), 1e-12)]
}
