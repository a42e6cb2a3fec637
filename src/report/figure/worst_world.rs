//! One learner in several worlds that it cannot tell apart: the largest of its regrets per round, along horizons.

use serde::Deserialize;

use crate::analysis::curve::{Curve, Final, along_horizons};
use crate::analysis::record::Experiment;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::{Scale, ticks_at};
use crate::report::chart::layout::{AxisSpec, Chart, Guide, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::chart::svg::plain;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::figure::curves::sort;
use crate::report::number::{plus_minus, significant};

pub static KIND: Kind = Kind {
    name: "worst-world",
    summary: "regret per round in the worst of several experiments that share their labels, against a lower bound",
    module: module_path!(),
    measured: false,
    check,
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// Labels in the order of the legend; others follow by name.
    #[serde(default)]
    order: Vec<String>,
    /// Labels of the learners that the bound does not speak of.
    #[serde(default)]
    exempt: Vec<String>,
    /// A lower bound on the larger regret per round, with what it is.
    bound: Bound,
}

/// A constant of the theory.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    /// Which: see [`value`].
    name: String,
    /// What it stands for, in markup.
    label: String,
}

/// The constants that figures of this kind may be held against.
fn value(name: &str) -> Option<f64> {
    (name == "one-copy").then_some(noregret_core::theory::one_copy::MINIMAX)
}

fn check(spec: &FigureSpec) -> Result<(), ReportError> {
    let options: Options = spec.options()?;
    if spec.experiments.len() < 2 {
        return Err(spec.wrong("`experiments` must name the worlds, at least two".into()));
    }
    match value(&options.bound.name) {
        Some(_) => Ok(()),
        None => Err(spec.wrong(format!("options: there is no bound `{}`; known: one-copy", options.bound.name))),
    }
}

/// A learner's regret per round in each world at one horizon: mean and half width of the interval.
type Worlds = Vec<(f64, Option<f64>)>;

