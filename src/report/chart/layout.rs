//! Lays out a chart: frame, axes and labels, curves with bands and markers, guides, and a legend. The legend is to the
//! right of the frame, where it covers no data.

use crate::analysis::curve::Point;
use crate::analysis::summary::Estimate;
use crate::report::chart::axis::{Axis, Scale, Tick, range, ticks};
use crate::report::chart::palette::{Color, GREY, GRID, GUIDE_DASH, INK, Style, WHITE, style};
use crate::report::chart::scene::{Anchor, Group, GroupKind, Mark, Position, Scene, Stroke};
use crate::report::chart::text::{width, wrap};

/// A chart on two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The vertical axis.
    pub y: AxisSpec,
    /// The curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Lines of the theory.
    pub guides: Vec<Guide>,
}

/// The specification of an axis.
#[derive(Clone, Debug)]
pub struct AxisSpec {
    /// Its label, in markup.
    pub label: String,
    /// Its scale.
    pub scale: Scale,
    /// Lower and upper end, if they are fixed. Values beyond them are cut off.
    pub limits: (Option<f64>, Option<f64>),
    /// Ticks; chosen automatically if None.
    pub ticks: Option<Vec<Tick>>,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name, in markup.
    pub label: String,
    /// Its points, in order of x.
    pub points: Vec<SeriesPoint>,
    /// Whether every point has a marker. If not, a few markers are spread along the curve.
    pub mark_all: bool,
}

/// A point of a curve with its band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesPoint {
    /// Abscissa.
    pub x: f64,
    /// Ordinate.
    pub y: f64,
    /// Lower and upper edge of the band there.
    pub band: Option<(f64, f64)>,
}

/// The line y = factor x^slope over a range of x, on log-log axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// Its name in the legend, in markup.
    pub label: String,
    /// The exponent.
    pub slope: f64,
    /// The value at x = 1.
    pub factor: f64,
    /// The smallest x.
    pub from: f64,
    /// The largest x.
    pub to: f64,
}

impl AxisSpec {
    /// A logarithmic axis with automatic ends and ticks.
    pub fn log(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Log, limits: (None, None), ticks: None }
    }

    /// A linear axis with automatic ends and ticks.
    pub fn linear(label: &str) -> Self {
        Self { scale: Scale::Linear, ..Self::log(label) }
    }
}

impl Series {
    /// A curve with a marker at every point.
    pub fn points(label: impl Into<String>, points: Vec<SeriesPoint>) -> Self {
        Self { label: label.into(), points, mark_all: true }
    }

    /// A line through points that are known exactly.
    pub fn line(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| SeriesPoint { x, y, band: None }).collect();
        Self { label: label.into(), points, mark_all: false }
    }

    /// The points of a curve of means, with their intervals as bands.
    pub fn means(label: impl Into<String>, points: &[Point], mark_all: bool) -> Self {
        let points = points.iter().map(|point| SeriesPoint::mean(point.x, point.estimate)).collect();
        Self { label: label.into(), points, mark_all }
    }
}

impl SeriesPoint {
    /// A mean with its interval as band.
    pub fn mean(x: f64, Estimate { mean, half_width, .. }: Estimate) -> Self {
        Self { x, y: mean, band: half_width.map(|half| (mean - half, mean + half)) }
    }
}

/// The smallest and the largest abscissa of some curves; None if there are no points.
pub fn extent(series: &[Series]) -> Option<(f64, f64)> {
    let places = series.iter().flat_map(|one| &one.points).map(|point| (point.x, point.x));
    places.reduce(|(low, high), (x, _)| (low.min(x), high.max(x)))
}

const WIDTH: f64 = 760.0;
/// The smallest height.
const HEIGHT: f64 = 430.0;
const TOP: f64 = 14.0;
const TICK_SIZE: f64 = 13.0;
const LABEL_SIZE: f64 = 14.5;
const LEGEND_SIZE: f64 = 12.5;
const LEGEND_LINE: f64 = 16.0;
const LEGEND_GAP: f64 = 5.0;
const SAMPLE: f64 = 34.0;
const LEGEND_LIMIT: f64 = 190.0;
/// The approximate distance of markers along a curve with many points.
const MARKER_STEP: f64 = 74.0;

