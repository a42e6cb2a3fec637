//! Comparison with reference values from independent implementations and 40-digit recomputations (tests/vectors/), and
//! the identities between forecasters and comparators.

use noregret_core::comparator::effective_dimension::Spectrum;
use noregret_core::comparator::norm_ball::NormBall;
use noregret_core::comparator::penalised;
use noregret_core::feature::api::FeatureMap;
use noregret_core::feature::fourier::Fourier;
use noregret_core::feature::identity::IdentityMap;
use noregret_core::feature::taylor::Taylor;
use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::kernel::sobolev_periodic::SobolevPeriodic;
use noregret_core::learner::api::{Block, Hypothesis, Learner};
use noregret_core::learner::descent::fogd::Fogd;
use noregret_core::learner::ridge::fixed_features::FixedFeatures;
use noregret_core::learner::ridge::sequential::Forecast;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::matrix::Matrix;
use serde_json::Value;

use crate::laws::cases;

mod beyond;
mod bounds;
mod dictionaries;
mod forecasts;
mod iln;
mod linear;
mod losses;
mod mixtures;
mod noisy;
mod noisy_kernels;
mod one_copy;
mod predictive;
mod robust;

/// A reference case.
struct Case(Value);

impl Case {
    /// All cases of one algorithm; there is at least one.
    fn of(file: &str, algorithm: &str) -> Vec<Case> {
        let all: Vec<Value> = serde_json::from_str(file).unwrap();
        let cases: Vec<Case> = all.into_iter().filter(|case| case["algorithm"] == algorithm).map(Case).collect();
        assert!(!cases.is_empty(), "{algorithm}");
        cases
    }

    fn name(&self) -> &str {
        self.0["name"].as_str().unwrap()
    }

    fn param(&self, name: &str) -> f64 {
        self.0["params"][name].as_f64().unwrap()
    }

    fn input(&self, name: &str) -> Matrix {
        matrix(&self.0["inputs"][name])
    }

    fn vector(&self, name: &str) -> Vec<f64> {
        numbers(&self.0["inputs"][name])
    }

    fn expected(&self, name: &str) -> Vec<f64> {
        numbers(&self.0["expected"][name])
    }

    /// Compares with the expected values, relative to the largest of them.
    fn check(&self, name: &str, found: &[f64]) {
        let expected = self.expected(name);
        let tolerance = self.0["params"]["rtol"].as_f64().unwrap_or(1e-9).min(1e-9);
        assert_close(found, &expected, tolerance, &format!("{}: {name}", self.name()));
    }
}

/// All numbers of a nested list, or one number.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or_else(|| panic!("not a number: {other}"))],
    }
}

fn matrix(value: &Value) -> Matrix {
    let rows = value.as_array().unwrap();
    Matrix::from_data(rows.len(), rows[0].as_array().unwrap().len(), numbers(value)).unwrap()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0, |scale: f64, value| scale.max(value.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= tolerance * scale, "{what}[{i}]: {found} instead of {expected}");
    }
}

const PKAWV: &str = include_str!("../vectors/pkawv.json");
const CIRCLE: &str = include_str!("../vectors/circle_kernel.json");

/// Plays all rounds in blocks of `size`.
fn play(learner: &mut dyn Learner, x: &Matrix, y: &[f64], size: usize) -> Vec<f64> {
    cases::play(learner, x.view(), y, &cases::draws(), size).unwrap()
}

/// Checks the predictions of a learner, round by round and in blocks.
fn check_learner(case: &Case, field: &str, inputs: &str, mut build: impl FnMut(usize) -> Box<dyn Learner>) {
    let (x, y) = (case.input(inputs), case.vector("y"));
    for size in [1, 7, y.len()] {
        case.check(field, &play(&mut *build(x.cols()), &x, &y, size));
    }
}

