//! Local slopes of rows of the table of rates: slopes between neighbouring horizons, minus those of the theorem.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::local::LocalSlope;
use crate::analysis::record::Experiment;
use crate::caption::Context;
use crate::chart::axis::{Scale, range};
use crate::chart::plot::{AxisSpec, Chart, Guide, Series, SeriesPoint, extent};
use crate::error::ReportError;
use crate::figure::api::{Checked, Drawn, FigureSpec, Kind};
use crate::rates::{measured, own};

pub(crate) static KIND: Kind = Kind {
    name: "local-slopes",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<NoOptions>,
    check: |spec| spec.options::<NoOptions>().map(|_| Checked::default()),
    draw,
};

/// The kind has no options.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoOptions {}

fn draw(spec: &FigureSpec, _: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    spec.options::<NoOptions>()?;
    let local = |row: &Assessment| measured(row).map(|found| found.local.clone()).unwrap_or_default();
    let point = |one: &LocalSlope| {
        let y = one.slope - one.predicted;
        SeriesPoint {
            x: one.horizon,
            y,
            band: Some((y - one.half_width, y + one.half_width)),
            ..SeriesPoint::default()
        }
    };
    let points = |row| -> Vec<SeriesPoint> { local(row).iter().map(point).collect() };
    let rows: Vec<(&Assessment, Vec<SeriesPoint>)> = context.rates.iter().map(|row| (row, points(row))).collect();
    // One scale for all rows, so that they can be compared.
    let all = || rows.iter().flat_map(|(_, points)| points);
    let (low, high) = range(Scale::Linear, all().map(|point| point.y).chain([0.0]), 0.15);
    let names: Vec<&str> = rows.iter().map(|(row, _)| row.row.as_str()).collect();
    let prefix = shared(&names);
    let panel = |(row, points): &(&Assessment, Vec<SeriesPoint>)| {
        let series = vec![Series::points("local slope", points.clone())];
        let theorem = |(from, to)| Guide { label: String::new(), slope: 0.0, factor: 0.0, from, to, upright: false };
        let guides = extent(&series).map(theorem).into_iter().collect();
        Chart {
            title: row.row[prefix..].replace('-', " "),
            x: AxisSpec::log(&spec.x),
            y: AxisSpec { limits: (Some(low), Some(high)), ..AxisSpec::linear(&spec.y) },
            series,
            guides,
        }
    };
    let mut panels: Vec<Chart> = rows.iter().map(panel).collect();
    if panels.is_empty() {
        panels.push(Chart::empty(AxisSpec::log(&spec.x), AxisSpec::linear(&spec.y)));
    }
    let run = format!(
        "Points are slopes between neighbouring horizons minus the theorem's, with 95 % jackknife intervals over seeds; \
         profile {}.",
        context.profile
    );
    let last: Vec<LocalSlope> = context.rates.iter().filter_map(|row| local(row).last().cloned()).collect();
    let agree = last.iter().filter(|one| (one.slope - one.predicted).abs() <= one.half_width).count();
    let finding = (!last.is_empty())
        .then(|| format!("In the last step the interval holds the theorem's slope in {agree} of {} rows.", last.len()));
    let meaning = "Each slope is that of the log of the mean over seeds, drawn at the geometric mean of the horizons. A \
                   curve that tends to the dotted line has the theorem's rate. A curve that stays below it is faster \
                   than the theorem's rate, and one that stays above it is steeper.";
    let rows = context.rates.iter().map(|row| sentence(row, &own(row))).collect::<Vec<_>>().join(" ");
    Ok(Drawn { panels, columns: 0, run, finding, notes: vec![meaning.to_owned(), rows], claims: Vec::new() })
}

/// The length of the beginning that all names share, up to a hyphen.
fn shared(names: &[&str]) -> usize {
    let Some(first) = names.first().filter(|_| names.len() > 1) else { return 0 };
    let cuts: Vec<usize> = first.match_indices('-').map(|(at, _)| at + 1).collect();
    cuts.into_iter().rev().find(|cut| names.iter().all(|name| name.starts_with(&first[..*cut]))).unwrap_or(0)
}

/// A sentence about a row: setting, bound, the difference in the last step, and the verdict over the whole range.
fn sentence(row: &Assessment, verdict: &str) -> String {
    let last = measured(row).and_then(|found| found.local.last());
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