/// Lays out the chart. The title and the description, which says in words what the chart shows, are not drawn.
pub fn scene(chart: &Chart, title: &str, description: &str) -> Scene {
    let legend = legend_entries(chart);
    let legend_text =
        legend.iter().flat_map(|entry| &entry.lines).map(|line| width(line, LEGEND_SIZE)).fold(0.0, f64::max);
    let legend_width = if legend.is_empty() { 10.0 } else { 16.0 + SAMPLE + 8.0 + legend_text + 10.0 };

    let (x_min, x_max) = limits(&chart.x, chart.series.iter().flat_map(|one| one.points.iter().map(|p| p.x)), 0.02);
    let (y_min, y_max) = limits(&chart.y, y_values(chart, (x_min, x_max)), 0.06);
    let empty = chart.series.iter().all(|series| series.points.is_empty());
    // Without data any range would be invented, so none is shown.
    let chosen = |spec: &AxisSpec, min, max| if empty { Vec::new() } else { ticks(spec.scale, min, max) };
    let y_ticks = chart.y.ticks.clone().unwrap_or_else(|| chosen(&chart.y, y_min, y_max));
    let x_ticks = chart.x.ticks.clone().unwrap_or_else(|| chosen(&chart.x, x_min, x_max));
    let tick_width =
        y_ticks.iter().filter_map(|tick| tick.label.as_ref()).map(|label| width(label, TICK_SIZE)).fold(0.0, f64::max);

    let left = 10.0 + LABEL_SIZE * 1.3 + 6.0 + tick_width + 9.0;
    let right = WIDTH - legend_width;
    // Very long legends make the picture taller.
    let height = HEIGHT.max(2.0 * TOP + legend.iter().map(LegendEntry::height).sum::<f64>());
    let bottom = height - (10.0 + LABEL_SIZE + 10.0 + TICK_SIZE + 7.0);
    let x = Axis { scale: chart.x.scale, min: x_min, max: x_max, from: left, to: right, ticks: x_ticks };
    let y = Axis { scale: chart.y.scale, min: y_min, max: y_max, from: bottom, to: TOP, ticks: y_ticks };

    let mut groups = vec![Group { kind: GroupKind::Frame, name: String::new(), marks: frame(chart, &x, &y, height) }];
    let guides = chart.guides.iter().flat_map(|guide| guide_marks(guide, &x, &y)).collect();
    groups.push(Group { kind: GroupKind::Frame, name: String::new(), marks: guides });
    for (index, series) in chart.series.iter().enumerate() {
        let marks = series_marks(series, index, &x, &y);
        groups.push(Group { kind: GroupKind::Series(index), name: series.label.clone(), marks });
    }
    if empty {
        groups.push(Group { kind: GroupKind::Frame, name: String::new(), marks: vec![nothing_to_show(&x, &y)] });
    }
    groups.extend(legend_groups(&legend, right + 16.0));
    Scene { width: WIDTH, height, title: title.to_owned(), description: description.to_owned(), x, y, groups }
}

fn limits(spec: &AxisSpec, values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (min, max) = range(spec.scale, values, room);
    let (min, max) = (spec.limits.0.unwrap_or(min), spec.limits.1.unwrap_or(max));
    // A fixed end on the wrong side of the data leaves no range. Then a decade or a unit beyond it is shown.
    let wider = |end: f64| if spec.scale == Scale::Log { end * 10.0 } else { end + 1.0 };
    if min < max { (min, max) } else { (min, wider(min)) }
}

