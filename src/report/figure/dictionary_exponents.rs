//! Exponents of regret against exponents of the size of a dictionary. Lines show the theory, points show runs.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::curve::{Curve, at_ends};
use crate::analysis::exponents::{Algorithm, line, name};
use crate::analysis::quantity::Quantity;
use crate::analysis::record::Experiment;
use crate::report::caption::Context;
use crate::report::chart::layout::{AxisSpec, Chart, Series, SeriesPoint};
use crate::report::error::ReportError;
use crate::report::figure::api::{Checked, Drawn, FigureSpec, Kind, Name, Named};
use crate::report::figure::curves::begins;
use crate::report::number::grouped;
use crate::schema;
use crate::trace::gauge::STORED_POINTS;
use noregret_core::params::number;

pub static KIND: Kind = Kind {
    name: "dictionary-exponents",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<DictionaryOptions>,
    check,
    draw,
};

/// The options of the kind `dictionary-exponents`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DictionaryOptions {
    /// The exponent in d_eff(lambda) <= (n / lambda)^gamma.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    gamma: f64,
    /// Families of measured runs. Each gives a series of points, from the labels that begin with these words.
    #[serde(default)]
    measured: Vec<String>,
}

fn read(spec: &FigureSpec) -> Result<DictionaryOptions, ReportError> {
    let options: DictionaryOptions = spec.options()?;
    if !(options.gamma > 0.0 && options.gamma < 1.0) {
        return Err(spec.wrong(format!("options: `gamma` = {} is not between 0 and 1", options.gamma)));
    }
    Ok(options)
}

fn check(spec: &FigureSpec) -> Result<Checked, ReportError> {
    let named = |name: String| Name { field: "options.measured".into(), name, of: Named::Beginning };
    Ok(Checked { measured: false, names: read(spec)?.measured.into_iter().map(named).collect() })
}

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options = read(spec)?;
    let gamma = options.gamma;
    let mut series = Vec::new();
    let mut corners = Vec::new();
    for algorithm in Algorithm::ALL {
        series.push(Series::line(name(algorithm), line(algorithm, gamma)));
        let (knee, floor) = (algorithm.knee(gamma), algorithm.floor(gamma));
        corners.push(match knee {
            knee if knee <= 1.0 => format!("{} reaches {floor:.3} at {knee:.3}", name(algorithm)),
            _ => format!("{} has {:.3} at 1", name(algorithm), algorithm.exponent(gamma, 1.0)),
        });
    }
    let mut caption = vec![format!(
        "Lines show the theory with the best lambda, up to logarithms. {}; the optimum is {:.3}.",
        corners.join(", "),
        gamma / (1.0 + gamma)
    )];
    let (size, regret) = (Quantity::Gauge(STORED_POINTS).into(), Quantity::Regret.into());
    let found: Vec<Curve> = experiments.iter().flat_map(|one| at_ends(one, &size, &regret)).collect();
    for family in &options.measured {
        let point = |curve: &Curve| {
            let (end, log) = (curve.last()?, (curve.horizon as f64).ln());
            let regret = end.estimate.mean;
            let exponent = |value: f64| (value > 0.0).then(|| value.ln() / log);
            let band = end.estimate.half_width.and_then(|half| exponent(regret - half).zip(exponent(regret + half)));
            Some(SeriesPoint { x: exponent(end.x)?, y: exponent(regret)?, band })
        };
        let mut points: Vec<SeriesPoint> =
            found.iter().filter(|curve| begins(&curve.label, family)).filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        series.push(Series::points(format!("measured: {family}"), points));
    }
    if let Some(place) = found.first() {
        caption.push(format!(
            "Markers show log(regret) / log(n) of runs over n = {} rounds in profile {}, against log(points) / log(n). \
             Constants shift the markers, so only slopes and corners can be compared.",
            grouped(place.horizon),
            context.profile
        ));
    }
    let axis = |label: &str, top| AxisSpec { limits: (Some(0.0), Some(top)), ..AxisSpec::linear(label) };
    let chart = Chart { x: axis(&spec.x, 1.0), y: axis(&spec.y, 1.02), series, guides: Vec::new() };
    Ok(Drawn { chart, caption, claims: Vec::new() })
}
