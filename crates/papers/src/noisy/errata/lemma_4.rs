//! Subroutine 1 and Lemma 4: the estimate of the gradient's length.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use crate::noisy::errata::random_degree::{degree, factorial, probability};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-4",
    place: "Subroutine 1, Lemma 4",
    quote: "the randomness of Subroutine 1",
    class: Class::Wrong,
    reason: "the algorithm uses the formula, and for y = -1 its mean is another one",
    printed: "y gamma_n / q_n times the product over j of <w, Psi_j> has mean y l'(y <w, Psi(x)>)",
    corrected: "y gamma_n / q_n times the product over j of y <w, Psi_j>",
    method: "The means of both estimates for the exponential loss, l'(a) = -exp(-a), with y = -1, <w, Psi(x)> = 0.6, \
             estimates of this product with standard deviation 0.3, and p = 2",
    decide,
};

const P: f64 = 2.0;
const Y: f64 = -1.0;
const INNER: f64 = 0.6;
const DEVIATION: f64 = 0.3;
const SAMPLES: u64 = 1_000_000;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Learn, 1);
    let derivative = |a: f64| -(-a).exp();
    let (mut printed, mut corrected) = (Mean::default(), Mean::default());
    for _ in 0..SAMPLES {
        let n = degree(&mut draw, P);
        // l'(a) = sum_n gamma_n a^n, gamma_n = (-1)^(n + 1) / n!.
        let gamma = if n % 2 == 0 { -1.0 } else { 1.0 } / factorial(n);
        let product: f64 = (0..n).map(|_| INNER + DEVIATION * draw.normal()).product();
        let length = Y * gamma / probability(n, P) * product;
        printed.add(length);
        corrected.add(length * Y.powi(n));
    }
    let wanted = Y * derivative(Y * INNER);
    vec![
        ErratumNumber::sampled(
            "mean of the printed estimate",
            Relation::Equal,
            wanted,
            Y * derivative(INNER),
            &printed,
        ),
        ErratumNumber::sampled("mean of the corrected estimate", Relation::Equal, None, wanted, &corrected),
    ]
}
