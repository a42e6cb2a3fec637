//! Lemma 5.1: a factor that is not a constant.

use std::f64::consts::{E, PI};

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::least_squares::CircleProblem;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-lemma-5-1",
    place: "Lemma 5.1, used by Theorem 2",
    quote: "we need the following bound for",
    class: Class::ProofGap,
    reason: "the proof gives a factor that is no constant; C_2 itself is not exceeded here",
    printed: "C_2 does not depend on T",
    corrected: "the proof gives the factor 2 eta^2 T (kappa W'(0))^2, which grows like T^(1 - 2 theta) for theta < \
                1/2, that is for 2 r + beta < 2 (the statement itself still holds here)",
    method: "For online least squares on the circle, s = 2, n = 3, so that r = 0.625, beta = 0.25, theta = (2 r + beta \
             - 1) / (2 r + beta), kappa^2 = 1 / (2 e), T = 4096 and the smallest eta_0 of (8): the last line of the \
             proof that holds the risks of all rounds, with their exact expectations; and twice the largest E |f_t - \
             f_rho|_K^2 plus twice |f_rho|_K^2, which is at least E |f_t|_K^2; 300 frequencies",
    decide,
};

const ROUNDS: u32 = 4096;

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (r, beta) = (0.625f64, 0.25f64);
    let theta = (2.0 * r + beta - 1.0) / (2.0 * r + beta);
    // The kernel is scaled so that kappa^2 W'(0) = 1 / (2 e), where (8) allows eta_0 = (2 / e)^2.
    let kappa2 = 1.0 / (2.0 * E);
    let scale = kappa2 / (1.0 + PI.powi(4) / 45.0);
    let eta = f64::from(ROUNDS).powf(-theta) / (2.0 / E).powi(2);
    let mut circle = CircleProblem::new(2, 3, 300);
    let (norm, square, noise) = (circle.square_in_rkhs() / scale, circle.square(), circle.risk() - circle.square());
    let (mut risks, mut largest) = (0.0, norm);
    for _ in 0..ROUNDS {
        risks += circle.risk();
        circle.step(eta * scale);
        largest = f64::max(largest, circle.square_in_rkhs() / scale);
    }
    // C_2 of least squares, where C_1 and the terms in sigma are 0; its second term with the factor of the proof.
    let constant = |factor: f64| 6.0 * norm + 8.0 * kappa2 * factor * (noise + 2.0 * square);
    let line = 2.0 * (2.0 * norm + 2.0 * eta * eta * kappa2 * risks) + 2.0 * norm;
    let (stated, proved) = (constant(1.0), constant(eta * eta * f64::from(ROUNDS)));
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("bound on E |f_(T+1)|_K^2 from the risks", at_most, stated, proved, line, 1e-9),
        ErratumNumber::exact("bound on the largest E |f_t|_K^2", at_most, stated, stated, 2.0 * (largest + norm), 1e-9),
    ]
}
