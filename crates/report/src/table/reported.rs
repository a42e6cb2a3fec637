//! Learners beside settings of other programs, whose losses a file of the project reports: a row for each stream, and the
//! geometric mean of the ratios. Learners that say so show their regret to their best member, with its bound.

use std::collections::BTreeSet;

use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::reported::{ReportedComparison, ReportedLoss, ReportedMean, compare, geometric_mean};
use crate::analysis::summary::{ReplicateTally, estimate};
use crate::exhibit::ExhibitNeed;
use crate::number::{counted, significant};
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("reported", module_path!(), &[ExhibitNeed::Runs, ExhibitNeed::Reported], |given| {
        fill(given.experiments, given.reported)
    });

/// Measures of learners that combine forecasts: sums over the rounds, and a ratio.
const REGRET: &str = "regret_to_best";
const BOUND: &str = "bound_to_best";
const PART: &str = "largest_part_of_bound";

fn fill(experiments: &[&ExperimentResults], reported: &[ReportedMean]) -> Filled {
    let columns = vec![
        Heading::new("stream", "Stream", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text).detail(),
        Heading::new("rows", "Rows", CellKind::Count),
        Heading::new("loss", "Loss", CellKind::Text),
        Heading::new("mean", "Mean", CellKind::Number),
        Heading::new("least", "Least", CellKind::Number),
        Heading::new("largest", "Largest", CellKind::Number),
        Heading::new("other", "Best other", CellKind::Text),
        Heading::new("other_mean", "Its loss", CellKind::Number),
        Heading::new("ratio", "Ratio", CellKind::Number),
        Heading::new("regret_to_best_per_row", "Regret to the best member, per row", CellKind::Number).detail(),
        Heading::new("bound_to_best_per_row", "Bound, per row", CellKind::Number),
        Heading::new(PART, "Largest part of a bound", CellKind::Number),
        Heading::new("replicates", "Replicates", CellKind::Text).detail(),
    ];
    let found = compare(experiments, reported);
    let mut rows: Vec<Vec<TableCell>> = found.iter().map(row).collect();
    let ratios: Vec<f64> = found.iter().filter_map(|one| one.ratio(one.mean()?)).collect();
    let mut sentences = vec![
        "Means over replicates of the mean loss over all rows, the first one included, with the least and the largest; for \
         classes, the share of wrong labels, where a forecast of 0 is half an error."
            .to_owned(),
    ];
    sentences.extend(others(&found));
    if let Some(mean) = geometric_mean(&ratios) {
        let mut last = vec![TableCell::Empty; columns.len()];
        last[0] = TableCell::Text("geometric mean".into());
        last[9] = TableCell::Number(mean);
        rows.push(last);
        sentences.push(format!(
            "Ratio: mean over the loss of the best other setting; it is at most 1 on {} of {}, and its geometric mean \
             is {}.",
            ratios.iter().filter(|ratio| **ratio <= 1.0).count(),
            counted(ratios.len(), "stream"),
            significant(mean, 3)
        ));
    }
    if found.iter().flat_map(|one| &one.runs).any(|run| run.measures.contains_key(BOUND)) {
        sentences.push(
            "Bound: that of the learner's regret to its best member, from the run itself, over the rows: the mean over \
             replicates. The regret to some member takes the largest part of its own bound, the largest of all replicates: no \
             run has more than 1. Both are about squared losses, also for classes, whose forecasts are numbers. A bound above the \
             loss says nothing."
                .into(),
        );
    }
    let mut tally = ReplicateTally::default();
    found.iter().for_each(|one| {
        tally.done += one.tally.done;
        tally.diverged += one.tally.diverged;
        tally.failed += one.tally.failed;
    });
    if !tally.complete() {
        sentences.push("Replicates that diverged or failed are left out, and counted in the CSV file.".into());
    }
    Filled { grid: TableGrid { columns, rows }, caption: vec![sentences.join(" ")] }
}

