//! Average loss against rounds: cumulative loss / t, or the share of wrong signs, on log-log axes.

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
    name: "average-loss",
    summary: "average loss (squared, or 0/1) against rounds, log axes",
    module: module_path!(),
    measured: false,
    check: |spec| read(spec).map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// Which loss.
    #[serde(default)]
    loss: Loss,
    /// The first round shown; the averages of the first few rounds only stretch the axis.
    #[serde(default = "ten")]
    from_round: u64,
    /// Labels of curves in the order of the legend; others follow by name.
    #[serde(default)]
    order: Vec<String>,
    /// Ends of the vertical axis, where fixed; curves are cut off there.
    #[serde(default)]
    y_min: Option<f64>,
    #[serde(default)]
    y_max: Option<f64>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Loss {
    #[default]
    Squared,
    ErrorRate,
}

fn ten() -> u64 {
    10
}

fn read(spec: &FigureSpec) -> Result<Options, ReportError> {
    let options: Options = spec.options()?;
    let ends = [options.y_min, options.y_max];
    if ends.into_iter().flatten().any(|end| !(end > 0.0 && end.is_finite())) {
        return Err(spec.wrong("options: `y-min` and `y-max` are ends of a log axis, so they must be positive".into()));
    }
    if let (Some(min), Some(max)) = (options.y_min, options.y_max)
        && min >= max
    {
        return Err(spec.wrong(format!("options: `y-min` {min} is not below `y-max` {max}")));
    }
    Ok(options)
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options = read(spec)?;
    let quantity = match options.loss {
        Loss::Squared => Quantity::AverageLoss,
        Loss::ErrorRate => Quantity::ErrorRate,
    };
    let mut curves: Vec<Curve> = experiments.iter().flat_map(|one| along_rounds(one, quantity)).collect();
    sort(&mut curves, &options.order);
    let mut sentences = caption::replicates(&curves, experiments, &context.profile);
    sentences.extend(caption::band(&curves));
    let mut caption = vec![sentences.join(" ")];
    caption.extend(final_values(&curves));
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&curves)));
    let axis = |label: &str, limits| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits, ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: axis(&spec.x, (None, None)),
        y: axis(&spec.y, (options.y_min, options.y_max)),
        series: series(&curves, options.from_round, false),
        guides: Vec::new(),
    };
    Ok(Drawn { chart, caption })
}

/// The last values, lowest first: what the picture cannot be read for.
fn final_values(curves: &[Curve]) -> Option<String> {
    let mut ends: Vec<_> = curves.iter().filter_map(|curve| Some((curve, curve.last()?))).collect();
    ends.sort_by(|(_, a), (_, b)| b.x.cmp(&a.x).then(a.estimate.mean.total_cmp(&b.estimate.mean)));
    let furthest = ends.first()?.1.x;
    let values: Vec<String> = ends
        .iter()
        .map(|(curve, point)| {
            let value = plus_minus(point.estimate.mean, point.estimate.half_width);
            let stop = if point.x == furthest { String::new() } else { format!(" at {}", grouped(point.x)) };
            format!("{} {value}{stop}", curve.label)
        })
        .collect();
    Some(format!("At round {}: {}.", grouped(furthest), values.join(", ")))
}
