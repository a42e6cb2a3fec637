//! Second-order weights whose range is that of the worst case, on a short stream.

use crate::errata::api::{Class, Correction, ErratumNumber, Relation};
use noregret_core::learner::combine::aggregation::{Aggregation, AggregationRound, AggregationRule, Penalty, Settings};
use noregret_numeric::draw::Draws;

pub(crate) static ERRATUM: Correction = Correction {
    id: "beyond-short-stream",
    place: "aggregation of forecasts",
    quote: "",
    class: Class::Pitfall,
    reason: "the bound holds with the range of the worst case, which follows from the bound on the targets alone",
    printed: "second-order weights with the range E = 8 B^2 soon favour the better of two forecasts",
    corrected: "their rate is at most 1 / (2 E), so that a short stream leaves them nearly equal: state the range that the \
                forecasts have, or let it run (for which no bound is claimed)",
    method: "BOA in gradient form over the forecasts 0.1 and 0.3 of the target 0.1 in 112 rounds, square loss, B = 1: its \
             loss over that of equal weights, which an aggregation that learns at least halves",
    decide,
};

const ROUNDS: u32 = 112;
const FORECASTS: [f64; 2] = [0.1, 0.3];
const TARGET: f64 = 0.1;

/// The sum of losses over that of equal weights.
fn loss(range: Option<f64>) -> f64 {
    let settings = Settings { rule: AggregationRule::Boa, penalty: Penalty::Square, gradient: true, bound: 1.0, range };
    let (mut aggregation, mut round) = (Aggregation::new(settings, 2), AggregationRound::new(2));
    let (mut sum, mut equal) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        sum += Penalty::Square.of(aggregation.predict(&FORECASTS, &mut round), TARGET);
        equal += Penalty::Square.of(f64::midpoint(FORECASTS[0], FORECASTS[1]), TARGET);
        if aggregation.learn(&mut round, TARGET).is_err() {
            return f64::NAN;
        }
    }
    sum / equal
}

fn decide(_: &Draws) -> Vec<ErratumNumber> {
    let (worst, running) = (loss(Some(Penalty::Square.range(true, 1.0))), loss(None));
    vec![
        ErratumNumber::exact("loss over that of equal weights, worst range", Relation::AtMost, 0.5, None, worst, 1e-9),
        ErratumNumber::exact(
            "loss over that of equal weights, running range",
            Relation::AtMost,
            0.5,
            0.5,
            running,
            1e-9,
        ),
    ]
}
