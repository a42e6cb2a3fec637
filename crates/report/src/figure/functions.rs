//! Functions of one real number, which are evaluated, not measured: losses, windows, kernels by distance. Report code
//! does not evaluate them: the caller puts their values into the specification of the figure.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::record::ExperimentResults;
use crate::caption::FigureContext;
use crate::chart::plot::{AxisSpec, Chart, ChartSeries};
use crate::chart::svg::plain;
use crate::error::ReportError;
use crate::exhibit::ExhibitNeed;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec, Name, NameKind, SampledFunction};
use crate::number::significant;
use crate::schema;
use noregret_core::params::number;

pub(crate) static KIND: FigureKind = FigureKind {
    name: "functions",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<FunctionsOptions>,
    check,
    draw,
};

/// The options of the kind `functions`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FunctionsOptions {
    /// The smallest abscissa.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    from: f64,
    /// The largest abscissa.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    to: f64,
    /// The number of evenly spaced abscissae, with both ends.
    #[serde(default = "many")]
    points: usize,
    /// Lower end of the vertical axis, if it is fixed.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    bottom: Option<f64>,
    /// Upper end of the vertical axis, if it is fixed.
    #[serde(default, deserialize_with = "number::read_some")]
    #[schemars(schema_with = "schema::number")]
    top: Option<f64>,
    /// Pairs of functions that the caption compares.
    #[serde(default)]
    compare: Vec<FunctionPair>,
    /// Panels, each with some of the functions; a single panel with all of them if there are none.
    #[serde(default)]
    panels: Vec<FunctionsPanel>,
}

/// A panel of some functions.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FunctionsPanel {
    /// Its heading, in markup.
    title: String,
    /// Label of its horizontal axis, in markup, if it differs from that of the figure.
    x: Option<String>,
    /// The labels of its functions.
    only: Vec<String>,
}

/// Two functions by their labels.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FunctionPair {
    /// Label of the first function.
    first: String,
    /// Label of the second function.
    second: String,
    /// Whether the caption also gives their ratio.
    #[serde(default)]
    ratio: bool,
}

fn many() -> usize {
    481
}

fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let options: FunctionsOptions = spec.options()?;
    if !(options.from.is_finite() && options.to.is_finite() && options.from < options.to) {
        return Err(spec.wrong("options: `from` must be less than `to`".into()));
    }
    if !(2..=100_000).contains(&options.points) {
        return Err(spec.wrong("options: `points` must be from 2 to 100000".into()));
    }
    if !spec.experiments.is_empty() {
        return Err(spec.wrong("`experiments` must be empty: functions are evaluated, not run".into()));
    }
    let compared = options.compare.into_iter().flat_map(|pair| [pair.first, pair.second]);
    let name = |field: &str, name| Name { field: field.into(), name, of: NameKind::Function };
    let compared = compared.map(|one| name("options.compare", one));
    let shown = options.panels.into_iter().flat_map(|part| part.only).map(|one| name("options.panels.only", one));
    let needs = vec![ExhibitNeed::Functions];
    Ok(CheckedOptions { names: compared.chain(shown).collect(), needs, ..CheckedOptions::default() })
}

/// The abscissae at which the functions of a figure of this kind are evaluated.
///
/// # Errors
/// The same as of checking the figure.
pub fn abscissae(spec: &FigureSpec) -> Result<Vec<f64>, ReportError> {
    let options: FunctionsOptions = spec.options()?;
    let steps = (options.points - 1) as f64;
    let at = |i: usize| options.from + (options.to - options.from) * (i as f64 / steps);
    Ok((0..options.points).map(at).collect())
}

