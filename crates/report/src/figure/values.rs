//! The values that a figure shows: for its description, from which pages draw live figures, and for its CSV file.

use crate::chart::axis::AxisScale;
use crate::chart::layout::looks;
use crate::chart::palette::{Dash, GREY, GUIDE_DASH, Style, hex};
use crate::chart::plot::{AxisSpec, Chart, ChartSeries, Guide, SeriesPoint, SeriesShape};
use crate::chart::svg::plain;
use crate::chart::theme::Theme;
use crate::exhibit::{CurveValues, PanelValues};

/// The values of every panel, in the colours of a theme. Points that are not finite are left out.
pub(super) fn panels(charts: &[Chart], theme: &Theme) -> Vec<PanelValues> {
    let looks = looks(charts);
    let style = |name: &str| looks.iter().find(|(known, _)| *known == name).map(|(_, style)| *style);
    let axis = |spec: &AxisSpec| (spec.label.clone(), spec.scale == AxisScale::Log);
    let panel = |chart: &Chart| {
        let dressed = |style: Style| Style { color: theme.color(style.color), ..style };
        let curves = chart.series.iter().map(|series| curve(series, style(&series.name).map(dressed)));
        let guides = chart.guides.iter().map(line);
        PanelValues {
            title: chart.title.clone(),
            x: axis(&chart.x),
            y: axis(&chart.y),
            names: names(&chart.y),
            curves: curves.chain(guides).collect(),
        }
    };
    charts.iter().map(panel).collect()
}

/// The names that an axis lists.
fn names(axis: &AxisSpec) -> Vec<String> {
    let ticks = axis.ticks.iter().flatten().filter(|_| axis.names);
    ticks.filter_map(|tick| tick.label.clone()).collect()
}

/// What some points have, or nothing if none has it.
fn given<T>(each: impl Iterator<Item = Option<T>>) -> Vec<Option<T>> {
    let each: Vec<Option<T>> = each.collect();
    if each.iter().any(Option::is_some) { each } else { Vec::new() }
}

fn curve(series: &ChartSeries, style: Option<Style>) -> CurveValues {
    let finite = |(_, point): &(usize, &SeriesPoint)| point.x.is_finite() && point.y.is_finite();
    let (places, points): (Vec<usize>, Vec<&SeriesPoint>) = series.points.iter().enumerate().filter(finite).unzip();
    let counted = points.iter().any(|point| point.replicates.is_some());
    let replicates = points.iter().filter(|_| counted).map(|point| point.replicates.unwrap_or_default() as u64);
    let grey = matches!(series.shape, SeriesShape::Theory | SeriesShape::Steps | SeriesShape::Bars);
    let ends = |(low, high): (f64, f64)| low.is_finite() && high.is_finite();
    let elsewhere = points.iter().any(|point| point.value.is_some());
    CurveValues {
        label: series.name.clone(),
        color: hex(style.filter(|_| !grey).map_or(GREY, |style| style.color)),
        dash: style.map_or(Dash::Solid, |style| style.dash).pattern().to_vec(),
        shape: series.shape,
        stops: series.stops,
        replicates: replicates.collect(),
        x: points.iter().map(|point| point.x).collect(),
        y: points.iter().map(|point| point.y).collect(),
        values: points.iter().filter(|_| elsewhere).map(|point| point.value()).collect(),
        names: places.iter().filter_map(|place| series.names.get(*place).cloned()).collect(),
        half_width: given(points.iter().map(|point| point.half.filter(|half| half.is_finite()))),
        interval: given(points.iter().map(|point| point.band.or(point.across).filter(|found| ends(*found)))),
    }
}

fn line(guide: &Guide) -> CurveValues {
    let (shape, ends) = match guide.upright {
        true => (SeriesShape::Upright, vec![(guide.from, None)]),
        false => (SeriesShape::Theory, guide.ends().map(|(x, y)| (x, Some(y))).to_vec()),
    };
    CurveValues {
        label: guide.label.clone(),
        color: hex(GREY),
        dash: GUIDE_DASH.to_vec(),
        shape,
        stops: false,
        replicates: Vec::new(),
        x: ends.iter().map(|end| end.0).collect(),
        y: ends.iter().filter_map(|end| end.1).collect(),
        values: Vec::new(),
        names: Vec::new(),
        half_width: Vec::new(),
        interval: Vec::new(),
    }
}

