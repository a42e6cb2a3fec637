//! Measured values divided by the bounds of theorems with explicit constants.

use crate::analysis::rate::assessment::{Assessed, Assessment, MeasuredRate};
use crate::analysis::words;
use crate::exhibit::ExhibitNeed;
use crate::number::significant;
use crate::rates::{citation, conditions, measured, outside, quantity, range, same_runs, seeds, setting};
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};

pub(crate) static KIND: TableKind =
    TableKind::new("bounds", module_path!(), &[ExhibitNeed::Rates], |given| fill(given.rates));

fn fill(rows: &[Assessment]) -> Filled {
    let columns = vec![
        Heading::new("standing", "On this range", CellKind::Text),
        Heading::new("theorem", "Theorem", CellKind::Prose),
        Heading::new("setting", "Setting", CellKind::Prose),
        Heading::new("quantity", "Quantity", CellKind::Text),
        Heading::new("largest", "Largest mean / bound", CellKind::Number),
        Heading::new("at", "at T", CellKind::Count),
        Heading::new("upper", "Upper 95 % limit", CellKind::Number),
        Heading::new("row", "Row", CellKind::Text).detail(),
        Heading::new("horizons", "T (horizons)", CellKind::Text).detail(),
        Heading::new("seeds", "Seeds", CellKind::Text).detail(),
        Heading::new("value", "Mean at the last T", CellKind::Number).detail(),
        Heading::new("bound", "Bound there", CellKind::Number).detail(),
        Heading::new("worst", "Trivial value there", CellKind::Number).detail(),
        Heading::new("constants", "Constants", CellKind::Prose).detail(),
        Heading::new("conditions", "Conditions met", CellKind::Prose).detail(),
        Heading::new("same", "Same runs as", CellKind::Text).detail(),
    ];
    let bounded = |row: &&Assessment| match measured(row) {
        Some(found) => found.bounds.is_some(),
        None => false,
    };
    let shown: Vec<&Assessment> = rows.iter().filter(bounded).collect();
    let found = shown.iter().zip(same_runs(&shown));
    let cells = found.filter_map(|(row, same)| cells(row, measured(row)?, same)).collect::<Vec<_>>();
    let mut caption = vec![
        "The measured value is divided by the theorem's bound with its constants, and averaged over seeds at each \
         horizon. The upper limit is the largest upper end of the 95 % t intervals over seeds. The bound holds on \
         this range if that limit is below 1. It is exceeded only if, at some horizon, the lower end of an interval \
         for all horizons together (Bonferroni) is above 1. Otherwise it is open. Vacuous: the bound is at least a \
         trivial value, so that it says nothing: the largest sum of losses of predictions in the ball; where predictions \
         are not bounded, what always predicting 0 costs, which a learner can exceed; for draws, the most that an \
         estimate may take. The constants are computed for the step \
         that was used, from the largest moments of the stream; those at the last horizon are shown. A \
         row whose conditions are not all met is outside the theorem; a step other than the theorem's \
         is part of the bound, and only makes it larger. A bound that holds here with room to spare may hold elsewhere \
         with less."
            .to_owned(),
    ];
    caption.extend(outside(&shown));
    let absent: Vec<String> = rows
        .iter()
        .filter(|row| row.bounded)
        .filter_map(|row| match &row.outcome {
            Assessed::Missing(reason) => Some(format!("{} ({reason})", row.row)),
            Assessed::Measured(found) => Some(format!("{} ({})", row.row, found.no_bound.as_ref()?)),
        })
        .collect();
    if !absent.is_empty() {
        caption.push(format!(
            "Rows of theorems with constants, but without a bound for their runs: {}.",
            absent.join("; ")
        ));
    }
    Filled { grid: TableGrid { columns, rows: cells }, caption }
}

fn cells(row: &Assessment, found: &MeasuredRate, same: Option<String>) -> Option<Vec<TableCell>> {
    let check = found.value_check.as_ref()?;
    let last = found.sample.horizons.len().checked_sub(1)?;
    let bounds = found.bounds.as_ref()?;
    let bound = bounds.iter().map(|row| row[last]).sum::<f64>() / bounds.len() as f64;
    Some(vec![
        TableCell::Text(words::bound(check, &found.sample.horizons)),
        TableCell::Text(citation(row)),
        TableCell::Text(setting(row, same.as_deref())),
        TableCell::Text(quantity(row)),
        TableCell::Number(check.largest),
        TableCell::Count(check.at),
        check.upper.into(),
        TableCell::Text(row.row.clone()),
        TableCell::Text(range(found)),
        TableCell::Text(seeds(found)),
        TableCell::Number(*found.sample.means().last()?),
        TableCell::Number(bound),
        check.worst.into(),
        TableCell::Text(constants(found)),
        TableCell::Text(conditions(row)),
        same.into(),
    ])
}

/// `eta 0.001, radius 1.5`.
fn constants(found: &MeasuredRate) -> String {
    let each =
        found.constants.iter().map(|(name, value)| format!("{} {}", name.replace('_', " "), significant(*value, 4)));
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rate::assess::assess;
    use crate::analysis::rate::assess::tests::{ROW, experiment, row};

    /// How the runs were configured is not known, so that there is no bound.
    #[test]
    fn rows_without_a_bound_are_named() {
        let assessed = assess(&row(ROW), Some(&experiment()), &[]);
        let filled = fill(&[assessed]);
        assert!(filled.grid.rows.is_empty());
        let named = "without a bound for their runs: row (how the runs were configured is not known).";
        assert!(filled.caption[1].contains(named), "{:?}", filled.caption);
    }
}
