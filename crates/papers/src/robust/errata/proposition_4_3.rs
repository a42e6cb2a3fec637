//! Proposition 4.3, (26): the power of eta T.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::robust::errata::windows::{WindowValues, fair, geman_mcclure, welsch};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "robust-proposition-4-3",
    place: "Proposition 4.3, (26)",
    quote: "Hence, the uniform bound",
    class: Class::Wrong,
    reason: "the proposition states the bound, and it is exceeded",
    printed: "|E_t|_K <= c_p kappa (M + kappa M sqrt(C_W))^(2p+1) (eta T)^(p+1/2) / sigma^(2p)",
    corrected: "max(1, eta T)^(p+1/2) in place of (eta T)^(p+1/2)",
    method: "|E_1|_K in closed form, for T = 1, kappa = M = y = 1, eta = 0.1, sigma = 5, f_1 = 0",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (eta, sigma, y) = (0.1f64, 5.0f64, 1.0f64);
    // Name, window, p, c_p. C_W = W'(0), because every W' here decreases.
    let windows: [(&str, WindowValues, f64, f64); 3] =
        [("Geman-McClure", geman_mcclure, 1.0, 2.0), ("Welsch", welsch, 1.0, 0.25), ("Fair", fair, 0.5, 0.5)];
    let rows = windows.iter().map(|&(name, window, p, c)| {
        let start = window(0.0).1;
        let found = (start - window(y * y / (sigma * sigma)).1).abs() * y;
        let bound =
            |growth: f64| c * (1.0 + start.sqrt()).powf(2.0 * p + 1.0) * growth.powf(p + 0.5) / sigma.powf(2.0 * p);
        let what = format!("|E_1|_K, {name}");
        ErratumNumber::exact(&what, Relation::AtMost, bound(eta), bound(eta.max(1.0)), found, 1e-12)
    });
    rows.collect()
}
