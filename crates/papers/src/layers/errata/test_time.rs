//! C.2, end: the accuracy at test time.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use crate::layers::errata::coins::{expectation, probability};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "iln-test-time",
    place: "C.2, end (a new test example)",
    quote: "iterations will lead to a random variable",
    class: Class::Notation,
    reason: "the event is missing, as Lemma 3 shows, which the line cites; the exponent is Lemma 3's, an item of its \
             own",
    printed: "P[|E - <f_t, x>|] <= exp(-eps^2 m / |alpha|_1^2), where (16 B + 1) B sqrt(T) bounds |alpha|_1",
    corrected: "P[|E - <f_t, Phi(x)>| > eps] <= 2 exp(-eps^2 m / (2 |alpha|_1^2)), so m >= 2 |alpha|_1^2 log(2 / \
                delta) / eps^2",
    method: "Without an event only the mean of |E - f| can be meant: its exact value for sign features of orthogonal \
             inputs, which are fair signs, |alpha|_1 = 1, eps = 0.2, m = 100; the exact probability of the event; and \
             that at the corrected m for delta = 0.05",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (m, eps, delta) = (100u32, 0.2f64, 0.05f64);
    let exponent = f64::from(m) * eps * eps;
    let enough = (2.0 * (2.0 / delta).ln() / (eps * eps)).ceil() as u32;
    let at_most = Relation::AtMost;
    let (mean, strays) = (expectation(m, |mean| mean), probability(m, eps));
    vec![
        ErratumNumber::exact("mean of |E - f|, m = 100", at_most, (-exponent).exp(), None, mean, 1e-9),
        ErratumNumber::exact("P(|E - f| > eps), m = 100", at_most, None, 2.0 * (-0.5 * exponent).exp(), strays, 1e-9),
        ErratumNumber::exact("P(|E - f| > eps), corrected m", at_most, None, delta, probability(enough, eps), 1e-9),
    ]
}
