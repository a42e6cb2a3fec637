//! Proposition 4.5: the first rounds of its induction.

use std::f64::consts::{E, PI};

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::least_squares::CircleProblem;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-proposition-4-5",
    place: "Proposition 4.5 (proof)",
    quote: "The following uniform bound for",
    class: Class::ProofGap,
    reason: "the inequality fails in the first rounds; what the induction needs holds from T = 3 on, and for T = 2 \
             the bound was not exceeded",
    printed: "2 (eta a)^2 + (eta a / e) (1 + .. + 1/(t-1)) <= 2 eta (a + 1/(2e))^2 log(t) <= 1/2 under (28), for every \
              t",
    corrected: "false at t = 2; the left side is at most 1/2 from T = 3 on",
    method: "The largest left side over a = 2^k / (2 e), |k| <= 10 in steps of 0.01, at t = T with the largest eta \
             that (28) allows; and the exact expected risk in both rounds of T = 2, of online least squares on the \
             circle, s = 1, n = 3, 200 frequencies, with a = 1 / (2 e) and the largest eta, which (29) bounds",
    decide,
};

fn largest(horizon: u32) -> f64 {
    let harmonic: f64 = (1..horizon).map(|i| 1.0 / f64::from(i)).sum();
    let left = |a: f64| {
        let step = a / ((1.0 / E + 2.0 * a).powi(2) * f64::from(horizon).ln());
        2.0 * step * step + step / E * harmonic
    };
    (-1000..=1000).map(|k| left(2f64.powf(0.01 * f64::from(k)) / (2.0 * E))).fold(0.0, f64::max)
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let at_most = Relation::AtMost;
    // a = 1 / (2 e), where the left side is largest, by scaling the kernel; eta = e^2 / (4 ln 2) for the scaled kernel
    // is eta / (2 e kappa^2) for the kernel itself.
    let kappa2 = 1.0 + PI.powi(2) / 3.0;
    let mut circle = CircleProblem::new(1, 3, 200);
    let bound = 2.0 * (circle.risk() - circle.square()) + 4.0 * circle.square();
    let risks = [0, 1].map(|_| {
        circle.step(E / (8.0 * kappa2 * 2f64.ln()));
        circle.risk()
    });
    let risk = risks.into_iter().fold(0.0, f64::max);
    vec![
        ErratumNumber::exact("largest left side, T = 2", at_most, 0.5, None, largest(2), 1e-12),
        ErratumNumber::exact("largest left side, T = 3", at_most, 0.5, 0.5, largest(3), 1e-12),
        ErratumNumber::exact("largest left side, T = 4", at_most, 0.5, 0.5, largest(4), 1e-12),
        ErratumNumber::exact("largest risk, T = 2", at_most, bound, bound, risk, 1e-9),
    ]
}
