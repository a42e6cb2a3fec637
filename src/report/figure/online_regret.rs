//! Regret against rounds, for games whose runs carry the loss of the best fixed predictor along.

use serde::Deserialize;

use crate::analysis::curve::{Curve, Quantity, along_rounds};
use crate::analysis::record::Experiment;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::Scale;
use crate::report::chart::layout::{AxisSpec, Chart};
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::figure::curves::{series, sort};
use crate::report::number::{grouped, plus_minus};

pub static KIND: Kind = Kind {
    name: "online-regret",
    summary: "regret against rounds, where the stream is an adversary that knows its comparator; linear axes",
    module: module_path!(),
    measured: false,
    check: |spec| spec.options::<Options>().map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// Labels of curves in the order of the legend; others follow by name.
    #[serde(default)]
    order: Vec<String>,
    /// Upper end of the vertical axis, where it is fixed; curves are cut off there.
    #[serde(default)]
    y_max: Option<f64>,
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let mut curves: Vec<Curve> = experiments.iter().flat_map(|one| along_rounds(one, Quantity::Regret)).collect();
    sort(&mut curves, &options.order);
    let mut sentences = caption::replicates(&curves, experiments, &context.profile);
    sentences.extend(caption::band(&curves));
    let mut caption = vec![sentences.join(" ")];
    caption.extend(final_values(&curves));
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&curves)));
    let axis = |label: &str, limits| AxisSpec { label: label.to_owned(), scale: Scale::Linear, limits, ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: axis(&spec.x, (None, None)),
        y: axis(&spec.y, (None, options.y_max)),
        series: series(&curves, 0, false),
        guides: Vec::new(),
    };
    Ok(Drawn { chart, caption })
}

/// The regrets at half of the rounds and at the end, lowest first.
fn final_values(curves: &[Curve]) -> Option<String> {
    let mut ends: Vec<_> = curves.iter().filter_map(|curve| Some((curve, curve.last()?))).collect();
    ends.sort_by(|(_, a), (_, b)| a.estimate.mean.total_cmp(&b.estimate.mean));
    let last = ends.iter().map(|(_, point)| point.x).max()?;
    let values: Vec<String> = ends
        .iter()
        .map(|(curve, point)| {
            let half = curve.points.iter().rfind(|earlier| 2 * earlier.x <= point.x);
            let before = half.map(|half| format!(" ({:.1} at {})", half.estimate.mean, grouped(half.x)));
            let value = plus_minus(point.estimate.mean, point.estimate.half_width);
            format!("{} {value}{}", curve.label, before.unwrap_or_default())
        })
        .collect();
    Some(format!("Regret at round {}: {}.", grouped(last), values.join(", ")))
}
