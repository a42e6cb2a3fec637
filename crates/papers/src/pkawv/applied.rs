//! The theorems on PKAWV applied to runs, against the best function with its penalty lambda |f|^2.

use crate::case::{Application, Case, Condition, Inapplicable, member};
use crate::pkawv::bounds::{kors_beta, optimal_exponent, taylor_order};
use crate::pkawv::spectrum::{gaussian_log_det, periodic_log_det, uniform_log_det};
use noregret_core::comparator::norm_ball::InBallParams;
use noregret_core::comparator::penalised::OverKernelParams;
use noregret_core::kernel::gaussian::GaussianParams;
use noregret_core::kernel::sobolev_periodic::SobolevPeriodicParams;
use noregret_core::learner::ridge::exact::KernelAwvParams;
use noregret_core::learner::ridge::nystrom::PkawvNystromParams;
use noregret_core::learner::ridge::taylor::TaylorParams;
use noregret_core::params::typed::Parameters;

/// The failure probability at which the condition on KORS is stated.
const FAILURE: f64 = 0.05;

/// The bound on E log det(I + K / `lambda`) for the kernel of the run and the law of its inputs.
///
/// # Errors
/// If their spectrum is not known.
pub(crate) fn log_det(case: &Case<'_>, lambda: f64) -> Result<f64, Inapplicable> {
    let scale = case.rounds / lambda;
    // The Taylor features are those of a Gaussian kernel, which is not a parameter of its own.
    let (kernel, params) = match member(case.params, "kernel") {
        Some(found) => found,
        None => ("gaussian", case.params),
    };
    match (case.law(), kernel) {
        (Some("periodic-spline"), "sobolev-periodic")
            if let SobolevPeriodicParams { smoothness, frequency: "angular" } = Parameters::read(params) =>
        {
            Ok(periodic_log_det(scale, 0.5 / smoothness as f64))
        }
        (Some("gaussian-inputs"), "gaussian") if GaussianParams::read(params).bandwidth == 1.0 => {
            Ok(gaussian_log_det(scale, case.stream.dim() as f64))
        }
        (Some("uniform-inputs"), "gaussian") if GaussianParams::read(params).bandwidth == 1.0 => {
            Ok(uniform_log_det(scale, case.stream.dim() as f64))
        }
        (law, kernel) => Err(format!(
            "the spectrum of {kernel} with these parameters on the stream {} is not known",
            law.unwrap_or("?")
        )
        .into()),
    }
}

/// Whether regret is measured against the best function with the penalty lambda |f|^2 of the learner.
fn against_penalty(case: &Case<'_>, lambda: f64) -> Condition {
    match case.comparator {
        Some(("penalised", params)) => {
            Condition::equal("lambda of the comparator", OverKernelParams::read(params).lambda, lambda)
        }
        Some((name, _)) => Condition::holds(format!("regret against a penalised function, not {name}"), false),
        None => Condition::unknown("regret against a penalised function"),
    }
}

/// B and the determinant. No prediction is bounded, but always predicting 0 has at most the regret
/// sum y_t^2 <= n B^2.
fn forecaster(case: &Case<'_>, lambda: f64) -> Result<Application, Inapplicable> {
    let target = case.reach()?.target;
    let constants = [("target_bound", target), ("log_det", log_det(case, lambda)?)];
    let conditions = vec![against_penalty(case, lambda)];
    let worst = Some(case.rounds * target * target);
    Ok(Application { worst, conditions, ..Application::with(&constants) })
}

/// The dimension in which the row takes the shape of the bound, where the inputs have another one.
pub(crate) fn other_dimension(case: &Case<'_>) -> Option<Condition> {
    let (dim, given) = (case.stream.dim() as f64, *case.given.get("dimension")?);
    (dim != given).then(|| Condition::equal("dimension of the inputs", dim, given))
}

/// The kernel, where the theorem is about the Gaussian one and the learner has another.
fn other_kernel(case: &Case<'_>) -> Option<Condition> {
    let (name, _) = member(case.params, "kernel")?;
    (name != "gaussian").then(|| Condition::holds(format!("the Gaussian kernel, not {name}"), false))
}

/// Under the capacity condition: lambda = n^(gamma/(1+gamma)).
fn optimal_lambda(case: &Case<'_>, lambda: f64) -> Option<Condition> {
    let gamma = case.given.get("gamma")?;
    Some(Condition::equal("lambda", lambda, case.rounds.powf(optimal_exponent(*gamma))))
}

/// The capacity exponent of the row against that of the kernel on uniform inputs.
fn capacity_of_kernel(case: &Case<'_>) -> Option<Condition> {
    let (gamma, what) = (*case.given.get("gamma")?, "gamma of the row against 1 / (2 s) of the kernel");
    let Some(("sobolev-periodic", params)) = member(case.params, "kernel") else {
        return Some(Condition::unknown(what));
    };
    Some(Condition::at_least(what, gamma, 0.5 / SobolevPeriodicParams::read(params).smoothness as f64))
}

