//! Any numbers known at the end of runs against the horizon, on log-log axes, beside the slopes of the theory.

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
    name: "along-horizons",
    summary: "named measures of runs against the horizon, with fitted exponents and theory slopes; log axes",
    module: module_path!(),
    measured: false,
    check: |spec| spec.options::<Options>().map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// The measures shown.
    measures: Vec<Measure>,
    /// Labels of curves in the order of the legend; others follow by name.
    #[serde(default)]
    order: Vec<String>,
    /// A slope of the theory.
    #[serde(default)]
    guides: Vec<GuideSpec>,
}

/// A measure, and what curves that show it are called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measure {
    /// Its name in the runs table, without `m_`.
    name: String,
    /// What follows the learner's label.
    label: String,
}

/// A line of the theory. Theorems give exponents; its height is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuideSpec {
    /// Exponent of the horizon.
    slope: f64,
    /// Value at horizon 1.
    factor: f64,
    /// What it stands for, in markup.
    label: String,
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let mut curves: Vec<Curve> = Vec::new();
    for measure in &options.measures {
        let quantity = Final::Measure(measure.name.clone());
        for mut curve in experiments.iter().flat_map(|one| along_horizons(one, &quantity)) {
            curve.label = format!("{}: {}", curve.label, measure.label);
            curves.push(curve);
        }
    }
    sort(&mut curves, &options.order);
    let mut sentences = caption::replicates(&curves, experiments, &context.profile);
    sentences.extend(caption::band(&curves));
    sentences.extend(exponents(&curves));
    let mut caption = vec![sentences.join(" ")];
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&curves)));
    let mut horizons: Vec<u64> = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.x)).collect();
    horizons.sort_unstable();
    horizons.dedup();
    let places: Vec<f64> = horizons.iter().map(|horizon| *horizon as f64).collect();
    let ends = places.first().copied().zip(places.last().copied());
    let guide = |guide: &GuideSpec| {
        let (from, to) = ends?;
        Some(Guide { label: guide.label.clone(), slope: guide.slope, factor: guide.factor, from, to })
    };
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: AxisSpec { ticks: (1..=12).contains(&places.len()).then(|| ticks_at(&places)), ..axis(&spec.x) },
        y: axis(&spec.y),
        series: series(&curves, 0, true),
        guides: options.guides.iter().filter_map(guide).collect(),
    };
    Ok(Drawn { chart, caption })
}

/// The exponent of each curve over all of its horizons.
fn exponents(curves: &[Curve]) -> Option<String> {
    let of = |curve: &Curve| {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|point| (point.x as f64, point.estimate.mean)).collect();
        Some(format!("{} {:.2}", plain(&curve.label), power_law(&points)?.slope))
    };
    let fitted: Vec<String> = curves.iter().filter_map(of).collect();
    (!fitted.is_empty()).then(|| format!("Exponents fitted to the means over all horizons: {}.", fitted.join(", ")))
}
