//! Curves of runs: any quantity against rounds, horizons or another quantity.

mod choose;
mod options;
mod words;

use schemars::SchemaGenerator;

use crate::analysis::curve::{Curve, Point};
use crate::analysis::record::Experiment;
use crate::analysis::slope::power_law;
use crate::report::caption::{self, Context};
use crate::report::chart::axis::{Scale, ticks_at};
use crate::report::chart::layout::{AxisSpec, Chart, Guide, Series, extent};
use crate::report::claim::Data;
use crate::report::error::ReportError;
use crate::report::figure::api::{Drawn, FigureSpec, Kind};

use self::choose::{choose, names};
pub use self::options::begins;
use self::options::{Against, CurvesOptions, GuideSpec, Tell, check, read};

pub static KIND: Kind = Kind {
    name: "curves",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<CurvesOptions>,
    check,
    draw,
};

fn draw(spec: &FigureSpec, experiments: &[&Experiment], context: &Context) -> Result<Drawn, ReportError> {
    let options = read(spec)?;
    let chosen = choose(&options, experiments, &options.streams);
    let from = options.from_round as f64;
    let names = names(&chosen.curves);
    let mut series: Vec<Series> = Vec::new();
    for (curve, name) in chosen.curves.iter().zip(&names) {
        let points: Vec<_> = curve.points.iter().filter(|point| point.x >= from).cloned().collect();
        let gaps = if curve.tally.complete() { String::new() } else { words::gaps(&curve.tally) };
        series.push(Series::means(format!("{name}{gaps}"), &points, options.against != Against::Round));
    }
    let ends = extent(&series);
    let mut places: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    for level in &chosen.levels {
        let height = level.last().map(|point| point.estimate.mean);
        let line = ends.zip(height).map(|((from, to), height)| [(from, height), (to, height)]);
        series.push(Series::line(&level.label, line.into_iter().flatten()));
    }
    let mut distances = Vec::new();
    for exact in &options.exact {
        let horizons: Vec<u64> = places.iter().map(|place| *place as u64).collect();
        let values = exact.expectation.at(&horizons).map_err(|why| spec.wrong(why))?;
        distances.extend(words::distance(exact, &values, &chosen.curves));
        series.push(Series::line(&exact.label, values.iter().map(|&(x, y)| (x as f64, y))));
    }
    let guides = ends.map(|ends| options.guides.iter().filter_map(|one| guide(one, &chosen.curves, ends)).collect());

    let mut sentences = caption::replicates(&chosen.units, experiments, &context.profile, options.unit());
    sentences.extend(caption::tuned(&chosen.units, experiments));
    sentences.extend(words::shown(&options, &chosen, experiments));
    sentences.extend(distances);
    if options.guides.iter().any(|guide| guide.factor.is_none()) {
        sentences.push("Dotted lines have the slopes of the theory; their heights have no meaning.".into());
    }
    if options.y_scale == Scale::Log && options.against != Against::Round {
        sentences.extend(words::not_positive(&chosen.curves));
    }
    let mut caption = vec![sentences.join(" ")];
    match options.tell {
        Some(Tell::Ends) => caption.extend(words::ends(&options, &chosen.units, false, experiments)),
        Some(Tell::Halves) => caption.extend(words::ends(&options, &chosen.units, true, experiments)),
        Some(Tell::Exponents) => caption.extend(words::exponents(&options, &chosen.curves)),
        Some(Tell::Points) => caption.extend(words::points(&options, &chosen, experiments)),
        Some(Tell::Lowest) => caption.push(words::lowest(&options, &chosen, experiments)),
        None => {}
    }
    // A level is compared with other levels: where its runs end.
    let at_end = |level: &Curve| {
        let end = level.last().map(|end| Point { x: level.horizon as f64, ..end.clone() });
        Curve { points: end.into_iter().collect(), ..level.clone() }
    };
    let compared: Vec<Curve> = chosen.curves.iter().cloned().chain(chosen.levels.iter().map(at_end)).collect();
    let data = Data { curves: &compared, rates: &context.rates, ..Data::default() };
    let claims = spec.claims.iter().map(|claim| claim.outcome(&data)).collect();

    let at_points = options.against.is_chosen() && (1..=12).contains(&places.len());
    let ticks = at_points.then(|| ticks_at(&places));
    let limits = (options.y_min, options.y_max);
    let chart = Chart {
        x: AxisSpec { ticks, scale: options.x_scale, ..AxisSpec::log(&spec.x) },
        y: AxisSpec { limits, scale: options.y_scale, ..AxisSpec::log(&spec.y) },
        series,
        guides: guides.unwrap_or_default(),
    };
    Ok(Drawn { chart, caption, claims })
}

