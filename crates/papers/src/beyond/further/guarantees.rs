//! What logistic regression, coin betting and gradient descent promise of every run.

use crate::case::Inapplicable;
use noregret_core::comparator::convex::minimise;
use noregret_core::learner::descent::coin_kernel::CoinKernelParams;
use noregret_core::learner::descent::coin_taylor::CoinTaylorParams;
use noregret_core::learner::descent::kernel_ogd::KernelOgdParams;
use noregret_core::learner::descent::linear_descent::LinearDescentParams;
use noregret_core::learner::newton::aioli_taylor::AioliTaylorParams;

use crate::beyond::further::betting::coin_regret;
use crate::beyond::further::logistic::{aioli_log_det, aioli_regret};
use crate::guarantee::{Guarantee, PlayedRun, Sides};
use crate::pkawv::ridge::{GRAM_ROUNDS, over_features, over_kernel, taylor};

/// AIOLI over Taylor features, against the best of their functions of norm at most C.
pub(crate) static AIOLI: Guarantee = Guarantee {
    name: "aioli",
    source: "Jezequel, Gaillard, Rudi, COLT 2020; constants derived here",
    says: "the log loss exceeds that of the best function with |theta| <= C by at most lambda C^2 + (1 + C) r log(1 + n / (8 r lambda (1 + C)))",
    learners: &["aioli-taylor"],
    module: module_path!(),
    rounds: true,
    check: |run| {
        run.charges("logistic", |p, y| (-y * p).exp().ln_1p())?;
        let AioliTaylorParams { lambda, bound, bandwidth, order } = run.params();
        let (rounds, features) = taylor(run, bandwidth, order, GRAM_ROUNDS)?;
        let best = minimise(features.view(), rounds.targets, run.loss, bound).map_err(|error| error.to_string())?;
        let (n, r) = (rounds.rounds as f64, features.cols() as f64);
        let log_det = aioli_log_det(n, r, lambda, bound, 1.0);
        Ok(rounds.sides(rounds.total - best.loss, aioli_regret(lambda, bound * bound, bound, log_det)))
    },
};

/// Betting in a function space, against ridge regression with lambda = 1.
pub(crate) static COIN: Guarantee = Guarantee {
    name: "coin-betting",
    source: "Orabona, Pal, NIPS 2016",
    says: "the loss exceeds that of f by at most G kappa (epsilon + |f| sqrt(N log(1 + 24 N^2 |f|^2 / epsilon^2))), here for the ridge regression f with lambda = 1",
    learners: &["coin-kernel", "coin-taylor"],
    check: coin,
    ..AIOLI
};

fn coin(run: &PlayedRun<'_>) -> Result<Sides, Inapplicable> {
    let (loss, tau, epsilon, clip, named, (rounds, ridge)) = if run.learner == "coin-taylor" {
        let CoinTaylorParams { loss, tau, epsilon, clip, bandwidth, order } = run.params();
        let (rounds, features) = taylor(run, bandwidth, order, usize::MAX)?;
        let ridge = over_features(features.view(), rounds.targets, 1.0)?;
        // Taylor features are part of those of the Gaussian kernel, whose k(x, x) is 1.
        (loss, tau, epsilon, clip, 1.0, (rounds, ridge))
    } else {
        let CoinKernelParams { loss, tau, epsilon, clip, kappa, kernel } = run.params();
        let named = kappa.number().unwrap_or(kernel.largest_diagonal().map_or(0.0, f64::sqrt));
        let rounds = run.within(GRAM_ROUNDS)?;
        (loss, tau, epsilon, clip, named, (rounds, over_kernel(&*kernel, &rounds, 1.0)?))
    };
    run.charges(loss, |p, y| match loss {
        "absolute" => (p - y).abs(),
        "hinge" => (1.0 - y * p).max(0.0),
        "logistic" => (-y * p).exp().ln_1p(),
        _ => (tau * (y - p)).max((1.0 - tau) * (p - y)),
    })?;
    if let Ok(clip) = clip.number() {
        rounds.bounded(clip)?;
    }
    let best: f64 = ridge.fitted.iter().zip(rounds.targets).map(|(f, y)| run.loss.of(*f, *y)).sum();
    let steepest = if loss == "pinball" { tau.max(1.0 - tau) } else { 1.0 };
    let (norm, kappa) = (ridge.squared_norm.sqrt(), named.max(ridge.diagonal.sqrt()));
    let bets = run.measure("bets")?.min(rounds.rounds as f64);
    Ok(rounds.sides(rounds.total - best, coin_regret(steepest, kappa, epsilon, norm, bets)))
}

/// Gradient descent on squares with one step eta. From |f_{t+1} - f|^2 <= |f_t - f|^2 - 2 eta (l_t - l_t(f)) + 4 eta^2 kappa^2 l_t
/// follows (1 - 2 eta kappa^2) sum l_t <= sum l_t(f) + |f|^2 / (2 eta), where a projection only helps if f is in its ball.
pub(crate) static DESCENT: Guarantee = Guarantee {
    name: "gradient-descent",
    source: "Cesa-Bianchi, Long, Warmuth 1996, in a function space",
    says: "(1 - 2 eta kappa^2) sum (p_t - y_t)^2 - sum (f(x_t) - y_t)^2 <= |f|^2 / (2 eta), here for the ridge regression f with lambda = 1 / (2 eta), shrunk into the ball of the learner",
    learners: &["kernel-ogd", "linear-ogd"],
    check: descent,
    ..AIOLI
};

fn descent(run: &PlayedRun<'_>) -> Result<Sides, Inapplicable> {
    run.squares()?;
    let (rounds, ridge, eta, radius) = if run.learner == "kernel-ogd" {
        let KernelOgdParams { eta, kernel } = run.params();
        let eta = eta.number().unwrap_or((run.horizon as f64).sqrt().recip());
        let rounds = run.within(GRAM_ROUNDS)?;
        (rounds, over_kernel(&*kernel, &rounds, 0.5 / eta)?, eta, f64::INFINITY)
    } else {
        let (eta, rounds) = (run.measure("eta")?, run.within(usize::MAX)?);
        let ridge = over_features(rounds.inputs, rounds.targets, 0.5 / eta)?;
        (rounds, ridge, eta, run.params::<LinearDescentParams>().radius)
    };
    let left = 1.0 - 2.0 * eta * ridge.diagonal;
    if left <= 0.0 {
        return Err("its step is too large: 2 eta kappa^2 >= 1".into());
    }
    let norm = ridge.squared_norm.sqrt();
    let shrink = if norm > radius { radius / norm } else { 1.0 };
    let best: f64 = ridge.fitted.iter().zip(rounds.targets).map(|(f, y)| (shrink * f - y).powi(2)).sum();
    Ok(rounds.sides(left * rounds.total - best, (shrink * norm).powi(2) / (2.0 * eta)))
}
