//! Estimates from random numbers of copies: features, gradient lengths, their second moments, and how many copies they take.

use std::sync::Arc;

use noregret_core::kernel::api::Kernel;
use noregret_core::learner::api::{Block, Hypothesis, OracleLearner};
use noregret_core::learner::noisy::noisy_analytic::NoisyAnalytic;
use noregret_core::learner::noisy::random_map::{Estimator, RandomMap, evaluate};
use noregret_core::learner::noisy::tensor_sum::TensorSum;
use noregret_core::loss::api::{Form, Loss};
use noregret_core::noise::api::NoiseLaw;
use noregret_core::params::PartKind;
use noregret_core::protocol::noisy::{Channel, NoisyPlayer};
use noregret_core::protocol::run::Player;
use noregret_core::theory::degrees::DegreeLaw;
use noregret_core::theory::noisy;
use noregret_numeric::draw::{Draw, Role};
use noregret_numeric::linalg::matrix::Rows;

use super::{Behind, Mean, draw, draws, law, part};

const KERNELS: [&str; 6] = [
    "name = 'linear'",
    "name = 'polynomial'\ndegree = 2\noffset = 0",
    "name = 'polynomial'\ndegree = 3\noffset = 1",
    "name = 'exponential'",
    "name = 'binomial'\nexponent = 0.5",
    "name = 'gaussian'\nbandwidth = 1.2",
];

const LOSSES: [&str; 6] = [
    "name = 'squared'",
    "name = 'squared-margin'",
    "name = 'exponential'",
    "name = 'smoothed-absolute'",
    "name = 'smoothed-hinge'",
    "name = 'smoothed-hinge'\ncentre = 1",
];

const ESTIMATORS: [Estimator; 2] = [Estimator::SingleTerm, Estimator::AllTerms];

/// Variance of the noise on each input. p E|x~|^2 = 2 (0.25 + 0.1) stays below 1, as the binomial kernel needs.
const VARIANCE: f64 = 0.05;
const X: [f64; 2] = [0.3, 0.4];
const Z: [f64; 2] = [0.5, -0.1];

/// What estimates are drawn by: geometric degrees and, for all terms and single ones, polynomial tails.
fn maps() -> impl Iterator<Item = (RandomMap, String)> {
    let laws = [(DegreeLaw::Geometric(2.0), ""), (DegreeLaw::Polynomial(3.0), ", polynomial tail")];
    let with = |(law, text)| ESTIMATORS.map(|estimator| (RandomMap { law, estimator }, format!("{estimator:?}{text}")));
    laws.into_iter().flat_map(with)
}

fn kernel(text: &str) -> Arc<dyn Kernel> {
    part(PartKind::Kernel, text).object::<dyn Kernel>().unwrap()
}

fn loss(text: &str) -> Arc<dyn Loss> {
    part(PartKind::Loss, text).object::<dyn Loss>().unwrap()
}

fn inputs() -> Arc<dyn NoiseLaw> {
    law("gaussian", &format!("noise_std = {:?}", VARIANCE.sqrt()))
}

fn behind<'a>(x: &'a [f64], y: f64, inputs: &'a dyn NoiseLaw, targets: &'a dyn NoiseLaw, draw: Draw) -> Behind<'a> {
    Behind { x, y, round: 1, inputs, targets, draw }
}

/// E|Psi~|^2, or a bound for the Gaussian kernel and polynomial tails; E<x~, x~'>^2 = |x|^4 + 2 v |x|^2 + d v^2.
fn map_moment(kernel: &dyn Kernel, map: RandomMap) -> f64 {
    let features = kernel.tensors().unwrap();
    let clean = X[0] * X[0] + X[1] * X[1];
    let square = clean + 2.0 * VARIANCE;
    let overlap = clean * clean + 2.0 * VARIANCE * clean + 2.0 * VARIANCE * VARIANCE;
    let all_terms = map.estimator == Estimator::AllTerms;
    let p = match map.law {
        DegreeLaw::Geometric(p) => p,
        law => return law.map_moment(features, all_terms, square),
    };
    if features.damping() == 0.0 {
        return noisy::dot_product_map_moment(p, features.series(p * square), all_terms);
    }
    let bandwidth = (0.5 / features.damping()).sqrt();
    if all_terms {
        noisy::gaussian_all_terms_moment(p, bandwidth, square, overlap, clean)
    } else {
        noisy::gaussian_map_moment(p, bandwidth, square, overlap)
    }
}

