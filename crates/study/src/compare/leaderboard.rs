//! The leaderboard as lines of text, in the units of the file.

use crate::compare::board::{Board, Line, Place};
use crate::compare::metric::Metric;
use noregret_report::number::{bytes, duration, plus_minus, significant};

/// How much more than the first one a learner loses.
fn behind(line: &Line) -> String {
    let signed = |difference: f64| {
        let text = plus_minus(difference, line.half_width);
        if difference >= 0.0 { format!("+{text}") } else { text }
    };
    match (line.place, line.difference) {
        (Place::First, _) => "first".into(),
        (Place::Tie, Some(difference)) => format!("{}, tie", signed(difference)),
        (Place::Tie, None) => "tie".into(),
        (Place::Behind, Some(difference)) => signed(difference),
        _ => "-".into(),
    }
}

/// The lines of a leaderboard.
pub fn text(board: &Board, metric: Metric) -> String {
    let rows = &board.leaderboard;
    let errors = metric != Metric::Error && rows.iter().any(|row| row.error_rate.is_some());
    let several = rows.iter().any(|row| row.runs > 1);
    let mut titles = vec![
        "learner".to_owned(),
        metric.title().to_owned(),
        "more than the first".to_owned(),
        "while choosing".to_owned(),
    ];
    titles.extend(errors.then(|| "errors".to_owned()));
    titles.extend(["time", "memory"].map(str::to_owned));
    titles.extend(several.then(|| "runs".to_owned()));
    titles.push("parameters".into());
    let mut lines: Vec<Vec<String>> = vec![titles];
    for row in rows {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let short = |value: Option<f64>| or_dash(value.map(|value| significant(value, 5)));
        let mut line = vec![row.learner.clone(), short(row.loss), behind(row), short(row.loss_choosing)];
        if errors {
            line.push(or_dash(row.error_rate.map(|rate| significant(rate, 3))));
        }
        line.push(or_dash(row.seconds.map(duration)));
        line.push(or_dash(row.bytes.map(bytes)));
        if several {
            line.push(row.runs.to_string());
        }
        line.push(row.why.as_ref().map_or_else(|| row.parameters.clone(), |why| format!("not ranked: {why}")));
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
