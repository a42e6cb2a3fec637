//! Theorem 8: the distribution of the proof.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-8",
    place: "Theorem 8 (proof)",
    quote: "to be the uniform distribution on",
    class: Class::Notation,
    reason: "the sketch of the proof in Section VI has the distribution right",
    printed: "D uniform on {x, -x}; at a common minimiser a/3 in dl(3w), b in dl(-w), a/3 = b",
    corrected: "D uniform on {3x, -x}; a in dl(3w), b in dl(-w), 3a = b",
    method: "The mean of D, with x = 1: the slope of (l(3w) + l(-w)) / 2, the loss in (26), for l(a) = a; and b/a at \
             the minimiser of l(3w) + l(-w) for the squared loss, by bisection of its central difference quotient",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let loss = |a: f64| (a - 1.0).powi(2);
    let slope = |f: &dyn Fn(f64) -> f64, at: f64| (f(at + 1e-4) - f(at - 1e-4)) / 2e-4;
    let world = |w: f64| loss(3.0 * w) + loss(-w);
    let (mut low, mut high) = (-5.0, 5.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(&world, middle) < 0.0 { low = middle } else { high = middle }
    }
    let ratio = slope(&loss, -low) / slope(&loss, 3.0 * low);
    let linear = slope(&|w| (3.0 * w - w) / 2.0, 0.3);
    let mean = |support: [f64; 2]| (support[0] + support[1]) / 2.0;
    let equal = Relation::Equal;
    vec![
        ErratumNumber::exact("mean of D", equal, mean([1.0, -1.0]), mean([3.0, -1.0]), linear, 1e-9),
        ErratumNumber::exact("dl(-w) / dl(3w)", equal, 1.0, 3.0, ratio, 1e-6),
    ]
}
