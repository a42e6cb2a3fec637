//! (11): the sum over draws.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::layers::errata::sign_features::{InputVector, feature, kernel, normal};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-equation-11",
    place: "(11)",
    quote: "The resulting unbiased estimate of",
    class: Class::Notation,
    reason: "Algorithm 2 draws an index and a feature for each term",
    printed: "E_t = (|alpha|_1 / m) sum over i = 1..m of sgn(alpha_i) psi(x_i; w) psi(x_t; w), the same w in every \
              term",
    corrected: "the sum over draws k = 1..m, each with an index i_k and a w_k of its own",
    method: "The mean of the printed sum over m = 6 coefficients, with sign features in four dimensions; the corrected \
             value is |alpha|_1 / m times the sum of sgn(alpha_i) K(x_i, x_t)",
    decide,
};

const SAMPLES: u64 = 200_000;
const ALPHA: [f64; 6] = [0.7, -0.2, 0.9, 0.1, -0.5, 0.3];

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut start = draws.at(Role::Example, 1);
    let points: [InputVector; 6] = std::array::from_fn(|_| normal(&mut start));
    let x = normal(&mut start);
    let terms = |weight: fn(f64) -> f64| -> f64 {
        ALPHA.iter().zip(&points).map(|(alpha, point)| weight(*alpha) * kernel(point, &x)).sum()
    };
    let share = ALPHA.iter().map(|alpha| alpha.abs()).sum::<f64>() / ALPHA.len() as f64;
    let mut draw = draws.at(Role::Predict, 1);
    let mean = Mean::of(SAMPLES, || {
        let w = normal(&mut draw);
        let sum: f64 = ALPHA.iter().zip(&points).map(|(alpha, point)| alpha.signum() * feature(point, &w)).sum();
        share * sum * feature(&x, &w)
    });
    let what = "mean of the printed sum";
    vec![ErratumNumber::sampled(what, Relation::Equal, terms(|alpha| alpha), share * terms(f64::signum), &mean)]
}
