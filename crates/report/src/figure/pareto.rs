//! One quantity at the end of the runs against another, such as loss against time, for all learners, with the front of
//! those that no other beats in both. Claims name one learner that wins both.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;

use crate::analysis::curve::{MeanCurve, along_rounds, at_ends};
use crate::analysis::quantity::{QuantityReading, RunQuantity};
use crate::analysis::record::ExperimentResults;
use crate::caption::{self, FigureContext, Unit};
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint};
use crate::claim::data::ClaimData;
use crate::error::ReportError;
use crate::figure::api::{CheckedOptions, DrawnFigure, FigureKind, FigureSpec, Name, NameKind};

pub(crate) static KIND: FigureKind = FigureKind {
    name: "pareto",
    module: module_path!(),
    options: SchemaGenerator::subschema_for::<ParetoOptions>,
    check,
    draw,
};

/// The options of the kind `pareto`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ParetoOptions {
    /// The quantity on the vertical axis, which claims call by the name of that axis: `average_loss`.
    show: QuantityReading,
    /// The quantity on the horizontal axis: `processor_time`.
    against: QuantityReading,
    /// Labels that are left out, such as constants.
    #[serde(default)]
    without: Vec<String>,
}

/// The most learners on the front that are named; the others are in the table of values.
const MOST: usize = 5;

fn check(spec: &FigureSpec) -> Result<CheckedOptions, ReportError> {
    let options: ParetoOptions = spec.options()?;
    let measured = [&options.show, &options.against].iter().any(|one| one.quantity == RunQuantity::ProcessorTime);
    let unrecorded = [&options.show, &options.against].iter().any(|one| !one.quantity.is_recorded());
    if unrecorded && !spec.claims.is_empty() {
        return Err(
            spec.wrong("claims compare values along the rounds, which measures and parameters do not have".into())
        );
    }
    let named = |field: &str, name: &str, of| Name { field: field.into(), name: name.into(), of };
    let without = options.without.iter().map(|name| named("options.without", name, NameKind::Label));
    let claimed = spec.claims.iter().flat_map(|claim| claim.names()).map(|name| named("claims", name, NameKind::Curve));
    Ok(CheckedOptions { measured, names: without.chain(claimed).collect(), claims: 2, ..CheckedOptions::default() })
}

/// A learner at the end of its runs.
struct ParetoPoint<'a> {
    curve: &'a MeanCurve,
    x: f64,
    y: f64,
}

/// The learners of one stream, those of the most rounds there, sorted along the horizontal axis.
struct ParetoFront<'a> {
    stream: &'a str,
    /// All of them, each with whether it is on the front.
    ends: Vec<(ParetoPoint<'a>, bool)>,
    /// What is said of learners that played fewer rounds, and of those without the other quantity.
    apart: Vec<String>,
}

impl<'a> ParetoFront<'a> {
    /// The front of the learners in `curves` that play the stream.
    fn of(stream: &'a str, curves: &'a [MeanCurve]) -> Self {
        let curves: Vec<&MeanCurve> = curves.iter().filter(|curve| curve.stream == stream).collect();
        let furthest = curves.iter().filter(|curve| curve.last().is_some()).map(|curve| curve.horizon).max();
        let comparable = curves.iter().filter(|curve| Some(curve.horizon) == furthest);
        let mut ends: Vec<ParetoPoint<'_>> = comparable
            .filter_map(|curve| curve.last().map(|end| ParetoPoint { curve, x: end.x, y: end.estimate.mean }))
            .collect();
        let lacking: Vec<&MeanCurve> = ends.iter().filter(|end| end.x.is_nan()).map(|end| end.curve).collect();
        ends.retain(|end| !end.x.is_nan());
        ends.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        // The mean of those that are left of a learner's replicates is that of a choice.
        let sound = |end: &&ParetoPoint<'_>| end.curve.tally.diverged == 0;
        let mut found = front(&ends.iter().filter(sound).map(|end| (end.x, end.y)).collect::<Vec<_>>()).into_iter();
        let on_front: Vec<bool> = ends.iter().map(|end| sound(&end) && found.next().unwrap_or_default()).collect();
        let broken = caption::listed(ends.iter().filter(|end| !sound(end)).map(|end| end.curve));
        let broken =
            (!broken.is_empty()).then(|| format!("Left out of the front, because replicates diverged: {broken}."));
        let shorter = caption::fewer_rounds(curves.iter().copied(), furthest)
            .map(|names| format!("Not comparable, because of fewer rounds: {names}."));
        let lacks = (!lacking.is_empty()).then(|| {
            format!(
                "Not drawn, for want of the quantity on the horizontal axis: {}.",
                caption::listed(lacking.into_iter())
            )
        });
        Self {
            stream,
            ends: ends.into_iter().zip(on_front).collect(),
            apart: shorter.into_iter().chain(lacks).chain(broken).collect(),
        }
    }

