//! Bounds and exponents of the PKAWV paper, and its adversary's objective, against reference values.

use std::sync::Arc;

use noregret_core::stream::greedy_adversary::{ComparatorLoss, RidgeHindsight};
use noregret_numeric::linalg::eigen;
use noregret_numeric::linalg::vector::dot;
use noregret_papers::pkawv::bounds::{self, Algorithm};

use super::*;
use crate::splitmix::SplitMix64;

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap()
}

fn rows(case: &Case) -> &[Value] {
    case.0["expected"]["rows"].as_array().unwrap()
}

#[test]
fn exponents_of_figure_1() {
    for case in Case::of(PKAWV, "figure1_exponents") {
        for row in rows(&case) {
            let (gamma, size) = (number(row, "gamma"), number(row, "a"));
            for (algorithm, name) in [
                (Algorithm::Pkawv, "pkawv"),
                (Algorithm::Beforehand, "beforehand"),
                (Algorithm::SketchedKons, "sketched_kons"),
                (Algorithm::ProsNKons, "pros_n_kons"),
            ] {
                let (found, expected) = (algorithm.exponent(gamma, size), number(row, name));
                assert!((found - expected).abs() < 1e-12, "{name}, {gamma}, {size}: {found} {expected}");
            }
        }
    }
}

#[test]
fn orders_of_theorem_4() {
    for case in Case::of(PKAWV, "theorem4_order") {
        for row in rows(&case) {
            let [n, lambda, radius, bandwidth] = ["n", "lambda", "R", "bandwidth"].map(|name| number(row, name));
            assert_eq!(bounds::taylor_order(n, lambda, radius, bandwidth), number(row, "M"), "{row}");
        }
    }
}

/// The bound of Theorem 3 over Taylor features, with its mu and its comparator, and the regret that it bounds.
#[test]
fn bound_of_theorem_3() {
    for case in Case::of(PKAWV, "theorem3_bound") {
        let (x, y) = (case.input("X"), case.vector("y"));
        let (lambda, bandwidth, bound) = (case.param("lambda"), case.param("bandwidth"), case.param("B"));
        let order = case.param("order") as usize;
        let n = y.len();
        let kernel = Gaussian::new(bandwidth);
        let map = Taylor::new(x.cols(), order, bandwidth).unwrap();
        let mut features = Matrix::zeros(n, map.features());
        map.write_rows(x.view(), features.data_mut());
        let mut left = vec![0.0; n * n];
        kernel.gram(x.view(), x.view(), &mut left);
        for i in 0..n {
            for j in 0..n {
                left[i * n + j] -= dot(features.row(i), features.row(j));
            }
        }
        let mu = eigen::symmetric(&left, n, false).unwrap().values[n - 1];
        let best = penalised::over_kernel(&kernel, x.view(), &y, lambda, &[n]).unwrap()[0];
        let log_det = Spectrum::of(&kernel, x.view()).unwrap().log_det(lambda);
        let found = bounds::kernel_awv_regret(lambda, best.squared_norm, bound, log_det)
            + bounds::fixed_subspace_cost(n as f64, lambda, bound, mu);
        case.check("mu", &[mu]);
        case.check("comparator_norm2", &[best.squared_norm]);
        case.check("comparator_loss", &[best.loss]);
        case.check("bound", &[found]);
        let toml = format!("lambda = {lambda:?}\nbandwidth = {bandwidth:?}\norder = {order}");
        let forecasts = play(&mut *cases::build("pkawv-taylor", &toml, x.cols()), &x, &y, 7);
        let regret = forecasts.iter().zip(&y).map(|(p, y)| (p - y).powi(2)).sum::<f64>() - best.loss;
        case.check("regret", &[regret]);
        assert!(regret <= found, "{regret} {found}");
    }
}

