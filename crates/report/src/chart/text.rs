//! Text with superscripts and subscripts, and its width.

use noregret_raster::text_width;

use super::scene::Anchor;

/// The fonts of the SVG: that of the pixels if it is installed, otherwise fonts that are not wider.
pub(crate) const FONT_STACK: &str = "'DejaVu Sans', Verdana, Arial, sans-serif";
/// The size of a superscript or subscript relative to the text.
const SMALL: f64 = 0.72;

/// The level of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// On the line.
    Line,
    /// Above the line: `^{..}` in markup.
    Raised,
    /// Below the line: `_{..}` in markup.
    Lowered,
}

impl Level {
    /// The downward shift of the piece, in sizes of the surrounding font.
    pub(crate) fn shift(self) -> f64 {
        match self {
            Level::Line => 0.0,
            Level::Raised => -0.42,
            Level::Lowered => 0.2,
        }
    }

    /// The font size of the piece, relative to the surrounding font.
    pub(crate) fn scale(self) -> f64 {
        if self == Level::Line { 1.0 } else { SMALL }
    }
}

/// A piece of text on one level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    /// The characters.
    pub text: String,
    /// Their level.
    pub level: Level,
}

impl Span {
    /// The empty space before the piece, in sizes of the surrounding font. Without it, the bar of a T and the minus sign
    /// of its exponent would be one line.
    pub(crate) fn space(&self) -> f64 {
        match self.level {
            Level::Line => 0.0,
            _ if self.text.starts_with(['\u{2212}', '-']) => 0.12,
            _ => 0.04,
        }
    }
}

/// Splits markup into spans: `n^{1/3}` is `n` followed by a raised `1/3`, and `x_{t}` is `x` followed by a lowered `t`.
/// A brace that is not closed extends to the end.
pub(crate) fn spans(markup: &str) -> Vec<Span> {
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

/// The width of markup in a font of `size`, in the units of `size`.
pub(crate) fn width(markup: &str, size: f64) -> f64 {
    spans(markup).iter().map(|span| size * span.space() + plain_width(&span.text, size * span.level.scale())).sum()
}

/// The width of text without markup.
pub(crate) fn plain_width(text: &str, size: f64) -> f64 {
    // Without the font, the average character of a sans-serif face.
    text_width(text, size).unwrap_or_else(|| 0.6 * size * text.chars().count() as f64)
}

/// A piece of markup where it is drawn, relative to the anchor of the whole.
pub(crate) struct Piece {
    /// The characters.
    pub text: String,
    /// Their font size.
    pub(crate) size: f64,
    /// How far along the line it begins.
    pub(crate) along: f64,
    /// How far below the line it stands.
    pub(crate) below: f64,
}

/// The pieces of markup in a font of `size`, for pictures that place each of them.
pub(crate) fn pieces(markup: &str, size: f64, anchor: Anchor) -> Vec<Piece> {
    let mut along = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * width(markup, size),
        Anchor::End => -width(markup, size),
    };
    let place = |span: Span| {
        let own = size * span.level.scale();
        let begin = along + size * span.space();
        along = begin + plain_width(&span.text, own);
        Piece { below: span.level.shift() * size, text: span.text, size: own, along: begin }
    };
    spans(markup).into_iter().map(place).collect()
}

/// Breaks markup at spaces into lines that are no wider than `limit`, unless a single word is wider.
pub(crate) fn wrap(markup: &str, size: f64, limit: f64) -> Vec<String> {
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

    #[test]
    fn exponents_are_narrower_than_what_they_raise() {
        assert!(width("10^{2}", 10.0) < width("102", 10.0));
    }

    #[test]
    fn exponents_do_not_touch_what_they_raise() {
        let apart = width("T^{\u{2212}1}", 10.0) - plain_width("T", 10.0) - plain_width("\u{2212}1", 7.2);
        assert!((apart - 1.2).abs() < 1e-9, "{apart}");
    }

    #[test]
    fn pieces_follow_each_other_up_to_the_anchor() {
        let placed = pieces("n^{2}", 10.0, Anchor::End);
        let [line, raised] = placed.as_slice() else { panic!("two pieces") };
        assert!((line.along + width("n^{2}", 10.0)).abs() < 1e-9 && line.below == 0.0);
        assert!((raised.along + plain_width("2", 7.2)).abs() < 1e-9 && raised.below == -4.2);
        assert_eq!(pieces("n^{2}", 10.0, Anchor::Start)[0].along, 0.0);
    }

    #[test]
    fn long_labels_wrap_at_spaces() {
        let limit = plain_width("PKRR Nystrom", 12.0) + 1.0;
        assert_eq!(wrap("PKRR Nystrom sequential", 12.0, limit), ["PKRR Nystrom", "sequential"]);
        assert_eq!(wrap("Pros-N-KONS", 12.0, 1.0), ["Pros-N-KONS"]);
    }
}
