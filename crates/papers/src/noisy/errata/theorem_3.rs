//! The proof of Theorem 3: the second moment of the surrogate gradient.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::errata::quadrature::normal_mean;
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-3",
    place: "Proof of Theorem 3 (second moment, before (16))",
    quote: "as in the theorem's statement, we finally get",
    class: Class::ProofGap,
    reason: "a line of the proof is false; the theorem's regret bound was not exceeded in the one setting tried here; \
             Theorem 5 is not tried",
    printed: "E |g|^2 <= 4 R^2 (W^2 R^2 + B_y^2): the cross term is dropped",
    corrected: "E |g|^2 <= 4 R^2 (W R + B_y)^2",
    method: "E |g|^2 by quadrature, for the surrogate hypothesis -Psi(z) / R of norm W = 1 at the clean input z, y = \
             1, s^2 = 2, sigma^2 = 0.01, one dimension; and the regret of Algorithm 3 with the printed step and W = \
             1, whose bound the theorem prints, for T = 64 rounds at one clean input, y = 1, against the best f there",
    decide,
};

const S2: f64 = 2.0;
const VARIANCE: f64 = 0.01;
const ROUNDS: usize = 64;

/// The regret of one run of Algorithm 3 at the clean input 0 with y = W = 1 and R^2 = `r2`. k(0, .) has the norm R in
/// the space of the surrogate kernel, so the best value that the theorem allows at 0 is 1 / R.
fn regret(eta: f64, r2: f64, surrogate: impl Fn(f64) -> f64, mut noise: impl FnMut() -> f64) -> f64 {
    let (mut inputs, mut alpha): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let sum = |inputs: &[f64], alpha: &[f64], value: &dyn Fn(f64) -> f64| -> f64 {
        inputs.iter().zip(alpha).map(|(x, a)| a * value(*x)).sum()
    };
    let (mut squared_norm, mut regret) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        let prediction = sum(&inputs, &alpha, &|x| (-x * x / S2).exp());
        regret += (prediction - 1.0).powi(2) - (r2.sqrt().recip() - 1.0).powi(2);
        let (copy, other) = (noise(), noise());
        let step = -2.0 * eta * (sum(&inputs, &alpha, &|x| surrogate(x - other)) - 1.0);
        squared_norm += 2.0 * step * sum(&inputs, &alpha, &|x| surrogate(x - copy)) + step * step * r2;
        inputs.push(copy);
        alpha.push(step);
        if squared_norm > 1.0 {
            alpha.iter_mut().for_each(|a| *a /= squared_norm.sqrt());
            squared_norm = 1.0;
        }
    }
    regret
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let r2 = (S2 / (S2 - 2.0 * VARIANCE)).sqrt();
    let surrogate = |difference: f64| r2 * (-difference * difference / (S2 - 2.0 * VARIANCE)).exp();
    // The hypothesis -Psi(z) / R has norm 1; k(x, x) = R^2 for every x.
    let alpha = -1.0 / r2.sqrt();
    let moment = 4.0 * r2 * normal_mean(VARIANCE, |noise| (alpha * surrogate(noise) - 1.0).powi(2));
    let printed = 4.0 * r2 * (r2 + 1.0);
    let corrected = 4.0 * r2 * (r2.sqrt() + 1.0).powi(2);
    let bound = (printed * ROUNDS as f64).sqrt();
    let mut draw = draws.at(Role::Example, 1);
    let mut noise = || VARIANCE.sqrt() * draw.normal();
    let run = Mean::of(500, || regret(1.0 / bound, r2, surrogate, &mut noise));
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("E |g|^2", at_most, printed, corrected, moment, 1e-12),
        ErratumNumber::sampled("regret of Algorithm 3, T = 64", at_most, bound, bound, &run),
    ]
}