    /// The learners on the front.
    fn best(&self) -> Vec<&ParetoPoint<'a>> {
        self.ends.iter().filter(|(_, on)| *on).map(|(end, _)| end).collect()
    }

    fn chart(&self, title: String, spec: &FigureSpec) -> Chart {
        let point = |end: &ParetoPoint<'_>| {
            let estimate = end.curve.last().map(|last| last.estimate);
            estimate.map(|estimate| SeriesPoint::mean(end.x, estimate))
        };
        let best = self.best();
        // Points lie on the front, not below it.
        let mut series = vec![ChartSeries::steps("Pareto front", best.iter().map(|end| (end.x, end.y)))];
        for end in best.iter().take(MOST) {
            let dots = ChartSeries::dots(&end.curve.label, point(end).into_iter().collect());
            series.push(dots.like(&end.curve.label, &end.curve.learner));
        }
        let named = |end: &ParetoPoint<'_>| best.iter().take(MOST).any(|one| std::ptr::eq(one.curve, end.curve));
        let rest = self.ends.iter().filter(|(end, on)| !on || !named(end));
        let (names, rest): (Vec<String>, Vec<SeriesPoint>) =
            rest.filter_map(|(end, _)| Some((end.curve.label.clone(), point(end)?))).unzip();
        if !rest.is_empty() {
            series.push(ChartSeries { names, ..ChartSeries::dots("the others", rest) });
        }
        Chart { title, series, ..Chart::empty(AxisSpec::log(&spec.x), AxisSpec::log(&spec.y)) }
    }

    /// The learners on the front, for a caption.
    fn listed(&self) -> String {
        let best = self.best();
        if best.is_empty() { "none".into() } else { caption::listed(best.iter().map(|end| end.curve)) }
    }
}

fn draw(
    spec: &FigureSpec,
    experiments: &[&ExperimentResults],
    context: &FigureContext,
) -> Result<DrawnFigure, ReportError> {
    let options: ParetoOptions = spec.options()?;
    let kept = |curve: &MeanCurve| !options.without.contains(&curve.label);
    let mut curves: Vec<MeanCurve> =
        experiments.iter().flat_map(|one| at_ends(one, &options.against, &options.show)).filter(kept).collect();
    // One label in two experiments is two learners.
    let named: Vec<String> = curves
        .iter()
        .map(|one| {
            let twice = |other: &MeanCurve| other.label == one.label && other.experiment != one.experiment;
            if curves.iter().any(twice) { format!("{}, {}", one.label, one.experiment) } else { one.label.clone() }
        })
        .collect();
    let mut sentences: Vec<String> = caption::incomplete(&curves, experiments, None).into_iter().collect();
    curves.iter_mut().zip(named).for_each(|(curve, name)| curve.label = name);
    // Losses on one stream are not those on another.
    let mut streams: Vec<&str> = Vec::new();
    curves.iter().for_each(|curve| {
        if !streams.contains(&&*curve.stream) {
            streams.push(&curve.stream)
        }
    });
    let fronts: Vec<ParetoFront<'_>> = streams.iter().map(|stream| ParetoFront::of(stream, &curves)).collect();

    let of_each = |told: &dyn Fn(&ParetoFront<'_>) -> String| match fronts.as_slice() {
        [] => "none".into(),
        [one] => told(one),
        several => several.iter().map(|one| format!("{} ({})", told(one), one.stream)).collect::<Vec<_>>().join("; "),
    };
    let joined = of_each(&|front| front.listed());
    sentences.push(format!("The front joins the learners that no other beats in both means: {joined}."));
    for one in fronts.iter().flat_map(|one| &one.apart) {
        // The same sentence may come once for each stream.
        if !sentences.contains(one) {
            sentences.push(one.clone());
        }
    }
    if options.against.quantity == RunQuantity::ProcessorTime {
        sentences.push("Processor time is that of one thread, as measured; it differs from run to run.".into());
    }
    let along = |reading: &QuantityReading| -> Vec<MeanCurve> {
        experiments.iter().flat_map(|one| along_rounds(one, reading)).filter(kept).collect()
    };
    let (of, others) = (along(&options.show), along(&options.against));
    let data = ClaimData { curves: &of, others: &others, quantities: [&spec.y, &spec.x], ..ClaimData::default() };
    let claims = spec.claims.iter().map(|claim| claim.outcome(&data)).collect();
    let title = |front: &ParetoFront<'_>| if fronts.len() > 1 { front.stream.to_owned() } else { String::new() };
    let mut panels: Vec<Chart> = fronts.iter().map(|front| front.chart(title(front), spec)).collect();
    if panels.is_empty() {
        panels.push(ParetoFront::of("", &[]).chart(String::new(), spec));
    }
    let run = caption::run(&curves, experiments, &context.profile, Unit::Point);
    let count = |front: &ParetoFront<'_>| format!("{} of {}", front.best().len(), front.ends.len());
    let any = fronts.iter().any(|front| !front.best().is_empty());
    let finding = any.then(|| match fronts.as_slice() {
        [one] => format!("{} learners are on the front.", count(one)),
        _ => format!("Learners on the front: {}.", of_each(&count)),
    });
    Ok(DrawnFigure { panels, columns: 1, run, finding, notes: vec![sentences.join(" ")], claims })
}

