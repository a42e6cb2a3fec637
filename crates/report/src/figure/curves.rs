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
    let (mut panels, mut distances) = (Vec::new(), Vec::new());
    for view in &views {
        let (chart, found) = panel(spec, view, &view.among(experiments), &context.rates)?;
        panels.push(chart);
        distances.extend(found);
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
    let mut sentences = sentences(&options, &views, &chosen, &told, distances);
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
    let axis = matches!(options.against, Abscissa::Quantity(_)).then(|| plain(&spec.x));
    let levels = at_their_ends(&everything, !options.groups.is_empty());
    let compared: Vec<MeanCurve> = everything.curves.iter().chain(&levels).cloned().collect();
    let (axis, levels) = (axis.as_deref(), levels.as_slice());
    let data = ClaimData { curves: &compared, axis, levels, rates: &context.rates, ..ClaimData::default() };
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

/// What the first note says of lines and intervals, and of what is missing or `distances` away.
fn sentences(
    options: &CurvesOptions,
    views: &[PanelView],
    chosen: &ChosenCurves,
    experiments: &[&ExperimentResults],
    distances: Vec<String>,
) -> Vec<String> {
    let mut sentences: Vec<String> = caption::incomplete(&chosen.units, experiments).into_iter().collect();
    sentences.extend(caption::repeated(&chosen.units));
    sentences.extend(caption::tuned(&chosen.units, experiments));
    sentences.extend(words::shown(options, experiments));
    sentences.extend(distances);
    let guides = || views.iter().flat_map(|view| &view.options.guides);
    if guides().any(|guide| guide.factor.is_none()) {
        sentences.push("Dotted lines have the slopes of the theory; their heights have no meaning.".into());
    }
    if options.y_scale == AxisScale::Log {
        sentences.extend(words::not_positive(options, &chosen.curves));
    }
    if options.against == Abscissa::Label {
        let furthest = chosen.curves.iter().filter(|curve| curve.last().is_some()).map(|curve| curve.horizon).max();
        sentences.extend(caption::fewer_rounds(chosen.curves.iter(), furthest));
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

/// One panel, and what the caption says of its distances from exact expectations.
fn panel(
    spec: &FigureSpec,
    view: &PanelView,
    experiments: &[&ExperimentResults],
    rows: &[Assessment],
) -> Result<(Chart, Vec<String>), ReportError> {
    let options = &view.options;
    let chosen = choose(options, experiments, &options.streams);
    if let Some(why) = valueless(options, &chosen, experiments) {
        return Err(spec.wrong(why));
    }
    if options.against == Abscissa::Label {
        return Ok((dots(view, &chosen), Vec::new()));
    }
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
    let mut distances = Vec::new();
    for exact in &options.exact {
        let horizons: Vec<u64> = places.iter().map(|place| *place as u64).collect();
        let values = exact.expectation.at(&horizons).map_err(|why| spec.wrong(why))?;
        distances.extend(words::distance(exact, &values, &chosen.curves));
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
    let chart = Chart {
        title: view.title.clone(),
        x: AxisSpec { ticks, scale: options.x_scale, ..AxisSpec::log(&view.x) },
        y: AxisSpec { limits, scale: options.y_scale, ..AxisSpec::log(&view.y) },
        series,
        guides,
    };
    Ok((chart, distances))
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
        x: AxisSpec { limits: (options.y_min, options.y_max), scale: options.y_scale, ..AxisSpec::log(&view.y) },
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
mod tests {
    use super::*;
    use crate::figure::registry::read;
    use crate::figure::samples::{experiment, run, specification};

    fn refused(options: &str) -> String {
        read("test", &specification("curves", "['e']", options)).unwrap_err().to_string()
    }

    fn drawn(experiments: &[&ExperimentResults], options: &str, claims: &str) -> (DrawnFigure, String) {
        let names: Vec<String> = experiments.iter().map(|one| format!("'{}'", one.name)).collect();
        let text = specification("curves", &format!("[{}]", names.join(", ")), &format!("{options}\n{claims}"));
        let figure = read("test", &text).unwrap();
        let context = FigureContext { profile: "quick".into(), ..FigureContext::default() };
        let drawn = draw(&figure.spec, experiments, &context).unwrap();
        let said = drawn.claims.iter().map(|one| format!("{}: {} {}", one.outcome, one.evidence, one.rule));
        let caption = [&drawn.run].into_iter().chain(&drawn.finding).chain(&drawn.notes);
        let text = caption.cloned().chain(said).collect::<Vec<_>>().join(" ");
        (drawn, text)
    }

    fn points(drawn: &DrawnFigure, series: usize) -> Vec<(f64, f64)> {
        drawn.panels[0].series[series].points.iter().map(|point| (point.x, point.y)).collect()
    }

    #[test]
    fn one_quantity_against_another_in_groups() {
        let runs = vec![run("few", 10, 0, 8.0, &[1, 2]), run("many", 10, 0, 2.0, &[6]), run("none", 10, 0, 4.0, &[1])];
        let options = "show = 'regret'\nagainst = 'queries per round'\ntell = 'points'\nlevels = ['none']\n\
            groups = [{ label = 'g', through = ['many', 'few', 'absent'] }]\n\
            details = [{ quantity = 'queries', words = 'copies' }]";
        let (drawn, text) = drawn(&[&experiment("e", runs)], options, "");
        assert_eq!(points(&drawn, 0), [(1.5, 8.0), (6.0, 2.0)]);
        assert_eq!(points(&drawn, 1), [(1.5, 4.0), (6.0, 4.0)]);
        assert!(text.contains("g: few 8.0000 (15 copies) at 1.5; many 2.0000 (60 copies) at 6; absent not completed."));
        assert!(text.contains("none: 4.0000 (10 copies)."), "{text}");
    }

    #[test]
    fn a_panel_can_have_an_axis_of_its_own() {
        let runs = vec![run("few", 10, 0, 8.0, &[1, 2]), run("many", 10, 0, 2.0, &[6])];
        let options = "show = 'regret'\nagainst = 'horizon'\npanels = [{ title = 'a' }, { title = 'b', \
            against = 'queries per round', x = 'copies', groups = [{ label = 'g', through = ['few', 'many'] }] }]";
        let (drawn, _) = drawn(&[&experiment("e", runs)], options, "");
        let [first, second] = drawn.panels.as_slice() else { panic!("two panels") };
        assert_eq!((first.x.label.as_str() == "copies", second.x.label.as_str()), (false, "copies"));
        assert_eq!((first.series.len(), second.series.len()), (2, 1));
        let places: Vec<f64> = second.series[0].points.iter().map(|point| point.x).collect();
        assert_eq!(places, [1.5, 6.0]);
        let lacking = options.replace("groups = [{ label = 'g', through = ['few', 'many'] }]", "y = 'y'");
        assert!(refused(&lacking).contains("`groups` is missing"), "{}", refused(&lacking));
    }

    #[test]
    fn values_relative_to_a_reference() {
        let pair = |replicate: u64, a: f64, reference: f64| {
            [run("a, 1", 10, replicate, a, &[1]), run("r", 10, replicate, reference, &[1])]
        };
        let data = experiment("e", [pair(0, 3.0, 1.0), pair(1, 10.0, 2.0)].concat());
        let options =
            "show = 'regret'\nagainst = 'queries'\ngroups = ['a']\nguides = [{ slope = 0, factor = 1, label = 'r' }]";
        let (ratio, text) = drawn(&[&data], &format!("{options}\nrelative_to = {{ label = 'r', by = 'ratio' }}"), "");
        assert_eq!(points(&ratio, 0), [(10.0, 4.0)]);
        assert!(text.contains("Values are divided by those of r on the same replicate."), "{text}");
        let minus = format!("{options}\nrelative_to = {{ label = 'r', by = 'difference' }}");
        assert_eq!(points(&drawn(&[&data], &minus, "").0, 0), [(10.0, 5.0)]);
    }

    #[test]
    fn the_worst_of_two_worlds_is_held_against_a_bound() {
        let world = |name: &str, regret: f64| {
            experiment(name, (0..2).map(|replicate| run("a", 100, replicate, 100.0 * regret, &[1])).collect())
        };
        let options = "show = 'regret per round'\nagainst = 'horizon'\nworst_of_experiments = true\ntell = 'ends'";
        let claim = |except: &str| {
            format!(
                "[[claims]]\ntext = 't'\nquote = 'q'\nsource = 's'\ntest = {{ at_least = {{ value = 'one-copy', except = [{except}] }} }}"
            )
        };
        let (figure, text) = drawn(&[&world("clean", 0.1), &world("noisy", 0.5)], options, &claim(""));
        assert_eq!(points(&figure, 0), [(100.0, 0.5)]);
        assert!(text.contains("supported: the lowest end is 0.50000 \u{b1} 0 (a), the bound 0.3056."), "{text}");
        assert!(text.contains("At horizon 100: a, clean 0.10000 \u{b1} 0, a, noisy 0.50000 \u{b1} 0."), "{text}");
        let worlds = [&world("clean", 0.1), &world("noisy", 0.2)];
        assert!(drawn(&worlds, options, &claim("")).1.contains("contradicted: "));
        assert!(drawn(&worlds, options, &claim("'a'")).1.contains("not tested: "));
        let unknown = format!("{options}\n{}", claim("").replace("one-copy", "two-copy"));
        assert!(refused(&unknown).contains("there is no constant `two-copy`"));
    }

    /// A guide has the slope of the theory; abscissae are not whole numbers.
    #[test]
    fn guides_stand_below_their_curve() {
        let runs = [(0.5, 16.0), (1.0, 4.0), (2.0, 1.0)].map(|(scale, regret): (f64, f64)| {
            let (mut run, rows) = run(&format!("b, {scale}"), 10, 0, regret, &[1]);
            run.parameters.insert("scale".into(), scale);
            (run, rows)
        });
        let options = "show = 'regret'\nagainst = 'p:scale'\ngroups = ['a', 'b']\n\
            tell = 'lowest'\nguides = [{ slope = -2, label = 's', beside = 'b' }]";
        let (drawn, text) = drawn(&[&experiment("e", runs.to_vec())], options, "");
        let [guide] = drawn.panels[0].guides.as_slice() else { panic!("{:?}", drawn.panels[0].guides) };
        assert!((guide.factor - 0.8 * 4.0).abs() < 1e-12 && (guide.from, guide.to) == (0.5, 2.0), "{guide:?}");
        let labels: Vec<_> =
            drawn.panels[0].x.ticks.clone().unwrap().into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!(labels, ["0.5", "1", "2"]);
        assert!(text.contains("Lowest means: b 1.00 at 2."), "{text}");
    }

    #[test]
    fn a_curve_goes_through_the_streams() {
        let on = |stream: &str, share: f64, regret: f64| {
            let (mut run, rows) = run("a", 10, 0, regret, &[1]);
            run.stream = stream.into();
            run.run_id += stream;
            run.parameters.insert("stream_share".into(), share);
            (run, rows)
        };
        let data = experiment("e", vec![on("few", 0.1, 3.0), on("many", 0.3, 9.0)]);
        let options = "show = 'regret'\nagainst = 'p:stream_share'\ngroups = ['a']";
        assert_eq!(drawn(&[&data], options, "").0.panels[0].series.len(), 2);
        let joined = drawn(&[&data], &format!("{options}\nthrough_streams = true"), "").0;
        assert_eq!(points(&joined, 0), [(0.1, 3.0), (0.3, 9.0)]);
    }

    /// What stands beside a panel has its labels, and each facet its stream.
    #[test]
    fn panels_facets_and_what_stands_beside_them() {
        let runs = vec![run("a", 10, 0, 8.0, &[1]), run("b", 10, 0, 2.0, &[1]), run("r", 10, 0, 4.0, &[1])];
        let data = experiment("e", runs);
        let options = "show = 'regret'\nagainst = 'horizon'\npanels = [{ title = 't', only = ['a', 'r'] }, { only = ['b'] }]\n\
            beside = { relative_to = { label = 'r', by = 'ratio' }, y = 'ratio', y_scale = 'linear' }";
        let (figure, text) = drawn(&[&data], options, "");
        let titles: Vec<&str> = figure.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["t", "", "", ""]);
        assert_eq!((points(&figure, 0), figure.panels[1].series.len()), (vec![(10.0, 8.0)], 1));
        assert_eq!(figure.panels[1].series[0].points[0].y, 2.0);
        assert!(figure.panels[1].y.label == "ratio" && text.contains("profile quick"), "{text}");
        let facets = "show = 'regret'\nagainst = 'horizon'\nfacets = 'label'";
        let titles: Vec<String> = drawn(&[&data], facets, "").0.panels.into_iter().map(|panel| panel.title).collect();
        assert_eq!(titles, ["a", "b", "r"]);
        assert!(refused(&format!("{facets}\npanels = [{{ title = 't' }}]")).contains("leave `panels` out"));
        let elsewhere = "show = 'regret'\nagainst = 'horizon'\npanels = [{ experiments = ['f'] }]";
        assert!(refused(elsewhere).contains("`f` is not among the experiments"));
    }

    #[test]
    fn labels_below_each_other_have_a_dot_in_each_world() {
        let world = |name: &str, regret: f64| {
            experiment(name, (0..2).map(|replicate| run("a", 100, replicate, regret, &[1])).collect())
        };
        let options = "show = 'regret'\nagainst = 'label'\ny_scale = 'linear'\n\
            guides = [{ slope = 0, factor = 'one-copy', label = 'bound' }]";
        let (figure, _) = drawn(&[&world("clean", 1.0), &world("noisy", 5.0)], options, "");
        let [chart] = figure.panels.as_slice() else { panic!("one panel") };
        let dots: Vec<(&str, f64)> = chart.series.iter().map(|one| (one.name.as_str(), one.points[0].x)).collect();
        assert_eq!(dots, [("clean", 1.0), ("noisy", 5.0)]);
        assert!(chart.y.names && chart.guides[0].upright && chart.guides[0].label == "bound");
    }

    /// A level belongs to no group, whatever its name, and claims compare levels, and members of groups, where their runs end.
    #[test]
    fn levels_stand_apart_and_are_compared() {
        let runs = |replicate| {
            [("a, 1", 3.0, 1), ("a, best", 1.0, 1), ("b", 2.0, 4)]
                .map(|(label, regret, queries)| run(label, 10, replicate, regret, &[queries]))
        };
        let options = "show = 'regret'\nagainst = 'queries'\ngroups = ['a']\nlevels = ['a, best', 'b']";
        let claim =
            "[[claims]]\ntext = 't'\nquote = 'q'\nsource = 's'\ntest = { order = { lower = 'a, best', higher = 'b' } }";
        let (drawn, text) = drawn(&[&experiment("e", [runs(0), runs(1)].concat())], options, claim);
        assert_eq!(points(&drawn, 0), [(10.0, 3.0)]);
        assert!(text.contains("supported: b minus a, best is 1.0") && text.contains("at round 10 ("), "{text}");
        let member = claim.replace("higher = 'b'", "higher = 'a, 1'");
        let (_, text) = self::drawn(&[&experiment("e", [runs(0), runs(1)].concat())], options, &member);
        assert!(text.contains("supported: a, 1 minus a, best is 2.0") && text.contains("at round 10 ("), "{text}");
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        assert!(refused("show = 'm:error'\nagainst = 'round'").contains("no values along the rounds"));
        assert!(refused("show = 'norm'\nagainst = 'p:mu'").contains("`groups` is missing"));
        assert!(refused("show = 'norm'\nagainst = 'horizon'\nlevels = ['a']").contains("against a quantity"));
        let bounds = "show = 'regret'\nagainst = 'horizon'\nbounds = [{ row = 'a-row', label = 'bound' }]";
        assert!(refused(bounds).contains("names a-row"));
        assert!(refused("show = 'nrom'\nagainst = 'horizon'").contains("there is no quantity `nrom`"));
        let group = "show = 'norm'\nagainst = 'p:mu'\ngroups = [{ lable = 'g' }]";
        assert!(refused(group).contains("lable"), "{}", refused(group));
        assert!(refused("show = 'norm'\nagainst = 'rounds'").contains("there is no quantity `rounds`"));
    }

    #[test]
    fn labels_begin_with_whole_words() {
        assert!(begins("b = 1, M = 2", "b = 1") && begins("FOGD", "FOGD") && begins("one: 2", "one"));
        assert!(!begins("b = 1.5, M = 2", "b = 1") && !begins("Fairly", "Fair") && !begins("a Fair", "Fair"));
    }
}
