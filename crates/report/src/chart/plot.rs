//! What a figure shows, before anything is placed: panels with axes, curves and lines of the theory.

use serde::{Deserialize, Serialize};

use super::axis::{AxisScale, Tick};
use crate::analysis::curve::CurvePoint;
use crate::analysis::summary::MeanEstimate;

/// A chart on two axes: one panel of a figure.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its heading, in markup; empty if the figure has a single panel.
    pub title: String,
    /// The horizontal axis.
    pub x: AxisSpec,
    /// The vertical axis.
    pub y: AxisSpec,
    /// The curves, in the order of the legend.
    pub series: Vec<ChartSeries>,
    /// Lines of the theory.
    pub guides: Vec<Guide>,
}

/// The specification of an axis.
#[derive(Clone, Debug)]
pub struct AxisSpec {
    /// Its label, in markup.
    pub label: String,
    /// Its scale.
    pub(crate) scale: AxisScale,
    /// Lower and upper end, if they are fixed. Values beyond them are cut off.
    pub(crate) limits: (Option<f64>, Option<f64>),
    /// Ticks; chosen automatically if None.
    pub(crate) ticks: Option<Vec<Tick>>,
    /// Whether it is a list of names at 0, 1, 2, ..., from the top.
    pub names: bool,
}

/// How a curve is drawn, in every form of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesShape {
    /// A line with a few markers along it.
    Line,
    /// A line with a marker at every point.
    Marked,
    /// Markers with intervals, which no line joins.
    Dots,
    /// Grey bars over the intervals of the abscissae.
    Bars,
    /// A line without markers.
    Plain,
    /// A thin grey line without markers: theory.
    Theory,
    /// A thin grey line that keeps the ordinate of a point up to the abscissa of the next one.
    Steps,
    /// An upright grey line over the whole height.
    Upright,
    /// A line like that of `Line` on an area: the band of a point is a part of a whole, not an interval.
    Stacked,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct ChartSeries {
    /// Its name, in markup.
    pub name: String,
    /// The label that its look follows from; the name, where it is no part of it.
    pub label: String,
    /// The registered name of its learner; empty if it has none.
    pub learner: String,
    /// Its points, in order of x.
    pub points: Vec<SeriesPoint>,
    /// The name of each point, where they do not share that of the series.
    pub names: Vec<String>,
    /// How it is drawn.
    pub shape: SeriesShape,
    /// Whether it ends early, which a bar shows.
    pub(crate) stops: bool,
}

/// A point of a curve with its intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesPoint {
    /// Abscissa.
    pub x: f64,
    /// Ordinate.
    pub y: f64,
    /// Half the width of the interval of a mean, as tables tell it.
    pub(crate) half: Option<f64>,
    /// Lower and upper end of the interval of the ordinate, as it is drawn.
    pub(crate) band: Option<(f64, f64)>,
    /// Lower and upper end of the interval of the abscissa, as it is drawn.
    pub(crate) across: Option<(f64, f64)>,
    /// The number of replicates that it is the mean of; none where it is known exactly.
    pub replicates: Option<usize>,
    /// The abscissa and the ordinate that it stands for, where it is drawn elsewhere: on top of others, or at an edge.
    pub value: Option<[f64; 2]>,
}

impl SeriesPoint {
    /// The abscissa and the ordinate that it stands for.
    pub(crate) fn value(&self) -> [f64; 2] {
        self.value.unwrap_or([self.x, self.y])
    }
}

/// The line y = factor x^slope over a range of x, on log-log axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// Its name, in markup, which stands at its end; what follows in parentheses stands in the legend only.
    pub label: String,
    /// The exponent.
    pub slope: f64,
    /// The value at x = 1.
    pub factor: f64,
    /// The smallest x.
    pub from: f64,
    /// The largest x.
    pub to: f64,
    /// Whether it is a vertical line at `from`, over the whole height.
    pub upright: bool,
}

