use super::*;
use crate::analysis::record::RunResult;
use crate::figure::registry::read;
use crate::figure::samples::{experiment, run, specification};
use crate::trace::cell::TraceRow;

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
    assert!(text.contains("g: few 8.0000 (15 copies) at 1.5; many 2.0000 (60 copies) at 6; absent without a value."));
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
    assert!(
        text.contains("At horizon 100 in each of them: a, clean 0.10000 \u{b1} 0, a, noisy 0.50000 \u{b1} 0."),
        "{text}"
    );
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
    let labels: Vec<_> = drawn.panels[0].x.ticks.clone().unwrap().into_iter().filter_map(|tick| tick.label).collect();
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

/// A figure says what it leaves out: values that a logarithmic axis has no place for, labels without values in all experiments, and runs
/// that are not to be compared.
#[test]
fn what_is_not_drawn_or_not_comparable_is_told() {
    let runs = |of: &[(&str, u64, f64)]| -> Vec<(RunResult, Vec<TraceRow>)> {
        of.iter().map(|(label, horizon, regret)| run(label, *horizon, 0, *regret, &[*regret as u64])).collect()
    };
    let data = experiment("e", runs(&[("a", 10, 4.0), ("b", 10, 9.0), ("c", 5, 1.0)]));
    let less = "show = 'queries'\nagainst = 'round'\nrelative_to = { label = 'b', by = 'difference' }";
    let (_, text) = drawn(&[&data], &format!("{less}\ny_scale = 'log'"), "");
    assert!(text.contains("Not drawn, because not positive: a, c."), "{text}");
    let (figure, text) = drawn(&[&data], less, "");
    assert!(!text.contains("Not drawn"), "{text}");
    assert_eq!(figure.panels[0].y.scale, AxisScale::Linear, "differences may be below 0");
    let beside = "show = 'queries'\nagainst = 'round'\n\
                  beside = { relative_to = { label = 'b', by = 'difference' }, y = 'excess', y_scale = 'log' }";
    let (_, text) = drawn(&[&data], beside, "");
    assert!(text.contains("Not drawn (excess), because not positive: a, c."), "{text}");
    let (_, text) = drawn(&[&data], "show = 'regret'\nagainst = 'label'\ny_scale = 'linear'", "");
    assert!(text.contains("Played for fewer rounds than the others: c."), "{text}");

    let other = experiment("f", runs(&[("a", 10, 7.0), ("d", 10, 1.0)]));
    let (figure, text) =
        drawn(&[&data, &other], "show = 'regret'\nagainst = 'horizon'\nworst_of_experiments = true", "");
    assert_eq!(points(&figure, 0), [(10.0, 7.0)]);
    assert!(figure.panels[0].series[1..].iter().all(|one| one.points.is_empty()));
    assert!(text.contains("Not drawn, for want of values in each of them: b, c, d."), "{text}");
}

/// Exponents and lowest means are those of the rounds that are drawn.
#[test]
fn what_is_told_is_drawn() {
    let (own, mut rows) = run("a", 64, 0, 0.0, &[1]);
    // The mean loss is 1 / 8 up to round 8, and 64 / t^2 after it.
    rows.iter_mut()
        .for_each(|row| row.cumulative_loss = if row.t <= 8 { row.t as f64 / 8.0 } else { 64.0 / row.t as f64 });
    let data = experiment("e", vec![(own, rows)]);
    let of = |options: &str| drawn(&[&data], &format!("show = 'average_loss'\nagainst = 'round'\n{options}"), "").1;
    let fitted = of("tell = 'exponents'\nfrom_round = 9");
    assert!(fitted.contains("over all points from round 9: a -2.00."), "{fitted}");
    let lowest = of("tell = 'lowest'\nfrom_round = 9");
    assert!(lowest.contains("Lowest means: a 0.0156 at 64."), "{lowest}");
    let late = of("from_round = 65");
    assert!(late.contains("Not drawn, because they end before round 65: a."), "{late}");
}

#[test]
fn curves_beyond_the_axes_are_named() {
    let data = experiment("e", vec![run("low", 10, 0, 1.0, &[1]), run("high", 10, 0, 90.0, &[1])]);
    let outside = |ends: &str| -> Vec<String> {
        let options = format!("show = 'regret'\nagainst = 'horizon'\n{ends}");
        drawn(&[&data], &options, "").0.panels[0].outside().map(str::to_owned).collect()
    };
    assert_eq!(outside(""), [""; 0]);
    assert_eq!(outside("y_max = 50"), ["high"]);
    assert_eq!(outside("y_min = 2\ny_max = 50"), ["high", "low"]);
}

