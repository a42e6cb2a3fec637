//! Exponents of regret against exponents of the size of a dictionary. Lines show the theory, points show runs.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::api::{DrawnPoints, PointRows, PointsInput, PointsPanel};
use crate::analysis::curve::{MeanCurve, at_ends};
use crate::analysis::exponents::{Algorithm, line, name};
use crate::analysis::quantity::RunQuantity;
use crate::analysis::record::ExperimentResults;
use crate::caption::FigureContext;
use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint, SeriesShape};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, FigureSpec, Name, NameKind};
use crate::figure::curves::begins;
use crate::number::{grouped, significant};
use crate::schema;
use crate::trace::gauge::STORED_POINTS;
use noregret_core::params::number;

/// Exponents of regret against exponents of the size of a dictionary, over the theory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DictionaryExponents {
    /// Panels.
    panels: Vec<GammaPanel>,
    /// Families of measured runs. Each gives a series of points, from the labels that begin with these words.
    #[serde(default)]
    measured: Vec<String>,
}

/// The panel of an exponent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GammaPanel {
    /// Its heading, in markup.
    title: String,
    /// The exponent in d_eff(lambda) <= (n / lambda)^gamma.
    #[serde(deserialize_with = "number::read")]
    #[schemars(schema_with = "schema::number")]
    gamma: f64,
    /// The experiment whose runs it shows.
    experiment: String,
}

impl PointRows for DictionaryExponents {
    fn check(&self, spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
        if self.panels.is_empty() {
            return Err(spec.wrong("options: `panels` is empty".into()));
        }
        for GammaPanel { gamma, experiment, .. } in &self.panels {
            if !(*gamma > 0.0 && *gamma < 1.0) {
                return Err(spec.wrong(format!("options: `gamma` = {gamma} is not between 0 and 1")));
            }
            if !spec.experiments.contains(experiment) {
                return Err(spec.wrong(format!("options: `{experiment}` is not among the experiments of the figure")));
            }
        }
        let named = |name: &String| Name { field: "measured".into(), name: name.clone(), of: NameKind::Beginning };
        Ok(CheckedOptions { names: self.measured.iter().map(named).collect(), ..CheckedOptions::default() })
    }

    fn points(
        &self,
        &PointsInput { spec, experiments, context }: &PointsInput<'_>,
    ) -> Result<DrawnPoints, ReportError> {
        let panels: Vec<PointsPanel> = self.panels.iter().map(|part| self.panel(part, experiments)).collect();
        let dots = || panels.iter().flat_map(|panel| &panel.series).filter(|one| one.shape == SeriesShape::Dots);
        let lowest = dots().flat_map(|one| one.points.iter().map(move |point| (point.y, &one.label)));
        let lowest = lowest.min_by(|a, b| a.0.total_cmp(&b.0));
        let finding =
            lowest.map(|(y, label)| format!("The lowest measured exponent is {} ({label}).", significant(y, 3)));
        let corners: Vec<String> = self.panels.iter().map(corners).collect();
        let theory = format!("Lines show the theory with the best lambda, up to logarithms: {}.", corners.join("; "));
        let mut notes =
            vec![theory, "Constants shift the markers, so only slopes and corners can be compared.".to_owned()];
        let bare = |label: &&String| dots().filter(|one| one.label == **label).all(|one| one.points.is_empty());
        let bare: Vec<&str> = self.measured.iter().filter(bare).map(String::as_str).collect();
        if !bare.is_empty() {
            notes.push(format!(
                "Without markers, for want of completed runs with a positive regret: {}.",
                bare.join(", ")
            ));
        }
        let axis = |label: &str, top| AxisSpec { limits: (Some(0.0), Some(top)), ..AxisSpec::linear(label) };
        let (x, y) = (axis(&spec.x, 1.0), axis(&spec.y, 1.02));
        Ok(DrawnPoints { x, y, panels, reference: None, columns: 0, run: run(experiments, context), finding, notes })
    }
}

/// What the theory says of the exponent of a panel.
fn corners(part: &GammaPanel) -> String {
    let of = |algorithm: Algorithm| match algorithm.knee(part.gamma) {
        knee if knee <= 1.0 => {
            format!("{} reaches {:.3} at {knee:.3}", name(algorithm), algorithm.floor(part.gamma))
        }
        _ => format!("{} has {:.3} at 1", name(algorithm), algorithm.exponent(part.gamma, 1.0)),
    };
    let all: Vec<String> = Algorithm::ALL.into_iter().map(of).collect();
    let optimum = part.gamma / (1.0 + part.gamma);
    format!("for gamma = {:.3}, {}, and the optimum is {optimum:.3}", part.gamma, all.join(", "))
}

/// What the markers are.
fn run(experiments: &[&ExperimentResults], context: &FigureContext) -> String {
    let horizons = experiments.iter().flat_map(|one| one.runs.iter().map(|run| run.horizon));
    let (first, last) = horizons.fold((u64::MAX, 0), |(low, high), one| (low.min(one), high.max(one)));
    if last == 0 {
        return "Lines are the theory.".to_owned();
    }
    let range = if first == last { grouped(last) } else { format!("{} to {}", grouped(first), grouped(last)) };
    let profile = &context.profile;
    format!("Markers are runs over n = {range} rounds with 95 % t intervals over seeds; profile {profile}.")
}

impl DictionaryExponents {
    /// The lines of the theory for one exponent, with the runs of its experiment.
    fn panel(&self, part: &GammaPanel, experiments: &[&ExperimentResults]) -> PointsPanel {
        let theory =
            |algorithm| ChartSeries::theory(format!("{} (theory)", name(algorithm)), line(algorithm, part.gamma));
        let mut series: Vec<ChartSeries> = Algorithm::ALL.into_iter().map(theory).collect();
        let (size, regret) = (RunQuantity::Gauge(STORED_POINTS).into(), RunQuantity::Regret.into());
        // Of every horizon, not of the longest one alone: the slope of a learner's points can then be seen.
        let mut found: Vec<MeanCurve> = Vec::new();
        for one in experiments.iter().filter(|one| one.name == part.experiment) {
            let horizons: BTreeSet<u64> = one.runs.iter().map(|run| run.horizon).collect();
            for horizon in horizons {
                let runs = one.runs.iter().filter(|run| run.horizon == horizon).cloned().collect();
                let at = ExperimentResults { name: one.name.clone(), runs, ..ExperimentResults::default() };
                found.extend(at_ends(&at, &size, &regret));
            }
        }
        for family in &self.measured {
            let here = found.iter().filter(|curve| begins(&curve.label, family));
            let mut points: Vec<SeriesPoint> = here.filter_map(exponents).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            series.push(ChartSeries::dots(format!("{family}, measured"), points).like(family, ""));
        }
        PointsPanel { title: part.title.clone(), names: None, series }
    }
}

/// The end of a curve as exponents of its horizon.
fn exponents(curve: &MeanCurve) -> Option<SeriesPoint> {
    if curve.horizon < 2 {
        return None;
    }
    let (end, log) = (curve.last()?, (curve.horizon as f64).ln());
    let regret = end.estimate.mean;
    let exponent = |value: f64| (value > 0.0).then(|| value.ln() / log);
    let band = end.estimate.half_width.and_then(|half| exponent(regret - half).zip(exponent(regret + half)));
    let replicates = Some(end.estimate.count);
    Some(SeriesPoint { x: exponent(end.x)?, y: exponent(regret)?, band, replicates, ..SeriesPoint::default() })
}
