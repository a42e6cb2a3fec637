//! Every figure of this project's own pipeline, drawn from made-up runs of all of its labels: no panel is crowded, all
//! text can be read at the width of a column, and a label has one look in all figures.

use std::collections::BTreeMap;

use noregret::analysis::record::{Experiment, Run, Spent};
use noregret::config::experiment::Experiment as Declaration;
use noregret::config::project::{Declared, Project};
use noregret::report::chart::format::Format;
use noregret::report::chart::layout::{looks, scene};
use noregret::report::chart::palette::{Style, contrast_on_white};
use noregret::report::chart::plot::{Chart, Shape};
use noregret::report::chart::svg::svg;
use noregret::report::figure::api::{Figure, Sampled};
use noregret::report::figure::functions::abscissae;
use noregret::trace::cell::{Checkpoint, RunStatus};
use noregret::trace::gauge::{Amount, Gauge, GaugeValues};

use super::{context, root};

/// What a reader can tell apart in one panel.
const MOST_CURVES: usize = 7;
/// Eight points, in pixels.
const LEAST_TEXT: f64 = 8.0 * 96.0 / 72.0;

/// The names that follow `key:` in a file (`m:test_loss`, `p:scale`).
fn named<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let ends = |c: char| !(c.is_alphanumeric() || c == '_' || c == ' ');
    let found = text.split(key).skip(1).map(|rest| rest.split(ends).next().unwrap_or_default());
    found.map(|name| name.trim_end_matches(" per round")).collect()
}

/// Runs of every label, stream and horizon, whose values depend on their names alone. `text` names the measures and
/// parameters that they need.
fn made_up(declared: &Declaration, text: &str) -> Experiment {
    let mut experiment = Experiment { name: declared.design.name.clone(), ..Experiment::default() };
    for cell in declared.cells.iter().filter(|cell| cell.replicate < 2) {
        let stream = declared.design.streams[cell.stream].name().to_owned();
        let seed = cell.label.bytes().chain(stream.bytes()).fold(7_u64, |sum, byte| (31 * sum + u64::from(byte)) % 997);
        let level = 1.0 + seed as f64 / 997.0 + 0.01 * f64::from(cell.replicate);
        let gauges = Gauge::all().fold(GaugeValues::default(), |gauges, gauge| {
            gauges.with(gauge, Some(Amount::Count(10 + seed * (1 + cell.horizon / 100))))
        });
        let row = |t: u64| Checkpoint {
            t,
            cumulative_loss: level * (t as f64).sqrt(),
            cumulative_error: Some(0.1 * level * t as f64),
            comparator_loss: Some(0.0),
            gauges,
        };
        let measure = |name: &&str| (name.to_string(), level / (cell.horizon as f64).sqrt());
        let run = Run {
            run_id: format!("{}-{stream}-{}-{}", cell.label, cell.horizon, cell.replicate),
            stream,
            learner: cell.learner.name.to_owned(),
            label: cell.label.to_string(),
            replicate: u64::from(cell.replicate),
            horizon: cell.horizon,
            status: RunStatus::Done,
            detail: None,
            rounds: cell.horizon,
            average_loss: Some(level),
            cumulative_loss: Some(level * (cell.horizon as f64).sqrt()),
            cumulative_error: Some(0.1 * level * cell.horizon as f64),
            comparator_loss: Some(0.0),
            gauges,
            measures: named(text, "m:").iter().map(measure).collect(),
            tuned: None,
            in_file_order: false,
            parameters: named(text, "p:").iter().map(|name| (name.to_string(), level)).collect(),
        };
        let mut rounds: Vec<u64> = (4..60).map(|step| 10f64.powf(0.1 * f64::from(step)) as u64).collect();
        rounds.retain(|t| *t < cell.horizon);
        rounds.push(cell.horizon);
        let spent = |t: &u64| Spent { t: *t, cpu: 1e-6 * level * *t as f64, wall: 1.0 };
        experiment.times.insert(run.run_id.clone(), rounds.iter().map(spent).collect());
        experiment.checkpoints.insert(run.run_id.clone(), rounds.into_iter().map(row).collect());
        experiment.runs.push(run);
    }
    experiment
}