/// The values as CSV: panel, curve, x, y, half the width of the interval of a mean, replicates, lower and upper end of the
/// interval as it is drawn, and the kind of mark. A value is what a point stands for, wherever it is drawn, under its own
/// name if it has one. Numbers have the fewest digits that read back as the same number; cells are empty where there is
/// no interval, nothing was measured, or a line has no ordinate. On an axis of names, y is the name.
pub(super) fn csv(panels: &[PanelValues]) -> Result<Vec<u8>, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut row = |cells: [&str; 9]| writer.write_record(cells).map_err(|error| error.to_string());
    row(["panel", "curve", "x", "y", "half_width", "replicates", "low", "high", "mark"])?;
    for panel in panels {
        for curve in &panel.curves {
            let mark = serde_json::to_value(curve.shape).map_err(|error| error.to_string())?;
            for i in 0..curve.x.len() {
                let [x, y] = curve
                    .values
                    .get(i)
                    .map_or_else(|| [Some(curve.x[i]), curve.y.get(i).copied()], |value| value.map(Some));
                let name = plain(curve.names.get(i).unwrap_or(&curve.label));
                let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
                let (low, high) = curve.interval.get(i).copied().flatten().unzip();
                let [half, low, high] = [curve.half_width.get(i).copied().flatten(), low, high].map(number);
                let count = curve.replicates.get(i).filter(|count| **count > 0);
                let count = count.map(u64::to_string).unwrap_or_default();
                let y = y.map(|y| ordinate(panel, y)).unwrap_or_default();
                let mark = mark.as_str().unwrap_or_default();
                row([&plain(&panel.title), &name, &number(x), &y, &half, &count, &low, &high, mark])?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.to_string())
}

/// An ordinate, or the name that it stands for.
fn ordinate(panel: &PanelValues, y: f64) -> String {
    let name = panel.names.get(-y.round() as usize).filter(|_| y.round() <= 0.0);
    name.map_or_else(|| y.to_string(), |name| plain(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::summary::MeanEstimate;

    fn chart() -> Chart {
        let point = |x: f64, y: f64, half: Option<f64>| SeriesPoint {
            x,
            y,
            half,
            band: half.map(|half| (y - half, y + half)),
            replicates: half.map(|_| 5),
            ..SeriesPoint::default()
        };
        let measured =
            ChartSeries::points("n^{2}, \"a\"", vec![point(1.0, 0.1, Some(0.25)), point(2.0, f64::NAN, None)]);
        let guide = Guide { label: "T^{1/2}".into(), slope: 0.5, factor: 2.0, from: 1.0, to: 4.0, upright: false };
        Chart {
            title: "one".into(),
            x: AxisSpec::log("T"),
            y: AxisSpec::linear("regret"),
            series: vec![measured, ChartSeries::line("exact", [(1.0, 1.0 / 3.0)])],
            guides: vec![guide],
        }
    }

    fn written(charts: &[Chart]) -> String {
        String::from_utf8(csv(&panels(charts, &Theme::default())).unwrap()).unwrap()
    }

    #[test]
    fn descriptions_hold_what_is_drawn() {
        let found = panels(&[chart()], &Theme::default());
        assert_eq!((found[0].x.clone(), found[0].y.clone()), (("T".into(), true), ("regret".into(), false)));
        let [measured, exact, guide] = found[0].curves.as_slice() else { panic!("{found:?}") };
        assert_eq!((measured.x.as_slice(), measured.y.as_slice()), (&[1.0][..], &[0.1][..]));
        assert_eq!((measured.half_width.as_slice(), measured.replicates.clone()), (&[Some(0.25)][..], vec![5]));
        assert!(exact.half_width.is_empty() && exact.interval.is_empty() && exact.replicates.is_empty());
        assert_eq!(measured.interval, [Some((0.1 - 0.25, 0.1 + 0.25))]);
        assert_eq!(
            (exact.shape, guide.y.as_slice(), guide.shape),
            (SeriesShape::Line, &[2.0, 4.0][..], SeriesShape::Theory)
        );
        assert!(measured.color.starts_with('#') && measured.color != exact.color);
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        let text = written(&[chart()]);
        let expected = "panel,curve,x,y,half_width,replicates,low,high,mark\n\
                        one,\"n^2, \"\"a\"\"\",1,0.1,0.25,5,-0.15,0.35,marked\n\
                        one,exact,1,0.3333333333333333,,,,,line\none,T^(1/2),1,2,,,,,theory\none,T^(1/2),4,4,,,,,theory\n";
        assert_eq!(text, expected);
    }

    /// A point that is drawn elsewhere than it stands, and one of a name of its own; the control is the same chart without
    /// both, whose rows are those of the picture.
    #[test]
    fn values_are_those_of_the_data_and_not_of_the_picture() {
        let drawn = SeriesPoint { x: 1.0, y: 5.0, ..SeriesPoint::default() };
        let of = |value, names| {
            let points = vec![drawn, SeriesPoint { value, ..drawn }];
            let chart = Chart { series: vec![ChartSeries { names, ..ChartSeries::dots("others", points) }], ..chart() };
            written(&[Chart { guides: Vec::new(), ..chart }])
        };
        let text = of(Some([0.0001, 2.0]), vec!["first".into(), "second".into()]);
        assert_eq!(
            text.lines().skip(1).collect::<Vec<_>>(),
            ["one,first,1,5,,,,,dots", "one,second,0.0001,2,,,,,dots"]
        );
        let picture = of(None, Vec::new());
        assert_eq!(picture.lines().skip(1).collect::<Vec<_>>(), ["one,others,1,5,,,,,dots"; 2]);
    }

    /// On a logarithmic axis an interval is that of the log, here as wide as the mean; on a linear one it is symmetric.
    #[test]
    fn intervals_are_on_the_scales_of_their_axes() {
        let estimate = MeanEstimate { mean: 2.0, half_width: Some(2.0), count: 5 };
        let found = |y: AxisSpec| {
            let series = vec![ChartSeries::points("a", vec![SeriesPoint::mean(1.0, estimate)])];
            let chart = Chart { series, ..Chart::empty(AxisSpec::log("x"), y) }.on_its_scales();
            let told = chart.has_log_intervals();
            let curve = panels(&[chart], &Theme::default()).remove(0).curves.remove(0);
            (curve.interval[0].unwrap(), curve.half_width[0].unwrap(), told)
        };
        assert_eq!(found(AxisSpec::linear("y")), ((0.0, 4.0), 2.0, false));
        let ((low, high), half, told) = found(AxisSpec::log("y"));
        assert!((low - 2.0 / 1f64.exp()).abs() < 1e-12 && (high - 2.0 * 1f64.exp()).abs() < 1e-12);
        assert_eq!((half, told), (2.0, true));
        let beside = SeriesPoint::beside(-1.0, estimate);
        let across = Chart {
            series: vec![ChartSeries::dots("a", vec![beside])],
            ..Chart::empty(AxisSpec::log("x"), AxisSpec::names("", []))
        };
        let (from, to) = across.on_its_scales().series[0].points[0].across.unwrap();
        assert_eq!((beside.across, (from, to)), (Some((0.0, 4.0)), (low, high)));
    }

    #[test]
    fn on_an_axis_of_names_the_name_is_given() {
        let names = AxisSpec::names("", ["first".to_owned(), "second".to_owned()]);
        let dots = ChartSeries::dots(
            "d",
            vec![SeriesPoint { x: 2.0, y: -1.0, across: Some((1.0, 3.0)), ..SeriesPoint::default() }],
        );
        let chart = Chart { y: names, series: vec![dots], guides: Vec::new(), ..chart() };
        assert_eq!(panels(std::slice::from_ref(&chart), &Theme::default())[0].names, ["first", "second"]);
        assert!(written(&[chart]).contains("one,d,2,second,,,1,3,dots\n"));
    }
}
