//! Lemma 5.1: a factor that is not a constant.

use crate::draw::Draws;
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};
use crate::errata::robust::least_squares::Circle;

pub static ERRATUM: Erratum = Erratum {
    id: "robust-lemma-5-1",
    paper: Paper::Robust,
    place: "Lemma 5.1, used by Theorem 2",
    quote: "we need the following bound for",
    class: Class::ProofGap,
    reason: "the proof gives a factor that is no constant; the error itself does not grow",
    printed: "C_2 does not depend on T",
    corrected: "the proof gives the factor 2 eta^2 T (kappa W'(0))^2, which grows like T^(1 - 2 theta) for theta < \
                1/2, that is for 2 r + beta < 2 (the statement itself still holds here)",
    method: "For s = 2, n = 3, so that r = 0.625, beta = 0.25, theta = (2 r + beta - 1) / (2 r + beta): the exponent \
             of eta^2 T between T = 256 and 4096, and the exact expected error of online least squares in the RKHS \
             norm at both, with 300 frequencies",
    module: module_path!(),
    decide,
};

/// (the sum of eta^2 over the rounds, E |f_(T+1) - f_rho|_K^2).
fn run(rounds: u32, theta: f64) -> (f64, f64) {
    let eta = 0.5 * f64::from(rounds).powf(-theta);
    let mut circle = Circle::new(2, 3, 300);
    let mut squares = 0.0;
    for _ in 0..rounds {
        circle.step(eta);
        squares += eta * eta;
    }
    (squares, circle.square_in_rkhs())
}

fn decide(_: &Draws) -> Vec<Quantity> {
    let (r, beta) = (0.625f64, 0.25f64);
    let theta = (2.0 * r + beta - 1.0) / (2.0 * r + beta);
    let ((few, early), (many, late)) = (run(256, theta), run(4096, theta));
    let exponent = (many / few).log2() / 4.0;
    vec![
        Quantity::exact("exponent of the factor in T", Relation::Equal, 0.0, 1.0 - 2.0 * theta, exponent, 1e-9),
        Quantity::exact("error at T = 4096 over error at T = 256", Relation::AtMost, 1.0, 1.0, late / early, 1e-9),
    ]
}
