//! The listing H.2: up- and downdates of a factor that a repeated point makes singular.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::eigen;

pub(crate) static ERRATUM: Correction = Correction {
    id: "pkawv-downdates",
    place: "Algorithm 2, listing H.2 (Nystrom_kernel_AWV)",
    quote: "self.R = cholup(self.R, v, '-')",
    class: Class::Wrong,
    reason: "the listing is printed for any inputs, and fails on some",
    printed: "the factor of K'K + lambda K_mm is kept by rank-one up- and downdates, for any inputs",
    corrected: "a point in the span of the dictionary must not become a column, since it makes the matrix singular",
    method: "The share of 30 runs of 30 rounds in which the factor stops being finite when every point enters the \
             dictionary, for lambda = 1 and the Gaussian kernel: with inputs drawn from 12 points, with distinct \
             inputs, and with inputs from 12 points when repeated ones are kept out of the dictionary. And, for the \
             first of these runs, the rank of the matrix that is factored: its eigenvalues above 1e-11 of the largest, \
             against its columns and against the distinct points",
    decide,
};

const RUNS: u64 = 30;
const ROUNDS: usize = 30;
const LAMBDA: f64 = 1.0;

/// Replaces the upper factor R of A by that of A + sign x x', by rotations (hyperbolic ones for sign = -1).
fn update(factor: &mut [Vec<f64>], mut x: Vec<f64>, sign: f64) {
    let n = x.len();
    for i in 0..n {
        let old = factor[i][i];
        let new = (old * old + sign * x[i] * x[i]).sqrt();
        let (c, s) = (new / old, x[i] / old);
        factor[i][i] = new;
        for j in i + 1..n {
            factor[i][j] = (factor[i][j] + sign * s * x[j]) / c;
            x[j] = c * x[j] - s * factor[i][j];
        }
    }
}

/// Whether the factor stays finite over a run of Algorithm 2 (with lambda b). With `distinct`, points that are already
/// in the dictionary are not added again.
fn survives(inputs: &[[f64; 2]], distinct: bool) -> bool {
    let kernel = Gaussian::new(1.0);
    let mut members: Vec<[f64; 2]> = Vec::new();
    // One column per member of the dictionary: its kernel values with all inputs so far.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    for (t, x) in inputs.iter().enumerate() {
        let row: Vec<f64> = members.iter().map(|member| kernel.evaluate(member, x)).collect();
        columns.iter_mut().zip(&row).for_each(|(column, value)| column.push(*value));
        update(&mut factor, row.clone(), 1.0);
        if distinct && members.contains(x) {
            continue;
        }
        let a: Vec<f64> = inputs[..=t].iter().map(|past| kernel.evaluate(past, x)).collect();
        let d = a.iter().map(|a| a * a).sum::<f64>() + LAMBDA;
        let g = (1.0 + d).sqrt();
        let along = |column: &Vec<f64>| column.iter().zip(&a).map(|(k, a)| k * a).sum::<f64>();
        let shared: Vec<f64> =
            columns.iter().zip(&row).map(|(column, b)| (along(column) + LAMBDA * b) / (1.0 + g)).collect();
        members.push(*x);
        columns.push(a);
        let size = members.len();
        if size == 1 {
            factor = vec![vec![d.sqrt()]];
            continue;
        }
        factor.iter_mut().for_each(|row| row.push(0.0));
        factor.push(vec![0.0; size]);
        let with = |last: f64| shared.iter().copied().chain([last]).collect();
        grow(&mut factor, with(g));
        update(&mut factor, with(-1.0), -1.0);
    }
    factor.iter().enumerate().all(|(i, row)| row[i..].iter().all(|entry| entry.is_finite()))
}

/// In the update by the first vector the last entry meets a pivot of 0, which the rotation there sets.
fn grow(factor: &mut [Vec<f64>], x: Vec<f64>) {
    let last = x.len() - 1;
    let mut rest = x;
    for i in 0..last {
        let radius = factor[i][i].hypot(rest[i]);
        let (c, s) = (factor[i][i] / radius, rest[i] / radius);
        factor[i][i] = radius;
        for j in i + 1..=last {
            let (old, term) = (factor[i][j], rest[j]);
            factor[i][j] = c * old + s * term;
            rest[j] = c * term - s * old;
        }
    }
    factor[last][last] = rest[last].abs();
}

/// The number of eigenvalues of K'K + lambda K_mm that are not 0, where every point is in the dictionary; NaN if they
/// could not be computed.
fn rank(inputs: &[[f64; 2]]) -> f64 {
    let kernel = Gaussian::new(1.0);
    let k = |i: usize, j: usize| kernel.evaluate(&inputs[i], &inputs[j]);
    let n = inputs.len();
    let entry = |i: usize, j: usize| (0..n).map(|s| k(s, i) * k(s, j)).sum::<f64>() + LAMBDA * k(i, j);
    let matrix: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
    eigen::symmetric(&matrix, n, false).map_or(f64::NAN, |eigen| {
        let largest = eigen.values[n - 1];
        eigen.values.iter().filter(|value| **value > 1e-11 * largest).count() as f64
    })
}

fn decide(draws: &Draws) -> Vec<ErratumNumber> {
    let point = |draw: &mut Draw| [draw.normal(), draw.normal()];
    let inputs = |repeated: bool, run: u64| -> Vec<[f64; 2]> {
        let mut draw = draws.at(Role::Example, run);
        let pool: Vec<[f64; 2]> = (0..if repeated { 12 } else { ROUNDS }).map(|_| point(&mut draw)).collect();
        let pick = |t: usize, draw: &mut Draw| if repeated { pool[draw.below(pool.len())] } else { pool[t] };
        (0..ROUNDS).map(|t| pick(t, &mut draw)).collect()
    };
    let share = |repeated: bool, distinct: bool| {
        let failed = (0..RUNS).filter(|&run| !survives(&inputs(repeated, run), distinct));
        failed.count() as f64 / RUNS as f64
    };
    let first = inputs(true, 0);
    let different = (0..ROUNDS).filter(|&t| !first[..t].contains(&first[t])).count() as f64;
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("rank of the matrix", Relation::Equal, ROUNDS as f64, different, rank(&first), 1e-9),
        ErratumNumber::exact("share that fails, repeated points", at_most, 0.0, None, share(true, false), 1e-9),
        ErratumNumber::exact("share that fails, distinct points", at_most, 0.0, 0.0, share(false, false), 1e-9),
        ErratumNumber::exact("share that fails, repeated points left out", at_most, None, 0.0, share(true, true), 1e-9),
    ]
}
