//! The proof of Theorem 3: which copy is where.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::quadrature::normal_mean;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-3-copies",
    place: "Proof of Theorem 3 (after (15)), against Algorithm 3",
    quote: "from the algorithm's pseudocode",
    class: Class::Notation,
    reason: "Algorithm 3 and the rest of the proof keep the copies apart",
    printed: "the gradient g_t Psi^(x'_t), where g_t of Algorithm 3 is computed from x'_t itself",
    corrected: "g_t Psi^(x_t), with g_t from the other copy x'_t",
    method: "E g_t k^(a, .) at both copies, by quadrature in one dimension, for the hypothesis Psi^(z), z = 0.8, a = \
             -0.3, x = 0.2, y = 0.4, s^2 = 2, noise of variance 0.25; an unbiased gradient has the mean 2 (k(z, x) - \
             y) k(a, x)",
    decide,
};

const S2: f64 = 2.0;
const VARIANCE: f64 = 0.25;

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (z, a, x, y) = (0.8, -0.3, 0.2, 0.4);
    let kernel = |a: f64, b: f64| (-(a - b).powi(2) / S2).exp();
    let width = S2 - 2.0 * VARIANCE;
    let surrogate = |a: f64, b: f64| (S2 / width).sqrt() * (-(a - b).powi(2) / width).exp();
    let mean = |f: &dyn Fn(f64) -> f64| normal_mean(VARIANCE, |noise| f(x + noise));
    let length = |copy: f64| 2.0 * (surrogate(z, copy) - y);
    let same = mean(&|copy| length(copy) * surrogate(a, copy));
    let apart = mean(&length) * mean(&|copy| surrogate(a, copy));
    let gradient = 2.0 * (kernel(z, x) - y) * kernel(a, x);
    let equal = Relation::Equal;
    vec![
        ErratumNumber::exact("mean with one copy in both places", equal, gradient, None, same, 1e-9),
        ErratumNumber::exact("mean with two copies", equal, None, gradient, apart, 1e-9),
    ]
}