/// Prod and Mult are unbiased estimates of the kernel, and |Psi~|^2 has the mean of the theory, over 150,000 maps.
#[test]
fn maps_are_unbiased() {
    let law = inputs();
    for text in KERNELS.iter() {
        let kernel = kernel(text);
        let features = kernel.tensors().unwrap();
        let expected = kernel.evaluate(&X, &Z);
        for (map, drawn) in maps() {
            let what = format!("{text}, {drawn}");
            let (mut prod, mut mult, mut square) = (Mean::default(), Mean::default(), Mean::default());
            let mut own = draw(&format!("degrees {what}"));
            let mut first = behind(&X, 0.0, &*law, &*law, draw(&format!("first {what}")));
            let mut second = behind(&Z, 0.0, &*law, &*law, draw(&format!("second {what}")));
            for _ in 0..150_000 {
                let a = map.draw(features, &mut first, &mut own);
                let b = map.draw(features, &mut second, &mut own);
                prod.add(a.product(&b, 2));
                let mut sum = TensorSum::new(2);
                sum.add(1.0, &a);
                mult.add(evaluate(&sum, features, &Z));
                square.add(a.squared_norm(2));
            }
            assert!(prod.agrees(expected), "Prod, {what}: {prod:?} {expected}");
            assert!(mult.agrees(expected), "Mult, {what}: {mult:?} {expected}");
            let moment = map_moment(&*kernel, map);
            let exact = features.damping() == 0.0 || matches!(map.law, DegreeLaw::Geometric(_));
            let agrees = if exact { square.agrees(moment) } else { square.mean <= moment };
            assert!(agrees, "second moment, {what}: {square:?} {moment}");
        }
    }
}

/// A learner with a hypothesis of norm at most 0.5, learnt from 30 noisy rounds.
fn started(kernel: &Arc<dyn Kernel>, loss: &Arc<dyn Loss>, map: RandomMap, what: &str) -> NoisyAnalytic {
    let mut learner = NoisyAnalytic::over(kernel.clone(), loss.clone(), map, 0.05, 0.5, 2);
    let (law, silent, draws) = (inputs(), law("gaussian", "noise_std = 0"), draws(&format!("start {what}")));
    for round in 1..=30u64 {
        let x = if round % 2 == 0 { [0.4, 0.2] } else { [-0.3, 0.4] };
        let y = if round % 2 == 0 { 1.0 } else { -1.0 };
        let mut oracle = behind(&x, y, &*law, &*silent, draws.at(Role::Copies, round));
        learner.learn(&mut oracle, &mut draws.at(Role::Learn, round)).unwrap();
    }
    learner
}

