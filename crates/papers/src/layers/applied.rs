//! The theorem on infinite-layer networks applied to runs.

use crate::case::{Application, Case, Condition, Inapplicable};
use noregret_core::learner::layers::draw_count::MOST_DRAWS;
use noregret_core::learner::layers::shrinking_gradient::ShrinkingGradientParams;
use noregret_core::params::typed::Parameters;
use noregret_core::theory::iln::{theorem1_draws, theorem1_eta};

/// B, the step, and V / T, the sampling variance of a round: 0 for exact kernel values, 2 where the number of draws is
/// at least that of the theorem. With fewer draws m it is the largest |alpha|_1^2 / m of the run, which bounds the
/// variance of its estimates, and the theorem's conditions are not met.
struct SampledStep {
    bound: f64,
    eta: f64,
    excess: f64,
    conditions: Vec<Condition>,
}

/// A condition of the bound on regret.
const EXACT_LOSSES: &str = "losses at the exact f(x), not at estimates";

fn sampled(case: &Case<'_>) -> Result<SampledStep, Inapplicable> {
    let ShrinkingGradientParams { norm_bound: bound, draws, variance, feature, .. } =
        case.played_by(&["shrinking-gradient"])?;
    let (eta, reach) = (case.eta()?, case.reach()?);
    let evaluated = feature.kernel().is_some() || feature.finite(case.stream.dim()).is_some();
    let mut conditions = vec![
        Condition::at_most("|y|", reach.target, 1.0),
        Condition::at_most("eta", eta, 0.125),
        Condition::equal("eta over that of the theorem, B / sqrt(T)", eta / theorem1_eta(case.rounds, bound), 1.0),
        Condition::holds(EXACT_LOSSES, evaluated),
    ];
    let excess = match draws.number() {
        Err("exact") => 0.0,
        // As many as the proof needs for the coefficients of each round, which are fewer than Theorem 1's fixed number.
        Err("theory") => 2.0,
        given => {
            let spent = case.measure("draws")? / case.rounds;
            let draws = given.map_or(spent, f64::ceil);
            let needed = theorem1_draws(case.rounds, bound, eta);
            conditions.push(Condition::at_least("draws per round, fixed beforehand", draws, needed));
            if draws >= needed {
                2.0
            } else if case.measure("shrinks")? > 0.0 {
                return Err("with fewer draws than the theorem has, nothing bounds the shrinks of this run".into());
            } else {
                match given {
                    Ok(draws) => case.measure("l1_largest")?.powi(2) / draws.ceil(),
                    Err(_) => variance,
                }
            }
        }
    };
    Ok(SampledStep { bound, eta, excess, conditions })
}

impl SampledStep {
    fn constants(&self) -> [(&str, f64); 3] {
        [("norm_bound", self.bound), ("eta", self.eta), ("excess", self.excess)]
    }
}

/// Theorem 1 (1), for the regret of squares. No prediction is bounded, but always predicting 0 has at most the regret
/// sum y_t^2.
pub(crate) fn theorem_1(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let mut found = sampled(case)?;
    found.conditions.push(case.against_ball(found.bound));
    let worst = Some(case.rounds * case.reach()?.target.powi(2));
    Ok(Application { worst, ..Application::with(&found.constants()) }.meeting(found.conditions))
}

/// Theorem 1 (2): only the conditions.
pub(crate) fn draws(case: &Case<'_>) -> Result<Application, Inapplicable> {
    Ok(Application::default().meeting(sampled(case)?.conditions))
}

/// Theorem 1 (3), for estimates of the averaged iterate, whose |alpha|_1 is at most the largest of an iterate.
pub(crate) fn test(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let found = sampled(case)?;
    let ShrinkingGradientParams { precision, failure, .. } = Parameters::read(case.params);
    let precision = precision.number().map_err(|_| "estimates have no promised precision")?;
    let promised = [("precision", precision), ("failure", failure)];
    let constants = [("norm_bound", found.bound), ("eta", found.eta)].into_iter().chain(promised);
    // It is not about losses.
    let conditions = found.conditions.into_iter().filter(|one| one.what != EXACT_LOSSES);
    let conditions = conditions.collect();
    Ok(Application { worst: Some(MOST_DRAWS), conditions, ..Application::with(&constants.collect::<Vec<_>>()) })
}

/// Corollary 1, for the risk of halved squares. The function 0 has at most the excess risk |f*|^2 / 2, and |f*| <= 1 on
/// streams whose labels have the mean f*.
pub(crate) fn corollary_1(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let mut found = sampled(case)?;
    let independent = case.law() == Some("infinite-layer");
    found.conditions.push(Condition::holds("independent examples of one law", independent));
    Ok(Application { worst: Some(0.5), ..Application::with(&found.constants()) }.meeting(found.conditions))
}
