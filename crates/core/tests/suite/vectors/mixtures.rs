//! Mixtures of experts against reference values.

use noregret_core::learner::combine::mixture::{ExpertWeights, MixtureRule};

use super::*;

/// Forecasts, and weights before each round, from given experts.
fn mix(case: &Case, rule: MixtureRule) -> (Vec<f64>, Vec<f64>) {
    let (experts, y) = (case.input("expert_predictions"), case.vector("y"));
    let mut mixture = ExpertWeights::new(rule, case.param("B"), experts.rows());
    let (mut forecasts, mut weights) = (Vec::new(), Vec::new());
    for (t, y) in y.into_iter().enumerate() {
        let said: Vec<f64> = experts.view().iter().map(|row| row[t]).collect();
        weights.extend(mixture.normalised());
        forecasts.push(mixture.forecast(said.iter().copied()));
        mixture.learn(said.into_iter(), y);
    }
    (forecasts, weights)
}

#[test]
fn exponentially_weighted_average() {
    for case in Case::of(PKAWV, "ewa") {
        assert_eq!(MixtureRule::Average.eta(case.param("B")), case.param("eta"));
        let (forecasts, weights) = mix(&case, MixtureRule::Average);
        case.check("predictions", &forecasts);
        case.check("weights", &weights);

        // The learner over its grid gives the same forecasts: its experts are the reference's.
        let lambdas = numbers(&case.0["params"]["lambdas"]);
        let (bound, bandwidth) = (case.param("B"), case.param("bandwidth"));
        let toml = format!(
            "base = {{ name = \"kernel-awv\", kernel = {{ bandwidth = {bandwidth:?} }} }}\n\
             grid = {{ lambda = {lambdas:?} }}\nbound = {bound:?}"
        );
        check_learner(&case, "predictions", "X", |dim| cases::build("expert-mixture", &toml, dim));
        let (x, y) = (case.input("X"), case.vector("y"));
        let found = play(&mut *cases::build("expert-mixture", &toml, x.cols()), &x, &y, 7);
        let loss = |p: &[f64]| p.iter().zip(&y).map(|(p, y)| (p - y).powi(2)).sum::<f64>();
        let experts = case.input("expert_predictions");
        let best = experts.view().iter().map(loss).fold(f64::INFINITY, f64::min);
        case.check("regret", &[loss(&found) - best]);
        let allowed = (lambdas.len() as f64).ln() / MixtureRule::Average.eta(bound);
        assert_close(&[allowed], &[case.param("regret_bound")], 1e-12, case.name());
    }
}

#[test]
fn aggregating_algorithm() {
    for case in Case::of(PKAWV, "aggregating_algorithm") {
        assert_eq!(MixtureRule::Aggregating.eta(case.param("B")), case.param("eta"));
        case.check("predictions", &mix(&case, MixtureRule::Aggregating).0);
        let experts = case.input("expert_predictions").rows() as f64;
        let allowed = experts.ln() / MixtureRule::Aggregating.eta(case.param("B"));
        assert_close(&[allowed], &[case.param("regret_bound")], 1e-12, case.name());
    }
}
