//! Weights that follow from the losses of forecasts, where a combination of them is wanted.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_core::learner::combine::aggregation::{
    Aggregation, AggregationRound, AggregationRule, LearningRate, Penalty, Settings,
};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-loss-form",
    place: "aggregation of forecasts",
    quote: "",
    class: Class::Pitfall,
    reason: "losses are what one has of forecasts, and their regret to the best single forecast is small",
    printed: "weights made of losses compete with the best convex combination of the forecasts, by their bound 8 B^2 log K",
    corrected: "weights made of gradients do, by their bound E sqrt(n log(K) / 2) with E = 8 B^2",
    method: "Exponential weights over the two constant forecasts -1 and 1 of the target 1/2, square loss, B = 1, 4,000 rounds: \
             the sum of losses, which the combination (1/4, 3/4) makes 0",
    decide,
};

const ROUNDS: u32 = 4000;

/// The sum of losses.
fn loss(gradient: bool, eta: f64) -> f64 {
    let range = Some(Penalty::Square.range(gradient, 1.0));
    let rule = AggregationRule::Ewa(LearningRate::Fixed(eta));
    let settings = Settings { rule, penalty: Penalty::Square, gradient, bound: 1.0, range };
    let (mut aggregation, mut round) = (Aggregation::new(settings, 2), AggregationRound::new(2));
    let mut sum = 0.0;
    for _ in 0..ROUNDS {
        let error = aggregation.predict(&[-1.0, 1.0], &mut round) - 0.5;
        sum += error * error;
        if aggregation.learn(&mut round, 0.5).is_err() {
            return f64::NAN;
        }
    }
    sum
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (n, logarithm, range) = (f64::from(ROUNDS), 2f64.ln(), 8.0);
    let bound = range * (n * logarithm / 2.0).sqrt();
    let (losses, gradients) = (loss(false, 1.0 / 8.0), loss(true, (8.0 * logarithm / n).sqrt() / range));
    let at_most = Relation::AtMost;
    vec![
        ErratumNumber::exact("regret to the best combination, losses", at_most, 8.0 * logarithm, None, losses, 1e-9),
        ErratumNumber::exact("regret to the best combination, gradients", at_most, None, bound, gradients, 1e-9),
    ]
}
