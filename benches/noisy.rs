//! Times of the noisy kernel learners in 10 dimensions, and their growth with the number of rounds T (the exponent of
//! the last doubling, which should be at most quadratic): `cargo bench --bench noisy [-- FILTER]`.

#[path = "common/mod.rs"]
#[allow(dead_code, reason = "each benchmark uses a part")]
mod common;

use noregret_core::learner::api::AnyLearner;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

use common::{any, play_noisy, seconds};

const DIM: usize = 10;
const HORIZONS: [usize; 4] = [1_250, 2_500, 5_000, 10_000];

/// (learner, parameters)
const CASES: &[(&str, &str)] = &[
    ("noisy-gaussian", "kernel.bandwidth = 1.5\ncovariance = 0.04"),
    (
        "noisy-gaussian",
        "kernel.bandwidth = 1.5\ncovariance = [0.01, 0.02, 0.03, 0.04, 0.05, 0.04, 0.03, 0.02, 0.01, 0.04]",
    ),
    ("noisy-radial", "kernel = { name = 'rational' }\ncovariance = 0.04\nnodes = 8"),
    ("noisy-analytic", "kernel.bandwidth = 1.5\np = 2\neta = 0.01"),
    ("noisy-analytic", "kernel.bandwidth = 1.5\np = 2\neta = 0.01\nestimator = 'all-terms'"),
];

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    println!("learner {{parameters}}: seconds for T = {HORIZONS:?} rounds, exponent of the last doubling");
    for (name, toml) in CASES.iter().filter(|case| case.0.contains(&filter)) {
        let seconds = HORIZONS.map(|rounds| {
            let (inputs, targets) = data(rounds);
            match any(name, toml, DIM, rounds) {
                AnyLearner::Noisy(mut learner) => seconds(|| play_noisy(&mut *learner, &inputs, &targets)),
                AnyLearner::Full(_) => unreachable!("{name} plays the full-information protocol"),
            }
        });
        let growth = (seconds[HORIZONS.len() - 1] / seconds[HORIZONS.len() - 2]).log2();
        let shown: Vec<String> = seconds.iter().map(|seconds| format!("{seconds:.3}")).collect();
        println!("{name} {{{}}}: {}, {growth:.2}", toml.replace('\n', ", "), shown.join(" "));
    }
}

fn data(rounds: usize) -> (Matrix, Vec<f64>) {
    let mut draw = Draws::named(&["bench"]).at(Role::Example, 0);
    let mut inputs = Matrix::zeros(rounds, DIM);
    inputs.data_mut().iter_mut().for_each(|x| *x = draw.between(-0.5, 0.5));
    let targets = inputs.view().iter().map(|x| x.iter().sum::<f64>().sin()).collect();
    (inputs, targets)
}
