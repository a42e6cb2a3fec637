//! Reference values of the losses, and of the best predictors in a ball.

use std::sync::Arc;

use noregret_core::comparator::convex::minimise;
use noregret_core::comparator::low_rank;
use noregret_core::comparator::norm_ball::NormBall;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::loss::api::Loss;
use noregret_core::loss::squared::Squared;
use noregret_core::params::check::GivenTable;
use noregret_core::params::{PartKind, check::Parts};
use noregret_core::parts::AllParts;
use noregret_numeric::linalg::vector::{dot, squared_norm};

use super::{Case, assert_close, numbers};

const LOSSES: &str = include_str!("../../vectors/losses.json");

/// The loss of a case, with its parameters.
fn loss(case: &Case) -> Arc<dyn Loss> {
    let params = case.0["params"].as_object().unwrap();
    let mut table = GivenTable::new();
    table.insert("name".into(), params["loss"].as_str().unwrap().replace('_', "-").into());
    for name in ["c", "centre"] {
        if let Some(value) = params.get(name).and_then(serde_json::Value::as_f64) {
            table.insert(name.into(), value.into());
        }
    }
    AllParts.part(PartKind::Loss, &table, None, "").unwrap().object::<dyn Loss>().unwrap()
}

#[test]
fn losses() {
    for case in Case::of(LOSSES, "loss") {
        let loss = loss(&case);
        let analytic = loss.analytic().unwrap();
        let over = |name: &str, f: &dyn Fn(f64) -> f64| case.vector(name).into_iter().map(f).collect::<Vec<_>>();
        case.check("value", &over("a", &|a| loss.value(a)));
        case.check("derivative", &over("a", &|a| loss.derivative(a)));
        case.check("plus", &over("z", &|z| analytic.majorant(z)));
        // Each coefficient is compared on its own scale, because they fall like 1 / n!.
        let found = over("degrees", &|n| analytic.coefficient(n as u32));
        for (found, expected) in found.iter().zip(numbers(&case.0["expected"]["gamma"])) {
            let what = format!("{}: {found} for {expected}", case.name());
            assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{what}");
        }
        let centre = case.0["params"]["centre"].as_f64().unwrap_or(0.0);
        assert_close(&[analytic.centre()], &[centre], 0.0, case.name());
    }
}

/// The best linear functions, by the solver for any loss and by the closed form.
#[test]
fn best_linear_in_ball() {
    for case in Case::of(LOSSES, "best_linear_in_ball") {
        let (inputs, targets) = (case.input("x"), case.vector("y"));
        let best = minimise(inputs.view(), &targets, &Squared, case.param("radius")).unwrap();
        case.check("weights", &best.weights);
        case.check("loss", &[best.loss]);
        let closed = NormBall::over_features(inputs.view(), &targets).unwrap();
        case.check("loss", &[closed.loss(case.param("radius"))]);
    }
}

/// The best functions of a Gaussian kernel's space, over its features on the points and over the Gram matrix.
#[test]
fn best_kernel_in_ball() {
    for case in Case::of(LOSSES, "best_kernel_in_ball") {
        let (inputs, targets) = (case.input("x"), case.vector("y"));
        let kernel = Gaussian::new(case.param("bandwidth"));
        let features = low_rank::features(&kernel, inputs.view(), inputs.rows()).unwrap().unwrap();
        let best = minimise(features.view(), &targets, &Squared, case.param("radius")).unwrap();
        let predictions: Vec<f64> = features.view().iter().map(|row| dot(row, &best.weights)).collect();
        case.check("predictions", &predictions);
        case.check("loss", &[best.loss]);
        case.check("norm", &[squared_norm(&best.weights).sqrt()]);
        let closed = NormBall::over_kernel(&kernel, inputs.view(), &targets).unwrap();
        case.check("loss", &[closed.loss(case.param("radius"))]);
    }
}