/// Which of some points, sorted by x and then y, no other one beats: at most as large in both, and smaller in one.
pub(crate) fn front(points: &[(f64, f64)]) -> Vec<bool> {
    let mut least = f64::INFINITY;
    let mut on = Vec::with_capacity(points.len());
    for (index, (x, y)) in points.iter().enumerate() {
        let equal = index > 0 && points[index - 1] == (*x, *y) && on[index - 1];
        let better = *y < least;
        on.push(better || equal);
        least = least.min(*y);
    }
    on
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::record::RunResult;
    use crate::figure::registry::read;
    use crate::figure::samples::{experiment, run, specification};
    use crate::trace::cell::EndStatus;
    use crate::trace::gauge::GaugeValues;

    #[test]
    fn the_front_is_what_no_other_beats() {
        let points = [(1.0, 5.0), (2.0, 3.0), (2.0, 4.0), (3.0, 3.0), (4.0, 1.0), (4.0, 1.0)];
        assert_eq!(front(&points), [true, true, false, false, true, true]);
        assert!(front(&[]).is_empty());
    }

    /// Each stream has a front of its own: losses on one say nothing of those on another.
    #[test]
    fn fronts_are_those_of_a_stream() {
        let ended = |label: &str, stream: &str, regret: f64, queries: u64| {
            let (run, rows) = run(label, 10, 0, regret, &[queries]);
            let average_loss = run.cumulative_loss.map(|loss| loss / 10.0);
            (RunResult { average_loss, stream: stream.into(), run_id: format!("{label}-{stream}"), ..run }, rows)
        };
        let all = [("a", "one", 1.0, 1), ("b", "one", 2.0, 2), ("a", "two", 900.0, 5), ("b", "two", 800.0, 9)];
        let mut runs: Vec<_> = all.map(|(label, stream, regret, cost)| ended(label, stream, regret, cost)).into();
        // What has no place on the horizontal axis is on no front.
        let (run, rows) = ended("c", "one", 0.5, 1);
        runs.push((RunResult { gauges: GaugeValues::default(), ..run }, rows));
        let data = experiment("e", runs);
        let text = specification("pareto", "['e']", "show = 'average_loss'\nagainst = 'queries'");
        let figure = read("test", &text).unwrap();
        let drawn = draw(&figure.spec, &[&data], &FigureContext::default()).unwrap();
        let titles: Vec<&str> = drawn.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["one", "two"]);
        assert!(drawn.notes[0].contains("in both means: a (one); a, b (two)."), "{:?}", drawn.notes);
        assert!(drawn.notes[0].contains("for want of the quantity on the horizontal axis: c."), "{:?}", drawn.notes);
        assert_eq!(drawn.finding.as_deref(), Some("Learners on the front: 1 of 2 (one); 2 of 2 (two)."));
    }

    /// One label in two experiments is two learners.
    #[test]
    fn learners_of_two_experiments_are_told_apart() {
        let ended = |name: &str, regret: f64, queries: u64| {
            let (run, rows) = run("a", 10, 0, regret, &[queries]);
            experiment(name, vec![(RunResult { average_loss: Some(regret), ..run }, rows)])
        };
        let text = specification("pareto", "['e', 'f']", "show = 'average_loss'\nagainst = 'queries'");
        let figure = read("test", &text).unwrap();
        let experiments = [ended("e", 1.0, 2), ended("f", 2.0, 1)];
        let drawn = draw(&figure.spec, &experiments.each_ref(), &FigureContext::default()).unwrap();
        assert!(drawn.notes[0].contains("in both means: a, f, a, e."), "{:?}", drawn.notes);
    }

    /// Those of a learner's replicates that did not diverge are a choice.
    #[test]
    fn what_diverged_is_on_no_front() {
        let ended = |label: &str, replicate: u64, regret: f64, status: EndStatus| {
            let (run, rows) = run(label, 10, replicate, regret, &[1]);
            (RunResult { average_loss: Some(regret), status, ..run }, rows)
        };
        let runs = vec![
            ended("sound", 0, 2.0, EndStatus::Done),
            ended("sound", 1, 2.5, EndStatus::Done),
            ended("broken", 0, 1.0, EndStatus::Done),
            ended("broken", 1, 1.0, EndStatus::Diverged),
        ];
        let text = specification("pareto", "['e']", "show = 'average_loss'\nagainst = 'queries'");
        let figure = read("test", &text).unwrap();
        let drawn = draw(&figure.spec, &[&experiment("e", runs)], &FigureContext::default()).unwrap();
        assert_eq!(drawn.finding.as_deref(), Some("1 of 2 learners are on the front."));
        assert!(
            drawn.notes[0].contains("Left out of the front, because replicates diverged: broken."),
            "{:?}",
            drawn.notes
        );
    }

    /// `slow` loses least and `quick` is cheapest: each is on the front, and neither beats `rival` in both; `good` does.
    #[test]
    fn one_learner_wins_both_or_none() {
        let ended = |label: &str, replicate: u64, regret: f64, queries: u64| {
            let (run, rows) = run(label, 10, replicate, regret, &[queries]);
            (RunResult { average_loss: run.cumulative_loss.map(|loss| loss / 10.0), ..run }, rows)
        };
        let runs = |replicate: u64| {
            let more = replicate as f64 * 0.001;
            [("slow", 1.0, 9), ("quick", 4.0, 1), ("rival", 3.0, 5), ("bad", 5.0, 9)]
                .map(|(label, regret, queries)| ended(label, replicate, regret + more, queries + replicate % 2))
        };
        let all = |extra: Option<(f64, u64)>| {
            let mut found = Vec::new();
            for replicate in 0..4 {
                found.extend(runs(replicate));
                found.extend(extra.map(|(regret, queries)| ended("good", replicate, regret, queries)));
            }
            experiment("e", found)
        };
        let text = specification("pareto", "['e']", "show = 'average_loss'\nagainst = 'queries'")
            + "\n[[claims]]\ntext = 't'\nquote = 'q'\nsource = 's'\n\
               test = { both = { lower = ['slow', 'quick', 'good'], higher = 'rival' } }";
        let drawn_of = |text: &str, data: &ExperimentResults| {
            draw(&read("test", text).unwrap().spec, &[data], &FigureContext::default()).unwrap()
        };
        let drawn = |data: &ExperimentResults| drawn_of(&text, data);
        // Nothing is said of one that did not play.
        assert_eq!(drawn(&all(None)).claims[0].outcome, "not tested");
        let apart = drawn_of(&text.replace(", 'good'", ""), &all(None));
        assert_eq!(apart.claims[0].outcome, "contradicted", "{:?}", apart.claims);
        assert!(apart.notes[0].contains("in both means: quick, rival, slow."), "{:?}", apart.notes);
        assert_eq!(apart.finding.as_deref(), Some("3 of 4 learners are on the front."));
        let names: Vec<&str> = apart.panels[0].series.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["Pareto front", "quick", "rival", "slow", "the others"]);
        assert_eq!(apart.panels[0].series[4].names, ["bad"]);
        let won = drawn(&all(Some((2.0, 2))));
        assert_eq!((won.claims[0].outcome.as_str(), won.claims[0].learners[0].as_str()), ("supported", "good"));
        let refused = |from: &str, to: &str| read("test", &text.replace(from, to)).unwrap_err().to_string();
        assert!(refused("both", "bott").contains("bott"));
        assert!(refused("both", "order").contains("`both` is for figures of two quantities"));
        assert!(refused("against = 'queries'", "against = 'quarrels'").contains("quarrels"));
    }
}
