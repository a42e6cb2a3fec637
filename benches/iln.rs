//! Nanoseconds per draw of shrinking-gradient, for each feature family: `cargo bench --bench iln [-- FILTER]`. A draw
//! is an index from the prefix sums, the weights of a neuron, two evaluations and the product. The time of the random
//! numbers alone, and the ratio, are printed too. The aim is 60 ns for the cosine family in 6 dimensions.

#[path = "common/mod.rs"]
#[allow(dead_code, reason = "each benchmark uses a part")]
mod common;

use std::hint::black_box;

use noregret_core::feature::FAMILIES;
use noregret_core::learner::api::{Hypothesis, Learner};
use noregret_core::learner::layers::draw_count::{DrawCount, Precision};
use noregret_core::learner::layers::shrinking_gradient::ShrinkingGradient;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_numeric::draw::{Draws, Role};

use common::{best, seconds};

/// The number of rounds played before draws are timed, which is the number of entries of the binary search.
const ROUNDS: u64 = 2_048;

/// The number of draws per estimate, as with m = T.
const DRAWS: u64 = 2_048;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    println!("family, dim: ns per draw (ns for as many normal and uniform numbers; ratio)");
    for (name, dim) in [
        ("cosine", 6),
        ("cosine", 24),
        ("erf", 4),
        ("sign", 4),
        ("step", 4),
        ("relu-sphere", 4),
        ("clipped-relu", 4),
        ("tanh2", 4),
        ("conv1d", 16),
        ("discrete", 4),
    ] {
        if !name.contains(&filter) {
            continue;
        }
        let Some(entry) = FAMILIES.iter().find(|entry| entry.name == name) else { continue };
        let Ok(params) = check(entry.params, &toml::Table::new(), "", &AllParts) else { continue };
        let Ok(family) = (entry.build)(&params) else { continue };
        let numbers = family.weights(dim);
        let draws = Draws::named(&["bench"]);
        let mut learner = ShrinkingGradient::over(family, dim, 1.0, 0.02, DrawCount::Fixed(1), Precision::AsLearning);
        let mut draw = draws.at(Role::Example, 0);
        for round in 1..=ROUNDS {
            let x: Vec<f64> = (0..dim).map(|_| draw.normal()).collect();
            if learner.learn(&x, draw.sign(), &mut draws.at(Role::Learn, round)).is_err() {
                return println!("{name}: cannot go on");
            }
        }
        let width = learner.gauges().features.map_or(dim, |features| features as usize);
        let x: Vec<f64> = (0..width).map(|_| draw.normal()).collect();
        let estimates = least(|| {
            for _ in 0..50 {
                black_box(learner.estimate(&x, DRAWS, &mut draw));
            }
        });
        let mut draw = draws.at(Role::Example, 1);
        let random = least(|| {
            for _ in 0..50 * DRAWS {
                black_box((draw.uniform(), draw.uniform()));
                for _ in 1..numbers {
                    black_box(draw.normal());
                }
            }
        });
        let per_draw = |seconds: f64| 1e9 * seconds / (50 * DRAWS) as f64;
        let (own, random) = (per_draw(estimates), per_draw(random));
        println!("{name}, {dim}: {own:.1} ({random:.1}; {:.2})", own / random);
    }
}

/// The least of seven measured times.
fn least(mut work: impl FnMut()) -> f64 {
    best(7, || seconds(&mut work))
}
