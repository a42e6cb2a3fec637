//! Theory against measurement: one row per theorem and setting, with exponents, intervals and verdicts.

use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::judgement::{RateFinding, comparison, judge};
use crate::analysis::rate::verdict::ExponentVerdict;
use crate::analysis::summary::LEVEL;
use crate::exhibit::ExhibitNeed;
use crate::number::counted;
use crate::rates::{
    SAME, citation, conditions, controls, design, line, measured, negative, outside, quantity, range, references,
    same_runs, seeds, setting, value_check, verdicts, whys,
};
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};
use noregret_papers::theorem::Subject;

pub(crate) static KIND: TableKind =
    TableKind::new("rates", module_path!(), &[ExhibitNeed::Rates], |given| fill(given.rates));

fn fill(rows: &[Assessment]) -> Filled {
    let rows: Vec<&Assessment> = rows.iter().filter(|row| row.subject == Subject::Quality).collect();
    let columns = vec![
        Heading::new("verdict", "Verdict", CellKind::Prose),
        Heading::new("theorem", "Theorem", CellKind::Prose),
        Heading::new("setting", "Setting", CellKind::Prose),
        Heading::new("quantity", "Quantity", CellKind::Text),
        Heading::new("exponent", "Exponent \u{b1} 95 %", CellKind::Interval),
        Heading::new("shape", "Bound", CellKind::Text),
        Heading::new("predicted", "Its exponent here", CellKind::Number),
        Heading::new("delta", "Difference \u{b1} 90 %", CellKind::Interval),
        Heading::new("local", "Local slopes minus the theorem's", CellKind::Trend),
        Heading::new("row", "Row", CellKind::Text).detail(),
        Heading::new("horizons", "T (horizons)", CellKind::Text).detail(),
        Heading::new("seeds", "Seeds", CellKind::Text).detail(),
        Heading::new("margin", "Margin", CellKind::Number).detail(),
        Heading::new("line", "Line", CellKind::Text).detail(),
        Heading::new("best_shape", "Best out of sample", CellKind::Text).detail(),
        Heading::new("value", "Value", CellKind::Text).detail(),
        Heading::new("conditions", "Conditions met", CellKind::Prose).detail(),
        Heading::new("control", "Negative control", CellKind::Prose).detail(),
        Heading::new("design", "Design", CellKind::Prose).detail(),
        Heading::new("same", "Same runs as", CellKind::Text).detail(),
        Heading::new("why", "Why", CellKind::Prose).detail(),
    ];
    let found = rows.iter().zip(verdicts(&rows)).zip(same_runs(&rows)).zip(whys(&rows));
    let cells = found.map(|(((row, verdict), same), why)| cells(row, verdict, same, why)).collect();
    Filled { grid: TableGrid { columns, rows: cells }, caption: caption(&rows) }
}

fn cells(row: &Assessment, verdict: String, same: Option<String>, why: Option<String>) -> Vec<TableCell> {
    let found = measured(row);
    let [exponent, predicted, difference] = TableCell::exponents(row);
    vec![
        TableCell::Text(verdict),
        TableCell::Text(citation(row)),
        TableCell::Text(setting(row, same.as_deref())),
        TableCell::Text(quantity(row)),
        exponent,
        TableCell::Text(row.shape.text()),
        predicted,
        difference,
        TableCell::slopes(row),
        TableCell::Text(row.row.clone()),
        found.map(range).into(),
        found.map(seeds).into(),
        TableCell::Number(row.margin),
        found.and_then(line).map(str::to_owned).into(),
        found.and_then(|found| found.candidates.first()).map(|best| best.name.clone()).into(),
        found.and_then(value_check).into(),
        TableCell::Text(conditions(row)),
        TableCell::Text(negative(row)),
        TableCell::Text(design(row)),
        same.into(),
        why.into(),
    ]
}

fn caption(rows: &[&Assessment]) -> Vec<String> {
    let method = "Exponent: least-squares slope of the log of the mean over seeds on the log of the horizon, one run per \
         horizon, the same seeds at every horizon, horizons fixed in the row's file; interval by the jackknife over seeds. \
         Where the exact expectation of the quantity is computed for these very runs (least squares on the circle), its \
         exponent decides, and the difference has no interval. Its exponent here: the slope that the bound's shape has on the same horizons, logarithms included. Verdicts by \
         two one-sided tests at 5 % on the difference with the margin of the row: matches, faster than the bound, steeper \
         than the bound on this range (which refutes no asymptotic bound), inconclusive. \"Matches\" is each row's own test, \
         not corrected over the rows. Local slopes: those of the log of the mean between neighbouring horizons, minus those of the bound; the line \
         across is 0, every line has a scale of its own, of 0.1 at least, and the number is the last one. A line that \
         tends to 0 has the bound's rate, one that stays below it is faster; they decide nothing. Curved: the slope relative to the \
         bound's changes along the range, so that the exponent is an average over it. Best out of sample: of a power, a \
         power of the logarithm, a power times the logarithm and the bound's own shape, the one that fits the two largest \
         horizons best when fitted to the others. Rates are of regret summed over rounds, or of errors, not of averages. \
         Conditions met: whether these runs meet the theorem's conditions, as far as that can be computed. Negative control: \
         runs in which a parameter of the theorem is broken, assessed like the row. A row counts only if it \
         refuses its control: the control's verdict is another, and it is steeper than the bound or exceeds the bound of the \
         row's own setting. Other rows are \"not testable here\": no control was found that they refuse, or they are steeper \
         themselves, as their control is, so that they do not tell a broken theorem from one that holds. A control has draws \
         of its own.";
    let mut paragraphs = vec![method.to_owned()];
    paragraphs.extend(outside(rows));
    let compared = rows.iter().filter(|row| comparison(row).is_some()).count();
    if compared > 0 {
        let found = judge(rows);
        let named = |wanted: RateFinding| {
            let names = rows.iter().zip(&found).filter(|(_, finding)| **finding == wanted);
            let names: Vec<&str> = names.map(|(row, _)| row.row.as_str()).collect();
            if names.is_empty() { "none".into() } else { names.join(", ") }
        };
        paragraphs.push(format!(
            "\"Faster\" and \"steeper\" are {} one-sided tests of {}, corrected together by Holm's procedure at \
             {:.0} %. A row that is called so by its own test only is inconclusive. By their own tests only, faster: {}; \
             steeper: {}. Steeper by their own tests, and not testable: {}.",
            2 * compared,
            counted(compared, "row"),
            100.0 * (1.0 - LEVEL),
            named(RateFinding::FasterAlone),
            named(RateFinding::SteeperAlone),
            named(RateFinding::Untestable(ExponentVerdict::Steeper)),
        ));
    }
    paragraphs.push(SAME.to_owned());
    paragraphs.extend(controls(rows));
    paragraphs.extend(references(rows));
    paragraphs
}
