//! A measure of final hypotheses against another (a scale against an error, say), one curve per group of labels, at the
//! largest horizon.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::analysis::curve::{Curve, Final, Point};
use crate::analysis::record::{Experiment, Run, Status};
use crate::analysis::summary::{Tally, estimate};
use crate::report::caption::{self, Context};
use crate::report::chart::axis::{Scale, Tick};
use crate::report::chart::layout::{AxisSpec, Chart, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::figure::regret::{GuideSpec, place};
use crate::report::number::significant;

pub static KIND: Kind = Kind {
    name: "scan",
    summary: "a measure of final hypotheses against a parameter of theirs, one curve per group of labels; log axes",
    module: module_path!(),
    measured: false,
    check: |spec| spec.options::<Options>().map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// The measure that is the abscissa.
    along: String,
    /// The measure that is shown.
    measure: String,
    /// Whether its square root is shown.
    #[serde(default)]
    root: bool,
    /// The stream that is shown.
    stream: String,
    /// The stream that it is compared with in the caption.
    baseline: Option<String>,
    /// Groups of labels: `NAME, anything`.
    curves: Vec<String>,
    /// Labels that do not depend on the abscissa: level lines.
    #[serde(default)]
    levels: Vec<String>,
    /// A label whose value is taken off, replicate by replicate.
    minus: Option<String>,
    /// Slopes of the theory, through the first curve of which each names the group.
    #[serde(default)]
    guides: Vec<Slope>,
}

/// A slope beside a curve.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Slope {
    /// The group of labels that it stands beside.
    beside: String,
    /// The exponent and its name.
    guide: GuideSpec,
}

/// Values by replicate.
type Values = BTreeMap<u64, f64>;

/// What the runs of a figure hold.
struct Data<'a> {
    options: &'a Options,
    runs: Vec<&'a Run>,
}

impl Data<'_> {
    /// The runs of some labels on a stream at the largest horizon.
    fn runs(&self, stream: &str, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &Run> {
        let runs: Vec<&Run> =
            self.runs.iter().filter(|run| run.stream == stream && wanted(&run.label)).copied().collect();
        let horizon = runs.iter().map(|run| run.horizon).max();
        runs.into_iter().filter(move |run| Some(run.horizon) == horizon)
    }

    fn value(&self, run: &Run) -> Option<f64> {
        let value = Final::Measure(self.options.measure.clone()).of(run).filter(|_| run.status == Status::Done)?;
        Some(if self.options.root { value.sqrt() } else { value })
    }

    /// The values of one label.
    fn level(&self, stream: &str, label: &str) -> Values {
        self.runs(stream, |found| found == label).filter_map(|run| Some((run.replicate, self.value(run)?))).collect()
    }

    /// A group as a curve; its abscissae are in the order of the numbers.
    fn group(&self, stream: &str, name: &str, minus: Option<&Values>) -> (Curve, Vec<f64>) {
        let belongs = |label: &str| label.strip_prefix(name).is_some_and(|rest| rest.starts_with(','));
        let mut tally = Tally::default();
        let mut points: Vec<(f64, Vec<(u64, f64)>)> = Vec::new();
        let (mut learner, mut horizon) = (String::new(), 0);
        for run in self.runs(stream, belongs) {
            (learner, horizon) = (run.learner.clone(), run.horizon);
            let base = minus.map_or(Some(0.0), |minus| minus.get(&run.replicate).copied());
            let along = run.measures.get(&self.options.along);
            match (self.value(run), base, along) {
                (Some(value), Some(base), Some(&along)) => {
                    tally.done += 1;
                    match points.iter_mut().find(|(x, _)| *x == along) {
                        Some((_, values)) => values.push((run.replicate, value - base)),
                        None => points.push((along, vec![(run.replicate, value - base)])),
                    }
                }
                _ if run.status == Status::Done => tally.missing += 1,
                _ => tally.add(run.status),
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let abscissae = points.iter().map(|(x, _)| *x).collect();
        let points = points.into_iter().enumerate().filter_map(|(i, (_, values))| {
            let numbers: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            Some(Point { x: i as u64, estimate: estimate(&numbers)?, values })
        });
        let curve = Curve {
            experiment: String::new(),
            stream: stream.to_owned(),
            learner,
            label: name.to_owned(),
            horizon,
            tally,
            points: points.collect(),
        };
        (curve, abscissae)
    }
}

fn mean(values: &Values) -> Option<f64> {
    estimate(&values.values().copied().collect::<Vec<_>>()).map(|estimate| estimate.mean)
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let data = Data { options: &options, runs: experiments.iter().flat_map(|one| &one.runs).collect() };
    let minus = options.minus.as_ref().map(|label| data.level(&options.stream, label));
    let groups: Vec<(Curve, Vec<f64>)> =
        options.curves.iter().map(|name| data.group(&options.stream, name, minus.as_ref())).collect();
    let mut abscissae: Vec<f64> = groups.iter().flat_map(|(_, abscissae)| abscissae.clone()).collect();
    abscissae.sort_by(f64::total_cmp);
    abscissae.dedup();

    let curves: Vec<Curve> = groups.iter().map(|(curve, _)| curve.clone()).collect();
    let mut sentences = vec![runs(&curves, &context.profile)];
    sentences.extend(caption::band(&curves));
    let mut shown: Vec<Series> = groups.iter().enumerate().map(|(i, (curve, at))| drawn(i, curve, at)).collect();
    for label in &options.levels {
        let Some(level) = mean(&data.level(&options.stream, label)) else { continue };
        let ends = [abscissae.first(), abscissae.last()].into_iter().flatten();
        let points = ends.map(|&x| SeriesPoint { x, y: level, band: None }).collect();
        shown.push(Series { label: label.clone(), style: style(shown.len()), points, mark_all: false });
        sentences.push(format!("{}: {}.", plain(label), significant(level, 3)));
    }
    sentences.push(best(&data, &groups));
    sentences.extend(unseen(&groups));
    let mut guides = Vec::new();
    for slope in &options.guides {
        let Some((curve, at)) = groups.iter().find(|(curve, _)| curve.label == slope.beside) else { continue };
        // Guides know whole abscissae: thousandths are fine enough for parameters.
        let scaled = curve.points.iter().zip(at).map(|(point, x)| Point { x: (1000.0 * x) as u64, ..point.clone() });
        let curve = Curve { points: scaled.filter(|point| point.estimate.mean > 0.0).collect(), ..curve.clone() };
        guides.extend(place(&slope.guide, &[curve]).map(|mut guide| {
            guide.factor *= 1000f64.powf(guide.slope);
            (guide.from, guide.to) = (guide.from / 1000.0, guide.to / 1000.0);
            guide
        }));
    }
    if !guides.is_empty() {
        sentences.push("Dotted: slopes of the theory; their height is free.".into());
    }
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let tick = |value: &f64| Tick { value: *value, label: Some(value.to_string()) };
    let ticks = (1..=12).contains(&abscissae.len()).then(|| abscissae.iter().map(tick).collect());
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: AxisSpec { ticks, ..axis(&spec.x) },
        y: axis(&spec.y),
        series: shown,
        guides,
    };
    Ok(Drawn { chart, caption: vec![sentences.join(" ")] })
}

fn drawn(index: usize, curve: &Curve, abscissae: &[f64]) -> Series {
    let points = curve.points.iter().zip(abscissae).map(|(point, &x)| {
        let mean = point.estimate.mean;
        SeriesPoint { x, y: mean, band: point.estimate.half_width.map(|half| (mean - half, mean + half)) }
    });
    let mark =
        if curve.tally.complete() { String::new() } else { format!(" ({}/{})", curve.tally.done, curve.tally.total()) };
    Series { label: format!("{}{mark}", curve.label), style: style(index), points: points.collect(), mark_all: true }
}

/// What was run.
fn runs(curves: &[Curve], profile: &str) -> String {
    let horizon = curves.iter().map(|curve| curve.horizon).max().unwrap_or_default();
    let replicates = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.estimate.count)).min();
    format!("Profile {profile}; horizon {horizon} rounds; {} replicates per point.", replicates.unwrap_or_default())
}

