//! Rows that are played, or only predicted, on the scale of the file.

use crate::classes::Words;
use crate::learner::{Learnt, Seat};
use crate::line::OutputLine;
use noregret_core::learner::api::{Block, Interval};
use noregret_core::protocol::run::Stop;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::{Draw, Draws, Role};

/// An interval on another scale.
fn moved(interval: Interval, to: impl Fn(f64) -> f64) -> Interval {
    Interval { lower: to(interval.lower), upper: to(interval.upper), ..interval }
}

/// The prediction for a row without a target, with its interval, on the scale of the file.
pub(crate) fn predicted(seat: &Seat, x: &[f64], draw: &mut Draw, scale: &Rescale) -> (f64, Option<Interval>) {
    told(seat, seat.hypothesis().predict(x, draw), scale)
}

/// A prediction of the learner's with its interval, on the scale of the file.
pub(crate) fn told(seat: &Seat, prediction: f64, scale: &Rescale) -> (f64, Option<Interval>) {
    let interval = seat.hypothesis().interval(prediction).map(|interval| moved(interval, |end| scale.back(end)));
    (scale.back(prediction), interval)
}

/// Plays the rows of a block that have targets, and predicts the others; with the words of classes, where there are any, and, if
/// wanted, the weights of forecasts.
pub(crate) fn play_rows(
    state: &mut Learnt,
    draws: &Draws,
    (words, weights): (Option<&Words>, bool),
    block: Block<'_>,
    lines: &mut Vec<OutputLine>,
) -> Result<(), Stop> {
    let mut from = 0;
    for part in block.targets.chunk_by(|one, next| one.is_nan() == next.is_nan()) {
        let part = block.part(from, from + part.len());
        from += part.targets.len();
        let Learnt { seat, tally, scale, misses, service: _ } = state;
        if !part.targets[0].is_nan() {
            let start = lines.len();
            let played = seat.play(draws, part, scale, tally, |round| lines.push(round.into()));
            for (i, (line, interval)) in lines[start..].iter_mut().zip(seat.hypothesis().intervals()).enumerate() {
                line.interval = Some(moved(*interval, |end| scale.back_in(i, end)));
                line.recent_miss_rate = interval.missed.map(|missed| misses.add(missed));
            }
            if let Some(words) = words {
                for (line, told) in lines[start..].iter_mut().zip(seat.hypothesis().probabilities()) {
                    words.tell(line, line.target, Some(told.clone()));
                }
            }
            if weights {
                lines[start..].iter_mut().for_each(|line| line.weights = seat.hypothesis().gauges().weights);
            }
            played?;
            continue;
        }
        for (round, x) in (part.first_round..).zip(part.inputs.iter()) {
            let draw = || draws.at(Role::Predict, round);
            let (prediction, interval) = predicted(&*seat, x, &mut draw(), scale);
            if !prediction.is_finite() {
                return Err(Stop { cause: format!("the prediction is {prediction}") });
            }
            let mut line = OutputLine::without_target(round, prediction, interval, tally.loss());
            if let Some(words) = words {
                words.tell(&mut line, None, seat.hypothesis().probabilities_at(x, &mut draw()));
            }
            lines.push(line);
        }
    }
    Ok(())
}
