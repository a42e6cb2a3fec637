//! Draws one panel into its frame: grid, ticks, axis labels, curves with bands and markers, lines of the theory.

use super::axis::{Axis, AxisScale, Tick, range, ticks};
use super::format::PictureFormat;
use super::palette::{BAR, Color, GREY, GRID, GUIDE_DASH, INK, STACKED, Style, WHITE};
use super::plot::{AxisSpec, Chart, ChartSeries, SeriesPoint, SeriesShape};
use super::scene::{Anchor, Mark, ScenePosition, Stroke};
use super::text::width;

/// The approximate distance of markers along a curve with many points, in pixels of the screen.
const MARKER_STEP: f64 = 74.0;

/// The ranges of a panel's axes.
pub(super) struct Ranges {
    x: (f64, f64),
    y: (f64, f64),
    empty: bool,
}

/// The frame of a panel, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub(crate) right: f64,
    /// Upper edge.
    pub(crate) top: f64,
    /// Lower edge.
    pub(crate) bottom: f64,
}

/// The ranges that hold what a panel shows.
pub(super) fn ranges(chart: &Chart) -> Ranges {
    let points = || chart.series.iter().flat_map(|one| &one.points);
    let empty = points().next().is_none();
    let places: Vec<f64> = points().map(|point| point.x).collect();
    let (low, high) = range(chart.x.scale, places.iter().copied(), 0.0);
    let wide = high - low;
    let ends = points().filter_map(|point| point.across);
    let ends = ends.flat_map(|(from, to)| [from.max(low - 0.5 * wide), to.min(high + 0.5 * wide)]);
    let across = places.iter().copied().chain(ends);
    let upright = chart.guides.iter().filter(|guide| guide.upright).map(|guide| guide.from);
    let x = limits(&chart.x, across.chain(upright), 0.02);
    Ranges { x, y: limits(&chart.y, y_values(chart, x), 0.06), empty }
}

fn limits(spec: &AxisSpec, values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (min, max) = range(spec.scale, values, room);
    let (min, max) = (spec.limits.0.unwrap_or(min), spec.limits.1.unwrap_or(max));
    // A fixed end on the wrong side of the data leaves no range. Then a decade or a unit beyond it is shown.
    let wider = |end: f64| if spec.scale == AxisScale::Log { end * 10.0 } else { end + 1.0 };
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
        AxisScale::Log => (low / 2.0, high * 2.0),
        AxisScale::Linear => (low - (high - low), high + (high - low)),
    };
    let bands: Vec<f64> = points()
        .filter_map(|point| point.band)
        .flat_map(|(below, above)| [below.max(floor), above.min(ceiling)])
        .collect();
    let guides = chart.guides.iter().filter(|guide| !guide.upright);
    let guides: Vec<f64> =
        guides.flat_map(|guide| [guide.from, guide.to].map(|x| guide.factor * x.powf(guide.slope))).collect();
    means.into_iter().chain(bands).chain(guides)
}

/// Whether an abscissa is shown; the ends of an axis may differ from the values there by rounding.
fn within(x: f64, (min, max): (f64, f64)) -> bool {
    let rounding = |end: f64| 1e-12 * end.abs();
    x >= min - rounding(min) && x <= max + rounding(max)
}

/// The ticks of a vertical axis of this height.
pub(super) fn y_ticks(chart: &Chart, ranges: &Ranges, height: f64, format: &PictureFormat) -> Vec<Tick> {
    // Without data any range would be invented, so none is shown.
    let most = (height / (2.6 * format.text)) as usize;
    let chosen = || if ranges.empty { Vec::new() } else { ticks(chart.y.scale, ranges.y.0, ranges.y.1, most) };
    chart.y.ticks.clone().unwrap_or_else(chosen)
}

/// The axes of a panel in its frame.
pub(super) fn axes(chart: &Chart, ranges: &Ranges, frame: Frame, format: &PictureFormat) -> (Axis, Axis) {
    let most = ((frame.right - frame.left) / (4.6 * format.text)) as usize;
    let chosen = || if ranges.empty { Vec::new() } else { ticks(chart.x.scale, ranges.x.0, ranges.x.1, most) };
    let axis = |scale, (min, max), (from, to), ticks| Axis { scale, min, max, from, to, ticks };
    let x_ticks = chart.x.ticks.clone().unwrap_or_else(chosen);
    let y_ticks = y_ticks(chart, ranges, frame.bottom - frame.top, format);
    let x = axis(chart.x.scale, ranges.x, (frame.left, frame.right), x_ticks);
    (x, axis(chart.y.scale, ranges.y, (frame.bottom, frame.top), y_ticks))
}

