//! The theorems on aggregation and on intervals, on random and adversarial sequences.

use noregret_core::comparator::experts::best_sequences;
use noregret_core::learner::combine::aggregation::{
    Aggregation, AggregationRound, AggregationRule, LearningRate, Penalty, Settings,
};
use noregret_core::learner::combine::interval_rule::{IntervalRadius, RadiusRule, RadiusStep};
use noregret_core::loss::squared::Squared;
use noregret_core::theory::aggregation::{boa_regret, ewa_regret, fixed_share_regret, ml_poly_regret, ml_poly_worst};
use noregret_core::theory::intervals::{aci_deviation, betting_deviation, tracking_deviation};
use noregret_numeric::draw::{Draw, Draws, Role};
use noregret_numeric::linalg::matrix::Matrix;

use crate::laws::cases;

fn draw(what: &str, index: u64) -> Draw {
    Draws::named(&["forecasts", what]).at(Role::Example, index)
}

/// What a sequence of forecasts and targets came to.
struct Played {
    aggregation: Aggregation,
    forecasts: Matrix,
    targets: Vec<f64>,
    predictions: Vec<f64>,
}

/// 200 rounds of four forecasts, some absent, with targets that are random, near one forecast, or as far from the prediction as
/// they can be.
fn played(settings: Settings, index: u64) -> Played {
    let draw = &mut draw("aggregation", index);
    let (n, k, bound) = (200, 4, settings.bound);
    let (mut aggregation, mut round) = (Aggregation::new(settings, k), AggregationRound::new(k));
    let (mut all, mut targets, mut predictions) = (Vec::new(), Vec::new(), Vec::new());
    let sleepy = index % 2 == 1;
    for t in 0..n {
        let signal = bound * (t as f64 / 15.0).sin();
        let row: Vec<f64> = (0..k)
            .map(|expert| match (sleepy && draw.below(3) == 0, index / 2 % 3) {
                (true, _) => f64::NAN,
                (_, 0) => bound * draw.between(-1.2, 1.2),
                (_, 1) => {
                    if expert % 2 == 0 {
                        bound
                    } else {
                        -bound
                    }
                }
                _ => signal + bound * 0.3 * (expert as f64 - 1.0) + 0.1 * bound * draw.normal(),
            })
            .collect();
        let prediction = aggregation.predict(&row, &mut round);
        let y = match index / 6 % 3 {
            0 => bound * draw.between(-1.0, 1.0),
            1 if prediction > 0.0 => -bound,
            1 => bound,
            _ => signal.clamp(-bound, bound),
        };
        aggregation.learn(&mut round, y).unwrap();
        all.extend(row.iter().map(|forecast| forecast.clamp(-bound, bound)));
        targets.push(y);
        predictions.push(prediction);
    }
    Played { aggregation, forecasts: Matrix::from_data(n, k, all).unwrap(), targets, predictions }
}