impl Chart {
    /// A chart without data.
    pub fn empty(x: AxisSpec, y: AxisSpec) -> Self {
        Self { title: String::new(), x, y, series: Vec::new(), guides: Vec::new() }
    }

    /// The same chart with the intervals of means on the scales of their axes: on a logarithmic one they are those of the
    /// logs of the means, which stay positive. Every form of a figure shows these.
    pub(crate) fn on_its_scales(mut self) -> Self {
        let [x, y] = [&self.x, &self.y].map(|axis| axis.scale == AxisScale::Log);
        for point in self.series.iter_mut().flat_map(|one| &mut one.points) {
            let Some(half) = point.half else { continue };
            if let (true, Some(band)) = (y, &mut point.band) {
                *band = of_log(point.y, half).unwrap_or(*band);
            }
            if let (true, Some(across)) = (x, &mut point.across) {
                *across = of_log(point.x, half).unwrap_or(*across);
            }
        }
        self
    }

    /// The names of the curves that lie on one side of a fixed range of an axis as a whole.
    pub(crate) fn outside(&self) -> impl Iterator<Item = &str> {
        // What a logarithmic axis cannot show is told of by itself.
        let log = self.y.scale == AxisScale::Log;
        let positive = move |point: &&SeriesPoint| !log || point.y > 0.0;
        let beyond = |value: f64, (min, max): (Option<f64>, Option<f64>)| {
            [min.is_some_and(|min| value < min), max.is_some_and(|max| value > max)]
        };
        let outside = move |one: &&ChartSeries| {
            let points = one.points.iter().filter(positive);
            let sides = points.map(|point| [beyond(point.x, self.x.limits), beyond(point.y, self.y.limits)].concat());
            let all = sides.reduce(|all, own| all.iter().zip(own).map(|(all, own)| *all && own).collect());
            all.is_some_and(|sides| sides.contains(&true))
        };
        self.series.iter().filter(outside).map(|one| &*one.name)
    }

    /// Whether a logarithmic axis has intervals of means.
    pub(crate) fn has_log_intervals(&self) -> bool {
        let [x, y] = [&self.x, &self.y].map(|axis| axis.scale == AxisScale::Log);
        let points = || self.series.iter().flat_map(|one| &one.points).filter(|point| point.half.is_some());
        points().any(|point| (y && point.band.is_some()) || (x && point.across.is_some()))
    }
}

/// The interval of the log of a positive mean m with half width h, by the delta method: m exp(-h / m) to m exp(h / m).
fn of_log(mean: f64, half: f64) -> Option<(f64, f64)> {
    (mean > 0.0).then(|| (mean * (-half / mean).exp(), mean * (half / mean).exp()))
}

impl AxisSpec {
    /// A logarithmic axis with automatic ends and ticks.
    pub fn log(label: &str) -> Self {
        Self { label: label.to_owned(), scale: AxisScale::Log, limits: (None, None), ticks: None, names: false }
    }

    /// A linear axis with automatic ends and ticks.
    pub fn linear(label: &str) -> Self {
        Self { scale: AxisScale::Linear, ..Self::log(label) }
    }

    /// A vertical axis of names, the first one at the top. The ordinate of name i is -i.
    pub fn names(label: &str, names: impl IntoIterator<Item = String>) -> Self {
        let tick = |(index, name)| Tick { value: -(index as f64), label: Some(name) };
        let ticks: Vec<Tick> = names.into_iter().enumerate().map(tick).collect();
        let limits = (Some(0.5 - ticks.len().max(1) as f64), Some(0.5));
        Self { ticks: Some(ticks), limits, names: true, ..Self::linear(label) }
    }
}

impl ChartSeries {
    /// A curve with a marker at every point.
    pub(crate) fn points(name: impl Into<String>, points: Vec<SeriesPoint>) -> Self {
        let name = name.into();
        let (label, names) = (name.clone(), Vec::new());
        Self { label, name, learner: String::new(), points, names, shape: SeriesShape::Marked, stops: false }
    }

