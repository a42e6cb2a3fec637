//! (8) against (28): the logarithm in the step.

use std::f64::consts::{E, PI};

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::least_squares::CircleProblem;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-equation-8",
    place: "(8), Theorems 1 and 2",
    quote: "Choose the step size",
    class: Class::ProofGap,
    reason: "(8) does not imply (28), on which the proof rests; the bound of Proposition 4.5 was not exceeded",
    printed: "eta = T^(-theta) / eta_0 with eta_0 >= (1/e + 2 a)^2, a = kappa^2 W'(0), satisfies (28) for every theta",
    corrected: "eta_0 >= (1/e + 2 a)^2 max(1, 1 / (e theta))",
    method: "The largest eta (1/e + 2 a)^2 log(T) over T, which (28) requires to be at most 1; and the largest q = 2 \
             (eta a)^2 + (eta a / e) (1 + 1/2 + .. + 1/(T-1)) over T and a, which the induction of Proposition 4.5 \
             requires to be at most 1/2; and the exact expected risk of online least squares on the circle, s = 1, n = \
             3, theta = 0.05, 200 frequencies, with the printed eta_0, which Proposition 4.5 bounds",
    decide,
};

/// T from 2 to exp(200), geometrically.
fn horizons() -> impl Iterator<Item = f64> {
    (0..4000).map(|k| (2f64.ln() + 0.05 * f64::from(k)).exp())
}

/// 1 + 1/2 + .. + 1/(T-1), to 1e-9 by the expansion at infinity for T > 50.
fn harmonic(horizon: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let n = horizon.floor() - 1.0;
    if n < 50.0 {
        return (1..=n as u32).map(|i| 1.0 / f64::from(i)).sum();
    }
    n.ln() + EULER + 0.5 / n - 1.0 / (12.0 * n * n)
}

/// The largest q for steps that are smaller than (8) requires by this `factor`.
fn largest(theta: f64, factor: f64) -> f64 {
    // The two terms are largest at a = 1 / (2 e), where a / (1/e + 2 a)^2 = e / 8.
    let relative = E / 8.0 / factor;
    horizons()
        .map(|horizon| {
            let step = relative * horizon.floor().powf(-theta);
            2.0 * step * step + step / E * harmonic(horizon)
        })
        .fold(0.0, f64::max)
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let mut rows = Vec::new();
    for theta in [0.1f64, 0.05] {
        let logarithm = horizons().map(|horizon| horizon.powf(-theta) * horizon.ln()).fold(0.0, f64::max);
        let repair = (1.0 / (E * theta)).max(1.0);
        let what = format!("largest eta (1/e + 2 a)^2 log(T), theta = {theta}");
        rows.push(ErratumNumber::exact(&what, Relation::AtMost, 1.0, repair, logarithm, 1e-9));
        let what = format!("largest q with the printed eta_0, theta = {theta}");
        rows.push(ErratumNumber::exact(&what, Relation::AtMost, 0.5, 0.5 * repair, largest(theta, 1.0), 1e-9));
        let what = format!("largest q with the corrected eta_0, theta = {theta}");
        rows.push(ErratumNumber::exact(&what, Relation::AtMost, None, 0.5, largest(theta, repair), 1e-9));
    }
    let kappa = 1.0 + PI.powi(2) / 3.0;
    let (rounds, mut circle) = (4096u32, CircleProblem::new(1, 3, 200));
    let eta = f64::from(rounds).powf(-0.05) / (1.0 / E + 2.0 * kappa).powi(2);
    // The risk of f = 0 is that of f_rho plus |f_rho|^2; there is no term in sigma for least squares.
    let bound = 2.0 * (circle.risk() - circle.square()) + 4.0 * circle.square();
    let risk = (0..rounds).map(|_| {
        circle.step(eta);
        circle.risk()
    });
    let largest = risk.fold(0.0, f64::max);
    rows.push(ErratumNumber::exact("largest risk, theta = 0.05", Relation::AtMost, bound, bound, largest, 1e-9));
    rows
}
