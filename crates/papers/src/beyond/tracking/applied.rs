//! The theorems on changing targets applied to runs on laws whose function moves.

use crate::case::{Application, Case, Condition, Inapplicable};
use noregret_core::feature::taylor::Taylor;
use noregret_core::learner::combine::discount_mixture::{DiscountMixtureParams, experts};
use noregret_core::learner::ridge::discounted::DiscountParams;
use noregret_core::learner::ridge::taylor::TaylorParams;
use noregret_core::learner::ridge::tracking_awv_taylor::TrackingAwvTaylorParams;
use noregret_core::params::typed::Parameters;
use noregret_core::stream::rotating_function::RotatingFunctionParams;
use noregret_core::stream::switching_function::SwitchingFunctionParams;

/// The largest length and squared length of the path of a law, and the features of its function.
struct Path {
    norm: f64,
    length: f64,
    squared: f64,
    bandwidth: f64,
    order: u64,
}

/// That of the stream.
///
/// # Errors
/// If its function does not move in a known way.
fn path(case: &Case<'_>) -> Result<Path, Inapplicable> {
    let (Some(law), Some(params)) = (case.law(), case.law_params()) else {
        return Err("the path that the targets follow is not known".into());
    };
    match law {
        "switching-function" => {
            let SwitchingFunctionParams { bandwidth, order, norm, switches, .. } = Parameters::read(params);
            let (length, squared) = (2.0 * norm * switches as f64, 4.0 * norm * norm * switches as f64);
            Ok(Path { norm, length, squared, bandwidth, order })
        }
        "rotating-function" => {
            let RotatingFunctionParams { bandwidth, order, norm, turns, .. } = Parameters::read(params);
            let length = std::f64::consts::TAU * turns * norm;
            Ok(Path { norm, length, squared: length * length / case.rounds, bandwidth, order })
        }
        other => Err(format!("the path that the targets of {other} follow is not known").into()),
    }
}

/// What the bounds have in common. Always predicting 0 has at most the regret sum y_t^2 <= n B^2.
fn setting(case: &Case<'_>, constants: &[(&str, f64)]) -> Result<Application, Inapplicable> {
    let features = TaylorParams::read(case.params);
    let (Path { norm, bandwidth, order, .. }, target) = (path(case)?, case.reach()?.target);
    let count = Taylor::count(case.stream.dim(), features.order as usize)
        .ok_or_else(|| "the number of features is beyond 2^64".to_owned())?;
    let own = [
        ("features", count as f64),
        ("lambda", features.lambda),
        ("target_bound", target),
        // Taylor features are part of those of the Gaussian kernel, whose k(x, x) is 1.
        ("kappa", 1.0),
        ("norm", norm),
    ];
    let all: Vec<_> = own.into_iter().chain(constants.iter().copied()).collect();
    let against = Condition::holds("regret against the path of the law", matches!(case.comparator, Some(("law", _))));
    let conditions = vec![
        against,
        Condition::equal("bandwidth of the features against that of the law", features.bandwidth, bandwidth),
        Condition::at_least("order of the features against that of the law", features.order as f64, order as f64),
    ];
    Ok(Application { worst: Some(case.rounds * target * target), conditions, ..Application::with(&all) })
}

/// (1.3b): the discounted forecaster.
pub(crate) fn discounted(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let discount = case.played_by::<DiscountParams>(&["discounted-awv-taylor"])?.discount();
    let refresh = discount.period().unwrap_or(0) as f64;
    let constants = [("length", path(case)?.length), ("gamma", discount.gamma), ("refresh", refresh)];
    setting(case, &constants)
}

/// (1.4b): the tracking forecaster.
pub(crate) fn tracking(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let TrackingAwvTaylorParams { a, q, .. } = case.played_by(&["tracking-awv-taylor"])?;
    let constants = [("squared_length", path(case)?.squared), ("q", q)];
    let mut found = setting(case, &constants)?;
    found.conditions.push(Condition::equal("a", a, 1.0));
    Ok(found)
}

/// (1.6): the mixture.
pub(crate) fn mixture(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let params: DiscountMixtureParams = case.played_by(&["discount-mixture"])?;
    let count = experts(&params, case.rounds as u64) as f64;
    let price = if params.rule == "aggregating" { 2.0 } else { 8.0 };
    let constants = [("length", path(case)?.length), ("price", price), ("experts", count)];
    let mut found = setting(case, &constants)?;
    found.conditions.push(Condition::at_least("bound B of the experts", params.bound, case.reach()?.target));
    Ok(found)
}
