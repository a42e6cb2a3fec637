//! Theorem 5: the step.

use crate::draw::Draws;
use crate::errata::api::{Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "noisy-theorem-5",
    paper: Paper::Noisy,
    place: "Theorem 5 (step)",
    printed: "eta = W / (2 exp(sigma c) sqrt(W^2 exp(2 sigma c) + B_y^2)) T; run with the kernel (7)",
    corrected: "eta = W / (2 exp(sigma^2 c) (W exp(sigma^2 c) + B_y) sqrt(T)); trained with (8), predicting with (7)",
    method: "The step that minimises W^2 / (2 eta) + eta T V / 2, V = 4 exp(2 sigma^2 c) (W exp(sigma^2 c) + B_y)^2, by \
             golden section in log eta: W = 2, sigma = 0.5, c = 1, B_y = 1, T = 100",
    module: module_path!(),
    decide,
};

fn decide(_: &Draws) -> Vec<Quantity> {
    let (w, sigma, c, target, rounds) = (2.0f64, 0.5f64, 1.0f64, 1.0f64, 100.0f64);
    let growth = (sigma * sigma * c).exp();
    let moment = 4.0 * growth * growth * (w * growth + target).powi(2);
    let bound = |log: f64| w * w / (2.0 * log.exp()) + log.exp() * rounds * moment / 2.0;
    let (mut low, mut high) = (-20.0f64, 10.0f64);
    let shrink = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..120 {
        let (left, right) = (high - shrink * (high - low), low + shrink * (high - low));
        if bound(left) > bound(right) { low = left } else { high = right }
    }
    let stated = (sigma * c).exp();
    let printed = w / (2.0 * stated * ((w * stated).powi(2) + target * target).sqrt()) * rounds;
    let corrected = w / (2.0 * growth * (w * growth + target) * rounds.sqrt());
    // Golden section finds a flat minimum only to the square root of the rounding error.
    vec![Quantity::exact("eta", Relation::Equal, printed, corrected, (0.5 * (low + high)).exp(), 1e-6)]
}
