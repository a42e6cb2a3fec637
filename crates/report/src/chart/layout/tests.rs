//! Where the text of a picture stands.

use super::*;
use crate::chart::plot::{AxisSpec, ChartSeries, Guide};

/// Long labels, many curves, a guide: all text stays in the picture and the legend covers no data.
#[test]
fn labels_stay_in_the_picture_and_off_the_data() {
    let series = |index: usize| {
        let points = (1..50).map(|step| (10f64.powf(0.1 * f64::from(step)), 1e-9 * f64::from(step)));
        ChartSeries::line(format!("PKAWV Nystrom sequential, curve {index}, mu=0.0001 weights=authors"), points)
    };
    let chart = Chart {
        title: String::new(),
        x: AxisSpec::log("round t"),
        y: AxisSpec::log("average squared loss"),
        series: (0..14).map(series).collect(),
        guides: vec![Guide { label: "n^{1/3}".into(), slope: 1.0, factor: 1e-9, from: 1.0, to: 1e5, upright: false }],
    };
    let titled = |title: &str| Chart { title: title.into(), ..chart.clone() };
    for format in PictureFormat::ALL {
        fits(&scene(std::slice::from_ref(&chart), 0, &format, "t", "d"));
        fits(&scene(&["one", "two", "three", "four"].map(titled), 0, &format, "t", "d"));
    }
}

/// Checks that all text is inside of the picture, no text is smaller than it should be, and no legend covers a plot.
fn fits(scene: &Scene) {
    let mut legend_texts = 0;
    for group in &scene.groups {
        for mark in &group.marks {
            let Mark::Text { at, anchor, size, upwards, markup, .. } = mark else { continue };
            assert!(*size >= 8.0 * 96.0 / 72.0 - 1e-9, "`{markup}` is {size} px high");
            let length = width(markup, *size);
            let start = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -0.5 * length,
                Anchor::End => -length,
            };
            let (along, across, limit, other) = match upwards {
                false => (at.0 + start, at.1, scene.width, scene.height),
                true => (scene.height - at.1 + start, at.0, scene.height, scene.width),
            };
            assert!(along >= 0.0 && along + length <= limit, "`{markup}` leaves the picture");
            assert!(across - size >= 0.0 && across + 0.2 * size <= other, "`{markup}` leaves the picture");
            if matches!(group.kind, GroupKind::Legend(_)) {
                legend_texts += 1;
                let free = |plot: &Plot| along > plot.x.to || across - size > plot.y.from || across < plot.y.to;
                assert!(scene.plots.iter().all(free), "`{markup}` covers data");
            }
        }
    }
    assert!(legend_texts >= 14, "every curve is in the legend");
}
