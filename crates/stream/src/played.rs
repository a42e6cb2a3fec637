//! Rows that are played, or only predicted, on the scale of the file.

use crate::classes::Words;
use crate::distribution::{Distribution, StdNoise, distribution};
use crate::learner::{Learnt, Seat};
use crate::line::OutputLine;
use noregret_core::learner::api::{Block, Interval};
use noregret_core::learner::said;
use noregret_core::protocol::run::Stop;
use noregret_model::targets::Rescale;
use noregret_numeric::draw::{Draw, Draws, Role};

/// An interval on another scale.
fn moved(interval: Interval, to: impl Fn(f64) -> f64) -> Interval {
    Interval { lower: to(interval.lower), upper: to(interval.upper), ..interval }
}

/// What is said of a target that has not been seen, on the scale of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowForecast {
    /// The prediction.
    pub prediction: f64,
    /// Its interval, for learners that give one.
    pub interval: Option<Interval>,
    /// What is known of the target, where that is wanted.
    pub(crate) distribution: Option<Distribution>,
}

impl RowForecast {
    /// As a line without a target, unless the prediction is no number.
    pub(crate) fn line(self, round: u64, cumulative_loss: f64) -> Result<OutputLine, Stop> {
        let Self { prediction, interval, distribution } = self;
        if !prediction.is_finite() {
            return Err(Stop { cause: format!("the prediction is {prediction}") });
        }
        Ok(OutputLine { distribution, ..OutputLine::without_target(round, prediction, interval, cumulative_loss) })
    }
}

/// The prediction for a row, with what else is said of it; the target, where it is known, is only compared with that.
pub(crate) fn predicted(
    seat: &Seat,
    (x, target): (&[f64], Option<f64>),
    draw: &mut Draw,
    scale: &Rescale,
    std: Option<StdNoise>,
) -> RowForecast {
    told(seat, seat.hypothesis().predict(x, draw), (x, target), scale, std)
}

/// A prediction of the learner's with what else is said of it.
pub(crate) fn told(
    seat: &Seat,
    prediction: f64,
    (x, target): (&[f64], Option<f64>),
    scale: &Rescale,
    std: Option<StdNoise>,
) -> RowForecast {
    let interval = seat.hypothesis().interval(prediction).map(|interval| moved(interval, |end| scale.back(end)));
    let target = target.filter(|target| !target.is_nan());
    let known = std.and_then(|std| Some(distribution(seat.hypothesis().predictive(x)?, scale.map(), std, target)));
    RowForecast { prediction: scale.back(prediction), interval, distribution: known }
}

/// What was forecast of targets that are not known yet, oldest first, where the run has horizons.
pub(crate) fn waiting(learnt: &Learnt, std: Option<StdNoise>) -> Vec<RowForecast> {
    let Learnt { seat, scale, ahead, .. } = learnt;
    if ahead.as_ref().is_none_or(|horizon| horizon.steps == 1) {
        return Vec::new();
    }
    let told = |one: said::Foretold| RowForecast {
        prediction: scale.back(one.prediction),
        interval: one.interval.map(|interval| moved(interval, |end| scale.back(end))),
        distribution: std.and_then(|std| Some(distribution(one.predictive?, scale.map(), std, None))),
    };
    seat.hypothesis().waiting().into_iter().map(told).collect()
}

/// What is wanted of rounds beside their predictions, and how much they count.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wish<'a> {
    /// The words of classes, where there are any.
    pub words: Option<&'a Words>,
    /// The weights of forecasts.
    pub weights: bool,
    /// What is known of targets.
    pub std: Option<StdNoise>,
    /// The weights of the rows; empty where all are 1.
    pub(crate) sample_weights: &'a [f64],
}

