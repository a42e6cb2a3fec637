//! Distributions of targets, against scikit-learn's Gaussian processes, scipy's Student density and dense algebra
//! (tests/vectors/predictive.py).

use std::sync::Arc;

use noregret_core::learner::api::Setting;
use noregret_core::learner::predictive::{Noise, Predictive};
use noregret_core::learner::ridge::discount::Discount;
use noregret_core::learner::ridge::exact::{ExactParams, KernelAwv, KernelRidge};
use noregret_core::learner::ridge::kors::{SampleWeights, SamplerParams};
use noregret_core::learner::ridge::linear::{LinearParams, LinearRidge};
use noregret_core::learner::ridge::nystrom::{DictionarySampling, Nystrom};
use noregret_core::params::typed::OrWord;
use noregret_core::parts::Defaults;

use super::*;

const PREDICTIVE: &str = include_str!("../../vectors/predictive.json");

/// Checks what the learner tells of all rounds, in blocks of 7.
fn check(case: &Case, learner: &mut dyn Learner, noise: Noise, deviation: impl Fn(&Predictive) -> f64) {
    let (x, y) = (case.input("X"), case.vector("y"));
    let mut told = Vec::new();
    for from in (0..y.len()).step_by(7) {
        let to = y.len().min(from + 7);
        let block = Block { first_round: 1 + from as u64, inputs: x.view().slice(from, to), targets: &y[from..to] };
        learner.play(block, &cases::draws(), &mut vec![0.0; to - from]).unwrap();
        told.extend(learner.predictives().unwrap());
    }
    case.check("mean", &told.iter().map(Predictive::mean).collect::<Vec<_>>());
    case.check("deviation", &told.iter().map(deviation).collect::<Vec<_>>());
    let densities = told.iter().zip(&y).map(|(known, y)| known.ln_density(*y, noise));
    case.check("ln_density", &densities.collect::<Vec<_>>());
}

#[test]
fn of_exact_kernels() {
    for case in Case::of(PREDICTIVE, "gpr_kernel") {
        let noise = Noise::Known(case.param("noise"));
        let kernel = Arc::new(Gaussian::new(case.param("bandwidth")));
        let (params, setting) =
            (|| ExactParams { lambda: case.param("lambda"), kernel: kernel.clone() }, Setting::new(2));
        check(&case, &mut KernelRidge::new(params(), &setting).unwrap(), noise, |known| known.deviation(noise));
        // AWV forecasts something else, and tells the same.
        check(&case, &mut KernelAwv::new(params(), &setting).unwrap(), noise, |known| known.deviation(noise));
    }
}

#[test]
fn of_features() {
    for case in Case::of(PREDICTIVE, "gpr_features") {
        let noise = Noise::Known(case.param("noise"));
        for forecast in [Forecast::Ridge, Forecast::Awv] {
            let map = Box::new(IdentityMap(case.input("X").cols()));
            let mut learner = FixedFeatures::new(forecast, map, case.param("lambda"));
            check(&case, &mut learner, noise, |known| known.deviation(noise));
        }
        check(&case, &mut linear(&case, f64::INFINITY), noise, |known| known.deviation(noise));
    }
}

/// Regression over the columns alone, where all is forgotten by half after so many rounds.
fn linear(case: &Case, half_life: f64) -> impl Learner {
    let half_life = if half_life.is_finite() { half_life.into() } else { OrWord::Word("infinite") };
    let params = LinearParams {
        lambda: case.param("lambda"),
        intercept: false,
        half_life,
        forget_lambda: true,
        ..LinearParams::default()
    };
    LinearRidge::new(params, &Setting::new(case.input("X").cols())).unwrap()
}

#[test]
fn of_noise_that_is_learnt() {
    for case in Case::of(PREDICTIVE, "student") {
        let noise = Noise::Learnt { rounds: case.param("rounds"), variance: case.param("variance") };
        let discount = Discount { gamma: case.param("gamma"), refresh: 0 };
        let map = Box::new(IdentityMap(case.input("X").cols()));
        let mut learner = FixedFeatures::discounted(Forecast::Ridge, map, case.param("lambda"), discount);
        let scale = |known: &Predictive| match known {
            Predictive::Ridge(outlook) => outlook.student(noise).scale,
            Predictive::Average(_) => unreachable!(),
        };
        check(&case, &mut learner, noise, scale);
        check(&case, &mut linear(&case, -1.0 / case.param("gamma").log2()), noise, scale);
    }
}

/// The dictionary holds every sixth row: these are offered with the number 0, the others with one that no probability exceeds.
#[test]
fn of_dictionaries() {
    for case in Case::of(PREDICTIVE, "projected") {
        let (x, y, every) = (case.input("X"), case.vector("y"), case.param("every") as u64);
        let kernel = Arc::new(Gaussian::new(case.param("bandwidth")));
        let rule = SamplerParams { mu: 1e6, beta: 1e-6, epsilon: 0.5, weights: SampleWeights::Theory, least: 0.0 };
        let (sample, setting) = (DictionarySampling::Beforehand, Setting::new(2));
        let mut learner = Nystrom::new(Forecast::Ridge, kernel, case.param("lambda"), rule, sample, &setting);
        let number = |round: u64| if (round - 1).is_multiple_of(every) { 0.0 } else { 0.999 };
        learner.foresee_with(x.view(), number).unwrap();
        play(&mut learner, &x, &y, 7);
        let noise = Noise::Known(case.param("noise"));
        let told: Vec<_> = case.input("query").view().iter().map(|x| learner.predictive(x).unwrap()).collect();
        case.check("mean", &told.iter().map(Predictive::mean).collect::<Vec<_>>());
        case.check("deviation", &told.iter().map(|known| known.deviation(noise)).collect::<Vec<_>>());
    }
}
