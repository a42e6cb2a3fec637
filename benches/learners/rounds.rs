//! Every registered learner with its default parameters in nine dimensions: time per round in blocks and round by
//! round, beside the floor that the number of its operations and its state set.

use std::sync::Arc;

use noregret::draw::Draws;
use noregret::learner::api::AnyLearner;
use noregret::learner::api::{Block, OracleLearner};
use noregret::learner::registry::LEARNERS;
use noregret::linalg::matrix::Matrix;
use noregret::noise::api::NoiseLaw;
use noregret::noise::registry as noises;
use noregret::params::check;
use noregret::parts::AllParts;
use noregret::protocol::noisy::{Channel, NoisyPlayer};
use noregret::protocol::run::Player;

use crate::common::{BLOCK, Rates, any, best, data, parameters, play, seconds};

const DIM: usize = 9;
const ROUNDS: usize = 1024;

/// Parameters that have no default, or whose default fits no such short run.
const GIVEN: &[(&str, &str)] = &[
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
    for entry in LEARNERS {
        let toml = GIVEN.iter().find(|given| given.0 == entry.name).map_or("", |given| given.1);
        let (_, params) = parameters(entry.name, toml);
        let cost = (entry.cost)(&params, ROUNDS as u64, DIM);
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

/// Gaussian noise of this standard deviation.
pub fn noise(deviation: f64) -> Arc<dyn NoiseLaw> {
    let entry = noises::find("gaussian").expect("a registered law");
    let table = toml::Table::from_iter([("noise_std".to_owned(), toml::Value::Float(deviation))]);
    (entry.build)(&check(entry.params, &table, "", &AllParts).expect("legal parameters")).expect("a law")
}

/// Plays the noisy protocol behind noise of variances 0.04 and 0.01.
pub fn play_noisy(learner: &mut dyn OracleLearner, inputs: &Matrix, targets: &[f64]) {
    let channel = Channel { inputs: noise(0.2), targets: noise(0.1), draws: Draws::named(&["noise"]) };
    let draws = Draws::named(&["learner"]);
    let mut predictions = vec![0.0; targets.len()];
    let block = Block { first_round: 1, inputs: inputs.view(), targets };
    NoisyPlayer::new(learner, &draws, &channel).play(block, &mut predictions).expect("no breakdown");
    std::hint::black_box(predictions);
}
