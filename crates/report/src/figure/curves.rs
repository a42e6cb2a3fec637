//! Curves of runs: any quantity against rounds, horizons or another quantity.

mod choose;
mod finding;
mod options;
mod panels;
mod parts;
mod views;
mod words;

use std::collections::BTreeSet;

use schemars::SchemaGenerator;

use crate::analysis::curve::{CurvePoint, MeanCurve};
use crate::analysis::rate::assessment::Assessment;
use crate::analysis::record::ExperimentResults;
use crate::analysis::slope::power_law;
use crate::analysis::summary::ReplicateTally;
use crate::caption::{self, FigureContext};
use crate::chart::axis::{AxisScale, ticks_at};
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, Guide, SeriesPoint, extent};
use crate::chart::svg::plain;
use crate::claim::data::ClaimData;
use crate::error::ReportError;
use crate::figure::api::{DrawnFigure, FigureKind, FigureSpec};

use self::choose::{ChosenCurves, choose, names, valueless};
use self::options::{CurvesOptions, Tell, check, read};
pub use self::parts::begins;
use self::parts::{Abscissa, GuideSpec};
use self::views::{PanelView, shown, told, views};

pub(crate) static KIND: FigureKind = FigureKind {
    name: "curves",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<CurvesOptions>,
    check,
    draw,
};

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let options = read(spec)?;
    let everything = choose(&options, experiments, &options.streams);
    let views = views(spec, &options, &everything);
    let (mut panels, mut found) = (Vec::new(), PanelNotes::default());
    for view in &views {
        let title = if views.len() > 1 { format!(" ({})", view.title) } else { String::new() };
        panels.push(panel(spec, (view, &title), &view.among(experiments), &context.rates, &mut found)?);
    }
    // The caption tells of what panels of the figure's own quantity and axis show.
    let only = CurvesOptions { only: shown(&options), ..options.clone() };
    let only = if only.only.is_empty() { only } else { CurvesOptions { order: Vec::new(), ..only } };
    let told = told(&options, experiments);
    let chosen = choose(&only, &told, &options.streams);

    // Panels that say what they show may each have a quantity of their own.
    let fitted = if options.panels.is_empty() {
        chosen.curves.clone()
    } else {
        // Exponents along other axes, and of quotients, are others.
        let related = |of: &CurvesOptions| of.relative_to.is_some();
        let alike =
            |view: &&PanelView| view.options.against == options.against && related(&view.options) == related(&options);
        views.iter().filter(alike).flat_map(|view| titled(view, experiments)).collect()
    };
    let mut sentences = sentences(&options, &views, &chosen, &told, found);
    if panels.iter().flat_map(|panel| &panel.series).any(|series| series.stops) {
        sentences.push("A bar ends the curve of a learner that stops early.".into());
    }
    let mut notes = vec![sentences.join(" ")];
    match options.tell {
        Some(Tell::Ends) => notes.extend(words::ends(&options, &chosen.units, false, &told)),
        Some(Tell::Halves) => notes.extend(words::ends(&options, &chosen.units, true, &told)),
        Some(Tell::Exponents) => notes.extend(words::exponents(&options, &fitted)),
        Some(Tell::Points) => notes.extend(words::points(&options, &chosen, &told)),
        Some(Tell::Lowest) => notes.push(words::lowest(&options, &chosen, &told)),
        None => {}
    }
    let axis = match options.against {
        Abscissa::Quantity(_) => Some(plain(&spec.x)),
        Abscissa::Horizon | Abscissa::Label => Some("horizon".to_owned()),
        Abscissa::Round => None,
    };
    let from_round = if options.against == Abscissa::Round { options.from_round } else { 0 };
    let levels = at_their_ends(&everything, !options.groups.is_empty());
    let compared: Vec<MeanCurve> = everything.curves.iter().chain(&levels).cloned().collect();
    let (axis, levels) = (axis.as_deref(), levels.as_slice());
    let data = ClaimData { curves: &compared, axis, from_round, levels, rates: &context.rates, ..ClaimData::default() };
    let claims = spec.claims.iter().map(|claim| claim.outcome(&data)).collect();
    let run = caption::run(&chosen.units, &told, &context.profile, options.unit());
    let finding = finding::sentence(&options, &fitted);
    // What stands beside a panel is in the same row.
    let columns = if options.columns == 0 && options.beside.is_some() { 2 } else { options.columns };
    Ok(DrawnFigure { panels, columns, run, finding, notes, claims })
}

