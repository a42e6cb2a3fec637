//! Table 1 of the PKAWV paper beside what was measured: growth of regret and of what a learner keeps.

use crate::analysis::complexity::{Base, PredictedGrowth, prediction};
use crate::analysis::curve::{MeanCurve, along_horizons};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::{ExperimentResults, RunResult};
use crate::analysis::slope::power_law;
use crate::analysis::summary::{LEVEL, estimate};
use crate::exhibit::ExhibitNeed;
use crate::table::api::{Filled, TableKind};
use crate::table::format::{CellKind, Heading, TableCell, TableGrid, mean_count};
use crate::trace::cell::EndStatus;
use crate::trace::gauge::{FEATURES, KERNEL_EVALUATIONS, STORED_POINTS};

pub(crate) static KIND: TableKind =
    TableKind::new("complexity", module_path!(), &[ExhibitNeed::Runs], |given| fill(given.experiments, false));

pub(crate) static TIMES: TableKind =
    TableKind::new("complexity-times", module_path!(), &[ExhibitNeed::Runs], |given| fill(given.experiments, true))
        .measured();

/// Growth is fitted to this many of the largest horizons.
const LAST: usize = 4;

fn fill(experiments: &[&ExperimentResults], times: bool) -> Filled {
    let mut columns = vec![
        Heading::new("kernel", "Kernel", CellKind::Text),
        Heading::new("learner", "Learner", CellKind::Text),
        Heading::new("regret_theory", "Regret, theory", CellKind::Text),
        Heading::new("regret_fitted", "Regret, fitted", CellKind::Text),
        Heading::new("rounds", "n", CellKind::Count),
        Heading::new("regret", "Regret at n", CellKind::Interval),
        Heading::new("size_theory", "m, theory", CellKind::Text),
        Heading::new("size_fitted", "m, fitted", CellKind::Text),
        Heading::new("size", "m at n", CellKind::Count),
        Heading::new("operations", "m^2 at n", CellKind::Count),
        Heading::new("kernel_evaluations", &format!("{} per round", KERNEL_EVALUATIONS.title()), CellKind::Interval),
    ];
    if times {
        columns.push(Heading::new("cpu_seconds", "Processor time of n rounds", CellKind::Seconds));
    }
    let rows = experiments.iter().flat_map(|experiment| rows(experiment, times)).collect();
    let caption = format!(
        "Theory: up to constants, for dictionaries up to logarithms too; m is the number of points or features, and a \
         round takes O(m^2) operations beside its kernel evaluations. Fitted: least squares over the last {LAST} \
         horizons. Means over replicates \u{b1} half widths of {:.0} % t intervals. Regret is against the best function \
         with its penalty.",
        100.0 * LEVEL
    );
    Filled { grid: TableGrid { columns, rows }, caption: vec![caption, STEEPER.into()] }
}

/// Why regrets grow faster than theory's exponents on horizons that can be run. The exponents of the log-determinant
/// are tested in theory/spectrum.rs.
const STEEPER: &str = "Why regret may grow faster than theory says: the regret of Sketched-KONS is c log det(I + K \
    g^2 / (8 c alpha)) up to a constant, where g is a gradient, because only a share 1/c of the rounds shapes its \
    steps. For the spline kernel with gamma = 1/4, fair coins and c = 10 this alone grows like n^0.43 from 64 to 512 \
    rounds, like n^0.27 from 512 to 4096 and like n^0.2 from 10^6 on. Pros-N-KONS starts again m times, and m grows \
    like log det(I + K / mu), that is like (log n)^(d+1) if the logarithm left out above is counted. Its bound, m \
    log det(I + K / alpha), therefore grows like (log n)^(2d+2), not like the (log n)^(2d+1) of Table 1; and over \
    the n/m rounds between two starts the log-determinant still grows faster than (log n)^(d+1).";

