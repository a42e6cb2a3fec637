//! Time per round of every learner, in blocks and round by round, and the rate of arithmetic against that of a plain
//! matrix product measured in the same run: `cargo bench --bench learners [-- FILTER]`. For the Nystrom learner, also
//! the time of a round against the size m of its dictionary.

use std::hint::black_box;

use noregret::draw::{Draws, Role};
use noregret::learner::api::{AnyLearner, Block, Learner, Setting};
use noregret::learner::registry::find;
use noregret::linalg::dense::{product, view, view_mut};
use noregret::linalg::matrix::Matrix;
use noregret::params::check;
use noregret::parts::AllParts;
use rustix::time::{ClockId, clock_gettime};

/// (learner, parameters, input columns, rounds)
const CASES: &[(&str, &str, usize, usize)] = &[
    ("kernel-ridge", "", 9, 4000),
    ("pkrr-taylor", "order = 2", 8, 20_000),
    ("pkrr-taylor", "order = 3", 8, 10_000),
    ("pkawv-taylor", "order = 2", 18, 10_000),
    ("pkawv-taylor", "order = 4", 9, 2_000),
    ("pkrr-taylor", "order = 3", 22, 2_048),
    ("fogd", "", 9, 10_000),
    ("kernel-ogd", "", 9, 5_000),
];

/// Rounds handed to a learner at once.
const BLOCK: usize = 1024;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let gemm = gemm_rate();
    println!("matrix product: {:.1} Gflop/s", gemm / 1e9);
    println!(
        "learner, dim, rounds: microseconds per round in blocks / round by round, Gflop/s in blocks (share of the product's)"
    );
    for (name, toml, dim, rounds) in CASES {
        if !name.contains(&filter) {
            continue;
        }
        let (inputs, targets) = data(*dim, *rounds);
        let (mut learner, flops) = build(name, toml, *dim, *rounds);
        let blocked = seconds(|| play(&mut *learner, &inputs, &targets));
        let (mut learner, _) = build(name, toml, *dim, *rounds);
        let single = seconds(|| one_by_one(&mut *learner, &inputs, &targets));
        let micro = |seconds: f64| seconds * 1e6 / *rounds as f64;
        println!(
            "{name} {{{toml}}}, {dim}, {rounds}: {:.2} / {:.2}, {:.1} ({:.0}%)",
            micro(blocked),
            micro(single),
            flops / blocked / 1e9,
            100.0 * flops / blocked / gemm
        );
    }
    if "pkawv-nystrom".contains(&filter) {
        nystrom_rounds();
    }
}

/// Time per round of the Nystrom learner once its dictionary of m points is complete, against the m^2 + m d that a
/// round takes: the last column stays within a small factor while m grows.
fn nystrom_rounds() {
    let (dim, rounds) = (9, 6_000);
    let (inputs, targets) = data(dim, rounds);
    println!("pkawv-nystrom, {dim} columns: m, microseconds per round, nanoseconds per round and unit of m^2 + m d");
    for mu in [100.0, 10.0, 1.0, 0.3, 0.1, 0.03] {
        let (mut learner, _) = build("pkawv-nystrom", &format!("mu = {mu:?}"), dim, rounds);
        play(&mut *learner, &inputs, &targets);
        let points = |learner: &dyn Learner| learner.gauges().stored_points.unwrap_or(0) as f64;
        let before = points(&*learner);
        // The same rounds again: hardly any point is new to the dictionary.
        let spent = seconds(|| play(&mut *learner, &inputs, &targets)) / rounds as f64;
        let m = (before + points(&*learner)) / 2.0;
        println!("{m:.0}, {:.2}, {:.2}", 1e6 * spent, 1e9 * spent / (m * m + m * dim as f64));
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

/// Operations per second of a product of 512 x 512 matrices: the best of five.
fn gemm_rate() -> f64 {
    let n = 512;
    let (a, b) = (vec![1.0; n * n], vec![0.5; n * n]);
    let mut c = vec![0.0; n * n];
    let mut once = || seconds(|| product(view_mut(&mut c, n, n, n), view(&a, n, n, n), view(black_box(&b), n, n, n)));
    2.0 * (n * n * n) as f64 / (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn data(dim: usize, rounds: usize) -> (Matrix, Vec<f64>) {
    let mut draw = Draws::named(&["bench"]).at(Role::Example, 0);
    let mut inputs = Matrix::zeros(rounds, dim);
    inputs.data_mut().iter_mut().for_each(|x| *x = draw.uniform());
    let targets = inputs.view().iter().map(|x| x.iter().sum::<f64>().sin()).collect();
    (inputs, targets)
}

fn build(name: &str, toml: &str, dim: usize, rounds: usize) -> (Box<dyn Learner>, f64) {
    let entry = find(name).expect("a registered learner");
    let params = check(entry.params, &toml.parse().expect("TOML"), "", &AllParts).expect("legal parameters");
    let setting = Setting { dim, horizon: Some(rounds as u64), draws: Draws::named(&["bench"]) };
    let flops = (entry.cost)(&params, rounds as u64, dim).flops;
    match (entry.build)(&params, &setting).expect("a learner") {
        AnyLearner::Full(learner) => (learner, flops),
        AnyLearner::Noisy(_) => unreachable!("{name} plays the noisy protocol"),
    }
}

fn play(learner: &mut dyn Learner, inputs: &Matrix, targets: &[f64]) {
    let mut predictions = vec![0.0; targets.len()];
    for from in (0..targets.len()).step_by(BLOCK) {
        let to = targets.len().min(from + BLOCK);
        let block = Block { first_round: from as u64 + 1, inputs: inputs.slice(from, to), targets: &targets[from..to] };
        learner.play(block, &Draws::named(&[]), &mut predictions[from..to]).expect("no breakdown");
    }
    black_box(predictions);
}

fn one_by_one(learner: &mut dyn Learner, inputs: &Matrix, targets: &[f64]) {
    let draw = &mut Draws::named(&[]).at(Role::Learn, 0);
    for (x, y) in inputs.view().iter().zip(targets) {
        learner.attend(x, draw).expect("no breakdown");
        black_box(learner.predict(x, draw));
        learner.learn(x, *y, draw).expect("no breakdown");
    }
}
