//! Times of robust-ogd over 8,192 rounds, on the circle and with a Gaussian kernel in nine dimensions, of the exact
//! errors of its result, and of batch gradient descent: `cargo bench --bench robust`.

#[path = "common/mod.rs"]
#[allow(dead_code, reason = "each benchmark uses a part")]
mod common;

use noregret_core::stream::circle::errors::Errors;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::bernoulli::BernoulliSeries;
use noregret_numeric::linalg::matrix::Matrix;

use common::{BLOCK, full, play, seconds};

const ROUNDS: usize = 8192;

/// (learner, parameters, input columns, rounds, aim in seconds on one core)
const CASES: &[(&str, &str, usize, usize, f64)] = &[
    ("robust-ogd", "eta = 0.002\nkernel = 'sobolev-periodic'", 1, ROUNDS, 0.3),
    ("robust-ogd", "eta = 0.002\nkernel = { name = 'sobolev-periodic', smoothness = 3 }", 1, ROUNDS, 0.3),
    ("robust-ogd", "eta = 0.2\nkernel = { name = 'gaussian', bandwidth = 2.1 }", 9, ROUNDS, 0.6),
    (
        "robust-batch",
        "eta = 0.2\nstopping = 8\nregularity = 1.25\ncapacity = 0.5\nkernel = 'sobolev-periodic'",
        1,
        1024,
        0.3,
    ),
];

fn main() {
    println!("learner, dim, rounds: seconds of processor time (target), nanoseconds per pair of points");
    for (name, toml, dim, rounds, target) in CASES {
        let mut draw = Draws::named(&["bench"]).at(Role::Example, 0);
        let mut inputs = Matrix::zeros(*rounds, *dim);
        inputs.data_mut().iter_mut().for_each(|x| *x = draw.uniform());
        let targets: Vec<f64> =
            inputs.view().iter().map(|x| x.iter().sum::<f64>().sin() + 0.1 * draw.normal()).collect();
        let mut learner = full(name, toml, *dim, *rounds);
        let spent = seconds(|| play(&mut *learner, &inputs, &targets, BLOCK));
        let pairs = (*rounds as f64).powi(2) / 2.0;
        println!(
            "{name} {{{}}}, {dim}, {rounds}: {spent:.3} s ({target} s), {:.2} ns",
            toml.replace('\n', ", "),
            spent / pairs * 1e9
        );
        if toml.ends_with("'sobolev-periodic'") && *name == "robust-ogd" {
            let errors = Errors::new(&BernoulliSeries::new(0.0, &[(3, 0.5)]).expect("a series"), 1).expect("errors");
            let spent = seconds(|| errors.measures(&*learner, &Draws::named(&[])));
            println!("exact errors of its last and averaged iterate: {spent:.3} s");
        }
    }
}