/// The values that the vertical axis should contain: the curves, the guides, and the bands unless they are much wider
/// than the curves.
fn y_values(chart: &Chart, x_range: (f64, f64)) -> impl Iterator<Item = f64> {
    let shown = |point: &&SeriesPoint| within(point.x, x_range);
    let points = || chart.series.iter().flat_map(|series| &series.points).filter(shown);
    let means: Vec<f64> = points().map(|point| point.y).collect();
    let (low, high) = range(chart.y.scale, means.iter().copied(), 0.0);
    let (floor, ceiling) = match chart.y.scale {
        Scale::Log => (low / 2.0, high * 2.0),
        Scale::Linear => (low - (high - low), high + (high - low)),
    };
    let bands: Vec<f64> = points()
        .filter_map(|point| point.band)
        .flat_map(|(below, above)| [below.max(floor), above.min(ceiling)])
        .collect();
    let guides: Vec<f64> = chart
        .guides
        .iter()
        .flat_map(|guide| [guide.from, guide.to].map(|x| guide.factor * x.powf(guide.slope)))
        .collect();
    means.into_iter().chain(bands).chain(guides)
}

/// Whether an abscissa is shown; the ends of an axis may differ from the values there by rounding.
fn within(x: f64, (min, max): (f64, f64)) -> bool {
    let rounding = |end: f64| 1e-12 * end.abs();
    x >= min - rounding(min) && x <= max + rounding(max)
}

fn frame(chart: &Chart, x: &Axis, y: &Axis, height: f64) -> Vec<Mark> {
    let (left, right, top, bottom) = (x.from, x.to, y.to, y.from);
    let line = |points: Vec<Position>, color: Color, width: f64| Mark::Line {
        points,
        stroke: Stroke { color, width, dash: &[] },
        data: false,
    };
    let text = |at: Position, anchor, size, upwards, markup: &str| Mark::Text {
        at,
        anchor,
        size,
        upwards,
        color: INK,
        markup: markup.to_owned(),
    };
    let mut marks = vec![Mark::Area {
        corners: vec![(0.0, 0.0), (WIDTH, 0.0), (WIDTH, height), (0.0, height)],
        color: WHITE,
        opacity: 1.0,
    }];
    for tick in x.ticks.iter().filter(|tick| tick.label.is_some()) {
        let at = x.place(tick.value);
        marks.push(line(vec![(at, top), (at, bottom)], GRID, 1.0));
    }
    for tick in y.ticks.iter().filter(|tick| tick.label.is_some()) {
        let at = y.place(tick.value);
        marks.push(line(vec![(left, at), (right, at)], GRID, 1.0));
    }
    for tick in &x.ticks {
        let at = x.place(tick.value);
        let length = if tick.label.is_some() { 5.0 } else { 3.0 };
        marks.push(line(vec![(at, bottom), (at, bottom + length)], INK, 1.0));
    }
    for (value, label) in spaced_labels(x) {
        let at = (x.place(value), bottom + 9.0 + TICK_SIZE);
        marks.push(text(at, Anchor::Middle, TICK_SIZE, false, label));
    }
    for tick in &y.ticks {
        let at = y.place(tick.value);
        let length = if tick.label.is_some() { 5.0 } else { 3.0 };
        marks.push(line(vec![(left - length, at), (left, at)], INK, 1.0));
        if let Some(label) = &tick.label {
            marks.push(text((left - 9.0, at + 0.36 * TICK_SIZE), Anchor::End, TICK_SIZE, false, label));
        }
    }
    marks.push(line(vec![(left, top), (left, bottom), (right, bottom)], INK, 1.2));
    marks.push(text((0.5 * (left + right), height - 11.0), Anchor::Middle, LABEL_SIZE, false, &chart.x.label));
    marks.push(text((8.0 + LABEL_SIZE, 0.5 * (top + bottom)), Anchor::Middle, LABEL_SIZE, true, &chart.y.label));
    marks
}

/// The labels of a horizontal axis, without those that would touch the label before them.
fn spaced_labels(x: &Axis) -> Vec<(f64, &str)> {
    let mut shown = Vec::new();
    let mut free_from = f64::NEG_INFINITY;
    for tick in &x.ticks {
        let Some(label) = &tick.label else { continue };
        let half = 0.5 * width(label, TICK_SIZE);
        let at = x.place(tick.value);
        if at - half >= free_from {
            shown.push((tick.value, label.as_str()));
            free_from = at + half + 6.0;
        }
    }
    shown
}

