//! Subroutine 5: what it returns.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "noisy-subroutine-5",
    place: "Subroutine 5",
    quote: "in memory, we simply keep and",
    class: Class::Notation,
    reason: "Subroutines 6 and 7 use N1 and N2 as known; a word is missing where the text says what is kept",
    printed: "returns the 2 N1 + N2 copies as Psi(x)",
    corrected: "returns N1 (or N2) as well, which the number of copies does not determine",
    method: "The number of pairs (N1, N2) that give 7 copies, and the number of values that the factor (-1)^N1 p^(N1 + \
             N2 + 2) 2^N2 / (N1! N2! s^(2 N1 + 2 N2) (p - 1)^2) of (25) takes over them, p = 2, s^2 = 3",
    decide,
};

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    const COPIES: i32 = 7;
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    let factor = |n1: i32, n2: i32| {
        (-1f64).powi(n1) * 2f64.powi(n1 + 2 * n2 + 2) / (factorial(n1) * factorial(n2) * 3f64.powi(n1 + n2))
    };
    let all = (0..=COPIES).flat_map(|n1| (0..=COPIES).map(move |n2| (n1, n2)));
    let pairs: Vec<(i32, i32)> = all.filter(|(n1, n2)| 2 * n1 + n2 == COPIES).collect();
    let mut values: Vec<f64> = pairs.iter().map(|&(n1, n2)| factor(n1, n2)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
    let known = f64::from(COPIES / 2 + 1);
    let equal = Relation::Equal;
    vec![
        ErratumNumber::exact("pairs that give 7 copies", equal, 1.0, known, pairs.len() as f64, 1e-12),
        ErratumNumber::exact("values of the factor", equal, 1.0, known, values.len() as f64, 1e-12),
    ]
}