/// A line of the theory, at its given height or below a curve: it goes through the middle of the curve's positive
/// points and is then lowered by a fifth, so that both can be seen.
fn guide(guide: &GuideSpec, curves: &[Curve], (from, to): (f64, f64)) -> Option<Guide> {
    let &GuideSpec { slope, ref label, factor, ref beside } = guide;
    if let Some(factor) = factor {
        return (from < to).then(|| Guide { label: label.clone(), slope, factor, from, to });
    }
    let chosen = |curve: &&Curve| match beside {
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
    Some(Guide { label: label.clone(), slope, factor, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::registry::read;
    use crate::report::figure::samples::{experiment, run, specification};

    fn refused(options: &str) -> String {
        read("test", &specification("curves", "['e']", options)).unwrap_err().to_string()
    }

    fn drawn(experiments: &[&Experiment], options: &str, claims: &str) -> (Drawn, String) {
        let names: Vec<String> = experiments.iter().map(|one| format!("'{}'", one.name)).collect();
        let text = specification("curves", &format!("[{}]", names.join(", ")), &format!("{options}\n{claims}"));
        let figure = read("test", &text).unwrap();
        let context = Context { profile: "quick".into(), ..Context::default() };
        let drawn = draw(&figure.spec, experiments, &context).unwrap();
        let said = drawn.claims.iter().map(|one| format!("{}: {} {}", one.outcome, one.evidence, one.rule));
        let text = drawn.caption.iter().cloned().chain(said).collect::<Vec<_>>().join(" ");
        (drawn, text)
    }

    fn points(drawn: &Drawn, series: usize) -> Vec<(f64, f64)> {
        drawn.chart.series[series].points.iter().map(|point| (point.x, point.y)).collect()
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
                "[[claims]]\ntext = 't'\nsource = 's'\ntest = {{ at_least = {{ value = 'one-copy', except = [{except}] }} }}"
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
        let [guide] = drawn.chart.guides.as_slice() else { panic!("{:?}", drawn.chart.guides) };
        assert!((guide.factor - 0.8 * 4.0).abs() < 1e-12 && (guide.from, guide.to) == (0.5, 2.0), "{guide:?}");
        let labels: Vec<_> = drawn.chart.x.ticks.unwrap().into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!(labels, ["0.5", "1", "2"]);
        assert!(text.contains("Lowest means: b 1.00 at 2."), "{text}");
    }

    /// A level belongs to no group, whatever its name, and claims compare levels where their runs end.
    #[test]
    fn levels_stand_apart_and_are_compared() {
        let runs = |replicate| {
            [("a, 1", 3.0, 1), ("a, best", 1.0, 1), ("b", 2.0, 4)]
                .map(|(label, regret, queries)| run(label, 10, replicate, regret, &[queries]))
        };
        let options = "show = 'regret'\nagainst = 'queries'\ngroups = ['a']\nlevels = ['a, best', 'b']";
        let claim = "[[claims]]\ntext = 't'\nsource = 's'\ntest = { order = { lower = 'a, best', higher = 'b' } }";
        let (drawn, text) = drawn(&[&experiment("e", [runs(0), runs(1)].concat())], options, claim);
        assert_eq!(points(&drawn, 0), [(10.0, 3.0)]);
        assert!(text.contains("supported: b minus a, best is 1.0") && text.contains("at round 10 ("), "{text}");
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        assert!(refused("show = 'm:error'\nagainst = 'round'").contains("no values along the rounds"));
        assert!(refused("show = 'norm'\nagainst = 'p:mu'").contains("`groups` is missing"));
        assert!(refused("show = 'norm'\nagainst = 'horizon'\nlevels = ['a']").contains("against a quantity"));
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
