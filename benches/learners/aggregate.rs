//! A round of the aggregation of many forecasts, beside the work that no implementation can leave out: an exponential, a
//! square root and a division for each forecast.

use std::hint::black_box;

use noregret_numeric::linalg::elementary::exp_scaled;

use crate::Line;
use crate::common::{BLOCK, best, data, full, play, seconds};

const FORECASTS: usize = 100;
const ROUNDS: usize = 20_000;

/// Nanoseconds of the floor for a round.
fn floor() -> f64 {
    let mut values = vec![-0.5; FORECASTS];
    let mut squares = vec![2.0_f64; FORECASTS];
    let spent = best(5, || {
        seconds(|| {
            for _ in 0..ROUNDS {
                exp_scaled(black_box(&mut values), -0.5);
                squares.iter_mut().for_each(|value| *value = (0.7 / *value).sqrt().min(0.9) + 1.0);
                black_box(&mut squares);
            }
        })
    });
    1e9 * spent / ROUNDS as f64
}

/// Prints the times; returns their lines of the final table.
pub fn run() -> Vec<Line> {
    let (inputs, targets) = data(FORECASTS, ROUNDS);
    let spent = best(5, || {
        let mut learner = full("aggregate", "bound = 1.0", FORECASTS, ROUNDS);
        seconds(|| play(&mut *learner, &inputs, &targets, BLOCK))
    });
    let (round, floor) = (1e9 * spent / ROUNDS as f64, floor());
    println!("\nBOA over {FORECASTS} forecasts: {round:.0} ns a round, floor {floor:.0} ns");
    vec![
        Line::new(format!("BOA: time of a round, {FORECASTS} forecasts"), true, 1000.0, round, " ns"),
        Line::new(
            "BOA: the same, as a multiple of its exponentials, roots and divisions",
            true,
            4.0,
            round / floor,
            "",
        ),
    ]
}
