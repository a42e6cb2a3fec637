//! The theorems on noisy data applied to runs. All bounds are for the step that was used and for the largest moments of
//! the stream: with |x| <= R and |y| <= Y, E|x~|^2 <= R^2 + tr Cov and E y~^2 <= Y^2 + Var.

use crate::case::{Application, Case, Condition, Inapplicable};
use noregret_core::kernel::surrogate::Surrogate;
use noregret_core::learner::noisy::noisy_analytic::NoisyAnalyticParams;
use noregret_core::learner::noisy::noisy_gaussian::NoisyGaussianParams;
use noregret_core::learner::noisy::noisy_linear_covariance::KnownCovarianceParams;
use noregret_core::learner::noisy::noisy_linear_two_copy::TwoCopyParams;
use noregret_core::learner::noisy::noisy_radial::NoisyRadialParams;
use noregret_core::loss::api::{Form, Loss};
use noregret_core::theory::degrees::DegreeLaw;
use noregret_core::theory::noisy::{covariance_moment, step, surrogate_moment, two_copy_moment};

/// The condition on the step, for gradients with E|g|^2 <= `moment`. A shorter step is that of the theorem with larger
/// bounds on the moments.
fn theorem_step(case: &Case<'_>, eta: f64, radius: f64, moment: f64) -> Condition {
    Condition::at_most("step over that of the theorem, W / sqrt(G T)", eta / step(radius, moment, case.rounds), 1.0)
}

/// A bound on the target's second moment with its noise, to the power 1/2.
fn target_bound(case: &Case<'_>) -> Result<f64, Inapplicable> {
    let [_, noise] = case.noise()?;
    Ok(noise.second_moment(case.reach()?.target).sqrt())
}

fn squared(case: &Case<'_>) -> Condition {
    let square = [0.5, -2.0].iter().all(|a| (case.loss.value(*a) - a * a).abs() < 1e-12);
    Condition::holds("squared loss", square && case.loss.form() == Form::Residual)
}

/// Theorem 1.
pub(crate) fn theorem_1(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let TwoCopyParams { radius, .. } = case.played_by(&["noisy-linear-two-copy"])?;
    let (eta, reach) = (case.eta()?, case.reach()?);
    let [noise, _] = case.noise()?;
    let (inputs, targets) = (noise.second_moment(reach.input).sqrt(), target_bound(case)?);
    let constants = [("radius", radius), ("eta", eta), ("input_bound", inputs), ("target_bound", targets)];
    let conditions = vec![
        squared(case),
        case.against_ball(radius),
        theorem_step(case, eta, radius, two_copy_moment(radius, inputs, targets)),
    ];
    let worst = Some(case.worst_loss(radius * reach.input)?);
    Ok(Application { worst, conditions, ..Application::with(&constants) })
}

/// Theorem 2, whose step W / sqrt(T) needs no moment.
pub(crate) fn theorem_2(case: &Case<'_>) -> Result<Application, Inapplicable> {
    known_covariance(case, |_| 1.0)
}

/// The remark after Theorem 2.
pub(crate) fn theorem_2_remark(case: &Case<'_>) -> Result<Application, Inapplicable> {
    known_covariance(case, |moment| moment)
}

/// Both, with the step W / sqrt(`of_step`(G) T) for gradients with E|g|^2 <= G.
fn known_covariance(case: &Case<'_>, of_step: impl Fn(f64) -> f64) -> Result<Application, Inapplicable> {
    let KnownCovarianceParams { radius, covariance: told, as_published, .. } =
        case.played_by(&["noisy-linear-covariance"])?;
    let (eta, reach) = (case.eta()?, case.reach()?);
    let [noise, _] = case.noise()?;
    let (inputs, targets) = (noise.fourth_moment(reach.input).powf(0.25), target_bound(case)?);
    let covariance = noise.variance;
    let constants = [
        ("radius", radius),
        ("eta", eta),
        ("input_bound", inputs),
        ("target_bound", targets),
        ("covariance_bound", covariance),
    ];
    let told = match told.as_ref() {
        Err("oracle") => Condition::holds("the covariance of every round is known", true),
        Err(_) => Condition::unknown("the covariance of every round is known"),
        Ok(told) => Condition::equal("largest variance of the noise as told", told.largest(), covariance),
    };
    let conditions = vec![
        squared(case),
        case.against_ball(radius),
        told,
        Condition::holds("the corrected gradient", !as_published),
        theorem_step(case, eta, radius, of_step(covariance_moment(radius, inputs, targets, covariance))),
    ];
    let worst = Some(case.worst_loss(radius * reach.input)?);
    Ok(Application { worst, conditions, ..Application::with(&constants) })
}

