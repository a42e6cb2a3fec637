//! Times of the learners relative to the rates of the machine in the same run: `cargo bench --bench learners [--
//! PART...]`. Parts are rounds, growth, rates, kernels, aggregate, auto, changing, two, grid, million, casp and
//! predictions; the default is all.
//! At the end, it prints the table of aims and measurements.

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "each benchmark uses a part")]
mod common;

mod aggregate;
mod auto;
mod casp;
mod changing;
mod growth;
mod kernels;
mod million;
mod predictions;
mod rates;
mod rounds;
mod two;

use common::Rates;

/// An aim, and what was measured.
pub struct Line {
    what: String,
    aim: String,
    measured: String,
    reached: bool,
}

impl Line {
    /// An aim of at least `aim` or, if `at_most`, of at most `aim`. `unit` follows the numbers.
    pub fn new(what: impl Into<String>, at_most: bool, aim: f64, measured: f64, unit: &str) -> Self {
        let sign = if at_most { "≤" } else { "≥" };
        Self {
            what: what.into(),
            aim: format!("{sign} {aim}{unit}"),
            measured: format!("{measured:.*}{unit}", if measured < 20.0 { 2 } else { 0 }),
            reached: if at_most { measured <= aim } else { measured >= aim },
        }
    }
}

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wanted = |name: &str| parts.is_empty() || parts.iter().any(|part| part == name);
    let machine = Rates::measure();
    println!(
        "matrix product: {:.1} Gflop/s on one core; memory: {:.1} GB/s read",
        machine.product / 1e9,
        machine.memory / 1e9
    );
    let mut lines = Vec::new();
    if wanted("rounds") {
        rounds::run(machine);
    }
    if wanted("growth") {
        growth::run();
    }
    if wanted("rates") {
        lines.extend(rates::run());
    }
    if wanted("kernels") {
        lines.extend(kernels::run());
    }
    if wanted("aggregate") {
        lines.extend(aggregate::run());
    }
    if wanted("auto") {
        lines.extend(auto::run());
    }
    if wanted("changing") {
        lines.extend(changing::run());
    }
    if wanted("two") {
        lines.extend(two::exact());
    }
    if wanted("grid") {
        lines.extend(two::grid());
    }
    if wanted("casp") {
        lines.extend(casp::run());
    }
    if wanted("predictions") {
        lines.extend(predictions::run());
    }
    if wanted("million") {
        lines.extend(million::run());
    }
    if !lines.is_empty() {
        println!("\n| what | aim | measured | |\n| --- | --- | --- | --- |");
        for Line { what, aim, measured, reached } in &lines {
            println!("| {what} | {aim} | {measured} | {} |", if *reached { "" } else { "missed" });
        }
    }
}
