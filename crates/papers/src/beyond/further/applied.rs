//! The theorems on random Fourier features, online logistic regression and coin betting, applied to runs.

use crate::beyond::further::fourier::fourier_penalty;
use crate::case::{Application, Case, Condition, Inapplicable, member};
use crate::pkawv::applied::{log_det, other_dimension};
use noregret_core::comparator::penalised::OverKernelParams;
use noregret_core::comparator::taylor_ball::TaylorBallParams;
use noregret_core::feature::taylor::Taylor;
use noregret_core::kernel::gaussian::GaussianParams;
use noregret_core::learner::descent::coin_kernel::CoinKernelParams;
use noregret_core::learner::newton::aioli_taylor::AioliTaylorParams;
use noregret_core::learner::ridge::fourier::FourierParams;
use noregret_core::loss::api::{Form, Loss};
use noregret_core::params::typed::Parameters;
use noregret_core::stream::spec::Origin;

/// PKAWV over random frequencies. Predictions are not bounded; always predicting 0 has at most the regret n B^2.
pub(crate) fn fourier(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let FourierParams { lambda, bandwidth, features, kind } = case.played_by(&["pkawv-fourier"])?;
    let Some(("penalised", comparator)) = case.comparator else {
        return Err("the bound is on regret against a penalised function".into());
    };
    let target = case.reach()?.target;
    let least = fourier_penalty(lambda, case.rounds, features as f64);
    let (kernel, space) = member(comparator, "kernel").ok_or("the comparator has no kernel")?;
    let same = kernel == "gaussian" && GaussianParams::read(space).bandwidth == bandwidth;
    let mut conditions = vec![
        Condition::at_least(
            "lambda of the comparator against lambda + n / D",
            OverKernelParams::read(comparator).lambda,
            least,
        ),
        Condition::holds("the Gaussian kernel of the features in the comparator", same),
        Condition::holds("independent frequencies", kind == "iid"),
        Condition::holds("rounds that are fixed before the frequencies are drawn", case.law().is_some()),
    ];
    conditions.extend(other_dimension(case));
    let constants = [("target_bound", target), ("log_det", log_det(case, lambda)?)];
    Ok(Application { worst: Some(case.rounds * target * target), ..Application::with(&constants) }.meeting(conditions))
}

/// Online logistic regression over Taylor features, to functions of the same features. Always predicting 0 costs log 2 in a
/// round.
pub(crate) fn aioli(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let AioliTaylorParams { lambda, bound, bandwidth, order } = case.played_by(&["aioli-taylor"])?;
    let Some(("taylor-ball", comparator)) = case.comparator else {
        return Err("the bound is on regret against functions of the learner's features in a ball".into());
    };
    let ball = TaylorBallParams::read(comparator);
    let features = Taylor::count(case.stream.dim(), order as usize)
        .ok_or_else(|| "the number of features is beyond 2^64".to_owned())?;
    let conditions = vec![
        Condition::at_most("norm of the functions that regret is measured against", ball.radius, bound),
        Condition::equal("bandwidth of the comparator's features", ball.bandwidth, bandwidth),
        Condition::at_most("order of the comparator's features", ball.order as f64, order as f64),
        Condition::holds("the log loss", charges(case.loss, "logistic", 0.5)),
    ];
    let constants = [
        ("features", features as f64),
        ("lambda", lambda),
        ("bound", bound),
        ("norm", ball.radius),
        // Taylor features are part of those of the Gaussian kernel, whose k(x, x) is 1.
        ("kappa", 1.0),
    ];
    let worst = Some(case.rounds * std::f64::consts::LN_2);
    Ok(Application { worst, ..Application::with(&constants) }.meeting(conditions))
}

/// Betting in the space of the function that targets scatter around. Always predicting 0 has at most the regret
/// sum G |f(x)| <= n G kappa |f|.
pub(crate) fn coin(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let CoinKernelParams { loss: word, tau, epsilon, kernel, .. } = case.played_by(&["coin-kernel"])?;
    let function = match &case.stream.origin {
        Origin::Law(law) => law.object.function(),
        _ => None,
    };
    let function = function.ok_or("the function that targets scatter around is not known")?;
    let norm = function.squared_norm(|x, z| kernel.evaluate(x, z)).max(0.0).sqrt();
    let kappa = case.largest_diagonal(&*kernel)?.sqrt();
    let steepest = if word == "pinball" { tau.max(1.0 - tau) } else { 1.0 };
    let same = format!("{:?}", function.kernel) == format!("{kernel:?}");
    let conditions = vec![
        Condition::holds("regret against the function of the law", matches!(case.comparator, Some(("law", _)))),
        Condition::holds("the kernel of the law's function", same),
        Condition::holds("the loss that the learner minimises", charges(case.loss, word, tau)),
    ];
    let constants = [
        ("steepest", steepest),
        ("kappa", kappa),
        ("epsilon", epsilon),
        ("norm", norm),
        ("bets", case.measure("bets")?),
    ];
    let worst = Some(case.rounds * steepest * kappa * norm);
    Ok(Application { worst, ..Application::with(&constants) }.meeting(conditions))
}

/// Whether a loss is the one that learners call by this word; compared at a few arguments.
fn charges(loss: &dyn Loss, word: &str, tau: f64) -> bool {
    let form = if matches!(word, "hinge" | "logistic") { Form::Margin } else { Form::Residual };
    let value = |a: f64| match word {
        "absolute" => a.abs(),
        "hinge" => (1.0 - a).max(0.0),
        "logistic" => (-a).exp().ln_1p(),
        _ => (-tau * a).max((1.0 - tau) * a),
    };
    loss.form() == form && [-2.0, -0.5, 0.5, 2.0].iter().all(|&a| (loss.value(a) - value(a)).abs() < 1e-12)
}
