//! Theorems 6, 7, 10: whether B_w bounds the norm or its square.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::errata::search::minimum;
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-theorem-10",
    place: "Theorems 6, 7, 10 (radius)",
    quote: "Here the expectation is with respect to both",
    class: Class::Notation,
    reason: "B_w bounds the norm here and its square in Algorithm 4 and in Theorem 6; each result holds in one reading",
    printed: "minimum over |w| <= B_w; Theorem 10: eta = B_w / sqrt(B_g B_Psi), regret <= B_w sqrt(B_g B_Psi T)",
    corrected: "minimum over |w|^2 <= B_w; eta = sqrt(B_w / (B_g B_Psi)), regret <= sqrt(B_w B_g B_Psi T)",
    method: "The step that minimises the bound of the proof, (R^2 / eta + eta B_g B_Psi) sqrt(T) / 2, in the ball \
             |w|^2 <= R^2 = B_w to which Algorithm 4 projects, by golden section in log eta; and the bound of Theorem \
             6, which follows from Theorem 10; exponential loss, p = 2, B_w = 0.49, Q = 3.3, T = 100",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (p, b, q, rounds) = (2.0f64, 0.49f64, 3.3f64, 100.0f64);
    // Lemma 12 and Lemma 4, with l'_+ = exp.
    let features = p / (p - 1.0) * q;
    let gradient = p / (p - 1.0) * (p * b * features).sqrt().exp().powi(2);
    // Theorem 6.
    let u = b * (p / (p - 1.0)).powi(2) * q;
    let plus = ((p - 1.0) * u).sqrt().exp();
    let bound = plus * (u * rounds).sqrt();
    let product = gradient * features;
    let proof = |log: f64| b / log.exp() + log.exp() * product;
    let step = minimum(-20.0, 5.0, proof).exp();
    let [eta, regret] = [b / product.sqrt(), b * (product * rounds).sqrt()];
    let equal = Relation::Equal;
    vec![
        // Golden section finds a flat minimum only to the square root of the rounding error.
        ErratumNumber::exact("best step of the proof", equal, eta, (b / product).sqrt(), step, 1e-6),
        ErratumNumber::exact("regret bound of Theorem 6", equal, regret, (b * product * rounds).sqrt(), bound, 1e-12),
    ]
}