/// 54 sequences for each rule, loss and form; no regret to any forecast is above its bound, and for each rule some come near.
#[test]
fn aggregation_keeps_its_bounds() {
    let mut largest = [0.0_f64; 4];
    for index in 0..54 {
        let bound = [1.0, 3.0][(index % 5 % 2) as usize];
        for (penalty, gradient) in [
            (Penalty::Square, false),
            (Penalty::Square, true),
            (Penalty::Absolute, true),
            (Penalty::Absolute, false),
            (Penalty::Pinball(0.8), true),
            (Penalty::Pinball(0.3), false),
        ] {
            let (range, exp_concave) = (penalty.range(gradient, bound), penalty == Penalty::Square && !gradient);
            let (k, n) = (4.0_f64, 200.0);
            let eta = if exp_concave { 0.5 / range } else { (8.0 * k.ln() / n).sqrt() / range };
            let (rate, share) = (LearningRate::Fixed(eta), 3.0 / n);
            let rules = [
                AggregationRule::Ewa(rate),
                AggregationRule::Boa,
                AggregationRule::MlPoly,
                AggregationRule::FixedShare { rate, share },
            ];
            for (which, rule) in rules.into_iter().enumerate() {
                let run = played(Settings { rule, penalty, gradient, bound, range: Some(range) }, index);
                let (regrets, squares) = (run.aggregation.regrets(), run.aggregation.squares());
                for (of, regret) in regrets.iter().enumerate() {
                    let limit = match rule {
                        AggregationRule::Ewa(_) => ewa_regret(k, eta, range, n, exp_concave),
                        AggregationRule::Boa => boa_regret(k, squares[of], range, n),
                        AggregationRule::MlPoly => ml_poly_regret(squares[of], squares, range),
                        AggregationRule::FixedShare { .. } => {
                            fixed_share_regret(k, 0.0, n, share, eta, range, exp_concave)
                        }
                    };
                    assert!(*regret <= limit, "{rule:?} {penalty:?} {gradient} {index}: {regret} above {limit}");
                    assert!(rule != AggregationRule::MlPoly || limit <= ml_poly_worst(k, range, n) * (1.0 + 1e-12));
                    largest[which] = largest[which].max(regret / limit);
                }
            }
        }
    }
    println!("ewa, boa, ml-poly, fixed-share: at most {largest:.3?} of the bound");
    assert!(largest.iter().all(|ratio| *ratio > 0.2), "{largest:?}");
}

/// Against the best sequence with up to six changes, where all forecasts are there.
#[test]
fn fixed_share_keeps_its_bound_against_sequences() {
    let (eta, alpha) = (0.125, 4.0 / 199.0);
    for index in (0..36).filter(|index| index % 2 == 0) {
        let rule = AggregationRule::FixedShare { rate: LearningRate::Fixed(eta), share: alpha };
        let settings = Settings { rule, penalty: Penalty::Square, gradient: false, bound: 1.0, range: Some(4.0) };
        let run = played(settings, index);
        let loss: f64 = run.predictions.iter().zip(&run.targets).map(|(p, y)| (p - y) * (p - y)).sum();
        let best = best_sequences(run.forecasts.view(), &run.targets, &Squared, 6).unwrap();
        for (shifts, best) in best.iter().enumerate() {
            let limit = fixed_share_regret(4.0, shifts as f64, 200.0, alpha, eta, 4.0, true);
            assert!(loss - best <= limit, "{index} {shifts}: {} above {limit}", loss - best);
        }
    }
}

/// Two forecasts, -1 and 1, and a fair coin as target: whatever the rule, the expected absolute loss of n rounds is n, and so the
/// regret to the better forecast is E |sum y|. The mean over 400 runs is within 5 standard errors (false alarm: 6e-7 for each
/// rule).
#[test]
fn nobody_gains_from_a_coin() {
    let (n, runs) = (128, 400);
    for rule in [AggregationRule::Boa, AggregationRule::MlPoly, AggregationRule::Ewa(LearningRate::Fixed(0.05))] {
        let settings = Settings { rule, penalty: Penalty::Absolute, gradient: true, bound: 1.0, range: Some(2.0) };
        let mut gaps = Vec::new();
        for run in 0..runs {
            let draw = &mut draw("coin", run);
            let (mut aggregation, mut round) = (Aggregation::new(settings, 2), AggregationRound::new(2));
            let mut loss = 0.0;
            for _ in 0..n {
                let y = draw.sign();
                loss += (aggregation.predict(&[-1.0, 1.0], &mut round) - y).abs();
                aggregation.learn(&mut round, y).unwrap();
            }
            // The best expert loses n - |sum y|.
            gaps.push(loss - f64::from(n));
        }
        let mean = gaps.iter().sum::<f64>() / runs as f64;
        let deviation = (gaps.iter().map(|gap| gap * gap).sum::<f64>() / runs as f64).sqrt();
        assert!(mean.abs() < 5.0 * deviation / (runs as f64).sqrt(), "{rule:?}: {mean} of {deviation}");
    }
}

