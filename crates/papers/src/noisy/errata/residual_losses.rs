//! Theorems 6 and 7 for losses of the residual.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::noisy::errata::random_degree::probability;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-residual-losses",
    place: "Theorems 6 and 7 for regression losses, Example 1",
    quote: "virtually identical results can be proven for regression losses",
    class: Class::Practice,
    reason: "read as the same bound, which Example 1 suggests, it is exceeded; the text says virtually identical and \
             prints no bound",
    printed: "E g^2 <= p/(p-1) l'_+(sqrt(p B_w B_Psi))^2, if the results are taken to be identical",
    corrected: "E g^2 <= p/(p-1) l'_+(sqrt(p) (sqrt(B_w B_Psi) + B_y))^2",
    method: "E g^2 for the squared loss at w = 0, y = 1, p = 2, summed over the degree; B_w B_Psi = 1/2",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (p, product, target) = (2.0f64, 0.5f64, 1.0f64);
    // l'(a) = 2 a: gamma_1 = 2, all others 0. At w = 0 every factor <w, Psi_j> - y is -y.
    let gamma = |n: i32| if n == 1 { 2.0 } else { 0.0 };
    let moment: f64 = (0..60).map(|n| (gamma(n) * target.powi(n)).powi(2) / probability(n, p)).sum();
    let bound = |reach: f64| p / (p - 1.0) * (2.0 * p.sqrt() * reach).powi(2);
    let (printed, corrected) = (bound(product.sqrt()), bound(product.sqrt() + target));
    // Nothing is decided: the text itself prints neither bound.
    vec![
        ErratumNumber::exact("E g^2, by the bound for classification", Relation::AtMost, printed, None, moment, 1e-12),
        ErratumNumber::exact("E g^2", Relation::AtMost, None, corrected, moment, 1e-12),
    ]
}
