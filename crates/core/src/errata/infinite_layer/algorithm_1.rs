//! Algorithm 1: the sign of the step.

use crate::draw::{Draws, Role};
use crate::errata::api::{Erratum, Paper, Quantity, Relation};
use crate::errata::infinite_layer::sign_features::{Point, kernel, normal};

pub static ERRATUM: Erratum = Erratum {
    id: "iln-algorithm-1",
    paper: Paper::InfiniteLayer,
    place: "Algorithm 1",
    printed: "alpha_t = eta (E_t - y_t)",
    corrected: "alpha_t = -eta (E_t - y_t)",
    method: "The regret of both forms against a fixed function of norm 1, with the exact kernel of sign features in \
             place of the estimate, T = 512, B = 1, eta = B / sqrt(T); with exact values the regret is at most (B^2 / \
             eta + eta T) / (2 (1 - eta))",
    module: module_path!(),
    decide,
};

const ROUNDS: usize = 512;
const CENTRES: usize = 8;

/// The regret against `target`, whose values at the inputs are given, with alpha_t = sign eta (E_t - y_t).
fn regret(inputs: &[Point], targets: &[f64], best: &[f64], eta: f64, sign: f64) -> f64 {
    let mut alpha: Vec<f64> = Vec::with_capacity(inputs.len());
    let mut regret = 0.0;
    for (t, x) in inputs.iter().enumerate() {
        let value: f64 = alpha.iter().zip(inputs).map(|(alpha, past)| alpha * kernel(past, x)).sum();
        regret += 0.5 * (value - targets[t]).powi(2) - 0.5 * (best[t] - targets[t]).powi(2);
        if value.abs() < 16.0 {
            alpha.push(sign * eta * (value - targets[t]));
        } else {
            alpha.iter_mut().for_each(|alpha| *alpha *= 0.25);
            alpha.push(0.0);
        }
    }
    regret
}

fn decide(draws: &Draws) -> Vec<Quantity> {
    let mut draw = draws.at(Role::Example, 1);
    let centres: Vec<Point> = (0..CENTRES).map(|_| normal(&mut draw)).collect();
    let weights: Vec<f64> = (0..CENTRES).map(|_| draw.normal()).collect();
    let value = |x: &Point| centres.iter().zip(&weights).map(|(z, c)| c * kernel(z, x)).sum::<f64>();
    let norm = centres.iter().zip(&weights).map(|(z, c)| c * value(z)).sum::<f64>().sqrt();
    let inputs: Vec<Point> = (0..ROUNDS).map(|_| normal(&mut draw)).collect();
    let best: Vec<f64> = inputs.iter().map(|x| value(x) / norm).collect();
    // P(y = 1) = (1 + f(x)) / 2, so that f is the regression function.
    let targets: Vec<f64> = best.iter().map(|f| if draw.uniform() < 0.5 * (1.0 + f) { 1.0 } else { -1.0 }).collect();
    let eta = 1.0 / (ROUNDS as f64).sqrt();
    let bound = (1.0 / eta + eta * ROUNDS as f64) / (2.0 * (1.0 - eta));
    let [printed, corrected] = [1.0, -1.0].map(|sign| regret(&inputs, &targets, &best, eta, sign));
    let what = "bound on the regret, which must be at least the regret";
    vec![Quantity::exact(what, Relation::AtLeast, printed, corrected, bound, 1e-9)]
}