/// Grad_Length is an unbiased estimate of the slope of the loss at the clean example (for residuals also with noisy
/// targets), for every pair of kernel and loss, and E g^2 is within its bound, over 40,000 estimates.
#[test]
fn gradient_lengths_are_unbiased_and_bounded() {
    let (law, noisy_targets, exact) = (inputs(), law("laplace", "noise_std = 0.3"), law("gaussian", "noise_std = 0"));
    for (text, loss_text) in KERNELS.iter().flat_map(|kernel| LOSSES.iter().map(move |loss| (kernel, loss))) {
        let (kernel, loss) = (kernel(text), loss(loss_text));
        for (map, drawn) in maps() {
            let what = format!("{text}, {loss_text}, {drawn}");
            let learner = started(&kernel, &loss, map, &what);
            // The label -1 matters in the products: the paper's Subroutine 1 is right only for y = 1.
            let y = -1.0;
            let margin = loss.form() == Form::Margin;
            let targets = if margin { &exact } else { &noisy_targets };
            let mut oracle = behind(&X, y, &*law, &**targets, draw(&format!("copies {what}")));
            let mut own = draw(&format!("own {what}"));
            let (mut mean, mut square) = (Mean::default(), Mean::default());
            for _ in 0..40_000 {
                let g = learner.length(&mut oracle, &mut own).unwrap();
                mean.add(g);
                square.add(g * g);
            }
            let prediction = learner.predict(&X, &mut draw("none"));
            let slope = loss.slope(prediction, y);
            assert!(mean.agrees(slope), "{what}: {mean:?} {slope}");
            let (around, mut estimates) = (learner.with_pilots(2, 1.5), Mean::default());
            (0..40_000).for_each(|_| estimates.add(around.length(&mut oracle, &mut own).unwrap()));
            assert!(estimates.agrees(slope), "around an estimate, {what}: {estimates:?} {slope}");
            let series = loss.analytic().unwrap();
            let target_bound = if margin { 0.0 } else { (1.0f64 + 0.09).sqrt() };
            let (all, moment) = (map.estimator == Estimator::AllTerms, map_moment(&*kernel, map));
            let bound = map.law.length_moment(series, all, 0.5, moment, target_bound);
            assert!(square.mean <= bound, "{what}: {square:?} {bound}");
        }
    }
}

/// The numbers of copies in 20,000 rounds follow the exact law: chi-squared over classes with expectations of at least
/// 10 is below its quantile at a false-alarm rate of 1e-6 (Wilson-Hilferty).
#[test]
fn queries_follow_the_law_of_the_theorems() {
    let rounds = 20_000;
    for p in [1.5, 2.0, 4.0] {
        for (text, gaussian) in [("name = 'linear'", false), ("name = 'gaussian'", true)] {
            let what = format!("queries {p} {text}");
            let map = RandomMap { law: DegreeLaw::Geometric(p), estimator: Estimator::SingleTerm };
            let mut learner = NoisyAnalytic::over(kernel(text), loss("name = 'squared-margin'"), map, 1e-3, 1.0, 1);
            let channel = Channel {
                inputs: law("gaussian", "noise_std = 0.1"),
                targets: law("gaussian", "noise_std = 0"),
                draws: draws(&what),
            };
            let own = draws(&format!("own {what}"));
            let mut player = NoisyPlayer::new(&mut learner, &own, &channel);
            let mut counts = vec![0.0; 4000];
            let mut before = 0;
            for round in 1..=rounds {
                let block = Block { first_round: round, inputs: Rows::new(1, &[0.3]), targets: &[1.0] };
                player.play(block, &mut [0.0]).unwrap();
                let now = player.queries().inputs;
                counts[((now - before) as usize).min(3999)] += 1.0;
                before = now;
            }
            let law = noisy::queries_law(p, gaussian, 3999);
            let (mut chi, mut classes, mut found, mut expected) = (0.0, 0.0, 0.0, 0.0);
            let mut left = rounds as f64;
            for (count, probability) in counts.iter().zip(&law) {
                found += count;
                expected += probability * rounds as f64;
                // The last class takes the rest.
                if expected >= 10.0 && left - expected >= 10.0 {
                    chi += (f64::powi(found - expected, 2)) / expected;
                    classes += 1.0;
                    left -= expected;
                    (found, expected) = (0.0, 0.0);
                }
            }
            chi += (found - left).powi(2) / left;
            let quantile =
                classes * f64::powi(1.0 - 2.0 / (9.0 * classes) + 4.753 * f64::sqrt(2.0 / (9.0 * classes)), 3);
            assert!(classes > 5.0 && chi < quantile, "{what}: {chi} over {classes} degrees of freedom, {quantile}");
            let mean = counts.iter().enumerate().map(|(m, count)| m as f64 * count).sum::<f64>() / rounds as f64;
            let law_variance: f64 = law.iter().enumerate().map(|(m, q)| q * (m as f64).powi(2)).sum();
            let exact = noisy::expected_queries(p, gaussian);
            let error = ((law_variance - exact * exact) / rounds as f64).sqrt();
            assert!((mean - exact).abs() < 5.0 * error, "{what}: {mean} {exact}");
        }
    }
}
