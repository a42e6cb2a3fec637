//! The leaderboard: results of the project's experiment as lines of text, in the units of the file.

use serde::Serialize;

use crate::analysis::blocks::in_file_order;
use crate::analysis::curve::by_label;
use crate::analysis::record::{Experiment, Run};
use crate::analysis::summary::estimate;
use crate::compare::trials::Metric;
use crate::report::number::{bytes, duration, plus_minus, significant};
use crate::trace::cell::RunStatus;
use crate::trace::gauge::STATE_BYTES;

/// A learner with its result.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its label in the experiment.
    pub learner: String,
    /// The mean of the metric over the rounds, and over replicates if there are several; none if no run was finished.
    pub loss: Option<f64>,
    /// Half the width of its 95 % interval, where there is one.
    pub half_width: Option<f64>,
    /// The share of wrong classes, with two classes.
    pub error_rate: Option<f64>,
    /// Processor time of one run in the learner.
    pub seconds: Option<f64>,
    /// What the learner holds at the end.
    pub bytes: Option<f64>,
    /// Rows that it played.
    pub rows: u64,
    /// Runs.
    pub runs: usize,
    /// The parameters that were chosen; how it was cut short.
    pub parameters: String,
}

/// How the results of an experiment are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// What decides.
    pub metric: Metric,
    /// What a loss of 1 is in the units of the file.
    pub unit: f64,
}

/// The rows, best first; learners that played more rows before those that played fewer.
pub fn rows(experiment: &Experiment, reading: Reading, parameters: &dyn Fn(&str) -> String) -> Vec<Row> {
    let mut rows: Vec<Row> = by_label(experiment)
        .into_iter()
        .map(|((_, label), runs)| row(experiment, label, &runs, reading, parameters(label)))
        .collect();
    rows.sort_by(|a, b| {
        let score = |row: &Row| row.loss.unwrap_or(f64::INFINITY);
        b.rows.cmp(&a.rows).then(score(a).total_cmp(&score(b))).then_with(|| a.learner.cmp(&b.learner))
    });
    rows
}

fn row(experiment: &Experiment, label: &str, runs: &[&Run], reading: Reading, parameters: String) -> Row {
    let longest = runs.iter().map(|run| run.horizon).max().unwrap_or_default();
    let done = runs.iter().copied().filter(|run| run.horizon == longest && run.status == RunStatus::Done);
    let done: Vec<&Run> = done.collect();
    let mean = |values: Vec<f64>| estimate(&values);
    let total = |run: &Run| match reading.metric {
        Metric::Error => run.cumulative_error,
        _ => run.cumulative_loss,
    };
    let of_runs = mean(done.iter().filter_map(|run| Some(total(run)? / run.rounds as f64)).collect());
    let found = match reading.metric {
        Metric::Error => in_file_order(experiment, &done, |at| at.cumulative_error),
        _ => in_file_order(experiment, &done, |at| Some(at.cumulative_loss)),
    };
    let found = found.or(of_runs);
    let errors = done.iter().filter_map(|run| Some(run.cumulative_error? / run.rounds as f64)).collect();
    let seconds = done.iter().filter_map(|run| Some(experiment.times.get(&run.run_id)?.last()?.cpu)).collect();
    Row {
        learner: label.to_owned(),
        loss: found.map(|found| found.mean * reading.unit),
        half_width: found.and_then(|found| found.half_width).map(|width| width * reading.unit),
        error_rate: mean(errors).map(|found| found.mean),
        seconds: mean(seconds).map(|found| found.mean),
        bytes: mean(done.iter().filter_map(|run| run.gauges.number(STATE_BYTES)).collect()).map(|found| found.mean),
        rows: longest,
        runs: done.len(),
        parameters,
    }
}

/// The lines of a leaderboard.
pub fn text(rows: &[Row], metric: Metric) -> String {
    let most = rows.iter().map(|row| row.rows).max().unwrap_or_default();
    let cut = rows.iter().any(|row| row.rows < most);
    let errors = metric != Metric::Error && rows.iter().any(|row| row.error_rate.is_some());
    let several = rows.iter().any(|row| row.runs > 1);
    let name = match metric {
        Metric::Squared => "squared loss",
        Metric::Absolute => "absolute loss",
        Metric::Error => "error rate",
    };
    let mut titles = vec!["learner", name];
    titles.extend(errors.then_some("errors"));
    titles.extend(["time", "memory"]);
    titles.extend(cut.then_some("rows"));
    titles.extend(several.then_some("runs"));
    titles.push("parameters");
    let mut lines: Vec<Vec<String>> = vec![titles.into_iter().map(str::to_owned).collect()];
    for row in rows {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let mut line =
            vec![row.learner.clone(), row.loss.map_or("diverged".into(), |loss| plus_minus(loss, row.half_width))];
        if errors {
            line.push(or_dash(row.error_rate.map(|rate| significant(rate, 3))));
        }
        line.push(or_dash(row.seconds.map(duration)));
        line.push(or_dash(row.bytes.map(bytes)));
        if cut {
            line.push(row.rows.to_string());
        }
        if several {
            line.push(row.runs.to_string());
        }
        line.push(row.parameters.clone());
        lines.push(line);
    }
    aligned(&lines)
}

/// Columns side by side; the last one as it is.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns.saturating_sub(1)).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut out = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            out += &format!("{cell:<width$}  ");
        }
        out += line.last().map_or("", String::as_str);
        text += out.trim_end();
        text.push('\n');
    }
    text
}
