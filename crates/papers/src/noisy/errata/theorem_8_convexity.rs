//! Theorem 8: what is assumed of the loss and of the class.

use std::f64::consts::PI;

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::search::minimum;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-8-convexity",
    place: "Theorem 8 (assumptions)",
    quote: "it is differentiable at 0 with",
    class: Class::Wrong,
    reason: "for the class {0} the regret is 0 against every adversary; besides, the proof uses that the loss is \
             convex and the class large, which the theorem does not assume",
    printed: "for every loss that is bounded below with l'(0) < 0, and every compact convex class, no w minimises both \
              l(3w) + l(-w) and l(w)",
    corrected: "for every convex loss of this kind, and classes [-r, r] with r greater than the w at which l(3w) + l(-w) \
                is least on the whole line (1/5 for the squared loss); smaller ones have the common minimiser r",
    method: "The number of common minimisers among w = -4, -3.99, .., 4: for l(a) = (1 + cos(pi a)) (2 - tanh(a)), \
             which is bounded below with l'(0) = -2 and least at every odd a; for the squared, exponential and \
             logistic losses; and for the squared loss where the class is {0}. And the largest r with a common \
             minimiser, by bisection of golden sections, against 1/5 and log(3) / 4, where 3 l'(3w) = l'(-w)",
    decide,
};

/// The number of points of {-reach / 100, .., reach / 100} at which both functions are least there, to rounding.
fn common(loss: fn(f64) -> f64, reach: i32) -> f64 {
    let worlds = |w: f64| [loss(3.0 * w) + loss(-w), loss(w)];
    let grid = || (-reach..=reach).map(|k| f64::from(k) / 100.0);
    let least = [0, 1].map(|world| grid().map(|w| worlds(w)[world]).fold(f64::INFINITY, f64::min));
    let both = |w: &f64| worlds(*w).iter().zip(least).all(|(value, least)| value - least < 1e-12);
    grid().filter(both).count() as f64
}

/// The largest r at which both functions are least at the same place of [-r, r]. Minima are found to 1e-7.
fn largest_class(loss: fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..40 {
        let r = 0.5 * (low + high);
        let [first, second] = [minimum(-r, r, |w| loss(3.0 * w) + loss(-w)), minimum(-r, r, loss)];
        if (first - second).abs() < 1e-6 { low = r } else { high = r }
    }
    low
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let row = |name: &str, corrected: Option<f64>, loss, reach| {
        let what = format!("common minimisers, {name}");
        ErratumNumber::exact(&what, Relation::Equal, 0.0, corrected, common(loss, reach), 1e-12)
    };
    let squared = |a: f64| (1.0 - a).powi(2);
    let class = |name: &str, known: f64, loss| {
        let what = format!("largest r of a class [-r, r] with a common minimiser, {name} loss");
        ErratumNumber::exact(&what, Relation::Equal, 0.0, known, largest_class(loss), 1e-4)
    };
    vec![
        class("squared", 0.2, squared),
        class("exponential", 3f64.ln() / 4.0, |a| (-a).exp()),
        row("loss not convex", None, |a| (1.0 + (PI * a).cos()) * (2.0 - a.tanh()), 400),
        row("class {0}", None, squared, 0),
        row("squared loss", Some(0.0), squared, 400),
        row("exponential loss", Some(0.0), |a| (-a).exp(), 400),
        row("logistic loss", Some(0.0), |a| (-a).exp().ln_1p(), 400),
    ]
}
