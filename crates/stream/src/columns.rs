//! The columns of the output of `noregret stream` and `noregret predict`.

use crate::line::{CellSource, OutputColumn, OutputColumns, OutputLine};
use noregret_model::misses::WINDOW;

/// The number of the row, from 1, and the prediction for it; with `intervals`, their ends too, with `std` what is known
/// of its target: the columns of `noregret predict`.
pub(crate) fn of_predictions(intervals: bool, std: bool, unseen: bool) -> OutputColumns {
    let numbers = [OutputColumn::count("row", "number of the row, from 1", |line| Some(line.round as f64))];
    let numbers =
        numbers.into_iter().chain([OutputColumn::number("prediction", "the prediction", |line| Some(line.prediction))]);
    let numbers = numbers.chain(intervals.then(ends).into_iter().flatten());
    let numbers = numbers.chain(std.then(|| known(false)).into_iter().flatten());
    numbers.chain(unseen.then(OutputColumn::unseen)).collect()
}

/// The columns of `noregret stream`: `intervals` for learners that give them, `std` for what is known of targets, `weights` one
/// for the weight of each forecast of that name, `unseen` one for inputs outside of what was seen, `shuffled` where rows are in
/// another order.
pub(crate) fn of_rounds(intervals: bool, std: bool, weights: &[String], unseen: bool, shuffled: bool) -> OutputColumns {
    let number = OutputColumn::number;
    let mut columns = vec![
        OutputColumn::count("round", "number of the round, from 1", |line| Some(line.round as f64)),
        number("target", "the target of the row, if it has one", |line| line.target).nullable(),
        number("prediction", "what was predicted before the target was seen", |line| Some(line.prediction)),
        number("loss", "(prediction - target)^2", |line| line.loss).nullable(),
        number("cumulative_loss", "sum of the losses up to this round", |line| Some(line.cumulative_loss)),
    ];
    if intervals {
        columns.extend(ends());
        let missed = |line: &OutputLine| {
            line.interval.and_then(|interval| interval.missed).map(|missed| f64::from(u8::from(missed)))
        };
        columns.push(
            OutputColumn::count("missed", "1 if the target lies outside of the interval, else 0", missed).nullable(),
        );
        let doc = format!("part of the last {WINDOW} targets, or of all so far, that lie outside of their intervals");
        columns.push(number("recent_miss_rate", &doc, |line| line.recent_miss_rate).nullable());
    }
    columns.extend(std.then(|| known(true)).into_iter().flatten());
    columns.extend(weights.iter().enumerate().map(|(k, forecast)| {
        let doc = format!(
            "weight of the forecast {forecast} in the prediction, 0 where it is absent; empty without a target"
        );
        let column = number(&format!("weight_{forecast}"), &doc, |_| None).nullable();
        OutputColumn { of: CellSource::Weight(k), ..column }
    }));
    columns.extend(unseen.then(OutputColumn::unseen));
    columns.extend(shuffled.then(OutputColumn::row));
    columns.into()
}

/// The columns of rounds, at several horizons.
pub(crate) fn of_horizons(rounds: &[OutputColumn]) -> OutputColumns {
    let doc = "the horizon: what was predicted at the row steps - 1 rows before this one";
    let steps = OutputColumn::count("steps", doc, |line| line.steps.map(|steps| steps as f64));
    let doc = "what was forecast at this row, of the target steps - 1 rows after it";
    let forecast = OutputColumn::number("forecast", doc, |line| line.forecast).nullable();
    let prediction = OutputColumn::number("prediction", "what was predicted of the target", |line| {
        Some(line.prediction).filter(|prediction| !prediction.is_nan())
    });
    let mut columns = vec![rounds[0].clone(), steps];
    columns.extend(rounds[1..].iter().map(|column| match &*column.name {
        "prediction" => prediction.clone().nullable(),
        _ => column.clone().nullable(),
    }));
    columns.push(forecast);
    columns.into()
}

