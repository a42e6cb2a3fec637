//! (8): the size of eta_0 in practice.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::least_squares::CircleProblem;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-eta-0",
    place: "(8), Theorem 2 (eta_0 in practice)",
    quote: "Choose step size",
    class: Class::Practice,
    reason: "the condition is sufficient, as printed; followed literally it makes the step far too small here",
    printed: "eta_0 >= (1/e + 2 kappa^2 W'(0))^2",
    corrected: "on this problem at T = 4096 the best power of 2 is far smaller",
    method: "The eta_0 among powers of 2 with the smallest exact expected error of online least squares on the circle, \
             s = 1, n = 3, T = 4096, theta = 5/7, 200 frequencies; and the ratio of that error to the error at the \
             printed eta_0 = 80.06",
    decide,
};

fn error(eta_0: f64) -> f64 {
    let rounds = 4096u32;
    // r = (2 n - 1) / (4 s) = 5/4, theta = 2 r / (2 r + 1).
    let eta = f64::from(rounds).powf(-5.0 / 7.0) / eta_0;
    let mut circle = CircleProblem::new(1, 3, 200);
    (0..rounds).for_each(|_| circle.step(eta));
    circle.square()
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    // kappa^2 = 1 + 2 zeta(2) = 1 + pi^2 / 3.
    let kappa = 1.0 + std::f64::consts::PI.powi(2) / 3.0;
    let allowed = ((-1f64).exp() + 2.0 * kappa).powi(2);
    let best = (-2..=7).map(|k| 2f64.powi(k)).map(|eta_0| (eta_0, error(eta_0)));
    let (best, least) = best.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((f64::NAN, f64::NAN));
    vec![
        ErratumNumber::exact("best eta_0", Relation::AtLeast, allowed, None, best, 1e-12),
        ErratumNumber::exact(
            "least error over error at the printed eta_0",
            Relation::AtLeast,
            1.0,
            None,
            least / error(allowed),
            1e-9,
        ),
    ]
}
