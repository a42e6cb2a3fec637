//! Seconds of the noisy kernel learners in 10 dimensions and how they grow with the number of rounds T (exponent of the
//! last doubling; quadratic at most): `cargo bench --bench noisy [-- FILTER]`.

use std::hint::black_box;
use std::sync::Arc;

use noregret::draw::{Draws, Role};
use noregret::learner::api::{AnyLearner, Block, OracleLearner, Setting};
use noregret::learner::registry::find;
use noregret::linalg::matrix::Matrix;
use noregret::noise::api::NoiseLaw;
use noregret::noise::registry as noises;
use noregret::params::check;
use noregret::parts::AllParts;
use noregret::protocol::noisy::{Channel, NoisyPlayer};
use noregret::protocol::run::Player;
use rustix::time::{ClockId, clock_gettime};

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
            let mut learner = build(name, toml, rounds);
            seconds(|| play(&mut *learner, &inputs, &targets))
        });
        let growth = (seconds[HORIZONS.len() - 1] / seconds[HORIZONS.len() - 2]).log2();
        let shown: Vec<String> = seconds.iter().map(|seconds| format!("{seconds:.3}")).collect();
        println!("{name} {{{}}}: {}, {growth:.2}", toml.replace('\n', ", "), shown.join(" "));
    }
}

/// Seconds of this thread's processor time: on a shared machine, the clock on the wall measures the neighbours.
fn seconds(work: impl FnOnce()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    };
    let start = now();
    work();
    now() - start
}

fn data(rounds: usize) -> (Matrix, Vec<f64>) {
    let mut draw = Draws::named(&["bench"]).at(Role::Example, 0);
    let mut inputs = Matrix::zeros(rounds, DIM);
    inputs.data_mut().iter_mut().for_each(|x| *x = draw.between(-0.5, 0.5));
    let targets = inputs.view().iter().map(|x| x.iter().sum::<f64>().sin()).collect();
    (inputs, targets)
}

fn build(name: &str, toml: &str, rounds: usize) -> Box<dyn OracleLearner> {
    let entry = find(name).expect("a registered learner");
    let params = check(entry.params, &toml.parse().expect("TOML"), "", &AllParts).expect("legal parameters");
    let setting = Setting { dim: DIM, horizon: Some(rounds as u64), draws: Draws::named(&["bench"]) };
    match (entry.build)(&params, &setting).expect("a learner") {
        AnyLearner::Noisy(learner) => learner,
        AnyLearner::Full(_) => unreachable!("{name} plays the full-information protocol"),
    }
}

/// Gaussian noise of this standard deviation.
fn noise(deviation: f64) -> Arc<dyn NoiseLaw> {
    let entry = noises::find("gaussian").expect("a registered law");
    let table = toml::Table::from_iter([("noise_std".to_owned(), toml::Value::Float(deviation))]);
    (entry.build)(&check(entry.params, &table, "", &AllParts).expect("legal parameters")).expect("a law")
}

fn play(learner: &mut dyn OracleLearner, inputs: &Matrix, targets: &[f64]) {
    let channel = Channel { inputs: noise(0.2), targets: noise(0.1), draws: Draws::named(&["noise"]) };
    let draws = Draws::named(&["learner"]);
    let mut predictions = vec![0.0; targets.len()];
    let block = Block { first_round: 1, inputs: inputs.view(), targets };
    NoisyPlayer::new(learner, &draws, &channel).play(block, &mut predictions).expect("no breakdown");
    black_box(predictions);
}