/// A row for every stream and label that theory speaks of.
fn rows(experiment: &ExperimentResults, times: bool) -> Vec<Vec<TableCell>> {
    let curves = |quantity: RunQuantity| along_horizons(experiment, &quantity.into());
    let [points, features, evaluations] =
        [STORED_POINTS, FEATURES, KERNEL_EVALUATIONS].map(|gauge| curves(RunQuantity::Gauge(gauge)));
    let regrets = curves(RunQuantity::Regret);
    let mut rows = Vec::new();
    for (i, regret) in regrets.iter().enumerate() {
        let mine = |run: &&RunResult| run.label == regret.label && run.stream == regret.stream;
        let Some(run) = experiment.runs.iter().find(mine) else { continue };
        let (Some(theory), Some(end)) = (prediction(run), regret.last()) else { continue };
        let size = if theory.counted == FEATURES { &features[i] } else { &points[i] };
        let interval = |curve: &MeanCurve, per: f64| match curve.last() {
            Some(point) => TableCell::Interval {
                mean: point.estimate.mean / per,
                half_width: point.estimate.half_width.map(|half| half / per),
                best: false,
            },
            None => TableCell::Empty,
        };
        let squared = size.last().map(|point| point.estimate.mean * point.estimate.mean);
        let mut row = vec![
            TableCell::Text(kernel(run)),
            TableCell::Text(regret.label.clone()),
            TableCell::Text(growth(theory.regret)),
            TableCell::Text(fitted(regret, theory.regret.base)),
            TableCell::Count(end.x as u64),
            interval(regret, 1.0),
            TableCell::Text(growth(theory.size)),
            TableCell::Text(fitted(size, theory.size.base)),
            size.last().map_or(TableCell::Empty, |point| mean_count(&whole(&point.values))),
            squared.map_or(TableCell::Empty, |squared| TableCell::Count(squared.round() as u64)),
            interval(&evaluations[i], end.x),
        ];
        if times {
            let spent = experiment.runs.iter().filter(mine).filter(|run| run.horizon as f64 == end.x);
            let spent = spent.filter(|run| run.status == EndStatus::Done);
            let seconds: Vec<f64> =
                spent.filter_map(|run| RunQuantity::ProcessorTime.at_end(experiment, run)).collect();
            row.push(estimate(&seconds).map_or(TableCell::Empty, |found| TableCell::Seconds(found.mean)));
        }
        rows.push(row);
    }
    rows
}

/// The kernel, by what theory needs to know of it.
fn kernel(run: &RunResult) -> String {
    match (run.parameters.get("kernel_smoothness"), run.parameters.get("stream_dim")) {
        (Some(smoothness), _) => format!("periodic spline, gamma = 1/{}", 2.0 * smoothness),
        (None, Some(_)) => format!("Gaussian, {}", run.stream),
        (None, None) => String::new(),
    }
}

/// Values of replicates that are counts.
fn whole(values: &[(u64, f64)]) -> Vec<u64> {
    values.iter().map(|(_, value)| value.round() as u64).collect()
}

fn growth(growth: PredictedGrowth) -> String {
    power(growth.base, format!("{:.3}", growth.exponent).trim_end_matches('0').trim_end_matches('.'))
}

fn power(base: Base, exponent: &str) -> String {
    match (base, exponent) {
        (Base::Rounds, "1") => "n".into(),
        (Base::Rounds, _) => format!("n^{exponent}"),
        (Base::LogRounds, "1") => "log n".into(),
        (Base::LogRounds, _) => format!("(log n)^{exponent}"),
    }
}

/// The power of `base` that fits the last points of a curve.
fn fitted(curve: &MeanCurve, base: Base) -> String {
    let points: Vec<(f64, f64)> =
        curve.points.iter().rev().take(LAST).map(|point| (base.at(point.x), point.estimate.mean)).collect();
    match power_law(&points) {
        _ if points.len() < LAST => "\u{2013}".into(),
        _ if points.iter().all(|(_, y)| *y == points[0].1) => "fixed".into(),
        Some(fit) => power(base, &format!("{:.2}", fit.slope)),
        None => "\u{2013}".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::tests::run;

    /// What is fitted to these regrets at the horizons 64, 128, ...
    fn of(values: &[f64]) -> String {
        let run = |(i, value): (usize, &f64)| RunResult {
            cumulative_loss: Some(value + 1.0),
            comparator_loss: Some(1.0),
            ..run("a", 0, 64 << i)
        };
        let runs = values.iter().enumerate().map(run).collect();
        let experiment = ExperimentResults { name: "e".into(), runs, ..ExperimentResults::default() };
        let curves = along_horizons(&experiment, &RunQuantity::Regret.into());
        fitted(&curves[0], Base::Rounds)
    }

    #[test]
    fn growth_is_fitted_to_four_horizons_or_not_at_all() {
        assert_eq!(of(&[1.0, 2.0, 4.0, 8.0]), "n^1.00");
        assert_eq!(of(&[9.0, 3.0, 3.0, 3.0, 3.0]), "fixed");
        assert_eq!(of(&[3.0]), "\u{2013}");
        assert_eq!(of(&[3.0, 3.0, 3.0]), "\u{2013}");
        assert_eq!(of(&[1.0, -2.0, 4.0, 8.0]), "\u{2013}");
    }
}
