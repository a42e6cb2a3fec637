//! Gauges that are parts of a whole, such as weights, stacked on each other along the rounds: means over the replicates.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::record::{ExperimentResults, RunResult};
use crate::caption::FigureContext;
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint, SeriesShape};
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec, Name, NameKind};
use crate::number::significant;
use crate::trace::cell::EndStatus;
use crate::trace::gauge::Gauge;

pub(crate) static KIND: FigureKind = FigureKind {
    name: "stacked",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<StackedOptions>,
    check,
    draw,
};

/// The options of the kind `stacked`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StackedOptions {
    /// The label whose runs are shown.
    of: String,
    /// The stream, where the label plays on several.
    stream: Option<String>,
    /// The only replicate that is shown; by default the mean over all.
    replicate: Option<u64>,
    /// The gauges, from the bottom.
    parts: Vec<StackedPart>,
}

/// A gauge, or the sum of several, and its name in the legend.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StackedPart {
    /// The gauge, by its column.
    gauge: String,
    /// Further gauges that are added to it.
    #[serde(default)]
    and: Vec<String>,
    /// Its name in the legend.
    label: String,
}

impl StackedPart {
    /// The names of its gauges.
    fn named(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.gauge).chain(&self.and)
    }

    /// Its gauges; none where a name is wrong.
    fn find(&self) -> Option<Vec<Gauge>> {
        self.named().map(|name| find(name)).collect()
    }
}

fn find(name: &str) -> Option<Gauge> {
    Gauge::all().find(|gauge| gauge.column().name == name)
}

fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let options: StackedOptions = spec.options()?;
    if options.parts.is_empty() {
        return Err(spec.wrong("options: `parts` is empty".into()));
    }
    if let Some(name) = options.parts.iter().flat_map(StackedPart::named).find(|name| find(name).is_none()) {
        let known: Vec<&str> = Gauge::all().map(|gauge| gauge.column().name).collect();
        return Err(spec.wrong(format!("options: there is no gauge `{name}`; allowed: {}", known.join(", "))));
    }
    let of = Name { field: "options.of".into(), name: options.of, of: NameKind::Label };
    let stream = options.stream.map(|name| Name { field: "options.stream".into(), name, of: NameKind::Stream });
    Ok(CheckedOptions { names: std::iter::once(of).chain(stream).collect(), ..CheckedOptions::default() })
}

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let options: StackedOptions = spec.options()?;
    let runs = || {
        let all = experiments.iter().flat_map(|experiment| experiment.runs.iter().map(move |run| (*experiment, run)));
        all.filter(|(_, run)| {
            let chosen = options.stream.as_ref().is_none_or(|stream| run.stream == *stream)
                && options.replicate.is_none_or(|replicate| run.replicate == replicate);
            chosen && run.label == options.of && run.status == EndStatus::Done
        })
    };
    let played: BTreeSet<&str> = runs().map(|(experiment, _)| &*experiment.name).collect();
    if played.len() > 1 {
        let played: Vec<&str> = played.into_iter().collect();
        let why = format!("experiments: {} plays in several; name one of them: {}", options.of, played.join(", "));
        return Err(spec.wrong(why));
    }
    let streams: BTreeSet<&str> = runs().map(|(_, run)| &*run.stream).collect();
    if streams.len() > 1 {
        let streams: Vec<&str> = streams.into_iter().collect();
        let why = format!(
            "options: {} plays on several streams; name one of them as `stream`: {}",
            options.of,
            streams.join(", ")
        );
        return Err(spec.wrong(why));
    }
    let longest = runs().map(|(_, run)| run.horizon).max().unwrap_or_default();
    let of_longest = || runs().filter(|(_, run)| run.horizon == longest);
    let replicates = of_longest().count();
    // The sums of the parts so far, by round, and how many runs have all of these parts there.
    let mut below: BTreeMap<u64, f64> = BTreeMap::new();
    let (mut series, mut sentences, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for part in &options.parts {
        let Some(gauges) = part.find() else { continue };
        let points = sums(of_longest(), &gauges).into_iter().filter(|(_, (_, count))| *count == replicates).map(
            |(t, (sum, _))| {
                let bottom = below.entry(t).or_default();
                let (x, part) = (t as f64, sum / replicates as f64);
                let (low, high) = (*bottom, *bottom + part);
                *bottom = high;
                SeriesPoint {
                    x,
                    y: high,
                    band: Some((low, high)),
                    replicates: Some(replicates),
                    value: Some([x, part]),
                    ..SeriesPoint::default()
                }
            },
        );
        let points: Vec<SeriesPoint> = points.collect();
        if replicates > 0 && points.is_empty() {
            let names = part.named().map(String::as_str).collect::<Vec<_>>().join(" and ");
            return Err(spec.wrong(format!("options: the runs of {} have no {names}", options.of)));
        }
        if let Some(SeriesPoint { band: Some((low, high)), .. }) = points.last() {
            sentences.push(format!("{}: {} at the end.", part.label, significant(high - low, 3)));
            ends.push((high - low, &part.label));
        }
        series.push(ChartSeries { shape: SeriesShape::Stacked, ..ChartSeries::points(&part.label, points) });
    }
    let whose = match options.replicate {
        Some(replicate) => format!("Replicate {replicate}"),
        None => format!("Means over {replicates} seeds"),
    };
    let run = format!("{whose}, each part on top of those before it; profile {}.", context.profile);
    let largest = ends.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let finding =
        largest.map(|(end, label)| format!("At the end {label} has the largest part, {}.", significant(end, 3)));
    let chart = Chart { series, ..Chart::empty(AxisSpec::linear(&spec.x), AxisSpec::linear(&spec.y)) };
    let notes = vec![sentences.join(" ")];
    Ok(DrawnFigure { panels: vec![chart], columns: 0, run, finding, notes, claims: Vec::new() })
}

