//! Gradients of the linear learners are unbiased under every noise law, and their second moments are within the
//! theorems' bounds.

use noregret_core::learner::api::{OracleLearner, Setting};
use noregret_core::learner::noisy::noisy_linear_covariance::{KnownCovariance, KnownCovarianceParams};
use noregret_core::learner::noisy::noisy_linear_two_copy::{TwoCopy, TwoCopyParams};
use noregret_core::noise::NOISES;
use noregret_core::parts::Defaults;
use noregret_core::theory::noisy;
use noregret_numeric::draw::Role;

use super::{Behind, Mean, draws, law};

const X: [f64; 2] = [0.8, -0.5];
const Y: f64 = 0.7;
const SAMPLES: u64 = 60_000;

/// A learner after a few rounds without noise, and its weights.
trait Started: OracleLearner + Clone {
    fn weights(&self) -> &[f64];
}

impl Started for TwoCopy {
    fn weights(&self) -> &[f64] {
        TwoCopy::weights(self)
    }
}

impl Started for KnownCovariance {
    fn weights(&self) -> &[f64] {
        KnownCovariance::weights(self)
    }
}

fn two_copies(eta: f64) -> TwoCopy {
    let params = TwoCopyParams { eta: eta.into(), radius: 1e3, ..TwoCopyParams::default() };
    TwoCopy::new(params, &Setting::new(2)).unwrap()
}

fn known_covariance(eta: f64, as_published: bool) -> KnownCovariance {
    let params =
        KnownCovarianceParams { eta: eta.into(), radius: 1e3, as_published, ..KnownCovarianceParams::default() };
    KnownCovariance::new(params, &Setting::new(2)).unwrap()
}

/// The mean of each entry of (w - w_next) / eta over `SAMPLES` updates from the same start, of |.|^2, and the weights.
fn gradients<L: Started>(mut learner: L, eta: f64, noise: &str) -> ([Mean; 2], Mean, Vec<f64>) {
    let parameters =
        if noise == "multivariate-gaussian" { "covariance = [[0.3, 0.1], [0.1, 0.2]]" } else { "noise_std = 0.5" };
    let (inputs, targets) = (law(noise, parameters), law("gaussian", "noise_std = 0.5"));
    let (silent, draws) = (law("gaussian", "noise_std = 0"), draws(noise));
    for (x, y) in [([1.0, 0.3], -1.0), ([-0.2, 1.0], 1.5), ([0.4, 0.1], -0.8)] {
        let draw = draws.at(Role::Start, 0);
        let mut oracle = Behind { x: &x, y, round: 1, inputs: &*silent, targets: &*silent, draw };
        learner.learn(&mut oracle, &mut draws.at(Role::Learn, 0)).unwrap();
    }
    let start = learner.weights().to_vec();
    let (mut means, mut square) = ([Mean::default(); 2], Mean::default());
    for round in 1..=SAMPLES {
        let mut next = learner.clone();
        let draw = draws.at(Role::Copies, round);
        let mut oracle = Behind { x: &X, y: Y, round, inputs: &*inputs, targets: &*targets, draw };
        next.learn(&mut oracle, &mut draws.at(Role::Learn, round)).unwrap();
        let gradient: Vec<f64> = start.iter().zip(next.weights()).map(|(a, b)| (a - b) / eta).collect();
        means.iter_mut().zip(&gradient).for_each(|(mean, value)| mean.add(*value));
        square.add(gradient.iter().map(|value| value * value).sum());
    }
    (means, square, start)
}

/// 2 (<w, x> - y) x.
fn clean_gradient(w: &[f64]) -> [f64; 2] {
    let residual = w[0] * X[0] + w[1] * X[1] - Y;
    X.map(|x| 2.0 * residual * x)
}

/// For laws of variance 1/4 per coordinate E|x~|^2 is |x|^2 + 1/2 on average over the rounds; the fourth moment is at
/// most that of the heaviest tail.
#[test]
fn gradients_are_unbiased_and_bounded() {
    let eta = 0.1;
    let square = X[0] * X[0] + X[1] * X[1] + 0.5;
    for entry in NOISES.iter() {
        let (means, second, w) = gradients(two_copies(eta), eta, entry.name);
        let expected = clean_gradient(&w);
        for (mean, expected) in means.iter().zip(expected) {
            assert!(mean.agrees(expected), "two copies, {}: {mean:?} {expected}", entry.name);
        }
        let norm = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        let bound = noisy::two_copy_moment(norm, square.sqrt(), (Y * Y + 0.25f64).sqrt());
        assert!(second.mean <= bound, "two copies, {}: {second:?} {bound}", entry.name);
        let (means, second, w) = gradients(known_covariance(eta, false), eta, entry.name);
        for (mean, expected) in means.iter().zip(clean_gradient(&w)) {
            assert!(mean.agrees(expected), "known covariance, {}: {mean:?} {expected}", entry.name);
        }
        let fourth = square.powi(2) + 12.0 * 0.25 * square;
        let bound = noisy::covariance_moment(norm, fourth.sqrt().sqrt(), 1.5, 0.5);
        assert!(second.mean <= bound, "known covariance, {}: {second:?} {bound}", entry.name);
    }
}

/// The printed form leaves Sigma w of the bias 2 Sigma w.
#[test]
fn the_printed_correction_is_half_of_what_is_needed() {
    let eta = 0.1;
    let (means, _, w) = gradients(known_covariance(eta, true), eta, "gaussian");
    for ((mean, clean), w) in means.iter().zip(clean_gradient(&w)).zip(w) {
        assert!(mean.agrees(clean + 0.25 * w), "{mean:?}");
        assert!(!mean.agrees(clean), "{mean:?} does not show the misprint");
    }
}
