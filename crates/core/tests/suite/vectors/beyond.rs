//! Fourier features, AIOLI and coin betting.

use noregret_core::feature::fourier::orthogonal_frequencies;
use noregret_core::learner::aioli::{Aioli, root, weight};
use noregret_core::loss::api::Loss;
use noregret_core::loss::logistic::Logistic;

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
        check_learner(&case, "predictions", "Phi", |r| Box::new(Aioli::new(Box::new(Given(r)), lambda, bound)));
        let (x, y) = (case.input("Phi"), case.vector("y"));
        let found = play(&mut Aioli::new(Box::new(Given(x.cols())), lambda, bound), &x, &y, 7);
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
