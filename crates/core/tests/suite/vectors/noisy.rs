//! Noisy learners against reference values, with given copies.

use noregret_core::learner::api::{Learner, OracleLearner, Setting};
use noregret_core::learner::descent::linear_descent::{LinearDescent, LinearDescentParams};
use noregret_core::learner::noisy::noisy_linear_covariance::{KnownCovariance, KnownCovarianceParams};
use noregret_core::learner::noisy::noisy_linear_two_copy::TwoCopy;
use noregret_core::noise::api::Oracle;
use noregret_core::parts::Defaults;
use noregret_core::protocol::adapter::FromCopies;
use noregret_core::theory::noisy::{self, AnalyticBounds};
use noregret_numeric::draw::Role;

use super::*;

pub const NOISY: &str = include_str!("../../vectors/noisy.json");

impl Case {
    /// Compares with the expected values, entry by entry: |a - b| <= 1e-9 (1 + |b|).
    pub fn check_each(&self, name: &str, found: &[f64]) {
        let expected = self.expected(name);
        assert_eq!(found.len(), expected.len(), "{}: {name}", self.name());
        for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{}: {name}[{i}]: {a} instead of {b}", self.name());
        }
    }
}

/// An oracle that hands out given copies.
struct Script<'a> {
    dim: usize,
    xs: Vec<f64>,
    ys: Vec<f64>,
    covariance: &'a [f64],
}

impl Oracle for Script<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn x(&mut self, out: &mut [f64]) {
        out.copy_from_slice(&self.xs.drain(..self.dim).collect::<Vec<_>>());
    }

    fn y(&mut self) -> f64 {
        self.ys.remove(0)
    }

    fn covariance_times(&mut self, w: &[f64], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(self.covariance.chunks(self.dim)) {
            *out = row.iter().zip(w).map(|(entry, w)| entry * w).sum();
        }
    }
}

/// The weights of a linear learner after each round, when it is given `copies` (all columns of each) and `y`.
fn linear_weights(case: &Case, learner: &mut dyn OracleLearner, copies: &[&str]) -> Vec<f64> {
    let y = case.vector("y");
    let columns: Vec<Vec<f64>> = copies.iter().map(|name| case.vector(name)).collect();
    let covariance = if case.0["inputs"]["cov"].is_null() { Vec::new() } else { case.vector("cov") };
    let dim = case.expected("weights").len() / (y.len() + 1);
    // <w, e_i> are the weights.
    let weights = |learner: &dyn OracleLearner| -> Vec<f64> {
        let unit = |i: usize| (0..dim).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<_>>();
        (0..dim).map(|i| learner.predict(&unit(i), &mut cases::draws().at(Role::Predict, 1))).collect()
    };
    let mut all = weights(learner);
    for (t, y) in y.iter().enumerate() {
        let of_round = |column: &Vec<f64>| {
            let width = column.len() / case.vector("y").len();
            column[t * width..(t + 1) * width].to_vec()
        };
        let per_round = covariance.len() > dim * dim;
        let at = if per_round { t * dim * dim } else { 0 };
        let mut oracle = Script {
            dim,
            xs: columns.iter().flat_map(of_round).collect(),
            ys: vec![*y],
            covariance: covariance.get(at..at + dim * dim).unwrap_or(&[]),
        };
        learner.learn(&mut oracle, &mut cases::draws().at(Role::Learn, t as u64 + 1)).unwrap();
        assert!(oracle.xs.is_empty() && oracle.ys.is_empty(), "{}: copies are left", case.name());
        all.extend(weights(learner));
    }
    all
}

fn descent(case: &Case) -> LinearDescentParams {
    LinearDescentParams {
        eta: case.param("eta").into(),
        radius: case.param("radius"),
        ..LinearDescentParams::default()
    }
}

