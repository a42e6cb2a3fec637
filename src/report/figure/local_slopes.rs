//! Local slopes of rows of the table of rates: slopes between neighbouring horizons, minus those of the theorem.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::rate::assessment::Assessment;
use crate::analysis::rate::local::LocalSlope;
use crate::analysis::record::Experiment;
use crate::report::caption::Context;
use crate::report::chart::layout::{AxisSpec, Chart, Guide, Series, SeriesPoint, extent};
use crate::report::error::ReportError;
use crate::report::figure::api::{Checked, Drawn, FigureSpec, Kind};
use crate::report::rates::{measured, own};

pub static KIND: Kind = Kind {
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
        SeriesPoint { x: one.horizon, y, band: Some((y - one.half_width, y + one.half_width)) }
    };
    let points = |row| local(row).iter().map(point).collect();
    let series: Vec<Series> = context.rates.iter().map(|row| Series::points(&row.row, points(row))).collect();
    let theorem = |(from, to)| Guide { label: "theorem".into(), slope: 0.0, factor: 0.0, from, to };
    let guides = extent(&series).map(theorem).into_iter().collect();
    let chart = Chart { x: AxisSpec::log(&spec.x), y: AxisSpec::linear(&spec.y), series, guides };
    let mut caption = vec![format!(
        "Profile {}. Each point is the slope of the log of the mean over seeds between neighbouring horizons, minus the \
         slope of the theorem's shape there. It is drawn at the geometric mean of the horizons. Bands are 95 % jackknife \
         intervals over seeds. A curve that tends to the dotted line has the theorem's rate. A curve that stays below it \
         is faster than the theorem's rate, and one that stays above it is steeper.",
        context.profile
    )];
    caption.push(context.rates.iter().map(|row| sentence(row, &own(row))).collect::<Vec<_>>().join(" "));
    Ok(Drawn { chart, caption, claims: Vec::new() })
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