fn series_marks(series: &Series, index: usize, x: &Axis, y: &Axis) -> Vec<Mark> {
    let Style { color, dash, marker } = style(index);
    let mut marks = Vec::new();
    let clamp = |value: f64| value.clamp(y.to, y.from);
    let drawn: Vec<&SeriesPoint> = series
        .points
        .iter()
        .filter(|point| {
            let positive = y.scale == Scale::Linear || point.y > 0.0;
            point.y.is_finite() && positive && within(point.x, (x.min, x.max))
        })
        .collect();
    let banded: Vec<(f64, (f64, f64))> =
        drawn.iter().filter_map(|point| Some((x.place(point.x), point.band?))).collect();
    if banded.len() > 1 {
        let upper = banded.iter().map(|(at, (_, above))| (*at, clamp(y.place(*above))));
        let lower = banded.iter().rev().map(|(at, (below, _))| (*at, clamp(y.place(*below))));
        marks.push(Mark::Area { corners: upper.chain(lower).collect(), color, opacity: 0.18 });
    }
    let places: Vec<Position> = drawn.iter().map(|point| (x.place(point.x), y.place(point.y))).collect();
    for points in cut(&places, y.to, y.from) {
        marks.push(Mark::Line { points, stroke: Stroke { color, width: 1.9, dash }, data: true });
    }
    // Markers of different curves start at different places, so that curves on top of each other can be told apart.
    let mut next = x.from + MARKER_STEP * (0.3 + 0.618_034 * index as f64).fract();
    for &(at, height) in places.iter().filter(|(_, height)| (y.to..=y.from).contains(height)) {
        if series.mark_all || at >= next {
            marks.push(Mark::Area { corners: marker.outline((at, height), 5.2), color: WHITE, opacity: 1.0 });
            marks.push(Mark::Area { corners: marker.outline((at, height), 4.0), color, opacity: 1.0 });
            next = at + MARKER_STEP;
        }
    }
    marks
}

/// The parts of a line between two heights. A part ends on a height where the line crosses it.
fn cut(places: &[Position], top: f64, bottom: f64) -> Vec<Vec<Position>> {
    let inside = |place: &Position| (top..=bottom).contains(&place.1);
    let mut parts: Vec<Vec<Position>> = Vec::new();
    let mut open = false;
    for (index, place) in places.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).map(|index| places[index])
            && inside(&before) != inside(place)
        {
            let edge = if before.1.min(place.1) < top { top } else { bottom };
            let share = (edge - before.1) / (place.1 - before.1);
            let crossing = (before.0 + share * (place.0 - before.0), edge);
            if inside(&before) {
                if let Some(part) = parts.last_mut() {
                    part.push(crossing);
                }
            } else {
                parts.push(vec![crossing]);
                open = true;
            }
        }
        if inside(place) {
            if open && let Some(part) = parts.last_mut() {
                part.push(*place);
            } else {
                parts.push(vec![*place]);
            }
        }
        open = inside(place);
    }
    parts.retain(|part| part.len() > 1);
    parts
}

fn guide_marks(guide: &Guide, x: &Axis, y: &Axis) -> Vec<Mark> {
    let places: Vec<Position> =
        [guide.from, guide.to].map(|at| (x.place(at), y.place(guide.factor * at.powf(guide.slope)))).to_vec();
    cut(&places, y.to, y.from)
        .into_iter()
        .map(|points| Mark::Line { points, stroke: guide_stroke(), data: false })
        .collect()
}

fn guide_stroke() -> Stroke {
    Stroke { color: GREY, width: 1.6, dash: GUIDE_DASH }
}

fn nothing_to_show(x: &Axis, y: &Axis) -> Mark {
    Mark::Text {
        at: (0.5 * (x.from + x.to), 0.5 * (y.from + y.to)),
        anchor: Anchor::Middle,
        size: LABEL_SIZE,
        upwards: false,
        color: GREY,
        markup: "no completed runs".into(),
    }
}

