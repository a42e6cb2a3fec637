//! Algorithm 2: the column of a new dictionary point.

use crate::draw::{Draws, Role};
use crate::errata::api::{Class, Erratum, Paper, Quantity, Relation};
use crate::kernel::api::Kernel;
use crate::kernel::gaussian::Gaussian;

pub static ERRATUM: Erratum = Erratum {
    id: "pkawv-algorithm-2",
    paper: Paper::Pkawv,
    place: "Algorithm 2",
    quote: "with Nystrom projections",
    class: Class::Text,
    reason: "the formula is illegible in our text, and the listing of the same paper has lambda",
    printed: "c = K' a + b, where b holds the kernel values of the new point with the dictionary",
    corrected: "c = K' a + lambda b",
    method: "The entries of R'R + u u' - v v', u = (c / (1 + g), g), v = (c / (1 + g), -1), compared with those of K'K \
             + lambda K_mm with the new point in the dictionary; lambda = 0.1, Gaussian kernel, 5 points, a dictionary \
             of 2",
    module: module_path!(),
    decide,
};

const LAMBDA: f64 = 0.1;
const POINTS: usize = 5;
/// The dictionary, and the point that is about to enter it.
const MEMBERS: [usize; 3] = [0, 1, 4];

fn decide(draws: &Draws) -> Vec<Quantity> {
    let mut draw = draws.at(Role::Example, 1);
    let points: [[f64; 2]; POINTS] = std::array::from_fn(|_| [draw.normal(), draw.normal()]);
    let kernel = Gaussian::new(1.0);
    let k = |i: usize, j: usize| kernel.evaluate(&points[i], &points[j]);
    let normal = |i: usize, j: usize| {
        let (i, j) = (MEMBERS[i], MEMBERS[j]);
        (0..POINTS).map(|s| k(s, i) * k(s, j)).sum::<f64>() + LAMBDA * k(i, j)
    };
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
            Quantity::exact(&what, Relation::Equal, updated(i, 1.0), updated(i, LAMBDA), normal(i, 2), 1e-12)
        })
        .collect()
}
