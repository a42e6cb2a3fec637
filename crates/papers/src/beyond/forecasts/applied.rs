//! The theorems on aggregated forecasts and on intervals, applied to runs.

use crate::case::{Application, Case, Condition, Inapplicable};
use noregret_core::comparator::best_shifts::BestShiftsParams;
use noregret_core::learner::combine::aggregate::AggregateParams;
use noregret_core::learner::combine::aggregation::Penalty;
use noregret_core::learner::combine::intervals::IntervalsParams;
use noregret_core::params::typed::{OrWord, Parameters};

/// The setting of an aggregation.
struct AggregationSetting {
    experts: f64,
    range: f64,
    exp_concave: bool,
    eta: OrWord<f64>,
    alpha: OrWord<f64>,
    conditions: Vec<Condition>,
}

/// B, if it is given.
fn known(bound: &OrWord<f64>) -> Result<f64, Inapplicable> {
    bound.number().map_err(|_| "the largest absolute target `bound` is not given".into())
}

/// Of a run with this rule.
fn setting(case: &Case<'_>, rule: &str) -> Result<AggregationSetting, Inapplicable> {
    let params: AggregateParams = case.played_by(&["aggregate"])?;
    if params.rule != rule {
        return Err(Inapplicable::About(format!("the rule {rule}"), params.rule.to_string()));
    }
    let bound = known(&params.bound)?;
    let penalty = params.penalty();
    let conditions = vec![
        Condition::at_most("|y|", case.reach()?.target, bound),
        Condition::holds("the range E is known, not that of the rounds so far", params.range == "bound"),
    ];
    Ok(AggregationSetting {
        experts: params.count(case.stream.dim()) as f64,
        range: penalty.range(params.gradient, bound),
        exp_concave: penalty == Penalty::Square && !params.gradient,
        eta: params.eta,
        alpha: params.alpha,
        conditions,
    })
}

impl AggregationSetting {
    /// eta, and whether no second-order term is added with it.
    fn rate(&self, case: &Case<'_>) -> (f64, f64) {
        let most = 0.5 / self.range;
        let theory =
            if self.exp_concave { most } else { (8.0 * self.experts.max(2.0).ln() / case.rounds).sqrt() / self.range };
        let eta = self.eta.number().unwrap_or(theory);
        (eta, f64::from(u8::from(self.exp_concave && eta <= most * (1.0 + 1e-12))))
    }

    /// With further constants; always following another forecast has at most the regret E n.
    fn apply(self, case: &Case<'_>, constants: &[(&str, f64)]) -> Application {
        let own = [("experts", self.experts), ("range", self.range)];
        let all: Vec<_> = own.into_iter().chain(constants.iter().copied()).collect();
        Application { worst: Some(self.range * case.rounds), ..Application::with(&all) }.meeting(self.conditions)
    }
}

/// Exponential weights.
pub(crate) fn ewa(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let found = setting(case, "ewa")?;
    let (eta, exp_concave) = found.rate(case);
    Ok(found.apply(case, &[("eta", eta), ("exp_concave", exp_concave)]))
}

/// BOA.
pub(crate) fn boa(case: &Case<'_>) -> Result<Application, Inapplicable> {
    Ok(setting(case, "boa")?.apply(case, &[("squares", case.measure("its_squares")?)]))
}

/// ML-Poly.
pub(crate) fn ml_poly(case: &Case<'_>) -> Result<Application, Inapplicable> {
    Ok(setting(case, "ml-poly")?.apply(case, &[("squares", case.measure("its_squares")?)]))
}

/// Fixed-Share, against the sequences of the comparator.
pub(crate) fn fixed_share(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let mut found = setting(case, "fixed-share")?;
    let shifts = match case.comparator {
        Some(("best-shifts", params)) => BestShiftsParams::read(params).shifts as f64,
        _ => 0.0,
    };
    let known = matches!(case.comparator, Some(("best-shifts" | "best-expert", _)));
    found.conditions.push(Condition::holds("regret against a sequence of forecasts", known));
    let share = found.alpha.number().unwrap_or(1.0 / case.rounds);
    let (eta, exp_concave) = found.rate(case);
    Ok(found.apply(case, &[("shifts", shifts), ("share", share), ("eta", eta), ("exp_concave", exp_concave)]))
}

/// The parameters of intervals by this rule.
fn intervals(case: &Case<'_>, rule: &str) -> Result<IntervalsParams, Inapplicable> {
    let params: IntervalsParams = case.played_by(&["intervals"])?;
    if params.rule != rule {
        return Err(Inapplicable::About(format!("the rule {rule}"), params.rule.to_string()));
    }
    Ok(params)
}

/// The constants of intervals for this alpha and, where scores must be at most 2 B, B.
fn covered(
    case: &Case<'_>,
    alpha: f64,
    bound: Option<f64>,
    constants: &[(&str, f64)],
) -> Result<Application, Inapplicable> {
    let target = |bound| Ok(Condition::at_most("|y|", case.reach()?.target, bound));
    let conditions = bound.into_iter().map(target).collect::<Result<_, Inapplicable>>()?;
    Ok(Application { worst: Some(alpha.max(1.0 - alpha)), ..Application::with(constants) }.meeting(conditions))
}

/// Adaptive conformal inference.
pub(crate) fn aci(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let IntervalsParams { alpha, rate, .. } = intervals(case, "aci")?;
    covered(case, alpha, None, &[("alpha", alpha), ("rate", rate.number().unwrap_or(0.05))])
}

/// Gradient descent on the radius.
pub(crate) fn tracking(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let IntervalsParams { alpha, rate, bound, .. } = intervals(case, "tracking")?;
    let bound = known(&bound)?;
    let reach = 2.0 * bound;
    covered(case, alpha, Some(bound), &[("reach", reach), ("rate", rate.number().unwrap_or(0.05 * reach))])
}

/// Betting.
pub(crate) fn betting(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let IntervalsParams { alpha, epsilon, bound, .. } = intervals(case, "betting")?;
    let bound = known(&bound)?;
    let missed = case.measure("miss_rate")?;
    let constants = [("alpha", alpha), ("epsilon", epsilon), ("reach", 2.0 * bound), ("missed", missed)];
    covered(case, alpha, Some(bound), &constants)
}