impl Wish<'_> {
    /// How many of the rows of a block, from this one on, can be played at once: rows with a target and the weight 1, rows without
    /// one, or a single row of another weight, which comes with them.
    fn stretch(&self, targets: &[f64], from: usize) -> (usize, f64) {
        let weight = |i: usize| self.sample_weights.get(i).copied().unwrap_or(1.0);
        let alike =
            |i: usize| targets[i].is_nan() == targets[from].is_nan() && (targets[i].is_nan() || weight(i) == 1.0);
        let more = (from + 1..targets.len()).take_while(|i| alike(*i)).count();
        match weight(from) {
            other if other != 1.0 && !targets[from].is_nan() => (1, other),
            _ => (1 + more, 1.0),
        }
    }
}

/// Plays the rows of a block that have targets, and predicts the others, with what is wanted.
pub(crate) fn play_rows(
    state: &mut Learnt,
    draws: &Draws,
    wish: Wish<'_>,
    block: Block<'_>,
    lines: &mut Vec<OutputLine>,
) -> Result<(), Stop> {
    let mut from = 0;
    while from < block.targets.len() {
        let (count, weight) = wish.stretch(block.targets, from);
        let part = block.part(from, from + count);
        from += count;
        let Learnt { seat, tally, scale, misses, .. } = state;
        if !part.targets[0].is_nan() {
            let start = lines.len();
            let played = seat.play(draws, (part, weight), scale, tally, |round| lines.push(round.into()));
            for (i, (line, interval)) in lines[start..].iter_mut().zip(seat.hypothesis().intervals()).enumerate() {
                line.interval = Some(moved(*interval, |end| scale.back_in(i, end)));
                line.recent_miss_rate = interval.missed.map(|missed| misses.add(missed));
            }
            if let Some(std) = wish.std {
                let known = seat.hypothesis().predictives().unwrap_or_default();
                for (i, (line, one)) in lines[start..].iter_mut().zip(known).enumerate() {
                    line.distribution = Some(distribution(one, scale.map_in(i), std, line.target));
                }
            }
            if let Some(words) = wish.words {
                for (line, told) in lines[start..].iter_mut().zip(seat.hypothesis().probabilities()) {
                    words.tell(line, line.target, Some(told.clone()));
                }
            }
            if wish.weights {
                lines[start..].iter_mut().for_each(|line| line.weights = seat.hypothesis().gauges().weights);
            }
            played?;
            let told: Vec<f64> = waiting(state, None).iter().map(|one| one.prediction).collect();
            if let Some(horizon) = &mut state.ahead {
                horizon.learn(&mut lines[start..], state.tally.rounds() - count as u64, &told);
            }
            continue;
        }
        foretell(state, draws, wish, part, lines)?;
    }
    Ok(())
}

/// Predicts rows that have no target; several steps ahead it is the forecast that waits for the row, if there is one.
fn foretell(
    state: &mut Learnt,
    draws: &Draws,
    wish: Wish<'_>,
    part: Block<'_>,
    lines: &mut Vec<OutputLine>,
) -> Result<(), Stop> {
    let coming = waiting(state, wish.std);
    let Learnt { seat, tally, scale, ahead, .. } = state;
    for (round, x) in (part.first_round..).zip(part.inputs.iter()) {
        let draw = || draws.at(Role::Predict, round);
        if let Some(horizon) = ahead.as_mut().filter(|horizon| horizon.steps > 1) {
            let told = horizon.rows_until(coming.len()).position(|rows| rows == Some(0)).map(|at| coming[at]);
            horizon.pass();
            let nothing = OutputLine::without_target(round, f64::NAN, None, tally.loss());
            lines.push(told.map_or(Ok(nothing), |told| told.line(round, tally.loss()))?);
            continue;
        }
        let mut line = predicted(&*seat, (x, None), &mut draw(), scale, wish.std).line(round, tally.loss())?;
        line.forecast = ahead.as_ref().map(|_| line.prediction);
        if let Some(words) = wish.words {
            words.tell(&mut line, None, seat.hypothesis().probabilities_at(x, &mut draw()));
        }
        lines.push(line);
    }
    Ok(())
}
