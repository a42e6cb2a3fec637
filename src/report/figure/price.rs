//! What precision buys: the regret of each label relative to a reference, against a measure of what the label spent
//! per round, at the largest horizon; log axes.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::analysis::curve::{Curve, Final, along_horizons};
use crate::analysis::record::Experiment;
use crate::analysis::summary::estimate;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::Scale;
use crate::report::chart::layout::{AxisSpec, Chart, Guide, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::number::{plus_minus, significant};

pub static KIND: Kind = Kind {
    name: "price",
    summary: "regret relative to a reference against a measure per round, one point per label; log axes",
    module: module_path!(),
    measured: false,
    check: |spec| spec.options::<Options>().map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// The measure of what was spent in a run; its mean over replicates and rounds is the abscissa.
    spent: String,
    /// The label whose regret is 1.
    reference: String,
    /// A measure that the caption gives for each point, with what it is.
    told: Option<Told>,
    /// Curves: for each experiment, one for each of these.
    groups: Vec<Group>,
}

/// A measure of the caption.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    measure: String,
    words: String,
}

/// A curve through the points of some labels.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// What follows the name of the stream in the legend.
    label: String,
    /// The labels of the experiments, in order.
    through: Vec<String>,
}

/// The last values of each curve of a quantity: label, horizon, (replicate, value).
type Ends = BTreeMap<String, (u64, Vec<(u64, f64)>)>;

fn ends(experiment: &Experiment, quantity: &Final) -> Ends {
    let curves = along_horizons(experiment, quantity).into_iter();
    curves.filter_map(|curve| Some((curve.label.clone(), curve.last().map(|p| (p.x, p.values.clone()))?))).collect()
}

fn mean(values: &[(u64, f64)]) -> f64 {
    estimate(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>()).map_or(f64::NAN, |estimate| estimate.mean)
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let all: Vec<Curve> = experiments.iter().flat_map(|one| along_horizons(one, &Final::Regret)).collect();
    let mut sentences = caption::replicates(&all, experiments, &context.profile);
    sentences.push(format!(
        "Each point is one choice; its height is the mean over replicates of its regret over that of {} on the same \
         replicate, with the 95 % t interval of that mean as a band; dotted: equal regret.",
        plain(&options.reference)
    ));
    let mut caption = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    for experiment in experiments {
        let (regrets, spent) =
            (ends(experiment, &Final::Regret), ends(experiment, &Final::Measure(options.spent.clone())));
        let told =
            options.told.as_ref().map(|told| (ends(experiment, &Final::Measure(told.measure.clone())), &told.words));
        let stream = experiment.runs.first().map(|run| run.stream.clone()).unwrap_or_default();
        for group in &options.groups {
            let mut points = Vec::new();
            let mut words = Vec::new();
            for label in &group.through {
                let found = regrets.get(label).zip(regrets.get(&options.reference)).zip(spent.get(label));
                let Some((((horizon, values), (_, reference)), (_, spent))) = found else {
                    words.push(format!("{} not completed", plain(label)));
                    continue;
                };
                let ratios: Vec<f64> = values
                    .iter()
                    .filter_map(|(replicate, value)| {
                        let partner = reference.iter().find(|(other, _)| other == replicate)?;
                        Some(value / partner.1)
                    })
                    .collect();
                let Some(ratio) = estimate(&ratios) else { continue };
                let band = ratio.half_width.map(|half| (ratio.mean - half, ratio.mean + half));
                points.push(SeriesPoint { x: mean(spent) / *horizon as f64, y: ratio.mean, band });
                let more = told.as_ref().and_then(|(ends, words)| Some((ends.get(label)?, words)));
                let more = more.map(|((_, values), words)| format!(" ({} {words})", significant(mean(values), 2)));
                let value = plus_minus(ratio.mean, ratio.half_width);
                words.push(format!("{} {value}{}", plain(label), more.unwrap_or_default()));
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let label = format!("{stream}, {}", group.label);
            caption.push(format!("{}: {}.", plain(&label), words.join("; ")));
            series.push(Series { label, style: style(series.len()), points, mark_all: true });
        }
    }
    caption.insert(0, sentences.join(" "));
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&all)));
    let places = || series.iter().flat_map(|one| one.points.iter().map(|point| point.x));
    let (from, to) = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
    let equal = Guide { label: options.reference.clone(), slope: 0.0, factor: 1.0, from, to };
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: axis(&spec.x),
        y: axis(&spec.y),
        guides: if from < to { vec![equal] } else { Vec::new() },
        series,
    };
    Ok(Drawn { chart, caption })
}
