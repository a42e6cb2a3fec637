//! The styles of curves: colour, dashes and marker, so that curves can be told apart without colour too.

/// Red, green, blue.
pub type Color = (u8, u8, u8);

/// Text and axes.
pub const INK: Color = (34, 34, 34);
/// Ticks, guides and notes.
pub const GREY: Color = (110, 110, 110);
/// Grid lines.
pub const GRID: Color = (228, 228, 228);
/// Paper.
pub const WHITE: Color = (255, 255, 255);

/// The palette of Okabe and Ito (Color Universal Design, 2008) without its yellow, which is too faint for lines on
/// white.
const COLORS: [Color; 7] =
    [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (0, 0, 0), (230, 159, 0), (86, 180, 233)];

/// Dash patterns, in units of the picture: lengths that are drawn and skipped in turn.
const DASHES: [&[f64]; 4] = [&[], &[8.0, 3.0], &[8.0, 3.0, 2.0, 3.0], &[3.0, 2.5]];

/// The dashes of theory guides.
pub const GUIDE_DASH: &[f64] = &[2.0, 3.0];

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Nabla,
}

const MARKERS: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Nabla];

/// The style of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Colour of line, band and markers.
    pub color: Color,
    /// Dash pattern; empty for a solid line.
    pub dash: &'static [f64],
    /// Shape of the markers.
    pub marker: Marker,
}

/// The style of the curve with this number. Because 7, 4 and 5 have no common factors, 140 consecutive curves have
/// different styles, and any 28 of them differ in colour or dashes.
pub fn style(index: usize) -> Style {
    Style {
        color: COLORS[index % COLORS.len()],
        dash: DASHES[index % DASHES.len()],
        marker: MARKERS[index % MARKERS.len()],
    }
}

impl Marker {
    /// The corners of the marker around `center`. `radius` is that of a circle with about the same area.
    pub fn outline(self, center: (f64, f64), radius: f64) -> Vec<(f64, f64)> {
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

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn the_first_curves_all_differ() {
        for a in 0..28 {
            for b in 0..a {
                let (first, second) = (style(a), style(b));
                assert!(first.color != second.color || first.dash != second.dash, "{a} looks like {b}");
            }
        }
    }
}
