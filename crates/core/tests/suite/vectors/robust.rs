//! Reference values for Guo, Christmann, Shi, Optimality of robust online learning: windows, Bernoulli polynomials, the
//! circle problem, online and batch gradient descent, the exact expectation of least squares, steps and rates, and the
//! bias of a small scale.

use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::kernel::sobolev_periodic::SobolevPeriodic;
use noregret_core::learner::api::{Gauges, Hypothesis};
use noregret_core::learner::robust::robust_batch;
use noregret_core::learner::robust::step::Descent;
use noregret_core::learner::said::Expanded;
use noregret_core::params::Params;
use noregret_core::stream::circle::errors::Errors;
use noregret_core::theory::robust::bias::fixed_point;
use noregret_core::theory::robust::exact::ExactLeastSquares;
use noregret_core::theory::robust::{Norm, Regularity, eta_0, printed_eta_0};
use noregret_core::window::WINDOWS;
use noregret_core::window::api::{Window, loss, slope};
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::bernoulli::{BernoulliSeries, Periodic, zeta};
use noregret_numeric::linalg::matrix::{Matrix, Rows};
use serde_json::Value;

use super::{Case, play};
use crate::laws::cases;

const ROBUST: &str = include_str!("../../vectors/robust.json");

impl Case {
    /// Compares each number separately, with the tolerance of the vectors: |found - expected| <= atol + rtol
    /// |expected|.
    fn check_values(&self, name: &str, found: &[f64]) {
        let (expected, rtol, atol) = (self.expected(name), self.param("rtol"), self.param("atol"));
        assert_eq!(found.len(), expected.len(), "{}: {name}", self.name());
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let gap = (found - expected).abs();
            assert!(gap <= atol + rtol * expected.abs(), "{}: {name}[{i}]: {found} {expected}", self.name());
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0["expected"].get(name).is_some()
    }

    fn window(&self) -> Arc<dyn Window> {
        window(&self.window_name())
    }

    fn window_name(&self) -> String {
        self.0["params"]["window"].as_str().unwrap().replace('_', "-")
    }
}

fn window(name: &str) -> Arc<dyn Window> {
    (WINDOWS.get(name).unwrap().build)(&Params::default()).unwrap()
}

