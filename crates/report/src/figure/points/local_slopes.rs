//! Local slopes of rows of the table of rates: slopes between neighbouring horizons, minus those of the theorem.

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel, of_rates};
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::local::LocalSlope;
use crate::chart::axis::{AxisScale, range};
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, FigureSpec};
use crate::rates::{measured, own};

/// Local slopes of the rows of rates, minus those of the theorems: a panel for each row.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LocalSlopes {}

const MEANING: &str = "Each slope is that of the log of the mean over seeds, drawn at the geometric mean of the horizons. A \
                       curve that tends to the dotted line has the theorem's rate. A curve that stays below it is faster \
                       than the theorem's rate, and one that stays above it is steeper.";

impl PointRows for LocalSlopes {
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        of_rates(spec)
    }

    fn points(&self, &PointsInput { spec, context, .. }: &PointsInput<'_>) -> Result<DrawnPoints, ReportError> {
        let rates = &context.rates;
        let names: Vec<&str> = rates.iter().map(|row| row.row.as_str()).collect();
        let prefix = shared(&names);
        let panel = |row: &Assessment| PointsPanel {
            title: row.row[prefix..].replace('-', " "),
            names: None,
            series: vec![ChartSeries::points("local slope", local(row).iter().map(point).collect())],
        };
        let panels: Vec<PointsPanel> = rates.iter().map(panel).collect();
        // One scale for all rows, so that they can be compared.
        let all = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
        let (low, high) = range(AxisScale::Linear, all.map(|point| point.y).chain([0.0]), 0.15);
        let run = format!(
            "Points are slopes between neighbouring horizons minus the theorem's, with 95 % jackknife intervals over \
             seeds; profile {}.",
            context.profile
        );
        let rows = rates.iter().map(|row| sentence(row, &own(row))).collect::<Vec<_>>().join(" ");
        Ok(DrawnPoints {
            x: AxisSpec::log(&spec.x),
            y: AxisSpec { limits: (Some(low), Some(high)), ..AxisSpec::linear(&spec.y) },
            panels,
            reference: Some(0.0),
            columns: 0,
            run,
            finding: Some("They are shown, and decide nothing: verdicts are on all horizons together.".into()),
            notes: vec![MEANING.to_owned(), rows],
        })
    }
}

/// The local slopes of a row, where it was measured.
fn local(row: &Assessment) -> &[LocalSlope] {
    measured(row).map_or(&[], |found| &found.local)
}

fn point(one: &LocalSlope) -> SeriesPoint {
    let y = one.slope - one.predicted;
    SeriesPoint { x: one.horizon, y, band: Some((y - one.half_width, y + one.half_width)), ..SeriesPoint::default() }
}

/// The length of the beginning that all names share, up to a hyphen.
fn shared(names: &[&str]) -> usize {
    let Some(first) = names.first().filter(|_| names.len() > 1) else { return 0 };
    let cuts: Vec<usize> = first.match_indices('-').map(|(at, _)| at + 1).collect();
    cuts.into_iter().rev().find(|cut| names.iter().all(|name| name.starts_with(&first[..*cut]))).unwrap_or(0)
}

/// A sentence about a row: setting, bound, the difference in the last step, and the verdict over the whole range.
fn sentence(row: &Assessment, verdict: &str) -> String {
    let last = local(row).last();
    let last = match last {
        Some(last) => format!("last step {:+.3} \u{b1} {:.3}", last.slope - last.predicted, last.half_width),
        None => "no local slopes".to_owned(),
    };
    format!("{}: {} ({}, bound {}), {last}; {}.", row.row, row.setting, row.place, row.shape.text(), verdict)
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn titles_leave_out_what_all_rows_share() {
        assert_eq!(shared(&["robust-theorem-1-r075", "robust-theorem-1-r125"]), 17);
        assert_eq!((shared(&["robust-a"]), shared(&["a-b", "c-d"]), shared(&[])), (0, 0, 0));
    }
}
