//! Infinite-layer networks: features, kernels, draws, the algorithm with given draws, and the theory's numbers.

use std::sync::Arc;

use noregret_core::comparator::norm_ball::NormBall;
use noregret_core::comparator::penalised;
use noregret_core::feature::clipped_relu::ClippedRelu;
use noregret_core::feature::conv1d::Conv1d;
use noregret_core::feature::cosine::Cosine;
use noregret_core::feature::discrete::Discrete;
use noregret_core::feature::erf::Erf;
use noregret_core::feature::family::Family;
use noregret_core::feature::relu_sphere::ReluSphere;
use noregret_core::feature::sign::Sign;
use noregret_core::feature::step::StepFunction;
use noregret_core::feature::tanh2::Tanh2;
use noregret_core::kernel::infinite_layer::InfiniteLayer;
use noregret_core::learner::api::{Hypothesis, Learner};
use noregret_core::learner::layers::draw_count::{DrawCount, Precision};
use noregret_core::learner::layers::sampled_coefficients::SampledCoefficients;
use noregret_core::learner::layers::shrinking_gradient::ShrinkingGradient;
use noregret_core::theory::iln;
use noregret_numeric::draw::{Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;
use serde_json::Value;

use super::{Case, assert_close, numbers};

const ILN: &str = include_str!("../../vectors/iln.json");

fn family(case: &Case) -> Arc<dyn Family> {
    let count = |name| case.param(name) as usize;
    match case.0["params"]["family"].as_str().unwrap() {
        "cosine" => Arc::new(Cosine::new(case.param("ell"))),
        "erf" => Arc::new(Erf::new(case.param("sb"), case.param("sw"))),
        "sign" => Arc::new(Sign),
        "step" => Arc::new(StepFunction),
        "relu_sphere" => Arc::new(ReluSphere),
        "clipped_relu" => Arc::new(ClippedRelu::new(case.param("sw"))),
        "tanh2" => Arc::new(Tanh2::new(count("h"), case.param("a"), case.param("su"))),
        "conv1d" => Arc::new(Conv1d::new(count("C"), count("k"), case.param("a"))),
        other => panic!("no family {other}"),
    }
}

/// The draws of a case, one per row, in the layout of the families: biases first, inner weights before outer ones.
fn draws(parts: &Value) -> Matrix {
    let count = parts.as_object().unwrap().values().next().unwrap().as_array().unwrap().len();
    let rows: Vec<Vec<f64>> = (0..count)
        .map(|i| {
            ["b", "w", "U", "F", "g", "v"]
                .iter()
                .flat_map(|part| parts[part].get(i).map_or(Vec::new(), numbers))
                .collect()
        })
        .collect();
    Matrix::from_data(count, rows[0].len(), rows.concat()).unwrap()
}

/// Element by element: |found - expected| <= rtol |expected| + atol.
fn check(case: &Case, field: &str, found: &[f64]) {
    let expected = case.expected(field);
    assert_eq!(found.len(), expected.len(), "{}: {field}", case.name());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let tolerance = case.param("rtol") * expected.abs() + case.param("atol");
        assert!((found - expected).abs() <= tolerance, "{}: {field}[{i}]: {found} for {expected}", case.name());
    }
}

#[test]
fn features() {
    for case in Case::of(ILN, "feature") {
        let (family, x, w) = (family(&case), case.input("x"), draws(&case.0["inputs"]["w"]));
        assert_eq!(w.cols(), family.weights(x.cols()), "{}", case.name());
        let own: Vec<f64> = (0..x.rows()).map(|i| family.value(w.row(i), x.row(i))).collect();
        check(&case, "psi", &own);
        let all: Vec<f64> =
            x.view().iter().flat_map(|x| w.view().iter().map(|w| family.value(w, x)).collect::<Vec<_>>()).collect();
        check(&case, "psi_all", &all);
    }
}

fn gram(kernel: &dyn noregret_core::kernel::api::Kernel, x: &Matrix, z: &Matrix) -> Vec<f64> {
    let mut gram = vec![f64::NAN; x.rows() * z.rows()];
    kernel.gram(x.view(), z.view(), &mut gram);
    gram
}

#[test]
fn kernels() {
    for case in Case::of(ILN, "kernel") {
        let kernel = InfiniteLayer::new(family(&case));
        check(&case, "K", &gram(&kernel, &case.input("x"), &case.input("xp")));
    }
    for case in Case::of(ILN, "discrete_kernel") {
        let (x, atoms) = (case.input("x"), draws(&case.0["inputs"]["w"]));
        let kernel = InfiniteLayer::new(Arc::new(Discrete::given(family(&case), atoms, x.cols())));
        check(&case, "K", &gram(&kernel, &x, &x));
    }
}

