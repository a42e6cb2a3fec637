//! Aggregation of forecasts, its oracles, and intervals.

use noregret_core::comparator::COMPARATORS;
use noregret_core::comparator::best_convex::best_combination;
use noregret_core::comparator::experts::best_sequences;
use noregret_core::learner::combine::aggregation::{
    Aggregation, AggregationRound, AggregationRule, LearningRate, Penalty, Settings,
};
use noregret_core::learner::combine::interval_rule::{IntervalRadius, RadiusRule, RadiusStep};
use noregret_core::loss::squared::Squared;
use noregret_core::params::check::check;
use noregret_core::parts::AllParts;
use noregret_core::theory::aggregation::{boa_regret, ewa_regret, fixed_share_regret, ml_poly_regret, ml_poly_worst};
use noregret_core::theory::intervals::betting_deviation;

use super::*;

const FORECASTS: &str = include_str!("../../vectors/forecasts.json");

/// The forecasts, with NaN for absent ones.
fn forecasts(case: &Case) -> Matrix {
    let mut forecasts = case.input("F");
    if case.0["inputs"].get("awake").is_some() {
        let awake = case.input("awake");
        forecasts.data_mut().iter_mut().zip(awake.data()).for_each(|(forecast, awake)| {
            if *awake == 0.0 {
                *forecast = f64::NAN;
            }
        });
    }
    forecasts
}

/// The learner as a user would configure it.
fn configured(case: &Case, range: &str) -> impl Fn(usize) -> Box<dyn Learner> {
    let params = &case.0["params"];
    let mut toml = format!("range = '{range}'\n");
    for name in ["rule", "loss", "gradient", "bound", "tau", "eta", "alpha"] {
        if let Some(value) = params.get(name) {
            toml += &format!("{name} = {value}\n");
        }
    }
    move |dim| cases::build("aggregate", &toml, dim)
}

#[test]
fn aggregate() {
    for case in Case::of(FORECASTS, "aggregate") {
        let (params, f, y) = (&case.0["params"], forecasts(&case), case.vector("y"));
        for size in [1, 7, y.len()] {
            case.check("predictions", &play(&mut *configured(&case, "bound")(f.cols()), &f, &y, size));
        }
        let gradient = params["gradient"].as_bool().unwrap();
        let (bound, word) = (case.param("bound"), |name: &str| params[name].as_str().unwrap().to_owned());
        let penalty = match &*word("loss") {
            "absolute" => Penalty::Absolute,
            "pinball" => Penalty::Pinball(case.param("tau")),
            _ => Penalty::Square,
        };
        let range = penalty.range(gradient, bound);
        assert!((range - case.0["expected"]["range"].as_f64().unwrap()).abs() <= 1e-12, "{}", case.name());
        let rule = match &*word("rule") {
            "ewa" => AggregationRule::Ewa(LearningRate::Fixed(case.param("eta"))),
            "fixed-share" => {
                AggregationRule::FixedShare { rate: LearningRate::Fixed(case.param("eta")), share: case.param("alpha") }
            }
            "ml-poly" => AggregationRule::MlPoly,
            _ => AggregationRule::Boa,
        };
        let settings = Settings { rule, penalty, gradient, bound, range: Some(range) };
        let (mut aggregation, mut round) = (Aggregation::new(settings, f.cols()), AggregationRound::new(f.cols()));
        let mut weights = Vec::new();
        for (row, y) in f.view().iter().zip(&y) {
            aggregation.predict(row, &mut round);
            weights.extend_from_slice(&round.weights);
            // An absent forecast has no weight at all.
            assert!(row.iter().zip(&round.weights).all(|(forecast, weight)| forecast.is_finite() || *weight == 0.0));
            aggregation.learn(&mut round, *y).unwrap();
        }
        case.check("weights", &weights);
        case.check("regrets", aggregation.regrets());
        case.check("squares", aggregation.squares());
        let (k, n, v) = (f.cols() as f64, y.len() as f64, aggregation.squares());
        let exp_concave = penalty == Penalty::Square && !gradient;
        let bounds: Vec<f64> = match rule {
            AggregationRule::Ewa(LearningRate::Fixed(eta)) => vec![ewa_regret(k, eta, range, n, exp_concave); f.cols()],
            AggregationRule::Boa => v.iter().map(|v| boa_regret(k, *v, range, n)).collect(),
            AggregationRule::MlPoly => v.iter().map(|of| ml_poly_regret(*of, v, range)).collect(),
            _ => {
                let (alpha, eta) = (case.param("alpha"), case.param("eta"));
                vec![fixed_share_regret(k, case.param("shifts"), n, alpha, eta, range, exp_concave)]
            }
        };
        case.check("bound", &bounds);
        assert!(bounds.iter().all(|bound| *bound <= ml_poly_worst(k, range, n)) || rule != AggregationRule::MlPoly);
    }
}