/// By round, the sum of these gauges over all runs, and how many runs have all of them there.
fn sums<'a>(
    runs: impl Iterator<Item = (&'a ExperimentResults, &'a RunResult)>,
    gauges: &[Gauge],
) -> BTreeMap<u64, (f64, usize)> {
    let mut sums: BTreeMap<u64, (f64, usize)> = BTreeMap::new();
    for (experiment, run) in runs {
        for row in experiment.checkpoints.get(&run.run_id).into_iter().flatten() {
            if let Some(value) = gauges.iter().map(|gauge| row.gauges.number(*gauge)).sum::<Option<f64>>() {
                let (sum, count) = sums.entry(row.t).or_default();
                *sum += value;
                *count += 1;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::registry::read;
    use crate::figure::samples::{experiment, run, specification};

    /// Two runs with 1 and 3 copies a round: the mean after t rounds is 2 t, and the same again on top.
    #[test]
    fn parts_are_on_top_of_each_other() {
        let options = "of = 'a'\nparts = [{ gauge = 'queries', label = 'one' }, { gauge = 'queries', label = 'two' }]";
        let figure = read("test", &specification("stacked", "['e']", options)).unwrap();
        let data = experiment("e", vec![run("a", 4, 0, 1.0, &[1]), run("a", 4, 1, 1.0, &[3])]);
        let drawn = draw(&figure.spec, &[&data], &FigureContext::default()).unwrap();
        let edges = |i: usize| -> Vec<Option<(f64, f64)>> {
            drawn.panels[0].series[i].points.iter().map(|point| point.band).collect()
        };
        let expected = |low: f64, high: f64| (1..=4).map(|t| Some((low * f64::from(t), high * f64::from(t)))).collect();
        let both: [Vec<Option<(f64, f64)>>; 2] = [expected(0.0, 2.0), expected(2.0, 4.0)];
        assert_eq!([edges(0), edges(1)], both);
        // The values are those of the parts, not of what they are drawn on.
        let values = |i: usize| drawn.panels[0].series[i].points.iter().map(|point| point.value()).collect::<Vec<_>>();
        let own: Vec<[f64; 2]> = (1..=4).map(|t| [f64::from(t), 2.0 * f64::from(t)]).collect();
        assert_eq!([values(0), values(1)], [own.clone(), own]);
        assert!(drawn.notes[0].contains("one: 8.00 at the end"), "{}", drawn.notes[0]);
    }

    /// Of two replicates on two streams, one is shown, with the sum of two gauges.
    #[test]
    fn a_stream_and_a_replicate_are_chosen() {
        let options = "of = 'a'\nstream = 'law'\nreplicate = 1\nparts = [{ gauge = 'queries', and = ['queries'], label = 'one' }]";
        let figure = read("test", &specification("stacked", "['e']", options)).unwrap();
        let mut elsewhere = run("a", 9, 1, 1.0, &[5]);
        elsewhere.0.stream = "other".into();
        let data = experiment("e", vec![run("a", 4, 0, 1.0, &[1]), run("a", 4, 1, 1.0, &[3]), elsewhere]);
        let drawn = draw(&figure.spec, &[&data], &FigureContext::default()).unwrap();
        let values: Vec<f64> = drawn.panels[0].series[0].points.iter().map(|point| point.value()[1]).collect();
        assert_eq!(values, [6.0, 12.0, 18.0, 24.0]);
        assert!(drawn.run.starts_with("Replicate 1, each"), "{}", drawn.run);
        let pooled = options.replace("stream = 'law'\n", "");
        let figure = read("test", &specification("stacked", "['e']", &pooled)).unwrap();
        let refused = draw(&figure.spec, &[&data], &FigureContext::default()).err().unwrap().to_string();
        assert!(refused.contains("a plays on several streams; name one of them as `stream`: law, other"), "{refused}");
    }

    /// Runs of two experiments are no replicates of one, and what the runs do not have makes no picture.
    #[test]
    fn what_makes_no_whole_is_refused() {
        let refused = |options: &str, experiments: &[&ExperimentResults]| {
            let figure = read("test", &specification("stacked", "['e', 'f']", options)).unwrap();
            draw(&figure.spec, experiments, &FigureContext::default()).err().unwrap().to_string()
        };
        let [one, two] = ["e", "f"].map(|name| experiment(name, vec![run("a", 4, 0, 1.0, &[1])]));
        let options = "of = 'a'\nparts = [{ gauge = 'queries', label = 'one' }]";
        let said = refused(options, &[&one, &two]);
        assert!(said.contains("a plays in several; name one of them: e, f"), "{said}");
        let said = refused(&options.replace("queries", "features"), &[&one]);
        assert!(said.contains("the runs of a have no features"), "{said}");
    }

    #[test]
    fn unknown_gauges_are_refused() {
        let refused =
            |options: &str| read("test", &specification("stacked", "['e']", options)).unwrap_err().to_string();
        assert!(refused("of = 'a'\nparts = []").contains("`parts` is empty"));
        assert!(refused("of = 'a'\nparts = [{ gauge = 'weight', label = 'w' }]").contains("no gauge `weight`"));
        let sum = "of = 'a'\nparts = [{ gauge = 'queries', and = ['query'], label = 'w' }]";
        assert!(refused(sum).contains("no gauge `query`"));
    }
}
