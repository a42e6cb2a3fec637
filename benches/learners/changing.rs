//! Learners of changing targets and online logistic regression, beside what bounds them: the learner that forgets nothing,
//! the experts of a mixture, the passes over a matrix that no implementation can leave out, a matrix product.

use std::hint::black_box;

use noregret_core::learner::combine::discount_mixture::memories;
use noregret_numeric::linalg::matrix::Matrix;
use noregret_numeric::linalg::vector::add_scaled;

use crate::Line;
use crate::common::{BLOCK, beside_product, best, data, full, parameters, play, seconds};

const DIM: usize = 18;
/// Taylor features of order 2 in 18 dimensions.
const FEATURES: usize = 190;
/// The grid of memories for so many rounds has 16.
const ROUNDS: usize = 8192;

/// Seconds of one run of a learner over these rounds.
fn run_of(name: &str, toml: &str, inputs: &Matrix, targets: &[f64]) -> f64 {
    let mut learner = full(name, &format!("order = 2\n{toml}"), DIM, targets.len());
    seconds(|| play(&mut *learner, inputs, targets, BLOCK))
}

/// The least seconds of each of two works, measured in turns.
fn in_turns(times: usize, one: impl Fn() -> f64, other: impl Fn() -> f64) -> [f64; 2] {
    (0..times).fold([f64::INFINITY; 2], |[a, b], _| [a.min(one()), b.min(other())])
}

/// Seconds of what a round over one triangle of a matrix must move: two that are read, one of which is written.
fn passes() -> f64 {
    let size = FEATURES * (FEATURES + 1) / 2;
    let (mut triangle, other) = (vec![1.0; size], vec![0.5; size]);
    let rounds = 200;
    let spent =
        best(8, || seconds(|| (0..rounds).for_each(|_| add_scaled(black_box(&mut triangle), 1e-3, black_box(&other)))));
    spent / f64::from(rounds)
}

/// Prints the times; returns their lines of the final table.
pub fn run() -> Vec<Line> {
    let (inputs, targets) = data(DIM, ROUNDS);
    let labels: Vec<f64> = targets.iter().map(|y| if *y > 0.0 { 1.0 } else { -1.0 }).collect();
    let micro = |seconds: f64| 1e6 * seconds / ROUNDS as f64;
    println!("\nlearners of changing targets, r = {FEATURES}: microseconds a round");
    let discounted = |memory: f64| {
        let memory = if memory.is_finite() { format!("memory = {memory:?}") } else { "memory = 'infinite'".into() };
        run_of("discounted-awv-taylor", &memory, &inputs, &targets)
    };
    let mut lines = Vec::new();
    for memory in [100.0, 300.0, 1000.0] {
        let [forgetting, plain] = in_turns(8, || discounted(memory), || run_of("pkawv-taylor", "", &inputs, &targets));
        println!("discounted, memory {memory}: {:.2}, pkawv: {:.2}", micro(forgetting), micro(plain));
        let what = format!("discounted-awv-taylor, memory {memory}: time relative to pkawv-taylor, r = {FEATURES}");
        lines.push(Line::new(what, true, 1.15, forgetting / plain, ""));
    }
    let memories = memories(ROUNDS as u64);
    let [mixture, experts] = in_turns(
        3,
        || run_of("discount-mixture", "bound = 1", &inputs, &targets),
        || memories.iter().map(|memory| discounted(*memory)).sum(),
    );
    println!("mixture: {:.2}, its {} experts alone: {:.2}", micro(mixture), memories.len(), micro(experts));
    let what = format!("discount-mixture: time relative to the sum of its {} experts", memories.len());
    lines.push(Line::new(what, true, 1.3, mixture / experts, ""));

    let [tracking, floor] =
        in_turns(8, || run_of("tracking-awv-taylor", "", &inputs, &targets) / ROUNDS as f64, passes);
    println!("tracking: {:.2}, its passes over the matrix: {:.2}", 1e6 * tracking, 1e6 * floor);
    let what = format!("tracking-awv-taylor, r = {FEATURES}: share of the rate at which its matrix can be moved");
    lines.push(Line::new(what, false, 40.0, 100.0 * floor / tracking, " %"));

    let (logistic, product) = beside_product(5, || run_of("aioli-taylor", "", &inputs, &labels));
    let (entry, params) = parameters("aioli-taylor", "order = 2");
    let flops = (entry.build.cost)(&params, ROUNDS as u64, DIM).flops;
    println!("aioli: {:.2}, {:.1} Gflop/s beside {:.1}", micro(logistic), 1e-9 * flops / logistic, 1e-9 * product);
    let what = format!("aioli-taylor, r = {FEATURES}: share of a matrix product");
    lines.push(Line::new(what, false, 40.0, 100.0 * flops / logistic / product, " %"));
    lines
}