/// A legend entry before it is placed.
struct LegendEntry {
    kind: GroupKind,
    name: String,
    lines: Vec<String>,
    symbol: LegendSymbol,
}

impl LegendEntry {
    fn height(&self) -> f64 {
        LEGEND_LINE * self.lines.len() as f64 + LEGEND_GAP
    }
}

enum LegendSymbol {
    Curve(Style),
    Guide,
    NoData,
}

fn legend_entries(chart: &Chart) -> Vec<LegendEntry> {
    let curves = chart.series.iter().enumerate().map(|(index, series)| LegendEntry {
        kind: GroupKind::Legend(index),
        name: series.label.clone(),
        lines: wrap(&series.label, LEGEND_SIZE, LEGEND_LIMIT),
        symbol: if series.points.is_empty() { LegendSymbol::NoData } else { LegendSymbol::Curve(style(index)) },
    });
    let guides = chart.guides.iter().map(|guide| LegendEntry {
        kind: GroupKind::Frame,
        name: String::new(),
        lines: wrap(&guide.label, LEGEND_SIZE, LEGEND_LIMIT),
        symbol: LegendSymbol::Guide,
    });
    curves.chain(guides).collect()
}

fn legend_groups(entries: &[LegendEntry], left: f64) -> Vec<Group> {
    let mut at = TOP + 2.0;
    let mut groups = Vec::new();
    for entry in entries {
        let middle = at + 0.5 * LEGEND_LINE;
        let mut marks = Vec::new();
        let sample = |stroke| Mark::Line { points: vec![(left, middle), (left + SAMPLE, middle)], stroke, data: false };
        match &entry.symbol {
            LegendSymbol::Curve(style) => {
                let center = (left + 0.5 * SAMPLE, middle);
                marks.push(sample(Stroke { color: style.color, width: 1.9, dash: style.dash }));
                marks.push(Mark::Area { corners: style.marker.outline(center, 5.2), color: WHITE, opacity: 1.0 });
                marks.push(Mark::Area { corners: style.marker.outline(center, 4.0), color: style.color, opacity: 1.0 });
            }
            LegendSymbol::Guide => marks.push(sample(guide_stroke())),
            LegendSymbol::NoData => {}
        }
        for (index, line) in entry.lines.iter().enumerate() {
            marks.push(Mark::Text {
                at: (left + SAMPLE + 8.0, middle + 0.36 * LEGEND_SIZE + LEGEND_LINE * index as f64),
                anchor: Anchor::Start,
                size: LEGEND_SIZE,
                upwards: false,
                color: if matches!(entry.symbol, LegendSymbol::Curve(_)) { INK } else { GREY },
                markup: line.clone(),
            });
        }
        groups.push(Group { kind: entry.kind, name: entry.name.clone(), marks });
        at += entry.height();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{Position, cut, within};

    #[test]
    fn lines_are_cut_at_the_frame() {
        let line: Vec<Position> = vec![(0.0, 5.0), (10.0, -5.0), (20.0, 5.0), (30.0, 5.0)];
        let parts = cut(&line, 0.0, 10.0);
        assert_eq!(parts, [vec![(0.0, 5.0), (5.0, 0.0)], vec![(15.0, 0.0), (20.0, 5.0), (30.0, 5.0)]]);
        assert_eq!(cut(&line, -10.0, 10.0), std::slice::from_ref(&line));
        assert!(cut(&[(0.0, 20.0), (1.0, 30.0)], 0.0, 10.0).is_empty());
    }

    /// Also at ends below zero, where a factor would move them inwards.
    #[test]
    fn points_at_the_ends_of_an_axis_are_shown() {
        for (min, max) in [(-4.0, -1.0), (-1.0, 1.0), (0.0, 3.0), (1.0, 1e6)] {
            assert!(within(min, (min, max)) && within(max, (min, max)), "{min} to {max}");
            assert!(!within(min - 1e-6, (min, max)) && !within(max + 1e-3, (min, max)), "{min} to {max}");
        }
    }
}
