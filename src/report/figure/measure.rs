//! A measure of final hypotheses against the horizon, on log-log axes, beside exact expectations and theory slopes.

use serde::Deserialize;

use crate::analysis::curve::{Curve, Final, along_horizons};
use crate::analysis::exact::Expectation;
use crate::analysis::record::Experiment;
use crate::analysis::slope::power_law;
use crate::analysis::student::two_sided_quantile;
use crate::analysis::summary::LEVEL;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::{Scale, ticks_at};
use crate::report::chart::layout::{AxisSpec, Chart, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::figure::curves::{series, sort};
use crate::report::figure::regret::{GuideSpec, place};
use crate::report::number::{grouped, significant};

pub static KIND: Kind = Kind {
    name: "measure",
    summary: "a measure of final hypotheses along horizons, with exact expectations and theory slopes; log axes",
    module: module_path!(),
    measured: false,
    check,
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// Name of the measure.
    measure: String,
    /// Labels of the curves that are shown, in the order of the legend; all where it is empty.
    #[serde(default)]
    labels: Vec<String>,
    /// Streams that are shown; all where it is empty.
    #[serde(default)]
    streams: Vec<String>,
    /// Slopes of the theory.
    #[serde(default)]
    guides: Vec<GuideSpec>,
    /// Exact expectations.
    #[serde(default)]
    exact: Vec<Exact>,
}

/// An exact expectation, and the curve that it is the expectation of.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exact {
    /// Its name in the legend.
    label: String,
    /// The label of the measured curve.
    of: String,
    /// What is expected.
    expectation: Expectation,
}

fn check(spec: &FigureSpec) -> Result<(), ReportError> {
    let options: Options = spec.options()?;
    options.exact.iter().try_for_each(|exact| {
        exact.expectation.at(&[1]).map(drop).map_err(|why| spec.wrong(format!("options: exact: {why}")))
    })
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let quantity = Final::Measure(options.measure.clone());
    let mut curves: Vec<Curve> = experiments.iter().flat_map(|one| along_horizons(one, &quantity)).collect();
    curves.retain(|curve| {
        (options.labels.is_empty() || options.labels.contains(&curve.label))
            && (options.streams.is_empty() || options.streams.contains(&curve.stream))
    });
    sort(&mut curves, &options.labels);
    let mut horizons: Vec<u64> = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.x)).collect();
    horizons.sort_unstable();
    horizons.dedup();

    let mut sentences = caption::replicates(&curves, experiments, &context.profile);
    sentences.extend(caption::band(&curves));
    let mut shown = series(&curves, 0, true);
    for (i, exact) in options.exact.iter().enumerate() {
        let values = exact.expectation.at(&horizons).map_err(|why| spec.wrong(why))?;
        sentences.extend(distance(exact, &values, &curves));
        let points = values.iter().map(|&(x, y)| SeriesPoint { x: x as f64, y, band: None }).collect();
        shown.push(Series { label: exact.label.clone(), style: style(curves.len() + i), points, mark_all: false });
    }
    if !options.guides.is_empty() {
        sentences.push("Dotted: slopes of the theory; their height is free.".into());
    }
    sentences.extend(exponents(&curves));
    let mut caption = vec![sentences.join(" ")];
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&curves)));
    let places: Vec<f64> = horizons.iter().map(|horizon| *horizon as f64).collect();
    let ticks = (1..=12).contains(&places.len()).then(|| ticks_at(&places));
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: AxisSpec { ticks, ..axis(&spec.x) },
        y: axis(&spec.y),
        series: shown,
        guides: options.guides.iter().filter_map(|guide| place(guide, &curves)).collect(),
    };
    Ok(Drawn { chart, caption })
}

/// How far the measured means lie from their exact expectations, in standard errors.
fn distance(exact: &Exact, values: &[(u64, f64)], curves: &[Curve]) -> Option<String> {
    let curve = curves.iter().find(|curve| curve.label == exact.of)?;
    let largest = curve.points.iter().filter_map(|point| {
        let (_, expected) = values.iter().find(|(horizon, _)| *horizon == point.x)?;
        let quantile = two_sided_quantile(point.estimate.count as u64 - 1, LEVEL)?;
        let error = point.estimate.half_width? / quantile;
        Some(((point.estimate.mean - expected).abs() / error, point.x))
    });
    let (errors, horizon) = largest.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let count = curve.points.iter().map(|point| point.estimate.count).min().unwrap_or_default();
    Some(format!(
        "Largest distance of {} from its exact expectation: {} standard errors (at {}, of {count} replicates).",
        plain(&exact.of),
        significant(errors, 2),
        grouped(horizon)
    ))
}

/// The exponents of all curves over all their horizons.
fn exponents(curves: &[Curve]) -> Option<String> {
    let fitted: Vec<String> = curves
        .iter()
        .filter_map(|curve| {
            let points: Vec<(f64, f64)> = curve.points.iter().map(|p| (p.x as f64, p.estimate.mean)).collect();
            Some(format!("{} {}", plain(&curve.label), significant(power_law(&points)?.slope, 3)))
        })
        .collect();
    (!fitted.is_empty()).then(|| format!("Fitted exponents of the means over these horizons: {}.", fitted.join(", ")))
}
