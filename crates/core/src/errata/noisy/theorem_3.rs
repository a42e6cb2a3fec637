//! Theorem 3: the second moment of the surrogate gradient.

use crate::draw::Draws;
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};
use crate::errata::quadrature::normal_mean;

pub static ERRATUM: Erratum = Erratum {
    id: "noisy-theorem-3",
    paper: Paper::Noisy,
    place: "Theorems 3 and 5 (step and bound)",
    quote: "as in the theorem's statement, we finally get",
    class: Class::Wrong,
    reason: "the inequality is printed and false; whether the regret can exceed the bound that rests on it is not \
             decided here",
    printed: "E |g|^2 <= 4 R^2 (W^2 R^2 + B_y^2): the cross term is dropped",
    corrected: "E |g|^2 <= 4 R^2 (W R + B_y)^2",
    method: "E |g|^2 by quadrature, for the surrogate hypothesis -Psi(z) / R of norm W = 1 at the clean input z, y = \
             1, s^2 = 2, sigma^2 = 0.01, one dimension",
    module: module_path!(),
    decide,
};

const S2: f64 = 2.0;
const VARIANCE: f64 = 0.01;

fn decide(_: &Draws) -> Vec<Quantity> {
    let r2 = (S2 / (S2 - 2.0 * VARIANCE)).sqrt();
    let surrogate = |difference: f64| r2 * (-difference * difference / (S2 - 2.0 * VARIANCE)).exp();
    // The hypothesis -Psi(z) / R has norm 1; k(x, x) = R^2 for every x.
    let alpha = -1.0 / r2.sqrt();
    let moment = 4.0 * r2 * normal_mean(VARIANCE, |noise| (alpha * surrogate(noise) - 1.0).powi(2));
    let printed = 4.0 * r2 * (r2 + 1.0);
    let corrected = 4.0 * r2 * (r2.sqrt() + 1.0).powi(2);
    vec![Quantity::exact("E |g|^2", Relation::AtMost, printed, corrected, moment, 1e-12)]
}