#[test]
fn taylor_features() {
    for case in Case::of(PKAWV, "taylor_features") {
        let x = case.input("X");
        let map = Taylor::new(x.cols(), case.param("order") as usize, case.param("bandwidth")).unwrap();
        let indices: Vec<f64> = map.multi_indices().concat().into_iter().map(f64::from).collect();
        assert_eq!(indices, case.expected("multi_indices"), "{}", case.name());
        let mut features = vec![0.0; x.rows() * map.features()];
        map.write_rows(x.view(), &mut features);
        case.check("features", &features);
        // Features span hundreds of orders of magnitude, so each is compared relative to itself.
        for (found, expected) in features.iter().zip(case.expected("features")) {
            assert!((found - expected).abs() <= 1e-9 * expected.abs() + 1e-300, "{}: {found} {expected}", case.name());
        }
    }
}

fn check_gram(case: &Case, field: &str, kernel: &dyn Kernel, x: &Matrix, z: &Matrix) {
    let mut gram = vec![0.0; x.rows() * z.rows()];
    kernel.gram(x.view(), z.view(), &mut gram);
    case.check(field, &gram);
}

#[test]
fn gaussian_kernel() {
    for case in Case::of(PKAWV, "gaussian_kernel") {
        check_gram(&case, "K", &Gaussian::new(case.param("bandwidth")), &case.input("X"), &case.input("Z"));
    }
}

#[test]
fn periodic_spline_kernel() {
    for case in Case::of(PKAWV, "periodic_spline_kernel") {
        let kernel = SobolevPeriodic::new(case.param("s") as u64, true).unwrap();
        check_gram(&case, "K", &kernel, &case.input("X"), &case.input("Z"));
    }
}

#[test]
fn circle_kernel() {
    for case in Case::of(CIRCLE, "circle_kernel") {
        let points = |name: &str| {
            let x = case.vector(name);
            Matrix::from_data(x.len(), 1, x).unwrap()
        };
        let smoothness = case.param("s") as u64;
        // The kernel of the q-th power of the integral operator has q times the smoothness.
        for (field, power) in [("K", 1), ("K2", 2), ("K3", 3)] {
            let kernel = SobolevPeriodic::new(power * smoothness, false).unwrap();
            check_gram(&case, field, &kernel, &points("x"), &points("xp"));
        }
        let largest = SobolevPeriodic::new(smoothness, false).unwrap().largest_diagonal().unwrap();
        case.check("kappa2", &[largest]);
    }
}

/// The exact forecaster of a case, built as from a configuration.
fn exact(case: &Case, name: &str, dim: usize) -> Box<dyn Learner> {
    let (lambda, bandwidth) = (case.param("lambda"), case.param("bandwidth"));
    cases::build(name, &format!("lambda = {lambda:?}\nkernel = {{ bandwidth = {bandwidth:?} }}"), dim)
}

#[test]
fn exact_forecasters() {
    for (algorithm, name) in [("krr", "kernel-ridge"), ("kernel_awv", "kernel-awv")] {
        for case in Case::of(PKAWV, algorithm) {
            check_learner(&case, "predictions", "X", |dim| exact(&case, name, dim));
        }
    }
    // h_t, from ridge = (1 + h) awv.
    for case in Case::of(PKAWV, "krr") {
        let (x, y) = (case.input("X"), case.vector("y"));
        let ridge = play(&mut *exact(&case, "kernel-ridge", x.cols()), &x, &y, 9);
        let awv = play(&mut *exact(&case, "kernel-awv", x.cols()), &x, &y, 9);
        let again: Vec<f64> = awv.iter().zip(case.expected("h")).map(|(awv, h)| awv * (1.0 + h)).collect();
        assert_close(&again, &ridge, 1e-9, case.name());
    }
}

#[test]
fn taylor_forecasters() {
    for (algorithm, name) in [("pkrr_taylor", "pkrr-taylor"), ("pkawv_taylor", "pkawv-taylor")] {
        for case in Case::of(PKAWV, algorithm) {
            let (lambda, bandwidth) = (case.param("lambda"), case.param("bandwidth"));
            let order = case.param("order");
            let toml = format!("lambda = {lambda:?}\nbandwidth = {bandwidth:?}\norder = {order}");
            check_learner(&case, "predictions", "X", |dim| {
                let learner = cases::build(name, &toml, dim);
                assert_eq!(learner.gauges().features.unwrap() as f64, case.expected("r")[0]);
                learner
            });
        }
    }
}

