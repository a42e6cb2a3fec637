//! The theorems on robust losses applied to runs: their conditions, and the exact errors of least squares on the circle.

use std::collections::BTreeMap;

use crate::case::{Application, Case, Condition, Inapplicable, member};
use noregret_core::kernel::sobolev_periodic::SobolevPeriodicParams;
use noregret_core::learner::robust::robust_ogd::RobustOgdParams;
use noregret_core::params::typed::Parameters;
use noregret_core::stream::circle::CircleParams;
use noregret_core::stream::corruption::two_point::TwoPointParams;
use noregret_core::theory::robust::exact::ExactLeastSquares;
use noregret_core::theory::robust::{Norm, Regularity, eta_0};
use noregret_numeric::linalg::bernoulli::BernoulliSeries;

/// r and beta of the row against those of the target and the kernel on the circle.
fn regularity(case: &Case<'_>) -> Vec<Condition> {
    let mut conditions = Vec::new();
    if let Some(r) = case.given.get("r") {
        let what = "r, of which the target's critical regularity is the limit";
        conditions.push(match case.measures.get("regularity") {
            Some(critical) => Condition::below(what, *r, *critical),
            None => Condition::unknown(what),
        });
    }
    if let (Some(beta), Some(("sobolev-periodic", params))) = (case.given.get("beta"), member(case.params, "kernel")) {
        let critical = 0.5 / SobolevPeriodicParams::read(params).smoothness as f64;
        conditions.push(Condition::above(
            "beta, of which the kernel's critical capacity is the limit",
            *beta,
            critical,
        ));
    }
    conditions
}

/// The theorem of `norm`: constant steps T^-theta / eta_0 with eta_0 as in (8), corrected, and a scale that is large
/// enough.
fn theorem(case: &Case<'_>, norm: Norm) -> Result<Application, Inapplicable> {
    let RobustOgdParams { kernel, window, decay, .. } = case.played_by(&["robust-ogd"])?;
    let mut conditions = regularity(case);
    let shape = Regularity {
        target: case.given.get("r").copied().unwrap_or(f64::NAN),
        capacity: case.given.get("beta").copied().unwrap_or(1.0),
    };
    let growth = window.growth();
    let theta = shape.step_exponent(norm);
    let here = case.rounds.powf(-theta) / case.eta()?;
    conditions.push(match kernel.largest_diagonal() {
        Some(kappa2) => {
            Condition::at_least("eta_0 of (8)", here, eta_0(kappa2, growth.slope, growth.largest_slope, theta))
        }
        None => Condition::unknown("eta_0 of (8)"),
    });
    conditions.push(Condition::holds("constant steps", decay == 0.0));
    // Least squares has no scale.
    if growth.remainder > 0.0 {
        let least = case.rounds.powf(shape.scale_exponent(norm, growth.order));
        conditions.push(Condition::at_least("scale", case.measure("scale")?, least));
    }
    Ok(Application::default().meeting(conditions))
}

/// Theorem 1, and the statement that constant steps do not saturate.
pub(crate) fn theorem_1(case: &Case<'_>) -> Result<Application, Inapplicable> {
    theorem(case, Norm::L2)
}

/// Theorem 2.
pub(crate) fn theorem_2(case: &Case<'_>) -> Result<Application, Inapplicable> {
    theorem(case, Norm::Rkhs)
}

/// The statements on decreasing steps t^-theta, theta = (2 - beta) / (3 - beta), at which they stop improving.
pub(crate) fn decreasing(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let RobustOgdParams { decay, .. } = case.played_by(&["robust-ogd"])?;
    let mut conditions = regularity(case);
    let beta = case.given.get("beta").copied().unwrap_or(1.0);
    let theta = (2.0 - beta) / (3.0 - beta);
    conditions.push(Condition::equal("exponent of the decreasing steps", decay, theta));
    Ok(Application::default().meeting(conditions))
}

/// The same in the RKHS, theta = (m + beta) / (1 + m + beta) with m = min(2 r - 1, 1 - beta).
pub(crate) fn decreasing_rkhs(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let RobustOgdParams { decay, .. } = case.played_by(&["robust-ogd"])?;
    let mut conditions = regularity(case);
    let given = |name: &str| case.given.get(name).copied().unwrap_or(1.0);
    let sum = (2.0 * given("r") - 1.0).min(1.0 - given("beta")) + given("beta");
    conditions.push(Condition::equal("exponent of the decreasing steps", decay, sum / (1.0 + sum)));
    Ok(Application::default().meeting(conditions))
}

/// The statement on the average of the iterates with a constant step.
pub(crate) fn averaged(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let RobustOgdParams { decay, .. } = case.played_by(&["robust-ogd"])?;
    let mut conditions = regularity(case);
    conditions.push(Condition::holds("constant steps", decay == 0.0));
    Ok(Application::default().meeting(conditions))
}