#[test]
fn linear_learners() {
    let mut runs = 0;
    for algorithm in ["two_copies", "known_covariance", "plain_ogd", "averaged_copies"] {
        for case in Case::of(NOISY, algorithm) {
            let setting = Setting::new(case.0["expected"]["weights"][0].as_array().unwrap().len());
            let naive = || Box::new(LinearDescent::new(descent(&case), &setting).unwrap());
            let weights = match algorithm {
                "two_copies" => {
                    linear_weights(&case, &mut TwoCopy::new(descent(&case), &setting).unwrap(), &["x1", "x2"])
                }
                "known_covariance" => {
                    let LinearDescentParams { eta, radius, .. } = descent(&case);
                    let params = KnownCovarianceParams { eta, radius, ..KnownCovarianceParams::default() };
                    linear_weights(&case, &mut KnownCovariance::new(params, &setting).unwrap(), &["x1"])
                }
                "plain_ogd" => linear_weights(&case, &mut FromCopies::new(naive(), std::num::NonZeroU32::MIN), &["x"]),
                _ => {
                    let copies = case.0["inputs"]["copies"][0].as_array().unwrap().len() as u32;
                    linear_weights(&case, &mut FromCopies::new(naive(), copies.try_into().unwrap()), &["copies"])
                }
            };
            case.check_each("weights", &weights);
            runs += 1;
        }
    }
    assert_eq!(runs, 15);
}

/// The noise-free learner equals the adapter over exact copies.
#[test]
fn the_clean_baseline_is_gradient_descent() {
    let case = &Case::of(NOISY, "plain_ogd")[0];
    let mut learner = LinearDescent::new(descent(case), &Setting::new(1)).unwrap();
    let mut weights = vec![0.0];
    for (x, y) in case.vector("x").iter().zip(case.vector("y")) {
        learner.learn(&[*x], y, &mut cases::draws().at(Role::Learn, 1)).unwrap();
        weights.extend(learner.weights());
    }
    case.check_each("weights", &weights);
}

#[test]
fn constants_of_the_linear_learners() {
    for case in Case::of(NOISY, "linear_constants") {
        let [radius, x, y, covariance, rounds] =
            ["radius", "bound_x", "bound_y", "bound_cov", "T"].map(|name| case.param(name));
        let two = noisy::two_copy_moment(radius, x, y);
        let known = noisy::covariance_moment(radius, x, y, covariance);
        case.check_each("G_two_copies", &[two]);
        case.check_each("eta_two_copies", &[noisy::step(radius, two, rounds)]);
        case.check_each("G_known_covariance", &[known]);
        case.check_each("eta_known_covariance", &[noisy::step(radius, known, rounds)]);
    }
}

#[test]
fn constants_of_surrogates() {
    for case in Case::of(NOISY, "surrogate_constants") {
        let radius = noisy::surrogate_radius(case.param("competitor_norm"), case.param("ratio"), case.param("angle"));
        case.check_each("radius", &[radius]);
        let moment = noisy::surrogate_moment(radius, case.param("diagonal"), case.param("bound_y"));
        case.check_each("eta", &[noisy::step(radius, moment, case.param("T"))]);
    }
}

/// Q(p B) of a dot-product kernel.
fn dot_product(case: &Case, z: f64) -> f64 {
    match case.0["params"]["family"].as_str().unwrap() {
        "linear" => z,
        "homogeneous" => z.powf(case.param("degree")),
        "inhomogeneous" => (1.0 + z).powf(case.param("degree")),
        "exponential" => z.exp(),
        "binomial" => (1.0 - z).powf(-case.param("exponent")),
        other => panic!("{other}"),
    }
}

#[test]
fn second_moments_of_maps() {
    for case in Case::of(NOISY, "map_second_moment") {
        let (p, square) = (case.param("p"), case.param("B"));
        let [single, all] = if case.0["params"]["family"] == "gaussian" {
            let (bandwidth, overlap) = (case.param("bandwidth"), case.param("A"));
            let all = noisy::gaussian_all_terms_moment(p, bandwidth, square, overlap, case.param("norm2"));
            [noisy::gaussian_map_moment(p, bandwidth, square, overlap), all]
        } else {
            [false, true].map(|all_terms| noisy::dot_product_map_moment(p, dot_product(&case, p * square), all_terms))
        };
        case.check_each("single", &[single]);
        case.check_each("roulette", &[all]);
    }
}

#[test]
fn constants_of_the_analytic_learner() {
    for case in Case::of(NOISY, "theorem6_constants") {
        let (p, radius, value) = (case.param("p"), case.param("radius2").sqrt(), case.param("Q_of_pB"));
        let map_moment = noisy::dot_product_map_moment(p, value, false);
        let constants = AnalyticBounds { p, radius, map_moment, centre: 0.0, target_bound: 0.0, all_terms: false };
        case.check_each("eta", &[noisy::step(radius, constants.moment(f64::exp), 1.0)]);
        case.check_each("regret_per_sqrtT", &[noisy::regret(radius, constants.moment(f64::exp), 1.0)]);
    }
}