/// Levels and, where curves go through several labels (`joined`), these labels: claims compare them where their runs end.
fn at_their_ends(chosen: &ChosenCurves, joined: bool) -> Vec<MeanCurve> {
    let at_end = |unit: &MeanCurve| {
        let end = unit.last().map(|end| CurvePoint { x: unit.horizon as f64, ..end.clone() });
        MeanCurve { points: end.into_iter().collect(), ..unit.clone() }
    };
    let drawn = |unit: &&MeanCurve| chosen.curves.iter().chain(&chosen.levels).any(|one| one.label == unit.label);
    // A learner's name stands for whole curves.
    let nameless = |unit: &MeanCurve| MeanCurve { learner: String::new(), ..at_end(unit) };
    let members = chosen.units.iter().filter(|unit| joined && !drawn(unit)).map(nameless);
    chosen.levels.iter().map(at_end).chain(members).collect()
}

/// What panels have to say of their curves.
#[derive(Default)]
struct PanelNotes {
    /// How far curves are from exact expectations.
    distances: Vec<String>,
    /// The curves that end before the round from which on they are drawn.
    early: Vec<String>,
}

/// What the first note says of lines and intervals, of what is missing, and of what panels have `found`.
fn sentences(
    options: &CurvesOptions,
    views: &[PanelView],
    chosen: &ChosenCurves,
    experiments: &[&ExperimentResults],
    found: PanelNotes,
) -> Vec<String> {
    let reference = options.relative_to.as_ref().map(|of| &*of.label);
    let mut sentences: Vec<String> = caption::incomplete(&chosen.units, experiments, reference).into_iter().collect();
    let worst = options.worst_of_experiments && options.against != Abscissa::Label;
    sentences.extend(caption::repeated(if worst { &chosen.curves } else { &chosen.units }));
    sentences.extend(caption::tuned(&chosen.units, experiments));
    sentences.extend(words::shown(options, experiments));
    sentences.extend(found.distances);
    let guides = || views.iter().flat_map(|view| &view.options.guides);
    if guides().any(|guide| guide.factor.is_none()) {
        let fixed: BTreeSet<String> = guides().filter_map(words::fixed).collect();
        let fixed = fixed.into_iter().map(|line| format!(", but for the line {line}")).collect::<String>();
        sentences.push(format!("Dotted lines have the slopes of the theory; their heights have no meaning{fixed}."));
    }
    if options.y_scale() == AxisScale::Log {
        sentences.extend(words::not_positive(options, &chosen.curves, ""));
    }
    let apart = |view: &&PanelView| view.options.relative_to.is_some() && options.relative_to.is_none();
    for view in views.iter().filter(apart).filter(|view| view.options.y_scale() == AxisScale::Log) {
        let curves = choose(&view.options, &view.among(experiments), &view.options.streams).curves;
        sentences.extend(words::not_positive(&view.options, &curves, &format!(" ({})", view.y)));
    }
    if options.against == Abscissa::Label {
        let furthest = chosen.curves.iter().filter(|curve| curve.last().is_some()).map(|curve| curve.horizon).max();
        let shorter = caption::fewer_rounds(chosen.curves.iter(), furthest);
        sentences.extend(shorter.map(|names| format!("Played for fewer rounds than the others: {names}.")));
    }
    if !found.early.is_empty() {
        let (from, early) = (options.from_round, found.early.join(", "));
        sentences.push(format!("Not drawn, because they end before round {from}: {early}."));
    }
    if options.worst_of_experiments {
        sentences.extend(words::not_in_all(&chosen.curves));
    }
    sentences
}