fn row(one: &ReportedComparison<'_>) -> Vec<TableCell> {
    let measured = |name: &str| -> Vec<f64> { one.runs.iter().filter_map(|run| measure(run, name)).collect() };
    let per_row = |name: &str| estimate(&measured(name)).map(|found| found.mean / one.rows as f64).into();
    let range = one.range();
    vec![
        TableCell::Text(one.stream.to_owned()),
        TableCell::Text(one.label.to_owned()),
        TableCell::Count(one.rows),
        TableCell::Text(one.measure.word().to_owned()),
        one.mean().into(),
        range.map(|(least, _)| least).into(),
        range.map(|(_, largest)| largest).into(),
        one.best.map_or(TableCell::Empty, |best| TableCell::Text(format!("{}, {}", best.package, best.setting))),
        one.best.and_then(|best| best.mean).into(),
        one.mean().and_then(|mean| one.ratio(mean)).into(),
        per_row(REGRET),
        per_row(BOUND),
        measured(PART).into_iter().reduce(f64::max).into(),
        TableCell::Text(format!("{}/{}", one.tally.done, one.tally.total())),
    ]
}

fn measure(run: &RunResult, name: &str) -> Option<f64> {
    run.measures.get(name).copied()
}

/// What the other settings are, in sentences.
fn others(found: &[ReportedComparison<'_>]) -> Vec<String> {
    let programs: BTreeSet<String> =
        found.iter().filter_map(|one| one.best).map(|best| format!("{} {}", best.package, best.version)).collect();
    if programs.is_empty() {
        return vec!["No other setting has been reported on as many rows.".into()];
    }
    let counts = |measure: ReportedLoss| {
        let counts: BTreeSet<usize> =
            found.iter().filter(|one| one.measure == measure && one.settings > 0).map(|one| one.settings).collect();
        let words: Vec<String> = counts.iter().map(usize::to_string).collect();
        (!words.is_empty()).then(|| format!("{} with the {} loss", words.join(" to "), measure.word()))
    };
    let counts: Vec<String> = [ReportedLoss::Squared, ReportedLoss::ErrorRate].into_iter().filter_map(counts).collect();
    let counts = counts.join(" and ").replace("error rate loss", "error rate");
    let programs: Vec<String> = programs.into_iter().collect();
    vec![format!(
        "The best other is the setting of {} with the least loss on the same rows, chosen in hindsight, when all losses are \
         known, among {counts}.",
        programs.join(", ")
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::reported::read;
    use crate::analysis::reported::tests::{TEXT, losses};

    #[test]
    fn the_last_line_is_the_geometric_mean() {
        let reported = read(TEXT).unwrap();
        let mut one = losses(&[1.0, 3.0]);
        one.runs[0].measures = [(BOUND.to_owned(), 8.0), (PART.to_owned(), 0.25)].into();
        let other = losses(&[0.25]);
        let filled = fill(&[&one, &other], &reported);
        let [first, second, last] = filled.grid.rows.as_slice() else { panic!("two rows and a mean") };
        let number = |row: &[TableCell], key: &str| {
            row[filled.grid.columns.iter().position(|column| column.key == key).unwrap()].number()
        };
        assert_eq!([number(first, "mean"), number(first, "ratio")], [Some(2.0), Some(1.0)]);
        assert_eq!([number(first, "bound_to_best_per_row"), number(first, PART)], [Some(2.0), Some(0.25)]);
        assert_eq!(number(second, "ratio"), Some(0.125));
        assert!((number(last, "ratio").unwrap() - 0.125_f64.sqrt()).abs() < 1e-15);
        assert!(filled.caption[0].contains("p 1 with the least loss"), "{}", filled.caption[0]);
        assert!(filled.caption[0].contains("at most 1 on 2 of 2"), "{}", filled.caption[0]);
        // Without the file there are no ratios, and no mean of them.
        assert_eq!(fill(&[&one], &[]).grid.rows.len(), 1);
    }
}
