//! Taylor features compared with the rate of a matrix product, at 3 r^2 operations per round, and random features in
//! microseconds.

use crate::Line;
use crate::common::{BLOCK, beside_product, data, floor, full, play, seconds};

/// Operations of FOGD for one feature, d = 8: 8 for the phase, 28 for sine and cosine, 5 for two weights and their sums.
const WAVE: f64 = 41.0;

/// Prints each case; returns the lines of those that have an aim.
pub fn run() -> Vec<Line> {
    println!("\nlearner: microseconds per round, share of a matrix product at 3 r^2 operations a round");
    let mut lines = Vec::new();
    for (name, order, dim, r, aim) in [
        ("pkrr-taylor", 2, 8, 45, None),
        ("pkrr-taylor", 2, 9, 55, Some(35.0)),
        ("pkawv-taylor", 2, 9, 55, Some(35.0)),
        ("pkrr-taylor", 3, 8, 165, None),
        ("pkrr-taylor", 2, 18, 190, Some(60.0)),
        ("pkawv-taylor", 2, 18, 190, Some(60.0)),
        ("pkrr-taylor", 3, 9, 220, Some(50.0)),
        ("pkawv-taylor", 4, 9, 715, Some(75.0)),
    ] {
        let rounds = if r > 500 { 4_000 } else { 10_000 };
        let (inputs, targets) = data(dim, rounds);
        let (spent, product) = beside_product(if r > 500 { 3 } else { 8 }, || {
            let mut learner = full(name, &format!("order = {order}"), dim, rounds);
            seconds(|| play(&mut *learner, &inputs, &targets, BLOCK))
        });
        let share = 100.0 * 3.0 * ((r * r * rounds) as f64) / spent / product;
        println!("{name}, r = {r}: {:.2}, {share:.0} %", 1e6 * spent / rounds as f64);
        lines.extend(aim.map(|aim| Line::new(format!("{name}, r = {r}: share of gemm"), false, aim, share, " %")));
    }
    let rounds = 10_000;
    for dim in [8, 9, 22] {
        let (inputs, targets) = data(dim, rounds);
        let (spent, product) = beside_product(8, || {
            let mut learner = full("fogd", "features = 1000", dim, rounds);
            seconds(|| play(&mut *learner, &inputs, &targets, BLOCK))
        });
        let micro = 1e6 * spent / rounds as f64;
        println!("fogd, 1000 features, d = {dim}: {micro:.2} (matrix product at {:.1} Gflop/s)", product / 1e9);
        if dim == 8 {
            let what =
                format!("fogd, 1,000 features, d = 8: time of a round relative to its {WAVE} operations a feature");
            lines.push(Line::new(what, true, 1.5, spent / floor(WAVE, (1000 * rounds) as f64, product), ""));
        }
    }
    lines
}
