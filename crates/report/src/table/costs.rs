//! Counted operations, stored points and queries against stated complexities; and, apart, measured seconds.

use crate::analysis::curve::by_label;
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::slope::power_law;
use crate::exhibit::ExhibitNeed;
use crate::rates::{
    citation, conditions, design, line, measured, negative, quantity, range, references, same_runs, seeds, setting,
    value_check, verdicts, whys,
};
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid};
use crate::trace::cell::EndStatus;
use noregret_papers::theorem::Subject;

pub(crate) static KIND: TableKind =
    TableKind::new("costs", module_path!(), &[ExhibitNeed::Rates], |given| fill(given.rates));

pub(crate) static TIMES: TableKind =
    TableKind::new("costs-times", module_path!(), &[ExhibitNeed::Runs], |given| times(given.experiments)).measured();

fn fill(rows: &[Assessment]) -> Filled {
    let rows: Vec<&Assessment> = rows.iter().filter(|row| row.subject == Subject::Cost).collect();
    let columns = vec![
        Heading::new("verdict", "Verdict", CellKind::Prose),
        Heading::new("source", "Source", CellKind::Prose),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("setting", "Setting", CellKind::Prose),
        Heading::new("quantity", "Count", CellKind::Text),
        Heading::new("exponent", "Exponent \u{b1} 95 %", CellKind::Interval),
        Heading::new("shape", "Stated", CellKind::Text),
        Heading::new("predicted", "Its exponent here", CellKind::Number),
        Heading::new("delta", "Difference \u{b1} 90 %", CellKind::Interval).detail(),
        Heading::new("local", "Local slopes minus the theorem's", CellKind::Trend).detail(),
        Heading::new("row", "Row", CellKind::Text).detail(),
        Heading::new("horizons", "T (horizons)", CellKind::Text).detail(),
        Heading::new("seeds", "Seeds", CellKind::Text).detail(),
        Heading::new("last", "Mean at the last T", CellKind::Number).detail(),
        Heading::new("per_round", "Per round", CellKind::Number).detail(),
        Heading::new("margin", "Margin", CellKind::Number).detail(),
        Heading::new("line", "Line", CellKind::Text).detail(),
        Heading::new("value", "Value", CellKind::Text).detail(),
        Heading::new("conditions", "Conditions met", CellKind::Prose).detail(),
        Heading::new("control", "Negative control", CellKind::Prose).detail(),
        Heading::new("design", "Design", CellKind::Prose).detail(),
        Heading::new("same", "Same runs as", CellKind::Text).detail(),
        Heading::new("why", "Why", CellKind::Prose).detail(),
    ];
    let mut caption = vec![
        "Counts at the end of each run, one run per horizon; exponents and intervals as in the table of rates. \
         A count that is the same for all seeds has no interval. Faster and slower growth than stated are corrected over \
         the table by Holm's procedure; \"as stated\" is each row's own test."
            .to_owned(),
    ];
    caption.extend(references(&rows));
    let found = rows.iter().zip(verdicts(&rows)).zip(same_runs(&rows)).zip(whys(&rows));
    let cells = found.map(|(((row, verdict), same), why)| cells(row, verdict, same, why)).collect();
    Filled { grid: TableGrid { columns, rows: cells }, caption }
}

fn cells(row: &Assessment, verdict: String, same: Option<String>, why: Option<String>) -> Vec<TableCell> {
    let found = measured(row);
    let last = found.and_then(|found| Some((*found.sample.horizons.last()?, *found.sample.means().last()?)));
    let [exponent, predicted, difference] = TableCell::exponents(row);
    vec![
        TableCell::Text(verdict),
        TableCell::Text(citation(row)),
        TableCell::Text(row.label.clone()),
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
        last.map(|(_, mean)| mean).into(),
        last.map(|(horizon, mean)| mean / horizon as f64).into(),
        TableCell::Number(row.margin),
        found.and_then(line).map(str::to_owned).into(),
        found.and_then(value_check).into(),
        TableCell::Text(conditions(row)),
        TableCell::Text(negative(row)),
        TableCell::Text(design(row)),
        same.into(),
        why.into(),
    ]
}

/// Runs that took less are left out of the exponent of times: the clock's resolution and the caches dominate them.
const LEAST_SECONDS: f64 = 1e-3;

fn times(experiments: &[&ExperimentResults]) -> Filled {
    let columns = vec![
        Heading::new("experiment", "Experiment", CellKind::Text),
        Heading::new("stream", "Stream", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("horizon", "Rounds", CellKind::Count),
        Heading::new("seconds", "Processor time", CellKind::Seconds),
        Heading::new("per_round", "Per round", CellKind::Seconds),
        Heading::new("horizons", "Horizons fitted", CellKind::Count),
        Heading::new("exponent", "Exponent of time", CellKind::Number),
    ];
    let mut rows = Vec::new();
    for experiment in experiments {
        for ((stream, label), runs) in by_label(experiment) {
            let least = fastest(experiment, &runs);
            let Some(&(horizon, seconds)) = least.last() else { continue };
            let fitted: Vec<(f64, f64)> =
                least.iter().filter(|one| one.1 >= LEAST_SECONDS).map(|one| (one.0 as f64, one.1)).collect();
            let exponent = (fitted.len() >= 3).then(|| power_law(&fitted)).flatten();
            rows.push(vec![
                TableCell::Text(experiment.name.clone()),
                TableCell::Text(stream.to_owned()),
                TableCell::Text(label.to_owned()),
                TableCell::Count(horizon),
                TableCell::Seconds(seconds),
                TableCell::Seconds(seconds / horizon as f64),
                TableCell::Count(fitted.len() as u64),
                exponent.map_or(TableCell::Empty, |fit| TableCell::Number(fit.slope)),
            ]);
        }
    }
    let caption = vec![
        "Processor time that the thread spent in the learner. Each horizon shows its fastest replicate, which other \
         work on the machine disturbed least. Exponent: slope of log time on log horizon over runs of at least a \
         millisecond, where they have at least three horizons. Times do not repeat; counts are in the table of costs."
            .to_owned(),
    ];
    Filled { grid: TableGrid { columns, rows }, caption }
}

/// (horizon, least processor seconds of its runs), ascending.
fn fastest(experiment: &ExperimentResults, runs: &[&RunResult]) -> Vec<(u64, f64)> {
    let mut least = std::collections::BTreeMap::new();
    for run in runs.iter().filter(|run| run.status == EndStatus::Done) {
        let Some(spent) = experiment.times.get(&run.run_id).and_then(|times| times.last()) else { continue };
        let seconds: &mut f64 = least.entry(run.horizon).or_insert(f64::INFINITY);
        *seconds = seconds.min(spent.cpu);
    }
    least.into_iter().collect()
}
