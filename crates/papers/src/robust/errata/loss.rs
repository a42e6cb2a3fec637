//! (1) against (5): the scale of the loss.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::windows::{WindowValues, cauchy, fair, welsch};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-loss",
    place: "(1) and the list of losses, against (5)",
    quote: "In this paper, we consider utilizing the loss function",
    class: Class::Wrong,
    reason: "(5) equates the gradient of the printed loss with another function",
    printed: "L_sigma(u) = W(u^2 / sigma^2) has the derivative W'(u^2 / sigma^2) u that (5) follows",
    corrected: "L_sigma(u) = (sigma^2 / 2) W(u^2 / sigma^2)",
    method: "W'(u^2 / sigma^2) u compared with central differences of both losses at u = 0.7, sigma = 1.6",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (u, sigma, step) = (0.7f64, 1.6f64, 1e-5);
    let windows: [(&str, WindowValues); 3] = [("Fair", fair), ("Cauchy", cauchy), ("Welsch", welsch)];
    let rows = windows.iter().map(|(name, window)| {
        let scaled = |u: f64| window(u * u / (sigma * sigma));
        let derivative = (scaled(u + step).0 - scaled(u - step).0) / (2.0 * step);
        let what = format!("W'(u^2 / sigma^2) u, {name}");
        let corrected = 0.5 * sigma * sigma * derivative;
        ErratumNumber::exact(&what, Relation::Equal, derivative, corrected, scaled(u).1 * u, 1e-8)
    });
    rows.collect()
}