#[test]
fn linear_forecasters() {
    for case in Case::of(PKAWV, "linear_ridge_awv") {
        let lambda = case.param("lambda");
        for (field, forecast, name) in
            [("ridge", Forecast::Ridge, "kernel-ridge"), ("awv", Forecast::Awv, "kernel-awv")]
        {
            check_learner(&case, field, "Phi", |dim| {
                Box::new(FixedFeatures::new(forecast, Box::new(IdentityMap(dim)), lambda))
            });
            let toml = format!("lambda = {lambda:?}\nkernel = \"linear\"");
            check_learner(&case, field, "Phi", |dim| cases::build(name, &toml, dim));
        }
    }
}

#[test]
fn fogd() {
    for case in Case::of(PKAWV, "fogd") {
        let (frequencies, eta) = (case.input("frequencies"), case.param("eta"));
        assert_eq!(frequencies.rows() as f64, case.param("D"));
        check_learner(&case, "predictions", "X", |dim| Box::new(Fogd::over(eta, Fourier::new(&frequencies), dim)));
    }
}

#[test]
fn comparators() {
    for case in Case::of(PKAWV, "comparators") {
        let (x, y, lambda) = (case.input("X"), case.vector("y"), case.param("lambda"));
        let kernel = Gaussian::new(case.param("bandwidth"));
        let half = y.len() / 2;
        let horizons = [y.len(), half, 0];
        let found = penalised::over_kernel(&kernel, x.view(), &y, lambda, &horizons).unwrap();
        case.check("penalised", &[found[0].objective]);
        case.check("insample_loss_of_ridge", &[found[0].loss]);
        case.check("norm2_of_ridge", &[found[0].squared_norm]);
        // A shorter horizon is a separate problem.
        let alone = penalised::over_kernel(&kernel, x.slice(0, half), &y[..half], lambda, &[half]).unwrap();
        assert_close(&[found[1].objective, found[1].loss], &[alone[0].objective, alone[0].loss], 1e-13, "half");
        assert_eq!(found[2].objective, 0.0);
        let ball = NormBall::over_kernel(&kernel, x.view(), &y).unwrap();
        let losses: Vec<f64> = numbers(&case.0["params"]["radii"]).iter().map(|&radius| ball.loss(radius)).collect();
        case.check("ball_losses", &losses);
    }
}

#[test]
fn effective_dimension() {
    for case in Case::of(PKAWV, "effective_dimension") {
        let spectrum = Spectrum::of(&Gaussian::new(case.param("bandwidth")), case.input("X").view()).unwrap();
        let lambdas = numbers(&case.0["params"]["lambdas"]);
        let over = |quantity: &dyn Fn(f64) -> f64| lambdas.iter().map(|&lambda| quantity(lambda)).collect::<Vec<_>>();
        case.check("d_eff", &over(&|lambda| spectrum.effective_dimension(lambda)));
        case.check("log_det", &over(&|lambda| spectrum.log_det(lambda)));
    }
}

