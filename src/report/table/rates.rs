//! Theory against measurement: one row per theorem and setting, with exponents, intervals and verdicts.

use crate::analysis::rate::assess::Assessment;
use crate::analysis::rate::exponent::half_width;
use crate::analysis::rate::verdict::holm;
use crate::analysis::summary::LEVEL;
use crate::report::rates::{citation, explanations, is_steeper, line, measured, range, seeds, value_check, verdict};
use crate::report::table::api::{Fill, Filled, Kind};
use crate::report::table::format::{Cell, CellKind, Grid, Heading};
use noregret_core::theory::api::Subject;

pub static KIND: Kind = Kind {
    name: "rates",
    summary: "exponents of regrets and errors against theorems: intervals, equivalence test, line shape, verdict",
    module: module_path!(),
    measured: false,
    fill: Fill::Rates(fill),
};

fn fill(rows: &[Assessment]) -> Filled {
    let rows: Vec<&Assessment> = rows.iter().filter(|row| row.subject == Subject::Quality).collect();
    let columns = vec![
        Heading::new("row", "Row", CellKind::Text),
        Heading::new("theorem", "Theorem", CellKind::Prose),
        Heading::new("setting", "Setting", CellKind::Prose),
        Heading::new("quantity", "Quantity", CellKind::Text),
        Heading::new("horizons", "T (horizons)", CellKind::Text),
        Heading::new("seeds", "Seeds", CellKind::Text),
        Heading::new("exponent", "Exponent \u{b1} 95 %", CellKind::Interval),
        Heading::new("shape", "Bound", CellKind::Text),
        Heading::new("predicted", "Its exponent here", CellKind::Number),
        Heading::new("delta", "Difference \u{b1} 90 %", CellKind::Interval),
        Heading::new("line", "Line", CellKind::Text),
        Heading::new("best_shape", "Best out of sample", CellKind::Text),
        Heading::new("value", "Value", CellKind::Text),
        Heading::new("verdict", "Verdict", CellKind::Prose),
    ];
    let cells = rows.iter().map(|row| cells(row)).collect();
    Filled { grid: Grid { columns, rows: cells }, caption: caption(&rows) }
}

fn cells(row: &Assessment) -> Vec<Cell> {
    let text = |text: Option<String>| text.map_or(Cell::Empty, Cell::Text);
    let interval = |mean: f64, half_width: f64| Cell::Interval { mean, half_width: Some(half_width), best: false };
    let found = measured(row);
    let exponent = found.and_then(|found| found.exponent.as_ref());
    let comparison = found.and_then(|found| found.comparison.as_ref());
    vec![
        Cell::Text(row.row.clone()),
        Cell::Text(citation(row)),
        Cell::Text(row.setting.clone()),
        Cell::Text(row.quantity.clone()),
        text(found.map(range)),
        text(found.map(seeds)),
        exponent.map_or(Cell::Empty, |found| interval(found.value, half_width(found, LEVEL))),
        Cell::Text(row.shape.text()),
        comparison.map_or(Cell::Empty, |comparison| Cell::Number(comparison.predicted)),
        comparison.map_or(Cell::Empty, |comparison| interval(comparison.delta, comparison.half_width_90)),
        text(found.and_then(line).map(str::to_owned)),
        text(found.and_then(|found| found.candidates.first()).map(|best| best.name.clone())),
        text(found.and_then(|found| found.value_check.as_ref()).map(value_check)),
        Cell::Text(verdict(row)),
    ]
}

fn caption(rows: &[&Assessment]) -> Vec<String> {
    let mut margins: Vec<String> = rows.iter().map(|row| row.margin.to_string()).collect();
    margins.sort();
    margins.dedup();
    let method = format!(
        "Exponent: least-squares slope of the log of the mean over seeds on the log of the horizon, one run per horizon, \
         the same seeds at every horizon, horizons fixed in the row's file; interval by the jackknife over seeds. Its \
         exponent here: the slope that the bound's shape has on the same horizons, logarithms included. Verdicts by two \
         one-sided tests at 5 % on the difference with margin {}: matches, faster than the bound, steeper than the \
         bound on this range (which refutes no asymptotic bound), inconclusive. Curved: the slope relative to the bound's \
         changes along the range, so that the exponent is an average over it. Best out of sample: of a power, a power of \
         the logarithm, a power times the logarithm and the bound's own shape, the one that fits the two largest \
         horizons best when fitted to the others. Rates are of regret summed over rounds, or of errors, not of averages.",
        margins.join(" or "),
    );
    let mut paragraphs = vec![method];
    let tested: Vec<(&Assessment, f64)> =
        rows.iter().filter_map(|row| Some((*row, measured(row)?.comparison.as_ref()?.probability_steeper))).collect();
    if !tested.is_empty() {
        let count = tested.len();
        let level = 1.0 - LEVEL;
        let significant = holm(&tested.iter().map(|(_, probability)| *probability).collect::<Vec<_>>(), level);
        let steeper = rows.iter().filter(|row| is_steeper(row)).count();
        let sure: Vec<&str> =
            tested.iter().zip(&significant).filter(|(_, sure)| **sure).map(|((row, _), _)| row.row.as_str()).collect();
        let sure = if sure.is_empty() { "none".into() } else { sure.join(", ") };
        paragraphs.push(format!(
            "With {count} tests at 5 %, up to {:.1} rows are expected to be called steeper by chance; {steeper} are. \
             After Holm's correction over the table, steeper at 5 % for all rows together: {sure}.",
            level * count as f64,
        ));
    }
    paragraphs.extend(explanations(rows));
    paragraphs
}
