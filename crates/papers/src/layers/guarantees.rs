//! What the theorem on infinite-layer networks promises of every run with exact kernel values, where nothing is random.

use noregret_core::kernel::infinite_layer::InfiniteLayer;
use noregret_core::learner::layers::shrinking_gradient::ShrinkingGradientParams;
use noregret_core::theory::iln::theorem1_regret;

use crate::guarantee::Guarantee;
use crate::pkawv::ridge::{GRAM_ROUNDS, over_kernel};

/// Theorem 1 for squares, which are twice its losses, against the ridge regression with lambda = 1, shrunk into the ball.
pub(crate) static EXACT: Guarantee = Guarantee {
    name: "iln-theorem-1",
    source: "Infinite-layer networks, Theorem 1 (corrected constants), with exact kernel values",
    says: "sum (p_t - y_t)^2 - sum (f(x_t) - y_t)^2 <= (B^2 / eta + eta T) / (1 - eta) for |f| <= B, here for a ridge regression in that ball",
    learners: &["shrinking-gradient"],
    module: module_path!(),
    rounds: true,
    check: |run| {
        run.squares()?;
        let ShrinkingGradientParams { norm_bound, draws, feature, .. } = run.params();
        if draws.number() != Err("exact") {
            return Err("it draws neurons, and the theorem is about the mean over draws".into());
        }
        let (eta, rounds) = (run.measure("eta")?, run.within(GRAM_ROUNDS)?);
        if rounds.largest > 1.0 || eta >= 0.125 || run.measure("shrinks")? > 0.0 {
            return Err("|y| > 1, eta >= 1/8 or a shrink".into());
        }
        let ridge = over_kernel(&InfiniteLayer::new(feature), &rounds, 1.0)?;
        let norm = ridge.squared_norm.sqrt();
        let shrink = if norm > norm_bound { norm_bound / norm } else { 1.0 };
        let best: f64 = ridge.fitted.iter().zip(rounds.targets).map(|(f, y)| (shrink * f - y).powi(2)).sum();
        let bound = 2.0 * theorem1_regret(rounds.rounds as f64, norm_bound, eta, 0.0);
        Ok(rounds.sides(rounds.total - best, bound))
    },
};
