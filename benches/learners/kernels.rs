//! Nanoseconds per kernel value, with its exponential, of the learners that store expansions.

use noregret_core::learner::api::AnyLearner;

use crate::Line;
use crate::common::{BLOCK, any, beside_product, data, floor, full, play, play_noisy, seconds};

const DIM: usize = 9;

/// Operations of a value and its term of the sum: one and [`DIM`] for the distance, 17 for the exponential, 3 for rate,
/// coefficient and sum.
const OPERATIONS: f64 = 30.0;

/// Prints each case; returns their lines of the final table.
pub fn run() -> Vec<Line> {
    println!("\nlearner, {DIM} columns: nanoseconds per kernel value");
    let mut lines = Vec::new();
    let mut tell = |name: &str, spent: f64, values: f64, product: f64| {
        let nano = 1e9 * spent / values;
        println!("{name}: {nano:.2} (matrix product at {:.1} Gflop/s)", product / 1e9);
        lines.push(if name == "noisy-gaussian" {
            Line::new(format!("{name}: time of a kernel value, d = 9"), true, 1.5, nano, " ns")
        } else {
            let what = format!("{name}: time of a kernel value, d = 9, relative to its {OPERATIONS} operations");
            Line::new(what, true, 1.5, spent / floor(OPERATIONS, values, product), "")
        });
    };
    let rounds = 6_000;
    let (inputs, targets) = data(DIM, rounds);
    for (name, toml) in [("robust-ogd", "eta = 0.02"), ("kernel-ogd", "")] {
        let (spent, product) = beside_product(6, || {
            let mut learner = full(name, toml, DIM, rounds);
            seconds(|| play(&mut *learner, &inputs, &targets, BLOCK))
        });
        tell(name, spent, (rounds * rounds) as f64 / 2.0, product);
    }
    let (spent, product) =
        beside_product(4, || match any("noisy-gaussian", "kernel.bandwidth = 1.5\ncovariance = 0.04", DIM, rounds) {
            AnyLearner::Noisy(mut learner) => seconds(|| play_noisy(&mut *learner, &inputs, &targets)),
            AnyLearner::Full(_) => unreachable!("it plays the noisy protocol"),
        });
    // Two values of the surrogate and one of the kernel for each pair of rounds.
    tell("noisy-gaussian", spent, 1.5 * (rounds * rounds) as f64, product);
    lines
}
