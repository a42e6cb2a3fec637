//! Predictions of many rows by the learners that keep points, compared with what their formulas take: m kernel values a row
//! and, for AWV, the m^2 operations of one triangular solve at the rate of a matrix product. A quadratic form of order m has
//! no fewer, so that no implementation in double precision comes below 1.

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

use crate::Line;
use crate::common::{BLOCK, beside_product, best, data, full, play, seconds};

const DIM: usize = 9;
const ROUNDS: usize = 4_000;
const ROWS: usize = 5_000;

/// Rows of kernel values that are computed at a time: those of all points stay in a near cache.
const NEAR: usize = 16;

/// Prints each case; returns their lines of the final table.
pub fn run() -> Vec<Line> {
    println!(
        "\nlearner after {ROUNDS} rounds of {DIM} columns: microseconds for each of {ROWS} predictions, of its m kernel values, \
         and of m^2 operations at the rate of a product"
    );
    let (mut inputs, _) = data(DIM, ROUNDS + ROWS);
    inputs.data_mut().iter_mut().for_each(|x| *x = 2.0 * *x - 1.0);
    let (old, new) = inputs.data().split_at(ROUNDS * DIM);
    let matrix = |rows: usize, data: &[f64]| Matrix::from_data(rows, DIM, data.to_vec()).expect("whole rows");
    let (old, new) = (matrix(ROUNDS, old), matrix(ROWS, new));
    let targets: Vec<f64> = old.view().iter().map(|x| (3.0 * x[0]).sin()).collect();
    let (kernel, mut values) = (Gaussian::new(1.0), vec![0.0; NEAR * ROUNDS]);
    let mut lines = Vec::new();
    for (name, quadratic) in [("kernel-ridge", 0.0), ("pkrr-nystrom", 0.0), ("kernel-awv", 1.0), ("pkawv-nystrom", 1.0)]
    {
        let mut learner = full(name, "lambda = 0.1", DIM, ROUNDS);
        play(&mut *learner, &old, &targets, BLOCK);
        let gauges = learner.gauges();
        let m = gauges.features.or(gauges.stored_points).unwrap_or_default() as usize;
        let draw = |_| Draws::named(&["predictions"]).at(Role::Predict, 0);
        let mut predictions = vec![0.0; ROWS];
        // What is computed once after learning is not part of a row.
        learner.predict_rows(new.view(), &draw, &mut predictions);
        let (spent, product) =
            beside_product(4, || seconds(|| learner.predict_rows(new.view(), &draw, &mut predictions)));
        let one = best(4, || {
            seconds(|| {
                for from in (0..ROWS).step_by(NEAR) {
                    let to = ROWS.min(from + NEAR);
                    kernel.gram(new.slice(from, to), old.slice(0, m), &mut values[..(to - from) * m]);
                }
            })
        });
        let form = quadratic * (m * m * ROWS) as f64 / product;
        let micro = |seconds: f64| 1e6 * seconds / ROWS as f64;
        println!(
            "{name}, m = {m}: {:.1}, {:.1}, {:.1} (matrix product at {:.1} Gflop/s)",
            micro(spent),
            micro(one),
            micro(form),
            product / 1e9
        );
        let what = format!("{name}, m = {m}: time of a prediction relative to its kernel values and m^2 operations");
        let what = if quadratic == 0.0 { what.replace(" and m^2 operations", "") } else { what };
        lines.push(Line::new(what, true, 1.25, spent / (one + form), ""));
    }
    lines
}