/// The grid, the ticks with their labels, and the lines of the axes.
pub(super) fn grid(x: &Axis, y: &Axis, names: bool, format: &PictureFormat) -> Vec<Mark> {
    let (left, right, top, bottom) = (x.from, x.to, y.to, y.from);
    let size = format.text;
    let line = |points: Vec<ScenePosition>, color: Color, width: f64| Mark::Line {
        points,
        stroke: Stroke { color, width: width * format.weight, dash: &[] },
        data: false,
    };
    let mut marks = Vec::new();
    for tick in x.ticks.iter().filter(|tick| tick.label.is_some()) {
        let at = x.place(tick.value);
        marks.push(line(vec![(at, top), (at, bottom)], GRID, 1.0));
    }
    for tick in y.ticks.iter().filter(|tick| tick.label.is_some()) {
        let at = y.place(tick.value);
        marks.push(line(vec![(left, at), (right, at)], GRID, 1.0));
    }
    let long = |labelled: bool| format.weight * if labelled { 5.0 } else { 3.0 };
    for tick in &x.ticks {
        let at = x.place(tick.value);
        marks.push(line(vec![(at, bottom), (at, bottom + long(tick.label.is_some()))], INK, 1.0));
    }
    for (value, label) in spaced(x, |label| 0.5 * width(label, size), 0.5 * size) {
        marks.push(Mark::text((x.place(value), bottom + 0.7 * size + size), Anchor::Middle, size, INK, label));
    }
    if !names {
        for tick in &y.ticks {
            let at = y.place(tick.value);
            marks.push(line(vec![(left - long(tick.label.is_some()), at), (left, at)], INK, 1.0));
        }
    }
    for (value, label) in spaced(y, |_| 0.5 * size, 0.1 * size) {
        marks.push(Mark::text((left - 0.7 * size, y.place(value) + 0.36 * size), Anchor::End, size, INK, label));
    }
    marks.push(line(vec![(left, top), (left, bottom), (right, bottom)], INK, 1.2));
    marks
}

/// The labels of an axis, without those that would touch the label before them. `half` is half the extent of a label.
fn spaced(axis: &Axis, half: impl Fn(&str) -> f64, gap: f64) -> Vec<(f64, &str)> {
    let mut shown: Vec<(f64, &str)> = Vec::new();
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for tick in &axis.ticks {
        let Some(label) = &tick.label else { continue };
        let (half, at) = (half(label), axis.place(tick.value));
        if taken.iter().all(|(from, to)| at + half + gap <= *from || at - half - gap >= *to) {
            shown.push((tick.value, label));
            taken.push((at - half, at + half));
        }
    }
    shown
}

/// The marks of a curve: its band or intervals, its line, its markers. `index` spreads the markers of different curves.
pub(super) fn curve(
    series: &ChartSeries,
    style: Style,
    index: usize,
    axes: (&Axis, &Axis),
    format: &PictureFormat,
) -> Vec<Mark> {
    let ((x, y), weight) = (axes, format.weight);
    let shown = |point: &&SeriesPoint| {
        let positive = y.scale == AxisScale::Linear || point.y > 0.0;
        point.y.is_finite() && positive && within(point.x, (x.min, x.max))
    };
    let drawn: Vec<(&SeriesPoint, ScenePosition)> =
        series.points.iter().filter(shown).map(|point| (point, (x.place(point.x), y.place(point.y)))).collect();
    let mut marks = match series.shape {
        SeriesShape::Bars => return bars(&drawn, x, 0.45 * format.text),
        SeriesShape::Dots => whiskers(&drawn, axes, Stroke { color: style.color, width: 1.3 * weight, dash: &[] }),
        shape => line(&drawn, axes, style, shape, weight),
    };
    if matches!(series.shape, SeriesShape::Theory | SeriesShape::Steps | SeriesShape::Plain | SeriesShape::Stacked) {
        return marks;
    }
    let inside = |height: f64| (y.to..=y.from).contains(&height);
    let style = if series.shape == SeriesShape::Dots { style.of_dots() } else { style };
    if let Some(&(_, (at, height))) = drawn.last().filter(|(_, (_, height))| series.stops && inside(*height)) {
        let half = 6.0 * weight;
        let stroke = Stroke { color: style.color, width: 2.4 * weight, dash: &[] };
        marks.push(Mark::Line { points: vec![(at, height - half), (at, height + half)], stroke, data: false });
    }
    // Markers of different curves start at different places, so that curves on top of each other can be told apart.
    let step = MARKER_STEP * weight;
    let mut next = x.from + step * (0.3 + 0.618_034 * index as f64).fract();
    for &(_, (at, height)) in drawn.iter().filter(|(_, (_, height))| inside(*height)) {
        if series.shape != SeriesShape::Line || at >= next {
            marks.extend(symbol((at, height), style, weight));
            next = at + step;
        }
    }
    marks
}