fn draw(spec: &FigureSpec, _: &[&ExperimentResults], _: &FigureContext) -> Result<DrawnFigure, ReportError> {
    let options: FunctionsOptions = spec.options()?;
    let sentences: Vec<String> =
        options.compare.iter().map(|pair| compare(spec, pair)).collect::<Result<_, ReportError>>()?;
    let mut sentences = sentences.into_iter();
    let finding = sentences.next();
    let chart = |part: Option<&FunctionsPanel>| {
        let shown = |one: &&SampledFunction| part.is_none_or(|part| part.only.contains(&one.label));
        let functions = spec.sampled.iter().filter(shown);
        let x = part.and_then(|part| part.x.as_ref()).unwrap_or(&spec.x);
        Chart {
            title: part.map(|part| part.title.clone()).unwrap_or_default(),
            x: AxisSpec { limits: (Some(options.from), Some(options.to)), ..AxisSpec::linear(x) },
            y: AxisSpec { limits: (options.bottom, options.top), ..AxisSpec::linear(&spec.y) },
            series: functions.map(|one| ChartSeries::line(&one.label, one.points.iter().copied())).collect(),
            guides: Vec::new(),
        }
    };
    let panels = match options.panels.as_slice() {
        [] => vec![chart(None)],
        parts => parts.iter().map(|part| chart(Some(part))).collect(),
    };
    let run = "The functions are evaluated by the library; no run is needed.".to_owned();
    Ok(DrawnFigure { panels, columns: 0, run, finding, notes: sentences.collect(), claims: Vec::new() })
}

/// The range of the difference of two functions, and of their ratio.
fn compare(spec: &FigureSpec, pair: &FunctionPair) -> Result<String, ReportError> {
    let find = |label: &str| -> Result<&SampledFunction, ReportError> {
        let found = spec.sampled.iter().find(|function| function.label == label);
        found.ok_or_else(|| spec.wrong(format!("options.compare: no function is called `{label}`")))
    };
    let (first, second) = (find(&pair.first)?, find(&pair.second)?);
    let range = |f: fn(f64, f64) -> f64| {
        let values = first.points.iter().zip(&second.points).map(|(a, b)| (a.0, f(a.1, b.1)));
        values.fold([(f64::NAN, f64::INFINITY), (f64::NAN, f64::NEG_INFINITY)], |[low, high], at| {
            [if at.1 < low.1 { at } else { low }, if at.1 > high.1 { at } else { high }]
        })
    };
    // Differences of equal values are rounding errors.
    let size = first.points.iter().chain(&second.points).map(|at| at.1.abs()).fold(0.0, f64::max);
    let number = |value: f64| if value.abs() <= 1e-14 * size { "0".to_owned() } else { significant(value, 4) };
    let between = |[low, high]: [(f64, f64); 2]| {
        format!("{} (at {}) and {} (at {})", number(low.1), number(low.0), number(high.1), number(high.0))
    };
    let (a, b) = (plain(&pair.first), plain(&pair.second));
    let mut text =
        format!("\u{201c}{a}\u{201d} minus \u{201c}{b}\u{201d} lies between {}", between(range(|a, b| a - b)));
    if pair.ratio {
        text += &format!(", their ratio between {}", between(range(|a, b| a / b)));
    }
    Ok(format!("{text}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::registry::read;

    const TEXT: &str = "
        kind = 'functions'
        paper = 'noisy-data'
        title = ''
        x = ''
        y = ''
        shows = ''
        [options]
        from = -1
        to = 1
        points = 5
        compare = [{ first = 'f', second = 'g', ratio = true }]
        [[functions]]
        label = 'f'
    ";

    #[test]
    fn captions_give_differences() {
        let mut spec = read("test", TEXT).unwrap().spec;
        let at = abscissae(&spec).unwrap();
        assert_eq!(at, [-1.0, -0.5, 0.0, 0.5, 1.0]);
        let sampled = |label: &str, f: fn(f64) -> f64| SampledFunction {
            label: label.into(),
            points: at.iter().map(|&x| (x, f(x))).collect(),
        };
        spec.sampled = vec![sampled("f", |x| x * x + 1.0), sampled("g", |_| 2.0)];
        let drawn = draw(&spec, &[], &FigureContext::default()).unwrap();
        let expected = "lies between -1.000 (at 0) and 0 (at -1.000), their ratio between 0.5000 (at 0) and 1.000";
        assert!(drawn.finding.as_ref().is_some_and(|found| found.contains(expected)), "{:?}", drawn.finding);
        spec.sampled.pop();
        assert!(draw(&spec, &[], &FigureContext::default()).is_err());
    }

    #[test]
    fn invalid_options_are_refused() {
        for (from, to) in [
            ("from = -1", "from = 1"),
            ("points = 5", "points = 1"),
            ("[[functions]]\n        label = 'f'", ""),
            ("shows = ''", "shows = ''\nexperiments = ['e']"),
        ] {
            assert!(read("test", &TEXT.replace(from, to)).is_err(), "{to}");
        }
        assert!(read("test", &TEXT.replace("'functions'", "'curves'")).is_err());
    }
}