/// Where each curve is lowest, against the baseline stream at the same abscissa.
fn best(data: &Data, groups: &[(Curve, Vec<f64>)]) -> String {
    let mut told = Vec::new();
    for (curve, abscissae) in groups {
        let lowest = curve.points.iter().zip(abscissae).min_by(|a, b| a.0.estimate.mean.total_cmp(&b.0.estimate.mean));
        let Some((point, x)) = lowest else { continue };
        let mut text =
            format!("{} {} at {}", plain(&curve.label), significant(point.estimate.mean, 3), significant(*x, 3));
        if let Some(stream) = &data.options.baseline {
            let (clean, at) = data.group(stream, &curve.label, None);
            let same = clean.points.iter().zip(&at).find(|(_, other)| *other == x);
            if let Some((clean, _)) = same {
                let change = 100.0 * (point.estimate.mean / clean.estimate.mean - 1.0);
                text += &format!(" ({change:+.1} % against {})", plain(stream));
            }
        }
        told.push(text);
    }
    for label in &data.options.levels {
        let Some(stream) = &data.options.baseline else { continue };
        let means = mean(&data.level(&data.options.stream, label)).zip(mean(&data.level(stream, label)));
        if let Some((here, there)) = means {
            let change = 100.0 * (here / there - 1.0);
            told.push(format!("{} {} ({change:+.1} % against {})", plain(label), significant(here, 3), plain(stream)));
        }
    }
    format!("Lowest means: {}.", told.join("; "))
}

/// A log axis cannot show what is not positive, so the caption does.
fn unseen(groups: &[(Curve, Vec<f64>)]) -> Option<String> {
    let places: Vec<String> = groups
        .iter()
        .flat_map(|(curve, at)| {
            let pairs = curve.points.iter().zip(at).filter(|(point, _)| point.estimate.mean <= 0.0);
            pairs.map(|(_, x)| format!("{} at {}", plain(&curve.label), significant(*x, 3)))
        })
        .collect();
    (!places.is_empty()).then(|| format!("Not positive, hence not drawn: {}.", places.join(", ")))
}
