//! Algorithm 2: the column of a new dictionary point.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_numeric::draw::{Draws, Role};

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-algorithm-2",
    place: "Algorithm 2",
    quote: "PKAWVwith Nystrom projections",
    class: Class::Text,
    reason: "the formula is illegible in our text, and the listing of the same paper has lambda",
    printed: "c = K' a + b, where b holds the kernel values of the new point with the dictionary",
    corrected: "c = K' a + lambda b",
    method: "The entries of R'R + u u' - v v', u = (c / (1 + g), g), v = (c / (1 + g), -1), compared with half the \
             mixed second differences of |K a|^2 + lambda |f|^2, the quadratic part of the objective, with the new \
             point in the dictionary; lambda = 0.1, Gaussian kernel, 5 points, a dictionary of 2",
    decide,
};

const LAMBDA: f64 = 0.1;
const POINTS: usize = 5;
/// The dictionary, and the point that is about to enter it.
const MEMBERS: [usize; 3] = [0, 1, 4];

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let mut draw = draws.at(Role::Example, 1);
    let points: [[f64; 2]; POINTS] = std::array::from_fn(|_| [draw.normal(), draw.normal()]);
    let kernel = Gaussian::new(1.0);
    let k = |i: usize, j: usize| kernel.evaluate(&points[i], &points[j]);
    // |K a|^2 + lambda |f|^2 for f = sum_i a_i k(x_i, .) over the dictionary.
    let objective = |a: [f64; 3]| {
        let value = |s: usize| MEMBERS.iter().zip(a).map(|(&member, a)| a * k(s, member)).sum::<f64>();
        let fit: f64 = (0..POINTS).map(|s| value(s).powi(2)).sum();
        fit + LAMBDA * MEMBERS.iter().zip(a).map(|(&member, a)| a * value(member)).sum::<f64>()
    };
    let unit = |i: usize| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 });
    let both = |i: usize| std::array::from_fn(|j| if i == j || j == 2 { 1.0 } else { 0.0 });
    let normal = |i: usize| 0.5 * (objective(both(i)) - objective(unit(i)) - objective(unit(2)));
    let new = MEMBERS[2];
    let d = (0..POINTS).map(|s| k(s, new).powi(2)).sum::<f64>() + LAMBDA * k(new, new);
    let g = (1.0 + d).sqrt();
    // Entry (i, 2) after both rank-one updates; the old matrix has zeros there.
    let updated = |i: usize, factor: f64| {
        let member = MEMBERS[i];
        let c = (0..POINTS).map(|s| k(s, member) * k(s, new)).sum::<f64>() + factor * k(member, new);
        let shared = c / (1.0 + g);
        shared * g + shared
    };
    (0..2)
        .map(|i| {
            let what = format!("entry ({}, 3) of the normal matrix", i + 1);
            ErratumNumber::exact(&what, Relation::Equal, updated(i, 1.0), updated(i, LAMBDA), normal(i), 1e-12)
        })
        .collect()
}
