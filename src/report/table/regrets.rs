//! Regrets by learner at the longest horizon, beside the bound of the run where the learner computes one.

use crate::analysis::curve::by_label;
use crate::analysis::quantity::Quantity;
use crate::analysis::record::Experiment;
use crate::analysis::summary::{Estimate, LEVEL, Tally, estimate};
use crate::report::table::api::{Fill, Filled, Kind};
use crate::report::table::format::{Cell, CellKind, Grid, Heading};
use crate::trace::cell::RunStatus;

pub static KIND: Kind = Kind { name: "regrets", module: module_path!(), measured: false, fill: Fill::Runs(fill) };

/// The measures of learners with the sum of regrets that a theorem is about, and with its bound.
const SUM: &str = "largest_regret";
const BOUND: &str = "regret_bound";

fn fill(experiments: &[&Experiment]) -> Filled {
    let columns = vec![
        Heading::new("stream", "Experiment", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("rounds", "Rounds", CellKind::Count),
        Heading::of(&Quantity::Regret, CellKind::Interval),
        Heading::new("largest", "Largest sum of regrets to a forecast", CellKind::Interval),
        Heading::new("bound", "Its bound", CellKind::Number),
        Heading::new("ratio", "Ratio", CellKind::Number),
        Heading::new("replicates", "Replicates", CellKind::Text),
    ];
    let mut rows = Vec::new();
    for experiment in experiments {
        for ((_, label), runs) in by_label(experiment) {
            let rounds = runs.iter().map(|run| run.horizon).max().unwrap_or_default();
            let mut tally = Tally::default();
            let longest: Vec<_> = runs.into_iter().filter(|run| run.horizon == rounds).collect();
            longest.iter().for_each(|run| tally.add(run.status));
            let done: Vec<_> = longest.into_iter().filter(|run| run.status == RunStatus::Done).collect();
            let mean = |quantity: Quantity| {
                estimate(&done.iter().filter_map(|run| quantity.at_end(experiment, run)).collect::<Vec<_>>())
            };
            let measure = |name: &str| mean(Quantity::Measure(name.into()));
            let interval = |found: Option<Estimate>| match found {
                Some(Estimate { mean, half_width, .. }) => Cell::Interval { mean, half_width, best: false },
                None => Cell::Empty,
            };
            let (largest, bound) = (measure(SUM), measure(BOUND));
            // Below 0, no forecast would have been better.
            let ratio = largest.zip(bound).filter(|(largest, _)| largest.mean > 0.0);
            let ratio = ratio.map(|(largest, bound)| largest.mean / bound.mean);
            rows.push(vec![
                Cell::Text(experiment.name.clone()),
                Cell::Text(label.to_owned()),
                Cell::Count(rounds),
                interval(mean(Quantity::Regret)),
                interval(largest),
                bound.map_or(Cell::Empty, |bound| Cell::Number(bound.mean)),
                ratio.map_or(Cell::Empty, Cell::Number),
                Cell::Text(format!("{}/{}", tally.done, tally.total())),
            ]);
        }
    }
    let caption = format!(
        "Means over replicates \u{b1} half widths of {:.0} % t intervals over seeds. Regret is to the comparator of the \
         experiment: the best forecast, the best convex combination, or the best sequence. The sum of regrets, in the form \
         that the learner uses (of the loss, or of its gradient), is that to the forecast for which it is largest; its bound is \
         that of the rule for this run, and holds on every sequence.",
        100.0 * LEVEL
    );
    Filled { grid: Grid { columns, rows }, caption: vec![caption] }
}