/// The curves of a panel with its title in their names.
fn titled(view: &PanelView, experiments: &[&ExperimentResults]) -> Vec<MeanCurve> {
    let chosen = choose(&view.options, &view.among(experiments), &view.options.streams);
    let named = |curve: MeanCurve| MeanCurve {
        label: format!("{}, {}", curve.label, view.title),
        experiment: String::new(),
        stream: String::new(),
        ..curve
    };
    chosen.curves.into_iter().map(named).collect()
}

/// One panel, which is called `title` in the notes that it adds.
fn panel(
    spec: &FigureSpec,
    (view, title): (&PanelView, &str),
    experiments: &[&ExperimentResults],
    rows: &[Assessment],
    notes: &mut PanelNotes,
) -> Result<Chart, ReportError> {
    let options = &view.options;
    let chosen = choose(options, experiments, &options.streams);
    if let Some(why) = valueless(options, &chosen, experiments) {
        return Err(spec.wrong(why));
    }
    if options.against == Abscissa::Label {
        return Ok(dots(view, &chosen));
    }
    notes.early.extend(words::before(options, &chosen.curves).into_iter().map(|name| name + title));
    let mut series = measured(options, &chosen);
    let ends = extent(&series);
    if let (Abscissa::Round, Some((_, end))) = (&options.against, ends) {
        for one in &mut series {
            one.stops = one.points.last().is_some_and(|last| last.x < end);
        }
    }
    let mut places: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    // Beside curves along the rounds, a level is a reference with its name at the line.
    let along = options.against == Abscissa::Round;
    for level in chosen.levels.iter().filter(|_| !along) {
        let estimate = level.last().map(|point| point.estimate);
        let line = ends.zip(estimate).map(|((from, to), estimate)| [from, to].map(|x| SeriesPoint::mean(x, estimate)));
        let line = ChartSeries { points: line.into_iter().flatten().collect(), ..ChartSeries::line(&level.label, []) };
        series.push(line.like(&level.label, &level.learner));
    }
    for exact in &options.exact {
        let horizons: Vec<u64> = places.iter().map(|place| *place as u64).collect();
        let values = exact.expectation.at(&horizons).map_err(|why| spec.wrong(why))?;
        notes.distances.extend(words::distance((exact, title), &values, &chosen.curves));
        series.push(ChartSeries::line(&exact.label, values.iter().map(|&(x, y)| (x as f64, y))));
    }
    series.extend(options.bounds.iter().map(|bound| ChartSeries::line(&bound.label, bound.points(rows))));
    let level = |level: &MeanCurve, ends| Some(Guide::level(&level.label, level.last()?.estimate.mean, ends));
    let mut guides: Vec<Guide> = Vec::new();
    if let Some(ends) = ends {
        guides.extend(options.guides.iter().filter_map(|one| guide(one, &chosen.curves, ends)));
        guides.extend(chosen.levels.iter().filter(|_| along).filter_map(|one| level(one, ends)));
    }
    let at_points = options.against.is_chosen() && (1..=12).contains(&places.len());
    let ticks = at_points.then(|| ticks_at(&places));
    let limits = (options.y_min, options.y_max);
    Ok(Chart {
        title: view.title.clone(),
        x: AxisSpec { ticks, scale: options.x_scale, ..AxisSpec::log(&view.x) },
        y: AxisSpec { limits, scale: options.y_scale(), ..AxisSpec::log(&view.y) },
        series,
        guides,
    })
}

