//! Exponents of a measure in the horizon against a property of the streams, such as their regularity, beside exact
//! expectations and the theory.

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel};
use crate::analysis::curve::{CurvePoint, MeanCurve, along_horizons};
use crate::analysis::exact::Expectation;
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::ExperimentResults;
use crate::analysis::slope::power_law;
use crate::analysis::summary::estimate;
use crate::caption::{self, Unit};
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint, SeriesShape};
use crate::chart::svg::plain;
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, FigureSpec, Name, NameKind};
use crate::number::{grouped, significant};
use crate::schema;
use noregret_core::params::number::Number;

/// Exponents of a measure in the horizon against a property of the streams, beside exact ones and those of the theory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RegularityExponents {
    /// The measure whose exponents are shown.
    #[serde(default)]
    measure: String,
    /// The measure that is the abscissa.
    #[serde(default)]
    along: String,
    /// Labels of measured curves. Each curve goes through all streams.
    #[serde(default)]
    labels: Vec<String>,
    /// Exact exponents.
    #[serde(default)]
    exact: Vec<ExactExponents>,
    /// Horizons of the exact exponents.
    #[serde(default)]
    horizons: Vec<u64>,
    /// Exponents of the theory.
    #[serde(default)]
    theory: Vec<TheoryLine>,
}

/// Exact exponents, one for each target. The abscissa is the regularity of the target.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExactExponents {
    /// The name of the curve.
    label: String,
    /// One expectation per point.
    points: Vec<Expectation>,
}

/// A line of the theory through given points.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TheoryLine {
    /// The name of the line.
    label: String,
    /// Abscissa and exponent.
    #[schemars(schema_with = "schema::pairs")]
    points: Vec<(Number, Number)>,
}

impl PointRows for RegularityExponents {
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        let (least, most) = (self.horizons.iter().min(), self.horizons.iter().max());
        if !self.exact.is_empty() && (least == most || least == Some(&0)) {
            return Err(spec.wrong("options: `exact` needs at least two different `horizons`, all positive".into()));
        }
        if !self.labels.is_empty() && (self.measure.is_empty() || self.along.is_empty()) {
            return Err(spec.wrong("options: `labels` needs `measure` and `along`".into()));
        }
        for point in self.exact.iter().flat_map(|exact| &exact.points) {
            point.at(&[1]).map_err(|why| spec.wrong(format!("options: exact: {why}")))?;
        }
        let name = |name: &String| Name { field: "labels".into(), name: name.clone(), of: NameKind::Label };
        Ok(CheckedOptions { names: self.labels.iter().map(name).collect(), ..CheckedOptions::default() })
    }

    fn points(
        &self,
        &PointsInput { spec, experiments, context }: &PointsInput<'_>,
    ) -> Result<DrawnPoints, ReportError> {
        let quantity = RunQuantity::Measure(self.measure.clone()).into();
        let curves: Vec<MeanCurve> = experiments.iter().flat_map(|one| along_horizons(one, &quantity)).collect();
        let mut series: Vec<ChartSeries> = self
            .exact
            .iter()
            .map(|exact| self.exact(exact))
            .collect::<Result<_, _>>()
            .map_err(|why| spec.wrong(why))?;
        series.extend(
            self.labels.iter().map(|label| ChartSeries::points(label, self.measured(label, &curves, experiments))),
        );
        let theory = |one: &TheoryLine| ChartSeries::theory(&one.label, one.points.iter().map(|(x, y)| (x.0, y.0)));
        series.extend(self.theory.iter().map(theory));
        let incomplete = caption::incomplete(&curves, experiments, None);
        let sentences: Vec<String> = incomplete.into_iter().chain(self.sentences(&series)).collect();
        Ok(DrawnPoints {
            x: AxisSpec::linear(&spec.x),
            y: AxisSpec::linear(&spec.y),
            finding: steepest(&series),
            panels: vec![PointsPanel { title: String::new(), names: None, series }],
            reference: None,
            columns: 0,
            run: caption::run(&curves, experiments, &context.profile, Unit::Curve),
            notes: vec![sentences.join(" ")],
        })
    }
}

impl RegularityExponents {
    /// The exponents of exact expectations.
    fn exact(&self, exact: &ExactExponents) -> Result<ChartSeries, String> {
        let point = |one: &Expectation| {
            let values: Vec<(f64, f64)> = one.at(&self.horizons)?.iter().map(|&(x, y)| (x as f64, y)).collect();
            let fit = power_law(&values).ok_or("options: exact: an expected error is not a positive finite number")?;
            Ok(SeriesPoint { x: one.regularity(), y: fit.slope, ..SeriesPoint::default() })
        };
        let points: Result<_, String> = exact.points.iter().map(point).collect();
        Ok(ChartSeries::points(&exact.label, points?))
    }

    /// The exponents of the curves of a label, by the property of their streams.
    fn measured(&self, label: &str, curves: &[MeanCurve], experiments: &[&ExperimentResults]) -> Vec<SeriesPoint> {
        let point = |curve: &MeanCurve| {
            let mut runs = experiments.iter().flat_map(|one| &one.runs);
            let run = runs.find(|run| run.stream == curve.stream && run.label == label)?;
            Some(SeriesPoint::mean(*run.measures.get(&self.along)?, estimate(&slopes(curve))?))
        };
        let mut points: Vec<SeriesPoint> =
            curves.iter().filter(|curve| curve.label == label).filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    }

    /// What the points are, and their values.
    fn sentences(&self, series: &[ChartSeries]) -> Vec<String> {
        let mut sentences = Vec::new();
        if !self.labels.is_empty() {
            sentences.push(
                "Measured values are means over replicates of the exponents of single replicates, with 95 % t intervals."
                    .into(),
            );
        }
        if let (Some(first), Some(last), false) =
            (self.horizons.iter().min(), self.horizons.iter().max(), self.exact.is_empty())
        {
            sentences.push(format!(
                "Exact values are exponents of the exact expectation over {} to {} rounds.",
                grouped(*first),
                grouped(*last)
            ));
        }
        let value = |point: &SeriesPoint| format!("{} at {}", significant(point.y, 3), significant(point.x, 3));
        sentences.extend(series.iter().map(|one| {
            let values: Vec<String> = one.points.iter().map(value).collect();
            format!("{}: {}.", plain(&one.label), values.join(", "))
        }));
        sentences
    }
}

/// The exponent of each replicate of a curve: replicates share their data across horizons.
fn slopes(curve: &MeanCurve) -> Vec<f64> {
    let replicates = curve.points.first().into_iter().flat_map(|point| point.values.iter().map(|value| value.0));
    let slope = |replicate: u64| {
        let value = |point: &CurvePoint| {
            let value = point.values.iter().find(|(other, _)| *other == replicate)?;
            Some((point.x, value.1))
        };
        let values: Option<Vec<(f64, f64)>> = curve.points.iter().map(value).collect();
        power_law(&values?).map(|fit| fit.slope)
    };
    replicates.filter_map(slope).collect()
}

/// The steepest exponent that is none of the theory.
fn steepest(series: &[ChartSeries]) -> Option<String> {
    let measured = series.iter().filter(|one| one.shape != SeriesShape::Theory);
    let points = measured.flat_map(|one| one.points.iter().map(move |point| (point, &one.label)));
    let (point, label) = points.min_by(|(a, _), (b, _)| a.y.total_cmp(&b.y))?;
    let (y, x) = (significant(point.y, 3), significant(point.x, 3));
    Some(format!("The steepest exponent is {y} ({}, at {x}).", plain(label)))
}
