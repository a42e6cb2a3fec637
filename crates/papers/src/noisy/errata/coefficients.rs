//! Before Theorem 3: the signs of the coefficients.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-coefficients",
    place: "Before Theorem 3 (the class of predictors)",
    quote: "we need an auxiliary definition",
    class: Class::Notation,
    reason: "the next sentences name the part with negative coefficients",
    printed: "w = sum of a_t Psi(x_t) with a_t >= 0, which includes the best predictor in a ball",
    corrected: "a_t of either sign",
    method: "The smaller coefficient of the best predictor for the two points 0 and 1 with targets 1 and -1, kernel \
             exp(-|x - x'|^2), in a ball that contains the interpolant: 2000 steps of gradient descent, compared with \
             -1 / (1 - exp(-1))",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let k = (-1f64).exp();
    let mut a = [0.0f64; 2];
    for _ in 0..2000 {
        let residuals = [a[0] + k * a[1] - 1.0, k * a[0] + a[1] + 1.0];
        a.iter_mut().zip(residuals).for_each(|(a, residual)| *a -= 0.25 * residual);
    }
    let what = "smaller coefficient of the best predictor";
    vec![ErratumNumber::exact(what, Relation::AtLeast, 0.0, -1.0 / (1.0 - k), a[0].min(a[1]), 1e-9)]
}
