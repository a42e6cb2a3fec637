//! How many noisy copies each round asked for, compared with the law that a theorem implies.

use std::collections::BTreeMap;

use crate::analysis::record::ExperimentResults;
use crate::trace::cell::EndStatus;
use crate::trace::gauge::QUERIES;

/// How many rounds asked for how many copies, over all completed runs of a label at its largest horizon. This needs
/// traces of every round (`dense = true`); `None` where a trace skips rounds or holds no queries.
pub(crate) fn per_round(experiment: &ExperimentResults, label: &str) -> Option<Vec<u64>> {
    let runs = || experiment.runs.iter().filter(|run| run.label == label && run.status == EndStatus::Done);
    let horizon = runs().map(|run| run.horizon).max()?;
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for run in runs().filter(|run| run.horizon == horizon) {
        let mut last = (0, 0);
        for checkpoint in experiment.checkpoints.get(&run.run_id)?.iter().filter(|checkpoint| checkpoint.t > 0) {
            let queries = checkpoint.gauges.count(QUERIES)?;
            if checkpoint.t != last.0 + 1 {
                return None;
            }
            *counts.entry(queries.checked_sub(last.1)?).or_default() += 1;
            last = (checkpoint.t, queries);
        }
    }
    let largest = *counts.keys().next_back()?;
    Some((0..=largest).map(|copies| counts.get(&copies).copied().unwrap_or_default()).collect())
}

/// Pearson's test of counts against a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    /// sum (count - expected)^2 / expected.
    pub(crate) statistic: f64,
    /// Cells minus one.
    pub(crate) freedom: u32,
    /// The probability of a larger statistic under the law.
    pub(crate) tail: f64,
}

/// Tests `counts[m]` against the probabilities `law[m]`, where everything beyond the law's end counts as one cell.
/// Cells are pooled from the left until each expects at least 5; `None` where fewer than two are left.
pub(crate) fn fit(counts: &[u64], law: &[f64]) -> Option<Fit> {
    let total = counts.iter().sum::<u64>() as f64;
    let count = |m: usize| counts.get(m).copied().unwrap_or_default() as f64;
    let beyond = counts.iter().skip(law.len()).sum::<u64>() as f64;
    let rest = (1.0 - law.iter().sum::<f64>()).max(0.0);
    let single = law.iter().enumerate().map(|(m, share)| (count(m), total * share));
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (found, expected) in single.chain([(beyond, total * rest)]) {
        open = (open.0 + found, open.1 + expected);
        if open.1 >= 5.0 {
            cells.push(std::mem::take(&mut open));
        }
    }
    // What is left over belongs to the last cell.
    let last = cells.last_mut()?;
    *last = (last.0 + open.0, last.1 + open.1);
    let freedom = u32::try_from(cells.len()).ok()?.checked_sub(1).filter(|freedom| *freedom > 0)?;
    let statistic = cells.iter().map(|(found, expected)| (found - expected).powi(2) / expected).sum::<f64>();
    Some(Fit { statistic, freedom, tail: puruspe::gammq(0.5 * f64::from(freedom), 0.5 * statistic) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::tests::run;
    use crate::trace::cell::TraceRow;
    use crate::trace::gauge::{Amount, GaugeValues};

    fn experiment(queries: &[Option<u64>]) -> ExperimentResults {
        let run = run("a", 0, queries.len() as u64);
        let id = run.run_id.clone();
        let row = |(t, queries): (u64, &Option<u64>)| TraceRow {
            t,
            gauges: GaugeValues::default().with(QUERIES, queries.map(Amount::Count)),
            ..TraceRow::default()
        };
        let rows = (1..).zip(queries).map(row).collect();
        ExperimentResults { runs: vec![run], checkpoints: BTreeMap::from([(id, rows)]), ..ExperimentResults::default() }
    }

    #[test]
    fn differences_of_neighbouring_rounds() {
        let data = experiment(&[Some(2), Some(2), Some(5), Some(7)]);
        assert_eq!(per_round(&data, "a"), Some(vec![1, 0, 2, 1]));
        assert_eq!(per_round(&data, "b"), None);
        assert_eq!(per_round(&experiment(&[Some(1), None]), "a"), None);
        let mut sparse = data;
        sparse.checkpoints.values_mut().next().unwrap().remove(1);
        assert_eq!(per_round(&sparse, "a"), None);
    }

    /// 44 and 56 of 100 for a fair coin: (36 + 36) / 50 = 1.44, tail P(|normal| > 1.2) = 0.230139.
    #[test]
    fn a_fair_coin() {
        let fit = fit(&[44, 56], &[0.5, 0.5]).unwrap();
        assert!((fit.statistic - 1.44).abs() < 1e-12 && fit.freedom == 1);
        assert!((fit.tail - 0.230_139_340_442).abs() < 1e-8, "{}", fit.tail);
    }

    #[test]
    fn rare_values_are_pooled() {
        // Expected 50, 45, 4, 1: the last two make one cell; nothing is left for the single cell of a certain outcome.
        let pooled = fit(&[50, 44, 5, 1], &[0.5, 0.45, 0.04]).unwrap();
        assert_eq!(pooled.freedom, 2);
        assert!((pooled.statistic - (1.0 / 45.0 + 1.0 / 5.0)).abs() < 1e-12);
        assert_eq!(fit(&[100], &[1.0]), None);
    }
}