/// The theorem of ML-Poly in gradient form is about R_k and the V_k of the same forecast. Over 100 biased coins no R_k is above
/// its bound and some reach 0.6 of it, no regret of the loss is above R_k, and the forecast with the largest R_k is at times
/// not the one that regret is against: its V_k is then that of another forecast.
#[test]
fn the_bound_of_ml_poly_is_about_one_forecast() {
    let rule = AggregationRule::MlPoly;
    let settings = Settings { rule, penalty: Penalty::Absolute, gradient: true, bound: 1.0, range: Some(2.0) };
    let (mut largest, mut others) = (0.0_f64, 0);
    for run in 0..100 {
        let draw = &mut draw("ml-poly", run);
        let (mut aggregation, mut round) = (Aggregation::new(settings, 2), AggregationRound::new(2));
        let (mut loss, mut losses) = (0.0, [0.0; 2]);
        for _ in 0..500 {
            let y = if draw.uniform() < 0.6 { 1.0 } else { -1.0 };
            loss += (aggregation.predict(&[-1.0, 1.0], &mut round) - y).abs();
            losses[usize::from(y < 0.0)] += 2.0;
            aggregation.learn(&mut round, y).unwrap();
        }
        let (regrets, squares) = (aggregation.regrets(), aggregation.squares());
        for of in 0..2 {
            let ratio = regrets[of] / ml_poly_regret(squares[of], squares, 2.0);
            assert!(ratio <= 1.0 && loss - losses[of] <= regrets[of] + 1e-9, "{run} {of}: {ratio}");
            largest = largest.max(ratio);
        }
        others += u32::from((regrets[0] > regrets[1]) != (losses[0] < losses[1]));
    }
    println!(
        "at most {largest:.3} of the bound; in {others} of 100 runs the largest R_k is not that of the better forecast"
    );
    assert!(largest > 0.6 && (1..50).contains(&others), "{largest} {others}");
}

/// Aggregated learners of three kinds lose little more than the best of them, and the learner of columns does the same with
/// their forecasts.
#[test]
fn learners_and_columns_agree() {
    let data = cases::data(2, 300);
    let toml =
        "rule = 'boa'\nbound = 2.0\nexperts = ['running-mean', { name = 'pkawv-taylor', order = 3 }, 'coin-taylor']";
    let found =
        cases::play(&mut *cases::build("aggregate", toml, 2), data.inputs.view(), &data.targets, &cases::draws(), 64)
            .unwrap();
    let alone = |name: &str, toml: &str| {
        cases::play(&mut *cases::build(name, toml, 2), data.inputs.view(), &data.targets, &cases::draws(), 64).unwrap()
    };
    let columns = [alone("running-mean", ""), alone("pkawv-taylor", "order = 3"), alone("coin-taylor", "")];
    let forecasts = Matrix::from_data(300, 3, (0..900).map(|i| columns[i % 3][i / 3]).collect()).unwrap();
    let mut learner = cases::build("aggregate", "rule = 'boa'\nbound = 2.0", 3);
    let same = cases::play(&mut *learner, forecasts.view(), &data.targets, &cases::draws(), 7).unwrap();
    assert!(found.iter().zip(&same).all(|(a, b)| (a - b).abs() <= 1e-12));
    let weights = learner.gauges().weights;
    assert!((weights[..3].iter().flatten().sum::<f64>() - 1.0).abs() < 1e-12 && weights[3].is_none(), "{weights:?}");
}

