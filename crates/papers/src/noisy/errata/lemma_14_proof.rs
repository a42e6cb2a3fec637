//! The proof of Lemma 14: the copies of the tail.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-lemma-14-proof",
    place: "Proof of Lemma 14",
    quote: "As to the second part, note that by (25), we have that",
    class: Class::Notation,
    reason: "(25) has the index right; the bound on each copy is the same",
    printed: "the squared norm of the tail is the product of |x^(N1 + j)|^2 over j = 1..N2",
    corrected: "the product of |x^(2 N1 + j)|^2",
    method: "The sum of the squares of all entries of the tail of (25), for four random copies in three dimensions, N1 \
             = 1, N2 = 2, compared with both products",
    decide,
};

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 2);
    let copies: [[f64; 3]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| draw.normal()));
    let (pairs, tail) = (1usize, 2usize);
    // Entries x_k1^(2 N1 + 1) x_k2^(2 N1 + 2).
    let entries = copies[2].iter().flat_map(|a| copies[3].iter().map(move |b| a * b));
    let found: f64 = entries.map(|entry| entry * entry).sum();
    let product = |before: usize| -> f64 {
        copies[before..before + tail].iter().map(|copy| copy.iter().map(|x| x * x).sum::<f64>()).product()
    };
    let what = "squared norm of the tail";
    vec![ErratumNumber::exact(what, Relation::Equal, product(pairs), product(2 * pairs), found, 1e-12)]
}
