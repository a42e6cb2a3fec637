//! Theorem 10, condition 1: independence of the past.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::mean::Mean;
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-10-condition",
    place: "Theorem 10, condition 1",
    quote: "as random variables induced by the randomness of Algorithm 4",
    class: Class::Notation,
    reason: "the proof takes expectations given the past; no algorithm that learns meets the printed condition",
    printed: "g_t is independent of Psi(x_i) and g_i for i < t",
    corrected: "given the past, g_t and Psi(x_t) are independent of each other",
    method: "The covariance of g_2 and the first copy, for the linear kernel in one dimension, the squared loss, x = y \
             = 1, noise of variance 1/4, eta = 0.2: w_2 = 2 eta y x1, g_2 = 2 (w_2 x2 - y), so that it is 4 eta x y / \
             4; and the covariance of g_2 and the other copy of round 2, less the conditional mean of g_2",
    decide,
};

const SAMPLES: u64 = 400_000;
const ETA: f64 = 0.2;
const DEVIATION: f64 = 0.5;

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Learn, 1);
    let (x, y) = (1.0, 1.0);
    let (mut past, mut given) = (Mean::default(), Mean::default());
    for _ in 0..SAMPLES {
        let [first, copy, other] = std::array::from_fn(|_| x + DEVIATION * draw.normal());
        // w_1 = 0, hence g_1 = -2 y.
        let w = -ETA * (-2.0 * y) * first;
        let length = 2.0 * (w * copy - y);
        past.add(length * (first - x));
        given.add((length - 2.0 * (w * x - y)) * (other - x));
    }
    let covariance = 4.0 * ETA * x * y * DEVIATION * DEVIATION;
    let equal = Relation::Equal;
    vec![
        ErratumNumber::sampled("covariance of g_2 and the first copy", equal, 0.0, covariance, &past),
        ErratumNumber::sampled("covariance of g_2 and Psi(x_2), given the past", equal, None, 0.0, &given),
    ]
}