    /// Markers that no line joins.
    pub(crate) fn dots(name: impl Into<String>, points: Vec<SeriesPoint>) -> Self {
        Self { shape: SeriesShape::Dots, ..Self::points(name, points) }
    }

    /// Grey bars over the intervals of the abscissae.
    pub(crate) fn bars(name: impl Into<String>, points: Vec<SeriesPoint>) -> Self {
        Self { shape: SeriesShape::Bars, ..Self::points(name, points) }
    }

    /// A line through points that are known exactly.
    pub fn line(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| SeriesPoint { x, y, ..SeriesPoint::default() }).collect();
        Self { shape: SeriesShape::Line, ..Self::points(name, points) }
    }

    /// A line without markers, through points that are known exactly.
    pub(crate) fn plain(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { shape: SeriesShape::Plain, ..Self::line(name, points) }
    }

    /// A front: a step at each of these points, in order of x.
    pub(crate) fn steps(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { shape: SeriesShape::Steps, ..Self::line(name, points) }
    }

    /// A line of the theory through given points.
    pub(crate) fn theory(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { shape: SeriesShape::Theory, ..Self::line(name, points) }
    }

    /// The points of a curve of means, with their intervals as bands.
    pub(crate) fn means(name: impl Into<String>, points: &[CurvePoint], mark_all: bool) -> Self {
        let points = points.iter().map(|point| SeriesPoint::mean(point.x, point.estimate)).collect();
        let shape = if mark_all { SeriesShape::Marked } else { SeriesShape::Line };
        Self { shape, ..Self::points(name, points) }
    }

    /// The same curve with the look of a label and a learner.
    pub fn like(self, label: impl Into<String>, learner: impl Into<String>) -> Self {
        Self { label: label.into(), learner: learner.into(), ..self }
    }
}

impl SeriesPoint {
    /// A mean with its interval as band.
    pub(crate) fn mean(x: f64, MeanEstimate { mean, half_width, count }: MeanEstimate) -> Self {
        let band = half_width.map(|half| (mean - half, mean + half));
        Self { x, y: mean, half: half_width, band, replicates: Some(count), ..Self::default() }
    }

    /// A mean on the horizontal axis, in the row of this ordinate.
    pub(crate) fn beside(y: f64, estimate: MeanEstimate) -> Self {
        let Self { y: mean, band, .. } = Self::mean(0.0, estimate);
        Self { x: mean, y, band: None, across: band, ..Self::mean(0.0, estimate) }
    }
}

impl Guide {
    /// What stands at the end of the line: its name without the source in parentheses, which the legend gives.
    pub(crate) fn short(&self) -> &str {
        self.label.split_once(" (").map_or(&self.label, |(short, _)| short)
    }

    /// The ends of a line that is not upright.
    pub(crate) fn ends(&self) -> [(f64, f64); 2] {
        [self.from, self.to].map(|x| (x, self.factor * x.powf(self.slope)))
    }

    /// A horizontal line over a range of x.
    pub(crate) fn level(label: impl Into<String>, at: f64, (from, to): (f64, f64)) -> Self {
        Self { label: label.into(), slope: 0.0, factor: at, from, to, upright: false }
    }

    /// A vertical line.
    pub(crate) fn upright(label: impl Into<String>, at: f64) -> Self {
        Self { label: label.into(), slope: 0.0, factor: 0.0, from: at, to: at, upright: true }
    }
}

/// The smallest and the largest abscissa of some curves; None if there are no points.
pub(crate) fn extent(series: &[ChartSeries]) -> Option<(f64, f64)> {
    let places = series.iter().flat_map(|one| &one.points).map(|point| (point.x, point.x));
    places.reduce(|(low, high), (x, _)| (low.min(x), high.max(x)))
}
