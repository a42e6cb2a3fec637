//! Exponents of regret against exponents of the size of a dictionary: theory as lines, runs as points.

use serde::Deserialize;

use crate::analysis::against::{Abscissa, Ordinate, places};
use crate::analysis::curve::Final;
use crate::analysis::exponents::{Algorithm, line, name};
use crate::analysis::record::Experiment;
use crate::report::caption::Context;
use crate::report::chart::axis::Scale;
use crate::report::chart::layout::{AxisSpec, Chart, Series, SeriesPoint};
use crate::report::chart::palette::style;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};
use crate::report::number::grouped;

pub static KIND: Kind = Kind {
    name: "exponents",
    summary: "exponent of regret against exponent of the size of a dictionary: theory as lines, runs as points",
    module: module_path!(),
    measured: false,
    check: |spec| read(spec).map(drop),
    draw,
};

/// Options of the kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Options {
    /// d_eff(lambda) <= (n / lambda)^gamma.
    gamma: f64,
    /// Families of measured runs: a series of points for the labels that begin with one of these words.
    #[serde(default)]
    measured: Vec<String>,
}

fn read(spec: &FigureSpec) -> Result<Options, ReportError> {
    let options: Options = spec.options()?;
    if !(options.gamma > 0.0 && options.gamma < 1.0) {
        return Err(spec.wrong(format!("options: `gamma` = {} is not between 0 and 1", options.gamma)));
    }
    Ok(options)
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options = read(spec)?;
    let gamma = options.gamma;
    let mut series = Vec::new();
    let mut corners = Vec::new();
    for algorithm in Algorithm::ALL {
        let point = |(x, y)| SeriesPoint { x, y, band: None };
        series.push(Series {
            label: name(algorithm).to_owned(),
            style: style(series.len()),
            points: line(algorithm, gamma).into_iter().map(point).collect(),
            mark_all: false,
        });
        let (knee, floor) = (algorithm.knee(gamma), algorithm.floor(gamma));
        corners.push(match knee {
            knee if knee <= 1.0 => format!("{} reaches {floor:.3} at {knee:.3}", name(algorithm)),
            _ => format!("{} has {:.3} at 1", name(algorithm), algorithm.exponent(gamma, 1.0)),
        });
    }
    let mut caption = vec![format!(
        "Lines: theory, with lambda at its best, up to logarithms. {}; the optimum is {:.3}.",
        corners.join(", "),
        gamma / (1.0 + gamma)
    )];
    let by_size = Abscissa::Final(Final::StoredPoints);
    let regret = Ordinate::Final(Final::Regret);
    let found: Vec<_> = experiments.iter().flat_map(|one| places(one, &by_size, &regret)).collect();
    for family in &options.measured {
        let mut points: Vec<SeriesPoint> = found
            .iter()
            .filter(|place| place.label.starts_with(family))
            .filter_map(|place| {
                let (log, regret) = ((place.horizon as f64).ln(), place.y.mean);
                let exponent = |value: f64| (value > 0.0).then(|| value.ln() / log);
                let band = place.y.half_width.and_then(|half| exponent(regret - half).zip(exponent(regret + half)));
                Some(SeriesPoint { x: exponent(place.x?)?, y: exponent(regret)?, band })
            })
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let label = format!("measured: {}", family.trim_end());
        series.push(Series { label, style: style(series.len()), points, mark_all: true });
    }
    if let Some(place) = found.first() {
        caption.push(format!(
            "Markers: log(regret) / log(n) of runs over n = {} rounds in profile {}, against log(points) / log(n); \
             constants shift them, so that slopes and corners are what compares.",
            grouped(place.horizon),
            context.profile
        ));
    }
    let axis = |label: &str, limits| AxisSpec { label: label.to_owned(), scale: Scale::Linear, limits, ticks: None };
    let chart = Chart {
        title: String::new(),
        description: String::new(),
        x: axis(&spec.x, (Some(0.0), Some(1.0))),
        y: axis(&spec.y, (Some(0.0), Some(1.02))),
        series,
        guides: Vec::new(),
    };
    Ok(Drawn { chart, caption })
}
