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
        // Upright lines have no ordinates.
        let guides = chart.guides.iter().filter(|guide| !guide.upright).map(line);
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

/// The points that can be drawn, each with its place in the series.
fn finite(series: &ChartSeries) -> Vec<(usize, &SeriesPoint)> {
    series.points.iter().enumerate().filter(|(_, point)| point.x.is_finite() && point.y.is_finite()).collect()
}

/// Half the width of the interval of a point's measured coordinate.
fn half_width(series: &ChartSeries, point: &SeriesPoint) -> Option<f64> {
    let (low, high) = point.across.or(point.band).filter(|_| series.shape != SeriesShape::Stacked)?;
    Some(0.5 * (high - low)).filter(|half| half.is_finite())
}

fn curve(series: &ChartSeries, style: Option<Style>) -> CurveValues {
    let points: Vec<&SeriesPoint> = finite(series).into_iter().map(|(_, point)| point).collect();
    let halves: Vec<Option<f64>> = points.iter().map(|point| half_width(series, point)).collect();
    let replicates = points.iter().map(|point| point.replicates.unwrap_or_default()).min().unwrap_or_default();
    let theory = matches!(series.shape, SeriesShape::Theory | SeriesShape::Bars);
    let dash = style.map_or(Dash::Solid, |style| style.dash);
    let color = style.filter(|_| !theory).map_or(GREY, |style| style.color);
    CurveValues {
        label: series.name.clone(),
        color: hex(color),
        dash: dash.pattern().to_vec(),
        guide: theory,
        replicates: replicates as u64,
        x: points.iter().map(|point| point.x).collect(),
        y: points.iter().map(|point| point.y).collect(),
        half_width: if halves.iter().any(Option::is_some) { halves } else { Vec::new() },
        seeds: Vec::new(),
    }
}

fn line(guide: &Guide) -> CurveValues {
    CurveValues {
        label: guide.label.clone(),
        color: hex(GREY),
        dash: GUIDE_DASH.to_vec(),
        guide: true,
        replicates: 0,
        x: vec![guide.from, guide.to],
        y: guide.ends().map(|end| end.1).to_vec(),
        half_width: Vec::new(),
        seeds: Vec::new(),
    }
}

/// The values as CSV: panel, curve, x, y, half the width of the interval, replicates. A value is what a point stands for,
/// wherever it is drawn, under its own name if it has one. Numbers have the fewest digits that read back as the same
/// number; cells are empty where there is no interval or nothing was measured. On an axis of names, y is the name.
pub(super) fn csv(charts: &[Chart]) -> Result<Vec<u8>, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut row = |cells: [&str; 6]| writer.write_record(cells).map_err(|error| error.to_string());
    row(["panel", "curve", "x", "y", "half_width", "replicates"])?;
    for chart in charts {
        let title = plain(&chart.title);
        for series in &chart.series {
            for (i, point) in finite(series) {
                let name = plain(series.names.get(i).unwrap_or(&series.name));
                let [x, y] = point.value();
                let half = half_width(series, point).map(|half| half.to_string()).unwrap_or_default();
                let count = point.replicates.map(|count| count.to_string()).unwrap_or_default();
                row([&title, &name, &x.to_string(), &ordinate(chart, y), &half, &count])?;
            }
        }
        for guide in chart.guides.iter().filter(|guide| !guide.upright) {
            for (x, y) in guide.ends() {
                row([&title, &plain(&guide.label), &x.to_string(), &y.to_string(), "", ""])?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.to_string())
}

/// An ordinate, or the name that it stands for.
fn ordinate(chart: &Chart, y: f64) -> String {
    let ticks = chart.y.ticks.as_ref().filter(|_| chart.y.names);
    let name = ticks.and_then(|ticks| ticks.iter().find(|tick| tick.value == y.round())?.label.as_ref());
    name.map_or_else(|| y.to_string(), |name| plain(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let point = |x: f64, y: f64, half: Option<f64>| SeriesPoint {
            x,
            y,
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

    #[test]
    fn descriptions_hold_what_is_drawn() {
        let found = panels(&[chart()], &Theme::default());
        assert_eq!((found[0].x.clone(), found[0].y.clone()), (("T".into(), true), ("regret".into(), false)));
        let [measured, exact, guide] = found[0].curves.as_slice() else { panic!("{found:?}") };
        assert_eq!((measured.x.as_slice(), measured.y.as_slice()), (&[1.0][..], &[0.1][..]));
        assert_eq!((measured.half_width.as_slice(), measured.replicates), (&[Some(0.25)][..], 5));
        assert!(exact.half_width.is_empty() && exact.replicates == 0 && !exact.guide);
        assert_eq!((guide.y.as_slice(), guide.guide), (&[2.0, 4.0][..], true));
        let stacked =
            Chart { series: vec![ChartSeries { shape: SeriesShape::Stacked, ..chart().series.remove(0) }], ..chart() };
        assert!(
            panels(&[stacked], &Theme::default())[0].curves[0].half_width.is_empty(),
            "a part of a whole is no interval"
        );
        assert!(measured.color.starts_with('#') && measured.color != exact.color);
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        let text = String::from_utf8(csv(&[chart()]).unwrap()).unwrap();
        let expected = "panel,curve,x,y,half_width,replicates\none,\"n2, \"\"a\"\"\",1,0.1,0.25,5\n\
                        one,exact,1,0.3333333333333333,,\none,T1/2,1,2,,\none,T1/2,4,4,,\n";
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
            String::from_utf8(csv(&[Chart { guides: Vec::new(), ..chart }]).unwrap()).unwrap()
        };
        let text = of(Some([0.0001, 2.0]), vec!["first".into(), "second".into()]);
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), ["one,first,1,5,,", "one,second,0.0001,2,,"]);
        let picture = of(None, Vec::new());
        assert_eq!(picture.lines().skip(1).collect::<Vec<_>>(), ["one,others,1,5,,"; 2]);
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
        assert!(String::from_utf8(csv(&[chart]).unwrap()).unwrap().contains("one,d,2,second,1,\n"));
    }
}
