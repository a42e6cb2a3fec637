//! Shared by the benchmarks: clocks, the machine's rates, data, and learners from the registry.

use std::collections::HashMap;
use std::ffi::OsString;
use std::hint::black_box;
use std::sync::Arc;

use noregret_core::learner::LEARNERS;
use noregret_core::learner::api::{AnyLearner, Block, Learner, LearnerEntry, OracleLearner, Setting};
use noregret_core::noise::NOISES;
use noregret_core::noise::api::NoiseLaw;
use noregret_core::params::{Params, check::check};
use noregret_core::parts::AllParts;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::Player;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::dense::{product, view, view_mut};
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::dot;
use rustix::time::{ClockId, clock_gettime};

/// The number of rounds that are passed to a learner at once.
pub const BLOCK: usize = 256;

fn now(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Processor time of this thread in seconds. On a shared machine, wall-clock time would include other work.
pub fn seconds<R>(work: impl FnOnce() -> R) -> f64 {
    let start = now(ClockId::ThreadCPUTime);
    black_box(work());
    now(ClockId::ThreadCPUTime) - start
}

/// Processor time of all threads and wall-clock time, in seconds.
pub fn process_seconds<R>(work: impl FnOnce() -> R) -> (f64, f64) {
    let start = (now(ClockId::ProcessCPUTime), now(ClockId::Monotonic));
    black_box(work());
    (now(ClockId::ProcessCPUTime) - start.0, now(ClockId::Monotonic) - start.1)
}

/// Processor time of the thread that spends most on `work`, in seconds, among the threads that live before and after
/// it. This is what the wall-clock time would be without other work and without waiting. NaN if the system does not
/// report it.
pub fn busiest_thread<R>(work: impl FnOnce() -> R) -> f64 {
    let spent = || -> HashMap<OsString, f64> {
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let one = |task: std::fs::DirEntry| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            Some((task.file_name(), 1e-9 * text.split_whitespace().next()?.parse::<f64>().ok()?))
        };
        tasks.filter_map(one).collect()
    };
    let before = spent();
    black_box(work());
    let grown = spent().into_iter().map(|(task, after)| after - before.get(&task).copied().unwrap_or(0.0));
    grown.fold(f64::NAN, f64::max)
}

/// The least of several times, which `work` returns.
pub fn best(times: usize, mut work: impl FnMut() -> f64) -> f64 {
    (0..times).fold(f64::INFINITY, |least, _| least.min(work()))
}

/// The rates of the machine on one core.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Floating-point operations per second of a product of 512 x 512 matrices.
    pub product: f64,
    /// Bytes per second read from a vector of 64 MiB.
    pub memory: f64,
}

impl Rates {
    /// The best rates of a few measurements.
    pub fn measure() -> Self {
        let far = vec![1.0; 8 << 20];
        let read = best(3, || seconds(|| dot(&far, black_box(&far))));
        Self { product: product_rate(5), memory: (64 << 20) as f64 / read }
    }
}

/// Floating-point operations per second of a product of 512 x 512 matrices: the best of `times` measurements.
pub fn product_rate(times: usize) -> f64 {
    let n = 512;
    let (a, b) = (vec![1.0; n * n], vec![0.5; n * n]);
    let mut c = vec![0.0; n * n];
    let once = || seconds(|| product(view_mut(&mut c, n, n, n), view(&a, n, n, n), view(black_box(&b), n, n, n)));
    2.0 * (n * n * n) as f64 / best(times, once)
}

/// The least seconds of `work` and the best rate of a matrix product. They are measured in turns, so that anything that
/// slows the machine down for a while affects both.
pub fn beside_product(times: usize, mut work: impl FnMut() -> f64) -> (f64, f64) {
    (0..times).fold((f64::INFINITY, 0.0), |(least, rate): (f64, f64), _| {
        let before = product_rate(2);
        (least.min(work()), rate.max(before).max(product_rate(2)))
    })
}

/// The least seconds that `count` numbers take with `operations` additions, multiplications, fused pairs of them or bit
/// operations each, all in registers of full width: as many of these start in a cycle as fused pairs in a matrix product,
/// whose rate is `product`.
pub fn floor(operations: f64, count: f64, product: f64) -> f64 {
    2.0 * operations * count / product
}

/// Uniform inputs in [0, 1]^`dim` and a smooth target.
pub fn data(dim: usize, rounds: usize) -> (Matrix, Vec<f64>) {
    let mut draw = Draws::named(&["bench"]).at(Role::Example, 0);
    let mut inputs = Matrix::zeros(rounds, dim);
    inputs.data_mut().iter_mut().for_each(|x| *x = draw.uniform());
    let targets = inputs.view().iter().map(|x| x.iter().sum::<f64>().sin()).collect();
    (inputs, targets)
}

/// A registered learner with the parameters in `toml`.
pub fn parameters(name: &str, toml: &str) -> (&'static LearnerEntry, Params) {
    let entry = LEARNERS.get(name).expect("a registered learner");
    (entry, check(entry.params, &toml.parse::<toml::Table>().expect("TOML"), "", &AllParts).expect("legal parameters"))
}

/// Builds a learner for `rounds` rounds.
pub fn any(name: &str, toml: &str, dim: usize, rounds: usize) -> AnyLearner {
    let (entry, params) = parameters(name, toml);
    let setting = Setting { dim, horizon: Some(rounds as u64), draws: Draws::named(&["bench"]) };
    (entry.build.learner)(&params, &setting).expect("a learner")
}

/// Builds a learner of the full-information protocol.
pub fn full(name: &str, toml: &str, dim: usize, rounds: usize) -> Box<dyn Learner> {
    match any(name, toml, dim, rounds) {
        AnyLearner::Full(learner) => learner,
        AnyLearner::Noisy(_) => unreachable!("{name} plays the noisy protocol"),
    }
}

/// Plays all rounds in blocks of `size`; returns the sum of squared losses.
pub fn play(learner: &mut dyn Learner, inputs: &Matrix, targets: &[f64], size: usize) -> f64 {
    let draws = Draws::named(&[]);
    if learner.foresees() {
        learner.foresee(inputs.view(), &draws).expect("no breakdown");
    }
    let mut predictions = vec![0.0; targets.len()];
    for from in (0..targets.len()).step_by(size) {
        let to = targets.len().min(from + size);
        let block = Block { first_round: from as u64 + 1, inputs: inputs.slice(from, to), targets: &targets[from..to] };
        learner.play(block, &draws, &mut predictions[from..to]).expect("no breakdown");
    }
    predictions.iter().zip(targets).map(|(p, y)| (p - y) * (p - y)).sum()
}

/// Gaussian noise with this standard deviation.
fn noise(deviation: f64) -> Arc<dyn NoiseLaw> {
    let entry = NOISES.get("gaussian").expect("a registered law");
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
    black_box(predictions);
}

/// The least-squares slope of log `y` on log `x`.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(|point| of(point).ln()).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = points.iter().map(|point| (point.0.ln() - x) * (point.1.ln() - y)).sum();
    covariance / points.iter().map(|point| (point.0.ln() - x).powi(2)).sum::<f64>()
}
