//! Surrogate kernels, random maps and the kernel learners behind noise, against reference values.

use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::kernel::inverse_multiquadric::InverseMultiquadric;
use noregret_core::kernel::laplace::Laplace;
use noregret_core::kernel::mixture::MixtureMeasure;
use noregret_core::kernel::surrogate::{Surrogate, split_angle};
use noregret_core::learner::api::Hypothesis;
use noregret_core::learner::noisy::noisy_analytic::NoisyAnalytic;
use noregret_core::learner::noisy::random_map::{Estimator, RandomMap, evaluate};
use noregret_core::learner::noisy::surrogate_descent::SurrogateDescent;
use noregret_core::learner::noisy::tensor_sum::{Element, TensorSum};
use noregret_core::loss::api::Loss;
use noregret_core::params::check::GivenTable;
use noregret_core::params::{PartKind, check::Parts};
use noregret_core::parts::AllParts;
use noregret_core::theory::degrees::DegreeLaw;
use noregret_core::theory::noisy::{self, AnalyticBounds};
use noregret_numeric::draw::Role;
use noregret_numeric::linalg::covariance::Covariance;

use super::noisy::NOISY;
use super::*;

/// So many components that their number does not affect ten digits.
const NODES: usize = 96;

impl Case {
    fn text(&self, name: &str) -> &str {
        self.0["params"][name].as_str().unwrap_or_else(|| panic!("{}: {name}", self.name()))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0["params"][name].as_f64()
    }

    fn covariance(&self) -> Covariance {
        match &self.0["params"]["cov"] {
            Value::Array(list) if list[0].is_array() => Covariance::full(matrix(&self.0["params"]["cov"])).unwrap(),
            list @ Value::Array(_) => Covariance::diagonal(numbers(list)).unwrap(),
            variance => Covariance::isotropic(variance.as_f64().unwrap()).unwrap(),
        }
    }

    /// The radial kernel of a case, truncated and in full.
    fn radial(&self, family: &str) -> [Box<dyn Kernel>; 2] {
        let of = |cutoff: f64| -> Box<dyn Kernel> {
            match family {
                "gaussian" => Box::new(Gaussian::new(self.param("bandwidth"))),
                "inverse_multiquadric" => {
                    Box::new(InverseMultiquadric::new(self.param("alpha"), self.param("m"), cutoff))
                }
                "laplace" => Box::new(Laplace::new(self.param("length"), cutoff)),
                other => panic!("{other}"),
            }
        };
        [of(self.number("u_max").unwrap_or(f64::INFINITY)), of(f64::INFINITY)]
    }

    /// The kernel with tensor features of a case, through the registry.
    fn tensor_kernel(&self) -> Arc<dyn Kernel> {
        let degree = self.number("degree").unwrap_or(0.0);
        let text = match self.text("family") {
            "linear" => "name = 'linear'".into(),
            "homogeneous" => format!("name = 'polynomial'\noffset = 0\ndegree = {degree}"),
            "inhomogeneous" => format!("name = 'polynomial'\noffset = 1\ndegree = {degree}"),
            "exponential" => "name = 'exponential'".into(),
            "binomial" => format!("name = 'binomial'\nexponent = {:?}", self.param("exponent")),
            "gaussian" => format!("name = 'gaussian'\nbandwidth = {:?}", self.param("bandwidth")),
            other => panic!("{other}"),
        };
        AllParts
            .part(PartKind::Kernel, &toml::from_str(&text).unwrap(), None, "")
            .unwrap()
            .object::<dyn Kernel>()
            .unwrap()
    }

    fn map(&self) -> RandomMap {
        let all = self.0["params"]["roulette"].as_bool().unwrap_or(false);
        RandomMap {
            law: DegreeLaw::Geometric(self.param("p")),
            estimator: if all { Estimator::AllTerms } else { Estimator::SingleTerm },
        }
    }

    fn loss(&self) -> Arc<dyn Loss> {
        let name = self.text("loss").replace('_', "-");
        let name = name.strip_suffix("-c1-centre0").unwrap_or(&name);
        let mut table = GivenTable::from_iter([("name".to_owned(), name.into())]);
        for field in ["c", "centre"] {
            if let Some(value) = self.number(field) {
                table.insert(field.into(), value.into());
            }
        }
        AllParts.part(PartKind::Loss, &table, None, "").unwrap().object::<dyn Loss>().unwrap()
    }
}

/// The values of one of the two kernels of a pair, row by row.
fn values(pair: &Surrogate, noisy: bool, left: &Matrix, right: &Matrix) -> Vec<f64> {
    let components = if noisy { pair.noisy() } else { pair.clean() };
    let (mut a, mut b) = (vec![0.0; left.cols()], vec![0.0; left.cols()]);
    let mut all = Vec::new();
    for x in left.view().iter() {
        for z in right.view().iter() {
            pair.rotate(x, &mut a);
            pair.rotate(z, &mut b);
            all.push(components.evaluate(&a, &b));
        }
    }
    all
}