/// Propositions 1 and 2 under a capacity condition.
pub(crate) fn capacity(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let KernelAwvParams { lambda, .. } = case.played_by(&["kernel-awv"])?;
    let mut found = forecaster(case, lambda)?;
    found.conditions.extend(optimal_lambda(case, lambda));
    found.conditions.extend(capacity_of_kernel(case));
    Ok(found)
}

/// Propositions 1 and 2 for a bounded kernel, against the best function of a ball.
pub(crate) fn worst_case(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let KernelAwvParams { lambda, kernel } = case.played_by(&["kernel-awv"])?;
    let Some(("norm-ball", comparator)) = case.comparator else {
        return Err("the bound is on regret against functions of bounded norm".into());
    };
    let (target, norm) = (case.reach()?.target, InBallParams::read(comparator).radius);
    let diagonal = case.largest_diagonal(&*kernel)?;
    let constants = [("target_bound", target), ("lambda", lambda), ("norm_bound", norm), ("diagonal", diagonal)];
    let order = lambda / (case.rounds * case.rounds.ln()).sqrt();
    let conditions = vec![Condition::equal("lambda over sqrt(n ln n)", order, 1.0)];
    let worst = Some(case.rounds * target * target);
    Ok(Application { worst, conditions, ..Application::with(&constants) })
}

/// Propositions 1 and 2 for the Gaussian kernel.
pub(crate) fn gaussian(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let mut found = forecaster(case, case.played_by::<KernelAwvParams>(&["kernel-awv"])?.lambda)?;
    found.conditions.extend(other_dimension(case));
    found.conditions.extend(other_kernel(case));
    Ok(found)
}

/// lambda, and the condition on the order of the Taylor features.
fn taylor(case: &Case<'_>) -> Result<(f64, Condition), Inapplicable> {
    let TaylorParams { lambda, bandwidth, order } = case.played_by(&["pkawv-taylor"])?;
    let needed = taylor_order(case.rounds, lambda, case.reach()?.input, bandwidth);
    Ok((lambda, Condition::at_least("order of the Taylor features", order as f64, needed)))
}

/// Theorem 4.
pub(crate) fn theorem_4(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let (lambda, order) = taylor(case)?;
    let mut found = forecaster(case, lambda)?;
    found.conditions.push(order);
    found.conditions.extend(other_dimension(case));
    Ok(found)
}

/// The features of Theorem 4: only the condition on their order.
pub(crate) fn theorem_4_features(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let order = taylor(case)?.1;
    Ok(Application::default().meeting(std::iter::once(order).chain(other_dimension(case)).collect()))
}

/// beta of KORS, for its guarantees with probability 1 - [`FAILURE`].
fn kors(case: &Case<'_>, beta: f64, weights: &str) -> Vec<Condition> {
    let what = format!("beta of KORS, 12 log(n / delta) for delta = {FAILURE}");
    vec![
        Condition::at_least(what, beta, kors_beta(case.rounds, FAILURE)),
        Condition::holds("the paper's weights of KORS", weights == "theory"),
    ]
}

/// Theorem 6, for mu = n^-2; the dictionary has at most n points.
pub(crate) fn theorem_6(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let PkawvNystromParams { lambda, mu, beta, weights, .. } = case.played_by(&["pkawv-nystrom"])?;
    let mut found = forecaster(case, lambda)?;
    let more = [("lambda", lambda), ("mu", mu), ("points", case.rounds)];
    found.constants.extend(more.map(|(name, value)| (name.to_owned(), value)));
    found.conditions.push(Condition::equal("mu", mu, case.rounds.powi(-2)));
    found.conditions.push(Condition::at_most("mu against lambda", mu, lambda));
    found.conditions.extend(kors(case, beta, weights));
    found.conditions.extend(other_dimension(case));
    found.conditions.extend(other_kernel(case));
    Ok(found)
}

/// The dictionary of Theorem 6: only the conditions.
pub(crate) fn theorem_6_dictionary(case: &Case<'_>) -> Result<Application, Inapplicable> {
    Ok(Application::default().meeting(theorem_6(case)?.conditions))
}

/// Corollaries 7 and 8: only the conditions.
fn corollary(case: &Case<'_>, needed: &str) -> Result<Application, Inapplicable> {
    let PkawvNystromParams { lambda, mu, beta, weights, dictionary, .. } = case.played_by(&["pkawv-nystrom"])?;
    let (gamma, size) = case.given.get("gamma").zip(case.given.get("size")).ok_or("gamma and size must be given")?;
    let mut conditions = vec![
        against_penalty(case, lambda),
        Condition::holds(format!("a {needed} dictionary"), dictionary == needed),
        Condition::equal("mu", mu, case.rounds.powf(1.0 - size / gamma)),
    ];
    conditions.extend(optimal_lambda(case, lambda));
    conditions.extend(capacity_of_kernel(case));
    conditions.extend(kors(case, beta, weights));
    Ok(Application::default().meeting(conditions))
}

/// Corollary 7, with its dictionary.
pub(crate) fn corollary_7(case: &Case<'_>) -> Result<Application, Inapplicable> {
    corollary(case, "sequential")
}

/// Corollary 8, with its dictionary.
pub(crate) fn corollary_8(case: &Case<'_>) -> Result<Application, Inapplicable> {
    corollary(case, "beforehand")
}
