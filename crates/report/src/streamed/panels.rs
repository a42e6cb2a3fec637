//! The pictures of a stream.

use crate::chart::axis::AxisScale;
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint, SeriesShape};
use crate::streamed::story::{IntervalStory, IntervalsSoFar, LossesSoFar, StoryMeasure, StreamStory, WeightStory};

/// From so many rows on their axis is logarithmic: they span decades.
const DECADES: u64 = 300;
/// From this ratio of the largest to the smallest loss on, their axis is logarithmic.
const FAR_APART: f64 = 20.0;
/// Forecasts whose weight is never above this are put together.
const LITTLE: f64 = 0.05;
/// The most forecasts that are shown apart: the looks of a figure can tell so many from each other.
const MOST: usize = 7;
/// The looks of forecasts by their order.
const LOOKS: [&str; MOST] =
    ["forecast 1", "forecast 2", "forecast 3", "forecast 4", "forecast 5", "River, tree", "River, neighbours"];

/// The names of the simple rule and its look.
pub(super) fn usual(measure: StoryMeasure) -> (&'static str, &'static str) {
    match measure {
        StoryMeasure::Squares => ("running mean", "running-mean"),
        StoryMeasure::Classes => ("running majority", "majority"),
    }
}

/// The name of the rule that repeats, and its look.
pub(super) const LAST: (&str, &str) = ("last value", "last-value");

/// Whose loss it is.
type LossOf = fn(&LossesSoFar) -> f64;

/// Average losses over time.
pub(super) fn losses(story: &StreamStory) -> Chart {
    let curve = |of: LossOf| story.losses.iter().map(move |point| (point.rows as f64, of(point)));
    let (usual_loss, last_loss): (LossOf, LossOf) = (|point| point.usual, |point| point.last);
    let own = ChartSeries::line(&story.learner, curve(|point| point.learner)).like(&story.learner, &story.learner);
    let mut series = vec![own];
    // A rule that is the learner itself has one curve.
    let rules = [usual(story.measure), LAST].into_iter().zip([usual_loss, last_loss]);
    series.extend(
        rules
            .filter(|((_, look), _)| *look != story.learner)
            .map(|((name, look), of)| ChartSeries::line(name, curve(of)).like(look, look)),
    );
    let (label, classes) = match story.measure {
        StoryMeasure::Squares => (format!("average squared error of {} so far", plain(&story.target)), false),
        StoryMeasure::Classes => ("share of wrong classes so far".to_owned(), true),
    };
    let values = || series.iter().flat_map(|one| &one.points).map(|point| point.y);
    let (low, high) = values().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
    let log = !classes && low > 0.0 && high > FAR_APART * low;
    let y =
        if log { AxisSpec::log(&label) } else { AxisSpec { limits: (Some(0.0), None), ..AxisSpec::linear(&label) } };
    Chart { series, ..Chart::empty(rows(story.losses.last().map_or(0, |last| last.rows)), y) }
}

/// Text in which nothing is markup, which needs braces.
fn plain(text: &str) -> String {
    text.replace('{', "(").replace('}', ")")
}

fn rows(most: u64) -> AxisSpec {
    let scale = if most >= DECADES { AxisScale::Log } else { AxisScale::Linear };
    AxisSpec { scale, ..AxisSpec::linear("rows with a target so far") }
}

/// The weights of forecasts on top of each other. Those of little weight are one part.
pub(super) fn weights(story: &WeightStory) -> Chart {
    let most = |k: usize| story.points.iter().map(|(_, weights)| weights[k].abs()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..story.names.len()).collect();
    order.sort_by(|a, b| most(*b).total_cmp(&most(*a)));
    let shown = order.iter().filter(|k| most(**k) > LITTLE).count().clamp(1, MOST).min(order.len());
    // One that is left alone needs no other name.
    let shown = if order.len() == shown + 1 && shown < MOST { order.len() } else { shown };
    let (mut apart, rest) = (order[..shown].to_vec(), &order[shown..]);
    apart.sort_unstable();
    let mut parts: Vec<(String, &str, Vec<usize>)> =
        apart.iter().zip(LOOKS).map(|(k, look)| (plain(&story.names[*k]), look, vec![*k])).collect();
    if !rest.is_empty() {
        parts.push(("others".into(), "the others", rest.to_vec()));
    }
    let mut below = vec![0.0; story.points.len()];
    let series = parts.into_iter().map(|(name, look, members)| {
        let points = story.points.iter().zip(&mut below).map(|((rows, weights), bottom)| {
            let part: f64 = members.iter().map(|k| weights[*k]).sum();
            let (x, low) = (*rows as f64, *bottom);
            *bottom += part;
            let (y, band, value) = (*bottom, Some((low, *bottom)), Some([x, part]));
            SeriesPoint { x, y, band, value, ..SeriesPoint::default() }
        });
        let points = points.collect();
        ChartSeries { shape: SeriesShape::Stacked, points, ..ChartSeries::line(name, []) }.like(look, "")
    });
    let series = series.collect();
    Chart {
        series,
        ..Chart::empty(AxisSpec::linear("rows with a target so far"), AxisSpec::linear("weight in the prediction"))
    }
}

/// Coverage with its target, and the mean width.
pub(super) fn intervals(story: &IntervalStory, target: &str) -> [Chart; 2] {
    let most = story.points.last().map_or(0, |last| last.rows);
    let x = |point: &IntervalsSoFar| point.rows as f64;
    let coverage = story.points.iter().map(|point| (x(point), point.coverage));
    let mut series = vec![ChartSeries::line("coverage", coverage).like("ACI", "")];
    if let (Some(level), Some(first)) = (story.level, story.points.first()) {
        series.push(ChartSeries::theory("target level", [(x(first), level), (most as f64, level)]));
    }
    let widths = story.points.iter().filter_map(|point| Some((x(point), point.width?)));
    let width = ChartSeries::line("mean width", widths).like("tracking", "");
    let of_width = AxisSpec {
        limits: (Some(0.0), None),
        ..AxisSpec::linear(&format!("mean width, in units of {}", plain(target)))
    };
    [
        Chart { series, ..Chart::empty(rows(most), AxisSpec::linear("coverage so far")) },
        Chart { series: vec![width], ..Chart::empty(rows(most), of_width) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_of_little_weight_are_one_part() {
        let names = ["a", "b", "c", "d"].map(String::from).to_vec();
        let points = vec![(1, vec![0.25; 4]), (9, vec![0.9, 0.05, 0.03, 0.02])];
        let all = weights(&WeightStory { names: names.clone(), points, note: None });
        assert_eq!(all.series.len(), 4, "each had a quarter once");
        let points = vec![(1, vec![0.97, 0.01, 0.01, 0.01]), (9, vec![0.9, 0.05, 0.03, 0.02])];
        let few = weights(&WeightStory { names, points, note: None });
        assert_eq!(few.series.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["a", "others"]);
        let top = few.series[1].points[1];
        assert!((top.y - 1.0).abs() < 1e-12 && (top.value()[1] - 0.1).abs() < 1e-12, "{top:?}");
    }

    #[test]
    fn a_rule_is_not_compared_with_itself() {
        let losses_so_far = vec![LossesSoFar { rows: 1, learner: 1.0, usual: 1.0, last: 1.0 }];
        let story = StreamStory { learner: "running-mean".into(), losses: losses_so_far, ..StreamStory::default() };
        assert_eq!(losses(&story).series.len(), 2);
    }
}
