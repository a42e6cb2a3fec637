//! Fourier features, AIOLI, coin betting, and forecasters against changing targets.

use noregret_core::comparator::paths::{segments, smoothest};
use noregret_core::feature::fourier::orthogonal_frequencies;
use noregret_core::learner::combine::discount_mixture::memories;
use noregret_core::learner::combine::mixture::{ExpertWeights, MixtureRule};
use noregret_core::learner::newton::aioli::{Aioli, root, weight};
use noregret_core::learner::ridge::discount::Discount;
use noregret_core::learner::ridge::tracking::TrackingAwv;
use noregret_core::learner::ridge::window_awv_taylor::WindowAwv;
use noregret_core::loss::api::Loss;
use noregret_core::loss::logistic::Logistic;
use noregret_papers::beyond::tracking::bounds::{TrackingProblem, discounted_regret, tracking_regret};

use super::*;

const BEYOND: &str = include_str!("../../vectors/beyond.json");

#[test]
fn orthogonal() {
    for case in Case::of(BEYOND, "orthogonal_frequencies") {
        let found = orthogonal_frequencies(case.input("G"), &case.input("N"), case.param("bandwidth"));
        case.check("frequencies", found.data());
    }
}

#[test]
fn fourier_forecasters() {
    for case in Case::of(BEYOND, "fourier_awv") {
        let map = || Box::new(Fourier::new(&case.input("frequencies")));
        let mut features = vec![0.0; map().features()];
        map().write(case.input("X").row(0), &mut features);
        // Here sines come first.
        features.rotate_left(case.input("frequencies").rows());
        case.check("features_of_first", &features);
        for (field, forecast) in [("ridge", Forecast::Ridge), ("awv", Forecast::Awv)] {
            check_learner(&case, field, "X", |_| Box::new(FixedFeatures::new(forecast, map(), case.param("lambda"))));
        }
    }
}

#[test]
fn aioli() {
    for case in Case::of(BEYOND, "aioli") {
        let (lambda, bound) = (case.param("lambda"), case.param("bound"));
        check_learner(&case, "predictions", "Phi", |r| Box::new(Aioli::new(Box::new(IdentityMap(r)), lambda, bound)));
        let (x, y) = (case.input("Phi"), case.vector("y"));
        let found = play(&mut Aioli::new(Box::new(IdentityMap(x.cols())), lambda, bound), &x, &y, 7);
        case.check("weights", &found.iter().map(|z| weight(*z, bound)).collect::<Vec<_>>());
        case.check("log_loss", &[found.iter().zip(&y).map(|(z, y)| Logistic.of(*z, *y)).sum()]);
    }
}

#[test]
fn aioli_root() {
    for case in Case::of(BEYOND, "aioli_root") {
        let found = case.vector("v").iter().zip(case.vector("h")).map(|(v, h)| root(*v, h)).collect::<Vec<_>>();
        for (found, expected) in found.iter().zip(case.expected("z")) {
            assert!((found - expected).abs() <= 1e-14 * expected.abs(), "{found} {expected}");
        }
    }
}