/// Bars of this half height over the intervals of abscissae.
fn bars(drawn: &[(&SeriesPoint, ScenePosition)], x: &Axis, half: f64) -> Vec<Mark> {
    let bar = |&(point, (_, height)): &(&SeriesPoint, ScenePosition)| {
        let (from, to) = point.across?;
        let [left, right] = [from, to].map(|end| x.place(end).clamp(x.from, x.to));
        let body = Mark::rectangle((left, height - half), (right, height + half), BAR, 1.0);
        Some([vec![body], arrows((from, to), height, x, half)].concat())
    };
    drawn.iter().filter_map(bar).flatten().collect()
}

/// An arrow at each end of the axis beyond which an interval goes on.
fn arrows((from, to): (f64, f64), height: f64, x: &Axis, half: f64) -> Vec<Mark> {
    let arrow = |tip: f64, tail: f64| Mark::Area {
        corners: vec![(tip, height), (tail, height - half), (tail, height + half)],
        color: GREY,
        opacity: 1.0,
    };
    let left = (x.place(from) < x.from).then(|| arrow(x.from, x.from + half));
    let right = (x.place(to) > x.to).then(|| arrow(x.to, x.to - half));
    left.into_iter().chain(right).collect()
}

/// The intervals of points that no line joins.
fn whiskers(drawn: &[(&SeriesPoint, ScenePosition)], (x, y): (&Axis, &Axis), stroke: Stroke) -> Vec<Mark> {
    let mut marks = Vec::new();
    for &(point, (at, height)) in drawn {
        let mut whisker = |from, to| marks.push(Mark::Line { points: vec![from, to], stroke, data: false });
        if let Some((below, above)) = point.band {
            let [below, above] = [below, above].map(|end| y.place(end).clamp(y.to, y.from));
            whisker((at, below), (at, above));
        }
        if let Some((from, to)) = point.across {
            let [from, to] = [from, to].map(|end| x.place(end).clamp(x.from, x.to));
            whisker((from, height), (to, height));
        }
        marks.extend(point.across.map(|ends| arrows(ends, height, x, 3.0 * stroke.width)).into_iter().flatten());
    }
    marks
}

/// A line through points, on its band.
fn line(
    drawn: &[(&SeriesPoint, ScenePosition)],
    (_, y): (&Axis, &Axis),
    Style { color, dash, .. }: Style,
    shape: SeriesShape,
    weight: f64,
) -> Vec<Mark> {
    let mut marks = Vec::new();
    let clamp = |value: f64| y.place(value).clamp(y.to, y.from);
    let banded: Vec<(f64, (f64, f64))> = drawn.iter().filter_map(|(point, (at, _))| Some((*at, point.band?))).collect();
    if banded.len() > 1 {
        let upper = banded.iter().map(|(at, (_, above))| (*at, clamp(*above)));
        let lower = banded.iter().rev().map(|(at, (below, _))| (*at, clamp(*below)));
        let opacity = if shape == SeriesShape::Stacked { STACKED } else { 0.18 };
        marks.push(Mark::Area { corners: upper.chain(lower).collect(), color, opacity });
    }
    let grey = matches!(shape, SeriesShape::Theory | SeriesShape::Steps);
    let (color, width) = if grey { (GREY, 1.6) } else { (color, 1.9) };
    let stroke = Stroke { color, width: width * weight, dash: dash.pattern() };
    let mut places: Vec<ScenePosition> = drawn.iter().map(|(_, place)| *place).collect();
    if shape == SeriesShape::Steps {
        let corners = places.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
        places = corners.chain(places.last().copied()).collect();
    }
    marks.extend(cut(&places, y.to, y.from).into_iter().map(|points| Mark::Line { points, stroke, data: true }));
    marks
}

/// A marker with a white rim.
pub(super) fn symbol(at: ScenePosition, style: Style, weight: f64) -> Vec<Mark> {
    let area =
        |radius: f64, color| Mark::Area { corners: style.marker.outline(at, radius * weight), color, opacity: 1.0 };
    let mut marks = vec![area(5.2, WHITE), area(4.0, style.color)];
    if style.hollow {
        marks.push(area(2.4, WHITE));
    }
    marks
}

