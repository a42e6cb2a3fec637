//! A picture as marks with coordinates, which [`crate::chart::svg`] writes and [`crate::chart::png`]
//! rasterises. The origin is the upper left corner, and the unit is a CSS pixel (1/96 inch).

use crate::chart::axis::Axis;
use crate::chart::palette::Color;

/// A point of the picture: its horizontal and vertical coordinate.
pub(crate) type ScenePosition = (f64, f64);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    /// Its colour.
    pub(crate) color: Color,
    /// Its width.
    pub width: f64,
    /// Lengths that are drawn and skipped in turn; empty for a solid line.
    pub(crate) dash: &'static [f64],
}

/// The part of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// A line through points.
    Line {
        /// The points.
        points: Vec<ScenePosition>,
        /// How it is drawn.
        stroke: Stroke,
        /// Whether these are the data of a curve, from which the page reads values.
        data: bool,
    },
    /// A filled polygon.
    Area {
        /// Its corners.
        corners: Vec<ScenePosition>,
        /// Its colour.
        color: Color,
        /// From 0 (invisible) to 1 (opaque).
        opacity: f64,
    },
    /// A line of text.
    Text {
        /// The position of the anchor, on the base line.
        at: ScenePosition,
        /// The part of the text that is there.
        anchor: Anchor,
        /// Font size.
        size: f64,
        /// Whether it runs upwards.
        upwards: bool,
        /// Its colour.
        color: Color,
        /// The text, in the markup of [`crate::chart::text`].
        markup: String,
    },
}

impl Mark {
    /// A line of text that runs to the right.
    pub(super) fn text(at: ScenePosition, anchor: Anchor, size: f64, color: Color, markup: &str) -> Self {
        Self::Text { at, anchor, size, upwards: false, color, markup: markup.to_owned() }
    }

    /// A rectangle between two corners.
    pub(super) fn rectangle(from: ScenePosition, to: ScenePosition, color: Color, opacity: f64) -> Self {
        Self::Area { corners: vec![from, (to.0, from.1), to, (from.0, to.1)], color, opacity }
    }
}

/// What a group of marks belongs to. The page uses it to hide and show curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    /// Axes, grid and labels.
    Frame,
    /// A curve.
    Series {
        /// The number of its name among the names of the figure.
        curve: usize,
        /// The number of its plot.
        plot: usize,
    },
    /// The legend entry of the curves of that number.
    Legend(usize),
}

/// Marks that belong together, in order of drawing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MarkGroup {
    /// What they belong to.
    pub kind: GroupKind,
    /// The name of the curve; empty for the frame.
    pub name: String,
    /// The marks.
    pub marks: Vec<Mark>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The font families of an SVG.
    pub(crate) font: String,
    /// Short title, for readers who cannot see the picture.
    pub title: String,
    /// What the picture shows, in words.
    pub description: String,
    /// The plots, in order of the panels.
    pub(crate) plots: Vec<Plot>,
    /// The marks.
    pub(crate) groups: Vec<MarkGroup>,
}

/// The axes of a panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plot {
    /// The horizontal axis, from which the page reads values.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
}

impl Scene {
    /// All marks, in order of drawing.
    pub(crate) fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.groups.iter().flat_map(|group| &group.marks)
    }
}

/// A coordinate with at most two decimals, that is, to a hundredth of a pixel.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn coordinates_are_short() {
        assert_eq!([12.0, 12.345, -0.001, 1.5].map(number), ["12", "12.35", "0", "1.5"]);
    }
}
