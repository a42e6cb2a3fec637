//! The names of single points: beside them, where there is room.

use super::axis::Axis;
use super::format::PictureFormat;
use super::palette::GREY;
use super::plot::{Chart, SeriesShape};
use super::scene::{Anchor, Mark, ScenePosition};
use super::text::width;

/// Upper left and lower right corner.
type Area = (ScenePosition, ScenePosition);

fn apart(a: &Area, b: &Area) -> bool {
    a.1.0 <= b.0.0 || a.0.0 >= b.1.0 || a.1.1 <= b.0.1 || a.0.1 >= b.1.1
}

/// The names of points that have one of their own: right of them, left, below or above, wherever they cover no point and
/// no other name inside of the frame. Where there is no such place, the name is in the files alone.
pub(super) fn of_points(chart: &Chart, x: &Axis, y: &Axis, format: &PictureFormat) -> Vec<Mark> {
    let (size, radius) = (format.text, 5.5 * format.weight);
    let place = |(across, up): (f64, f64)| (x.place(across), y.place(up));
    let points = || chart.series.iter().flat_map(|series| &series.points).map(|point| place((point.x, point.y)));
    let around = |(a, b): ScenePosition| ((a - radius, b - radius), (a + radius, b + radius));
    let steps = chart.series.iter().filter(|series| series.shape == SeriesShape::Steps);
    let front = steps.flat_map(|series| series.points.windows(2)).flat_map(|pair| {
        let [from, to] = [&pair[0], &pair[1]].map(|point| place((point.x, point.y)));
        [(from, (to.0, from.1)), ((to.0, from.1), to)]
    });
    let mut taken: Vec<Area> = points().map(around).chain(front).collect();
    let mut marks = Vec::new();
    for (point, name) in chart.series.iter().flat_map(|series| series.points.iter().zip(&series.names)) {
        let (at, long) = (place((point.x, point.y)), width(name, size));
        let (beside, middle) = (radius + 0.2 * size, at.1 + 0.36 * size);
        let (below, above) = (at.1 + beside + 0.9 * size, at.1 - beside - 0.2 * size);
        let beyond = [below, above].map(|base| {
            [
                (Anchor::Middle, (at.0, base), at.0 - 0.5 * long),
                (Anchor::Start, (at.0 - radius, base), at.0 - radius),
                (Anchor::End, (at.0 + radius, base), at.0 + radius - long),
            ]
        });
        let mut places = [
            (Anchor::Start, (at.0 + beside, middle), at.0 + beside),
            (Anchor::End, (at.0 - beside, middle), at.0 - beside - long),
        ]
        .into_iter()
        .chain(beyond.into_iter().flatten());
        let area = |base: f64, left: f64| ((left, base - 0.85 * size), (left + long, base + 0.25 * size));
        let fits = |(from, to): &Area| from.0 >= x.from && to.0 <= x.to && from.1 >= y.to && to.1 <= y.from;
        let free = places.find(|(_, (_, base), left)| {
            let area = area(*base, *left);
            fits(&area) && taken.iter().all(|other| apart(&area, other))
        });
        if let Some((anchor, start, left)) = free {
            taken.push(area(start.1, left));
            marks.push(Mark::text(start, anchor, size, GREY, name));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::axis::AxisScale;
    use crate::chart::plot::{AxisSpec, ChartSeries, SeriesPoint};

    /// The second point has the first one's name to its right, the third lies where the second one's would be.
    #[test]
    fn names_cover_nothing_and_stay_inside() {
        let axis = |from, to| Axis { scale: AxisScale::Linear, min: 0.0, max: 100.0, from, to, ticks: Vec::new() };
        let point = |x, y| SeriesPoint { x, y, ..SeriesPoint::default() };
        let points = vec![point(10.0, 50.0), point(97.0, 50.0), point(97.0, 51.0)];
        let names = ["first", "second", "third"].map(String::from).to_vec();
        let series = vec![ChartSeries { names, ..ChartSeries::dots("others", points) }];
        let chart = Chart { series, ..Chart::empty(AxisSpec::linear("x"), AxisSpec::linear("y")) };
        let marks = of_points(&chart, &axis(0.0, 600.0), &axis(400.0, 0.0), &PictureFormat::WEB);
        let found: Vec<(&str, Anchor, f64)> = marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Text { markup, anchor, at, .. } => Some((markup.as_str(), *anchor, at.1)),
                _ => None,
            })
            .collect();
        let sides: Vec<_> = found.iter().map(|(name, anchor, _)| (*name, *anchor)).collect();
        assert_eq!(sides, [("first", Anchor::Start), ("second", Anchor::End), ("third", Anchor::Middle)]);
        assert!((found[1].2 - found[2].2).abs() > PictureFormat::WEB.text, "{found:?}");
        let narrow = of_points(&chart, &axis(0.0, 30.0), &axis(400.0, 0.0), &PictureFormat::WEB);
        assert!(narrow.is_empty(), "nothing fits: {narrow:?}");
    }
}