/// The parts of a line between two heights. A part ends on a height where the line crosses it.
fn cut(places: &[ScenePosition], top: f64, bottom: f64) -> Vec<Vec<ScenePosition>> {
    let inside = |place: &ScenePosition| (top..=bottom).contains(&place.1);
    let mut parts: Vec<Vec<ScenePosition>> = Vec::new();
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

/// The lines of the theory, and their names: each at the end of its line.
pub(super) fn guides(chart: &Chart, x: &Axis, y: &Axis, format: &PictureFormat) -> (Vec<Mark>, Vec<Mark>) {
    let stroke = Stroke { color: GREY, width: 1.6 * format.weight, dash: GUIDE_DASH };
    let (mut lines, mut names) = (Vec::new(), Vec::new());
    let data: Vec<ScenePosition> = chart.series.iter().flat_map(|series| dense(series, x, y)).collect();
    let mut taken: Vec<(ScenePosition, ScenePosition)> = Vec::new();
    for guide in &chart.guides {
        let places: Vec<ScenePosition> = match guide.upright {
            true => vec![(x.place(guide.from), y.from), (x.place(guide.from), y.to)],
            false => guide.ends().map(|(at, value)| (x.place(at), y.place(value))).to_vec(),
        };
        for points in cut(&places, y.to, y.from) {
            let Some(&end) = points.last() else { continue };
            lines.push(Mark::Line { points, stroke, data: false });
            // The name of an upright line would stand on the data; the legend has it.
            if !guide.label.is_empty() && !guide.upright {
                names.extend(name(guide.short(), end, (x, y), &mut taken, &data, format));
            }
        }
    }
    (lines, names)
}

/// Places along a curve, a few pixels apart.
fn dense(series: &ChartSeries, x: &Axis, y: &Axis) -> Vec<ScenePosition> {
    let places: Vec<ScenePosition> = series.points.iter().map(|point| (x.place(point.x), y.place(point.y))).collect();
    let between = places.windows(2).flat_map(|pair| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let steps = ((x1 - x0).hypot(y1 - y0) / 4.0).clamp(1.0, 500.0) as usize;
        (0..=steps).map(move |step| {
            let share = step as f64 / steps as f64;
            (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
        })
    });
    between.collect()
}

/// The name of a line beside its end, on white, where no other name stands and few places of the data are covered; none
/// where there is no room.
fn name(
    markup: &str,
    end: ScenePosition,
    (x, y): (&Axis, &Axis),
    taken: &mut Vec<(ScenePosition, ScenePosition)>,
    data: &[ScenePosition],
    format: &PictureFormat,
) -> Vec<Mark> {
    let size = format.text;
    let long = width(markup, size);
    let right = (end.0 + 0.5 * long).clamp(x.from + long + 2.0, (x.to - 2.0).max(x.from + long + 2.0));
    let mut best: Option<(usize, (ScenePosition, ScenePosition), f64)> = None;
    for lines in [0.5_f64, -1.1, 1.6, -2.2, 2.7, -3.3] {
        let base = end.1 - lines * size;
        let (from, to) = ((right - long - 2.0, base - 0.85 * size), (right + 2.0, base + 0.3 * size));
        let inside = from.1 >= y.to - 1.0 && to.1 <= y.from;
        let free = taken.iter().all(|(a, b)| to.0 <= a.0 || from.0 >= b.0 || to.1 <= a.1 || from.1 >= b.1);
        let covers = |place: &&ScenePosition| (from.0..=to.0).contains(&place.0) && (from.1..=to.1).contains(&place.1);
        // Far from its line a name is less clear.
        let covered = data.iter().filter(covers).count() + (1.5 * lines.abs()) as usize;
        if inside && free && best.is_none_or(|(least, ..)| covered < least) {
            best = Some((covered, (from, to), base));
        }
    }
    let Some((_, (from, to), base)) = best else { return Vec::new() };
    taken.push((from, to));
    vec![Mark::rectangle(from, to, WHITE, 0.8), Mark::text((right, base), Anchor::End, size, GREY, markup)]
}

/// What an empty panel says.
pub(super) fn nothing_to_show(x: &Axis, y: &Axis, format: &PictureFormat) -> Mark {
    let middle = (0.5 * (x.from + x.to), 0.5 * (y.from + y.to));
    Mark::text(middle, Anchor::Middle, format.text, GREY, "no completed runs")
}

impl Ranges {
    /// Whether the panel has no point.
    pub(super) fn is_empty(&self) -> bool {
        self.empty
    }
}

#[cfg(test)]
mod tests {
    use super::{ScenePosition, cut, within};

    #[test]
    fn lines_are_cut_at_the_frame() {
        let line: Vec<ScenePosition> = vec![(0.0, 5.0), (10.0, -5.0), (20.0, 5.0), (30.0, 5.0)];
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
