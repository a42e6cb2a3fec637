//! The styles of curves: colour, dashes and marker, so that curves can be told apart without colour too.

use serde::Deserialize;

/// Red, green, blue.
pub(crate) type Color = (u8, u8, u8);

/// A colour as it is written: `#0053a4`.
pub(crate) fn hex((red, green, blue): Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text and axes.
pub(crate) const INK: Color = (34, 34, 34);
/// Ticks, guides and notes.
pub(crate) const GREY: Color = (110, 110, 110);
/// Grid lines.
pub(crate) const GRID: Color = (228, 228, 228);
/// Bars behind the data.
pub(crate) const BAR: Color = (205, 205, 205);
/// How dense the areas of parts of a whole are.
pub(crate) const STACKED: f64 = 0.7;
/// Paper.
pub(crate) const WHITE: Color = (255, 255, 255);

/// The dashes of theory guides, in units of the picture: lengths that are drawn and skipped in turn.
pub(crate) const GUIDE_DASH: &[f64] = &[2.0, 3.0];

/// A colour family. Its members go from dark to light at equal steps of lightness (OKLCH), and the lightest still has a
/// contrast of 3:1 on white.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Hue {
    Ink,
    Blue,
    Vermilion,
    Teal,
    Purple,
    Olive,
    Magenta,
    Green,
}

/// The number of steps of lightness of a hue.
pub(crate) const STEPS: usize = 4;

impl Hue {
    /// Every hue, in the order in which unknown labels get them.
    pub(crate) const ALL: [Self; 8] =
        [Self::Blue, Self::Vermilion, Self::Teal, Self::Purple, Self::Olive, Self::Magenta, Self::Green, Self::Ink];

    /// The colour at a step of lightness, from 0 (darkest); steps beyond the lightest begin again.
    pub(crate) fn step(self, step: usize) -> Color {
        let steps: [Color; STEPS] = match self {
            Self::Ink => [(0, 0, 0), (66, 66, 66), (99, 99, 99), (134, 134, 134)],
            Self::Blue => [(1, 52, 107), (0, 83, 164), (26, 115, 213), (63, 147, 247)],
            Self::Vermilion => [(93, 31, 1), (143, 52, 3), (193, 72, 2), (237, 95, 24)],
            Self::Teal => [(0, 63, 57), (5, 99, 91), (4, 135, 124), (2, 164, 150)],
            Self::Purple => [(70, 0, 127), (104, 45, 172), (136, 81, 209), (166, 112, 243)],
            Self::Olive => [(64, 53, 2), (101, 84, 1), (138, 115, 4), (171, 144, 23)],
            Self::Magenta => [(99, 2, 63), (152, 3, 99), (195, 46, 133), (230, 82, 163)],
            Self::Green => [(2, 66, 13), (3, 104, 25), (17, 141, 41), (60, 167, 70)],
        };
        steps[step % STEPS]
    }
}

/// How a line is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Dash {
    Solid,
    Dashed,
    DashDot,
    Dotted,
}

impl Dash {
    /// Every pattern, in the order in which curves of one colour get them.
    pub(crate) const ALL: [Self; 4] = [Self::Solid, Self::Dashed, Self::DashDot, Self::Dotted];

    /// Lengths that are drawn and skipped in turn, in units of the picture; empty for a solid line.
    pub(crate) fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[7.0, 3.0],
            Self::DashDot => &[8.0, 3.0, 2.0, 3.0],
            Self::Dotted => &[2.0, 2.5],
        }
    }
}

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Nabla,
}

impl Style {
    /// The same without a line: a curve of dashes has hollow markers.
    pub(super) fn of_dots(self) -> Self {
        Self { hollow: self.hollow || self.dash != Dash::Solid, ..self }
    }
}

impl Marker {
    /// Every shape, in the order in which unknown labels get them.
    pub(crate) const ALL: [Self; 5] = [Self::Circle, Self::Square, Self::Triangle, Self::Diamond, Self::Nabla];
}

/// The style of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Colour of line, band and markers.
    pub color: Color,
    /// How its line is interrupted.
    pub dash: Dash,
    /// Shape of the markers.
    pub(crate) marker: Marker,
    /// Whether its markers are outlines.
    pub hollow: bool,
}

impl Style {
    /// Whether a reader would take two curves for one: nearly the same colour with the same dashes.
    pub fn resembles(&self, other: &Self) -> bool {
        let apart = |a: u8, b: u8| (i32::from(a) - i32::from(b)).abs();
        let (a, b) = (self.color, other.color);
        apart(a.0, b.0) + apart(a.1, b.1) + apart(a.2, b.2) < 40 && self.dash == other.dash
    }
}

impl Marker {
    /// The corners of the marker around `center`. `radius` is that of a circle with about the same area.
    pub(crate) fn outline(self, center: (f64, f64), radius: f64) -> Vec<(f64, f64)> {
        let regular = |corners: usize, turn: f64, scale: f64| {
            let corner = move |index: usize| {
                let angle = std::f64::consts::TAU * (index as f64 + turn) / corners as f64;
                (center.0 + radius * scale * angle.sin(), center.1 - radius * scale * angle.cos())
            };
            (0..corners).map(corner).collect()
        };
        match self {
            Marker::Circle => regular(16, 0.0, 1.0),
            Marker::Square => regular(4, 0.5, 1.25),
            Marker::Triangle => regular(3, 0.0, 1.45),
            Marker::Diamond => regular(4, 0.0, 1.35),
            Marker::Nabla => regular(3, 0.5, 1.45),
        }
    }
}

/// The contrast of a colour on white, as WCAG 2.2 defines it: from 1 (white) to 21 (black).
pub fn contrast_on_white((red, green, blue): Color) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    1.05 / (0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines and markers need 3:1 (WCAG 2.2, success criterion 1.4.11).
    #[test]
    fn every_colour_can_be_seen_on_white() {
        for hue in Hue::ALL {
            for step in 0..STEPS {
                let contrast = contrast_on_white(hue.step(step));
                assert!(contrast >= 3.0, "{hue:?} {step}: {contrast}");
            }
        }
        assert!(contrast_on_white((86, 180, 233)) < 3.0, "sky blue is too faint");
    }

    #[test]
    fn colours_of_different_hues_and_steps_differ() {
        let all: Vec<(Hue, usize)> =
            Hue::ALL.into_iter().flat_map(|hue| (0..STEPS).map(move |step| (hue, step))).collect();
        let style = |(hue, step): (Hue, usize)| Style {
            color: hue.step(step),
            dash: Dash::Solid,
            marker: Marker::Circle,
            hollow: false,
        };
        for (index, a) in all.iter().enumerate() {
            for b in &all[..index] {
                assert!(!style(*a).resembles(&style(*b)), "{a:?} looks like {b:?}");
            }
        }
        assert!(style(all[0]).resembles(&style(all[0])));
    }
}