/// The columns of `noregret predict` for classes: the number of the row, from 1, the predicted class, and the probability of
/// each.
pub(crate) fn of_class_predictions(classes: &[String], unseen: bool) -> OutputColumns {
    let numbers = [OutputColumn::count("row", "number of the row, from 1", |line| Some(line.round as f64))];
    let label = OutputColumn::word("prediction", "the predicted class", |told| told.prediction.as_ref());
    let probability = OutputColumn::told("probability", "its probability", |told| told.probability(told.predicted));
    let columns = numbers.into_iter().chain([label, probability]).chain(probabilities(classes));
    columns.chain(unseen.then(OutputColumn::unseen)).collect()
}

/// The columns of `noregret stream` where targets are classes; `declared` are those that are known beforehand.
pub(crate) fn of_class_rounds(declared: &[String], unseen: bool, shuffled: bool) -> OutputColumns {
    let mut columns = vec![
        OutputColumn::count("round", "number of the round, from 1", |line| Some(line.round as f64)),
        OutputColumn::word("target", "the class of the row, if it is known", |told| told.target.as_ref()),
        OutputColumn::word(
            "prediction",
            "the class that was predicted before that of the row was seen; empty before any class was seen",
            |told| told.prediction.as_ref(),
        ),
        OutputColumn::number("loss", "1 if another class was predicted, else 0", |line| line.loss).nullable(),
        OutputColumn::number("cumulative_loss", "sum of the losses up to this round", |line| {
            Some(line.cumulative_loss)
        }),
        OutputColumn::told("probability", "the probability of the predicted class", |told| {
            told.probability(told.predicted)
        }),
        OutputColumn::told(
            "target_probability",
            "the probability that the class of the row had before it was seen; 1e-6 for a class that had not been seen",
            |told| told.probability(told.class),
        ),
    ];
    columns.extend(probabilities(declared));
    columns.extend(unseen.then(OutputColumn::unseen));
    columns.extend(shuffled.then(OutputColumn::row));
    columns.into()
}

/// The columns of the first target, and for each further one of these names those that say something of it.
pub(crate) fn with_further(first: &[OutputColumn], names: &[String]) -> OutputColumns {
    let own = |column: &&OutputColumn| !["round", "row", "unseen"].contains(&&*column.name);
    let of = |(k, name): (usize, &String)| {
        let further = |column: &OutputColumn| OutputColumn {
            name: format!("{}_{name}", column.name),
            doc: format!("{}; of {name}", column.doc),
            nullable: true,
            further: Some(k),
            ..column.clone()
        };
        first.iter().filter(own).map(further).collect::<Vec<_>>()
    };
    first.iter().cloned().chain(names.iter().enumerate().flat_map(of)).collect()
}

/// A column for the probability of each class.
fn probabilities(classes: &[String]) -> impl Iterator<Item = OutputColumn> + '_ {
    classes.iter().enumerate().map(|(k, word)| {
        let (name, doc) = (format!("probability_{word}"), format!("the probability of the class {word}"));
        OutputColumn { of: CellSource::Probability(k), ..OutputColumn::number(&name, &doc, |_| None).nullable() }
    })
}

/// The ends of the intervals.
fn ends() -> [OutputColumn; 2] {
    let lower =
        "lower end of the interval for the target; empty where the interval contains nothing, or has no lower end";
    [
        OutputColumn::number("lower", lower, |line| line.end(|interval| interval.lower)).nullable(),
        OutputColumn::number("upper", "upper end of the interval for the target; empty as the lower one", |line| {
            line.end(|interval| interval.upper)
        })
        .nullable(),
    ]
}