/// A caption says which dotted lines have heights, and in which panel a curve is not drawn.
#[test]
fn notes_name_lines_and_panels() {
    let data = experiment("e", vec![run("a", 10, 0, 1.0, &[1])]);
    let text = |guides: &str, rest: &str| {
        let options = format!("show = 'average_loss'\nagainst = 'round'\nguides = [{guides}]\n{rest}");
        drawn(&[&data], &options, "").1
    };
    let free = "{ slope = -1, label = 'n^{-1}' }";
    let heights = "slopes of the theory; their heights have no meaning";
    assert!(text(free, "").contains(&format!("{heights}.")));
    for (label, line) in [("", "at 2"), ("floor", "floor")] {
        let fixed = format!("{free}, {{ slope = 0, factor = 2, label = '{label}' }}");
        assert!(text(&fixed, "").contains(&format!("{heights}, but for the line {line}.")), "{}", text(&fixed, ""));
    }
    let panels = "from_round = 20\npanels = [{ title = 'p' }, { title = 'q', against = 'horizon', x = 'n' }]";
    assert!(text("", panels).contains("Not drawn, because they end before round 20: a (p)."), "{}", text("", panels));
}

#[test]
fn two_quantities_have_two_labels() {
    let show = |other: &str| {
        format!(
            "against = 'horizon'\nshow = [{{ quantity = 'regret', label = 'a' }}, {{ quantity = 'queries', label = '{other}' }}]"
        )
    };
    let why = refused(&show("a"));
    assert!(why.contains("the label `a` stands for two quantities"), "{why}");
    let data = experiment("e", vec![run("c", 10, 0, 1.0, &[1])]);
    assert_eq!(drawn(&[&data], &show("b"), "").0.panels[0].series.len(), 2);
    // The names of curves are those of what their panel shows.
    let several = "[{ quantity = 'regret', label = 'a' }, { quantity = 'queries', label = 'b' }]";
    let panel =
        |own: &str, only: &str| format!("panels = [{{ title = 't', show = {own}, only = ['{only}'], y = 'y' }}]");
    assert_eq!(drawn(&[&data], &format!("{}\n{}", show("b"), panel("'regret'", "c")), "").0.panels[0].series.len(), 1);
    let one = |only: &str| format!("against = 'horizon'\nshow = 'regret'\n{}", panel(several, only));
    assert_eq!(drawn(&[&data], &one("c: a"), "").0.panels[0].series.len(), 1);
    assert!(refused(&one("c")).contains("`c: a`"), "{}", refused(&one("c")));
}

/// Curves of several experiments and streams have names that differ.
#[test]
fn no_two_curves_have_one_name() {
    let on = |stream: &str| {
        let (own, rows) = run("a", 10, 0, 1.0, &[1]);
        (RunResult { stream: stream.into(), ..own }, rows)
    };
    let (e, f) = (experiment("e", vec![on("s"), on("z")]), experiment("f", vec![on("s")]));
    let names = |experiments: &[&ExperimentResults]| -> Vec<String> {
        let drawn = drawn(experiments, "show = 'regret'\nagainst = 'horizon'", "").0;
        drawn.panels[0].series.iter().map(|one| one.name.clone()).collect()
    };
    assert_eq!(names(&[&e]), ["a, s", "a, z"]);
    assert_eq!(names(&[&e, &f]), ["a, s, e", "a, s, f", "a, z, e"]);
}

/// What an axis or a default would follow from is told before the axis that is missing.
#[test]
fn a_misspelt_quantity_is_told_before_a_missing_axis() {
    let text = |options: &str| specification("curves", "['e']", options).replace("y = ''\n", "");
    let wrong = |options: &str| read("test", &text(options)).unwrap_err().to_string();
    assert!(wrong("show = 'averge_loss'").contains("averge_loss"), "{}", wrong("show = 'averge_loss'"));
    assert_eq!(wrong("show = 'average_loss'\nagainst = 'round'"), "figure/test: missing field `y`");
}