/// Propositions 1 and 2 and Theorem 6 on runs of their learners.
#[test]
fn measured_regrets_are_below_the_bounds() {
    let (data, kernel) = (cases::data(2, 400), Gaussian::new(0.5));
    let bound = cases::scale(&data.targets);
    let spectrum = Spectrum::of(&kernel, data.inputs.view()).unwrap();
    for lambda in [0.1, 1.0, 10.0] {
        let best = penalised::over_kernel(&kernel, data.inputs.view(), &data.targets, lambda, &[400]).unwrap()[0];
        let regret = |name: &str, toml: &str| {
            let mut learner =
                cases::build(name, &format!("lambda = {lambda:?}\nkernel = {{ bandwidth = 0.5 }}\n{toml}"), 2);
            let found = play(&mut *learner, &data.inputs, &data.targets, 100);
            let loss: f64 = found.iter().zip(&data.targets).map(|(p, y)| (p - y).powi(2)).sum();
            (loss - best.loss, learner.gauges().stored_points.unwrap_or(0) as f64)
        };
        let (log_det, effective) = (spectrum.log_det(lambda), spectrum.effective_dimension(lambda));
        let above = bounds::log_det(400.0, lambda, 1.0, effective);
        assert!(log_det <= above, "lambda {lambda}: {log_det} {above}");
        let exact = bounds::kernel_awv_regret(lambda, best.squared_norm, bound, log_det);
        let (awv, _) = regret("kernel-awv", "");
        assert!(awv <= exact, "lambda {lambda}: {awv} {exact}");
        // A bound that is larger by a factor of 100 would not test the formula.
        assert!(awv > 0.01 * exact, "lambda {lambda}: {awv} {exact}");
        // The beta of the theory keeps nearly every point of so short a run, at any mu.
        let beta = bounds::kors_beta(400.0, 0.05);
        for mu in [1e-3 * lambda, 0.1 * lambda] {
            let (found, points) = regret("pkawv-nystrom", &format!("mu = {mu:?}\nbeta = {beta:?}"));
            let sequential =
                bounds::sequential_dictionary_regret(400.0, lambda, mu, best.squared_norm, bound, log_det, points);
            assert!(found <= sequential, "lambda {lambda}, mu {mu}: {found} {sequential}");
            let size = bounds::dictionary_size(beta, 0.5, spectrum.log_det(mu));
            assert!(points <= size, "lambda {lambda}, mu {mu}: {points} {size}");
        }
    }
}

#[test]
fn objective_of_the_adversary() {
    for case in Case::of(PKAWV, "adversary_objective") {
        let (x, y, candidates) = (case.input("X"), case.vector("y"), case.input("candidates"));
        let toml =
            format!("lambda = {:?}\nkernel = {{ bandwidth = {:?} }}", case.param("lambda"), case.param("bandwidth"));
        let awv = case.0["params"]["forecaster"] == "awv";
        let mut learner = cases::build(if awv { "kernel-awv" } else { "kernel-ridge" }, &toml, x.cols());
        let forecasts = play(&mut *learner, &x, &y, 5);
        let past: f64 = forecasts.iter().zip(&y).map(|(p, y)| (p - y).powi(2)).sum();
        for (field, against) in [("insample", ComparatorLoss::InSample), ("penalised", ComparatorLoss::Penalised)] {
            let kernel = Arc::new(Gaussian::new(case.param("bandwidth")));
            let mut hindsight = RidgeHindsight::new(kernel, case.param("oracle_lambda"), against, x.cols());
            x.view().iter().zip(&y).for_each(|(x, y)| hindsight.push(x, *y));
            let objective = |candidate: &[f64]| {
                let (x, y) = candidate.split_at(x.cols());
                let said = learner.predict(x, &mut cases::draws().at(noregret_numeric::draw::Role::Predict, 13));
                past + (said - y[0]).powi(2) - hindsight.with(x, y[0])
            };
            case.check(field, &candidates.view().iter().map(objective).collect::<Vec<_>>());
        }
    }
}

/// The generator that gave the uniforms of other cases and the order of the baselines.
#[test]
fn splitmix64() {
    for case in Case::of(PKAWV, "splitmix64") {
        let seed = case.0["params"]["seed"].as_u64().unwrap();
        let words = case.0["expected"]["u64_as_strings"].as_array().unwrap();
        let mut random = SplitMix64(seed);
        for word in words {
            assert_eq!(random.next().to_string(), word.as_str().unwrap());
        }
        let mut random = SplitMix64(seed);
        let uniforms = case.expected("uniforms");
        let found: Vec<f64> = uniforms.iter().map(|_| random.uniform()).collect();
        // The file's decimals are read up to one unit in the last place.
        assert_close(&found, &uniforms, 1e-15, case.name());
        let order: Vec<f64> = SplitMix64(seed).permutation(20).into_iter().map(|i| i as f64).collect();
        assert_eq!(order, case.expected("permutation_20"));
        let mut random = SplitMix64(seed);
        case.check("normals", &[random.normals(), random.normals(), random.normals()].concat());
    }
}
