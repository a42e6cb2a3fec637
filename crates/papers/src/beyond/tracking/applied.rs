//! The theorems on changing targets applied to runs on laws whose function moves.

use crate::case::{Application, Case, Condition};
use noregret_core::feature::taylor::Taylor;
use noregret_core::learner::combine::discount_mixture::{DiscountMixtureParams, experts};
use noregret_core::learner::ridge::discount::DiscountedTaylorParams;
use noregret_core::params::typed::Parameters;

/// The largest length and squared length of the path of a law.
struct Path {
    norm: f64,
    length: f64,
    squared: f64,
}

/// That of the stream.
///
/// # Errors
/// If its function does not move in a known way.
fn path(case: &Case<'_>) -> Result<Path, String> {
    let (Some(law), Some(params)) = (case.law(), case.law_params()) else {
        return Err("the path that the targets follow is not known".into());
    };
    match law {
        "switching-function" => {
            let (norm, switches) = (params.real("norm"), params.integer("switches") as f64);
            Ok(Path { norm, length: 2.0 * norm * switches, squared: 4.0 * norm * norm * switches })
        }
        "rotating-function" => {
            let norm = params.real("norm");
            let length = std::f64::consts::TAU * params.real("turns") * norm;
            Ok(Path { norm, length, squared: length * length / case.rounds })
        }
        other => Err(format!("the path that the targets of {other} follow is not known")),
    }
}

/// What the bounds have in common. Always predicting 0 has at most the regret sum y_t^2 <= n B^2.
fn setting(case: &Case<'_>, constants: &[(&str, f64)]) -> Result<Application, String> {
    let Path { norm, .. } = path(case)?;
    let (params, target) = (case.params, case.reach()?.target);
    let features = Taylor::count(case.stream.dim(), params.integer("order") as usize)
        .ok_or_else(|| "the number of features is beyond 2^64".to_owned())?;
    let own = [
        ("features", features as f64),
        ("lambda", params.real("lambda")),
        ("target_bound", target),
        // Taylor features are part of those of the Gaussian kernel, whose k(x, x) is 1.
        ("kappa", 1.0),
        ("norm", norm),
    ];
    let all: Vec<_> = own.into_iter().chain(constants.iter().copied()).collect();
    let against = Condition::holds("regret against the path of the law", matches!(case.comparator, Some(("law", _))));
    let law = case.law_params();
    let conditions = vec![
        against,
        Condition::equal(
            "bandwidth of the features against that of the law",
            params.real("bandwidth"),
            law.map_or(f64::NAN, |law| law.real("bandwidth")),
        ),
        Condition::at_least(
            "order of the features against that of the law",
            params.integer("order") as f64,
            law.map_or(f64::NAN, |law| law.integer("order") as f64),
        ),
    ];
    Ok(Application { worst: Some(case.rounds * target * target), conditions, ..Application::with(&all) })
}

/// (1.3b): the discounted forecaster.
pub(crate) fn discounted(case: &Case<'_>) -> Result<Application, String> {
    case.played_by(&["discounted-awv-taylor"])?;
    let discount = DiscountedTaylorParams::read(case.params).discount();
    let refresh = discount.period().unwrap_or(0) as f64;
    setting(case, &[("length", path(case)?.length), ("gamma", discount.gamma), ("refresh", refresh)])
}

/// (1.4b): the tracking forecaster.
pub(crate) fn tracking(case: &Case<'_>) -> Result<Application, String> {
    case.played_by(&["tracking-awv-taylor"])?;
    let mut found = setting(case, &[("squared_length", path(case)?.squared), ("q", case.params.real("q"))])?;
    found.conditions.push(Condition::equal("a", case.params.real("a"), 1.0));
    Ok(found)
}

/// (1.6): the mixture.
pub(crate) fn mixture(case: &Case<'_>) -> Result<Application, String> {
    case.played_by(&["discount-mixture"])?;
    let price = if case.params.word("rule") == "aggregating" { 2.0 } else { 8.0 };
    let count = experts(&DiscountMixtureParams::read(case.params), case.rounds as u64) as f64;
    let mut found = setting(case, &[("length", path(case)?.length), ("price", price), ("experts", count)])?;
    found.conditions.push(Condition::at_least(
        "bound B of the experts",
        case.params.real("bound"),
        case.reach()?.target,
    ));
    Ok(found)
}
