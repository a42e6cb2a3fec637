//! Theorems 6, 7, 10: whether B_w bounds the norm or its square.

use crate::draw::Draws;
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};

pub static ERRATUM: Erratum = Erratum {
    id: "noisy-theorem-10",
    paper: Paper::Noisy,
    place: "Theorems 6, 7, 10 (radius)",
    quote: "Here the expectation is with respect to both",
    class: Class::Notation,
    reason: "B_w bounds the norm here and its square in Algorithm 4 and in Theorem 6; each result holds in one reading",
    printed: "minimum over |w| <= B_w; Theorem 10: eta = B_w / sqrt(B_g B_Psi), regret <= B_w sqrt(B_g B_Psi T)",
    corrected: "minimum over |w|^2 <= B_w; eta = sqrt(B_w / (B_g B_Psi)), regret <= sqrt(B_w B_g B_Psi T)",
    method: "eta and the bound of Theorem 6, which follow from Theorem 10, compared with both forms of Theorem 10; \
             exponential loss, p = 2, B_w = 0.49, Q = 3.3, T = 100",
    module: module_path!(),
    decide,
};

fn decide(_: &Draws) -> Vec<Quantity> {
    let (p, b, q, rounds) = (2.0f64, 0.49f64, 3.3f64, 100.0f64);
    // Lemma 12 and Lemma 4, with l'_+ = exp.
    let features = p / (p - 1.0) * q;
    let gradient = p / (p - 1.0) * (p * b * features).sqrt().exp().powi(2);
    // Theorem 6.
    let u = b * (p / (p - 1.0)).powi(2) * q;
    let plus = ((p - 1.0) * u).sqrt().exp();
    let (step, bound) = (b / (u.sqrt() * plus), plus * (u * rounds).sqrt());
    let product = gradient * features;
    let equal = Relation::Equal;
    vec![
        Quantity::exact("eta of Theorem 6", equal, b / product.sqrt(), (b / product).sqrt(), step, 1e-12),
        Quantity::exact(
            "regret bound of Theorem 6",
            equal,
            b * (product * rounds).sqrt(),
            (b * product * rounds).sqrt(),
            bound,
            1e-12,
        ),
    ]
}
