//! Every figure of this project's own pipeline, drawn from made-up runs of all of its labels: no panel is crowded, all
//! text can be read at the width of a column, no picture is higher than a page, no caption is long, and a label has one
//! look in all figures.

use std::collections::BTreeMap;

use noregret_papers::errata::api::{ErratumFinding, ErratumNumber, Relation};
use noregret_papers::errata::registry::ERRATA;
use noregret_report::analysis::rate::assess::assess;
use noregret_report::analysis::record::{ExperimentResults, RunResult, TimeSpent};
use noregret_report::caption::{self, FigureContext, MOST_WORDS};
use noregret_report::chart::format::PictureFormat;
use noregret_report::chart::layout::{looks, scenes};
use noregret_report::chart::palette::{Style, contrast_on_white};
use noregret_report::chart::plot::{Chart, SeriesShape};
use noregret_report::chart::svg::svg;
use noregret_report::figure::api::SampledFunction;
use noregret_report::figure::compound;
use noregret_report::figure::functions::abscissae;
use noregret_report::trace::cell::{EndStatus, TraceRow};
use noregret_report::trace::gauge::{Amount, Gauge, GaugeValues};
use noregret_study::config::declared::Declared;
use noregret_study::config::experiment::Experiment as Declaration;
use noregret_study::config::project::Project;
use noregret_study::config::study::ItemKind;

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
fn made_up(declared: &Declaration, text: &str) -> ExperimentResults {
    let mut experiment = ExperimentResults { name: declared.design.name.clone(), ..ExperimentResults::default() };
    for cell in declared.cells.iter().filter(|cell| cell.replicate < 2) {
        let stream = declared.design.streams[cell.stream].name().to_owned();
        let seed = cell.label.bytes().chain(stream.bytes()).fold(7_u64, |sum, byte| (31 * sum + u64::from(byte)) % 997);
        let level = 1.0 + seed as f64 / 997.0 + 0.01 * f64::from(cell.replicate);
        let gauges = Gauge::all().fold(GaugeValues::default(), |gauges, gauge| {
            gauges.with(gauge, Some(Amount::Count(10 + seed * (1 + cell.horizon / 100))))
        });
        let row = |t: u64| TraceRow {
            t,
            cumulative_loss: level * (t as f64).sqrt(),
            cumulative_error: Some(0.1 * level * t as f64),
            comparator_loss: Some(0.0),
            gauges,
        };
        let measure = |name: &&str| (name.to_string(), level / (cell.horizon as f64).sqrt());
        let run = RunResult {
            run_id: format!("{}-{stream}-{}-{}", cell.label, cell.horizon, cell.replicate),
            stream,
            learner: cell.learner.name.to_owned(),
            label: cell.label.to_string(),
            replicate: u64::from(cell.replicate),
            horizon: cell.horizon,
            status: EndStatus::Done,
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
        let spent = |t: &u64| TimeSpent { t: *t, cpu: 1e-6 * level * *t as f64, wall: 1.0 };
        experiment.times.insert(run.run_id.clone(), rounds.iter().map(spent).collect());
        experiment.checkpoints.insert(run.run_id.clone(), rounds.into_iter().map(row).collect());
        experiment.runs.push(run);
    }
    experiment
}

/// A figure as it is drawn, and the words under it.
struct Picture {
    panels: Vec<Chart>,
    columns: usize,
    title: String,
    caption: String,
}

/// An erratum whose printed form is off by a factor of two.
fn decided(erratum: &noregret_papers::errata::api::Erratum) -> ErratumFinding {
    let text = str::to_owned;
    ErratumFinding {
        id: text(erratum.id),
        paper: erratum.paper,
        place: text(erratum.place),
        quote: text(erratum.quote),
        class: erratum.class,
        reason: text(erratum.reason),
        printed: text(erratum.printed),
        corrected: text(erratum.corrected),
        method: text(erratum.method),
        quantities: vec![ErratumNumber::exact("q", Relation::Equal, 2.0, 1.0, 1.0, 1e-9)],
    }
}

/// Every figure by name.
fn drawn() -> BTreeMap<String, Picture> {
    let project = Project::find(root()).unwrap();
    let declared = Declared::load(&project, "quick", &[], &[]).unwrap();
    let mut figures = BTreeMap::new();
    for (name, figure) in &declared.figures {
        let mut figure = figure.clone();
        let spec = &mut figure.spec;
        let text = crate::studies::text(ItemKind::Figure, name);
        let mut experiments: Vec<ExperimentResults> =
            spec.experiments.iter().map(|one| made_up(&declared.experiments[one], &text)).collect();
        for one in declared.hindsight.get(name).into_iter().flat_map(|hindsight| hindsight.iter()) {
            for experiment in &mut experiments {
                let solved = |run: &RunResult| RunResult {
                    label: one.label.clone(),
                    learner: one.entry.name.into(),
                    ..run.clone()
                };
                let first = experiment.runs[0].label.clone();
                let like: Vec<RunResult> =
                    experiment.runs.iter().filter(|run| run.label == first).map(solved).collect();
                experiment.runs.extend(like);
            }
        }
        if let Some(functions) = declared.functions.get(name) {
            let at = abscissae(spec).unwrap();
            let sampled = functions.iter().map(|function| SampledFunction {
                label: function.label.clone(),
                points: at.iter().map(|&x| (x, function.at(x))).collect(),
            });
            spec.sampled = sampled.collect();
        }
        let rates = declared.rates.values().map(|row| assess(row, None, &[])).collect();
        let context =
            FigureContext { rates, findings: ERRATA.iter().map(|erratum| decided(erratum)).collect(), ..context() };
        let drawn = compound::draw(&figure, &experiments.iter().collect::<Vec<_>>(), &context);
        let drawn = drawn.unwrap_or_else(|error| panic!("{name}: {error}"));
        let spec = figure.spec;
        let words = caption::of(&spec.title, &spec.shows, drawn.run, drawn.finding, std::iter::empty());
        let Some(caption) = words.into_iter().next() else { panic!("{name} has no caption") };
        figures
            .insert(name.clone(), Picture { panels: drawn.panels, columns: drawn.columns, title: spec.title, caption });
    }
    assert_eq!(figures.len(), declared.figures.len());
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
        let measured = |shape: SeriesShape| !matches!(shape, SeriesShape::Theory | SeriesShape::Bars);
        let curves = chart.series.iter().filter(|one| measured(one.shape)).count();
        if curves > MOST_CURVES {
            found.push(format!("`{}` has {curves} curves", chart.title));
        }
        let styles = looks(panels);
        let style = |name: &str| styles.iter().find(|(known, _)| *known == name).unwrap().1;
        for (index, one) in chart.series.iter().enumerate().filter(|(_, one)| measured(one.shape)) {
            let alike =
                |other: &&noregret_report::chart::plot::ChartSeries| style(&one.name).resembles(&style(&other.name));
            let before = chart.series[..index].iter().filter(|other| measured(other.shape)).find(alike);
            found.extend(before.map(|other| format!("`{}` looks like `{}`", one.name, other.name)));
        }
    }
    for picture in scenes(panels, columns, &PictureFormat::COLUMN, "t", "d") {
        let column = svg(&picture);
        found.extend(sizes(&column).filter(|size| *size < LEAST_TEXT - 0.01).map(|size| format!("text of {size} px")));
        if picture.height > PictureFormat::COLUMN.tallest {
            found.push(format!("{} px are higher than a page", picture.height));
        }
    }
    found
}