fn gram(kernel: &dyn Kernel, left: &Matrix, right: &Matrix) -> Vec<f64> {
    let mut values = vec![0.0; left.rows() * right.rows()];
    kernel.gram(left.view(), right.view(), &mut values);
    values
}

#[test]
fn surrogate_kernels() {
    let mut found = 0;
    for algorithm in ["gaussian_surrogate", "radial_surrogate"] {
        for case in Case::of(NOISY, algorithm) {
            let (a, b) = (case.input("A"), case.input("B"));
            let family = if algorithm == "gaussian_surrogate" { "gaussian" } else { case.text("family") };
            let [kernel, full] = case.radial(family);
            let covariance = case.covariance();
            let pair = Surrogate::new(&*kernel, &covariance, a.cols(), NODES).unwrap();
            case.check_each("kernel", &gram(&*kernel, &a, &b));
            case.check_each("kernel", &values(&pair, false, &a, &b));
            case.check_each("surrogate", &values(&pair, true, &a, &b));
            case.check_each("diagonal", &[pair.diagonal()]);
            if algorithm == "radial_surrogate" {
                case.check_each("full", &gram(&*full, &a, &b));
                case.check_each("ratio", &[pair.ratio()]);
                // Theorem 5: prod_i (1 - 2 v_i cutoff)^(-1/2).
                let cutoff = case.param("u_max");
                let bound =
                    covariance.axes(a.cols()).variances.iter().map(|v| (1.0 - 2.0 * v * cutoff).powf(-0.5)).product();
                case.check_each("ratio_bound", &[bound]);
                assert!(pair.ratio() <= bound, "{}", case.name());
                assert!(matches!(kernel.mixture(a.cols()), Some(MixtureMeasure::Density { .. })));
            }
            found += 1;
        }
    }
    assert_eq!(found, 32);
}

#[test]
fn angles_between_parts() {
    for case in Case::of(NOISY, "split_angle") {
        let x = case.input("x");
        let gram = gram(&Gaussian::new(case.param("bandwidth")), &x, &x);
        case.check_each("angle", &[split_angle(&gram, &case.vector("alpha"))]);
    }
}

/// The results of a run, under the names of the reference.
#[derive(Default)]
struct Run {
    g: Vec<f64>,
    norm2: Vec<f64>,
    projected: Vec<bool>,
    predictions: Vec<f64>,
}

impl Run {
    fn check(&self, case: &Case) {
        case.check_each("g", &self.g);
        case.check_each("norm2", &self.norm2);
        case.check_each("predictions", &self.predictions);
        let flags = case.0["expected"]["projected"].as_array().unwrap();
        assert_eq!(flags.len(), self.projected.len());
        for (t, (expected, found)) in flags.iter().zip(&self.projected).enumerate() {
            // Ties may go either way.
            assert!(expected.is_null() || expected.as_bool() == Some(*found), "{}: round {t}", case.name());
        }
    }
}

fn predict(learner: &dyn Hypothesis, x: &[f64]) -> f64 {
    learner.predict(x, &mut cases::draws().at(Role::Predict, 1))
}

fn predict_all(learner: &dyn Hypothesis, points: &Matrix) -> Vec<f64> {
    points.view().iter().map(|x| predict(learner, x)).collect()
}

#[test]
fn surrogate_runs() {
    let all = Case::of(NOISY, "surrogate_run");
    assert_eq!(all.len(), 12);
    for case in all {
        let (x1, x2, y, clean) = (case.input("x1"), case.input("x2"), case.vector("y"), case.input("clean"));
        let [kernel, _] = case.radial(case.text("kernel"));
        let pair = Surrogate::new(&*kernel, &case.covariance(), x1.cols(), NODES).unwrap();
        let mut learner = SurrogateDescent::over(pair, case.param("eta"), case.param("radius"), x1.cols());
        let mut run = Run::default();
        for (t, y) in y.iter().enumerate() {
            run.predictions.push(predict(&learner, clean.row(t)));
            let update = learner.step(x1.row(t), x2.row(t), *y).unwrap();
            run.g.push(update.gradient);
            run.norm2.push(update.squared_norm);
            run.projected.push(update.projected);
        }
        run.check(&case);
        case.check_each("alpha", &learner.coefficients());
        case.check_each("test_predictions", &predict_all(&learner, &case.input("test")));
    }
}

/// The element of a map in the reference's format: a list of copies, or the copies with the number of pairs and of
/// further copies.
fn element(map: RandomMap, kernel: &dyn Kernel, given: &Value, dim: usize) -> Element {
    let count = |name: &str| given[name].as_u64().map(|count| count as u32);
    let list = if given.is_array() { given } else { &given["copies"] };
    let copies = numbers(list);
    let degree = count("n2").unwrap_or((copies.len() / dim) as u32);
    map.element(kernel.tensors().unwrap(), count("n1").unwrap_or(0), degree, copies, dim)
}