/// The panels of every figure that has runs or functions, by name.
fn drawn() -> BTreeMap<String, (Vec<Chart>, usize)> {
    let project = Project::find(root()).unwrap();
    let declared = Declared::load(&project, "quick", &[], &[]).unwrap();
    let mut figures = BTreeMap::new();
    for (name, Figure { spec, kind, .. }) in &declared.figures {
        let text = std::fs::read_to_string(root().join(format!("pipeline/figures/{name}.toml"))).unwrap();
        let experiments: Vec<Experiment> =
            spec.experiments.iter().map(|one| made_up(&declared.experiments[one], &text)).collect();
        let mut spec = spec.clone();
        if let Some(functions) = declared.functions.get(name) {
            let at = abscissae(&spec).unwrap();
            let sampled = functions.iter().map(|function| Sampled {
                label: function.label.clone(),
                points: at.iter().map(|&x| (x, function.at(x))).collect(),
            });
            spec.sampled = sampled.collect();
        }
        if spec.experiments.is_empty() && spec.sampled.is_empty() {
            continue;
        }
        let drawn = (kind.draw)(&spec, &experiments.iter().collect::<Vec<_>>(), &context());
        let drawn = drawn.unwrap_or_else(|error| panic!("{name}: {error}"));
        figures.insert(name.clone(), (drawn.panels, drawn.columns));
    }
    assert!(figures.len() > 50, "only {} figures", figures.len());
    figures
}

/// The font sizes of an SVG, without those of superscripts and subscripts.
fn sizes(svg: &str) -> impl Iterator<Item = f64> {
    svg.split("<text ").skip(1).map(|text| {
        let (_, size) = text.split_once("font-size=\"").unwrap();
        size.split('"').next().unwrap().parse().unwrap()
    })
}

/// What is wrong with the panels of a figure at the width of a column; empty if nothing is.
fn faults(panels: &[Chart], columns: usize) -> Vec<String> {
    let mut found = Vec::new();
    for chart in panels {
        let measured = |shape: Shape| !matches!(shape, Shape::Theory | Shape::Bars);
        let curves = chart.series.iter().filter(|one| measured(one.shape)).count();
        if curves > MOST_CURVES {
            found.push(format!("`{}` has {curves} curves", chart.title));
        }
        let styles = looks(panels);
        let style = |name: &str| styles.iter().find(|(known, _)| *known == name).unwrap().1;
        for (index, one) in chart.series.iter().enumerate().filter(|(_, one)| measured(one.shape)) {
            let alike =
                |other: &&noregret::report::chart::plot::Series| style(&one.name).resembles(&style(&other.name));
            let before = chart.series[..index].iter().filter(|other| measured(other.shape)).find(alike);
            found.extend(before.map(|other| format!("`{}` looks like `{}`", one.name, other.name)));
        }
    }
    let column = svg(&scene(panels, columns, &Format::COLUMN, "t", "d"));
    found.extend(sizes(&column).filter(|size| *size < LEAST_TEXT - 0.01).map(|size| format!("text of {size} px")));
    found
}

#[test]
fn every_panel_can_be_read_in_a_column() {
    let mut crowded = Vec::new();
    for (name, (panels, columns)) in drawn() {
        crowded.extend(faults(&panels, columns).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(crowded.is_empty(), "{}", crowded.join("\n"));
}

#[test]
fn crowded_panels_and_small_text_are_found() {
    use noregret::report::chart::plot::{AxisSpec, Series};
    let series = (0..8).map(|index| Series::line(format!("curve {index}"), [(1.0, 1.0), (2.0, f64::from(index))]));
    let (x, y) = (AxisSpec::linear("x"), AxisSpec::linear("y"));
    let crowded = Chart { series: series.collect(), ..Chart::empty(x, y) };
    assert_eq!(faults(&[crowded], 0), ["`` has 8 curves"]);
    assert_eq!(sizes("<text x=\"1\" font-size=\"6.5\" fill=\"#000\">a</text>").collect::<Vec<_>>(), [6.5]);
}

#[test]
fn a_label_has_one_look_in_all_figures() {
    let mut known: BTreeMap<String, (String, Style)> = BTreeMap::new();
    let mut differing = Vec::new();
    for (figure, (panels, _)) in drawn() {
        for (name, style) in looks(&panels) {
            assert!(contrast_on_white(style.color) >= 3.0, "{figure}: `{name}` is too faint");
            let (first, before) = known.entry(name.to_owned()).or_insert((figure.clone(), style));
            if *before != style {
                differing.push(format!("`{name}` in {first}: {before:?}; in {figure}: {style:?}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    let color = |label: &str| known[label].1.color;
    assert_ne!(color("KRR"), color("FOGD"));
}