/// What is known of targets; of rounds with its loss.
fn known(rounds: bool) -> impl Iterator<Item = OutputColumn> {
    let number = OutputColumn::number;
    let mean = "mean of the target given the rows before it; that of ridge regression where the learner forecasts something else";
    let std = "standard deviation of the target given the rows before it, if the model is right; infinite while two targets are needed to know it";
    let loss = "-ln of the density of the target given the rows before it";
    let loss = number("log_loss", loss, |line| line.distribution.and_then(|known| known.log_loss));
    let columns = [
        number("mean", mean, |line| line.distribution.map(|known| known.mean)).nullable(),
        number("std", std, |line| line.distribution.map(|known| known.std)).nullable(),
    ];
    columns.into_iter().chain(rounds.then(|| loss.nullable()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noregret_core::learner::api::Interval;
    use noregret_core::protocol::run::Scored;

    /// A further target has the columns of the first one, with its own values.
    #[test]
    fn columns_of_further_targets() {
        let columns = with_further(&of_rounds(true, false, &[], true, false), &["z".into()]);
        let of = |target: f64, lower: f64| {
            let interval = Some(Interval { lower, upper: 9.0, missed: Some(false) });
            OutputLine { round: 3, target: Some(target), interval, unseen: Some(0), ..OutputLine::default() }
        };
        let line = OutputLine { further: vec![of(5.0, 4.0)], ..of(1.0, 0.5) };
        let mut buffer = Vec::new();
        OutputColumn::push_names(&columns, &mut buffer);
        line.push(&columns, &mut buffer);
        let expected = "round,target,prediction,loss,cumulative_loss,lower,upper,missed,recent_miss_rate,unseen,\
            target_z,prediction_z,loss_z,cumulative_loss_z,lower_z,upper_z,missed_z,recent_miss_rate_z\n\
            3,1,0,,0,0.5,9,0,,0,5,0,,0,4,9,0,\n";
        assert_eq!(String::from_utf8(buffer).unwrap(), expected);
    }

    #[test]
    fn lines() {
        let mut buffer = Vec::new();
        let scored = Scored { round: 7, target: 1.0, prediction: 0.5, loss: 0.25, cumulative_loss: 12.0 };
        let line = OutputLine { row: Some(30), ..scored.into() };
        let rounds = of_rounds(false, false, &[], false, false);
        let shuffled = of_rounds(false, false, &[], false, true);
        line.push(&rounds, &mut buffer);
        OutputLine { target: None, loss: None, ..line.clone() }.push(&rounds, &mut buffer);
        line.push(&of_predictions(false, false, false), &mut buffer);
        line.push(&shuffled, &mut buffer);
        assert_eq!(buffer, b"7,1,0.5,0.25,12\n7,,0.5,,12\n7,0.5\n7,1,0.5,0.25,12,30\n");
        buffer.clear();
        let within = Interval { lower: 0.25, upper: f64::INFINITY, missed: Some(false) };
        let nothing = Interval { lower: f64::NAN, upper: f64::NAN, missed: Some(true) };
        for (interval, recent_miss_rate) in [(Some(within), Some(0.5)), (Some(nothing), None), (None, None)] {
            OutputLine { interval, recent_miss_rate, ..line.clone() }
                .push(&of_rounds(true, false, &[], false, true), &mut buffer);
        }
        assert_eq!(buffer, b"7,1,0.5,0.25,12,0.25,,0,0.5,30\n7,1,0.5,0.25,12,,,1,,30\n7,1,0.5,0.25,12,,,,,30\n");
    }

    /// Names of forecasts are those of a file, which may hold commas.
    #[test]
    fn weights_have_the_names_of_their_forecasts() {
        let columns = of_rounds(false, false, &["gam".into(), "forest, deep".into()], false, false);
        let mut line = OutputLine::without_target(1, 0.5, None, 0.0);
        line.weights[1] = Some(0.75);
        let mut buffer = Vec::new();
        OutputColumn::push_names(&columns, &mut buffer);
        line.push(&columns, &mut buffer);
        let expected =
            "round,target,prediction,loss,cumulative_loss,weight_gam,\"weight_forest, deep\"\n1,,0.5,,0,,0.75\n";
        assert_eq!(String::from_utf8(buffer).unwrap(), expected);
    }
}