/// In kernel form; the coefficients are those of the points that were stored.
#[test]
fn coin_betting() {
    for case in Case::of(BEYOND, "coin_betting") {
        let params = &case.0["params"];
        let clip = params["clip"].as_f64().map_or("'none'".into(), |clip| format!("{clip:?}"));
        let toml = format!(
            "loss = {}\ntau = {:?}\nepsilon = {:?}\nclip = {clip}\nkernel = {{ name = 'gaussian', bandwidth = {:?} }}",
            params["loss"],
            case.param("tau"),
            case.param("epsilon"),
            case.param("bandwidth"),
        );
        check_learner(&case, "predictions", "X", |dim| cases::build("coin-kernel", &toml, dim));
        let (x, y) = (case.input("X"), case.vector("y"));
        let mut learner = cases::build("coin-kernel", &toml, x.cols());
        play(&mut *learner, &x, &y, 7);
        let measures: std::collections::BTreeMap<_, _> = learner.measures().into_iter().collect();
        case.check("wealth", &[measures["wealth"]]);
        case.check("bets", &[measures["bets"]]);
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest norm of a row, the sum of the distances between neighbouring rows, and that of their squares.
fn path(u: &Matrix) -> (f64, f64, f64) {
    let steps: Vec<f64> = (1..u.rows())
        .map(|t| norm(&u.row(t).iter().zip(u.row(t - 1)).map(|(new, old)| new - old).collect::<Vec<_>>()))
        .collect();
    let largest = u.view().iter().map(norm).fold(0.0, f64::max);
    (largest, steps.iter().sum(), steps.iter().map(|step| step * step).sum())
}

fn problem(case: &Case, bound: f64, norm_of_path: f64) -> TrackingProblem {
    let phi = case.input("Phi");
    TrackingProblem {
        rounds: phi.rows() as f64,
        features: phi.cols() as f64,
        lambda: case.param("lambda"),
        bound,
        kappa: phi.view().iter().map(norm).fold(0.0, f64::max),
        norm: norm_of_path,
    }
}

/// Forecasts, round by round and in blocks. The regret against the path of the case is below the bound in constants, which is
/// not below the one of the case.
#[test]
fn discounted_forecasters() {
    for case in Case::of(BEYOND, "discounted_awv") {
        let discount = Discount { gamma: case.param("gamma"), refresh: case.param("refresh") as u64 };
        for (field, forecast) in [("ridge", Forecast::Ridge), ("awv", Forecast::Awv)] {
            check_learner(&case, field, "Phi", |r| {
                let map = Box::new(IdentityMap(r));
                Box::new(FixedFeatures::discounted(forecast, map, case.param("lambda"), discount))
            });
        }
        let (largest, length, _) = path(&case.input("u"));
        let limit = discounted_regret(&problem(&case, case.param("bound"), largest), discount, length);
        let (stated, regret) = (case.expected("bound_constants")[0], case.expected("dynamic_regret")[0]);
        assert!(regret < stated && stated < limit, "{}: {regret} {stated} {limit}", case.name());
    }
}

#[test]
fn forecasters_over_windows() {
    for case in Case::of(BEYOND, "window_awv") {
        for (field, restart) in [("awv", false), ("restart_awv", true)] {
            check_learner(&case, field, "Phi", |r| {
                let width = case.param("width") as usize;
                Box::new(WindowAwv::over(Box::new(IdentityMap(r)), case.param("lambda"), width, restart))
            });
        }
    }
}

/// Also the bound at the smoother, where it is given.
#[test]
fn tracking_forecasters() {
    for case in Case::of(BEYOND, "tracking_awv") {
        let (lambda, q, a) = (case.param("lambda"), case.param("q"), case.param("a"));
        check_learner(&case, "awv", "Phi", |r| Box::new(TrackingAwv::new(Box::new(IdentityMap(r)), lambda, q, a)));
        if case.0["expected"]["bound_constants"].is_number() {
            let smoother = matrix(&case.0["expected"]["smoother"]);
            let (largest, _, squared) = path(&smoother);
            let problem = problem(&case, 1.0, largest);
            let start = norm(smoother.row(0)).powi(2);
            case.check("bound_constants", &[tracking_regret(&problem, q, start, squared)]);
        }
    }
}

#[test]
fn best_segments_and_smoothest_paths() {
    for case in Case::of(BEYOND, "best_segments") {
        let switches = case.param("switches") as usize;
        let (phi, y) = (case.input("Phi"), case.vector("y"));
        let found = segments(phi.view(), &y, case.param("lambda"), switches, 1);
        case.check("costs", &found.iter().map(|one| one.0).collect::<Vec<_>>());
        for (one, expected) in found.iter().zip(case.0["expected"]["starts"].as_array().unwrap()) {
            assert_eq!(serde_json::json!(one.1), *expected);
        }
        // Fewer starts cannot do better, and all switches are free where every start is allowed.
        let coarse = segments(phi.view(), &y, case.param("lambda"), switches, 5);
        assert!(coarse.iter().zip(&found).all(|(coarse, fine)| coarse.0 >= fine.0 - 1e-12));
        assert!(coarse.iter().flat_map(|one| &one.1).all(|start| start % 5 == 0));
    }
    for case in Case::of(BEYOND, "tracking_awv") {
        let (lambda, q, a) = (case.param("lambda"), case.param("q"), case.param("a"));
        case.check("comparator", &[smoothest(case.input("Phi").view(), &case.vector("y"), lambda, q, a)]);
    }
}

#[test]
fn mixtures_over_memories() {
    for case in Case::of(BEYOND, "gamma_grid") {
        let found: Vec<f64> =
            memories(case.param("n") as u64).into_iter().map(|memory| Discount::of_memory(memory).gamma).collect();
        case.check("gamma", &found);
    }
    for case in Case::of(BEYOND, "mixture") {
        let rule = if case.0["params"]["rule"] == "average" { MixtureRule::Average } else { MixtureRule::Aggregating };
        let (experts, mut found) = (case.input("F"), Vec::new());
        let mut mixture = ExpertWeights::new(rule, case.param("bound"), experts.cols());
        for (row, y) in experts.view().iter().zip(case.vector("y")) {
            found.push(mixture.forecast(row.iter().copied()));
            mixture.learn(row.iter().copied(), y);
        }
        case.check("predictions", &found);
    }
}