/// What is wrong with the words under a figure; empty if nothing is.
fn wordy(title: &str, caption: &str) -> Option<String> {
    let words = [title, caption].iter().flat_map(|text| text.split_whitespace()).count();
    (words > MOST_WORDS).then(|| format!("{words} words"))
}

#[test]
fn no_caption_is_long() {
    let of = |(name, picture): (&String, &Picture)| {
        wordy(&picture.title, &picture.caption).map(|fault| format!("{name}: {fault}: {}", picture.caption))
    };
    let long: Vec<String> = drawn().iter().filter_map(of).collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
    assert_eq!(wordy("A title", &"word ".repeat(MOST_WORDS - 1)), Some(format!("{} words", MOST_WORDS + 1)));
}

#[test]
fn every_panel_can_be_read_in_a_column() {
    let mut crowded = Vec::new();
    for (name, Picture { panels, columns, .. }) in drawn() {
        crowded.extend(faults(&panels, columns).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(crowded.is_empty(), "{}", crowded.join("\n"));
}

#[test]
fn crowded_panels_and_small_text_are_found() {
    use noregret_report::chart::plot::{AxisSpec, ChartSeries};
    let series = (0..8).map(|index| ChartSeries::line(format!("curve {index}"), [(1.0, 1.0), (2.0, f64::from(index))]));
    let (x, y) = (AxisSpec::linear("x"), AxisSpec::linear("y"));
    let crowded = Chart { series: series.collect(), ..Chart::empty(x, y) };
    assert_eq!(faults(&[crowded], 0), ["`` has 8 curves"]);
    let long = |count: usize| {
        let names = AxisSpec::names("", (0..count).map(|row| format!("row {row}")));
        Chart { title: count.to_string(), ..Chart::empty(AxisSpec::linear("x"), names) }
    };
    assert_eq!(scenes(&[20; 4].map(long), 2, &PictureFormat::COLUMN, "", "").len(), 2, "parts of at most a page");
    assert_eq!(scenes(&[20; 4].map(long), 2, &PictureFormat::WEB, "", "").len(), 1);
    let high = faults(&[long(30), long(90)], 1);
    assert!(high.len() == 1 && high[0].ends_with("higher than a page"), "no panel is split: {high:?}");
    assert_eq!(sizes("<text x=\"1\" font-size=\"6.5\" fill=\"#000\">a</text>").collect::<Vec<_>>(), [6.5]);
}

#[test]
fn a_label_has_one_look_in_all_figures() {
    let mut known: BTreeMap<String, (String, Style)> = BTreeMap::new();
    let mut differing = Vec::new();
    for (figure, Picture { panels, .. }) in drawn() {
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
