//! Every registered learner with its default parameters in nine dimensions: time per round, in blocks and round by
//! round, beside the smallest possible time for its number of operations and the size of its state.

use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::AnyLearner;

use crate::common::{BLOCK, Rates, any, best, data, parameters, play, play_noisy, seconds};

const DIM: usize = 9;
const ROUNDS: usize = 1024;

/// Parameters without a default, or whose default does not suit such a short run.
const GIVEN: &[(&str, &str)] = &[
    ("expert-mixture", "base = { name = 'pkawv-taylor', order = 2 }\ngrid = { lambda = [0.1, 1, 10] }\nbound = 1"),
    ("noisy-gaussian", "kernel.bandwidth = 1.5\ncovariance = 0.04"),
    ("noisy-radial", "kernel = { name = 'rational' }\ncovariance = 0.04"),
    ("noisy-analytic", "kernel.bandwidth = 1.5\np = 2\neta = 0.01"),
    ("noisy-linear-covariance", "eta = 0.01"),
    ("noisy-linear-two-copy", "eta = 0.01"),
];

/// Prints the table.
pub fn run(machine: Rates) {
    println!(
        "\nlearner, {ROUNDS} rounds in {DIM} dimensions: microseconds per round in blocks of {BLOCK}, round by round; floor \
         by its operations at the rate of a matrix product or its state read once a block, share of it reached"
    );
    let (inputs, targets) = data(DIM, ROUNDS);
    for entry in LEARNERS.iter() {
        let toml = GIVEN.iter().find(|given| given.0 == entry.name).map_or("", |given| given.1);
        let (_, params) = parameters(entry.name, toml);
        let cost = (entry.build.cost)(&params, ROUNDS as u64, DIM);
        let blocks = (ROUNDS / BLOCK) as f64;
        let floor = (cost.flops / machine.product).max(0.5 * blocks * cost.bytes / machine.memory);
        let time = |size: usize| {
            best(3, || match any(entry.name, toml, DIM, ROUNDS) {
                AnyLearner::Full(mut learner) => seconds(|| play(&mut *learner, &inputs, &targets, size)),
                AnyLearner::Noisy(mut learner) => seconds(|| play_noisy(&mut *learner, &inputs, &targets)),
            })
        };
        let (blocked, single) = (time(BLOCK), time(1));
        let micro = |seconds: f64| 1e6 * seconds / ROUNDS as f64;
        println!(
            "{}: {:.2}, {:.2}; {:.2}, {:.0} %",
            entry.name,
            micro(blocked),
            micro(single),
            micro(floor),
            100.0 * floor / blocked
        );
    }
}