/// The curves of a panel.
fn measured(options: &CurvesOptions, chosen: &ChosenCurves) -> Vec<ChartSeries> {
    let from = options.from_round as f64;
    let names = names(&chosen.curves);
    let mut series: Vec<ChartSeries> = Vec::new();
    for (curve, name) in chosen.curves.iter().zip(&names) {
        let points: Vec<_> = curve.points.iter().filter(|point| point.x >= from).cloned().collect();
        // What is relative to a label has the name of what it is made from, also where the label lacks a replicate.
        let lacking = if options.relative_to.is_some() { curve.tally.missing } else { 0 };
        let tally =
            ReplicateTally { done: curve.tally.done + lacking, missing: curve.tally.missing - lacking, ..curve.tally };
        let gaps = if tally.complete() { String::new() } else { words::gaps(&tally) };
        let drawn = ChartSeries::means(format!("{name}{gaps}"), &points, options.against != Abscissa::Round);
        series.push(drawn.like(&curve.label, &curve.learner));
    }
    series
}

/// The labels below each other, with the value of each experiment or stream at its largest horizon, and bounds as upright
/// lines.
fn dots(view: &PanelView, chosen: &ChosenCurves) -> Chart {
    let mut labels: Vec<&str> = Vec::new();
    let mut worlds: Vec<(&str, &str)> = Vec::new();
    for unit in &chosen.units {
        if !labels.contains(&unit.label.as_str()) {
            labels.push(&unit.label);
        }
        let world = (unit.experiment.as_str(), unit.stream.as_str());
        if !worlds.contains(&world) {
            worlds.push(world);
        }
    }
    let place = |label: &str| labels.iter().position(|one| *one == label).map_or(0.0, |index| -(index as f64));
    let differ = |of: fn(&(&str, &str)) -> String| worlds.iter().map(of).collect::<BTreeSet<_>>().len() == worlds.len();
    let series = worlds.iter().map(|&(experiment, stream)| {
        let name = match (differ(|world| world.1.to_owned()), differ(|world| world.0.to_owned())) {
            (true, _) => stream.to_owned(),
            (false, true) => experiment.to_owned(),
            (false, false) => format!("{stream}, {experiment}"),
        };
        let mine = chosen.units.iter().filter(|unit| unit.experiment == experiment && unit.stream == stream);
        let point = |unit: &MeanCurve| Some(SeriesPoint::beside(place(&unit.label), unit.last()?.estimate));
        ChartSeries::dots(name, mine.filter_map(point).collect())
    });
    let options = &view.options;
    let bound = |one: &GuideSpec| Some(Guide::upright(&one.label, one.factor?));
    Chart {
        title: view.title.clone(),
        x: AxisSpec { limits: (options.y_min, options.y_max), scale: options.y_scale(), ..AxisSpec::log(&view.y) },
        y: AxisSpec::names("", labels.iter().map(|label| (*label).to_owned())),
        series: series.collect(),
        guides: options.guides.iter().filter_map(bound).collect(),
    }
}

/// A line of the theory, at its given height or below a curve: it goes through the middle of the curve's positive
/// points and is then lowered by a fifth, so that both can be seen.
fn guide(guide: &GuideSpec, curves: &[MeanCurve], (from, to): (f64, f64)) -> Option<Guide> {
    let &GuideSpec { slope, ref label, factor, ref beside } = guide;
    if let Some(factor) = factor {
        return (from < to).then(|| Guide { label: label.clone(), slope, factor, from, to, upright: false });
    }
    let chosen = |curve: &&MeanCurve| match beside {
        Some(beside) => curve.label == *beside,
        None => !curve.points.is_empty(),
    };
    let points = curves.iter().find(chosen)?.points.iter().filter(|point| point.estimate.mean > 0.0);
    let flat: Vec<(f64, f64)> =
        points.map(|point| (point.x, point.estimate.mean / point.x.powf(guide.slope))).collect();
    let fit = power_law(&flat)?;
    let middle = flat.iter().map(|(x, _)| x.ln()).sum::<f64>() / flat.len() as f64;
    let factor = 0.8 * (fit.intercept + fit.slope * middle).exp();
    let (from, to) = (flat.first()?.0, flat.last()?.0);
    Some(Guide { label: label.clone(), slope, factor, from, to, upright: false })
}

#[cfg(test)]
mod tests;
