//! Text with superscripts and subscripts, and how wide it is.

use std::sync::OnceLock;

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// What the SVG asks for: the font of the library `dejavu` where it is installed, else fonts that are not wider.
pub const FONT_STACK: &str = "'DejaVu Sans', Verdana, Arial, sans-serif";
/// The units of the embedded font, DejaVu Sans, to its size.
pub const UNITS: f64 = 2048.0;
/// The size of a superscript or subscript relative to the text.
pub const SMALL: f64 = 0.72;

/// Where a piece of text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// On the line.
    Line,
    /// Above it: `^{..}` in markup.
    Raised,
    /// Below it: `_{..}` in markup.
    Lowered,
}

impl Level {
    /// How far the piece is shifted downwards, in sizes of the surrounding font.
    pub fn shift(self) -> f64 {
        match self {
            Level::Line => 0.0,
            Level::Raised => -0.42,
            Level::Lowered => 0.2,
        }
    }

    /// The piece's font size relative to the surrounding one.
    pub fn scale(self) -> f64 {
        if self == Level::Line { 1.0 } else { SMALL }
    }
}

/// A piece of text on one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The characters.
    pub text: String,
    /// Where they stand.
    pub level: Level,
}

/// Splits markup into spans: `n^{1/3}` is `n` followed by a raised `1/3`, `x_{t}` by a lowered `t`. A brace that is
/// never closed runs to the end.
pub fn spans(markup: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut push = |text: &str, level| {
        if !text.is_empty() {
            spans.push(Span { text: text.to_owned(), level });
        }
    };
    let mut rest = markup;
    while let Some(start) = [rest.find("^{"), rest.find("_{")].into_iter().flatten().min() {
        let level = if rest[start..].starts_with('^') { Level::Raised } else { Level::Lowered };
        push(&rest[..start], Level::Line);
        let inner = &rest[start + 2..];
        let end = inner.find('}').unwrap_or(inner.len());
        push(&inner[..end], level);
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    push(rest, Level::Line);
    spans
}

/// The embedded font; none only if the library that holds it is broken.
fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(dejavu::sans::regular(), 0).ok()).as_ref()
}

/// The glyphs of a text, each with its advance in units of the font.
fn glyphs<'a>(face: &'a Face<'_>, text: &'a str) -> impl Iterator<Item = (GlyphId, f64)> + 'a {
    // Glyph 0 is the box that stands for characters that the font lacks.
    let glyphs = text.chars().map(|character| face.glyph_index(character).unwrap_or(GlyphId(0)));
    glyphs.map(|glyph| (glyph, f64::from(face.glyph_hor_advance(glyph).unwrap_or_default())))
}

/// The outline of a text without markup in units of the font, upwards from the base line; none where it is blank.
pub fn outline(text: &str) -> Option<Path> {
    let face = face()?;
    let mut pen = Pen { path: PathBuilder::new(), along: 0.0 };
    for (glyph, advance) in glyphs(face, text) {
        let _blank = face.outline_glyph(glyph, &mut pen);
        pen.along += advance as f32;
    }
    pen.path.finish()
}

/// Draws glyphs one after the other.
struct Pen {
    path: PathBuilder,
    along: f32,
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.along + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.along + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.along + x1, y1, self.along + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.along + x1, y1, self.along + x2, y2, self.along + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// The width of markup in a font of `size`, in the units of `size`.
pub fn width(markup: &str, size: f64) -> f64 {
    spans(markup).iter().map(|span| plain_width(&span.text, size * span.level.scale())).sum()
}

/// The width of text without markup.
pub fn plain_width(text: &str, size: f64) -> f64 {
    match face() {
        Some(face) => glyphs(face, text).map(|(_, advance)| advance).sum::<f64>() * size / UNITS,
        // Without the font, the average character of a sans-serif face.
        None => 0.6 * size * text.chars().count() as f64,
    }
}

/// Breaks markup at spaces into lines no wider than `limit`, where words allow.
pub fn wrap(markup: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in markup.split(' ') {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if width(&longer, size) <= limit {
                *line = longer;
                continue;
            }
        }
        lines.push(word.to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_spans() {
        let found = spans("n^{1/3} x_{t}!");
        let texts: Vec<(&str, Level)> = found.iter().map(|span| (span.text.as_str(), span.level)).collect();
        let expected = [
            ("n", Level::Line),
            ("1/3", Level::Raised),
            (" x", Level::Line),
            ("t", Level::Lowered),
            ("!", Level::Line),
        ];
        assert_eq!(texts, expected);
        assert_eq!(spans("a^{b").len(), 2);
        assert!(spans("").is_empty());
    }

    /// The advance widths of DejaVu Sans in units of 2048: `m` 1995, `i` 569.
    #[test]
    fn widths_are_those_of_the_font() {
        assert_eq!((plain_width("m", UNITS), plain_width("i", UNITS)), (1995.0, 569.0));
        let outline = outline("mi").unwrap().bounds();
        assert!(outline.left() > 0.0 && (1995.0..1995.0 + 569.0).contains(&outline.right()));
        assert!(width("10^{2}", 10.0) < width("102", 10.0));
    }

    #[test]
    fn long_labels_wrap_at_spaces() {
        let limit = plain_width("PKRR Nystrom", 12.0) + 1.0;
        assert_eq!(wrap("PKRR Nystrom sequential", 12.0, limit), ["PKRR Nystrom", "sequential"]);
        assert_eq!(wrap("Pros-N-KONS", 12.0, 1.0), ["Pros-N-KONS"]);
    }
}
