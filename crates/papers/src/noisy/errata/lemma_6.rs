//! Lemma 6, (11): the normaliser of the noise.

use std::f64::consts::TAU;

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::quadrature::normal_mean;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-6",
    place: "Lemma 6, (11)",
    quote: "A purely technical integration exercise reveals",
    class: Class::ProofGap,
    reason: "the factors in the proof are misprinted; the lemma itself holds",
    printed: "factor i: R^(2/d) times the integral with (2 pi s^2)^(-1/2)",
    corrected: "factor i: (s^2 / (s^2 - 2 sigma_i^2))^(1/2) times the integral with (2 pi sigma_i^2)^(-1/2)",
    method: "The two factors and their product by quadrature, sigma_1^2 = 0.1, sigma_2^2 = 0.3, s^2 = 2; compared with \
             their values according to the lemma, exp(-(a_i - x_i)^2 / s^2) and exp(-|a - x|^2 / s^2); the factors \
             also with R^(2/d) and the corrected normaliser, which the product does not tell from the corrected form; \
             and E k^(a, x + n) for the kernel (5), which is the statement",
    decide,
};

const S2: f64 = 2.0;
const VARIANCE: [f64; 2] = [0.1, 0.3];
const DIFFERENCE: [f64; 2] = [0.5, 0.4];

/// The integral of exp(-z^2 / (2 v) - (delta - z)^2 / (s^2 - 2 v)) over z.
fn integral(v: f64, delta: f64) -> f64 {
    normal_mean(v, |z| (-(delta - z).powi(2) / (S2 - 2.0 * v)).exp()) * (TAU * v).sqrt()
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let target = (-DIFFERENCE.iter().map(|d| d * d).sum::<f64>() / S2).exp();
    // R^2 = prod_i (s^2 / (s^2 - 2 sigma_i^2))^(1/2), shared evenly as printed.
    let share = VARIANCE.iter().map(|v| S2 / (S2 - 2.0 * v)).product::<f64>().powf(0.25);
    let equal = Relation::Equal;
    let (mut rows, mut printed, mut corrected) = (Vec::new(), 1.0, 1.0);
    for (i, (&v, &d)) in VARIANCE.iter().zip(&DIFFERENCE).enumerate() {
        let first = share * integral(v, d) / (TAU * S2).sqrt();
        let second = (S2 / (S2 - 2.0 * v)).sqrt() * integral(v, d) / (TAU * v).sqrt();
        let own = (-d * d / S2).exp();
        let what = format!("factor {}", i + 1);
        rows.push(ErratumNumber::exact(&what, equal, first, second, own, 1e-12));
        let half = share * integral(v, d) / (TAU * v).sqrt();
        rows.push(ErratumNumber::exact(&format!("{what}, R^(2/d) with sigma_i"), equal, half, None, own, 1e-12));
        (printed, corrected) = (printed * first, corrected * second);
    }
    let surrogate = |v: f64, d: f64| normal_mean(v, |n| (-(d - n).powi(2) / (S2 - 2.0 * v)).exp());
    let mean = share.powi(2) * surrogate(VARIANCE[0], DIFFERENCE[0]) * surrogate(VARIANCE[1], DIFFERENCE[1]);
    rows.push(ErratumNumber::exact("product of the factors, by both forms", equal, printed, corrected, target, 1e-12));
    rows.push(ErratumNumber::exact("E k^(a, x + n)", equal, target, target, mean, 1e-12));
    rows
}