/// The target in a table with c0 and terms.
fn series(value: &Value) -> BernoulliSeries {
    let terms: Vec<(u32, f64)> = value["terms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|term| (term[0].as_u64().unwrap() as u32, term[1].as_f64().unwrap()))
        .collect();
    BernoulliSeries::new(value["c0"].as_f64().unwrap(), &terms).unwrap()
}

fn column(values: Vec<f64>) -> Matrix {
    Matrix::from_data(values.len(), 1, values).unwrap()
}

#[test]
fn windows() {
    let cases = Case::of(ROBUST, "window");
    assert!(cases.len() >= 7);
    for case in cases {
        let (window, s) = (case.window(), case.vector("s"));
        case.check_values("W", &s.iter().map(|&s| window.value(s)).collect::<Vec<_>>());
        case.check_values("dW", &s.iter().map(|&s| window.derivative(s)).collect::<Vec<_>>());
        let growth = window.growth();
        let constants =
            [("w0", growth.slope), ("C_W", growth.largest_slope), ("p", growth.order), ("c_p", growth.remainder)];
        for (name, value) in constants {
            case.check_values(name, &[value]);
        }
    }
    for case in Case::of(ROBUST, "window_loss") {
        let window = case.window();
        let over = |of: fn(&dyn Window, f64, f64) -> f64| -> Vec<f64> {
            case.vector("sigma").iter().zip(case.vector("u")).map(|(&scale, u)| of(&*window, scale, u)).collect()
        };
        case.check_values("L", &over(loss));
        case.check_values("dL", &over(slope));
    }
}

#[test]
fn bernoulli_polynomials() {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    for (algorithm, field) in [("bernoulli_poly", "B"), ("periodic_P", "P")] {
        for case in Case::of(ROBUST, algorithm) {
            let mut found = Vec::new();
            for n in case.vector("n").into_iter().map(|n| n as u32) {
                let periodic = Periodic::new(n).unwrap();
                // P_n = sign (2 pi)^n B_n / n!.
                let sign = if matches!(n % 4, 0 | 1) { -1.0 } else { 1.0 };
                let factor =
                    if field == "B" { sign * factorial(n) / std::f64::consts::TAU.powi(n as i32) } else { 1.0 };
                found.extend(case.vector("x").into_iter().map(|x| factor * periodic.at(x)));
            }
            case.check_values(field, &found);
        }
    }
    for case in Case::of(ROBUST, "zeta_even") {
        let values: Vec<f64> = case.vector("m").into_iter().map(|m| zeta(m as u32).unwrap()).collect();
        case.check_values("zeta", &values);
    }
}

#[test]
fn circle_kernels() {
    for case in Case::of(ROBUST, "circle_kernel") {
        let (x, z) = (column(case.vector("x")), column(case.vector("xp")));
        for (field, power) in [("K", 1), ("K2", 2), ("K3", 3)] {
            let kernel = SobolevPeriodic::new(power * case.param("s") as u64, false).unwrap();
            let mut gram = vec![0.0; x.rows() * z.rows()];
            kernel.gram(x.view(), z.view(), &mut gram);
            case.check_values(field, &gram);
        }
    }
}

#[test]
fn targets() {
    for case in Case::of(ROBUST, "target") {
        let (target, s) = (series(&case.0["params"]), case.param("s") as u32);
        let at = |series: &BernoulliSeries| case.vector("x").into_iter().map(|x| series.at(x)).collect::<Vec<_>>();
        case.check_values("f", &at(&target));
        case.check_values("LKf", &at(&target.smoothed(s).unwrap()));
        case.check_values("norm2_rho", &[target.squared_norm(0).unwrap()]);
        case.check_values("norm2_K", &[target.squared_norm(s).unwrap()]);
        case.check_values("r_star", &[target.regularity(s)]);
    }
}

/// The kernel of a case, as in a configuration and built.
fn kernel(case: &Case) -> (String, Arc<dyn Kernel>) {
    if case.0["params"]["kernel"] == "circle" {
        let s = case.param("s") as u64;
        (
            format!("{{ name = 'sobolev-periodic', smoothness = {s} }}"),
            Arc::new(SobolevPeriodic::new(s, false).unwrap()),
        )
    } else {
        // exp(-gamma |x - z|^2).
        let bandwidth = (0.5 / case.param("gamma")).sqrt();
        (format!("{{ name = 'gaussian', bandwidth = {bandwidth:?} }}"), Arc::new(Gaussian::new(bandwidth)))
    }
}

fn inputs(case: &Case) -> Matrix {
    match case.0["inputs"]["x"][0] {
        Value::Array(_) => case.input("x"),
        _ => column(case.vector("x")),
    }
}

#[test]
fn online_gradient_descent() {
    for case in Case::of(ROBUST, "online") {
        let (x, y) = (inputs(&case), case.vector("y"));
        let toml = format!(
            "window = '{}'\nscale = {:?}\neta = {:?}\ndecay = {:?}\nkernel = {}",
            case.window_name(),
            case.param("sigma"),
            case.param("eta"),
            case.param("decay"),
            kernel(&case).0
        );
        for size in [1, 7, y.len()] {
            let mut learner = cases::build("robust-ogd", &toml, x.cols());
            let predictions = play(&mut *learner, &x, &y, size);
            case.check_values("pred", &predictions);
            let squares: Vec<f64> =
                predictions.iter().zip(&y).map(|(p, y)| ((p - y) / case.param("sigma")).powi(2)).collect();
            case.check_values("xi", &squares);
            let expanded = learner.expansion().unwrap();
            case.check_values("alpha", expanded.coefficients);
            case.check_values("alpha_avg", expanded.averaged.as_deref().unwrap());
            // The averaged predictor is the expansion with the averaged coefficients.
            let probe = x.row(0);
            let averaged: f64 = x
                .view()
                .iter()
                .zip(expanded.averaged.as_deref().unwrap())
                .map(|(x, a)| a * kernel(&case).1.evaluate(x, probe))
                .sum();
            assert!(
                (learner.predict_averaged(probe, &mut Draws::named(&[]).at(Role::Predict, 0)).unwrap() - averaged)
                    .abs()
                    < 1e-12,
                "{}",
                case.name()
            );
            if case.has("err2_rho") {
                check_errors(&case, &*learner);
            }
        }
        // The norm after each round.
        let mut learner = cases::build("robust-ogd", &toml, x.cols());
        let norms: Vec<f64> = (0..y.len())
            .map(|t| {
                learner.learn(x.row(t), y[t], &mut cases::draws().at(Role::Learn, t as u64 + 1)).unwrap();
                learner.gauges().norm.unwrap().powi(2)
            })
            .collect();
        case.check_values("norm2_K", &norms);
    }
}

fn check_errors(case: &Case, hypothesis: &dyn Hypothesis) {
    let errors = Errors::new(&series(&case.0["params"]["target"]), case.param("s") as u32).unwrap();
    let measures = errors.measures(hypothesis, &Draws::named(&[]));
    let fields = [
        ("squared_l2_error", "err2_rho"),
        ("squared_rkhs_error", "err2_K"),
        ("squared_l2_error_averaged", "err2_rho_avg"),
        ("squared_rkhs_error_averaged", "err2_K_avg"),
    ];
    for (name, field) in fields.into_iter().filter(|(_, field)| case.has(field)) {
        let value = measures.iter().find(|(found, _)| *found == name);
        case.check_values(field, &[value.unwrap_or_else(|| panic!("{}: no {name}", case.name())).1]);
    }
}

/// A given expansion.
struct Fitted<'a> {
    kernel: &'a dyn Kernel,
    points: Rows<'a>,
    coefficients: &'a [f64],
}

impl Hypothesis for Fitted<'_> {
    fn predict(&self, x: &[f64], _: &mut noregret_numeric::draw::Draw) -> f64 {
        self.points.iter().zip(self.coefficients).map(|(point, a)| a * self.kernel.evaluate(point, x)).sum()
    }

    fn gauges(&self) -> Gauges {
        Gauges::default()
    }

    fn expansion(&self) -> Option<Expanded<'_>> {
        Some(Expanded { points: self.points, coefficients: self.coefficients, averaged: None })
    }
}