#[test]
fn random_maps() {
    let mut found = 0;
    for algorithm in ["dot_product_map", "gaussian_map"] {
        for case in Case::of(NOISY, algorithm) {
            let mut case = case;
            // The Gaussian cases do not name their kernel.
            if algorithm == "gaussian_map" {
                case.0["params"]["family"] = "gaussian".into();
            }
            let (kernel, map, points) = (case.tensor_kernel(), case.map(), case.input("points"));
            let (dim, features) = (points.cols(), kernel.tensors().unwrap());
            let of = |name: &str| -> Vec<Element> {
                let list = case.0["inputs"][name].as_array().unwrap();
                list.iter().map(|given| element(map, &*kernel, given, dim)).collect()
            };
            let (first, second) = (of("first"), of("second"));
            case.check_each("prod", &first.iter().zip(&second).map(|(a, b)| a.product(b, dim)).collect::<Vec<_>>());
            case.check_each("norm2", &first.iter().map(|a| a.squared_norm(dim)).collect::<Vec<_>>());
            let mult = |a: &Element| {
                let mut sum = TensorSum::new(dim);
                sum.add(1.0, a);
                points.view().iter().map(move |x| evaluate(&sum, features, x)).collect::<Vec<_>>()
            };
            case.check_each("mult", &first.iter().flat_map(mult).collect::<Vec<_>>());
            case.check_each("kernel", &gram(&*kernel, &points, &points));
            if algorithm == "dot_product_map" {
                let count = case.expected("beta").len() as u32;
                case.check_each("beta", &(0..count).map(|n| features.beta(n)).collect::<Vec<_>>());
            }
            // Tensor features reproduce the kernel: damp(x) damp(z) sum_n beta_n <x, z>^n.
            for x in points.view().iter() {
                let square: f64 = x.iter().map(|x| x * x).sum();
                let series = features.series(square) * (-2.0 * features.damping() * square).exp();
                assert!((series - kernel.diagonal(x)).abs() < 1e-12 * series, "{}", case.name());
            }
            found += 1;
        }
    }
    assert_eq!(found, 18);
}

#[test]
fn analytic_runs() {
    let all = Case::of(NOISY, "noisy_kernel_run");
    assert_eq!(all.len(), 23);
    for case in all {
        let (y, clean, kernel, map) = (case.vector("y"), case.input("clean"), case.tensor_kernel(), case.map());
        let (dim, inputs) = (clean.cols(), &case.0["inputs"]);
        // The reference divides by the root of the number of rounds, and bounds the squared norm.
        let (eta, radius) = (case.param("eta") / case.param("T").sqrt(), case.param("radius2").sqrt());
        let mut learner = NoisyAnalytic::over(kernel.clone(), case.loss(), map, eta, radius, dim);
        let (mut run, mut alpha) = (Run::default(), Vec::<f64>::new());
        for (t, y) in y.iter().enumerate() {
            run.predictions.push(predict(&learner, clean.row(t)));
            let own = element(map, &*kernel, &inputs["maps"][t], dim);
            let maps = inputs["gradient_maps"][t].as_array().unwrap();
            let maps: Vec<Element> = maps.iter().map(|given| element(map, &*kernel, given, dim)).collect();
            let copies = &inputs["y_copies"];
            let targets = if copies.is_null() { vec![*y] } else { numbers(&copies[t]) };
            let update = learner.step(&own, learner.gradient(None, &maps, &targets)).unwrap();
            run.g.push(update.gradient);
            run.norm2.push(update.squared_norm);
            run.projected.push(update.shrink != 1.0);
            alpha.push(update.coefficient);
            alpha.iter_mut().for_each(|alpha| *alpha *= update.shrink);
        }
        run.check(&case);
        case.check_each("alpha", &alpha);
        case.check_each("test_predictions", &predict_all(&learner, &case.input("test")));
    }
}

#[test]
fn constants_of_analytic_losses() {
    for case in Case::of(NOISY, "alg4_constants") {
        let (p, radius, map_moment) = (case.param("p"), case.param("radius2").sqrt(), case.param("map_second_moment"));
        let loss = case.loss();
        let series = loss.analytic().unwrap();
        let target_bound = case.param("bound_y");
        let constants =
            AnalyticBounds { p, radius, map_moment, centre: series.centre(), target_bound, all_terms: false };
        let plus = |z: f64| series.majorant(z);
        case.check_each("gradient_second_moment", &[constants.length_moment(plus)]);
        case.check_each("eta", &[noisy::step(radius, constants.moment(plus), 1.0)]);
        case.check_each("regret_per_sqrtT", &[noisy::regret(radius, constants.moment(plus), 1.0)]);
    }
}