/// Theorems 3 and 5, which differ in the kernel.
pub(crate) fn surrogate(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let NoisyGaussianParams { radius, covariance: told, kernel, naive, .. } =
        case.played_by(&["noisy-gaussian", "noisy-radial"])?;
    let radial = case.played_by::<NoisyRadialParams>(&["noisy-radial"]);
    let nodes = radial.map_or(1, |radial| radial.nodes as usize);
    let eta = case.eta()?;
    let pair = Surrogate::new(&*kernel, &told, case.stream.dim(), nodes).map_err(|error| error.to_string())?;
    let targets = target_bound(case)?;
    let constants = [("radius", radius), ("eta", eta), ("diagonal", pair.diagonal()), ("target_bound", targets)];
    // The targets are values of f without noise, so that the loss of the best function of any ball that holds f is 0,
    // which is the loss of f.
    let norm = case.function().map(|f| {
        let rotated = |x: &[f64]| {
            let mut out = vec![0.0; x.len()];
            pair.rotate(x, &mut out);
            out
        };
        f.squared_norm(|x, z| pair.noisy().evaluate(&rotated(x), &rotated(z))).max(0.0).sqrt()
    });
    let what = "norm of the target in the surrogate's space";
    let [noise, _] = case.noise()?;
    let conditions = vec![
        squared(case),
        norm.map_or_else(|| Condition::unknown(what), |norm| Condition::at_most(what, norm, radius)),
        Condition::holds("Gaussian noise", matches!(case.noise_law(), Some("gaussian" | "multivariate-gaussian"))),
        Condition::equal("largest variance of the noise as told", told.largest(), noise.variance),
        Condition::holds("the surrogate kernel and two copies", !naive),
        theorem_step(case, eta, radius, surrogate_moment(radius, pair.diagonal(), targets)),
    ];
    // |f| in the kernel's space is at most |f| in the surrogate's.
    let worst = Some(case.worst_loss(radius * pair.clean().diagonal().sqrt())?);
    Ok(Application { worst, conditions, ..Application::with(&constants) })
}

/// Theorems 6 and 7, which differ in the kernel: Theorem 10 with the estimator of the paper.
pub(crate) fn analytic(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let params: NoisyAnalyticParams = case.played_by(&["noisy-analytic"])?;
    let mut found = theorem_10(case)?;
    let papers = params.estimator == "single-term" && matches!(params.law(), DegreeLaw::Geometric(_));
    let single = Condition::holds("the paper's estimator of single terms", papers);
    found.conditions.insert(2, single);
    Ok(found)
}

/// Theorem 10, for any unbiased estimates that are independent given the past.
pub(crate) fn theorem_10(case: &Case<'_>) -> Result<Application, Inapplicable> {
    let params: NoisyAnalyticParams = case.played_by(&["noisy-analytic"])?;
    let law = params.law();
    let NoisyAnalyticParams { radius, kernel, loss, estimator, pilots, .. } = params;
    let (Some(features), Some(series)) = (kernel.tensors(), loss.analytic()) else {
        return Err("kernel and loss must have power series".into());
    };
    let (eta, all_terms) = (case.eta()?, estimator == "all-terms");
    let [noise, _] = case.noise()?;
    let map_moment = law.map_moment(features, all_terms, noise.second_moment(case.reach()?.input));
    let targets = if loss.form() == Form::Residual { target_bound(case)? } else { 0.0 };
    let length_moment = law.length_moment(series, all_terms, radius, map_moment, targets);
    let named = [("radius", radius), ("eta", eta), ("map_moment", map_moment), ("length_moment", length_moment)];
    let conditions = vec![
        Condition::holds("the loss of the stream", loss_is(case, &*loss)),
        case.against_ball(radius),
        Condition::holds("series around the loss's own centre", pilots == 0),
        theorem_step(case, eta, radius, map_moment * length_moment),
    ];
    let worst = Some(case.worst_loss(radius * case.largest_diagonal(&*kernel)?.sqrt())?);
    Ok(Application { worst, conditions, ..Application::with(&named) })
}

/// Whether the learner's loss is the one that rounds cost.
fn loss_is(case: &Case<'_>, loss: &dyn Loss) -> bool {
    let same = |a: f64| (case.loss.value(a) - loss.value(a)).abs() < 1e-12 * loss.value(a).abs().max(1.0);
    case.loss.form() == loss.form() && [-1.5, -0.25, 0.5, 2.0].into_iter().all(same)
}