/// Errors are measured only in the stream's own space.
#[test]
fn another_kernel_has_no_exact_errors() {
    let errors = Errors::new(&BernoulliSeries::new(0.0, &[(3, 0.5)]).unwrap(), 1).unwrap();
    let points = column(vec![0.1, 0.6]);
    for (s, expected) in [(1, 2), (2, 0)] {
        let kernel = SobolevPeriodic::new(s, false).unwrap();
        let fitted = Fitted { kernel: &kernel, points: points.view(), coefficients: &[0.3, -0.2] };
        assert_eq!(errors.measures(&fitted, &Draws::named(&[])).len(), expected);
    }
}

#[test]
fn batch_gradient_descent() {
    for case in Case::of(ROBUST, "batch_gd") {
        let (x, y) = (inputs(&case), case.vector("y"));
        let descent = Descent {
            window: case.window(),
            scale: case.param("sigma"),
            eta: case.param("eta"),
            decay: case.param("decay"),
        };
        let (_, kernel) = kernel(&case);
        // g_1 = 0, so g_(l+1) takes l iterations.
        for (field, iterations) in [("alpha_g2", 1), ("alpha_g6", 5), ("alpha_g21", 20)] {
            let (coefficients, norm) = robust_batch::run(&descent, &*kernel, x.view(), &y, iterations).unwrap();
            case.check_values(field, &coefficients);
            let fitted = Fitted { kernel: &*kernel, points: x.view(), coefficients: &coefficients };
            let mut gram = vec![0.0; y.len() * y.len()];
            kernel.gram(x.view(), x.view(), &mut gram);
            let direct: f64 = gram
                .chunks(y.len())
                .zip(&coefficients)
                .map(|(row, a)| a * row.iter().zip(&coefficients).map(|(k, b)| k * b).sum::<f64>())
                .sum();
            assert!((norm - direct).abs() < 1e-12 * direct.abs().max(1.0), "{}", case.name());
            if iterations == 20 {
                check_errors(&case, &fitted);
            }
        }
    }
}

#[test]
fn exact_expectation_of_least_squares() {
    for case in Case::of(ROBUST, "exact_ls_expectation") {
        let largest = case.param("kmax") as u32;
        let mut exact =
            ExactLeastSquares::new(&series(&case.0["params"]), case.param("s") as u32, case.param("var"), largest);
        let marks = case.vector("marks");
        let mut found = [(); 4].map(|()| Vec::new());
        for t in 1..=marks.iter().fold(0.0f64, |last, mark| last.max(*mark)) as u64 {
            exact.step(case.param("eta") * (t as f64).powf(-case.param("decay")));
            if marks.contains(&(t as f64)) {
                let values = [exact.l2(), exact.rkhs().unwrap(), exact.l2_averaged(), exact.rkhs_averaged().unwrap()];
                found.iter_mut().zip(values).for_each(|(found, value)| found.push(value));
            }
        }
        for (field, found) in ["rho", "K", "avg_rho", "avg_K"].into_iter().zip(&found) {
            case.check_values(field, found);
        }
    }
}

#[test]
fn steps_and_rates() {
    for case in Case::of(ROBUST, "theory") {
        let regularity = Regularity { target: case.param("r"), capacity: case.param("beta") };
        let growth = case.window().growth();
        let kappa2 = SobolevPeriodic::new(case.param("s") as u64, false).unwrap().largest_diagonal().unwrap();
        case.check_values("eta0_printed", &[printed_eta_0(kappa2, growth.slope, growth.largest_slope)]);
        for (norm, index, rate) in [(Norm::L2, "1", "rate_rho"), (Norm::Rkhs, "2", "rate_K")] {
            assert_eq!(regularity.is_covered(norm), case.has(rate), "{}", case.name());
            if !case.has(rate) {
                continue;
            }
            let theta = regularity.step_exponent(norm);
            case.check_values(&format!("theta{index}"), &[theta]);
            case.check_values(rate, &[regularity.rate(norm)]);
            case.check_values(&format!("sigma_exp{index}"), &[regularity.scale_exponent(norm, growth.order)]);
            let (rounds, scale) = regularity.bias_exponents(norm, growth.order);
            case.check_values(&format!("bias_T_exp{index}"), &[rounds]);
            case.check_values("sigma_pow", &[scale]);
            let found = eta_0(kappa2, growth.slope, growth.largest_slope, theta);
            case.check_values(&format!("eta0_log{index}"), &[found]);
        }
    }
}

#[test]
fn fixed_points_of_skewed_noise() {
    for case in Case::of(ROBUST, "fixed_point") {
        let window = case.window();
        let (values, probabilities) = (case.vector("values"), case.vector("probs"));
        let found: Vec<f64> = case
            .vector("sigma")
            .into_iter()
            .map(|scale| fixed_point(|s| window.derivative(s), scale, &values, &probabilities).unwrap())
            .collect();
        case.check_values("b", &found);
    }
}
