//! Rows that tell of the same runs twice: two theorems about one curve, or about two learners that predict nearly the same
//! on the same data. They are one fact.

use crate::analysis::rate::assessment::{Assessed, Assessment};
use crate::analysis::rate::sample::RateSample;
use noregret_papers::theorem::Subject;

/// Values of two learners that differ by no more than this, relative to the larger, at every seed and horizon are the same.
const NEARLY: f64 = 0.02;

/// That another row tells of the runs of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Repetition<'a> {
    /// The name of that row, which repeats no other.
    pub of: &'a str,
    /// The largest relative difference of two values of the same seed and horizon.
    pub apart: f64,
}

/// For each of the rows that are shown together, whether it repeats another one of them: the first that meets the conditions of
/// its theorem, or else the first.
pub(crate) fn repeated<'a>(rows: &[&'a Assessment]) -> Vec<Option<Repetition<'a>>> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| rows[*at].is_outside());
    let (mut found, mut firsts) = (vec![None; rows.len()], Vec::new());
    for at in order {
        let repeats = |first: &&'a Assessment| Some(Repetition { of: &first.row, apart: apart(first, rows[at])? });
        found[at] = firsts.iter().find_map(repeats);
        if found[at].is_none() {
            firsts.push(rows[at]);
        }
    }
    found
}

/// How far apart the values of two rows are, if they are of the same runs or nearly so. Counts of different learners may
/// agree without being the same, so that only those of one curve are one fact.
fn apart(one: &Assessment, other: &Assessment) -> Option<f64> {
    let told = |row: &Assessment| (row.subject, row.experiment.clone(), row.stream.clone(), row.quantity.clone());
    let (a, b) = (sample(one)?, sample(other)?);
    if told(one) != told(other) || a.horizons != b.horizons || a.replicates != b.replicates {
        return None;
    }
    let pairs = a.values.iter().flatten().zip(b.values.iter().flatten());
    let apart = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) };
    let largest = pairs.map(apart).fold(0.0, f64::max);
    let near = one.subject == Subject::Quality && largest <= NEARLY;
    (one.label == other.label || near).then_some(largest)
}

fn sample(row: &Assessment) -> Option<&RateSample> {
    match &row.outcome {
        Assessed::Measured(found) => Some(&found.sample),
        Assessed::Missing(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};
    use crate::analysis::rate::conditions::Asked;

    /// The golden row, the same under another name, and learners whose regrets are 1 % and 10 % larger.
    #[test]
    fn only_the_same_runs_are_repeated() {
        let mut data = experiment();
        for (label, factor) in [("B", 1.01), ("C", 1.1)] {
            let scaled = |run: &crate::analysis::record::RunResult| crate::analysis::record::RunResult {
                label: label.into(),
                cumulative_loss: run.cumulative_loss.map(|loss| 1000.0 + factor * (loss - 1000.0)),
                ..run.clone()
            };
            let more: Vec<_> = data.runs.iter().filter(|run| run.label == "A").map(scaled).collect();
            data.runs.extend(more);
        }
        let named = |name: &str, label: &str, change: fn(&mut Assessment)| {
            let found = assess(&row(&ROW.replace("\"A\"", &format!("\"{label}\""))), Some(&data), &[]);
            let mut found = Assessment { row: name.into(), ..found };
            change(&mut found);
            found
        };
        let cost = |row: &mut Assessment| row.subject = Subject::Cost;
        let all = [
            named("first", "A", |_| ()),
            named("again", "A", |_| ()),
            named("near", "B", |_| ()),
            named("far", "C", |_| ()),
            named("other quantity", "A", |row| row.quantity = "average_loss".into()),
            named("cost", "A", cost),
            named("cost of another learner", "B", cost),
            named("cost again", "A", cost),
        ];
        let found = repeated(&all.iter().collect::<Vec<_>>());
        let of: Vec<Option<&str>> = found.iter().map(|one| one.map(|one| one.of)).collect();
        assert_eq!(of, [None, Some("first"), Some("first"), None, None, None, None, Some("cost")]);
        let outside = named("outside", "A", |row| {
            let Assessed::Measured(found) = &mut row.outcome else { return };
            found.conditions.push(Asked { what: "a fixed lambda".into(), needs: None, here: None, met: Some(false) });
        });
        let found_too = repeated(&[&outside, &all[0]]);
        assert_eq!(found_too.iter().map(|one| one.map(|one| one.of)).collect::<Vec<_>>(), [Some("first"), None]);
        assert!(found[1].unwrap().apart == 0.0 && (found[2].unwrap().apart - 0.01 / 1.01).abs() < 1e-9, "{found:?}");
    }
}