#[test]
fn prefix_sampling() {
    for case in Case::of(ILN, "prefix_sampling") {
        let mut coefficients = SampledCoefficients::default();
        for op in case.0["inputs"]["ops"].as_array().unwrap() {
            match op[0].as_str().unwrap() {
                "append" => coefficients.push(op[1].as_f64().unwrap()),
                "shrink" => coefficients.shrink(),
                other => panic!("no operation {other}"),
            }
        }
        let found: Vec<f64> = case.vector("u").iter().map(|u| coefficients.index(*u) as f64).collect();
        assert_eq!(found, case.expected("index"), "{}", case.name());
        check(&case, "l1", &[coefficients.l1_norm()]);
        if let Some(nonzero) = case.0["expected"]["nonzero"].as_array() {
            let left = coefficients.to_vec().into_iter().enumerate().filter(|(_, value)| *value != 0.0);
            let left: Vec<f64> = left.flat_map(|(i, value)| [i as f64, value]).collect();
            assert_eq!(left, nonzero.iter().flat_map(numbers).collect::<Vec<_>>(), "{}", case.name());
        } else {
            check(&case, "coeffs", &coefficients.to_vec());
        }
    }
}

/// |alpha|_1 / m sum_k sgn(alpha_{i_k}) psi(x_{i_k}; w_k) psi(x; w_k).
fn estimate(
    family: &dyn Family,
    coefficients: &SampledCoefficients,
    points: &Matrix,
    x: &[f64],
    chosen: &[usize],
    w: &Matrix,
) -> f64 {
    let product = |(i, w): (&usize, &[f64])| family.value(w, points.row(*i)) * family.value(w, x);
    let products: Vec<f64> = chosen.iter().zip(w.view().iter()).map(product).collect();
    if products.is_empty() {
        0.0
    } else {
        coefficients.l1_norm() / products.len() as f64 * coefficients.signed_sum(chosen, &products)
    }
}

#[test]
fn scalar_products() {
    for case in Case::of(ILN, "est_scalar_prod") {
        let (family, points, x) = (family(&case), case.input("X"), case.vector("x"));
        let mut coefficients = SampledCoefficients::default();
        case.vector("alpha").into_iter().for_each(|value| coefficients.push(value));
        let chosen: Vec<usize> = case.vector("index").iter().map(|i| *i as usize).collect();
        let w = if chosen.is_empty() { Matrix::with_width(3) } else { draws(&case.0["inputs"]["w"]) };
        check(&case, "E", &[estimate(&*family, &coefficients, &points, &x, &chosen, &w)]);
        let kernel = InfiniteLayer::new(family);
        let values = gram(&kernel, &points, &Matrix::from_data(1, x.len(), x).unwrap());
        check(&case, "exact", &[values.iter().zip(coefficients.to_vec()).map(|(k, a)| k * a).sum()]);
    }
}

/// alpha, |alpha|_1 before each round, the shrinks and the average of a run that is played round by round.
struct History {
    estimates: Vec<f64>,
    predictions: Vec<f64>,
    l1: Vec<f64>,
    shrinks: Vec<f64>,
}

/// Plays a case; `estimate` gives E_t from the learner and the round.
fn run(
    case: &Case,
    learner: &mut ShrinkingGradient,
    mut estimate: impl FnMut(&ShrinkingGradient, &[f64], usize) -> f64,
) -> History {
    let (x, y) = (case.input("x"), case.vector("y"));
    let measure = |learner: &ShrinkingGradient, name: &str| {
        learner.measures().into_iter().find(|(found, _)| *found == name).unwrap().1
    };
    let mut history = History { estimates: vec![], predictions: vec![], l1: vec![0.0], shrinks: vec![] };
    for (t, (x, y)) in x.view().iter().zip(y).enumerate() {
        history.predictions.push(learner.exact(x).unwrap_or(f64::NAN));
        let value = estimate(learner, x, t);
        let before = measure(learner, "shrinks");
        learner.step(x, y, value).unwrap();
        history.estimates.push(value);
        history.shrinks.push(measure(learner, "shrinks") - before);
        history.l1.push(measure(learner, "l1_norm"));
    }
    history
}

fn check_run(case: &Case, learner: &ShrinkingGradient, history: &History) {
    check(case, "E", &history.estimates);
    check(case, "alpha", &learner.coefficients().to_vec());
    check(case, "l1", &history.l1);
    check(case, "alpha_avg", &learner.coefficients().averaged());
    let expected: Vec<f64> = case.0["expected"]["shrink"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| flag.as_bool().map_or_else(|| flag.as_f64().unwrap(), |flag| f64::from(u8::from(flag))))
        .collect();
    assert_eq!(history.shrinks, expected, "{}", case.name());
}