/// (horizon, regret per round in each world) where all worlds have it.
fn worlds(curves: &[Vec<Curve>], label: &str) -> Vec<(u64, Worlds)> {
    let of: Option<Vec<&Curve>> = curves.iter().map(|world| world.iter().find(|curve| curve.label == label)).collect();
    let Some(of) = of else { return Vec::new() };
    let Some(first) = of.first() else { return Vec::new() };
    let at = |x: u64| -> Option<Worlds> {
        let rounds = x as f64;
        let points = of.iter().map(|curve| curve.points.iter().find(|point| point.x == x));
        points
            .map(|point| point.map(|p| (p.estimate.mean / rounds, p.estimate.half_width.map(|h| h / rounds))))
            .collect()
    };
    first.points.iter().filter_map(|point| Some((point.x, at(point.x)?))).collect()
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options: Options = spec.options()?;
    let bound = value(&options.bound.name).unwrap_or(f64::NAN);
    let mut curves: Vec<Vec<Curve>> = experiments.iter().map(|one| along_horizons(one, &Final::Regret)).collect();
    curves.iter_mut().for_each(|world| sort(world, &options.order));
    let flat: Vec<Curve> = curves.iter().flatten().cloned().collect();
    let mut sentences = caption::replicates(&flat, experiments, &context.profile);
    sentences.push(format!(
        "Shown: the larger of the mean regrets per round in {}. Bands: 95 % t intervals over seeds.",
        experiments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(" and ")
    ));
    let labels: Vec<String> =
        curves.first().map(|world| world.iter().map(|curve| curve.label.clone()).collect()).unwrap_or_default();
    let (mut series, mut ends, mut below) = (Vec::new(), Vec::new(), Vec::new());
    let mut smallest: Option<(f64, String)> = None;
    for label in labels {
        let along = worlds(&curves, &label);
        let larger = |worlds: &Worlds| worlds.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
        let points = along.iter().filter_map(|(x, worlds)| {
            let (mean, half) = larger(worlds)?;
            Some(SeriesPoint { x: *x as f64, y: mean, band: half.map(|half| (mean - half, mean + half)) })
        });
        let points: Vec<SeriesPoint> = points.collect();
        if let Some((x, worlds)) = along.last()
            && let Some((mean, half)) = larger(worlds)
        {
            let values: Vec<String> = worlds.iter().map(|(mean, half)| plus_minus(*mean, *half)).collect();
            ends.push(format!("{} {} (n = {x})", plain(&label), values.join(" / ")));
            if !options.exempt.contains(&label) {
                if mean + half.unwrap_or(0.0) < bound {
                    below.push(plain(&label));
                }
                if smallest.as_ref().is_none_or(|(least, _)| mean < *least) {
                    smallest = Some((mean, plain(&label)));
                }
            }
        }
        series.push(Series { label, style: style(series.len()), points, mark_all: true });
    }
    sentences.push(format!("Regret per round at the largest horizon, world by world: {}.", ends.join("; ")));
    let verdict = match (smallest, below.is_empty()) {
        (None, _) => "No learner was run in all worlds.".into(),
        (Some((least, label)), true) => format!(
            "Claim: whatever a learner does with one copy per round, the larger of the two is at least {} in expectation. Supported here: the least is {} ({label}).",
            significant(bound, 4),
            significant(least, 4)
        ),
        (Some(_), false) => format!(
            "Claim: whatever a learner does with one copy per round, the larger of the two is at least {} in expectation. Contradicted here by {}.",
            significant(bound, 4),
            below.join(", ")
        ),
    };
    let mut horizons: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.x)).collect();
    horizons.sort_by(f64::total_cmp);
    horizons.dedup();
    let guide = horizons.first().zip(horizons.last()).map(|(&from, &to)| Guide {
        label: options.bound.label.clone(),
        slope: 0.0,
        factor: bound,
        from,
        to,
    });
    let axis = |label: &str| AxisSpec { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None };
    let few = (1..=12).contains(&horizons.len());
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: AxisSpec { ticks: few.then(|| ticks_at(&horizons)), ..axis(&spec.x) },
        y: axis(&spec.y),
        series,
        guides: guide.into_iter().collect(),
    };
    Ok(Drawn { chart, caption: vec![sentences.join(" "), verdict] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::registry::read;
    use crate::report::figure::samples::{experiment, run, specification};

    fn caption(options: &str, clean: f64, noisy: f64) -> (Drawn, String) {
        let text = specification("worst-world", "['clean', 'noisy']", options);
        let figure = read("test", &text).unwrap();
        let world = |name: &str, regret: f64| {
            let runs = (0..2).map(|replicate| run("a", 100, replicate, 100.0 * regret, &[1]));
            experiment(name, runs.collect())
        };
        let (clean, noisy) = (world("clean", clean), world("noisy", noisy));
        let drawn =
            draw(&figure.spec, &[&clean, &noisy], &Context { profile: "quick".into(), ..Context::default() }).unwrap();
        let text = drawn.caption.join(" ");
        (drawn, text)
    }

    const BOUND: &str = "bound = { name = 'one-copy', label = 'least' }";

    #[test]
    fn the_larger_regret_is_shown_and_held_against_the_bound() {
        let (drawn, text) = caption(BOUND, 0.1, 0.5);
        assert_eq!(drawn.chart.series[0].points[0].y, 0.5);
        assert!(text.contains("Supported here: the least is 0.5000 (a)"), "{text}");
        let (_, text) = caption(BOUND, 0.1, 0.2);
        assert!(text.contains("Contradicted here by a."), "{text}");
        let (_, text) = caption(&format!("exempt = ['a']\n{BOUND}"), 0.1, 0.2);
        assert!(!text.contains("Contradicted"), "{text}");
    }

    #[test]
    fn one_world_and_unknown_bounds_are_refused() {
        assert!(read("test", &specification("worst-world", "['clean']", BOUND)).is_err());
        let other = specification("worst-world", "['a', 'b']", "bound = { name = 'other', label = '' }");
        assert!(read("test", &other).unwrap_err().to_string().contains("no bound `other`"));
    }
}
