//! Choices among settings of tuned learners: what was tried, how each setting did, and whether the list was long enough.

use crate::analysis::tuned::{TunedSetting, TuningChoice};
use crate::exhibit::ExhibitNeed;
use crate::number::significant;
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("tuning", module_path!(), &[ExhibitNeed::Choices], |given| fill(given.choices));

fn fill(choices: &[TuningChoice]) -> Filled {
    let columns = vec![
        Heading::new("experiment", "Experiment", CellKind::Text),
        Heading::new("stream", "Stream", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("rounds", "Rounds", CellKind::Count),
        Heading::new("orders", "Orders", CellKind::Count),
        Heading::new("settings", "Settings", CellKind::Count),
        Heading::new("chosen", "Chosen", CellKind::Text),
        Heading::new("score", "Score", CellKind::Number),
        Heading::new("measure", "Score is", CellKind::Text),
        Heading::new("end", "At an end", CellKind::Text),
        Heading::new("scores", "Scores of all settings", CellKind::Prose).detail(),
    ];
    let row = |choice: &TuningChoice| {
        let chosen = choice.settings.get(choice.chosen);
        let score = chosen.and_then(|chosen| chosen.score).map(|score| score.first());
        vec![
            TableCell::Text(choice.experiment.clone()),
            TableCell::Text(choice.stream.clone()),
            TableCell::Text(choice.label.clone()),
            TableCell::Count(choice.rounds),
            TableCell::Count(choice.orders as u64),
            TableCell::Count(choice.settings.len() as u64),
            chosen.map_or(TableCell::Empty, |chosen| TableCell::Text(chosen.words.clone())),
            score.map_or(TableCell::Empty, |(score, _)| TableCell::Number(score)),
            score.map_or(TableCell::Empty, |(_, measure)| TableCell::Text(measure.into())),
            chosen.map_or(TableCell::Empty, |chosen| TableCell::Text(end(chosen))),
            TableCell::Text(choice.settings.iter().map(told).collect::<Vec<_>>().join("; ")),
        ]
    };
    let rows = choices.iter().map(row).collect();
    let chosen = choices.iter().filter_map(|choice| choice.settings.get(choice.chosen));
    let at_end = chosen.filter(|chosen| !chosen.ends.is_empty()).count();
    let ends = match (choices.len(), at_end) {
        (1, 0) => "The choice lies inside its lists.".to_owned(),
        (1, _) => "The choice lies at an end of a list, so that a longer list may do better.".to_owned(),
        (all, 0) => format!("All {all} choices lie inside their lists."),
        (all, some) => format!("{some} of {all} choices lie at an end of a list, so that longer lists may do better."),
    };
    let counted = format!(
        "Each setting was tried on the stated number of orders of the rows, other than those of the runs, in trials of the \
         stated number of rounds. Its score is the mean over these orders; lower is better. Of equal error rates the one \
         with the lower loss is chosen. Behind noise the loss is that on clean rows, which no learner sees. {ends}"
    );
    Filled { grid: TableGrid { columns, rows }, caption: vec![counted] }
}

/// What is at an end of its list.
fn end(setting: &TunedSetting) -> String {
    if setting.ends.is_empty() { "no".into() } else { setting.ends.join("; ") }
}

/// A setting with its score.
fn told(setting: &TunedSetting) -> String {
    let score = setting.score.map_or("broke down".into(), |score| significant(score.first().0, 4));
    format!("{}: {score}", setting.words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tuned::Score;

    fn choice(chosen: usize, ends: [&[&str]; 2], errors: [Option<f64>; 2]) -> TuningChoice {
        let settings = [0, 1].map(|i| TunedSetting {
            words: format!("eta = {i}"),
            ends: ends[i].iter().map(|end| (*end).to_owned()).collect(),
            score: (i == chosen).then_some(Score { test_loss: None, error_rate: errors[i], average_loss: 0.25 }),
        });
        TuningChoice {
            experiment: "e".into(),
            stream: "s".into(),
            label: "l".into(),
            rounds: 10,
            orders: 2,
            settings: settings.into(),
            chosen,
        }
    }

    #[test]
    fn a_choice_at_an_end_is_told() {
        let low = choice(0, [&["eta is the smallest tried"], &[]], [None; 2]);
        let inside = choice(1, [&[], &[]], [None, Some(0.125)]);
        let Filled { grid, caption } = fill(&[low, inside]);
        let words = |row: usize| grid.rows[row].iter().map(TableCell::text).collect::<Vec<_>>();
        assert_eq!(words(0)[6..10], ["eta = 0", "0.2500", "average loss", "eta is the smallest tried"]);
        assert_eq!(words(0)[10], "eta = 0: 0.2500; eta = 1: broke down");
        assert_eq!(words(1)[6..10], ["eta = 1", "0.1250", "error rate", "no"]);
        assert!(caption[0].contains("1 of 2 choices lie at an end of a list"), "{caption:?}");
        let alone = fill(&[choice(0, [&["eta is the smallest tried"], &[]], [None; 2])]).caption;
        assert!(alone[0].contains("The choice lies at an end of a list"), "{alone:?}");
    }
}