/// 60 sequences of scores in [0, 2], random, alternating in size, or just above the radius: the part of misses is never further
/// from alpha than its bound, and comes near it.
#[test]
fn intervals_keep_their_coverage() {
    let (n, reach) = (400, 2.0);
    let mut largest = [0.0_f64; 3];
    for index in 0..60 {
        let draw = &mut draw("intervals", index);
        let alpha = [0.1, 0.5, 0.02][(index % 3) as usize];
        let (rate, epsilon) = (draw.between(-5.0, -0.5).exp(), draw.between(-3.0, 2.0).exp());
        let rules = [
            RadiusRule::Aci { rate, window: [0, 50][(index % 2) as usize] },
            RadiusRule::Tracking { rate: RadiusStep::Fixed(rate), start: 0.0 },
            RadiusRule::Betting { epsilon },
        ];
        for (which, rule) in rules.into_iter().enumerate() {
            let mut radius = IntervalRadius::new(rule, alpha);
            for t in 0..n {
                let score = match index / 3 % 3 {
                    0 => draw.between(0.0, reach),
                    1 => draw.between(0.0, if t / 100 % 2 == 0 { 0.1 } else { reach }),
                    _ if radius.value() < reach => reach.min(radius.value().max(0.0) + 1e-6),
                    _ => 0.0,
                };
                radius.learn(score).unwrap();
            }
            let (rounds, misses) = (f64::from(n), radius.misses() as f64);
            let deviation = (misses / rounds - alpha).abs();
            let limit = match rule {
                RadiusRule::Aci { .. } => {
                    let exact = (alpha - radius.level()).abs() / (rate * rounds);
                    assert!((exact - deviation).abs() < 1e-10, "{exact} {deviation}");
                    aci_deviation(alpha, rate, rounds)
                }
                RadiusRule::Tracking { .. } => tracking_deviation(reach, rate, rounds),
                RadiusRule::Betting { .. } => betting_deviation(alpha, epsilon, reach, rounds, misses),
            };
            assert!(deviation <= limit, "{rule:?} {index}: {deviation} above {limit}");
            largest[which] = largest[which].max(deviation / limit);
        }
    }
    println!("aci, tracking, betting: at most {largest:.3?} of the bound");
    assert!(largest.iter().all(|ratio| *ratio > 0.3), "{largest:?}");
}

/// The noise becomes four times larger and smaller by turns. A radius that is fixed after the first 500 rounds misses far more
/// than it should; the rules do not.
#[test]
fn a_fixed_radius_loses_its_coverage() {
    let draw = &mut draw("alternating", 0);
    let n = 8_000;
    let targets: Vec<f64> =
        (0..n).map(|t| (if t / 1000 % 2 == 0 { 0.05 } else { 0.2 } * draw.normal()).clamp(-1.0, 1.0)).collect();
    let mut first: Vec<f64> = targets[..500].iter().map(|y| y.abs()).collect();
    first.sort_by(f64::total_cmp);
    let fixed = first[450];
    let missed = targets.iter().filter(|y| y.abs() > fixed).count() as f64 / n as f64;
    assert!(missed > 0.25, "{missed}");
    let x = Matrix::zeros(n, 1);
    for (rule, most) in [("aci", 0.01), ("tracking", 0.01), ("betting", 0.03)] {
        let toml = format!("rule = '{rule}'\nbound = 1.0\nbase = {{ name = 'constant' }}");
        let mut learner = cases::build("intervals", &toml, 1);
        let predictions = cases::play(&mut *learner, x.view(), &targets, &cases::draws(), 256).unwrap();
        assert!(predictions.iter().all(|p| *p == 0.0));
        let measures: std::collections::BTreeMap<_, _> = learner.measures().into_iter().collect();
        let (deviation, bound) = (measures["miss_deviation"], measures["miss_deviation_bound"]);
        assert!(deviation <= bound && deviation < most, "{rule}: {deviation} {bound}");
        assert!(missed - 0.1 > bound, "the bound of {rule} says nothing here: {bound}");
        assert!(learner.gauges().missed.is_some_and(|missed| missed > 100));
        let last = *learner.intervals().last().unwrap();
        assert!(last.lower >= -1.0 && last.upper <= 1.0 && last.missed.is_some(), "{last:?}");
    }
}

/// The learner inside is untouched: predictions are its own, bit for bit.
#[test]
fn intervals_leave_predictions_alone() {
    let data = cases::data(2, 300);
    let play = |name: &str, toml: &str| {
        cases::play(&mut *cases::build(name, toml, 2), data.inputs.view(), &data.targets, &cases::draws(), 50).unwrap()
    };
    let around = play("intervals", "base = { name = 'pkawv-taylor', order = 3 }");
    assert_eq!(around, play("pkawv-taylor", "order = 3"));
}
