//! Exponents of a measure in the horizon against a property of the streams, such as their regularity, beside exact
//! expectations and the theory.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::curve::along_horizons;
use crate::analysis::exact::Expectation;
use crate::analysis::quantity::Quantity;
use crate::analysis::record::Experiment;
use crate::analysis::slope::power_law;
use crate::analysis::summary::estimate;
use crate::caption::{self, Context, Unit};
use crate::chart::plot::{AxisSpec, Chart, Series, SeriesPoint, Shape};
use crate::chart::svg::plain;
use crate::error::ReportError;
use crate::figure::api::{Checked, Drawn, FigureSpec, Kind, Name, Named};
use crate::number::{grouped, significant};
use crate::schema;
use noregret_core::params::number::Number;

pub(crate) static KIND: Kind = Kind {
    name: "regularity-exponents",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<RegularityOptions>,
    check,
    draw,
};

/// The options of the kind `regularity-exponents`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RegularityOptions {
    /// The measure whose exponents are shown.
    #[serde(default)]
    measure: String,
    /// The measure that is the abscissa.
    #[serde(default)]
    along: String,
    /// Labels of measured curves. Each curve goes through all streams.
    #[serde(default)]
    labels: Vec<String>,
    /// Exact exponents.
    #[serde(default)]
    exact: Vec<Exact>,
    /// Horizons of the exact exponents.
    #[serde(default)]
    horizons: Vec<u64>,
    /// Exponents of the theory.
    #[serde(default)]
    theory: Vec<Theory>,
}

/// Exact exponents, one for each target. The abscissa is the regularity of the target.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Exact {
    /// The name of the curve.
    label: String,
    /// One expectation per point.
    points: Vec<Expectation>,
}

/// A line of the theory through given points.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Theory {
    /// The name of the line.
    label: String,
    /// Abscissa and exponent.
    #[schemars(schema_with = "schema::pairs")]
    points: Vec<(Number, Number)>,
}

fn check(spec: &FigureSpec) -> Result<Checked, ReportError> {
    let options: RegularityOptions = spec.options()?;
    for point in options.exact.iter().flat_map(|exact| &exact.points) {
        point.at(&[1]).map_err(|why| spec.wrong(format!("options: exact: {why}")))?;
    }
    let name = |name: String| Name { field: "options.labels".into(), name, of: Named::Label };
    Ok(Checked { measured: false, names: options.labels.into_iter().map(name).collect() })
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: RegularityOptions = spec.options()?;
    let mut shown = Vec::new();
    for exact in &options.exact {
        let mut points = Vec::new();
        for point in &exact.points {
            let values = point.at(&options.horizons).map_err(|why| spec.wrong(why))?;
            let values: Vec<(f64, f64)> = values.iter().map(|&(x, y)| (x as f64, y)).collect();
            let fit = power_law(&values).ok_or_else(|| spec.wrong("options: fewer than two horizons".into()))?;
            points.push(SeriesPoint { x: point.regularity(), y: fit.slope, ..SeriesPoint::default() });
        }
        shown.push(Series::points(&exact.label, points));
    }
    let quantity = Quantity::Measure(options.measure.clone()).into();
    let curves: Vec<_> = experiments.iter().flat_map(|one| along_horizons(one, &quantity)).collect();
    let mut sentences: Vec<String> = caption::incomplete(&curves, experiments).into_iter().collect();
    for label in &options.labels {
        let mut points = Vec::new();
        for curve in curves.iter().filter(|curve| curve.label == *label) {
            // One exponent per replicate: replicates share their data across horizons.
            let replicates: Vec<u64> =
                curve.points.first().iter().flat_map(|point| point.values.iter().map(|value| value.0)).collect();
            let slopes = replicates.iter().filter_map(|replicate| {
                let values: Option<Vec<(f64, f64)>> = curve
                    .points
                    .iter()
                    .map(|point| {
                        let value = point.values.iter().find(|(other, _)| other == replicate)?;
                        Some((point.x, value.1))
                    })
                    .collect();
                power_law(&values?).map(|fit| fit.slope)
            });
            let run = experiments
                .iter()
                .flat_map(|one| &one.runs)
                .find(|run| run.stream == curve.stream && run.label == *label);
            let along = run.and_then(|run| run.measures.get(&options.along).copied());
            if let (Some(x), Some(slope)) = (along, estimate(&slopes.collect::<Vec<_>>())) {
                points.push(SeriesPoint::mean(x, slope));
            }
        }
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        shown.push(Series::points(label, points));
    }
    for theory in &options.theory {
        shown.push(Series::theory(&theory.label, theory.points.iter().map(|(x, y)| (x.0, y.0))));
    }
    if !options.labels.is_empty() {
        sentences.push(
            "Measured values are means over replicates of the exponents of single replicates, with 95 % t intervals."
                .into(),
        );
    }
    if let (Some(first), Some(last)) = (options.horizons.first(), options.horizons.last()) {
        sentences.push(format!(
            "Exact values are exponents of the exact expectation over {} to {} rounds.",
            grouped(*first),
            grouped(*last)
        ));
    }
    for series in &shown {
        let values: Vec<String> = series
            .points
            .iter()
            .map(|point| format!("{} at {}", significant(point.y, 3), significant(point.x, 3)))
            .collect();
        sentences.push(format!("{}: {}.", plain(&series.label), values.join(", ")));
    }
    let measured = || shown.iter().filter(|one| one.shape != Shape::Theory);
    let points = measured().flat_map(|one| one.points.iter().map(move |point| (point, &one.label)));
    let steepest = points.min_by(|(a, _), (b, _)| a.y.total_cmp(&b.y)).map(|(point, label)| {
        let (y, x) = (significant(point.y, 3), significant(point.x, 3));
        format!("The steepest exponent is {y} ({}, at {x}).", plain(label))
    });
    let (x, y) = (AxisSpec::linear(&spec.x), AxisSpec::linear(&spec.y));
    let chart = Chart { title: String::new(), x, y, series: shown, guides: Vec::new() };
    let run = caption::run(&curves, experiments, &context.profile, Unit::Curve);
    let notes = vec![sentences.join(" ")];
    Ok(Drawn { panels: vec![chart], columns: 0, run, finding: steepest, notes, claims: Vec::new() })
}
