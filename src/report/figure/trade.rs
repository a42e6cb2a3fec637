//! What one end-of-run number costs in terms of another: one point per label at its largest horizon, joined in groups.

use serde::Deserialize;

use crate::analysis::curve::{Curve, Final, along_horizons};
use crate::analysis::record::Experiment;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::Scale;
use crate::report::chart::layout::{AxisSpec, Chart, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::number::{plus_minus, significant};

pub static KIND: Kind = Kind {
    name: "trade",
    summary: "regret against noisy copies per round, one point per label, joined in groups; log axes",
    module: module_path!(),
    measured: false,
    check: |spec| spec.options::<Options>().map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// Curves of the chart, each through the points of several labels.
    groups: Vec<Group>,
}

/// A curve through the points of some labels.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Its name.
    label: String,
    /// The labels of the experiment, in order.
    through: Vec<String>,
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let of = |quantity: Final| -> Vec<Curve> {
        experiments.iter().flat_map(|experiment| along_horizons(experiment, &quantity)).collect()
    };
    let (regrets, queries) = (of(Final::Regret), of(Final::Queries));
    let mut sentences = caption::replicates(&regrets, experiments, &context.profile);
    sentences.push(
        "Each point is one label at its largest horizon; bars of the band: 95 % t intervals of the mean regret over seeds."
            .into(),
    );
    let mut series = Vec::new();
    for group in &options.groups {
        let mut told = Vec::new();
        let mut points = Vec::new();
        for label in &group.through {
            let last = |curves: &[Curve]| {
                let curve = curves.iter().find(|curve| curve.label == *label)?;
                curve.last().map(|point| (point.x, point.estimate))
            };
            let (Some((horizon, regret)), Some((_, queries))) = (last(&regrets), last(&queries)) else {
                told.push(format!("{} not completed", plain(label)));
                continue;
            };
            let per_round = queries.mean / horizon as f64;
            let band = regret.half_width.map(|half| (regret.mean - half, regret.mean + half));
            points.push(SeriesPoint { x: per_round, y: regret.mean, band });
            told.push(format!(
                "{} regret {} for {} copies per round",
                plain(label),
                plus_minus(regret.mean, regret.half_width),
                significant(per_round, 3)
            ));
        }
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        sentences.push(format!("{}: {}.", plain(&group.label), told.join("; ")));
        series.push(Series { label: group.label.clone(), style: style(series.len()), points, mark_all: true });
    }
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: axis(&spec.x),
        y: axis(&spec.y),
        series,
        guides: Vec::new(),
    };
    let mut caption = vec![sentences.join(" ")];
    caption.extend(spec.claims.iter().map(|claim| claim.paragraph(&regrets)));
    Ok(Drawn { chart, caption })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::registry::read;
    use crate::report::figure::samples::{experiment, run, specification};

    #[test]
    fn points_are_regret_against_copies_per_round() {
        let options = "groups = [{ label = 'g', through = ['many', 'few', 'none'] }]";
        let figure = read("test", &specification("trade", "['e']", options)).unwrap();
        let runs = vec![run("few", 10, 0, 8.0, &[1, 2]), run("many", 10, 0, 2.0, &[6])];
        let drawn = draw(&figure.spec, &[&experiment("e", runs)], &Context::default()).unwrap();
        let points: Vec<(f64, f64)> = drawn.chart.series[0].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(points, [(1.5, 8.0), (6.0, 2.0)]);
        assert!(drawn.caption[0].contains("none not completed"), "{:?}", drawn.caption);
    }
}
