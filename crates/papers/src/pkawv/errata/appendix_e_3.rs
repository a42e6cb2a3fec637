//! Appendix E.3: an inequality and the reason given for it.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-appendix-e-3",
    place: "Appendix E.3 (proof of Corollary 8)",
    quote: "The last inequality is due to",
    class: Class::ProofGap,
    reason: "the reason given does not imply the inequality, which is needed, and holds, in a smaller range of m only",
    printed: "m^(1/2) <= n m^(-1/(2 gamma)) because gamma < 1 and m <= n",
    corrected: "because m <= n^(2 gamma / (1 + gamma)), the case that is treated there",
    method: "The largest m^(1/2) / (n m^(-1/(2 gamma))) at n = e, over m = n^a with both ranges of a, for gamma from \
             0.05 to 0.95",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    // n = e, so that n^x = exp(x).
    let ratio = |gamma: f64, a: f64| (0.5 * a - (1.0 - a / (2.0 * gamma))).exp();
    let largest = |range: &dyn Fn(f64) -> f64| {
        let gammas = (1..=19).map(|k| 0.05 * f64::from(k));
        let each = gammas.flat_map(|gamma| (0..=100).map(move |j| (gamma, f64::from(j) / 100.0)));
        each.map(|(gamma, part)| ratio(gamma, part * range(gamma))).fold(0.0, f64::max)
    };
    let printed = largest(&|_| 1.0);
    let corrected = largest(&|gamma| 2.0 * gamma / (1.0 + gamma));
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("largest ratio for m <= n", at_most, 1.0, None, printed, 1e-9),
        ErratumNumber::exact("largest ratio for m <= n^(2 gamma / (1 + gamma))", at_most, 1.0, 1.0, corrected, 1e-9),
    ]
}
