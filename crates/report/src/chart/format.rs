//! The sizes in which every figure is drawn: one for the screen, two for paper. Text is laid out at its final size, so
//! that nothing has to be scaled in a document.

/// A size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureFormat {
    /// Its name, which the names of files carry.
    pub name: &'static str,
    /// Width of the picture, in CSS pixels (1/96 inch).
    pub width: f64,
    /// Size of all text.
    pub text: f64,
    /// The width of lines and the size of markers, relative to those on the screen.
    pub(crate) weight: f64,
    /// The largest number of panels beside each other.
    pub columns: usize,
    /// The largest height: a higher picture is split between its panels.
    pub tallest: f64,
    /// The widest text of a legend beside its panels; 0 if legends stand below.
    pub(crate) beside: f64,
}

/// Eight points, the smallest text that journals print.
const EIGHT_POINTS: f64 = 8.0 * 96.0 / 72.0;
/// What fits on a page of a paper: the text of LaTeX's article is 7.6 inches high.
const PAGE: f64 = 7.5 * 96.0;

impl PictureFormat {
    /// For pages.
    pub const WEB: Self =
        Self { name: "web", width: 760.0, text: 13.0, weight: 1.0, columns: 3, tallest: f64::INFINITY, beside: 190.0 };
    /// One column of an article in two columns, 229.5 pt wide: 3.17 inches.
    pub const COLUMN: Self =
        Self { name: "column", width: 304.0, text: EIGHT_POINTS, weight: 0.7, columns: 2, tallest: PAGE, beside: 0.0 };
    /// The text width of a paper: 5.5 inches.
    pub(crate) const TEXT: Self =
        Self { name: "text", width: 528.0, text: EIGHT_POINTS, weight: 0.75, columns: 3, tallest: PAGE, beside: 140.0 };

    /// Every size.
    pub const ALL: [Self; 3] = [Self::WEB, Self::COLUMN, Self::TEXT];
}