#[test]
fn shrinking_gradient() {
    for case in Case::of(ILN, "shrinking_gradient") {
        let (family, bound, eta) = (family(&case), case.param("B"), case.param("eta"));
        let (x, uniforms) = (case.input("x"), case.input("u"));
        let count = DrawCount::Fixed(case.param("m") as u64);
        let mut learner = ShrinkingGradient::over(family.clone(), x.cols(), bound, eta, count, Precision::AsLearning);
        let history = run(&case, &mut learner, |learner, row, t| {
            if t == 0 {
                return 0.0;
            }
            let w = draws(&case.0["inputs"]["w"][t]);
            let chosen: Vec<usize> = uniforms.row(t).iter().map(|u| learner.coefficients().index(*u)).collect();
            estimate(&*family, learner.coefficients(), &x, row, &chosen, &w)
        });
        check_run(&case, &learner, &history);
        if case.0["expected"].get("f_t_x_t").is_some() {
            check(&case, "f_t_x_t", &history.predictions);
        }
    }
}

#[test]
fn exact_gradient_and_comparator() {
    for case in Case::of(ILN, "exact_ogd") {
        let (family, x, y) = (family(&case), case.input("x"), case.vector("y"));
        let new = || {
            let (bound, eta) = (case.param("B"), case.param("eta"));
            ShrinkingGradient::over(family.clone(), x.cols(), bound, eta, DrawCount::Exact, Precision::AsLearning)
        };
        let mut learner = new();
        let history = run(&case, &mut learner, |learner, x, _| learner.exact(x).unwrap());
        check_run(&case, &learner, &history);
        // The learner computes the same values.
        let predictions = crate::laws::cases::play(&mut new(), x.view(), &y, &Draws::named(&[]), 7).unwrap();
        check(&case, "E", &predictions);

        let (kernel, radius) = (InfiniteLayer::new(family.clone()), case.param("ball"));
        let ball = NormBall::over_kernel(&kernel, x.view(), &y).unwrap();
        // The loss there is half the square.
        check(&case, "best_loss", &[0.5 * ball.loss(radius)]);
        let lambda = ball.penalty(radius);
        check(&case, "best_lambda", &[lambda]);
        let ridge = penalised::over_kernel(&kernel, x.view(), &y, lambda, &[y.len()]).unwrap()[0];
        check(&case, "best_norm", &[ridge.squared_norm.sqrt()]);
        assert_close(&[ridge.loss], &[ball.loss(radius)], 1e-9, case.name());
    }
}

#[test]
fn numbers_of_draws() {
    for case in Case::of(ILN, "theory_m") {
        let (rounds, bound, eta) = (case.param("T"), case.param("B"), case.param("eta"));
        check(&case, "gamma", &[iln::gamma(rounds, bound, eta)]);
        check(&case, "m_sufficient", &[iln::theorem1_draws(rounds, bound, eta)]);
        let [l1, precision, failure] = case.expected("m_test_args")[..] else { panic!("{}", case.name()) };
        check(&case, "m_test", &[iln::estimate_draws(l1, precision, failure)]);
    }
}

/// A learner over a finite mu predicts the same as one over the same kernel in closed form: exact predictions from
/// weights equal those from the expansion, for the last and for the averaged iterate.
#[test]
fn weights_and_expansion_agree() {
    let case = &Case::of(ILN, "discrete_kernel")[0];
    let atoms = draws(&case.0["inputs"]["w"]);
    let discrete: Arc<dyn Family> = Arc::new(Discrete::given(family(case), atoms, 2));
    let data = crate::laws::cases::data(2, 60);
    let mut learner =
        ShrinkingGradient::over(discrete.clone(), 2, 0.04, 0.5, DrawCount::Fixed(5), Precision::AsLearning);
    let draws = Draws::named(&["weights and expansion"]);
    let kernel = InfiniteLayer::new(discrete);
    for (t, (x, y)) in data.inputs.view().iter().zip(&data.targets).enumerate() {
        let values = gram(&kernel, &Matrix::from_data(1, 2, x.to_vec()).unwrap(), &data.inputs);
        let sum = |a: &[f64]| a.iter().zip(&values).map(|(a, k)| a * k).sum::<f64>();
        let expected = sum(&learner.coefficients().to_vec());
        assert!((learner.exact(x).unwrap() - expected).abs() < 1e-13 * (1.0 + expected.abs()), "round {t}");
        let expected = sum(&learner.coefficients().averaged());
        let found = learner.predict_averaged(x, &mut draws.at(Role::Predict, 0)).unwrap();
        assert!((found - expected).abs() < 1e-13 * (1.0 + expected.abs()), "round {t}: {found} {expected}");
        learner.learn(x, *y, &mut draws.at(Role::Learn, t as u64 + 1)).unwrap();
    }
    assert!(learner.measures().iter().any(|(name, value)| *name == "shrinks" && *value > 0.0));
}
