//! Incrementally updated squared norms equal the double sums after 2,000 rounds with projections.

use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::kernel::panels::Points;
use noregret_core::kernel::rational::Rational;
use noregret_core::kernel::surrogate::Surrogate;
use noregret_core::learner::api::Hypothesis;
use noregret_core::learner::noisy::noisy_analytic::NoisyAnalytic;
use noregret_core::learner::noisy::random_map::{Estimator, RandomMap};
use noregret_core::learner::noisy::surrogate_descent::SurrogateDescent;
use noregret_core::learner::noisy::tensor_sum::Element;
use noregret_core::loss::squared::Squared;
use noregret_core::theory::degrees::DegreeLaw;
use noregret_numeric::draw::Draws;
use noregret_numeric::linalg::covariance::Covariance;

use super::{behind_inputs, draw};

const ROUNDS: usize = 2_000;

#[test]
fn of_surrogates() {
    let kernels: [(&str, Arc<dyn Kernel>); 2] =
        [("gaussian", Arc::new(Gaussian::new(1.0))), ("rational", Arc::new(Rational::new(2.0)))];
    for (name, kernel) in kernels {
        let covariance = Covariance::diagonal(vec![0.3, 0.1]).unwrap();
        let pair = Surrogate::new(&*kernel, &covariance, 2, 8).unwrap();
        let mut learner = SurrogateDescent::over(pair.clone(), 0.3, 1.5, 2);
        let (mut draw, mut points, mut projections) = (draw(name), Points::new(2), 0);
        for _ in 0..ROUNDS {
            let x: [f64; 2] = [draw.normal(), draw.normal()];
            let near: [f64; 2] = [x[0] + 0.4 * draw.normal(), x[1] + 0.4 * draw.normal()];
            projections += u32::from(learner.step(&x, &near, (2.0 * x[0]).sin() + draw.normal()).unwrap().projected);
            let mut rotated = [0.0; 2];
            pair.rotate(&x, &mut rotated);
            points.push(&rotated);
        }
        assert!(projections > 100, "{name}: {projections}");
        let (carried, coefficients) = (learner.gauges().norm.unwrap().powi(2), learner.coefficients());
        let terms = points.rows().iter().zip(&coefficients);
        let double: f64 = terms.map(|(x, a)| a * pair.noisy().combine(&points, &coefficients, x)).sum();
        assert!((carried - double).abs() <= 1e-10 * double, "{name}: {carried} {double}");
    }
}

#[test]
fn of_random_maps() {
    for estimator in [Estimator::SingleTerm, Estimator::AllTerms] {
        let kernel = Arc::new(Gaussian::new(1.2));
        let map = RandomMap { law: DegreeLaw::Geometric(2.0), estimator };
        let mut learner = NoisyAnalytic::over(kernel.clone(), Arc::new(Squared), map, 0.05, 0.8, 2);
        let draws = Draws::named(&["norms", &format!("{estimator:?}")]);
        let (mut kept, mut projections): (Vec<(f64, Element)>, _) = (Vec::new(), 0);
        for round in 1..=ROUNDS as u64 {
            let mut oracle = behind_inputs(&draws, round);
            let mut own = draws.at(noregret_numeric::draw::Role::Learn, round);
            let features = kernel.tensors().unwrap();
            let element = map.draw(features, &mut oracle, &mut own);
            let gradient = learner.length(&mut oracle, &mut own).unwrap();
            let update = learner.step(&element, gradient).unwrap();
            kept.push((update.coefficient, element));
            if update.shrink != 1.0 {
                kept.iter_mut().for_each(|(weight, _)| *weight *= update.shrink);
                projections += 1;
            }
        }
        assert!(projections > 20, "{estimator:?}: {projections}");
        let double: f64 = kept
            .iter()
            .filter(|(weight, _)| *weight != 0.0)
            .map(|(a, e)| kept.iter().map(|(b, other)| a * b * e.product(other, 2)).sum::<f64>())
            .sum();
        let carried = learner.gauges().norm.unwrap().powi(2);
        assert!((carried - double).abs() <= 1e-10 * double, "{estimator:?}: {carried} {double}");
    }
}
