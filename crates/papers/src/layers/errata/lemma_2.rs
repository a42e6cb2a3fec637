//! Lemma 2: the constant in the exponent.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::search::minimum;
use crate::layers::errata::coins::probability;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-lemma-2",
    place: "Lemma 2 (constant)",
    quote: "Taking the above upper bounds together with Lemma 5",
    class: Class::ProofGap,
    reason: "with Lemma 3 as corrected the proof does not reach the constant for B = 1 and large t; the one \
             probability that was computed does not exceed the bound",
    printed: "P_t <= 2 exp(-m / (3 eta t)^2) for every B >= 1",
    corrected: "P_t <= 2 exp(-m / (C (eta t)^2)), C = (16 B + 1)^2 / (32 B^2); the proof gives 9 from B = 1.0303 on, \
                and for B = 1 up to t = 577",
    method: "The constant that Hoeffding's lemma gives for a deviation of 8 B of the mean of m terms within +- (16 B + \
             1) eta (t - 1), with the exponent maximised by golden section; the B and the t from which on it is at \
             most 9; and the exact probability that the mean of 1000 fair signs of this size strays by 8 B, for B = 1, \
             t = 1000, eta = 0.01, where the proof fails",
    decide,
};

/// The C of the bound 2 exp(-m / (C (eta t)^2)).
fn constant(b: f64, t: f64) -> f64 {
    // In units of eta t; the exponent per draw is the largest s * deviation - s^2 reach^2 / 2.
    let (reach, deviation) = ((16.0 * b + 1.0) * (t - 1.0) / t, 8.0 * b);
    let exponent = |s: f64| s * deviation - 0.5 * (s * reach).powi(2);
    exponent(minimum(0.0, 1.0, |s| -exponent(s))).recip()
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    const LATE: f64 = 1e12;
    let (mut low, mut high) = (1.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if constant(middle, LATE) > 9.0 { low = middle } else { high = middle }
    }
    // (16 B + 1)^2 = 288 B^2 where 16 B + 1 = sqrt(288) B.
    let root = 1.0 / (288f64.sqrt() - 16.0);
    let last = (1..10_000).map(f64::from).take_while(|&t| constant(1.0, t) <= 9.0).last().unwrap_or(f64::NAN);
    let (t, m, eta) = (1000.0f64, 1000, 0.01f64);
    let strayed = probability(m, 8.0 / (17.0 * eta * (t - 1.0)));
    let bound = 2.0 * (-f64::from(m) / (3.0 * eta * t).powi(2)).exp();
    vec![
        ErratumNumber::exact(
            "constant at B = 1, late rounds",
            Relation::AtMost,
            9.0,
            289.0 / 32.0,
            constant(1.0, LATE),
            1e-8,
        ),
        ErratumNumber::exact("B from which 9 suffices", Relation::Equal, 1.0, root, high, 1e-8),
        ErratumNumber::exact("last t for which 9 suffices, B = 1", Relation::AtLeast, None, 577.0, last, 1e-12),
        ErratumNumber::exact("P_t over the printed bound", Relation::AtMost, 1.0, 1.0, strayed / bound, 1e-9),
    ]
}
