//! The font of the library `dejavu`, DejaVu Sans.

use std::sync::OnceLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// The name under which plotters knows the font.
const NAME: &str = "DejaVu Sans";

/// The ratio of the height of a line box to the size of the font (ascent 1901 and descent 483 of 2048 units). plotters
/// measures fonts by the height of the line box, everything else by their size.
pub(crate) const LINE_BOX: f64 = 2384.0 / 2048.0;

/// The file of the font (TrueType, 757 kB). Never inlined: each crate that this were inlined into would hold the file.
#[inline(never)]
pub fn dejavu_sans() -> &'static [u8] {
    dejavu::sans::regular()
}

/// The font, `size` pixels large. None where plotters cannot read it.
pub(crate) fn font(size: f64) -> Option<FontDesc<'static>> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = *REGISTERED.get_or_init(|| register_font(NAME, FontStyle::Normal, dejavu_sans()).is_ok());
    registered.then(|| FontDesc::new(FontFamily::Name(NAME), size * LINE_BOX, FontStyle::Normal))
}

/// The width of text in DejaVu Sans, in the units of `size`, which is that of the font. None where the font cannot be
/// read.
pub fn text_width(text: &str, size: f64) -> Option<f64> {
    // plotters rounds to whole pixels, so the text is measured at a large size and scaled down.
    const MEASURE: f64 = 1000.0;
    let (pixels, _) = font(MEASURE)?.box_size(text).ok()?;
    Some(f64::from(pixels) * size / MEASURE)
}

#[cfg(test)]
mod tests {
    use super::text_width;

    /// The advance widths of DejaVu Sans in units of 2048: `m` 1995, `i` 569.
    #[test]
    fn widths_are_those_of_the_font() {
        assert!((text_width("m", 2048.0).unwrap() - 1995.0).abs() < 4.0);
        assert!((text_width("i", 2048.0).unwrap() - 569.0).abs() < 4.0);
    }
}
