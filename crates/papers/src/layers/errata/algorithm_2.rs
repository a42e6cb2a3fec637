//! Algorithm 2: the factor of the estimate.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::layers::errata::sign_features::{InputVector, feature, kernel, normal};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-algorithm-2",
    place: "Algorithm 2, Lemma 3 (proof)",
    quote: "the result follows directly from Hoeffding's inequality",
    class: Class::Notation,
    reason: "(11) has the factor, and the proof applies the inequality to terms that have it",
    printed: "E = (1/m) sum over k of E^(k) has mean <f, Phi(x)>",
    corrected: "E = (|alpha|_1 / m) sum over k of E^(k)",
    method: "The means of both estimates for six points, with sign features in four dimensions",
    decide,
};

const SAMPLES: u64 = 300_000;
const ALPHA: [f64; 6] = [0.5, -0.3, 0.8, 0.2, -0.6, 0.4];

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut start = draws.at(Role::Example, 1);
    let points: [InputVector; 6] = std::array::from_fn(|_| normal(&mut start));
    let x = normal(&mut start);
    let exact: f64 = ALPHA.iter().zip(&points).map(|(alpha, point)| alpha * kernel(point, &x)).sum();
    let length: f64 = ALPHA.iter().map(|alpha| alpha.abs()).sum();
    let mut draw = draws.at(Role::Predict, 1);
    let mut estimate = || {
        let mut left = draw.uniform() * length;
        let chosen = ALPHA.iter().position(|alpha| {
            left -= alpha.abs();
            left < 0.0
        });
        let chosen = chosen.unwrap_or(ALPHA.len() - 1);
        let w = normal(&mut draw);
        ALPHA[chosen].signum() * feature(&points[chosen], &w) * feature(&x, &w)
    };
    let (mut printed, mut corrected) = (Mean::default(), Mean::default());
    for _ in 0..SAMPLES {
        let one = estimate();
        printed.add(one);
        corrected.add(length * one);
    }
    let equal = Relation::Equal;
    vec![
        ErratumNumber::sampled("mean of the printed estimate", equal, exact, exact / length, &printed),
        ErratumNumber::sampled("mean of the corrected estimate", equal, None, exact, &corrected),
    ]
}
