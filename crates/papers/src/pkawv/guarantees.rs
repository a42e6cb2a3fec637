//! What the PKAWV paper promises of every run: Proposition 1, over a kernel's space and over features, Theorem 3, and the
//! mixtures over lambda of section 3.1.
//!
//! Regret is taken against the ridge regression with the learner's lambda, for which lambda |f|^2 is part of the minimum L*,
//! so that the bound of Proposition 1 is loss - L* <= B^2 log det(I + K / lambda), with B the largest |y| of the rounds.

use crate::case::Inapplicable;
use noregret_core::kernel::gaussian::Gaussian;
use noregret_core::learner::combine::expert_mixture::ExpertMixtureParams;
use noregret_core::learner::combine::mixture::MixtureRule;
use noregret_core::learner::ridge::exact::ExactParams;
use noregret_core::learner::ridge::taylor::TaylorParams;
use noregret_core::params::Params;
use noregret_core::params::typed::Parameters;
use noregret_numeric::linalg::vector::squared_norm;

use crate::guarantee::{Guarantee, PlayedRun, Prefix, Sides};
use crate::pkawv::bounds::{fixed_subspace_cost, kernel_awv_regret};
use crate::pkawv::ridge::{GRAM_ROUNDS, Ridge, over_features, over_kernel, taylor};

/// The rounds that a learner is checked on, and its ridge regression.
fn hindsight<'a>(
    run: &PlayedRun<'a>,
    learner: &str,
    params: &Params,
) -> Result<(Prefix<'a>, Ridge, f64), Inapplicable> {
    run.squares()?;
    if learner.ends_with("-taylor") {
        let TaylorParams { lambda, bandwidth, order } = Parameters::read(params);
        let (rounds, features) = taylor(run, bandwidth, order, usize::MAX)?;
        return Ok((rounds, over_features(features.view(), rounds.targets, lambda)?, lambda));
    }
    let ExactParams { lambda, kernel } = Parameters::read(params);
    let rounds = run.within(GRAM_ROUNDS)?;
    Ok((rounds, over_kernel(&*kernel, &rounds, lambda)?, lambda))
}

/// Proposition 1 over the learner's own space.
fn proposition_1(run: &PlayedRun<'_>) -> Result<Sides, Inapplicable> {
    let (rounds, ridge, lambda) = hindsight(run, run.learner, run.params)?;
    let bound = kernel_awv_regret(lambda, 0.0, rounds.largest, ridge.log_det);
    Ok(rounds.sides(rounds.total - ridge.objective, bound))
}

/// Proposition 1 of Kernel-AWV.
pub(crate) static KERNEL_AWV: Guarantee = Guarantee {
    name: "pkawv-proposition-1",
    source: "PKAWV, Proposition 1",
    says: "sum (p_t - y_t)^2 - min_f [sum (f(x_t) - y_t)^2 + lambda |f|^2] <= B^2 log det(I + K / lambda)",
    learners: &["kernel-awv"],
    module: module_path!(),
    rounds: true,
    check: proposition_1,
};

/// The same over Taylor features.
pub(crate) static TAYLOR: Guarantee = Guarantee {
    name: "pkawv-proposition-1-features",
    source: "PKAWV, Proposition 1, in the span of the features",
    says: "the same against the functions of the learner's features, with the determinant of their products",
    learners: &["pkawv-taylor"],
    ..KERNEL_AWV
};

/// Theorem 3. The largest eigenvalue mu of K minus the Gram matrix of the features is at most their difference's trace.
pub(crate) static SUBSPACE: Guarantee = Guarantee {
    name: "pkawv-theorem-3",
    source: "PKAWV, Theorem 3 (Theorem 9 for one projection)",
    says: "for a fixed subspace, sum (p_t - y_t)^2 - min_f [...] over the whole space <= B^2 log det(I + K / lambda) + B^2 (mu + lambda) n mu / lambda^2, with the trace of K - K_P in place of its largest eigenvalue mu",
    check: |run| {
        run.squares()?;
        let TaylorParams { lambda, bandwidth, order } = run.params();
        let (rounds, features) = taylor(run, bandwidth, order, GRAM_ROUNDS)?;
        let ridge = over_kernel(&Gaussian::new(bandwidth), &rounds, lambda)?;
        let mu = features.view().iter().map(|phi| (1.0 - squared_norm(phi)).max(0.0)).sum();
        let (n, b) = (rounds.rounds as f64, rounds.largest);
        let bound = kernel_awv_regret(lambda, 0.0, b, ridge.log_det) + fixed_subspace_cost(n, lambda, b, mu);
        Ok(rounds.sides(rounds.total - ridge.objective, bound))
    },
    ..TAYLOR
};

/// The identity of ridge regression, sum (p_t - y_t)^2 / (1 + h_t) = L*, with h_t <= kappa^2 / lambda.
pub(crate) static RIDGE: Guarantee = Guarantee {
    name: "ridge-identity",
    source: "Zhdanov, Kalnishkan, ALT 2010",
    says: "sum (p_t - y_t)^2 <= (1 + kappa^2 / lambda) min_f [sum (f(x_t) - y_t)^2 + lambda |f|^2], kappa^2 the largest k(x_t, x_t)",
    learners: &["kernel-ridge", "pkrr-taylor"],
    check: |run| {
        let (rounds, ridge, lambda) = hindsight(run, run.learner, run.params)?;
        Ok(rounds.sides(rounds.total, (1.0 + ridge.diagonal / lambda) * ridge.objective))
    },
    ..KERNEL_AWV
};

/// Exponential weights over a grid, each of whose members has one of the bounds above. Clipping to [-B, B] only helps.
pub(crate) static EXPERTS: Guarantee = Guarantee {
    name: "pkawv-experts",
    source: "PKAWV, section 3.1; Cesa-Bianchi, Lugosi 2006, section 3.3; Vovk 1998",
    says: "sum (p_t - y_t)^2 - min_k [bound on the loss of member k] <= c B^2 log K, c = 8 (average) or 2 (aggregating)",
    learners: &["expert-mixture"],
    check: |run| {
        let ExpertMixtureParams { grid, bound, rule, .. } = run.params();
        let eta = match rule {
            "aggregating" => MixtureRule::Aggregating.eta(bound),
            _ => MixtureRule::Average.eta(bound),
        };
        let mut least: Option<(Prefix<'_>, f64)> = None;
        for member in &grid {
            let name = member.part.name;
            if !KERNEL_AWV.learners.iter().chain(TAYLOR.learners).chain(RIDGE.learners).any(|known| *known == name) {
                return Err(format!("no bound is known for its members, {name}").into());
            }
            let (rounds, ridge, lambda) = hindsight(run, name, &member.part.params)?;
            let most = match RIDGE.learners.contains(&name) {
                true => (1.0 + ridge.diagonal / lambda) * ridge.objective,
                false => ridge.objective + kernel_awv_regret(lambda, 0.0, rounds.largest, ridge.log_det),
            };
            // Members with more features are checked on fewer rounds: only the same rounds compare.
            let kept = least
                .filter(|(known, best)| known.rounds < rounds.rounds || known.rounds == rounds.rounds && *best <= most);
            least = Some(kept.unwrap_or((rounds, most)));
        }
        let (rounds, most) = least.ok_or("it has no members")?;
        rounds.bounded(bound)?;
        Ok(rounds.sides(rounds.total - most, (grid.len() as f64).ln() / eta))
    },
    ..KERNEL_AWV
};