/// The identities that hold for ridge and AWV forecasts over any kernel:
/// sum (y - ridge)^2 / (1 + h) = L*, sum (y - awv)^2 - L* = sum [y^2 h / (1 + h) - h awv^2], and
/// sum log(1 + h) = log det(I + K / lambda), where 1 + h = ridge / awv.
#[test]
fn identities() {
    let data = cases::data(3, 300);
    let kernel = Gaussian::new(0.7);
    for lambda in [1.0, 0.05] {
        let toml = format!("lambda = {lambda:?}\nkernel = {{ bandwidth = 0.7 }}");
        let run = |name: &str| play(&mut *cases::build(name, &toml, 3), &data.inputs, &data.targets, 64);
        let (ridge, awv) = (run("kernel-ridge"), run("kernel-awv"));
        // The forecasts of the first round are 0 and do not determine h; there K is k(x, x) = 1.
        let h: Vec<f64> =
            ridge.iter().zip(&awv).map(|(r, a)| if *r == 0.0 { 1.0 / lambda } else { r / a - 1.0 }).collect();
        let rounds = || data.targets.iter().zip(&ridge).zip(&awv).zip(&h).map(|(((y, r), a), h)| (*y, *r, *a, *h));
        let best = penalised::over_kernel(&kernel, data.inputs.view(), &data.targets, lambda, &[300]).unwrap()[0];

        let weighted: f64 = rounds().map(|(y, r, _, h)| (y - r).powi(2) / (1.0 + h)).sum();
        assert_close(&[weighted], &[best.objective], 1e-12, "weighted loss");
        let loss: f64 = rounds().map(|(y, _, a, _)| (y - a).powi(2)).sum();
        let regret: f64 = rounds().map(|(y, _, a, h)| y * y * h / (1.0 + h) - h * a * a).sum();
        assert!((loss - best.objective - regret).abs() < 1e-12 * loss, "{loss} {} {regret}", best.objective);
        let log_det = Spectrum::of(&kernel, data.inputs.view()).unwrap().log_det(lambda);
        assert_close(&[rounds().map(|(_, _, _, h)| h.ln_1p()).sum()], &[log_det], 1e-12, "log det");
        let mut learner = cases::build("kernel-awv", &toml, 3);
        play(&mut *learner, &data.inputs, &data.targets, 64);
        let (name, measured) = learner.measures()[0];
        assert_eq!(name, "log_det");
        assert_close(&[measured], &[log_det], 1e-12, "measured log det");
    }
}

/// Over features, primal and dual forms agree, also across the end of a window (64 rounds): pkrr-taylor equals exact
/// ridge regression with the Taylor features as inputs of the linear kernel.
#[test]
fn windows_of_fixed_features_are_exact() {
    let data = cases::data(3, 300);
    let map = Taylor::new(3, 3, 0.8).unwrap();
    let mut features = Matrix::zeros(300, map.features());
    map.write_rows(data.inputs.view(), features.data_mut());
    for (taylor, exact) in [("pkrr-taylor", "kernel-ridge"), ("pkawv-taylor", "kernel-awv")] {
        let mut primal = cases::build(taylor, "lambda = 0.3\nbandwidth = 0.8\norder = 3", 3);
        let mut dual = cases::build(exact, "lambda = 0.3\nkernel = \"linear\"", map.features());
        let expected = play(&mut *dual, &features, &data.targets, 300);
        for size in [1, 50, 300] {
            let found = play(&mut *primal, &data.inputs, &data.targets, size);
            assert_close(&found, &expected, 1e-11, taylor);
            primal = cases::build(taylor, "lambda = 0.3\nbandwidth = 0.8\norder = 3", 3);
        }
    }
    // The comparator agrees too.
    let primal = penalised::over_features(features.view(), &data.targets, 0.3).unwrap();
    let linear = noregret_core::kernel::linear::Linear;
    let dual = penalised::over_kernel(&linear, features.view(), &data.targets, 0.3, &[300]).unwrap()[0];
    assert_close(&[primal.objective, primal.loss], &[dual.objective, dual.loss], 1e-12, "objective");
    assert_close(&[primal.squared_norm], &[dual.squared_norm], 1e-10, "norm");
}

/// A block continues where the last one ended; the number of its first round only names draws.
#[test]
fn a_learner_goes_on_after_a_block() {
    let data = cases::data(2, 20);
    let mut learner = cases::build("kernel-ridge", "", 2);
    let mut found = vec![0.0; 20];
    for (from, to) in [(0, 8), (8, 20)] {
        let block = Block {
            first_round: from as u64 + 1,
            inputs: data.inputs.slice(from, to),
            targets: &data.targets[from..to],
        };
        learner.play(block, &Draws::named(&[]), &mut found[from..to]).unwrap();
    }
    let whole = play(&mut *cases::build("kernel-ridge", "", 2), &data.inputs, &data.targets, 20);
    assert_close(&found, &whole, 1e-12, "cut");
}