/// Least squares whose steps decrease like t^-`decay`, or are constant for 0.
fn least_squares(case: &Case<'_>, exponent: f64) -> Result<Vec<Condition>, Inapplicable> {
    let RobustOgdParams { window, decay, .. } = case.played_by(&["robust-ogd"])?;
    let mut conditions = regularity(case);
    conditions.push(Condition::holds("least squares", window.growth().remainder == 0.0));
    conditions.push(match exponent {
        0.0 => Condition::holds("constant steps", decay == 0.0),
        _ => Condition::equal("exponent of the decreasing steps", decay, exponent),
    });
    Ok(conditions)
}

fn given(case: &Case<'_>, name: &str) -> f64 {
    case.given.get(name).copied().unwrap_or(f64::NAN)
}

/// (12) and (13): least squares with the step r T^(-2r / (2r + 1)) / (64 (1 + kappa)^4 (2r + 1)), or a shorter one.
pub(crate) fn known_constant(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let mut conditions = least_squares(case, 0.0)?;
    let RobustOgdParams { kernel, window, .. } = case.played_by(&["robust-ogd"])?;
    let r = given(case, "r");
    let here = case.eta()? * window.growth().slope * case.rounds.powf(2.0 * r / (2.0 * r + 1.0));
    conditions.push(match kernel.largest_diagonal() {
        Some(kappa2) => {
            let limit = r / (64.0 * (1.0 + kappa2.sqrt()).powi(4) * (2.0 * r + 1.0));
            Condition::at_most("eta T^(2r/(2r+1))", here, limit)
        }
        None => Condition::unknown("eta T^(2r/(2r+1))"),
    });
    Ok(Application::default().meeting(conditions))
}

/// (14): steps t^-theta, theta = 2 s / (2 s + 1) with s = min(r, 1/2).
pub(crate) fn known_decreasing(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let s = given(case, "r").min(0.5);
    Ok(Application::default().meeting(least_squares(case, 2.0 * s / (2.0 * s + 1.0))?))
}

/// (15) and (16): steps t^-theta, theta = (2 s + beta - 1) / (2 s + beta) with s = min(r, 1 - beta / 2).
pub(crate) fn known_averaged_decreasing(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let (r, beta) = (given(case, "r"), given(case, "beta"));
    let sum = 2.0 * r.min(1.0 - 0.5 * beta) + beta;
    let mut conditions = least_squares(case, (sum - 1.0) / sum)?;
    conditions.push(Condition::above("r", r, 0.5 - 0.5 * beta));
    Ok(Application::default().meeting(conditions))
}

/// (17): one step for all horizons.
pub(crate) fn known_averaged_constant(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let mut conditions = least_squares(case, 0.0)?;
    conditions.push(Condition::below("r", given(case, "r"), 0.5 - 0.5 * given(case, "beta")));
    Ok(Application::default().meeting(conditions))
}

/// Frequencies that the recursion follows one by one.
const FREQUENCIES: u32 = 512;

/// The exact expectations of the error measures of a run of least squares on the circle, by the names of the measures.
///
/// # Errors
/// If the run is another one.
pub(crate) fn exact_errors(case: &Case<'_>) -> Result<BTreeMap<String, f64>, Inapplicable> {
    let RobustOgdParams { window, decay, .. } = case.played_by(&["robust-ogd"])?;
    let other = || Inapplicable::from("exact errors are known for least squares on the circle, without outliers");
    let (Some("circle"), Some(law)) = (case.law(), case.law_params()) else { return Err(other()) };
    // Noise of mean 0 counts through its variance alone.
    let skewed = match &case.stream.corruption {
        None => 0.0,
        Some(corruption) if corruption.part.name == "two-point" => {
            let TwoPointParams { high, probability } = Parameters::read(&corruption.part.params);
            high.powi(2) * probability / (1.0 - probability)
        }
        Some(_) => return Err(other()),
    };
    let (growth, law) = (window.growth(), CircleParams::read(law));
    let same_space = match member(case.params, "kernel") {
        Some(("sobolev-periodic", params)) => {
            let SobolevPeriodicParams { smoothness, frequency } = Parameters::read(params);
            smoothness == law.smoothness && frequency == "cycles"
        }
        _ => false,
    };
    if growth.remainder != 0.0 || !same_space {
        return Err(other());
    }
    let mut terms = vec![(law.decay as u32, law.amplitude), (law.second_decay as u32, law.second_amplitude)];
    terms.retain(|(_, amplitude)| *amplitude != 0.0);
    let target = BernoulliSeries::new(law.constant, &terms).ok_or_else(other)?;
    let variance = law.half_width.powi(2) / 3.0 + skewed;
    let mut exact = ExactLeastSquares::new(&target, law.smoothness as u32, variance, FREQUENCIES);
    let eta = case.eta()? * growth.slope;
    for t in 1..=case.rounds as u64 {
        exact.step(if decay == 0.0 { eta } else { eta * (t as f64).powf(-decay) });
    }
    let named = [
        ("squared_l2_error", Some(exact.l2())),
        ("squared_l2_error_averaged", Some(exact.l2_averaged())),
        ("squared_rkhs_error", exact.rkhs()),
        ("squared_rkhs_error_averaged", exact.rkhs_averaged()),
    ];
    Ok(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}
