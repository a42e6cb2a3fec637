//! The theorems on aggregated forecasts and on intervals, applied to runs.

use crate::case::{Application, Case, Condition};
use noregret_core::learner::combine::aggregation::Penalty;
use noregret_core::params::Part;

/// The setting of an aggregation.
struct Setting {
    experts: f64,
    range: f64,
    exp_concave: bool,
    conditions: Vec<Condition>,
}

/// Of a run with this rule.
fn setting(case: &Case<'_>, rule: &str) -> Result<Setting, String> {
    case.played_by(&["aggregate"])?;
    let params = case.params;
    if params.word("rule") != rule {
        return Err(format!("the theorem is about the rule {rule}, not about {}", params.word("rule")));
    }
    let bound = params.real_or_word("bound").map_err(|_| "the largest absolute target `bound` is not given")?;
    let penalty = match params.word("loss") {
        "absolute" => Penalty::Absolute,
        "pinball" => Penalty::Pinball(params.real("tau")),
        _ => Penalty::Square,
    };
    let gradient = params.flag("gradient");
    let experts = params.parts_or_word("experts").map_or(case.stream.dim(), <[Part]>::len) as f64;
    let conditions = vec![
        Condition::at_most("|y|", case.reach()?.target, bound),
        Condition::holds("the range E is known, not that of the rounds so far", params.word("range") == "bound"),
    ];
    let range = penalty.range(gradient, bound);
    Ok(Setting { experts, range, exp_concave: penalty == Penalty::Square && !gradient, conditions })
}

impl Setting {
    /// eta, and whether no second-order term is added with it.
    fn rate(&self, case: &Case<'_>) -> (f64, f64) {
        let most = 0.5 / self.range;
        let theory =
            if self.exp_concave { most } else { (8.0 * self.experts.max(2.0).ln() / case.rounds).sqrt() / self.range };
        let eta = case.params.real_or_word("eta").unwrap_or(theory);
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
pub(crate) fn ewa(case: &Case<'_>) -> Result<Application, String> {
    let found = setting(case, "ewa")?;
    let (eta, exp_concave) = found.rate(case);
    Ok(found.apply(case, &[("eta", eta), ("exp_concave", exp_concave)]))
}

/// BOA.
pub(crate) fn boa(case: &Case<'_>) -> Result<Application, String> {
    Ok(setting(case, "boa")?.apply(case, &[("squares", case.measure("its_squares")?)]))
}

/// ML-Poly.
pub(crate) fn ml_poly(case: &Case<'_>) -> Result<Application, String> {
    Ok(setting(case, "ml-poly")?.apply(case, &[("squares", case.measure("its_squares")?)]))
}

/// Fixed-Share, against the sequences of the comparator.
pub(crate) fn fixed_share(case: &Case<'_>) -> Result<Application, String> {
    let mut found = setting(case, "fixed-share")?;
    let shifts = match case.comparator {
        Some(("best-shifts", params)) => params.integer("shifts") as f64,
        _ => 0.0,
    };
    let known = matches!(case.comparator, Some(("best-shifts" | "best-expert", _)));
    found.conditions.push(Condition::holds("regret against a sequence of forecasts", known));
    let share = case.params.real_or_word("alpha").unwrap_or(1.0 / case.rounds);
    let (eta, exp_concave) = found.rate(case);
    Ok(found.apply(case, &[("shifts", shifts), ("share", share), ("eta", eta), ("exp_concave", exp_concave)]))
}

/// The constants of intervals by this rule, whose scores are known to be at most 2 B where the theorem needs it.
fn intervals(case: &Case<'_>, rule: &str, constants: &[(&str, f64)]) -> Result<Application, String> {
    let worst = case.params.real("alpha").max(1.0 - case.params.real("alpha"));
    let mut conditions = Vec::new();
    if rule != "aci" {
        let bound =
            case.params.real_or_word("bound").map_err(|_| "the largest absolute target `bound` is not given")?;
        conditions.push(Condition::at_most("|y|", case.reach()?.target, bound));
    }
    Ok(Application { worst: Some(worst), ..Application::with(constants) }.meeting(conditions))
}

/// That intervals come from this rule, and 2 B, where B is known.
fn rule(case: &Case<'_>, rule: &str) -> Result<Option<f64>, String> {
    case.played_by(&["intervals"])?;
    match case.params.word("rule") {
        found if found == rule => Ok(case.params.real_or_word("bound").ok().map(|bound| 2.0 * bound)),
        found => Err(format!("the theorem is about the rule {rule}, not about {found}")),
    }
}

/// Adaptive conformal inference.
pub(crate) fn aci(case: &Case<'_>) -> Result<Application, String> {
    rule(case, "aci")?;
    let rate = case.params.real_or_word("rate").unwrap_or(0.05);
    intervals(case, "aci", &[("alpha", case.params.real("alpha")), ("rate", rate)])
}

/// Gradient descent on the radius.
pub(crate) fn tracking(case: &Case<'_>) -> Result<Application, String> {
    let reach = rule(case, "tracking")?.ok_or("the largest absolute target `bound` is not given")?;
    let rate = case.params.real_or_word("rate").unwrap_or(0.05 * reach);
    intervals(case, "tracking", &[("reach", reach), ("rate", rate)])
}

/// Betting.
pub(crate) fn betting(case: &Case<'_>) -> Result<Application, String> {
    let reach = rule(case, "betting")?.ok_or("the largest absolute target `bound` is not given")?;
    let (alpha, epsilon) = (case.params.real("alpha"), case.params.real("epsilon"));
    let constants = [("alpha", alpha), ("epsilon", epsilon), ("reach", reach), ("missed", case.measure("miss_rate")?)];
    intervals(case, "betting", &constants)
}
