//! Regret against the horizon, on log-log axes, beside the slopes of the theory.

use serde::Deserialize;

use crate::analysis::curve::{Curve, Final, along_horizons};
use crate::analysis::record::Experiment;
use crate::analysis::slope::power_law;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::{Scale, ticks_at};
use crate::report::chart::layout::{AxisSpec, Chart, Guide};
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::figure::curves::{series, sort};

pub static KIND: Kind = Kind {
    name: "regret",
    summary: "regret against the best predictor in hindsight, along horizons, with theory slopes; log axes",
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
    /// Labels of the curves that are shown; all where it is empty.
    #[serde(default)]
    only: Vec<String>,
    /// Slopes of the theory.
    #[serde(default)]
    guides: Vec<GuideSpec>,
}

/// A slope of the theory. Theorems give exponents; the line's height follows the first curve.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GuideSpec {
    /// Exponent of the horizon.
    pub(super) slope: f64,
    /// What it stands for, in markup.
    pub(super) label: String,
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let mut curves: Vec<Curve> = experiments.iter().flat_map(|one| along_horizons(one, &Final::Regret)).collect();
    curves.retain(|curve| options.only.is_empty() || options.only.contains(&curve.label));
    sort(&mut curves, &options.order);
    let mut sentences = caption::replicates(&curves, experiments, &context.profile);
    sentences.push("Regret: cumulative loss minus that of the best predictor in hindsight (with its penalty, where it has one), one run per horizon.".into());
    sentences.extend(caption::band(&curves));
    if !options.guides.is_empty() {
        sentences.push("Dotted: slopes of the theory; their height is free.".into());
    }
    sentences.extend(not_positive(&curves));
    let mut caption = vec![sentences.join(" ")];
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&curves)));
    let mut horizons: Vec<u64> = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.x)).collect();
    horizons.sort_unstable();
    horizons.dedup();
    let few = (1..=12).contains(&horizons.len());
    let places: Vec<f64> = horizons.iter().map(|horizon| *horizon as f64).collect();
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: AxisSpec { ticks: few.then(|| ticks_at(&places)), ..axis(&spec.x) },
        y: axis(&spec.y),
        series: series(&curves, 0, true),
        guides: options.guides.iter().filter_map(|guide| place(guide, &curves)).collect(),
    };
    Ok(Drawn { chart, caption })
}

/// A guide below the first curve: through the middle of its points, then a fifth lower, so that both can be seen.
pub(super) fn place(guide: &GuideSpec, curves: &[Curve]) -> Option<Guide> {
    let curve = curves.iter().find(|curve| !curve.points.is_empty())?;
    let flattened: Vec<(f64, f64)> = curve
        .points
        .iter()
        .map(|point| (point.x as f64, point.estimate.mean / (point.x as f64).powf(guide.slope)))
        .collect();
    let fit = power_law(&flattened)?;
    let middle = flattened.iter().map(|(x, _)| x.ln()).sum::<f64>() / flattened.len() as f64;
    let factor = 0.8 * (fit.intercept + fit.slope * middle).exp();
    let (from, to) = (flattened.first()?.0, flattened.last()?.0);
    Some(Guide { label: guide.label.clone(), slope: guide.slope, factor, from, to })
}

/// A log axis cannot show regret that is not positive, so the caption does.
fn not_positive(curves: &[Curve]) -> Option<String> {
    let places: Vec<String> = curves
        .iter()
        .flat_map(|curve| {
            let points = curve.points.iter().filter(|point| point.estimate.mean <= 0.0);
            points.map(|point| format!("{} at {}", plain(&curve.label), point.x))
        })
        .collect();
    (!places.is_empty()).then(|| format!("Regret not positive, hence not drawn: {}.", places.join(", ")))
}
