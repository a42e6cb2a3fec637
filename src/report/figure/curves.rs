//! What figures of curves share: curves to series, in the order and with the looks that the loss and the time figure
//! of one experiment have in common.

use crate::analysis::curve::Curve;
use crate::report::chart::layout::{Series, SeriesPoint};
use crate::report::chart::palette::style;

/// Sorts curves: the labels of `order` first, in that order, then the others by name.
pub fn sort(curves: &mut [Curve], order: &[String]) {
    let rank = |curve: &Curve| order.iter().position(|label| *label == curve.label).unwrap_or(order.len());
    curves.sort_by(|a, b| {
        let key = |curve: &Curve| (rank(curve), curve.label.clone(), curve.stream.clone());
        key(a).cmp(&key(b))
    });
}

/// Series with bands from `from` on; looks go by position. A curve with missing replicates says so in its label.
pub fn series(curves: &[Curve], from: u64, mark_all: bool) -> Vec<Series> {
    let several_streams = curves.iter().any(|curve| curve.stream != curves[0].stream);
    let one = |(index, curve): (usize, &Curve)| {
        let mut label = curve.label.clone();
        if several_streams {
            label = format!("{label}, {}", curve.stream);
        }
        if !curve.tally.complete() {
            label = format!("{label} ({}/{})", curve.tally.done, curve.tally.total());
        }
        let points = curve.points.iter().filter(|point| point.x >= from).map(|point| {
            let mean = point.estimate.mean;
            let band = point.estimate.half_width.map(|half| (mean - half, mean + half));
            SeriesPoint { x: point.x as f64, y: mean, band }
        });
        Series { label, style: style(index), points: points.collect(), mark_all }
    };
    curves.iter().enumerate().map(one).collect()
}