/// The rules of the package opera, which know no range: on its own 112 rounds, with the errors that it reports, and on others.
#[test]
fn aggregate_without_a_range() {
    for case in Case::of(FORECASTS, "aggregate_running") {
        let (build, y) = (configured(&case, "running"), case.vector("y"));
        check_learner(&case, "predictions", "F", &build);
        if let Some(known) = case.0["params"].get("rmse") {
            let f = case.input("F");
            let found = play(&mut *build(f.cols()), &f, &y, 7);
            let square: f64 = found.iter().zip(&y).map(|(p, y)| (p - y) * (p - y)).sum();
            let error = (square / y.len() as f64).sqrt();
            assert!((error - known.as_f64().unwrap()).abs() < 0.05, "{}: {error} {known}", case.name());
        }
    }
}

#[test]
fn oracles() {
    for case in Case::of(FORECASTS, "oracles") {
        let (f, y) = (case.input("F"), case.vector("y"));
        let (weights, _) = best_combination(f.view(), &y).unwrap();
        case.check("convex_weights", &weights);
        case.check("best_shifts", &best_sequences(f.view(), &y, &Squared, case.param("shifts") as usize).unwrap());
        for (name, field) in
            [("best-expert", "best_expert"), ("best-convex", "best_convex"), ("best-linear", "best_linear")]
        {
            let entry = COMPARATORS.find(name).unwrap();
            let params = check(entry.params, &toml::Table::new(), "", &AllParts).unwrap();
            let found = (entry.build)(&params).unwrap().solve(f.view(), &y).unwrap();
            case.check(field, &[found.loss]);
        }
    }
}

/// Radii, misses and what else is known of them. In the vectors an infinite radius is null.
fn check_radii(case: &Case, rule: RadiusRule) -> IntervalRadius {
    let mut radius = IntervalRadius::new(rule, case.param("alpha"));
    let (mut radii, mut missed, mut levels) = (Vec::new(), Vec::new(), vec![radius.level()]);
    for (p, y) in case.vector("predictions").iter().zip(case.vector("y")) {
        radii.push(radius.value());
        missed.push(f64::from(u8::from(radius.learn((y - p).abs()).unwrap())));
        levels.push(radius.level());
    }
    let expected = case.0["expected"]["radius"].as_array().unwrap();
    assert_eq!(radii.len(), expected.len());
    for (found, expected) in radii.iter().zip(expected) {
        match expected.as_f64() {
            Some(expected) => assert!((found - expected).abs() <= 1e-9, "{}: {found} {expected}", case.name()),
            None => assert_eq!(*found, f64::INFINITY, "{}", case.name()),
        }
    }
    assert_eq!(missed, case.expected("miss"), "{}", case.name());
    if case.0["expected"].get("levels").is_some() {
        case.check("levels", &levels);
    }
    radius
}

#[test]
fn intervals() {
    for case in Case::of(FORECASTS, "aci") {
        check_radii(&case, RadiusRule::Aci { rate: case.param("rate"), window: case.param("window") as usize });
    }
    for case in Case::of(FORECASTS, "quantile_tracker") {
        let rate = RadiusStep::Fixed(case.param("rate"));
        check_radii(&case, RadiusRule::Tracking { rate, start: case.param("start") });
    }
    for case in Case::of(FORECASTS, "betting_intervals") {
        let (alpha, epsilon) = (case.param("alpha"), case.param("epsilon"));
        let radius = check_radii(&case, RadiusRule::Betting { epsilon });
        case.check("wealth", &[radius.wealth()]);
        let rounds = radius.rounds() as f64;
        let bound = betting_deviation(alpha, epsilon, case.param("score_bound"), rounds, rounds);
        let exact = betting_deviation(alpha, epsilon, case.param("score_bound"), rounds, radius.misses() as f64);
        let expected = case.expected("bound")[0];
        assert!([bound, exact].iter().any(|bound| (bound - expected).abs() <= 1e-9), "{bound} {exact} {expected}");
        assert!(exact <= bound);
    }
}
