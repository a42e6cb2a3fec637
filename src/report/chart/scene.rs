//! A picture as marks with coordinates: what [`crate::report::chart::svg`] writes and [`crate::report::chart::png`]
//! rasterises. The origin is the upper left corner, the unit a CSS pixel (1/96 inch).

use crate::report::chart::axis::Axis;
use crate::report::chart::palette::Color;

/// A point of the picture.
pub type Place = (f64, f64);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub color: Color,
    /// Its width.
    pub width: f64,
    /// Lengths drawn and skipped in turn; empty for a solid line.
    pub dash: &'static [f64],
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// One mark.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through points.
    Line {
        /// The points.
        points: Vec<Place>,
        /// How it is drawn.
        stroke: Stroke,
        /// Whether these are the data of a curve, from which the page reads values back.
        data: bool,
    },
    /// A filled polygon.
    Area {
        /// Its corners.
        corners: Vec<Place>,
        /// Its colour.
        color: Color,
        /// From 0, invisible, to 1.
        opacity: f64,
    },
    /// A line of text.
    Text {
        /// The anchor's place on the base line.
        at: Place,
        /// Which end stands there.
        anchor: Anchor,
        /// Font size.
        size: f64,
        /// Whether it runs upwards.
        upwards: bool,
        /// Its colour.
        color: Color,
        /// The text, in the markup of [`crate::report::chart::text`].
        markup: String,
    },
}

/// What a group of marks belongs to; the page switches curves by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Axes, grid and labels.
    Frame,
    /// The curve with that number.
    Series(usize),
    /// The legend entry of the curve with that number.
    Legend(usize),
}

/// Marks that belong together, in order of drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they belong to.
    pub part: Part,
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
    /// Short title, for readers that cannot see the picture.
    pub title: String,
    /// What the picture shows, in words.
    pub description: String,
    /// The horizontal axis, from which the page reads values back.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The marks.
    pub groups: Vec<Group>,
}
