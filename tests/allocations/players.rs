//! Every learner, over rounds whose requests for memory are counted.

use std::sync::Arc;

use noregret_core::learner::api::{AnyLearner, Block, Gauges, LearnerEntry, Setting};
use noregret_core::noise::NOISES;
use noregret_core::noise::api::NoiseLaw;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::protocol::full::FullPlayer;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::Player;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Rows;

use crate::counting;

const DIM: usize = 3;

/// T: allocations are counted from round T to round 2 T.
pub const ROUNDS: usize = 1024;

/// Parameters without defaults, and some that keep this test short.
const GIVEN: &[(&str, &str)] = &[
    ("discount-mixture", "bound = 1.0"),
    ("expert-mixture", "bound = 1.0\ngrid = { lambda = [0.1, 1.0] }"),
    ("model-averaging", "grid = { lambda = [0.1, 1.0] }"),
    ("noisy-gaussian", "kernel.bandwidth = 1.5\ncovariance = 0.04"),
    ("noisy-radial", "kernel = { name = 'rational' }\ncovariance = 0.04"),
    ("noisy-analytic", "kernel.bandwidth = 1.5\np = 2\neta = 0.01"),
];

/// The parameters that `name` is given.
pub fn given(name: &str) -> toml::Table {
    GIVEN.iter().find(|given| given.0 == name).map_or("", |given| given.1).parse().unwrap()
}

/// The learner, for [`ROUNDS`] twice.
pub fn build(entry: &LearnerEntry) -> AnyLearner {
    let params = check(entry.params, &given(entry.name), "", &AllParts).unwrap_or_else(|error| panic!("{error}"));
    let setting = Setting { dim: DIM, horizon: Some(2 * ROUNDS as u64), draws: Draws::named(&["allocations"]) };
    (entry.build.learner)(&params, &setting).unwrap_or_else(|error| panic!("{}: {error}", entry.name))
}

/// Gaussian noise of this standard deviation.
fn law(deviation: f64) -> Arc<dyn NoiseLaw> {
    let entry = NOISES.get("gaussian").unwrap();
    let table = toml::Table::from_iter([("noise_std".to_owned(), toml::Value::Float(deviation))]);
    (entry.build)(&check(entry.params, &table, "", &AllParts).unwrap()).unwrap()
}

/// Noise on inputs and targets.
pub fn channel() -> Channel {
    Channel { inputs: law(0.2), targets: law(0.1), draws: Draws::named(&["allocations", "noise"]) }
}

/// The learner's draws.
pub fn draws() -> Draws {
    Draws::named(&["allocations", "learner"])
}

/// [`requests`] of a learner under the protocol that it plays.
pub fn requests_of(entry: &LearnerEntry, size: usize) -> ([u64; 2], [Gauges; 2]) {
    match build(entry) {
        AnyLearner::Full(mut learner) => {
            let labels = learner.wants_labels();
            requests(&mut FullPlayer::new(&mut *learner, &draws()), size, labels)
        }
        AnyLearner::Noisy(mut learner) => {
            requests(&mut NoisyPlayer::new(&mut *learner, &draws(), &channel()), size, false)
        }
    }
}

/// Plays 2 T rounds in blocks of `size`; returns the allocations from round T on and their bytes, and the gauges at T
/// and at 2 T.
pub fn requests(player: &mut dyn Player, size: usize, labels: bool) -> ([u64; 2], [Gauges; 2]) {
    let mut draw = Draws::named(&["allocations"]).at(Role::Example, 0);
    let inputs: Vec<f64> = (0..2 * ROUNDS * DIM).map(|_| draw.between(-0.5, 0.5)).collect();
    let inputs = Rows::new(DIM, &inputs);
    let targets = inputs.iter().map(|x| (3.0 * x.iter().sum::<f64>()).sin());
    let targets: Vec<f64> = targets.map(|y| if labels { y.signum() } else { y }).collect();
    let mut predictions = vec![0.0; size];
    let mut gauges = [Gauges::default(); 2];
    let mut before = [0; 2];
    if player.foresees() {
        player.foresee(inputs).unwrap();
    }
    for (half, gauges) in gauges.iter_mut().enumerate() {
        before = counting::of_thread();
        for from in (half * ROUNDS..(half + 1) * ROUNDS).step_by(size) {
            let block = Block {
                first_round: from as u64 + 1,
                inputs: inputs.slice(from, from + size),
                targets: &targets[from..from + size],
            };
            player.play(block, &mut predictions).unwrap();
        }
        *gauges = player.gauges();
    }
    let after = counting::of_thread();
    ([after[0] - before[0], after[1] - before[1]], gauges)
}
